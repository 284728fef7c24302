/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables to TABLE payloads. One payload takes rows of all tables as long as they fit; strings
 * first, so that what names them never stands before them.
 */
#include "cbor.h"
#include "tables_priv.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What one payload takes at most, well within spec 6.1 and small enough to lose little with it. */
#define PAYLOAD_ITEMS (XTR_CBOR_ITEMS_MAX / 2)
#define PAYLOAD_BYTES ((size_t)256 << 10)

enum {
	TASKS = XTR_T_IDS,
	KINDS
}; /* the id tables, then the tasks */

/* Rows [from, to) of each kind; room that is left. */
struct plan {
	size_t from[KINDS], to[KINDS];
	size_t items, bytes;
};

static size_t n_rows(const struct xtr_tables *t, int kind, bool all)
{
	if (kind == TASKS)
		return all ? t->n_tasks : t->n_pending;
	return t->t[kind].n;
}

static const struct xtr_task *task_row(const struct xtr_tables *t, bool all, size_t i)
{
	return all ? &t->tasks[i] : &t->pending[i];
}

/* Items and bytes that a row takes at most. */
static void row_cost(const struct xtr_tables *t, int kind, size_t i, size_t *items, size_t *bytes)
{
	static const size_t fixed_items[KINDS] = {
		[XTR_T_STRINGS] = 2, [XTR_T_FRAMES] = 6, [XTR_T_STACKS] = 2,
		[XTR_T_RINGS] = 7,   [TASKS] = 8,
	};
	const struct xtr_string_entry *s;
	const struct xtr_stack_entry *st;

	*items = fixed_items[kind];
	*bytes = 0;
	if (kind == XTR_T_STRINGS) {
		s = xtr_id_table_at(&t->t[kind], i);
		*bytes = s->n;
	} else if (kind == XTR_T_STACKS) {
		st = xtr_id_table_at(&t->t[kind], i);
		*items += st->n;
	}
	*bytes += *items * 9;
}

/* Add as many rows as fit. Returns false when nothing was left to add. */
static bool fill(const struct xtr_tables *t, struct plan *p, bool all)
{
	bool any = false, full = false;

	p->items = 16;
	p->bytes = 0;
	for (int kind = 0; kind < KINDS; kind++) {
		p->from[kind] = p->to[kind];
		while (!full && p->to[kind] < n_rows(t, kind, all)) {
			size_t items, bytes;

			row_cost(t, kind, p->to[kind], &items, &bytes);
			full = any && (p->items + items > PAYLOAD_ITEMS ||
				       p->bytes + bytes > PAYLOAD_BYTES);
			if (full)
				break;
			p->items += items;
			p->bytes += bytes;
			p->to[kind]++;
			any = true;
		}
	}
	return any;
}

static void put_ring(struct xtr_buf *b, const void *row)
{
	const struct xtr_ring *r = row;

	xtr_enc_array(b, 6);
	xtr_enc_uint(b, r->id);
	xtr_enc_uint(b, r->since);
	xtr_enc_uint(b, r->sched);
	xtr_enc_uint(b, r->device);
	xtr_enc_uint(b, r->name);
	xtr_enc_uint(b, r->limit);
}

static void put_frame(struct xtr_buf *b, const void *row)
{
	const struct xtr_frame_entry *e = row;

	xtr_enc_uint(b, e->id);
	xtr_enc_array(b, e->f.build_id ? 4 : 3);
	xtr_enc_uint(b, e->f.symbol);
	xtr_enc_uint(b, e->f.offset);
	xtr_enc_uint(b, e->f.module);
	if (e->f.build_id)
		xtr_enc_uint(b, e->f.build_id);
}

static void put_stack(struct xtr_buf *b, const void *row)
{
	const struct xtr_stack_entry *s = row;

	xtr_enc_uint(b, s->id);
	xtr_enc_array(b, s->n);
	for (uint32_t i = 0; i < s->n; i++)
		xtr_enc_uint(b, s->frames[i]);
}

