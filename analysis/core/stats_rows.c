/* SPDX-License-Identifier: BSD-2-Clause */
/* From what was gathered to rows, when every ring's verdict is known; and the read side. */
#include "replay/event/process.h"
#include "stats_impl.h"

#include <errno.h>
#include <stdlib.h>

static int row_add(struct xtr_stats_row *row, const struct owner *o,
		   const struct xtr_model_ring *ring)
{
	bool bounded = xtr_ring_ended_bounded(ring);
	bool floor = xtr_ring_ended_verdict(ring) != XTR_VERDICT_BATCHED;

	row->bounded |= bounded && o->agg.resided;
	/* Nothing tells when the job before such a job ended. */
	row->bounded |= ring->told && o->agg.quality[XTR_QUALITY_BOUNDED];
	return xtr_agg_merge(&row->agg, &o->agg, bounded, floor);
}

/* More first; used to build the comparison of rows field by field. */
static int descending(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_time(const void *a, const void *b)
{
	const struct xtr_stats_row *x = a, *y = b;
	int d = descending(x->agg.exec_max, y->agg.exec_max);

	if (!d)
		d = descending(x->agg.jobs, y->agg.jobs);
	if (!d)
		d = xtr_process_cmp(x->process, y->process);
	if (!d)
		d = descending(y->client_id, x->client_id);
	if (!d && x->ring && y->ring)
		d = descending(y->ring->index, x->ring->index);
	return d;
}

static void bound_busy(struct xtr_stats_row *row, bool owner)
{
	row->busy_bounded = row->agg.late || row->busy.inexact || (owner && row->bounded);
}

/* Rows without jobs leave, the others are sorted. */
static void rows_finish(struct rows *r, bool owners)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		bound_busy(&r->row[i], owners);
		if (r->row[i].agg.jobs) {
			r->row[n++] = r->row[i];
		} else {
			xtr_agg_free(&r->row[i].agg);
			xtr_busy_free(&r->row[i].busy);
		}
	}
	r->n = n;
	if (n)
		qsort(r->row, n, sizeof(*r->row), by_time);
}

static int by_total(const void *a, const void *b)
{
	const struct xtr_stats_blocker *x = a, *y = b;
	int d = descending(x->total, y->total);

	if (!d)
		d = descending(x->n, y->n);
	if (!d)
		d = descending(y->ring_id, x->ring_id);
	return d ? d : descending(y->blocker_id, x->blocker_id);
}

static int add_owners(struct xtr_stats *s)
{
	int err = 0;

	for (uint32_t i = 0; i < s->n_owners && !err; i++) {
		const struct owner *o = &s->owner[i];
		const struct xtr_model_ring *ring = xtr_model_ring(s->model, o->ring);

		err |= row_add(&s->rows[XTR_BY_RING].row[o->ring], o, ring);
		err |= row_add(&s->rows[XTR_BY_DEVICE].row[ring->device], o, ring);
		err |= row_add(&s->rows[XTR_BY_PROCESS].row[o->process], o, ring);
		err |= row_add(&s->rows[XTR_BY_CLIENT].row[o->client], o, ring);
		err |= row_add(&s->total, o, ring);
		s->rows[XTR_BY_RING].row[o->ring].partial |= ring->partial;
		s->rows[XTR_BY_DEVICE].row[ring->device].partial |= ring->partial;
		s->total.partial |= ring->partial;
	}
	return err ? -ENOMEM : 0;
}

int stats_make_rows(struct xtr_stats *s)
{
	int err = add_owners(s);

	for (uint32_t i = 0; i < s->rows[XTR_BY_RING].n; i++) {
		s->rows[XTR_BY_RING].row[i].ring = xtr_model_ring(s->model, i);
		s->rows[XTR_BY_RING].row[i].device = xtr_model_ring(s->model, i)->device_name;
	}
	for (uint32_t i = 0; i < s->rows[XTR_BY_DEVICE].n; i++)
		s->rows[XTR_BY_DEVICE].row[i].device = xtr_model_device(s->model, i)->name;
	for (uint32_t i = 0; i < XTR_BY_COUNT; i++)
		rows_finish(&s->rows[i], i >= XTR_BY_PROCESS);
	bound_busy(&s->total, false);
	if (s->n_blockers)
		qsort(s->blocker, s->n_blockers, sizeof(*s->blocker), by_total);
	return err;
}

size_t xtr_stats_n_rows(const struct xtr_stats *s, enum xtr_stats_by by)
{
	return s->finished ? s->rows[by].n : 0;
}

const struct xtr_stats_row *xtr_stats_row(const struct xtr_stats *s, enum xtr_stats_by by, size_t i)
{
	return i < xtr_stats_n_rows(s, by) ? &s->rows[by].row[i] : NULL;
}

const struct xtr_stats_row *xtr_stats_total(const struct xtr_stats *s)
{
	return &s->total;
}

const struct xtr_stats_ring *xtr_stats_ring(const struct xtr_stats *s, uint32_t index)
{
	return index < s->n_rings ? &s->ring[index] : NULL;
}

const struct xtr_hist *xtr_stats_dep_wait(const struct xtr_stats *s, uint32_t index)
{
	return index < s->n_dep_waits ? &s->dep_wait[index] : NULL;
}

const struct xtr_model *xtr_stats_model(const struct xtr_stats *s)
{
	return s->model;
}

size_t xtr_stats_n_slowest(const struct xtr_stats *s)
{
	return s->n_slowest;
}

size_t xtr_stats_n_blockers(const struct xtr_stats *s)
{
	return s->n_blockers;
}

void xtr_stats_span(const struct xtr_stats *s, uint64_t *first, uint64_t *last)
{
	*first = s->first;
	*last = s->last;
}

uint64_t xtr_stats_events(const struct xtr_stats *s)
{
	return s->events;
}

/* --- stats top -------------------------------------------------------------------------------- */

/* Lists of the N longest, kept sorted, longest first; of equal ones the earlier stays in front. */

void top_job(struct xtr_stats *s, const struct xtr_job *j, bool bounded)
{
	uint64_t value = bounded ? j->done_ns - j->run_ns : j->exec_max_ns;
	uint32_t i = s->n_slowest;

	if (i == s->o.top && (!i || value <= s->slowest[i - 1].value))
		return;
	if (i < s->o.top)
		s->n_slowest++;
	else
		i--;
	for (; i && s->slowest[i - 1].value < value; i--)
		s->slowest[i] = s->slowest[i - 1];
	s->slowest[i] = (struct xtr_stats_job){
		.job = *j, .ring = j->ring->index, .value = value, .bounded = bounded
	};
	s->slowest[i].job.ring = NULL;
	s->slowest[i].job.deps = NULL;
}

static uint64_t length(const struct xtr_dep *d)
{
	return d->until_ns - d->from_ns;
}

static void top_wait(struct xtr_stats *s, const struct xtr_job *j, const struct xtr_dep *d)
{
	uint32_t i = s->n_waits;

	if (i == s->o.top && (!i || length(d) <= length(&s->wait[i - 1].dep)))
		return;
	if (i < s->o.top)
		s->n_waits++;
	else
		i--;
	for (; i && length(&s->wait[i - 1].dep) < length(d); i--)
		s->wait[i] = s->wait[i - 1];
	s->wait[i] = (struct xtr_stats_wait){
		.ctx = j->ctx, .seqno = j->seqno, .ring = j->ring->index, .dep = *d
	};
}

void top_waits(struct xtr_stats *s, const struct xtr_job *j)
{
	for (uint32_t i = 0; i < j->n_deps; i++)
		top_wait(s, j, &j->deps[i]);
}
