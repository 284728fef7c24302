/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A column chunk is one page, behind one with its dictionary if there is any. Texts have a
 * dictionary as long as that is small beside them, and so have numbers that are names; all other
 * numbers are differences (DELTA_BINARY_PACKED): times and durations take few bits then.
 */
#include "parquet_column.h"
#include "base/bytes.h"
#include "parquet_encode.h"
#include "format/codec/codecs.h"
#include "parquet_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DICTIONARY_NUMBERS 4096u /* entries; more names are no names */
#define DICTIONARY_BYTES   (1u << 20)
#define RANGE_TEXT_MAX     64u /* bytes of the least and the greatest text, to be told */
#define NONE               UINT32_MAX
#define ZSTD_LEVEL         1 /* what is packed has little left: 3 takes longer for 1 % */

/* --- cells ------------------------------------------------------------------------------------ */

/* Room for a cell behind c->n others. */
static int grow(struct xtr_parquet_column *c)
{
	if (c->n >= c->cap && xtr_grow_array(&c->v, &c->cap, c->n + 1, sizeof(*c->v)))
		return -ENOMEM;
	if (c->n >= c->cap_known &&
	    xtr_grow_array(&c->known, &c->cap_known, c->n + 1, sizeof(*c->known)))
		return -ENOMEM;
	return 0;
}

/* The first cell that is another one: all of them stand there one by one now. */
static int spread(struct xtr_parquet_column *c)
{
	if (grow(c))
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		c->v[i] = c->same_v;
	memset(c->known, c->same_known, c->n);
	c->same = false;
	return 0;
}

/* Many columns have one value. */
static int add(struct xtr_parquet_column *c, uint64_t v, bool known)
{
	if (!c->n) {
		c->same = true;
		c->same_known = known;
		c->same_v = v;
	}
	if (c->same && v == c->same_v && known == c->same_known) {
		c->n++;
		c->n_known += known;
		return 0;
	}
	if (c->same && spread(c))
		return -ENOMEM;
	if ((c->n >= c->cap || c->n >= c->cap_known) && grow(c))
		return -ENOMEM;
	c->v[c->n] = v;
	c->known[c->n++] = known;
	c->n_known += known;
	return 0;
}

int xtr_parquet_add_null(struct xtr_parquet_column *c)
{
	return add(c, 0, false);
}

int xtr_parquet_add_number(struct xtr_parquet_column *c, uint64_t v)
{
	return add(c, v, true);
}

static bool is_text(const struct xtr_parquet_texts *t, uint32_t i, const char *s, size_t n)
{
	return t->v[i].len == n && (!n || !memcmp(t->bytes.p + t->v[i].at, s, n));
}

/* Where a text that came lately is looked for first: most columns have few. */
static uint32_t *recent(struct xtr_parquet_texts *t, const char *s, size_t n)
{
	unsigned char ends = n ? (unsigned char)s[0] + 7u * (unsigned char)s[n - 1] : 0;

	return &t->recent[(ends + n) % XTR_PARQUET_RECENT];
}

/* 0 with the index of the text, or -ENOMEM. */
static int find_text(struct xtr_parquet_texts *t, const char *s, size_t n, uint32_t *index)
{
	uint64_t hash = xtr_hash_bytes(s, n);
	uint32_t first = xtr_map_index(&t->by_hash, hash, n);

	for (*index = first; *index != NONE; *index = t->v[*index].same)
		if (is_text(t, *index, s, n))
			return 0;
	if (t->n >= NONE || xtr_grow_array(&t->v, &t->cap, t->n + 1, sizeof(*t->v)))
		return -ENOMEM;
	*index = (uint32_t)t->n;
	t->v[t->n] = (struct xtr_parquet_text){ t->bytes.n, (uint32_t)n, first };
	xtr_buf_add(&t->bytes, s, n);
	if (t->bytes.err || xtr_map_put(&t->by_hash, hash, n, *index))
		return -ENOMEM;
	t->n++;
	return 0;
}

int xtr_parquet_add_text(struct xtr_parquet_column *c, const char *s, size_t n)
{
	uint32_t *index = recent(&c->texts, s, n);

	if (n > INT32_MAX)
		return -E2BIG;
	if (*index < c->texts.n && is_text(&c->texts, *index, s, n))
		return add(c, *index, true);
	return find_text(&c->texts, s, n, index) ?: add(c, *index, true);
}

/* --- pages ------------------------------------------------------------------------------------ */

/* One without bytes may stand nowhere. */
static const uint8_t *bytes_of(const struct xtr_parquet_texts *t, uint32_t i)
{
	return t->v[i].len ? t->bytes.p + t->v[i].at : NULL;
}

