/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "base/crc32c.h"
#include "faulty_io.h"
#include "fewer.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

static uint8_t *bytes_of(struct xtr_io *io, size_t *n)
{
	const uint8_t *p = xtr_io_mem_data(io, n);
	uint8_t *copy = malloc(*n);

	memcpy(copy, p, *n);
	xtr_io_close(io);
	return copy;
}

static uint8_t *small(size_t *n)
{
	struct xtr_writer_opts o;

	xtr_writer_opts_init(&o);
	o.file_id = 77;
	return bytes_of(trace_make(2, 20, 1, &o), n);
}

/* The events that decode, as the sum over their bytes; each must be one of the good file's. */
static size_t events_of(const struct xtr_reader *r)
{
	size_t n = 0, cap = 0;
	uint8_t *buf = NULL;

	for (size_t s = 0; s < xtr_reader_n_sections(r); s++) {
		const struct xtr_section *sec = xtr_reader_section(r, s);

		for (size_t i = 0; i < xtr_section_n_chunks(sec); i++) {
			const struct xtr_chunk *c = xtr_section_chunk(sec, i);
			struct xtr_err err;

			if (c->type == XTR_CHUNK_EVENTS &&
			    !xtr_reader_decode(r, c, &buf, &cap, &err))
				n += c->n_records;
		}
	}
	free(buf);
	return n;
}

Test(reader, every_cut_keeps_the_whole_chunks_before_it)
{
	size_t n, whole = 0, end = 0;
	uint8_t *data = small(&n);

	for (size_t at = 64; at + 80 <= n; at += 8) { /* END is whole from here on */
		struct xtr_chunk c;

		if (xtr_chunk_parse(data + at, &c) && c.type == XTR_CHUNK_END)
			end = at + 80 + c.stored_len;
	}
	cr_assert(gt(sz, end, 0));
	for (size_t cut = 0; cut <= n; cut += FEWER * (cut > 200 && cut < end - 400 ? 7 : 1)) {
		struct xtr_reader *r = NULL;
		struct xtr_err err;
		int ret = trace_read(&r, data, cut, &err);
		size_t events;

		if (cut < 64) {
			cr_assert(eq(int, ret, -EBADMSG));
			cr_assert(eq(int, err.problem, XTR_P_TOO_SHORT));
			continue;
		}
		cr_assert(eq(int, ret, 0), "cut at %zu", cut);
		cr_assert(eq(int, xtr_reader_verify(r, NULL, NULL), 0));
		cr_assert(zero(sz, trace_problems(r, XTR_P_PAYLOAD_CRC)));
		events = events_of(r);
		cr_assert(ge(sz, events, whole), "cut at %zu", cut);
		whole = events;
		cr_assert(eq(sz, trace_problems(r, XTR_P_NO_END), (size_t)(cut < end)));
		xtr_reader_close(r);
	}
	cr_assert(eq(sz, whole, 120));
	free(data);
}

Test(reader, every_flipped_bit_costs_at_most_one_chunk)
{
	size_t n;
	uint8_t *data = small(&n);

	for (size_t bit = 0; bit < n * 8; bit += FEWER * (bit < 1200 ? 1 : 11)) {
		struct xtr_reader *r = NULL;
		struct xtr_err err;
		int ret;

		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ret = trace_read(&r, data, n, &err);
		cr_assert(eq(int, ret, 0), "bit %zu: %s", bit, xtr_problem_name(err.problem));
		cr_assert(eq(int, xtr_reader_verify(r, NULL, NULL), 0));
		cr_assert(ge(sz, events_of(r), 100), "bit %zu", bit);
		xtr_reader_close(r);
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	free(data);
}

Test(reader, sections_follow_each_other)
{
	size_t n;
	uint8_t *data = small(&n), *both = malloc(2 * n);
	struct xtr_reader *r;
	struct xtr_err err;

	memcpy(both, data, n);
	memcpy(both + n, data, n);
	cr_assert(eq(int, trace_read(&r, both, 2 * n, &err), 0));
	cr_assert(eq(int, xtr_reader_verify(r, NULL, NULL), 0));
	cr_assert(eq(sz, xtr_reader_n_sections(r), 2));
	cr_assert(zero(sz, xtr_reader_n_problems(r)));
	cr_assert(eq(u64, xtr_section_offset(xtr_reader_section(r, 1)), n));
	cr_assert(eq(sz, events_of(r), 240));
	xtr_reader_close(r);
	both[n] ^= 1; /* the second one's magic: found by its chunks */
	cr_assert(eq(int, trace_read(&r, both, 2 * n, &err), 0));
	cr_assert(eq(sz, xtr_reader_n_sections(r), 2));
	cr_assert(eq(sz, trace_problems(r, XTR_P_HEADER_CRC), 1));
	cr_assert(eq(sz, events_of(r), 240));
	xtr_reader_close(r);
	free(data);
	free(both);
}

Test(reader, chunks_that_are_gone_are_counted)
{
	size_t n, len = 0;
	uint8_t *data = small(&n);
	struct xtr_reader *r;
	struct xtr_err err;
	uint64_t at = 0;

	cr_assert(eq(int, trace_read(&r, data, n, &err), 0));
	for (size_t i = 0; !len; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(xtr_reader_section(r, 0), i);

		if (c->type == XTR_CHUNK_EVENTS) {
			at = c->offset;
			len = (size_t)xtr_chunk_span(c);
		}
	}
	xtr_reader_close(r);
	memmove(data + at, data + at + len, n - at - len);
	cr_assert(eq(int, trace_read(&r, data, n - len, &err), 0));
	cr_assert(eq(sz, trace_problems(r, XTR_P_MISSING_CHUNKS), 1));
	cr_assert(zero(sz, trace_problems(r, XTR_P_ORDINAL)));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(r, 0))->missing, 20));
	cr_assert(eq(u64, xtr_reader_problem(r, 0)->offset, at));
	xtr_reader_close(r);
	free(data);
}

