/* SPDX-License-Identifier: BSD-2-Clause */
#include "converters/perfetto.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLICES = 400,
	SPAN = 3000
};

struct slice {
	uint64_t begin, end;
	int lane;
};

static int by_end(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return (x->end > y->end) - (x->end < y->end);
}

static void make_slices(struct slice *s)
{
	for (size_t i = 0; i < SLICES; i++) {
		s[i].begin = (uint64_t)rand() % SPAN;
		s[i].end = s[i].begin + (uint64_t)rand() % 60;
	}
}

static int take_all(struct slice *s)
{
	struct pf_lanes l = { 0 };
	int n;

	for (size_t i = 0; i < SLICES; i++) {
		s[i].lane = pf_lanes_take(&l, s[i].begin, s[i].end);
		cr_assert(ge(int, s[i].lane, 0));
	}
	n = (int)l.n;
	pf_lanes_free(&l);
	return n;
}

/* Most slices at one moment: there must be as many lanes. */
static int most_at_once(const struct slice *s)
{
	int most = 0;

	for (uint64_t t = 0; t < SPAN + 60; t++) {
		int n = 0;

		for (size_t i = 0; i < SLICES; i++)
			n += s[i].begin <= t && t <= s[i].end;
		most = n > most ? n : most;
	}
	return most;
}

static void check_apart(const struct slice *s)
{
	for (size_t i = 0; i < SLICES; i++)
		for (size_t k = 0; k < i; k++)
			if (s[i].lane == s[k].lane)
				cr_assert(s[i].begin > s[k].end || s[k].begin > s[i].end);
}

Test(perfetto_lanes, in_order_of_end_there_are_as_few_as_can_be)
{
	static struct slice s[SLICES];

	srand(1);
	for (int round = 0; round < 20; round++) {
		make_slices(s);
		qsort(s, SLICES, sizeof(*s), by_end);
		cr_expect(eq(int, take_all(s), most_at_once(s)));
		check_apart(s);
	}
}

Test(perfetto_lanes, in_any_order_nothing_overlaps)
{
	static struct slice s[SLICES];

	srand(2);
	for (int round = 0; round < 20; round++) {
		make_slices(s);
		cr_expect(ge(int, take_all(s), most_at_once(s)));
		check_apart(s);
	}
}

Test(perfetto_lanes, have_a_limit)
{
	struct pf_lanes l = { 0 };

	for (uint32_t i = 0; i < PF_LANES_MAX; i++)
		cr_assert(eq(int, pf_lanes_take(&l, 10, 20), (int)i));
	cr_expect(eq(int, pf_lanes_take(&l, 10, 20), -ENOSPC));
	cr_expect(eq(int, pf_lanes_take(&l, 20, 30), -ENOSPC));
	cr_expect(ge(int, pf_lanes_take(&l, 21, 30), 0));
	pf_lanes_free(&l);
}

Test(perfetto_job, event_ids_name_the_fence)
{
	cr_expect(eq(u64, pf_event_id(1013, 7), (1013ull << 32) + 7));
	cr_expect(eq(u64, pf_event_id(0x7fffffff, UINT32_MAX), INT64_MAX));
	cr_expect(ge(u64, pf_event_id(1ull << 31, 7), 1ull << 63));
	cr_expect(ge(u64, pf_event_id(7, 1ull << 32), 1ull << 63));
	cr_expect(ne(u64, pf_event_id(7, 1ull << 32), pf_event_id(1ull << 32, 7)));
}

static void expect_text(const char *in, size_t n, const char *out)
{
	static struct pf pf;

	pf.arena_used = 0;
	cr_expect(eq(str, pf_text(&pf, in, n), (char *)out));
}

Test(perfetto_text, is_always_utf8)
{
	expect_text("plain", 5, "plain");
	expect_text("gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f");
	expect_text("cut here", 3, "cut");
	expect_text("\xff", 1, "\xef\xbf\xbd");
	expect_text("a\0b", 3,
		    "a\xef\xbf\xbd"
		    "b");
	expect_text("\xc3", 1, "\xef\xbf\xbd");
	expect_text("x\xe2\x82", 3, "x\xef\xbf\xbd\xef\xbf\xbd");
	expect_text("", 0, "");
}

Test(perfetto_text, is_cut_where_the_arena_ends)
{
	static char bad[PF_ARENA];
	static struct pf pf;
	size_t n;

	memset(bad, 0xff, sizeof(bad));
	n = strlen(pf_text(&pf, bad, sizeof(bad) - 1));
	cr_expect(le(sz, n, PF_ARENA - 1));
	cr_expect(ge(sz, n, PF_ARENA - 8));
	cr_expect(eq(sz, n % 3, 0));
	cr_expect(eq(str, pf_text(&pf, "\xff", 1), ""));
}
