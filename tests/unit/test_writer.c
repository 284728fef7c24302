/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "format/codec/codecs.h"
#include "format/codec/record.h"
#include "faulty_io.h"
#include "sysfail.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

Test(writer, a_finished_section_has_no_problems)
{
	struct xtr_io *io = trace_make(5, 300, 1, NULL);
	struct xtr_reader *r = trace_read_back(io);
	const struct xtr_section *s = xtr_reader_section(r, 0);
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	size_t n = xtr_section_n_chunks(s);

	cr_assert(zero(sz, xtr_reader_n_problems(r)));
	cr_assert(eq(sz, xtr_reader_n_sections(r), 1));
	cr_assert(eq(u64, sum->events, 4500));
	cr_assert(zero(u64, sum->missing));
	cr_assert(eq(u64, sum->lost, 3));
	cr_assert(sum->closed);
	cr_assert(eq(u32, sum->streams, 3));
	cr_assert(eq(str, (char *)xtr_section_end_reason(s), "end"));
	cr_assert(eq(int, xtr_section_chunk(s, 0)->type, XTR_CHUNK_META));
	cr_assert(eq(int, xtr_section_chunk(s, n - 1)->type, XTR_CHUNK_INDEX));
	cr_assert(eq(int, xtr_section_chunk(s, n - 2)->type, XTR_CHUNK_END));
	cr_assert(eq(int, xtr_section_chunk(s, n - 3)->type, XTR_CHUNK_META));
	cr_assert(zero(u64, xtr_reader_size(r) % 8));
	xtr_reader_close(r);
	xtr_io_close(io);
}

Test(writer, every_form_holds_the_same_events)
{
	const enum xtr_codec codecs[] = { XTR_CODEC_NONE, XTR_CODEC_LZ4, XTR_CODEC_ZSTD };
	const enum xtr_filter filters[] = { XTR_FILTER_NONE, XTR_FILTER_ROWDELTA,
					    XTR_FILTER_COLUMNS, XTR_FILTER_WORDS };
	size_t sizes[3][4];

	for (unsigned int c = 0; c < 2 + XTR_ZSTD_KNOWN; c++) {
		for (int f = 0; f < 4; f++) {
			struct xtr_writer_opts o;
			struct xtr_reader *r;
			struct xtr_io *io;

			xtr_writer_opts_init(&o);
			o.codec = codecs[c];
			o.filter = filters[f];
			io = trace_make(3, 500, 7, &o);
			xtr_io_mem_data(io, &sizes[c][f]);
			r = trace_read_back(io);
			cr_assert(zero(sz, xtr_reader_n_problems(r)));
			cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(r, 0))->events,
				     4500));
			xtr_reader_close(r);
			xtr_io_close(io);
		}
	}
	cr_assert(lt(sz, sizes[1][1], sizes[0][1]));
	cr_assert(lt(sz, sizes[0][1], sizes[0][0]));
	cr_assert(lt(sz, sizes[1][2], sizes[0][0]));
	cr_assert(lt(sz, sizes[0][3], sizes[0][0]));
	cr_assert(lt(sz, sizes[1][3], sizes[0][3]));
	if (XTR_ZSTD_KNOWN)
		cr_assert(lt(sz, sizes[2][3], sizes[1][3]));
}

Test(writer, a_codec_that_is_not_built_in_is_refused)
{
	struct xtr_writer_opts o;
	struct trace t;

	xtr_writer_opts_init(&o);
	o.codec = XTR_CODEC_ZSTD;
	cr_assert(eq(int, trace_open(&t, NULL, &o), XTR_ZSTD_KNOWN ? 0 : -EOPNOTSUPP));
	trace_close(&t, false);
	o.codec = XTR_CODEC_ZSTD + 1;
	cr_assert(eq(int, trace_open(&t, NULL, &o), -EINVAL));
	trace_close(&t, false);
	o.codec = XTR_CODEC_LZ4;
	o.filter = XTR_FILTER_WORDS + 1;
	cr_assert(eq(int, trace_open(&t, NULL, &o), -EINVAL));
	trace_close(&t, false);
}

