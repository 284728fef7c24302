/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduler and fence events made in memory, for tests of the model and of what stands on it. Add
 * rings, tasks and events in any order; playing sorts the events by time (equal ones stay in
 * order).
 */
#ifndef TEST_GPU_SIM_H
#define TEST_GPU_SIM_H

#include "bpf_types.h"
#include "format/read/merge.h"
#include "format/meta/meta.h"
#include "format/meta/tables.h"
#include "replay/model/model.h"
#include "analysis/core/stats.h"

#define SIM_JOBS_MAX 4096u
#define SIM_WORKER   7u /* thread of the run events: the scheduler's own */

struct sim_event {
	struct xtr_event ev;
	struct xtr_gap gap;
	union {
		struct xtr_rec_job_queue queue;
		struct xtr_rec_job_run run;
		struct xtr_rec_job_done done;
		struct xtr_rec_job_dep dep;
		struct xtr_rec_fence fence;
		uint8_t bytes[192];
	} rec;
};

struct sim {
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct sim_event *event;
	size_t n, cap;
	uint32_t tid, cpu; /* of the events that are added next */
	uint32_t flags;    /* enum xtr_job_flags of queue and run events added next */
	uint64_t client_id;
	uint32_t job_count;
	uint32_t stack;   /* id; of queue events added next */
	uint64_t hw_age;  /* of done events added next */
	int32_t hw_error; /* the same */
	/* what sim_jobs collected */
	struct xtr_job job[SIM_JOBS_MAX];
	struct xtr_dep dep[SIM_JOBS_MAX][XTR_JOB_DEPS_MAX];
	struct xtr_model_ring ring_of[SIM_JOBS_MAX]; /* as it was when the job was handed out */
	char names[SIM_JOBS_MAX][2][32];             /* its name, and its device's */
	size_t n_jobs;
	struct xtr_model_counts counts;
};

struct sim *sim_new(void);
void sim_free(struct sim *s);

void sim_device(struct sim *s, const char *name, const char *driver);
void sim_ring(struct sim *s, uint32_t id, const char *device, const char *name, uint32_t limit);
void sim_task(struct sim *s, uint32_t tid, uint32_t pid, const char *comm, uint32_t flags);
/* The same of a process that began at `start`, from `since` on. */
void sim_task_of(struct sim *s, uint32_t tid, uint32_t pid, const char *comm, uint64_t since,
		 uint64_t start);

/* Times in ns; ctx and seqno are the job's finished fence. */
void sim_queue(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring);
void sim_run(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring);
void sim_done(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring);
/* As recorders wrote it before they told of the hardware's fence. */
void sim_done_old(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring);
/* The driver gave the scheduler no fence. */
void sim_done_without_fence(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno,
			    uint32_t ring);
void sim_signaled(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, int32_t error);
/* type: XTR_EV_JOB_WAIT_DEP, _ADD_DEP or _UNSCHEDULABLE. */
void sim_dep(struct sim *s, uint32_t type, uint64_t ts, uint64_t ctx, uint64_t seqno,
	     uint64_t dep_ctx, uint64_t dep_seqno, uint32_t ring, uint32_t flags);
/* Any record of up to 192 bytes; its header is filled in. */
void sim_raw(struct sim *s, uint64_t ts, uint32_t type, const void *rec, size_t size);
void sim_gap(struct sim *s, uint64_t first, uint64_t last, uint64_t count);
/* queue, run and done of one job. */
void sim_job(struct sim *s, uint64_t ctx, uint64_t seqno, uint32_t ring, uint64_t queue,
	     uint64_t run, uint64_t done);

/* Play into the model in two passes, as `xtr jobs` does, and collect the jobs. */
void sim_jobs(struct sim *s);
/* The same with a limit on open jobs. */
void sim_jobs_limited(struct sim *s, uint32_t max_open);
/* The job with this name; fails the test if it was not handed out exactly once. */
const struct xtr_job *sim_find(const struct sim *s, uint64_t ctx, uint64_t seqno);
/* Play into new statistics; the caller frees them. */
struct xtr_stats *sim_stats(struct sim *s, const struct xtr_select *select, uint32_t top);
/* Sort by time. */
void sim_sort(struct sim *s);

#endif /* TEST_GPU_SIM_H */
