/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis of displays (docs/display.md): what display*.c gather and display_view.c
 * shows.
 *
 * The kernel's vblank events name a CRTC by its index within one device and have no device, so two
 * devices share an index. What tells them apart is the counter: a *clock* is a run of
 * drm_vblank_event whose sequence numbers and times go on from each other.
 */
#ifndef XTR_DISPLAY_IMPL_H
#define XTR_DISPLAY_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "replay/event/event_bind.h"
#include "replay/model/loss_gaps.h"

#define DISPLAY_CRTCS_MAX  64u /* beyond, their events are only counted */
#define DISPLAY_CLOCKS_MAX 8u  /* of one CRTC; the one that is silent for longest is reused */
#define DISPLAY_REQUESTS_MAX                                                                    \
	1024u                     /* requests not answered yet; beyond, the oldest is forgotten \
				   */
#define DISPLAY_PENDING_MAX 1024u /* answers whose vblank event has not come; likewise */
#define DISPLAY_PIPES_MAX   64u
#define DISPLAY_COMMITS_MAX 256u  /* commits in flight; beyond, the oldest is forgotten */
#define DISPLAY_REF_MAX     1024u /* intervals whose median is the refresh interval */

#define DISPLAY_PERIOD_MIN_NS 500000u    /* a refresh interval is at least this (2 kHz) */
#define DISPLAY_PERIOD_MAX_NS 200000000u /* and at most this (5 Hz) */
#define DISPLAY_FIT_PERMILLE  250u       /* an interval this close to the last one fits its clock */
#define DISPLAY_SHARED_MIN    4u         /* returns to another clock that show two devices */
#define DISPLAY_IDLE_NS       100000000u /* without vblanks for longer: nobody wanted any */
#define DISPLAY_PENDING_NS    1000000000u
#define DISPLAY_DUE_MAX       1024 /* vblanks after which a request is another device's */

#define DISPLAY_LATE_NS         1000000u /* limits of the findings */
#define DISPLAY_LATE_PERMILLE   10u
#define DISPLAY_MISSED_PERMILLE 1u

/* Sequence numbers without an event, by the reason. */
enum display_skip {
	DISPLAY_MISSED, /* the interrupt was on: a request was waiting */
	DISPLAY_UNSURE, /* off, or missed */
	DISPLAY_IDLE,   /* in a stretch without vblanks longer than DISPLAY_IDLE_NS */
	DISPLAY_LOST,   /* events were lost while recording there */
	DISPLAY_SKIPS
};

struct display_clock {
	uint32_t seq;      /* of the last event */
	uint64_t time, ts; /* ns: of its vblank, of the event */
	uint64_t fit_ns;   /* last interval, 0: none yet */
	uint64_t first_ns; /* time stamp of the first event that counts */
	uint64_t used;     /* order of last use */
	uint64_t events, high_prec, sequences, duplicates, restarts;
	uint64_t skips[DISPLAY_SKIPS], skipped[DISPLAY_SKIPS]; /* stretches, sequence numbers */
	uint64_t missed_ns[XTR_FINDING_EVENTS_MAX + 1];        /* events after the first ones */
	uint64_t *ref; /* intervals whose median is refresh_ns */
	uint32_t n_ref;
	uint64_t refresh_ns; /* 0: not known yet */
	struct xtr_hist interval, deviation, irq;
	uint64_t irq_early, irq_early_max_ns; /* events before their vblank's time */
	/* Answers to this clock's vblanks. */
	uint64_t delivered, late, deliver_early;
	uint64_t late_ns[XTR_FINDING_EVENTS_MAX + 1]; /* the first ones that were late */
	struct xtr_hist delivery;                     /* ns after the vblank */
	uint64_t requested, frames_late; /* answered requests; at least one frame late */
	struct xtr_hist frames;          /* lateness of answers to requests, in frames */
};

struct display_crtc {
	int32_t index;
	struct display_clock clock[DISPLAY_CLOCKS_MAX];
	uint32_t n_clocks, last;
	uint64_t switches; /* an event belonged to another clock than the one before */
	uint64_t used;
	uint64_t queued, delivered;
	uint64_t kernel, no_vblank, requested, flips; /* delivered, by kind */
	uint64_t at_once;    /* requests whose vblank had passed when they were made */
	uint64_t unanswered; /* requests that were due and got no answer: their file was closed */
	uint64_t untimed;    /* delivered, and the time of its vblank is not in the trace */
};

struct display_request {
	uint64_t file, ts;
	int32_t crtc;
	uint32_t seq;
};