/* Write n records of this size where one filter is wanted, and see that another one was taken. */
static void check_filter(enum xtr_filter wanted, uint32_t n, uint32_t size, uint32_t types,
			 enum xtr_filter filter)
{
	uint8_t *recs = malloc((size_t)n * size);
	struct xtr_batch b = { .stream = 0, .recs = recs, .len = (size_t)n * size, .n = n };
	const struct xtr_section *s;
	struct xtr_writer_opts o;
	struct xtr_reader *r;
	struct trace t;
	uint64_t seed = 1;

	xtr_writer_opts_init(&o);
	o.filter = wanted;
	cr_assert(eq(int, trace_open(&t, NULL, &o), 0));
	for (uint32_t i = 0; i < n; i++) {
		trace_record(recs + (size_t)i * size, &seed, i, 2000 + i % types, size);
		memset(recs + (size_t)i * size + 16, 0, size - 16);
	}
	cr_assert(eq(int, xtr_writer_events(t.w, &b), 0));
	cr_assert(eq(int, xtr_writer_finish(t.w, "end", NULL), 0));
	r = trace_read_back(t.io);
	cr_assert(zero(sz, xtr_reader_n_problems(r)));
	s = xtr_reader_section(r, 0);
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++)
		if (xtr_section_chunk(s, i)->type == XTR_CHUNK_EVENTS)
			cr_assert(eq(int, xtr_section_chunk(s, i)->filter, (int)filter));
	cr_assert(eq(u64, xtr_section_summary(s)->events, n));
	xtr_reader_close(r);
	trace_close(&t, false);
	free(recs);
}

/* Few records, and what columns cannot have, are written as without them. */
Test(writer, columns_where_they_are_of_use)
{
	check_filter(XTR_FILTER_COLUMNS, 2000, 48, 3, XTR_FILTER_COLUMNS);
	check_filter(XTR_FILTER_COLUMNS, 63, 48, 3, XTR_FILTER_ROWDELTA);
	check_filter(XTR_FILTER_COLUMNS, 1087, 48, 1087, XTR_FILTER_ROWDELTA);
}

Test(writer, words_where_they_are_of_use)
{
	check_filter(XTR_FILTER_WORDS, 2000, 48, 3, XTR_FILTER_WORDS);
	check_filter(XTR_FILTER_WORDS, 63, 48, 3, XTR_FILTER_ROWDELTA);
}

/* What was written, in order of the chunks; *n bytes. */
static uint8_t *all_records(struct trace *t, size_t *n)
{
	struct xtr_reader *r;
	const struct xtr_section *s;
	uint8_t *all = NULL, *buf = NULL;
	size_t cap = 0;

	*n = 0;
	cr_assert(eq(int, xtr_writer_finish(t->w, "end", NULL), 0));
	r = trace_read_back(t->io);
	cr_assert(zero(sz, xtr_reader_n_problems(r)));
	s = xtr_reader_section(r, 0);
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, i);

		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		cr_assert(eq(u32, c->stream, 5));
		cr_assert(eq(u64, c->lost_total, 9));
		cr_assert(eq(int, xtr_reader_decode(r, c, &buf, &cap, NULL), 0));
		all = realloc(all, *n + c->rec_len);
		memcpy(all + *n, buf, c->rec_len);
		*n += c->rec_len;
	}
	free(buf);
	xtr_reader_close(r);
	return all;
}

