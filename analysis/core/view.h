/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics for people (text) and for programs (JSON). */
#ifndef XTR_VIEW_H
#define XTR_VIEW_H

#include "analysis.h"
#include "format/err.h"
#include "base/json.h"
#include "stats.h"

#include <stdio.h>

/* The parts of `xtr stats`: identifier, name on the command line and in JSON, heading. */
#define XTR_VIEW_PARTS(X)                                                        \
	X(FINDINGS, "findings", "Findings")                                      \
	X(DEVICES, "devices", "Devices")                                         \
	X(RINGS, "rings", "Rings: execution time")                               \
	X(PROCESSES, "processes", "Processes: execution time")                   \
	X(CLIENTS, "clients", "DRM clients: execution time")                     \
	X(WAITS, "waits", "Waits, by ring")                                      \
	X(DEPTH, "depth", "Queue depth, by ring: jobs in the submitter's queue") \
	X(DEPENDENCIES, "dependencies", "Dependency waits")                      \
	X(SLOWEST, "slowest", "Slowest jobs")                                    \
	X(UNUSUAL, "unusual", "Unfinished and unusual jobs, by ring")            \
	X(HISTOGRAMS, "histograms", "Histograms")                                \
	X(EVENTS, "events", "Events in the trace")

enum xtr_view_part {
#define XTR_VIEW_ENUM(id, name, title) XTR_VIEW_##id,
	XTR_VIEW_PARTS(XTR_VIEW_ENUM)
#undef XTR_VIEW_ENUM
	XTR_VIEW_PART_COUNT
};

struct xtr_view {
	FILE *f;
	const char *path;
	const struct xtr_section *section;
	const struct xtr_stats *stats;       /* finished */
	const struct xtr_analyses *analyses; /* finished */
	/* Text: on one screen: the most important parts and rows, and which others there are. */
	bool brief;
	uint64_t parts; /* bit for each enum xtr_view_part, then each analysis, that is wanted */
	uint64_t unreadable; /* events in chunks that could not be read when they were played */
	size_t problems;     /* damage found in the file */
	enum xtr_problem_code problem; /* the first of it */
	uint32_t top;                  /* rows of the dependencies table */
	bool no_buckets;               /* JSON: rings without buckets of their histograms */
};

/* Bit of the part or analysis with this name, or 0. */
uint64_t xtr_view_part_bit(const char *name);
/* All parts but the analyses that cost much (on_request). */
uint64_t xtr_view_usual(void);
/* The bits of xtr_view.parts that are analyses, as xtr_analyses_new wants them. */
uint32_t xtr_view_analyses(uint64_t parts);
/* Of a part or, from XTR_VIEW_PART_COUNT on, an analysis; NULL: beyond the last. */
const char *xtr_view_part_name(unsigned int part);

/* 0 or -ENOMEM. Write errors are f's. If it is brief, its parts are all. */
int xtr_view_text(const struct xtr_view *v);
/* One object, into an array or as a document. */
void xtr_view_json(const struct xtr_view *v, struct xtr_json *j);

/*
 * Its tables as CSV: the columns of `xtr query`, behind the table's name and the number of the
 * recording; an empty line between two tables. any: was there one before? 0 or -ENOMEM.
 */
int xtr_view_csv(const struct xtr_view *v, size_t recording, bool *any);
/* The bits of xtr_view.parts that have tables. */
uint64_t xtr_view_csv_parts(void);

/* What the views share. */

/* "gfx_0.0.0", with "#5" behind it where rings of one device share a name; "(unknown)". */
const char *xtr_view_ring(const struct xtr_view *v, const struct xtr_model_ring *ring, char *buf,
			  size_t cap);
/* "device/ring". */
const char *xtr_view_ring_path(const struct xtr_view *v, const struct xtr_model_ring *ring,
			       char *buf, size_t cap);
/* The same for the ring with this id; "(other fence)" for 0. */
const char *xtr_view_ring_id(const struct xtr_view *v, uint32_t id, char *buf, size_t cap);
#define XTR_VIEW_KNOWN_AS 160u
/* How the execution times of a row are known, and, if not brief, why no better. */
const char *xtr_view_known_as(const struct xtr_stats_row *row, bool brief,
			      char buf[XTR_VIEW_KNOWN_AS]);
/* False: the section's events are in order, but have no times. */
bool xtr_view_times(const struct xtr_view *v);
/* ns of the window that the statistics are about. */
uint64_t xtr_view_duration(const struct xtr_view *v);

/* view_json.c: count, sum, mean, quantiles and, if wanted, buckets [lo, hi, n]; the same keys
 * whether it is empty or not. */
void xtr_view_json_hist(struct xtr_json *j, const char *key, const struct xtr_hist *h,
			bool buckets);

/*
 * view_tables.c: the tables of parts (XTR_VIEW_PART_COUNT: what no part leaves out), up to one
 * without. They are made of the view.
 */
struct xtr_view_table {
	unsigned int part;
	const struct xtr_section_table *table;
};
extern const struct xtr_view_table xtr_view_tables[];
/* 0 or -ENOMEM; nothing for parts without tables. */
int xtr_view_text_tables(const struct xtr_view *v, unsigned int part);
/* Into the object that is open. */
void xtr_view_json_tables(const struct xtr_view *v, struct xtr_json *j);
/* Have some of the jobs not run and completed as they should? */
bool xtr_view_unusual(const struct xtr_agg *a);
#define XTR_VIEW_ROWS_BRIEF 8u
/* view_text.c: a part, or the analysis number part - XTR_VIEW_PART_COUNT, with its heading. */
int xtr_view_text_part(const struct xtr_view *v, unsigned int part);
/* Has the trace something for it? */
bool xtr_view_has(const struct xtr_view *v, unsigned int part);
/* view_brief.c: all that stands below the headlines, if it is brief. */
int xtr_view_text_brief(const struct xtr_view *v);
/* view_hist.c: a line with a bar for each power of two; times: the values are ns. */
void xtr_view_text_hist(FILE *f, const struct xtr_hist *h, bool times);
void xtr_view_text_histograms(const struct xtr_view *v);

#endif /* XTR_VIEW_H */
