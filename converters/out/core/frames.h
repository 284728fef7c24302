/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames (docs/frames.md), as whoever knows them hands them to an exporter. */
#ifndef XTR_EXPORT_FRAMES_H
#define XTR_EXPORT_FRAMES_H

#include "replay/model/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_EXPORT_FRAMES_MAX 100000u /* of a section */

struct xtr_export_frame {
	uint64_t number;
	uint64_t from_ns;  /* the frame before was shown, or this one was begun; not after shown */
	uint64_t shown_ns; /* ns on the event clock, as all of these; 0: not known */
	uint64_t begin_ns, done_ns, deadline_ns;
	const char *verdict; /* static text: "missed" */
	const char *reason;  /* static text; "": it was not late */
	uint64_t reason_ns;
	char *who, *of;   /* whose its last job is; whose the reason is; "": not known */
	uint32_t ring_id; /* of the reason; 0: none */
	uint32_t stream;  /* screen and client */
	int32_t crtc;
	uint32_t missed, jobs;
	bool late;               /* it has a reason */
	struct xtr_job_name job; /* its last; all 0: not known */
};

struct xtr_export_frames { /* in order of time */
	struct xtr_export_frame *frame;
	size_t n;
	uint64_t left_out; /* beyond XTR_EXPORT_FRAMES_MAX */
};

#endif /* XTR_EXPORT_FRAMES_H */
