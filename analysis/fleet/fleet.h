/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many recordings, of any number of files and machines: what all of them say together, which
 * cohorts of them differ, and which recordings stand out. docs/fleet.md defines every number.
 *
 * A recording is a section of a file. Rings of all machines that have one driver, device model and
 * name are one group. What is kept is a row of numbers for each recording, device and group, and
 * the histograms of each group, to which recordings add: percentiles of all are of the sum of the
 * histograms.
 *
 *   each file: xtr_fleet_file; each section of it: xtr_fleet_new (one), xtr_fleet_add, and
 *   xtr_fleet_merge into the whole, which may be done elsewhere and in any order of work;
 *   then xtr_fleet_outliers or xtr_fleet_compare, and read.
 */
#ifndef XTR_FLEET_H
#define XTR_FLEET_H

#include "analysis/core/stats.h"
#include "analysis/diff/stat_test.h"
#include "format/read/reader.h"

#define XTR_FLEET_RINGS_MAX       1024u      /* of a recording; further ones are counted */
#define XTR_FLEET_GROUPS_MAX      1024u      /* the same */
#define XTR_FLEET_ROWS_MAX        (1u << 20) /* of all recordings together; the same */
#define XTR_FLEET_NAME_MAX        256u       /* bytes of a name, with the NUL */
#define XTR_FLEET_COHORTS_MAX     64u        /* that can be compared */
#define XTR_FLEET_P99_JOBS        100u       /* fewer times have no 99th percentile here */
#define XTR_FLEET_KNOWN_PERCENT   99u        /* as XTR_DIFF_KNOWN_PERCENT */
#define XTR_FLEET_OUTLIER_MEMBERS 5u         /* fewer have no outliers */
#define XTR_FLEET_OUTLIER_Z       3.5        /* modified z-score (Iglewicz and Hoaglin) */
#define XTR_FLEET_OUTLIER_SHARE   0.032      /* of the median: what differs by less does not */
#define XTR_FLEET_ALPHA           0.05       /* level of all tests together */

/* Identifier, name, unit, and which direction is the worse one: +1 more, 0 neither. */
#define XTR_FLEET_METRICS(X)                     \
	X(EXEC_P50, "execution.p50", NS, 1)      \
	X(EXEC_P99, "execution.p99", NS, 1)      \
	X(RESIDENCE_P50, "residence.p50", NS, 1) \
	X(RESIDENCE_P99, "residence.p99", NS, 1) \
	X(QUEUE_P50, "queue.p50", NS, 1)         \
	X(QUEUE_P99, "queue.p99", NS, 1)         \
	X(UTILISATION, "utilisation", PPM, 0)    \
	X(FAILED, "failed", PPM, 1)              \
	X(LOST, "lost", PPM, 1)

enum xtr_fleet_metric {
#define XTR_FLEET_ENUM(id, name, unit, worse) XTR_FLEET_##id,
	XTR_FLEET_METRICS(XTR_FLEET_ENUM)
#undef XTR_FLEET_ENUM
	XTR_FLEET_METRIC_COUNT
};

enum xtr_fleet_unit {
	XTR_FLEET_NS,
	XTR_FLEET_PPM
};

/* NULL past the last. */
const char *xtr_fleet_metric_name(unsigned int metric);
enum xtr_fleet_unit xtr_fleet_metric_unit(unsigned int metric);
int xtr_fleet_metric_worse(unsigned int metric);

/* --- cohorts ---------------------------------------------------------------------------------- */

/* By what recordings are put into cohorts: identifier, name, and whether names are versions. */
#define XTR_FLEET_KEYS(X)          \
	X(HOST, "host", false)     \
	X(KERNEL, "kernel", true)  \
	X(DRIVER, "driver", true)  \
	X(DEVICE, "device", false) \
	X(LABEL, "label:NAME", false)

enum xtr_fleet_key {
#define XTR_FLEET_ENUM(id, name, version) XTR_FLEET_BY_##id,
	XTR_FLEET_KEYS(XTR_FLEET_ENUM)
#undef XTR_FLEET_ENUM
	XTR_FLEET_KEY_COUNT
};

const char *xtr_fleet_key_name(unsigned int key); /* NULL past the last */
bool xtr_fleet_key_is_version(unsigned int key);
/* The key of this text; label gets what is behind "label:". -EINVAL: it is none. */
int xtr_fleet_key_parse(const char *s, const char **label);
/* What META says of it; "(unknown)" if it says nothing. label: the name of a label. */
const char *xtr_fleet_key_of(enum xtr_fleet_key key, const char *label, const struct xtr_meta *meta,
			     char buf[XTR_FLEET_NAME_MAX]);

