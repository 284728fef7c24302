/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading decoded CBOR: checks and conversions that the parsers of META, TABLE, ... share. */
#ifndef XTR_CBORGET_H
#define XTR_CBORGET_H

#include "format/err.h"

#include <cbor.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* XTR_CBORGET_H */
