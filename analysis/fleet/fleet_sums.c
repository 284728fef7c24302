/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over rings, and the numbers of a row that follow from them. */
#include "fleet_impl.h"
#include "base/checked.h"

static int merge_hists(struct xtr_fleet_sums *dst, const struct xtr_hist *exec,
		       const struct xtr_hist *residence, const struct xtr_hist *queue_wait,
		       const struct xtr_hist *hw_wait)
{
	return xtr_hist_merge(&dst->exec, exec) ?:
	       xtr_hist_merge(&dst->residence, residence) ?:
	       xtr_hist_merge(&dst->queue_wait, queue_wait) ?:
	       xtr_hist_merge(&dst->hw_wait, hw_wait);
}

int fleet_sums_ring(struct xtr_fleet_sums *sums, const struct xtr_stats_row *row, uint64_t span)
{
	const struct xtr_agg *a = &row->agg;

	sums->jobs = xtr_sat_add(sums->jobs, a->jobs);
	sums->completed = xtr_sat_add(sums->completed, a->resided);
	sums->failed = xtr_sat_add(sums->failed, a->errors + a->timeouts + a->killed);
	sums->open = xtr_sat_add(sums->open, a->on_hardware + a->in_queue);
	/* Busy where it is not known says nothing, and neither does the time that it was recorded
	 * in. */
	if (!row->partial) {
		sums->busy_ns =
			xtr_sat_add(sums->busy_ns, row->busy.total < span ? row->busy.total : span);
		sums->recorded_ns = xtr_sat_add(sums->recorded_ns, span);
	}
	sums->busy_bounded |= row->busy_bounded || row->busy.inexact;
	sums->rings++;
	return merge_hists(sums, &a->exec, &a->residence, &a->queue_wait, &a->hw_wait);
}

int fleet_sums_merge(struct xtr_fleet_sums *dst, const struct xtr_fleet_sums *src)
{
	dst->jobs = xtr_sat_add(dst->jobs, src->jobs);
	dst->completed = xtr_sat_add(dst->completed, src->completed);
	dst->failed = xtr_sat_add(dst->failed, src->failed);
	dst->open = xtr_sat_add(dst->open, src->open);
	dst->busy_ns = xtr_sat_add(dst->busy_ns, src->busy_ns);
	dst->recorded_ns = xtr_sat_add(dst->recorded_ns, src->recorded_ns);
	dst->rings = xtr_sat_add(dst->rings, src->rings);
	dst->busy_bounded |= src->busy_bounded;
	return merge_hists(dst, &src->exec, &src->residence, &src->queue_wait, &src->hw_wait);
}

void fleet_sums_free(struct xtr_fleet_sums *sums)
{
	xtr_hist_free(&sums->exec);
	xtr_hist_free(&sums->residence);
	xtr_hist_free(&sums->queue_wait);
	xtr_hist_free(&sums->hw_wait);
}

static void set(struct xtr_fleet_row *row, enum xtr_fleet_metric m, bool known, uint64_t value)
{
	if (!known)
		return;
	row->known |= 1u << m;
	row->value[m] = value;
}

static void set_times(struct xtr_fleet_row *row, enum xtr_fleet_metric p50, bool known,
		      const struct xtr_hist *h)
{
	set(row, p50, known && h->n, xtr_hist_quantile(h, 500));
	set(row, p50 + 1, known && h->n >= XTR_FLEET_P99_JOBS, xtr_hist_quantile(h, 990));
}

/* Residence takes the place of execution where too little of that is known, as in a comparison of
 * two recordings. */
void fleet_sums_values(const struct xtr_fleet_sums *s, struct xtr_fleet_row *row)
{
	const bool known =
		s->exec.n && (unsigned __int128)s->exec.n * 100 >=
				     (unsigned __int128)s->completed * XTR_FLEET_KNOWN_PERCENT;

	row->jobs = s->jobs;
	row->known = 0;
	set_times(row, XTR_FLEET_EXEC_P50, known, &s->exec);
	set_times(row, XTR_FLEET_RESIDENCE_P50, !known, &s->residence);
	set_times(row, XTR_FLEET_QUEUE_P50, true, &s->queue_wait);
	set(row, XTR_FLEET_UTILISATION, s->recorded_ns && !s->busy_bounded,
	    fleet_ppm(s->busy_ns, s->recorded_ns));
	set(row, XTR_FLEET_FAILED, s->jobs, fleet_ppm(s->failed, s->jobs));
}
