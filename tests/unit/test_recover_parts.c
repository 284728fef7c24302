/* SPDX-License-Identifier: BSD-2-Clause */
/* What recovering does with what is seldom there: parts, unknown chunks, holes without number. */
#include "faulty_io.h"
#include "base/bytes.h"
#include "format/write/recover.h"
#include "format/read/intact.h"
#include "oom.h"
#include "rawfile.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 3u
#define EVENTS 20u /* in a chunk; 3 streams */
#define ALL    (ROUNDS * EVENTS * 3)

struct recovered {
	struct xtr_io *io;
	struct xtr_reader *r; /* of the result, verified */
	struct xtr_recover_result res[2];
};

static struct xtr_buf make(void)
{
	struct xtr_io *io = trace_make(ROUNDS, EVENTS, 9, NULL);
	struct xtr_buf b = { 0 };
	size_t n;
	const uint8_t *p = xtr_io_mem_data(io, &n);

	xtr_buf_add(&b, p, n);
	cr_assert(zero(int, b.err));
	xtr_io_close(io);
	return b;
}

/* Where the k-th chunk of a type stands. */
static size_t chunk_at(const struct xtr_buf *b, uint8_t type, size_t k, struct xtr_chunk *c)
{
	for (size_t at = 64; at + 80 <= b->n; at += (size_t)xtr_chunk_span(c)) {
		cr_assert(xtr_chunk_parse(b->p + at, c));
		if (c->type == type && !k--)
			return at;
	}
	cr_assert(false, "no such chunk");
	return 0;
}

static void spoil(struct xtr_buf *b, uint8_t type, size_t k)
{
	struct xtr_chunk c;

	b->p[chunk_at(b, type, k, &c) + 81] ^= 4;
}

/* The bytes of `what` put in at a place. */
static void put_in(struct xtr_buf *b, size_t at, const uint8_t *what, size_t n)
{
	size_t rest = b->n - at;
	uint8_t *copy = malloc(n + rest);

	memcpy(copy, what, n);
	memcpy(copy + n, b->p + at, rest);
	b->n = at;
	xtr_buf_add(b, copy, n + rest);
	free(copy);
}

static struct xtr_reader *verified(const struct xtr_buf *b)
{
	struct xtr_reader *r = NULL;

	cr_assert(zero(int, trace_read(&r, b->p, b->n, NULL)));
	cr_assert(zero(int, xtr_reader_verify(r, NULL, NULL)));
	return r;
}

/* Recover all sections of the bytes, at most two. */
static void recover(struct recovered *rec, const struct xtr_buf *b, struct xtr_recover_opts o)
{
	struct xtr_reader *r = verified(b);

	o.sz = sizeof(o);
	memset(rec, 0, sizeof(*rec));
	cr_assert(zero(int, xtr_io_mem_new(&rec->io)));
	cr_assert(le(sz, xtr_reader_n_sections(r), 2));
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		cr_assert(zero(int, xtr_recover(r, i, rec->io, &o, &rec->res[i])));
	xtr_reader_close(r);
	cr_assert(zero(int, xtr_reader_open(&rec->r, rec->io, NULL)));
	cr_assert(zero(int, xtr_reader_verify(rec->r, NULL, NULL)));
	cr_assert(zero(sz, xtr_reader_n_problems(rec->r)));
}

static const struct xtr_section *section(const struct recovered *rec)
{
	return xtr_reader_section(rec->r, 0);
}

static const struct xtr_recover_opts none;

/* --- parts ------------------------------------------------------------------------------------ */

/* A trailer in the middle ends the section: what is behind it begins a second one of its id. */
Test(recover_parts, of_a_split_section_are_written_as_one)
{
	struct xtr_buf b = make(), trailer = { 0 };
	struct recovered rec;
	struct xtr_chunk c;
	size_t at = chunk_at(&b, XTR_CHUNK_EVENTS, 4, &c);

	raw_trailer(&trailer, c.file_id);
	put_in(&b, at, trailer.p, trailer.n);
	recover(&rec, &b, none);
	cr_assert(rec.res[0].written && rec.res[0].complete);
	cr_assert(zero(int, rec.res[1].written));
	cr_assert(zero(u64, rec.res[1].chunks));
	cr_assert(eq(sz, xtr_reader_n_sections(rec.r), 1));
	cr_assert(eq(u64, xtr_section_summary(section(&rec))->events, ALL));
	xtr_reader_close(rec.r);
	xtr_buf_free(&trailer);
	xtr_buf_free(&b);
}

