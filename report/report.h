/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `xtr report`: one HTML file that shows a trace, without a server, a network or another file. An
 * exporter (converters/out/core/export.h) gathers what the timeline needs in bounded memory;
 * report_page() puts it, what `xtr stats --json` says, and the page (report/page) into one file.
 *
 * A page has no more than XTR_REPORT_BYTES, however long the trace is: the activity of all jobs, by
 * ring, part of the time and process, and only some jobs one by one. It says which.
 */
#ifndef XTR_REPORT_H
#define XTR_REPORT_H

#include "converters/out/core/export.h"
#include "base/buf.h"

#define XTR_REPORT_BYTES    3000000u
#define XTR_REPORT_SECTIONS 16u    /* recordings of a file that get a timeline */
#define XTR_REPORT_JOBS     40000u /* of all recordings, one by one */
#define XTR_REPORT_PATHS    32u /* of a recording: jobs of which it is shown what they waited for */

/* What the exporter fills: a JSON document, schema "xtr.report/1" (docs/report.md). */
struct xtr_report {
	size_t most;         /* in: bytes that the document should not exceed */
	uint32_t most_jobs;  /* in: jobs shown one by one; 0: XTR_REPORT_JOBS */
	struct xtr_buf data; /* out: owned by the caller */
};

/* Wants opts.report; writes nothing to opts.out. Not among the formats of `xtr export`. */
extern const struct xtr_exporter xtr_exporter_report;

/* Bytes of a page around its two documents. */
size_t xtr_report_page_bytes(void);
/*
 * Write the page: stats is what `xtr stats --json` prints, data what the exporter filled. Nothing
 * that stands in them can end the elements that they are put into. Errors are f's.
 */
void xtr_report_page(FILE *f, const struct xtr_buf *stats, const struct xtr_buf *data);
/* Bytes that a document takes on a page. */
size_t xtr_report_document_bytes(const struct xtr_buf *document);

#endif /* XTR_REPORT_H */
