/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of kernel functions and of libraries: how often each was called, and, where returns were
 * recorded, its time, with what it called (total) and without (self).
 */
#include "analysis/core/analysis.h"
#include "analysis/core/grid.h"
#include "analysis/core/hist.h"
#include "replay/event/func_event.h"
#include "base/map.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_SHOWN 40u
#define HIST_MAX   16384u /* powers of two of all histograms: 8 MiB */

struct row {
	const struct xtr_event_desc *desc; /* of its entry, or else of its return */
	size_t name_len;                   /* of desc->name, without ":ret" */
	bool paired;                       /* entry and return were recorded */
	uint64_t n;                        /* calls */
	uint64_t open;                     /* of them, begin or end is not in the trace */
	uint64_t self;                     /* ns, of the calls in time */
	struct xtr_hist time;              /* ns */
};

struct calls {
	const struct xtr_analysis_opts *o;
	struct row *row;
	size_t n_rows;
	struct xtr_map by_type; /* of either event to row */
	uint64_t n, open, self; /* of all rows */
	uint32_t hist_left;
};

/* Length of the name of a call event without ":ret"; 0: it is none. */
static size_t call_name(const char *event)
{
	struct func_event f;

	return func_event_parse(&f, event) ? (size_t)(f.name - event) + f.name_len : 0;
}

static bool applies(const struct xtr_meta *meta)
{
	for (size_t i = 0; i < xtr_meta_n_events(meta); i++)
		if (call_name(xtr_meta_event_at(meta, i)->name))
			return true;
	return false;
}

static void calls_free(void *self)
{
	struct calls *c = self;

	for (size_t i = 0; c->row && i < c->n_rows; i++)
		xtr_hist_free(&c->row[i].time);
	free(c->row);
	xtr_map_free(&c->by_type);
	free(c);
}

/* The row of an event: that of its other half, where there is one. */
static int add_event(struct calls *c, const struct xtr_meta *meta, const struct xtr_event_desc *d)
{
	struct func_event f;
	uint32_t i = XTR_MAP_NONE;
	int err = func_event(&f, meta, d);

	if (err <= 0)
		return err;
	if (f.ret && f.other)
		i = xtr_map_index(&c->by_type, f.other->type, 0);
	if (i == XTR_MAP_NONE) {
		i = (uint32_t)c->n_rows++;
		c->row[i] = (struct row){ .desc = d, .name_len = call_name(d->name) };
	}
	c->row[i].paired = f.ret && f.other;
	return xtr_map_put(&c->by_type, d->type, 0, i);
}

static int calls_open(void **self, const struct xtr_analysis_opts *o)
{
	size_t i, half, n = xtr_meta_n_events(o->meta);
	struct calls *c = calloc(1, sizeof(*c));
	int err = 0;

	if (!c)
		return -ENOMEM;
	c->o = o;
	c->hist_left = HIST_MAX;
	c->row = calloc(n, sizeof(*c->row));
	if (!c->row)
		err = -ENOMEM;
	/* Entries first: returns look for theirs. */
	for (half = 0; half < 2; half++)
		for (i = 0; i < n && !err; i++) {
			const struct xtr_event_desc *d = xtr_meta_event_at(o->meta, i);

			if (half == (d->name[call_name(d->name)] != '\0'))
				err = add_event(c, o->meta, d);
		}
	if (err)
		calls_free(c);
	else
		*self = c;
	return err;
}

static struct row *row_of(struct calls *c, uint32_t type)
{
	uint32_t i = xtr_map_index(&c->by_type, type, 0);

	return i == XTR_MAP_NONE ? NULL : &c->row[i];
}

static bool calls_takes(const void *self, uint32_t type)
{
	const struct calls *c = self;
	uint32_t i = xtr_map_index(&c->by_type, type, 0);

	return i != XTR_MAP_NONE && !c->row[i].paired;
}

/* Of an event without the other half, that is all there is. */
static int calls_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct calls *c = self;
	struct row *row = inside && !ev->gap ? row_of(c, ev->type) : NULL;

	if (row && !row->paired) {
		row->n++;
		c->n++;
	}
	return 0;
}

static int calls_call(void *self, const struct xtr_call *call)
{
	const struct xtr_event_desc *d = call->entry.desc ? call->entry.desc : call->exit.desc;
	struct calls *c = self;
	struct row *row = d ? row_of(c, d->type) : NULL;
	uint64_t ns, inner = call->inner_ns;

	if (!row || !row->paired)
		return 0;
	row->n++;
	c->n++;
	if (!xtr_call_time(call, &ns)) {
		row->open++;
		c->open++;
		return 0;
	}
	row->self += ns > inner ? ns - inner : 0;
	c->self += ns > inner ? ns - inner : 0;
	return xtr_hist_add_within(&row->time, ns, &c->hist_left);
}

