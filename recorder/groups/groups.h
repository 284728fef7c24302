/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for sets of events that belong together: what -e takes beside events and patterns. A group
 * is a row of a table; what it holds are hooks (hooks.h), tracepoints (group_events.h) and
 * functions by name (group_row.h).
 */
#ifndef XTR_RECORDER_GROUPS_H
#define XTR_RECORDER_GROUPS_H

#include "group_events.h"

#include <stdbool.h>
#include <stddef.h>

#define XTR_GROUP_HOOKS   4
#define XTR_GROUP_WITHOUT 4
#define XTR_GROUP_FENCES  2

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
	const char
		*device; /* by default only where such a file exists; a glob; NULL: none needed */
	const char *hooks[XTR_GROUP_HOOKS]; /* events with a program of their own: names or globs */
	const struct xtr_group_event *events;   /* tracepoints; NULL: none */
	const char *without[XTR_GROUP_WITHOUT]; /* names or globs of those to be left out of them */
	/* Functions: one per row (group_row.h), and all that a pattern means (func:MODULE:GLOB). */
	const struct xtr_group_probe *probes;
	const size_t *n_probes; /* NULL: none */
	const char *functions;
	/* dma_fence_init, of these fences alone; up to the first without symbol */
	struct xtr_group_fences init[XTR_GROUP_FENCES];
};

extern const struct xtr_group xtr_groups[];
extern const size_t xtr_n_groups;

/* NULL if no group has that name. */
const struct xtr_group *xtr_group_find(const char *name);
/* Is the group's driver there (or does it need none)? */
bool xtr_group_loaded(const struct xtr_group *g);
/* Is it recorded without -e, on this machine as it is? */
bool xtr_group_default(const struct xtr_group *g);
size_t xtr_group_n_probes(const struct xtr_group *g);
/* Is "system:event" one of those that the group's patterns shall not mean? */
bool xtr_group_leaves_out(const struct xtr_group *g, const char *event);
/* Why a kernel with the driver lacks it: a static text. */
const char *xtr_group_event_why(const struct xtr_group_event *ev);
bool xtr_module_loaded(const char *module);

#endif /* XTR_RECORDER_GROUPS_H */
