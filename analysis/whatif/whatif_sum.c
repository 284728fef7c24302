/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of a replay, exact: medians are of all values. */
#include "whatif_impl.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* The least that so many percent of the values are not above. */
static uint64_t percentile(const uint64_t *v, size_t n, unsigned int percent)
{
	return n ? v[(n * percent + 99) / 100 - 1] : 0;
}

/*
 * The values of jobs, those that have one, by ring: scratch[place[i]] to scratch[place[i + 1]] are
 * of ring i, in order. Returns how many there are.
 */
static size_t gather(struct xtr_whatif *w, bool (*value)(const struct xtr_whatif *w,
							 const struct whatif_job *j, uint64_t *v))
{
	size_t *place = w->place;
	uint64_t v;

	memset(place, 0, (w->n_rings + 2) * sizeof(*place));
	for (size_t i = 0; i < w->n; i++)
		if (value(w, &w->job[i], &v))
			place[w->job[i].ring + 2]++;
	for (size_t i = 2; i < w->n_rings + 2; i++)
		place[i] += place[i - 1];
	for (size_t i = 0; i < w->n; i++)
		if (value(w, &w->job[i], &v))
			w->scratch[place[w->job[i].ring + 1]++] = v;
	for (size_t i = 0; i < w->n_rings; i++)
		qsort(w->scratch + place[i], place[i + 1] - place[i], sizeof(*w->scratch),
		      by_value);
	return place[w->n_rings];
}

/* 0: not known. */
static uint64_t submitted(const struct xtr_whatif *w, const struct whatif_job *j)
{
	uint64_t came = whatif_came(w, j);

	return came ? came - j->early_ns : 0;
}

static bool time_of(const struct xtr_whatif *w, const struct whatif_job *j, uint64_t *v)
{
	*v = j->sim.done_ns - submitted(w, j);
	return whatif_counts(j) && j->queue_ns && j->done_ns && j->state == WHATIF_OVER;
}

/* Of what was replayed: those that are left as they were have none. */
static bool error_of(const struct xtr_whatif *w, const struct whatif_job *j, uint64_t *v)
{
	uint64_t was = j->done_ns - (j->queue_ns - j->early_ns);
	uint64_t is = j->sim.done_ns - submitted(w, j);
	uint64_t off = is > was ? is - was : was - is;

	if (!whatif_counts(j) || whatif_has(j, WHATIF_FIXED) || j->state != WHATIF_OVER)
		return false;
	*v = off ? UINT64_MAX : 0;
	if (was && off < UINT64_MAX / XTR_WHATIF_UNIT)
		*v = off * XTR_WHATIF_UNIT / was;
	return true;
}

static bool delay_of(const struct xtr_whatif *w, const struct whatif_job *j, uint64_t *v)
{
	(void)w;
	*v = j->delay_ns;
	return !whatif_has(j, WHATIF_FIXED);
}

static void sum_job(const struct xtr_whatif *w, const struct whatif_job *j,
		    struct xtr_whatif_sums *s)
{
	uint64_t first = submitted(w, j) ?: whatif_comes(j);

	if (whatif_has(j, WHATIF_SHOWN) && whatif_has(j, WHATIF_REMOVED))
		s->removed++;
	if (!whatif_counts(j))
		return;
	s->jobs++;
	s->bounded += whatif_has(j, WHATIF_BOUNDED);
	if (first && (!s->first_ns || first < s->first_ns))
		s->first_ns = first;
	if (j->state == WHATIF_OVER && j->sim.done_ns > s->last_ns)
		s->last_ns = j->sim.done_ns;
	if (j->state >= WHATIF_RAN && j->queue_ns && j->run_ns)
		s->wait_ns += j->sim.run_ns - whatif_came(w, j);
	if (w->chain[j - w->job] > s->chain_ns)
		s->chain_ns = w->chain[j - w->job];
}

/* What gather() has left of a ring's jobs; of those of all, which are last: i is n_rings. */
static size_t middle(struct xtr_whatif *w, size_t n, size_t i, uint64_t *p50, uint64_t *p99)
{
	bool all = i == w->n_rings;
	const uint64_t *v = w->scratch + (all ? 0 : w->place[i]);
	size_t k = all ? n : w->place[i + 1] - w->place[i];

	if (all)
		qsort(w->scratch, n, sizeof(*w->scratch), by_value);
	*p50 = percentile(v, k, 50);
	*p99 = percentile(v, k, 99);
	return k;
}

static void sum_times(struct xtr_whatif *w)
{
	size_t n = gather(w, time_of);

	for (size_t i = 0; i <= w->n_rings; i++)
		w->sums[i].times = middle(w, n, i, &w->sums[i].p50_ns, &w->sums[i].p99_ns);
}

static void sum_errors(struct xtr_whatif *w)
{
	size_t n = gather(w, error_of);

	for (size_t i = 0; i <= w->n_rings; i++)
		w->sums[i].errors = middle(w, n, i, &w->sums[i].error50, &w->sums[i].error99);
}

void whatif_sum(struct xtr_whatif *w)
{
	struct xtr_whatif_sums *all = &w->sums[w->n_rings];

	for (size_t i = 0; i < w->n; i++) {
		sum_job(w, &w->job[i], &w->sums[w->job[i].ring]);
		sum_job(w, &w->job[i], all);
	}
	for (size_t i = 0; i < w->n_rings; i++)
		all->busy_ns += w->sums[i].busy_ns;
	sum_times(w);
	sum_errors(w);
}

void whatif_typical(struct xtr_whatif *w)
{
	gather(w, delay_of);
	for (size_t i = 0; i < w->n_rings; i++)
		w->ring[i].pub.delay_ns =
			percentile(w->scratch + w->place[i], w->place[i + 1] - w->place[i], 50);
}
