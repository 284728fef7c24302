/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From words back to records (spec 5.4). All planes are first brought to memory as arrays: bytes,
 * or the values of a column. How long they may become is known from the records' lengths. Then
 * records are made one after the other, each a copy of the one before of its layout.
 */
#include "base/buf.h"
#include "base/bytes.h"
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Words that stand in the same byte of masks. */
#define MASK_WORDS 8u
/* Bits of so many masks are added up in a byte each. */
#define MASKS_SUM 255u

struct words_layout {
	uint16_t type;
	uint32_t size, words, masks; /* masks: bytes of masks of a record */
	uint32_t base;               /* ns */
	uint32_t n, row;             /* records; of them made */
	const uint8_t *prev;         /* payload of the record before */
	const uint8_t *mask;         /* masks planes of n bytes */
	const uint32_t **next;       /* of each word, the value that comes next */
};

struct words_dec {
	struct words_layout layouts[XTR_WORDS_LAYOUTS_MAX];
	uint32_t n_layouts, n_words;
	uint32_t n_tids; /* records whose thread is another one than that of the record before */
	const uint8_t *head, *low, *high;
	const uint32_t *far4, *tid;
	const uint64_t *far8;
	const uint32_t **next; /* area of all layouts' */
	size_t cap_next;
	uint8_t *area; /* all planes */
	size_t cap_area, used;
	uint8_t zero[UINT16_MAX + 1]; /* what stands before the first record */
};

struct cursor {
	const uint8_t *p, *end;
};

/* --- planes ----------------------------------------------------------------------------------- */

/* A part of the area, which is large enough for all that records of rec_len bytes need. */
static void *take(struct words_dec *d, size_t bytes)
{
	void *p = d->area + d->used;

	d->used += (bytes + 7) & ~(size_t)7;
	return p;
}

/* A plane as it stands in the payload. */
struct plane {
	const uint8_t *bytes;
	bool even;
};

static bool get_plane(struct cursor *c, struct plane *plane, size_t n)
{
	size_t left = (size_t)(c->end - c->p), len;

	if (!left || c->p[0] > XTR_PLANE_BYTES)
		return false;
	plane->even = c->p[0] == XTR_PLANE_EVEN;
	len = plane->even ? 2 : n;
	if (left - 1 < len)
		return false;
	plane->bytes = c->p + 1;
	c->p += 1 + len;
	return true;
}

/* The n bytes of a plane, 1 or more. */
static void expand(const struct plane *plane, uint8_t *to, size_t n)
{
	if (!plane->even) {
		memcpy(to, plane->bytes, n);
		return;
	}
	memset(to, plane->bytes[1], n);
	to[0] = plane->bytes[0];
}

/* A plane of n bytes, which stay where they are if they can. */
static bool get_bytes(struct words_dec *d, struct cursor *c, size_t n, const uint8_t **bytes)
{
	struct plane plane;
	uint8_t *to;

	*bytes = NULL;
	if (!n)
		return true;
	if (!get_plane(c, &plane, n))
		return false;
	*bytes = plane.bytes;
	if (!plane.even)
		return true;
	*bytes = to = take(d, n);
	expand(&plane, to, n);
	return true;
}

/* Four planes of n bytes, which are n values. */
static bool get_values(struct words_dec *d, struct cursor *c, size_t n, const uint32_t **values)
{
	uint32_t *to = take(d, n * sizeof(*to)), first = 0, others = 0;
	struct plane plane[4];

	*values = to;
	if (!n)
		return true;
	for (unsigned int k = 0; k < 4; k++) {
		if (!get_plane(c, &plane[k], n))
			return false;
		if (!plane[k].even)
			continue;
		first |= (uint32_t)plane[k].bytes[0] << 8 * k;
		others |= (uint32_t)plane[k].bytes[1] << 8 * k;
	}
	to[0] = first;
	for (size_t i = 1; i < n; i++)
		to[i] = others;
	for (unsigned int k = 0; k < 4; k++)
		for (size_t i = 0; i < n && !plane[k].even; i++)
			to[i] |= (uint32_t)plane[k].bytes[i] << 8 * k;
	return true;
}

static bool get_wide_values(struct words_dec *d, struct cursor *c, size_t n,
			    const uint64_t **values)
{
	uint64_t *to = take(d, n * sizeof(*to));

	*values = to;
	memset(to, 0, n * sizeof(*to));
	for (unsigned int k = 0; k < 8; k++) {
		const uint8_t *bytes;

		if (!get_bytes(d, c, n, &bytes))
			return false;
		for (size_t i = 0; i < n; i++)
			to[i] |= (uint64_t)bytes[i] << 8 * k;
	}
	return true;
}

/* --- layouts and heads ------------------------------------------------------------------------ */

static bool get(struct cursor *c, uint64_t max, uint32_t *v)
{
	uint64_t wide;

	c->p = xtr_varint_get(c->p, c->end, &wide);
	if (!c->p || wide > max)
		return false;
	*v = (uint32_t)wide;
	return true;
}

