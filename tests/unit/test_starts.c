/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder/drain/starts.h"

#include <criterion/criterion.h>

Test(starts, what_is_near_is_the_same_process)
{
	struct xtr_starts s = { .prune_at = 0 };
	uint64_t at = 5000000000ull;

	cr_expect_eq(xtr_starts_first(&s, 7, at), at);
	cr_expect_eq(xtr_starts_first(&s, 7, at + 4780), at);
	cr_expect_eq(xtr_starts_first(&s, 7, at - 10000000), at);
	cr_expect_eq(xtr_starts_first(&s, 8, at + 4780), at + 4780);
	cr_expect_eq(xtr_starts_first(&s, 7, at + XTR_STARTS_NEAR), at + XTR_STARTS_NEAR);
	cr_expect_eq(xtr_starts_first(&s, 7, at + XTR_STARTS_NEAR + 1), at + XTR_STARTS_NEAR);
	cr_expect_eq(xtr_starts_first(&s, 7, 0), 0, "not known stays so");
	xtr_starts_free(&s);
}

Test(starts, those_that_are_gone_do_not_fill_memory)
{
	struct xtr_starts s = { .prune_at = 0 };

	/* Numbers that no process has (PID_MAX_LIMIT is 2^22). */
	for (uint32_t i = 0; i < 100000; i++)
		cr_assert_eq(xtr_starts_first(&s, 0x40000000u + i, 1 + i), 1 + i);
	cr_expect_leq(s.by_pid.n, 16384);
	xtr_starts_free(&s);
}
