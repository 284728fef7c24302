/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The built-in events (spec/events.md): the one statement of their numbers, names and fields. From
 * it come the records that BPF programs write (struct xtr_rec_*), the table of META (schema.c), and
 * the places from which decoders read (XTR_AT, XTR_GET). Includes nothing, so that programs in the
 * kernel can include it; tests/spec compares it with the specification.
 */
#ifndef XTR_BUILTIN_EVENTS_H
#define XTR_BUILTIN_EVENTS_H

/* X(identifier, number, name, fields) */
#define XTR_BUILTIN_EVENTS(X)                                                          \
	X(JOB_QUEUE, 16, "gpu_scheduler:drm_sched_job_queue", job_queue)               \
	X(JOB_RUN, 17, "gpu_scheduler:drm_sched_job_run", job_run)                     \
	X(JOB_DONE, 18, "gpu_scheduler:drm_sched_job_done", job_done)                  \
	X(JOB_WAIT_DEP, 19, "gpu_scheduler:drm_sched_job_wait_dep", job_dep)           \
	X(JOB_ADD_DEP, 20, "gpu_scheduler:drm_sched_job_add_dep", job_dep)             \
	X(JOB_UNSCHEDULABLE, 21, "gpu_scheduler:drm_sched_job_unschedulable", job_dep) \
	X(FENCE_INIT, 24, "dma_fence:dma_fence_init", fence)                           \
	X(FENCE_EMIT, 25, "dma_fence:dma_fence_emit", fence)                           \
	X(FENCE_ENABLE_SIGNAL, 26, "dma_fence:dma_fence_enable_signal", fence)         \
	X(FENCE_SIGNALED, 27, "dma_fence:dma_fence_signaled", fence)                   \
	X(FENCE_WAIT_START, 28, "dma_fence:dma_fence_wait_start", fence)               \
	X(FENCE_WAIT_END, 29, "dma_fence:dma_fence_wait_end", fence)                   \
	X(FENCE_DESTROY, 30, "dma_fence:dma_fence_destroy", fence)                     \
	/* the recorder's own: what was counted, not recorded one by one */            \
	X(TOTAL, 31, "xtr:total", total)                                               \
	/* the recorder's own: at which level it records, and why */                   \
	X(BUDGET, 32, "xtr:budget", budget)                                            \
	/* record --idle-stacks: what CPUs do, and threads that submit jobs */         \
	X(CPU_SAMPLE, 33, "xtr:cpu_sample", cpu_sample)                                \
	X(THREAD_OFF, 34, "xtr:thread_off", thread_off)                                \
	X(THREAD_ON, 35, "xtr:thread_on", thread_on)

/* Flags of scheduler events: X(identifier, bit, name). */
#define XTR_BUILTIN_FLAGS(X)                 \
	X(KTHREAD, 0, "kthread")             \
	X(CLIENT_KNOWN, 1, "client-known")   \
	X(DEP_SIGNALED, 2, "dep-signaled")   \
	X(DEP_SCHEDULED, 3, "dep-scheduled") \
	X(HW_FENCE, 4, "hw-fence")           \
	X(HW_SIGNALED, 5, "hw-signaled")     \
	X(OTHERS, 6, "others")

/*
 * Fields: X(record, name, representation, unit or NULL, names of its values). Each lies behind the
 * one before it, at its natural alignment; the first begins behind the header.
 */
#define XTR_FIELDS_job_queue(X, s)            \
	X(s, ctx, U64, NULL, NONE)            \
	X(s, seqno, U64, NULL, NONE)          \
	X(s, client_id, U64, NULL, NONE)      \
	X(s, ring, RING, NULL, NONE)          \
	X(s, job_count, U32, "jobs", NONE)    \
	X(s, hw_job_count, S32, "jobs", NONE) \
	X(s, stack, STACK, NULL, NONE)        \
	X(s, flags, U32, NULL, JOB_FLAGS)     \
	X(s, prio, S32, NULL, NONE)

#define XTR_FIELDS_job_run(X, s)              \
	X(s, ctx, U64, NULL, NONE)            \
	X(s, seqno, U64, NULL, NONE)          \
	X(s, ring, RING, NULL, NONE)          \
	X(s, job_count, U32, "jobs", NONE)    \
	X(s, hw_job_count, S32, "jobs", NONE) \
	X(s, flags, U32, NULL, JOB_FLAGS)

#define XTR_FIELDS_job_done(X, s)             \
	X(s, ctx, U64, NULL, NONE)            \
	X(s, seqno, U64, NULL, NONE)          \
	X(s, ring, RING, NULL, NONE)          \
	X(s, hw_job_count, S32, "jobs", NONE) \
	X(s, hw_ctx, U64, NULL, NONE)         \
	X(s, hw_seqno, U64, NULL, NONE)       \
	X(s, hw_age, U64, "ns", NONE)         \
	X(s, hw_error, S32, "errno", NONE)    \
	X(s, flags, U32, NULL, JOB_FLAGS)

