/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/codec/filter.h"
#include "format/codec/layout.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

enum {
	N = 3000
};

static struct xtr_meta *meta(void)
{
	struct xtr_field fields[] = {
		{ .name = "s", .offset = 20, .size = 9, .repr = XTR_REPR_STR },
		{ .name = "a", .offset = 16, .size = 1, .repr = XTR_REPR_U8 },
		{ .name = "b", .offset = 30, .size = 2, .repr = XTR_REPR_S16 },
		{ .name = "overlaps", .offset = 30, .size = 8, .repr = XTR_REPR_U64 },
	};
	struct xtr_event_desc ev = { "x:y", 2000, 48, 0, 4, fields };
	struct xtr_meta *m = xtr_meta_new();

	for (size_t i = 0; i < xtr_builtin_event_count; i++)
		cr_assert(eq(int, xtr_meta_add_event(m, &xtr_builtin_events[i]), 0));
	cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	return m;
}

Test(filter, what_is_filtered_comes_back)
{
	struct xtr_filter_dec dec = { 0 };
	struct xtr_rec_span span, want;
	struct xtr_meta *m = meta();
	struct xtr_filter_enc *enc = xtr_filter_enc_new(m);
	uint8_t *recs = malloc(N * 4096), *out = malloc(N * 4096);

	for (uint64_t seed = 1; seed < 20; seed++) {
		size_t len = trace_mixed(recs, seed, N), at = 0;
		uint32_t n = N;

		while (n) {
			struct xtr_filtered f;

			cr_assert(eq(int, xtr_filter_encode(enc, recs + at, n, 100000, &f), 0));
			cr_assert(gt(u32, f.n, 0));
			cr_assert(le(sz, f.taken, 100000));
			cr_assert(
				eq(int,
				   xtr_filter_decode(&dec, f.data, f.len, f.n, out, f.taken, &span),
				   0));
			cr_assert(zero(int, memcmp(out, recs + at, f.taken)));
			cr_assert(xtr_records_check(out, f.taken, f.n, &want));
			cr_assert(eq(u64, span.ts_min, want.ts_min));
			cr_assert(eq(u64, span.ts_max, want.ts_max));
			cr_assert(eq(int, span.sorted, want.sorted));
			at += f.taken;
			n -= f.n;
		}
		cr_assert(eq(sz, at, len));
	}
	xtr_filter_dec_free(&dec);
	xtr_filter_enc_free(enc);
	xtr_meta_free(m);
	free(recs);
	free(out);
}

/* Decoding must stay in its bounds and say no or give n records, whatever the bytes are. */
Test(filter, damaged_payloads_never_do_harm)
{
	struct xtr_filter_dec dec = { 0 };
	struct xtr_rec_span span;
	struct xtr_meta *m = meta();
	struct xtr_filter_enc *enc = xtr_filter_enc_new(m);
	uint8_t *recs = malloc(60 * 4096), *out = malloc(60 * 4096), *bad;
	struct xtr_filtered f;
	size_t refused = 0;

	trace_mixed(recs, 3, 60);
	cr_assert(eq(int, xtr_filter_encode(enc, recs, 60, 1 << 20, &f), 0));
	bad = malloc(f.len);
	for (size_t n = 0; n < f.len; n++)
		cr_assert(eq(int, xtr_filter_decode(&dec, f.data, n, f.n, out, f.taken, &span),
			     -EBADMSG),
			  "cut at %zu", n);
	for (size_t bit = 0; bit < f.len * 8; bit++) {
		struct xtr_rec_span got;
		uint8_t *exact = malloc(f.taken);
		int ret;

		memcpy(bad, f.data, f.len);
		bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ret = xtr_filter_decode(&dec, bad, f.len, f.n, exact, f.taken, &span);
		cr_assert(ret == -EBADMSG ||
			  (!ret && xtr_records_check(exact, f.taken, f.n, &got)));
		refused += ret != 0;
		free(exact);
	}
	cr_assert(gt(sz, refused, 0));
	cr_assert(eq(int, xtr_filter_decode(&dec, f.data, f.len, f.n - 1, out, f.taken, &span),
		     -EBADMSG));
	cr_assert(eq(int, xtr_filter_decode(&dec, f.data, f.len, f.n, out, f.taken - 8, &span),
		     -EBADMSG));
	free(bad);
	xtr_filter_dec_free(&dec);
	xtr_filter_enc_free(enc);
	xtr_meta_free(m);
	free(recs);
	free(out);
}

