/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/codec/refs.h"
#include "format/codec/words.h"
#include "oom.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	N = 3000,
	ALL = 1 << 20 /* bytes of records that a chunk may hold here */
};

struct words {
	struct xtr_words_enc *enc;
	struct xtr_words_dec dec;
	struct xtr_refs refs;
};

static struct words begin(void)
{
	struct words w = { .enc = xtr_words_enc_new() };

	cr_assert(w.enc != NULL);
	return w;
}

static void end(struct words *w)
{
	xtr_words_enc_free(w->enc);
	xtr_words_dec_free(&w->dec);
	xtr_refs_free(&w->refs);
}

/* The second word of a record's header. */
static uint64_t head(uint32_t type, uint32_t size, uint32_t tid)
{
	return type | (uint64_t)size << 16 | (uint64_t)tid << 32;
}

static int decode(struct words *w, const void *in, size_t len, uint32_t n, uint8_t *out,
		  size_t rec_len)
{
	uint8_t *copy = malloc(len + 1); /* of its size, so that a byte too many is seen */
	struct xtr_rec_span span;
	int err;

	copy = realloc(copy, len ? len : 1);
	memcpy(copy, in, len);
	err = xtr_words_decode(&w->dec, copy, len, n, out, rec_len, &span);
	free(copy);
	return err;
}

/* Un-filtered, a payload gives these records, and no part of it gives any. */
static void comes_back(struct words *w, const struct xtr_filtered *f, const uint8_t *recs)
{
	uint8_t *out = malloc(f->taken + 1), *copy = malloc(f->len);
	struct xtr_rec_span span, want;

	memcpy(copy, f->data, f->len);
	out[f->taken] = 0xa5;
	cr_assert(eq(int, xtr_words_decode(&w->dec, copy, f->len, f->n, out, f->taken, &span), 0));
	cr_assert(eq(int, memcmp(out, recs, f->taken), 0));
	cr_assert(eq(u8, out[f->taken], 0xa5));
	cr_assert(xtr_records_check(recs, f->taken, f->n, &want));
	cr_assert(eq(u64, span.ts_min, want.ts_min));
	cr_assert(eq(u64, span.ts_max, want.ts_max));
	cr_assert(eq(int, span.sorted, want.sorted));
	for (size_t cut = 0; cut < f->len; cut += 1 + cut / 20)
		cr_assert(eq(int, decode(w, copy, cut, f->n, out, f->taken), -EBADMSG));
	free(copy);
	free(out);
}

/* Filter and un-filter all of them, in chunks of at most max bytes; the length in between. */
static size_t there_and_back(struct words *w, const uint8_t *recs, uint32_t n, size_t max)
{
	size_t raw = 0;

	while (n) {
		struct xtr_filtered f;

		cr_assert(eq(int, xtr_refs_to(&w->refs, recs, n), 0));
		cr_assert(eq(int,
			     xtr_words_encode(w->enc, w->refs.layouts, w->refs.n_layouts,
					      w->refs.refs, n, max, &f),
			     0));
		cr_assert(f.n > 0 && f.n <= n && f.len <= XTR_RAW_MAX);
		cr_assert(f.n == 1 || f.taken <= max);
		cr_assert(eq(u64, f.ts_last, w->refs.refs[f.n - 1].ts));
		comes_back(w, &f, recs);
		raw += f.len;
		recs += f.taken;
		n -= f.n;
	}
	return raw;
}

Test(words, what_is_filtered_comes_back)
{
	uint8_t *recs = malloc(N * 4000);
	struct words w = begin();

	for (uint64_t seed = 1; seed <= 12; seed++) {
		uint32_t n = seed < 4 ? (uint32_t)seed : N / (uint32_t)seed;

		trace_mixed(recs, seed, n);
		there_and_back(&w, recs, n, seed % 2 ? ALL : 10000);
	}
	end(&w);
	free(recs);
}

