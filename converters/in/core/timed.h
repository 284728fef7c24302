/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Things in order of time, for inputs that are in order by parts (a part for each CPU): a merge
 * sort of the runs that are there already. Equal times stay in the order in which they were added.
 */
#ifndef XTR_TIMED_H
#define XTR_TIMED_H

#include <stddef.h>
#include <stdint.h>

struct xtr_timed {
	uint64_t ts;
	uint64_t what; /* the caller's */
};

struct xtr_timed_list { /* all zero: empty */
	struct xtr_timed *e;
	struct xtr_timed *tmp; /* what e is sorted into */
	size_t n, cap, cap_tmp;
};

/* At the end. 0 or -ENOMEM. */
int xtr_timed_add(struct xtr_timed_list *l, uint64_t ts, uint64_t what);
/* 0, or -ENOMEM: nothing was moved. */
int xtr_timed_sort(struct xtr_timed_list *l);
void xtr_timed_free(struct xtr_timed_list *l);

#endif /* XTR_TIMED_H */