/* Without a trailer the last chunk may end without padding, and the section is whole. */
Test(recover_parts, a_whole_section_without_padding_gets_it)
{
	struct xtr_buf b = { 0 };
	struct recovered rec;
	struct xtr_chunk c;
	struct trace t;
	uint64_t seed = 1, ts = 1;
	const uint8_t *p;
	size_t at, n;

	cr_assert(zero(int, trace_open(&t, NULL, NULL)));
	cr_assert(zero(int, trace_events(&t, &seed, 0, &ts, 5, false)));
	cr_assert(zero(int, xtr_writer_finish(t.w, "end", NULL)));
	p = xtr_io_mem_data(t.io, &n);
	xtr_buf_add(&b, p, n);
	trace_close(&t, false);
	at = chunk_at(&b, XTR_CHUNK_END, 0, &c);
	cr_assert(ne(u32, c.stored_len % 8, 0));
	b.n = at + 80 + c.stored_len;
	recover(&rec, &b, none);
	cr_assert(rec.res[0].as_it_was);
	cr_assert(eq(u64, rec.res[0].bytes, (b.n + 7) / 8 * 8));
	p = xtr_io_mem_data(rec.io, &n);
	cr_assert(eq(sz, n, (b.n + 7) / 8 * 8));
	cr_assert(zero(int, memcmp(p, b.p, b.n)));
	xtr_reader_close(rec.r);
	xtr_buf_free(&b);
}

/* --- chunks that are not known ---------------------------------------------------------------- */

/* Type and properties of a chunk, changed in its header. */
static void rename_chunk(struct xtr_buf *b, size_t at, uint8_t type, uint8_t props)
{
	struct xtr_chunk c;

	cr_assert(xtr_chunk_parse(b->p + at, &c));
	c.type = type;
	c.props = props;
	xtr_chunk_encode(b->p + at, &c);
}

static size_t count_of(const struct recovered *rec, uint8_t type)
{
	size_t n = 0;

	for (size_t i = 0; i < xtr_section_n_chunks(section(rec)); i++)
		n += xtr_section_chunk(section(rec), i)->type == type;
	return n;
}

Test(recover_parts, unknown_chunks_are_kept_if_they_may_be_copied)
{
	for (unsigned int safe = 0; safe < 2; safe++) {
		struct xtr_buf b = make();
		struct recovered rec;
		struct xtr_chunk c;

		rename_chunk(&b, chunk_at(&b, XTR_CHUNK_ROUND, 1, &c), 0x70,
			     safe ? XTR_PROP_SAFE_TO_COPY : 0);
		spoil(&b, XTR_CHUNK_END, 0);
		recover(&rec, &b, none);
		cr_assert(eq(sz, count_of(&rec, 0x70), safe));
		cr_assert(eq(int, rec.res[0].complete, (int)safe));
		cr_assert(eq(u64, rec.res[0].kept, rec.res[0].chunks - 2 + safe));
		cr_assert(eq(u64, xtr_section_summary(section(&rec))->events, ALL));
		xtr_reader_close(rec.r);
		xtr_buf_free(&b);
	}
}

/* One that must not be skipped, out of its place: a reader passes it by, and so does this. */
Test(recover_parts, a_critical_chunk_out_of_place_is_left_out)
{
	struct xtr_buf b = make();
	struct recovered rec;
	struct xtr_chunk c;
	size_t at = chunk_at(&b, XTR_CHUNK_EVENTS, 2, &c), span = (size_t)xtr_chunk_span(&c);
	uint8_t *moved = malloc(span);

	memcpy(moved, b.p + at, span);
	memmove(b.p + at, b.p + at + span, b.n - at - span);
	b.n -= span;
	at = chunk_at(&b, XTR_CHUNK_EVENTS, 6, &c);
	put_in(&b, at, moved, span);
	rename_chunk(&b, at, 0x71, XTR_PROP_CRITICAL);
	recover(&rec, &b, none);
	cr_assert(zero(sz, count_of(&rec, 0x71)));
	cr_assert(eq(u64, rec.res[0].missing, EVENTS));
	cr_assert(eq(u64, xtr_section_summary(section(&rec))->events, ALL - EVENTS));
	xtr_reader_close(rec.r);
	xtr_buf_free(&b);
	free(moved);
}

/* --- losses ----------------------------------------------------------------------------------- */

/* Streams whose headers tell of losses, one of them without a number. */
static struct xtr_buf with_losses(uint64_t in_account)
{
	const uint32_t streams[] = { 0, XTR_STREAM_NONE };
	struct xtr_buf b = { 0 };
	struct trace t;
	uint64_t seed = 1;
	const uint8_t *p;
	uint8_t rec[24];
	size_t n;

