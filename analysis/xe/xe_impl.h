/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the analysis of the driver xe (docs/xe.md): what the xe_*.c gather and show. */
#ifndef XTR_XE_IMPL_H
#define XTR_XE_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/agg.h"
#include "analysis/core/label.h"
#include "analysis/core/hist.h"
#include "replay/event/event_bind.h"
#include "base/map.h"

#define XE_DEVICES_MAX   16u
#define XE_QUEUES_MAX    4096u /* lives of queues; events of further ones are only counted */
#define XE_JOBS_MAX      32768u
#define XE_FENCES_MAX    64u   /* created, and not yet of a job */
#define XE_WIDTH_MAX     8u    /* hardware fences of one job */
#define XE_ROWS_MAX      1024u /* of each list that follows */
#define XE_TLB_OPEN_MAX  4096u
#define XE_HIST_GROUPS   65536u /* powers of two (512 bytes) in all histograms of queues */
#define XE_CLASSES       7u     /* the driver's numbers 0 to 5, and one for all others */
#define XE_CLASS_UNKNOWN UINT32_MAX

/*
 * A job that is over so soon after it was handed to the driver did not execute in between: such are
 * those of long-running queues on kernels where their run_job() returns no fence.
 */
#define XE_INSTANT_NS 1000000u

/* Identifier, what it is called in JSON, event without "xe:xe_", what it is for people. */
#define XE_JOB_KINDS(X)                               \
	X(CREATE, "created", "sched_job_create")      \
	X(EXEC, "jobs", "sched_job_exec")             \
	X(RUN, "runs", "sched_job_run")               \
	X(FREE, "freed", "sched_job_free")            \
	X(TIMEDOUT, "timeouts", "sched_job_timedout") \
	X(SET_ERROR, "errors", "sched_job_set_error") \
	X(BAN, "bans", "sched_job_ban")

/* Those that are told of by queue; the others only bound its life or are counted by event. */
#define XE_QUEUE_KINDS(X)                                                    \
	X(CREATE, "creates", "exec_queue_create")                            \
	X(CREATE_MULTI, "creates_multi", "exec_queue_create_multi_queue")    \
	X(SUBMIT, "submits", "exec_queue_submit")                            \
	X(RESUBMIT, "resubmits", "exec_queue_resubmit")                      \
	X(REGISTER, "registers", "exec_queue_register")                      \
	X(DEREGISTER, "deregisters", "exec_queue_deregister")                \
	X(DEREGISTER_DONE, "deregisters_done", "exec_queue_deregister_done") \
	X(ENABLE, "scheduling_enables", "exec_queue_scheduling_enable")      \
	X(DISABLE, "scheduling_disables", "exec_queue_scheduling_disable")   \
	X(SCHED_DONE, "scheduling_done", "exec_queue_scheduling_done")       \
	X(CLOSE, "closes", "exec_queue_close")                               \
	X(KILL, "kills", "exec_queue_kill")                                  \
	X(CLEANUP, "cleanups", "exec_queue_cleanup_entity")                  \
	X(LR_CLEANUP, "lr_cleanups", "exec_queue_lr_cleanup")                \
	X(DESTROY, "destroys", "exec_queue_destroy")                         \
	X(STOP, "stops", "exec_queue_stop")                                  \
	X(SUPPRESS, "suppressed_resumes", "exec_queue_supress_resume")       \
	X(MAX_JOBS, "max_job_counts", "exec_queue_reach_max_job_count")      \
	X(RESET, "resets", "exec_queue_reset")                               \
	X(CAT_ERROR, "memory_cat_errors", "exec_queue_memory_cat_error")     \
	X(CGP_ERROR, "cgp_context_errors", "exec_queue_cgp_context_error")

#define XE_POWER_KINDS(X)                                            \
	X(RUNTIME_SUSPEND, "runtime_suspends", "pm_runtime_suspend") \
	X(RUNTIME_RESUME, "runtime_resumes", "pm_runtime_resume")    \
	X(SUSPEND, "suspends", "pm_suspend")                         \
	X(RESUME, "resumes", "pm_resume")                            \
	X(GET, "runtime_gets", "pm_runtime_get")                     \
	X(GET_IOCTL, "runtime_gets_ioctl", "pm_runtime_get_ioctl")   \
	X(PUT, "runtime_puts", "pm_runtime_put")

