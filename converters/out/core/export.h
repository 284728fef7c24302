/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports: one pass over the model hands jobs, calls, marks, events and gaps of what was selected
 * to one exporter. Each format out is one `struct xtr_exporter`, listed in export.c.
 *
 * Sections come one after the other. Inside one, each kind of thing comes in its own order (jobs by
 * when their end was found, depths, marks, events and gaps by time, calls by their end), so an
 * exporter must not rely on time running forward across kinds. Nothing is held but what is open in
 * the model.
 */
#ifndef XTR_EXPORT_H
#define XTR_EXPORT_H

#include "format/read/reader.h"
#include "frames.h"
#include "path.h"
#include "replay/calls/call.h"
#include "replay/calls/mark.h"
#include "replay/model/model.h"
#include "replay/play/select.h"
#include "replay/views/relation.h"

#include <stdio.h>

/* What an exporter wants beside jobs. Flags of wants, and of `omit`. */
#define XTR_EXPORT_DEPTH  1u
#define XTR_EXPORT_CALLS  2u
#define XTR_EXPORT_MARKS  4u
#define XTR_EXPORT_EVENTS 8u /* every event, raw */

struct xtr_report;
struct xtr_export_section;

/*
 * Takes tables that are none of enum xtr_relation_id, one after the other. Each returns 0 or
 * -errno.
 */
struct xtr_export_tables {
	/* Another table, of these columns; names and texts are copied. One without rows is none,
	 * and what an earlier export of the recording had of it goes; but always: it is there. */
	int (*begin)(struct xtr_export_tables *to, const char *name, const char *help, bool always);
	int (*column)(struct xtr_export_tables *to, const struct xtr_column *c);
	int (*row)(struct xtr_export_tables *to, const struct xtr_cell *cell, size_t n);
};

/* What one run of an exporter is asked to do. Borrowed. */
struct xtr_export_opts {
	size_t sz;        /* sizeof(struct xtr_export_opts) */
	FILE *out;        /* where to write; NULL if the exporter has by_path */
	const char *path; /* of by_path: a new file's name */
	bool jobs_only;   /* nothing but jobs and what names them */
	bool raw;         /* every event too */
	bool by_pid;      /* out: a pid was selected, so not all threads' events come */
	/* perfetto */
	bool ftrace;       /* gpu_scheduler events as typed ftrace */
	bool track_events; /* jobs as track events instead of render stages */
	bool compress;     /* zlib-compressed packets */
	/* csv, jsonl, arrow */
	const char *table; /* NULL: jobs */
	/* report */
	struct xtr_report *report;
	/* sqlite */
	struct sqlite3 *db; /* not NULL: an open, empty database to fill instead of path */
	bool append;        /* with db: it is not empty, but of other traces: this one is added */
	uint32_t tables;    /* bits of enum xtr_relation_id: only these; 0: all */
	/* parquet; arrow, for a table that is none of enum xtr_relation_id: gives further tables of
	 * a section, after all of it was exported. May be NULL. */
	int (*more)(void *ctx, const struct xtr_export_section *s, struct xtr_export_tables *to);
	void *more_ctx;
	/* perfetto, chrome, report: gives the critical paths of a section, before anything of it is
	 * exported; *out is valid until the next call. May be NULL. */
	int (*paths)(void *ctx, const struct xtr_section *s, const struct xtr_export_paths **out);
	void *paths_ctx;
	/* The same for its frames. */
	int (*frames)(void *ctx, const struct xtr_section *s, const struct xtr_export_frames **out);
	void *frames_ctx;
};

/*
 * A section, as an exporter is told of it. What it points to is valid until end_section, it itself
 * only while it is told.
 */
struct xtr_export_section {
	const struct xtr_reader *reader; /* the whole file */
	const struct xtr_section *section;
	const struct xtr_meta *meta;     /* never NULL */
	const struct xtr_tables *tables; /* never NULL */
	/* Rings and devices that will come, with their verdicts, numbered as they were met. */
	const struct xtr_model *rings;
	size_t index;      /* of the section in the file */
	uint64_t from, to; /* ns: the time exported, inclusive; never 0 unless the clock is */
	const struct xtr_export_paths *paths;   /* NULL: none were asked for */
	const struct xtr_export_frames *frames; /* the same */
};

struct xtr_exporter {
	const char *name;   /* "perfetto" */
	const char *suffix; /* ".pftrace" */
	const char *help;   /* one line */
	bool by_path;       /* writes a file by its name, cannot stream */
	bool by_folder;     /* with by_path: files in a directory, of any number of traces */
	bool timeline;      /* is nothing without times */
	/* XTR_EXPORT_*: what it takes, given the options (called before open). */
	unsigned int (*wants)(const struct xtr_export_opts *o);
	/*
	 * 0, -errno, or -EINVAL with *why (static text) for options that do not go together. On
	 * failure *self is NULL.
	 */
	int (*open)(void **self, const struct xtr_export_opts *o, const char **why);
	int (*section)(void *self, const struct xtr_export_section *s);
	/* j->ring is found in s->rings by its id: its index there may be another. */
	int (*job)(void *self, const struct xtr_job *j);
	/* These may be NULL if never wanted. */
	int (*depth)(void *self, const struct xtr_model_ring *ring, uint64_t ts);
	int (*call)(void *self, const struct xtr_call *c);
	int (*mark)(void *self, const struct xtr_mark *m);
	int (*event)(void *self, const struct xtr_event *ev); /* no gaps */
	/* Events lost; always called, if not NULL. */
	int (*gap)(void *self, const struct xtr_gap *gap);
	int (*end_section)(void *self);
	/* Everything was given: write what is left. Not called after an error. */
	int (*finish)(void *self);
	/* by_path: was it the file that is written, not the trace, of which the last error tells?
	 */
	bool (*failed)(void *self);
	void (*close)(void *self); /* frees self; NULL is allowed */
};

/* NULL-terminated, in the order of help. */
extern const struct xtr_exporter *const xtr_exporters[];
/* By name; NULL if there is none. */
const struct xtr_exporter *xtr_exporter_by_name(const char *name);

struct xtr_export {
	size_t sz; /* sizeof(struct xtr_export) */
	const struct xtr_exporter *exporter;
	struct xtr_export_opts opts;
	const struct xtr_reader *reader;
	/*
	 * from and to are as given (0: open; before the first event: counted from it). A pid
	 * selects jobs that the process submitted and calls and marks of its threads; a device or
	 * ring selects jobs and depths.
	 */
	struct xtr_select select;
	/*
	 * Only the longest this many jobs of the file, and nothing but jobs; 0: all. At most
	 * XTR_EXPORT_TOP_MAX.
	 */
	uint32_t top;
	/* A chunk is damaged and was skipped. May be NULL. */
	void (*damage)(void *ctx, const struct xtr_err *err);
	/* Called now and then, 0 to 1000. May be NULL. */
	void (*progress)(void *ctx, unsigned int permille);
	void *ctx;
	const char *why; /* out: of -EINVAL and -ENODATA, static text; else NULL */
	bool broken;     /* out: the error is that of opts.path (exporters by_path) */
};

#define XTR_EXPORT_TOP_MAX 1000000u

/* 0; -EINVAL (options) or -ENODATA (a section lacks what the format needs) with why; -errno. out is
 * not flushed. */
int xtr_export(struct xtr_export *e);

#endif /* XTR_EXPORT_H */
