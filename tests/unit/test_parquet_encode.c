/* SPDX-License-Identifier: BSD-2-Clause */
/* Parquet's encodings, decoded here as the format's text says; and Thrift's compact protocol. */
#include "base/bytes.h"
#include "converters/out/tables/parquet_encode.h"
#include "converters/out/tables/parquet_thrift.h"

#include <criterion/criterion.h>
#include <string.h>

#define N 700u

struct bits {
	const uint8_t *p;
	size_t at; /* bits */
};

static uint64_t take(struct bits *b, unsigned int width)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < width; i++, b->at++)
		v |= (uint64_t)(b->p[b->at / 8] >> b->at % 8 & 1) << i;
	return v;
}

static const uint8_t *varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	p = xtr_varint_get(p, end, v);
	cr_assert_not_null(p);
	return p;
}

static const uint8_t *zigzag(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	p = varint(p, end, v);
	*v = *v >> 1 ^ (0 - (*v & 1));
	return p;
}

/* Returns how many. */
static size_t read_delta(const struct xtr_buf *b, uint64_t *v)
{
	const uint8_t *p = b->p, *end = b->p + b->n, *widths;
	uint64_t block, minis, n, least, value;
	size_t got = 0;

	p = varint(p, end, &block);
	p = varint(p, end, &minis);
	p = varint(p, end, &n);
	p = zigzag(p, end, &value);
	if (n)
		v[got++] = value;
	while (got < n) {
		p = zigzag(p, end, &least);
		widths = p;
		p += minis;
		for (uint64_t m = 0; m < minis && got < n; m++) {
			struct bits bits = { .p = p };

			p += block / minis * widths[m] / 8;
			cr_assert(p <= end);
			for (uint64_t i = 0; i < block / minis; i++) {
				value += least + take(&bits, widths[m]);
				if (got < n)
					v[got++] = value;
			}
		}
	}
	cr_expect_eq(p, end);
	return got;
}

static void try_delta(const uint64_t *v, size_t n)
{
	struct xtr_buf b = { 0 };
	uint64_t got[N];

	xtr_parquet_delta(&b, v, n);
	cr_assert_eq(b.err, 0);
	cr_assert_eq(read_delta(&b, got), n);
	cr_assert(!n || !memcmp(got, v, n * sizeof(*v)));
	xtr_buf_free(&b);
}

Test(parquet_encode, differences_of_every_width)
{
	uint64_t v[N] = { 0 }, state = 1;

	for (unsigned int width = 0; width <= 64; width++) {
		uint64_t mask = width ? UINT64_MAX >> (64 - width) : 0;

		for (size_t i = 0; i < N; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			v[i] = (i ? v[i - 1] : 0) + ((state >> 1 ^ state << 31) & mask);
		}
		for (size_t n = 0; n < N; n += n < 140 ? 1 : 97)
			try_delta(v, n);
	}
}

Test(parquet_encode, differences_wrap_around)
{
	static const uint64_t v[] = {
		0, UINT64_MAX, (uint64_t)1 << 63, 0, ((uint64_t)1 << 63) - 1, (uint64_t)1 << 63,
		1, UINT64_MAX
	};

	try_delta(v, sizeof(v) / sizeof(v[0]));
}

static void try_hybrid(const uint32_t *v, size_t n, unsigned int width)
{
	struct xtr_buf b = { 0 };
	const uint8_t *p, *end;
	size_t got = 0;

	xtr_parquet_hybrid(&b, v, n, width);
	cr_assert_eq(b.err, 0);
	p = b.p;
	end = b.p + b.n;
	while (got < n) {
		uint64_t head, many;
		struct bits bits;

		p = varint(p, end, &head);
		bits = (struct bits){ .p = p };
		many = head & 1 ? (head >> 1) * 8 : head >> 1;
		p += head & 1 ? (head >> 1) * width : (width + 7) / 8;
		cr_assert(many && p <= end);
		for (uint64_t i = 0; i < many && got < n; i++) {
			cr_assert_eq(take(&bits, width), v[got++]);
			if (!(head & 1))
				bits.at = 0;
		}
	}
	cr_expect_eq(p, end);
	xtr_buf_free(&b);
}

/* Runs of every length, with other values between them. */
Test(parquet_encode, runs_and_groups)
{
	uint32_t v[N], state = 1;

	for (unsigned int width = 1; width <= 20; width++) {
		for (uint32_t most = 1; most < 40; most++) {
			for (size_t i = 0; i < N;) {
				uint32_t value, run;

				state = state * 1664525u + 1013904223u;
				value = state >> (32 - width);
				state = state * 1664525u + 1013904223u;
				run = 1 + (state >> 8) % most;
				for (; run && i < N; run--)
					v[i++] = value;
			}
			try_hybrid(v, N - most, width);
		}
	}
	try_hybrid(v, 0, 1);
}

Test(parquet_encode, a_run_takes_few_bytes)
{
	uint32_t v[N] = { 0 };
	struct xtr_buf b = { 0 };

	xtr_parquet_hybrid(&b, v, N, 1);
	cr_expect_eq(b.n, 3);
	xtr_buf_free(&b);
}

Test(parquet_encode, width_of_numbers)
{
	cr_expect_eq(xtr_parquet_width(0), 0);
	cr_expect_eq(xtr_parquet_width(1), 1);
	cr_expect_eq(xtr_parquet_width(255), 8);
	cr_expect_eq(xtr_parquet_width(256), 9);
	cr_expect_eq(xtr_parquet_width(UINT64_MAX), 64);
}

/* Bytes as the protocol's text gives them. */
Test(parquet_thrift, bytes)
{
	static const uint8_t want[] = {
		0x15, 0x01,                   /* field 1, i32 -1 */
		0x16, 0xd0, 0x0f,             /* field 2, i64 1000 */
		0x28, 0x02, 'h',  'i',        /* field 4, text */
		0x05, 0x40, 0x04,             /* field 32, i32 2: too far for the short form */
		0x11,                         /* field 33, true */
		0x1c, 0x12, 0x23, 0x7f, 0x00, /* field 34, a structure: 1 false, 3 a byte */
		0x19, 0x25, 0x02, 0x04,       /* field 35, a list of two i32 */
		0x19, 0xf8, 0x0f,             /* field 36, a list of 15 texts */
	};
	struct xtr_buf b = { 0 };
	struct xtr_thrift t;

	xtr_thrift_begin(&t, &b);
	xtr_thrift_i32(&t, 1, -1);
	xtr_thrift_i64(&t, 2, 1000);
	xtr_thrift_text(&t, 4, "hi");
	xtr_thrift_i32(&t, 32, 2);
	xtr_thrift_bool(&t, 33, true);
	xtr_thrift_struct(&t, 34);
	xtr_thrift_bool(&t, 1, false);
	xtr_thrift_i8(&t, 3, 127);
	xtr_thrift_end(&t);
	xtr_thrift_list(&t, 35, XTR_THRIFT_I32, 2);
	xtr_thrift_item_i32(&t, 1);
	xtr_thrift_item_i32(&t, 2);
	xtr_thrift_list(&t, 36, XTR_THRIFT_BINARY, 15);
	for (int i = 0; i < 15; i++)
		xtr_thrift_item_text(&t, "");
	xtr_thrift_end(&t);
	cr_assert_eq(b.err, 0);
	cr_assert_eq(b.n, sizeof(want) + 16);
	cr_expect_arr_eq(b.p, want, sizeof(want));
	cr_expect_eq(b.p[b.n - 1], 0);
	xtr_buf_free(&b);
}
