/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"
#include "format/xtr_format.h"
#include "tables_priv.h"
#include "tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Tasks that may stand behind the sorted ones before all are sorted again: at least so many, and a
 * quarter of those, so that sorting takes no more than a constant number of looks at each.
 */
#define TASKS_UNSORTED 256u

struct xtr_tables *xtr_tables_new(void)
{
	struct xtr_tables *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->t[XTR_T_STRINGS].row = sizeof(struct xtr_string_entry);
	t->t[XTR_T_FRAMES].row = sizeof(struct xtr_frame_entry);
	t->t[XTR_T_STACKS].row = sizeof(struct xtr_stack_entry);
	t->t[XTR_T_RINGS].row = sizeof(struct xtr_ring);
	return t;
}

const struct xtr_tables *xtr_tables_none(void)
{
	static const struct xtr_tables none;

	return &none;
}

void xtr_tables_free(struct xtr_tables *t)
{
	struct xtr_string_entry *s;
	struct xtr_stack_entry *st;

	if (!t)
		return;
	for (size_t i = 0; i < t->t[XTR_T_STRINGS].n; i++) {
		s = xtr_id_table_at(&t->t[XTR_T_STRINGS], i);
		free(s->text);
	}
	for (size_t i = 0; i < t->t[XTR_T_STACKS].n; i++) {
		st = xtr_id_table_at(&t->t[XTR_T_STACKS], i);
		free(st->frames);
	}
	for (int i = 0; i < XTR_T_IDS; i++) {
		xtr_map_free(&t->t[i].by_id);
		free(t->t[i].rows);
		free(t->t[i].ids);
	}
	xtr_map_free(&t->interned);
	xtr_map_free(&t->frame_keys);
	xtr_map_free(&t->processes);
	free(t->tasks);
	free(t->pending);
	free(t);
}

void *xtr_id_table_get(const struct xtr_id_table *t, uint32_t id)
{
	const uint64_t *i = xtr_map_get(&t->by_id, id, 0);

	return i ? xtr_id_table_at(t, *i) : NULL;
}

/* Append a row, which starts with its id. `extra`: bytes that hang on it. */
static int add_row(struct xtr_tables *t, int table, const void *row, size_t extra)
{
	struct xtr_id_table *it = &t->t[table];
	uint32_t id;

	if (extra > XTR_TABLES_BYTES_MAX - t->bytes)
		return -EFBIG;
	memcpy(&id, row, sizeof(id));
	if (xtr_grow_array(&it->rows, &it->cap, it->n + 1, it->row) ||
	    xtr_map_put(&it->by_id, id, 0, it->n))
		return -ENOMEM;
	memcpy(xtr_id_table_at(it, it->n++), row, it->row);
	it->unsorted |= id < t->last_id[table];
	t->bytes += extra;
	if (id > t->last_id[table])
		t->last_id[table] = id;
	return 0;
}

int xtr_tables_put_string(struct xtr_tables *t, uint32_t id, const void *text, size_t n)
{
	struct xtr_string_entry s = { .id = id, .n = (uint32_t)n };
	int err;

	s.text = malloc(n + 1);
	if (!s.text)
		return -ENOMEM;
	memcpy(s.text, text, n);
	s.text[n] = '\0';
	err = add_row(t, XTR_T_STRINGS, &s, sizeof(s) + n + 64);
	if (err)
		free(s.text);
	return err;
}

static int next_id(const struct xtr_tables *t, int table, uint32_t *id)
{
	if (t->last_id[table] == UINT32_MAX)
		return -EFBIG;
	*id = t->last_id[table] + 1;
	return 0;
}

/*
 * Strings are found by (hash, k): k counts those with the same hash, so that the map needs to know
 * nothing of the text. *k becomes the first one that is free if the string is not there.
 */
static const struct xtr_string_entry *find_string(const struct xtr_tables *t, const void *text,
						  size_t n, uint64_t hash, uint64_t *k)
{
	const uint64_t *i;

	for (*k = 0; (i = xtr_map_get(&t->interned, hash, *k)); ++*k) {
		const struct xtr_string_entry *s = xtr_id_table_at(&t->t[XTR_T_STRINGS], *i);

		if (s->n == n && !memcmp(s->text, text, n))
			return s;
	}
	return NULL;
}