static bool get_layouts(struct words_dec *d, struct cursor *c)
{
	if (!get(c, XTR_WORDS_LAYOUTS_MAX, &d->n_layouts))
		return false;
	d->n_words = 0;
	for (uint32_t i = 0; i < d->n_layouts; i++) {
		struct words_layout *l = &d->layouts[i];
		uint32_t type, size, base;

		if (!get(c, UINT16_MAX, &type) || !get(c, UINT16_MAX, &size) ||
		    !get(c, XTR_WORDS_FAR - 1, &base) || size < XTR_RECORD_HEADER_SIZE || size % 8)
			return false;
		*l = (struct words_layout){
			.type = (uint16_t)type,
			.size = size,
			.words = (size - XTR_RECORD_HEADER_SIZE) / 4,
			.base = base,
			.prev = d->zero,
		};
		l->masks = (l->words + MASK_WORDS - 1) / MASK_WORDS;
		d->n_words += l->words;
		if (d->n_words > XTR_WORDS_MAX)
			return false;
	}
	return true;
}

/* Records of each layout, and all that is known by them: places. 0, -EBADMSG or -ENOMEM. */
static int count_heads(struct words_dec *d, const struct plane *heads, uint32_t n, size_t rec_len)
{
	uint32_t count[2 * XTR_WORDS_LAYOUTS_MAX] = { 0 };
	size_t bytes = 0, words = 0;

	if (n && heads->even) {
		count[heads->bytes[0]]++;
		count[heads->bytes[1]] += n - 1;
	} else {
		for (uint32_t i = 0; i < n; i++)
			count[heads->bytes[i]]++;
	}
	for (uint32_t i = 2 * d->n_layouts; i < 2 * XTR_WORDS_LAYOUTS_MAX; i++)
		if (count[i])
			return -EBADMSG;
	d->n_tids = 0;
	for (uint32_t i = 0; i < d->n_layouts; i++) {
		d->layouts[i].n = count[2 * i] + count[2 * i + 1];
		d->n_tids += count[2 * i + 1];
		bytes += (size_t)d->layouts[i].n * d->layouts[i].size;
	}
	if (bytes != rec_len)
		return -EBADMSG;
	if (xtr_grow_array(&d->next, &d->cap_next, d->n_words + 1, sizeof(*d->next)))
		return -ENOMEM;
	for (uint32_t i = 0; i < d->n_layouts; i++) {
		d->layouts[i].next = d->next + words;
		words += d->layouts[i].words;
	}
	return 0;
}

/*
 * Bytes of all planes in memory, each rounded up: of a record at most head, low, high, far4, far8
 * with one of its planes, tid, and for each word of 4 bytes a bit of a mask and its value.
 */
