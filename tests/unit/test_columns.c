/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/codec/columns.h"
#include "format/codec/columns_rows.h"
#include "format/codec/layout.h"
#include "oom.h"
#include "fewer.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

enum {
	N = 3000
};

static struct xtr_meta *meta(void)
{
	struct xtr_field fields[] = {
		{ .name = "s", .offset = 20, .size = 9, .repr = XTR_REPR_STR },
		{ .name = "a", .offset = 16, .size = 1, .repr = XTR_REPR_U8 },
		{ .name = "b", .offset = 30, .size = 2, .repr = XTR_REPR_S16 },
		{ .name = "c", .offset = 32, .size = 16, .repr = XTR_REPR_BYTES },
	};
	struct xtr_event_desc ev = { "x:y", 2000, 48, 0, 4, fields };
	struct xtr_meta *m = xtr_meta_new();

	for (size_t i = 0; i < xtr_builtin_event_count; i++)
		cr_assert(eq(int, xtr_meta_add_event(m, &xtr_builtin_events[i]), 0));
	cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	return m;
}

typedef int encode_fn(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n, size_t rec_len,
		      const uint8_t **out, size_t *len);

static encode_fn *const encoders[] = { xtr_columns_encode, xtr_columns_encode_fast };
enum {
	ENCODERS = sizeof(encoders) / sizeof(encoders[0])
};

/* Filter and un-filter; the length in between. */
static size_t there_and_back_by(encode_fn *encode, struct xtr_columns_enc *enc,
				struct xtr_columns_dec *dec, const uint8_t *recs, uint32_t n,
				size_t len)
{
	uint8_t *out = malloc(len + 1), *copy;
	struct xtr_rec_span span, want;
	const uint8_t *p = NULL;
	size_t raw = 0;

	cr_assert(eq(int, encode(enc, recs, n, len, &p, &raw), 0));
	copy = malloc(raw); /* of its size, so that a byte too many is seen */
	memcpy(copy, p, raw);
	out[len] = 0xa5;
	cr_assert(eq(int, xtr_columns_decode(dec, copy, raw, n, out, len, &span), 0));
	cr_assert(eq(int, memcmp(out, recs, len), 0));
	cr_assert(eq(u8, out[len], 0xa5));
	cr_assert(xtr_records_check(recs, len, n, &want));
	cr_assert(eq(u64, span.ts_min, want.ts_min));
	cr_assert(eq(u64, span.ts_max, want.ts_max));
	cr_assert(eq(int, span.sorted, want.sorted));
	for (size_t cut = 0; cut < raw; cut += 1 + cut / 20)
		cr_assert(
			eq(int, xtr_columns_decode(dec, copy, cut, n, out, len, &span), -EBADMSG));
	free(copy);
	free(out);
	return raw;
}

/* The same by each encoder; the length by the first one, which takes its time. */
static size_t there_and_back(struct xtr_columns_enc *enc, struct xtr_columns_dec *dec,
			     const uint8_t *recs, uint32_t n, size_t len)
{
	size_t raw = there_and_back_by(encoders[0], enc, dec, recs, n, len);

	for (size_t i = 1; i < ENCODERS; i++)
		there_and_back_by(encoders[i], enc, dec, recs, n, len);
	return raw;
}

Test(columns, what_is_filtered_comes_back)
{
	uint8_t *recs = malloc(N * 4000);
	struct xtr_meta *m = meta();
	struct xtr_columns_enc *enc = xtr_columns_enc_new(m);
	struct xtr_columns_dec dec = { 0 };

	for (uint64_t seed = 1; seed <= 12; seed++) {
		uint32_t n = seed < 4 ? (uint32_t)seed : N / (uint32_t)seed;
		size_t len = trace_mixed(recs, seed, n);

		there_and_back(enc, &dec, recs, n, len);
	}
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	xtr_meta_free(m);
	free(recs);
}