/* Delivered, and the event of its vblank is yet to come. */
struct display_pending {
	uint64_t ts, file;
	uint64_t request_ts; /* 0: not requested */
	int32_t crtc;
	uint32_t seq, request_seq;
	bool inside;
};

/* A pipe of Intel's, or a CRTC of amdgpu's. */
struct display_pipe {
	char device[64]; /* "" if not told */
	uint32_t pipe;   /* letter */
	uint64_t flips, underruns, updates, crossed, open;
	uint64_t crossed_ns; /* the first */
	uint64_t underrun_ns;
	struct xtr_hist update, evade;
	uint64_t start_ns;
	uint32_t start_tid, start_frame;
};

struct display_refresh { /* amdgpu_refresh_rate_track */
	int32_t crtc;
	uint64_t events;
	struct xtr_hist interval;
};

struct display_commit {
	uint64_t state, ts;
};

struct display {
	const struct xtr_analysis_opts *o;
	struct xtr_binds binds;
	struct xtr_gaps gaps;
	bool stamped;    /* vblanks have no time of their own: it is that of their event */
	bool comparable; /* they have, and the event clock is the one of these times */
	struct display_crtc *crtc;
	uint32_t n_crtcs;
	uint64_t unplaced; /* events of CRTCs beyond the most */
	struct display_request *request;
	uint32_t n_requests;
	struct display_pending *pending;
	uint32_t n_pending;
	uint64_t forgotten; /* requests: too many, or events were lost */
	struct display_pipe *pipe;
	uint32_t n_pipes;
	struct display_refresh refresh[DISPLAY_PIPES_MAX];
	uint32_t n_refresh;
	struct display_commit commit[DISPLAY_COMMITS_MAX];
	uint32_t n_commits;
	uint64_t commits;
	struct xtr_hist commit_time;
};

/* display_clock.c: a vblank event belongs to a clock, and tells of it. */
struct display_vblank {
	uint64_t ts, time; /* ns; the same if stamped */
	uint32_t seq;
	bool high_prec, inside, stamped;
};
/* The CRTC of this index, made if need be; NULL: there are too many. */
struct display_crtc *display_crtc(struct display *d, int32_t index);
/* The clock it belongs to. NULL: no memory. */
struct display_clock *display_vblank(struct display *d, struct display_crtc *c,
				     const struct display_vblank *v);
/* The clock whose last vblank was this; NULL: none. */
struct display_clock *display_clock_at(struct display_crtc *c, uint32_t seq);
/* No more events. */
int display_clock_finish(struct display_clock *k);
void display_clock_free(struct display_clock *k);

/* display_deliver.c: requests and their answers. 0 or -ENOMEM. */
void display_queued(struct display *d, struct display_crtc *c, const struct display_request *r,
		    bool inside);
int display_delivered(struct display *d, struct display_crtc *c, struct display_pending p);
/* The vblank of clock k that those that wait for it were delivered at. */
int display_deliver_at(struct display *d, struct display_crtc *c, struct display_clock *k,
		       const struct display_vblank *v);
/* Events were lost: what waits may have been answered. */
void display_deliver_gap(struct display *d);
void display_deliver_finish(struct display *d);
/*
 * When the interrupt of the CRTC was surely on before the vblank v: since the oldest request that
 * waits, or that v answers, was made. 0: not known.
 */
uint64_t display_on_since(const struct display *d, const struct display_crtc *c,
			  const struct display_vblank *v);

/* display_pipe.c: events of drivers. */
enum display_role {
	DISPLAY_VBLANK,
	DISPLAY_QUEUED,
	DISPLAY_DELIVERED,
	DISPLAY_UPDATE_START,
	DISPLAY_UPDATE_EVADED,
	DISPLAY_UPDATE_END,
	DISPLAY_FLIP_DONE,
	DISPLAY_UNDERRUN,
	DISPLAY_REFRESH,
	DISPLAY_COMMIT_BEGIN,
	DISPLAY_COMMIT_END,
};
int display_pipe_event(struct display *d, const struct xtr_bind *b, const struct xtr_event *ev,
		       bool inside);
void display_pipes_finish(struct display *d);

/* display_finding.c */
int display_findings(const struct display *d);

/* display_view.c */
int display_text(const void *self, const struct xtr_view *v);
void display_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const display_tables[];

/* Two clocks of this CRTC go on side by side. */
static inline bool display_shared(const struct display_crtc *c)
{
	return c->switches >= DISPLAY_SHARED_MIN;
}

#endif /* XTR_DISPLAY_IMPL_H */
