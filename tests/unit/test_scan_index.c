/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a file by its index gives what the whole file does, of whatever files. */
#include "faulty_io.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/read/merge.h"
#include "oom.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

struct part {
	uint64_t from, to;
};

static void window(void *ctx, const struct xtr_section *s, uint64_t *from, uint64_t *to)
{
	const struct part *p = ctx;

	cr_assert(ne(ptr, (void *)s, NULL));
	*from = p->from;
	*to = p->to;
}

static struct xtr_reader *open_part(const uint8_t *data, size_t n, struct part *p)
{
	const struct xtr_part part = { .window = window, .ctx = p };
	struct xtr_reader *r = NULL;
	struct xtr_io *io;

	cr_assert(zero(int, xtr_io_mem_view(data, n, &io)));
	return xtr_reader_open_part(&r, io, p ? &part : NULL, NULL) ? NULL : r;
}

/* What the merge gives of a part, in a number that depends on all of it. */
static uint64_t events_of(const struct xtr_reader *r, const struct part *p, size_t *n)
{
	struct xtr_merge_opts o = { .sz = sizeof(o), .from = p->from, .to = p->to };
	uint64_t sum = 0;
	struct xtr_event ev;
	struct xtr_merge *m;
	int ret;

	*n = 0;
	cr_assert(zero(int, xtr_merge_open(&m, r, xtr_reader_section(r, 0), &o)));
	while ((ret = xtr_merge_next(m, &ev, NULL)) == 1 || ret == -EBADMSG) {
		sum = sum * 0x9e3779b97f4a7c15u + (ret == 1 ? ev.ts + ev.tid * 3 + ev.stream : 1);
		for (uint32_t i = 0; ret == 1 && i < ev.size; i++)
			sum = sum * 31 + ev.rec[i];
		*n += ret == 1 && ev.rec;
	}
	cr_assert(zero(int, ret));
	xtr_merge_close(m);
	return sum;
}

static void check_summary(const struct xtr_reader *a, const struct xtr_reader *b)
{
	const struct xtr_section *x = xtr_reader_section(a, 0), *y = xtr_reader_section(b, 0);
	const struct xtr_section_summary *s = xtr_section_summary(x), *t = xtr_section_summary(y);

	cr_assert(eq(u64, s->events, t->events));
	cr_assert(eq(u64, s->missing, t->missing));
	cr_assert(eq(u64, s->lost, t->lost));
	cr_assert(eq(u64, s->ts_min, t->ts_min));
	cr_assert(eq(u64, s->ts_max, t->ts_max));
	cr_assert(eq(u64, s->event_bytes, t->event_bytes));
	cr_assert(eq(u32, s->streams, t->streams));
	cr_assert(eq(int, s->closed, t->closed));
	cr_assert(eq(sz, xtr_section_n_clocks(x), xtr_section_n_clocks(y)));
	cr_assert(eq(sz, xtr_meta_n_events(xtr_section_meta(x)),
		     xtr_meta_n_events(xtr_section_meta(y))));
	cr_assert(eq(str, (char *)xtr_section_end_reason(x), (char *)xtr_section_end_reason(y)));
}

static const uint8_t *made(struct xtr_io **io, uint32_t rounds, uint32_t events, size_t *n)
{
	*io = trace_make(rounds, events, 5, NULL);
	return xtr_io_mem_data(*io, n);
}

/* Enough chunks for three INDEX chunks. */
Test(scan_index, a_part_is_that_of_the_whole)
{
	struct xtr_io *io;
	size_t n, all, got;
	const uint8_t *data = made(&io, 2100, 2, &n);
	struct xtr_reader *whole = open_part(data, n, NULL);
	const struct xtr_section_summary *sum = xtr_section_summary(xtr_reader_section(whole, 0));
	uint64_t seed = 3, span = sum->ts_max - sum->ts_min;
	size_t chunks = xtr_section_n_chunks(xtr_reader_section(whole, 0));

	cr_assert(gt(sz, chunks, 8192));
	for (int i = 0; i < 30; i++) {
		struct part p = { .from = sum->ts_min + trace_random(&seed, span) };
		struct xtr_reader *r;

		p.to = p.from + trace_random(&seed, span / (i % 3 ? 100 : 2));
		r = open_part(data, n, &p);
		check_summary(r, whole);
		cr_assert(zero(sz, xtr_reader_n_problems(r)));
		cr_assert(eq(u64, events_of(r, &p, &got), events_of(whole, &p, &all)));
		cr_assert(eq(sz, got, all));
		cr_assert(lt(sz, xtr_section_n_chunks(xtr_reader_section(r, 0)), chunks));
		xtr_reader_close(r);
	}
	xtr_reader_close(whole);
	xtr_io_close(io);
}

