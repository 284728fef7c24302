/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stretches in which a device has nothing to execute. Jobs come in order of their end, so a later
 * one may have begun before: a stretch is held back, and cut by jobs that come meanwhile. Then its
 * time is divided by what the thread did that submitted the job at its end.
 */
#include "idle_impl.h"
#include "base/buf.h"
#include "base/checked.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct xtr_bind_spec specs[] = {
	{ "xtr:cpu_sample", IDLE_EV_SAMPLE, { "stack" } },
	{ "xtr:thread_off", IDLE_EV_OFF, { "state", "stack" } },
	{ "xtr:thread_on", IDLE_EV_ON, { "off", "waited", "known" } },
	/* A thread that submits a job has a CPU. */
	{ "gpu_scheduler:drm_sched_job_queue", IDLE_EV_QUEUE, { NULL } },
	{ "i915:i915_request_queue", IDLE_EV_QUEUE, { NULL } },
};
#define N_SPECS     (sizeof(specs) / sizeof(specs[0]))
#define N_CPU_SPECS 3u

static const struct {
	const char *name, *mark;
} states[XTR_IDLE_STATE_COUNT] = {
#define ROW(id, text, mark, help) [XTR_IDLE_##id] = { text, mark },
	XTR_IDLE_STATES(ROW)
#undef ROW
};

const char *xtr_idle_state_name(unsigned int state)
{
	return states[state].name;
}

const char *xtr_idle_state_mark(unsigned int state)
{
	return states[state].mark;
}

bool xtr_idle_applies(const struct xtr_meta *meta)
{
	return xtr_binds_any(meta, specs, N_CPU_SPECS);
}

void xtr_idle_free(struct xtr_idle *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_devices; i++)
		free(s->device[i].pending);
	idle_threads_free(s);
	xtr_binds_close(&s->binds);
	xtr_gaps_free(&s->gaps);
	xtr_map_free(&s->by_row);
	free(s->row);
	free(s);
}

int xtr_idle_new(struct xtr_idle **out, const struct xtr_meta *meta,
		 const struct xtr_tables *tables)
{
	struct xtr_idle *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->meta = meta;
	s->tables = tables;
	if (xtr_binds_open(&s->binds, meta, specs, N_SPECS)) {
		xtr_idle_free(s);
		return -ENOMEM;
	}
	s->switches = xtr_meta_event_by_name(meta, "xtr:thread_off") &&
		      xtr_meta_event_by_name(meta, "xtr:thread_on");
	*out = s;
	return 0;
}

bool xtr_idle_takes(const struct xtr_idle *s, uint32_t type)
{
	return !type || xtr_binds_find(&s->binds, type);
}

int xtr_idle_event(struct xtr_idle *s, const struct xtr_event *ev)
{
	const struct xtr_bind *b;

	if (ev->ts > s->now_ns)
		s->now_ns = ev->ts;
	if (ev->gap) {
		idle_threads_lost(s);
		return xtr_gaps_add(&s->gaps, ev->gap->first, ev->gap->last);
	}
	b = xtr_binds_find(&s->binds, ev->type);
	s->events += b && b->role != IDLE_EV_QUEUE;
	return b ? idle_thread_event(s, b, ev) : 0;
}

/* --- what the thread did ---------------------------------------------------------------------- */

/* Of one stretch of a thread, cut to from and to. Returns where the next one may begin. */
static uint64_t add_span(struct xtr_idle *s, struct xtr_idle_row *row, const struct idle_span *span,
			 uint64_t from, uint64_t to, int *err)
{
	uint64_t a = span->from > from ? span->from : from, b = span->to < to ? span->to : to;

	if (span->state == IDLE_SAMPLE) {
		row->state = XTR_IDLE_RUNNING;
		row->stack = span->stack;
		row->ns = 0;
		row->samples = 1;
		*err = span->to < to ? idle_row_add(s, row) : 0;
		return from;
	}
	if (a >= b)
		return from;
	row->samples = 0;
	row->state = XTR_IDLE_UNKNOWN;
	row->stack = 0;
	row->ns = a - from;
	*err = row->ns ? idle_row_add(s, row) : 0;
	row->state = span->state;
	row->stack = span->stack;
	row->ns = b - a;
	*err = *err ?: idle_row_add(s, row);
	return b;
}

