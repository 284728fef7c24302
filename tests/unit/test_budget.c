/* SPDX-License-Identifier: BSD-2-Clause */
/* The law of --budget, and how jobs are chosen. */
#include "recorder/drain/budget.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

Test(budget, a_share_is_given_as_with_sample)
{
	static const struct {
		const char *text;
		uint32_t ppm;
	} rows[] = {
		{ "0.5%", 5000 },     { "1/200", 5000 }, { "99.9%", 999000 }, { "0.0001%", 1 },
		{ "0.00000001%", 1 }, { "", 0 },         { "0%", 0 },         { "100%", 0 },
		{ "5", 0 },           { "-1%", 0 },      { "1/1", 0 },        { "half", 0 },
		{ "nan%", 0 },        { "0.5 %", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect(eq(u32, xtr_budget_parse(rows[i].text), rows[i].ppm), "'%s'",
			  rows[i].text);
}

Test(budget, what_is_no_share_is_refused_with_one_line)
{
	struct xtr_selection s = { 0 };
	struct xtr_record_err err = { 0 };

	cr_expect(zero(int, xtr_budget_apply(&s, NULL, &err)));
	cr_expect(zero(u32, s.budget));
	cr_expect(zero(int, xtr_budget_apply(&s, "0.1%", &err)));
	cr_expect(eq(u32, s.budget, 1000));
	cr_expect(eq(int, xtr_budget_apply(&s, "much", &err), -EINVAL));
	cr_expect(eq(int, err.kind, XTR_FAIL_USAGE));
	cr_expect(eq(str, err.what, "--budget: 'much' is not a share of the machine, such as 1%"));
}

static struct xtr_budget_law law(uint32_t ppm)
{
	struct xtr_budget_law b;

	xtr_budget_law_init(&b, ppm);
	return b;
}

Test(budget, what_costs_less_than_the_budget_is_recorded_in_full)
{
	struct xtr_budget_law b = law(5000);

	for (int i = 0; i < 1000; i++)
		cr_assert(zero(u32, xtr_budget_next(&b, (uint64_t)i * 5)));
	cr_assert(zero(u32, xtr_budget_next(&b, 5000)), "just the budget is in it");
}

Test(budget, one_interval_over_it_steps_down_as_far_as_halving_says)
{
	static const struct {
		uint64_t ppm;
		uint32_t level;
	} rows[] = {
		{ 5001, 1 },  { 10001, 1 },   { 10002, 2 },      { 40000, 3 },
		{ 80000, 4 }, { 1000000, 8 }, { UINT32_MAX, 8 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct xtr_budget_law b = law(5000);

		cr_expect(eq(u32, xtr_budget_next(&b, rows[i].ppm), rows[i].level), "%llu",
			  (unsigned long long)rows[i].ppm);
	}
}

Test(budget, counting_alone_comes_after_the_smallest_sample)
{
	struct xtr_budget_law b = law(1000);

	cr_expect(eq(u32, xtr_budget_next(&b, 900000), XTR_BUDGET_LAST));
	cr_expect(eq(u32, xtr_budget_next(&b, 1001), XTR_BUDGET_COUNTED));
	cr_expect(eq(u32, xtr_budget_next(&b, 1000000), XTR_BUDGET_COUNTED), "there is no less");
}

Test(budget, it_steps_up_by_one_after_some_quiet_looks)
{
	struct xtr_budget_law b = law(1000);

	xtr_budget_next(&b, 8000);
	cr_assert(eq(u32, b.level, 3));
	for (uint32_t level = 3; level; level--) {
		for (uint32_t i = 0; i + 1 < XTR_BUDGET_PATIENCE; i++)
			cr_assert(eq(u32, xtr_budget_next(&b, 499), level));
		cr_assert(eq(u32, xtr_budget_next(&b, 499), level - 1));
	}
	cr_assert(zero(u32, xtr_budget_next(&b, 0)));
}

Test(budget, looks_between_half_and_all_of_it_keep_the_level)
{
	struct xtr_budget_law b = law(1000);

	xtr_budget_next(&b, 3000);
	cr_assert(eq(u32, b.level, 2));
	for (uint32_t i = 0; i < 1000; i++)
		cr_assert(eq(u32, xtr_budget_next(&b, i % 3 ? 10 : 500), 2));
}

/* The load takes all of twice the budget: level 1 fits, level 0 never does. */
Test(budget, a_load_that_does_not_fit_is_tried_less_and_less_often)
{
	struct xtr_budget_law b = law(1000);
	uint32_t over = 0, late = 0;

	for (int i = 0; i < 2000; i++) {
		uint64_t cost = b.level ? 400 : 3000;

		over += cost > 1000;
		late += cost > 1000 && i >= 1000;
		xtr_budget_next(&b, cost);
	}
	cr_assert(gt(u32, over, 4), "it is tried");
	cr_assert(le(u32, late, 1000 / XTR_BUDGET_PATIENCE_MAX + 1), "%u of the last 1000", late);
	for (int i = 0; i < 1000; i++)
		xtr_budget_next(&b, 100);
	cr_assert(zero(u32, b.level), "it fits in the end");
	cr_assert(eq(u32, b.patience, XTR_BUDGET_PATIENCE), "and what was learnt is forgotten");
}

Test(budget, whatever_it_costs_the_level_is_one_of_those)
{
	struct xtr_budget_law b = law(1);
	uint64_t seed = 1;

	for (int i = 0; i < 100000; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		b.ppm = (uint32_t)(seed >> 20) % 1000000;
		xtr_budget_next(&b, seed >> 44);
		cr_assert(le(u32, b.level, XTR_BUDGET_COUNTED));
		cr_assert(le(u32, b.patience, XTR_BUDGET_PATIENCE_MAX));
	}
}

Test(budget, cost_is_a_share_of_all_cpus)
{
	struct xtr_recorder_cost c = { .elapsed_ns = 1000000000,
				       .cpu_ns = 1500000,
				       .bpf_run_cnt = 1000,
				       .bpf_timed_cnt = 4,
				       .bpf_run_ns = 500000 };

	cr_expect(eq(u64, xtr_budget_ppm(&c, 1, 7), 2000));
	cr_expect(eq(u64, xtr_budget_ppm(&c, 4, 7), 500));
	c.bpf_timed_cnt = c.bpf_run_ns = 0;
	cr_expect(eq(u64, xtr_budget_ppm(&c, 1, 500), 2000), "none was timed: the mean so far");
	c.cpu_ns = UINT64_MAX;
	cr_expect(eq(u64, xtr_budget_ppm(&c, 1, UINT64_MAX), UINT32_MAX));
	c.elapsed_ns = 0;
	cr_expect(zero(u64, xtr_budget_ppm(&c, 1, 500)));
}

Test(budget, what_a_level_takes_every_level_before_it_takes)
{
	for (uint64_t job = 0; job < 50000; job++) {
		uint32_t hash = xtr_budget_hash(7 + job % 13, job / 13);

		cr_assert(eq(int, xtr_budget_takes(0, hash), 1));
		cr_assert(zero(int, xtr_budget_takes(XTR_BUDGET_COUNTED, hash)));
		for (uint32_t level = 1; level <= XTR_BUDGET_COUNTED; level++)
			cr_assert(le(int, xtr_budget_takes(level, hash),
				     xtr_budget_takes(level - 1, hash)));
	}
}

/* Contexts with numbers that follow each other, each with jobs in order: what drivers make. */
Test(budget, a_level_takes_its_share_of_jobs_whatever_their_numbers)
{
	for (uint32_t level = 1; level <= XTR_BUDGET_LAST; level++) {
		uint32_t taken = 0, n = 1u << 18, want = n >> level;

		for (uint32_t job = 0; job < n; job++)
			taken += (uint32_t)xtr_budget_takes(
				level, xtr_budget_hash(1000 + job % 64, job / 64));
		cr_assert(gt(u32, taken, want - want / 8 - 60), "%u of %u", taken, n);
		cr_assert(lt(u32, taken, want + want / 8 + 60), "%u of %u", taken, n);
	}
}

Test(budget, the_low_half_of_the_numbers_is_enough)
{
	cr_assert(eq(u32, xtr_budget_hash(5, 9), xtr_budget_hash(5, 9 + (1ull << 32))));
	cr_assert(eq(u32, xtr_budget_hash(5, 9), xtr_budget_hash(5 + (3ull << 32), 9)));
	cr_assert(eq(u32, xtr_budget_hash(0, 0), 0));
	cr_assert(eq(u32, xtr_budget_hash(1, 1), 3234529030u), "see spec/events.md");
	cr_assert(eq(u32, xtr_budget_hash(5, 9), 521553812));
}
