/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much neighbours in a series depend on each other. Jobs of one recording are not independent:
 * one that waits makes the next one wait. The mean of n such values scatters as that of n / factor
 * independent ones; a test that does not know it sees differences in noise.
 *
 * The factor is the larger of what two estimates say, if they say clearly more than 1: that of a
 * series in which only neighbours depend on each other, (1 + r) / (1 - r) with the correlation r of
 * neighbours, and that of batch means: the variance of the means of 32 to 63 stretches of equal
 * length, times their length, by the variance of single values (Law, Simulation Modeling and
 * Analysis, chapter 9). Dependence over longer stretches than these is not seen.
 */
#ifndef XTR_SERIAL_H
#define XTR_SERIAL_H

#include <stdint.h>

#define XTR_SERIAL_BATCHES 64u

struct xtr_serial { /* all zero: empty */
	uint64_t n;
	double first; /* value; all that follows is of differences to it */
	double last, sum, squares;
	double product;                   /* sum of the products of neighbours */
	double batch[XTR_SERIAL_BATCHES]; /* sums of `size` values each */
	double part;                      /* sum of the values behind the last batch */
	uint64_t size, in_part;           /* values */
	uint32_t n_batches;
};

void xtr_serial_add(struct xtr_serial *s, double x);
/* At least 1; 1 for fewer than 10 values. */
double xtr_serial_factor(const struct xtr_serial *s);

#endif /* XTR_SERIAL_H */