#define XE_ENUM_JOB(id, key, event)   XE_JOB_##id,
#define XE_ENUM_QUEUE(id, key, event) XE_QUEUE_##id,
#define XE_ENUM_POWER(id, key, event) XE_POWER_##id,
enum xe_job_kind {
	XE_JOB_KINDS(XE_ENUM_JOB) XE_JOB_KIND_COUNT
};
enum xe_queue_kind {
	XE_QUEUE_KINDS(XE_ENUM_QUEUE) XE_QUEUE_KIND_COUNT
};
enum xe_power_kind {
	XE_POWER_KINDS(XE_ENUM_POWER) XE_POWER_KIND_COUNT
};

enum xe_fence_kind {
	XE_FENCE_CREATE,
	XE_FENCE_SIGNAL,
	XE_FENCE_TRY
};
enum xe_bo_kind {
	XE_BO_CREATE,
	XE_BO_VALIDATE,
	XE_BO_FAULT,
	XE_BO_KIND_COUNT
};
enum xe_direction {
	XE_H2G,
	XE_G2H
};
enum xe_tlb_kind {
	XE_TLB_SEND,
	XE_TLB_RECV,
	XE_TLB_SIGNAL,
	XE_TLB_TIMEOUT,
	XE_TLB_KIND_COUNT
};

/*
 * One life of a queue: the driver's number (guc_id) is used again after it. from_ns: of its first
 * event; to_ns: when its number was given back, 0: it was not.
 */
struct xe_queue {
	uint32_t dev, gt, guc, class, width;
	uint64_t process; /* replay/event/process.h; 0: not known */
	uint32_t comm;
	uint32_t older; /* the life of this number before, or XTR_MAP_NONE */
	uint64_t from_ns, to_ns;
	uint32_t creations; /* bits of the kinds of creation that are in the trace */
	bool ended;         /* no job can come any more */
	uint64_t job[XE_JOB_KIND_COUNT], event[XE_QUEUE_KIND_COUNT];
	uint64_t first_ns[XE_QUEUE_KIND_COUNT]; /* of a kind */
	uint64_t job_first_ns[XE_JOB_KIND_COUNT];
	int32_t first_error;
	uint64_t done; /* jobs with run and end */
	uint64_t
		unsignaled; /* jobs that were freed, and whose hardware fence was never signalled */
	uint64_t open;      /* jobs that are neither */
	uint64_t instant;   /* jobs over within XE_INSTANT_NS */
	uint64_t instant_ns; /* when the first of them was run */
	uint64_t busy_ns, prev_done;
	struct xtr_hist residence, wait;
};

struct xe_job {
	uint32_t queue, seqno;
	uint32_t next, prev; /* in order of creation; next: free list */
	uint32_t fences;     /* hardware fences that are not signalled */
	uint32_t n_ctx;      /* hardware fences; their contexts */
	uint64_t ctx[XE_WIDTH_MAX];
	uint64_t pointer; /* of its fence, 0: not known */
	uint64_t exec_ns, run_ns;
	bool counted; /* in the window, and of a selected process */
	bool done;
};

struct xe_fence {
	uint64_t ctx, pointer;
	uint32_t seqno, tid, dev;
	bool used; /* false: free */
};

/* Engines of one class of one device. */
struct xe_class {
	uint64_t queues, jobs, residence_ns;
	struct xtr_busy busy;
};

struct xe_device {
	struct xe_class class[XE_CLASSES];
	uint64_t bo[XE_BO_KIND_COUNT], bytes[XE_BO_KIND_COUNT];
	uint64_t power[XE_POWER_KIND_COUNT];
	uint64_t asleep_ns, asleep_since; /* since: 0 if it is not asleep */
	uint64_t flow[2], flow_min[2];
	uint64_t tlb[XE_TLB_KIND_COUNT], tlb_first_timeout;
	struct xtr_hist tlb_time;
};

