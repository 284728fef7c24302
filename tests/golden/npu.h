/* SPDX-License-Identifier: BSD-2-Clause */
/* What the Intel NPU's driver says of jobs, for traces that are known by heart. */
#ifndef TEST_GOLDEN_NPU_H
#define TEST_GOLDEN_NPU_H

#include "gen.h"

#define NPU_IRQ 155u /* the interrupt thread */

enum npu_type {
	NPU_JOB = 1030,
	NPU_SUBMIT,
	NPU_SUBMIT_RET
};

#define NPU_FIELD(field, off, r)                                               \
	{                                                                      \
		.name = field, .offset = off, .size = 4, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                         \
	}

static const struct xtr_field npu_job_fields[] = { NPU_FIELD("event", 16, STRID),
						   NPU_FIELD("ctx_id", 20, U32),
						   NPU_FIELD("engine_id", 24, U32),
						   NPU_FIELD("job_id", 28, U32) };
static const struct xtr_field npu_call_fields[] = { NPU_FIELD("context", 16, U32),
						    NPU_FIELD("ret", 24, S32) };

static const struct xtr_event_desc npu_events[] = {
	{ .name = "vpu:job", .type = NPU_JOB, .size = 32, .n_fields = 4, .fields = npu_job_fields },
	{ .name = "func:intel_vpu:ivpu_submit_ioctl",
	  .type = NPU_SUBMIT,
	  .size = 24,
	  .n_fields = 1,
	  .fields = npu_call_fields },
	{ .name = "func:intel_vpu:ivpu_submit_ioctl:ret",
	  .type = NPU_SUBMIT_RET,
	  .size = 32,
	  .n_fields = 2,
	  .fields = npu_call_fields },
};

struct npu_rec {
	struct xtr_rec h;
	uint32_t a, b, c, d;
};

static inline void npu_describe(struct gen *g)
{
	device(g, "0000:00:0b.0", "intel_vpu");
	task(g, NPU_IRQ, NPU_IRQ, "irq/155-intel_v", 15);
	for (size_t i = 0; i < sizeof(npu_events) / sizeof(npu_events[0]); i++)
		must(xtr_meta_add_event(g->meta, &npu_events[i]), npu_events[i].name);
}

static inline void npu_event(struct gen *g, uint64_t ts, const char *event, uint32_t ctx,
			     uint32_t id)
{
	struct npu_rec r = { .b = ctx, .d = id };

	r.a = intern(g, event, strlen(event));
	put(g, &r, ts, NPU_JOB, sizeof(r));
}

static inline void npu_call(struct gen *g, uint64_t ts, enum npu_type type, int32_t ret)
{
	struct npu_rec r = { .c = (uint32_t)ret };

	put(g, &r, ts, (uint16_t)type, type == NPU_SUBMIT ? 24 : 32);
}

static inline void npu_fence(struct gen *g, uint64_t ts, uint16_t type, uint64_t ctx, int32_t error)
{
	struct xtr_rec_fence r = { .ctx = ctx, .seqno = 1, .error = error };

	r.ops = intern(g, "ivpu_fence_ops", 14);
	put(g, &r, ts, type, sizeof(r));
}

/* From the ioctl at ts; it fails if ret is not 0. */
static inline void npu_submit(struct gen *g, uint64_t ts, uint64_t fence, uint32_t ctx, uint32_t id,
			      int32_t ret)
{
	npu_call(g, ts, NPU_SUBMIT, 0);
	npu_fence(g, ts + 2 * US, XTR_EV_FENCE_INIT, fence, 0);
	npu_event(g, ts + 3 * US, "create", ctx, 0);
	if (!ret)
		npu_event(g, ts + 40 * US, "submit", ctx, id);
	npu_call(g, ts + 42 * US, NPU_SUBMIT_RET, ret);
}

/* In the interrupt thread, on CPU 1. */
static inline void npu_done(struct gen *g, uint64_t ts, uint64_t fence, uint32_t ctx, uint32_t id,
			    int32_t error)
{
	uint32_t tid = g->tid, cpu = g->cpu;

	g->tid = NPU_IRQ;
	g->cpu = 1;
	npu_fence(g, ts - 1 * US, XTR_EV_FENCE_SIGNALED, fence, error);
	npu_event(g, ts, "done", ctx, id);
	g->tid = tid;
	g->cpu = cpu;
}

#endif /* TEST_GOLDEN_NPU_H */
