/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "format/codec/codecs.h"
#include "base/crc32c.h"
#include "format/read/merge.h"
#include "format/write/pack.h"
#include "format/write/recover.h"
#include "format/read/intact.h"
#include "oom.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A reader of the first section of r, packed. */
static struct xtr_reader *packed(const struct xtr_reader *r, const struct xtr_pack_opts *o,
				 struct xtr_pack_result *res)
{
	struct xtr_reader *back;
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_mem_new(&io), 0));
	cr_assert(eq(int, xtr_pack(r, xtr_reader_section(r, 0), io, o, res), 0));
	back = trace_read_back(io);
	cr_assert(eq(sz, xtr_reader_n_problems(back), 0));
	cr_assert(eq(u64, res->bytes, xtr_reader_size(back)));
	xtr_io_close(io);
	return back;
}

/* The same events in the same order, the same gaps between them. */
static uint64_t check_same_events(const struct xtr_reader *ra, const struct xtr_reader *rb)
{
	struct xtr_merge *a, *b;
	uint64_t n = 0;

	cr_assert(eq(int, xtr_merge_open(&a, ra, xtr_reader_section(ra, 0), NULL), 0));
	cr_assert(eq(int, xtr_merge_open(&b, rb, xtr_reader_section(rb, 0), NULL), 0));
	for (;; n++) {
		struct xtr_event x, y;
		int ret = xtr_merge_next(a, &x, NULL);

		cr_assert(eq(int, xtr_merge_next(b, &y, NULL), ret));
		if (ret <= 0)
			break;
		cr_assert(eq(u64, x.ts, y.ts));
		cr_assert(eq(u32, x.stream, y.stream));
		cr_assert(eq(u32, x.size, y.size));
		cr_assert(eq(int, !x.gap, !y.gap));
		if (x.gap)
			cr_assert(eq(u64, x.gap->count, y.gap->count));
		else
			cr_assert(eq(int, memcmp(x.rec, y.rec, x.size), 0));
	}
	xtr_merge_close(a);
	xtr_merge_close(b);
	return n;
}

static void check_same_summary(const struct xtr_reader *ra, const struct xtr_reader *rb)
{
	const struct xtr_section *a = xtr_reader_section(ra, 0), *b = xtr_reader_section(rb, 0);
	const struct xtr_section_summary *x = xtr_section_summary(a), *y = xtr_section_summary(b);

	cr_assert(eq(u64, x->events, y->events));
	cr_assert(eq(u64, x->lost, y->lost));
	cr_assert(eq(u64, x->filtered, y->filtered));
	cr_assert(eq(u64, x->missing, y->missing));
	cr_assert(eq(u64, x->ts_min, y->ts_min));
	cr_assert(eq(u64, x->ts_max, y->ts_max));
	cr_assert(eq(u32, x->streams, y->streams));
	cr_assert(eq(int, x->closed, y->closed));
	cr_assert(eq(str, (char *)xtr_section_end_reason(a), (char *)xtr_section_end_reason(b)));
	cr_assert(eq(sz, xtr_section_n_clocks(a), xtr_section_n_clocks(b)));
	cr_assert(
		eq(sz, xtr_loss_n_gaps(xtr_section_loss(a)), xtr_loss_n_gaps(xtr_section_loss(b))));
	cr_assert(eq(sz, xtr_loss_n_entries(xtr_section_loss(a)),
		     xtr_loss_n_entries(xtr_section_loss(b))));
}

static uint32_t flags_of(const struct xtr_reader *r)
{
	uint8_t head[64];

	cr_assert(eq(int, xtr_reader_bytes(r, 0, head, sizeof(head)), 0));
	return xtr_le32(head + 24);
}

static const struct xtr_pack_opts lz4 = { .sz = sizeof(lz4), .codec = XTR_CODEC_LZ4 };
static const struct xtr_pack_opts zstd = { .sz = sizeof(zstd), .codec = XTR_CODEC_ZSTD };

