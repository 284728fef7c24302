/* SPDX-License-Identifier: BSD-2-Clause */
#include "agg.h"

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
				 XTR_FLAG_BATCH_FIRST | XTR_FLAG_BATCH | XTR_FLAG_OVERTAKEN;

	a->jobs++;
	a->quality[j->quality]++;
	a->kernel += j->kind == XTR_KIND_KERNEL;
	a->before += !!(j->flags & XTR_FLAG_BEFORE);
	a->after += !!(j->flags & XTR_FLAG_AFTER);
	if (j->flags & unusual) {
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
	int ret = 0;

	add_flags(a, j);
	if (j->queue_ns && j->run_ns)
		ret |= xtr_hist_add(&a->queue_wait, j->run_ns - j->queue_ns);
	if (!xtr_job_resided(j))
		return ret;
	a->resided++;
	a->late += !!(j->flags & (XTR_FLAG_LATE | XTR_FLAG_BY_WORKER));
	a->exec_min += j->exec_min_ns;
	a->exec_max += j->exec_max_ns;
	a->floor_sum += j->done_ns - j->floor_ns;
	ret |= xtr_hist_add(&a->residence, j->done_ns - j->run_ns);
	if (j->start_ns) {
		ret |= xtr_hist_add(&a->exec, j->done_ns - j->start_ns);
		ret |= xtr_hist_add(&a->hw_wait, j->start_ns - j->run_ns);
	}
	return ret;
}

static void merge_quality(struct xtr_agg *dst, const struct xtr_agg *src, bool bounded)
{
	unsigned int q;

	for (q = 0; q < XTR_QUALITY_COUNT; q++)
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
	size_t i;
	int ret = 0;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		*counter(dst, plain[i]) += *counter(src, plain[i]);
	merge_quality(dst, src, bounded);
	dst->exec_min += !bounded ? src->exec_min : floor ? src->floor_sum : 0;
	dst->exec_max += bounded ? src->residence.sum : src->exec_max;
	ret |= xtr_hist_merge(&dst->residence, &src->residence);
	ret |= xtr_hist_merge(&dst->queue_wait, &src->queue_wait);
	if (bounded)
		return ret;
	ret |= xtr_hist_merge(&dst->exec, &src->exec);
	ret |= xtr_hist_merge(&dst->hw_wait, &src->hw_wait);
	return ret;
}

void xtr_agg_free(struct xtr_agg *a)
{
	xtr_hist_free(&a->exec);
	xtr_hist_free(&a->residence);
	xtr_hist_free(&a->queue_wait);
	xtr_hist_free(&a->hw_wait);
}
