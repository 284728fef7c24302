/* SPDX-License-Identifier: BSD-2-Clause */
/* Which events to record: from what the user asked for to hooks and generic tracepoints. */
#ifndef XTR_RECORDER_SELECT_H
#define XTR_RECORDER_SELECT_H

#include "generic.h"
#include "hooks.h"
#include "recorder.h"

struct xtr_selection {
	bool types[XTR_SLOT_GENERIC]; /* built-in events wanted, by type */
	struct xtr_generic **generics;
	size_t n_generics;
	const char **unknown; /* patterns that match nothing, borrowed */
	size_t n_unknown;
};

/* n = 0 means the default set. 0, or -errno with err filled. */
int xtr_select(struct xtr_selection *s, const char *const *events, size_t n,
	       struct xtr_record_err *err);
void xtr_selection_free(struct xtr_selection *s);

#endif /* XTR_RECORDER_SELECT_H */
