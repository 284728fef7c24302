/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the scheduler's source: what its files share.
 *
 *   source_sched.c      the events since Linux 6.17, rings, the source as a whole
 *   source_sched_old.c  the events before: jobs by the address of their fence
 */
#ifndef XTR_SOURCE_SCHED_H
#define XTR_SOURCE_SCHED_H

#include "driver_sources.h"
#include "replay/event/event_bind.h"
#include "source_jobs.h"

#define SCHED_RINGS_MAX 1024u
/* Below the ids of other sources and of those that the model gives itself. */
#define SCHED_RING 0xa0000000u

enum field {
	F_NAME, /* of the ring */
	F_DEV,
	F_CTX, /* of the job's finished fence; of a fence event: of the fence */
	F_SEQNO,
	F_CLIENT,
	F_COUNT,
	F_DEP_CTX,
	F_DEP_SEQNO,
	F_ENTITY,
	F_FENCE, /* address: of the job's finished fence; of wait_dep: of what it waits for */
	F_ID,    /* of the job in its scheduler */
	F_ERROR
};

enum act {
	A_QUEUE,
	A_RUN,
	A_DONE,
	A_WAIT,
	A_OLD_QUEUE,
	A_OLD_RUN,
	A_OLD_DONE,
	A_OLD_WAIT,
	A_FENCE,
	ACTS
};

struct sched {
	struct xtr_bind bind[ACTS];
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_rings *rings; /* NULL: no steps are wanted */
	struct xtr_map by_name;  /* (name, device or scheduler's thread) -> ring */
	uint32_t n_rings;
	/* Of the names before 6.17: */
	struct source_jobs jobs; /* (0, address of the finished fence) */
	struct xtr_map by_id[2]; /* (ring's name, id) -> address of the finished fence; another */
	struct xtr_map by_real;  /* (context, number), low halves, that a wait told -> address */
	struct xtr_map entities; /* (ring's name, entity) -> number of the context */
	struct xtr_map last;     /* (context, 0) -> ring that its jobs were run on last */
	uint32_t n_entities;
	uint64_t ring_name[SCHED_RINGS_MAX];
};

/*
 * Index of the ring of this name and, if it is not 0, of this device (a string) or scheduler's
 * thread; the last of all stands for what there is no room for. shared: several devices may have
 * it. -ENOMEM.
 */
int64_t sched_ring(struct sched *v, uint64_t name, uint64_t of, const char *dev, bool shared);
/* The text of a string; "" if there is none. */
const char *sched_text(const struct sched *v, uint64_t string);
/* A step that is a record of this event's type. */
struct xtr_gpu_record *sched_record(struct xtr_job_steps *out, const struct xtr_event *ev,
				    enum act act);
/* An event of the names before Linux 6.17, or of a fence beside them. 0 or -ENOMEM. */
int sched_old_event(struct sched *v, enum act act, const struct xtr_event *ev,
		    struct xtr_job_steps *out);

#endif /* XTR_SOURCE_SCHED_H */
