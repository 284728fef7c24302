/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

enum {
	KEYS = 500
};

Test(map, agrees_with_an_array_over_random_operations)
{
	uint64_t want[KEYS] = { 0 }, seed = 3;
	struct xtr_map m = { 0 };
	size_t n = 0;

	for (int i = 0; i < 200000; i++) {
		uint64_t k = trace_random(&seed, KEYS), *got = xtr_map_get(&m, k, k % 7);

		cr_assert(eq(u64, got ? *got : 0, want[k]));
		if (trace_random(&seed, 2)) {
			n += !want[k];
			want[k] = 1 + trace_random(&seed, 1000);
			cr_assert(eq(int, xtr_map_put(&m, k, k % 7, want[k]), 0));
		} else {
			cr_assert(eq(int, xtr_map_del(&m, k, k % 7), want[k] != 0));
			n -= want[k] != 0;
			want[k] = 0;
		}
		cr_assert(eq(sz, m.n, n));
	}
	xtr_map_free(&m);
}

Test(map, both_halves_of_a_key_count)
{
	struct xtr_map m = { 0 };

	cr_assert(eq(int, xtr_map_put(&m, 1, 2, 10), 0));
	cr_assert(eq(int, xtr_map_put(&m, 2, 1, 20), 0));
	cr_assert(eq(u64, *xtr_map_get(&m, 1, 2), 10));
	cr_assert(eq(u64, *xtr_map_get(&m, 2, 1), 20));
	cr_assert(eq(ptr, xtr_map_get(&m, 1, 1), NULL));
	xtr_map_free(&m);
}

Test(map, an_index_is_given_or_none)
{
	struct xtr_map m = { 0 };

	cr_assert(eq(u32, xtr_map_index(&m, 1, 2), XTR_MAP_NONE));
	cr_assert(not(xtr_map_del(&m, 1, 2)));
	cr_assert(eq(int, xtr_map_put(&m, 1, 2, 3), 0));
	cr_assert(eq(int, xtr_map_put(&m, 1, 2, 4), 0));
	cr_assert(eq(sz, m.n, 1));
	cr_assert(eq(u32, xtr_map_index(&m, 1, 2), 4));
	cr_assert(eq(u32, xtr_map_index(&m, 2, 1), XTR_MAP_NONE));
	xtr_map_free(&m);
}

Test(map, any_number_may_be_a_value)
{
	struct xtr_map m = { 0 }, copy = { 0 };

	cr_assert(eq(int, xtr_map_put(&m, UINT64_MAX, UINT64_MAX, UINT64_MAX), 0));
	cr_assert(eq(int, xtr_map_put(&m, 0, 0, 0), 0));
	cr_assert(eq(int, xtr_map_copy(&copy, &m), 0));
	xtr_map_free(&m);
	cr_assert(eq(u64, *xtr_map_get(&copy, UINT64_MAX, UINT64_MAX), UINT64_MAX));
	cr_assert(eq(u64, *xtr_map_get(&copy, 0, 0), 0));
	cr_assert(eq(ptr, xtr_map_get(&copy, 0, 1), NULL));
	xtr_map_free(&copy);
}

Test(map, one_that_is_full_forgets_all)
{
	struct xtr_map m = { 0 };

	for (uint64_t i = 0; i < 3; i++)
		cr_assert(eq(int, xtr_map_put_most(&m, 3, i, 0, i), 0));
	cr_expect(eq(sz, m.n, 3));
	cr_assert(eq(int, xtr_map_put_most(&m, 3, 7, 0, 70), 0));
	cr_expect(eq(sz, m.n, 1));
	cr_expect(eq(u64, *xtr_map_get(&m, 7, 0), 70));
	cr_expect(xtr_map_get(&m, 0, 0) == NULL);
	xtr_map_free(&m);
}

Test(map, walking_gives_each_entry_once)
{
	struct xtr_map m = { 0 };
	const struct xtr_map_slot *s;
	uint64_t sum = 0;
	size_t i = 0, n = 0;

	for (uint64_t k = 1; k <= 1000; k++)
		cr_assert(eq(int, xtr_map_put(&m, k, 0, k), 0));
	while ((s = xtr_map_next(&m, &i))) {
		sum += s->value;
		n++;
	}
	cr_assert(eq(sz, n, 1000));
	cr_assert(eq(u64, sum, 500500));
	xtr_map_free(&m);
}

Test(map, hash_of_bytes_sees_length_and_content)
{
	cr_assert(eq(u64, xtr_hash_bytes("abc", 3), xtr_hash_bytes("abc", 3)));
	cr_assert(ne(u64, xtr_hash_bytes("abc", 3), xtr_hash_bytes("abd", 3)));
	cr_assert(ne(u64, xtr_hash_bytes("abc\0", 4), xtr_hash_bytes("abc", 3)));
}
