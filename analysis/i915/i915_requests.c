/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests by engine, as the job model tells of them, and waits by engine and process. */
#include "i915_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_MAP_NONE

void i915_requests_free(struct i915_requests *r)
{
	for (uint32_t i = 0; i < I915_ROWS_MAX; i++) {
		xtr_hist_free(&r->row[i].request);
		xtr_hist_free(&r->row[i].wait);
	}
	for (uint32_t i = 0; i < I915_WAITERS_MAX; i++)
		xtr_hist_free(&r->waiter[i].wait);
	xtr_map_free(&r->by_ring);
	xtr_map_free(&r->by_waiter);
	xtr_map_free(&r->by_tid);
}

/* The engine of this ring; a new one gets these names. NULL: no memory. */
static struct i915_row *row_of(struct i915_requests *r, uint32_t ring, const char *device,
			       const char *name)
{
	uint32_t i = xtr_map_index(&r->by_ring, ring, 0);
	bool others = i == NONE && r->n_rows >= I915_ROWS_MAX - 1;
	struct i915_row *row;

	if (i != NONE)
		return &r->row[i];
	i = others ? I915_ROWS_MAX - 1 : r->n_rows;
	row = &r->row[i];
	if (others && r->n_rows == I915_ROWS_MAX)
		return row;
	r->n_rows++;
	row->ring = ring;
	snprintf(row->device, sizeof(row->device), "%s", others ? "i915" : device);
	snprintf(row->name, sizeof(row->name), "%s", others ? "(others)" : name);
	return !others && xtr_map_put(&r->by_ring, ring, 0, i) ? NULL : row;
}

/* --- requests --------------------------------------------------------------------------------- */

static void count(struct i915_row *row, const struct xtr_job *j)
{
	row->requests++;
	row->kernel += j->kind == XTR_KIND_KERNEL;
	row->preempted += !!(j->flags & XTR_FLAG_PREEMPTED);
	row->errors += !!(j->flags & XTR_FLAG_ERROR);
	if (j->flags & XTR_FLAG_KILLED)
		row->killed++;
	else if (!j->done_ns)
		row->open++;
	else if (j->flags & XTR_FLAG_LATE)
		row->late++;
	else
		row->completed++;
}

int i915_on_job(struct i915 *g, const struct xtr_job *j)
{
	const uint32_t unsure = XTR_FLAG_LATE | XTR_FLAG_KILLED;
	struct i915_requests *r = &g->requests;
	struct i915_row *row;

	if (!j->ring->driver || strcmp(j->ring->driver, "i915"))
		return 0;
	i915_job_in_flight(g, j);
	row = row_of(r, j->ring->id, j->ring->device_name, j->ring->name);
	if (!row)
		return -ENOMEM;
	count(row, j);
	if (!j->submit_ns || !j->done_ns || j->flags & unsure)
		return 0;
	return xtr_hist_add_within(&row->request, j->done_ns - j->submit_ns, &r->hist_left);
}

/* --- waits ------------------------------------------------------------------------------------ */

static void close_wait(struct i915_requests *r, uint32_t i)
{
	struct i915_open_wait *last = &r->open[--r->n_open];

	xtr_map_del(&r->by_tid, r->open[i].tid, 0);
	if (i == r->n_open)
		return;
	r->open[i] = *last; /* the key is there: cannot fail */
	xtr_map_put(&r->by_tid, last->tid, 0, i);
}

int i915_wait_begin(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev)
{
	struct i915_requests *r = &g->requests;
	uint32_t i = xtr_map_index(&r->by_tid, ev->tid, 0);

	if (i == NONE && r->n_open == I915_WAITS_OPEN)
		return 0; /* its end will be one without a begin */
	if (i == NONE) {
		i = r->n_open;
		if (xtr_map_put(&r->by_tid, ev->tid, 0, i))
			return -ENOMEM;
		r->n_open++;
	} else {
		r->waits_open++; /* the end of the one before is missing */
	}
	r->open[i] = (struct i915_open_wait){ .ts = ev->ts,
					      .ctx = xtr_bind_u64(b, I915_F3, ev),
					      .tid = ev->tid,
					      .seqno = (uint32_t)xtr_bind_u64(b, I915_F4, ev) };
	return 0;
}

