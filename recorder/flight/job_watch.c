/* SPDX-License-Identifier: BSD-2-Clause */
#include "job_watch.h"
#include "recorder/host/bpfdefs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUBMITTERS 8192u /* a power of two */

struct xtr_submitter {
	uint64_t ctx, seqno;
	uint32_t tid;
};

int xtr_job_watch_open(struct xtr_job_watch *w)
{
	*w = (struct xtr_job_watch){
		.job = calloc(XTR_WATCHED_MAX, sizeof(*w->job)),
		.spare = calloc(XTR_WATCHED_MAX, sizeof(*w->spare)),
		.step = calloc(XTR_JOB_STEPS_MAX, sizeof(*w->step)),
		.by = calloc(SUBMITTERS, sizeof(*w->by)),
	};
	if (!w->job || !w->spare || !w->step || !w->by) {
		xtr_job_watch_close(w);
		return -ENOMEM;
	}
	while (w->n_spare < XTR_WATCHED_MAX) {
		w->spare[w->n_spare] = XTR_WATCHED_MAX - 1 - w->n_spare;
		w->n_spare++;
	}
	return 0;
}

void xtr_job_watch_close(struct xtr_job_watch *w)
{
	xtr_map_free(&w->by_fence);
	free(w->job);
	free(w->spare);
	free(w->step);
	free(w->by);
	*w = (struct xtr_job_watch){ 0 };
}

static void forget(struct xtr_job_watch *w, uint32_t i)
{
	struct xtr_watched *j = &w->job[i];

	xtr_map_del(&w->by_fence, j->ctx, j->seqno);
	j->used = false;
	w->spare[w->n_spare++] = i;
}

/* Without what is missing now nothing can be said of any job on the hardware. */
static void give_up(struct xtr_job_watch *w)
{
	w->unwatched += w->n_steps;
	w->n_steps = 0;
	for (uint32_t i = 0; i < XTR_WATCHED_MAX; i++) {
		if (w->job[i].used) {
			forget(w, i);
			w->unwatched++;
		}
	}
}

/* By time; what happened at one time in the order in which it happens to a job. */
static int by_time(const void *pa, const void *pb)
{
	const struct xtr_watch_step *a = pa, *b = pb;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->type < b->type ? -1 : a->type > b->type;
}

void xtr_job_watch_step(struct xtr_job_watch *w, const struct xtr_watch_step *s)
{
	if (w->n_steps == XTR_JOB_STEPS_MAX)
		give_up(w);
	w->mixed |= w->n_steps && by_time(&w->step[w->n_steps - 1], s) > 0;
	w->step[w->n_steps++] = *s;
}

static struct xtr_submitter *submitter(const struct xtr_job_watch *w, uint64_t ctx, uint64_t seqno)
{
	uint64_t h = (ctx * 0x9e3779b97f4a7c15ull + seqno) * 0x9e3779b97f4a7c15ull;

	return &w->by[h >> 32 & (SUBMITTERS - 1)];
}

/* The end of many of those that run longer than most was lost: the older half, about, goes. */
static void make_room(struct xtr_job_watch *w)
{
	unsigned __int128 sum = 0;
	uint64_t mean;

	for (uint32_t i = 0; i < XTR_WATCHED_MAX; i++)
		sum += w->job[i].run;
	mean = (uint64_t)(sum / XTR_WATCHED_MAX);
	for (uint32_t i = 0; i < XTR_WATCHED_MAX; i++) {
		if (w->job[i].run <= mean) {
			forget(w, i);
			w->unwatched++;
		}
	}
}

static void take_run(struct xtr_job_watch *w, const struct xtr_watch_step *s)
{
	const struct xtr_submitter *by = submitter(w, s->ctx, s->seqno);
	uint32_t i;

	if (xtr_map_get(&w->by_fence, s->ctx, s->seqno))
		return; /* run again, after a reset */
	if (!w->n_spare)
		make_room(w);
	i = w->spare[w->n_spare - 1];
	if (xtr_map_put(&w->by_fence, s->ctx, s->seqno, i)) {
		w->unwatched++;
		return;
	}
	w->n_spare--;
	w->job[i] = (struct xtr_watched){
		.ctx = s->ctx, .seqno = s->seqno, .run = s->ts, .used = true
	};
	if (by->ctx == s->ctx && by->seqno == s->seqno)
		w->job[i].tid = by->tid;
}

static void take_step(struct xtr_job_watch *w, const struct xtr_watch_step *s, xtr_job_watch_fn *fn,
		      void *ctx)
{
	const uint64_t *i;

	switch (s->type) {
	case XTR_EV_JOB_QUEUE:
		*submitter(w, s->ctx, s->seqno) =
			(struct xtr_submitter){ s->ctx, s->seqno, s->tid };
		break;
	case XTR_EV_JOB_RUN:
		take_run(w, s);
		break;
	case XTR_EV_JOB_DONE:
		i = xtr_map_get(&w->by_fence, s->ctx, s->seqno);
		if (!i)
			break; /* it ran before the recording, or was not watched */
		fn(ctx, &w->job[*i], s->ts, true);
		forget(w, (uint32_t)*i);
		break;
	default:
		break;
	}
}

void xtr_job_watch_round(struct xtr_job_watch *w, uint64_t watermark, xtr_job_watch_fn *fn,
			 void *ctx)
{
	size_t n = 0;

	if (w->mixed)
		qsort(w->step, w->n_steps, sizeof(*w->step), by_time);
	for (; n < w->n_steps && w->step[n].ts < watermark; n++)
		take_step(w, &w->step[n], fn, ctx);
	w->n_steps -= n;
	w->mixed = false;
	memmove(w->step, w->step + n, w->n_steps * sizeof(*w->step));
	for (uint32_t i = 0; i < XTR_WATCHED_MAX; i++)
		if (w->job[i].used && w->job[i].run < watermark)
			fn(ctx, &w->job[i], watermark, false);
}