Test(reader, chunks_that_come_twice_are_ignored)
{
	size_t n;
	uint8_t *data = small(&n), *twice = malloc(2 * n);
	struct xtr_reader *r;
	struct xtr_err err;

	memcpy(twice, data, n - 32); /* all but the trailer */
	memcpy(twice + n - 32, data + 64, n - 64);
	cr_assert(eq(int, trace_read(&r, twice, 2 * n - 96, &err), 0));
	cr_assert(eq(int, xtr_reader_verify(r, NULL, NULL), 0));
	cr_assert(gt(sz, trace_problems(r, XTR_P_CHUNK_ORDER), 5));
	cr_assert(eq(sz, xtr_reader_n_problems(r), trace_problems(r, XTR_P_CHUNK_ORDER)));
	cr_assert(eq(sz, events_of(r), 120));
	xtr_reader_close(r);
	free(data);
	free(twice);
}

/* Change the header field at `at` of the file header and make its CRC right again. */
static int open_changed(uint8_t *data, size_t n, size_t at, uint32_t value, struct xtr_err *err)
{
	uint8_t keep[64];
	struct xtr_reader *r;
	int ret;

	memcpy(keep, data, 64);
	xtr_put_le16(data + at, (uint16_t)value);
	xtr_put_le32(data + 60, xtr_crc32c(data, 60));
	ret = trace_read(&r, data, n, err);
	if (!ret)
		xtr_reader_close(r);
	memcpy(data, keep, 64);
	return ret;
}

Test(reader, what_it_does_not_know_is_refused)
{
	size_t n;
	uint8_t *data = small(&n);
	struct xtr_reader *r;
	struct xtr_err err;

	cr_assert(eq(int, open_changed(data, n, 8, 2, &err), -EBADMSG));
	cr_assert(eq(int, err.problem, XTR_P_MAJOR));
	cr_assert(eq(int, open_changed(data, n, 24, 8, &err), -EBADMSG));
	cr_assert(eq(int, err.problem, XTR_P_INCOMPAT));
	cr_assert(eq(u32, err.features, 8));
	cr_assert(eq(int, open_changed(data, n, 10, 9, &err), 0), "a newer minor version is read");
	cr_assert(eq(int, open_changed(data, n, 28, 1, &err), 0),
		  "unknown compatible flags are, too");
	memset(data, 'x', n);
	cr_assert(eq(int, trace_read(&r, data, n, &err), -EBADMSG));
	cr_assert(eq(int, err.problem, XTR_P_NOT_XTR));
	free(data);
}

Test(reader, unknown_critical_chunks_refuse_others_are_skipped)
{
	size_t n;
	uint8_t *data = small(&n);

	for (int critical = 0; critical < 2; critical++) {
		struct xtr_reader *r;
		struct xtr_chunk c;
		struct xtr_err err;
		uint8_t keep[80];
		int ret;

		memcpy(keep, data + 64, 80); /* META of the beginning */
		cr_assert(xtr_chunk_parse(data + 64, &c));
		c.type = 0x70;
		c.props = critical ? XTR_PROP_CRITICAL : 0;
		xtr_chunk_encode(data + 64, &c);
		ret = trace_read(&r, data, n, &err);
		if (critical) {
			cr_assert(eq(int, ret, -EBADMSG));
			cr_assert(eq(int, err.problem, XTR_P_UNKNOWN_CRITICAL));
			cr_assert(eq(u64, err.offset, 64));
		} else {
			cr_assert(eq(int, ret, 0));
			cr_assert(zero(sz, xtr_reader_n_problems(r)), "META stands there again");
			xtr_reader_close(r);
		}
		memcpy(data + 64, keep, 80);
	}
	free(data);
}