static void put_string(struct xtr_buf *b, const void *row)
{
	const struct xtr_string_entry *s = row;

	xtr_enc_uint(b, s->id);
	xtr_enc_string(b, s->text, s->n);
}

static void put_task(struct xtr_buf *b, const struct xtr_task *t)
{
	xtr_enc_array(b, t->cgroup ? 7 : t->start ? 6 : 5);
	xtr_enc_uint(b, t->tid);
	xtr_enc_uint(b, t->pid);
	xtr_enc_uint(b, t->since);
	xtr_enc_uint(b, t->comm);
	xtr_enc_uint(b, t->flags);
	if (t->start || t->cgroup)
		xtr_enc_uint(b, t->start);
	if (t->cgroup)
		xtr_enc_uint(b, t->cgroup);
}

static int id_cmp(const void *pa, const void *pb)
{
	uint32_t a, b;

	memcpy(&a, *(const void *const *)pa, sizeof(a));
	memcpy(&b, *(const void *const *)pb, sizeof(b));
	return a < b ? -1 : a > b;
}

/* Rows [from, to) of an id table, in order of id as a CBOR map wants them. */
static void put_rows(struct xtr_buf *b, const struct xtr_id_table *t, size_t from, size_t to,
		     void (*put)(struct xtr_buf *b, const void *row))
{
	const void **rows = malloc((to - from) * sizeof(*rows));

	if (!rows) {
		b->err = -ENOMEM;
		return;
	}
	for (size_t i = from; i < to; i++)
		rows[i - from] = xtr_id_table_at(t, i);
	qsort(rows, to - from, sizeof(*rows), id_cmp);
	for (size_t i = 0; i < to - from; i++)
		put(b, rows[i]);
	free(rows);
}

/* Keys in the order of their encoded bytes. */
static void put_payload(struct xtr_buf *b, const struct xtr_tables *t, const struct plan *p,
			bool all, bool reset)
{
	static const struct {
		int kind;
		const char *key;
		void (*put)(struct xtr_buf *b, const void *row);
	} parts[] = {
		{ XTR_T_RINGS, "rings", put_ring },       { TASKS, "tasks", NULL },
		{ XTR_T_FRAMES, "frames", put_frame },    { XTR_T_STACKS, "stacks", put_stack },
		{ XTR_T_STRINGS, "strings", put_string },
	};
	size_t keys = reset;

	for (int k = 0; k < KINDS; k++)
		keys += p->to[k] > p->from[k];
	xtr_enc_map(b, keys);
	if (reset) {
		xtr_enc_text(b, "reset");
		xtr_enc_bool(b, true);
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t from = p->from[parts[i].kind], to = p->to[parts[i].kind];

		if (from == to)
			continue;
		xtr_enc_text(b, parts[i].key);
		if (parts[i].kind == XTR_T_RINGS || parts[i].kind == TASKS)
			xtr_enc_array(b, to - from);
		else
			xtr_enc_map(b, to - from);
		if (parts[i].kind != TASKS)
			put_rows(b, &t->t[parts[i].kind], from, to, parts[i].put);
		for (; parts[i].kind == TASKS && from < to; from++)
			put_task(b, task_row(t, all, from));
	}
}

int xtr_tables_encode(struct xtr_tables *t, bool all,
		      int (*put)(void *ctx, const uint8_t *buf, size_t n), void *ctx)
{
	struct xtr_buf b = { 0 };
	struct plan p = { 0 };
	bool reset = all;
	int err = 0;

	for (int k = 0; !all && k < XTR_T_IDS; k++)
		p.to[k] = t->t[k].written;
	while (!err && fill(t, &p, all)) {
		b.n = 0;
		put_payload(&b, t, &p, all, reset);
		err = b.err ? b.err : put(ctx, b.p, b.n);
		reset = false;
	}
	xtr_buf_free(&b);
	if (err)
		return err;
	for (int k = 0; k < XTR_T_IDS; k++)
		t->t[k].written = t->t[k].n;
	t->n_pending = 0;
	return 0;
}
