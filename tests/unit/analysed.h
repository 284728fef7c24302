/* SPDX-License-Identifier: BSD-2-Clause */
/* Analyses over made events (named.h) and jobs, and what they say. */
#ifndef TEST_ANALYSED_H
#define TEST_ANALYSED_H

#include "named.h"
#include "analysis/core/analysis.h"

struct analysed {
	struct named n;
	struct xtr_analyses *a; /* running after analysed_begin */
	char *section;          /* JSON in one line, after analysed_end; NULL: nothing to show */
	char *findings;
	char *text;
};

void analysed_init(struct analysed *r);
/* The events "func:MODULE:NAME" or "api:...", and with ret its return, with further fields. */
void analysed_function(struct analysed *r, const char *name, bool ret, const char *in,
		       const char *out);
/* The trace has no times. Before analysed_begin. */
void analysed_no_times(struct analysed *r);
/* All is described: run the analyses. select may be NULL. */
void analysed_begin(struct analysed *r, const struct xtr_select *select);
/* The present event of r->n goes in. */
void analysed_give(struct analysed *r);
/* An event without further values goes in. */
void analysed_event(struct analysed *r, const char *name, uint64_t ts, uint32_t tid);
/* A return with its value goes in. */
void analysed_ret(struct analysed *r, const char *name, uint64_t ts, uint32_t tid, int64_t ret);
/* A job without a ring is given one. */
void analysed_job(struct analysed *r, const struct xtr_job *j);
void analysed_gap(struct analysed *r, uint64_t first, uint64_t last);
/* No more: what this section says. */
void analysed_end(struct analysed *r, uint64_t span_ns, const char *section);
void analysed_free(struct analysed *r);
/* Assert that text holds this, and show both where it does not. */
void analysed_has(const char *text, const char *part);
void analysed_has_not(const char *text, const char *part);

#endif /* TEST_ANALYSED_H */
