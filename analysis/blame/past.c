/* SPDX-License-Identifier: BSD-2-Clause */
#include "past.h"
#include "replay/model/loss_gaps.h"

#include <errno.h>
#include <stdlib.h>

struct xtr_past {
	struct xtr_past_job *job;  /* a circle of XTR_PAST_JOBS */
	uint64_t n_jobs;           /* in all */
	struct xtr_map by_name;    /* (ctx, seqno) -> place in the circle */
	struct xtr_map last;       /* (ctx, 0) -> seqno of the last that ended */
	struct xtr_job_part *part; /* a circle of XTR_PAST_PARTS */
	uint64_t n_parts;          /* in all */
	struct xtr_past_ring *ring[XTR_PAST_RINGS];
	uint32_t n_rings;
	struct xtr_map by_ring; /* (id, 0) -> index */
	struct xtr_gaps gaps;
};

void xtr_past_free(struct xtr_past *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->n_rings; i++)
		free(p->ring[i]);
	xtr_map_free(&p->by_name);
	xtr_map_free(&p->last);
	xtr_map_free(&p->by_ring);
	xtr_gaps_free(&p->gaps);
	free(p->job);
	free(p->part);
	free(p);
}

struct xtr_past *xtr_past_new(void)
{
	struct xtr_past *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->job = malloc(XTR_PAST_JOBS * sizeof(*p->job));
	p->part = malloc(XTR_PAST_PARTS * sizeof(*p->part));
	if (p->job && p->part)
		return p;
	xtr_past_free(p);
	return NULL;
}

/* --- rings ------------------------------------------------------------------------------------ */

/* NULL with *err 0: too many. */
static struct xtr_past_ring *ring_of(struct xtr_past *p, uint32_t id, int *err)
{
	uint32_t i = xtr_map_index(&p->by_ring, id, 0);

	*err = 0;
	if (i != XTR_MAP_NONE)
		return p->ring[i];
	if (p->n_rings == XTR_PAST_RINGS)
		return NULL;
	p->ring[p->n_rings] = calloc(1, sizeof(struct xtr_past_ring));
	if (!p->ring[p->n_rings])
		*err = -ENOMEM;
	else
		*err = xtr_map_put(&p->by_ring, id, 0, p->n_rings);
	if (*err) {
		free(p->ring[p->n_rings]);
		return NULL;
	}
	p->ring[p->n_rings]->id = id;
	return p->ring[p->n_rings++];
}

const struct xtr_past_ring *xtr_past_ring(const struct xtr_past *p, uint32_t id)
{
	uint32_t i = xtr_map_index(&p->by_ring, id, 0);

	return i != XTR_MAP_NONE ? p->ring[i] : NULL;
}

/* From when on it executed for certain: if the start is not known, from the floor (job.h) on. */
static uint64_t exec_from(const struct xtr_job *j)
{
	if (j->start_ns)
		return j->start_ns;
	return j->floor_ns && j->floor_ns < j->done_ns ? j->floor_ns : j->done_ns;
}

static int add_ran(struct xtr_past *p, const struct xtr_job *j)
{
	struct xtr_past_ring *r;
	uint32_t kept, at_once = 1;
	int err;

	if (!j->done_ns || !j->ring->id)
		return 0;
	r = ring_of(p, j->ring->id, &err);
	if (!r)
		return err;
	if (!j->run_ns) {
		if (!(j->flags & XTR_FLAG_KILLED) && j->done_ns > r->blind_ns)
			r->blind_ns = j->done_ns;
		return 0;
	}
	kept = r->n < XTR_PAST_RAN ? r->n : XTR_PAST_RAN;
	for (uint32_t i = 1; i <= kept; i++) {
		const struct xtr_past_ran *one = &r->ran[(r->n - i) % XTR_PAST_RAN];

		if (one->done_ns <= j->run_ns)
			break;
		at_once++;
	}
	if (at_once > r->most)
		r->most = at_once;
	r->ran[r->n++ % XTR_PAST_RAN] = (struct xtr_past_ran){
		.run_ns = j->run_ns,
		.exec_ns = exec_from(j),
		.done_ns = j->done_ns,
		.who = xtr_who_of(j),
		.name = { j->ctx, j->seqno },
		.quality = j->quality,
	};
	return 0;
}

/* --- losses ----------------------------------------------------------------------------------- */

int xtr_past_lost(struct xtr_past *p, uint64_t first, uint64_t last)
{
	return xtr_gaps_add(&p->gaps, first, last);
}

uint64_t xtr_past_first_lost(const struct xtr_past *p, uint64_t from, uint64_t to)
{
	return xtr_gaps_first(&p->gaps, from, to);
}

/* --- jobs ------------------------------------------------------------------------------------- */

const struct xtr_past_job *xtr_past_job(const struct xtr_past *p, uint64_t ctx, uint64_t seqno)
{
	uint32_t i = xtr_map_index(&p->by_name, ctx, seqno);

	return i != XTR_MAP_NONE ? &p->job[i] : NULL;
}

const struct xtr_past_job *xtr_past_before(const struct xtr_past *p, uint64_t ctx, uint64_t seqno)
{
	const uint64_t *last = xtr_map_get(&p->last, ctx, 0);

	return last && *last < seqno ? xtr_past_job(p, ctx, *last) : NULL;
}

const struct xtr_job_part *xtr_past_part(const struct xtr_past *p, const struct xtr_past_job *j,
					 uint32_t i)
{
	if (i >= j->n_parts || j->first + i + XTR_PAST_PARTS < p->n_parts)
		return NULL;
	return &p->part[(j->first + i) % XTR_PAST_PARTS];
}

static void forget(struct xtr_past *p, uint32_t place)
{
	const struct xtr_job_name *name = &p->job[place].name;

	if (xtr_map_index(&p->by_name, name->ctx, name->seqno) == place)
		xtr_map_del(&p->by_name, name->ctx, name->seqno);
}

static int add_job(struct xtr_past *p, const struct xtr_job *j, const struct xtr_job_parts *parts)
{
	uint32_t place = (uint32_t)(p->n_jobs % XTR_PAST_JOBS);

	if (p->n_jobs >= XTR_PAST_JOBS)
		forget(p, place);
	p->job[place] = (struct xtr_past_job){ .name = { j->ctx, j->seqno },
					       .run_ns = j->run_ns,
					       .done_ns = j->done_ns,
					       .who = xtr_who_of(j),
					       .first = p->n_parts,
					       .n_parts = parts ? parts->n : 0,
					       .ring = j->ring->id,
					       .prio = j->prio,
					       .prio_known = j->prio_known };
	for (uint32_t i = 0; parts && i < parts->n; i++)
		p->part[p->n_parts++ % XTR_PAST_PARTS] = parts->part[i];
	p->n_jobs++;
	return xtr_map_put(&p->by_name, j->ctx, j->seqno, place);
}

int xtr_past_add(struct xtr_past *p, const struct xtr_job *j, const struct xtr_job_parts *parts)
{
	const uint64_t *last = xtr_map_get(&p->last, j->ctx, 0);
	int err = add_job(p, j, parts);

	if (!err && (!last || *last < j->seqno))
		err = xtr_map_put_most(&p->last, XTR_PAST_CTX, j->ctx, 0, j->seqno);
	return err ?: add_ran(p, j);
}
