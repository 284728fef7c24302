/* SPDX-License-Identifier: BSD-2-Clause */
#include "path.h"

#include <stddef.h>

#define HOPS_MAX 256u /* from job to job at one moment */

struct walk {
	const struct xtr_past *past;
	const struct xtr_submits *submits;
	struct xtr_path *out; /* the last step first */
	const struct xtr_past_job *at;
	uint64_t ts;
	uint32_t hops;
};

const char *xtr_path_name(unsigned int kind)
{
	if (kind == XTR_PATH_SUBMITTER)
		return "submitter";
	return kind == XTR_PATH_WAIT ? "wait" : xtr_part_name(kind);
}

static bool same(const struct xtr_path_step *a, const struct xtr_path_step *b)
{
	return a->kind == b->kind && xtr_job_name_same(&a->job, &b->job);
}

/* From `from` to where the path has come; it goes on from there. False: there is no more room. */
static bool step(struct walk *w, uint64_t from, struct xtr_path_step s)
{
	struct xtr_path_step *last = w->out->n ? &w->out->step[w->out->n - 1] : NULL;

	if (from >= w->ts)
		return true;
	s.from_ns = from;
	s.to_ns = w->ts;
	w->ts = from;
	w->hops = 0;
	if (last && same(last, &s)) {
		last->from_ns = from;
		return true;
	}
	if (w->out->n == XTR_PATH_MAX) {
		w->out->cut = true;
		return false;
	}
	w->out->step[w->out->n++] = s;
	return true;
}

static struct xtr_path_step of_job(const struct xtr_past_job *j, unsigned int kind)
{
	return (struct xtr_path_step){
		.job = j->name, .who = j->who, .ring = j->ring, .kind = (uint8_t)kind
	};
}

/* The part of the job that ends then, or in which that is. NULL: none, or forgotten. */
static const struct xtr_job_part *part_before(const struct walk *w)
{
	const struct xtr_job_part *p = NULL;

	for (uint32_t i = w->at->n_parts; i--;) {
		p = xtr_past_part(w->past, w->at, i);
		if (!p || p->from_ns < w->ts)
			break;
		p = NULL;
	}
	return p && w->ts <= p->to_ns ? p : NULL;
}

/* To the job that it waited for then: false where that is none of the trace. */
static bool hop(struct walk *w, const struct xtr_job_part *p)
{
	const struct xtr_past_job *j = xtr_past_job(w->past, p->job.ctx, p->job.seqno);

	if (!j || w->hops++ == HOPS_MAX)
		return false;
	/* It had ended before that was signalled. */
	if (j->done_ns && j->done_ns < w->ts &&
	    !step(w, j->done_ns > p->from_ns ? j->done_ns : p->from_ns, of_job(j, XTR_PART_REPORT)))
		return false;
	if (w->ts > p->from_ns)
		w->at = j;
	return true;
}

/* Before its submission: the thread. False: the path begins here. */
static bool thread(struct walk *w)
{
	const struct xtr_job_name *name = &w->at->name;
	const struct xtr_submit *s =
		w->submits ? xtr_submits_of(w->submits, name->ctx, name->seqno) : NULL;
	struct xtr_path_step own = { .job = *name, .who = w->at->who, .kind = XTR_PATH_SUBMITTER };
	const struct xtr_past_job *fence;

	if (!s)
		return false;
	own.tid = s->tid;
	fence = s->to_ns ? xtr_past_job(w->past, s->fence.ctx, s->fence.seqno) : NULL;
	/* A wait for what had ended before it began held nobody up. */
	if (s->to_ns && (!fence || fence->done_ns > s->from_ns)) {
		if (!step(w, s->to_ns, own))
			return false;
		if (!fence) {
			own.kind = XTR_PATH_WAIT;
			(void)step(w, s->from_ns, own);
			return false;
		}
		w->at = fence;
		return step(w, fence->done_ns, of_job(fence, XTR_PART_REPORT));
	}
	fence = s->before_ns ? xtr_past_job(w->past, s->before.ctx, s->before.seqno) : NULL;
	if (!fence || !step(w, s->before_ns, own))
		return false;
	w->at = fence;
	return true;
}

/* One step back, or to another job. False: the path begins here. */
static bool back(struct walk *w)
{
	const struct xtr_job_part *p = part_before(w);

	if (!p)
		return thread(w);
	switch (p->kind) {
	case XTR_PART_QUEUE:
	case XTR_PART_DEPENDENCY:
	case XTR_PART_FULL:
	case XTR_PART_RING:
		if (hop(w, p))
			return true;
		if (w->out->cut)
			return false;
		return step(w, p->from_ns, of_job(w->at, p->kind));
	default:
		return step(w, p->from_ns, of_job(w->at, p->kind));
	}
}

void xtr_path_to(const struct xtr_past *past, const struct xtr_submits *submits,
		 const struct xtr_job_name *job, struct xtr_path *out)
{
	xtr_path_since(past, submits, job, 0, out);
}

void xtr_path_since(const struct xtr_past *past, const struct xtr_submits *submits,
		    const struct xtr_job_name *job, uint64_t since, struct xtr_path *out)
{
	struct walk w = { .past = past, .submits = submits, .out = out };

	out->n = 0; /* the array is as it was: it is large */
	out->cut = false;
	w.at = xtr_past_job(past, job->ctx, job->seqno);
	w.ts = w.at ? w.at->done_ns : 0;
	for (uint32_t i = 0; w.at && w.ts > since && i < XTR_PATH_MAX * HOPS_MAX && back(&w); i++)
		;
	out->cut |= w.at && since && w.ts <= since;
	for (uint32_t i = 0; i < out->n / 2; i++) {
		struct xtr_path_step s = out->step[i];

		out->step[i] = out->step[out->n - 1 - i];
		out->step[out->n - 1 - i] = s;
	}
}
