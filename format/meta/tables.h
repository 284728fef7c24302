/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a section (spec 6.4): strings, tasks, rings, stacks, frames. The recorder fills one
 * and writes what is new; the reader fills one from all TABLE chunks.
 */
#ifndef XTR_TABLES_H
#define XTR_TABLES_H

#include "format/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_tables;

struct xtr_task {
	uint32_t tid, pid; /* pid: the process (thread group) */
	uint64_t since;    /* ns on the event clock */
	uint32_t comm;     /* string id */
	uint32_t flags;    /* XTR_TASK_KTHREAD */
	/*
	 * When the process began, ns on the event clock; 0: not known. A process is pid and start:
	 * numbers are given again.
	 */
	uint64_t start;
	uint32_t cgroup; /* string id of the path of its control group; 0: not known */
	/*
	 * Which of the processes with this number it is, in order of start, from 0: in the
	 * section, and, once a reader has opened the file, in all of its sections of that boot. Set
	 * by the tables, whatever it was when the task was added.
	 */
	uint32_t nth;
};

struct xtr_ring {
	uint32_t id;
	uint64_t since;
	uint64_t sched;  /* scheduler instance, hashed unless pointers were kept */
	uint32_t device; /* string id */
	uint32_t name;   /* string id */
	uint32_t limit;  /* jobs or credits on the hardware at once, 0 unknown */
};

struct xtr_frame {
	uint32_t symbol;   /* string id; 0: only the offset (address) is known */
	uint64_t offset;   /* bytes from the symbol's (or module's) start */
	uint32_t module;   /* string id */
	uint32_t build_id; /* string id: of the module, in hexadecimal digits; 0: not known */
};

struct xtr_tables *xtr_tables_new(void);
void xtr_tables_free(struct xtr_tables *t);
const struct xtr_tables *xtr_tables_none(void); /* empty ones */

/*
 * A copy that a writer can write: all of it counts as new (xtr_tables_encode), whether t was filled
 * by a recorder or read from a file. Ids stay, and adding goes on behind them. NULL: no memory.
 */
struct xtr_tables *xtr_tables_copy(const struct xtr_tables *t);

/*
 * What later records may name, as a copy of which all counts as new: rings, frames and stacks, the
 * tasks that `keep` wants, and the strings that these name or that are among `strings` (ids). Ids
 * stay, and those of what is left out are not given again. NULL: no memory.
 */
struct xtr_tables *xtr_tables_rest(const struct xtr_tables *t,
				   bool (*keep)(void *ctx, const struct xtr_task *task), void *ctx,
				   const uint32_t *strings, size_t n);
/* Put `by` in the place of what t holds; by is gone afterwards. */
void xtr_tables_replace(struct xtr_tables *t, struct xtr_tables *by);
/* a holds what b held, and b what a held. */
void xtr_tables_swap(struct xtr_tables *a, struct xtr_tables *b);
/*
 * Add to `to` what `from` has and it has not, by id; both are of one recording, in which ids have
 * one meaning. What is added counts as new. 0, -ENOMEM or -EFBIG: a part of it was added.
 */
int xtr_tables_join(struct xtr_tables *to, const struct xtr_tables *from);
/* Bytes of memory that they take, about. */
size_t xtr_tables_bytes(const struct xtr_tables *t);

/* Recorder side: intern and define. Ids are > 0. Return 0 or -errno. */
int xtr_tables_intern(struct xtr_tables *t, const void *text, size_t n, uint32_t *id);
/* The same under an id of the caller's, which is not there yet. */
int xtr_tables_put_string(struct xtr_tables *t, uint32_t id, const void *text, size_t n);
int xtr_tables_add_task(struct xtr_tables *t, const struct xtr_task *task);
int xtr_tables_add_ring(struct xtr_tables *t, const struct xtr_ring *ring);
int xtr_tables_intern_frame(struct xtr_tables *t, const struct xtr_frame *f, uint32_t *id);
/* A frame is another one from now on, under the same id: in tables of which nothing is written yet
 * (xtr_tables_copy). -ENOENT: there is none. */
int xtr_tables_set_frame(struct xtr_tables *t, uint32_t id, const struct xtr_frame *f);
int xtr_tables_add_stack(struct xtr_tables *t, uint32_t id, const uint32_t *frames, size_t n);

/* Lookup. NULL / false if not defined. */
const char *xtr_tables_string(const struct xtr_tables *t, uint32_t id,
			      size_t *n); /* NUL-terminated */
/* The task of tid at time ts (spec 6.4). */
const struct xtr_task *xtr_tables_task(const struct xtr_tables *t, uint32_t tid, uint64_t ts);
const struct xtr_ring *xtr_tables_ring(const struct xtr_tables *t, uint32_t id);
const struct xtr_frame *xtr_tables_frame(const struct xtr_tables *t, uint32_t id);
/* Frame ids, innermost first; *n is set. */
const uint32_t *xtr_tables_stack(const struct xtr_tables *t, uint32_t id, size_t *n);
/* Walk the ids of a table upwards: the smallest defined id above *id, false if there is none. */
enum xtr_table {
	XTR_TABLE_STRINGS,
	XTR_TABLE_FRAMES,
	XTR_TABLE_STACKS
};
bool xtr_tables_next_id(const struct xtr_tables *t, enum xtr_table table, uint32_t *id);
size_t xtr_tables_n_rings(const struct xtr_tables *t);
const struct xtr_ring *xtr_tables_ring_at(const struct xtr_tables *t, size_t i);
size_t xtr_tables_n_tasks(const struct xtr_tables *t);
const struct xtr_task *xtr_tables_task_at(const struct xtr_tables *t, size_t i);

/*
 * Encode what was added since the last call (or everything, with all = true, as a reset) as TABLE
 * payloads, calling put for each, every one within the limits of spec 4 and 6.1. Stops at the first
 * error of put and returns it; then nothing counts as written.
 */
int xtr_tables_encode(struct xtr_tables *t, bool all,
		      int (*put)(void *ctx, const uint8_t *buf, size_t n), void *ctx);

/* Reader side: add a TABLE payload. -EBADMSG: err->problem is XTR_P_CBOR or XTR_P_TABLE, t
 * unchanged. */
int xtr_tables_merge(struct xtr_tables *t, const uint8_t *buf, size_t n, struct xtr_err *err);

/* --- task cache ------------------------------------------------------------------------------- */

/*
 * Answers of xtr_tables_task that are kept for who asks for few threads many times: each with the
 * stretch of time in which it holds. Tables that have grown since are looked at anew.
 */
#define XTR_TASK_CACHE_SLOTS 64u

struct xtr_task_cache { /* all zero: empty; of one struct xtr_tables */
	const void *rows;
	size_t n; /* tasks of the tables that the answers are about */
	struct xtr_task_answer {
		const struct xtr_task *task; /* NULL: the tables do not know the thread */
		uint64_t first, last;        /* ns, inclusive; last 0: empty */
		uint32_t tid;
	} slot[XTR_TASK_CACHE_SLOTS];
};

/* What xtr_tables_task(t, tid, ts) gives; t may be NULL. */
const struct xtr_task *xtr_task_cache_get(struct xtr_task_cache *c, const struct xtr_tables *t,
					  uint32_t tid, uint64_t ts);

#endif /* XTR_TABLES_H */