static struct i915_row *engine_of(struct i915 *g, const struct xtr_bind *b,
				  const struct xtr_event *ev)
{
	uint32_t dev = (uint32_t)xtr_bind_u64(b, I915_F0, ev),
		 class = (uint32_t)xtr_bind_u64(b, I915_F1, ev),
		 instance = (uint32_t)xtr_bind_u64(b, I915_F2, ev);
	char card[I915_ENGINE_NAME], name[I915_ENGINE_NAME];
	bool known;
	uint32_t ring = i915_ring_id(dev, class, instance, &known);

	if (!known)
		return row_of(&g->requests, ring, "i915", "(others)");
	return row_of(&g->requests, ring, i915_device_name(g->o->meta, dev, card),
		      i915_engine_name(name, class, instance));
}

/* The process and engine; NULL: no memory. */
static struct i915_waiter *waiter_of(struct i915 *g, const struct xtr_event *ev, uint32_t row)
{
	struct i915_requests *r = &g->requests;
	uint32_t comm, i;
	uint64_t process = i915_process(g, ev, &comm);
	uint64_t who = process ? process : (uint64_t)comm << 32;

	i = xtr_map_index(&r->by_waiter, who, row);
	if (i != NONE)
		return &r->waiter[i];
	if (r->n_waiters >= I915_WAITERS_MAX - 1) {
		r->n_waiters = I915_WAITERS_MAX;
		r->waiter[I915_WAITERS_MAX - 1].row = NONE;
		return &r->waiter[I915_WAITERS_MAX - 1];
	}
	if (xtr_map_put(&r->by_waiter, who, row, r->n_waiters))
		return NULL;
	r->waiter[r->n_waiters] =
		(struct i915_waiter){ .process = process, .comm = comm, .row = row };
	return &r->waiter[r->n_waiters++];
}

static void note_long(struct i915_requests *r, const struct i915_waiter *w, uint32_t row,
		      uint64_t begin, uint64_t ns)
{
	if (ns >= I915_WAIT_LIMIT_NS) {
		if (r->long_waits < 4)
			r->long_at_ns[r->long_waits] = begin;
		r->long_waits++;
		i915_add(&r->long_wait_ns, ns);
	}
	if (ns < r->longest.ns || (r->longest.at_ns && ns == r->longest.ns))
		return;
	r->longest.ns = ns;
	r->longest.at_ns = begin;
	r->longest.process = w->process;
	r->longest.comm = w->comm;
	r->longest.row = row;
}

int i915_wait_end(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev, bool inside)
{
	struct i915_requests *r = &g->requests;
	uint32_t i = xtr_map_index(&r->by_tid, ev->tid, 0);
	struct i915_open_wait begin = { 0 };
	struct i915_waiter *w;
	struct i915_row *row;
	bool paired;

	if (i != NONE) {
		begin = r->open[i];
		close_wait(r, i);
	}
	paired = i != NONE && begin.ctx == xtr_bind_u64(b, I915_F3, ev) &&
		 begin.seqno == (uint32_t)xtr_bind_u64(b, I915_F4, ev);
	r->waits_open += i != NONE && !paired;
	if (!inside)
		return 0;
	r->waits_unpaired += !paired;
	row = engine_of(g, b, ev);
	w = row ? waiter_of(g, ev, (uint32_t)(row - r->row)) : NULL;
	if (!w)
		return -ENOMEM;
	r->waits++;
	row->waits++;
	w->waits++;
	if (!paired || !g->o->times)
		return 0;
	note_long(r, w, (uint32_t)(row - r->row), begin.ts, ev->ts - begin.ts);
	if (xtr_hist_add_within(&row->wait, ev->ts - begin.ts, &r->hist_left))
		return -ENOMEM;
	return xtr_hist_add_within(&w->wait, ev->ts - begin.ts, &r->hist_left);
}

/* --- the end ---------------------------------------------------------------------------------- */

static bool before(const struct i915_row *a, const struct i915_row *b)
{
	int c = strcmp(a->device, b->device);

	return c ? c < 0 : strcmp(a->name, b->name) < 0;
}

static int by_time(const void *pa, const void *pb)
{
	const struct i915_waiter *a = pa, *b = pb;

	if (a->wait.sum != b->wait.sum)
		return a->wait.sum < b->wait.sum ? 1 : -1;
	if (a->waits != b->waits)
		return a->waits < b->waits ? 1 : -1;
	return xtr_process_cmp(a->process, b->process);
}

void i915_requests_finish(struct i915 *g)
{
	struct i915_requests *r = &g->requests;

	r->waits_open += r->n_open;
	for (uint32_t i = 0; i < r->n_rows; i++) {
		uint32_t k = i;

		for (; k && before(&r->row[i], &r->row[r->order[k - 1]]); k--)
			r->order[k] = r->order[k - 1];
		r->order[k] = i;
	}
	if (r->n_waiters)
		qsort(r->waiter, r->n_waiters, sizeof(*r->waiter), by_time);
}