Test(pack, a_packed_section_holds_the_same)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct xtr_io *io = trace_make(5, 700, seed, NULL);
		struct xtr_reader *r = trace_read_back(io), *p, *again;
		struct xtr_pack_opts o = lz4;
		struct xtr_pack_result res;

		o.threads = (unsigned int)seed;
		p = packed(r, &o, &res);
		cr_assert(eq(u32, flags_of(p), XTR_INCOMPAT_COLUMNS));
		check_same_summary(r, p);
		cr_assert(ge(u64, check_same_events(r, p), 5 * 3 * 700));
		cr_assert(
			eq(u64, res.events, xtr_section_summary(xtr_reader_section(r, 0))->events));
		cr_assert(lt(u64, res.chunks, res.chunks_before));
		cr_assert(lt(u64, res.bytes, res.bytes_before));
		again = packed(p, &o, &res);
		check_same_events(r, again);
		cr_assert(eq(u64, res.bytes, res.bytes_before), "nothing is left to gain");
		xtr_reader_close(again);
		xtr_reader_close(p);
		xtr_reader_close(r);
		xtr_io_close(io);
	}
}

#ifdef HAVE_ZSTD
Test(pack, zstd_and_back)
{
	struct xtr_io *io = trace_make(3, 2000, 7, NULL);
	struct xtr_reader *r = trace_read_back(io), *z, *p;
	struct xtr_pack_opts o = zstd;
	struct xtr_pack_result res;

	z = packed(r, &o, &res);
	cr_assert(eq(u32, flags_of(z), XTR_INCOMPAT_COLUMNS | XTR_INCOMPAT_ZSTD));
	check_same_events(r, z);
	p = packed(z, &lz4, &res);
	cr_assert(eq(u32, flags_of(p), XTR_INCOMPAT_COLUMNS), "nothing of zstd is left in it");
	cr_assert(eq(u32, xtr_section_features(xtr_reader_section(p, 0)), XTR_INCOMPAT_COLUMNS));
	check_same_events(r, p);
	o.level = 20;
	cr_assert(eq(int, xtr_pack(r, xtr_reader_section(r, 0), io, &o, &res), -EINVAL));
	xtr_reader_close(p);
	xtr_reader_close(z);
	xtr_reader_close(r);
	xtr_io_close(io);
}

Test(pack, zstd_takes_one_frame_only)
{
	const uint8_t text[] = "some text, some text, some text, some text";
	struct xtr_zstd z = { 0 };
	uint8_t frame[200], out[100];
	size_t n = 0;

	cr_assert(
		eq(int, xtr_zstd_compress(&z, 3, text, sizeof(text), frame, sizeof(frame), &n), 0));
	cr_assert(eq(int, xtr_zstd_decompress(&z, frame, n, out, sizeof(text)), 0));
	cr_assert(eq(int, memcmp(out, text, sizeof(text)), 0));
	for (size_t i = 0; i < n; i++)
		cr_assert(eq(int, xtr_zstd_decompress(&z, frame, i, out, sizeof(text)), -EBADMSG));
	cr_assert(eq(int, xtr_zstd_decompress(&z, frame, n, out, sizeof(text) + 1), -EBADMSG));
	cr_assert(eq(int, xtr_zstd_decompress(&z, frame, n, out, sizeof(text) - 1), -EBADMSG));
	memcpy(frame + n, frame, n);
	cr_assert(eq(int, xtr_zstd_decompress(&z, frame, 2 * n, out, sizeof(text)), -EBADMSG));
	cr_assert(eq(int, xtr_zstd_compress(&z, 3, text, sizeof(text), frame, 10, &n), -E2BIG));
	xtr_zstd_free(&z);
}

static int zstd_both_ways(void *arg)
{
	const uint8_t text[] = "some text, some text, some text, some text";
	struct xtr_zstd z = { 0 };
	uint8_t frame[200], out[100];
	size_t n = 0;
	int err;

	(void)arg;
	err = xtr_zstd_compress(&z, 3, text, sizeof(text), frame, sizeof(frame), &n);
	if (!err)
		err = xtr_zstd_decompress(&z, frame, n, out, sizeof(text));
	cr_assert(err || !memcmp(out, text, sizeof(text)));
	xtr_zstd_free(&z);
	return err;
}

