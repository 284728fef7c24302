// SPDX-License-Identifier: BSD-2-Clause
#include "map.h"
#include "bytes.h"
#include "checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define MAP_FIRST 16u /* slots */

static uint64_t seed[2] = { 0x9e3779b97f4a7c15u, 0xe7037ed1a0b428dbu };

/* 16 bytes that the kernel draws at random for each process (getauxval(3)). */
__attribute__((constructor)) static void draw_seed(void)
{
	const void *p = (const void *)getauxval(AT_RANDOM);

	if (p)
		memcpy(seed, p, sizeof(seed));
}

/* The two halves of the 128-bit product, folded: every input bit reaches every output bit. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 r = (unsigned __int128)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return fold(fold(a ^ seed[0], 0xa0761d6478bd642fu ^ seed[1]) ^ b, 0xe7037ed1a0b428dbu) | 1;
}

uint64_t xtr_hash_bytes(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint8_t tail[8] = { 0 };
	uint64_t h = seed[0] ^ n;

	for (; n >= 8; n -= 8, p += 8)
		h = fold(h ^ xtr_le64(p), 0xa0761d6478bd642fu ^ seed[1]);
	if (n)
		memcpy(tail, p, n);
	return fold(h ^ xtr_le64(tail), 0xe7037ed1a0b428dbu ^ seed[1]);
}

/* The slot of the key, or the free one where it belongs. */
static struct xtr_map_slot *probe(const struct xtr_map *m, uint64_t a, uint64_t b, uint64_t hash)
{
	size_t i = (hash >> 1) & (m->cap - 1);

	for (;;) {
		struct xtr_map_slot *s = &m->slots[i];

		if (!s->hash || (s->hash == hash && s->a == a && s->b == b))
			return s;
		i = (i + 1) & (m->cap - 1);
	}
}

uint64_t *xtr_map_get(const struct xtr_map *m, uint64_t a, uint64_t b)
{
	struct xtr_map_slot *s;

	if (!m->n)
		return NULL;
	s = probe(m, a, b, hash_pair(a, b));
	return s->hash ? &s->value : NULL;
}

static int grow(struct xtr_map *m)
{
	struct xtr_map new = { 0 };
	size_t i;

	new.cap = m->cap ? m->cap : MAP_FIRST / 2;
	if (!xtr_mul_size(new.cap, 2, &new.cap))
		return -ENOMEM;
	new.slots = calloc(new.cap, sizeof(*new.slots));
	if (!new.slots)
		return -ENOMEM;
	for (i = 0; i < m->cap; i++) {
		const struct xtr_map_slot *s = &m->slots[i];

		if (s->hash)
			*probe(&new, s->a, s->b, s->hash) = *s;
	}
	free(m->slots);
	m->slots = new.slots;
	m->cap = new.cap;
	return 0;
}

int xtr_map_put(struct xtr_map *m, uint64_t a, uint64_t b, uint64_t value)
{
	uint64_t hash = hash_pair(a, b);
	struct xtr_map_slot *s;

	if (m->n >= m->cap / 4 * 3 && grow(m))
		return -ENOMEM;
	s = probe(m, a, b, hash);
	m->n += !s->hash;
	*s = (struct xtr_map_slot){ .a = a, .b = b, .value = value, .hash = hash };
	return 0;
}

/*
 * Backward shift instead of tombstones: entries after the hole move into it unless that would put
 * them before the place where their probing starts.
 */
bool xtr_map_del(struct xtr_map *m, uint64_t a, uint64_t b)
{
	struct xtr_map_slot *s;
	size_t hole, i, mask = m->cap - 1;

	if (!m->n)
		return false;
	s = probe(m, a, b, hash_pair(a, b));
	if (!s->hash)
		return false;
	hole = (size_t)(s - m->slots);
	for (i = (hole + 1) & mask; m->slots[i].hash; i = (i + 1) & mask) {
		size_t home = (m->slots[i].hash >> 1) & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].hash = 0;
	m->n--;
	return true;
}

const struct xtr_map_slot *xtr_map_next(const struct xtr_map *m, size_t *i)
{
	while (*i < m->cap) {
		const struct xtr_map_slot *s = &m->slots[(*i)++];

		if (s->hash)
			return s;
	}
	return NULL;
}

int xtr_map_copy(struct xtr_map *to, const struct xtr_map *from)
{
	size_t bytes = from->cap * sizeof(*from->slots);

	if (!from->n)
		return 0;
	to->slots = malloc(bytes);
	if (!to->slots)
		return -ENOMEM;
	memcpy(to->slots, from->slots, bytes);
	to->cap = from->cap;
	to->n = from->n;
	return 0;
}

void xtr_map_free(struct xtr_map *m)
{
	free(m->slots);
	*m = (struct xtr_map){ 0 };
}
