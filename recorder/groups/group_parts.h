/* SPDX-License-Identifier: BSD-2-Clause */
/* What a group has on this machine: each of its events with its state, for those who ask. */
#ifndef XTR_RECORDER_GROUP_PARTS_H
#define XTR_RECORDER_GROUP_PARTS_H

#include "groups.h"

/* One event of a group. The texts are valid during the call that hands it out. */
struct xtr_group_part {
	const char *name;   /* of the event, or the pattern that nothing matches */
	const char *attach; /* "raw_tp", "tp", "func" */
	const char *target; /* the kernel's name of what is or would be attached to; NULL: none */
	const char *why;    /* reason if it is missing, or NULL */
	/* Of a function: what it is recorded for, and the names that it may have. */
	const char *purpose;
	const char *const *candidates; /* n_candidates of them */
	size_t n_candidates;
	bool available;
};

struct xtr_group_count {
	size_t parts, available;
	char why[160]; /* of the first that is missing; empty: none is */
};

/*
 * Call fn for each part until it returns non-zero, which is returned; -errno if tracefs cannot be
 * read. All parts of a group whose driver is not loaded are missing.
 */
int xtr_group_each(const struct xtr_group *g,
		   int (*fn)(void *ctx, const struct xtr_group_part *part), void *ctx);
int xtr_group_count(const struct xtr_group *g, struct xtr_group_count *count);

#endif /* XTR_RECORDER_GROUP_PARTS_H */
