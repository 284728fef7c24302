/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks CBOR bytes and says whether they are one item in the deterministic form and within the
 * limits of spec 6.1. libcbor allocates what a length field claims, so it sees only what passed
 * here.
 */
#ifndef XTR_CBORCHECK_H
#define XTR_CBORCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if buf is such an item and nothing else; otherwise *bad is the offset of the first wrong
 * byte. */
bool xtr_cbor_check(const uint8_t *buf, size_t n, size_t *bad);
/* True if n bytes are UTF-8 (RFC 3629) without U+0000. */
bool xtr_utf8_check(const uint8_t *p, size_t n);

#endif /* XTR_CBORCHECK_H */
