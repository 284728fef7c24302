/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(varint, what_is_written_is_read)
{
	uint8_t buf[XTR_VARINT_MAX];
	uint64_t seed = 1;

	for (int i = 0; i < 10000; i++) {
		uint64_t v = trace_random(&seed, UINT64_MAX) << trace_random(&seed, 20) >>
			     trace_random(&seed, 64);
		uint64_t back = ~v;
		const uint8_t *end = xtr_varint_put(buf, v);

		cr_assert(eq(ptr, (void *)xtr_varint_get(buf, end, &back), (void *)end));
		cr_assert(eq(u64, back, v));
		cr_assert(eq(ptr, (void *)xtr_varint_get(buf, end - 1, &back), NULL));
	}
}

Test(varint, largest_number_takes_ten_bytes)
{
	uint8_t buf[XTR_VARINT_MAX];
	uint64_t v = 0;

	cr_assert(eq(sz, (size_t)(xtr_varint_put(buf, UINT64_MAX) - buf), 10));
	cr_assert(ne(ptr, (void *)xtr_varint_get(buf, buf + 10, &v), NULL));
	cr_assert(eq(u64, v, UINT64_MAX));
	buf[9] = 2; /* bit 64 */
	cr_assert(eq(ptr, (void *)xtr_varint_get(buf, buf + 10, &v), NULL));
}

Test(varint, only_the_shortest_form_is_read)
{
	const uint8_t zero[] = { 0x80, 0x00 }, one[] = { 0x81, 0x80, 0x00 };
	const uint8_t eleven[] = {
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01
	};
	uint64_t v;

	cr_assert(eq(ptr, (void *)xtr_varint_get(zero, zero + 2, &v), NULL));
	cr_assert(eq(ptr, (void *)xtr_varint_get(one, one + 3, &v), NULL));
	cr_assert(eq(ptr, (void *)xtr_varint_get(eleven, eleven + 11, &v), NULL));
}

Test(varint, zigzag_goes_both_ways)
{
	const int64_t values[] = { 0, -1, 1, -2, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX };

	cr_assert(eq(u64, xtr_zigzag(-1), 1));
	cr_assert(eq(u64, xtr_zigzag(1), 2));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		cr_assert(eq(i64, (int64_t)xtr_unzigzag(xtr_zigzag(values[i])), values[i]));
}

/* Any bytes: the two ways read the same number, or none. */
Test(varint, the_wide_way_reads_what_the_long_one_does)
{
	uint64_t seed = 9, numbers = 0;

	for (int i = 0; i < 200000; i++) {
		uint64_t len = trace_random(&seed, 12), want = 0, got = 0;
		const uint8_t *end, *got_end;
		uint8_t buf[24];

		for (size_t k = 0; k < sizeof(buf); k++)
			buf[k] = (uint8_t)(trace_random(&seed, 256) | (k < len ? 0x80 : 0));
		if (len < sizeof(buf) && trace_random(&seed, 2))
			buf[len] = (uint8_t)trace_random(&seed, 3);
		end = xtr_varint_get_long(buf, buf + sizeof(buf), &want);
		got_end = xtr_varint_get_wide(buf, buf + sizeof(buf), &got);
		cr_assert(eq(ptr, (void *)got_end, (void *)end));
		numbers += end != NULL;
		if (end)
			cr_assert(eq(u64, got, want));
	}
	cr_assert(gt(u64, numbers, 50000));
}
