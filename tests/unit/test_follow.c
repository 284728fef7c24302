/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as they are written: what is whole comes out, in order, and what is missing is told. */
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "format/read/follow.h"
#include "oom.h"
#include "rawfile.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 6u
#define EVENTS 100u /* in a chunk; 3 streams */
#define ALL    (ROUNDS * EVENTS * 3)

struct seen {
	uint64_t events, gaps, rounds, begins, ends, last, mark, problems;
	enum xtr_problem_code problem; /* the first */
	uint64_t stop_at;              /* events; 0: never */
	size_t tasks;                  /* known at the end of the section */
};

static uint8_t *data;
static size_t size;
static struct seen seen;

static void setup(void)
{
	struct xtr_io *io = trace_make(ROUNDS, EVENTS, 9, NULL);
	const uint8_t *p = xtr_io_mem_data(io, &size);

	data = malloc(size);
	cr_assert(ne(ptr, data, NULL));
	memcpy(data, p, size);
	xtr_io_close(io);
}

static void teardown(void)
{
	free(data);
}

TestSuite(follow, .init = setup, .fini = teardown);

static int on_begin(void *ctx, const struct xtr_section *s)
{
	(void)ctx;
	cr_expect(eq(u64, seen.begins, seen.ends));
	cr_expect(xtr_meta_n_events(xtr_section_meta(s)) > 0);
	seen.begins++;
	seen.last = seen.mark = 0;
	return 0;
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	(void)ctx;
	cr_expect(ev->ts >= seen.last && ev->ts >= seen.mark);
	seen.last = ev->ts;
	seen.events += !ev->gap;
	seen.gaps += !!ev->gap;
	return seen.stop_at && seen.events == seen.stop_at ? 7 : 0;
}

static int on_round(void *ctx, uint64_t ts)
{
	(void)ctx;
	cr_expect(ts >= seen.last);
	seen.mark = ts;
	seen.rounds++;
	return 0;
}

static int on_end(void *ctx)
{
	(void)ctx;
	seen.ends++;
	return 0;
}

static void on_problem(void *ctx, const struct xtr_problem *p)
{
	(void)ctx;
	if (!seen.problems++)
		seen.problem = p->code;
}

static const struct xtr_follow_opts usual = { .begin = on_begin,
					      .event = on_event,
					      .round = on_round,
					      .end = on_end,
					      .problem = on_problem };

static int follow_as(const struct xtr_follow_opts *o, const uint8_t *p, size_t n, size_t piece,
		     struct xtr_follow_status *st)
{
	uint64_t stop_at = seen.stop_at;
	struct xtr_follow *f;
	int ret = xtr_follow_new(&f, o);

	if (ret)
		return ret;
	seen = (struct seen){ .stop_at = stop_at };
	for (size_t at = 0; at < n && !ret; at += piece)
		ret = xtr_follow_bytes(f, p + at, n - at < piece ? n - at : piece);
	if (!ret)
		ret = xtr_follow_end(f);
	xtr_follow_status(f, st);
	xtr_follow_free(f);
	return ret;
}

static int follow(const uint8_t *p, size_t n, size_t piece, size_t memory,
		  struct xtr_follow_status *st)
{
	struct xtr_follow_opts o = usual;

	o.memory = memory;
	return follow_as(&o, p, n, piece, st);
}

/* Where the k-th chunk of a type stands. */
static size_t chunk_at(uint8_t type, size_t k, struct xtr_chunk *c)
{
	for (size_t at = 64; at + 80 <= size; at += (size_t)xtr_chunk_span(c)) {
		cr_assert(xtr_chunk_parse(data + at, c));
		if (c->type == type && !k--)
			return at;
	}
	cr_assert(false, "no such chunk");
	return 0;
}

Test(follow, whole_and_in_pieces)
{
	static const size_t pieces[] = { 1, 7, 80, 4096, 1u << 20 };
	struct xtr_follow_status st;

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		cr_assert(zero(int, follow(data, size, pieces[i], 0, &st)));
		cr_expect(eq(u64, seen.events, ALL));
		cr_expect(eq(u64, st.events, ALL));
		cr_expect(eq(u64, st.bytes, size));
		cr_expect(st.ended && !st.missing && !st.problems);
		cr_expect(eq(u64, seen.begins, 1));
		cr_expect(eq(u64, seen.ends, 1));
	}
}

Test(follow, without_memory_to_wait_events_come_all_the_same)
{
	struct xtr_follow_status st;

	cr_assert(zero(int, follow(data, size, 1000, 1, &st)));
	cr_expect(eq(u64, seen.events, ALL));
}

