/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest jobs, against sorting them all. */
#include "trace.h"
#include "converters/out/core/top.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define JOBS 3000u

struct one {
	struct xtr_job job;
	size_t section;
};

static struct one all[JOBS];

/* Longest first, of equal ones the first of the file. */
static int by_rank(const void *va, const void *vb)
{
	const struct one *a = va, *b = vb;

	if (a->job.exec_max_ns != b->job.exec_max_ns)
		return a->job.exec_max_ns > b->job.exec_max_ns ? -1 : 1;
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return a->job.done_ns < b->job.done_ns ? -1 : a->job.done_ns > b->job.done_ns;
}

/* Jobs of three sections in order of done; few lengths, so that many are equal. */
static void fill(uint64_t seed, uint64_t lengths)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		struct xtr_job *j = &all[i].job;

		all[i].section = i / (JOBS / 3);
		*j = (struct xtr_job){ .ctx = 1 + trace_random(&seed, 3),
				       .seqno = trace_random(&seed, 50), /* used again */
				       .run_ns = 1,
				       .done_ns = 1000 + i };
		j->exec_max_ns = trace_random(&seed, lengths);
		if (!trace_random(&seed, 10))
			j->run_ns = 0; /* length not known */
	}
}

static void check(size_t most)
{
	struct xtr_top t = { .most = most };
	size_t n = 0;

	for (size_t i = 0; i < JOBS; i++)
		cr_assert(!xtr_top_add(&t, all[i].section, &all[i].job));
	for (size_t i = 0; i < JOBS; i++)
		if (all[i].job.run_ns)
			all[n++] = all[i];
	qsort(all, n, sizeof(all[0]), by_rank);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(xtr_top_has(&t, all[i].section, &all[i].job), i < most,
			     "job %zu of %zu, %zu wanted", i, n, most);
	all[0].section += 3;
	cr_expect(!xtr_top_has(&t, all[0].section, &all[0].job));
	xtr_top_free(&t);
	cr_expect(t.n == 0 && t.job == NULL);
}

Test(top, the_longest)
{
	static const size_t most[] = { 1, 2, 7, 100, 1000, JOBS, 2 * JOBS };

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		fill(i, 1u << 30);
		check(most[i]);
		fill(i, 20);
		check(most[i]);
		fill(i, 1);
		check(most[i]);
	}
}

Test(top, none_is_wanted_or_known)
{
	struct xtr_top t = { 0 };
	struct xtr_job j = { .run_ns = 1, .done_ns = 5, .exec_max_ns = 4 };

	cr_expect(!xtr_top_add(&t, 0, &j));
	cr_expect(!xtr_top_has(&t, 0, &j));
	t.most = 3;
	j.done_ns = 0;
	cr_expect(!xtr_top_add(&t, 0, &j));
	cr_expect(!xtr_top_has(&t, 0, &j));
	xtr_top_free(&t);
}
