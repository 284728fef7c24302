/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading protobuf's wire format (protobuf.dev, "Encoding") from bytes in memory. Nothing is copied
 * and nothing is allocated; what does not fit ends the message and marks it as bad.
 */
#ifndef XTR_PFTRACE_WIRE_H
#define XTR_PFTRACE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pft_msg {
	const uint8_t *p, *end;
	bool bad; /* it ended within a field, or has what no message has */
};

struct pft_field {
	uint32_t num;
	uint32_t wire;    /* 0 varint, 1 fixed64, 2 bytes, 5 fixed32 */
	uint64_t v;       /* of varint and fixed */
	const uint8_t *p; /* of bytes */
	size_t n;
};

static inline struct pft_msg pft_msg(const uint8_t *p, size_t n)
{
	return (struct pft_msg){ .p = p, .end = n ? p + n : p };
}

/* The message in a field of bytes; an empty one of any other field. */
static inline struct pft_msg pft_sub(const struct pft_field *f)
{
	return pft_msg(f->p, f->wire == 2 ? f->n : 0);
}

/* At most 10 bytes; false: it does not end within m. */
static inline bool pft_varint(struct pft_msg *m, uint64_t *v)
{
	uint64_t x = 0;

	for (unsigned int shift = 0; shift < 70 && m->p < m->end; shift += 7) {
		uint8_t b = *m->p++;

		if (shift < 64)
			x |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*v = x;
			return true;
		}
	}
	return false;
}

/* The next field; false at the end, and where the rest cannot be read (m->bad). Groups are bad. */
static inline bool pft_next(struct pft_msg *m, struct pft_field *f)
{
	uint64_t key, n;

	if (m->p >= m->end || m->bad)
		return false;
	m->bad = true; /* until it is known to be good */
	if (!pft_varint(m, &key) || key >> 3 == 0 || key >> 3 > 0x1fffffff)
		return false;
	*f = (struct pft_field){ .num = (uint32_t)(key >> 3), .wire = key & 7 };
	switch (f->wire) {
	case 0:
		if (!pft_varint(m, &f->v))
			return false;
		break;
	case 1:
	case 5:
		n = f->wire == 1 ? 8 : 4;
		if ((size_t)(m->end - m->p) < n)
			return false;
		for (unsigned int i = 0; i < n; i++)
			f->v |= (uint64_t)m->p[i] << (8 * i);
		m->p += n;
		break;
	case 2:
		if (!pft_varint(m, &n) || n > (uint64_t)(m->end - m->p))
			return false;
		f->p = m->p;
		f->n = (size_t)n;
		m->p += n;
		break;
	default:
		return false;
	}
	m->bad = false;
	return true;
}

#endif /* XTR_PFTRACE_WIRE_H */