/* Records that are equal but for their time take a byte or two; so do those that alternate. */
Test(words, what_repeats_is_small)
{
	uint8_t *recs = calloc(N, 64), *rec = recs;
	struct words w = begin();

	for (uint32_t i = 0; i < N; rec += 24 + i % 2 * 40, i++) {
		xtr_put_le64(rec, 1000000 + i * 1000ull + i % 200);
		xtr_put_le64(rec + 8, head(1024 + i % 2, 24 + i % 2 * 40, 7));
		xtr_put_le32(rec + 20, 12345);
	}
	cr_expect(lt(sz, there_and_back(&w, recs, N, ALL), N * 3 + 300));
	end(&w);
	free(recs);
}

/* Differences of times of every length, forwards and backwards. */
Test(words, times_may_go_anywhere)
{
	static const uint64_t far[] = { 0,
					1,
					255,
					256,
					65534,
					65535,
					65536,
					0xfffffffe,
					0xffffffff,
					1ull << 32,
					1ull << 63,
					UINT64_MAX,
					UINT64_MAX - 70000 };
	enum {
		FAR = sizeof(far) / sizeof(far[0])
	};
	uint8_t recs[1000 * 16];
	struct words w = begin();
	uint64_t ts = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		/* Most of them around 700 and 65,400: the base is not 0, and some are below it. */
		ts += i % 3 ? 700 + i % 7 * 10 : far[i / 3 % FAR];
		xtr_put_le64(recs + 16 * i, ts);
		xtr_put_le64(recs + 16 * i + 8, head(16, 16, i / 100));
	}
	there_and_back(&w, recs, 1000, ALL);
	end(&w);
}

/* What is not copied is zero, and what is copied need not be whole words. */
Test(words, payloads_may_be_shorter_than_records)
{
	static const uint8_t bytes[4][41] = { "abcdefghijklmnopqrstuvwxyz0123456789ABCD",
					      "abcdefghijkLmnopqrstuvwxyz0123456789aBCD",
					      "abcdefghijkLmnopqrstuvwxyz0123456789aBCD",
					      "abcdefgHijkLmnopqrstuvwxyz0123456789aBCd" };
	uint8_t recs[4 * 64], back[4 * 64];
	struct words w = begin();

	for (uint16_t copy = 0; copy <= 40; copy++) {
		const struct xtr_rec_layout l = { .type = 2000, .size = 64, .copy = copy };
		struct xtr_rec_ref refs[4];
		struct xtr_filtered f;

		for (uint32_t i = 0; i < 4; i++) {
			refs[i] = (struct xtr_rec_ref){ 1000 + i, bytes[i], 42, 0 };
			xtr_rec_make(recs + 64 * i, &l, &refs[i]);
		}
		cr_assert(eq(int, xtr_words_encode(w.enc, &l, 1, refs, 4, ALL, &f), 0));
		cr_assert(eq(u32, f.n, 4));
		cr_assert(eq(int, decode(&w, f.data, f.len, 4, back, sizeof(back)), 0));
		cr_assert(eq(int, memcmp(back, recs, sizeof(recs)), 0), "%u bytes", copy);
	}
	end(&w);
}

Test(words, a_layout_that_is_none_is_refused)
{
	static const struct xtr_rec_layout bad[] = {
		{ 16, 8, 0 }, { 16, 20, 4 }, { 16, 24, 9 }, { 16, 0, 0 }
	};
	const struct xtr_rec_ref ref = { 1, (const uint8_t *)"12345678", 1, 0 };
	const struct xtr_rec_layout good = { 16, 24, 8 };
	const struct xtr_rec_ref beyond = { .layout = 1 };
	struct words w = begin();
	struct xtr_filtered f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect(eq(int, xtr_words_encode(w.enc, &bad[i], 1, &ref, 1, ALL, &f), -EINVAL));
	cr_expect(eq(int, xtr_words_encode(w.enc, &good, 1, &beyond, 1, ALL, &f), -EINVAL));
	cr_expect(eq(int, xtr_words_encode(w.enc, &good, 1, &ref, 1, ALL, &f), 0));
	end(&w);
}

