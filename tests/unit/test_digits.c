/* SPDX-License-Identifier: BSD-2-Clause */
/* What printf writes. */
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void expect_digits(uint64_t v)
{
	char got[XTR_DIGITS_MAX + 1], want[XTR_DIGITS_MAX + 1];

	*xtr_digits_put(got, v) = '\0';
	snprintf(want, sizeof(want), "%" PRIu64, v);
	cr_expect(eq(str, got, want));
	cr_expect(eq(uint, xtr_digits_count(v), (unsigned int)strlen(want)));
}

Test(digits, around_each_power_of_ten)
{
	uint64_t v = 1;

	expect_digits(0);
	for (unsigned int i = 0; i < XTR_DIGITS_MAX; i++, v *= 10) {
		expect_digits(v - 1);
		expect_digits(v);
		expect_digits(v + 1);
	}
	expect_digits(UINT64_MAX);
}

Test(digits, around_each_power_of_two)
{
	for (unsigned int i = 0; i < 64; i++) {
		expect_digits((1ull << i) - 1);
		expect_digits(1ull << i);
		expect_digits((1ull << i) + 1);
	}
}

Test(digits, with_zeros_in_front)
{
	const uint64_t v = 9876543210123456789ull;
	char got[XTR_DIGITS_MAX + 1], want[XTR_DIGITS_MAX + 1];
	uint64_t all = 1;

	for (unsigned int n = 1; n < XTR_DIGITS_MAX; n++) {
		all *= 10;
		*xtr_digits_padded(got, v, n) = '\0';
		snprintf(want, sizeof(want), "%0*" PRIu64, (int)n, v % all);
		cr_expect(eq(str, got, want));
		*xtr_digits_padded(got, 7, n) = '\0';
		snprintf(want, sizeof(want), "%0*d", (int)n, 7);
		cr_expect(eq(str, got, want));
	}
	*xtr_digits_padded(got, 7, 0) = '\0';
	cr_expect(eq(str, got, ""));
}