/* Strings that were read from a file become known when one is interned: readers never do. */
static int intern_read(struct xtr_tables *t)
{
	for (; t->n_interned < t->t[XTR_T_STRINGS].n; t->n_interned++) {
		const struct xtr_string_entry *s =
			xtr_id_table_at(&t->t[XTR_T_STRINGS], t->n_interned);
		uint64_t hash = xtr_hash_bytes(s->text, s->n), k;

		if (find_string(t, s->text, s->n, hash, &k))
			continue;
		if (xtr_map_put(&t->interned, hash, k, t->n_interned))
			return -ENOMEM;
	}
	return 0;
}

int xtr_tables_intern(struct xtr_tables *t, const void *text, size_t n, uint32_t *id)
{
	const struct xtr_string_entry *known;
	uint64_t hash = xtr_hash_bytes(text, n), k;
	int err;

	if (n > XTR_CBOR_STRING_MAX)
		return -E2BIG;
	err = intern_read(t);
	if (err)
		return err;
	known = find_string(t, text, n, hash, &k);
	if (known) {
		*id = known->id;
		return 0;
	}
	return next_id(t, XTR_T_STRINGS, id) ?: xtr_tables_put_string(t, *id, text, n) ?:
	       intern_read(t);
}

int xtr_tables_add_ring(struct xtr_tables *t, const struct xtr_ring *ring)
{
	if (!ring->id)
		return -EINVAL;
	if (xtr_tables_ring(t, ring->id))
		return -EEXIST;
	return add_row(t, XTR_T_RINGS, ring, sizeof(*ring) + 64);
}

int xtr_tables_put_frame(struct xtr_tables *t, uint32_t id, const struct xtr_frame *f)
{
	struct xtr_frame_entry e = { .id = id, .f = *f };

	return add_row(t, XTR_T_FRAMES, &e, sizeof(e) + 64);
}

bool xtr_frame_same(const struct xtr_frame *a, const struct xtr_frame *b)
{
	return a->symbol == b->symbol && a->offset == b->offset && a->module == b->module &&
	       a->build_id == b->build_id;
}

static uint64_t frame_hash(const struct xtr_frame *f)
{
	const uint64_t all[] = { (uint64_t)f->symbol << 32 | f->module, f->build_id, f->offset };

	return xtr_hash_bytes(all, sizeof(all));
}

/* As find_string. */
static const struct xtr_frame_entry *find_frame(const struct xtr_tables *t,
						const struct xtr_frame *f, uint64_t hash,
						uint64_t *k)
{
	const uint64_t *i;

	for (*k = 0; (i = xtr_map_get(&t->frame_keys, hash, *k)); ++*k) {
		const struct xtr_frame_entry *e = xtr_id_table_at(&t->t[XTR_T_FRAMES], *i);

		if (xtr_frame_same(&e->f, f))
			return e;
	}
	return NULL;
}

/* As intern_read. */
static int key_read(struct xtr_tables *t)
{
	for (; t->n_keyed < t->t[XTR_T_FRAMES].n; t->n_keyed++) {
		const struct xtr_frame_entry *e = xtr_id_table_at(&t->t[XTR_T_FRAMES], t->n_keyed);
		uint64_t hash = frame_hash(&e->f), k;

		if (find_frame(t, &e->f, hash, &k))
			continue;
		if (xtr_map_put(&t->frame_keys, hash, k, t->n_keyed))
			return -ENOMEM;
	}
	return 0;
}

int xtr_tables_intern_frame(struct xtr_tables *t, const struct xtr_frame *f, uint32_t *id)
{
	const struct xtr_frame_entry *known;
	int err = key_read(t);
	uint64_t k;

	if (err)
		return err;
	known = find_frame(t, f, frame_hash(f), &k);
	if (known) {
		*id = known->id;
		return 0;
	}
	return next_id(t, XTR_T_FRAMES, id) ?: xtr_tables_put_frame(t, *id, f) ?: key_read(t);
}

int xtr_tables_set_frame(struct xtr_tables *t, uint32_t id, const struct xtr_frame *f)
{
	struct xtr_frame_entry *e = xtr_id_table_get(&t->t[XTR_T_FRAMES], id);

	if (!e)
		return -ENOENT;
	e->f = *f;
	xtr_map_free(&t->frame_keys); /* which are made anew when a frame is interned */
	t->n_keyed = 0;
	return 0;
}

