/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from a pair of 64-bit numbers to a 64-bit value: open addressing with linear
 * probing, at most three quarters full. Hashes are seeded per process, so that a file cannot choose
 * its collisions. A zeroed structure is an empty map.
 */
#ifndef XTR_MAP_H
#define XTR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_map_slot {
	uint64_t a, b, value;
	uint64_t hash; /* 0: free */
};

struct xtr_map {
	struct xtr_map_slot *slots;
	size_t cap, n; /* slots (a power of two or 0), entries */
};

/* The value of key (a, b), or NULL. Valid until the next put or del. */
uint64_t *xtr_map_get(const struct xtr_map *m, uint64_t a, uint64_t b);
/* Set the value of a key. 0 or -ENOMEM (the map is unchanged then). */
int xtr_map_put(struct xtr_map *m, uint64_t a, uint64_t b, uint64_t value);
/* Returns false if the key is not there. */
bool xtr_map_del(struct xtr_map *m, uint64_t a, uint64_t b);
/*
 * Walk all entries in no order: start with *i = 0; NULL at the end. The map must not be changed
 * meanwhile.
 */
const struct xtr_map_slot *xtr_map_next(const struct xtr_map *m, size_t *i);
/* Make an empty map hold what `from` holds. 0 or -ENOMEM: it stays empty. */
int xtr_map_copy(struct xtr_map *to, const struct xtr_map *from);
/* Release everything; the map is empty afterwards. */
void xtr_map_free(struct xtr_map *m);

/* Seeded hash of n bytes, the same within a process: for keys that are not numbers. */
uint64_t xtr_hash_bytes(const void *data, size_t n);

#endif /* XTR_MAP_H */
