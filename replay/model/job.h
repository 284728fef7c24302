/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job as the model hands it out: what one driver job did, and how well each time is known. All
 * times are ns on the event clock; 0 means not known.
 *
 * Times of one job: queue <= run <= start <= done.
 *   submit   the submitter called the driver; with drm_sched alone this is the queue event
 *   queue    put into the entity's software queue
 *   run      handed to the driver's run_job()
 *   start    execution began (never known by itself: exact or inferred, see quality; of a bounded
 * job only where completions come in batches and the ring was idle when it was run)
 *   done     the hardware's fence was signalled, by its own time stamp; where the trace does not
 * have that, when the scheduler or the driver reported it residence = done - run; execution = done
 * - start; queue wait = run - queue (dependency wait is a part of it); hardware wait = start - run.
 */
#ifndef XTR_JOB_H
#define XTR_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifier, text in output, what it means. A job of the kernel's own is `kernel` on any engine.
 */
#define XTR_JOB_KINDS(X)                                   \
	X(GPU, "gpu", "work of a user on a GPU engine")    \
	X(NPU, "npu", "work of a user on an NPU")          \
	X(COPY, "copy", "work of a user on a copy engine") \
	X(KERNEL, "kernel", "work of the kernel itself")

/* How start and end of the execution are known. In order from best to worst. */
#define XTR_QUALITIES(X)                                                                          \
	X(EXACT, "exact", "measured, or the hardware has one job at a time")                      \
	X(INFERRED, "inferred", "in-order ring: start is the later of run and the previous done") \
	X(BOUNDED, "bounded", "execution lies somewhere between run and done")                    \
	X(OPEN, "open", "start or end is not in the trace")                                       \
	X(LOST, "lost", "records of the job are missing")

/* Bit, text in output, what it means. */
#define XTR_JOB_FLAGS(X)                                                                           \
	X(BATCH, 0, "batch", "completed together with others in one interrupt")                    \
	X(BATCH_FIRST, 1, "batch-first", "first of such a batch")                                  \
	X(OVERTOOK, 2, "overtook", "completed while an older job of the ring had not")             \
	X(OVERTAKEN, 3, "overtaken", "a younger job of the ring completed earlier")                \
	X(KILLED, 4, "killed", "its fence was signalled with an error and it was never run")       \
	X(ERROR, 5, "error", "its fence was signalled with an error")                              \
	X(TIMEOUT, 6, "timeout", "the error is a timeout")                                         \
	X(FENCE_DONE, 7, "fence-done", "no done event: done is when the fence was signalled")      \
	X(NO_QUEUE, 8, "no-queue", "no queue event: submitter not known")                          \
	X(NO_RUN, 9, "no-run", "no run event")                                                     \
	X(NO_DONE, 10, "no-done", "no done event")                                                 \
	X(GAP, 11, "gap", "events were lost while the job was in flight")                          \
	X(RECYCLED, 12, "recycled", "closed because its name was used again")                      \
	X(EVICTED, 13, "evicted", "closed because too many jobs were open")                        \
	X(MORE_DEPS, 14, "more-deps", "waited for more dependencies than are listed")              \
	X(KEY_INFERRED, 15, "key-inferred", "context and seqno are made up")                       \
	X(SHARED, 16, "shared", "another client had jobs on the engine at the same time")          \
	X(BY_ORDER, 17, "by-order", "which job completed is not recorded: the oldest is taken")    \
	X(PREEMPTED, 18, "preempted", "taken off the engine before it was done")                   \
	X(LATE, 19, "late", "when it completed is not known: by done it had")                      \
	X(LATE_REPORT, 20, "late-report",                                                          \
	  "reported later than the hardware's fence was signalled")                                \
	X(BY_WORKER, 21, "by-worker", "the thread that ran it reported its end, maybe late")       \
	X(NO_FENCE, 22, "no-fence", "the driver gave no fence: done says nothing of the hardware") \
	X(ORDER_UNKNOWN, 23, "order-unknown",                                                      \
	  "overlapped another job, and its ring may run them side by side")                        \
	X(BEFORE, 24, "before", "began in the piece before this one")                              \
	X(AFTER, 25, "after", "goes on in the next piece")                                         \
	X(MEASURED, 26, "measured", "start and end are the hardware's own times")

enum xtr_job_kind {
#define XTR_KIND_ENUM(id, text, help) XTR_KIND_##id,
	XTR_JOB_KINDS(XTR_KIND_ENUM)
#undef XTR_KIND_ENUM
	XTR_KIND_COUNT
};

