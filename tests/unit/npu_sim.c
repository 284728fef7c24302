/* SPDX-License-Identifier: BSD-2-Clause */
#include "npu_sim.h"
#include "base/bytes.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define US 1000ull

enum type {
	TYPE_JOB = 1100,
	TYPE_SUBMIT,
	TYPE_SUBMIT_RET,
	TYPE_DOORBELL,
	TYPE_COMPLETE
};

#define FIELD(field, off, bytes, r)                                                \
	{                                                                          \
		.name = field, .offset = off, .size = bytes, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                             \
	}

static const struct xtr_field job_fields[] = {
	FIELD("event", 16, 4, STRID), FIELD("ctx_id", 20, 4, U32),  FIELD("engine_id", 24, 4, U32),
	FIELD("job_id", 28, 4, U32),  FIELD("stack", 32, 4, STACK),
};
static const struct xtr_field call_fields[] = { FIELD("context", 16, 4, U32),
						FIELD("stack", 24, 4, STACK) };
static const struct xtr_field ret_fields[] = { FIELD("context", 16, 4, U32),
					       FIELD("ret", 24, 4, S32) };

static const struct {
	const char *name;
	uint32_t type, size, n;
	const struct xtr_field *fields;
	unsigned int has;
} events[] = {
	{ "vpu:job", TYPE_JOB, 40, 5, job_fields, NPU_JOBS },
	{ "func:intel_vpu:ivpu_submit_ioctl", TYPE_SUBMIT, 32, 2, call_fields, NPU_IOCTL },
	{ "func:intel_vpu:ivpu_submit_ioctl:ret", TYPE_SUBMIT_RET, 32, 2, ret_fields, NPU_IOCTL },
	{ "func:intel_vpu:ivpu_hw_ip_db_set", TYPE_DOORBELL, 24, 1, call_fields, NPU_DOORBELL },
	{ "func:intel_vpu:ivpu_job_signal", TYPE_COMPLETE, 24, 1, call_fields, NPU_COMPLETE },
};

#define EVENTS (sizeof(events) / sizeof(events[0]))

static unsigned int recorded;

static uint32_t intern(struct sim *s, const char *text)
{
	uint32_t id;

	cr_assert(!xtr_tables_intern(s->tables, text, strlen(text), &id));
	return id;
}

/* Each event of a submission has another stack: that of the ioctl is s->stack. */
static uint32_t stack_of(const struct sim *s, uint32_t n)
{
	return s->stack ? s->stack + n : 0;
}

struct sim *npu_sim(unsigned int has)
{
	struct sim *s = sim_new();
	char comm[16];

	recorded = has;
	sim_device(s, NPU_DEVICE, "intel_vpu");
	for (size_t i = 0; i < EVENTS; i++) {
		struct xtr_event_desc d = { .name = events[i].name,
					    .type = events[i].type,
					    .size = events[i].size,
					    .n_fields = events[i].n,
					    .fields = events[i].fields };

		if (has & events[i].has)
			cr_assert(!xtr_meta_add_event(s->meta, &d));
	}
	if (has & NPU_INIT)
		cr_assert(!xtr_meta_add_event(s->meta, xtr_builtin_event_stack(XTR_EV_FENCE_INIT)));
	if (has & NPU_SIGNALED)
		cr_assert(!xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_FENCE_SIGNALED)));
	for (uint32_t tid = 1; tid < 10; tid++) {
		snprintf(comm, sizeof(comm), "app%u", tid);
		sim_task(s, tid, tid + 1000, comm, 0);
	}
	return s;
}

void npu_records(unsigned int has)
{
	recorded = has;
}

void npu_job(struct sim *s, uint64_t ts, const char *event, uint32_t ctx, uint32_t id)
{
	uint8_t rec[40] = { 0 };

	if (!(recorded & NPU_JOBS))
		return;
	xtr_put_le32(rec + 16, intern(s, event));
	xtr_put_le32(rec + 20, ctx);
	xtr_put_le32(rec + 28, id);
	xtr_put_le32(rec + 32, stack_of(s, 2));
	sim_raw(s, ts, TYPE_JOB, rec, sizeof(rec));
}

void npu_fence(struct sim *s, uint64_t ts, bool init, uint64_t ctx, int32_t error)
{
	struct xtr_rec_fence_stack r = {
		.ctx = ctx, .seqno = 1, .error = error, .stack = stack_of(s, 1)
	};

	if (!(recorded & (init ? NPU_INIT : NPU_SIGNALED)))
		return;
	r.ops = intern(s, "ivpu_fence_ops");
	sim_raw(s, ts, init ? XTR_EV_FENCE_INIT : XTR_EV_FENCE_SIGNALED, &r,
		init ? sizeof(r) : sizeof(struct xtr_rec_fence));
}

void npu_function(struct sim *s, uint64_t ts, const char *name, int32_t ret)
{
	uint8_t rec[32] = { 0 };

	xtr_put_le32(rec + 24, strstr(name, ":ret") ? (uint32_t)ret : stack_of(s, 0));
	for (size_t i = 0; i < EVENTS; i++)
		if (strstr(events[i].name, ":ivpu") && recorded & events[i].has &&
		    !strcmp(strstr(events[i].name, ":ivpu") + 1, name))
			sim_raw(s, ts, events[i].type, rec, events[i].size);
}

void npu_submit(struct sim *s, uint64_t at, uint32_t tid, uint64_t fence, uint32_t ctx, uint32_t id)
{
	s->tid = tid;
	npu_function(s, at, "ivpu_submit_ioctl", 0);
	npu_fence(s, at + 1 * US, true, fence, 0);
	npu_job(s, at + 2 * US, "create", ctx, 0);
	npu_function(s, at + 5 * US, "ivpu_hw_ip_db_set", 0);
	npu_job(s, at + 6 * US, "submit", ctx, id);
	npu_function(s, at + 7 * US, "ivpu_submit_ioctl:ret", 0);
}

void npu_done(struct sim *s, uint64_t done, uint64_t fence, uint32_t ctx, uint32_t id)
{
	s->tid = NPU_IRQ;
	npu_function(s, done - 2 * US, "ivpu_job_signal", 0);
	npu_fence(s, done - 1 * US, false, fence, 0);
	npu_job(s, done, "done", ctx, id);
}