int xtr_tables_add_stack(struct xtr_tables *t, uint32_t id, const uint32_t *frames, size_t n)
{
	struct xtr_stack_entry s = { .id = id, .n = (uint32_t)n };
	int err;

	if (!id || n > XTR_CBOR_ITEMS_MAX / 4)
		return -EINVAL;
	if (xtr_id_table_get(&t->t[XTR_T_STACKS], id))
		return -EEXIST;
	s.frames = malloc(n * sizeof(*frames) + 1);
	if (!s.frames)
		return -ENOMEM;
	if (n)
		memcpy(s.frames, frames, n * sizeof(*frames));
	err = add_row(t, XTR_T_STACKS, &s, sizeof(s) + n * sizeof(*frames) + 64);
	if (err)
		free(s.frames);
	return err;
}

static int task_cmp(const struct xtr_task *a, uint32_t tid, uint64_t since)
{
	if (a->tid != tid)
		return a->tid < tid ? -1 : 1;
	return a->since < since ? -1 : a->since > since;
}

/* qsort need not be stable: rows with equal keys are told apart by their place. */
static int task_ptr_cmp(const void *pa, const void *pb)
{
	const struct xtr_task *a = *(const struct xtr_task *const *)pa;
	const struct xtr_task *b = *(const struct xtr_task *const *)pb;
	int cmp = task_cmp(a, b->tid, b->since);

	return cmp ? cmp : (a < b ? -1 : a > b);
}

/*
 * Merge the sorted tasks and the sorted others, from the end, in place of the sorted ones; of two
 * with the same key the one that came later stays.
 */
static size_t merge_tasks(struct xtr_task *out, const struct xtr_task *a, size_t na,
			  struct xtr_task *const *b, size_t nb)
{
	size_t n = 0, i = 0, j = 0;

	while (i < na || j < nb) {
		const struct xtr_task *next;

		if (j >= nb || (i < na && task_cmp(&a[i], b[j]->tid, b[j]->since) <= 0))
			next = &a[i++];
		else
			next = b[j++];
		if (n && !task_cmp(&out[n - 1], next->tid, next->since))
			n--;
		out[n++] = *next;
	}
	return n;
}

int xtr_tables_sort_tasks(struct xtr_tables *t)
{
	size_t nb = t->n_tasks - t->n_sorted;
	struct xtr_task **b = nb ? malloc(nb * sizeof(*b)) : NULL;
	struct xtr_task *out = b ? malloc(t->cap_tasks * sizeof(*out)) : NULL;

	if (!out) {
		free(b);
		return nb ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < nb; i++)
		b[i] = &t->tasks[t->n_sorted + i];
	qsort(b, nb, sizeof(*b), task_ptr_cmp);
	t->n_tasks = merge_tasks(out, t->tasks, t->n_sorted, b, nb);
	t->n_sorted = t->n_tasks;
	free(t->tasks);
	t->tasks = out;
	free(b);
	return 0;
}

void xtr_tables_sort_many(struct xtr_tables *t)
{
	size_t unsorted = t->n_tasks - t->n_sorted;

	if (unsorted >= TASKS_UNSORTED && unsorted >= t->n_sorted / 4)
		xtr_tables_sort_tasks(t);
}

int xtr_tables_put_task(struct xtr_tables *t, const struct xtr_task *task)
{
	struct xtr_task placed = *task;

	if (xtr_grow_array(&t->tasks, &t->cap_tasks, t->n_tasks + 1, sizeof(*task)) ||
	    xtr_tables_place_process(t, &placed))
		return -ENOMEM;
	t->tasks[t->n_tasks++] = placed;
	return 0;
}

int xtr_tables_add_task(struct xtr_tables *t, const struct xtr_task *task)
{
	if (xtr_grow_array(&t->pending, &t->cap_pending, t->n_pending + 1, sizeof(*task)))
		return -ENOMEM;
	if (xtr_tables_put_task(t, task))
		return -ENOMEM;
	t->pending[t->n_pending++] = *task;
	xtr_tables_sort_many(t);
	return 0;
}

const char *xtr_tables_string(const struct xtr_tables *t, uint32_t id, size_t *n)
{
	const struct xtr_string_entry *s = xtr_id_table_get(&t->t[XTR_T_STRINGS], id);

	if (n)
		*n = s ? s->n : 0;
	return s ? s->text : NULL;
}

