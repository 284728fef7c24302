/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows, remembered things and rates: within bounds, and exact inside them. */
#include "analysis/core/rate.h"
#include "analysis/core/bounded_rows.h"

#include <criterion/criterion.h>

struct row {
	struct xtr_counted_row row;
	uint64_t bytes;
};

static struct row *row_of(struct xtr_counted *t, uint64_t a, uint64_t b)
{
	struct row *r;

	cr_assert(!xtr_counted_get(t, a, b, &r));
	return r;
}

Test(tally, rows_are_found_again_and_sorted)
{
	struct xtr_counted t;

	xtr_counted_init(&t, sizeof(struct row), 1000);
	for (uint64_t i = 0; i < 100; i++) {
		row_of(&t, i % 7, i % 3)->row.n++;
		row_of(&t, i % 7, i % 3)->bytes += i;
	}
	cr_expect(t.n == 21 && !t.left_out);
	xtr_counted_sort(&t);
	for (uint64_t i = 1; i < t.n; i++) {
		const struct row *x = xtr_counted_at(&t, (uint32_t)i - 1);
		const struct row *y = xtr_counted_at(&t, (uint32_t)i);

		cr_expect(x->row.n > y->row.n ||
			  (x->row.n == y->row.n &&
			   (x->row.a < y->row.a || (x->row.a == y->row.a && x->row.b < y->row.b))));
	}
	cr_expect(((struct row *)xtr_counted_at(&t, 0))->row.n == 5);
	xtr_counted_free(&t);
}

Test(tally, what_finds_no_room_is_counted)
{
	struct xtr_counted t;

	xtr_counted_init(&t, sizeof(struct row), 20);
	for (uint64_t i = 0; i < 20; i++)
		cr_assert(row_of(&t, i, ~i));
	for (uint64_t i = 20; i < 1000; i++)
		cr_assert(!row_of(&t, i, 0));
	cr_expect(row_of(&t, 3, ~3ull));
	cr_expect(t.n == 20 && t.left_out == 980);
	xtr_counted_free(&t);
}

struct thing {
	struct xtr_recent_entry e;
	uint64_t value;
};

Test(recent, the_oldest_is_forgotten)
{
	struct xtr_recent r;
	struct thing *one;

	cr_assert(!xtr_recent_init(&r, sizeof(struct thing), 8));
	for (uint64_t i = 0; i < 20; i++) {
		one = xtr_recent_victim(&r);
		cr_expect(i < 8 ? !one : one && one->value == i - 8);
		one = xtr_recent_add(&r, i, 7);
		cr_assert(one && !one->value);
		one->value = i;
	}
	for (uint64_t i = 0; i < 20; i++) {
		one = xtr_recent_get(&r, i, 7);
		cr_expect(i < 12 ? !one : one && one->value == i);
		cr_expect(!xtr_recent_get(&r, i, 8));
	}
	xtr_recent_forget(&r, xtr_recent_get(&r, 13, 7));
	cr_expect(!xtr_recent_get(&r, 13, 7));
	/* Its place is free, and another entry of the key can come. */
	one = xtr_recent_add(&r, 13, 7);
	cr_assert(one);
	cr_expect(xtr_recent_get(&r, 13, 7) == one);
	xtr_recent_free(&r);
	xtr_recent_free(&r);
}

Test(rate, the_busiest_window)
{
	struct xtr_rate r = { 0 };

	for (uint64_t i = 0; i < 5; i++)
		xtr_rate_add(&r, 1000 + i * XTR_RATE_WINDOW_NS);
	cr_expect(r.peak == 1 && r.peak_ns == 1000);
	for (uint64_t i = 0; i < 30; i++)
		xtr_rate_add(&r, 1000 + 7ull * XTR_RATE_WINDOW_NS + i);
	cr_expect(r.n == 35 && r.peak == 30 && xtr_rate_peak(&r) == 300);
	cr_expect(r.peak_ns == 1000 + 7ull * XTR_RATE_WINDOW_NS);
	cr_expect(xtr_rate_per_second(35, 700000000) == 50);
	cr_expect(xtr_rate_per_second(UINT64_MAX, XTR_NS_PER_S) == UINT64_MAX);
	cr_expect(xtr_rate_per_second(5, 0) == 0);
}