/* Fields that follow from a key, counters, constants and text take next to nothing. */
Test(columns, what_repeats_is_small)
{
	struct xtr_meta *m = meta();
	struct xtr_columns_enc *enc = xtr_columns_enc_new(m);
	struct xtr_columns_dec dec = { 0 };
	uint8_t *recs = calloc(N, 48);
	static uint8_t lz[N * 48];
	const uint8_t *p = NULL;
	uint64_t seed = 5;
	size_t raw = 0;

	for (uint32_t i = 0; i < N; i++) {
		uint8_t *rec = recs + (size_t)i * 48;
		uint32_t tid = 1000 + (uint32_t)trace_random(&seed, 7);

		xtr_put_le64(rec, 1000000 + i * 100ull);
		xtr_put_le64(rec + 8, 2000 | 48ull << 16 | (uint64_t)tid << 32);
		rec[16] = 7;
		memcpy(rec + 20, "the same", 8);
		xtr_put_le16(rec + 30, (uint16_t)(tid * 3));
		memset(rec + 32, (int)(tid & 255), 16);
	}
	there_and_back(enc, &dec, recs, N, (size_t)N * 48);
	cr_assert(eq(int, xtr_columns_encode(enc, recs, N, (size_t)N * 48, &p, &raw), 0));
	/* Which of 7 threads it is takes about 5 bits; nothing else is new. */
	cr_assert(le(int, LZ4_compress_default((const char *)p, (char *)lz, (int)raw, sizeof(lz)),
		     N * 5 / 8 + 400));
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	xtr_meta_free(m);
	free(recs);
}

Test(columns, extremes_come_back)
{
	const uint64_t values[] = { 0,
				    UINT64_MAX,
				    1,
				    UINT64_MAX / 2,
				    1ull << 63,
				    1ull << 56,
				    (1ull << 57) - 1,
				    (1ull << 55) - 1,
				    127,
				    128 };
	enum {
		VALUES = sizeof(values) / sizeof(values[0])
	};
	struct xtr_columns_enc *enc;
	struct xtr_columns_dec dec = { 0 };
	struct xtr_meta *m = meta();
	uint8_t recs[VALUES * 24];

	enc = xtr_columns_enc_new(m);
	for (size_t i = 0; i < VALUES; i++)
		for (size_t k = 0; k < VALUES; k++) {
			for (size_t r = 0; r < VALUES; r++) {
				uint8_t *rec = recs + r * 24;

				xtr_put_le64(rec, values[(r * k) % VALUES]);
				xtr_put_le64(rec + 8,
					     3000 | 24ull << 16 | values[(r + i) % VALUES] << 32);
				xtr_put_le64(rec + 16, values[(r * i + k) % VALUES]);
			}
			there_and_back(enc, &dec, recs, VALUES, sizeof(recs));
		}
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	xtr_meta_free(m);
}

Test(columns, what_is_too_large_is_said)
{
	const size_t big = 65528;
	struct xtr_meta *m = meta();
	uint8_t *recs = malloc(2u << 20);
	const uint8_t *p;
	uint64_t seed = 1;
	size_t len, at;

	for (size_t e = 0; e < ENCODERS; e++) {
		struct xtr_columns_enc *enc = xtr_columns_enc_new(m);
		encode_fn *encode = encoders[e];

		trace_record(recs, &seed, 5, 3000, (uint32_t)big);
		cr_assert(eq(int, encode(enc, recs, 1, big, &p, &len), -EOPNOTSUPP),
			  "no layout has so many fields");
		at = 0;
		for (uint32_t i = 0; i < 2000; i++, at += 1016)
			trace_record(recs + at, &seed, i, 3000, 1016);
		cr_assert(eq(int, encode(enc, recs, 2000, at, &p, &len), -E2BIG));
		cr_assert(eq(int, encode(enc, recs, 900, 900 * 1016, &p, &len), 0));
		cr_assert(eq(int, encode(enc, recs, 0, 0, &p, &len), -EINVAL));
		cr_assert(eq(int, encode(enc, recs, 65537, 8, &p, &len), -EINVAL));
		at = 0;
		for (uint32_t i = 0; i < 1025; i++, at += 16)
			trace_record(recs + at, &seed, i, i, 16);
		cr_assert(eq(int, encode(enc, recs, 1024, 1024 * 16, &p, &len), 0));
		cr_assert(eq(int, encode(enc, recs, 1025, at, &p, &len), -EOPNOTSUPP),
			  "more layouts than there may be");
		xtr_columns_enc_free(enc);
	}
	xtr_meta_free(m);
	free(recs);
}

