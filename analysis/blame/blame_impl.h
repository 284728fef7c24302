/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis of who delayed whom (docs/why.md): what blame*.c gather and blame_view.c
 * shows.
 */
#ifndef XTR_BLAME_IMPL_H
#define XTR_BLAME_IMPL_H

#include "analysis/core/analysis.h"
#include "replay/event/priority.h"
#include "run_threads.h"
#include "split.h"
#include "who.h"

#define BLAME_RINGS_MAX 1024u /* the last is all further ones */
#define BLAME_PAIRS_MAX 8192u /* the same */

struct blame_sum { /* of one kind of part */
	uint64_t ns, jobs, max_ns;
	struct xtr_job_name longest; /* the job of max_ns */
	uint8_t quality;             /* the worst */
};

struct blame_ring {
	uint32_t id;
	char name[112];
	uint64_t jobs, ns; /* that were divided; their time */
	struct blame_sum of[XTR_PART_KIND_COUNT];
};

/* What the jobs of one cost those of another, or its own. */
struct blame_pair {
	uint64_t who, by;  /* XTR_WHO_..., process, 0 not known */
	uint64_t jobs, ns; /* of who, that were delayed */
	uint64_t ring_ns, dependency_ns, queue_ns, thread_ns;
	uint64_t max_ns;
	struct xtr_job_name longest, longest_by;
	/* Of the queues of the jobs that waited; of those that they waited for. */
	struct xtr_priorities prio, by_prio;
};

struct blame {
	const struct xtr_analysis_opts *o;
	struct xtr_past *past;
	struct xtr_job_parts parts; /* of the present job */
	struct blame_ring *ring;
	uint32_t n_rings;
	size_t cap_rings;
	struct xtr_map by_ring;
	struct blame_pair *pair;
	uint32_t n_pairs;
	size_t cap_pairs;
	struct xtr_map by_pair;
	struct xtr_who names;
	struct xtr_run_threads *threads; /* NULL: not known */
	uint64_t jobs, ns, undivided, folded;
	uint64_t with_prio; /* jobs whose queue's priority is known */
};

/* blame_finding.c: pairs are sorted. 0 or -ENOMEM. */
int blame_findings(const struct blame *b);

/* blame_view.c */
bool blame_any(const void *self);
int blame_text(const void *self, const struct xtr_view *v);
void blame_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const blame_tables[];

#endif /* XTR_BLAME_IMPL_H */