/* References, out of order and of several layouts, are written as their records are. */
static void check_refs(enum xtr_filter filter, uint32_t n, uint16_t size)
{
	const struct xtr_rec_layout layouts[] = { { 2000, size, (uint16_t)(size - 16) },
						  { 2001, 32, 9 },
						  { 2002, 16, 0 } };
	uint8_t *recs = malloc((size_t)n * size), *payload = malloc((size_t)n * size), *p = payload;
	struct xtr_rec_ref *refs = malloc(n * sizeof(*refs));
	struct xtr_batch b = { .stream = 5, .recs = recs, .n = n, .lost_total = 9 };
	uint8_t *by_refs, *by_records;
	struct xtr_writer_opts o;
	size_t len[2];
	struct trace t;
	uint64_t seed = n;

	for (uint32_t i = 0; i < n; i++, p += size) {
		uint32_t layout = i % 7 ? 0 : 1 + i % 2;

		trace_record(recs + b.len, &seed, 0, 2000, size);
		memcpy(p, recs + b.len + 16, size - 16u);
		if (i % 3 && size < 16384) /* else words are larger than records */
			memcpy(p, payload, size - 16u);
		refs[i] = (struct xtr_rec_ref){ i * 10 + i % 11 * 50, p, i / 100, layout };
		xtr_rec_make(recs + b.len, &layouts[layout], &refs[i]);
		b.len += layouts[layout].size;
	}
	xtr_writer_opts_init(&o);
	o.filter = filter;
	cr_assert(eq(int, trace_open(&t, NULL, &o), 0));
	cr_assert(eq(int, xtr_writer_refs(t.w, 5, layouts, 3, refs, 0, 9), 0));
	cr_assert(eq(int, xtr_writer_refs(t.w, 5, layouts, 3, refs, n, 9), 0));
	cr_assert(eq(u64, xtr_writer_events_written(t.w), n));
	by_refs = all_records(&t, &len[0]);
	trace_close(&t, false);
	cr_assert(eq(int, trace_open(&t, NULL, &o), 0));
	cr_assert(eq(int, xtr_writer_events(t.w, &b), 0));
	by_records = all_records(&t, &len[1]);
	trace_close(&t, false);
	cr_assert(eq(sz, len[0], len[1]));
	cr_assert(eq(int, memcmp(by_refs, by_records, len[0]), 0));
	free(by_refs);
	free(by_records);
	free(refs);
	free(payload);
	free(recs);
}

Test(writer, references_are_written_as_records)
{
	const enum xtr_filter filters[] = { XTR_FILTER_NONE, XTR_FILTER_ROWDELTA,
					    XTR_FILTER_COLUMNS, XTR_FILTER_WORDS };

	for (size_t i = 0; i < 4; i++) {
		check_refs(filters[i], 40, 48);
		check_refs(filters[i], 3000, 48);
		check_refs(filters[i], 70000, 24);
		check_refs(filters[i], 300, 16384);
	}
}

Test(writer, references_to_nothing_are_refused)
{
	const struct xtr_rec_layout good = { 2000, 24, 8 }, bad = { 2000, 24, 16 };
	const struct xtr_rec_ref ref = { .payload = (const uint8_t *)"12345678" };
	const struct xtr_rec_ref beyond = { .payload = ref.payload, .layout = 1 };
	struct trace t;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	cr_assert(eq(int, xtr_writer_refs(t.w, 0, &bad, 1, &ref, 1, 0), -EINVAL));
	cr_assert(eq(int, xtr_writer_refs(t.w, 0, &good, 1, &beyond, 1, 0), -EINVAL));
	cr_assert(zero(u64, xtr_writer_events_written(t.w)));
	cr_assert(eq(int, xtr_writer_refs(t.w, 0, &good, 1, &ref, 1, 0), 0));
	cr_assert(eq(u64, xtr_writer_events_written(t.w), 1));
	trace_close(&t, false);
}

Test(writer, large_batches_become_chunks_in_order)
{
	uint64_t seed = 1, ts = 5000, ordinal = 0, last = 0;
	struct xtr_reader *r;
	struct trace t;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	cr_assert(eq(int, trace_events(&t, &seed, 3, &ts, 70000, true), 0));
	cr_assert(eq(u64, xtr_writer_events_written(t.w), 70000));
	cr_assert(eq(int, xtr_writer_finish(t.w, "end", NULL), 0));
	r = trace_read_back(t.io);
	cr_assert(zero(sz, xtr_reader_n_problems(r)));
	for (size_t i = 0; i < xtr_section_n_chunks(xtr_reader_section(r, 0)); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(xtr_reader_section(r, 0), i);

		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		cr_assert(ne(int, c->props &XTR_PROP_SORTED, 0));
		cr_assert(ge(u64, c->ts_min, last));
		cr_assert(eq(u64, c->first_ordinal, ordinal));
		last = c->ts_max;
		ordinal += c->n_records;
	}
	cr_assert(eq(u64, ordinal, 70000));
	xtr_reader_close(r);
	trace_close(&t, false);
}

