/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parquet's encodings of values in a page
 * (https://github.com/apache/parquet-format/blob/master/Encodings.md). Failures stick in the
 * buffer.
 */
#ifndef XTR_PARQUET_ENCODE_H
#define XTR_PARQUET_ENCODE_H

#include "base/buf.h"
#include "base/bytes.h"

#include <stddef.h>
#include <stdint.h>

static inline void xtr_parquet_varint(struct xtr_buf *b, uint64_t v)
{
	uint8_t bytes[XTR_VARINT_MAX];

	xtr_buf_add(b, bytes, (size_t)(xtr_varint_put(bytes, v) - bytes));
}

/* DELTA_BINARY_PACKED of 64-bit numbers; differences wrap around. */
void xtr_parquet_delta(struct xtr_buf *b, const uint64_t *v, size_t n);
/* n equal numbers, as one run of the hybrid below. */
void xtr_parquet_run(struct xtr_buf *b, uint32_t v, size_t n, unsigned int width);
/* RLE / bit-packing hybrid of numbers below 2^width; without a length in front. */
void xtr_parquet_hybrid(struct xtr_buf *b, const uint32_t *v, size_t n, unsigned int width);
/* Bits that a number up to max takes. */
unsigned int xtr_parquet_width(uint64_t max);

#endif /* XTR_PARQUET_ENCODE_H */
