/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs of AMD NPUs by hardware context. The firmware executes the jobs of a context one after the
 * other, so that one starts when it is sent or when the one before has been answered, whichever is
 * later. Several contexts share the device, side by side or in turns: then this is an upper bound.
 */
#include "amdxdna_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_MAP_NONE

enum {
	F_NAME,
	F_STAGE,
	F_CTX,
	F_SEQNO
};

static const char *const stages[] = {
#define TEXT(id, key, text) text,
	XDNA_STAGES(TEXT)
};

uint32_t xdna_context_pid(const char *name)
{
	unsigned int pid, id;
	int n = 0;

	return sscanf(name, "hwctx.%9u.%9u%n", &pid, &id, &n) == 2 && !name[n] ? pid : 0;
}

/* --- which jobs there are --------------------------------------------------------------------- */

static void job_free(struct amdxdna *x, uint32_t i)
{
	struct xdna_job *j = &x->job[i];

	xtr_map_del(&x->by_fence, j->ctx, j->seqno);
	if (j->prev != NONE)
		x->job[j->prev].next = j->next;
	else
		x->head = j->next;
	if (j->next != NONE)
		x->job[j->next].prev = j->prev;
	else
		x->tail = j->prev;
	j->next = x->free_jobs;
	x->free_jobs = i;
}

/* The job has left the device, or is given up. Was another context's there at the same time? */
static bool leave(struct amdxdna *x, const struct xdna_job *j)
{
	struct xdna_context *c = &x->context[j->context];

	if (!j->sent_ns)
		return false;
	x->moves++;
	if (x->contexts_on_device > 1)
		x->mixed = x->moves;
	if (!--c->on_device)
		x->contexts_on_device--;
	return x->mixed >= j->moves;
}

static void enter(struct amdxdna *x, struct xdna_job *j)
{
	if (!x->context[j->context].on_device++)
		x->contexts_on_device++;
	j->moves = ++x->moves;
	if (x->contexts_on_device > 1)
		x->mixed = x->moves;
}

static void give_up(struct amdxdna *x, uint32_t i)
{
	if (x->job[i].counted)
		x->context[x->job[i].context].open++;
	leave(x, &x->job[i]);
	job_free(x, i);
}

static int64_t job_new(struct amdxdna *x, uint64_t ctx, uint64_t seqno, uint32_t context)
{
	uint32_t i;

	if (!x->job)
		x->job = calloc(XDNA_JOBS_MAX, sizeof(*x->job));
	if (!x->job)
		return -ENOMEM;
	if (x->free_jobs == NONE && x->n_jobs == XDNA_JOBS_MAX)
		give_up(x, x->head);
	i = x->free_jobs;
	if (i != NONE)
		x->free_jobs = x->job[i].next;
	else
		i = x->n_jobs++;
	x->job[i] = (struct xdna_job){
		.ctx = ctx, .seqno = seqno, .context = context, .next = NONE, .prev = x->tail
	};
	if (x->tail != NONE)
		x->job[x->tail].next = i;
	else
		x->head = i;
	x->tail = i;
	return xtr_map_put(&x->by_fence, ctx, seqno, i) ? -ENOMEM : (int64_t)i;
}

/* --- stages ----------------------------------------------------------------------------------- */

static int done(struct amdxdna *x, uint32_t i, uint64_t ts)
{
	struct xdna_job *j = &x->job[i];
	struct xdna_context *c = &x->context[j->context];
	uint64_t start = j->sent_ns > c->prev_done ? j->sent_ns : c->prev_done;
	bool shared = leave(x, j);
	int err = 0;

	c->prev_done = ts;
	if (j->counted && j->sent_ns) {
		c->timed++;
		c->shared += shared;
		err = xtr_hist_add(&c->exec, ts - start);
		if (!err)
			err = xtr_hist_add(&c->residence, ts - j->sent_ns);
	} else {
		c->open += j->counted;
	}
	job_free(x, i);
	return err;
}

static int sent(struct amdxdna *x, struct xdna_job *j, uint64_t ts)
{
	if (j->sent_ns)
		return 0;
	j->sent_ns = ts;
	enter(x, j);
	return j->run_ns && j->counted
		       ? xtr_hist_add(&x->context[j->context].driver, ts - j->run_ns)
		       : 0;
}

static int on_stage(struct amdxdna *x, const struct xtr_bind *b, const struct xtr_event *ev,
		    uint32_t context, enum xdna_stage stage, bool inside)
{
	uint64_t ctx = xtr_bind_u64(b, F_CTX, ev), seqno = xtr_bind_u64(b, F_SEQNO, ev);
	int64_t i = xtr_map_index(&x->by_fence, ctx, seqno);

	if (i == NONE && stage != XDNA_RUN && stage != XDNA_SENT) {
		x->context[context].open += stage == XDNA_DONE && inside;
		return 0;
	}
	if (i == NONE) {
		i = job_new(x, ctx, seqno, context);
		if (i < 0)
			return (int)i;
		x->job[i].counted = inside;
	}
	switch (stage) {
	case XDNA_RUN:
		x->job[i].run_ns = ev->ts;
		return 0;
	case XDNA_SENT:
		return sent(x, &x->job[i], ev->ts);
	case XDNA_DONE:
		return done(x, (uint32_t)i, ev->ts);
	case XDNA_FREE: /* without an answer */
		give_up(x, (uint32_t)i);
		return 0;
	default:
		return 0;
	}
}

/* "signaled fence" is what earlier versions say. */
static enum xdna_stage stage_of(const struct amdxdna *x, const struct xtr_bind *b,
				const struct xtr_event *ev)
{
	for (unsigned int i = 0; i < XDNA_STAGE_COUNT; i++)
		if (xtr_bind_text_is(b, F_STAGE, ev, x->o->tables, stages[i]))
			return i;
	return xtr_bind_text_is(b, F_STAGE, ev, x->o->tables, "signaled fence") ? XDNA_DONE
										: XDNA_STAGE_COUNT;
}

int xdna_job_event(struct amdxdna *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   bool inside)
{
	enum xdna_stage stage = stage_of(x, b, ev);
	size_t n;
	const char *s = xtr_bind_text(b, F_NAME, ev, x->o->tables, &n);
	int64_t context = xtr_label(&x->contexts, s, n, XDNA_CONTEXTS_MAX), other;
	struct xdna_context *c;

	if (context < 0)
		return (int)context;
	c = &x->context[context];
	if (stage == XDNA_STAGE_COUNT) {
		s = xtr_bind_text(b, F_STAGE, ev, x->o->tables, &n);
		other = xtr_label(&x->stages, s, n, XDNA_STAGES_MAX);
		if (other < 0)
			return (int)other;
		x->stage_n[other] += inside;
		c->other += inside;
		return 0;
	}
	if (inside && !c->n[stage]++ && stage == XDNA_TIMEDOUT)
		c->first_timeout_ns = ev->ts;
	return on_stage(x, b, ev, (uint32_t)context, stage, inside);
}

void xdna_jobs_finish(struct amdxdna *x)
{
	for (uint32_t i = x->head; i != NONE; i = x->job[i].next)
		if (x->job[i].counted)
			x->context[x->job[i].context].open++;
}
