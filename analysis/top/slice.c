/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time in slices. The model hands out a job up to XTR_HOLD_NS after it has ended, so a slice is
 * closed when the events are so far past its end; what events, calls and marks are behind the end
 * by then is added to the next slice, which is open meanwhile.
 */
#include "slice_impl.h"

#include "base/checked.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TYPES 65536u

enum takes {
	TAKES_ASKED = 1,
	TAKES_MODEL = 2,
	TAKES_CALLS = 4,
	TAKES_MARKS = 8,
};

static struct slice_part *at_hand(struct xtr_slices *s)
{
	return &s->part[s->now];
}

static struct slice_part *behind(struct xtr_slices *s)
{
	return &s->part[!s->now];
}

/* The one of the two in which something at ts belongs. */
static struct slice_part *part_at(struct xtr_slices *s, uint64_t ts)
{
	return ts < at_hand(s)->end || at_hand(s)->last ? at_hand(s) : behind(s);
}

/* --- what comes in ---------------------------------------------------------------------------- */

/* It ended before the end of the slice at hand: close_one goes no further. */
static int on_job(void *ctx, const struct xtr_job *j)
{
	struct xtr_slices *s = ctx;

	if (!s->begun)
		return 0;
	if (j->others)
		return xtr_select_others(&s->o.select, j) ? slice_add_others(s, at_hand(s), j) : 0;
	if (!xtr_select_job(&s->o.select, j))
		return 0;
	return slice_add_job(s, at_hand(s), j);
}

static int on_call(void *ctx, const struct xtr_call *c)
{
	struct xtr_slices *s = ctx;

	return s->begun && c->end_ns ? slice_add_call(s, part_at(s, c->end_ns), c) : 0;
}

/* Counters that say something of a GPU at one moment: not each CPU's clock, nor a display's. */
static bool is_shown(const struct xtr_mark *m)
{
	return m->kind == XTR_MARK_COUNTER && m->track && strncmp(m->track, "CPU ", 4) &&
	       strncmp(m->track, "refresh ", 8);
}

static void add_mark(struct xtr_slices *s, const struct xtr_mark *m)
{
	struct slice_counter *c = s->counter;
	uint32_t i;

	for (i = 0; i < s->n_counters; i++)
		if (!strncmp(c[i].shown.track, m->track, sizeof(c[i].shown.track) - 1))
			break;
	if (i == XTR_SLICE_COUNTERS_MAX)
		return;
	if (i == s->n_counters) {
		s->n_counters++;
		c[i] = (struct slice_counter){ .shown.unit = m->unit };
		strncpy(c[i].shown.track, m->track, sizeof(c[i].shown.track) - 1);
	}
	if (part_at(s, m->ts) == at_hand(s)) {
		c[i].known = true;
		c[i].value = m->value;
	} else {
		c[i].has_next = true;
		c[i].next = m->value;
	}
}

static int add_marks(struct xtr_slices *s, const struct xtr_event *ev)
{
	struct xtr_mark mark[XTR_MARKS_MAX];
	int n = xtr_marks_event(s->marks, ev, mark);

	for (int i = 0; i < n; i++)
		if (is_shown(&mark[i]))
			add_mark(s, &mark[i]);
	return n < 0 ? n : 0;
}

static uint8_t ask(const struct xtr_slices *s, uint32_t type)
{
	size_t n;
	const uint32_t *types = xtr_model_types(s->model, false, &n);
	unsigned int takes = TAKES_ASKED;

	for (size_t i = 0; i < n; i++)
		takes |= types[i] == type ? TAKES_MODEL : 0;
	if (!type)
		takes |= TAKES_MODEL;
	if (xtr_calls_take(s->calls, type))
		takes |= TAKES_CALLS;
	if (type >= XTR_TYPE_FIRST_DYNAMIC)
		takes |= TAKES_MARKS;
	return (uint8_t)takes;
}

static unsigned int takes(struct xtr_slices *s, uint32_t type)
{
	uint8_t *t = &s->takes[type % TYPES];

	if (!*t)
		*t = ask(s, type);
	return *t;
}

