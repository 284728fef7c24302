/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FlatBuffers, written from front to back: what Arrow describes itself in
 * (https://flatbuffers.dev/internals/). References point forward, so whoever refers to something is
 * written first, and each function below takes the place of the reference to what it writes.
 * Failures stick in the buffer, and places are meaningless then.
 */
#ifndef XTR_ARROW_FLAT_H
#define XTR_ARROW_FLAT_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* A field of a table, by its number. */
struct xtr_flat_field {
	uint8_t size; /* bytes: 1, 2, 4 or 8; 0: not there, has its default value */
	uint64_t v;   /* of a reference 0 */
	size_t at;    /* out: its place */
};

#define XTR_FLAT_REF  ((struct xtr_flat_field){ 4, 0, 0 })
#define XTR_FLAT_ROOT 0u /* place of the reference to the outermost table */

/* Empties the buffer, but for the reference to the outermost table. */
void xtr_flat_begin(struct xtr_buf *b);
void xtr_flat_table(struct xtr_buf *b, size_t ref, struct xtr_flat_field *f, size_t n);
void xtr_flat_text(struct xtr_buf *b, size_t ref, const char *s);
/* n elements of so many bytes, all 0. Returns the place of the first one. */
size_t xtr_flat_vector(struct xtr_buf *b, size_t ref, size_t n, size_t size);
/* A number at a place, of so many bytes. */
void xtr_flat_number(struct xtr_buf *b, size_t at, size_t size, uint64_t v);
/* Zeros, up to a multiple of 8 bytes. */
void xtr_flat_end(struct xtr_buf *b);

#endif /* XTR_ARROW_FLAT_H */
