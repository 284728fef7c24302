/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of events (events.h) through the statistics: the rows of each kind together hold all
 * jobs, and nothing was busy for longer than the trace lasts.
 */
#include "events.h"

#include "analysis/core/stats.h"

static void check_rows(const struct xtr_stats *s, enum xtr_stats_by by)
{
	uint64_t jobs = 0, first, last;

	xtr_stats_span(s, &first, &last);
	FUZZ_CHECK(first <= last);
	for (size_t i = 0; i < xtr_stats_n_rows(s, by); i++) {
		const struct xtr_stats_row *row = xtr_stats_row(s, by, i);
		const struct xtr_agg *a = &row->agg;

		FUZZ_CHECK(a->jobs && a->resided <= a->jobs && a->exec_min <= a->exec_max);
		FUZZ_CHECK(row->busy.inexact || row->busy.total <= last - first);
		jobs += a->jobs;
	}
	FUZZ_CHECK(jobs == xtr_stats_total(s)->agg.jobs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_events e = { .p = data, .left = size, .ev.ts = 1 };
	struct xtr_stats_opts o = { .sz = sizeof(o),
				    .meta = fuzz_meta((unsigned int)size),
				    .tables = fuzz_rings(),
				    .top = 3 };
	const struct xtr_event *ev;
	struct xtr_stats *s;
	uint64_t n = 0;

	FUZZ_CHECK(!xtr_stats_new(&s, &o));
	for (; (ev = fuzz_next(&e)); n += ev->type != 0)
		FUZZ_CHECK(!xtr_stats_event(s, ev));
	FUZZ_CHECK(!xtr_stats_finish(s) && xtr_stats_events(s) == n);
	for (int by = 0; by < XTR_BY_COUNT; by++)
		check_rows(s, (enum xtr_stats_by)by);
	xtr_stats_free(s);
	return 0;
}
