/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs, waits and calls of a trace into a tree of stacks (flame.h). A job's stack is that of the
 * thread that submitted it, a wait's or call's that of the thread that waited or called: what
 * --stack recorded with the event that begins it. Definitions: docs/flame.md.
 */
#ifndef XTR_FLAME_FEED_H
#define XTR_FLAME_FEED_H

#include "analysis/core/bounded_rows.h"
#include "flame.h"
#include "format/read/merge.h"
#include "replay/calls/call.h"
#include "replay/model/model.h"
#include "replay/play/select.h"

/* Identifier, name on the command line, what is weighed, unit, unit of speedscope, title. */
#define XTR_FLAME_WEIGHTS(X)                                                                   \
	X(EXECUTION, "execution", JOBS, "ns", "nanoseconds",                                   \
	  "execution time on the hardware, by the stack that submitted the job")               \
	X(RESIDENCE, "residence", JOBS, "ns", "nanoseconds",                                   \
	  "time from run to done, by the stack that submitted the job")                        \
	X(QUEUE, "queue", JOBS, "ns", "nanoseconds",                                           \
	  "time in the software queue, by the stack that submitted the job")                   \
	X(DEPENDENCY, "dependency", JOBS, "ns", "nanoseconds",                                 \
	  "time in the queue for dependencies, by the stack that submitted the job")           \
	X(WAIT, "wait", WAITS, "ns", "nanoseconds",                                            \
	  "time that threads waited for a fence, by the stack that waited")                    \
	X(WAITED_FOR, "waited-for", WAITS, "ns", "nanoseconds",                                \
	  "time that threads waited for a fence, by the stack that submitted the fence's job") \
	X(CALL, "call", CALLS, "ns", "nanoseconds", "time in calls, by the stack that called") \
	X(BYTES, "bytes", CALLS, "bytes", "bytes",                                             \
	  "bytes that calls asked for, by the stack that called")                              \
	X(IDLE, "idle", TIME, "ns", "nanoseconds",                                             \
	  "time a device was idle, by what the thread did that submitted its next job")        \
	X(COUNT, "count", JOBS, "jobs", "none", "jobs, by the stack that submitted them")

enum xtr_flame_weight {
#define XTR_FLAME_WEIGHT_ENUM(id, name, of, unit, speed, title) XTR_FLAME_BY_##id,
	XTR_FLAME_WEIGHTS(XTR_FLAME_WEIGHT_ENUM)
#undef XTR_FLAME_WEIGHT_ENUM
	XTR_FLAME_WEIGHT_COUNT
};

enum xtr_flame_of {
	XTR_FLAME_OF_JOBS,
	XTR_FLAME_OF_WAITS, /* calls of kind XTR_CALL_WAIT */
	XTR_FLAME_OF_CALLS,
	XTR_FLAME_OF_TIME /* told by xtr_flame_feed_time */
};

struct xtr_flame_weight_row {
	const char *name, *unit, *speedscope, *title;
	enum xtr_flame_of of;
};

extern const struct xtr_flame_weight_row xtr_flame_weights[XTR_FLAME_WEIGHT_COUNT];

/* What may stand above a stack, in any order, each once. */
enum xtr_flame_root {
	XTR_FLAME_PROCESS,
	XTR_FLAME_RING,
	XTR_FLAME_DEVICE,
	XTR_FLAME_ROOT_COUNT
};

extern const char *const xtr_flame_root_names[XTR_FLAME_ROOT_COUNT];

/* What asks for bytes where nothing else is told: buffers of the Intel NPU are made. */
#define XTR_FLAME_BYTES_CALLS "func:*:ivpu_bo_create*_ioctl"

struct xtr_flame_opts {
	size_t sz; /* sizeof(struct xtr_flame_opts) */
	enum xtr_flame_weight weight;
	enum xtr_flame_root by[XTR_FLAME_ROOT_COUNT];
	size_t n_by;
	/* Of calls: name or glob of the events that begin them. NULL: XTR_FLAME_BYTES_CALLS. */
	const char *calls;
};

/* Of what the weight is of. */
struct xtr_flame_counts {
	uint64_t seen;     /* that were selected */
	uint64_t weighed;  /* of them, with a weight that is known, be it 0 */
	uint64_t bounded;  /* of these, whose execution is only bounded: the upper bound is taken */
	uint64_t at_least; /* ns: the lower bound of all execution */
	uint64_t no_stack; /* of those seen: no stack was recorded, or it is not in the file */
	uint64_t open;     /* begin or end is not in the trace */
	uint64_t lost;     /* records are missing */
};

