/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Appends CBOR to a buffer in the shortest form. The caller gives map keys in the order of their
 * encoded bytes (spec 6.1): shorter ones first, equally long ones by their letters.
 */
#ifndef XTR_CBORENC_H
#define XTR_CBORENC_H

#include "base/buf.h"

#include <stdbool.h>

void xtr_enc_uint(struct xtr_buf *b, uint64_t v);
void xtr_enc_map(struct xtr_buf *b, size_t pairs);
void xtr_enc_array(struct xtr_buf *b, size_t n);
void xtr_enc_bool(struct xtr_buf *b, bool v);
void xtr_enc_bytes(struct xtr_buf *b, const void *p, size_t n);
/* Text if the bytes are UTF-8 as spec 6.1 wants it, else a byte string. */
void xtr_enc_string(struct xtr_buf *b, const void *p, size_t n);
/* A C string as text; null for NULL. Bytes that are not UTF-8 become '?'. */
void xtr_enc_text(struct xtr_buf *b, const char *s);
void xtr_enc_pair_text(struct xtr_buf *b, const char *key, const char *s);
void xtr_enc_pair_uint(struct xtr_buf *b, const char *key, uint64_t v);

/* The order of two text keys in a map. */
int xtr_enc_key_cmp(const char *a, const char *b);

#endif /* XTR_CBORENC_H */
