/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast way of decoding rows gives what the plain one does, for good payloads and for others. */
#include "filter_plain.h"
#include "format/codec/filter.h"
#include "base/bytes.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

enum {
	LAYOUTS = 6,
	FIELDS = 20,
	ROWS = 400,
	ROW_MAX = 16 + FIELDS * 127
};

struct made {
	uint8_t in[ROWS * (ROW_MAX + 60)];
	size_t len, rec_len;
	uint8_t want[ROWS * ROW_MAX], got[ROWS * ROW_MAX];
};

struct layout {
	uint8_t width[FIELDS];
	uint32_t n, size;
};

static uint32_t bytes_of(uint8_t width)
{
	return width > 0x80 ? width - 0x80u : width;
}

/* A number of at most so many bits, small ones as often as large ones. */
static uint64_t some(uint64_t *seed, unsigned int bits)
{
	uint64_t v = trace_random(seed, UINT64_MAX);

	bits = (unsigned int)trace_random(seed, bits + 1);
	return bits ? v >> (64 - bits) : 0;
}

/* Fields at any alignment, filled up to a multiple of 8 bytes. */
static void make_layout(struct layout *l, uint64_t *seed)
{
	static const uint8_t widths[] = { 1, 2, 4, 8, 8, 4, 0x81, 0x83, 0xff };
	uint32_t n = (uint32_t)trace_random(seed, FIELDS - 8), bytes = 0;

	for (l->n = 0; l->n < n; l->n++) {
		l->width[l->n] = widths[trace_random(seed, sizeof(widths))];
		bytes += bytes_of(l->width[l->n]);
	}
	for (; bytes % 8; bytes++)
		l->width[l->n++] = 1;
	l->size = 16 + bytes;
}

static void make_row(struct made *m, const struct layout *l, uint32_t which, uint64_t *seed)
{
	uint64_t mask = l->n ? some(seed, 64) & (((uint64_t)1 << l->n) - 1) : 0;
	bool new_tid = trace_random(seed, 4) == 0;
	uint8_t *p = m->in + m->len;

	p = xtr_varint_put(p, which * 2 + new_tid);
	p = xtr_varint_put(p, some(seed, trace_random(seed, 20) ? 20 : 64));
	if (new_tid)
		p = xtr_varint_put(p, some(seed, 32));
	if (l->n)
		p = xtr_varint_put(p, mask);
	for (uint32_t i = 0; i < l->n; i++) {
		if (!(mask >> i & 1))
			continue;
		if (l->width[i] < 0x80)
			p = xtr_varint_put(p, some(seed, 8 * l->width[i]));
		for (uint32_t k = 0; l->width[i] > 0x80 && k < bytes_of(l->width[i]); k++)
			*p++ = (uint8_t)trace_random(seed, 256);
	}
	m->len = (size_t)(p - m->in);
	m->rec_len += l->size;
}

static void make(struct made *m, uint64_t seed)
{
	struct layout l[LAYOUTS];
	uint8_t *p = m->in;

	p = xtr_varint_put(p, LAYOUTS);
	for (uint32_t i = 0; i < LAYOUTS; i++) {
		make_layout(&l[i], &seed);
		p = xtr_varint_put(p, 1000 + i);
		p = xtr_varint_put(p, l[i].size);
		p = xtr_varint_put(p, l[i].n);
		memcpy(p, l[i].width, l[i].n);
		p += l[i].n;
	}
	m->len = (size_t)(p - m->in);
	m->rec_len = 0;
	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t which = (uint32_t)trace_random(&seed, LAYOUTS);

		make_row(m, &l[which], which, &seed);
	}
}

/* The bytes lie at the end of memory of their own, so that a read past them is seen. */
static int compare(struct made *m, struct xtr_filter_dec *dec)
{
	struct xtr_rec_span want = { 0 }, got = { 0 };
	uint8_t *in = malloc(m->len);
	int ret = filter_plain(m->in, m->len, ROWS, m->want, m->rec_len, &want);

	memcpy(in, m->in, m->len);
	cr_assert(eq(int, xtr_filter_decode(dec, in, m->len, ROWS, m->got, m->rec_len, &got), ret));
	if (!ret) {
		cr_assert(zero(int, memcmp(m->want, m->got, m->rec_len)));
		cr_assert(eq(u64, got.ts_min, want.ts_min));
		cr_assert(eq(u64, got.ts_max, want.ts_max));
		cr_assert(eq(int, got.sorted, want.sorted));
	}
	free(in);
	return ret;
}

Test(filter_dec, fast_rows_are_the_plain_ones)
{
	struct made *m = malloc(sizeof(*m));
	struct xtr_filter_dec dec = { 0 };

	for (uint64_t seed = 1; seed < 150; seed++) {
		make(m, seed);
		cr_assert(eq(int, compare(m, &dec), 0), "seed %u", (unsigned int)seed);
	}
	xtr_filter_dec_free(&dec);
	free(m);
}

Test(filter_dec, damaged_rows_are_refused_alike)
{
	struct made *m = malloc(sizeof(*m));
	struct xtr_filter_dec dec = { 0 };
	uint64_t random = 5;
	size_t refused = 0, n = 0;

	for (uint64_t seed = 200; seed < 240; seed++) {
		make(m, seed);
		for (uint32_t i = 0; i < 40; i++, n++) {
			size_t at = trace_random(&random, m->len), len = m->len;
			uint8_t was = m->in[at];

			m->in[at] ^= (uint8_t)(1u << trace_random(&random, 8));
			if (i % 8 == 0)
				m->len -= trace_random(&random, 30);
			refused += compare(m, &dec) != 0;
			m->in[at] = was;
			m->len = len;
		}
	}
	cr_assert(gt(sz, refused, n / 10));
	cr_assert(lt(sz, refused, n));
	xtr_filter_dec_free(&dec);
	free(m);
}