Test(pack, zstd_without_memory)
{
	cr_assert(eq(u32, oom_each(zstd_both_ways, NULL, 0), 4));
}
#else
Test(pack, zstd_is_refused_where_it_is_not_built)
{
	struct xtr_io *io = trace_make(1, 20, 7, NULL);
	struct xtr_reader *r = trace_read_back(io);
	struct xtr_pack_result res;
	struct xtr_zstd z = { 0 };
	uint8_t byte = 0;
	size_t n;

	cr_assert(eq(int, xtr_pack(r, xtr_reader_section(r, 0), io, &zstd, &res), -EOPNOTSUPP));
	cr_assert(eq(int, xtr_zstd_compress(&z, 1, &byte, 1, &byte, 1, &n), -EOPNOTSUPP));
	cr_assert(eq(int, xtr_zstd_decompress(&z, &byte, 1, &byte, 1), -EOPNOTSUPP));
	xtr_reader_close(r);
	xtr_io_close(io);
}
#endif

/* Records in batches of n on a stream, in order of time. */
static void batch(struct trace *t, uint32_t stream, uint64_t ts, uint32_t n, uint32_t size,
		  uint64_t lost)
{
	uint8_t *recs = malloc((size_t)n * size);
	struct xtr_batch b = { .stream = stream, .recs = recs, .n = n, .lost_total = lost };
	uint64_t seed = ts;

	b.len = (size_t)n * size;
	for (uint32_t i = 0; i < n; i++)
		trace_record(recs + (size_t)i * size, &seed, ts + i, 3000, size);
	cr_assert(eq(int, xtr_writer_events(t->w, &b), 0));
	free(recs);
}

static struct xtr_reader *finished(struct trace *t)
{
	struct xtr_reader *r;

	cr_assert(eq(int, xtr_writer_finish(t->w, "end", NULL), 0));
	r = trace_read_back(t->io);
	trace_close(t, false);
	return r;
}

/* n-th EVENTS chunk. */
static const struct xtr_chunk *events(const struct xtr_reader *r, size_t n)
{
	const struct xtr_section *s = xtr_reader_section(r, 0);

	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, i);

		if (c->type == XTR_CHUNK_EVENTS && !n--)
			return c;
	}
	return NULL;
}

Test(pack, chunks_are_joined_up_to_a_loss_or_a_step_back)
{
	struct xtr_pack_result res;
	struct xtr_reader *r, *p;
	struct trace t;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	batch(&t, 0, 1000, 10, 48, 0);
	batch(&t, 1, 1000, 10, 48, 0);
	cr_assert(eq(int, xtr_writer_round(t.w, 1000), 0));
	batch(&t, 0, 1009, 10, 48, 0);
	cr_assert(eq(int, xtr_writer_round(t.w, 1009), 0));
	cr_assert(eq(int, xtr_writer_round(t.w, 1010), 0));
	batch(&t, 0, 2000, 10, 48, 3); /* 3 were lost */
	batch(&t, 0, 2500, 10, 48, 3);
	batch(&t, 0, 2400, 10, 48, 3); /* begins before the end of the one before */
	r = finished(&t);
	p = packed(r, &lz4, &res);
	check_same_events(r, p);
	check_same_summary(r, p);
	cr_assert(eq(u64, res.chunks_before, 6));
	cr_assert(eq(u64, res.chunks, 4));
	cr_assert(eq(u32, events(p, 0)->n_records, 20));
	cr_assert(eq(u32, events(p, 0)->stream, 0));
	cr_assert(eq(u64, events(p, 0)->lost_total, 0));
	cr_assert(eq(u32, events(p, 1)->stream, 1));
	cr_assert(eq(u32, events(p, 2)->n_records, 20));
	cr_assert(eq(u64, events(p, 2)->lost_total, 3));
	cr_assert(eq(int, !!(events(p, 2)->props & XTR_PROP_LOSS_BEFORE), 1));
	cr_assert(eq(u32, events(p, 3)->n_records, 10));
	cr_assert(eq(int, !!(events(p, 3)->props & XTR_PROP_LOSS_BEFORE), 0));
	xtr_reader_close(p);
	xtr_reader_close(r);
}

