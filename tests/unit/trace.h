/* SPDX-License-Identifier: BSD-2-Clause */
/* Small traces in memory for tests of the format. */
#ifndef TEST_TRACE_H
#define TEST_TRACE_H

#include "format/read/reader.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"

/* A writer with all that it needs, and what it writes. */
struct trace {
	struct xtr_io *io;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer *w;
};

/* Opens a writer over io (NULL: memory), with META of the built-in events. 0 or -errno. */
int trace_open(struct trace *t, struct xtr_io *io, const struct xtr_writer_opts *opts);
/* Frees everything; io too, unless keep_io. */
void trace_close(struct trace *t, bool keep_io);

/* Random numbers from a seed, below n. */
uint64_t trace_random(uint64_t *state, uint64_t n);
/* Put a record of a type and size with random payload at p. */
void trace_record(uint8_t *p, uint64_t *state, uint64_t ts, uint32_t type, uint32_t size);
/*
 * Put n records of built-in types, and of types and sizes that META does not know, with random
 * payload at recs: at most 4,096 bytes each. Returns their bytes.
 */
size_t trace_mixed(uint8_t *recs, uint64_t seed, uint32_t n);
/*
 * Write n events of built-in types on a stream, ts rising by up to 1,000 ns from *ts on; the last
 * one of every 50 swaps its place with the one before if unordered.
 */
int trace_events(struct trace *t, uint64_t *state, uint32_t stream, uint64_t *ts, uint32_t n,
		 bool unordered);
/* A finished trace of `rounds` rounds of n events on each of 3 streams, with tables, losses, ... */
struct xtr_io *trace_make(uint32_t rounds, uint32_t n, uint64_t seed,
			  const struct xtr_writer_opts *opts);
/* The number of problems of a code that the reader knows. */
size_t trace_problems(const struct xtr_reader *r, enum xtr_problem_code code);
/* Opens a reader over a copy of bytes. */
int trace_read(struct xtr_reader **r, const uint8_t *data, size_t n, struct xtr_err *err);
/* A reader of what was written to a memory io, every byte of it verified. */
struct xtr_reader *trace_read_back(struct xtr_io *io);

#endif /* TEST_TRACE_H */