/* A reader through read_at gives what one over memory gives; each call that fails is told. */
Test(reader, io_errors_are_told)
{
	struct faulty f = { .err = -EIO };
	size_t n;
	uint8_t *data = small(&n);
	unsigned int calls = 0;

	for (unsigned int at = 0; at <= calls; at++) {
		struct xtr_reader *r;
		struct xtr_io *mem;
		struct xtr_err err;
		bool opened;
		int ret;

		cr_assert(eq(int, xtr_io_mem_view(data, n, &mem), 0));
		f = (struct faulty){ .err = -EIO, .fail_at = at };
		ret = xtr_reader_open(&r, faulty_open(&f, mem), &err);
		opened = !ret;
		if (!ret)
			ret = xtr_reader_verify(r, NULL, NULL);
		if (!at) {
			cr_assert(eq(int, ret, 0));
			cr_assert(zero(sz, xtr_reader_n_problems(r)));
			cr_assert(eq(sz, events_of(r), 120));
			calls = f.calls - 6; /* those of events_of */
		} else {
			cr_assert(eq(int, ret, -EIO), "call %u", at);
		}
		if (opened)
			xtr_reader_close(r);
	}
	cr_assert(gt(int, (int)calls, 10));
	free(data);
}

Test(reader, a_section_with_a_lying_range_shows_nothing_of_the_chunk)
{
	size_t n;
	uint8_t *data = small(&n);
	struct xtr_reader *r;
	struct xtr_chunk c;
	struct xtr_err err;
	uint64_t at = 0;

	cr_assert(eq(int, trace_read(&r, data, n, &err), 0));
	for (size_t i = 0; !at; i++)
		if (xtr_section_chunk(xtr_reader_section(r, 0), i)->type == XTR_CHUNK_EVENTS)
			at = xtr_section_chunk(xtr_reader_section(r, 0), i)->offset;
	xtr_reader_close(r);
	cr_assert(xtr_chunk_parse(data + at, &c));
	c.ts_max--;
	xtr_chunk_encode(data + at, &c);
	cr_assert(eq(int, trace_read(&r, data, n, &err), 0));
	cr_assert(eq(int, xtr_reader_verify(r, NULL, NULL), 0));
	cr_assert(eq(sz, trace_problems(r, XTR_P_RECORD), 1));
	cr_assert(eq(sz, events_of(r), 100));
	xtr_reader_close(r);
	free(data);
}

/* What a later minor version may add to the header is told, and the chunks begin behind it. */
Test(reader, a_longer_header_and_its_flags_are_told)
{
	struct xtr_io *io = trace_make(1, 10, 1, NULL);
	struct xtr_file_header h;
	uint8_t *longer;
	struct xtr_reader *r;
	const struct xtr_section *s;
	struct xtr_err err;
	size_t n;
	const uint8_t *p = xtr_io_mem_data(io, &n);

	longer = calloc(1, n + 16);
	cr_assert(xtr_file_header_parse(p, &h));
	h.minor = 3;
	h.header_size = 80;
	h.compat_flags = 0x50;
	xtr_file_header_encode(longer, &h);
	memcpy(longer + 80, p + 64, n - 64);
	cr_assert(zero(int, trace_read(&r, longer, n + 16, &err)));
	s = xtr_reader_section(r, 0);
	cr_expect(eq(u32, xtr_section_header_size(s), 80));
	cr_expect(eq(u32, xtr_section_compat_flags(s), 0x50));
	cr_expect(eq(u32, xtr_section_minor(s), 3));
	cr_expect(eq(u64, xtr_section_chunk(s, 0)->offset, 80));
	cr_expect(eq(sz, events_of(r), 30));
	cr_expect(eq(ptr, (void *)xtr_reader_section(r, 1), NULL));
	cr_expect(eq(ptr, (void *)xtr_section_chunk(s, xtr_section_n_chunks(s)), NULL));
	cr_expect(eq(ptr, (void *)xtr_section_clock(s, 0), NULL));
	xtr_reader_close(r);
	xtr_io_close(io);
	free(longer);
}
