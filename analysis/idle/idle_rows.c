/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums of idle time. How long threads ran is known, but of their stacks only samples: the time is
 * divided among the stacks of a device and process as the samples are, and not a nanosecond is
 * lost.
 */
#include "idle_impl.h"
#include "base/buf.h"
#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>

static bool same(const struct xtr_idle_row *a, const struct xtr_idle_row *b)
{
	return a->device == b->device && a->process == b->process && a->comm == b->comm &&
	       a->state == b->state && a->stack == b->stack;
}

static uint64_t key_of(const struct xtr_idle_row *r)
{
	return ((uint64_t)r->device << 8 | r->state) * 0x9e3779b97f4a7c15ull ^ r->process ^
	       (uint64_t)r->comm << 40;
}

/* NULL: there is none. */
static struct xtr_idle_row *find(struct xtr_idle *s, const struct xtr_idle_row *of, uint64_t *nth)
{
	uint64_t key = key_of(of) ^ (uint64_t)of->stack << 8;
	uint32_t i;

	for (*nth = 0; (i = xtr_map_index(&s->by_row, key, *nth)) != XTR_MAP_NONE; ++*nth)
		if (same(&s->row[i], of))
			return &s->row[i];
	return NULL;
}

int idle_row_add(struct xtr_idle *s, const struct xtr_idle_row *more)
{
	struct xtr_idle_row of = *more, *row;
	uint64_t nth;

	row = find(s, &of, &nth);
	if (!row && s->n_rows >= IDLE_ROWS_MAX - IDLE_DEVICES_MAX) { /* no room for its stack */
		of.stack = 0;
		row = find(s, &of, &nth);
	}
	if (!row && s->n_rows >= IDLE_ROWS_MAX - IDLE_DEVICES_MAX) { /* nor for its process */
		of = (struct xtr_idle_row){ .device = of.device, .state = XTR_IDLE_UNKNOWN };
		row = find(s, &of, &nth);
	}
	if (!row) {
		if (xtr_grow_array(&s->row, &s->cap_rows, s->n_rows + 1, sizeof(*s->row)) ||
		    xtr_map_put(&s->by_row, key_of(&of) ^ (uint64_t)of.stack << 8, nth,
				(uint32_t)s->n_rows))
			return -ENOMEM;
		row = &s->row[s->n_rows++];
		*row = of;
		row->ns = row->samples = 0;
	}
	row->ns = xtr_sat_add(row->ns, more->ns);
	row->samples += more->samples;
	return 0;
}

static int by_key(const void *pa, const void *pb)
{
	const struct xtr_idle_row *a = pa, *b = pb;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->comm != b->comm)
		return a->comm < b->comm ? -1 : 1;
	if (a->state != b->state)
		return a->state < b->state ? -1 : 1;
	return (a->stack > b->stack) - (a->stack < b->stack);
}

/* n rows of running of a process on a device: all of the time is in the first, which has no stack,
 * or in those for which there was no room. */
static void divide(struct xtr_idle_row *r, size_t n)
{
	uint64_t ns = 0, samples = 0, before = 0, told = 0;

	for (size_t i = 0; i < n; i++) {
		ns = xtr_sat_add(ns, r[i].ns);
		samples += r[i].samples;
	}
	for (size_t i = 0; i < n && samples; i++) {
		before += r[i].samples;
		r[i].ns = (uint64_t)((__uint128_t)ns * before / samples) - told;
		told += r[i].ns;
	}
}

int idle_rows_finish(struct xtr_idle *s)
{
	size_t n, kept = 0;

	if (s->n_rows)
		qsort(s->row, s->n_rows, sizeof(*s->row), by_key);
	for (size_t i = 0; i < s->n_rows; i += n) {
		struct xtr_idle_row first = s->row[i], at;

		for (n = 0; i + n < s->n_rows; n++) {
			at = s->row[i + n];
			at.stack = first.stack;
			if (!same(&at, &first))
				break;
		}
		if (first.state == XTR_IDLE_RUNNING)
			divide(&s->row[i], n);
	}
	for (size_t i = 0; i < s->n_rows; i++) {
		struct xtr_idle_device *d = &s->device[s->row[i].device].d;

		if (!s->row[i].ns)
			continue;
		if (xtr_idle_explains(s, &s->row[i]))
			d->explained_ns = xtr_sat_add(d->explained_ns, s->row[i].ns);
		s->row[kept++] = s->row[i];
	}
	s->n_rows = kept;
	return 0;
}

size_t xtr_idle_n_rows(const struct xtr_idle *s)
{
	return s->n_rows;
}

const struct xtr_idle_row *xtr_idle_row(const struct xtr_idle *s, size_t i)
{
	return &s->row[i];
}

bool xtr_idle_explains(const struct xtr_idle *s, const struct xtr_idle_row *row)
{
	size_t n = 0;

	if (row->state == XTR_IDLE_RUNNABLE || row->state == XTR_IDLE_SUBMITTED)
		return true;
	return row->state != XTR_IDLE_UNKNOWN && row->stack && s->tables &&
	       xtr_tables_stack(s->tables, row->stack, &n) && n;
}
