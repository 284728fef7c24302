/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Analyses: sections of `xtr stats` that appear when the trace has their data. Each is one file
 * that fills a struct xtr_analysis and a line in the table of analysis.c. All share one pass, one
 * pairing of calls and one job model, and keep bounded memory whatever the trace holds.
 *
 * The order of what an analysis gets: events in order of time; a call when it has ended (inner ones
 * before outer ones) and a job when it is settled, both before the event behind which that is
 * known; then finish. What is outside of the window or not selected is not given, but for events
 * before the window's begin (inside: false), which tell the state at its begin.
 */
#ifndef XTR_ANALYSIS_H
#define XTR_ANALYSIS_H

#include "replay/calls/call.h"
#include "finding.h"
#include "base/json.h"
#include "replay/model/model.h"
#include "replay/play/select.h"

struct xtr_view;
struct xtr_section_table;

/* The events so far, also those that no analysis wanted; ns, 0: there was none. */
struct xtr_analysis_clock {
	uint64_t now_ns;    /* of the last event */
	uint64_t end_ns;    /* the latest of events and gaps */
	uint64_t inside_ns; /* the latest of events that were inside */
};

struct xtr_analysis_opts {
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_findings *findings; /* where to put them, at finish */
	bool times;                    /* false: time stamps are only an order (spec/events.md) */
	uint32_t top;                  /* rows of lists */
	const char *more;              /* text: how to see those that are not shown; NULL: --top */
	bool no_buckets;               /* JSON: histograms without them */
	struct xtr_analysis_clock clock;
	uint64_t span_ns; /* length of what is analysed; set before finish */
};

struct xtr_analysis {
	const char *name;  /* of the section, on the command line and in JSON */
	const char *title; /* over its text */
	/* Costs as much as all others: only where it is named, with --all, and in tables. */
	bool on_request;
	/* Can META's events tell it something? */
	bool (*applies)(const struct xtr_meta *meta);
	/* o is valid until free. 0 or -ENOMEM. */
	int (*open)(void **self, const struct xtr_analysis_opts *o);
	void (*free)(void *self);
	/*
	 * Does it want events of this type (0: gaps)? Asked once after open; it is given no others.
	 * NULL: all.
	 */
	bool (*takes)(const void *self, uint32_t type);
	/* 0 or -errno. Each may be NULL. */
	int (*event)(void *self, const struct xtr_event *ev, bool inside);
	int (*call)(void *self, const struct xtr_call *c);
	int (*job)(void *self, const struct xtr_job *j);
	/* A job that is not to be shown, but was on a ring (xtr_job.others); it has run and done.
	 */
	int (*others)(void *self, const struct xtr_job *j);
	int (*finish)(void *self);
	/* After finish: is there something to show? */
	bool (*any)(const void *self);
	/* 0 or -ENOMEM. */
	int (*text)(const void *self, const struct xtr_view *v);
	/* The value of the key `name`. */
	void (*json)(const void *self, struct xtr_json *j);
	/* What of it is tables (section_table.h), up to NULL; NULL: nothing. self: as of the above.
	 */
	const struct xtr_section_table *const *tables;
};

extern const struct xtr_analysis *const xtr_analyses[];
extern const size_t xtr_n_analyses;

/* Those that a section's data allows, running. */
struct xtr_analyses;

/* wanted: bit for each of xtr_analyses. select's times are on the section's clock; it is copied,
 * its lists are borrowed. 0 or -ENOMEM. */
int xtr_analyses_new(struct xtr_analyses **a, const struct xtr_meta *meta,
		     const struct xtr_tables *tables, const struct xtr_select *select,
		     uint32_t wanted, uint32_t top);
void xtr_analyses_free(struct xtr_analyses *a);
int xtr_analyses_event(struct xtr_analyses *a, const struct xtr_event *ev);
/* Does one of them want events of this type (0: gaps)? */
bool xtr_analyses_take(struct xtr_analyses *a, uint32_t type);
/*
 * In place of events that none wants: the time of the last of them (ns), which must not be after
 * the window's end. Not allowed if processes are selected.
 */
void xtr_analyses_passed(struct xtr_analyses *a, uint64_t ts);
int xtr_analyses_job(struct xtr_analyses *a, const struct xtr_job *j);
int xtr_analyses_others(struct xtr_analyses *a, const struct xtr_job *j);
/* No more events. span_ns: length of the window, or of the trace. */
int xtr_analyses_finish(struct xtr_analyses *a, uint64_t span_ns);

const struct xtr_findings *xtr_analyses_findings(const struct xtr_analyses *a);
/* Is analysis i (of the table) running, and has it something to show? */
bool xtr_analyses_has(const struct xtr_analyses *a, size_t i);
int xtr_analyses_text(const struct xtr_analyses *a, size_t i, const struct xtr_view *v);
void xtr_analyses_json(const struct xtr_analyses *a, size_t i, struct xtr_json *j);
/* Of one that has something to show: what its tables' fill takes, and what they are shown with. */
const void *xtr_analyses_self(const struct xtr_analyses *a, size_t i);
const struct xtr_analysis_opts *xtr_analyses_opts(const struct xtr_analyses *a);

#endif /* XTR_ANALYSIS_H */
