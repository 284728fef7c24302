/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from two 64-bit numbers, such as a fence's context and seqno, to a 32-bit index.
 * Open addressing, linear probing, deletion without tombstones; the hash is seeded at run time, so
 * a file cannot be made to collide. The order of entries is never seen from outside.
 */
#ifndef XTR_KEYMAP_H
#define XTR_KEYMAP_H

#include <stddef.h>
#include <stdint.h>

#define XTR_KEYMAP_NONE UINT32_MAX

struct xtr_keymap_entry {
	uint64_t a, b;
	uint32_t value; /* XTR_KEYMAP_NONE: empty */
};

struct xtr_keymap { /* all zero: empty */
	struct xtr_keymap_entry *slot;
	size_t n, mask; /* entries; number of slots - 1 */
	uint64_t seed;
};

/* XTR_KEYMAP_NONE if there is none. */
uint32_t xtr_keymap_get(const struct xtr_keymap *m, uint64_t a, uint64_t b);
/* Add or replace; value must not be XTR_KEYMAP_NONE. 0 or -ENOMEM. */
int xtr_keymap_put(struct xtr_keymap *m, uint64_t a, uint64_t b, uint32_t value);
/* Nothing happens if there is none. */
void xtr_keymap_del(struct xtr_keymap *m, uint64_t a, uint64_t b);
void xtr_keymap_free(struct xtr_keymap *m);

#endif /* XTR_KEYMAP_H */
