/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables' inside, shared by tables.c (contents), tables_join.c, tables_enc.c and tables_dec.c.
 */
#ifndef XTR_TABLES_PRIV_H
#define XTR_TABLES_PRIV_H

#include "base/map.h"
#include "tables.h"

/* Bytes that the tables of a section may hold: a bound on what a hostile file can ask for. */
#define XTR_TABLES_BYTES_MAX ((size_t)1 << 30)

struct xtr_string_entry {
	uint32_t id;
	uint32_t n; /* bytes, without the NUL that follows them */
	char *text;
};

struct xtr_frame_entry {
	uint32_t id;
	struct xtr_frame f;
};

struct xtr_stack_entry {
	uint32_t id;
	uint32_t n; /* frames */
	uint32_t *frames;
};

/* A table whose rows have ids: rows in order of definition, and where each id is. */
struct xtr_id_table {
	struct xtr_map by_id;
	size_t n, cap, row; /* rows, room, bytes of a row (which starts with its id) */
	void *rows;
	size_t written; /* rows that were already encoded */
	bool unsorted;  /* an id came behind a larger one */
	uint32_t *ids;  /* then all ids in order, once they are settled; n_ids of them */
	size_t n_ids;
};

enum {
	XTR_T_STRINGS,
	XTR_T_FRAMES,
	XTR_T_STACKS,
	XTR_T_RINGS,
	XTR_T_IDS
};

struct xtr_tables {
	struct xtr_id_table t[XTR_T_IDS];
	struct xtr_map interned;    /* (hash, n-th with this hash) -> index of a string */
	struct xtr_map frame_keys;  /* the same of frames */
	size_t n_interned, n_keyed; /* strings and frames that these two maps know */
	uint32_t last_id[XTR_T_IDS];
	struct xtr_task *tasks; /* sorted by (tid, since) up to n_sorted, then as they came */
	size_t n_tasks, n_sorted, cap_tasks;
	struct xtr_task *pending; /* tasks that were not yet encoded */
	size_t n_pending, cap_pending;
	struct xtr_map processes; /* tables_process.c */
	bool unranked;            /* a process got its place before all were known */
	size_t bytes;             /* held by all of them, about */
};

/* The number of sorted tasks that come before (tid, since) or are it. */
size_t xtr_tables_task_bound(const struct xtr_tables *t, uint32_t tid, uint64_t since);
/* The row of an id, or NULL; the i-th row. */
void *xtr_id_table_get(const struct xtr_id_table *t, uint32_t id);
static inline void *xtr_id_table_at(const struct xtr_id_table *t, size_t i)
{
	return (char *)t->rows + i * t->row;
}

bool xtr_frame_same(const struct xtr_frame *a, const struct xtr_frame *b);
/* Define a row whose id is not there yet. 0, -ENOMEM, -EFBIG. */
int xtr_tables_put_frame(struct xtr_tables *t, uint32_t id, const struct xtr_frame *f);
/*
 * Give a task its nth: as it came, until xtr_tables_rank_processes brings those that have one
 * number in order of start. 0 or -ENOMEM.
 */
int xtr_tables_place_process(struct xtr_tables *t, struct xtr_task *task);
/* 0 or -ENOMEM: each process has a place of its own all the same. */
int xtr_tables_rank_processes(struct xtr_tables *t);
/* The same of n tables of one boot, in which a process has one place. */
int xtr_tables_rank_together(struct xtr_tables *const *t, size_t n);
/* Append a task without making it pending. */
int xtr_tables_put_task(struct xtr_tables *t, const struct xtr_task *task);
/* Copy the frames, stacks and rings of t to an empty one. 0 or -ENOMEM. */
int xtr_tables_copy_ids(struct xtr_tables *to, const struct xtr_tables *t);
/* Bring the tasks in order; of equal ones the later stays. 0 or -ENOMEM: they are as before. */
int xtr_tables_sort_tasks(struct xtr_tables *t);
/*
 * Everything was read: bring tasks and ids in order. 0 or -ENOMEM: looking up works all the same,
 * only slower, but a copy would not have them in order.
 */
int xtr_tables_settle(struct xtr_tables *t);
/* Bring the tasks in order once so many are not that it is worth it; without memory later. */
void xtr_tables_sort_many(struct xtr_tables *t);

#endif /* XTR_TABLES_PRIV_H */
