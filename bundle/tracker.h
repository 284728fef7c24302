/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where bugs of drivers are reported, and what is asked for there: a table for each tracker, after
 * its own form or guide (tracker.c names it). A report is written in that form, with blanks for
 * what only a person knows; what is demanded and not there is told with the command that gets it.
 */
#ifndef XTR_BUNDLE_TRACKER_H
#define XTR_BUNDLE_TRACKER_H

#include "bundle.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a form asks for that a trace or the machine may tell. */
enum xtr_fact {
	XTR_FACT_NONE,
	XTR_FACT_DEVICE, /* model or PCI id, of each device of the trace */
	XTR_FACT_DRIVER, /* the kernel's drivers, with versions where they have any */
	XTR_FACT_FIRMWARE,
	XTR_FACT_KERNEL,
	XTR_FACT_CPU,
	XTR_FACT_MEMORY,
	XTR_FACT_DISTRIBUTION,
	XTR_FACT_COMPUTER, /* vendor, product, BIOS */
	XTR_FACT_CMDLINE,
	XTR_FACTS
};

/* A line of a form. */
struct xtr_form_row {
	enum {
		XTR_ROW_HEADING,  /* text, with its marks */
		XTR_ROW_LINE,     /* "- TEXT: the fact", or a blank */
		XTR_ROW_QUESTION, /* text is what a person has to answer */
		XTR_ROW_MEMBER, /* "- TEXT: where it is in the bundle", or a blank; source names it
				 */
		XTR_ROW_SEEN,   /* what the trace shows: the hang, findings, a timeline */
		XTR_ROW_FILES,  /* the bundle, and how to read it */
	} kind;
	const char *text;
	enum xtr_fact fact;
	const char *source; /* of the bundle, as in source.c */
	bool demanded;      /* without it a report is sent back, or of little use */
	const char *how;    /* a command, or where it is found */
};

struct xtr_tracker {
	const char *name;    /* as --for has it */
	const char *what;    /* "AMD GPUs (drm/amd)" */
	const char *where;   /* address of a new report */
	const char *form;    /* what the rows are after: its address */
	const char *drivers; /* of the kernel, with spaces between; NULL: of any */
	uint64_t limit;      /* bytes of an attachment; 0: not known */
	bool zip_only;       /* it takes .zip and .gz, no .tar.zst */
	const struct xtr_form_row *rows;
	size_t n_rows;
};

/* In the order of the manual; NULL past the last. */
const struct xtr_tracker *xtr_tracker(size_t i);
/* By name, or NULL. */
const struct xtr_tracker *xtr_tracker_named(const char *name);

/* Are bugs of this driver reported there? */
bool xtr_tracker_takes(const struct xtr_tracker *t, const char *driver);

/* --- tracker report --------------------------------------------------------------------------- */

struct xtr_report_text {
	const char *title;           /* one line */
	const char *fact[XTR_FACTS]; /* NULL: not known */
	const char *seen;            /* lines, as they are to stand there */
	const char *bundle;          /* base name of the bundle's file */
	const struct xtr_bundle *b;  /* what is in it */
	uint64_t trace_ns;           /* the newest so much of the trace is in it; 0: all of it */
	bool picture;                /* timeline.svg is in the bundle */
};

/*
 * The report in Markdown. Nothing of a fact or of seen can end a code block or become a heading.
 * Returns how many blanks are left that the tracker demands. ferror(f) tells of a failed write.
 */
unsigned int xtr_tracker_report(const struct xtr_tracker *t, const struct xtr_report_text *r,
				FILE *f);
/* The same blanks, as a list of "WHAT: HOW" with a line each; demanded: those that are, else the
 * others. */
unsigned int xtr_tracker_missing(const struct xtr_tracker *t, const struct xtr_report_text *r,
				 bool demanded, const char *before, FILE *f);

#endif /* XTR_BUNDLE_TRACKER_H */