/* Layouts of chunks before, as many as there may be, give way to those of this one. */
Test(columns, many_layouts_over_several_chunks)
{
	uint8_t *recs = malloc(1000 * 16);
	struct xtr_columns_enc *enc = xtr_columns_enc_new(xtr_meta_none());
	struct xtr_columns_dec dec = { 0 };
	uint64_t seed = 1;

	for (uint32_t chunk = 0; chunk < 5; chunk++) {
		for (uint32_t i = 0; i < 1000; i++)
			trace_record(recs + i * 16, &seed, i, chunk * 700 + i, 16);
		there_and_back(enc, &dec, recs, 1000, 1000 * 16);
	}
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	free(recs);
}

/* Chunks that are alike: what was learned from the first one makes the next ones nearly as small.
 */
Test(columns, the_fast_encoder_learns)
{
	struct xtr_columns_enc *enc = xtr_columns_enc_new(xtr_meta_none());
	struct xtr_columns_dec dec = { 0 };
	uint8_t *recs = calloc(N, 40);
	size_t best, first = 0, fast = 0;
	uint64_t seed = 5, ts = 0;

	for (uint32_t chunk = 0; chunk < 4; chunk++) {
		for (uint32_t i = 0; i < N; i++) {
			uint8_t *rec = recs + (size_t)i * 40;
			uint64_t tid = 1000 + trace_random(&seed, 7);

			ts += trace_random(&seed, 4000);
			xtr_put_le64(rec, ts);
			xtr_put_le64(rec + 8, 2000 | 40ull << 16 | tid << 32);
			xtr_put_le64(rec + 16, tid * tid * 1000003);
			xtr_put_le64(rec + 24, i);
			xtr_put_le64(rec + 32, trace_random(&seed, 100));
		}
		fast = there_and_back_by(xtr_columns_encode_fast, enc, &dec, recs, N,
					 (size_t)N * 40);
		first = first ? first : fast;
	}
	best = there_and_back_by(xtr_columns_encode, enc, &dec, recs, N, (size_t)N * 40);
	cr_assert(le(sz, fast, best + best / 20));
	cr_assert(le(sz, first, best + best / 20));
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	free(recs);
}

/* Numbers around 0 that nothing tells before: both encoders write them as they are, with a sign. */
Test(columns, small_numbers_of_both_signs)
{
	struct xtr_meta *m = meta();
	struct xtr_columns_enc *enc = xtr_columns_enc_new(m);
	struct xtr_columns_dec dec = { 0 };
	uint8_t *recs = calloc(N, 48);
	size_t best, fast;
	uint64_t seed = 5;

	for (uint32_t i = 0; i < N; i++) {
		uint8_t *rec = recs + (size_t)i * 48;

		xtr_put_le64(rec, (i + 1) * 10ull);
		xtr_put_le64(rec + 8, 2000 | 48ull << 16 | 7ull << 32);
		xtr_put_le16(rec + 30, (uint16_t)(trace_random(&seed, 16) - 8));
	}
	best = there_and_back_by(xtr_columns_encode, enc, &dec, recs, N, (size_t)N * 48);
	fast = there_and_back_by(xtr_columns_encode_fast, enc, &dec, recs, N, (size_t)N * 48);
	cr_assert(le(sz, best, N * 6 / 8), "4 bits each, and what tells how many there are");
	cr_assert(le(sz, fast, best + best / 20));
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	xtr_meta_free(m);
	free(recs);
}