/* More layouts, more words, and more bytes than a chunk may have. */
Test(words, a_chunk_holds_what_it_can)
{
	uint8_t *recs = calloc(200, 65528), *rec = recs;
	struct words w = begin();

	for (uint32_t i = 0; i < 200; i++, rec += 24)
		xtr_put_le64(rec + 8, head(1024 + i, 24, 0));
	there_and_back(&w, recs, 200, ALL);
	rec = recs;
	for (uint32_t i = 0; i < 200; i++, rec += 65528) {
		xtr_put_le64(rec, i);
		xtr_put_le64(rec + 8, head(1024 + i % 100, 65528, 0));
		memset(rec + 16, (int)i, 65512);
	}
	there_and_back(&w, recs, 200, ALL);
	there_and_back(&w, recs, 200, XTR_REC_MAX);
	end(&w);
	free(recs);
}

/* --- what is not right ------------------------------------------------------------------------ */

struct wrong {
	const char *what;
	const char *bytes;
	size_t len;
	uint32_t n;
	size_t rec_len;
};
#define BYTES(s) s, sizeof(s) - 1

/* One layout, type 16, 24 bytes, base 0. */
#define L24 "\x01\x10\x18\x00"

static const struct wrong wrongs[] = {
	{ "nothing at all", BYTES(""), 0, 0 },
	{ "records of no layout", BYTES("\0"), 1, 24 },
	{ "a head beyond the layouts", BYTES(L24 "\x01\x02\x01\x01\x01\0\x01\0"), 1, 24 },
	{ "129 layouts", BYTES("\x81\x01"), 0, 0 },
	{ "a size that is no multiple of 8", BYTES("\x01\x10\x14\0"), 0, 0 },
	{ "a size below a header's", BYTES("\x01\x10\x08\0"), 0, 0 },
	{ "a size of 65,536", BYTES("\x01\x10\x80\x80\x04\0"), 0, 0 },
	{ "a type of 65,536", BYTES("\x01\x80\x80\x04\x18\0"), 0, 0 },
	{ "a base of 65,535", BYTES("\x01\x10\x18\xff\xff\x03"), 0, 0 },
	{ "a varint that is too long", BYTES("\x01\x90\0\x18\0"), 0, 0 },
	{ "something behind the planes", BYTES(L24 "\x01"), 0, 0 },
	{ "a plane of form 2", BYTES(L24 "\x02\0\x01\x01\x01\0\x01\0"), 1, 24 },
	{ "records of another length", BYTES(L24 "\x01\0\x01\x01\x01\0\x01\0"), 1, 32 },
	{ "a bit beyond the words", BYTES(L24 "\x01\0\x01\x01\x01\0\x01\x04"), 1, 24 },
	{ "a difference that is missing", BYTES(L24 "\x01\0\x01\xff\x01\xff\x01\0"), 1, 24 },
	{ "a thread that is missing", BYTES(L24 "\x01\x01\x01\x01\x01\0\x01\0"), 1, 24 },
	{ "a word that is missing", BYTES(L24 "\x01\0\x01\x01\x01\0\x01\x01"), 1, 24 },
	{ "a word without its last byte",
	  BYTES(L24 "\x01\0\x01\x01\x01\0\x01\x01\x01\0\x01\0\x01\0\x01"), 1, 24 },
	{ "a byte too many", BYTES(L24 "\x01\0\x01\x01\x01\0\x01\0\0"), 1, 24 },
};

Test(words, what_is_wrong_is_refused)
{
	static const char good[] = L24 "\x01\0\x01\x01\x01\0\x01\0";
	uint8_t out[64];
	struct words w = begin();

	cr_assert(eq(int, decode(&w, good, sizeof(good) - 1, 1, out, 24), 0));
	cr_assert(eq(u64, xtr_rec_ts(out), 1));
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
		cr_expect(eq(int,
			     decode(&w, wrongs[i].bytes, wrongs[i].len, wrongs[i].n, out,
				    wrongs[i].rec_len),
			     -EBADMSG),
			  "%s", wrongs[i].what);
	cr_expect(eq(int, decode(&w, "\0", 1, 0, out, 0), 0));
	cr_expect(eq(int, decode(&w, "\0", 1, XTR_RECORDS_MAX + 1, out, 0), -EBADMSG));
	cr_expect(eq(int, decode(&w, "\0", 1, 0, out, XTR_REC_MAX + 1), -EBADMSG));
	end(&w);
}

