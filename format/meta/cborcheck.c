// SPDX-License-Identifier: BSD-2-Clause
#include "cborcheck.h"
#include "format/xtr_format.h"

#include <string.h>

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
