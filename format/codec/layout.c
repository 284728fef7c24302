/* SPDX-License-Identifier: BSD-2-Clause */
#include "layout.h"

#include "base/bytes.h"

bool xtr_layout_add(struct xtr_layout *l, uint32_t *end, uint8_t width)
{
	bool bytes = width > XTR_LAYOUT_BYTES_FLAG;
	uint32_t n = bytes ? width - XTR_LAYOUT_BYTES_FLAG : width;

	if (!bytes && width != 1 && width != 2 && width != 4 && width != 8)
		return false;
	if (l->n >= XTR_LAYOUT_FIELDS_MAX || n > l->size - *end)
		return false;
	*end += n;
	l->fields[l->n++] = (struct xtr_layout_field){
		.end = (uint16_t)*end,
		.width = width,
		.shift = bytes ? 0 : (uint8_t)(64 - 8 * n),
	};
	l->has_bytes |= bytes;
	return true;
}

const uint8_t *xtr_layout_read(struct xtr_layout *l, const uint8_t *p, const uint8_t *end,
			       uint32_t *n)
{
	uint64_t head[3]; /* type, size, fields */

	for (int i = 0; i < 3; i++) {
		p = xtr_varint_get(p, end, &head[i]);
		if (!p)
			return NULL;
	}
	if (head[0] > UINT16_MAX || head[1] < XTR_RECORD_HEADER_SIZE || head[1] > UINT16_MAX ||
	    head[1] % 8 || head[2] > XTR_LAYOUT_FIELDS_MAX || head[2] > (uint64_t)(end - p))
		return NULL;
	*l = (struct xtr_layout){ .type = (uint16_t)head[0], .size = (uint16_t)head[1] };
	*n = (uint32_t)head[2];
	return p;
}

/* Cover up to offset `to` with bytes fields. */
static bool add_bytes(struct xtr_layout *l, uint32_t *end, uint32_t to)
{
	while (*end < to) {
		uint32_t n = to - *end < 127 ? to - *end : 127;

		if (!xtr_layout_add(l, end, (uint8_t)(XTR_LAYOUT_BYTES_FLAG + n)))
			return false;
	}
	return true;
}

/* Cover up to offset `to` with the largest aligned integers. */
static bool add_integers(struct xtr_layout *l, uint32_t *end, uint32_t to)
{
	while (*end < to) {
		uint8_t n = 8;

		while (*end % n || n > to - *end)
			n /= 2;
		if (!xtr_layout_add(l, end, n))
			return false;
	}
	return true;
}

static void start(struct xtr_layout *l, uint32_t *end)
{
	l->n = 0;
	l->has_bytes = false;
	*end = XTR_RECORD_HEADER_SIZE;
}

/* The field that starts first at or after `from`, the longest of several; NULL if there is none. */
static const struct xtr_field *next_field(const struct xtr_event_desc *ev, uint32_t from)
{
	const struct xtr_field *best = NULL;

	for (uint32_t i = 0; i < ev->n_fields; i++) {
		const struct xtr_field *f = &ev->fields[i];

		if (f->offset >= from && f->size &&
		    (!best || f->offset < best->offset ||
		     (f->offset == best->offset && f->size > best->size)))
			best = f;
	}
	return best;
}

/* What stands in whole words is an array of them: the arguments of a system call. */
static bool is_words(const struct xtr_field *f)
{
	return f->repr == XTR_REPR_BYTES && f->offset % 8 == 0 && f->size % 8 == 0;
}

static bool add_field(struct xtr_layout *l, uint32_t *end, const struct xtr_field *f)
{
	if (is_words(f))
		return add_integers(l, end, f->offset + f->size);
	if (f->repr == XTR_REPR_BYTES || f->repr == XTR_REPR_STR)
		return add_bytes(l, end, f->offset + f->size);
	return xtr_layout_add(l, end, (uint8_t)f->size);
}

static bool by_fields(struct xtr_layout *l, const struct xtr_event_desc *ev)
{
	const struct xtr_field *f;
	uint32_t end;

	start(l, &end);
	while (ev && (f = next_field(ev, end))) {
		if (f->offset >= l->size || f->size > l->size - f->offset)
			break;
		if (!add_integers(l, &end, f->offset) || !add_field(l, &end, f))
			return false;
	}
	return add_integers(l, &end, l->size);
}

static bool as_words(struct xtr_layout *l)
{
	uint32_t end;

	start(l, &end);
	return add_integers(l, &end, l->size);
}

static bool as_bytes(struct xtr_layout *l)
{
	uint32_t end;

	start(l, &end);
	return add_bytes(l, &end, l->size);
}

bool xtr_layout_make(struct xtr_layout *l, const struct xtr_event_desc *ev, uint32_t type,
		     uint32_t size)
{
	l->type = (uint16_t)type;
	l->size = (uint16_t)size;
	return by_fields(l, ev) || as_words(l) || as_bytes(l);
}
