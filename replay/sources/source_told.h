/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs that a trace tells as a whole, with what is known of their times: those that xtr exported
 * ("xtr:job_told" and what goes before it, docs/jobs.md), and render stages of Perfetto's
 * producers, of which the GPU tells start and end.
 */
#ifndef XTR_SOURCE_TOLD_H
#define XTR_SOURCE_TOLD_H

#include "replay/model/job_source.h"

/* Bits of the field `known` of xtr:job_told. */
enum xtr_told_known {
	XTR_TOLD_CLIENT = 1,
	XTR_TOLD_RESULT = 2, /* the fence's error */
	XTR_TOLD_ENDED = 4,  /* nothing of the job follows */
};

extern const struct xtr_job_source xtr_source_told;

/* The section's jobs are told, all of them; whatever else tells of jobs says the same again. */
bool source_told_all(const struct xtr_meta *meta);

/* Is this an event of which the jobs say all? */
bool source_told_plain(const struct xtr_event_desc *d);

#endif /* XTR_SOURCE_TOLD_H */
