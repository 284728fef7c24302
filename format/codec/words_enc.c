/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words encoding. A first pass over the records counts those of each layout, so that every plane
 * and every column has its place; the second one compares; then columns become planes. The record
 * before, of the same layout, is taken where it stands in the input.
 */
#include "base/buf.h"
#include "base/bytes.h"
#include "words.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LAYOUT_MAX (3u + 3u + 3u) /* bytes of one in the payload */
#define HEAD_MAX   (2u + XTR_WORDS_LAYOUTS_MAX * LAYOUT_MAX)
/* Bytes of a record that has no words, at most: head, ts and tid. */
#define BARE_MAX (1u + 2u + 4u + 8u + 4u)
/* How each plane is written that all records have: one byte. */
#define PLANES_FORMS (1u + 2u + 4u + 8u + 4u)

#define SAMPLE     64u  /* differences of time of a layout that are looked at */
#define SAMPLE_OF  512u /* records of all layouts that are looked at */
#define SAMPLE_MIN 16u  /* fewer say nothing */
#define BASE_MIN   512u /* records of a layout for which it is worth the time */

/* A layout in this chunk. */
struct words_layout {
	uint16_t type, size;
	uint32_t words, whole; /* in a record; of them copied as a whole */
	uint32_t rest;         /* bytes after these, fewer than a word */
	uint32_t masks;        /* bytes of masks of a record */
	uint32_t row_max;      /* bytes of a record in the payload, at most */
	uint32_t n, row;       /* records; of them done */
	uint32_t base;         /* ns, taken off differences of time */
	const uint8_t *prev;   /* payload of the record before */
	uint8_t *mask;         /* masks planes of n bytes */
	uint32_t *column;      /* words columns of n values */
	uint32_t **next;       /* the end of each column */
};

struct words_number {
	uint32_t epoch;  /* of the chunk for which it holds */
	uint32_t number; /* of a layout of the caller's in the payload */
};

struct xtr_words_enc {
	struct words_number *numbers;
	size_t cap_numbers;
	uint32_t epoch;
	struct words_layout layouts[XTR_WORDS_LAYOUTS_MAX];
	uint32_t n_layouts, n_words; /* of this chunk; words of all layouts */
	uint8_t head[XTR_RECORDS_MAX], low[XTR_RECORDS_MAX], high[XTR_RECORDS_MAX];
	uint32_t tid[XTR_RECORDS_MAX], far4[XTR_RECORDS_MAX];
	uint64_t far8[XTR_RECORDS_MAX];
	uint32_t n, n_tid, n_far4, n_far8;
	uint16_t sample[XTR_WORDS_LAYOUTS_MAX][SAMPLE]; /* ns */
	uint8_t *mask;                                  /* area of all layouts' masks */
	size_t cap_mask;
	uint32_t *column; /* area of all columns */
	size_t cap_column;
	uint32_t **next; /* area of the ends of columns */
	size_t cap_next;
	uint8_t *zero; /* a payload of zeros: what stands before the first one */
	uint8_t *out;
};

struct xtr_words_enc *xtr_words_enc_new(void)
{
	struct xtr_words_enc *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->zero = calloc(1, UINT16_MAX + 1);
	e->out = malloc(XTR_RAW_MAX);
	if (e->zero && e->out)
		return e;
	xtr_words_enc_free(e);
	return NULL;
}

void xtr_words_enc_free(struct xtr_words_enc *e)
{
	if (!e)
		return;
	free(e->numbers);
	free(e->mask);
	free(e->column);
	free(e->next);
	free(e->zero);
	free(e->out);
	free(e);
}

/* --- which records, and where everything goes ------------------------------------------------- */

/*
 * Give the layout a number in this chunk. 0; -E2BIG: the chunk has too many, or they too many
 * words; -EINVAL.
 */
