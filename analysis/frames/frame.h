/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame: the jobs that one picture took, from the first submission to the moment it was shown.
 * docs/frames.md says what each number is. All times are ns on the event clock; 0: not known.
 */
#ifndef XTR_FRAME_H
#define XTR_FRAME_H

#include "analysis/blame/path.h"
#include "replay/model/job.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a frame's time went into: the steps of the critical path (path.h), and two more. A job of a
 * process that has no part in the frame is OTHER when it executes.
 */
enum xtr_frame_cause {
	XTR_CAUSE_OTHER = XTR_PATH_KIND_COUNT,
	XTR_CAUSE_DISPLAY, /* the last: its jobs had ended, and it was not shown yet */
	XTR_CAUSES
};

/* Identifier, text in output, what it means. */
#define XTR_FRAME_VERDICTS(X)                                                                \
	X(FIRST, "first", "the first of its screen or process: nothing to compare it with")  \
	X(ON_TIME, "on-time", "shown at its deadline")                                       \
	X(MISSED, "missed", "shown later than its deadline")                                 \
	X(LATE_START, "late-start", "shown later, as nobody had submitted anything by then") \
	X(RESUMED, "resumed", "the first one after a pause: it has no deadline")             \
	X(NO_DEADLINE, "no-deadline", "no vblank counter, and --deadline was not given")     \
	X(UNKNOWN, "not-known",                                                              \
	  "shown later; which jobs it took is not known, or events of it "                   \
	  "were lost")

enum xtr_frame_verdict {
#define XTR_VERDICT_ENUM(id, text, help) XTR_FRAME_##id,
	XTR_FRAME_VERDICTS(XTR_VERDICT_ENUM)
#undef XTR_VERDICT_ENUM
	XTR_FRAME_VERDICT_COUNT
};

/* How it is known which job a frame ends with. From best to worst. */
#define XTR_FRAME_LINKS(X)                                                                    \
	X(FENCE, "fence", "the kernel's thread that shows it had waited for the job's fence") \
	X(SPAN, "span", "the job was submitted between this mark, or burst, and the next")    \
	X(COMMIT, "commit",                                                                   \
	  "it is the last job that the process had submitted when it asked "                  \
	  "for the flip")                                                                     \
	X(LAST, "last", "it is the last job of the process that had ended when it was shown") \
	X(NONE, "none", "not known")

enum xtr_frame_link {
#define XTR_LINK_ENUM(id, text, help) XTR_FRAME_BY_##id,
	XTR_FRAME_LINKS(XTR_LINK_ENUM)
#undef XTR_LINK_ENUM
	XTR_FRAME_LINK_COUNT
};

#define XTR_FRAME_PAUSE_NS 200000000u /* between two frames: the later one begins anew */

struct xtr_shown {
	uint64_t number; /* of all, from 1 */
	uint32_t stream; /* which screen and client, or process: index, in order of appearance */
	int32_t crtc;    /* index in its device; -1: not shown on a screen */
	uint64_t begin_ns, begin_who; /* the first of its jobs was submitted; by whom (part.h) */
	uint64_t done_ns;             /* its last job ended */
	uint64_t commit_ns;           /* the flip was asked for */
	uint64_t shown_ns;            /* the vblank that showed it; without a screen: done_ns */
	uint64_t before_ns;           /* the frame before was shown */
	uint64_t deadline_ns;         /* 0: it has none */
	uint32_t missed; /* deadlines between that and shown_ns, at least 1 if it was late */
	uint8_t verdict, link;
	uint64_t who;            /* whose its last job is (part.h); 0: not known */
	uint64_t client;         /* whose job that one waited for last; 0: nobody's */
	struct xtr_job_name job; /* its last; all 0: not known */
	uint32_t n_jobs, n_clients;
	bool lost; /* events were lost meanwhile */
	/* The one reason, of MISSED and LATE_START. */
	uint8_t cause;
	uint64_t cause_ns; /* what it took, of that which the frame took from before_ns on */
	uint64_t cause_who;
	uint32_t cause_ring;     /* id; 0: none */
	uint64_t of[XTR_CAUSES]; /* ns from before_ns, or its path's begin, to shown_ns, by cause */
};

/* It has a reason. */
static inline bool xtr_frame_late(const struct xtr_shown *f)
{
	return f->verdict == XTR_FRAME_MISSED || f->verdict == XTR_FRAME_LATE_START;
}

const char *xtr_frame_cause_name(unsigned int cause);
const char *xtr_frame_verdict_name(unsigned int verdict);
const char *xtr_frame_verdict_help(unsigned int verdict);
const char *xtr_frame_link_name(unsigned int link);

#endif /* XTR_FRAME_H */
