/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of kinds, qualities and flags of jobs, which are read by other programs. */
#include "replay/model/job.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* All names there are, until one is NULL or "?"; each is different. */
static unsigned int count(const char *(*name)(unsigned int))
{
	unsigned int n = 0;

	for (; name(n) && strcmp(name(n), "?") != 0; n++) {
		cr_assert(gt(sz, strlen(name(n)), 1));
		cr_assert(eq(sz, strspn(name(n), "abcdefghijklmnopqrstuvwxyz-"), strlen(name(n))));
		for (unsigned int i = 0; i < n; i++)
			cr_assert(ne(str, (char *)name(i), (char *)name(n)));
	}
	return n;
}

Test(job, every_kind_and_quality_has_a_name)
{
	cr_assert(eq(u32, count(xtr_job_kind_name), XTR_KIND_COUNT));
	cr_assert(eq(u32, count(xtr_quality_name), XTR_QUALITY_COUNT));
	cr_expect(eq(str, (char *)xtr_job_kind_name(XTR_KIND_COUNT), "?"));
	cr_expect(eq(str, (char *)xtr_quality_name(XTR_QUALITY_COUNT), "?"));
	cr_expect(eq(str, (char *)xtr_quality_help(XTR_QUALITY_COUNT), "?"));
	for (unsigned int i = 0; i < XTR_QUALITY_COUNT; i++)
		cr_expect(gt(sz, strlen(xtr_quality_help(i)), strlen(xtr_quality_name(i))));
}

Test(job, every_flag_has_a_name_and_an_explanation)
{
	unsigned int n = count(xtr_job_flag_name);

	cr_assert(gt(u32, n, 0));
	cr_expect(eq(str, (char *)xtr_job_flag_name((unsigned int)__builtin_ctz(XTR_FLAG_LATE)),
		     "late"));
	for (unsigned int i = 0; i < n; i++)
		cr_expect(gt(sz, strlen(xtr_job_flag_help(i)), 5), "%u", i);
	cr_expect(eq(ptr, (void *)xtr_job_flag_name(32), NULL));
	cr_expect(eq(ptr, (void *)xtr_job_flag_help(n), NULL));
}
