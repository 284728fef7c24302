/* SPDX-License-Identifier: BSD-2-Clause */
#include "agg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Counters that do not depend on the ring's verdict, for adding up. */
static const size_t plain[] = {
	offsetof(struct xtr_agg, jobs),      offsetof(struct xtr_agg, resided),
	offsetof(struct xtr_agg, kernel),    offsetof(struct xtr_agg, killed),
	offsetof(struct xtr_agg, errors),    offsetof(struct xtr_agg, timeouts),
	offsetof(struct xtr_agg, batches),   offsetof(struct xtr_agg, batch_jobs),
	offsetof(struct xtr_agg, overtaken), offsetof(struct xtr_agg, on_hardware),
	offsetof(struct xtr_agg, in_queue),  offsetof(struct xtr_agg, waits),
	offsetof(struct xtr_agg, dep_wait),  offsetof(struct xtr_agg, floor_sum),
	offsetof(struct xtr_agg, blocked),   offsetof(struct xtr_agg, late),
	offsetof(struct xtr_agg, before),    offsetof(struct xtr_agg, after),
};

static uint64_t *counter(const struct xtr_agg *a, size_t offset)
{
	return (uint64_t *)((char *)(uintptr_t)a + offset);
}

static void add_flags(struct xtr_agg *a, const struct xtr_job *j)
{
	const uint32_t unusual = XTR_FLAG_KILLED | XTR_FLAG_ERROR | XTR_FLAG_TIMEOUT |
				 XTR_FLAG_BATCH_FIRST | XTR_FLAG_BATCH | XTR_FLAG_OVERTAKEN |
				 XTR_FLAG_BEFORE | XTR_FLAG_AFTER;

	a->jobs++;
	a->quality[j->quality]++;
	a->kernel += j->kind == XTR_KIND_KERNEL;
	if (j->flags & unusual) {
		a->before += !!(j->flags & XTR_FLAG_BEFORE);
		a->after += !!(j->flags & XTR_FLAG_AFTER);
		a->killed += !!(j->flags & XTR_FLAG_KILLED);
		a->errors += !!(j->flags & XTR_FLAG_ERROR);
		a->timeouts += !!(j->flags & XTR_FLAG_TIMEOUT);
		a->batches += !!(j->flags & XTR_FLAG_BATCH_FIRST);
		a->batch_jobs += !!(j->flags & XTR_FLAG_BATCH);
		if (j->quality != XTR_QUALITY_LOST)
			a->overtaken += !!(j->flags & XTR_FLAG_OVERTAKEN);
	}
	if (!xtr_job_resided(j) && j->quality != XTR_QUALITY_LOST) {
		/* else only the records are missing */
		a->on_hardware += j->run_ns && !j->done_ns;
		a->in_queue += j->queue_ns && !j->run_ns && !j->done_ns;
	}
	if (xtr_job_waits_known(j)) {
		a->waits += j->n_waits;
		a->dep_wait += j->dep_wait_ns;
	}
	if (j->queue_ns && j->run_ns)
		a->blocked += j->dep_wait_ns;
}

int xtr_agg_add(struct xtr_agg *a, const struct xtr_job *j)
{
	int err = 0;

	add_flags(a, j);
	if (j->queue_ns && j->run_ns)
		err |= xtr_hist_add(&a->queue_wait, j->run_ns - j->queue_ns);
	if (!xtr_job_resided(j))
		return err;
	a->resided++;
	a->late += !!(j->flags & (XTR_FLAG_LATE | XTR_FLAG_BY_WORKER));
	a->exec_min += j->exec_min_ns;
	a->exec_max += j->exec_max_ns;
	a->floor_sum += j->done_ns - j->floor_ns;
	err |= xtr_hist_add(&a->residence, j->done_ns - j->run_ns);
	if (j->start_ns) {
		err |= xtr_hist_add(&a->exec, j->done_ns - j->start_ns);
		err |= xtr_hist_add(&a->hw_wait, j->start_ns - j->run_ns);
	}
	return err;
}

static void merge_quality(struct xtr_agg *dst, const struct xtr_agg *src, bool bounded)
{
	for (unsigned int q = 0; q < XTR_QUALITY_COUNT; q++)
		dst->quality[q] += src->quality[q];
	if (!bounded)
		return;
	/* Killed jobs are exact without having been run: they stay. */
	dst->quality[XTR_QUALITY_INFERRED] -= src->quality[XTR_QUALITY_INFERRED];
	dst->quality[XTR_QUALITY_EXACT] -= src->exec.n - src->quality[XTR_QUALITY_INFERRED];
	dst->quality[XTR_QUALITY_BOUNDED] += src->exec.n;
}

