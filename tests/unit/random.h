/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that look random and are the same on every machine, for tests of statistics. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <math.h>
#include <stdint.h>

/* xorshift64*; *state must not be 0. */
static inline uint64_t random_u64(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

/* In (0, 1). */
static inline double random_unit(uint64_t *state)
{
	return ((double)(random_u64(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Of the standard normal distribution (Box and Muller). */
static inline double random_normal(uint64_t *state)
{
	double r = sqrt(-2 * log(random_unit(state)));

	return r * cos(6.283185307179586 * random_unit(state));
}

/* ns, as times of jobs are: a median, and a spread in the logarithm. */
static inline uint64_t random_time(uint64_t *state, double median, double spread)
{
	return (uint64_t)(median * exp(spread * random_normal(state)));
}

#endif /* TEST_RANDOM_H */
