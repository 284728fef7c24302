/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SipHash-2-4 of one 64-bit word. Kernel pointers go into the file as its value under a key that is
 * made for the file and never stored: equal pointers stay equal, addresses do not leak.
 */
#ifndef XTR_SIPHASH_H
#define XTR_SIPHASH_H

#include <stdint.h>

struct xtr_siphash_key {
	uint64_t k0, k1;
};

uint64_t xtr_siphash(const struct xtr_siphash_key *key, uint64_t word);

#endif /* XTR_SIPHASH_H */
