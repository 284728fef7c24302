/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for sets of events that belong together: what -e takes beside events and patterns. A group
 * is a row of a table; what it holds are hooks (hooks.h), tracepoints and functions by name.
 */
#ifndef XTR_RECORDER_GROUPS_H
#define XTR_RECORDER_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#define XTR_GROUP_EVENTS 8

struct xtr_group_probe;

/* Fences of one driver, by the symbol of their operations. */
struct xtr_group_fences {
	const char *module, *symbol;
};

struct xtr_group {
	const char *name;
	const char *help;   /* one line, no full stop */
	const char *module; /* the driver, without which there is nothing; NULL: none is needed */
	bool by_default;    /* recorded without -e where the driver is loaded */
	/* Events with a program of their own, and other tracepoints: names or globs, as -e takes
	 * them. */
	const char *hooks[XTR_GROUP_EVENTS], *tracepoints[XTR_GROUP_EVENTS];
	/* Functions: one per row (npu_probes.h), and all that a pattern means (func:MODULE:GLOB).
	 */
	const struct xtr_group_probe *probes;
	const size_t *n_probes; /* NULL: none */
	const char *functions;
	/* dma_fence_init, of these fences alone; symbol NULL: not wanted */
	struct xtr_group_fences init;
};

extern const struct xtr_group xtr_groups[];
extern const size_t xtr_n_groups;

/* NULL if no group has that name. */
const struct xtr_group *xtr_group_find(const char *name);
/* Is the group's driver there (or does it need none)? */
bool xtr_group_loaded(const struct xtr_group *g);
size_t xtr_group_n_probes(const struct xtr_group *g);
bool xtr_module_loaded(const char *module);

#endif /* XTR_RECORDER_GROUPS_H */
