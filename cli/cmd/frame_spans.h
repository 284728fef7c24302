/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames that no screen tells of: from mark to mark, or from burst to burst of a process' jobs. All
 * stretches are found in a first pass: 16 bytes for each job, and each mark, that belongs to them.
 */
#ifndef XTR_CLI_FRAME_SPANS_H
#define XTR_CLI_FRAME_SPANS_H

#include "analysis/frames/frames.h"
#include "patterns.h"

struct spans_opts {
	const char *mark;    /* a shell pattern of its name; NULL: bursts */
	const char *ring;    /* of rings; NULL: all */
	const char *process; /* NULL: all */
	uint64_t gap_ns;     /* between two bursts, at least; 0: to be found */
};

struct spans;

/* Of a section; all is borrowed. 0 or -ENOMEM. */
int spans_new(struct spans **s, const struct spans_opts *o, const struct xtr_meta *meta,
	      const struct xtr_tables *tables);
void spans_free(struct spans *s);
/* First pass. 0 or -ENOMEM. */
int spans_event(struct spans *s, const struct xtr_event *ev);
int spans_job(struct spans *s, const struct xtr_job *j);
/* Nothing more comes: which stretches there are. 0 or -ENOMEM. */
int spans_finish(struct spans *s);
const struct xtr_frame_span *spans_all(const struct spans *s, size_t *n);
/* Half of all stretches are at least so long (ns), from begin to begin; 0: there are none. */
uint64_t spans_period(const struct spans *s);
/* The least gap between two bursts, as it was found or given (ns); 0: each job is one. */
uint64_t spans_gap(const struct spans *s);
/* Does it count, by its ring and process? */
bool spans_mine(const struct spans *s, const struct xtr_job *j);

#endif /* XTR_CLI_FRAME_SPANS_H */