int xtr_agg_merge(struct xtr_agg *dst, const struct xtr_agg *src, bool bounded, bool floor)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		*counter(dst, plain[i]) += *counter(src, plain[i]);
	merge_quality(dst, src, bounded);
	dst->exec_min += !bounded ? src->exec_min : floor ? src->floor_sum : 0;
	dst->exec_max += bounded ? src->residence.sum : src->exec_max;
	err |= xtr_hist_merge(&dst->residence, &src->residence);
	err |= xtr_hist_merge(&dst->queue_wait, &src->queue_wait);
	if (bounded)
		return err;
	err |= xtr_hist_merge(&dst->exec, &src->exec);
	err |= xtr_hist_merge(&dst->hw_wait, &src->hw_wait);
	return err;
}

void xtr_agg_free(struct xtr_agg *a)
{
	xtr_hist_free(&a->exec);
	xtr_hist_free(&a->residence);
	xtr_hist_free(&a->queue_wait);
	xtr_hist_free(&a->hw_wait);
}

/* --- busy ------------------------------------------------------------------------------------- */

/*
 * Separate stretches in order of time; a new interval swallows those that it touches, which are the
 * last ones but for jobs that are told of late. What lies before the horizon can't be touched any
 * more and is dropped when the array is full.
 */

#define CAP_FIRST 64u /* fewer would be looked through for what can be dropped too often */

static void drop_first(struct xtr_busy *b, uint32_t k)
{
	if (!k)
		return;
	memmove(b->span, b->span + k, (b->n - k) * sizeof(*b->span));
	b->n -= k;
}

void xtr_busy_forget(struct xtr_busy *b, uint64_t horizon)
{
	uint32_t k = 0;

	while (k < b->n && b->span[k].end < horizon)
		k++;
	if (k >= b->n / 4) /* else it is cheaper to grow than to move the rest each time */
		drop_first(b, k);
}

static int make_room(struct xtr_busy *b)
{
	uint32_t cap = b->cap ? b->cap * 2 : CAP_FIRST;
	struct xtr_busy_span *span;

	if (cap > XTR_BUSY_MAX) {
		b->inexact = true;
		drop_first(b, b->n / 2);
		return 0;
	}
	span = realloc(b->span, cap * sizeof(*span));
	if (!span)
		return -ENOMEM;
	b->span = span;
	b->cap = cap;
	return 0;
}

/* Put a span in front of number `at`, which touches none. */
static int insert(struct xtr_busy *b, uint32_t at, const struct xtr_busy_span *span)
{
	uint32_t n = b->n, dropped;

	if (b->n == b->cap && make_room(b))
		return -ENOMEM;
	dropped = n - b->n;
	if (at < dropped)
		return 0; /* among those that make_room has forgotten */
	at -= dropped;
	memmove(b->span + at + 1, b->span + at, (b->n - at) * sizeof(*b->span));
	b->span[at] = *span;
	b->n++;
	return 0;
}

int xtr_busy_add(struct xtr_busy *b, uint64_t start, uint64_t end)
{
	struct xtr_busy_span joined = { start < end ? start : end, end };
	uint32_t first, behind; /* those it touches are [first, behind) */
	int err;

	for (behind = b->n; behind && b->span[behind - 1].start > end; behind--)
		;
	for (first = behind; first && b->span[first - 1].end >= joined.start; first--) {
		const struct xtr_busy_span *s = &b->span[first - 1];

		if (s->start < joined.start)
			joined.start = s->start;
		if (s->end > joined.end)
			joined.end = s->end;
		b->total -= s->end - s->start;
	}
	err = first == behind ? insert(b, first, &joined) : 0;
	if (err)
		return err;
	b->total += joined.end - joined.start;
	if (first == behind)
		return 0;
	b->span[first] = joined;
	memmove(b->span + first + 1, b->span + behind, (b->n - behind) * sizeof(*b->span));
	b->n -= behind - first - 1;
	return 0;
}

void xtr_busy_free(struct xtr_busy *b)
{
	free(b->span);
	*b = (struct xtr_busy){ 0 };
}
