/* SPDX-License-Identifier: BSD-2-Clause */
#include "split.h"

#include <stdlib.h>

struct split {
	const struct xtr_past *past;
	const struct xtr_past_ring *ring; /* NULL: nothing is known of it */
	const struct xtr_job *j;
	const struct xtr_split_thread *thread;
	struct xtr_job_parts *out;
};

static uint64_t min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint8_t worse(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* What the job itself did, or waited for that is nobody's. */
static void put(struct split *s, uint64_t from, uint64_t to, enum xtr_part_kind kind,
		uint8_t quality)
{
	struct xtr_job_part p = { .from_ns = from,
				  .to_ns = to,
				  .kind = (uint8_t)kind,
				  .root_kind = (uint8_t)kind,
				  .quality = quality };

	if (kind == XTR_PART_EXECUTION || kind == XTR_PART_HARDWARE) {
		p.root = (struct xtr_job_name){ s->j->ctx, s->j->seqno };
		p.root_who = xtr_who_of(s->j);
		p.root_ring = s->j->ring->id;
	}
	xtr_parts_add(s->out, &p);
}

static void unknown(struct split *s, uint64_t from, uint64_t to)
{
	put(s, from, to, XTR_PART_UNKNOWN, XTR_QUALITY_LOST);
}

/* Another job of the ring executed. */
static void put_ran(struct split *s, uint64_t from, uint64_t to, enum xtr_part_kind kind,
		    const struct xtr_past_ran *ran, uint8_t quality)
{
	const struct xtr_job_part p = {
		.from_ns = from,
		.to_ns = to,
		.job = ran->name,
		.root = ran->name,
		.root_who = ran->who,
		.root_ring = s->j->ring->id,
		.kind = (uint8_t)kind,
		.root_kind = ran->exec_ns <= from ? XTR_PART_EXECUTION : XTR_PART_HARDWARE,
		.quality = worse(quality, ran->quality),
	};

	xtr_parts_add(s->out, &p);
}

/* --- another job ------------------------------------------------------------------------------ */

/* It waited for what that job did, or waited for, in this time. */
static void follow(struct split *s, uint64_t from, uint64_t to, enum xtr_part_kind kind,
		   const struct xtr_past_job *of)
{
	struct xtr_job_part p = { .job = of->name, .kind = (uint8_t)kind };
	const struct xtr_job_part *its;

	for (uint32_t i = 0; i < of->n_parts && from < to; i++) {
		its = xtr_past_part(s->past, of, i);
		if (!its || its->to_ns <= from)
			continue;
		if (its->from_ns >= to)
			break;
		/* What lies before its first part is not known. */
		p.from_ns = from;
		p.to_ns = min64(to, max64(from, its->from_ns));
		p.root_kind = XTR_PART_UNKNOWN;
		p.quality = XTR_QUALITY_LOST;
		p.root = (struct xtr_job_name){ 0 };
		p.root_who = p.root_ring = 0;
		xtr_parts_add(s->out, &p);
		p.from_ns = p.to_ns;
		p.to_ns = min64(to, its->to_ns);
		p.root_kind = its->root_kind;
		p.quality = its->quality;
		p.root = its->root;
		p.root_who = its->root_who;
		p.root_ring = its->root_ring;
		xtr_parts_add(s->out, &p);
		from = p.to_ns;
	}
	p.from_ns = from;
	p.to_ns = to;
	p.root_kind = of->done_ns && of->done_ns <= from ? XTR_PART_REPORT : XTR_PART_UNKNOWN;
	p.quality = p.root_kind == XTR_PART_REPORT ? XTR_QUALITY_EXACT : XTR_QUALITY_LOST;
	p.root = (struct xtr_job_name){ 0 };
	p.root_who = p.root_ring = 0;
	xtr_parts_add(s->out, &p);
}

static void dependency(struct split *s, uint64_t from, uint64_t to, const struct xtr_dep *d)
{
	const struct xtr_past_job *of = xtr_past_job(s->past, d->ctx, d->seqno);
	const struct xtr_job_part p = { .from_ns = from,
					.to_ns = to,
					.job = { d->ctx, d->seqno },
					.kind = XTR_PART_DEPENDENCY,
					.root_kind = XTR_PART_UNKNOWN,
					.quality = XTR_QUALITY_EXACT };

	if (of)
		follow(s, from, to, XTR_PART_DEPENDENCY, of);
	else
		xtr_parts_add(s->out, &p);
}

/* --- the ring --------------------------------------------------------------------------------- */

struct edge {
	uint64_t ts;
	int add; /* jobs on the hardware */
};

static int by_time(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	return (a->ts > b->ts) - (a->ts < b->ts);
}

/* Jobs of the ring that were on the hardware in this time, in order of their end but for few. */
static uint32_t on_hardware(const struct xtr_past_ring *r, uint64_t from, uint64_t to,
			    const struct xtr_past_ran *out[XTR_PAST_RAN])
{
	uint32_t kept = r->n < XTR_PAST_RAN ? r->n : XTR_PAST_RAN, n = 0, first = r->n - kept;

	for (uint32_t i = first; i < r->n; i++) {
		const struct xtr_past_ran *one = &r->ran[i % XTR_PAST_RAN];

		if (one->done_ns > from && one->run_ns < to)
			out[n++] = one;
	}
	return n;
}

/* Which of them the hardware executed: the first to end. NULL: none was there. */
static const struct xtr_past_ran *executed(const struct xtr_past_ran *const *v, uint32_t n,
					   uint64_t ts)
{
	const struct xtr_past_ran *best = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (v[i]->run_ns <= ts && ts < v[i]->done_ns &&
		    (!best || v[i]->done_ns < best->done_ns))
			best = v[i];
	return best;
}

/*
 * Ready, its ring had room, and its thread a CPU, as far as is known. Where a ring's jobs end in
 * any order, one that ended later may have been there.
 */
static void room(struct split *s, uint64_t from, uint64_t to, uint8_t quality)
{
	const struct xtr_model_ring *ring = s->j->ring;
	uint64_t blind = s->ring ? s->ring->blind_ns : 0;

	if (!ring->id || ring->partial || xtr_ring_is_bounded(ring))
		blind = to;
	blind = min64(to, max64(from, blind));
	unknown(s, from, blind);
	put(s, blind, to, s->j->run_ns ? XTR_PART_SCHEDULER : XTR_PART_RESET, quality);
}

static void not_full(struct split *s, uint64_t from, uint64_t to, uint8_t quality)
{
	for (uint32_t i = 0; s->thread && i < s->thread->n; i++) {
		const struct xtr_split_wait *w = &s->thread->wait[i];
		const struct xtr_job_part p = { .from_ns = max64(from, w->from_ns),
						.to_ns = min64(to, w->to_ns),
						.root_who = w->who,
						.kind = XTR_PART_THREAD,
						.root_kind = XTR_PART_THREAD,
						.quality = quality };

		if (p.from_ns >= p.to_ns)
			continue;
		room(s, from, p.from_ns, quality);
		xtr_parts_add(s->out, &p);
		from = p.to_ns;
	}
	room(s, from, to, quality);
}

/* Ready: between two edges the number of jobs on the hardware is one. */
static void ready(struct split *s, uint64_t from, uint64_t to)
{
	uint8_t quality = s->j->ring->limit ? XTR_QUALITY_EXACT : XTR_QUALITY_INFERRED;
	const struct xtr_past_ran *v[XTR_PAST_RAN], *ran;
	struct edge edge[2 * XTR_PAST_RAN + 1];
	uint32_t n = s->ring && from < to ? on_hardware(s->ring, from, to, v) : 0, n_edges = 0;
	int64_t there = 0, limit = s->j->ring->limit;

	if (!limit && s->ring)
		limit = s->ring->most;
	for (uint32_t i = 0; i < n; i++) {
		edge[n_edges++] = (struct edge){ max64(from, v[i]->run_ns), 1 };
		if (v[i]->done_ns < to)
			edge[n_edges++] = (struct edge){ v[i]->done_ns, -1 };
	}
	edge[n_edges++] = (struct edge){ to, 0 };
	qsort(edge, n_edges, sizeof(*edge), by_time);
	for (uint32_t i = 0; i < n_edges; i++) {
		ran = there >= limit && edge[i].ts > from ? executed(v, n, from) : NULL;
		if (ran)
			put_ran(s, from, edge[i].ts, XTR_PART_FULL, ran, quality);
		else if (edge[i].ts > from)
			not_full(s, from, edge[i].ts, quality);
		from = max64(from, edge[i].ts);
		there += edge[i].add;
	}
}

/* On the hardware, and not executed yet: what the ring executed. */
static void behind(struct split *s, uint64_t from, uint64_t to)
{
	const struct xtr_past_ran *v[XTR_PAST_RAN], *ran;
	uint32_t n = s->ring && from < to ? on_hardware(s->ring, from, to, v) : 0;

	while (from < to && (ran = executed(v, n, from))) {
		uint64_t until = min64(to, ran->done_ns);

		put_ran(s, from, until, XTR_PART_RING, ran, s->j->quality);
		from = until;
	}
	unknown(s, from, to);
}

/* --- a job ------------------------------------------------------------------------------------ */

/* In the software queue. */
static void queued(struct split *s, uint64_t from, uint64_t to)
{
	const struct xtr_job *j = s->j;
	const struct xtr_past_job *prev = xtr_past_before(s->past, j->ctx, j->seqno);

	uint64_t until = prev ? min64(prev->run_ns ?: prev->done_ns, to) : 0;

	if (until > from) {
		follow(s, from, until, XTR_PART_QUEUE, prev);
		from = until;
	}
	for (uint32_t i = 0; i < j->n_deps; i++) {
		const struct xtr_dep *d = &j->deps[i];
		uint64_t begin = min64(to, max64(from, d->from_ns));
		uint64_t end = d->until_ns ? min64(to, max64(begin, d->until_ns)) : to;

		ready(s, from, begin);
		dependency(s, begin, end, d);
		from = end;
	}
	ready(s, from, to);
}

static void on_ring(struct split *s)
{
	const struct xtr_job *j = s->j;
	uint64_t floor =
		j->floor_ns ? min64(j->done_ns, max64(j->run_ns, j->floor_ns)) : j->done_ns;

	if (j->start_ns) {
		uint64_t start = min64(j->done_ns, max64(j->run_ns, j->start_ns));

		behind(s, j->run_ns, start);
		put(s, start, j->done_ns, XTR_PART_EXECUTION, j->quality);
		return;
	}
	put(s, j->run_ns, floor, XTR_PART_HARDWARE, XTR_QUALITY_BOUNDED);
	put(s, floor, j->done_ns, XTR_PART_EXECUTION, XTR_QUALITY_BOUNDED);
}

/*
 * From the first loss on nobody is accused of what happened before the job was run: what was lost
 * may be the reason.
 */
static void before_hardware(struct split *s, uint64_t begin, uint64_t to)
{
	const struct xtr_job *j = s->j;
	uint64_t known = min64(to, xtr_past_first_lost(s->past, begin, to));

	if (!j->queue_ns || (!j->run_ns && !(j->flags & XTR_FLAG_KILLED)))
		known = begin;
	put(s, begin, min64(known, j->queue_ns), XTR_PART_SUBMIT, XTR_QUALITY_EXACT);
	if (known > j->queue_ns)
		queued(s, max64(begin, j->queue_ns), known);
	unknown(s, known, to);
}

/* Likewise on the hardware, but that it executed is known where the model knows it. */
static void on_hardware_at_last(struct split *s)
{
	const struct xtr_job *j = s->j;

	if (!(j->flags & XTR_FLAG_GAP)) {
		on_ring(s);
		return;
	}
	unknown(s, j->run_ns, j->start_ns ?: j->done_ns);
	if (j->start_ns)
		put(s, j->start_ns, j->done_ns, XTR_PART_EXECUTION, j->quality);
}

bool xtr_split_job(const struct xtr_past *past, const struct xtr_job *j,
		   const struct xtr_split_thread *thread, struct xtr_job_parts *out)
{
	struct split s = { .past = past,
			   .ring = xtr_past_ring(past, j->ring->id),
			   .j = j,
			   .thread = thread,
			   .out = out };
	uint64_t begin = j->queue_ns ?: j->run_ns, to_hw = j->run_ns ?: j->done_ns;

	out->n = 0; /* the array is as it was: it is large */
	out->folded = false;
	if (j->submit_ns && j->submit_ns < begin)
		begin = j->submit_ns;
	if (!begin || !j->done_ns || begin >= j->done_ns || to_hw > j->done_ns)
		return false;
	before_hardware(&s, begin, to_hw);
	if (j->run_ns)
		on_hardware_at_last(&s);
	return true;
}
