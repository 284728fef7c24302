/* SPDX-License-Identifier: BSD-2-Clause */
/* How a section was made, for people and programs: what META and END say of it. */
#ifndef XTR_NOTES_H
#define XTR_NOTES_H

#include "base/json.h"
#include "format/meta/meta.h"
#include "format/read/reader.h"

#include <stdbool.h>
#include <stdio.h>

/* --- some pids -------------------------------------------------------------------------------- */

/* A recording of some processes (record -p; spec/events.md, Recordings of some processes). */
enum xtr_pids {
	XTR_PIDS_ALL,   /* of all processes */
	XTR_PIDS_SOME,  /* of some; of the jobs of others when they were on the hardware */
	XTR_PIDS_ALONE, /* of some; nothing of others, as earlier recorders had it */
};

/* META may be NULL: of all. */
enum xtr_pids xtr_pids_recorded(const struct xtr_meta *m);

/* A line that says what that means for rings; nothing if it is of all. */
void xtr_pids_text(FILE *f, const struct xtr_meta *m);

/* --- sampled ---------------------------------------------------------------------------------- */

/* Events of which a section holds a sample (spec/events.md, Sampled events), as its META says. */
/*
 * The event after `*at` config entries of which only a share was recorded, and that share in
 * millionths; *at is moved behind it. NULL: there is no other. Functions: without ":ret".
 */
const char *xtr_sampled_next(const struct xtr_meta *m, size_t *at, uint64_t *million);

/* A line for each: "SAMPLED: EVENT: 1 % ..."; nothing if there is none. */
void xtr_sampled_text(FILE *f, const struct xtr_meta *m);
/* "sampled": [{"event", "millionths"}] in an open object; nothing if there is none. */
void xtr_sampled_json(struct xtr_json *j, const struct xtr_meta *m);

/* --- budgeted --------------------------------------------------------------------------------- */

/* What a budget for the cost of recording has left out of a section (spec/events.md). */
struct xtr_budgeted {
	uint64_t ppm;         /* of the machine, what recording was to cost at most */
	uint64_t first, last; /* ns: events were left out between these times; both 0: none were */
	uint64_t ns;          /* so long in all */
};

/* False: the section has none. */
bool xtr_budgeted_read(struct xtr_budgeted *b, const struct xtr_section *s);
#define XTR_BUDGETED_TYPES 65536u

/*
 * How many events of each type were left out on purpose, for whatever reason; the caller frees it.
 * NULL: the section has no budget, or there is no memory.
 */
uint64_t *xtr_budgeted_by_type(const struct xtr_section *s);
/* A line that says it; nothing if there is no budget. */
void xtr_budgeted_text(FILE *f, const struct xtr_section *s);
/* "budget": {...} in an open object; nothing if there is none. */
void xtr_budgeted_json(struct xtr_json *j, const struct xtr_section *s);

/* --- flown ------------------------------------------------------------------------------------ */

/* What a flight recorder's section says of itself (spec/xtr.md 6.2), for people and programs. */
/* A line on why it was written and what was not kept; nothing if it is of no flight recorder. */
void xtr_flown_text(FILE *f, const struct xtr_section *s);
/* "flight": {...} in an open object; nothing if it is of none. */
void xtr_flown_json(struct xtr_json *j, const struct xtr_section *s);

/* --- pieced ----------------------------------------------------------------------------------- */

/* Which times a section that is a piece of a recording has whole, for people and for programs. */
/* A line; nothing for a section that is no piece, or does not say. */
void xtr_pieced_text(FILE *f, const struct xtr_section *s);
/* The key "piece", an object; likewise. 0 in it: from the recording's beginning, to its end. */
void xtr_pieced_json(struct xtr_json *j, const struct xtr_section *s);

/* --- imported --------------------------------------------------------------------------------- */

/* What of an imported trace could not be read (converters/in/core/import.h), as META of its section
 * says.
 */
/*
 * Places of the input that could not be read; 0: none, or the section was not imported. *first:
 * what was wrong at the first of them, a stranger's text; NULL: not known. first may be NULL.
 */
uint64_t xtr_import_damage_of(const struct xtr_meta *m, const char **first);
/* "DAMAGED INPUT: 2 places ...", a line; nothing if there are none. */
void xtr_import_damage_text(FILE *f, const struct xtr_meta *m);
/* "import_damage": {"places", "first"} in an open object; nothing if there are none. */
void xtr_import_damage_json(struct xtr_json *j, const struct xtr_meta *m);

/* --- redacted --------------------------------------------------------------------------------- */

/* That a section was redacted (replay/redact/redact.h), as its META says. */
bool xtr_redacted(const struct xtr_meta *m);

/* A line, "REDACTED, policy default: ..."; nothing if it was not. */
void xtr_redacted_text(FILE *f, const struct xtr_meta *m);
/*
 * "redacted": {"by", "policy", "texts", "ids"} in an open object; nothing if it was not. What META
 * does not tell is null.
 */
void xtr_redacted_json(struct xtr_json *j, const struct xtr_meta *m);

#endif /* XTR_NOTES_H */