static int feed(struct xtr_slices *s, const struct xtr_event *ev)
{
	unsigned int t = takes(s, ev->type);
	int err = 0;

	if (t & TAKES_MODEL || ev->ts >= xtr_model_due(s->model))
		err = xtr_model_event(s->model, ev);
	else
		xtr_model_passed(s->model, ev->ts);
	if (err)
		return err;
	if (t & TAKES_CALLS)
		err = xtr_calls_event(s->calls, ev);
	else
		xtr_calls_now(s->calls, ev->ts);
	if (!err && t & TAKES_MARKS)
		err = add_marks(s, ev);
	return err < 0 ? err : 0;
}

/* --- slices ----------------------------------------------------------------------------------- */

static int on_open(void *ctx, const struct xtr_model_open *open)
{
	struct xtr_slices *s = ctx;

	return xtr_select_job(&s->o.select, open->job) ? slice_add_open(s, at_hand(s), open) : 0;
}

static int make_rows(struct xtr_slices *s, struct slice_part *p, struct xtr_slice *out)
{
	size_t n = 0, k = 0;

	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT; by++)
		n += p->of[by].n;
	if (n > s->cap_rows) {
		const struct xtr_slice_row **rows = realloc(s->rows, n * sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		s->rows = rows;
		s->cap_rows = n;
	}
	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT; by++) {
		out->row[by] = s->rows + k;
		out->n[by] = p->of[by].n;
		for (uint32_t i = 0; i < p->of[by].n; i++) {
			struct slice_entry *e = &p->of[by].e[i];

			e->row.busy_ns = e->busy.total;
			if (by == XTR_SLICE_RING)
				e->row.ring = xtr_model_ring(s->model, e->index);
			if (by == XTR_SLICE_DEVICE)
				e->row.device = xtr_model_device(s->model, e->index);
			s->rows[k++] = &e->row;
		}
	}
	return 0;
}

static size_t make_counters(struct xtr_slices *s)
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->n_counters; i++) {
		struct slice_counter *c = &s->counter[i];

		if (c->known) {
			s->out[n] = c->shown;
			s->out[n++].value = c->value;
		}
		if (c->has_next) {
			c->value = c->next;
			c->known = true;
			c->has_next = false;
		}
	}
	return n;
}

/* All that is in the slice at hand is known, but for what is open: hand it out. */
static int close_one(struct xtr_slices *s)
{
	struct slice_part *p = at_hand(s);
	struct xtr_slice out = { .number = s->number,
				 .begin = p->begin,
				 .end = p->end,
				 .last = p->last,
				 .events = p->events,
				 .lost = p->lost };
	/* Jobs that end at its end belong to the next one, unless there is none. */
	int err = xtr_model_advance(s->model, xtr_sat_add(p->end, XTR_HOLD_NS + p->last));

	if (!err)
		err = xtr_model_each_open(s->model, on_open, s);
	if (!err)
		err = slice_add_idle(s, p);
	if (!err)
		err = make_rows(s, p, &out);
	if (err)
		return err;
	out.n_counters = make_counters(s);
	out.counter = s->out;
	err = s->o.slice(s->o.ctx, &out);
	s->quiet = p->events ? 0 : s->quiet + 1;
	s->number++;
	return err;
}

static void turn(struct xtr_slices *s)
{
	uint64_t begin = at_hand(s)->end;

	s->now = !s->now;
	/* Of the new one behind nothing can be known yet. */
	slice_part_begin(behind(s), xtr_sat_add(begin, s->o.interval_ns),
			 xtr_sat_add(begin, 2 * s->o.interval_ns));
}

/* Nothing has happened for long: one slice goes on until that in which ts is. */
static void stretch(struct xtr_slices *s, uint64_t ts)
{
	struct slice_part *p = at_hand(s);
	uint64_t more = (ts - p->end) / s->o.interval_ns * s->o.interval_ns;

	p->end = xtr_sat_add(p->end, more);
	slice_part_begin(behind(s), p->end, xtr_sat_add(p->end, s->o.interval_ns));
}

/* True if an event at ts, or none before it, lets the slice at hand be closed. */
static bool is_over(struct xtr_slices *s, uint64_t ts)
{
	return ts > at_hand(s)->end && ts - at_hand(s)->end > XTR_HOLD_NS;
}

static int close_until(struct xtr_slices *s, uint64_t ts)
{
	int err = 0;

	while (!err && is_over(s, ts)) {
		if (s->quiet >= XTR_SLICE_QUIET && !at_hand(s)->events)
			stretch(s, ts);
		if (!is_over(s, ts))
			break;
		err = close_one(s);
		turn(s);
	}
	return err;
}