Test(follow, a_damaged_payload_costs_its_chunk)
{
	struct xtr_follow_status st;
	struct xtr_chunk c;
	size_t at = chunk_at(XTR_CHUNK_EVENTS, 3, &c);

	data[at + 81] ^= 4;
	cr_assert(zero(int, follow(data, size, 1000, 0, &st)));
	cr_expect(eq(u64, seen.events, ALL - EVENTS));
	cr_expect(eq(u64, st.missing, EVENTS));
	cr_expect(eq(u64, seen.problems, 1));
	cr_expect(eq(int, seen.problem, XTR_P_PAYLOAD_CRC));
}

Test(follow, a_missing_chunk_is_counted_by_its_ordinals)
{
	struct xtr_follow_status st;
	struct xtr_chunk c;
	size_t at = chunk_at(XTR_CHUNK_EVENTS, 3, &c), span = (size_t)xtr_chunk_span(&c);

	memmove(data + at, data + at + span, size - at - span);
	cr_assert(zero(int, follow(data, size - span, 1000, 0, &st)));
	cr_expect(eq(u64, seen.events, ALL - EVENTS));
	cr_expect(eq(u64, st.missing, EVENTS));
	cr_expect(eq(int, seen.problem, XTR_P_MISSING_CHUNKS));
}

Test(follow, bytes_between_chunks_are_skipped)
{
	struct xtr_follow_status st;
	struct xtr_chunk c;
	size_t at = chunk_at(XTR_CHUNK_EVENTS, 2, &c);
	uint8_t *more = malloc(size + 5);

	memcpy(more, data, at);
	memcpy(more + at, "\xd8\x58xyz", 5);
	memcpy(more + at + 5, data + at, size - at);
	cr_assert(zero(int, follow(more, size + 5, 100, 0, &st)));
	cr_expect(eq(u64, seen.events, ALL));
	cr_expect(eq(u64, seen.problems, 1));
	cr_expect(eq(int, seen.problem, XTR_P_LOST_SYNC));
	free(more);
}

Test(follow, a_header_without_its_end)
{
	struct xtr_follow_status st;
	struct xtr_chunk c;
	size_t at = chunk_at(XTR_CHUNK_EVENTS, 4, &c);

	cr_assert(zero(int, follow(data, at + 100, 100, 0, &st)));
	cr_expect(eq(u64, seen.events, 4 * EVENTS));
	cr_expect(eq(u64, seen.problems, 2)); /* and that there is no END */
	cr_expect(eq(int, seen.problem, XTR_P_CHUNK_TRUNCATED));
	cr_expect(eq(int, st.ended, false));
	cr_expect(eq(u64, seen.ends, 1));
}

Test(follow, sections_behind_each_other)
{
	struct xtr_follow_status st;
	uint8_t *two = malloc(2 * size);

	memcpy(two, data, size);
	memcpy(two + size, data, size);
	cr_assert(zero(int, follow(two, 2 * size, 999, 0, &st)));
	cr_expect(eq(u64, seen.events, 2 * ALL));
	cr_expect(eq(u64, seen.begins, 2));
	cr_expect(eq(u64, seen.ends, 2));
	cr_expect(zero(u64, seen.problems));
	free(two);
}

Test(follow, what_is_no_trace)
{
	struct xtr_follow_status st;

	cr_expect(eq(int, follow((const uint8_t *)"no trace at all, but text", 25, 3, 0, &st),
		     -EBADMSG));
	cr_expect(eq(int, seen.problem, XTR_P_NOT_XTR));
	cr_expect(eq(int, follow(data, 0, 1, 0, &st), -EBADMSG));
	cr_expect(eq(int, seen.problem, XTR_P_TOO_SHORT));
	cr_expect(eq(int, follow(data, 40, 1, 0, &st), -EBADMSG));
}

Test(follow, a_version_that_is_not_known)
{
	struct xtr_follow_status st;
	struct xtr_file_header h;

	cr_assert(xtr_file_header_parse(data, &h));
	h.major++;
	xtr_file_header_encode(data, &h);
	cr_expect(eq(int, follow(data, size, 100, 0, &st), -EBADMSG));
	cr_expect(eq(int, seen.problem, XTR_P_MAJOR));
	h.major--;
	h.incompat_flags = 1u << 31;
	xtr_file_header_encode(data, &h);
	cr_expect(eq(int, follow(data, size, 100, 0, &st), -EBADMSG));
	cr_expect(eq(int, seen.problem, XTR_P_INCOMPAT));
}

Test(follow, a_callback_stops_it)
{
	struct xtr_follow_status st;

	seen.stop_at = 250;
	cr_expect(eq(int, follow(data, size, 1000, 0, &st), 7));
	cr_expect(eq(u64, seen.events, 250));
}

static int stop(void *ctx)
{
	(void)ctx;
	return 9;
}

static int no_begin(void *ctx, const struct xtr_section *s)
{
	(void)ctx;
	(void)s;
	return 8;
}

