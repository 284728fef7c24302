/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr bundle --for: the report in the tracker's form, and a bundle that the tracker takes. */
#ifndef XTR_CLI_BUNDLE_REPORT_H
#define XTR_CLI_BUNDLE_REPORT_H

#include "base/buf.h"
#include "bundle/tracker.h"

struct xtr_reader;

struct bundle_report {
	const struct xtr_tracker *tracker;
	char *picture_path;  /* the same of the picture */
	char *path;          /* of the text, beside the bundle; NULL: the bundle goes to a pipe */
	uint64_t trace_ns;   /* what bundle_fit left of the trace; 0: all */
	struct xtr_buf text; /* the report */
	struct xtr_buf picture; /* the timeline as SVG; empty: no ring had jobs */
	struct xtr_buf missing; /* what is demanded and not there, a line each */
	uint64_t bytes;         /* of the bundle, as bundle_fit left it */
	unsigned int n_missing;
	bool other_drivers; /* no device of the trace is of the tracker's */
};

/*
 * Make the trace of b (its first member) small enough for the tracker, together with the rest:
 * packed, then cut to its end, half of the time and again half. r: that trace, redacted as it is.
 * 0 also if it does not fit; or -errno.
 */
int bundle_fit(struct bundle_report *o, struct xtr_bundle *b, const struct xtr_bundle_head *h,
	       struct xtr_reader *r);
/* Write the report and add it to b as report.md. bundle: the bundle's base name. 0 or -errno. */
int bundle_report_make(struct bundle_report *o, struct xtr_bundle *b, struct xtr_reader *r,
		       const char *bundle);
/* The text beside the bundle, and what is still to be done, on stderr. The exit status. */
int bundle_report_tell(const struct bundle_report *o, const char *bundle, bool force);
void bundle_report_free(struct bundle_report *o);

#endif /* XTR_CLI_BUNDLE_REPORT_H */
