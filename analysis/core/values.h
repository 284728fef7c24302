/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of which the distribution is asked for, in bounded memory: up to XTR_VALUES_EXACT are kept
 * as they are; when there are more, all go into a histogram that cuts each power of two into 1,024
 * buckets, so that a value read back lies within 1/2048 (0.05 %) of the value put in; below 2,048
 * it is exact. Count, sum, minimum and maximum are exact in any case.
 *
 * All that share a budget of bytes together take no more than that: what there is no room for is
 * counted and not kept (dropped).
 */
#ifndef XTR_VALUES_H
#define XTR_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- serial ----------------------------------------------------------------------------------- */

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

/* --- values ----------------------------------------------------------------------------------- */

#define XTR_VALUES_EXACT    4096u
#define XTR_VALUES_SUB_BITS 10u
#define XTR_VALUES_SUB      (1u << XTR_VALUES_SUB_BITS)
#define XTR_VALUES_GROUPS   (64u - XTR_VALUES_SUB_BITS + 1u)
/* The most by which a value of a histogram is off: this share of it. */
#define XTR_VALUES_OFF (0.5 / XTR_VALUES_SUB)
/* Larger ones count as this, so that differences fit: ns, 146 years. */
#define XTR_VALUES_MOST (UINT64_MAX >> 2)

struct xtr_values {            /* all zero: empty */
	uint64_t n;            /* kept */
	uint64_t dropped;      /* not kept */
	uint64_t sum;          /* of all, kept or not; stops at UINT64_MAX */
	uint64_t min, max;     /* of those kept */
	uint64_t *exact;       /* NULL once there is a histogram */
	uint64_t **page;       /* XTR_VALUES_GROUPS of XTR_VALUES_SUB counts, or NULL */
	uint32_t cap;          /* of exact */
	bool coarse;           /* it is a histogram */
	struct xtr_serial row; /* logarithms, in the order in which they came */
	double dependent;      /* of merged ones: sum of n times the factor of xtr_serial */
};

/* So many of the same value. */
struct xtr_value_run {
	uint64_t value, n;
};

/* left: bytes that may still be taken. 0 or -ENOMEM. */
int xtr_values_add(struct xtr_values *v, uint64_t value, size_t *left);
/* The same for n of them; they say nothing about the order in which they came. */
int xtr_values_add_n(struct xtr_values *v, uint64_t value, uint64_t n, size_t *left);
/* dst += src: the series stay apart. 0 or -ENOMEM. */
int xtr_values_merge(struct xtr_values *dst, const struct xtr_values *src, size_t *left);
/* Gives what it took back to left. */
void xtr_values_free(struct xtr_values *v, size_t *left);

/*
 * All that was kept, in order; coarse: as the middles of a histogram's buckets, even if it is none,
 * to be compared with one that is. The caller frees *runs. 0 or -ENOMEM.
 */
int xtr_values_runs(const struct xtr_values *v, bool coarse, struct xtr_value_run **runs,
		    size_t *n);
/* The value below or at which at least permille / 1000 of n values are; 0 if there are none. */
uint64_t xtr_runs_quantile(const struct xtr_value_run *runs, size_t n_runs, unsigned int permille);
/* As xtr_serial_factor: of all that were merged, weighted by their number. */
double xtr_values_factor(const struct xtr_values *v);

#endif /* XTR_VALUES_H */
