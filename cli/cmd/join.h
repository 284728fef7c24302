/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections of several traces, in the order in which xtr cat writes them. */
#ifndef XTR_CLI_JOIN_H
#define XTR_CLI_JOIN_H

#include "format/read/reader.h"

#include <stdbool.h>

struct join_part {
	const char *path; /* borrowed */
	const struct xtr_reader *r;
	const struct xtr_section *s;
	size_t number; /* of the section in its file, from 1 */
	bool whole;    /* without any problem */
	bool again;    /* the section stands elsewhere: left out */
	bool renew;    /* another section has its id */
	uint64_t rank; /* of its boot */
	size_t place;  /* as it was given */
};

struct join { /* all zero: empty */
	struct join_part *part;
	size_t n, cap;
};

/* Add a verified trace. 0 or -ENOMEM. */
int join_add(struct join *j, const char *path, const struct xtr_reader *r);
/*
 * Mark sections with one id, with a line for each, and put all in order: boots by their wall clock,
 * or as they were given if one of them is not known; within a boot by the first event. *lost is set
 * if one that is left out is not the same as the one that stays. 0 or -ENOMEM.
 */
int join_order(struct join *j, bool *lost);
void join_free(struct join *j);

#endif /* XTR_CLI_JOIN_H */
