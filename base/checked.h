/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic on numbers that come from a file. Each returns true and sets *r if the result fits,
 * and false if it does not.
 */
#ifndef XTR_CHECKED_H
#define XTR_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool xtr_add_size(size_t a, size_t b, size_t *r)
{
	return !__builtin_add_overflow(a, b, r);
}

static inline bool xtr_mul_size(size_t a, size_t b, size_t *r)
{
	return !__builtin_mul_overflow(a, b, r);
}

/* a + b, or the largest number: for sums that are shown, never for places in a file. */
static inline uint64_t xtr_sat_add(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

/* True if [off, off + n) lies within size bytes. */
static inline bool xtr_fits(uint64_t off, uint64_t n, uint64_t size)
{
	return off <= size && n <= size - off;
}

#endif /* XTR_CHECKED_H */
