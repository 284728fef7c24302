/* SPDX-License-Identifier: BSD-2-Clause */
#include "columns_rows.h"
#include "base/bytes.h"

#include <string.h>

static bool get_byte(struct col_cursor *c, uint8_t *v)
{
	if (c->p == c->end)
		return false;
	*v = *c->p++;
	return true;
}

static bool get_varints(struct col_numbers *col, uint64_t *z, uint32_t n)
{
	const uint8_t *p = col->c->p, *end = col->c->end;
	uint64_t all = 0;

	for (uint32_t i = 0; i < n; i++) {
		p = end - p >= 8 ? xtr_varint_get_wide(p, end, &z[i])
				 : xtr_varint_get(p, end, &z[i]);
		if (!p)
			return false;
		all |= z[i];
	}
	col->c->p = p;
	return all <= UINT64_MAX >> col->shift;
}

/* At least 57 bits from bit `at` on, the lowest first; zeros behind the end. */
static inline uint64_t peek(const struct col_cursor *c, size_t at)
{
	const uint8_t *p = c->p + at / 8;
	uint64_t v = 0;

	if (at / 8 >= (size_t)(c->end - c->p))
		return 0;
	if (c->end - p >= 8)
		return xtr_le64(p) >> at % 8;
	for (unsigned int i = 0; p < c->end; i += 8)
		v |= (uint64_t)*p++ << i;
	return v >> at % 8;
}

/* A number of which more bits may be needed than there are in v, those from bit `at` on. */
static bool get_long(struct col_numbers *col, uint64_t v, size_t *at, uint64_t *z)
{
	const unsigned int k = col->k;
	unsigned int u;

	if (!v)
		return false;
	u = (unsigned int)__builtin_ctzll(v);
	if (u + k > COL_BITS_MAX)
		return false;
	*at += u + 1;
	v = peek(col->c, *at);
	*at += u + k;
	*z = (((v & ((1ull << u) - 1)) + (1ull << u) - 1) << k) | (v >> u & ((1ull << k) - 1));
	return true;
}

#define WINDOW 57u /* bits that peek() gives at least */

/* Several numbers of one look at the bits; inlined for k of 0, which is that of most small ones. */
static inline __attribute__((always_inline)) bool get_bits(struct col_numbers *col, uint64_t *z,
							   uint32_t n, const unsigned int k)
{
	const size_t left = (size_t)(col->c->end - col->c->p);
	const uint64_t low = (1ull << k) - 1;
	uint64_t all = 0, v = 0, top;
	unsigned int have = 0, u, need; /* bits: valid in v, and of the next number */
	size_t at = col->bit;

	for (uint32_t i = 0; i < n; i++) {
		u = (unsigned int)__builtin_ctzll(v | 1ull << 63);
		need = 2 * u + 1 + k;
		if (need > have) {
			v = peek(col->c, at);
			have = WINDOW;
			u = (unsigned int)__builtin_ctzll(v | 1ull << 63);
			need = 2 * u + 1 + k;
		}
		if (need > have) {
			have = 0;
			if (!get_long(col, v, &at, &z[i]))
				return false;
		} else {
			at += need;
			have -= need;
			v >>= u + 1;
			top = 1ull << u;
			z[i] = (v & (top - 1)) + top - 1;
			v >>= u;
			if (k)
				z[i] = z[i] << k | (v & low);
			v >>= k;
		}
		all |= z[i];
	}
	col->bit = at;
	return at <= 8 * left && all <= UINT64_MAX >> col->shift;
}

bool col_get_numbers(struct col_numbers *col, uint64_t *z, uint32_t n)
{
	if (col->coding == COL_VARINTS)
		return get_varints(col, z, n);
	if (col->coding == COL_BITS)
		return col->k ? get_bits(col, z, n, col->k) : get_bits(col, z, n, 0);
	for (uint32_t i = 0; i < n; i++)
		z[i] = col->constant;
	return true;
}

void col_undo_prediction(struct col_numbers *col, uint64_t *z, const uint64_t *key, uint32_t n)
{
	const uint64_t mask = UINT64_MAX >> col->shift;

	if (col->zigzag)
		for (uint32_t i = 0; i < n; i++)
			z[i] = xtr_unzigzag(z[i]);
	if (col->prediction == COL_BEFORE) {
		for (uint32_t i = 0; i < n; i++)
			z[i] = col->before = (col->before + z[i]) & mask;
	} else if (key && col->prediction == COL_KEYED) {
		for (uint32_t i = 0; i < n; i++) {
			uint64_t *s = &col->slot[col_slot(key[i], col->slot_bits)];

			z[i] = *s = (*s + z[i]) & mask;
		}
	} else {
		for (uint32_t i = 0; i < n; i++)
			z[i] &= mask;
	}
}

bool col_begin(struct col_numbers *col, struct col_cursor *c, uint64_t *slot, unsigned int bits,
	       uint32_t n, uint32_t keys)
{
	uint8_t head;

	*col = (struct col_numbers){ .c = c, .shift = 64 - bits, .slot = slot };
	if (!get_byte(c, &head) || head > COL_HEAD_MAX)
		return false;
	col->coding = head & 3;
	col->prediction = head >> COL_PREDICTION_SHIFT & 3;
	col->zigzag = head & COL_ZIGZAG;
	if (col->coding > COL_BITS || col->prediction > COL_KEYED)
		return false;
	if (col->prediction == COL_KEYED) {
		if (!col_get(c, &col->key) || col->key >= keys)
			return false;
		col->slot_bits = col_slot_bits(n);
		memset(slot, 0, sizeof(*slot) << col->slot_bits);
	}
	if (col->coding == COL_CONSTANT)
		return col_get(c, &col->constant) && col->constant <= UINT64_MAX >> col->shift;
	return col->coding != COL_BITS || (get_byte(c, &col->k) && col->k <= COL_BITS_MAX);
}

bool col_end(struct col_numbers *col)
{
	struct col_cursor *c = col->c;

	if (col->coding != COL_BITS)
		return true;
	if (col->bit % 8 && c->p[col->bit / 8] >> col->bit % 8)
		return false;
	c->p += (col->bit + 7) / 8;
	return true;
}
