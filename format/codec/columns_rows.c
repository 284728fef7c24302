/* SPDX-License-Identifier: BSD-2-Clause */
#include "columns_rows.h"
#include "base/bytes.h"

#include <errno.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

/* --- columns pick ----------------------------------------------------------------------------- */

/*
 * A column's size after the codec is guessed: numbers in bits stay as they are, varints are
 * compressed by LZ4's fast mode, which is cheap and errs on the large side for all of them alike.
 */

#define VARINTS_BYTES ((size_t)XTR_RECORDS_MAX * XTR_VARINT_MAX)
#define LZ_BYTES      LZ4_COMPRESSBOUND(XTR_REC_MAX) /* all bytes fields are within the records */
#define CONSTANT_COST 2u                             /* bytes: head and a small number */
#define SIZES         65u /* Memory for picking; col_pick_free also after a failure. 0 or -ENOMEM. */
/* numbers have 0 to 64 bits */

static int col_pick_init(struct col_pick *p)
{
	*p = (struct col_pick){
		.best = malloc(XTR_RECORDS_MAX * sizeof(uint64_t)),
		.trial = malloc(XTR_RECORDS_MAX * sizeof(uint64_t)),
		.varints = malloc(VARINTS_BYTES),
		.lz = malloc(LZ_BYTES),
		.state = malloc((size_t)LZ4_sizeofState()),
	};
	return p->best && p->trial && p->varints && p->lz && p->state ? 0 : -ENOMEM;
}

static void col_pick_free(struct col_pick *p)
{
	free(p->best);
	free(p->trial);
	free(p->varints);
	free(p->lz);
	free(p->state);
	*p = (struct col_pick){ 0 };
}

void col_pick_start(struct col_pick *p, uint32_t n)
{
	p->n = n;
	p->cost = SIZE_MAX;
	p->way = (struct col_way){ 0 };
}

bool col_pick_is_done(const struct col_pick *p)
{
	return p->cost <= CONSTANT_COST;
}

/* --- what numbers take ------------------------------------------------------------------------ */

static inline unsigned int size_of(uint64_t z)
{
	return z ? 64 - (unsigned int)__builtin_clzll(z) : 0;
}

/* How many numbers there are of each size: of the differences as they are, and zigzag. */
struct sizes {
	uint32_t plain[SIZES], zigzag[SIZES];
};

static void count_sizes(const uint64_t *d, uint32_t n, unsigned int shift, struct sizes *s)
{
	*s = (struct sizes){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		s->plain[size_of(d[i])]++;
		s->zigzag[size_of(xtr_zigzag((int64_t)(d[i] << shift) >> shift))]++;
	}
}

static unsigned int largest(const uint32_t count[SIZES])
{
	unsigned int i = SIZES - 1;

	while (i && !count[i])
		i--;
	return i;
}

/* Quarters of a bit that numbers of this size take with k: of those above 2^k some need 2 more. */
static uint64_t quarter_bits(unsigned int size, unsigned int k)
{
	unsigned int m = size > k ? size - k : 0;
	uint64_t more = m > 1 ? m <= 4 ? 8u >> (m - 1) : 0 : m ? 8 : 0;

	return 4ull * (1 + k) + (m ? 8ull * (m - 1) + more : 0);
}

/* The best k and what it takes; SIZE_MAX if the numbers are too large for it. */
static size_t bits_cost(const uint32_t count[SIZES], uint8_t *best_k)
{
	unsigned int top = largest(count);
	uint64_t best = UINT64_MAX;

	if (top >= COL_BITS_MAX)
		return SIZE_MAX;
	for (unsigned int k = 0; k < top || !k; k++) {
		uint64_t sum = 0;

		for (unsigned int i = 0; i <= top; i++)
			sum += count[i] * quarter_bits(i, k);
		if (sum < best) {
			best = sum;
			*best_k = (uint8_t)k;
		}
	}
	return (size_t)(best / 32) + 2;
}

/* Never fails: LZ_BYTES is the bound for all that is asked for. */
static size_t compressed(struct col_pick *p, const uint8_t *from, size_t n)
{
	return (size_t)LZ4_compress_fast_extState(p->state, (const char *)from, (char *)p->lz,
						  (int)n, (int)LZ_BYTES, 1);
}

static size_t varints_cost(struct col_pick *p, const uint64_t *z)
{
	uint8_t *end = p->varints;

	for (uint32_t i = 0; i < p->n; i++)
		end = xtr_varint_put(end, z[i]);
	return compressed(p, p->varints, (size_t)(end - p->varints)) + 1;
}

size_t col_pick_bytes_cost(struct col_pick *p, const struct xtr_buf *bytes)
{
	if (!bytes->n || bytes->err)
		return 0;
	return compressed(p, bytes->p, bytes->n);
}

bool col_is_constant(const uint64_t *z, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (z[i] != z[0])
			return false;
	return true;
}

