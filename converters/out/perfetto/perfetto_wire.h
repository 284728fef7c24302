/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protobuf's wire format, written as it comes: fields in the order of their numbers, into memory
 * that is known to have room. For packets that are written by the million; all others go through
 * protobuf-c, and come out the same.
 */
#ifndef XTR_PERFETTO_WIRE_H
#define XTR_PERFETTO_WIRE_H

#include "base/varint.h"

#include <string.h>

#define PF_WIRE_VARINT 0u
#define PF_WIRE_FIXED  1u /* 64 bits */
#define PF_WIRE_BYTES  2u

/* Bytes that a field takes at most: of a number; of text, beside the text. Numbers < 2^21. */
#define PF_WIRE_NUMBER (4u + XTR_VARINT_MAX)

/* Each returns the byte behind what it wrote. */
static inline uint8_t *pf_wire_tag(uint8_t *p, uint32_t field, uint32_t type)
{
	uint32_t tag = field << 3 | type;

	if (tag < 1u << 7) {
		*p++ = (uint8_t)tag;
	} else if (tag < 1u << 14) {
		*p++ = (uint8_t)(tag | 0x80);
		*p++ = (uint8_t)(tag >> 7);
	} else {
		p = xtr_varint_put(p, tag);
	}
	return p;
}

static inline uint8_t *pf_wire_uint(uint8_t *p, uint32_t field, uint64_t v)
{
	return xtr_varint_put(pf_wire_tag(p, field, PF_WIRE_VARINT), v);
}

static inline uint8_t *pf_wire_fixed64(uint8_t *p, uint32_t field, uint64_t v)
{
	p = pf_wire_tag(p, field, PF_WIRE_FIXED);
	xtr_put_le64(p, v);
	return p + sizeof(v);
}

static inline uint8_t *pf_wire_bytes(uint8_t *p, uint32_t field, const void *data, size_t n)
{
	p = xtr_varint_put(pf_wire_tag(p, field, PF_WIRE_BYTES), n);
	memcpy(p, data, n);
	return p + n;
}

static inline size_t pf_wire_varint_size(uint64_t v)
{
	return (70u - (unsigned int)__builtin_clzll(v | 1)) / 7;
}

#endif /* XTR_PERFETTO_WIRE_H */
