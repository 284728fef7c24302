/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and rings as options name them. */
#ifndef XTR_CLI_PATTERNS_H
#define XTR_CLI_PATTERNS_H

#include "format/meta/tables.h"
#include "replay/model/job.h"
#include "replay/model/ring.h"

/* "4711" or "game*". */
struct pattern_process {
	const char *name; /* a shell pattern */
	uint64_t pid;     /* 0: by its name */
};

/* Borrows text. */
struct pattern_process pattern_process(const char *text);
/* Was the job submitted by such a process? Not if that is not known. */
bool pattern_process_is(const struct pattern_process *p, const struct xtr_tables *t,
			const struct xtr_job *j);
/* "gfx*": on any device; "card0/gfx*": on this one. */
bool pattern_ring_is(const char *pattern, const struct xtr_model_ring *ring);

#endif /* XTR_CLI_PATTERNS_H */
