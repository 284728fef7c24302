/* SPDX-License-Identifier: BSD-2-Clause */
#include "converters/out/perfetto/perfetto.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

Test(perfetto_lanes, slices_do_not_even_touch)
{
	struct xtr_lanes l = { 0 };

	cr_expect(eq(int, pf_lane(&l, 10, 20), 0));
	cr_expect(eq(int, pf_lane(&l, 20, 30), 1));
	cr_expect(eq(int, pf_lane(&l, 21, 21), 0));
	cr_expect(eq(int, pf_lane(&l, 21, UINT64_MAX), 2));
	xtr_lanes_free(&l);
}

Test(perfetto_lanes, have_a_limit)
{
	struct xtr_lanes l = { 0 };

	for (uint32_t i = 0; i < PF_LANES_MAX; i++)
		cr_assert(eq(int, pf_lane(&l, 10, 20), (int)i));
	cr_expect(eq(int, pf_lane(&l, 10, 20), -ENOSPC));
	cr_expect(eq(int, pf_lane(&l, 20, 30), -ENOSPC));
	cr_expect(ge(int, pf_lane(&l, 21, 30), 0));
	xtr_lanes_free(&l);
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
	cr_expect(eq(str, (char *)pf_text(&pf, in, n), (char *)out));
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
	cr_expect(eq(str, (char *)pf_text(&pf, "\xff", 1), ""));
}
