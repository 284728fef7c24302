/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of pairs of numbers, such as the names of jobs, in a fixed amount of memory: a Bloom
 * filter. It never forgets, but now and then (below once in 10,000 with 32 bits for each pair, once
 * in 100 with 10) says yes to a pair that was not put in: for where a little too much does no harm.
 */
#ifndef XTR_KEY_SET_H
#define XTR_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* XTR_KEY_SET_H */
