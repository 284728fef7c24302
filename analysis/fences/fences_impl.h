/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis of fences (docs/fences.md): what fences*.c gather and fences_view.c shows.
 *
 * A fence is (context, seqno). Its driver is told by the name of its operations or, in imported
 * traces, by the tracepoint; its timeline by the tracepoint, or by the ring of the scheduler's job
 * whose fence it is. Of a scheduler's job there are two: scheduled = c, finished = c + 1.
 */
#ifndef XTR_FENCES_IMPL_H
#define XTR_FENCES_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "format/meta/tables.h"
#include "replay/event/event_bind.h"
#include "replay/model/loss_gaps.h"
#include "base/map.h"

#define FENCES_CONTEXTS_MAX 65536u /* beyond, fences are of an unknown source */
#define FENCES_OPEN_MAX     65536u /* beyond, the oldest is not followed any more */
#define FENCES_WAITERS_MAX  4096u  /* (process, context); beyond, waits are of "others" */
#define FENCES_SOURCES_MAX  1024u  /* beyond, "others" */
#define FENCES_HISTS_MAX    16384u /* powers of two of the waits' histograms: 8 MiB */
#define FENCES_RINGS_MAX    1024u
#define FENCES_PAIRS_MAX    4096u
#define FENCES_LAST         256u
#define FENCES_BUSY_MAX     64u   /* stretches kept of a ring */
#define FENCES_LIST_MAX     1000u /* unsignalled fences in JSON */

#define FENCES_UNSIGNALLED_NS 5000000000u /* limits of the findings */
#define FENCES_STALL_PERMILLE 100u

enum fence_kind {
	FENCE_OTHER,
	FENCE_SCHEDULED, /* of a scheduler's job: handed to its driver */
	FENCE_FINISHED,  /* ... and done */
};

struct fence_source {
	char driver[48];    /* "" not known */
	char timeline[112]; /* likewise; of a scheduler's job "device/ring" */
	enum fence_kind kind;
	bool lasting; /* its fences are open for long by design */
	uint64_t contexts, inits, emits, signals, unsignalled;
	uint64_t life_ns, lives, life_max_ns; /* from init to signaled */
};

struct fence_context {
	uint64_t ctx;
	uint32_t driver, timeline, ops; /* string ids, 0: not told */
	uint32_t ring;                  /* id of the scheduler's ring, 0: none */
	enum fence_kind kind;
	uint64_t process;   /* of the last that queued a job in it (replay/event/process.h); 0: not
			       known */
	uint32_t comm;      /* its name */
	bool several;       /* more than one process did */
	bool names_known;   /* its events have nothing more to tell of driver, timeline, ops */
	uint32_t scheduled; /* of the same jobs: index of the context of those fences, 0: none */
	uint64_t inits, emits, signals;
	uint64_t life_ns, lives, life_max_ns;
	uint64_t unnumbered; /* fences made with number 0 that nothing was told of since */
	bool numbers_later;  /* some of them had another number then */
	uint32_t source;     /* at the end */
};

struct fence_open {
	uint64_t ctx, seqno, since_ns;
	uint32_t context, tid; /* index of fence_context; thread that made it */
	uint32_t prev, next;   /* in order of since_ns */
	bool emitted;          /* told by emit, not by init */
	bool listed;           /* at the end: part of the list */
	bool waits_to_run;     /* at the end: the job's scheduled fence is not signalled either */
	bool unsure;           /* at the end: events were lost since */
};

/* Waits of one process for fences of one context; at the end, of one source and owner. */
struct fence_waiter {
	uint64_t process;
	uint32_t tid; /* where the process is not known, else 0 */
	uint32_t comm;
	uint32_t context;
	uint64_t owner;              /* at the end: a process, 0 not known */
	uint32_t source, owner_comm; /* at the end */
	bool several;                /* of owners */
	uint64_t waits, open;
	struct xtr_hist time; /* ns, of waits with begin and end */
};

struct fence_ring {
	uint32_t id;
	char name[112]; /* "device/ring" */
	struct fence_busy {
		uint64_t start, end; /* ns */
	} busy[FENCES_BUSY_MAX];     /* stretches with a job on the hardware */
	uint32_t n_busy, first_busy; /* a circle: the oldest is at first_busy */
	bool forgot;                 /* there were older ones */
};

/* Jobs of one ring that waited for jobs of another. */
struct fence_pair {
	uint32_t ring, blocker_id; /* index of fence_ring; id */
	uint64_t waits, wait_ns;
	uint64_t stalls, stall_ns, max_ns; /* the ring had no job on the hardware meanwhile */
	uint64_t covered_ns;               /* waits up to here are in stall_ns */
	uint64_t at_ns[XTR_FINDING_EVENTS_MAX + 1];
};

struct fences {
	const struct xtr_analysis_opts *o;
	struct xtr_binds binds;
	struct xtr_gaps gaps;
	struct xtr_task_cache tasks;
	bool tells_ops, tells_driver, tells_timeline; /* some event has the field */
	uint64_t end_ns;                              /* at the end: of the last event */

