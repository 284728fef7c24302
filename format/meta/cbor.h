/* SPDX-License-Identifier: BSD-2-Clause */
/* CBOR (RFC 8949): checking, writing and reading it. */
#ifndef XTR_CBOR_H
#define XTR_CBOR_H

#include "base/buf.h"
#include "format/err.h"

#include <cbor.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- cborcheck -------------------------------------------------------------------------------- */

/*
 * Walks CBOR bytes and says whether they are one item in the deterministic form and within the
 * limits of spec 6.1. libcbor allocates what a length field claims, so it sees only what passed
 * here.
 */
/* True if buf is such an item and nothing else; otherwise *bad is the offset of the first wrong
 * byte. */
bool xtr_cbor_check(const uint8_t *buf, size_t n, size_t *bad);
/* True if n bytes are UTF-8 (RFC 3629) without U+0000. */
bool xtr_utf8_check(const uint8_t *p, size_t n);

/* --- cborenc ---------------------------------------------------------------------------------- */

/*
 * Appends CBOR to a buffer in the shortest form. The caller gives map keys in the order of their
 * encoded bytes (spec 6.1): shorter ones first, equally long ones by their letters.
 */
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

/* --- cborget ---------------------------------------------------------------------------------- */

/* Reading decoded CBOR: checks and conversions that the parsers of META, TABLE, ... share. */
/*
 * Check and decode a payload into *item, which must be a map with text keys (spec 6.1); release it
 * with cbor_decref. 0; -ENOMEM; -EBADMSG with err->problem XTR_P_CBOR (and err->offset the byte in
 * the payload), or `grammar` if it is right CBOR but not such a map.
 */
int xtr_cbor_load(const uint8_t *buf, size_t n, enum xtr_problem_code grammar, cbor_item_t **item,
		  struct xtr_err *err);
/* Fill err for a payload that breaks the grammar; returns -EBADMSG. */
int xtr_cbor_broken(enum xtr_problem_code grammar, struct xtr_err *err);

/* The value of a text key, or NULL. */
cbor_item_t *xtr_cbor_key(const cbor_item_t *map, const char *key);
bool xtr_cbor_key_is(const cbor_item_t *key, const char *text);

/* Each is false if the item is NULL or of another kind or range. */
bool xtr_cbor_u64(const cbor_item_t *item, uint64_t *v);
bool xtr_cbor_u32(const cbor_item_t *item, uint32_t *v);
bool xtr_cbor_u16(const cbor_item_t *item, uint32_t *v);
bool xtr_cbor_id(const cbor_item_t *item, uint32_t *v); /* 1 to 2^32 - 1 */
/* A new C string, NULL: no memory. The item must be text. */
char *xtr_cbor_strdup(const cbor_item_t *item);
bool xtr_cbor_is_text(const cbor_item_t *item);
bool xtr_cbor_is_map(const cbor_item_t *item);
/* A map with text keys only: `* tstr => any` in xtr.cddl. */
bool xtr_cbor_is_text_map(const cbor_item_t *item);
/* The elements of an array of at least `least` elements, NULL if it is none. */
cbor_item_t **xtr_cbor_array(const cbor_item_t *item, size_t least, size_t *n);
/* Text or byte string. */
bool xtr_cbor_string(const cbor_item_t *item, const uint8_t **p, size_t *n);

#endif /* XTR_CBOR_H */
