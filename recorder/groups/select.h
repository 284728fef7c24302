/* SPDX-License-Identifier: BSD-2-Clause */
/* Which events to record: from what the user asked for (events, patterns, groups) to hooks and
 * generic tracepoints. */
#ifndef XTR_RECORDER_SELECT_H
#define XTR_RECORDER_SELECT_H

#include "generic.h"
#include "hooks.h"
#include "function_probe.h"
#include "recorder/recorder.h"

#define XTR_SELECT_NOTES 8

/* A tracepoint of a group that this kernel does not have; static texts. */
struct xtr_absent {
	const char *name, *why;
};

struct xtr_selection {
	bool types[XTR_SLOT_GENERIC]; /* built-in events wanted, by type */
	/* dma_fence_init is wanted of these fence operations alone (kernel addresses); none: of all
	 */
	uint64_t init_ops[XTR_INIT_OPS];
	size_t n_init_ops;
	bool init_all; /* asked for by name, or addresses are hidden */
	bool by_name;  /* the scheduler's events, or those of fences, are generics */
	struct xtr_generic **generics;
	size_t n_generics;
	struct xtr_absent *absent;
	size_t n_absent;
	/* Functions, also those that cannot be recorded, with the reason. */
	struct xtr_probe **probes;
	size_t n_probes;
	struct xtr_funcs *funcs; /* what was read to find them */
	/* Events with types from XTR_TYPE_FIRST_DYNAMIC on: generics, then those of the probes. */
	uint32_t n_dynamic;
	uint32_t budget; /* --budget, millionths of the machine; 0: none */
	const struct xtr_event_desc **probe_events; /* by type; the first follows the generics */
	const char **api;                           /* patterns of calls of libraries, borrowed */
	size_t n_api;
	struct xtr_apis *apis; /* what they are about; NULL: nothing */
	const char **unknown;  /* patterns that match nothing, borrowed */
	size_t n_unknown;
	const char *notes[XTR_SELECT_NOTES]; /* what cannot be as asked for: static texts */
	size_t n_notes;
};

/*
 * n = 0 means the default set. by_name: there are no programs that could record the scheduler's
 * events and those of fences; they become tracepoints by name. 0, or -errno with err filled.
 */
int xtr_select(struct xtr_selection *s, const char *const *events, size_t n, bool by_name,
	       struct xtr_record_err *err);
/*
 * Add a function: p is the selection's from now on. One of this name that is in it already is
 * joined with it: of each half the one that records more stays. 0, or -ENOMEM: p is the caller's.
 */
int xtr_selection_add_probe(struct xtr_selection *s, struct xtr_probe *p);
/* Something to be said: a static text, once. */
void xtr_selection_note(struct xtr_selection *s, const char *text);
void xtr_selection_free(struct xtr_selection *s);

#endif /* XTR_RECORDER_SELECT_H */
