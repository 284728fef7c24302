/* SPDX-License-Identifier: BSD-2-Clause */
/* Must be found to fail: a wrong value. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(selfcheck, assertion)
{
	cr_assert(eq(int, 1 + 1, 3));
}