/* --- what is kept ----------------------------------------------------------------------------- */

/* Sums over rings. */
struct xtr_fleet_sums {
	uint64_t jobs, completed, failed; /* failed: with an error or a timeout, or killed */
	uint64_t open;                    /* run and not done, or queued and not run */
	uint64_t busy_ns, recorded_ns;    /* over rings: busy, and time in which it might be */
	uint64_t rings;
	bool busy_bounded; /* busy_ns is an upper bound */
	struct xtr_hist exec, residence, queue_wait, hw_wait;
};

struct xtr_fleet_group {
	char *name; /* "amdgpu 1002:744c gfx_0.0.0"; a stranger's text; "": the recording itself */
	uint64_t recordings;
	struct xtr_fleet_sums sums;
};

enum xtr_fleet_state {
	XTR_FLEET_WHOLE,
	XTR_FLEET_DAMAGED,   /* events were lost, or it is damaged */
	XTR_FLEET_UNREADABLE /* nothing of it is here */
};

struct xtr_fleet_file {
	char *path;
	enum xtr_fleet_state state;
};

struct xtr_fleet_recording {
	uint32_t file; /* index; set by merging */
	uint32_t section;
	uint64_t file_id;
	char *host, *cohort; /* strangers' texts; host NULL: not known */
	bool times;          /* false: events are in order only; durations are 0 */
	bool repeated;       /* it came before, and is not in any sum */
	uint64_t span_ns, events, lost, missing, jobs;
	uint32_t rings, left_out; /* with jobs; not in any group, for want of room */
	uint32_t first_row, n_rows;
};

/* A recording's numbers for one group, of one of its devices or of all of them. */
struct xtr_fleet_row {
	uint32_t recording, group;
	char *device; /* NULL: several */
	/* Of all devices of the recording in the group; of one of them. A device that is the only
	 * one is both. */
	bool whole, part;
	uint32_t known; /* bit for each metric */
	uint64_t jobs;
	uint64_t value[XTR_FLEET_METRIC_COUNT];
};

struct xtr_fleet;

/* 0 or -ENOMEM. */
int xtr_fleet_new(struct xtr_fleet **f);
void xtr_fleet_free(struct xtr_fleet *f);
/* Of the section that stats, finished, are of. An empty fleet takes one. 0 or -ENOMEM. */
int xtr_fleet_add(struct xtr_fleet *f, const struct xtr_section *s, size_t index,
		  const struct xtr_stats *stats, const char *cohort);
/* The index of a new file. -ENOMEM, or -E2BIG. */
int64_t xtr_fleet_file(struct xtr_fleet *f, const char *path, enum xtr_fleet_state state);
/*
 * src's recording becomes one of that file; src may be freed. One whose file_id is here already is
 * noted as repeated, and nothing else of it is taken. 0 or -ENOMEM.
 */
int xtr_fleet_merge(struct xtr_fleet *f, const struct xtr_fleet *src, uint32_t file);

/* --- reading ---------------------------------------------------------------------------------- */

size_t xtr_fleet_n_files(const struct xtr_fleet *f);
const struct xtr_fleet_file *xtr_fleet_file_at(const struct xtr_fleet *f, size_t i);
size_t xtr_fleet_n_recordings(const struct xtr_fleet *f);
const struct xtr_fleet_recording *xtr_fleet_recording(const struct xtr_fleet *f, size_t i);
/* Of the recording at index i: rows of first_row on. */
const struct xtr_fleet_row *xtr_fleet_row(const struct xtr_fleet *f, size_t i);
/* Group 0 is of the recordings themselves. */
size_t xtr_fleet_n_groups(const struct xtr_fleet *f);
const struct xtr_fleet_group *xtr_fleet_group(const struct xtr_fleet *f, size_t i);

/* Over all recordings that count. */
struct xtr_fleet_total {
	uint64_t recordings, repeated, hosts, span_ns, events, lost, missing, jobs, rings, left_out;
	uint64_t files[XTR_FLEET_UNREADABLE + 1]; /* by state */
	uint64_t without_host, without_times;
};
/* 0 or -ENOMEM. */
int xtr_fleet_total(const struct xtr_fleet *f, struct xtr_fleet_total *t);

