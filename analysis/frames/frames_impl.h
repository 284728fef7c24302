/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the making of frames: flips.c and spans.c find a frame's jobs, frames.c judges it. */
#ifndef XTR_FRAMES_IMPL_H
#define XTR_FRAMES_IMPL_H

#include "base/map.h"
#include "frames.h"
#include "reason.h"
#include "screens.h"
#include "seen.h"

#define FRAME_TAKEN_MAX 65536u /* clients of screens whose last job is known */

struct frame_stream {
	uint32_t index;
	uint64_t shown_ns; /* its last frame; 0: none */
	uint32_t seq;
	bool counted;
	uint64_t who; /* whose its last job was, and that job; 0: not known */
	uint64_t queue_ns;
	struct xtr_frame_usual usual;
	size_t next; /* of spans: the first that has not come out, and behind the last */
	size_t end;
};

/* Who has part in a frame. */
struct frame_cast {
	uint64_t committer;
	uint64_t who[XTR_FRAME_PARTNERS];
	uint32_t n;
};

struct frame_open { /* a span */
	struct xtr_shown frame;
	uint32_t came;
};

struct xtr_frames {
	struct xtr_frames_opts o;
	struct xtr_who names;
	struct xtr_past *past;
	struct xtr_submits *submits;
	struct xtr_run_threads *threads; /* NULL: not known */
	struct xtr_screens *screens;
	struct xtr_seen *seen;
	struct xtr_job_parts parts; /* of the present job */
	struct xtr_path path;
	struct frame_stream *stream;
	uint32_t n_streams;
	size_t cap_streams;
	struct xtr_map by_key;   /* (file, crtc) or (who, 0) */
	struct xtr_map taken;    /* (stream, client) -> when the last job that it had was queued */
	struct frame_open *open; /* as many as spans */
	uint64_t n;
};

/* NULL: no memory. It moves when there are more. */
struct frame_stream *frame_stream(struct xtr_frames *f, uint64_t a, uint64_t b);
/*
 * All that was found of a frame is in `one`: judge it, and hand it out. steps: vblanks since the
 * one before; 0: not known.
 */
int frame_tell(struct xtr_frames *f, struct frame_stream *s, struct xtr_shown *one,
	       const struct frame_cast *cast, uint32_t steps);
/* flips.c */
int frame_of_flip(struct xtr_frames *f, const struct xtr_flip *flip);
/* spans.c */
int frame_of_job(struct xtr_frames *f, const struct xtr_job *j);
int frame_spans_finish(struct xtr_frames *f);

#endif /* XTR_FRAMES_IMPL_H */
