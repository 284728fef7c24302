/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder/drain/budget.h"

#include <criterion/criterion.h>

Test(own_cost, only_what_was_spent_in_between_counts)
{
	const struct xtr_own_cost before = {
		.at = 1000, .cpu = 50, .runs = 256, .timed = 1, .timed_ns = 300
	};
	const struct xtr_own_cost now = {
		.at = 5000, .cpu = 90, .runs = 1280, .timed = 5, .timed_ns = 900
	};
	struct xtr_recorder_cost cost = { .ring_bytes = 7, .ring_high = 8 };

	xtr_own_cost_between(&cost, &before, &now);
	cr_assert_eq(cost.elapsed_ns, 4000);
	cr_assert_eq(cost.cpu_ns, 40);
	cr_assert_eq(cost.bpf_run_cnt, 1024);
	cr_assert_eq(cost.bpf_timed_cnt, 4);
	cr_assert_eq(cost.bpf_run_ns, 150 * 1024, "the mean of those timed, for each run");
	cr_assert_eq(cost.ring_bytes, 7);
	cr_assert_eq(cost.ring_high, 8);
}

Test(own_cost, nothing_timed_is_not_measured)
{
	const struct xtr_own_cost before = { .runs = 300 }, now = { .runs = 310 };
	struct xtr_recorder_cost cost = { .bpf_run_ns = 1 };

	xtr_own_cost_between(&cost, &before, &now);
	cr_assert_eq(cost.bpf_run_cnt, 10);
	cr_assert_eq(cost.bpf_run_ns, 0);
}

Test(own_cost, a_year_of_events_does_not_overflow)
{
	const struct xtr_own_cost before = { 0 };
	const struct xtr_own_cost now = { .runs = 1ull << 50,
					  .timed = 1ull << 42,
					  .timed_ns = 1ull << 50 };
	struct xtr_recorder_cost cost = { 0 };

	xtr_own_cost_between(&cost, &before, &now);
	cr_assert_eq(cost.bpf_run_ns, 1ull << 58);
}

Test(own_cost, is_the_sum_over_the_cpus)
{
	struct xtr_cpu cpus[3] = { { .runs = 1, .timed = 1, .timed_ns = 10 },
				   { 0 },
				   { .runs = 5, .timed = 2, .timed_ns = 30, .timed_out = 9 } };
	const struct xtr_bpf b = { .n_cpus = 3, .cpus = cpus };
	struct xtr_own_cost c, later;

	xtr_own_cost_now(&c, &b);
	xtr_own_cost_now(&later, &b);
	cr_assert_eq(c.runs, 6);
	cr_assert_eq(c.timed, 3);
	cr_assert_eq(c.timed_ns, 40);
	cr_assert_gt(c.at, 0);
	cr_assert_geq(later.at, c.at);
	cr_assert_geq(later.cpu, c.cpu);
}
