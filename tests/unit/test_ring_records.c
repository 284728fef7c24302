/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of events in the trace ring: those made in runs are those made one by one. */
#include "format/xtr_format.h"
#include "recorder/ftrace/records.h"

#include <criterion/criterion.h>

#define PAGE   4096u
#define ROUNDS 2000u
#define UNTIL  UINT64_MAX

struct made {
	uint8_t recs[PAGE * 8];
	uint32_t len, n, runs; /* runs: records made in runs */
};

static uint64_t state;

static uint32_t any(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

static struct xtr_generic event_of(uint32_t fixed)
{
	struct xtr_generic g = { .cfg.type = 1030, .cfg.fixed = fixed };

	g.desc.size = (XTR_RECORD_HEADER_SIZE + fixed + 7u) & ~7u;
	return g;
}

static uint8_t *put(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

/* An event of so many bytes; its flags are those that differ between like events. */
static uint8_t *put_event(uint8_t *at, uint32_t bytes, uint32_t type, uint32_t tid)
{
	if (bytes <= 4 * XTR_TPRING_DATA_MAX) {
		at = put(at, any(100) << 5 | bytes / 4);
	} else {
		at = put(at, any(100) << 5 | XTR_TPRING_LONG);
		at = put(at, bytes + 4);
	}
	at = put(at, type | any(1u << 16) << 16);
	at = put(at, tid);
	for (uint32_t i = 8; i < bytes; i += 4)
		at = put(at, any(UINT32_MAX));
	return at;
}

/* A page of events that are often like the one before, with all that may stand between them. */
static struct xtr_ring_page make_page(uint8_t page[PAGE], uint32_t bytes)
{
	uint8_t *at = page + XTR_RING_PAGE_HEAD, *end = page + PAGE - any(300);
	uint32_t type = 7, tid = 100;
	unsigned long commit;

	memset(page, 0, PAGE);
	put(page, 1000000);
	while (end - at >= (long)bytes + 12) {
		uint32_t what = any(40);

		if (what == 0)
			type = 7 + any(2);
		else if (what == 1)
			tid = 100 + any(2);
		else if (what == 2)
			at = put(put(at, any(1u << 27) << 5 | XTR_TPRING_TIME_EXTEND), any(3));
		else if (what == 3 && end - at >= (long)bytes + 28) /* one that was taken back */
			at = put(put(put(put(at, 5u << 5 | XTR_TPRING_PADDING), 12), 1), 2);
		at = put_event(at, bytes, type, tid);
	}
	commit = (unsigned long)(at - page) - XTR_RING_PAGE_HEAD;
	memcpy(page + 8, &commit, sizeof(commit));
	return (struct xtr_ring_page){ page + XTR_RING_PAGE_HEAD, at, 1000000 };
}

static void make_all(struct xtr_ring_page pg, const struct xtr_ring_shape *s, bool runs,
		     struct made *m)
{
	struct xtr_ring_event ev;
	uint32_t n;

	m->len = m->n = m->runs = 0;
	while (xtr_ring_page_next(&pg, &ev) == 1) {
		m->len += xtr_ring_record(s, &ev, xtr_load32(ev.data + 4), m->recs + m->len);
		m->n++;
		if (!runs)
			continue;
		n = xtr_ring_records_alike(&pg, s, &ev, UNTIL, m->recs + m->len, 1 + any(50));
		m->len += n * s->size;
		m->n += n;
		m->runs += n;
	}
	cr_assert_eq(pg.at, pg.end);
}

Test(ring_records, runs_are_what_single_events_are)
{
	static struct made one, run;
	uint8_t page[PAGE];
	uint32_t in_runs = 0;

	for (state = 1; state <= ROUNDS; state++) {
		const uint64_t seed = state;
		uint32_t bytes = 12 + 4 * any(40), fixed = 1 + any(bytes - 8);
		struct xtr_generic g = event_of(fixed);
		struct xtr_ring_shape s;
		struct xtr_ring_page pg = make_page(page, bytes);

		xtr_ring_shape_of(&s, &g);
		cr_assert(s.plain);
		make_all(pg, &s, false, &one);
		make_all(pg, &s, true, &run);
		cr_assert_eq(one.n, run.n, "seed %llu", (unsigned long long)seed);
		cr_assert_eq(one.len, run.len);
		cr_assert_arr_eq(one.recs, run.recs, one.len, "seed %llu",
				 (unsigned long long)seed);
		in_runs += run.runs;
		state = seed;
	}
	cr_expect_gt(in_runs, ROUNDS * 10);
}

Test(ring_records, runs_end_where_they_are_told_to)
{
	struct xtr_generic g = event_of(8);
	struct xtr_ring_shape s;
	struct xtr_ring_event ev;
	struct xtr_ring_page pg;
	uint8_t page[PAGE] = { 0 }, *at = page + XTR_RING_PAGE_HEAD, out[PAGE];

	for (uint32_t i = 0; i < 20; i++) {
		at = put(at, 10u << 5 | 4);
		at = put(put(put(put(at, 7), 100), i), i);
	}
	pg = (struct xtr_ring_page){ page + XTR_RING_PAGE_HEAD, at, 0 };
	xtr_ring_shape_of(&s, &g);
	cr_assert_eq(xtr_ring_page_next(&pg, &ev), 1);
	cr_expect_eq(xtr_ring_records_alike(&pg, &s, &ev, 50, out, 100), 3); /* at 20, 30, 40 ns */
	cr_expect_eq(pg.ts, 40);
	cr_expect_eq(xtr_ring_records_alike(&pg, &s, &ev, UNTIL, out, 5), 5);
	cr_expect_eq(pg.ts, 90);
	cr_expect_eq(xtr_ring_records_alike(&pg, &s, &ev, UNTIL, out, 0), 0);
	cr_assert_eq(xtr_ring_page_next(&pg, &ev), 1);
	cr_expect_eq(ev.ts, 100);
}

/* The length of a long event, in words, is the type of a time extend, and what follows that looks
 * like the thread of the event. */
Test(ring_records, a_long_event_has_no_run)
{
	const uint32_t bytes = 4 * XTR_TPRING_TIME_EXTEND, tid = 3u << 5 | 4;
	struct xtr_generic g = event_of(8);
	struct xtr_ring_shape s;
	struct xtr_ring_event ev;
	struct xtr_ring_page pg;
	uint8_t page[PAGE] = { 0 }, *at = page + XTR_RING_PAGE_HEAD, out[PAGE];

	at = put(put(at, XTR_TPRING_LONG), bytes + 4);
	put(put(at, 7), tid);
	at = put(put(at + bytes, XTR_TPRING_TIME_EXTEND), 7);
	put(put(put(at, tid), 7), 101); /* an event of 16 bytes */
	pg = (struct xtr_ring_page){ page + XTR_RING_PAGE_HEAD, page + 1000, 0 };
	xtr_ring_shape_of(&s, &g);
	cr_assert_eq(xtr_ring_page_next(&pg, &ev), 1);
	cr_assert_eq(ev.n, bytes);
	cr_expect_eq(xtr_ring_records_alike(&pg, &s, &ev, UNTIL, out, 1), 0);
	cr_assert_eq(xtr_ring_page_next(&pg, &ev), 1);
	cr_expect_eq(xtr_load32(ev.data + 4), 101);
}
