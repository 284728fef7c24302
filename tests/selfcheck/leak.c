/* SPDX-License-Identifier: BSD-2-Clause */
/* Must be found to fail: memory that nothing points to any more. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static void *volatile kept;

Test(selfcheck, leak)
{
	kept = malloc(100);
	cr_assert(ne(ptr, kept, NULL));
	kept = NULL;
}