/* Only these metrics are compared from now on: a bit for each; at first all are. */
void xtr_fleet_choose(struct xtr_fleet *f, uint32_t metrics);

/* --- outliers --------------------------------------------------------------------------------- */

struct xtr_fleet_outlier {
	const struct xtr_fleet_row *row;
	enum xtr_fleet_metric metric;
	const char *cohort;
	uint32_t members;
	uint64_t value, median;
	double deviation; /* as of normal values: of MAD, or of the mean distance if that is 0 */
	bool mean_deviation;
	double z; /* modified z-score; negative: below the median */
};

/* 0 or -ENOMEM. */
int xtr_fleet_outliers(struct xtr_fleet *f);
/* Largest |z| first. */
size_t xtr_fleet_n_outliers(const struct xtr_fleet *f);
const struct xtr_fleet_outlier *xtr_fleet_outlier(const struct xtr_fleet *f, size_t i);
/* Sets of values that were looked at; and that had too few members. */
uint64_t xtr_fleet_n_sets(const struct xtr_fleet *f);
uint64_t xtr_fleet_n_small_sets(const struct xtr_fleet *f);

/* --- comparing cohorts ------------------------------------------------------------------------ */

struct xtr_fleet_cohort {
	const char *name;
	uint64_t recordings, hosts; /* hosts: known ones */
	uint64_t span_ns, jobs;
};

#define XTR_FLEET_VERDICTS(X)         \
	X(MORE, "more")               \
	X(LESS, "less")               \
	X(SAME, "no difference seen") \
	X(FEW, "too few to tell")

enum xtr_fleet_verdict {
#define XTR_FLEET_ENUM(id, name) XTR_FLEET_##id,
	XTR_FLEET_VERDICTS(XTR_FLEET_ENUM)
#undef XTR_FLEET_ENUM
	XTR_FLEET_VERDICT_COUNT
};
const char *xtr_fleet_verdict_name(unsigned int verdict);

#define XTR_FLEET_REST UINT32_MAX

struct xtr_fleet_change {
	uint32_t a, b; /* cohorts; a may be XTR_FLEET_REST: all others */
	uint32_t group;
	enum xtr_fleet_metric metric;
	uint64_t n[2], median[2]; /* recordings of a and b with such a value */
	struct xtr_rank_test test;
	struct xtr_ratio ratio; /* of b to a; NAN: all are 0 */
	double p;               /* corrected for all tests */
	enum xtr_fleet_verdict verdict;
};

enum xtr_fleet_order {
	XTR_FLEET_AGAINST_REST,    /* two cohorts: the second against the first */
	XTR_FLEET_AGAINST_PREVIOUS /* in order of version numbers */
};

/* 0, -ENOMEM, or -E2BIG: more than XTR_FLEET_COHORTS_MAX. */
int xtr_fleet_compare(struct xtr_fleet *f, enum xtr_fleet_order order);
/* In order of their names as version numbers. */
size_t xtr_fleet_n_cohorts(const struct xtr_fleet *f);
const struct xtr_fleet_cohort *xtr_fleet_cohort(const struct xtr_fleet *f, size_t i);
/* By pair of cohorts; what changed first, the largest change first. */
size_t xtr_fleet_n_changes(const struct xtr_fleet *f);
const struct xtr_fleet_change *xtr_fleet_change(const struct xtr_fleet *f, size_t i);
uint64_t xtr_fleet_n_tests(const struct xtr_fleet *f);

/* --- views ------------------------------------------------------------------------------------ */

struct xtr_json;

/* Into f; top: rows of a table. 0 or -ENOMEM; write errors are f's. */
int xtr_fleet_text(FILE *f, const struct xtr_fleet *fleet, uint32_t top);
int xtr_fleet_outliers_text(FILE *f, const struct xtr_fleet *fleet, uint32_t top);
int xtr_fleet_compare_text(FILE *f, const struct xtr_fleet *fleet, uint32_t top, bool all);
/* Members of the open object: "files"; "merged"; and what was compared. 0 or -ENOMEM. */
void xtr_fleet_json_files(const struct xtr_fleet *f, struct xtr_json *j);
int xtr_fleet_json_merged(const struct xtr_fleet *f, struct xtr_json *j);
void xtr_fleet_json_outliers(const struct xtr_fleet *f, struct xtr_json *j);
void xtr_fleet_json_compare(const struct xtr_fleet *f, struct xtr_json *j);

#endif /* XTR_FLEET_H */
