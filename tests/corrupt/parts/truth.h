/* SPDX-License-Identifier: BSD-2-Clause */
/* A file as it was before the damage: what every reading of a damaged copy is held against. */
#ifndef TEST_TRUTH_H
#define TEST_TRUTH_H

#include "format/read/reader.h"

#include <stdbool.h>

struct truth_chunk {
	struct xtr_chunk c;
	size_t section;
	uint8_t *recs; /* of EVENTS with records, else NULL */
};

struct truth_section {
	uint64_t id, offset, end; /* bytes from the file's start */
	uint64_t events, lost;
	uint64_t trailer;     /* offset; = end if there is none */
	size_t end_chunk;     /* index of its END; SIZE_MAX: none */
	size_t first, behind; /* its chunks: [first, behind) */
};

struct truth {
	const char *name;
	uint8_t *data;
	size_t n;
	struct truth_chunk *chunk; /* of all sections, in order */
	size_t n_chunks;
	struct truth_section *section;
	size_t n_sections;
	struct truth_record *record; /* sorted */
	size_t n_records;
};

/* Each record with its CPU, as a hash. */
struct truth_record {
	uint64_t hash;
	uint32_t left; /* how many times it may still be shown */
	uint32_t all;
};

/*
 * Takes over n bytes; exits with one line if they are no whole file of sections with ids of their
 * own.
 */
void truth_load(struct truth *t, const char *name, uint8_t *data, size_t n);
void truth_load_file(struct truth *t, const char *path);
void truth_free(struct truth *t);

/* A reader over bytes that stay the caller's; NULL with err. */
struct xtr_reader *truth_open(const uint8_t *data, size_t n, struct xtr_err *err);
/* Bytes of a chunk that matter: header and payload. */
size_t truth_span(const struct xtr_chunk *c);
/* The chunk of a section by its number, or NULL. */
const struct truth_chunk *truth_find(const struct truth *t, uint64_t file_id, uint32_t seq);
/* Begin to count shown records anew; then false if one was never there, or is shown once more. */
void truth_count(struct truth *t);
bool truth_shown(struct truth *t, uint32_t stream, const uint8_t *rec, size_t n);

/* Memory or the end of the program. */
void *must(void *p);
/* Random numbers from a seed, below n. */
uint64_t draw(uint64_t *state, uint64_t n);

#endif /* TEST_TRUTH_H */