/* The coding that is best for the numbers in p->trial. */
static size_t best_coding(struct col_pick *p, const uint32_t count[SIZES], struct col_way *way)
{
	size_t bits, varints;

	if (col_is_constant(p->trial, p->n)) {
		way->coding = COL_CONSTANT;
		return 1 + (size_of(p->trial[0]) + 6) / 7;
	}
	bits = bits_cost(count, &way->k);
	varints = varints_cost(p, p->trial);
	way->coding = bits < varints ? COL_BITS : COL_VARINTS;
	return bits < varints ? bits : varints;
}

static uint64_t bytes_of(const uint32_t count[SIZES])
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < SIZES; i++)
		sum += (uint64_t)count[i] * i;
	return sum;
}

void col_pick_offer(struct col_pick *p, enum col_prediction prediction, uint32_t key,
		    unsigned int bits, size_t extra)
{
	struct col_way way = { .prediction = prediction, .key = key };
	const unsigned int shift = 64 - bits;
	uint64_t *swap = p->best;
	struct sizes s;
	size_t cost;

	count_sizes(p->trial, p->n, shift, &s);
	way.zigzag = bits > 1 && bytes_of(s.zigzag) < bytes_of(s.plain);
	if (way.zigzag)
		for (uint32_t i = 0; i < p->n; i++)
			p->trial[i] = xtr_zigzag((int64_t)(p->trial[i] << shift) >> shift);
	cost = best_coding(p, way.zigzag ? s.zigzag : s.plain, &way) + extra;
	if (cost >= p->cost)
		return;
	p->cost = cost;
	p->way = way;
	p->best = p->trial;
	p->trial = swap;
}

/* --- writing ---------------------------------------------------------------------------------- */

struct bit_writer {
	uint8_t *p;
	uint64_t bits; /* not yet written, the lowest first */
	unsigned int n;
};

/* At most 56 bits, which are the only ones set; 8 bytes may be written at w->p. */
static inline void put_bits(struct bit_writer *w, uint64_t bits, unsigned int n)
{
	w->bits |= bits << w->n;
	w->n += n;
	xtr_put_le64(w->p, w->bits);
	w->p += w->n / 8;
	w->bits >>= w->n & ~7u;
	w->n %= 8;
}

/* Bytes of a number in bits, at most: u, the one, u and k of COL_BITS_MAX together. */
#define BITS_MAX_BYTES 16u

static void write_bits(const struct col_pick *p, struct xtr_buf *out)
{
	uint8_t *room = xtr_buf_room(out, 1 + (size_t)p->n * BITS_MAX_BYTES + 8);
	const unsigned int k = p->way.k;
	const uint64_t low_bits = (1ull << k) - 1;
	struct bit_writer w = { .p = room };

	if (!room)
		return;
	*w.p++ = (uint8_t)k;
	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t z = p->best[i], q = (z >> k) + 1, low = z & low_bits;
		unsigned int u = 63 - (unsigned int)__builtin_clzll(q);

		q ^= 1ull << u;
		if (2 * u + 1 + k <= COL_BITS_MAX) {
			put_bits(&w, (1 | q << 1 | low << u << 1) << u, 2 * u + 1 + k);
			continue;
		}
		put_bits(&w, 1ull << u, u + 1);
		put_bits(&w, q | low << u, u + k);
	}
	out->n += (size_t)(w.p - room) + (w.n != 0);
}

static void write_varints(const struct col_pick *p, uint32_t n, struct xtr_buf *out)
{
	uint8_t *room = xtr_buf_room(out, (size_t)n * XTR_VARINT_MAX), *end = room;

	if (!room)
		return;
	for (uint32_t i = 0; i < n; i++)
		end = xtr_varint_put(end, p->best[i]);
	out->n += (size_t)(end - room);
}

void col_pick_write(const struct col_pick *p, struct xtr_buf *out)
{
	const struct col_way *w = &p->way;
	uint8_t *room = xtr_buf_room(out, 1 + XTR_VARINT_MAX), *end = room;

	if (!room)
		return;
	*end++ = (uint8_t)(w->coding | (unsigned int)w->prediction << COL_PREDICTION_SHIFT |
			   (w->zigzag ? COL_ZIGZAG : 0));
	if (w->prediction == COL_KEYED)
		end = xtr_varint_put(end, w->key);
	out->n += (size_t)(end - room);
	if (w->coding == COL_BITS)
		write_bits(p, out);
	else
		write_varints(p, w->coding == COL_CONSTANT ? 1 : p->n, out);
}

/* --- columns rows ----------------------------------------------------------------------------- */

struct xtr_columns_enc *xtr_columns_enc_new(const struct xtr_meta *meta)
{
	struct xtr_columns_enc *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->meta = meta;
	if (!col_pick_init(&e->pick))
		return e;
	xtr_columns_enc_free(e);
	return NULL;
}

