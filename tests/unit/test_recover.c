/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of damaged sections: what is kept, what is counted as missing, and where. */
#include "faulty_io.h"
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "format/write/recover.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 6u
#define EVENTS 100u /* in a chunk; 3 streams */
#define ALL    (ROUNDS * EVENTS * 3)

struct recovered {
	struct xtr_io *io;
	struct xtr_reader *r; /* of the result, verified */
	struct xtr_recover_result res[2];
	struct xtr_recover_hole hole[8];
	size_t n_holes;
};

static uint8_t *make(size_t *n)
{
	struct xtr_io *io = trace_make(ROUNDS, EVENTS, 9, NULL);
	const uint8_t *p = xtr_io_mem_data(io, n);
	uint8_t *data = malloc(*n);

	cr_assert(ne(ptr, data, NULL));
	memcpy(data, p, *n);
	xtr_io_close(io);
	return data;
}

/* Where the k-th chunk of a type stands, and its span. */
static size_t chunk_at(const uint8_t *data, size_t n, uint8_t type, size_t k, struct xtr_chunk *c)
{
	for (size_t at = 64; at + 80 <= n; at += (size_t)xtr_chunk_span(c)) {
		cr_assert(xtr_chunk_parse(data + at, c));
		if (c->type == type && !k--)
			return at;
	}
	cr_assert(false, "no such chunk");
	return 0;
}

static void spoil(uint8_t *data, size_t n, uint8_t type, size_t k)
{
	struct xtr_chunk c;

	data[chunk_at(data, n, type, k, &c) + 81] ^= 4;
}

/* Take the k-th chunk of a type out; the new length. */
static size_t take_out(uint8_t *data, size_t n, uint8_t type, size_t k)
{
	struct xtr_chunk c;
	size_t at = chunk_at(data, n, type, k, &c), span = (size_t)xtr_chunk_span(&c);

	memmove(data + at, data + at + span, n - at - span);
	return n - span;
}

static void on_hole(void *ctx, const struct xtr_recover_hole *h)
{
	struct recovered *rec = ctx;

	cr_assert(lt(sz, rec->n_holes, 8));
	rec->hole[rec->n_holes++] = *h;
}

/* Recover all sections of the bytes, at most two. */
static void recover(struct recovered *rec, const uint8_t *data, size_t n)
{
	const struct xtr_recover_opts o = { .sz = sizeof(o), .hole = on_hole, .ctx = rec };
	struct xtr_reader *r = NULL;
	struct xtr_err err;

	memset(rec, 0, sizeof(*rec));
	cr_assert(zero(int, trace_read(&r, data, n, &err)));
	cr_assert(zero(int, xtr_reader_verify(r, NULL, NULL)));
	cr_assert(zero(int, xtr_io_mem_new(&rec->io)));
	cr_assert(le(sz, xtr_reader_n_sections(r), 2));
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		cr_assert(zero(int, xtr_recover(r, i, rec->io, &o, &rec->res[i])));
	xtr_reader_close(r);
	cr_assert(zero(int, xtr_reader_open(&rec->r, rec->io, &err)));
	cr_assert(zero(int, xtr_reader_verify(rec->r, NULL, NULL)));
	cr_assert(zero(sz, xtr_reader_n_problems(rec->r)));
}

static const struct xtr_section_summary *sum(const struct recovered *rec)
{
	return xtr_section_summary(xtr_reader_section(rec->r, 0));
}

static uint64_t damaged(const struct recovered *rec)
{
	const struct xtr_loss *l = xtr_section_loss(xtr_reader_section(rec->r, 0));
	uint64_t n = 0;

	for (size_t i = 0; i < xtr_loss_n_entries(l); i++)
		if (xtr_loss_entry_at(l, i)->cause == XTR_LOSS_DAMAGED)
			n += xtr_loss_entry_at(l, i)->total;
	return n;
}

static bool says_unsure(const struct recovered *rec)
{
	uint64_t n;

	xtr_meta_config_u64(xtr_section_meta(xtr_reader_section(rec->r, 0)), "recovered-unsure",
			    &n);
	return n;
}

