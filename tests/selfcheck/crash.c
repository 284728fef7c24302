/* SPDX-License-Identifier: BSD-2-Clause */
/* Must be found to fail: a crash. */
#include <criterion/criterion.h>
#include <stdlib.h>

Test(selfcheck, crash)
{
	abort();
}