Test(writer, malformed_records_write_nothing)
{
	uint8_t rec[24];
	uint64_t seed = 1, bytes;
	struct xtr_batch b = { .recs = rec, .len = 24, .n = 1 };
	struct trace t;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	bytes = xtr_writer_bytes(t.w);
	trace_record(rec, &seed, 1, 16, 24);
	b.n = 2;
	cr_assert(eq(int, xtr_writer_events(t.w, &b), -EINVAL));
	b.n = 1;
	xtr_put_le16(rec + 10, 20);
	cr_assert(eq(int, xtr_writer_events(t.w, &b), -EINVAL));
	cr_assert(eq(u64, xtr_writer_bytes(t.w), bytes));
	xtr_put_le16(rec + 10, 24);
	cr_assert(eq(int, xtr_writer_events(t.w, &b), 0));
	trace_close(&t, false);
}

Test(writer, losses_of_a_stream_are_marked)
{
	uint8_t rec[24];
	uint64_t seed = 1;
	struct xtr_batch b = { .stream = 4, .recs = rec, .len = 24, .n = 1 };
	const uint64_t totals[] = { 0, 5, 5, 3, 9 }, want[] = { 0, 5, 5, 5, 9 };
	struct xtr_reader *r;
	struct trace t;
	size_t k = 0;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	for (size_t i = 0; i < 5; i++) {
		trace_record(rec, &seed, i, 16, 24);
		b.lost_total = totals[i];
		cr_assert(eq(int, xtr_writer_events(t.w, &b), 0));
	}
	cr_assert(eq(int, xtr_writer_finish(t.w, "end", NULL), 0));
	r = trace_read_back(t.io);
	for (size_t i = 0; i < xtr_section_n_chunks(xtr_reader_section(r, 0)); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(xtr_reader_section(r, 0), i);

		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		cr_assert(eq(u64, c->lost_total, want[k]), "it never falls");
		cr_assert(eq(int, !!(c->props & XTR_PROP_LOSS_BEFORE), k == 1 || k == 4));
		k++;
	}
	cr_assert(eq(sz, k, 5));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(r, 0))->lost, 9));
	xtr_reader_close(r);
	trace_close(&t, false);
}

Test(writer, tables_and_meta_are_repeated)
{
	struct xtr_writer_opts o;
	uint64_t seed = 1, ts = 1;
	size_t types[XTR_CHUNK_TYPES] = { 0 };
	struct xtr_reader *r;
	struct trace t;
	uint32_t id;

	xtr_writer_opts_init(&o);
	o.table_every = 5000;
	o.meta_every = 20000;
	cr_assert(eq(int, trace_open(&t, NULL, &o), 0));
	cr_assert(eq(int, xtr_tables_intern(t.tables, "x", 1, &id), 0));
	for (int i = 0; i < 20; i++)
		cr_assert(eq(int, trace_events(&t, &seed, 0, &ts, 500, false), 0));
	cr_assert(eq(int, xtr_writer_finish(t.w, "end", NULL), 0));
	r = trace_read_back(t.io);
	cr_assert(zero(sz, xtr_reader_n_problems(r)));
	for (size_t i = 0; i < xtr_section_n_chunks(xtr_reader_section(r, 0)); i++)
		types[xtr_section_chunk(xtr_reader_section(r, 0), i)->type]++;
	cr_assert(gt(sz, types[XTR_CHUNK_TABLE], 5));
	cr_assert(gt(sz, types[XTR_CHUNK_META], 3));
	xtr_reader_close(r);
	trace_close(&t, false);
}

Test(writer, an_index_every_4096_chunks)
{
	size_t indexes = 0;
	struct xtr_reader *r;
	struct trace t;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	for (uint64_t i = 0; i < 9000; i++)
		cr_assert(eq(int, xtr_writer_round(t.w, i), 0));
	cr_assert(eq(int, xtr_writer_finish(t.w, "end", NULL), 0));
	r = trace_read_back(t.io);
	cr_assert(zero(sz, xtr_reader_n_problems(r)), "verify checks all of them");
	for (size_t i = 0; i < xtr_section_n_chunks(xtr_reader_section(r, 0)); i++)
		indexes += xtr_section_chunk(xtr_reader_section(r, 0), i)->type == XTR_CHUNK_INDEX;
	cr_assert(eq(sz, indexes, 3));
	xtr_reader_close(r);
	trace_close(&t, false);
}