/* The time from `from` to `to`, by what the thread did. */
static int divide(struct xtr_idle *s, struct xtr_idle_row *row, uint32_t tid, uint64_t from,
		  uint64_t to)
{
	const struct idle_thread *t = tid ? idle_thread_find(s, tid) : NULL;
	int err = 0;

	for (uint32_t i = t && t->n ? idle_span_after(t, from) : 0; t && i < t->n && !err; i++) {
		const struct idle_span *span = idle_span_at(t, i);

		/* A stretch that began before may stand behind samples of later. */
		if (span->from >= to && span->state != IDLE_SAMPLE)
			break;
		if (span->from < to)
			from = add_span(s, row, span, from, to, &err);
	}
	if (t && t->since_ns && t->since_ns < to && !err) {
		const struct idle_span last = { t->since_ns, to,
						t->state == XTR_IDLE_RUNNING ? 0 : t->stack,
						t->state };

		from = add_span(s, row, &last, from, to, &err);
	}
	row->state = XTR_IDLE_UNKNOWN;
	row->stack = 0;
	row->samples = 0;
	row->ns = to - from;
	return err ? err : from < to ? idle_row_add(s, row) : 0;
}

/* Nothing changes it any more. */
static int settle(struct xtr_idle *s, uint32_t device, const struct idle_pending *p)
{
	struct xtr_idle_device *d = &s->device[device].d;
	struct xtr_idle_row row = { .device = device,
				    .process = p->next.process,
				    .comm = p->next.comm,
				    .ts = p->next.queue_ns };
	uint64_t ns = p->to - p->from, until = p->next.queue_ns;
	int err = 0;

	if (xtr_gaps_overlap(&s->gaps, p->from, p->to)) {
		d->lost_ns = xtr_sat_add(d->lost_ns, ns);
		return 0;
	}
	d->idle_ns = xtr_sat_add(d->idle_ns, ns);
	d->stretches++;
	if (ns > d->longest_ns) {
		d->longest_ns = ns;
		d->longest_at = p->from;
	}
	until = !until || until > p->to ? p->to : until < p->from ? p->from : until;
	if (p->from < until)
		err = divide(s, &row, p->next.queue_ns ? p->next.tid : 0, p->from, until);
	row.state = XTR_IDLE_SUBMITTED;
	row.stack = 0;
	row.samples = 0;
	row.ns = p->to - until;
	return err ? err : row.ns ? idle_row_add(s, &row) : 0;
}

/* --- devices ---------------------------------------------------------------------------------- */

/* -1: there are too many. */
static int64_t device_of(struct xtr_idle *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_devices; i++)
		if (!strncmp(s->device[i].d.name, name, sizeof(s->device[i].d.name) - 1))
			return i;
	if (s->n_devices == IDLE_DEVICES_MAX)
		return -1;
	snprintf(s->device[s->n_devices].d.name, sizeof(s->device[0].d.name), "%s", name);
	return s->n_devices++;
}

static int settle_first(struct xtr_idle *s, uint32_t device, uint32_t n)
{
	struct idle_device *d = &s->device[device];
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++)
		err = settle(s, device, &d->pending[i]);
	d->n -= n;
	if (d->n)
		memmove(d->pending, d->pending + n, d->n * sizeof(*d->pending));
	return err;
}

/* Room for one more; half of them are settled where there is none. */
static int make_room(struct xtr_idle *s, uint32_t device)
{
	struct idle_device *d = &s->device[device];
	uint32_t cap = d->cap ? 2 * d->cap : 16;
	struct idle_pending *more;

	if (d->n < d->cap)
		return 0;
	if (d->cap == IDLE_PENDING_MAX)
		return settle_first(s, device, d->n / 2);
	more = reallocarray(d->pending, cap, sizeof(*more));
	if (!more)
		return -ENOMEM;
	d->pending = more;
	d->cap = cap;
	return 0;
}