Test(recover, a_whole_section_is_copied_byte_for_byte)
{
	size_t n, m;
	uint8_t *data = make(&n);
	struct recovered rec;

	recover(&rec, data, n);
	cr_assert(rec.res[0].as_it_was && rec.res[0].complete);
	cr_assert(eq(u64, rec.res[0].events, ALL));
	cr_assert(eq(u64, rec.res[0].kept, rec.res[0].chunks));
	cr_assert(eq(u64, rec.res[0].bytes, n));
	cr_assert(zero(int, memcmp(xtr_io_mem_data(rec.io, &m), data, n)));
	cr_assert(eq(sz, m, n));
	xtr_reader_close(rec.r);
	free(data);
}

Test(recover, a_chunk_that_cannot_be_read_is_counted_in_its_place)
{
	size_t n;
	uint8_t *data = make(&n);
	struct recovered rec;
	struct xtr_chunk c;
	size_t at = chunk_at(data, n, XTR_CHUNK_EVENTS, 4, &c);

	spoil(data, n, XTR_CHUNK_EVENTS, 4);
	recover(&rec, data, n);
	cr_assert(eq(u64, rec.res[0].missing, EVENTS));
	cr_assert(eq(u64, rec.res[0].events, ALL - EVENTS));
	cr_assert(eq(u64, rec.res[0].kept + 1, rec.res[0].chunks));
	cr_assert(zero(int, rec.res[0].complete || rec.res[0].unsure));
	cr_assert(eq(sz, rec.n_holes, 1));
	cr_assert(eq(u64, rec.hole[0].offset, at));
	cr_assert(eq(u32, rec.hole[0].seq, c.seq));
	cr_assert(eq(u32, rec.hole[0].stream, 1));
	cr_assert(eq(u64, rec.hole[0].first, c.ts_min));
	cr_assert(eq(u64, rec.hole[0].last, c.ts_max));
	cr_assert(eq(u64, rec.hole[0].events, EVENTS));
	cr_assert(zero(int, rec.hole[0].gone));
	cr_assert(eq(u64, sum(&rec)->events, ALL - EVENTS));
	cr_assert(eq(u64, sum(&rec)->lost, 3 + EVENTS));
	cr_assert(eq(u64, damaged(&rec), EVENTS));
	cr_assert(eq(sz, xtr_loss_n_gaps(xtr_section_loss(xtr_reader_section(rec.r, 0))), 2));
	cr_assert(zero(int, says_unsure(&rec)));
	xtr_reader_close(rec.r);
	free(data);
}

Test(recover, a_chunk_that_is_gone_is_counted_between_its_neighbours)
{
	size_t n;
	uint8_t *data = make(&n);
	struct xtr_chunk before, behind;
	struct recovered rec;

	chunk_at(data, n, XTR_CHUNK_EVENTS, 3, &before);
	n = take_out(data, n, XTR_CHUNK_EVENTS, 6);
	recover(&rec, data, n);
	chunk_at(data, n, XTR_CHUNK_EVENTS, 8, &behind);
	cr_assert(eq(u64, rec.res[0].missing, EVENTS));
	cr_assert(eq(u64, rec.res[0].kept + 1, rec.res[0].chunks));
	cr_assert(eq(sz, rec.n_holes, 1));
	cr_assert(rec.hole[0].gone);
	cr_assert(eq(u32, rec.hole[0].stream, 0));
	cr_assert(eq(u32, rec.hole[0].seq, behind.seq));
	cr_assert(eq(u64, rec.hole[0].first, before.ts_max));
	cr_assert(eq(u64, rec.hole[0].last, behind.ts_min));
	cr_assert(eq(u64, sum(&rec)->lost, 3 + EVENTS));
	xtr_reader_close(rec.r);
	free(data);
}

