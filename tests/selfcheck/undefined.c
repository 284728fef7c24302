/* SPDX-License-Identifier: BSD-2-Clause */
/* Must be found to fail: signed overflow. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <limits.h>

Test(selfcheck, undefined)
{
	volatile int n = INT_MAX;

	n = n + 1;
	cr_assert(ne(int, n, 0));
}
