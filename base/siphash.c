/* SPDX-License-Identifier: BSD-2-Clause */
/* SipHash-2-4 (Aumasson, Bernstein 2012) for a message of exactly 8 bytes, the word in
 * little-endian. */
#include "siphash.h"

static uint64_t rotl(uint64_t x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static void rounds(uint64_t v[4], int n)
{
	while (n--) {
		v[0] += v[1];
		v[1] = rotl(v[1], 13) ^ v[0];
		v[0] = rotl(v[0], 32);
		v[2] += v[3];
		v[3] = rotl(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotl(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotl(v[1], 17) ^ v[2];
		v[2] = rotl(v[2], 32);
	}
}

static void block(uint64_t v[4], uint64_t m)
{
	v[3] ^= m;
	rounds(v, 2);
	v[0] ^= m;
}

uint64_t xtr_siphash(const struct xtr_siphash_key *key, uint64_t word)
{
	uint64_t v[4] = {
		key->k0 ^ 0x736f6d6570736575ull,
		key->k1 ^ 0x646f72616e646f6dull,
		key->k0 ^ 0x6c7967656e657261ull,
		key->k1 ^ 0x7465646279746573ull,
	};

	block(v, word);
	block(v, 8ull << 56); /* the length, 8, in the top byte of the last block */
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