Test(writer, attached_names_are_checked)
{
	static uint8_t big[XTR_RAW_MAX];
	struct trace t;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	cr_assert(eq(int, xtr_writer_attach(t.w, "", "x", 1), -EINVAL));
	cr_assert(eq(int, xtr_writer_attach(t.w, "a/b", "x", 1), -EINVAL));
	cr_assert(eq(int, xtr_writer_attach(t.w, "\xff", "x", 1), -EINVAL));
	cr_assert(eq(int, xtr_writer_attach(t.w, "a", big, sizeof(big)), -E2BIG));
	cr_assert(eq(int, xtr_writer_attach(t.w, "a", big, sizeof(big) - 3), 0));
	trace_close(&t, false);
}

/* What a recorder does, with the n-th call of the io failing. Returns the first error. */
static int record(struct faulty *f)
{
	uint64_t seed = 1, ts = 1;
	struct xtr_io *mem;
	struct trace t;
	int err, last = 0;

	cr_assert(eq(int, xtr_io_mem_new(&mem), 0));
	err = trace_open(&t, faulty_open(f, mem), NULL);
	for (int i = 0; !err && i < 5; i++)
		err = trace_events(&t, &seed, 0, &ts, 100, false);
	if (!err)
		err = xtr_writer_clock(t.w, 1, 2, NULL, 0);
	if (t.w) {
		last = xtr_writer_finish(t.w, "end", NULL);
		if (err)
			cr_assert(eq(int, last, err), "the first error sticks");
	}
	trace_close(&t, true);
	return err ? err : last;
}

/* At every call, once or for ever, with a part of the chunk written or not. */
Test(writer, after_an_error_the_file_is_readable_to_the_last_whole_chunk)
{
	struct faulty f = { .err = -ENOSPC };
	unsigned int calls;

	cr_assert(eq(int, record(&f), 0));
	calls = f.calls;
	xtr_io_close(f.mem);
	cr_assert(gt(int, (int)calls, 8));
	for (unsigned int at = 1; at <= calls; at++) {
		const size_t parts[] = { 0, 1, 79, 80, 81, 1000000 };

		for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
			struct xtr_reader *r = NULL;
			struct xtr_err err;
			const uint8_t *data;
			size_t n;
			int ret;

			f = (struct faulty){
				.err = -ENOSPC, .fail_at = at, .sticky = p % 2, .partial = parts[p]
			};
			cr_assert(eq(int, record(&f), -ENOSPC), "call %u", at);
			cr_assert(eq(int, (int)f.calls, (int)at),
				  "nothing is written after an error");
			data = xtr_io_mem_data(f.mem, &n);
			ret = trace_read(&r, data, n, &err);
			if (at == 1 && parts[p] < 64) {
				cr_assert(eq(int, ret, -EBADMSG));
				cr_assert(eq(int, err.problem, XTR_P_TOO_SHORT));
				xtr_io_close(f.mem);
				continue;
			}
			cr_assert(eq(int, ret, 0));
			cr_assert(eq(int, xtr_reader_verify(r, NULL, NULL), 0));
			cr_assert(zero(sz, trace_problems(r, XTR_P_PAYLOAD_CRC)));
			if (at >
			    2) /* all whole chunks are there: META, and one per call after it */
				cr_assert(ge(sz, xtr_section_n_chunks(xtr_reader_section(r, 0)),
					     (at < calls ? at : calls - 1) - 2));
			xtr_reader_close(r);
			xtr_io_close(f.mem);
		}
	}
}

Test(writer, options_and_calls_that_make_no_sense_are_refused)
{
	const struct xtr_clock_reading clock = { "realtime", 5 };
	struct xtr_writer_opts o;
	struct trace t;

	xtr_writer_opts_init(&o);
	o.codec = (enum xtr_codec)9;
	cr_assert(eq(int, trace_open(&t, NULL, &o), -EINVAL));
	trace_close(&t, false);
	xtr_writer_opts_init(&o);
	o.filter = (enum xtr_filter)9;
	cr_assert(eq(int, trace_open(&t, NULL, &o), -EINVAL));
	trace_close(&t, false);
	sys_fail("getrandom", 1, ENOSYS);
	cr_assert(eq(int, trace_open(&t, NULL, NULL), -ENOSYS));
	trace_close(&t, false);
	sys_fail("getrandom", 1, EINTR);
	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	cr_assert(eq(u32, sys_end(), 2));
	cr_assert(eq(int, xtr_writer_clock(t.w, 2, 1, &clock, 1), -EINVAL));
	cr_assert(eq(int, xtr_writer_clock(t.w, 1, 1, &clock, 1), 0));
	trace_close(&t, false);
}

