/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a flight recorder keeps, in a file of a tmpfs instead of memory of the process, so that it
 * outlives a recorder that is killed: the ring of chunks (chunk_ring.h), mapped; a log of META and
 * of the tables' chunks, which is only appended to and cut at its front; and a state that says what
 * of both holds. There is nothing to sync: it has to survive a process, not the machine.
 *
 * The state is there twice, and one store says which of the two holds. So each step is whole or has
 * not happened: first what the new state points to, then the new state, then the store; and only
 * then may what the old one pointed to be written over.
 */
#ifndef XTR_RECORDER_KEPT_FILE_H
#define XTR_RECORDER_KEPT_FILE_H

#include "chunk_ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_KEPT_CLOCK 4096u /* bytes of a CLOCK chunk's payload that can be held */

/* Of a CPU, in the piece that is gathered. */
struct xtr_kept_cpu {
	uint64_t piece;   /* this piece; of another one all is 0 */
	uint64_t aged;    /* events given up */
	uint64_t ordinal; /* events that came, given up or not */
};

struct xtr_kept_state {
	uint64_t piece; /* number of the piece that is gathered */
	struct xtr_chunk_place ring;
	uint64_t from;             /* ns: what is older was given up; 0: nothing was */
	uint64_t log_from, log_to; /* chunks of tables; offsets in the log */
	uint32_t clock;            /* 0: none; else which of clock[], from 1 */
	uint32_t cpu;              /* of this one `of` holds, of the others what cpus[] says */
	struct xtr_kept_cpu of;
};

struct xtr_kept_clock {
	struct xtr_chunk c;
	uint8_t data[XTR_KEPT_CLOCK];
};

struct xtr_kept_head {
	uint64_t magic; /* changes with every layout */
	uint64_t ring_bytes;
	uint32_t n_cpus;
	uint32_t names_lost; /* 1: a chunk of tables found no room */
	uint64_t meta_bytes; /* of the META chunk, at the log's beginning */
	uint32_t which;      /* state[which] holds */
	uint32_t pad;
	struct xtr_kept_state state[2];
	struct xtr_kept_clock clock[2];
	struct xtr_kept_cpu cpus[];
};

struct xtr_kept_file {
	int fd; /* -1: there is none */
	struct xtr_kept_head *head;
	uint64_t head_bytes; /* of the file; the ring is behind them, then the log */
};

/* Directories of the file, numbered from 1; NULL: there is no such one. */
const char *xtr_kept_dir(uint32_t dir);

/*
 * Make the file of this recorder in a directory: as large as needed, memory is taken as it is
 * filled. 0; -ENODEV: the directory is no tmpfs, or not of this user alone and not everybody's;
 * -ENOSPC: it has less room; -EFBIG: a limit on the size of files; or -errno. Nothing is left then.
 */
int xtr_kept_new(struct xtr_kept_file *k, uint32_t dir, uint64_t id, size_t ring_bytes,
		 uint32_t n_cpus);
/* Map one that somebody left, to be read only. 0; -EACCES: it is not this user's alone; -EBADMSG:
 * it is none, or of another version; or -errno. */
int xtr_kept_open(struct xtr_kept_file *k, uint32_t dir, uint64_t id);
void xtr_kept_close(struct xtr_kept_file *k);
/* Remove this user's file of this recorder, wherever it is. 0 or -errno: it is still there. */
int xtr_kept_remove(uint64_t id);

/* Where the ring stands in the file, in bytes. */
uint64_t xtr_kept_ring_at(const struct xtr_kept_file *k);
/* The state that holds. */
const struct xtr_kept_state *xtr_kept_state(const struct xtr_kept_file *k);
/* This state holds from now on. */
void xtr_kept_publish(struct xtr_kept_file *k, const struct xtr_kept_state *next);
/* What holds of a CPU. */
struct xtr_kept_cpu xtr_kept_cpu(const struct xtr_kept_file *k, uint32_t cpu);

/* Append a whole chunk to the log: META once, first, then tables. What finds no room is noted
 * (names_lost). */
void xtr_kept_log(struct xtr_kept_file *k, const void *chunk, size_t n, bool meta);
/* What the log has before this offset is needed no more, and no state says so: its pages go. */
void xtr_kept_log_cut(struct xtr_kept_file *k, uint64_t before);
/* Read from the log. 0 or -errno. */
int xtr_kept_log_read(const struct xtr_kept_file *k, uint64_t at, void *buf, size_t n);
/* Put a CLOCK chunk where the state that holds does not point; which one it is, from 1; 0: it is
 * too large. */
uint32_t xtr_kept_put_clock(struct xtr_kept_file *k, const struct xtr_chunk *c,
			    const uint8_t *stored);

#endif /* XTR_RECORDER_KEPT_FILE_H */
