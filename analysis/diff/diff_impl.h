/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the comparison share. */
#ifndef XTR_DIFF_IMPL_H
#define XTR_DIFF_IMPL_H

#include "diff.h"
#include "base/map.h"

#define DIFF_FACTS_MAX 1024u
#define DIFF_NONE      UINT32_MAX

/* Times of one kind, group and side. */
struct diff_cell {
	struct xtr_values all, now;         /* of the ended recordings; of the present one */
	uint64_t median[XTR_DIFF_RUNS_MAX]; /* of each recording that has values */
	uint32_t runs;
};

struct diff_group {
	enum xtr_diff_by by;
	char *name;
	uint64_t mapping; /* of the names that redacting made in it; 0: there are none */
	uint64_t hash;
	uint32_t next; /* another group with this hash, DIFF_NONE: none */
	struct xtr_diff_count count;
	struct diff_cell *cell[2][XTR_DIFF_METRIC_COUNT]; /* NULL: no values */
};

struct diff_fact {
	char *what, *value[2];
	bool several[2]; /* the recordings of the side differ: value names all */
};

struct xtr_diff {
	struct xtr_diff_opts o;
	size_t left; /* bytes */
	struct diff_group *group;
	uint32_t n_groups, cap_groups, n_by[XTR_DIFF_BY_COUNT];
	struct xtr_map by_name; /* (hash, by): the first group */
	/* of the present section: (index, by) to group; processes: (process, comm << 32 | by) */
	struct xtr_map by_id;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	bool times;
	uint64_t mapping; /* of this section's names; 0: it is not redacted */
	uint64_t unnamed; /* sections whose mapping has no name */
	unsigned int side;
	struct xtr_diff_total total[2];
	struct diff_fact *fact;
	size_t n_facts, n_differ;
	struct xtr_diff_fact *differ;
	struct xtr_diff_row *row;
	size_t n_rows, n_tests, n_run_tests;
	struct xtr_diff_count *counts; /* in order */
};

/* diff_group.c: what of a job names its group, in numbers of the section. False: nothing does. */
bool diff_id_of_job(const struct xtr_job *j, enum xtr_diff_by by, uint64_t *id);
/* Index of the group, which is made where it is new; DIFF_NONE: there are too many; -ENOMEM. */
int64_t diff_group_of_job(struct xtr_diff *d, const struct xtr_job *j, enum xtr_diff_by by,
			  uint64_t id);
int64_t diff_group_of_call(struct xtr_diff *d, enum xtr_diff_by by, const struct xtr_call *c);

/* diff_facts.c. 0 or -ENOMEM. */
int diff_learn(struct xtr_diff *d, const struct xtr_meta *meta);
/* Keep those in which the sides differ. */
int diff_facts_finish(struct xtr_diff *d);
void diff_facts_free(struct xtr_diff *d);
/* diff_rows.c: all groups' rows, tested and in order. */
int diff_make_rows(struct xtr_diff *d);

#endif /* XTR_DIFF_IMPL_H */
