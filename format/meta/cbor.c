/* SPDX-License-Identifier: BSD-2-Clause */
/* CBOR (RFC 8949): checking, writing and reading it. */
#include "cbor.h"
#include "format/xtr_format.h"

#include <cbor.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- cborcheck -------------------------------------------------------------------------------- */

enum {
	UINT = 0,
	NEGINT = 1,
	BYTES = 2,
	TEXT = 3,
	ARRAY = 4,
	MAP = 5,
	SIMPLE = 7
};

struct level {
	uint64_t left; /* items still to come in this container */
	bool map, at_key;
	size_t key, key_len; /* the key before: offset and bytes */
};

struct walk {
	const uint8_t *buf;
	size_t n, pos;
	uint32_t items, depth;
	struct level stack[XTR_CBOR_DEPTH_MAX];
};

/* The bytes that may follow a lead byte, by RFC 3629's table: number, and range of the first. */
static int utf8_tail(uint8_t lead, uint8_t *low, uint8_t *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 1;
	if (lead >= 0xe0 && lead <= 0xef) {
		*low = lead == 0xe0 ? 0xa0 : 0x80;
		*high = lead == 0xed ? 0x9f : 0xbf;
		return 2;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		*low = lead == 0xf0 ? 0x90 : 0x80;
		*high = lead == 0xf4 ? 0x8f : 0xbf;
		return 3;
	}
	return -1;
}

bool xtr_utf8_check(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;

	while (p < end) {
		uint8_t lead = *p++, low, high;
		int tail;

		if (lead && lead < 0x80)
			continue;
		tail = utf8_tail(lead, &low, &high);
		if (tail < 0 || tail > end - p)
			return false;
		while (tail--) {
			if (*p < low || *p > high)
				return false;
			p++;
			low = 0x80;
			high = 0xbf;
		}
	}
	return true;
}

/* The argument of an item's head, in its shortest form; w->pos moves behind it. */
static bool argument(struct walk *w, uint8_t info, uint64_t *v)
{
	static const uint64_t least[] = { 24, 0x100, 0x10000, 0x100000000 };
	size_t len;

	if (info < 24) {
		*v = info;
		return true;
	}
	if (info > 27)
		return false;
	len = (size_t)1 << (info - 24);
	if (len > w->n - w->pos)
		return false;
	*v = 0;
	for (size_t i = 0; i < len; i++)
		*v = *v << 8 | w->buf[w->pos + i];
	if (*v < least[info - 24])
		return false;
	w->pos += len;
	return true;
}

/* A key that is complete must be larger than the one before it, compared as bytes. */
static bool key_done(struct walk *w, struct level *l, size_t start)
{
	size_t len = w->pos - start, common = len < l->key_len ? len : l->key_len;
	int cmp = l->key_len ? memcmp(w->buf + l->key, w->buf + start, common) : -1;

	if (cmp > 0 || (!cmp && l->key_len >= len))
		return false;
	l->key = start;
	l->key_len = len;
	return true;
}

/* Enter a container of `count` items. */
static bool enter(struct walk *w, uint64_t count, bool map)
{
	if (w->depth >= XTR_CBOR_DEPTH_MAX || count > XTR_CBOR_ITEMS_MAX)
		return false;
	w->stack[w->depth++] = (struct level){
		.left = map ? count * 2 : count,
		.map = map,
		.at_key = map,
	};
	return true;
}

/* One head and, of a string, its bytes. *opened: a container that is not empty was entered. */
static bool item(struct walk *w, bool *opened)
{
	uint8_t head;
	uint64_t v;

	*opened = false;
	if (w->pos >= w->n || ++w->items > XTR_CBOR_ITEMS_MAX)
		return false;
	head = w->buf[w->pos++];
	if (head >> 5 == SIMPLE)
		return head >= 0xf4 && head <= 0xf6; /* false, true, null */
	if (!argument(w, head & 31, &v))
		return false;
	switch (head >> 5) {
	case UINT:
	case NEGINT:
		return true;
	case BYTES:
	case TEXT:
		if (v > XTR_CBOR_STRING_MAX || v > w->n - w->pos)
			return false;
		if (head >> 5 == TEXT && !xtr_utf8_check(w->buf + w->pos, (size_t)v))
			return false;
		w->pos += (size_t)v;
		return true;
	case ARRAY:
	case MAP:
		*opened = v > 0;
		if (!v) /* depth counts for an empty one, too */
			return w->depth < XTR_CBOR_DEPTH_MAX;
		return enter(w, v, head >> 5 == MAP);
	default: /* a tag */
		return false;
	}
}

