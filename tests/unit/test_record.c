/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/codec/record.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

enum {
	N = 5000,
	SIZE = 24
};

static void fill(uint8_t *recs, uint32_t n, uint64_t range)
{
	uint64_t seed = 5;

	for (uint32_t i = 0; i < n; i++) {
		trace_record(recs + i * SIZE, &seed, trace_random(&seed, range), 16, SIZE);
		xtr_put_le64(recs + i * SIZE + 16, i); /* where it stood */
	}
}

Test(record, check_gives_the_span)
{
	struct xtr_rec_span span;
	uint8_t recs[3 * SIZE];
	uint64_t seed = 1;

	trace_record(recs, &seed, 5, 16, SIZE);
	trace_record(recs + SIZE, &seed, 9, 16, SIZE);
	trace_record(recs + 2 * SIZE, &seed, 7, 16, SIZE);
	cr_assert(xtr_records_check(recs, sizeof(recs), 3, &span));
	cr_assert(eq(u64, span.ts_min, 5));
	cr_assert(eq(u64, span.ts_max, 9));
	cr_assert(not(span.sorted));
	cr_assert(xtr_records_check(recs, 2 * SIZE, 2, &span));
	cr_assert(span.sorted);
	cr_assert(xtr_records_check(recs, 0, 0, &span));
	cr_assert(eq(u64, span.ts_min, 0));
}

Test(record, wrong_sizes_and_counts_are_refused)
{
	struct xtr_rec_span span;
	uint8_t recs[2 * SIZE];
	const uint16_t sizes[] = { 0, 8, 15, 17, 23, 25, 32, 65535 };

	fill(recs, 2, 10);
	cr_assert(not(xtr_records_check(recs, sizeof(recs), 1, &span)));
	cr_assert(not(xtr_records_check(recs, sizeof(recs), 3, &span)));
	for (size_t n = 0; n < sizeof(recs); n++)
		cr_assert(not(xtr_records_check(recs, n, 2, &span)), "cut at %zu", n);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		xtr_put_le16(recs + SIZE + 10, sizes[i]);
		cr_assert(not(xtr_records_check(recs, sizeof(recs), 2, &span)), "size %u",
			  sizes[i]);
	}
}

static void check_sorted(uint64_t range)
{
	uint8_t *recs = malloc(N * SIZE), *out = malloc(N * SIZE);
	struct xtr_sorter s = { 0 };
	uint64_t places = 0;

	fill(recs, N, range);
	cr_assert(eq(int, xtr_records_sort(&s, recs, N, out), 0));
	for (uint32_t i = 0; i < N; i++) {
		const uint8_t *r = out + i * SIZE, *before = r - SIZE;

		places += xtr_le64(r + 16);
		if (!i)
			continue;
		cr_assert(le(u64, xtr_rec_ts(before), xtr_rec_ts(r)));
		if (xtr_rec_ts(before) == xtr_rec_ts(r))
			cr_assert(lt(u64, xtr_le64(before + 16), xtr_le64(r + 16)));
	}
	cr_assert(eq(u64, places, (uint64_t)N * (N - 1) / 2));
	xtr_sorter_free(&s);
	free(recs);
	free(out);
}

Test(record, sorting_is_right_and_stable)
{
	check_sorted(10);
	check_sorted(1u << 30);
	check_sorted(1);
}