	cr_assert(zero(int, trace_open(&t, NULL, NULL)));
	cr_assert(zero(int, xtr_loss_set(t.loss, 0, 17, XTR_LOSS_RING_FULL, in_account)));
	for (size_t i = 0; i < 4; i++) {
		const struct xtr_batch batch = {
			.stream = streams[i % 2], .recs = rec, .len = 24, .n = 1, .lost_total = 5
		};

		trace_record(rec, &seed, i, 16, 24);
		cr_assert(zero(int, xtr_writer_events(t.w, &batch)));
	}
	cr_assert(zero(int, xtr_writer_finish(t.w, "end", NULL)));
	p = xtr_io_mem_data(t.io, &n);
	xtr_buf_add(&b, p, n);
	trace_close(&t, false);
	return b;
}

/* Without its LOSS what headers say is all, or END knows of more. */
Test(recover_parts, losses_that_headers_tell_stay)
{
	const uint64_t in_account[] = { 10, 30 };

	for (size_t i = 0; i < 2; i++) {
		struct xtr_buf b = with_losses(in_account[i]);
		struct recovered rec;

		spoil(&b, XTR_CHUNK_LOSS, 0);
		recover(&rec, &b, none);
		cr_expect(eq(u64, xtr_section_summary(section(&rec))->lost, in_account[i]));
		cr_expect(eq(u64, xtr_section_summary(section(&rec))->events, 4));
		xtr_reader_close(rec.r);
		xtr_buf_free(&b);
	}
}

/* --- what the caller adds and sees ------------------------------------------------------------ */

struct seen {
	unsigned int more;
	uint64_t done, all;
	int ret;
};

static int append_round(void *ctx, struct xtr_recover_more *m)
{
	struct seen *seen = ctx;
	uint64_t seed = 1;
	uint8_t rec[24];
	const struct xtr_batch b = { .stream = 9, .recs = rec, .len = 24, .n = 1 };

	cr_assert(ne(ptr, m->tables, NULL));
	cr_assert(ne(ptr, m->meta, NULL));
	cr_assert(zero(int, xtr_section_summary(m->s)->closed));
	seen->more++;
	if (seen->ret)
		return seen->ret;
	trace_record(rec, &seed, UINT64_C(1) << 40, 16, 24);
	cr_assert(zero(int, xtr_loss_set(m->loss, 9, 16, XTR_LOSS_RING_FULL, 2)));
	return xtr_writer_events(m->w, &b);
}

static void on_progress(void *ctx, uint64_t done, uint64_t all)
{
	struct seen *seen = ctx;

	cr_assert(gt(u64, done, seen->done));
	seen->done = done;
	seen->all = all;
}

Test(recover_parts, the_rest_of_a_killed_recorder_makes_it_sure)
{
	struct seen seen = { 0 };
	struct xtr_recover_opts o = { .more = append_round, .progress = on_progress, .ctx = &seen };
	struct xtr_buf b = make();
	struct recovered rec;
	struct xtr_reader *r;
	struct xtr_chunk c;
	struct xtr_io *out;

	b.n = chunk_at(&b, XTR_CHUNK_EVENTS, 5, &c);
	recover(&rec, &b, o);
	cr_assert(eq(u32, seen.more, 1));
	cr_assert(eq(u64, seen.done, seen.all));
	cr_assert(zero(int, rec.res[0].unsure));
	cr_assert(rec.res[0].complete);
	cr_assert(eq(u64, rec.res[0].events, 5 * EVENTS + 1));
	cr_assert(eq(u64, xtr_section_summary(section(&rec))->events, 5 * EVENTS + 1));
	cr_assert(eq(u64, xtr_section_summary(section(&rec))->lost, 3 + 2));
	cr_assert(eq(str, (char *)xtr_section_end_reason(section(&rec)),
		     "killed; the rest was collected"));
	xtr_reader_close(rec.r);

	seen = (struct seen){ .ret = -EIO };
	r = verified(&b);
	cr_assert(zero(int, xtr_io_mem_new(&out)));
	cr_assert(eq(int, xtr_recover(r, 0, out, &o, rec.res), -EIO));
	xtr_io_close(out);
	xtr_reader_close(r);
	xtr_buf_free(&b);
}

/* One that was closed has no rest. */
Test(recover_parts, a_closed_section_is_not_asked_for_more)
{
	struct seen seen = { 0 };
	struct xtr_recover_opts o = { .more = append_round, .ctx = &seen };
	struct xtr_buf b = make();
	struct recovered rec;

	spoil(&b, XTR_CHUNK_EVENTS, 1);
	recover(&rec, &b, o);
	cr_assert(zero(u32, seen.more));
	xtr_reader_close(rec.r);
	xtr_buf_free(&b);
}

/* --- holes ------------------------------------------------------------------------------------ */

