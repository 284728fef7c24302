/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of a section, made while it is played: events and settled jobs go in, in the order in
 * which a model with a verdict (model.h) hands them out; frames come out, in order of when they
 * were shown, each once its jobs are known. Memory is bounded but for spans, which are given.
 */
#ifndef XTR_FRAMES_H
#define XTR_FRAMES_H

#include "analysis/blame/who.h"
#include "format/meta/meta.h"
#include "format/meta/tables.h"
#include "format/read/merge.h"
#include "frame.h"

#define XTR_FRAME_STREAMS_MAX 1024u /* beyond, the last is all further ones */

/*
 * A stretch in which one process submits the jobs of one frame: from a mark or the first job of a
 * burst to the next one.
 */
struct xtr_frame_span {
	uint64_t who;      /* part.h */
	uint64_t from, to; /* ns; to: not included */
	uint32_t jobs;     /* jobs that will come, among them those without an end */
};

struct xtr_frames_opts {
	size_t sz; /* sizeof(struct xtr_frames_opts) */
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	/*
	 * A frame is due so long after the one before; 0: at the next vblank. Flips that a vblank
	 * counter tells of have that.
	 */
	uint64_t deadline_ns;
	uint64_t pause_ns; /* 0: none */
	/* Flips for which no thread waited for a fence are of this process (part.h); 0, NULL: of
	 * whoever the trace tells. */
	uint64_t (*owner)(void *ctx);
	/* Whose frames spans are: is it one of their jobs? NULL: each one of the process. */
	bool (*mine)(void *ctx, const struct xtr_job *j);
	/* NULL: flips. In order of who, then of time; they do not overlap. Borrowed. */
	const struct xtr_frame_span *span;
	size_t n_spans;
	/* Not 0: stop. path: to its last job, NULL: not known; it is gone afterwards. */
	int (*frame)(void *ctx, const struct xtr_shown *f, const struct xtr_path *path);
	void *ctx;
};

struct xtr_frames;

/* Can META's events tell of flips? */
bool xtr_frames_apply(const struct xtr_meta *meta);
/* 0 or -ENOMEM. o is copied. */
int xtr_frames_new(struct xtr_frames **f, const struct xtr_frames_opts *o);
void xtr_frames_free(struct xtr_frames *f);
/* Of events of this type, and of gaps (0). */
bool xtr_frames_take(const struct xtr_frames *f, uint32_t type);
/* 0, -ENOMEM, or what the callback returned. */
int xtr_frames_event(struct xtr_frames *f, const struct xtr_event *ev);
int xtr_frames_job(struct xtr_frames *f, const struct xtr_job *j);
/* No more of both. */
int xtr_frames_finish(struct xtr_frames *f);
/* What processes are called. */
const struct xtr_who *xtr_frames_names(const struct xtr_frames *f);

#endif /* XTR_FRAMES_H */