	struct fence_context *context;
	uint32_t n_contexts, cap_contexts;
	struct xtr_map by_ctx;
	struct {
		uint64_t ctx;
		uint32_t index;      /* + 1, 0: none */
	} last_context[FENCES_LAST]; /* by ctx: those asked for last */
	struct fence_source *source;
	uint32_t n_sources;
	struct xtr_map by_source;

	struct fence_open *open;
	uint32_t n_open, cap_open, free_open, first_open, last_open;
	struct xtr_map by_fence;
	uint64_t unfollowed; /* open fences that were too many */
	uint64_t destroyed;  /* destroyed without having been signalled */
	uint32_t *list;      /* at the end: unsignalled ones, oldest first */
	uint32_t n_list;
	uint64_t unsignalled;

	struct fence_waiter *waiter;
	uint32_t n_waiters, cap_waiters;
	struct xtr_map by_waiter;
	uint32_t hist_left;
	uint64_t waits, waits_open;

	struct fence_ring *ring;
	uint32_t n_rings, cap_rings;
	struct xtr_map by_ring;
	struct {
		uint32_t id, index; /* + 1, 0: none */
	} last_ring[FENCES_LAST];   /* by id: those asked for last */
	struct fence_pair *pair;
	uint32_t n_pairs, cap_pairs;
	struct xtr_map by_pair;
};

enum fences_role {
	FENCES_INIT,
	FENCES_EMIT,
	FENCES_SIGNALED,
	FENCES_DESTROY,
	FENCES_NAMED, /* tells of a fence no more than its names */
	FENCES_QUEUE,
};

/* Fields of the fence events, in the order of fences.c's table. */
enum {
	FENCES_CTX,
	FENCES_SEQNO,
	FENCES_OPS,
	FENCES_DRIVER,
	FENCES_TIMELINE,
	FENCES_RING = FENCES_OPS
};

/* fences_source.c */
/* Index of the context, XTR_MAP_NONE if it is not known. */
uint32_t fences_find_context(struct fences *f, uint64_t ctx);
static inline uint32_t fences_known_context(struct fences *f, uint64_t ctx)
{
	uint32_t at = ctx % FENCES_LAST;

	return f->last_context[at].index && f->last_context[at].ctx == ctx
		       ? f->last_context[at].index - 1
		       : fences_find_context(f, ctx);
}
/* Index of the context, made if need be; FENCES_CONTEXTS_MAX: too many; -ENOMEM. */
int64_t fences_context(struct fences *f, uint64_t ctx);
/* What an event of a fence of this context says of it. */
void fences_learn_names(struct fences *f, struct fence_context *c, const struct xtr_bind *b,
			const struct xtr_event *ev);
static inline void fences_learn(struct fences *f, struct fence_context *c, const struct xtr_bind *b,
				const struct xtr_event *ev)
{
	if (!c->names_known)
		fences_learn_names(f, c, b, ev);
}
/* A job whose finished fence is of this context was queued by this thread. 0 or -ENOMEM. */
int fences_learn_job(struct fences *f, uint64_t ctx, uint32_t ring, uint64_t process,
		     uint32_t comm);
/* A job of this context, which is known, was of this process. */
void fences_learn_owner(struct fence_context *c, uint64_t process, uint32_t comm);
/* Each context gets its source. 0 or -ENOMEM. */
int fences_sources(struct fences *f);
/* "drm_sched:0000:03:00.0/gfx, finished". */
char *fences_source_text(const struct fence_source *s, char *buf, size_t cap);

/* fences_open.c: 0 or -ENOMEM. */
int fences_begin(struct fences *f, uint32_t context, const struct xtr_bind *b,
		 const struct xtr_event *ev);
void fences_end(struct fences *f, uint32_t context, const struct xtr_bind *b,
		const struct xtr_event *ev);
int fences_unsignalled(struct fences *f);

/* fences_wait.c: 0 or -ENOMEM. */
int fences_wait(struct fences *f, const struct xtr_call *c);
int fences_waiters(struct fences *f);

/* fences_stall.c: 0 or -ENOMEM. */
int fences_job(struct fences *f, const struct xtr_job *j);
/* A job of another process than those that were asked for: it only keeps its ring busy. */
int fences_others(struct fences *f, const struct xtr_job *j);
int fences_stalls(struct fences *f);
/* "device/ring". */
const char *fences_ring_text(const struct fences *f, uint32_t id, char *buf, size_t cap);

/* fences_view.c */
int fences_text(const void *self, const struct xtr_view *v);
void fences_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const fences_tables[];

/* Room for one more in an array of elements of `size` bytes. 0 or -ENOMEM. */
int fences_grow(void **array, uint32_t n, uint32_t *cap, size_t size);

#endif /* XTR_FENCES_IMPL_H */