/* No chunk of the stream follows: END knows how many there were in all. */
Test(recover, the_last_chunk_of_a_stream_is_known_from_the_end_mark)
{
	size_t n;
	uint8_t *data = make(&n);
	struct recovered rec;

	n = take_out(data, n, XTR_CHUNK_EVENTS, 3 * ROUNDS - 2);
	recover(&rec, data, n);
	cr_assert(eq(u64, rec.res[0].missing, EVENTS));
	cr_assert(zero(int, rec.res[0].unsure));
	cr_assert(eq(sz, rec.n_holes, 1));
	cr_assert(eq(u32, rec.hole[0].stream, XTR_STREAM_NONE));
	cr_assert(lt(u64, rec.hole[0].first, rec.hole[0].last));
	cr_assert(eq(u64, sum(&rec)->lost, 3 + EVENTS));
	xtr_reader_close(rec.r);
	free(data);
}

Test(recover, without_the_end_it_is_not_sure)
{
	size_t n;
	uint8_t *data = make(&n);
	struct recovered rec;
	struct xtr_chunk c;

	recover(&rec, data, chunk_at(data, n, XTR_CHUNK_EVENTS, 9, &c) + 100);
	cr_assert(rec.res[0].unsure && !rec.res[0].complete);
	cr_assert(eq(u64, rec.res[0].events, 9 * EVENTS));
	cr_assert(says_unsure(&rec));
	cr_assert(eq(str, (char *)xtr_section_end_reason(xtr_reader_section(rec.r, 0)),
		     "not closed cleanly"));
	xtr_reader_close(rec.r);
	free(data);
}

/* Every chunk up to END is there: nothing is missing but what END said. */
Test(recover, an_unreadable_end_mark_leaves_nothing_unsure)
{
	size_t n;
	uint8_t *data = make(&n);
	struct recovered rec;

	spoil(data, n, XTR_CHUNK_END, 0);
	recover(&rec, data, n);
	cr_assert(rec.res[0].complete && !rec.res[0].unsure);
	cr_assert(eq(u64, sum(&rec)->events, ALL));
	cr_assert(zero(u64, rec.res[0].missing));
	xtr_reader_close(rec.r);
	free(data);
}

Test(recover, an_unreadable_end_mark_behind_a_hole_leaves_it_unsure)
{
	size_t n;
	uint8_t *data = make(&n);
	struct recovered rec;

	n = take_out(data, n, XTR_CHUNK_EVENTS, 3 * ROUNDS - 1);
	spoil(data, n, XTR_CHUNK_END, 0);
	recover(&rec, data, n);
	cr_assert(rec.res[0].unsure && says_unsure(&rec));
	xtr_reader_close(rec.r);
	free(data);
}

Test(recover, metadata_is_found_in_its_second_copy)
{
	size_t n;
	uint8_t *data = make(&n);
	struct recovered rec;
	const struct xtr_meta *m;

	spoil(data, n, XTR_CHUNK_META, 0);
	data[20] ^= 1; /* the file header, too */
	recover(&rec, data, n);
	m = xtr_section_meta(xtr_reader_section(rec.r, 0));
	cr_assert(gt(sz, xtr_meta_n_events(m), 5));
	cr_assert(eq(u64, sum(&rec)->events, ALL));
	cr_assert(ne(ptr, (void *)xtr_meta_config_str(m, "recovered-from"), NULL));
	xtr_reader_close(rec.r);
	free(data);
}

/* Losses that only headers or END know stay losses, beside those of the damage. */
Test(recover, losses_stay_when_their_account_cannot_be_read)
{
	size_t n;
	uint8_t *data = make(&n);
	struct recovered rec;

	spoil(data, n, XTR_CHUNK_LOSS, 0);
	spoil(data, n, XTR_CHUNK_EVENTS, 3 * ROUNDS - 1);
	recover(&rec, data, n);
	cr_assert(eq(u64, damaged(&rec), EVENTS));
	cr_assert(eq(u64, sum(&rec)->lost, 3 + EVENTS));
	xtr_reader_close(rec.r);
	free(data);
}

