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
	uint64_t seed[2];
	unsigned int shift; /* 64 - log2 of the number of slots */
};

/* Where the key belongs: a product of both numbers, folded; the seeds are secret. */
static inline size_t xtr_keymap_home(const struct xtr_keymap *m, uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)(a ^ m->seed[0]) * (b ^ m->seed[1]);

	return (size_t)((((uint64_t)p ^ (uint64_t)(p >> 64)) * 0x9e3779b97f4a7c15ull) >> m->shift);
}

/* The slot that has the key, or the empty one where it would be put. There must be slots. */
static inline size_t xtr_keymap_find(const struct xtr_keymap *m, uint64_t a, uint64_t b)
{
	size_t i = xtr_keymap_home(m, a, b);

	while (m->slot[i].value != XTR_KEYMAP_NONE && (m->slot[i].b != b || m->slot[i].a != a))
		i = (i + 1) & m->mask;
	return i;
}

/* XTR_KEYMAP_NONE if there is none. */
static inline uint32_t xtr_keymap_get(const struct xtr_keymap *m, uint64_t a, uint64_t b)
{
	return m->n ? m->slot[xtr_keymap_find(m, a, b)].value : XTR_KEYMAP_NONE;
}

/* Add or replace; value must not be XTR_KEYMAP_NONE. 0 or -ENOMEM. */
int xtr_keymap_put(struct xtr_keymap *m, uint64_t a, uint64_t b, uint32_t value);
/* Nothing happens if there is none. */
void xtr_keymap_del(struct xtr_keymap *m, uint64_t a, uint64_t b);
void xtr_keymap_free(struct xtr_keymap *m);

#endif /* XTR_KEYMAP_H */
