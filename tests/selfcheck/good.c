/* SPDX-License-Identifier: BSD-2-Clause */
/* The one program here that must pass: else the others would fail for the wrong reason. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(selfcheck, good)
{
	cr_assert(eq(int, 1 + 1, 2));
}
