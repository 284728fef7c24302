/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flips: what the kernel's vblank events tell of when a screen showed something new, for whom, and
 * which fence its thread had waited for. drm_vblank_event_delivered goes to the client of a flip
 * when it is shown (drm_vblank.c, send_vblank_event); its own request for a vblank is no flip.
 */
#ifndef XTR_FRAMES_SCREENS_H
#define XTR_FRAMES_SCREENS_H

#include "format/meta/meta.h"
#include "format/meta/tables.h"
#include "format/read/merge.h"
#include "replay/model/job.h"

#include <stdbool.h>
#include <stdint.h>

#define XTR_FLIPS_WAITING 256u       /* flips not handed out yet; beyond, the oldest is forgotten */
#define XTR_FLIP_HOLD_NS  100000000u /* until the scheduler has reported its jobs, too */
#define XTR_FLIP_FENCES   8u         /* fences that kernel threads waited for, between two flips */

/* A fence that a thread of the kernel's own waited for; it was signalled at ts. */
struct xtr_flip_fence {
	uint64_t ts;
	struct xtr_job_name fence;
};

struct xtr_flip {
	uint64_t ts;       /* of the event */
	uint64_t shown_ns; /* of its vblank; without one: ts */
	uint64_t file;     /* the client's open file, which is of one device */
	int32_t crtc;
	uint32_t seq;       /* of the vblank */
	bool counted;       /* the driver has a vblank counter */
	uint64_t commit_ns; /* when the flip was asked for; 0: not known */
	uint64_t who;       /* the process that asks for flips with that file; 0: not known */
	struct xtr_flip_fence fence[XTR_FLIP_FENCES]; /* the last ones since the flip before */
	uint32_t n_fences;
};

struct xtr_screens;

/* Borrows both. 0 or -ENOMEM. */
int xtr_screens_new(struct xtr_screens **s, const struct xtr_meta *meta,
		    const struct xtr_tables *tables);
void xtr_screens_free(struct xtr_screens *s);
/* Can there be flips in this section? */
bool xtr_screens_apply(const struct xtr_meta *meta);
bool xtr_screens_take(const struct xtr_screens *s, uint32_t type);
/* 0 or -ENOMEM. */
int xtr_screens_event(struct xtr_screens *s, const struct xtr_event *ev);
/*
 * The next flip that happened XTR_FLIP_HOLD_NS before now (ns; UINT64_MAX: all), so that the jobs
 * that it shows are known. False: there is none.
 */
bool xtr_screens_next(struct xtr_screens *s, uint64_t now, struct xtr_flip *out);

#endif /* XTR_FRAMES_SCREENS_H */