static int number_layout(struct xtr_words_enc *e, struct words_number *number,
			 const struct xtr_rec_layout *l)
{
	struct words_layout *el = &e->layouts[e->n_layouts];
	uint32_t words;

	if (!xtr_rec_layout_is_right(l))
		return -EINVAL;
	words = (l->size - XTR_RECORD_HEADER_SIZE) / 4u;
	if (e->n_layouts == XTR_WORDS_LAYOUTS_MAX || e->n_words + words > XTR_WORDS_MAX)
		return -E2BIG;
	*number = (struct words_number){ .epoch = e->epoch, .number = e->n_layouts++ };
	*el = (struct words_layout){
		.type = l->type,
		.size = l->size,
		.words = words,
		.whole = l->copy / 4u,
		.rest = l->copy % 4u,
		.masks = (words + 7) / 8,
		.prev = e->zero,
	};
	el->row_max = BARE_MAX + el->masks + 4 * words;
	e->n_words += words;
	return 0;
}

/* The layout with this index, numbered if it was not yet. 0, -E2BIG or -EINVAL. */
static int find_layout(struct xtr_words_enc *e, const struct xtr_rec_layout *layouts,
		       uint32_t n_layouts, uint32_t index, size_t *bytes,
		       struct words_layout **found)
{
	int err;

	if (index >= n_layouts)
		return -EINVAL;
	if (e->numbers[index].epoch != e->epoch) {
		err = number_layout(e, &e->numbers[index], &layouts[index]);
		if (err)
			return err;
		*found = &e->layouts[e->numbers[index].number];
		*bytes += (*found)->masks + 4 * (*found)->words; /* forms */
		return 0;
	}
	*found = &e->layouts[e->numbers[index].number];
	return 0;
}

/* How many of the n records, from the first on, have its layout and its thread. */
static uint32_t alike(const struct xtr_rec_ref *refs, uint32_t n)
{
	uint32_t i = 1;

	while (i < n && refs[i].layout == refs->layout && refs[i].tid == refs->tid)
		i++;
	return i;
}

/* How many more of n records of a layout there is room for, with so much taken. */
static uint32_t fitting(const struct words_layout *el, uint32_t n, size_t sum, size_t max_bytes,
			size_t bytes)
{
	size_t by_sum = sum < max_bytes ? (max_bytes - sum) / el->size : 0;
	size_t by_bytes = bytes < XTR_RAW_MAX ? (XTR_RAW_MAX - bytes) / el->row_max : 0;
	size_t fit = by_sum < by_bytes ? by_sum : by_bytes;

	return fit < n ? (uint32_t)fit : n;
}

/*
 * Take as many records as may be, with a head for each, and count them: run by run of those of one
 * layout and thread. taken: bytes of records. 0 or -EINVAL.
 */
static int take(struct xtr_words_enc *e, const struct xtr_rec_layout *layouts, uint32_t n_layouts,
		const struct xtr_rec_ref *refs, uint32_t n, size_t max_bytes, size_t *taken)
{
	size_t bytes = HEAD_MAX + PLANES_FORMS, sum = 0;
	uint32_t tid = 0, n_tid = 0, i = 0, run, fit;

	do {
		struct words_layout *el;
		uint8_t number;
		int err = find_layout(e, layouts, n_layouts, refs[i].layout, &bytes, &el);

		if (err == -EINVAL)
			return err;
		if (err)
			break;
		run = alike(refs + i, n - i);
		fit = fitting(el, run, sum, max_bytes, bytes);
		fit += !fit && !i; /* the first one in any case */
		e->n_layouts -= !fit && !el->n;
		if (!fit)
			break;
		number = (uint8_t)((el - e->layouts) * 2);
		memset(e->head + i, number, fit);
		e->head[i] |= refs[i].tid != tid;
		e->tid[n_tid] = refs[i].tid;
		n_tid += refs[i].tid != tid;
		tid = refs[i].tid;
		el->n += fit;
		sum += (size_t)el->size * fit;
		bytes += (size_t)el->row_max * fit;
		i += fit;
	} while (fit == run && i < n);
	e->n = i;
	e->n_tid = n_tid;
	*taken = sum;
	return 0;
}