/*
 * An item that started at `start` is complete: count it in its container, check it if it is a key,
 * and leave the containers that end with it.
 */
static bool complete(struct walk *w, size_t start, size_t starts[])
{
	while (w->depth) {
		struct level *l = &w->stack[w->depth - 1];

		if (l->map) {
			if (l->at_key && !key_done(w, l, start))
				return false;
			l->at_key = !l->at_key;
		}
		if (--l->left)
			return true;
		start = starts[--w->depth];
	}
	return true;
}

bool xtr_cbor_check(const uint8_t *buf, size_t n, size_t *bad)
{
	struct walk w = { .buf = buf, .n = n };
	size_t starts[XTR_CBOR_DEPTH_MAX]; /* where each open container starts */

	do {
		size_t start = w.pos;
		bool opened;

		*bad = start;
		if (!item(&w, &opened))
			return false;
		if (opened)
			starts[w.depth - 1] = start;
		else if (!complete(&w, start, starts))
			return false;
	} while (w.depth);
	*bad = w.pos;
	return w.pos == n;
}

/* --- cborenc ---------------------------------------------------------------------------------- */

#define HEAD_MAX 9u /* bytes of the longest head */

typedef size_t encode_fn(size_t n, unsigned char *buf, size_t size);

static void head(struct xtr_buf *b, encode_fn *encode, size_t n)
{
	uint8_t *p = xtr_buf_room(b, HEAD_MAX);

	if (p)
		b->n += encode(n, p, HEAD_MAX);
}

void xtr_enc_uint(struct xtr_buf *b, uint64_t v)
{
	uint8_t *p = xtr_buf_room(b, HEAD_MAX);

	if (p)
		b->n += cbor_encode_uint(v, p, HEAD_MAX);
}

void xtr_enc_map(struct xtr_buf *b, size_t pairs)
{
	head(b, cbor_encode_map_start, pairs);
}

void xtr_enc_array(struct xtr_buf *b, size_t n)
{
	head(b, cbor_encode_array_start, n);
}

void xtr_enc_bool(struct xtr_buf *b, bool v)
{
	uint8_t *p = xtr_buf_room(b, HEAD_MAX);

	if (p)
		b->n += cbor_encode_bool(v, p, HEAD_MAX);
}

void xtr_enc_bytes(struct xtr_buf *b, const void *p, size_t n)
{
	head(b, cbor_encode_bytestring_start, n);
	xtr_buf_add(b, p, n);
}

void xtr_enc_string(struct xtr_buf *b, const void *p, size_t n)
{
	bool text = xtr_utf8_check(p, n);

	head(b, text ? cbor_encode_string_start : cbor_encode_bytestring_start, n);
	xtr_buf_add(b, p, n);
}

/* Names come from the kernel and the user: nearly always ASCII, but nothing makes sure of it. */
static void put_replaced(struct xtr_buf *b, const char *s, size_t n)
{
	uint8_t *p;

	head(b, cbor_encode_string_start, n);
	p = xtr_buf_room(b, n);
	if (!p)
		return;
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)s[i] < 0x80 ? (uint8_t)s[i] : '?';
	b->n += n;
}

void xtr_enc_text(struct xtr_buf *b, const char *s)
{
	uint8_t *p;

	if (s && xtr_utf8_check((const uint8_t *)s, strlen(s))) {
		head(b, cbor_encode_string_start, strlen(s));
		xtr_buf_add(b, s, strlen(s));
	} else if (s) {
		put_replaced(b, s, strlen(s));
	} else {
		p = xtr_buf_room(b, HEAD_MAX);
		if (p)
			b->n += cbor_encode_null(p, HEAD_MAX);
	}
}

void xtr_enc_pair_text(struct xtr_buf *b, const char *key, const char *s)
{
	xtr_enc_text(b, key);
	xtr_enc_text(b, s);
}

void xtr_enc_pair_uint(struct xtr_buf *b, const char *key, uint64_t v)
{
	xtr_enc_text(b, key);
	xtr_enc_uint(b, v);
}