enum xtr_quality {
#define XTR_QUALITY_ENUM(id, text, help) XTR_QUALITY_##id,
	XTR_QUALITIES(XTR_QUALITY_ENUM)
#undef XTR_QUALITY_ENUM
	XTR_QUALITY_COUNT
};

enum xtr_job_flag {
#define XTR_FLAG_ENUM(id, bit, text, help) XTR_FLAG_##id = 1 << (bit),
	XTR_JOB_FLAGS(XTR_FLAG_ENUM)
#undef XTR_FLAG_ENUM
};

#define XTR_JOB_DEPS_MAX 16u /* dependencies kept per job; n_waits counts all */

/* A dependency that kept a job from running. */
struct xtr_dep {
	uint64_t ctx, seqno; /* the fence; of a scheduler's job: its finished fence */
	uint64_t from_ns, until_ns;
	uint32_t ring_id; /* ring of the job waited for; 0: no scheduler job in the trace */
	bool scheduled;   /* waited until that job was run, not until it was done */
};

struct xtr_model_ring;

struct xtr_job_name { /* a job's finished fence; all 0: no job */
	uint64_t ctx, seqno;
};

static inline bool xtr_job_name_same(const struct xtr_job_name *a, const struct xtr_job_name *b)
{
	return a->ctx == b->ctx && a->seqno == b->seqno;
}

static inline bool xtr_job_name_any(const struct xtr_job_name *a)
{
	return a->ctx || a->seqno;
}

struct xtr_job {
	uint64_t ctx, seqno; /* finished fence: the job's name */
	uint64_t client_id;
	uint64_t submit_ns, queue_ns, run_ns, start_ns, done_ns;
	uint64_t exec_min_ns, exec_max_ns; /* equal if start is known */
	uint64_t serial_start_ns;          /* start if the ring executes in order */
	/*
	 * On the hardware for certain, and in this section: from run to done; of a job over the
	 * border of a piece (flags) up to the border, or from there on. 0 0: not known.
	 */
	uint64_t busy_from_ns, busy_to_ns;
	/*
	 * On a ring whose jobs overlap, done - floor is the lower bound of the execution: the
	 * latest done on the whole device before this one, or run, and what a report takes; done:
	 * no lower bound is known.
	 */
	uint64_t floor_ns;
	uint64_t dep_wait_ns;
	const struct xtr_model_ring *ring; /* never NULL */
	/*
	 * The jobs that these figures rest on: the ring's and the device's last to end before this
	 * one, where they ended while it was on the hardware (or in its batch); the first that
	 * overtook it, the last that it overtook. All 0: none.
	 */
	struct xtr_job_name prev, floor, overtaker, overtook;
	const struct xtr_dep *deps;
	uint32_t n_deps, n_waits;
	uint32_t tid, pid; /* pid 0: not known (in an imported trace) */
	uint32_t nth;      /* which process of that number (process.h) */
	uint32_t comm;     /* string id, 0: not known */
	uint32_t stack;    /* id of the submitter's stack in table stacks, 0: not recorded */
	uint32_t stream;   /* CPU of the done event */
	int32_t error;     /* of the finished fence; valid if result_known */
	int32_t prio;      /* of its queue (replay/event/priority.h); valid if prio_known */
	uint32_t flags;    /* enum xtr_job_flag */
	uint8_t kind, quality;
	bool client_known, result_known, prio_known, kthread;
	bool aside;  /* not to be shown: other jobs' figures rest on it */
	bool others; /* aside, as it is of a process that the recording is not about (record -p) */
};

const char *xtr_job_kind_name(unsigned int kind);
const char *xtr_quality_name(unsigned int quality);
const char *xtr_quality_help(unsigned int quality);
/* Text of one flag bit, NULL if there is none. */
const char *xtr_job_flag_name(unsigned int bit);
const char *xtr_job_flag_help(unsigned int bit);

/* 1 if done - run is known. */
static inline int xtr_job_resided(const struct xtr_job *j)
{
	return j->run_ns && j->done_ns;
}

/* When the first of it is known to have happened: its submission, if that was recorded; ns. */
static inline uint64_t xtr_job_first_ns(const struct xtr_job *j)
{
	return j->submit_ns ?: j->queue_ns ?: j->run_ns;
}

/*
 * 1 if it is known when its dependency waits ended. Of a job whose run event was lost the last wait
 * is cut off only by the end of the trace.
 */
static inline int xtr_job_waits_known(const struct xtr_job *j)
{
	return j->quality != XTR_QUALITY_LOST || j->run_ns;
}

#endif /* XTR_JOB_H */
