/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of the kernel's trace ring, written here as kernel/trace/ring_buffer.c writes them. */
#include "recorder/ftrace/ring_page.h"

#include <criterion/criterion.h>

struct page {
	uint8_t b[4096];
	uint32_t n;
};

static void word(struct page *p, uint32_t v)
{
	memcpy(p->b + p->n, &v, sizeof(v));
	p->n += sizeof(v);
}

static void begin(struct page *p, uint64_t ts)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->b, &ts, sizeof(ts));
	p->n = XTR_RING_PAGE_HEAD;
}

static void event(struct page *p, uint32_t delta, uint32_t words, uint32_t first)
{
	word(p, delta << 5 | words);
	for (uint32_t i = 0; i < words; i++)
		word(p, first + i);
}

static struct xtr_ring_page end(struct page *p, unsigned long flags)
{
	unsigned long commit = (p->n - XTR_RING_PAGE_HEAD) | flags;
	struct xtr_ring_page pg;

	memcpy(p->b + 8, &commit, sizeof(commit));
	cr_assert(xtr_ring_page_begin(&pg, p->b, sizeof(p->b)));
	return pg;
}

static void expect(struct xtr_ring_page *pg, uint64_t ts, uint32_t n, uint32_t first)
{
	struct xtr_ring_event ev;
	uint32_t v;

	cr_assert_eq(xtr_ring_page_next(pg, &ev), 1);
	cr_expect_eq(ev.ts, ts);
	cr_expect_eq(ev.n, n);
	memcpy(&v, ev.data, sizeof(v));
	cr_expect_eq(v, first);
}

Test(ring_page, events_have_the_time_since_the_one_before)
{
	struct xtr_ring_event ev;
	struct xtr_ring_page pg;
	struct page p;

	begin(&p, 1000);
	event(&p, 0, 3, 10);
	event(&p, 7, 1, 20);
	event(&p, (1u << 27) - 1, 28, 30);
	pg = end(&p, 0);
	expect(&pg, 1000, 12, 10);
	expect(&pg, 1007, 4, 20);
	expect(&pg, 1007 + (1u << 27) - 1, 112, 30);
	cr_expect_eq(xtr_ring_page_next(&pg, &ev), 0);
}

Test(ring_page, flags_of_missed_events_are_no_length)
{
	struct xtr_ring_page pg;
	struct page p;

	begin(&p, 5);
	event(&p, 1, 2, 3);
	pg = end(&p, 1ul << 31 | 1ul << 30);
	expect(&pg, 6, 8, 3);
}

Test(ring_page, long_events_say_their_length)
{
	struct xtr_ring_page pg;
	struct page p;

	begin(&p, 0);
	word(&p, 9u << 5 | XTR_TPRING_LONG);
	word(&p, 4 + 120);
	for (uint32_t i = 0; i < 30; i++)
		word(&p, 40 + i);
	event(&p, 1, 1, 99);
	pg = end(&p, 0);
	expect(&pg, 9, 120, 40);
	expect(&pg, 10, 4, 99);
}

Test(ring_page, time_is_extended_and_set)
{
	struct xtr_ring_page pg;
	struct page p;
	uint64_t stamp = 0x123456789abcdull;

	begin(&p, 100);
	word(&p, 5u << 5 | XTR_TPRING_TIME_EXTEND);
	word(&p, 3);
	event(&p, 1, 1, 1);
	word(&p, (uint32_t)(stamp & ((1u << 27) - 1)) << 5 | XTR_TPRING_TIME_STAMP);
	word(&p, (uint32_t)(stamp >> 27));
	event(&p, 2, 1, 2);
	pg = end(&p, 0);
	expect(&pg, 100 + 5 + (3ull << 27) + 1, 4, 1);
	expect(&pg, stamp + 2, 4, 2);
}

Test(ring_page, discarded_events_leave_their_time)
{
	struct xtr_ring_event ev;
	struct xtr_ring_page pg;
	struct page p;

	begin(&p, 0);
	word(&p, 8u << 5 | XTR_TPRING_PADDING);
	word(&p, 4 + 8);
	word(&p, 0);
	word(&p, 0);
	event(&p, 1, 1, 7);
	word(&p, XTR_TPRING_PADDING); /* nothing follows */
	word(&p, 0xffffffff);
	pg = end(&p, 0);
	expect(&pg, 9, 4, 7);
	cr_expect_eq(xtr_ring_page_next(&pg, &ev), 0);
}

Test(ring_page, a_page_that_is_cut_anywhere_ends_or_is_broken)
{
	struct xtr_ring_event ev;
	struct page p;

	begin(&p, 0);
	event(&p, 1, 3, 1);
	word(&p, 9u << 5 | XTR_TPRING_LONG);
	word(&p, 4 + 8);
	word(&p, 1);
	word(&p, 2);
	word(&p, 5u << 5 | XTR_TPRING_TIME_EXTEND);
	word(&p, 3);
	for (unsigned long n = 0; n <= p.n - XTR_RING_PAGE_HEAD; n++) {
		struct xtr_ring_page pg;
		int ret, events = 0;

		memcpy(p.b + 8, &n, sizeof(n));
		cr_assert(xtr_ring_page_begin(&pg, p.b, sizeof(p.b)));
		while ((ret = xtr_ring_page_next(&pg, &ev)) == 1) {
			cr_assert(ev.data + ev.n <= pg.end);
			events++;
		}
		cr_expect_eq(ret, n == 0 || n == 16 || n == 32 || n == 40 ? 0 : -1, "%lu bytes", n);
		cr_expect_eq(events, (n >= 16) + (n >= 32), "%lu bytes", n);
	}
}

Test(ring_page, what_is_no_page_is_refused)
{
	struct xtr_ring_page pg;
	unsigned long n = 4096;
	struct page p;

	begin(&p, 0);
	memcpy(p.b + 8, &n, sizeof(n));
	cr_expect(!xtr_ring_page_begin(&pg, p.b, sizeof(p.b)));
	cr_expect(!xtr_ring_page_begin(&pg, p.b, XTR_RING_PAGE_HEAD - 1));
}