int xtr_enc_key_cmp(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);

	return na != nb ? (na < nb ? -1 : 1) : memcmp(a, b, na);
}

/* --- cborget ---------------------------------------------------------------------------------- */

int xtr_cbor_broken(enum xtr_problem_code grammar, struct xtr_err *err)
{
	*err = (struct xtr_err){ .code = -EBADMSG, .problem = grammar };
	return -EBADMSG;
}

bool xtr_cbor_is_map(const cbor_item_t *item)
{
	return item && cbor_isa_map(item);
}

bool xtr_cbor_is_text_map(const cbor_item_t *item)
{
	const struct cbor_pair *pairs;

	if (!xtr_cbor_is_map(item))
		return false;
	pairs = cbor_map_handle(item);
	for (size_t i = 0; i < cbor_map_size(item); i++)
		if (!cbor_isa_string(pairs[i].key))
			return false;
	return true;
}

int xtr_cbor_load(const uint8_t *buf, size_t n, enum xtr_problem_code grammar, cbor_item_t **item,
		  struct xtr_err *err)
{
	struct cbor_load_result result;
	size_t bad;

	if (!xtr_cbor_check(buf, n, &bad)) {
		xtr_cbor_broken(XTR_P_CBOR, err);
		err->offset = bad;
		return -EBADMSG;
	}
	*item = cbor_load(buf, n, &result);
	if (!*item) /* the bytes are right, so it can only be memory */
		return -ENOMEM;
	if (xtr_cbor_is_text_map(*item))
		return 0;
	cbor_decref(item);
	return xtr_cbor_broken(grammar, err);
}

bool xtr_cbor_key_is(const cbor_item_t *key, const char *text)
{
	size_t n = strlen(text);

	return cbor_isa_string(key) && cbor_string_length(key) == n &&
	       !memcmp(cbor_string_handle(key), text, n);
}

cbor_item_t *xtr_cbor_key(const cbor_item_t *map, const char *key)
{
	const struct cbor_pair *pairs = cbor_map_handle(map);

	for (size_t i = 0; i < cbor_map_size(map); i++)
		if (xtr_cbor_key_is(pairs[i].key, key))
			return pairs[i].value;
	return NULL;
}

bool xtr_cbor_u64(const cbor_item_t *item, uint64_t *v)
{
	if (!item || !cbor_isa_uint(item))
		return false;
	*v = cbor_get_int(item);
	return true;
}

static bool in_range(const cbor_item_t *item, uint64_t least, uint64_t most, uint32_t *v)
{
	uint64_t u;

	if (!xtr_cbor_u64(item, &u) || u < least || u > most)
		return false;
	*v = (uint32_t)u;
	return true;
}

bool xtr_cbor_u32(const cbor_item_t *item, uint32_t *v)
{
	return in_range(item, 0, UINT32_MAX, v);
}

bool xtr_cbor_u16(const cbor_item_t *item, uint32_t *v)
{
	return in_range(item, 0, UINT16_MAX, v);
}

bool xtr_cbor_id(const cbor_item_t *item, uint32_t *v)
{
	return in_range(item, 1, UINT32_MAX, v);
}

bool xtr_cbor_is_text(const cbor_item_t *item)
{
	return item && cbor_isa_string(item);
}

char *xtr_cbor_strdup(const cbor_item_t *item)
{
	size_t n = cbor_string_length(item);
	char *s = malloc(n + 1);

	if (!s)
		return NULL;
	if (n)
		memcpy(s, cbor_string_handle(item), n);
	s[n] = '\0';
	return s;
}

cbor_item_t **xtr_cbor_array(const cbor_item_t *item, size_t least, size_t *n)
{
	static cbor_item_t *none[1];

	if (!item || !cbor_isa_array(item))
		return NULL;
	*n = cbor_array_size(item);
	if (*n < least)
		return NULL;
	return *n ? cbor_array_handle(item) : none;
}

bool xtr_cbor_string(const cbor_item_t *item, const uint8_t **p, size_t *n)
{
	static const uint8_t none[1];

	if (item && cbor_isa_string(item)) {
		*p = cbor_string_handle(item);
		*n = cbor_string_length(item);
	} else if (item && cbor_isa_bytestring(item)) {
		*p = cbor_bytestring_handle(item);
		*n = cbor_bytestring_length(item);
	} else {
		return false;
	}
	if (!*n)
		*p = none;
	return true;
}
