/* SPDX-License-Identifier: BSD-2-Clause */
/* What those are called whose jobs there are (xtr_who_of). */
#ifndef XTR_BLAME_WHO_H
#define XTR_BLAME_WHO_H

#include "base/map.h"
#include "base/text.h"
#include "format/meta/tables.h"
#include "part.h"

#define XTR_WHO_MAX  65536u /* that are known at a time */
#define XTR_WHO_TEXT (XTR_TEXT_NAME + XTR_TEXT_PROCESS)

struct xtr_who {
	const struct xtr_tables *tables; /* may be NULL: there are no names */
	struct xtr_map comms;            /* (who, 0) -> string id */
};

/* Remember what the one is called whose job it is. 0 or -ENOMEM. */
int xtr_who_note(struct xtr_who *w, const struct xtr_job *j);
/* The same of a process without a job. */
int xtr_who_note_process(struct xtr_who *w, uint64_t who);
/* A name of the trace, *n bytes; NULL: not known. */
const char *xtr_who_name(const struct xtr_who *w, uint64_t who, size_t *n);
/* The process; 0: there is none, or it is not known. */
uint64_t xtr_who_process(uint64_t who);
/* "game 4711", safe for a terminal; "-" if nothing is known. Returns buf. */
char *xtr_who_text(const struct xtr_who *w, uint64_t who, char *buf, size_t cap);
void xtr_who_free(struct xtr_who *w);

#endif /* XTR_BLAME_WHO_H */
