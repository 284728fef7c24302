/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Job sources: drivers that do not use the kernel's GPU scheduler tell of their jobs by events of
 * their own. A source binds to events of META by name, keeps bounded state, and turns an event into
 * steps of jobs, which the model takes like the scheduler's events. Its rings have no entry in
 * table `rings`; it declares them (xtr_rings_declare).
 *
 * To add a driver: a row in source_rows.c (source_table.h). One that a row cannot say: a struct
 * xtr_job_source in a file source_NAME.c, and a line in job_source.c.
 */
#ifndef XTR_JOB_SOURCE_H
#define XTR_JOB_SOURCE_H

#include "format/read/merge.h"
#include "replay/event/record.h"
#include "ring.h"

enum xtr_step_kind {
	XTR_STEP_QUEUE,   /* the job begins, in the thread r.tid */
	XTR_STEP_REQUEUE, /* it is queued only now; r.client_id if the flag says so */
	XTR_STEP_RUN,     /* handed to the hardware; begins the job if nothing else did */
	/*
	 * On its way to the hardware since now, whatever its RUN said before; a RUN if there was
	 * none. For jobs that the scheduler's events tell of too: its ring stays the scheduler's.
	 */
	XTR_STEP_HANDED,
	/*
	 * Its fence is signalled, with r.error. Ends the job, and a DONE that follows at once says
	 * when exactly. Begins a job that was not known if `opens`; whoever waits is woken anyway.
	 */
	XTR_STEP_SIGNALED,
	/* Completion reported; begins the job if nothing else did. The scheduler's may follow. */
	XTR_STEP_DONE,
	XTR_STEP_FAILED,   /* it will never run; r.error is why. Again: only the error */
	XTR_STEP_RECYCLED, /* its name in the driver belongs to another job now */
	/*
	 * It has ended, and the hardware's own clock tells when it executed: from start_ns to
	 * ended_ns, of which active_ns. Begins the job if nothing else did; where the scheduler has
	 * reported its end a moment ago, these are its times.
	 */
	XTR_STEP_MEASURED,
	/*
	 * All that there is to know of the job, as somebody has concluded it before (`told`, flags,
	 * r.tid, r.client_id, r.error): the model concludes nothing. Begins the job if nothing else
	 * did, and ends it if told->ended.
	 */
	XTR_STEP_TOLD,
	/* The job waited for the fence r.dep_ctx, r.dep_seqno: dep says from when to when. */
	XTR_STEP_WAITED,
	/*
	 * r is what the scheduler's own program would have recorded (r.type), though another
	 * recorder did; flags are the job's.
	 */
	XTR_STEP_SCHEDULER,
	XTR_STEP_PASSED, /* its run was not seen: one that was queued behind it has been run */
	XTR_STEP_KINDS
};

/* Of TOLD; names and times as in struct xtr_job. */
struct xtr_told {
	uint64_t submit_ns, queue_ns, run_ns, start_ns, done_ns;
	uint64_t exec_min_ns, exec_max_ns, dep_wait_ns;
	uint32_t n_waits, pid, comm; /* 0: not known */
	uint8_t kind, quality;
	bool ended;
};

struct xtr_job_step {
	enum xtr_step_kind kind;
	/* ctx, seqno: the job's name. ring, tid, stream, client_id, error; flags as in the file. */
	struct xtr_gpu_record r;
	uint64_t submit_ns; /* of QUEUE: the submitter called the driver; 0: not known */
	/*
	 * Of a RUN that begins the job: r.tid and r.stack are the submitter's, who queued it then;
	 * 0: they are not.
	 */
	uint64_t queued_ns;
	/*
	 * Of a DONE: it ended then, or, with the flag `late`, had ended by then; 0: now, or by now.
	 * Of MEASURED: the end, not later than now by more than the clocks differ.
	 */
	uint64_t ended_ns;
	uint64_t start_ns;  /* of MEASURED */
	uint64_t active_ns; /* of MEASURED: it had the engine for so long; at most end - start */
	const struct xtr_told *told;        /* of TOLD; the source's, until its next event */
	uint64_t dep_from_ns, dep_until_ns; /* of WAITED; 0: not known */
	uint32_t dep_ring;                  /* of WAITED: ring of the job that ended it; 0: none */
	uint32_t flags;    /* enum xtr_job_flag: those that the job gets; of TOLD all that it has */
	bool result_known; /* r.error is that of the fence */
	bool opens;
	bool ended; /* of DONE: a SIGNALED went before it; of it and MEASURED: it begins no job */
	/*
	 * Of RUN and HANDED: r.tid is the thread that also reports ends which it finds. Of DONE:
	 * if that thread reports it, it had ended at some time before.
	 */
	bool by_thread;
};

#define XTR_STEPS_MAX 32u

struct xtr_job_steps {
	struct xtr_job_step step[XTR_STEPS_MAX];
	size_t n;
};

/* Made-up contexts of jobs without a fence: above those of importers (spec/events.md). */
#define XTR_SOURCE_CONTEXT 2000000000000ull

struct xtr_job_sources;

/* What a source is given to bind to. */
struct xtr_source_env {
	struct xtr_job_sources *sources;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables; /* may be NULL */
	struct xtr_rings *rings;         /* NULL: only types are asked for, not steps */
};

struct xtr_job_source {
	const char *name;
	/* Bind (xtr_source_bind); *self stays NULL if the section has nothing of it. */
	int (*open)(void **self, const struct xtr_source_env *env);
	void (*close)(void *self);
	/* True if a record of a type bound as `role` is the source's. */
	bool (*takes)(void *self, uint32_t role, const uint8_t *rec, uint32_t size);
	/* An event that it takes. Adds steps, all at ev->ts; -errno. */
	int (*event)(void *self, uint32_t role, const struct xtr_event *ev,
		     struct xtr_job_steps *steps);
	/* An event of a type bound as `role` that no source takes. NULL: does not matter. */
	void (*watch)(void *self, uint32_t role, const struct xtr_event *ev);
};

/* Take events of this description; NULL: nothing happens. 0 or -ENOMEM. */
int xtr_source_bind(const struct xtr_source_env *env, const struct xtr_event_desc *d,
		    uint32_t role);
/* The next step, all zero; never NULL: a source knows how many one event makes. */
struct xtr_job_step *xtr_steps_add(struct xtr_job_steps *s, enum xtr_step_kind kind);

/*
 * All sources of a section. *s NULL: it has none (or no META, or no times), which all functions
 * below allow. meta and tables must live as long; rings too, and NULL is allowed.
 */
int xtr_job_sources_open(struct xtr_job_sources **s, const struct xtr_meta *meta,
			 const struct xtr_tables *tables, struct xtr_rings *rings);
void xtr_job_sources_close(struct xtr_job_sources *s);
/* Jobs are told as a whole: the scheduler's events, where there are any, say them again. */
bool xtr_job_sources_told(const struct xtr_job_sources *s);
/* The types that they are bound to. */
const uint32_t *xtr_job_sources_types(const struct xtr_job_sources *s, size_t *n);
/* True if the record is a source's. */
bool xtr_job_sources_take(const struct xtr_job_sources *s, uint32_t type, const uint8_t *rec,
			  uint32_t size);
/* 1: it was a source's, *steps is what it means; 0: not; -errno. */
int xtr_job_sources_event(struct xtr_job_sources *s, const struct xtr_event *ev,
			  struct xtr_job_steps *steps);

#endif /* XTR_JOB_SOURCE_H */
