/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices for people and as JSON lines (docs/top.md). */
#ifndef XTR_SLICE_VIEW_H
#define XTR_SLICE_VIEW_H

#include "slice.h"
#include "base/json.h"

#include <stdio.h>

/* What is known of the recording beside what its events tell. */
struct xtr_slice_facts {
	const char *path; /* "run.xtr", "-"; NULL: recorded by this command */
	size_t section;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	const char *state;   /* "playing", "following", "recording", "ended" */
	uint64_t first_ns;   /* where the recording begins */
	uint64_t lost;       /* events lost while recording, as far as is known by now */
	uint64_t unreadable; /* events that stand in damaged chunks, or are missing */
	size_t problems;     /* of the file */
	uint64_t cost_ns,
		cost_over_ns; /* CPU time of the recorder, and in how long; 0: not known */
};

/* Orders of rows: of each kind that has the figure, the largest first; `name` upwards. */
#define XTR_SLICE_SORTS(X)                                    \
	X(BUSY, "busy", 'b', "busy time")                     \
	X(JOBS, "jobs", 'j', "jobs that ended")               \
	X(QUEUED, "queued", 'u', "jobs in queues")            \
	X(RUNNING, "running", 'r', "jobs on the hardware")    \
	X(EXEC, "exec", 'e', "99th percentile of execution")  \
	X(WAIT, "wait", 'w', "99th percentile of queue wait") \
	X(NAME, "name", 'n', "device and ring name, or process id")

enum xtr_slice_sort {
#define XTR_SLICE_SORT_ENUM(id, name, key, help) XTR_SLICE_SORT_##id,
	XTR_SLICE_SORTS(XTR_SLICE_SORT_ENUM)
#undef XTR_SLICE_SORT_ENUM
	XTR_SLICE_SORT_COUNT
};

struct xtr_slice_sort_row {
	const char *name;
	char key; /* on the screen */
	const char *help;
};
extern const struct xtr_slice_sort_row xtr_slice_sorts[XTR_SLICE_SORT_COUNT];

struct xtr_slice_look {
	unsigned int width; /* columns; what does not fit is left out. 0: no limit */
	bool color;         /* with escape sequences (SGR) */
	enum xtr_slice_sort sort;
};

/*
 * The lines of a slice, each with a line feed: first those of the header (their number is
 * returned; losses are the first thing said), then the tables. Texts of the trace are escaped.
 * -ENOMEM.
 */
int xtr_slice_text(FILE *f, const struct xtr_slice *s, const struct xtr_slice_facts *facts,
		   const struct xtr_slice_look *look);
/* One object, without the line feed. Rows come in the order of the slice. */
void xtr_slice_json(struct xtr_json *j, const struct xtr_slice *s,
		    const struct xtr_slice_facts *facts);

/* slice_order.c */
struct xtr_slice_sorted {
	const struct xtr_slice_row *r;
	uint64_t figure;
};
void xtr_slice_sort(struct xtr_slice_sorted *to, const struct xtr_slice_row *const *row, size_t n,
		    enum xtr_slice_sort sort);
/* Have rings of two devices the same name? */
bool xtr_slice_names_shared(const struct xtr_slice_sorted *rows, size_t n);

#endif /* XTR_SLICE_VIEW_H */