/* Places for masks and columns. 0 or -ENOMEM. */
static int place(struct xtr_words_enc *e)
{
	size_t masks = 0, values = 0, words = 0;

	for (uint32_t i = 0; i < e->n_layouts; i++) {
		masks += (size_t)e->layouts[i].n * e->layouts[i].masks;
		values += (size_t)e->layouts[i].n * e->layouts[i].words;
		words += e->layouts[i].words;
	}
	if (xtr_grow(&e->mask, &e->cap_mask, masks + 1) ||
	    xtr_grow_array(&e->column, &e->cap_column, values + 1, sizeof(*e->column)) ||
	    xtr_grow_array(&e->next, &e->cap_next, words + 1, sizeof(*e->next)))
		return -ENOMEM;
	masks = values = words = 0;
	for (uint32_t i = 0; i < e->n_layouts; i++) {
		struct words_layout *el = &e->layouts[i];

		el->mask = e->mask + masks;
		memset(el->mask, 0, (size_t)el->n * el->masks);
		el->column = e->column + values;
		el->next = e->next + words;
		for (uint32_t k = 0; k < el->words; k++)
			el->next[k] = el->column + (size_t)k * el->n;
		masks += (size_t)el->n * el->masks;
		values += (size_t)el->n * el->words;
		words += el->words;
	}
	return 0;
}

/* --- times ------------------------------------------------------------------------------------ */

static void sort(uint16_t *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint16_t x = v[i];
		uint32_t k = i;

		for (; k && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* Where the 256 ns begin into which most of the differences fall: their high byte is then 0. */
static uint32_t best_base(uint16_t *v, uint32_t n)
{
	uint32_t best = 0, base = 0;

	sort(v, n);
	for (uint32_t first = 0, end = 0; end < n; first++) {
		while (end < n && v[end] - v[first] < 256)
			end++;
		if (end - first > best) {
			best = end - first;
			base = v[first];
		}
	}
	return base;
}

/* The base of each layout, by some of its records from all over the chunk. */
static void find_bases(struct xtr_words_enc *e, const struct xtr_rec_ref *refs)
{
	uint32_t n[XTR_WORDS_LAYOUTS_MAX] = { 0 };
	uint32_t step = e->n / SAMPLE_OF + 1;

	for (uint32_t i = 1; i < e->n; i += step) {
		uint64_t d = refs[i].ts - refs[i - 1].ts;
		uint32_t l = e->head[i] / 2;

		if (d < XTR_WORDS_FAR && n[l] < SAMPLE && e->layouts[l].n >= BASE_MIN)
			e->sample[l][n[l]++] = (uint16_t)d;
	}
	for (uint32_t l = 0; l < e->n_layouts; l++)
		if (n[l] >= SAMPLE_MIN)
			e->layouts[l].base = best_base(e->sample[l], n[l]);
}

/* A difference that does not fit into 16 bits. Returns what stands there. */
static uint32_t put_far(struct xtr_words_enc *e, uint64_t d)
{
	if (d >= XTR_WORDS_FAR_4)
		e->far8[e->n_far8++] = d;
	e->far4[e->n_far4++] = d < XTR_WORDS_FAR_4 ? (uint32_t)d : XTR_WORDS_FAR_4;
	return XTR_WORDS_FAR;
}

static void put_times(struct xtr_words_enc *e, const struct xtr_rec_ref *refs)
{
	uint8_t *low = e->low, *high = e->high;
	uint32_t base[XTR_WORDS_LAYOUTS_MAX] = { 0 };
	const uint8_t *head = e->head;
	uint64_t before = 0;

	for (uint32_t i = 0; i < e->n_layouts; i++)
		base[i] = e->layouts[i].base;
	e->n_far4 = e->n_far8 = 0;
	for (uint32_t i = 0, n = e->n; i < n; i++) {
		uint64_t d = refs[i].ts - before;
		uint32_t near = (uint32_t)d - base[head[i] / 2];

		before = refs[i].ts;
		if (__builtin_expect(d >= XTR_WORDS_FAR, 0))
			near = put_far(e, d);
		else
			near += -(near >> 31) & XTR_WORDS_FAR; /* it was below the base */
		low[i] = (uint8_t)near;
		high[i] = (uint8_t)(near >> 8);
	}
}

/* --- words ------------------------------------------------------------------------------------ */

/* The payload's bytes that are no whole word. */
static uint32_t rest_of(const uint8_t *p, uint32_t n)
{
	uint32_t v = 0;

	for (uint32_t i = 0; i < n; i++)
		v |= (uint32_t)p[i] << 8 * i;
	return v;
}

/* Bits 0 and 1: which of the two words that stand at p differ from those at prev. */
static inline uint32_t two_differ(const uint8_t *p, const uint8_t *prev)
{
	uint64_t x = xtr_le64(p) ^ xtr_le64(prev);

	return (uint32_t)((uint32_t)x != 0) | (uint32_t)(x >> 32 != 0) << 1;
}

/* The same with four words. */
static inline uint32_t four_differ(const uint8_t *p, const uint8_t *prev)
{
#ifdef __SSE2__
	__m128i equal = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)p),
					_mm_loadu_si128((const __m128i *)(const void *)prev));

	return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(equal)) ^ 0xf;
