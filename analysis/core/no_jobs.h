/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a trace has no jobs of a GPU or NPU, for people. */
#ifndef XTR_NO_JOBS_H
#define XTR_NO_JOBS_H

#include "format/meta/meta.h"

/*
 * What the events of the section (meta may be NULL) tell instead, and what to record: one line
 * without a full stop, never NULL. META of a recording lists all events that were asked for.
 */
const char *xtr_no_jobs(const struct xtr_meta *meta);

#endif /* XTR_NO_JOBS_H */