/* More than are kept one by one: the last one grows, and no event is forgotten. */
Test(recover_parts, holes_without_number_become_one_at_the_end)
{
	const uint32_t n = 65536 + 10;
	struct xtr_buf b = { 0 };
	struct recovered rec;
	const struct xtr_loss *l;
	const struct xtr_gap *last;
	uint64_t events = 0;
	uint8_t record[24];
	uint64_t seed = 1;

	raw_header(&b, RAW_ID);
	for (uint32_t i = 0; i < n; i++) {
		const struct xtr_chunk c = { .file_id = RAW_ID,
					     .seq = i,
					     .type = XTR_CHUNK_EVENTS,
					     .stream = 1,
					     .n_records = 1,
					     .first_ordinal = i,
					     .ts_min = 1000 + i,
					     .ts_max = 1000 + i };

		trace_record(record, &seed, 1000 + i, 16, 24);
		raw_put(&b, c, record, sizeof(record));
		b.p[b.n - 1] ^= 1;
	}
	cr_assert(zero(int, b.err));
	recover(&rec, &b, none);
	cr_assert(eq(u64, rec.res[0].missing, n));
	l = xtr_section_loss(section(&rec));
	cr_assert(eq(sz, xtr_loss_n_gaps(l), 65536));
	for (size_t i = 0; i < xtr_loss_n_gaps(l); i++)
		events += xtr_loss_gap_at(l, i)->count;
	cr_assert(eq(u64, events, n));
	last = xtr_loss_gap_at(l, 65535);
	cr_assert(eq(u32, last->stream, XTR_STREAM_NONE));
	cr_assert(eq(u64, last->first, 1000 + 65535));
	cr_assert(eq(u64, last->last, 1000 + n - 1));
	cr_assert(eq(u64, xtr_section_summary(section(&rec))->lost, n));
	xtr_reader_close(rec.r);
	xtr_buf_free(&b);
}

/* --- failures --------------------------------------------------------------------------------- */

/* Chunks in the wrong order, one of them twice and one that cannot be read. */
static struct xtr_buf out_of_order(void)
{
	struct xtr_buf b = make();
	struct xtr_chunk c;
	size_t at = chunk_at(&b, XTR_CHUNK_EVENTS, 2, &c), span = (size_t)xtr_chunk_span(&c);
	uint8_t *twice = malloc(span);

	memcpy(twice, b.p + at, span);
	b.p[at + 90] ^= 1;
	put_in(&b, chunk_at(&b, XTR_CHUNK_EVENTS, 7, &c), twice, span);
	spoil(&b, XTR_CHUNK_EVENTS, 5);
	free(twice);
	return b;
}

static int recover_all(void *arg)
{
	const struct xtr_recover_opts o = { .sz = sizeof(o) };
	const struct xtr_buf *b = arg;
	struct xtr_recover_result res;
	struct xtr_io *io, *out;
	struct xtr_reader *r;
	int err = xtr_io_mem_view(b->p, b->n, &io);

	if (!err)
		err = xtr_reader_open(&r, io, NULL);
	if (err)
		return err;
	err = xtr_reader_verify(r, NULL, NULL);
	if (!err)
		err = xtr_io_mem_new(&out);
	if (!err) {
		err = xtr_recover(r, 0, out, &o, &res);
		xtr_io_close(out);
	}
	xtr_reader_close(r);
	return err;
}

Test(recover_parts, memory_for_what_is_out_of_order)
{
	struct xtr_buf b = out_of_order();

	cr_assert(ge(u32, oom_each(recover_all, &b, 8), 100));
	xtr_buf_free(&b);
}

/* Nothing of what was read before is taken for granted when it is read again. */
Test(recover_parts, each_failing_read_is_an_error)
{
	const struct xtr_recover_opts o = { .sz = sizeof(o) };
	struct xtr_buf b = out_of_order();
	struct faulty f = { .err = -EIO };
	struct xtr_recover_result res;
	struct xtr_io *mem, *out;
	struct xtr_reader *r;
	int ret = -EIO;

	cr_assert(zero(int, xtr_io_mem_view(b.p, b.n, &mem)));
	cr_assert(zero(int, xtr_reader_open(&r, faulty_open(&f, mem), NULL)));
	cr_assert(zero(int, xtr_reader_verify(r, NULL, NULL)));
	for (unsigned int k = 1; ret; k++) {
		const unsigned int at = f.calls + k;

		cr_assert(lt(u32, k, 1000));
		f.fail_at = at;
		cr_assert(zero(int, xtr_io_mem_new(&out)));
		ret = xtr_recover(r, 0, out, &o, &res);
		cr_assert(ret == -EIO || (!ret && f.calls < at), "read %u: %d", k, ret);
		xtr_io_close(out);
	}
	xtr_reader_close(r);
	xtr_buf_free(&b);
}
