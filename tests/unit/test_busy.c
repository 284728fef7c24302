/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/core/agg.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static void add(struct xtr_busy *b, uint64_t start, uint64_t end)
{
	cr_assert(eq(int, xtr_busy_add(b, start, end), 0));
}

Test(busy, touching_nested_and_separate)
{
	struct xtr_busy b = { 0 };

	add(&b, 10, 20);
	cr_expect(eq(u64, b.total, 10));
	add(&b, 20, 25); /* touches */
	cr_expect(eq(u64, b.total, 15));
	add(&b, 30, 40); /* apart */
	cr_expect(eq(u64, b.total, 25));
	add(&b, 35, 40); /* within */
	cr_expect(eq(u64, b.total, 25));
	add(&b, 5, 50); /* over all */
	cr_expect(eq(u64, b.total, 45));
	cr_expect(eq(u32, b.n, 1));
	add(&b, 60, 60);
	cr_expect(eq(u64, b.total, 45));
	xtr_busy_free(&b);
}

/* Random intervals in order of end, but for those up to `late` earlier, against one byte for each
 * ns. */
static void against_bitmap(uint64_t late)
{
	enum {
		SPAN = 20000
	};
	static char map[SPAN];
	struct xtr_busy b = { 0 };
	uint64_t next = 100 + late, end, start, want = 0;

	srand(5);
	memset(map, 0, sizeof(map));
	for (uint64_t i = 0; i < 2000 && next < SPAN; i++) {
		end = late && i % 3 == 0 ? next - (uint64_t)rand() % late : next;
		start = end - (uint64_t)(rand() % (i % 2 ? 100 : 8));
		if (xtr_busy_full(&b))
			xtr_busy_forget(&b, next - 100 - late);
		add(&b, start, end);
		for (uint64_t k = start; k < end; k++)
			map[k] = 1;
		next += (uint64_t)(rand() % 20);
	}
	for (uint64_t k = 0; k < SPAN; k++)
		want += (uint64_t)map[k];
	cr_expect(eq(u64, b.total, want));
	cr_expect(eq(int, b.inexact, 0));
	xtr_busy_free(&b);
}

Test(busy, agrees_with_a_bitmap)
{
	against_bitmap(0);
}

Test(busy, takes_intervals_that_come_late)
{
	against_bitmap(60);
	against_bitmap(1000);
}

/* Some are told of late: they lie before others, between them, or over several. */
Test(busy, out_of_order_agrees_with_a_bitmap)
{
	enum {
		SPAN = 5000
	};
	static char map[SPAN];
	struct xtr_busy b = { 0 };
	uint64_t end = 500, start, last, want = 0;

	srand(6);
	memset(map, 0, sizeof(map));
	for (uint64_t i = 0; i < 1000 && end < SPAN; i++) {
		last = rand() % 4 ? end : end - (uint64_t)(rand() % 400);
		start = last - (uint64_t)(rand() % 30);
		add(&b, start, last);
		for (uint64_t k = start; k < last; k++)
			map[k] = 1;
		end += (uint64_t)(rand() % 40);
	}
	for (uint64_t k = 0; k < SPAN; k++)
		want += (uint64_t)map[k];
	cr_expect(eq(u64, b.total, want));
	xtr_busy_free(&b);
}

/* What only joins others needs no room, and forgets none. */
Test(busy, joining_needs_no_room)
{
	struct xtr_busy b = { 0 };
	uint64_t i;

	for (i = 0; i < XTR_BUSY_MAX; i++)
		add(&b, 10 * i, 10 * i + 5);
	cr_expect(eq(int, xtr_busy_full(&b), 1));
	add(&b, 10 * i - 5, 10 * i - 3); /* the last one goes on */
	add(&b, 12, 13);                 /* within the second one */
	add(&b, 5, 10);                  /* between the first two */
	cr_expect(eq(int, b.inexact, 0));
	cr_expect(eq(u64, b.total, XTR_BUSY_MAX * 5 + 2 + 5));
	xtr_busy_free(&b);
}

/* With no horizon to forget by, memory stays bounded and the total says that it may be high. */
Test(busy, bounded_memory)
{
	struct xtr_busy b = { 0 };

	for (uint64_t i = 0; i < 3 * XTR_BUSY_MAX; i++)
		add(&b, 10 * i, 10 * i + 5);
	cr_expect(le(u32, b.cap, XTR_BUSY_MAX));
	cr_expect(eq(int, b.inexact, 1));
	cr_expect(eq(u64, b.total, 3 * XTR_BUSY_MAX * 5));
	xtr_busy_free(&b);
}