Test(filter, rules_of_the_specification)
{
	static const struct {
		const char *what;
		uint8_t p[16];
		size_t n;
		int ret;
	} cases[] = {
		{ "as it should be", { 1, 16, 24, 1, 8, 0, 2, 0 }, 8, 0 },
		{ "bit of no field", { 1, 16, 24, 1, 8, 0, 2, 2, 0 }, 9, -EBADMSG },
		{ "no such layout", { 1, 16, 24, 1, 8, 2, 2, 0 }, 8, -EBADMSG },
		{ "widths too small", { 1, 16, 24, 1, 4, 0, 2, 0 }, 8, -EBADMSG },
		{ "widths too large", { 1, 16, 24, 2, 8, 1, 0, 2, 0 }, 9, -EBADMSG },
		{ "width 3", { 1, 16, 24, 2, 3, 0x85, 0, 2, 0 }, 9, -EBADMSG },
		{ "width 0x80", { 1, 16, 24, 2, 0x80, 8, 0, 2, 0 }, 9, -EBADMSG },
		{ "size no multiple of 8", { 1, 16, 23, 1, 0x87, 0, 2, 0 }, 8, -EBADMSG },
		{ "something behind", { 1, 16, 24, 1, 8, 0, 2, 0, 0 }, 9, -EBADMSG },
		{ "long varint", { 1, 16, 24, 1, 8, 0x80, 0, 2, 0 }, 9, -EBADMSG },
		{ "value as large as it may be",
		  { 1, 16, 24, 8, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2, 1, 0xff },
		  16,
		  -EBADMSG }, /* the varint is cut */
	};
	struct xtr_filter_dec dec = { 0 };
	struct xtr_rec_span span;
	uint8_t out[24];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_assert(eq(int,
			     xtr_filter_decode(&dec, cases[i].p, cases[i].n, 1, out, 24, &span),
			     cases[i].ret),
			  "%s", cases[i].what);
	cr_assert(eq(u64, span.ts_min, 1));
	xtr_filter_dec_free(&dec);
}

Test(filter, layouts_cover_the_payload)
{
	struct xtr_meta *m = meta();
	struct xtr_layout l;
	const uint32_t sizes[] = { 16, 24, 40, 48, 72, 520, 528, 1016, 8144 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		cr_assert(xtr_layout_make(&l, xtr_meta_event(m, 2000), 2000, sizes[i]));
		cr_assert(le(u32, l.n, XTR_LAYOUT_FIELDS_MAX));
		cr_assert(l.n ? l.fields[l.n - 1].end == sizes[i] : sizes[i] == 16, "size %u",
			  sizes[i]);
	}
	cr_assert(not(xtr_layout_make(&l, NULL, 2000, 8152)),
		  "64 fields of 127 bytes are the most");
	xtr_meta_free(m);
}

Test(filter, a_record_that_no_layout_covers_is_left_to_the_plain_form)
{
	const uint32_t size = 9000; /* more than 64 fields of 127 bytes */
	struct xtr_meta *meta = xtr_meta_new();
	struct xtr_filter_enc *e = xtr_filter_enc_new(meta);
	uint8_t *rec = calloc(1, size);
	struct xtr_filtered out;
	uint64_t seed = 1;

	trace_record(rec, &seed, 1, 3000, size);
	for (int again = 0; again < 2; again++) {
		cr_assert(eq(int, xtr_filter_encode(e, rec, 1, 1 << 20, &out), 0));
		cr_assert(zero(u32, out.n));
	}
	free(rec);
	xtr_filter_enc_free(e);
	xtr_meta_free(meta);
	xtr_filter_enc_free(NULL);
}

Test(filter, a_chunk_ends_before_it_has_too_many_layouts)
{
	const uint32_t n = XTR_LAYOUTS_MAX + 10;
	struct xtr_meta *meta = xtr_meta_new();
	struct xtr_filter_enc *e = xtr_filter_enc_new(meta);
	uint8_t *recs = calloc(n, 16);
	struct xtr_filtered out;
	uint64_t seed = 1;

	for (uint32_t i = 0; i < n; i++)
		trace_record(recs + (size_t)i * 16, &seed, i, 2000 + i, 16);
	cr_assert(eq(int, xtr_filter_encode(e, recs, n, 1 << 20, &out), 0));
	cr_assert(eq(u32, out.n, XTR_LAYOUTS_MAX));
	cr_assert(eq(sz, out.taken, XTR_LAYOUTS_MAX * 16));
	free(recs);
	xtr_filter_enc_free(e);
	xtr_meta_free(meta);
}
