/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two sides, A and B, of one or more recordings each: what got slower or faster from A to B. Jobs
 * go into groups by device, ring and process, calls by name and by process and name; these are
 * matched by name; each
 * group's times are compared with a rank test, and what that can say is decided over all tests
 * together. docs/diff.md defines every number.
 *
 * Memory is bounded: so many groups, so many bytes of values, so many recordings of a side. What
 * there was no room for is counted.
 *
 *   xtr_diff_new
 *   for each recording: xtr_diff_begin; for each section: xtr_diff_section, xtr_diff_job,
 *   xtr_diff_call; xtr_diff_end
 *   xtr_diff_finish, then read rows, groups and facts
 */
#ifndef XTR_DIFF_H
#define XTR_DIFF_H

#include "stat_test.h"
#include "format/read/reader.h"
#include "replay/calls/call.h"
#include "replay/model/job.h"

#include <stdio.h>

#define XTR_DIFF_GROUPS_MAX 4096u        /* of each kind; what is in further ones is counted */
#define XTR_DIFF_BYTES      (128u << 20) /* of values, in all */
#define XTR_DIFF_RUNS_MAX   64u          /* recordings of a side */
#define XTR_DIFF_NAME_MAX   256u         /* bytes of a group's name, with the NUL */
#define XTR_DIFF_ALPHA      0.05         /* level of all tests together */
#define XTR_DIFF_CONFIDENCE 0.95         /* of intervals */
#define XTR_DIFF_POWER      0.8          /* chance to see the smallest detectable change */
/* Execution is compared if at least this share of a group's finished jobs has one that is known. */
#define XTR_DIFF_KNOWN_PERCENT 99u

/* Identifier, name on the command line and in JSON. */
#define XTR_DIFF_BYS(X)       \
	X(DEVICE, "device")   \
	X(RING, "ring")       \
	X(PROCESS, "process") \
	X(CALL, "call")       \
	X(PROCESS_CALL, "process-call")

/* The same, and what it is. */
#define XTR_DIFF_METRICS(X)                                                                      \
	X(EXECUTION, "execution", "done - start, of jobs whose start is known")                  \
	X(RESIDENCE, "residence", "done - run")                                                  \
	X(QUEUE, "queue", "run - queue")                                                         \
	X(DEPENDENCY, "dependency", "time in the queue for fences, of jobs that waited for one") \
	X(LATENCY, "latency", "done - submit of a job; end - begin of a call")

enum xtr_diff_by {
#define XTR_DIFF_ENUM(id, name) XTR_DIFF_##id,
	XTR_DIFF_BYS(XTR_DIFF_ENUM)
#undef XTR_DIFF_ENUM
	XTR_DIFF_BY_COUNT
};

enum xtr_diff_metric {
#define XTR_DIFF_ENUM(id, name, help) XTR_DIFF_##id,
	XTR_DIFF_METRICS(XTR_DIFF_ENUM)
#undef XTR_DIFF_ENUM
	XTR_DIFF_METRIC_COUNT
};

/* Identifier, text in output. */
#define XTR_DIFF_VERDICTS(X)          \
	X(SLOWER, "slower")           \
	X(FASTER, "faster")           \
	X(SAME, "no difference seen") \
	X(FEW, "too few to tell")     \
	X(UNLIKE, "not comparable")

enum xtr_diff_verdict {
#define XTR_DIFF_ENUM(id, name) XTR_DIFF_##id,
	XTR_DIFF_VERDICTS(XTR_DIFF_ENUM)
#undef XTR_DIFF_ENUM
	XTR_DIFF_VERDICT_COUNT
};

const char *xtr_diff_by_name(unsigned int by);
const char *xtr_diff_metric_name(unsigned int metric);
const char *xtr_diff_metric_help(unsigned int metric);
const char *xtr_diff_verdict_name(unsigned int verdict);

struct xtr_diff_opts {
	size_t sz;
	uint32_t by, metrics; /* bits of the enums above; 0: the default */
};

#define XTR_DIFF_DEFAULT_METRICS                                                       \
	(1u << XTR_DIFF_EXECUTION | 1u << XTR_DIFF_QUEUE | 1u << XTR_DIFF_DEPENDENCY | \
	 1u << XTR_DIFF_LATENCY)

struct xtr_diff;

/* 0 or -ENOMEM. */
int xtr_diff_new(struct xtr_diff **d, const struct xtr_diff_opts *o);
void xtr_diff_free(struct xtr_diff *d);

/* A recording of side 0 (A) or 1 (B) begins; path is copied. 0, -ENOMEM, or -E2BIG: too many. */
int xtr_diff_begin(struct xtr_diff *d, unsigned int side, const char *path);
/* A section of it: must be there until the next one, or the recording's end. 0 or -ENOMEM. */
int xtr_diff_section(struct xtr_diff *d, const struct xtr_section *s);
/* For tests: the same without a file. */
int xtr_diff_source(struct xtr_diff *d, const struct xtr_meta *meta,
		    const struct xtr_tables *tables);
/* Whether calls are asked for, so that they must be paired. */
bool xtr_diff_wants_calls(const struct xtr_diff *d);
/* 0 or -ENOMEM. */
int xtr_diff_job(struct xtr_diff *d, const struct xtr_job *j);
int xtr_diff_call(struct xtr_diff *d, const struct xtr_call *c);
/* events: that could not be read while it was played. 0 or -ENOMEM. */
int xtr_diff_end(struct xtr_diff *d, uint64_t unreadable, size_t problems);
/* No more recordings: compare. 0 or -ENOMEM. */
int xtr_diff_finish(struct xtr_diff *d);

