/* SPDX-License-Identifier: BSD-2-Clause */
/* The time of one job: for people, and as JSON. */
#ifndef XTR_BLAME_WHY_VIEW_H
#define XTR_BLAME_WHY_VIEW_H

#include "base/json.h"
#include "path.h"
#include "who.h"

#include <stdio.h>

/* What is said of a job; all is borrowed, and lives for the call. */
struct xtr_why {
	const struct xtr_job *job;
	const struct xtr_job_parts *parts;
	const struct xtr_path *path; /* NULL: is not asked for */
	const struct xtr_who *names;
	const char *release;      /* of the kernel, which numbers priorities; "": not known */
	const int32_t *root_prio; /* of each part's root; -1: not known */
	/* Its ring, and others by their id; NULL: not known. */
	const struct xtr_model_ring *(*ring)(const void *ctx, uint32_t id);
	const void *ctx;
};

/*
 * What it came down to, the longest first, then its parts in order of time; with a path that in
 * place of the parts. 0 or -ENOMEM.
 */
int xtr_why_text(const struct xtr_why *w, FILE *f);
/* The members of the object that is open (docs/why.md). */
void xtr_why_json(const struct xtr_why *w, struct xtr_json *j);
/* The path alone, which is there; job and parts may be NULL. */
int xtr_path_text(const struct xtr_why *w, FILE *f);
void xtr_path_json(const struct xtr_why *w, struct xtr_json *j);

#endif /* XTR_BLAME_WHY_VIEW_H */
