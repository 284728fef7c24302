/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/model/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void add(struct xtr_ends *e, uint64_t ns)
{
	const struct xtr_end end = { ns, { 1, ns }, false };

	xtr_ends_add(e, &end);
}

static uint64_t before(const struct xtr_ends *e, uint64_t ns)
{
	const struct xtr_end *end = xtr_ends_before(e, ns);

	if (end)
		cr_expect(eq(u64, end->job.seqno, end->ns));
	return end ? end->ns : 0;
}

Test(ends, none)
{
	struct xtr_ends e = { 0 };

	cr_expect(eq(u64, xtr_ends_last(&e)->ns, 0));
	cr_expect(eq(u64, before(&e, UINT64_MAX), 0));
	cr_expect(eq(int, e.forgotten, 0));
}

Test(ends, in_order_and_between)
{
	struct xtr_ends e = { 0 };

	add(&e, 10);
	add(&e, 30);
	add(&e, 20); /* comes late */
	cr_expect(eq(u64, xtr_ends_last(&e)->ns, 30));
	cr_expect(eq(u64, before(&e, 29), 20));
	cr_expect(eq(u64, before(&e, 20), 20));
	cr_expect(eq(u64, before(&e, 19), 10));
	cr_expect(eq(u64, before(&e, 9), 0));
	add(&e, 5);
	cr_expect(eq(u64, before(&e, 9), 5));
	cr_expect(eq(int, e.forgotten, 0));
}

/* Any order: what is kept are the latest ones. */
Test(ends, keeps_the_latest)
{
	struct xtr_ends e = { 0 };
	uint64_t want;

	for (uint64_t i = 0; i < 1000; i++)
		add(&e, 1 + i * 7919 % 1000);
	cr_expect(eq(int, e.forgotten, 1));
	for (want = 1000; want > 1000 - XTR_ENDS_KEPT; want--)
		cr_expect(eq(u64, before(&e, want), want));
	cr_expect(eq(u64, before(&e, want), 0));
	add(&e, 3); /* before all that are kept */
	cr_expect(eq(u64, before(&e, want), 0));
	cr_expect(eq(u64, xtr_ends_last(&e)->ns, 1000));
}
