/* SPDX-License-Identifier: BSD-2-Clause */
/* Each call that reads a file fails in turn, where a reader looks for what damage has left. */
#include "faulty_io.h"
#include "base/bytes.h"
#include "format/read/merge.h"
#include "format/read/reader_priv.h"
#include "format/write/recover.h"
#include "rawfile.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add(struct xtr_buf *b, struct xtr_io *io)
{
	size_t n;
	const uint8_t *p = xtr_io_mem_data(io, &n);

	xtr_buf_add(b, p, n);
	xtr_io_close(io);
}

/*
 * No file header at the start, two sections without one, one of a version that is not known, a
 * chunk whose length is wrong, one that stands there too early and one that is cut off.
 */
static struct xtr_buf all_damage(void)
{
	struct xtr_buf b = { 0 };
	struct xtr_chunk c, early;
	size_t at = 64, n;

	add(&b, trace_make(3, 20, 4, NULL));
	n = b.n;
	b.p[20] ^= 1;
	cr_assert(xtr_chunk_parse(b.p + at, &c));
	while (at < n / 2) {
		at += (size_t)xtr_chunk_span(&c);
		cr_assert(xtr_chunk_parse(b.p + at, &c));
	}
	c.stored_len = c.raw_len = c.rec_len = 900000;
	xtr_chunk_encode(b.p + at, &c);
	raw_header(&b, RAW_ID);
	xtr_put_le16(b.p + b.n - 56, 2);
	xtr_put_le32(b.p + b.n - 4, 0);
	raw_chunk(&b, RAW_ID, 5, XTR_CHUNK_ROUND, "12345678", 8);
	early = (struct xtr_chunk){ .file_id = RAW_ID, .seq = 2, .type = XTR_CHUNK_ROUND };
	raw_put(&b, early, "12345678", 8);
	raw_zeros(&b, 40);
	raw_chunk(&b, RAW_ID, 6, XTR_CHUNK_ROUND, "12345678", 8);
	b.n -= 8;
	cr_assert(zero(int, b.err));
	return b;
}

/* What is read with the at-th call failing, 0: none; how many calls there were. */
static unsigned int open_and_verify(const struct xtr_buf *b, unsigned int at, int *ret)
{
	struct faulty f = { .err = -EIO, .fail_at = at };
	struct xtr_reader *r;
	struct xtr_io *mem;

	cr_assert(zero(int, xtr_io_mem_view(b->p, b->n, &mem)));
	*ret = xtr_reader_open(&r, faulty_open(&f, mem), NULL);
	if (*ret)
		return f.calls;
	*ret = xtr_reader_verify(r, NULL, NULL);
	xtr_reader_close(r);
	return f.calls;
}

static void each_is_told(const struct xtr_buf *b, unsigned int least)
{
	int ret;
	unsigned int calls = open_and_verify(b, 0, &ret);

	cr_assert(zero(int, ret));
	cr_assert(ge(u32, calls, least));
	for (unsigned int at = 1; at <= calls; at++) {
		open_and_verify(b, at, &ret);
		cr_expect(eq(int, ret, -EIO), "call %u", at);
	}
}

Test(read_faults, each_is_told_while_damage_is_looked_for)
{
	struct xtr_buf b = all_damage();

	each_is_told(&b, 20);
	xtr_buf_free(&b);
}

/* The end of a chunk is not there: what follows is looked for, for the first time. */
Test(read_faults, each_is_told_where_a_file_is_cut_off)
{
	struct xtr_buf b = { 0 };
	struct xtr_chunk c;
	size_t at = 64;

	add(&b, trace_make(3, 20, 4, NULL));
	while (at < b.n / 2) {
		cr_assert(xtr_chunk_parse(b.p + at, &c));
		at += (size_t)xtr_chunk_span(&c);
	}
	b.n = at - 16;
	each_is_told(&b, 5);
	xtr_buf_free(&b);
}

Test(read_faults, a_file_that_is_not_there)
{
	struct xtr_reader *r;
	struct xtr_err err;

	cr_assert(eq(int, xtr_reader_open_path(&r, "/nonexistent/run.xtr", &err), -ENOENT));
	cr_assert(eq(int, err.code, -ENOENT));
	cr_assert(eq(int, xtr_reader_open_path(&r, "/nonexistent/run.xtr", NULL), -ENOENT));
}

/* A merge with memory for a few records reads a chunk again and again; what it cannot read at one
 * time it says once, and gives the events of all the others. */
