/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian loads and stores at any alignment (spec 1.1). */
#ifndef XTR_BYTES_H
#define XTR_BYTES_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t xtr_le16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t xtr_le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t xtr_le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline void xtr_put_le16(uint8_t *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void xtr_put_le32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void xtr_put_le64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

/* --- varint ----------------------------------------------------------------------------------- */

/* Unsigned LEB128 and zigzag (spec 1.1). */
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

	for (unsigned int shift = 0; shift < 70 && p < end; shift += 7) {
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

/*
 * The same where 8 bytes may be read at p whatever stands there, at once: bits 7 say where it ends,
 * then the sevens move together in three steps.
 */
static inline const uint8_t *xtr_varint_get_wide(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t w = xtr_le64(p), stop;
	int bits;

	if (!(w & 0x80)) {
		*v = w & 0x7f;
		return p + 1;
	}
	stop = ~w & 0x8080808080808080u;
	if (!stop)
		return xtr_varint_get_long(p, end, v);
	bits = __builtin_ctzll(stop) + 1;
	w &= stop ^ (stop - 1);
	if (!(w >> (bits - 8)))
		return NULL;
	w = (w & 0x007f007f007f007fu) | (w & 0x7f007f007f007f00u) >> 1;
	w = (w & 0x00003fff00003fffu) | (w & 0x3fff00003fff0000u) >> 2;
	*v = (w & 0x0fffffffu) | (w & 0x0fffffff00000000u) >> 4;
	return p + bits / 8;
}

static inline uint64_t xtr_zigzag(int64_t d)
{
	return ((uint64_t)d << 1) ^ -((uint64_t)d >> 63);
}

static inline uint64_t xtr_unzigzag(uint64_t z)
{
	return (z >> 1) ^ -(z & 1);
}

#endif /* XTR_BYTES_H */
