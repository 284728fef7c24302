/* SPDX-License-Identifier: BSD-2-Clause */
/* One job as a line: for people, as CSV, as JSON. */
#ifndef XTR_JOBS_VIEW_H
#define XTR_JOBS_VIEW_H

#include "format/meta/tables.h"
#include "replay/model/job.h"
#include "base/json.h"

/* Of jobs of several files: what is told before each. */
struct xtr_jobs_from {
	const char *host; /* or NULL */
	const char *file;
	unsigned int file_width; /* of the text's column: characters */
};

/* from: NULL, for jobs of one file. times: false in a section whose events are only in order: no
 * time or duration is known. */
void xtr_jobs_text_header(FILE *f, const struct xtr_jobs_from *from);
void xtr_jobs_text(FILE *f, const struct xtr_jobs_from *from, const struct xtr_tables *t,
		   bool times, const struct xtr_job *j);
/* The columns' names and order are part of the interface (docs/jobs-csv.md). */
void xtr_jobs_csv_header(FILE *f, const struct xtr_jobs_from *from);
void xtr_jobs_csv(FILE *f, const struct xtr_jobs_from *from, const struct xtr_tables *t, bool times,
		  const struct xtr_job *j);
void xtr_jobs_json(struct xtr_json *json, const struct xtr_jobs_from *from,
		   const struct xtr_tables *t, bool times, const struct xtr_job *j);

#endif /* XTR_JOBS_VIEW_H */
