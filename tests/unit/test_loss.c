/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/meta/loss.h"
#include "format/meta/cbor.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Everything that is pending, to another account. Returns the number of payloads. */
static size_t hand_over(struct xtr_loss *from, struct xtr_loss *to)
{
	struct xtr_err err;
	size_t payloads = 0, n, bad;
	uint8_t *buf;

	for (;;) {
		cr_assert(eq(int, xtr_loss_encode(from, &buf, &n), 0));
		if (!n)
			return payloads;
		cr_assert(xtr_cbor_check(buf, n, &bad));
		cr_assert(eq(int, xtr_loss_merge(to, buf, n, &err), 0));
		free(buf);
		payloads++;
	}
}

Test(loss, totals_and_gaps_arrive)
{
	struct xtr_loss *l = xtr_loss_new(), *back = xtr_loss_new();
	struct xtr_gap late = { 2, 500, 600, 7 }, early = { 1, 100, 900, 3 };

	cr_assert(eq(int, xtr_loss_set(l, 1, 17, XTR_LOSS_RING_FULL, 10), 0));
	cr_assert(eq(int, xtr_loss_set(l, 1, 0, 0, 99), 0));
	cr_assert(eq(int, xtr_loss_set(l, 3, 17, XTR_LOSS_WRITE, 0), 0));
	cr_assert(eq(int, xtr_loss_add_gap(l, &late), 0));
	cr_assert(eq(int, xtr_loss_add_gap(l, &early), 0));
	cr_assert(eq(sz, hand_over(l, back), 1));
	cr_assert(eq(sz, xtr_loss_n_entries(back), 2), "a total of 0 is not written");
	cr_assert(eq(u64, xtr_loss_total(back), 10), "what was filtered is not lost");
	cr_assert(eq(sz, xtr_loss_n_gaps(back), 2));
	cr_assert(eq(u64, xtr_loss_gap_at(back, 0)->first, 100));
	cr_assert(eq(sz, hand_over(l, back), 0), "nothing has changed");
	cr_assert(eq(int, xtr_loss_set(l, 1, 17, XTR_LOSS_RING_FULL, 25), 0));
	cr_assert(eq(sz, hand_over(l, back), 1));
	cr_assert(eq(u64, xtr_loss_total(back), 25), "a later total replaces");
	cr_assert(eq(sz, xtr_loss_n_gaps(back), 2), "each gap is written once");
	xtr_loss_free(l);
	xtr_loss_free(back);
}

Test(loss, many_rows_take_several_payloads)
{
	struct xtr_loss *l = xtr_loss_new(), *back = xtr_loss_new();

	for (uint32_t i = 0; i < 20000; i++) {
		struct xtr_gap g = { i, 1000000 - i, 1000001, UINT64_MAX };

		cr_assert(eq(int, xtr_loss_set(l, i, 17, 1 + i % 5, UINT64_MAX - i), 0));
		if (i < 3000)
			cr_assert(eq(int, xtr_loss_add_gap(l, &g), 0));
	}
	cr_assert(gt(sz, hand_over(l, back), 2));
	cr_assert(eq(sz, xtr_loss_n_entries(back), 20000));
	cr_assert(eq(sz, xtr_loss_n_gaps(back), 3000));
	cr_assert(eq(u64, xtr_loss_total(back), UINT64_MAX), "the sum saturates");
	for (size_t i = 1; i < 3000; i++)
		cr_assert(le(u64, xtr_loss_gap_at(back, i - 1)->first,
			     xtr_loss_gap_at(back, i)->first));
	xtr_loss_free(l);
	xtr_loss_free(back);
}

Test(loss, a_gap_cannot_end_before_it_begins)
{
	struct xtr_loss *l = xtr_loss_new();
	struct xtr_gap g = { 1, 2, 1, 1 };
	struct xtr_err err;

	cr_assert(eq(int, xtr_loss_add_gap(l, &g), -EINVAL));
	cr_assert(eq(int,
		     xtr_loss_merge(l, (const uint8_t *)"\xa1\x64gaps\x81\x84\x01\x02\x01\x01", 12,
				    &err),
		     -EBADMSG));
	cr_assert(eq(int, err.problem, XTR_P_LOSS));
	cr_assert(zero(sz, xtr_loss_n_gaps(l)));
	xtr_loss_free(l);
}

Test(loss, causes_have_names)
{
	for (int c = 0; c < XTR_LOSS_CAUSE_COUNT; c++)
		cr_assert(gt(sz, strlen(xtr_loss_cause_name((enum xtr_loss_cause)c)), 0));
	cr_assert(eq(str, (char *)xtr_loss_cause_name(XTR_LOSS_NOT_RUN), "not-run"));
	cr_assert(eq(str, (char *)xtr_loss_cause_name((enum xtr_loss_cause)200), "unknown"));
	cr_assert(eq(str, (char *)xtr_loss_cause_name(XTR_LOSS_AGED), "aged"));
	cr_assert(gt(sz, strlen(xtr_loss_cause_help(XTR_LOSS_AGED)), 0));
}

