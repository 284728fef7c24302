/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of a row group's rows, beside a plain stable sort. */
#include "converters/out/tables/parquet_file.h"
#include "oom.h"
#include "random.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 3000u

static struct xtr_parquet_file f;

static void begin(void)
{
	f = (struct xtr_parquet_file){ .sorted_by = 0 };
}

static void end(void)
{
	xtr_parquet_free(&f);
}

TestSuite(parquet_order, .init = begin, .fini = end);

/* As the format orders it: signed, what is not known comes last, equal ones as they came. */
static int by_cell(const void *a, const void *b)
{
	const struct xtr_parquet_column *c = &f.column[0];
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int64_t v = (int64_t)c->v[i], w = (int64_t)c->v[k];

	if (c->known[i] != c->known[k])
		return c->known[i] ? -1 : 1;
	if (c->known[i] && v != w)
		return v < w ? -1 : 1;
	return i < k ? -1 : i > k;
}

static void expect_ordered(const char *what)
{
	const struct xtr_parquet_column *c = &f.column[0];
	uint32_t *want = malloc(c->n * sizeof(*want));
	const uint32_t *have;
	bool sorted = true;

	cr_assert_eq(xtr_parquet_order(&f, &have), 0);
	cr_assert(want && c->n && !c->same);
	for (uint32_t i = 0; i < c->n; i++)
		want[i] = i;
	qsort(want, c->n, sizeof(*want), by_cell);
	for (uint32_t i = 0; i < c->n; i++)
		sorted = sorted && want[i] == i;
	cr_expect_eq(!have, sorted, "%s: an order if there must be one", what);
	cr_expect(!have || !memcmp(have, want, c->n * sizeof(*want)), "%s", what);
	free(want);
}

/* Numbers of so many bits, of which one in `unknown` is not known; 0: all are. */
static void fill(uint64_t *state, unsigned int width, uint64_t add, uint32_t unknown, uint32_t n)
{
	uint64_t mask = width ? UINT64_MAX >> (64 - width) : 0;

	xtr_parquet_column(&f, "time", XTR_PARQUET_TIME, false);
	for (uint32_t i = 0; i < n; i++)
		if (unknown && random_u64(state) % unknown == 0)
			cr_assert_eq(xtr_parquet_add_null(&f.column[0]), 0);
		else
			cr_assert_eq(xtr_parquet_add_number(&f.column[0],
							    add + (random_u64(state) & mask)),
				     0);
}

Test(parquet_order, numbers_of_every_width)
{
	static const uint64_t from[] = { 0, 1, (uint64_t)1 << 63, UINT64_MAX - 5,
					 1794711000000000000 };
	uint64_t state = 1;
	char what[64];

	for (unsigned int width = 1; width <= 64; width++)
		for (size_t i = 0; i < 2 * sizeof(from) / sizeof(from[0]); i++) {
			begin();
			fill(&state, width, from[i / 2], i % 2 ? 3 : 0, 300);
			snprintf(what, sizeof(what), "%u bits from %#llx", width,
				 (unsigned long long)from[i / 2]);
			expect_ordered(what);
			end();
		}
}

Test(parquet_order, the_ends_of_all_numbers)
{
	static const uint64_t ends[] = { INT64_MAX, (uint64_t)INT64_MIN, 0, UINT64_MAX };

	xtr_parquet_column(&f, "time", XTR_PARQUET_TIME, false);
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(xtr_parquet_add_number(&f.column[0], ends[i]), 0);
	expect_ordered("known");
	end();
	begin();
	xtr_parquet_column(&f, "time", XTR_PARQUET_TIME, false);
	cr_assert_eq(xtr_parquet_add_null(&f.column[0]), 0);
	for (size_t i = 1; i < 4; i++)
		cr_assert_eq(xtr_parquet_add_number(&f.column[0], ends[i]), 0);
	expect_ordered("not known");
}

Test(parquet_order, no_row_of_them_is_known)
{
	const uint32_t *order = &(uint32_t){ 0 };

	xtr_parquet_column(&f, "time", XTR_PARQUET_TIME, false);
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(xtr_parquet_add_null(&f.column[0]), 0);
	cr_expect_eq(xtr_parquet_order(&f, &order), 0);
	cr_expect_null(order);
}

Test(parquet_order, no_memory)
{
	const uint32_t *order;
	uint64_t state = 7;

	fill(&state, 40, 0, 9, ROWS);
	for (unsigned int n = 1; n <= 2; n++) {
		oom_at(n, false);
		cr_expect_eq(xtr_parquet_order(&f, &order), -ENOMEM);
		cr_expect_eq(oom_end(), 1);
		free(f.keys);
		free(f.order);
		f.keys = NULL;
		f.order = NULL;
		f.cap_keys = f.cap_order = 0;
	}
	expect_ordered("with memory again");
}