/* Nothing of one kind of data is left in what is made of another. */
Test(columns, what_was_learned_may_be_wrong)
{
	struct xtr_columns_enc *enc = xtr_columns_enc_new(xtr_meta_none());
	struct xtr_columns_dec dec = { 0 };
	uint8_t *recs = calloc(N, 32);
	uint64_t seed = 5;

	for (uint32_t kind = 0; kind < 12; kind++) {
		for (uint32_t i = 0; i < N; i++) {
			uint8_t *rec = recs + (size_t)i * 32;

			trace_record(rec, &seed, i * 10, 2000, 32);
			if (kind % 2) /* constants, then any bits */
				memset(rec + 12, (int)kind, 20);
			else if (kind % 3)
				xtr_put_le64(rec + 16, trace_random(&seed, 1u << kind));
		}
		there_and_back_by(xtr_columns_encode_fast, enc, &dec, recs, N, (size_t)N * 32);
	}
	xtr_columns_enc_reset(enc);
	there_and_back_by(xtr_columns_encode_fast, enc, &dec, recs, N, (size_t)N * 32);
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	free(recs);
}

/* A byte changed anywhere: refused, or whole records all the same. */
Test(columns, any_bytes_are_read_safely)
{
	uint8_t *recs = malloc(200 * 4000), *out = malloc(200 * 4000), *raw;
	struct xtr_meta *m = meta();
	struct xtr_columns_enc *enc = xtr_columns_enc_new(m);
	struct xtr_columns_dec dec = { 0 };
	struct xtr_rec_span span;
	size_t len = trace_mixed(recs, 3, 200), n;
	const uint8_t *p;
	uint64_t seed = 9;

	cr_assert(eq(int, xtr_columns_encode(enc, recs, 200, len, &p, &n), 0));
	raw = malloc(n);
	for (uint32_t i = 0; i < 20000 / FEWER; i++) {
		int ret;

		memcpy(raw, p, n);
		raw[trace_random(&seed, i % 2 ? n : 300)] ^=
			(uint8_t)(1u << trace_random(&seed, 8));
		ret = xtr_columns_decode(&dec, raw, n, 200, out, len, &span);
		cr_assert(ret == 0 || ret == -EBADMSG);
		cr_assert(ret || xtr_records_check(out, len, 200, &span));
	}
	cr_assert(eq(int, xtr_columns_decode(&dec, p, n, 65537, out, len, &span), -EBADMSG));
	cr_assert(eq(int, xtr_columns_decode(&dec, p, n, 200, out, XTR_REC_MAX + 8, &span),
		     -EBADMSG));
	free(raw);
	free(out);
	free(recs);
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	xtr_meta_free(m);
}

Test(columns, slots_are_those_of_the_specification)
{
	cr_assert(eq(u32, col_slot_bits(0), 4));
	cr_assert(eq(u32, col_slot_bits(16), 4));
	cr_assert(eq(u32, col_slot_bits(17), 5));
	cr_assert(eq(u32, col_slot_bits(4096), 12));
	cr_assert(eq(u32, col_slot_bits(65536), 12));
	cr_assert(eq(u32, col_slot(1, 4), 9));
	cr_assert(eq(u32, col_slot(1, 12), 0x9e3));
	cr_assert(eq(u32, col_slot(0, 12), 0));
}

struct coded {
	const uint8_t *recs;
	encode_fn *encode;
	const struct xtr_meta *meta;
};

static int code(void *arg)
{
	const struct coded *c = arg;
	struct xtr_columns_dec dec = { 0 };
	struct xtr_columns_enc *enc;
	struct xtr_rec_span span;
	uint8_t out[50 * 48];
	const uint8_t *p;
	size_t len;
	int err = -ENOMEM;

	enc = xtr_columns_enc_new(c->meta);
	if (enc)
		err = c->encode(enc, c->recs, 50, sizeof(out), &p, &len);
	if (!err)
		err = xtr_columns_decode(&dec, p, len, 50, out, sizeof(out), &span);
	xtr_columns_enc_free(enc);
	xtr_columns_dec_free(&dec);
	return err;
}

Test(columns, without_memory)
{
	struct xtr_meta *m = meta();
	uint8_t recs[50 * 48];
	uint64_t seed = 1;

	for (uint32_t i = 0; i < 50; i++)
		trace_record(recs + i * 48, &seed, i, 2000 + i % 3, 48);
	for (size_t e = 0; e < ENCODERS; e++) {
		struct coded c = { recs, encoders[e], m };

		cr_assert(ge(u32, oom_each(code, &c, 0), 9));
	}
	xtr_meta_free(m);
}