struct xe_user { /* of memory */
	uint64_t process;
	uint32_t dev, comm;
	uint64_t bo[XE_BO_KIND_COUNT], bytes[XE_BO_KIND_COUNT];
};

struct xe_move {
	uint32_t dev, from, to; /* numbers of places */
	uint64_t n, bytes, lacks_source;
};

struct xe_space { /* of virtual memory: an event of this name */
	uint32_t dev;
	const struct xtr_event_desc *desc;
	uint64_t n, bytes;
};

struct xe_message {
	uint32_t dev, gt, direction, action;
	uint64_t n, dwords;
};

struct xe_ticks { /* of a context's or engine's clock */
	uint32_t dev, name;
	bool engine; /* total is known */
	uint64_t n, active, total;
	uint64_t last_active, last_total;
};

struct xe_tlb {
	uint64_t fence, sent_ns;
	uint32_t dev, next;
};

struct xe_rows { /* a list with an index */
	void *row;
	uint32_t n;
	struct xtr_map by_key;
	uint64_t left_out; /* for want of room */
};

struct xe {
	const struct xtr_analysis_opts *o;
	struct xtr_binds binds;
	bool has_signals; /* the trace has events for signals of hardware fences */
	bool any;
	uint64_t gaps, now;
	struct xtr_labels devices, places, clocks;
	struct xe_device device[XE_DEVICES_MAX];
	struct xe_queue *queue;
	uint32_t n_queues, cap_queues;
	struct xtr_map by_guc;
	uint64_t queues_left_out; /* events of queues beyond the most */
	struct xe_queue rest;     /* their counts by kind: what failed is found all the same */
	struct xe_job *job;
	uint32_t n_jobs, free_jobs, head, tail;
	struct xtr_map by_seqno, by_pointer, by_fence;
	uint64_t evicted, orphans; /* jobs; signals of no known job */
	uint64_t try_signals;
	struct xe_fence fence[XE_FENCES_MAX];
	uint32_t next_fence;
	uint32_t hist_left;
	struct xe_rows users, moves, spaces, messages, ticks;
	struct xe_tlb *tlb;
	uint32_t n_tlb, free_tlb;
	struct xtr_map tlb_by_fence;
	struct xtr_event_counts counts;
};

/* A row of size bytes under this key; NULL and *ret 0: there is no room, else -ENOMEM. */
void *xe_row(struct xe_rows *r, uint64_t a, uint64_t b, size_t size, bool *is_new, int *ret);
/* Number of the device whose name the event has in field i. -ENOMEM. */
int64_t xe_device_of(struct xe *x, const struct xtr_bind *b, uint32_t i,
		     const struct xtr_event *ev);

/* Events of a class, by kind. What is not inside is only for the state. */
int xe_job_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		 bool inside);
int xe_queue_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside);
int xe_fence_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside);
int xe_bo_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		bool inside);
int xe_move_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		  bool inside);
int xe_space_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside);
int xe_message_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		     uint32_t kind, bool inside);
int xe_flow_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		  bool inside);
int xe_tlb_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		 bool inside);
int xe_power_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside);
int xe_ticks_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside);

/* The present life of this number, made if there is none; NULL and *ret 0: no room. */
struct xe_queue *xe_queue_of(struct xe *x, uint32_t dev, uint32_t gt, uint32_t guc,
			     const struct xtr_event *ev, int *ret);
/* Place of a class in struct xe_device. */
uint32_t xe_class_index(uint32_t class);
/* "render"; "class 9"; "-" if it is not known. */
const char *xe_class_text(uint32_t class, char buf[32]);
/* "rcs12", what the scheduler calls the queue; "guc 12" where its class is not known. */
const char *xe_queue_name(const struct xe_queue *q, char buf[32]);
/* All jobs of the queue that ended were over at once. */
bool xe_queue_instant(const struct xe_queue *q);
/* What the driver calls an action of its firmware, NULL if it is not in the table. */
const char *xe_action_name(uint32_t action);
/* The trace's end: what is open stays open. */
void xe_jobs_finish(struct xe *x);

int xe_findings(struct xe *x);
int xe_text(const void *self, const struct xtr_view *v);
void xe_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const xe_tables[];

#endif /* XTR_XE_IMPL_H */