static void put_text(struct xtr_buf *b, const struct xtr_parquet_texts *t, uint32_t i)
{
	uint8_t len[4];

	xtr_put_le32(len, t->v[i].len);
	xtr_buf_add(b, len, sizeof(len));
	xtr_buf_add(b, bytes_of(t, i), t->v[i].len);
}

/* p->packed is what stands in the file. 0 or -ENOMEM. */
static int compress(struct xtr_parquet_pages *p)
{
	size_t n = p->raw.n, cap = n + n / 128 + 512; /* more than ZSTD_compressBound */
	uint8_t *room;

	p->packed.n = 0;
	if (!XTR_ZSTD_KNOWN) {
		xtr_buf_add(&p->packed, p->raw.p, n);
		return p->packed.err;
	}
	room = xtr_buf_room(&p->packed, cap);
	return room ? xtr_zstd_compress(&p->zstd, ZSTD_LEVEL, p->raw.p, n, room, cap, &p->packed.n)
		    : -ENOMEM;
}

/* The page in p->raw. */
static int put_page(struct xtr_parquet_pages *p, struct xtr_parquet_chunk *chunk, int type,
		    size_t values, int encoding)
{
	struct xtr_thrift t;
	int err = p->raw.err ?: p->raw.n > INT32_MAX / 2 ? -E2BIG : compress(p);

	if (err)
		return err;
	p->head.n = 0;
	xtr_thrift_begin(&t, &p->head);
	xtr_thrift_i32(&t, 1, type);
	xtr_thrift_i32(&t, 2, (int32_t)p->raw.n);
	xtr_thrift_i32(&t, 3, (int32_t)p->packed.n);
	xtr_thrift_struct(&t, type == PARQUET_DATA_PAGE ? 5 : 7);
	xtr_thrift_i32(&t, 1, (int32_t)values);
	xtr_thrift_i32(&t, 2, encoding);
	if (type == PARQUET_DATA_PAGE) {
		xtr_thrift_i32(&t, 3, PARQUET_RLE);
		xtr_thrift_i32(&t, 4, PARQUET_RLE);
	}
	xtr_thrift_end(&t);
	xtr_thrift_end(&t);
	err = p->head.err ?: p->write(p->ctx, p->head.p, p->head.n) ?:
	      p->write(p->ctx, p->packed.p, p->packed.n);
	p->at += (int64_t)(p->head.n + p->packed.n);
	chunk->bytes += (int64_t)(p->head.n + p->packed.n);
	chunk->bytes_raw += (int64_t)(p->head.n + p->raw.n);
	return err;
}

/* Which cells are known, as definition levels: 0 or 1, with their length in front. */
static void put_levels(struct xtr_parquet_column *c, const uint32_t *order,
		       struct xtr_parquet_pages *p)
{
	size_t begin = p->raw.n;
	uint8_t len[4] = { 0 };

	xtr_buf_add(&p->raw, len, sizeof(len));
	if (!c->n_known || c->n_known == c->n) {
		xtr_parquet_run(&p->raw, c->n_known != 0, c->n, 1);
	} else {
		for (size_t i = 0; i < c->n; i++)
			p->codes[i] = c->known[order ? order[i] : i];
		xtr_parquet_hybrid(&p->raw, p->codes, c->n, 1);
	}
	if (!p->raw.err)
		xtr_put_le32(p->raw.p + begin, (uint32_t)(p->raw.n - begin - sizeof(len)));
}

/* The known values, in order. */
static size_t gather(const struct xtr_parquet_column *c, const uint32_t *order, uint64_t *to)
{
	size_t n = 0;

	if (c->n_known == c->n) {
		for (; n < c->n; n++)
			to[n] = c->v[order ? order[n] : n];
		return n;
	}
	for (size_t i = 0; i < c->n; i++) {
		size_t at = order ? order[i] : i;

		to[n] = c->v[at];
		n += c->known[at];
	}
	return n;
}