/* Words of all layouts are limited, too: four of the longest and then some. */
Test(words, too_many_words_are_refused)
{
	static const char five[] = "\x05\x10\xf8\xff\x03\0\x11\xf8\xff\x03\0\x12\xf8\xff\x03\0"
				   "\x13\xf8\xff\x03\0\x14\xf8\xff\x03\0";
	static const char four[] = "\x04\x10\xf8\xff\x03\0\x11\xf8\xff\x03\0\x12\xf8\xff\x03\0"
				   "\x13\xf8\xff\x03\0";
	struct words w = begin();
	uint8_t out[1];

	cr_expect(eq(int, decode(&w, four, sizeof(four) - 1, 0, out, 0), 0));
	cr_expect(eq(int, decode(&w, five, sizeof(five) - 1, 0, out, 0), -EBADMSG));
	end(&w);
}

/* A plane whose bytes are all equal but for the first one takes three, however many they are. */
Test(words, few_bytes_can_be_many_records)
{
	static const char even[] = "\x01\x10\x18\0"
				   "\0\x01\0"
				   "\0\xff\x02"
				   "\0\xff\0"
				   "\x01\x10\x01\x20\x01\0\x01\0"
				   "\x01\x07\x01\0\x01\0\x01\0"
				   "\0\x02\0"
				   "\x01\x05\x01\x06\x01\x07\x01\x08";
	const uint32_t n = XTR_RECORDS_MAX;
	uint8_t *out = malloc((size_t)n * 24);
	struct words w = begin();

	cr_assert(eq(int, decode(&w, even, sizeof(even) - 1, n, out, (size_t)n * 24), 0));
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *rec = out + (size_t)i * 24;

		cr_assert(eq(u64, xtr_rec_ts(rec), 0x2010 + 2ull * i));
		cr_assert(eq(u32, xtr_rec_tid(rec), 7));
		cr_assert(eq(u64, xtr_le64(rec + 16), 0x0807060500000000));
	}
	free(out);
	end(&w);
}

/* Any byte of a payload changed: another content or none, and no harm (see the fuzz target). */
Test(words, every_byte_may_be_wrong)
{
	uint8_t *recs = malloc(300 * 4000), *out, *copy;
	struct words w = begin();
	size_t len = trace_mixed(recs, 5, 300);
	struct xtr_filtered f;
	uint32_t right = 0;

	cr_assert(eq(int, xtr_refs_to(&w.refs, recs, 300), 0));
	cr_assert(eq(int,
		     xtr_words_encode(w.enc, w.refs.layouts, w.refs.n_layouts, w.refs.refs, 300,
				      ALL, &f),
		     0));
	out = malloc(f.taken);
	copy = malloc(f.len);
	memcpy(copy, f.data, f.len);
	for (size_t i = 0; i < f.len; i++) {
		copy[i] ^= 0x11;
		if (!decode(&w, copy, f.len, f.n, out, f.taken)) {
			struct xtr_rec_span span;

			right++;
			cr_assert(xtr_records_check(out, f.taken, f.n, &span));
		}
		copy[i] ^= 0x11;
	}
	cr_expect(right > 0 && len);
	free(copy);
	free(out);
	free(recs);
	end(&w);
}

static int all_of_it(void *ctx)
{
	const uint8_t *recs = ctx;
	struct xtr_words_enc *enc = xtr_words_enc_new();
	struct xtr_words_dec dec = { 0 };
	struct xtr_refs refs = { 0 };
	struct xtr_rec_span span;
	struct xtr_filtered f;
	uint8_t *out = NULL;
	int err = enc ? xtr_refs_to(&refs, recs, 100) : -ENOMEM;

	if (!err)
		err = xtr_words_encode(enc, refs.layouts, refs.n_layouts, refs.refs, 100, ALL, &f);
	if (!err) {
		out = malloc(f.taken);
		err = out ? xtr_words_decode(&dec, f.data, f.len, f.n, out, f.taken, &span)
			  : -ENOMEM;
	}
	free(out);
	xtr_words_enc_free(enc);
	xtr_words_dec_free(&dec);
	xtr_refs_free(&refs);
	return err;
}

Test(words, every_allocation_may_fail)
{
	uint8_t *recs = malloc(100 * 4000);

	trace_mixed(recs, 3, 100);
	cr_expect(ge(u32, oom_each(all_of_it, recs, 0), 9));
	free(recs);
}