#else
	return two_differ(p, prev) | two_differ(p + 8, prev + 8) << 2;
#endif
}

/* Which of the n words, at most 8, differ. */
static inline uint32_t mask_of(const uint8_t *p, const uint8_t *prev, uint32_t n)
{
	uint32_t mask = 0, i = 0;

	if (n == 8)
		return four_differ(p, prev) | four_differ(p + 16, prev + 16) << 4;
	if (n & 4) {
		mask = four_differ(p, prev);
		i = 4;
	}
	if (n & 2) {
		mask |= two_differ(p + 4 * i, prev + 4 * i) << i;
		i += 2;
	}
	if (n & 1)
		mask |= (uint32_t)(xtr_le32(p + 4 * i) != xtr_le32(prev + 4 * i)) << i;
	return mask;
}

/* Words from `at` on of a payload, of which m has the changed ones, go to their columns. */
static inline void put_changed(uint32_t **next, const uint8_t *p, uint32_t at, uint32_t m)
{
	for (; m; m &= m - 1) {
		uint32_t k = at + (uint32_t)__builtin_ctz(m);

		*next[k]++ = xtr_le32(p + 4 * k);
	}
}

/* The bytes behind the last whole word. */
static void put_rest(struct words_layout *el, const uint8_t *p, uint8_t *mask)
{
	uint32_t k = el->whole, v = rest_of(p + 4 * k, el->rest);

	if (v == rest_of(el->prev + 4 * k, el->rest))
		return;
	mask[(size_t)(k / 8) * el->n] |= (uint8_t)(1u << k % 8);
	*el->next[k]++ = v;
}

/* The payloads of a row of n records of one layout, which have no more words than two. */
static void put_short(struct words_layout *el, const struct xtr_rec_ref *refs, uint32_t n)
{
	const uint8_t *prev = el->prev;
	uint8_t *mask = el->mask + el->row;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p = refs[i].payload;
		uint32_t m = two_differ(p, prev);

		mask[i] = (uint8_t)m;
		prev = p;
		if (__builtin_expect(m != 0, 0))
			put_changed(el->next, p, 0, m);
	}
}

/* The same with any number of words. */
static void put_long(struct words_layout *el, const struct xtr_rec_ref *refs, uint32_t n)
{
	const uint32_t whole = el->whole, step = el->n;
	uint32_t **next = el->next;
	const uint8_t *prev = el->prev;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t *mask = el->mask + el->row + i;
		const uint8_t *p = refs[i].payload;
		uint32_t at = 0, m;

		for (; at + 8 <= whole; at += 8, mask += step) {
			m = mask_of(p + 4 * at, prev + 4 * at, 8);
			*mask = (uint8_t)m;
			put_changed(next, p, at, m);
		}
		if (at < whole) {
			m = mask_of(p + 4 * at, prev + 4 * at, whole - at);
			*mask = (uint8_t)m;
			put_changed(next, p, at, m);
		}
		if (el->rest) {
			el->prev = prev;
			put_rest(el, p, el->mask + el->row + i);
		}
		prev = p;
	}
}

static void put_payloads(struct xtr_words_enc *e, const struct xtr_rec_ref *refs)
{
	for (uint32_t i = 0, end; i < e->n; i = end) {
		struct words_layout *el = &e->layouts[e->head[i] / 2];

		for (end = i + 1; end < e->n && e->head[end] / 2 == e->head[i] / 2; end++)
			;
		if (el->whole == 2 && !el->rest)
			put_short(el, refs + i, end - i);
		else
			put_long(el, refs + i, end - i);
		el->prev = refs[end - 1].payload;
		el->row += end - i;
	}
}

/* --- planes ----------------------------------------------------------------------------------- */

