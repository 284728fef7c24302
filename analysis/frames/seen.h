/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The jobs that ended lately, and the fences that threads of programs waited for or made their jobs
 * wait for: who has part in a frame.
 */
#ifndef XTR_FRAMES_SEEN_H
#define XTR_FRAMES_SEEN_H

#include "format/meta/meta.h"
#include "format/meta/tables.h"
#include "format/read/merge.h"
#include "replay/model/job.h"

#include <stdbool.h>
#include <stdint.h>

#define XTR_SEEN_JOBS    16384u
#define XTR_SEEN_TOUCHES 16384u
#define XTR_SEEN_DEPS    4u

struct xtr_seen_job {
	struct xtr_job_name name;
	uint64_t who, queue_ns, done_ns; /* queue_ns: of its first event */
	struct xtr_job_name dep[XTR_SEEN_DEPS];
	uint32_t n_deps;
};

struct xtr_seen;

/* Borrows both. 0 or -ENOMEM. */
int xtr_seen_new(struct xtr_seen **s, const struct xtr_meta *meta, const struct xtr_tables *tables);
void xtr_seen_free(struct xtr_seen *s);
bool xtr_seen_take(const struct xtr_seen *s, uint32_t type);
void xtr_seen_event(struct xtr_seen *s, const struct xtr_event *ev);
/* A settled job that has an end. 0 or -ENOMEM. */
int xtr_seen_add(struct xtr_seen *s, const struct xtr_job *j);
/* NULL: none, or forgotten. */
const struct xtr_seen_job *xtr_seen_find(const struct xtr_seen *s, const struct xtr_job_name *name);
/*
 * The i-th of those that are kept, the one that came last is 0; NULL: there are no more. They come
 * in about the order of their ends.
 */
const struct xtr_seen_job *xtr_seen_at(const struct xtr_seen *s, uint64_t i);
/* The only process that has submitted jobs; 0: there are more, or none. */
uint64_t xtr_seen_sole(const struct xtr_seen *s);

/*
 * Fences that a process waited for after `after`, until `until` (ns), or that jobs of it depend on
 * that it queued then; the last first. False: there are no more. *i: 0 at first.
 */
bool xtr_seen_touch(const struct xtr_seen *s, uint64_t who, uint64_t after, uint64_t until,
		    uint64_t *i, struct xtr_job_name *fence);

#endif /* XTR_FRAMES_SEEN_H */