Test(recover, sections_stay_apart)
{
	size_t n;
	uint8_t *data = make(&n), *both = malloc(2 * n);
	struct recovered rec;

	memcpy(both, data, n);
	memcpy(both + n, data, n);
	spoil(both, n, XTR_CHUNK_EVENTS, 0);
	recover(&rec, both, 2 * n);
	cr_assert(eq(sz, xtr_reader_n_sections(rec.r), 2));
	cr_assert(zero(int, rec.res[0].as_it_was));
	cr_assert(rec.res[1].as_it_was);
	cr_assert(eq(u64, sum(&rec)->events, ALL - EVENTS));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(rec.r, 1))->events, ALL));
	xtr_reader_close(rec.r);
	free(both);
	free(data);
}

Test(recover, chunks_that_stand_there_twice_are_written_once)
{
	size_t n;
	uint8_t *data = make(&n), *twice;
	struct recovered rec;
	struct xtr_chunk c;
	size_t at = chunk_at(data, n, XTR_CHUNK_EVENTS, 5, &c), span = (size_t)xtr_chunk_span(&c);

	twice = malloc(n + span);
	memcpy(twice, data, at + span);
	memcpy(twice + at + span, data + at, n - at);
	recover(&rec, twice, n + span);
	cr_assert(rec.res[0].complete);
	cr_assert(eq(u64, sum(&rec)->events, ALL));
	xtr_reader_close(rec.r);
	free(twice);
	free(data);
}

/* A part that stands before what belongs before it: a reader ignores all in between. */
Test(recover, chunks_in_the_wrong_place_are_put_in_order)
{
	size_t n;
	uint8_t *data = make(&n), *moved = malloc(n);
	struct recovered rec;
	struct xtr_chunk c;
	size_t from = chunk_at(data, n, XTR_CHUNK_EVENTS, 2, &c);
	size_t late = chunk_at(data, n, XTR_CHUNK_EVENTS, 12, &c), end;

	end = late + (size_t)xtr_chunk_span(&c);
	memcpy(moved, data, from);
	memcpy(moved + from, data + late, end - late);
	memcpy(moved + from + end - late, data + from, late - from);
	memcpy(moved + end, data + end, n - end);
	recover(&rec, moved, n);
	cr_assert(rec.res[0].complete);
	cr_assert(eq(u64, sum(&rec)->events, ALL));
	cr_assert(eq(u64, sum(&rec)->lost, 3));
	xtr_reader_close(rec.r);
	free(moved);
	free(data);
}

/* Of two chunks with one number the one that can be read. */
Test(recover, a_good_copy_of_a_bad_chunk_is_taken)
{
	size_t n;
	uint8_t *data = make(&n), *twice;
	struct recovered rec;
	struct xtr_chunk c;
	size_t at = chunk_at(data, n, XTR_CHUNK_EVENTS, 5, &c), span = (size_t)xtr_chunk_span(&c);

	twice = malloc(n + span);
	memcpy(twice, data, at + span);
	memcpy(twice + at + span, data + at, n - at);
	twice[at + 90] ^= 1;
	recover(&rec, twice, n + span);
	cr_assert(rec.res[0].complete);
	cr_assert(eq(u64, sum(&rec)->events, ALL));
	xtr_reader_close(rec.r);
	free(twice);
	free(data);
}

Test(recover, each_failing_call_is_an_error)
{
	const struct xtr_recover_opts o = { .sz = sizeof(o) };
	size_t n;
	uint8_t *data = make(&n);
	struct xtr_reader *r = NULL;
	struct xtr_recover_result res;
	struct xtr_err why;
	int err = -EIO;

	spoil(data, n, XTR_CHUNK_EVENTS, 2);
	cr_assert(zero(int, trace_read(&r, data, n, &why)));
	cr_assert(zero(int, xtr_reader_verify(r, NULL, NULL)));
	for (unsigned int k = 1; err; k++) {
		struct faulty f = { .fail_at = k, .err = -ENOSPC };
		struct xtr_io *mem;

		cr_assert(lt(u32, k, 1000));
		cr_assert(zero(int, xtr_io_mem_new(&mem)));
		err = xtr_recover(r, 0, faulty_open(&f, mem), &o, &res);
		cr_assert(err == -ENOSPC || (!err && f.calls < k));
		xtr_io_close(&f.io);
	}
	xtr_reader_close(r);
	free(data);
}
