/* SPDX-License-Identifier: BSD-2-Clause */
/* What readers say of a recording that had a budget. */
#include "replay/notes/notes.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct trace t;
static struct xtr_reader *r;
static const struct xtr_section *s;

static void init(void)
{
	cr_assert_eq(trace_open(&t, NULL, NULL), 0);
}

static void gap(uint64_t first, uint64_t last, uint64_t count)
{
	const struct xtr_gap g = { XTR_STREAM_NONE, first, last, count };

	cr_assert_eq(xtr_loss_add_gap(t.loss, &g), 0);
}

static void budget(uint64_t ppm)
{
	cr_assert_eq(xtr_meta_set_config_u64(t.meta, "budget", ppm), 0);
}

static void finish(bool end)
{
	cr_assert_eq(end ? xtr_writer_finish(t.w, "signal", NULL) : xtr_writer_meta(t.w), 0);
	r = trace_read_back(t.io);
	s = xtr_reader_section(r, 0);
}

static void fini(void)
{
	xtr_reader_close(r);
	trace_close(&t, false);
}

TestSuite(budgeted, .init = init, .fini = fini);

static char *text_of(bool json)
{
	struct xtr_json j;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	xtr_json_init(&j, f, false);
	if (json) {
		xtr_json_begin_object(&j);
		xtr_budgeted_json(&j, s);
		xtr_json_end_object(&j);
	} else {
		xtr_budgeted_text(f, s);
	}
	fclose(f);
	return text;
}

static void says(bool json, const char *want)
{
	char *text = text_of(json);

	cr_expect_str_eq(text, want);
	free(text);
}

Test(budgeted, without_a_budget_nothing_is_said)
{
	struct xtr_budgeted b;

	gap(10, 20, 0);
	finish(true);
	cr_expect_eq(xtr_budgeted_read(&b, s), 0);
	cr_expect_null(xtr_budgeted_by_type(s));
	says(false, "");
	says(true, "{}");
}

Test(budgeted, a_budget_that_was_kept_left_nothing_out)
{
	budget(5000);
	gap(10, 20, 3);
	finish(true);
	says(false,
	     "BUDGET: recording was to cost at most 0.5000 % of the machine: all was recorded.\n");
	says(true, "{\"budget\":{\"millionths\":5000,\"left_out_from_ns\":0,\"left_out_to_ns\":0,"
		   "\"left_out_ns\":0}}");
}

Test(budgeted, without_an_end_nothing_is_known)
{
	budget(5000);
	finish(false);
	says(false, "BUDGET: recording was to cost at most 0.5000 % of the machine: the end of the "
		    "recording is missing, what was left out is not known.\n");
}

/* Pieces of a stretch overlap, and losses are no part of it. */
Test(budgeted, stretches_are_added_up_once)
{
	struct xtr_budgeted b;

	budget(1000);
	gap(1000000000, 3000000000, 0);
	gap(2000000000, 3500000000, 0);
	gap(5000000000, 5500000000, 0);
	gap(100, 9000000000, 7);
	cr_assert_eq(xtr_loss_set(t.loss, 0, XTR_EV_JOB_RUN, XTR_LOSS_FILTERED, 12), 0);
	cr_assert_eq(xtr_loss_set(t.loss, 1, XTR_EV_JOB_RUN, XTR_LOSS_FILTERED, 30), 0);
	cr_assert_eq(xtr_loss_set(t.loss, 1, XTR_EV_JOB_RUN, XTR_LOSS_RING_FULL, 7), 0);
	finish(true);
	cr_assert(xtr_budgeted_read(&b, s));
	cr_expect_eq(b.first, 1000000000);
	cr_expect_eq(b.last, 5500000000);
	cr_expect_eq(b.ns, 3000000000);
	cr_expect_eq(xtr_loss_n_losses(xtr_section_loss(s)), 1);
	says(false,
	     "BUDGET: recording was to cost at most 0.1000 % of the machine: from 1.000000000 to "
	     "5.500000000, 3.00 s in all, a sample or nothing was recorded; left out: 42. Figures are "
	     "of what was recorded; 'xtr dump -e xtr:budget' shows the steps.\n");
}

Test(budgeted, events_left_out_are_counted_by_type)
{
	uint64_t *n;

	budget(1000);
	cr_assert_eq(xtr_loss_set(t.loss, 0, XTR_EV_JOB_RUN, XTR_LOSS_FILTERED, 12), 0);
	cr_assert_eq(xtr_loss_set(t.loss, 1, XTR_EV_JOB_RUN, XTR_LOSS_FILTERED, 30), 0);
	cr_assert_eq(xtr_loss_set(t.loss, 1, XTR_EV_JOB_DONE, XTR_LOSS_WRITE, 7), 0);
	finish(true);
	n = xtr_budgeted_by_type(s);
	cr_assert_not_null(n);
	cr_expect_eq(n[XTR_EV_JOB_RUN], 42);
	cr_expect_eq(n[XTR_EV_JOB_DONE], 0);
	free(n);
}