Test(pack, a_chunk_is_never_too_large)
{
	struct xtr_pack_result res;
	struct xtr_reader *r, *p;
	struct trace t;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	for (uint32_t i = 0; i < 7; i++)
		batch(&t, 0, 100000ull * i, 10000, 16, 0);
	for (uint32_t i = 0; i < 3; i++)
		batch(&t, 1, 100000ull * i, 900, 1016, 0); /* random: does not get smaller */
	batch(&t, 2, 5, 3, 65528, 0);                      /* has no layout */
	r = finished(&t);
	p = packed(r, &lz4, &res);
	cr_assert(eq(u64, check_same_events(r, p), 70000 + 2700 + 3));
	cr_assert(eq(u32, events(p, 0)->n_records, 60000));
	for (size_t i = 0; i < res.chunks; i++) {
		cr_assert(le(u32, events(p, i)->raw_len, XTR_RAW_MAX));
		cr_assert(le(u32, events(p, i)->rec_len, 4u << 20));
	}
	xtr_reader_close(p);
	xtr_reader_close(r);
}

/* Records of bytes in which nothing repeats: what the codec makes larger stays as it is. */
static void check_noise(const struct xtr_pack_opts *o)
{
	enum {
		RECORDS = 500,
		SIZE = 1016
	};
	uint8_t *recs = malloc(RECORDS * SIZE);
	struct xtr_batch b = { .recs = recs, .len = RECORDS * SIZE, .n = RECORDS };
	struct xtr_pack_result res;
	struct xtr_reader *r, *p;
	uint64_t seed = 1;
	struct trace t;

	for (uint32_t i = 0; i < RECORDS; i++) {
		uint8_t *rec = recs + (size_t)i * SIZE;

		trace_record(rec, &seed, i, 3000, SIZE);
		xtr_put_le32(rec + 12, 7);
		for (uint32_t k = 16; k < SIZE; k++)
			rec[k] = (uint8_t)trace_random(&seed, 256);
	}
	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	cr_assert(eq(int, xtr_writer_events(t.w, &b), 0));
	r = finished(&t);
	p = packed(r, o, &res);
	cr_assert(eq(u64, check_same_events(r, p), RECORDS));
	cr_assert(eq(u64, res.chunks, 1));
	cr_assert(eq(u8, events(p, 0)->filter, XTR_FILTER_COLUMNS), "the heads get smaller");
	cr_assert(eq(u8, events(p, 0)->codec, XTR_CODEC_NONE));
	cr_assert(eq(u32, events(p, 0)->stored_len, events(p, 0)->raw_len));
	cr_assert(lt(u64, res.stored, res.stored_before));
	xtr_reader_close(p);
	xtr_reader_close(r);
	free(recs);
}

Test(pack, what_the_codec_makes_larger_is_stored_without_it)
{
	check_noise(&lz4);
	if (XTR_ZSTD_KNOWN)
		check_noise(&zstd);
}

/* A merge holds a chunk of each stream: of many streams groups are as small as a recorder's. */
Test(pack, groups_of_many_streams_are_small)
{
	for (uint32_t streams = 1; streams < 1000; streams += 199) {
		struct xtr_pack_opts o = lz4;
		struct xtr_pack_result res;
		struct xtr_reader *r, *p;
		struct trace t;

		o.threads = 1000; /* of which it takes as many as are of use */
		cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
		for (uint32_t i = 0; i < 3; i++)
			batch(&t, 0, 100000ull * i, 5000, 48, 0);
		for (uint32_t i = 1; i < streams; i++)
			batch(&t, i, 5, 2, 48, 0);
		r = finished(&t);
		p = packed(r, &o, &res);
		cr_assert(eq(u64, check_same_events(r, p), 15000 + 2 * (streams - 1)));
		/* 240,000 bytes each: three in one group, or two, as 512 KiB are not enough. */
		cr_assert(eq(u32, events(p, 0)->n_records, streams == 1 ? 15000 : 10000));
		cr_assert(eq(u64, res.chunks, streams == 1 ? 1 : streams + 1));
		xtr_reader_close(p);
		xtr_reader_close(r);
	}
}