/* Any flipped bit: the events of the part, and what is damaged in it, are those of the whole. */
Test(scan_index, damage_gives_what_the_whole_does)
{
	struct xtr_io *io;
	size_t n, a, b;
	const uint8_t *data = made(&io, 12, 20, &n);
	uint8_t *bad = malloc(n);
	struct xtr_reader *r = open_part(data, n, NULL), *whole;
	const struct xtr_section_summary *sum = xtr_section_summary(xtr_reader_section(r, 0));
	uint64_t third = (sum->ts_max - sum->ts_min) / 3;
	struct part p = { .from = sum->ts_min + third, .to = sum->ts_min + 2 * third };

	xtr_reader_close(r);
	for (size_t at = 0; at < n; at += at + 600 < n ? 89 : 5) {
		memcpy(bad, data, n);
		bad[at] ^= (uint8_t)(1u << at % 8);
		r = open_part(bad, n, &p);
		whole = open_part(bad, n, NULL);
		cr_assert(eq(int, !r, !whole));
		if (r)
			cr_assert(eq(u64, events_of(r, &p, &a), events_of(whole, &p, &b)),
				  "byte %zu", at);
		xtr_reader_close(r);
		xtr_reader_close(whole);
	}
	free(bad);
	xtr_io_close(io);
}

/* Cut short, two sections, nothing: all is there, as without an index. */
Test(scan_index, what_has_no_index_is_read_whole)
{
	struct xtr_buf two = { 0 };
	struct part p = { 0, UINT64_MAX };
	struct xtr_reader *r, *whole;
	struct xtr_io *io;
	size_t n, a, b;
	const uint8_t *data = made(&io, 3, 20, &n);

	for (size_t cut = 0; cut < 200; cut += 13) {
		r = open_part(data, n - cut, &p);
		whole = open_part(data, n - cut, NULL);
		cr_assert(eq(sz, xtr_reader_n_problems(r), xtr_reader_n_problems(whole)));
		cr_assert(eq(u64, events_of(r, &p, &a), events_of(whole, &p, &b)));
		xtr_reader_close(r);
		xtr_reader_close(whole);
	}
	cr_assert(eq(ptr, (void *)open_part(data, 10, &p), NULL));
	xtr_buf_add(&two, data, n);
	xtr_buf_add(&two, data, n);
	r = open_part(two.p, two.n, &p);
	cr_assert(eq(sz, xtr_reader_n_sections(r), 2));
	xtr_reader_close(r);
	xtr_buf_free(&two);
	xtr_io_close(io);
}

static unsigned int reads(const uint8_t *data, size_t n, struct part *p)
{
	const struct xtr_part part = { .window = window, .ctx = p };
	struct faulty f = { .err = -EIO };
	struct xtr_reader *r;
	struct xtr_io *mem;

	cr_assert(zero(int, xtr_io_mem_view(data, n, &mem)));
	cr_assert(
		zero(int, xtr_reader_open_part(&r, faulty_open(&f, mem), p ? &part : NULL, NULL)));
	xtr_reader_close(r);
	return f.calls;
}

/* A file of eight times the length takes no more reads for a part. */
Test(scan_index, reads_are_those_of_the_part)
{
	struct part p = { 2000, 3000 };
	struct xtr_io *small, *large;
	size_t n, m;
	const uint8_t *a = made(&small, 200, 100, &n), *b = made(&large, 1600, 100, &m);
	unsigned int part = reads(b, m, &p);

	cr_assert(lt(u32, part, reads(b, m, NULL) / 8));
	cr_assert(le(u32, part, reads(a, n, &p) + 40), "%u", part);
	xtr_io_close(small);
	xtr_io_close(large);
}

