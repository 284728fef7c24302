/* SPDX-License-Identifier: BSD-2-Clause */
/* Job sources with code of their own; the others are rows (source_rows.c). */
#ifndef XTR_DRIVER_SOURCES_H
#define XTR_DRIVER_SOURCES_H

#include "replay/model/job_source.h"

/* --- source i915 ------------------------------------------------------------------------------ */

/*
 * Requests of Intel GPUs whose driver is i915, from its own events and the signals of its fences
 * (docs/i915.md).
 */
extern const struct xtr_job_source xtr_source_i915;

/* --- source ivpu ------------------------------------------------------------------------------ */

/*
 * Jobs of the Intel NPU (intel_vpu), from what the file has of
 *   vpu:job                  create (the job has no id yet), submit, done; kernels after 6.12
 *   dma_fence_init, _signaled of the driver's fences: each job has a fence of its own
 *   func:intel_vpu:...       the submit ioctls, the doorbell, completion
 *
 * Creation, submission and the ioctl are one call of one thread; the fence is initialised in it
 * before `create`. It is signalled by the thread that says `done` right after. Ids are used again
 * after 256 jobs of a context, and so are contexts: an id is a job's name only from submit to done.
 */
extern const struct xtr_job_source xtr_source_ivpu;

/* --- source amdxdna --------------------------------------------------------------------------- */

/*
 * Jobs of AMD NPUs whose driver is amdxdna, from its own events. They are jobs of the kernel's GPU
 * scheduler, and have its names: where its events are in the trace too, these say when the device
 * got a job and when it answered; else they are all that is known of it (docs/amdxdna.md).
 */
extern const struct xtr_job_source xtr_source_amdxdna;

/* --- source scheduler ------------------------------------------------------------------------- */

/*
 * Jobs of the kernel's GPU scheduler where its tracepoints were recorded by name, without programs
 * (docs/engines.md). Other sources see the signals of their fences first.
 */
extern const struct xtr_job_source xtr_source_sched;

/* The section has the scheduler's events by name, and not those of programs. */
bool source_sched_tells(const struct xtr_meta *meta);
/* It has events of a driver whose hardware tells start and end (source_rows.c). */
bool source_table_measures(const struct xtr_meta *meta);

/* --- source told ------------------------------------------------------------------------------ */

/*
 * Jobs that a trace tells as a whole, with what is known of their times: those that xtr exported
 * ("xtr:job_told" and what goes before it, docs/jobs.md), and render stages of Perfetto's
 * producers, of which the GPU tells start and end.
 */
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

#endif /* XTR_DRIVER_SOURCES_H */
