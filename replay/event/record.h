/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in events' records (spec/events.md), decoded as far as the model needs them. */
#ifndef XTR_GPU_RECORD_H
#define XTR_GPU_RECORD_H

#include "format/meta/schema.h"
#include "format/read/merge.h"
#include "format/xtr_format.h"

struct xtr_gpu_record {
	uint64_t ctx, seqno;
	uint64_t client_id;          /* queue */
	uint64_t dep_ctx, dep_seqno; /* wait_dep, add_dep, unschedulable */
	uint32_t type, tid, stream;
	uint32_t ring;
	uint32_t job_count; /* queue, run */
	uint32_t stack;     /* queue: id of the submitter's, 0: none */
	uint32_t flags;     /* enum xtr_job_flags; 0 where the event has none */
	int32_t error;      /* fence events; done: of the hardware's fence */
	uint64_t hw_age;    /* done: ns since the hardware's fence was signalled */
	bool hw_told;       /* done: flags tell of the hardware's fence */
	int32_t prio;       /* queue: of the entity, as the kernel numbers it (priority.h) */
	bool prio_known;
};

/* Bytes up to the end of the last field that is used, by type; 0: not of the scheduler. */
#define XTR_GPU_RECORD_TYPES (XTR_EV_FENCE_SIGNALED + 1)
extern const uint8_t xtr_gpu_record_size[XTR_GPU_RECORD_TYPES];

/* What only some of them have. */
static inline __attribute__((always_inline)) void xtr_gpu_record_rest(struct xtr_gpu_record *r,
								      const uint8_t *p,
								      uint32_t size)
{
	switch (r->type) {
	case XTR_EV_JOB_QUEUE:
		r->client_id = XTR_REC_GET(p, job_queue, client_id);
		r->ring = XTR_REC_GET(p, job_queue, ring);
		r->job_count = XTR_REC_GET(p, job_queue, job_count);
		r->stack = XTR_REC_GET(p, job_queue, stack);
		r->flags = XTR_REC_GET(p, job_queue, flags);
		if (size < sizeof(struct xtr_rec_job_queue))
			break;
		r->prio = (int32_t)XTR_REC_GET(p, job_queue, prio);
		r->prio_known = r->prio >= 0;
		break;
	case XTR_EV_JOB_RUN:
		r->ring = XTR_REC_GET(p, job_run, ring);
		r->job_count = XTR_REC_GET(p, job_run, job_count);
		r->flags = XTR_REC_GET(p, job_run, flags);
		break;
	case XTR_EV_JOB_DONE:
		/* Those of older recorders and of imports tell nothing of the hardware's fence. */
		r->ring = XTR_REC_GET(p, job_done, ring);
		if (size < sizeof(struct xtr_rec_job_done))
			break;
		r->hw_told = true;
		r->hw_age = XTR_REC_GET(p, job_done, hw_age);
		r->error = (int32_t)XTR_REC_GET(p, job_done, hw_error);
		r->flags = XTR_REC_GET(p, job_done, flags);
		break;
	case XTR_EV_FENCE_SIGNALED:
		r->error = (int32_t)XTR_REC_GET(p, fence, error);
		break;
	default:
		r->dep_ctx = XTR_REC_GET(p, job_dep, dep_ctx);
		r->dep_seqno = XTR_REC_GET(p, job_dep, dep_seqno);
		r->ring = XTR_REC_GET(p, job_dep, ring);
		r->flags = XTR_REC_GET(p, job_dep, flags);
	}
}

/*
 * The same as xtr_gpu_record_get of an event of this type, which is one of the scheduler or of
 * fences: for who knows the type when it is compiled.
 */
static inline __attribute__((always_inline)) int xtr_gpu_record_as(const struct xtr_event *ev,
								   uint32_t type,
								   struct xtr_gpu_record *r)
{
	if (ev->size < xtr_gpu_record_size[type])
		return -1;
	*r = (struct xtr_gpu_record){ .ctx = XTR_REC_GET(ev->rec, job_run, ctx),
				      .seqno = XTR_REC_GET(ev->rec, job_run, seqno),
				      .type = type,
				      .tid = ev->tid,
				      .stream = ev->stream };
	xtr_gpu_record_rest(r, ev->rec, ev->size);
	return 1;
}

/*
 * 1: decoded; 0: not a scheduler or fence event; -1: shorter than its fields. What the event lacks
 * is 0.
 */
static inline int xtr_gpu_record_get(const struct xtr_event *ev, struct xtr_gpu_record *r)
{
	if (ev->type >= XTR_GPU_RECORD_TYPES || !xtr_gpu_record_size[ev->type])
		return 0;
	return xtr_gpu_record_as(ev, ev->type, r);
}

#endif /* XTR_GPU_RECORD_H */
