/* SPDX-License-Identifier: BSD-2-Clause */
/* The section `idle` of xtr stats: what idle_section.c sums up and idle_view.c shows. */
#ifndef XTR_IDLE_SECTION_H
#define XTR_IDLE_SECTION_H

#include "idle.h"
#include "analysis/core/analysis.h"

#define IDLE_LEAVES_MAX     128u /* stacks of a state whose leaves are compared */
#define IDLE_LIMIT_PERMILLE 100u /* of the finding: of the time from the first job to the last */

struct idle_leaf {
	char name[96]; /* "": not known */
	uint64_t ns;   /* in stacks with this leaf */
};

/* All that the threads of a process did of one kind while a device was idle. */
struct idle_state {
	uint32_t device, state, comm;
	uint64_t process, ns, explained_ns, samples;
	struct idle_leaf leaf;
};

struct idle_section {
	const struct xtr_analysis_opts *o;
	struct xtr_idle *idle;
	struct xtr_idle_device *device; /* at the end */
	uint32_t n_devices;
	struct idle_state *row;
	size_t n_rows;
};

int idle_text(const void *self, const struct xtr_view *v);
void idle_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const idle_tables[];

#endif /* XTR_IDLE_SECTION_H */
