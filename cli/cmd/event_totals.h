/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the events of a section by type, with several threads. */
#ifndef XTR_CLI_COUNT_H
#define XTR_CLI_COUNT_H

#include "format/read/reader.h"

/* Types by their high and their low byte: a section has few, and a file may have many sections. */
#define COUNT_PAGES 256u
#define COUNT_PAGE  256u

struct count_tally {
	uint64_t count, bytes; /* events; bytes of records, uncompressed */
};

struct count {
	struct count_tally *pages[COUNT_PAGES]; /* COUNT_PAGE of them each, NULL: none counted */
	uint64_t first, last;                   /* ns; first > last: no events */
	struct xtr_problem *problems;           /* chunks that could not be decoded, in no order */
	size_t n_problems, cap_problems;
};

/* 0 or -errno; in both cases the caller frees with count_free. */
int count_section(struct count *c, const struct xtr_reader *r, const struct xtr_section *s);
void count_free(struct count *c);

#endif /* XTR_CLI_COUNT_H */
