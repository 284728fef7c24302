/* SPDX-License-Identifier: BSD-2-Clause */
/* Values as the tests of two samples take them. */
#ifndef TEST_TWO_SAMPLES_H
#define TEST_TWO_SAMPLES_H

#include "analysis/diff/stat_test.h"

#include <stdlib.h>

#define TWO_MOST 4096u

/* Two samples as the test takes them. */
struct two_made {
	struct xtr_value_run run[2][TWO_MOST];
	struct xtr_two_samples s;
};

static inline int two_by_number(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* Sorts v. */
static inline size_t two_runs(uint64_t *v, size_t n, struct xtr_value_run *runs)
{
	size_t k = 0;

	qsort(v, n, sizeof(*v), two_by_number);
	for (size_t i = 0; i < n; i++) {
		if (k && runs[k - 1].value == v[i])
			runs[k - 1].n++;
		else
			runs[k++] = (struct xtr_value_run){ v[i], 1 };
	}
	return k;
}

static inline const struct xtr_two_samples *two_samples(struct two_made *m, uint64_t *a, size_t n_a,
							uint64_t *b, size_t n_b)
{
	size_t k_a = two_runs(a, n_a, m->run[0]), k_b = two_runs(b, n_b, m->run[1]);

	m->s = (struct xtr_two_samples){ m->run[0], m->run[1], k_a, k_b, n_a, n_b, 1, 1 };
	return &m->s;
}

#endif /* TEST_TWO_SAMPLES_H */