static int put_coded(struct xtr_parquet_column *c, const uint32_t *order,
		     struct xtr_parquet_pages *p, struct xtr_parquet_chunk *chunk, size_t entries,
		     size_t n)
{
	unsigned int width = xtr_parquet_width(entries ? entries - 1 : 0);
	uint8_t bits;
	int err;

	chunk->dictionary_at = p->at;
	err = put_page(p, chunk, PARQUET_DICTIONARY_PAGE, entries, PARQUET_PLAIN);
	width += !width;
	bits = (uint8_t)width;
	p->raw.n = 0;
	put_levels(c, order, p);
	for (size_t i = 0; i < n; i++)
		p->codes[i] = (uint32_t)p->values[i];
	xtr_buf_add(&p->raw, &bits, 1);
	xtr_parquet_hybrid(&p->raw, p->codes, n, width);
	chunk->data_at = p->at;
	chunk->encoding = PARQUET_RLE_DICTIONARY;
	return err ?: put_page(p, chunk, PARQUET_DATA_PAGE, c->n, PARQUET_RLE_DICTIONARY);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The values become places in a dictionary, p->raw. *entries: how many it has; 0: it is not worth
 * it. 0 or -ENOMEM. */
static int try_dictionary(const struct xtr_parquet_column *c, struct xtr_parquet_pages *p, size_t n,
			  size_t *entries)
{
	/* Those that came lately: (value, its place + 1). */
	struct {
		uint64_t v;
		uint32_t at;
	} recent[XTR_PARQUET_RECENT] = { 0 };
	struct xtr_map map = { 0 };
	uint8_t bytes[8];
	bool fits = c->names && n;
	int err = 0;

	p->raw.n = 0;
	for (size_t i = 0; i < n && fits && !err; i++) {
		uint64_t v = p->values[i];
		size_t slot = v % XTR_PARQUET_RECENT;
		bool known = recent[slot].at && recent[slot].v == v;
		uint32_t at = known ? recent[slot].at - 1 : xtr_map_index(&map, v, 0);

		if (at == XTR_MAP_NONE) {
			at = (uint32_t)map.n;
			fits = at < DICTIONARY_NUMBERS && at <= n / 2;
			err = fits ? xtr_map_put(&map, v, 0, at) : 0;
			xtr_put_le64(bytes, v);
			xtr_buf_add(&p->raw, bytes, sizeof(bytes));
		}
		p->codes[i] = at;
		recent[slot].v = v;
		recent[slot].at = at + 1;
	}
	*entries = fits ? map.n : 0;
	xtr_map_free(&map);
	return err;
}

static void range_numbers(const struct xtr_parquet_column *c, const uint64_t *v, size_t n,
			  struct xtr_parquet_chunk *chunk)
{
	/* Signed numbers are compared with their sign bit turned over. */
	uint64_t turn = c->type == XTR_PARQUET_UINT ? 0 : (uint64_t)1 << 63;
	uint64_t least = UINT64_MAX, most = 0;
	uint8_t bytes[8];

	for (size_t i = 0; i < n; i++) {
		least = (v[i] ^ turn) < least ? v[i] ^ turn : least;
		most = (v[i] ^ turn) > most ? v[i] ^ turn : most;
	}
	chunk->ranged = n != 0;
	xtr_put_le64(bytes, least ^ turn);
	xtr_buf_add(&chunk->least, bytes, sizeof(bytes));
	xtr_put_le64(bytes, most ^ turn);
	xtr_buf_add(&chunk->most, bytes, sizeof(bytes));
}

/* --- one value -------------------------------------------------------------------------------- */

/* All cells are c->same_v, the first text, or not known. */
static int write_same(struct xtr_parquet_column *c, struct xtr_parquet_pages *p,
		      struct xtr_parquet_chunk *chunk)
{
	uint8_t bytes[8], width = 1;
	int err;

	p->raw.n = 0;
	if (!c->n_known) {
		put_levels(c, NULL, p);
		chunk->data_at = p->at;
		chunk->encoding = PARQUET_PLAIN;
		return put_page(p, chunk, PARQUET_DATA_PAGE, c->n, PARQUET_PLAIN);
	}
	xtr_put_le64(bytes, c->same_v);
	if (c->type == XTR_PARQUET_TEXT)
		put_text(&p->raw, &c->texts, 0);
	else
		xtr_buf_add(&p->raw, bytes, sizeof(bytes));
	chunk->dictionary_at = p->at;
	err = put_page(p, chunk, PARQUET_DICTIONARY_PAGE, 1, PARQUET_PLAIN);
	p->raw.n = 0;
	put_levels(c, NULL, p);
	xtr_buf_add(&p->raw, &width, 1);
	xtr_parquet_run(&p->raw, 0, c->n, width);
	chunk->data_at = p->at;
	chunk->encoding = PARQUET_RLE_DICTIONARY;
	return err ?: put_page(p, chunk, PARQUET_DATA_PAGE, c->n, PARQUET_RLE_DICTIONARY);
}

static int write_numbers(struct xtr_parquet_column *c, const uint32_t *order,
			 struct xtr_parquet_pages *p, struct xtr_parquet_chunk *chunk)
{
	size_t n, entries;
	int err;

	if (c->same) {
		range_numbers(c, &c->same_v, c->n_known != 0, chunk);
		return write_same(c, p, chunk);
	}
	n = gather(c, order, p->values);
	range_numbers(c, p->values, n, chunk);
	err = try_dictionary(c, p, n, &entries);
	if (err)
		return err;
	if (entries) {
		for (size_t i = 0; i < n; i++)
			p->values[i] = p->codes[i];
		return put_coded(c, order, p, chunk, entries, n);
	}
	p->raw.n = 0;
	put_levels(c, order, p);
	xtr_parquet_delta(&p->raw, p->values, n);
	chunk->data_at = p->at;
	chunk->encoding = PARQUET_DELTA_BINARY_PACKED;
	return put_page(p, chunk, PARQUET_DATA_PAGE, c->n, PARQUET_DELTA_BINARY_PACKED);
}

/* --- texts ------------------------------------------------------------------------------------ */

static int compare(const struct xtr_parquet_texts *t, uint32_t a, uint32_t b)
{
	uint32_t n = t->v[a].len < t->v[b].len ? t->v[a].len : t->v[b].len;
	int order = n ? memcmp(t->bytes.p + t->v[a].at, t->bytes.p + t->v[b].at, n) : 0;

	return order ? order : (t->v[a].len > t->v[b].len) - (t->v[a].len < t->v[b].len);
}

static void range_texts(const struct xtr_parquet_texts *t, struct xtr_parquet_chunk *chunk)
{
	uint32_t least = 0, most = 0;

	for (uint32_t i = 1; i < t->n; i++) {
		least = compare(t, i, least) < 0 ? i : least;
		most = compare(t, i, most) > 0 ? i : most;
	}
	chunk->ranged =
		t->n && t->v[least].len <= RANGE_TEXT_MAX && t->v[most].len <= RANGE_TEXT_MAX;
	if (!chunk->ranged)
		return;
	xtr_buf_add(&chunk->least, bytes_of(t, least), t->v[least].len);
	xtr_buf_add(&chunk->most, bytes_of(t, most), t->v[most].len);
}

static int write_texts(struct xtr_parquet_column *c, const uint32_t *order,
		       struct xtr_parquet_pages *p, struct xtr_parquet_chunk *chunk)
{
	const struct xtr_parquet_texts *t = &c->texts;
	size_t n;

	range_texts(t, chunk);
	if (c->same)
		return write_same(c, p, chunk);
	n = gather(c, order, p->values);
	p->raw.n = 0;
	if (t->n && t->n <= n / 2 + 1 && t->bytes.n <= DICTIONARY_BYTES) {
		for (uint32_t i = 0; i < t->n; i++)
			put_text(&p->raw, t, i);
		return put_coded(c, order, p, chunk, t->n, n);
	}
	put_levels(c, order, p);
	for (size_t i = 0; i < n; i++)
		put_text(&p->raw, t, (uint32_t)p->values[i]);
	chunk->data_at = p->at;
	chunk->encoding = PARQUET_PLAIN;
	return put_page(p, chunk, PARQUET_DATA_PAGE, c->n, PARQUET_PLAIN);
}

static void forget(struct xtr_parquet_column *c)
{
	xtr_map_free(&c->texts.by_hash);
	c->n = c->n_known = c->texts.n = c->texts.bytes.n = 0;
}

int xtr_parquet_write_column(struct xtr_parquet_column *c, const uint32_t *order,
			     struct xtr_parquet_pages *p, struct xtr_parquet_chunk *chunk)
{
	int err;

	*chunk = (struct xtr_parquet_chunk){ .values = (int64_t)c->n,
					     .nulls = (int64_t)(c->n - c->n_known),
					     .dictionary_at = -1 };
	if (xtr_grow_array(&p->values, &p->cap_values, c->n + 1, sizeof(*p->values)) ||
	    xtr_grow_array(&p->codes, &p->cap_codes, c->n + 1, sizeof(*p->codes)))
		return -ENOMEM;
	err = c->type == XTR_PARQUET_TEXT ? write_texts(c, order, p, chunk)
					  : write_numbers(c, order, p, chunk);
	forget(c);
	return err ?: chunk->least.err ?: chunk->most.err;
}

void xtr_parquet_column_free(struct xtr_parquet_column *c)
{
	forget(c);
	free(c->v);
	free(c->known);
	free(c->texts.v);
	xtr_buf_free(&c->texts.bytes);
}

void xtr_parquet_pages_free(struct xtr_parquet_pages *p)
{
	xtr_buf_free(&p->raw);
	xtr_buf_free(&p->packed);
	xtr_buf_free(&p->head);
	free(p->values);
	free(p->codes);
	xtr_zstd_free(&p->zstd);
}
