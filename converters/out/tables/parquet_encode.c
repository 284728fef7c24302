/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet_encode.h"
#include "base/bytes.h"

#include <string.h>

#define BLOCK      128u /* values of a block of differences */
#define MINIBLOCKS 4u
#define MINI       (BLOCK / MINIBLOCKS)
#define GROUP      8u /* values that are packed together at least */
#define RUN_MIN    8u /* equal values that are a run */
#define GROUPS_MAX 63u

unsigned int xtr_parquet_width(uint64_t max)
{
	return max ? 64u - (unsigned int)__builtin_clzll(max) : 0;
}

/* n values of so many bits each, from the lowest bit on; n is a multiple of 8. */
static void pack64(struct xtr_buf *b, const uint64_t *v, size_t n, unsigned int width)
{
	uint8_t *p = xtr_buf_room(b, n * width / 8 + sizeof(uint64_t));
	unsigned int have = 0;
	uint64_t bits = 0;

	if (!p || !width)
		return;
	for (size_t i = 0; i < n; i++) {
		bits |= v[i] << have;
		have += width;
		if (have < 64)
			continue;
		xtr_put_le64(p, bits);
		p += sizeof(bits);
		have -= 64;
		bits = have ? v[i] >> (width - have) : 0;
	}
	xtr_put_le64(p, bits);
	b->n += n * width / 8;
}

/* --- differences ------------------------------------------------------------------------------ */

/* Differences of n values behind another one; the least is taken off. Those behind the last are 0.
 */
static void put_block(struct xtr_buf *b, const uint64_t *v, size_t n)
{
	uint64_t d[BLOCK] = { 0 }, all[MINIBLOCKS] = { 0 };
	int64_t least = INT64_MAX;
	uint64_t before = v[-1];
	uint8_t width[MINIBLOCKS];

	for (size_t i = 0; i < n; i++) {
		d[i] = v[i] - before;
		before = v[i];
		least = (int64_t)d[i] < least ? (int64_t)d[i] : least;
	}
	for (size_t i = 0; i < n; i++) {
		d[i] -= (uint64_t)least;
		all[i / MINI] |= d[i];
	}
	xtr_parquet_varint(b, xtr_zigzag(least));
	for (size_t i = 0; i < MINIBLOCKS; i++)
		width[i] = (uint8_t)xtr_parquet_width(all[i]);
	xtr_buf_add(b, width, sizeof(width));
	for (size_t i = 0; i < MINIBLOCKS && i * MINI < n; i++)
		pack64(b, d + i * MINI, MINI, width[i]);
}

void xtr_parquet_delta(struct xtr_buf *b, const uint64_t *v, size_t n)
{
	xtr_parquet_varint(b, BLOCK);
	xtr_parquet_varint(b, MINIBLOCKS);
	xtr_parquet_varint(b, n);
	xtr_parquet_varint(b, n ? xtr_zigzag((int64_t)v[0]) : 0);
	for (size_t i = 1; i < n; i += BLOCK)
		put_block(b, v + i, n - i < BLOCK ? n - i : BLOCK);
}

/* --- runs and packed groups ------------------------------------------------------------------- */

void xtr_parquet_run(struct xtr_buf *b, uint32_t v, size_t n, unsigned int width)
{
	uint8_t bytes[sizeof(v)];

	xtr_parquet_varint(b, (uint64_t)n << 1);
	memcpy(bytes, &v, sizeof(v));
	xtr_buf_add(b, bytes, (width + 7) / 8);
}

/* What is behind the last value is 0. */
static void put_packed(struct xtr_buf *b, const uint32_t *v, size_t n, unsigned int width)
{
	uint64_t wide[GROUPS_MAX * GROUP] = { 0 };
	size_t groups = (n + GROUP - 1) / GROUP;

	for (size_t i = 0; i < n; i++)
		wide[i] = v[i];
	xtr_parquet_varint(b, groups << 1 | 1);
	pack64(b, wide, groups * GROUP, width);
}

static size_t equal(const uint32_t *v, size_t n)
{
	size_t i = 1;

	while (i < n && v[i] == v[0])
		i++;
	return i;
}

/* Where the next run begins, at a whole number of groups; at most as much as is packed together. */
static size_t until_run(const uint32_t *v, size_t n)
{
	size_t i = 0;

	while (i < n && i < GROUPS_MAX * GROUP) {
		if (equal(v + i, n - i < RUN_MIN ? n - i : RUN_MIN) == RUN_MIN)
			break;
		i += GROUP;
	}
	return i < n ? i : n;
}

void xtr_parquet_hybrid(struct xtr_buf *b, const uint32_t *v, size_t n, unsigned int width)
{
	for (size_t i = 0, m; i < n; i += m) {
		m = equal(v + i, n - i);
		if (m >= RUN_MIN) {
			xtr_parquet_run(b, v[i], m, width);
			continue;
		}
		m = until_run(v + i, n - i);
		put_packed(b, v + i, m, width);
	}
}
