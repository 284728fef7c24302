/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protobuf's wire format (protobuf.dev, "Encoding"), written as it comes. Fields are written in the
 * order of their numbers. What has "wire" in its name writes to memory that has room; all others
 * make room, and leave it to the buffer to say that there is none.
 */
#ifndef XTR_PERFETTO_WIRE_H
#define XTR_PERFETTO_WIRE_H

#include "base/buf.h"
#include "base/bytes.h"

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

/* Of any number type but fixed ones: signed ones are extended to 64 bits. */
static inline uint8_t *pf_wire_uint(uint8_t *p, uint32_t field, uint64_t v)
{
	return xtr_varint_put(pf_wire_tag(p, field, PF_WIRE_VARINT), v);
}

static inline uint8_t *pf_wire_int32(uint8_t *p, uint32_t field, int32_t v)
{
	return pf_wire_uint(p, field, (uint64_t)(int64_t)v);
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

/* Room for n more bytes, or NULL: no memory. What is written there is told by pf_wrote. */
static inline uint8_t *pf_room(struct xtr_buf *b, size_t n)
{
	return n <= b->cap - b->n && !b->err ? b->p + b->n : xtr_buf_room(b, n);
}

static inline void pf_wrote(struct xtr_buf *b, const uint8_t *end)
{
	b->n = (size_t)(end - b->p);
}

static inline void pf_put_uint(struct xtr_buf *b, uint32_t field, uint64_t v)
{
	uint8_t *p = pf_room(b, PF_WIRE_NUMBER);

	if (p)
		pf_wrote(b, pf_wire_uint(p, field, v));
}

static inline void pf_put_int32(struct xtr_buf *b, uint32_t field, int32_t v)
{
	pf_put_uint(b, field, (uint64_t)(int64_t)v);
}

static inline void pf_put_bytes(struct xtr_buf *b, uint32_t field, const void *data, size_t n)
{
	uint8_t *p = pf_room(b, PF_WIRE_NUMBER + n);

	if (p)
		pf_wrote(b, pf_wire_bytes(p, field, data, n));
}

/* Nothing if it is NULL. */
static inline void pf_put_text(struct xtr_buf *b, uint32_t field, const char *text)
{
	if (text)
		pf_put_bytes(b, field, text, strlen(text));
}

/*
 * Begin and end a message; what pf_message returns (0: no memory) is given to pf_message_end. Its
 * length stands before it and is known after it: one byte is kept for it, and what was written
 * moves where that is not enough.
 */
static inline size_t pf_message(struct xtr_buf *b, uint32_t field)
{
	uint8_t *p = pf_room(b, PF_WIRE_NUMBER);

	if (!p)
		return 0;
	pf_wrote(b, pf_wire_tag(p, field, PF_WIRE_BYTES) + 1);
	return b->n;
}

void pf_message_end_long(struct xtr_buf *b, size_t at);
static inline void pf_message_end(struct xtr_buf *b, size_t at)
{
	size_t n = b->n - at;

	if (n < 0x80 && at && b->p)
		b->p[at - 1] = (uint8_t)n;
	else
		pf_message_end_long(b, at);
}

#endif /* XTR_PERFETTO_WIRE_H */