/* A section may begin without META: so say files put together by hand. */
static int any_begin(void *ctx, const struct xtr_section *s)
{
	(void)ctx;
	(void)s;
	seen.begins++;
	return 0;
}

/* END as the trace has it. */
static void add_end(struct xtr_buf *b, uint32_t seq)
{
	struct xtr_chunk c;
	size_t at = chunk_at(XTR_CHUNK_END, 0, &c) + XTR_CHUNK_HEADER_SIZE;

	cr_assert(eq(u32, c.stored_len, c.raw_len));
	raw_chunk(b, RAW_ID, seq, XTR_CHUNK_END, data + at, c.stored_len);
}

static int follow_raw(struct xtr_buf *b, struct xtr_follow_status *st)
{
	struct xtr_follow_opts o = usual;
	int ret;

	o.begin = any_begin;
	cr_assert(zero(int, b->err));
	ret = follow_as(&o, b->p, b->n, b->n, st);
	xtr_buf_free(b);
	return ret;
}

Test(follow, a_callback_stops_it_where_a_section_begins_or_ends)
{
	struct xtr_follow_opts o = usual;
	struct xtr_follow_status st;
	struct xtr_chunk c;
	size_t end = chunk_at(XTR_CHUNK_END, 0, &c), meta = chunk_at(XTR_CHUNK_META, 0, &c);
	size_t unpadded = meta + XTR_CHUNK_HEADER_SIZE + c.stored_len;
	uint8_t *two = malloc(2 * size);

	o.end = stop;
	memcpy(two, data, end);
	memcpy(two + end, data, size);
	cr_expect(eq(int, follow_as(&o, two, end + size, 1000, &st), 9));
	cr_expect(eq(u64, seen.events, ALL));
	cr_expect(eq(u64, seen.begins, 1));
	free(two);

	o = usual;
	o.begin = no_begin;
	cr_expect(eq(int, follow_as(&o, data, size, 1000, &st), 8));
	cr_expect(zero(u64, seen.events));
	/* Only its end says that META, without its padding, is there. */
	cr_assert(ne(u64, unpadded % 8, 0));
	cr_expect(eq(int, follow_as(&o, data, unpadded, 1000, &st), 8));
	xtr_follow_free(NULL);
}

Test(follow, events_without_meta_and_behind_the_end)
{
	struct xtr_follow_opts o = usual;
	struct xtr_follow_status st;
	struct xtr_buf b = { 0 };

	raw_header(&b, RAW_ID);
	raw_chunk(&b, RAW_ID, 0, XTR_CHUNK_EVENTS, "", 0);
	o.begin = no_begin;
	cr_expect(eq(int, follow_as(&o, b.p, b.n, b.n, &st), 8));
	add_end(&b, 1);
	raw_chunk(&b, RAW_ID, 2, XTR_CHUNK_EVENTS, "", 0);
	cr_expect(zero(int, follow_raw(&b, &st)));
	cr_expect(eq(u64, seen.begins, 1)); /* none for what is behind */
	cr_expect(eq(u64, seen.ends, 1));
	cr_expect(st.ended && !seen.problems);
}

Test(follow, ordinals_of_so_many_streams_are_kept)
{
	const uint32_t kept = 65536;
	struct xtr_follow_status st;
	struct xtr_buf b = { 0 };

	raw_header(&b, RAW_ID);
	for (uint32_t i = 0; i < kept + 2; i++)
		raw_put(&b,
			(struct xtr_chunk){ .file_id = RAW_ID,
					    .seq = i,
					    .type = XTR_CHUNK_EVENTS,
					    .stream = i,
					    .first_ordinal = 3 },
			"", 0);
	cr_expect(zero(int, follow_raw(&b, &st)));
	cr_expect(eq(u64, st.missing, 3 * kept));
}

Test(follow, a_round_of_another_size)
{
	struct xtr_follow_status st;
	struct xtr_buf b = { 0 };

	raw_header(&b, RAW_ID);
	raw_chunk(&b, RAW_ID, 0, XTR_CHUNK_EVENTS, "", 0);
	raw_chunk(&b, RAW_ID, 1, XTR_CHUNK_ROUND, "1234", 4);
	cr_expect(zero(int, follow_raw(&b, &st)));
	cr_expect(eq(int, seen.problem, XTR_P_ROUND));
	cr_expect(zero(u64, seen.rounds));
}