/* A read that fails is told by the whole reading, or meets nothing. */
Test(scan_index, a_read_that_fails_leaves_it_to_the_whole)
{
	struct part p = { 2000, 3000 };
	const struct xtr_part part = { .window = window, .ctx = &p };
	struct xtr_io *io, *mem;
	size_t n;
	const uint8_t *data = made(&io, 20, 20, &n);

	for (unsigned int at = 1; at < 12; at++) {
		struct faulty f = { .err = -EIO, .fail_at = at };
		struct xtr_reader *r = NULL;
		int ret;

		cr_assert(zero(int, xtr_io_mem_view(data, n, &mem)));
		ret = xtr_reader_open_part(&r, faulty_open(&f, mem), &part, NULL);
		cr_assert(ret == 0 || ret == -EIO);
		xtr_reader_close(r);
	}
	xtr_io_close(io);
}

/* The last INDEX chunk says that the one before it is itself, or behind it: that is not followed.
 */
Test(scan_index, an_index_that_points_nowhere_before_it)
{
	struct xtr_io *io;
	size_t n, got, all, index = 0;
	const uint8_t *data = made(&io, 1400, 1, &n);
	struct xtr_reader *whole = open_part(data, n, NULL), *r;
	const struct xtr_section *s = xtr_reader_section(whole, 0);
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	struct part p = { .from = sum->ts_min, .to = sum->ts_min + 50000 };
	uint8_t *bad = malloc(n);

	for (size_t i = 0; i < xtr_section_n_chunks(s); i++)
		if (xtr_section_chunk(s, i)->type == XTR_CHUNK_INDEX)
			index = (size_t)xtr_section_chunk(s, i)->offset;
	for (int k = 0; k < 5; k++) {
		const uint64_t prev[] = { xtr_le64(data + index + 80), index, index + 8, n - 32,
					  UINT64_MAX };

		memcpy(bad, data, n);
		xtr_put_le64(bad + index + 80, prev[k]);
		xtr_put_le32(bad + index + 72,
			     xtr_crc32c(bad + index + 80, xtr_le32(bad + index + 24)));
		xtr_put_le32(bad + index + 76, xtr_crc32c(bad + index, 76));
		r = open_part(bad, n, &p);
		s = xtr_reader_section(r, 0);
		/* Only with the right one it is but a part that is read. */
		cr_assert(eq(int,
			     xtr_section_n_chunks(s) <
				     xtr_section_n_chunks(xtr_reader_section(whole, 0)),
			     k == 0));
		check_summary(r, whole);
		cr_assert(eq(u64, events_of(r, &p, &got), events_of(whole, &p, &all)));
		cr_assert(gt(sz, got, 0));
		cr_assert(eq(sz, got, all));
		xtr_reader_close(r);
	}
	xtr_reader_close(whole);
	free(bad);
	xtr_io_close(io);
}

struct view {
	const uint8_t *data;
	size_t n, chunks; /* that a part has */
	struct part p;
};

static int open_view(void *arg)
{
	struct view *v = arg;
	const struct xtr_part part = { .window = window, .ctx = &v->p };
	struct xtr_reader *r;
	struct xtr_io *io;
	int err = xtr_io_mem_view(v->data, v->n, &io);

	if (!err)
		err = xtr_reader_open_part(&r, io, &part, NULL);
	if (err)
		return err;
	if (!v->chunks)
		v->chunks = xtr_section_n_chunks(xtr_reader_section(r, 0));
	cr_assert(eq(sz, xtr_section_n_chunks(xtr_reader_section(r, 0)), v->chunks));
	xtr_reader_close(r);
	return 0;
}

/* Without memory that is said, nothing is read in another way; but a list may stay too long. */
Test(scan_index, without_memory)
{
	struct xtr_io *io;
	struct view v = { .p = { 1010000, 1012000 } };

	v.data = made(&io, 12, 20, &v.n);
	cr_assert(zero(int, open_view(&v)));
	cr_assert(ge(u32, oom_each(open_view, &v, 1), 50));
	xtr_io_close(io);
}