size_t xtr_tables_task_bound(const struct xtr_tables *t, uint32_t tid, uint64_t since)
{
	size_t lo = 0, hi = t->n_sorted;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (task_cmp(&t->tasks[mid], tid, since) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* True if b is a better answer than a for time ts: the largest since <= ts, else the earliest. */
static bool better(const struct xtr_task *a, const struct xtr_task *b, uint64_t ts)
{
	if (!a)
		return true;
	if ((a->since <= ts) != (b->since <= ts))
		return b->since <= ts;
	return b->since <= ts ? b->since >= a->since : b->since < a->since;
}

const struct xtr_task *xtr_tables_task(const struct xtr_tables *t, uint32_t tid, uint64_t ts)
{
	const struct xtr_task *best = NULL;
	size_t i = xtr_tables_task_bound(t, tid, ts);

	if (i && t->tasks[i - 1].tid == tid)
		best = &t->tasks[i - 1];
	else if (i < t->n_sorted && t->tasks[i].tid == tid)
		best = &t->tasks[i];
	for (i = t->n_sorted; i < t->n_tasks; i++)
		if (t->tasks[i].tid == tid && better(best, &t->tasks[i], ts))
			best = &t->tasks[i];
	return best;
}

const struct xtr_ring *xtr_tables_ring(const struct xtr_tables *t, uint32_t id)
{
	return xtr_id_table_get(&t->t[XTR_T_RINGS], id);
}

const struct xtr_frame *xtr_tables_frame(const struct xtr_tables *t, uint32_t id)
{
	const struct xtr_frame_entry *e = xtr_id_table_get(&t->t[XTR_T_FRAMES], id);

	return e ? &e->f : NULL;
}

const uint32_t *xtr_tables_stack(const struct xtr_tables *t, uint32_t id, size_t *n)
{
	const struct xtr_stack_entry *s = xtr_id_table_get(&t->t[XTR_T_STACKS], id);

	*n = s ? s->n : 0;
	return s ? s->frames : NULL;
}

size_t xtr_tables_n_rings(const struct xtr_tables *t)
{
	return t->t[XTR_T_RINGS].n;
}

const struct xtr_ring *xtr_tables_ring_at(const struct xtr_tables *t, size_t i)
{
	return i < t->t[XTR_T_RINGS].n ? xtr_id_table_at(&t->t[XTR_T_RINGS], i) : NULL;
}

size_t xtr_tables_n_tasks(const struct xtr_tables *t)
{
	return t->n_tasks;
}

const struct xtr_task *xtr_tables_task_at(const struct xtr_tables *t, size_t i)
{
	return i < t->n_tasks ? &t->tasks[i] : NULL;
}

/* --- task cache ------------------------------------------------------------------------------- */

/* A task answers from its since on, the earliest one from the beginning, until the next since. */
static __attribute__((noinline)) void answer(struct xtr_task_answer *a, const struct xtr_tables *t,
					     uint32_t tid, uint64_t ts)
{
	size_t i = xtr_tables_task_bound(t, tid, ts);

	*a = (struct xtr_task_answer){ .task = xtr_tables_task(t, tid, ts),
				       .last = UINT64_MAX,
				       .tid = tid };
	if (a->task && a->task->since <= ts)
		a->first = a->task->since;
	if (i < t->n_sorted && t->tasks[i].tid == tid)
		a->last = t->tasks[i].since - 1;
	for (i = t->n_sorted; i < t->n_tasks; i++)
		if (t->tasks[i].tid == tid && t->tasks[i].since > ts &&
		    t->tasks[i].since - 1 < a->last)
			a->last = t->tasks[i].since - 1;
}

static __attribute__((noinline)) void empty(struct xtr_task_cache *c, const struct xtr_tables *t)
{
	memset(c, 0, sizeof(*c));
	c->rows = t->tasks;
	c->n = t->n_tasks;
}

static __attribute__((noinline)) const struct xtr_task *new_answer(struct xtr_task_cache *c,
								   const struct xtr_tables *t,
								   uint32_t tid, uint64_t ts)
{
	struct xtr_task_answer *a = &c->slot[tid % XTR_TASK_CACHE_SLOTS];

	if (c->n != t->n_tasks || c->rows != t->tasks)
		empty(c, t);
	answer(a, t, tid, ts);
	return a->task;
}

const struct xtr_task *xtr_task_cache_get(struct xtr_task_cache *c, const struct xtr_tables *t,
					  uint32_t tid, uint64_t ts)
{
	const struct xtr_task_answer *a = &c->slot[tid % XTR_TASK_CACHE_SLOTS];

	if (!t)
		return NULL;
	if (c->n == t->n_tasks && c->rows == t->tasks && a->tid == tid && ts >= a->first &&
	    ts <= a->last && a->last)
		return a->task;
	return new_answer(c, t, tid, ts);
}
