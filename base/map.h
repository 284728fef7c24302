/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from two 64-bit numbers, such as a fence's context and seqno, to a third: open
 * addressing with linear probing, at most half full. The hash is seeded for each process, so that a
 * file cannot choose its collisions. A zeroed structure is an empty map.
 */
#ifndef XTR_MAP_H
#define XTR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_map_slot {
	uint64_t a, b, value;
	bool used;
};

struct xtr_map {
	struct xtr_map_slot *slot;
	size_t n, mask; /* entries; number of slots (a power of two) - 1 */
	uint64_t seed[2];
	unsigned int shift; /* 64 - log2 of the number of slots */
};

/* Where the key belongs: a product of both numbers, folded; the seeds are secret. */
static inline size_t xtr_map_home(const struct xtr_map *m, uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)(a ^ m->seed[0]) * (b ^ m->seed[1]);

	return (size_t)((((uint64_t)p ^ (uint64_t)(p >> 64)) * 0x9e3779b97f4a7c15ull) >> m->shift);
}

/* The slot that has the key, or the free one where it would be put. There must be slots. */
static inline struct xtr_map_slot *xtr_map_find(const struct xtr_map *m, uint64_t a, uint64_t b)
{
	size_t i = xtr_map_home(m, a, b);

	while (m->slot[i].used && (m->slot[i].b != b || m->slot[i].a != a))
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

/* The value of key (a, b), or NULL. Valid until the next put or del. */
static inline uint64_t *xtr_map_get(const struct xtr_map *m, uint64_t a, uint64_t b)
{
	struct xtr_map_slot *s = m->n ? xtr_map_find(m, a, b) : NULL;

	return s && s->used ? &s->value : NULL;
}

#define XTR_MAP_NONE UINT32_MAX
/* The same of a map whose values are indices below XTR_MAP_NONE, which stands for none. */
static inline uint32_t xtr_map_index(const struct xtr_map *m, uint64_t a, uint64_t b)
{
	const uint64_t *value = xtr_map_get(m, a, b);

	return value ? (uint32_t)*value : XTR_MAP_NONE;
}

/* Set the value of a key. 0 or -ENOMEM (the map is unchanged then). */
int xtr_map_put(struct xtr_map *m, uint64_t a, uint64_t b, uint64_t value);
/*
 * The same for a map that a file fills: one that has `most` entries forgets all of them first. 0 or
 * -ENOMEM.
 */
int xtr_map_put_most(struct xtr_map *m, size_t most, uint64_t a, uint64_t b, uint64_t value);
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

/* --- key set ---------------------------------------------------------------------------------- */

/*
 * A set of pairs of numbers, such as the names of jobs, in a fixed amount of memory: a Bloom
 * filter. It never forgets, but now and then (below once in 10,000 with 32 bits for each pair, once
 * in 100 with 10) says yes to a pair that was not put in: for where a little too much does no harm.
 */
#define XTR_KEY_SET_BYTES_MAX ((size_t)64 << 20)

struct xtr_key_set { /* all zero: empty, nothing can be added */
	uint64_t *words;
	uint64_t bits;
};

/* Room for about n pairs, within XTR_KEY_SET_BYTES_MAX. 0 or -ENOMEM. */
int xtr_key_set_init(struct xtr_key_set *s, uint64_t n);
void xtr_key_set_add(struct xtr_key_set *s, uint64_t a, uint64_t b);
bool xtr_key_set_has(const struct xtr_key_set *s, uint64_t a, uint64_t b);
void xtr_key_set_free(struct xtr_key_set *s);

#endif /* XTR_MAP_H */
