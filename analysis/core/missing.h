/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace lacks, in words: of what the file really has, and of nothing else. */
#ifndef XTR_MISSING_H
#define XTR_MISSING_H

#include "format/meta/meta.h"

#include <stdbool.h>
#include <stddef.h>

#define XTR_MISSING_TEXT 128u

/* Of a function: which of its two events META has. */
struct xtr_halves {
	bool entry, ret;
};

static inline void xtr_halves_add(struct xtr_halves *h, bool ret)
{
	h->entry |= !ret;
	h->ret |= ret;
}

/*
 * "X was not recorded", "X and Y were not recorded", "X, Y and Z ...": those of n names for which
 * `missing` is set; at least one. Returns buf.
 */
const char *xtr_missing_text(char buf[XTR_MISSING_TEXT], const char *const *names,
			     const bool *missing, size_t n);
/*
 * "X was not recorded", "returns of X were not recorded", "entries of X ...": why there are no
 * calls of X. Not to be asked if both are there. Returns buf.
 */
const char *xtr_missing_half(char buf[XTR_MISSING_TEXT], const char *name, struct xtr_halves h);

/* --- no jobs ---------------------------------------------------------------------------------- */

/* Why a trace has no jobs of a GPU or NPU, for people. */
/*
 * What the events of the section (meta may be NULL) tell instead, and what to record: one line
 * without a full stop, never NULL. META of a recording lists all events that were asked for.
 */
const char *xtr_no_jobs(const struct xtr_meta *meta);

#endif /* XTR_MISSING_H */
