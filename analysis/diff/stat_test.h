/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is one distribution shifted against another? Tests and estimates that take nothing for granted
 * about the form of the distributions: times of jobs have two humps, long tails and many ties.
 */
#ifndef XTR_STAT_TEST_H
#define XTR_STAT_TEST_H

#include "analysis/core/values.h"

/* Two samples, each in order of value, no value twice; n: how many values they hold in all. */
struct xtr_two_samples {
	const struct xtr_value_run *a, *b;
	size_t n_a_runs, n_b_runs;
	uint64_t n_a, n_b;
	/* As xtr_serial_factor: so many dependent values say as much as one independent one. */
	double factor_a, factor_b;
};

/* Makes such a sample of n runs in order of value: equal ones are joined. How many are left. */
size_t xtr_join_runs(struct xtr_value_run *run, size_t n);

/* Samples that together are no larger than this are tested by counting all ways to divide them. */
#define XTR_RANK_EXACT 30u

/*
 * Mann and Whitney's test, two-sided. With up to XTR_RANK_EXACT values p is the exact probability,
 * ties included (twice the smaller tail of the permutation distribution of the rank sum); with more
 * it follows from the normal distribution, with the variance corrected for ties, and continuity
 * (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 4.1). Where values depend on
 * their neighbours, what the test statistic is off its mean by is measured with the standard
 * deviation that this makes.
 */
struct xtr_rank_test {
	double p;           /* 0 to 1; 1 if one sample is empty */
	double superiority; /* probability that a value of b is larger than one of a; ties half */
	double tied;        /* share of pairs with equal values */
	double deviation;   /* of the number of pairs in which b is larger, if nothing differs */
	bool exact;
};

/* 0 or -ENOMEM. */
int xtr_rank_test(const struct xtr_two_samples *s, struct xtr_rank_test *t);
/* The smallest p that samples of these sizes can give, if no values are equal. */
double xtr_rank_least_p(uint64_t n_a, uint64_t n_b);

/*
 * Hodges and Lehmann's shift: the median of the differences b - a of all pairs, and the interval
 * that holds it with this confidence, found by inverting the test (deviation is the test's).
 * Samples must not be empty. An end that so few values do not set is -INFINITY, or INFINITY.
 */
struct xtr_shift {
	double shift, low, high; /* in the unit of the values */
};
void xtr_shift(const struct xtr_two_samples *s, double deviation, double confidence,
	       struct xtr_shift *shift);

/*
 * The same of the logarithms, which is a factor: the median of the ratios b / a of all pairs, from
 * 0 to INFINITY, so that what is k times as large has the ratio k, and a against b the inverse of
 * b against a. The two in the middle of an even number: their geometric mean. An end that the
 * values do not set is 0, or INFINITY.
 *
 * A value has the ratio INFINITY to 0, and 0 has the ratio 0 to any other. Two zeros have none:
 * they are equal whatever one is multiplied by, as the test counts equal values: half for each
 * side. NAN, all three: there are no other pairs.
 */
struct xtr_ratio {
	double ratio, low, high;
};
void xtr_ratio(const struct xtr_two_samples *s, double deviation, double confidence,
	       struct xtr_ratio *ratio);

/* Of the standard normal distribution: P(|Z| >= z), and the z for which this is p (0 < p <= 1). */
double xtr_normal_p(double z);
double xtr_normal_z(double p);

/*
 * Holm's correction: n values of p in place become those of which each can be compared with the
 * level at which one false alarm among all is accepted, whatever the tests have to do with each
 * other. 0 or -ENOMEM.
 */
int xtr_holm(double *p, size_t n);

#endif /* XTR_STAT_TEST_H */
