/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder/drain/starts.h"

#include <criterion/criterion.h>

#define AT 5000000000ull

Test(starts, what_both_engines_say_is_one_process)
{
	struct xtr_starts s = { .prune_at = 0 };

	cr_expect_eq(xtr_starts_of(&s, 7, AT, false), AT);
	cr_expect_eq(xtr_starts_of(&s, 7, AT + 4780, true), AT);
	cr_expect_eq(xtr_starts_of(&s, 7, AT, false), AT);
	cr_expect_eq(xtr_starts_of(&s, 7, AT + 4780, true), AT);
	cr_expect_eq(xtr_starts_of(&s, 8, AT - 9000000, true), AT - 9000000);
	cr_expect_eq(xtr_starts_of(&s, 8, AT, false), AT - 9000000);
	cr_expect_eq(xtr_starts_of(&s, 8, 0, false), 0, "not known stays so");
	xtr_starts_free(&s);
}

Test(starts, a_number_is_given_again)
{
	struct xtr_starts s = { .prune_at = 0 };

	cr_expect_eq(xtr_starts_of(&s, 7, AT, false), AT);
	cr_expect_eq(xtr_starts_of(&s, 7, AT + 10, true), AT);
	cr_expect_eq(xtr_starts_of(&s, 7, AT + 3000000, true), AT + 3000000, "soon");
	cr_expect_eq(xtr_starts_of(&s, 7, AT + 2999990, false), AT + 3000000);
	cr_expect_eq(xtr_starts_of(&s, 7, 2 * AT, false), 2 * AT);
	cr_expect_eq(xtr_starts_of(&s, 7, 2 * AT + XTR_STARTS_LATER + 1, true),
		     2 * AT + XTR_STARTS_LATER + 1);
	xtr_starts_free(&s);
}

Test(starts, those_that_are_gone_do_not_fill_memory)
{
	struct xtr_starts s = { .prune_at = 0 };

	/* Numbers that no process has (PID_MAX_LIMIT is 2^22). */
	for (uint32_t i = 0; i < 100000; i++)
		cr_assert_eq(xtr_starts_of(&s, 0x40000000u + i, 1 + i, true), 1 + i);
	cr_expect_leq(s.of.n, 32768 + 3);
	xtr_starts_free(&s);
}