/* --- what is read after finish ---------------------------------------------------------------- */

/* One side as a whole. */
struct xtr_diff_total {
	const char *path[XTR_DIFF_RUNS_MAX];
	uint32_t runs;
	uint64_t sections, jobs, calls;
	uint64_t quality[XTR_QUALITY_COUNT]; /* jobs */
	uint64_t lost;      /* events: lost while recording, or in damaged chunks */
	uint64_t left_out;  /* events, on purpose: filtered or sampled */
	uint64_t problems;  /* found in the files */
	bool sampled;       /* a share of some events only, or a budget left some out */
	bool redacted;      /* names such as name#7 stand for others */
	bool apart;         /* not all sections have the mapping of the first one */
	uint64_t mapping;   /* of the first section; 0: it is not redacted */
	bool without_times; /* a section has none */
	uint64_t span_ns;   /* sum over the recordings */
	uint64_t crowded;   /* jobs and calls of groups that there was no room for */
};
const struct xtr_diff_total *xtr_diff_total(const struct xtr_diff *d, unsigned int side);
/*
 * Both sides were redacted together: name#7 is the same in both. Else such names are not matched
 * between files of different mappings (xtr_redact_mapping).
 */
bool xtr_diff_redacted_alike(const struct xtr_diff *d);

/* What one side's times of one kind are. */
struct xtr_diff_side {
	uint64_t n, sum, min, max, p50, p90, p99, dropped; /* ns */
	double factor; /* values that depend on each other that say as much as one that does not */
	uint32_t runs; /* recordings in which there is one */
	const uint64_t *median; /* of each of them, ns */
	const struct xtr_values *values;
};

struct xtr_diff_row {
	enum xtr_diff_by by;
	const char *name; /* of the group: a stranger's text */
	enum xtr_diff_metric metric;
	bool instead; /* residence in the place of execution, which is not known well enough */
	enum xtr_diff_verdict verdict;
	const char *why;      /* it is not comparable; else NULL */
	const char *known[2]; /* how the times of each side are known */
	struct xtr_diff_side side[2];
	/* Of the test; nothing is set where it was not made. */
	bool tested, coarse;
	struct xtr_rank_test test;
	double p; /* corrected for the number of tests */
	/* Of the medians of the recordings, where both sides have two or more: */
	bool runs_tested;
	struct xtr_rank_test runs_test; /* not corrected */
	bool runs_tell;                 /* they are enough for a test of so many rows */
	double runs_p;   /* corrected for all rows that are tested so; 1 if they do not tell */
	bool runs_agree; /* they do not contradict the verdict */
	struct xtr_shift shift; /* ns */
	struct xtr_ratio ratio; /* of B to A; its interval includes what a histogram has rounded */
	double detectable;      /* as xtr_diff_change; INFINITY: none is known */
};

/* Of B against A as a share: the ratio less 1, so never below -1. 0.05 is 5 % more. */
static inline double xtr_diff_change(const struct xtr_diff_row *row)
{
	return row->ratio.ratio - 1;
}

/* Changes first, the largest first; then what did not change. */
size_t xtr_diff_n_rows(const struct xtr_diff *d);
const struct xtr_diff_row *xtr_diff_row(const struct xtr_diff *d, size_t i);
size_t xtr_diff_n_tests(const struct xtr_diff *d);
/* Rows whose recordings' medians can be compared. */
size_t xtr_diff_n_run_tests(const struct xtr_diff *d);
/* Is the group one of calls? */
bool xtr_diff_is_of_calls(enum xtr_diff_by by);

/* A group, and what was counted of it. */
struct xtr_diff_count {
	enum xtr_diff_by by;
	const char *name;
	uint64_t n[2];    /* jobs or calls; 0: the group is only in the other one */
	uint64_t open[2]; /* of them: begin or end not known */
	uint64_t lost[2]; /* records missing */
	uint64_t time[2]; /* ns: sum of residence, or of the calls' times */
	uint64_t quality[2][XTR_QUALITY_COUNT];
};
/* By kind, most time first. */
size_t xtr_diff_n_counts(const struct xtr_diff *d);
const struct xtr_diff_count *xtr_diff_count(const struct xtr_diff *d, size_t i);

/* How the recordings of the two sides were made, where that differs. */
struct xtr_diff_fact {
	const char *what;     /* "kernel" */
	const char *value[2]; /* "" where there is none; may hold any bytes */
};
size_t xtr_diff_n_facts(const struct xtr_diff *d);
const struct xtr_diff_fact *xtr_diff_fact(const struct xtr_diff *d, size_t i);

/* --- views ------------------------------------------------------------------------------------ */

struct xtr_diff_view {
	FILE *f;
	const struct xtr_diff *d;
	bool color, plot;
	bool all;     /* rows without a difference, too */
	uint32_t top; /* rows of each table */
};

/* 0 or -ENOMEM; write errors are f's. */
int xtr_diff_text(const struct xtr_diff_view *v);
struct xtr_json;
/* The members of an open object (docs/diff.md). */
void xtr_diff_json(const struct xtr_diff *d, struct xtr_json *j);
/*
 * diff_plot.c: two lines of the same axis, one for each side: how many values lie where, from dark
 * (many) to blank (none). Nothing if there are none. 0 or -ENOMEM.
 */
int xtr_diff_plot(FILE *f, const struct xtr_diff_row *row);

#endif /* XTR_DIFF_H */