static int by_time(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return strcmp(a->desc->name, b->desc->name);
}

static int by_number(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return strcmp(a->desc->name, b->desc->name);
}

/* by_type is not needed any more. */
static int calls_finish(void *self)
{
	struct calls *c = self;

	qsort(c->row, c->n_rows, sizeof(*c->row), c->o->times ? by_time : by_number);
	return 0;
}

static bool calls_any(const void *self)
{
	return ((const struct calls *)self)->n;
}

/* What the rows from a place on hold. */
static void left_out(const struct calls *c, size_t from, FILE *f)
{
	char functions[XTR_TEXT_NUMBER], calls[XTR_TEXT_NUMBER];
	uint64_t rows = 0, n = 0;

	for (size_t i = from; i < c->n_rows; i++) {
		rows += c->row[i].n != 0;
		n += c->row[i].n;
	}
	if (rows)
		fprintf(f, "  ... and %s more %s with %s of the calls (all of them with --json)\n",
			xtr_text_count(functions, rows), rows == 1 ? "function" : "functions",
			xtr_text_count(calls, n));
}

static int calls_text(const void *self, const struct xtr_view *v)
{
	static const char *const timed[] = { "<call", "calls",   "of calls", "total",
					     "self",  "of self", "p50",      "p99",
					     "max",   "open",    NULL };
	static const char *const counted[] = { "<call", "calls", "of calls", NULL };
	const struct calls *c = self;
	struct xtr_grid *t = xtr_grid_new(c->o->times ? timed : counted);
	char buf[XTR_TEXT_NUMBER], name[XTR_TEXT_NAME];
	size_t i, shown = 0;
	int err;

	for (i = 0; i < c->n_rows && shown < ROWS_SHOWN; i++) {
		const struct row *row = &c->row[i];
		bool known = row->time.n;

		if (!row->n)
			continue;
		shown++;
		xtr_grid_cell(t, xtr_text_name(name, sizeof(name), row->desc->name, row->name_len));
		xtr_grid_value(t, true, xtr_text_count, row->n);
		xtr_grid_cell(t, xtr_text_percent(buf, row->n, c->n));
		if (!c->o->times)
			continue;
		xtr_grid_value(t, known, xtr_text_ns, row->time.sum);
		xtr_grid_value(t, known, xtr_text_ns, row->self);
		xtr_grid_cell(t, known ? xtr_text_percent(buf, row->self, c->self) : "-");
		xtr_grid_value(t, known, xtr_text_ns, xtr_hist_quantile(&row->time, 500));
		xtr_grid_value(t, known, xtr_text_ns, xtr_hist_quantile(&row->time, 990));
		xtr_grid_value(t, known, xtr_text_ns, row->time.max);
		xtr_grid_value(t, row->paired, xtr_text_count, row->open);
	}
	err = xtr_grid_print(t, v->f, 2);
	left_out(c, i, v->f);
	return err;
}

static void calls_json(const void *self, struct xtr_json *j)
{
	const struct calls *c = self;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "calls", c->n);
	xtr_json_kv_u64(j, "open", c->open);
	xtr_json_kv_u64(j, "self_ns", c->self);
	xtr_json_kv_array(j, "functions");
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct row *row = &c->row[i];

		if (!row->n)
			continue;
		xtr_json_begin_object(j);
		xtr_json_key(j, "call");
		xtr_json_strn(j, row->desc->name, row->name_len);
		xtr_json_kv_u64(j, "calls", row->n);
		xtr_json_kv_bool(j, "returns_recorded", row->paired);
		xtr_json_kv_u64(j, "open", row->open);
		xtr_json_kv_u64(j, "self_ns", row->self);
		xtr_view_json_hist(j, "total_ns", &row->time, false);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_end_object(j);
}

const struct xtr_analysis xtr_analysis_calls = {
	.name = "calls",
	.title = "Calls: kernel functions and library functions",
	.applies = applies,
	.open = calls_open,
	.free = calls_free,
	.takes = calls_takes,
	.event = calls_event,
	.call = calls_call,
	.finish = calls_finish,
	.any = calls_any,
	.text = calls_text,
	.json = calls_json,
};
