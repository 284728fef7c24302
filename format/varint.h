/* SPDX-License-Identifier: BSD-2-Clause */
/* Unsigned LEB128 and zigzag (spec 1.1). */
#ifndef XTR_VARINT_H
#define XTR_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define XTR_VARINT_MAX 10u /* bytes of the longest varint */

/* Write v at p, which has room for XTR_VARINT_MAX bytes; returns the byte after it. */
static inline uint8_t *xtr_varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/*
 * Read a varint at p; returns the byte after it, or NULL if it runs past end, does not fit into 64
 * bits, or is longer than needed.
 */
static inline const uint8_t *xtr_varint_get_long(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t r = 0;
	unsigned int shift;

	for (shift = 0; shift < 70 && p < end; shift += 7) {
		uint64_t b = *p++;

		if (shift == 63 && b > 1)
			return NULL;
		r |= (b & 0x7f) << shift;
		if (b < 0x80) {
			*v = r;
			return b || !shift ? p : NULL;
		}
	}
	return NULL;
}

static inline const uint8_t *xtr_varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	return xtr_varint_get_long(p, end, v);
}

static inline uint64_t xtr_zigzag(int64_t d)
{
	return ((uint64_t)d << 1) ^ -((uint64_t)d >> 63);
}

static inline uint64_t xtr_unzigzag(uint64_t z)
{
	return (z >> 1) ^ -(z & 1);
}

#endif /* XTR_VARINT_H */