static void merge_with(const struct xtr_buf *b, size_t memory, unsigned int at, size_t *events,
		       size_t *errors)
{
	struct xtr_merge_opts o = { .sz = sizeof(o), .memory = memory };
	struct faulty f = { .err = -EIO };
	struct xtr_reader *r;
	struct xtr_merge *m;
	struct xtr_event ev;
	struct xtr_io *mem;
	int ret;

	*events = *errors = 0;
	cr_assert(zero(int, xtr_io_mem_view(b->p, b->n, &mem)));
	cr_assert(zero(int, xtr_reader_open(&r, faulty_open(&f, mem), NULL)));
	cr_assert(zero(int, xtr_merge_open(&m, r, xtr_reader_section(r, 0), &o)));
	f.fail_at = at ? f.calls + at : 0;
	while ((ret = xtr_merge_next(m, &ev, NULL))) {
		cr_assert(ret == 1 || ret == -EIO);
		*errors += ret < 0;
		*events += ret == 1 && !ev.gap;
	}
	cr_assert(eq(u32, xtr_merge_permille(m), 1000));
	xtr_merge_close(m);
	xtr_reader_close(r);
}

/* Memory for most records of each chunk, for some, and for none. */
Test(read_faults, a_merge_goes_on_behind_one)
{
	const size_t memory[] = { 3000, 1000, 1 };
	struct xtr_buf b = { 0 };
	size_t all, events, errors = 1;
	unsigned int at;

	add(&b, trace_make(2, 20, 4, NULL));
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
		merge_with(&b, memory[i], 0, &all, &errors);
		cr_assert(eq(sz, all, 120));
		cr_assert(zero(sz, errors));
		for (at = 1, errors = 1; errors; at++) {
			merge_with(&b, memory[i], at, &events, &errors);
			cr_assert(le(sz, errors, 1));
			if (errors) {
				cr_expect(lt(sz, events, all), "read %u", at);
				cr_expect(ge(sz, events, all - 20), "one chunk's, read %u", at);
			}
		}
		cr_expect(eq(sz, events, all));
		cr_expect(gt(u32, at, 7), "a chunk is read more than once");
	}
	xtr_buf_free(&b);
}

Test(read_faults, a_stored_payload_that_cannot_be_read)
{
	struct faulty f = { .err = -EIO };
	const struct xtr_chunk *c;
	struct xtr_buf b = { 0 };
	struct xtr_err err = { 0 };
	struct xtr_reader *r;
	struct xtr_io *mem;
	uint8_t *buf = NULL;
	size_t cap = 0;

	add(&b, trace_make(1, 20, 4, NULL));
	cr_assert(zero(int, xtr_io_mem_view(b.p, b.n, &mem)));
	cr_assert(zero(int, xtr_reader_open(&r, faulty_open(&f, mem), NULL)));
	c = xtr_section_chunk(xtr_reader_section(r, 0), 1);
	f.fail_at = f.calls + 1;
	cr_assert(eq(int, xtr_reader_stored(r, c, &buf, &cap, &err), -EIO));
	cr_assert(eq(int, err.code, -EIO));
	cr_assert(eq(u64, err.offset, c->offset));
	cr_assert(zero(int, xtr_reader_stored(r, c, &buf, &cap, NULL)), "the next time it can");
	free(buf);
	xtr_reader_close(r);
	xtr_buf_free(&b);
}

/* Whatever a length says, nothing behind the end is looked at, mapped or not. */
Test(read_faults, a_window_ends_with_the_file)
{
	struct xtr_window w = { 0 };
	struct xtr_reader *r;
	const uint8_t *p;
	struct xtr_io *io;

	for (unsigned int mapped = 0; mapped < 2; mapped++) {
		struct faulty f = { 0 };

		io = trace_make(1, 20, 4, NULL);
		cr_assert(zero(int, xtr_reader_open(&r, mapped ? io : faulty_open(&f, io), NULL)));
		cr_assert(eq(int, r->map != NULL, (int)mapped));
		cr_assert(zero(int, xtr_window_get(r, &w, r->size - 8, 8, 64, &p)));
		cr_expect(ne(ptr, (void *)p, NULL));
		cr_assert(zero(int, xtr_window_get(r, &w, r->size - 8, 9, 64, &p)));
		cr_expect(eq(ptr, (void *)p, NULL));
		cr_assert(zero(int, xtr_window_get(r, &w, UINT64_MAX, 2, 64, &p)));
		cr_expect(eq(ptr, (void *)p, NULL));
		xtr_window_free(&w);
		xtr_reader_close(r);
	}
}
