/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the exporter share. Times are ns on the event clock. */
#ifndef XTR_REPORT_IMPL_H
#define XTR_REPORT_IMPL_H

#include "report.h"
#include "base/json.h"

/* --- activity: report_cells.c ------------------------------------------------------------------
 */

#define REPORT_CELLS     65536u /* of a section, all rings together */
#define REPORT_BINS_MAX  16384u /* parts of the time of one ring, a power of two */
#define REPORT_BINS_MIN  64u
#define REPORT_RINGS_MAX 512u  /* that are drawn */
#define REPORT_PIDS_MAX  1024u /* told apart; 0 is all others */
#define REPORT_COMMS_MAX 4096u /* the same of their threads' names */
#define REPORT_TOP_PIDS  4u

/* A ring in a part of the time. */
struct report_cell {
	uint64_t busy;                 /* ns with at least one job on the hardware */
	uint32_t jobs;                 /* that ended in it */
	uint32_t queued, on_hw;        /* the most at one time */
	uint64_t ns[REPORT_TOP_PIDS];  /* executing, by process; see report_cells_job */
	uint16_t pid[REPORT_TOP_PIDS]; /* index; where ns is not 0 */
	uint64_t other;                /* ns of further processes */
};

struct report_ring {
	struct report_cell *cell; /* NULL: nothing was seen of it */
	uint64_t jobs;            /* that were given */
	uint64_t since;           /* what follows holds from then on */
	uint32_t queued, on_hw;
};

/* The activity of one section. */
struct report_cells {
	struct report_ring *ring; /* by index */
	size_t n;                 /* at most REPORT_RINGS_MAX */
	uint32_t bins;
	uint64_t from, width;      /* ns: of the first part, and of each */
	struct xtr_map covered_at; /* by ring and process: index in covered */
	uint64_t *covered;         /* until when the process's time was counted */
	size_t n_covered, cap_covered;
};

/* rings: that there are. 0 or -ENOMEM. */
int report_cells_init(struct report_cells *c, size_t rings, uint64_t from, uint64_t to);
void report_cells_free(struct report_cells *c);
/* ring: its number, as of all that follow; queued and on_hw: from ts (ns) on. */
int report_cells_depth(struct report_cells *c, uint32_t ring, uint32_t queued, uint32_t on_hw,
		       uint64_t ts);
/*
 * A job that ended. pid: its process as an index. What a process executed is counted from where
 * its last job of the ring ended, so jobs of one process at once do not count twice.
 */
int report_cells_job(struct report_cells *c, uint32_t ring, const struct xtr_job *j, uint16_t pid);
/* No more: what holds lasts until then. */
void report_cells_end(struct report_cells *c, uint64_t to);
/* Half as many parts, each twice as long. */
void report_cells_fold(struct report_cells *c);
/* Varints of one ring, as docs/report.md has them. */
void report_cells_put(const struct report_cells *c, size_t ring, struct xtr_buf *b);

/* --- jobs one by one: report_keep.c ------------------------------------------------------------
 */

#define REPORT_DEPS_MAX 8u /* of one job */

struct report_job {
	uint64_t number;  /* in the section, from 0; names it */
	uint64_t of_ring; /* number in its ring */
	uint64_t ctx, seqno, client_id;
	uint64_t submit, queue, run, start, done, exec_min, exec_max, dep_wait;
	uint32_t ring, n_waits, tid, comm, flags, n_deps;
	uint64_t process; /* replay/event/process.h */
	int32_t error;
	uint8_t kind, quality;
	bool client_known, result_known, waits_known;
	struct xtr_dep *deps; /* owned; NULL: none */
};

enum report_longest {
	REPORT_LONG_EXEC, /* its upper bound */
	REPORT_LONG_QUEUE,
	REPORT_LONG_DEP,
	REPORT_LONGEST
};

struct report_heap {
	struct report_job *job; /* the shortest on top */
	size_t n, cap;
};

struct report_names;

struct report_keep {
	uint64_t n; /* jobs that were given */
	/* Of each ring the first, and every stride-th from there on. */
	struct report_job *sample;
	size_t n_sample, cap_sample;
	uint64_t stride;
	struct report_heap longest[REPORT_LONGEST];
	struct report_heap failed; /* the first jobs with an error, while there is room */
};