Test(follow, a_header_that_is_longer)
{
	const struct xtr_file_header h = { 1, 0, XTR_FILE_HEADER_SIZE + 16, RAW_ID, 0, 0 };
	struct xtr_follow_status st;
	uint8_t out[XTR_FILE_HEADER_SIZE];
	struct xtr_buf b = { 0 };

	xtr_file_header_encode(out, &h);
	xtr_buf_add(&b, out, sizeof(out));
	raw_zeros(&b, 16);
	add_end(&b, 0);
	cr_assert(zero(int, b.err));
	cr_expect(zero(int, follow_as(&usual, b.p, b.n, 1, &st)));
	cr_expect(st.ended && !st.problems);
	xtr_buf_free(&b);
}

static int on_gap(void *ctx, const struct xtr_event *ev)
{
	uint64_t *count = ctx;

	cr_expect(ev->ts >= seen.last);
	seen.last = ev->ts;
	seen.gaps += !!ev->gap;
	*count += ev->gap ? ev->gap->count : 0;
	return 0;
}

/* The payload of a LOSS chunk with n gaps, each before the last one. Its reader sorts them. */
static void add_losses(struct xtr_buf *b, uint32_t seq, uint64_t from, uint32_t n)
{
	struct xtr_loss *l = xtr_loss_new();
	uint8_t *p;
	size_t len;

	for (uint32_t i = n; i > 0; i--) {
		const struct xtr_gap g = { 1, from + i, from + i + 1, 2 };

		cr_assert(zero(int, xtr_loss_add_gap(l, &g)));
	}
	cr_assert(zero(int, xtr_loss_encode(l, &p, &len)));
	raw_chunk(b, RAW_ID, seq, XTR_CHUNK_LOSS, p, len);
	free(p);
	xtr_loss_free(l);
}

Test(follow, gaps_come_in_order_and_too_many_as_one)
{
	const uint32_t kept = 65536, each = 8192, more = 40;
	struct xtr_follow_opts o = usual;
	struct xtr_follow_status st;
	struct xtr_buf b = { 0 };
	uint64_t count = 0;
	uint32_t seq = 0;

	raw_header(&b, RAW_ID);
	raw_chunk(&b, RAW_ID, seq++, XTR_CHUNK_EVENTS, "", 0);
	for (uint32_t i = 0; i < kept - each; i += each)
		add_losses(&b, seq++, 1000000 + i, each);
	add_losses(&b, seq++, 1500000, each - 4);
	add_losses(&b, seq++, 1000, 4); /* told late: they are before */
	add_losses(&b, seq++, 2000000, more);
	cr_assert(zero(int, b.err));
	o.begin = any_begin;
	o.event = on_gap;
	o.ctx = &count;
	cr_expect(zero(int, follow_as(&o, b.p, b.n, b.n, &st)));
	cr_expect(eq(u64, seen.gaps, kept));
	cr_expect(eq(u64, count, 2 * (uint64_t)(kept + more)));
	xtr_buf_free(&b);
}

static int keep_section(void *ctx, const struct xtr_section *s)
{
	*(const struct xtr_section **)ctx = s;
	return 0;
}

static const struct xtr_section *at_hand;

static int count_tasks(void *ctx)
{
	(void)ctx;
	seen.tasks = xtr_tables_n_tasks(xtr_section_tables(at_hand));
	return 0;
}

static int put_table(void *ctx, const uint8_t *p, size_t n)
{
	struct xtr_buf *b = ctx;
	static uint32_t seq;

	seq = b->n == XTR_FILE_HEADER_SIZE ? 0 : seq + 1;
	raw_chunk(b, RAW_ID, seq, XTR_CHUNK_TABLE, p, n);
	return b->err;
}

Test(follow, names_past_the_limit_are_not_known)
{
	struct xtr_follow_opts o = usual;
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_follow_status st;
	struct xtr_buf b = { 0 };

	raw_header(&b, RAW_ID);
	for (uint32_t tid = 1; tid <= 3; tid++) {
		const struct xtr_task task = { .tid = tid, .pid = tid };

		cr_assert(zero(int, xtr_tables_add_task(t, &task)));
		cr_assert(zero(int, xtr_tables_encode(t, false, put_table, &b)));
	}
	xtr_tables_free(t);
	raw_chunk(&b, RAW_ID, 3, XTR_CHUNK_EVENTS, "", 0);
	o.begin = keep_section;
	o.end = count_tasks;
	o.ctx = &at_hand;
	cr_assert(zero(int, follow_as(&o, b.p, b.n, b.n, &st)));
	cr_expect(eq(sz, seen.tasks, 3));
	o.tables = 1;
	cr_assert(zero(int, follow_as(&o, b.p, b.n, b.n, &st)));
	cr_expect(eq(sz, seen.tasks, 1));
	xtr_buf_free(&b);
}

static int follow_again(void *arg)
{
	struct xtr_follow_status st;

	(void)arg;
	return follow(data, size, 4096, 0, &st);
}

Test(follow, without_memory)
{
	cr_expect(gt(u32, oom_each(follow_again, NULL, 4), 30));
}
