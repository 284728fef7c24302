/* SPDX-License-Identifier: BSD-2-Clause */
/* Must be found to fail: a byte read behind the end. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

Test(selfcheck, overflow)
{
	volatile size_t n = 16;
	volatile char *p = malloc(n);

	cr_assert(ne(ptr, (void *)p, NULL));
	p[0] = p[n];
	free((void *)p);
}