void xtr_columns_enc_free(struct xtr_columns_enc *e)
{
	if (!e)
		return;
	col_pick_free(&e->pick);
	xtr_map_free(&e->by_key);
	xtr_buf_free(&e->bytes);
	xtr_buf_free(&e->best_bytes);
	xtr_buf_free(&e->out);
	free(e);
}

void xtr_columns_enc_reset(struct xtr_columns_enc *e)
{
	xtr_map_free(&e->by_key);
	e->n_known = 0;
}

unsigned int col_clear_slots(struct xtr_columns_enc *e, uint32_t n)
{
	unsigned int bits = col_slot_bits(n);

	memset(e->slot, 0, sizeof(*e->slot) << bits);
	return bits;
}

static int learn(struct xtr_columns_enc *e, uint32_t type, uint32_t size, uint32_t *index)
{
	struct col_layout *el = &e->layout[e->n_known];

	if (e->n_known == XTR_LAYOUTS_MAX)
		return -EOPNOTSUPP;
	memset(el, 0, sizeof(*el));
	if (!xtr_layout_make(&el->l, xtr_meta_event(e->meta, type), type, size))
		return -EOPNOTSUPP;
	*index = e->n_known;
	return xtr_map_put(&e->by_key, type, size, e->n_known++);
}

static int find(struct xtr_columns_enc *e, uint32_t type, uint32_t size, uint32_t *index)
{
	const uint64_t *known = xtr_map_get(&e->by_key, type, size);

	if (!known)
		return learn(e, type, size, index);
	*index = (uint32_t)*known;
	return 0;
}

/* The number of a record's layout in this chunk. */
static inline int number_of(struct xtr_columns_enc *e, const uint8_t *rec, uint16_t *number)
{
	uint32_t type = xtr_rec_type(rec), size = xtr_rec_size(rec);
	uint16_t *recent = &e->recent[(type ^ size / 8) % COL_RECENT];
	uint32_t index = *recent;
	struct col_layout *el;
	int err;

	if (index >= e->n_known || e->layout[index].l.type != type ||
	    e->layout[index].l.size != size) {
		err = find(e, type, size, &index);
		if (err)
			return err;
		*recent = (uint16_t)index;
	}
	el = &e->layout[index];
	if (el->epoch != e->epoch) {
		el->epoch = e->epoch;
		el->number = e->n_layouts;
		el->n = 0;
		e->used[e->n_layouts++] = (uint16_t)index;
	}
	el->n++;
	*number = (uint16_t)el->number;
	return 0;
}

static int number_all(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n)
{
	uint32_t off = 0;

	e->epoch++;
	e->n_layouts = 0;
	for (uint32_t i = 0; i < n; i++) {
		int err = number_of(e, recs + off, &e->number[i]);

		if (err)
			return err;
		e->at[i] = off;
		off += xtr_rec_size(recs + off);
	}
	return 0;
}

static void put_layouts(struct xtr_columns_enc *e)
{
	for (uint32_t i = 0; i <= e->n_layouts; i++) {
		const struct xtr_layout *l = i ? &col_layout_of(e, i - 1)->l : NULL;
		uint8_t head[3 * XTR_VARINT_MAX + XTR_LAYOUT_FIELDS_MAX], *p = head;

		p = xtr_varint_put(p, l ? l->type : e->n_layouts);
		if (l) {
			p = xtr_varint_put(p, l->size);
			p = xtr_varint_put(p, l->n);
			for (uint32_t k = 0; k < l->n; k++)
				*p++ = l->fields[k].width;
		}
		xtr_buf_add(&e->out, head, (size_t)(p - head));
	}
}

int col_take_rows(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n, size_t rec_len)
{
	uint32_t next[XTR_LAYOUTS_MAX] = { 0 }, row = 0;
	int err;

	if (!n || n > XTR_RECORDS_MAX || rec_len > XTR_REC_MAX)
		return -EINVAL;
	err = number_all(e, recs, n);
	if (err == -EOPNOTSUPP && e->n_layouts < e->n_known) { /* those of other chunks may go */
		xtr_columns_enc_reset(e);
		err = number_all(e, recs, n);
	}
	if (err)
		return err;
	for (uint32_t i = 0; i < e->n_layouts; i++) {
		struct col_layout *el = col_layout_of(e, i);

		el->first = next[i] = row;
		row += el->n;
	}
	for (uint32_t i = 0; i < n; i++)
		e->row[next[e->number[i]]++] = e->at[i];
	e->out.n = 0;
	e->out.err = e->bytes.err = e->best_bytes.err = 0;
	put_layouts(e);
	return 0;
}

int col_give(const struct xtr_columns_enc *e, const uint8_t **out, size_t *len)
{
	if (e->bytes.err | e->best_bytes.err | e->out.err)
		return -ENOMEM;
	*out = e->out.p;
	*len = e->out.n;
	return *len > XTR_RAW_MAX ? -E2BIG : 0;
}