/* most: jobs to keep in all. 0 or -ENOMEM. */
int report_keep_init(struct report_keep *k, uint32_t most);
void report_keep_free(struct report_keep *k);
/* of_ring: its number in its ring, from 0. 0 or -ENOMEM. */
int report_keep_job(struct report_keep *k, uint32_t ring, const struct xtr_job *j,
		    uint64_t of_ring);
/*
 * All that are kept, each once, by ring and end: an array that the caller frees; what they point to
 * is k's. Without every second of the sample as often as `fewer` says. NULL: no memory.
 */
struct report_job *report_keep_all(const struct report_keep *k, unsigned int fewer, size_t *n);
/* Their varints, as docs/report.md has them. 0 or -ENOMEM. */
int report_keep_put(const struct report_job *job, size_t n, uint64_t from,
		    struct report_names *names, const struct xtr_model *rings, struct xtr_buf *b);

/* --- names: report_names.c ---------------------------------------------------------------------
 */

/* Processes, and strings of the tables, in the order they were first asked for. */
struct report_names {
	struct xtr_map process_at, comm_at;
	uint64_t *process, *comm; /* [0]: none; replay/event/process.h */
	size_t n_processes, cap_processes, n_comms, cap_comms;
};

int report_names_init(struct report_names *n);
void report_names_free(struct report_names *n);
/* Below REPORT_PIDS_MAX; 0: not known, or too many; -ENOMEM. */
int64_t report_names_process(struct report_names *n, uint64_t process);
/* The same of a string of the tables, below REPORT_COMMS_MAX. */
int64_t report_names_comm(struct report_names *n, uint32_t comm);
/* Number the strings anew. */
void report_names_forget_comms(struct report_names *n);

/* --- counters: report_marks.c ------------------------------------------------------------------
 */

#define REPORT_TRACKS_MAX 48u
#define REPORT_POINTS     1024u /* of a counter: parts of the time */
#define REPORT_MARKS_MAX  256u

struct report_point {
	bool set;
	uint64_t last, most;
};

struct report_track {
	char *name, *unit; /* unit NULL: none */
	bool is_signed;
	uint64_t n, least, most, last; /* is_signed: of int64_t */
	struct report_point *point;    /* REPORT_POINTS */
};

struct report_mark {
	char *track, *name;
	uint64_t ts;
};

struct report_marks {
	struct report_track track[REPORT_TRACKS_MAX];
	size_t n_tracks;
	uint64_t tracks_left_out; /* values of tracks beyond */
	struct report_mark mark[REPORT_MARKS_MAX];
	size_t n_marks;
	uint64_t marks_left_out;
	uint64_t from, width;
};

void report_marks_init(struct report_marks *m, uint64_t from, uint64_t to);
void report_marks_free(struct report_marks *m);
int report_marks_mark(struct report_marks *m, const struct xtr_mark *mark);
/* Keys of the present object. 0 or -ENOMEM. */
int report_marks_json(const struct report_marks *m, struct xtr_json *j);

/* --- output: report_json.c ---------------------------------------------------------------------
 */

void report_varint(struct xtr_buf *b, uint64_t v);
void report_zigzag(struct xtr_buf *b, uint64_t d); /* d: a difference, modulo 2^64 */
/* Bytes as base64, the key's value. 0, or -ENOMEM, also if b lacks some. */
int report_json_bytes(struct xtr_json *j, const char *key, const struct xtr_buf *b);
/* A text of the trace, which may be long: its first REPORT_TEXT_BYTES. NULL: null. */
#define REPORT_TEXT_BYTES 200u
void report_json_text(struct xtr_json *j, const char *key, const char *s);
/* A number that JavaScript would round, as text. */
void report_json_exact(struct xtr_json *j, const char *key, uint64_t v);
/* Losses by cause, damage, gaps: keys of the present object. */
void report_json_losses(struct xtr_json *j, const struct xtr_export_section *s);
/* Key "frames": those that fit into `most` bytes, late ones first (report_frames.c). */
void report_frames_json(struct xtr_json *j, const struct xtr_export_section *s, size_t most);
/* Key "paths": those that fit into `most` bytes, the longest job's first (report_paths.c). */
void report_paths_json(struct xtr_json *j, const struct xtr_export_section *s, size_t most);
/* What recorded, on what, when. */
void report_json_facts(struct xtr_json *j, const struct xtr_export_section *s);

#endif /* XTR_REPORT_IMPL_H */
