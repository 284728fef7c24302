/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of cutting: cut_plan.c plays the section to find out which jobs are needed, cut_keep.c
 * decides about an event, cut_account.c counts what is missing, cut_write.c writes.
 */
#ifndef XTR_CUT_IMPL_H
#define XTR_CUT_IMPL_H

#include "cut.h"
#include "replay/notes/cut_note.h"
#include "replay/model/job_source.h"
#include "base/map.h"
#include "replay/model/model.h"
#include "format/meta/loss.h"

/* The job that ended last on a ring. */
struct cut_last {
	struct xtr_job_name name;
	uint64_t done_ns; /* 0: none yet */
	bool selected;
};

/* A job that, if it is kept, needs another one that ended before it. */
struct cut_link {
	struct xtr_job_name job, by;
};

/* What is known of a stream of the section. */
struct cut_stream {
	uint32_t stream;
	uint64_t next_ordinal; /* as the chunks so far say */
	uint64_t last_ns;      /* end of the chunk before */
	uint64_t lost;         /* as the chunks so far say */
	uint64_t damaged;      /* not to be read, so far */
	uint64_t written;      /* lost_total of the last chunk that was written */
	uint64_t told;         /* at the end: losses that the LOSS chunk tells */
};

struct cut {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	const struct xtr_cut_opts *o;
	struct xtr_cut_result *res;
	struct xtr_select select;
	uint64_t lead, from, to; /* ns, inclusive */
	bool by_job;             /* devices, rings or processes are selected */
	bool by_pid;
	struct xtr_cut_note old, note; /* of s, and of the cut */
	struct xtr_map bad;            /* offsets of chunks that cannot be read */
	/* the plan */
	struct xtr_key_set early; /* jobs with events before the window; only without by_job */
	struct xtr_key_set keys;  /* jobs that are kept, and those that their figures rest on */
	struct xtr_key_set deps;  /* fences that they wait for */
	struct xtr_model *verdict, *model;
	struct cut_last *last_of; /* by index of ring */
	size_t n_lasts, cap_lasts;
	struct cut_link *link;
	size_t n_links, cap_links;
	struct xtr_job_name last; /* of the last event: the end of what is still open */
	uint64_t n_waits;         /* events that name a dependency */
	struct xtr_map ops;       /* string id -> 1: the scheduler's fences */
	struct xtr_job_sources *sources;
	/* the account */
	struct xtr_loss *loss;
	struct xtr_map by_stream;
	struct cut_stream *stream;
	size_t n_streams, cap_streams;
	bool holes; /* chunks are missing */
	uint64_t in_holes;
	size_t n_gaps;       /* that the damage has made */
	struct xtr_gap more; /* what is beyond the bound on them */
};

/* cut_plan.c: which keys are needed, and the note. 0 or -errno. */
int cut_plan(struct cut *c);
void cut_plan_free(struct cut *c);

/* cut_keep.c */
enum cut_kind {
	CUT_OTHER,
	CUT_JOB,   /* of the scheduler */
	CUT_FENCE, /* of a fence */
};

/* What an event is about; *name is set but for CUT_OTHER. */
enum cut_kind cut_kind_of(const uint8_t *rec, struct xtr_job_name *name);
/* Prepare, before cut_keeps is asked. 0 or -ENOMEM. */
int cut_keep_init(struct cut *c);
bool cut_keeps(const struct cut *c, const uint8_t *rec);
/* True if none, or every one of the chunk's events is kept, as far as its header tells. */
bool cut_keeps_none(const struct cut *c, const struct xtr_chunk *chunk);
bool cut_keeps_all(const struct cut *c, const struct xtr_chunk *chunk);

/* cut_account.c */
int cut_account_init(struct cut *c);
void cut_account_free(struct cut *c);
/* The stream of an EVENTS chunk, which comes now: what is missing before it is counted. */
int cut_account_chunk(struct cut *c, const struct xtr_chunk *chunk, struct cut_stream **s);
/* The chunk cannot be read. */
int cut_account_damaged(struct cut *c, const struct xtr_chunk *chunk, struct cut_stream *s);
/* n events of a type (0: not looked at) are left out. */
int cut_account_filtered(struct cut *c, uint32_t stream, uint32_t type, uint64_t n);
/* Everything has been seen: what the ends of streams and END say. */
int cut_account_end(struct cut *c);
/* Losses of a stream that the account, written as LOSS, does not tell. */
bool cut_account_needs_chunk(const struct cut_stream *s);

/* cut_write.c */
int cut_write(struct cut *c, struct xtr_io *io);
/* Progress of a pass: from..to of 1000, done of all. */
void cut_progress(const struct cut *c, unsigned int from, unsigned int to, uint64_t done,
		  uint64_t all);
/* Note a chunk that cannot be read, once. 0 or -ENOMEM. */
int cut_bad_chunk(struct cut *c, const struct xtr_err *err);

#endif /* XTR_CUT_IMPL_H */
