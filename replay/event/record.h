/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in events' records (spec/events.md), decoded as far as the model needs them. */
#ifndef XTR_GPU_RECORD_H
#define XTR_GPU_RECORD_H

#include "base/bytes.h"
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
};

/* Bytes up to the end of the last field that is used, by type; 0: not of the scheduler. */
#define XTR_GPU_RECORD_TYPES (XTR_EV_FENCE_SIGNALED + 1)
/* Done events of recorders before they told of the hardware's fence, and of imports, are shorter.
 */
#define XTR_GPU_DONE_WITH_HW 72u
extern const uint8_t xtr_gpu_record_size[XTR_GPU_RECORD_TYPES];

/* What only some of them have. */
static inline void xtr_gpu_record_rest(struct xtr_gpu_record *r, const uint8_t *p, uint32_t size)
{
	switch (r->type) {
	case XTR_EV_JOB_QUEUE:
		r->client_id = xtr_le64(p + 32);
		r->ring = xtr_le32(p + 40);
		r->job_count = xtr_le32(p + 44);
		r->stack = xtr_le32(p + 52);
		r->flags = xtr_le32(p + 56);
		break;
	case XTR_EV_JOB_RUN:
		r->ring = xtr_le32(p + 32);
		r->job_count = xtr_le32(p + 36);
		r->flags = xtr_le32(p + 44);
		break;
	case XTR_EV_JOB_DONE:
		r->ring = xtr_le32(p + 32);
		if (size < XTR_GPU_DONE_WITH_HW)
			break;
		r->hw_told = true;
		r->hw_age = xtr_le64(p + 56);
		r->error = (int32_t)xtr_le32(p + 64);
		r->flags = xtr_le32(p + 68);
		break;
	case XTR_EV_FENCE_SIGNALED:
		r->error = (int32_t)xtr_le32(p + 36);
		break;
	default:
		r->dep_ctx = xtr_le64(p + 32);
		r->dep_seqno = xtr_le64(p + 40);
		r->ring = xtr_le32(p + 48);
		r->flags = xtr_le32(p + 52);
	}
}

/*
 * 1: decoded; 0: not a scheduler or fence event; -1: shorter than its fields. What the event lacks
 * is 0.
 */
static inline int xtr_gpu_record_get(const struct xtr_event *ev, struct xtr_gpu_record *r)
{
	if (ev->type >= XTR_GPU_RECORD_TYPES || !xtr_gpu_record_size[ev->type])
		return 0;
	if (ev->size < xtr_gpu_record_size[ev->type])
		return -1;
	*r = (struct xtr_gpu_record){ .ctx = xtr_le64(ev->rec + 16),
				      .seqno = xtr_le64(ev->rec + 24),
				      .type = ev->type,
				      .tid = ev->tid,
				      .stream = ev->stream };
	xtr_gpu_record_rest(r, ev->rec, ev->size);
	return 1;
}

#endif /* XTR_GPU_RECORD_H */
