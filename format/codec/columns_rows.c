// SPDX-License-Identifier: BSD-2-Clause
#include "columns_rows.h"
#include "base/varint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