#define XTR_FIELDS_job_dep(X, s)         \
	X(s, ctx, U64, NULL, NONE)       \
	X(s, seqno, U64, NULL, NONE)     \
	X(s, dep_ctx, U64, NULL, NONE)   \
	X(s, dep_seqno, U64, NULL, NONE) \
	X(s, ring, RING, NULL, NONE)     \
	X(s, flags, U32, NULL, JOB_FLAGS)

#define XTR_FIELDS_fence(X, s)                          \
	X(s, ctx, U64, NULL, NONE)                      \
	X(s, seqno, U64, NULL, NONE)                    \
	/* in the ring: id of a fence_ops definition */ \
	X(s, ops, STRID, NULL, NONE)                    \
	X(s, error, S32, "errno", NONE)

/* With stacks, the fence events that begin something are longer: init and wait_start. */
#define XTR_FIELDS_fence_stack(X, s) XTR_FIELDS_fence(X, s) X(s, stack, STACK, NULL, NONE)

#define XTR_FIELDS_total(X, s)            \
	X(s, event, STRID, NULL, NONE)    \
	X(s, tgid, U32, NULL, NONE)       \
	X(s, field, STRID, NULL, NONE)    \
	X(s, subfield, STRID, NULL, NONE) \
	X(s, key, HEX64, NULL, NONE)      \
	X(s, subkey, HEX64, NULL, NONE)   \
	X(s, count, U64, "events", NONE)  \
	X(s, taken, U64, "events", NONE)  \
	X(s, other, U32, NULL, NONE)      \
	X(s, interim, U32, NULL, NONE)

#define XTR_FIELDS_budget(X, s)         \
	X(s, before, U32, NULL, LEVELS) \
	X(s, level, U32, NULL, LEVELS)  \
	X(s, share, U32, "ppm", NONE)   \
	X(s, budget, U32, "ppm", NONE)  \
	X(s, elapsed, U64, "ns", NONE)  \
	X(s, filtered, U64, "events", NONE)

#define XTR_FIELDS_cpu_sample(X, s)      \
	X(s, period, U32, "ns", NONE)    \
	X(s, stack, STACK, NULL, NONE)   \
	X(s, idle, U32, "samples", NONE) \
	X(s, missed, U32, "samples", NONE)

#define XTR_FIELDS_thread_off(X, s)  \
	X(s, state, U32, NULL, NONE) \
	X(s, stack, STACK, NULL, NONE)

#define XTR_FIELDS_thread_on(X, s)    \
	X(s, off, U64, "ns", NONE)    \
	X(s, waited, U64, "ns", NONE) \
	X(s, state, U32, NULL, NONE)  \
	X(s, known, U32, NULL, KNOWN)

enum xtr_event_type {
#define XTR_BUILTIN_NUMBER(id, number, name, fields) XTR_EV_##id = number,
	XTR_BUILTIN_EVENTS(XTR_BUILTIN_NUMBER)
#undef XTR_BUILTIN_NUMBER
};

enum xtr_job_flags {
#define XTR_JOB_FLAG(id, bit, name) XTR_JOB_##id = 1 << (bit),
	XTR_BUILTIN_FLAGS(XTR_JOB_FLAG)
#undef XTR_JOB_FLAG
};

struct xtr_rec { /* spec 5: every record starts so */
	__UINT64_TYPE__ ts;
	unsigned short type;
	unsigned short size;
	unsigned int tid;
};

#define XTR_CTYPE_U64                               __UINT64_TYPE__
#define XTR_CTYPE_HEX64                             __UINT64_TYPE__
#define XTR_CTYPE_U32                               unsigned int
#define XTR_CTYPE_S32                               int
#define XTR_CTYPE_RING                              unsigned int
#define XTR_CTYPE_STACK                             unsigned int
#define XTR_CTYPE_STRID                             unsigned int
#define XTR_MEMBER(record, name, repr, unit, names) XTR_CTYPE_##repr name;
#define XTR_RECORD(record)                              \
	struct xtr_rec_##record {                       \
		struct xtr_rec h;                       \
		XTR_FIELDS_##record(XTR_MEMBER, record) \
	}

XTR_RECORD(job_queue);
XTR_RECORD(job_run);
XTR_RECORD(job_done);
XTR_RECORD(job_dep);
XTR_RECORD(fence);
XTR_RECORD(total);
XTR_RECORD(budget);
XTR_RECORD(cpu_sample);
XTR_RECORD(thread_off);
XTR_RECORD(thread_on);

/* Ends in 4 bytes that are 0. */
struct xtr_rec_fence_stack {
	struct xtr_rec h;
	XTR_FIELDS_fence_stack(XTR_MEMBER, fence_stack) unsigned int reserved;
};

/* Where a field of a record begins and ends, and its size: bytes. */
#define XTR_REC_AT(record, field)    __builtin_offsetof(struct xtr_rec_##record, field)
#define XTR_REC_BYTES(record, field) sizeof(((struct xtr_rec_##record *)0)->field)
#define XTR_REC_END(record, field)   (XTR_REC_AT(record, field) + XTR_REC_BYTES(record, field))

#endif /* XTR_BUILTIN_EVENTS_H */