/* In order of time. */
static int insert(struct xtr_idle *s, uint32_t device, const struct idle_pending *p)
{
	struct idle_device *d = &s->device[device];
	int err = make_room(s, device);
	uint32_t at;

	if (err)
		return err;
	for (at = d->n; at && d->pending[at - 1].from > p->from; at--)
		;
	memmove(d->pending + at + 1, d->pending + at, (d->n - at) * sizeof(*p));
	d->pending[at] = *p;
	d->n++;
	return 0;
}

/* A job that executed from..to was not known before: what is idle around it stays. */
static int cut(struct xtr_idle *s, uint32_t device, uint64_t from, uint64_t to,
	       const struct idle_next *next)
{
	struct idle_device *d = &s->device[device];
	struct idle_pending rest = { .from = to };

	for (uint32_t i = d->n; i; i--) {
		struct idle_pending *p = &d->pending[i - 1];

		if (p->to <= from)
			break;
		if (p->from >= to)
			continue;
		if (p->to > to) {
			rest.to = p->to;
			rest.next = p->next;
		}
		if (from > p->from) { /* it is this job that ends the stretch */
			p->to = from;
			p->next = *next;
		} else {
			memmove(p, p + 1, (d->n - i) * sizeof(*p));
			d->n--;
		}
	}
	return rest.to ? insert(s, device, &rest) : 0;
}

static int executed(struct xtr_idle *s, uint32_t device, uint64_t from, uint64_t to,
		    const struct idle_next *next)
{
	struct idle_device *d = &s->device[device];
	struct idle_pending p = { .from = d->busy_to, .to = from, .next = *next };
	uint32_t old = 0;
	int err = 0;

	if (!d->busy_to)
		d->d.first_ns = from;
	else if (from > d->busy_to)
		err = insert(s, device, &p);
	else
		err = cut(s, device, from, to, next);
	if (from < d->d.first_ns)
		d->d.first_ns = from;
	d->busy_to = to > d->busy_to ? to : d->busy_to;
	if ((to == UINT64_MAX ? from : to) > d->d.last_ns)
		d->d.last_ns = to == UINT64_MAX ? from : to;
	while (old < d->n && s->now_ns > IDLE_HOLD_NS &&
	       d->pending[old].to < s->now_ns - IDLE_HOLD_NS)
		old++;
	return err ? err : old ? settle_first(s, device, old) : 0;
}

/* The earliest at which it may have begun; of a job without an end nothing is idle from its run. */
int xtr_idle_job(struct xtr_idle *s, const struct xtr_job *j)
{
	const struct idle_next next = { .queue_ns = j->queue_ns,
					.process = j->queue_ns ? xtr_process(j->pid, j->nth) : 0,
					.tid = j->tid,
					.comm = j->queue_ns ? j->comm : 0 };
	uint64_t from = j->run_ns, to = j->done_ns ? j->done_ns : UINT64_MAX;
	int64_t device;

	if (!j->run_ns)
		return 0;
	if (xtr_job_resided(j) && j->exec_max_ns < j->done_ns - j->run_ns)
		from = j->done_ns - j->exec_max_ns;
	device = from <= to ? device_of(s, j->ring->device_name) : -1;
	return device < 0 ? 0 : executed(s, (uint32_t)device, from, to, &next);
}

int xtr_idle_finish(struct xtr_idle *s)
{
	int err = 0;

	for (uint32_t i = 0; i < s->n_devices && !err; i++)
		err = settle_first(s, i, s->device[i].n);
	return err ? err : idle_rows_finish(s);
}

bool xtr_idle_any(const struct xtr_idle *s)
{
	return s->events;
}

size_t xtr_idle_n_devices(const struct xtr_idle *s)
{
	return s->n_devices;
}

const struct xtr_idle_device *xtr_idle_device(const struct xtr_idle *s, size_t i)
{
	return &s->device[i].d;
}
