/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of events (events.h), cut into two recordings, through the comparison: every job is
 * in a group or counted as having none, and what the tests say is what such numbers can be.
 */
#include "events.h"

#include "analysis/diff/diff.h"
#include "replay/model/model.h"

#include <math.h>

static struct xtr_diff *d;

static int on_job(void *ctx, const struct xtr_job *j)
{
	(void)ctx;
	return xtr_diff_job(d, j);
}

static int on_call(void *ctx, const struct xtr_call *c)
{
	(void)ctx;
	return xtr_diff_call(d, c);
}

static void play(unsigned int side, const uint8_t *data, size_t size)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = fuzz_meta((unsigned int)size),
				     .tables = fuzz_rings(),
				     .job = on_job };
	struct xtr_calls_opts co = {
		.sz = sizeof(co), .meta = mo.meta, .tables = mo.tables, .call = on_call
	};
	struct fuzz_events e = { .p = data, .left = size, .ev.ts = 1 };
	const struct xtr_event *ev;
	struct xtr_model *m;
	struct xtr_calls *c;

	FUZZ_CHECK(!xtr_diff_begin(d, side, "x") && !xtr_diff_source(d, mo.meta, mo.tables));
	FUZZ_CHECK(!xtr_model_new(&m, &mo) && !xtr_calls_new(&c, &co));
	while ((ev = fuzz_next(&e)))
		FUZZ_CHECK(!xtr_model_event(m, ev) && xtr_calls_event(c, ev) >= 0);
	FUZZ_CHECK(!xtr_model_finish(m) && !xtr_calls_finish(c) && !xtr_diff_end(d, 0, 0));
	xtr_model_free(m);
	xtr_calls_free(c);
}

static void check_row(const struct xtr_diff_row *row)
{
	for (int side = 0; side < 2; side++) {
		const struct xtr_diff_side *s = &row->side[side];

		FUZZ_CHECK(s->n + s->dropped && s->runs <= 1 && s->factor >= 1);
		FUZZ_CHECK(s->p50 <= s->p90 && s->p90 <= s->p99 && s->min <= s->max);
	}
	if (!row->tested)
		return;
	FUZZ_CHECK(row->test.p >= 0 && row->test.p <= row->p && row->p <= 1);
	FUZZ_CHECK(row->test.superiority >= 0 && row->test.superiority <= 1);
	FUZZ_CHECK(row->shift.low <= row->shift.shift && row->shift.shift <= row->shift.high);
	/* NAN where all times are 0: then there is no test that finds something */
	if (isnan(row->ratio.ratio)) {
		FUZZ_CHECK(row->side[0].max == 0 && row->side[1].max == 0);
		return;
	}
	FUZZ_CHECK(row->ratio.low >= 0 && row->ratio.low <= row->ratio.ratio &&
		   row->ratio.ratio <= row->ratio.high);
	FUZZ_CHECK(row->detectable >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_diff_opts o = { .sz = sizeof(o) };
	uint64_t n[2] = { 0 };
	size_t half = size / 2 / FUZZ_OP * FUZZ_OP;

	FUZZ_CHECK(!xtr_diff_new(&d, &o));
	play(0, data, half);
	play(1, data + half, size - half);
	FUZZ_CHECK(!xtr_diff_finish(d));
	for (size_t i = 0; i < xtr_diff_n_rows(d); i++)
		check_row(xtr_diff_row(d, i));
	for (size_t i = 0; i < xtr_diff_n_counts(d); i++)
		for (int side = 0; side < 2; side++)
			n[side] += xtr_diff_count(d, i)->by == XTR_DIFF_RING
					   ? xtr_diff_count(d, i)->n[side]
					   : 0;
	FUZZ_CHECK(n[0] == xtr_diff_total(d, 0)->jobs && n[1] == xtr_diff_total(d, 1)->jobs);
	xtr_diff_free(d);
	return 0;
}
