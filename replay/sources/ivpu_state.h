/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the source of Intel NPU jobs remembers: jobs between creation and done, and threads that are
 * creating or completing one. Bounded: the oldest job is forgotten when there are too many, and all
 * threads if there are (a file in which no call ends).
 */
#ifndef XTR_IVPU_STATE_H
#define XTR_IVPU_STATE_H

#include "base/map.h"
#include "replay/model/job_source.h"

#include <stdbool.h>

#define IVPU_NONE        XTR_MAP_NONE
#define IVPU_JOBS_MAX    65536u
#define IVPU_THREADS_MAX 16384u

struct ivpu_job {
	uint64_t ctx, seqno; /* its name in the model */
	uint32_t ctx_id, job_id, engine;
	uint32_t next, prev; /* by age; next: free list */
	bool created;        /* vpu:job create was seen: ctx_id and engine are known */
	bool has_id;         /* between submit and done */
	bool run;            /* handed to the hardware */
	bool made_up;        /* no fence: the name is made up */
	bool ended;          /* its fence was signalled */
};

struct ivpu_thread {
	uint64_t submit_ns;          /* the ioctl was entered; 0: it is not in one */
	uint32_t stack;              /* id of its stack then; 0: not recorded */
	uint64_t sig_ctx, sig_seqno; /* the fence that it signalled last */
	uint64_t job_ctx, job_seqno; /* the job that it created last and did not submit */
	int32_t error;               /* of that fence */
	bool signaled, has_job;
	bool got_job; /* the ioctl has made a job */
	uint32_t tid;
	uint32_t next; /* free list */
};

struct ivpu_state { /* from ivpu_state_init */
	struct ivpu_job *job;
	struct ivpu_thread *thread;
	struct xtr_map by_name, by_id, by_tid;
	uint32_t n_jobs, cap_jobs, n_threads, cap_threads, n_open;
	uint32_t free_job, free_thread;
	uint32_t oldest, youngest;
};

void ivpu_state_init(struct ivpu_state *s);
void ivpu_state_free(struct ivpu_state *s);

/* Index of the job, or IVPU_NONE. */
uint32_t ivpu_by_name(const struct ivpu_state *s, uint64_t ctx, uint64_t seqno);
uint32_t ivpu_by_id(const struct ivpu_state *s, uint32_t ctx_id, uint32_t job_id);
/* A new job of this name; another one that has it is forgotten. Index or -ENOMEM. */
int64_t ivpu_job_new(struct ivpu_state *s, uint64_t ctx, uint64_t seqno);
/* The job has this id from now on. 0 or -ENOMEM. */
int ivpu_job_set_id(struct ivpu_state *s, uint32_t i, uint32_t ctx_id, uint32_t job_id);
void ivpu_job_forget(struct ivpu_state *s, uint32_t i);

/* The thread's state, NULL if there is none. */
struct ivpu_thread *ivpu_thread_find(struct ivpu_state *s, uint32_t tid);
/* The same, made if need be; NULL: no memory. Other threads' pointers are gone. */
struct ivpu_thread *ivpu_thread_get(struct ivpu_state *s, uint32_t tid);
/* Forget it if nothing is left to remember; t may be NULL. */
void ivpu_thread_put(struct ivpu_state *s, struct ivpu_thread *t);

/* --- ivpu bind -------------------------------------------------------------------------------- */

/* Inside the source of Intel NPU jobs: which events of a section it is bound to, and their fields.
 */
#define IVPU_DRIVER  "intel_vpu"
#define IVPU_ENGINES 4u

enum ivpu_role {
	ROLE_JOB,
	ROLE_INIT,
	ROLE_SIGNALED,
	ROLE_SUBMIT,
	ROLE_SUBMIT_RET,
	ROLE_DOORBELL,
	ROLE_COMPLETE,
	ROLES
};

enum ivpu_stage {
	STAGE_OTHER,
	STAGE_CREATE,
	STAGE_SUBMIT,
	STAGE_DONE
};

struct fence_fields {
	const struct xtr_field *ctx, *seqno, *owner, *error;
};

struct ivpu {
	struct ivpu_state s;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	const struct xtr_field *event, *ctx_id, *engine_id, *job_id; /* vpu:job; NULL: not usable */
	struct fence_fields init, sig;
	const struct xtr_event_desc *ret[2]; /* of the ioctls */
	bool jobs, fences, doorbell;         /* what there is */
	uint32_t ring[IVPU_ENGINES];
};

/* As in struct xtr_job_source; *self is set even if there was an error. */
int ivpu_open(void **self, const struct xtr_source_env *env);
void ivpu_close(void *self);
bool ivpu_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size);

/* The value of a number field, 0 if f is NULL. */
uint64_t ivpu_number(const struct xtr_field *f, const struct xtr_event *ev);
enum ivpu_stage ivpu_stage_of(const struct ivpu *v, const struct xtr_event *ev);

#endif /* XTR_IVPU_STATE_H */
