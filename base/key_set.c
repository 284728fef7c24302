/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_set.h"

#include <errno.h>
#include <stdlib.h>

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