Test(writer, the_first_error_stays)
{
	const struct xtr_chunk c = { .type = XTR_CHUNK_ROUND };
	uint8_t rec[24];
	uint64_t seed = 1;
	struct xtr_batch b = { .recs = rec, .len = 24, .n = 1 };
	struct faulty f = { .fail_at = 3, .err = -ENOSPC };
	struct xtr_io *mem;
	struct trace t;

	cr_assert(eq(int, xtr_io_mem_new(&mem), 0));
	cr_assert(eq(int, trace_open(&t, faulty_open(&f, mem), NULL), 0));
	trace_record(rec, &seed, 1, 16, 24);
	cr_assert(eq(int, xtr_writer_events(t.w, &b), -ENOSPC));
	cr_assert(eq(int, xtr_writer_events(t.w, &b), -ENOSPC));
	cr_assert(eq(int, xtr_writer_round(t.w, 1), -ENOSPC));
	cr_assert(eq(int, xtr_writer_copy(t.w, &c, rec, 0), -ENOSPC));
	cr_assert(eq(int, xtr_writer_meta(t.w), -ENOSPC));
	cr_assert(eq(int, xtr_writer_finish(t.w, "end", NULL), -ENOSPC));
	cr_assert(eq(u32, f.calls, 3), "nothing is written after it");
	trace_close(&t, false);
}

/* What does not fit into a payload is refused as a whole. */
Test(writer, a_payload_past_the_limit_is_refused)
{
	char *reason = malloc(XTR_RAW_MAX + 1);
	uint64_t bytes;
	struct trace t;

	memset(reason, 'x', XTR_RAW_MAX);
	reason[XTR_RAW_MAX] = 0;
	cr_assert(zero(int, trace_open(&t, NULL, NULL)));
	bytes = xtr_writer_bytes(t.w);
	cr_assert(eq(int, xtr_writer_attach(t.w, "name", reason, XTR_RAW_MAX), -E2BIG));
	cr_assert(eq(u64, xtr_writer_bytes(t.w), bytes));
	cr_assert(eq(int, xtr_writer_finish(t.w, reason, NULL), -E2BIG));
	free(reason);
	trace_close(&t, false);
}

/* Written as they come when the recorder falls behind: the same chunks' sizes, and the ordinals of
 * each stream. */
Test(writer, raw_batches_are_cut_into_chunks_too)
{
	const uint32_t n = 40000;
	uint8_t *recs = malloc((size_t)n * 24);
	struct xtr_batch b = {
		.stream = 2, .recs = recs, .len = (size_t)n * 24, .n = n, .raw = true
	};
	uint64_t seed = 1, ordinal = 0;
	const struct xtr_section *s;
	struct xtr_reader *r;
	struct trace t;
	size_t chunks = 0;

	for (uint32_t i = 0; i < n; i++)
		trace_record(recs + (size_t)i * 24, &seed, i, 16, 24);
	cr_assert(zero(int, trace_open(&t, NULL, NULL)));
	cr_assert(zero(u64, xtr_writer_ordinal(t.w, 2)), "nothing yet");
	cr_assert(zero(int, xtr_writer_events(t.w, &b)));
	cr_assert(eq(u64, xtr_writer_ordinal(t.w, 2), n));
	cr_assert(zero(u64, xtr_writer_ordinal(t.w, 1)));
	cr_assert(zero(int, xtr_writer_finish(t.w, "end", NULL)));
	r = trace_read_back(t.io);
	s = xtr_reader_section(r, 0);
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, i);

		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		cr_expect(eq(u8, c->codec, XTR_CODEC_NONE));
		cr_expect(eq(u8, c->filter, XTR_FILTER_NONE));
		cr_expect(le(u32, c->stored_len, 512u << 10));
		cr_expect(eq(u64, c->first_ordinal, ordinal));
		ordinal += c->n_records;
		chunks++;
	}
	cr_expect(eq(u64, ordinal, n));
	cr_expect(eq(sz, chunks, 2));
	xtr_reader_close(r);
	trace_close(&t, false);
	free(recs);
}
