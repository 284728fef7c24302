/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often something happens: in all, and in the busiest window of XTR_RATE_WINDOW_NS. Windows
 * follow each other from the first event on, so that a burst that lies across a border is seen as
 * two: the peak is a lower bound.
 */
#ifndef XTR_RATE_H
#define XTR_RATE_H

#include <stdint.h>

#define XTR_RATE_WINDOW_NS 100000000u
#define XTR_NS_PER_S       1000000000u

struct xtr_rate { /* all zero: nothing has happened */
	uint64_t n;
	uint64_t first_ns, last_ns;
	uint64_t peak;    /* events in the busiest window */
	uint64_t peak_ns; /* when the first of these windows begins */
	uint64_t window, in_window;
};

/* Times must not go back. */
static inline void xtr_rate_add(struct xtr_rate *r, uint64_t ts)
{
	uint64_t window;

	if (!r->n++)
		r->first_ns = ts;
	r->last_ns = ts;
	window = (ts - r->first_ns) / XTR_RATE_WINDOW_NS;
	if (window != r->window) {
		r->window = window;
		r->in_window = 0;
	}
	if (++r->in_window > r->peak) {
		r->peak = r->in_window;
		r->peak_ns = r->first_ns + window * XTR_RATE_WINDOW_NS;
	}
}

/* n in so many ns, per second, rounded down; 0 if ns is 0. */
static inline uint64_t xtr_rate_per_second(uint64_t n, uint64_t ns)
{
	return ns ? (uint64_t)((__uint128_t)n * XTR_NS_PER_S / ns) : 0;
}

/* Of the busiest window. */
static inline uint64_t xtr_rate_peak(const struct xtr_rate *r)
{
	return r->peak * (XTR_NS_PER_S / XTR_RATE_WINDOW_NS);
}

#endif /* XTR_RATE_H */
