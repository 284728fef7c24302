/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table is a list of where its fields are (16-bit numbers: the list's bytes, the table's bytes,
 * then the place of each field, from the table on) and, behind it here, the table: how far back the
 * list is, then the fields, the widest first.
 */
#include "arrow_flat.h"
#include "base/bytes.h"

#include <string.h>

/* Each is as far behind a multiple of 8 as its first number is long: what follows is aligned. */
#define BEHIND 4u

/* So many zeros. Returns the place of the first. */
static size_t zeros(struct xtr_buf *b, size_t n)
{
	uint8_t *p = xtr_buf_room(b, n);
	size_t at = b->n;

	if (!p)
		return 0;
	memset(p, 0, n);
	b->n += n;
	return at;
}

/* The next place that is `behind` behind a multiple of `by`. */
static void align(struct xtr_buf *b, size_t by, size_t behind)
{
	zeros(b, (behind + by - b->n % by) % by);
}

void xtr_flat_number(struct xtr_buf *b, size_t at, size_t size, uint64_t v)
{
	uint8_t le[8];

	xtr_put_le64(le, v);
	if (!b->err)
		memcpy(b->p + at, le, size);
}

static void refer(struct xtr_buf *b, size_t ref, size_t to)
{
	xtr_flat_number(b, ref, 4, to - ref);
}

void xtr_flat_begin(struct xtr_buf *b)
{
	b->n = 0;
	zeros(b, 4);
}

/* Places of the fields, from the table on. Returns the bytes of the table. */
static size_t place(struct xtr_flat_field *f, size_t n)
{
	size_t bytes = BEHIND;

	for (size_t size = 8; size; size /= 2) {
		for (size_t i = 0; i < n; i++) {
			if (f[i].size != size)
				continue;
			f[i].at = bytes;
			bytes += size;
		}
	}
	return bytes;
}

void xtr_flat_table(struct xtr_buf *b, size_t ref, struct xtr_flat_field *f, size_t n)
{
	size_t bytes = place(f, n), list, table;

	align(b, 2, 0);
	list = zeros(b, 2 * (2 + n));
	align(b, 8, BEHIND);
	table = zeros(b, bytes);
	refer(b, ref, table);
	xtr_flat_number(b, table, 4, table - list);
	xtr_flat_number(b, list, 2, 2 * (2 + n));
	xtr_flat_number(b, list + 2, 2, bytes);
	for (size_t i = 0; i < n; i++) {
		if (!f[i].size)
			continue;
		xtr_flat_number(b, list + 2 * (2 + i), 2, f[i].at);
		f[i].at += table;
		xtr_flat_number(b, f[i].at, f[i].size, f[i].v);
	}
}

/* Their number is in front. */
size_t xtr_flat_vector(struct xtr_buf *b, size_t ref, size_t n, size_t size)
{
	size_t at;

	align(b, 8, BEHIND);
	at = zeros(b, 4 + n * size);
	refer(b, ref, at);
	xtr_flat_number(b, at, 4, n);
	return at + 4;
}

/* A vector of bytes with a NUL behind them that does not count. */
void xtr_flat_text(struct xtr_buf *b, size_t ref, const char *s)
{
	size_t n = strlen(s), at = xtr_flat_vector(b, ref, n, 1);

	zeros(b, 1);
	if (!b->err)
		memcpy(b->p + at, s, n);
}

void xtr_flat_end(struct xtr_buf *b)
{
	align(b, 8, 0);
}
