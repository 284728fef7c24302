/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/meta/cbor.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define BYTES(...)                                                        \
	{                                                                 \
		{ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }) \
	}

struct sample {
	uint8_t p[16];
	size_t n;
};

static bool right(const uint8_t *p, size_t n)
{
	size_t bad;

	return xtr_cbor_check(p, n, &bad);
}

Test(cborcheck, right_items)
{
	static const struct sample good[] = {
		BYTES(0x00),
		BYTES(0x17),
		BYTES(0x18, 0x18),
		BYTES(0x19, 0x01, 0x00),
		BYTES(0x20),
		BYTES(0x40),
		BYTES(0x60),
		BYTES(0x80),
		BYTES(0xa0),
		BYTES(0xf4),
		BYTES(0xf5),
		BYTES(0xf6),
		BYTES(0xa2, 0x00, 0x01, 0x01, 0x01),
		BYTES(0x62, 0xc3, 0xa9),
		BYTES(0xa2, 0x61, 'b', 0x00, 0x62, 'a', 'a', 0x00),
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		cr_assert(right(good[i].p, good[i].n), "sample %zu", i);
}

Test(cborcheck, wrong_items)
{
	static const struct sample bad[] = {
		BYTES(0x18, 0x17), /* not shortest */
		BYTES(0x19, 0x00, 0xff),
		BYTES(0x1a, 0, 0, 0xff, 0xff),
		BYTES(0x1b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff),
		BYTES(0x58, 0x01, 0x00),
		BYTES(0x1c),
		BYTES(0x1f),
		BYTES(0x5f, 0xff),
		BYTES(0x9f, 0xff),
		BYTES(0xbf, 0xff),
		BYTES(0xc0, 0x00), /* tag */
		BYTES(0xf7),
		BYTES(0xf8, 0x20),
		BYTES(0xf9, 0, 0),
		BYTES(0xfb, 0, 0, 0, 0, 0, 0, 0, 0),
		BYTES(0xff),
		BYTES(0x00, 0x00), /* something after the item */
		BYTES(0x61),
		BYTES(0x42, 0x00),
		BYTES(0x81),
		BYTES(0xa1, 0x00),                   /* cut */
		BYTES(0xa2, 0x01, 0x00, 0x00, 0x00), /* keys out of order */
		BYTES(0xa2, 0x00, 0x00, 0x00, 0x00), /* the same key twice */
		BYTES(0xa2, 0x62, 'a', 'a', 0x00, 0x61, 'b', 0x00),
		BYTES(0x61, 0x80),
		BYTES(0x62, 0xc0, 0x80),
		BYTES(0x63, 0xed, 0xa0, 0x80),
		BYTES(0x64, 0xf4, 0x90, 0x80, 0x80),
		BYTES(0x61, 0xc3),
		BYTES(0x61, 0x00),
		BYTES(0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), /* claims 2^63 items */
		BYTES(0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0),
	};
	size_t at;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(not(right(bad[i].p, bad[i].n)), "sample %zu", i);
	cr_assert(not(xtr_cbor_check(NULL, 0, &at)));
}

Test(cborcheck, depth_sixteen_is_the_limit)
{
	uint8_t buf[18];

	memset(buf, 0x81, sizeof(buf)); /* arrays of one item */
	buf[15] = 0x80;
	cr_assert(right(buf, 16));
	buf[15] = 0x81;
	buf[16] = 0x00;
	cr_assert(right(buf, 17), "16 arrays, a number in the innermost");
	buf[16] = 0x80;
	cr_assert(not(right(buf, 17)));
}

static bool array_is_right(size_t n)
{
	struct xtr_buf b = { 0 };
	bool ok;

	xtr_enc_array(&b, n);
	for (size_t i = 0; i < n; i++)
		xtr_enc_uint(&b, 0);
	ok = right(b.p, b.n);
	xtr_buf_free(&b);
	return ok;
}

Test(cborcheck, items_and_strings_are_limited)
{
	static const uint8_t text[XTR_CBOR_STRING_MAX + 1];
	struct xtr_buf b = { 0 };

	cr_assert(array_is_right(XTR_CBOR_ITEMS_MAX - 1));
	cr_assert(not(array_is_right(XTR_CBOR_ITEMS_MAX)));
	xtr_enc_bytes(&b, text, XTR_CBOR_STRING_MAX);
	cr_assert(right(b.p, b.n));
	b.n = 0;
	xtr_enc_bytes(&b, text, XTR_CBOR_STRING_MAX + 1);
	cr_assert(not(right(b.p, b.n)));
	xtr_buf_free(&b);
}

Test(cborcheck, every_cut_is_noticed)
{
	struct xtr_buf b = { 0 };

	xtr_enc_map(&b, 2);
	xtr_enc_pair_uint(&b, "a", 1u << 20);
	xtr_enc_text(&b, "list");
	xtr_enc_array(&b, 3);
	xtr_enc_text(&b, "x");
	xtr_enc_bool(&b, true);
	xtr_enc_text(&b, NULL);
	cr_assert(right(b.p, b.n));
	for (size_t n = 0; n < b.n; n++)
		cr_assert(not(right(b.p, n)), "cut at %zu", n);
	xtr_buf_free(&b);
}

Test(cborcheck, text_that_is_not_utf8_is_replaced_or_bytes)
{
	struct xtr_buf b = { 0 };

	xtr_enc_text(&b, "a\xff");
	cr_assert(zero(int, memcmp(b.p,
				   "\x62"
				   "a?",
				   3)));
	b.n = 0;
	xtr_enc_string(&b, "a\xff", 2);
	cr_assert(eq(u8, b.p[0], 0x42));
	b.n = 0;
	xtr_enc_string(&b, "ab", 2);
	cr_assert(eq(u8, b.p[0], 0x62));
	xtr_buf_free(&b);
}

Test(cborcheck, only_maps_with_text_keys_are_loaded)
{
	const uint8_t array[] = { 0x80 }, number_key[] = { 0xa1, 0x00, 0x00 }, cut[] = { 0xa1 };
	struct xtr_err err;
	cbor_item_t *item;

	cr_assert(eq(int, xtr_cbor_load(array, 1, XTR_P_META, &item, &err), -EBADMSG));
	cr_assert(eq(int, err.problem, XTR_P_META));
	cr_assert(eq(int, xtr_cbor_load(number_key, 3, XTR_P_LOSS, &item, &err), -EBADMSG));
	cr_assert(eq(int, err.problem, XTR_P_LOSS));
	cr_assert(eq(int, xtr_cbor_load(cut, 1, XTR_P_META, &item, &err), -EBADMSG));
	cr_assert(eq(int, err.problem, XTR_P_CBOR));
	cr_assert(eq(u64, err.offset, 1));
}