static void begin(struct xtr_slices *s, uint64_t ts)
{
	s->begun = true;
	slice_part_begin(&s->part[0], ts, xtr_sat_add(ts, s->o.interval_ns));
	slice_part_begin(&s->part[1], s->part[0].end, xtr_sat_add(ts, 2 * s->o.interval_ns));
}

static void count(struct xtr_slices *s, const struct xtr_event *ev)
{
	struct slice_part *p = part_at(s, ev->ts);

	if (ev->ts < at_hand(s)->begin)
		return;
	if (ev->gap)
		p->lost = xtr_sat_add(p->lost, ev->gap->count);
	else
		p->events++;
}

int xtr_slices_event(struct xtr_slices *s, const struct xtr_event *ev)
{
	int err = 0;

	if (!s->begun && (!s->o.select.from || ev->ts >= s->o.select.from))
		begin(s, s->o.select.from ? s->o.select.from : ev->ts);
	if (ev->ts > s->last_ts)
		s->last_ts = ev->ts;
	if (!s->begun)
		return feed(s, ev);
	if (is_over(s, ev->ts))
		err = close_until(s, ev->ts);
	if (err)
		return err;
	count(s, ev);
	return feed(s, ev);
}

int xtr_slices_advance(struct xtr_slices *s, uint64_t ts)
{
	if (ts > s->last_ts)
		s->last_ts = ts;
	if (!s->begun)
		return 0;
	xtr_calls_now(s->calls, ts);
	return close_until(s, ts);
}

int xtr_slices_finish(struct xtr_slices *s)
{
	int err;

	if (!s->begun)
		return 0;
	err = close_until(s, s->last_ts);
	if (!err && s->last_ts >= at_hand(s)->end) {
		err = close_one(s);
		turn(s);
	}
	if (err)
		return err;
	at_hand(s)->last = true;
	if (s->last_ts >= at_hand(s)->begin)
		at_hand(s)->end = s->last_ts;
	return close_one(s);
}

int xtr_slices_go_on(struct xtr_slices *s, const struct xtr_slices *before, uint64_t ts)
{
	if (ts > s->last_ts)
		s->last_ts = ts;
	if (ts >= s->o.select.from)
		begin(s, ts);
	return xtr_model_carry(s->model, before->model);
}

enum xtr_quality xtr_slice_known_as(const struct xtr_slice_row *row)
{
	static const enum xtr_quality worst_first[] = { XTR_QUALITY_BOUNDED, XTR_QUALITY_INFERRED,
							XTR_QUALITY_EXACT };

	for (size_t i = 0; i < sizeof(worst_first) / sizeof(worst_first[0]); i++)
		if (row->quality[worst_first[i]])
			return worst_first[i];
	return row->in_flight ? XTR_QUALITY_OPEN : XTR_QUALITY_COUNT;
}

/* --- from begin to end ------------------------------------------------------------------------ */

int xtr_slices_new(struct xtr_slices **out, const struct xtr_slices_opts *o)
{
	struct xtr_slices *s;
	struct xtr_model_opts mo = { .sz = sizeof(mo), .meta = o->meta, .tables = o->tables };
	struct xtr_calls_opts co = { .sz = sizeof(co), .meta = o->meta, .tables = o->tables };
	int err = -ENOMEM;

	if (o->interval_ns < XTR_SLICE_MIN_NS || o->interval_ns > INT64_MAX)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->o = *o;
	mo.job = on_job;
	co.call = on_call;
	mo.ctx = co.ctx = s;
	s->takes = calloc(TYPES, 1);
	if (s->takes)
		err = xtr_model_new(&s->model, &mo);
	if (!err)
		err = xtr_calls_new(&s->calls, &co);
	if (!err)
		err = xtr_marks_new(&s->marks, o->meta, o->tables);
	if (err)
		xtr_slices_free(s);
	else
		*out = s;
	return err;
}

void xtr_slices_free(struct xtr_slices *s)
{
	if (!s)
		return;
	slice_part_free(&s->part[0]);
	slice_part_free(&s->part[1]);
	xtr_model_free(s->model);
	xtr_calls_free(s->calls);
	xtr_marks_free(s->marks);
	free(s->takes);
	free(s->seen);
	free((void *)s->rows);
	free(s);
}