/* A plane of n bytes that stands at p + 1 gets its form. Returns where the next one begins. */
static uint8_t *close_plane(uint8_t *p, size_t n)
{
	if (!n)
		return p;
	if (n > 2 && !memcmp(p + 2, p + 3, n - 2)) {
		p[0] = XTR_PLANE_EVEN;
		return p + 3;
	}
	p[0] = XTR_PLANE_BYTES;
	return p + 1 + n;
}

static uint8_t *put_plane(uint8_t *p, const uint8_t *bytes, size_t n)
{
	memcpy(p + 1, bytes, n);
	return close_plane(p, n);
}

/* Which bits differ among the values behind the first. */
static uint32_t uneven(const uint32_t *v, size_t n)
{
	uint32_t bits = 0;

	for (size_t i = 2; i < n; i++)
		bits |= v[i] ^ v[1];
	return bits;
}

static uint8_t *put_planes4(uint8_t *p, const uint32_t *v, size_t n)
{
	uint32_t bits = uneven(v, n);

	for (unsigned int shift = 0; shift < 32 && n; shift += 8) {
		/* Of an even plane the first two bytes and one more say what it is. */
		size_t written = bits >> shift & 0xff || n < 3 ? n : 3;

		for (size_t i = 0; i < written; i++)
			p[1 + i] = (uint8_t)(v[i] >> shift);
		p = close_plane(p, written);
	}
	return p;
}

static uint8_t *put_planes8(uint8_t *p, const uint64_t *v, size_t n)
{
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		for (size_t i = 0; i < n; i++)
			p[1 + i] = (uint8_t)(v[i] >> shift);
		p = close_plane(p, n);
	}
	return p;
}

static uint8_t *put_layouts(const struct xtr_words_enc *e, uint8_t *p)
{
	p = xtr_varint_put(p, e->n_layouts);
	for (uint32_t i = 0; i < e->n_layouts; i++) {
		p = xtr_varint_put(p, e->layouts[i].type);
		p = xtr_varint_put(p, e->layouts[i].size);
		p = xtr_varint_put(p, e->layouts[i].base);
	}
	return p;
}

static uint8_t *put_layout_planes(const struct words_layout *el, uint8_t *p)
{
	for (uint32_t j = 0; j < el->masks; j++)
		p = put_plane(p, el->mask + (size_t)j * el->n, el->n);
	for (uint32_t k = 0; k < el->words; k++) {
		const uint32_t *column = el->column + (size_t)k * el->n;

		p = put_planes4(p, column, (size_t)(el->next[k] - column));
	}
	return p;
}

static size_t put_all(struct xtr_words_enc *e)
{
	uint8_t *p = put_layouts(e, e->out);

	p = put_plane(p, e->head, e->n);
	p = put_plane(p, e->low, e->n);
	p = put_plane(p, e->high, e->n);
	p = put_planes4(p, e->far4, e->n_far4);
	p = put_planes8(p, e->far8, e->n_far8);
	p = put_planes4(p, e->tid, e->n_tid);
	for (uint32_t i = 0; i < e->n_layouts; i++)
		p = put_layout_planes(&e->layouts[i], p);
	return (size_t)(p - e->out);
}

int xtr_words_encode(struct xtr_words_enc *e, const struct xtr_rec_layout *layouts,
		     uint32_t n_layouts, const struct xtr_rec_ref *refs, uint32_t n,
		     size_t max_bytes, struct xtr_filtered *out)
{
	size_t cap = e->cap_numbers;
	int err;

	if (xtr_grow_array(&e->numbers, &e->cap_numbers, n_layouts, sizeof(*e->numbers)))
		return -ENOMEM;
	if (e->cap_numbers > cap)
		memset(e->numbers + cap, 0, (e->cap_numbers - cap) * sizeof(*e->numbers));
	e->epoch++;
	e->n_layouts = e->n_words = 0;
	err = take(e, layouts, n_layouts, refs, n < XTR_RECORDS_MAX ? n : XTR_RECORDS_MAX,
		   max_bytes, &out->taken);
	if (!err)
		err = place(e);
	if (err)
		return err;
	find_bases(e, refs);
	put_times(e, refs);
	put_payloads(e, refs);
	out->data = e->out;
	out->len = put_all(e);
	out->n = e->n;
	out->ts_last = refs[e->n - 1].ts;
	return 0;
}