Test(loss, a_copy_of_what_was_read_is_written_again)
{
	struct xtr_loss *l = xtr_loss_new(), *read = xtr_loss_new(), *copy, *back = xtr_loss_new();
	const struct xtr_gap gaps[] = { { 1, 100, 200, 1 },
					{ 2, 300, 400, 2 },
					{ 1, 500, 600, 3 } };

	cr_assert(eq(int, xtr_loss_set(l, 1, 17, XTR_LOSS_RING_FULL, 10), 0));
	cr_assert(eq(int, xtr_loss_set(l, 2, 0, 0, 4), 0));
	for (size_t i = 0; i < 3; i++)
		cr_assert(eq(int, xtr_loss_add_gap(l, &gaps[i]), 0));
	hand_over(l, read);
	cr_assert(eq(u64, xtr_loss_get(read, 1, 17, XTR_LOSS_RING_FULL), 10));
	cr_assert(eq(u64, xtr_loss_get(read, 1, 18, XTR_LOSS_RING_FULL), 0));
	copy = xtr_loss_copy(read, 200, 300);
	cr_assert(eq(sz, xtr_loss_n_gaps(copy), 2), "those that touch the window");
	cr_assert(eq(sz, hand_over(copy, back), 1));
	cr_assert(eq(sz, xtr_loss_n_entries(back), 2), "all totals");
	cr_assert(eq(u64, xtr_loss_total(back), 10));
	cr_assert(eq(sz, xtr_loss_n_gaps(back), 2));
	cr_assert(eq(u64, xtr_loss_gap_at(back, 1)->count, 2));
	xtr_loss_free(l);
	xtr_loss_free(read);
	xtr_loss_free(copy);
	xtr_loss_free(back);
}

Test(loss, gaps_of_the_same_time_are_in_order_of_stream_and_end)
{
	const struct xtr_gap gaps[] = {
		{ 2, 100, 300, 1 }, { 1, 100, 400, 2 }, { 1, 100, 200, 3 }, { 1, 50, 60, 4 }
	};
	const uint64_t want[] = { 4, 3, 2, 1 };
	struct xtr_loss *l = xtr_loss_new(), *back = xtr_loss_new();

	for (size_t i = 0; i < 4; i++)
		cr_assert(eq(int, xtr_loss_add_gap(l, &gaps[i]), 0));
	hand_over(l, back);
	for (size_t i = 0; i < 4; i++)
		cr_assert(eq(u64, xtr_loss_gap_at(back, i)->count, want[i]));
	cr_assert(eq(ptr, (void *)xtr_loss_gap_at(back, 4), NULL));
	cr_assert(eq(ptr, (void *)xtr_loss_entry_at(back, 0), NULL));
	xtr_loss_free(l);
	xtr_loss_free(back);
}

Test(loss, a_total_that_stays_is_not_written_again)
{
	struct xtr_loss *l = xtr_loss_new(), *back = xtr_loss_new();

	cr_assert(eq(int, xtr_loss_set(l, 1, 17, XTR_LOSS_RING_FULL, 10), 0));
	cr_assert(eq(sz, hand_over(l, back), 1));
	cr_assert(eq(int, xtr_loss_set(l, 1, 17, XTR_LOSS_RING_FULL, 10), 0));
	cr_assert(eq(sz, hand_over(l, back), 0));
	cr_assert(ne(ptr,
		     (void *)strstr(xtr_loss_cause_help((enum xtr_loss_cause)200), "later version"),
		     NULL));
	xtr_loss_free(l);
	xtr_loss_free(back);
}

Test(loss, what_is_aged_is_no_loss)
{
	struct xtr_loss *l = xtr_loss_new(), *back = xtr_loss_new();

	cr_assert(eq(int, xtr_loss_set(l, 1, 0, XTR_LOSS_AGED, 1000), 0));
	cr_assert(eq(int, xtr_loss_set(l, 2, 0, XTR_LOSS_AGED, 10), 0));
	cr_assert(eq(int, xtr_loss_set(l, 1, 0, XTR_LOSS_FILTERED, 7), 0));
	cr_assert(eq(int, xtr_loss_set(l, 1, 0, XTR_LOSS_WRITE, 3), 0));
	hand_over(l, back);
	cr_assert(eq(u64, xtr_loss_of(back, XTR_LOSS_AGED), 1010));
	cr_assert(eq(u64, xtr_loss_of(back, XTR_LOSS_FILTERED), 7));
	cr_assert(eq(u64, xtr_loss_get(back, 2, 0, XTR_LOSS_AGED), 10));
	cr_assert(eq(u64, xtr_loss_total(back), 3));
	cr_assert(xtr_loss_is_loss(XTR_LOSS_WRITE));
	cr_assert(not(xtr_loss_is_loss(XTR_LOSS_AGED)));
	cr_assert(not(xtr_loss_is_loss(XTR_LOSS_FILTERED)));
	xtr_loss_free(l);
	xtr_loss_free(back);
}

Test(loss, old_gaps_are_forgotten)
{
	struct xtr_loss *l = xtr_loss_new(), *back = xtr_loss_new();

	for (uint64_t i = 0; i < 10; i++)
		cr_assert(eq(int, xtr_loss_add_gap(l, &(struct xtr_gap){ 0, i, i + 5, 1 }), 0));
	hand_over(l, back);
	xtr_loss_drop_gaps(l, 10);
	cr_assert(eq(sz, xtr_loss_n_gaps(l), 5));
	cr_assert(eq(u64, xtr_loss_gap_at(l, 0)->first, 5));
	cr_assert(eq(int, xtr_loss_add_gap(l, &(struct xtr_gap){ 0, 3, 20, 1 }), 0));
	cr_assert(eq(u64, xtr_loss_gap_at(l, 0)->first, 3));
	xtr_loss_free(l);
	xtr_loss_free(back);
}
