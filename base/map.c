/* SPDX-License-Identifier: BSD-2-Clause */
#include "map.h"
#include "bytes.h"
#include "checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define SLOTS_FIRST 16u

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

static size_t n_slots(const struct xtr_map *m)
{
	return m->slot ? m->mask + 1 : 0;
}

static int grow(struct xtr_map *m)
{
	struct xtr_map new = { .n = m->n, .seed = { seed[0], seed[1] } };
	const struct xtr_map_slot *s;
	size_t slots = SLOTS_FIRST;

	if (m->slot && !xtr_mul_size(m->mask + 1, 2, &slots))
		return -ENOMEM;
	new.slot = calloc(slots, sizeof(*new.slot));
	if (!new.slot)
		return -ENOMEM;
	new.mask = slots - 1;
	new.shift = 64u - (unsigned int)__builtin_ctzll(slots);
	for (size_t i = 0; (s = xtr_map_next(m, &i));)
		*xtr_map_find(&new, s->a, s->b) = *s;
	free(m->slot);
	*m = new;
	return 0;
}

int xtr_map_put(struct xtr_map *m, uint64_t a, uint64_t b, uint64_t value)
{
	struct xtr_map_slot *s;

	if ((m->n + 1) * 2 > n_slots(m) && grow(m))
		return -ENOMEM;
	s = xtr_map_find(m, a, b);
	m->n += !s->used;
	*s = (struct xtr_map_slot){ .a = a, .b = b, .value = value, .used = true };
	return 0;
}

/*
 * No tombstones: entries behind the hole move into it unless that would put them before the place
 * where their probing starts (Knuth 6.4 R).
 */
int xtr_map_put_most(struct xtr_map *m, size_t most, uint64_t a, uint64_t b, uint64_t value)
{
	if (m->n >= most)
		xtr_map_free(m);
	return xtr_map_put(m, a, b, value);
}

bool xtr_map_del(struct xtr_map *m, uint64_t a, uint64_t b)
{
	struct xtr_map_slot *s = m->n ? xtr_map_find(m, a, b) : NULL;
	size_t hole;

	if (!s || !s->used)
		return false;
	hole = (size_t)(s - m->slot);
	for (size_t i = (hole + 1) & m->mask; m->slot[i].used; i = (i + 1) & m->mask) {
		size_t home = xtr_map_home(m, m->slot[i].a, m->slot[i].b);

		if (((i - home) & m->mask) < ((i - hole) & m->mask))
			continue;
		m->slot[hole] = m->slot[i];
		hole = i;
	}
	m->slot[hole].used = false;
	m->n--;
	return true;
}

const struct xtr_map_slot *xtr_map_next(const struct xtr_map *m, size_t *i)
{
	while (*i < n_slots(m)) {
		const struct xtr_map_slot *s = &m->slot[(*i)++];

		if (s->used)
			return s;
	}
	return NULL;
}

int xtr_map_copy(struct xtr_map *to, const struct xtr_map *from)
{
	const size_t bytes = n_slots(from) * sizeof(*from->slot);
	struct xtr_map_slot *slot;

	if (!from->n || !bytes)
		return 0;
	slot = malloc(bytes);
	if (!slot)
		return -ENOMEM;
	memcpy(slot, from->slot, bytes);
	*to = *from;
	to->slot = slot;
	return 0;
}

void xtr_map_free(struct xtr_map *m)
{
	free(m->slot);
	*m = (struct xtr_map){ 0 };
}

/* --- key set ---------------------------------------------------------------------------------- */

#define BITS_PER_KEY 32u
#define BITS_MIN     4096u
#define HASHES       4u

/*
 * Not seeded: the same input gives the same output. A file that is made to collide only makes the
 * set say yes too often. (The finalizer of splitmix64, its constants.)
 */
static uint64_t hash(uint64_t a, uint64_t b)
{
	uint64_t h = a * 0x9e3779b97f4a7c15ull;

	h ^= h >> 32;
	h = (h ^ b) * 0xbf58476d1ce4e5b9ull;
	h ^= h >> 27;
	h *= 0x94d049bb133111ebull;
	return h ^ (h >> 31);
}

int xtr_key_set_init(struct xtr_key_set *s, uint64_t n)
{
	const uint64_t most = (uint64_t)XTR_KEY_SET_BYTES_MAX * 8;
	uint64_t bits = n > most / BITS_PER_KEY ? most : n * BITS_PER_KEY;

	bits = bits < BITS_MIN ? BITS_MIN : (bits + 63) & ~63ull;
	s->words = calloc(bits / 64, sizeof(*s->words));
	s->bits = s->words ? bits : 0;
	return s->words ? 0 : -ENOMEM;
}

/* The k-th place of a hash: double hashing, brought into range by multiplication. */
static uint64_t place(const struct xtr_key_set *s, uint64_t h, unsigned int k)
{
	uint32_t step = (uint32_t)(h >> 32) | 1, at = (uint32_t)h + k * step;

	return (uint64_t)at * s->bits >> 32;
}

void xtr_key_set_add(struct xtr_key_set *s, uint64_t a, uint64_t b)
{
	uint64_t h = hash(a, b);

	for (unsigned int k = 0; s->bits && k < HASHES; k++) {
		uint64_t i = place(s, h, k);

		s->words[i / 64] |= 1ull << i % 64;
	}
}

bool xtr_key_set_has(const struct xtr_key_set *s, uint64_t a, uint64_t b)
{
	uint64_t h = hash(a, b);

	for (unsigned int k = 0; s->bits && k < HASHES; k++) {
		uint64_t i = place(s, h, k);

		if (!(s->words[i / 64] >> i % 64 & 1))
			return false;
	}
	return s->bits;
}

void xtr_key_set_free(struct xtr_key_set *s)
{
	free(s->words);
	*s = (struct xtr_key_set){ 0 };
}