struct told {
	uint64_t times, done, all;
};

static void tell(void *ctx, uint64_t done, uint64_t all)
{
	struct told *t = ctx;

	cr_assert(gt(u64, done, t->done));
	cr_assert(t->times == 0 || all == t->all);
	*t = (struct told){ t->times + 1, done, all };
}

Test(pack, progress_is_told)
{
	struct xtr_io *io = trace_make(4, 50, 7, NULL);
	struct xtr_reader *r = trace_read_back(io);
	struct xtr_pack_opts o = lz4;
	struct xtr_pack_result res;
	struct told t = { 0 };

	o.progress = tell;
	o.ctx = &t;
	xtr_reader_close(packed(r, &o, &res));
	cr_assert(gt(u64, t.times, 1));
	cr_assert(eq(u64, t.all, xtr_section_n_chunks(xtr_reader_section(r, 0))));
	cr_assert(eq(u64, t.done, t.all));
	xtr_reader_close(r);
	xtr_io_close(io);
}

static struct xtr_reader *with_chunk(uint8_t type, uint8_t props, const struct xtr_pack_opts *o,
				     struct xtr_pack_result *res)
{
	struct xtr_reader *r, *p;
	const uint8_t *at;
	struct trace t;
	uint8_t *data;
	size_t n, off;

	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	off = (size_t)xtr_writer_bytes(t.w);
	cr_assert(eq(int, xtr_writer_attach(t.w, "a", "b", 1), 0));
	batch(&t, 0, 5, 10, 48, 0);
	cr_assert(eq(int, xtr_writer_finish(t.w, "end", NULL), 0));
	at = xtr_io_mem_data(t.io, &n);
	data = malloc(n);
	memcpy(data, at, n);
	trace_close(&t, false);
	data[off + 4] = type;
	data[off + 7] = props;
	xtr_put_le32(data + off + 76, xtr_crc32c(data + off, 76));
	cr_assert(eq(int, trace_read(&r, data, n, NULL), 0));
	free(data);
	p = packed(r, o, res);
	xtr_reader_close(r);
	return p;
}

Test(pack, unknown_chunks_are_copied_if_they_may_be)
{
	struct xtr_pack_result res;

	xtr_reader_close(with_chunk(0x90, XTR_PROP_SAFE_TO_COPY, &lz4, &res));
	cr_assert(eq(u64, res.left_out, 0));
	xtr_reader_close(with_chunk(0x90, 0, &lz4, &res));
	cr_assert(eq(u64, res.left_out, 1));
	xtr_reader_close(with_chunk(XTR_CHUNK_ATTACH, XTR_PROP_SAFE_TO_COPY, &lz4, &res));
	cr_assert(eq(u64, res.left_out, 0));
}

Test(pack, options_that_are_wrong)
{
	struct xtr_io *io = trace_make(1, 20, 7, NULL);
	struct xtr_reader *r = trace_read_back(io);
	struct xtr_pack_result res;
	struct xtr_pack_opts o = lz4;

	o.level = 13;
	cr_assert(eq(int, xtr_pack(r, xtr_reader_section(r, 0), io, &o, &res), -EINVAL));
	o.level = -1;
	cr_assert(eq(int, xtr_pack(r, xtr_reader_section(r, 0), io, &o, &res), -EINVAL));
	o.level = 0;
	o.codec = XTR_CODEC_NONE;
	cr_assert(eq(int, xtr_pack(r, xtr_reader_section(r, 0), io, &o, &res), -EINVAL));
	xtr_reader_close(r);
	xtr_io_close(io);
}