struct xtr_flame_feed;

/* flame is borrowed. 0 or -ENOMEM. */
int xtr_flame_feed_new(struct xtr_flame_feed **feed, struct xtr_flame *flame,
		       const struct xtr_flame_opts *o);
void xtr_flame_feed_free(struct xtr_flame_feed *feed);
/*
 * What follows is of a section with these tables and selection, and, but for jobs, this model,
 * which has had each event before. They stay the caller's.
 */
void xtr_flame_feed_section(struct xtr_flame_feed *feed, const struct xtr_tables *tables,
			    const struct xtr_select *select, const struct xtr_model *model);
/* A job of the model, in any order; passed over where the weight is not of jobs. 0 or -ENOMEM. */
int xtr_flame_feed_job(struct xtr_flame_feed *feed, const struct xtr_job *j);
/* But for jobs: each event, before the calls that end with it. 0 or -ENOMEM. */
int xtr_flame_feed_event(struct xtr_flame_feed *feed, const struct xtr_event *ev);
/* A call; passed over if it is not of those that are weighed. 0 or -ENOMEM. */
int xtr_flame_feed_call(struct xtr_flame_feed *feed, const struct xtr_call *c);

/* A part of a time. */
struct xtr_flame_time {
	const char *device; /* "": not known */
	const char *mark;   /* a frame below those that --by asks for */
	uint64_t process;   /* replay/event/process.h */
	uint32_t comm;      /* string id; both 0: not known */
	uint64_t ts;        /* ns: when the process had its name */
	uint32_t stack;     /* id, 0: none */
	bool without;       /* there is no stack to be missed */
	uint64_t ns;
};

/* Where the weight is of a time: 0 or -ENOMEM. */
int xtr_flame_feed_time(struct xtr_flame_feed *feed, const struct xtr_flame_time *t);

const struct xtr_flame_counts *xtr_flame_feed_counts(const struct xtr_flame_feed *feed);

/* --- flame feed impl -------------------------------------------------------------------------- */

/* Inside flame_feed.c (jobs and waits) and flame_stack.c (where they end in the tree). */
#define FLAME_JOBS_MAX   65536u /* jobs kept for those who wait for them; the oldest is forgotten */
#define FLAME_BASES      256u   /* remembered: where the stacks of a process and ring begin */
#define FLAME_LEAVES_MAX (1u << 18) /* (base, stack) whose leaf is remembered */
#define FLAME_STACK_MAX  240u       /* frames of a stack; of more, the innermost are left out */

enum flame_end {
	FLAME_WHOLE,
	FLAME_OPEN,
	FLAME_LOST,
	FLAME_ENDS
};

/* What a thing with a weight is filed under. */
struct flame_place {
	const struct xtr_model_ring *ring; /* NULL: of no job in the trace */
	uint64_t process;                  /* replay/event/process.h */
	uint32_t comm;                     /* string id; both 0: not known */
	uint64_t ts;                       /* ns: when the process had its name */
	uint32_t stack;                    /* id, 0: none */
	bool other;                        /* of no job, or no code: it has no stack to be missed */
	const char *device, *mark;         /* of a time, as in struct xtr_flame_time; else NULL */
	enum flame_end end;
};

struct flame_base {
	uint64_t process;
	uint32_t comm, ring_id;
	bool used;
	uint32_t node;
};

/* A job that somebody may wait for. */
struct flame_job {
	struct xtr_recent_entry key;
	uint32_t stack, ring;
};

struct xtr_flame_feed {
	struct xtr_flame *flame;
	struct xtr_flame_opts o;
	struct xtr_flame_counts counts;
	const struct xtr_tables *tables; /* of the section; NULL: none */
	const struct xtr_select *select;
	const struct xtr_model *model;
	struct flame_base base[FLAME_BASES];
	struct xtr_map leaves; /* (base, stack) -> node */
	struct xtr_map frames; /* id of a frame -> frame of the tree */
	struct xtr_recent jobs;
};

/* flame_stack.c: the node in which it ends, made if need be; *stack: its stack is known. -ENOMEM.
 */
int64_t flame_place_node(struct xtr_flame_feed *feed, const struct flame_place *p, bool *stack);
/* Forget what belongs to the section's tables. */
void flame_place_forget(struct xtr_flame_feed *feed);

#endif /* XTR_FLAME_FEED_H */