static size_t area_of(const struct words_dec *d, uint32_t n, size_t rec_len)
{
	size_t planes = 16u + d->n_layouts + d->n_words;

	return (size_t)n * (1 + 1 + 1 + 4 + 16 + 4 + 1) + rec_len + rec_len / 32 + planes * 8;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* How often each bit is set in n masks. */
static void count_bits(const uint8_t *mask, uint32_t n, uint32_t count[MASK_WORDS])
{
	memset(count, 0, MASK_WORDS * sizeof(*count));
	while (n) {
		uint32_t part = n < MASKS_SUM ? n : MASKS_SUM;
		uint64_t sum = 0; /* a byte for each bit */

		for (uint32_t i = 0; i < part; i++) {
			uint64_t one = mask[i] * 0x0101010101010101u & 0x8040201008040201u;

			sum += (one + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
		}
		for (uint32_t k = 0; k < MASK_WORDS; k++)
			count[k] += sum >> 8 * k & 0xff;
		mask += part;
		n -= part;
	}
}

/* The words of a byte of masks, which are known. */
static bool get_words(struct words_dec *d, struct cursor *c, struct words_layout *l, uint32_t j)
{
	const uint8_t *mask = l->mask + (size_t)j * l->n;
	uint32_t count[MASK_WORDS];

	count_bits(mask, l->n, count);
	for (uint32_t k = 0; k < MASK_WORDS; k++) {
		uint32_t word = j * MASK_WORDS + k;

		if (word < l->words ? !get_values(d, c, count[k], &l->next[word]) : count[k] != 0)
			return false;
	}
	return true;
}

static bool get_layout_planes(struct words_dec *d, struct cursor *c, struct words_layout *l)
{
	uint8_t *masks = take(d, (size_t)l->masks * l->n);

	l->mask = masks;
	for (uint32_t j = 0; j < l->masks && l->n; j++, masks += l->n) {
		struct plane plane;

		if (!get_plane(c, &plane, l->n))
			return false;
		expand(&plane, masks, l->n);
	}
	for (uint32_t j = 0; j < l->masks && l->n; j++)
		if (!get_words(d, c, l, j))
			return false;
	return true;
}

static bool get_planes(struct words_dec *d, struct cursor *c, uint32_t n)
{
	uint32_t n4 = 0, n8 = 0;

	if (!get_bytes(d, c, n, &d->low) || !get_bytes(d, c, n, &d->high))
		return false;
	for (uint32_t i = 0; i < n; i++)
		n4 += (d->low[i] & d->high[i]) == 0xff;
	if (!get_values(d, c, n4, &d->far4))
		return false;
	for (uint32_t i = 0; i < n4; i++)
		n8 += d->far4[i] == XTR_WORDS_FAR_4;
	if (!get_wide_values(d, c, n8, &d->far8) || !get_values(d, c, d->n_tids, &d->tid))
		return false;
	for (uint32_t i = 0; i < d->n_layouts; i++)
		if (!get_layout_planes(d, c, &d->layouts[i]))
			return false;
	return true;
}

/* --- records ---------------------------------------------------------------------------------- */

/* What comes next of the time stamps. */
struct times {
	const uint8_t *low, *high;
	const uint32_t *far4;
	const uint64_t *far8;
};

/* The difference to the time stamp before. */
static inline uint64_t next_time(struct times *t, uint32_t base)
{
	uint32_t near = *t->low++ | (uint32_t)*t->high++ << 8;
	uint32_t far;

	if (__builtin_expect(near != XTR_WORDS_FAR, 1)) {
		near += base;
		return near < XTR_WORDS_FAR ? near : near - XTR_WORDS_FAR;
	}
	far = *t->far4++;
	return far != XTR_WORDS_FAR_4 ? far : *t->far8++;
}

/* A payload is a multiple of 8 bytes, and mostly short. */
static inline void copy_payload(uint8_t *to, const uint8_t *from, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 16 <= n; i += 16)
		memcpy(to + i, from + i, 16);
	if (i < n)
		memcpy(to + i, from + i, 8);
}

static inline void put_payload(struct words_layout *l, uint8_t *payload)
{
	const uint32_t n = l->n, masks = l->masks;
	const uint8_t *mask = l->mask + l->row++;
	const uint32_t **next = l->next;

	copy_payload(payload, l->prev, l->size - XTR_RECORD_HEADER_SIZE);
	l->prev = payload;
	for (uint32_t j = 0; j < masks; j++, mask += n, next += MASK_WORDS)
		for (uint32_t m = *mask; m; m &= m - 1) {
			uint32_t k = (uint32_t)__builtin_ctz(m);

			xtr_put_le32(payload + 4 * (j * MASK_WORDS + k), *next[k]++);
		}
}

static void put_records(struct words_dec *d, uint32_t n, uint8_t *out, struct xtr_rec_span *span)
{
	struct xtr_rec_span s = { .ts_min = n ? UINT64_MAX : 0, .sorted = true };
	struct times times = { d->low, d->high, d->far4, d->far8 };
	const uint32_t *tids = d->tid;
	const uint8_t *head = d->head;
	uint64_t ts = 0, before = 0;
	uint32_t tid = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct words_layout *l = &d->layouts[head[i] / 2];

		if (head[i] & 1)
			tid = *tids++;
		ts += next_time(&times, l->base);
		xtr_put_le64(out, ts);
		xtr_put_le64(out + 8, l->type | (uint64_t)l->size << 16 | (uint64_t)tid << 32);
		put_payload(l, out + XTR_RECORD_HEADER_SIZE);
		s.ts_min = ts < s.ts_min ? ts : s.ts_min;
		s.ts_max = ts > s.ts_max ? ts : s.ts_max;
		s.sorted &= ts >= before;
		before = ts;
		out += l->size;
	}
	*span = s;
}

/* 0, -EBADMSG or -ENOMEM. */
static int get_heads(struct words_dec *d, struct cursor *c, uint32_t n, size_t rec_len)
{
	struct plane heads = { 0 };
	struct cursor start;
	int err;

	if (!get_layouts(d, c))
		return -EBADMSG;
	start = *c;
	if (n && !get_plane(c, &heads, n))
		return -EBADMSG;
	err = count_heads(d, &heads, n, rec_len);
	if (err)
		return err;
	if (xtr_grow(&d->area, &d->cap_area, area_of(d, n, rec_len)))
		return -ENOMEM;
	d->used = 0;
	*c = start;
	return get_bytes(d, c, n, &d->head) ? 0 : -EBADMSG;
}

int xtr_words_decode(struct xtr_words_dec *dec, const uint8_t *in, size_t len, uint32_t n,
		     uint8_t *out, size_t rec_len, struct xtr_rec_span *span)
{
	struct cursor c = { .p = in, .end = in + len };
	struct words_dec *d = dec->d;
	int err;

	if (n > XTR_RECORDS_MAX || rec_len > XTR_REC_MAX)
		return -EBADMSG;
	if (!d)
		d = dec->d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	err = get_heads(d, &c, n, rec_len);
	if (err)
		return err;
	if (!get_planes(d, &c, n) || c.p != c.end)
		return -EBADMSG;
	put_records(d, n, out, span);
	return 0;
}

void xtr_words_dec_free(struct xtr_words_dec *d)
{
	if (d->d) {
		free(d->d->next);
		free(d->d->area);
	}
	free(d->d);
	d->d = NULL;
}