/* What is not whole is for xtr_recover; here it fails, and says so. */
Test(pack, damage_is_an_error)
{
	struct xtr_io *io = trace_make(2, 500, 7, NULL), *out;
	struct xtr_pack_result res;
	struct xtr_reader *r;
	const uint8_t *p;
	uint8_t *copy;
	size_t n;

	p = xtr_io_mem_data(io, &n);
	copy = malloc(n);
	memcpy(copy, p, n);
	cr_assert(eq(int, trace_read(&r, copy, n, NULL), 0));
	copy[events(r, 1)->offset + 90] ^= 1;
	xtr_reader_close(r);
	cr_assert(eq(int, trace_read(&r, copy, n, NULL), 0));
	cr_assert(eq(int, xtr_io_mem_new(&out), 0));
	cr_assert(eq(int, xtr_pack(r, xtr_reader_section(r, 0), out, &lz4, &res), -EBADMSG));
	xtr_io_close(out);
	xtr_reader_close(r);
	free(copy);
	xtr_io_close(io);
}

/* Damage in a packed section: recover keeps the flags and counts what is gone. */
Test(pack, what_is_packed_is_recovered)
{
	const struct xtr_recover_opts o = { .sz = sizeof(o) };
	struct xtr_io *io = trace_make(4, 500, 3, NULL), *out, *mended;
	struct xtr_reader *r = trace_read_back(io), *p, *d, *m;
	struct xtr_recover_result rr;
	struct xtr_pack_result res;
	const uint8_t *bytes;
	uint8_t *copy;
	uint32_t gone;
	size_t n;

	cr_assert(eq(int, xtr_io_mem_new(&out), 0));
	cr_assert(eq(int, xtr_pack(r, xtr_reader_section(r, 0), out, &lz4, &res), 0));
	p = trace_read_back(out);
	gone = events(p, 1)->n_records;
	bytes = xtr_io_mem_data(out, &n);
	copy = malloc(n);
	memcpy(copy, bytes, n);
	copy[events(p, 1)->offset + 85] ^= 1;
	cr_assert(eq(int, trace_read(&d, copy, n, NULL), 0));
	cr_assert(eq(int, xtr_reader_verify(d, NULL, NULL), 0));
	cr_assert(eq(int, xtr_io_mem_new(&mended), 0));
	cr_assert(eq(int, xtr_recover(d, 0, mended, &o, &rr), 0));
	cr_assert(eq(u64, rr.missing, gone));
	cr_assert(eq(u64, rr.events + gone, res.events));
	m = trace_read_back(mended);
	cr_assert(eq(u32, flags_of(m), XTR_INCOMPAT_COLUMNS));
	cr_assert(eq(sz, xtr_reader_n_problems(m), 0));
	xtr_reader_close(m);
	xtr_reader_close(d);
	xtr_reader_close(p);
	xtr_reader_close(r);
	xtr_io_close(mended);
	xtr_io_close(out);
	xtr_io_close(io);
	free(copy);
}

struct oom {
	const struct xtr_reader *r;
	struct xtr_pack_opts o;
};

static int pack_it(void *arg)
{
	struct oom *a = arg;
	struct xtr_pack_result res;
	struct xtr_io *io;
	int err = xtr_io_mem_new(&io);

	if (err)
		return err;
	err = xtr_pack(a->r, xtr_reader_section(a->r, 0), io, &a->o, &res);
	xtr_io_close(io);
	return err;
}

Test(pack, without_memory)
{
	struct xtr_io *io = trace_make(2, 30, 7, NULL);
	struct xtr_reader *r = trace_read_back(io);
	struct oom a = { .r = r, .o = lz4 };

	cr_assert(ge(u32, oom_each(pack_it, &a, 0), 60));
	a.o.threads = 2; /* a thread that cannot be started: the caller does its work */
	cr_assert(ge(u32, oom_each(pack_it, &a, 10), 60));
#ifdef HAVE_ZSTD
	a.o = zstd;
	cr_assert(ge(u32, oom_each(pack_it, &a, 0), 60));
#endif
	xtr_reader_close(r);
	xtr_io_close(io);
}
