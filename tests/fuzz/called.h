/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a sequence of function and API calls, tracepoints of the NPU and jobs, in time order,
 * for the analyses: 12 bytes each. The first byte chooses which events META describes: with returns
 * or without, or returns alone, with library calls or without, with times or without.
 */
#ifndef XTR_FUZZ_CALLED_H
#define XTR_FUZZ_CALLED_H

#include "fuzz.h"

#include "base/bytes.h"
#include "format/read/merge.h"
#include "format/xtr_format.h"

#include <string.h>

#define CALLED_OP   12u
#define CALLED_SIZE 80u   /* bytes of each record */
#define CALLED_MAX  3000u /* events of one input, repetitions included */
#define CALLED_TYPE 1024u /* of the first name; returns follow at the next number */

/* What some analysis looks for, and what none knows. Those of libraries come last. */
static const char *const called_names[] = {
	"func:intel_vpu:ivpu_submit_ioctl",
	"func:intel_vpu:ivpu_cmdq_submit_ioctl",
	"func:intel_vpu:ivpu_hw_ip_db_set",
	"func:intel_vpu:ivpu_job_signal_and_destroy",
	"func:intel_vpu:ivpu_bo_create_ioctl",
	"func:intel_vpu:ivpu_bo_create_from_userptr_ioctl",
	"func:intel_vpu:ivpu_bo_wait_ioctl",
	"func:intel_vpu:ivpu_bo_bind",
	"func:vmlinux:drm_gem_get_pages",
	"func:drm_shmem_helper:drm_gem_shmem_get_pages_sgt",
	"func:intel_vpu:ivpu_mmu_context_map_sgt",
	"func:intel_vpu:ivpu_mmu_context_map_page",
	"func:intel_vpu:ivpu_bo_alloc_internal",
	"func:intel_vpu:ivpu_ipc_receive",
	"func:intel_vpu:ivpu_ipc_irq_handler",
	"func:intel_vpu:ivpu_hw_irq_handler",
	"func:intel_vpu:ivpu_ipc_irq_thread_handler",
	"func:intel_vpu:ivpu_job_done_callback",
	"func:intel_vpu:ivpu_boot",
	"func:intel_vpu:ivpu_wait_for_ready",
	"func:intel_vpu:ivpu_hw_boot_fw",
	"func:intel_vpu:ivpu_resume",
	"func:intel_vpu:ivpu_pm_runtime_resume_cb",
	"func:intel_vpu:ivpu_pm_runtime_suspend_cb",
	"func:intel_vpu:ivpu_ipc_enable",
	"func:intel_vpu:ivpu_open",
	"func:a",
	"func:",
	"func::\x1b\xff",
	"syscalls:sys_enter_ioctl",
	"api:libze_loader.so.1:zeMemAllocHost",
	"api:libze_loader.so.1:zeCommandQueueExecuteCommandLists",
	"api:libze_loader.so.1:zeFenceHostSynchronize",
	"api:libcuda.so.1:cuMemAlloc_v2",
	"api:\"\\:\n",
};
#define CALLED_APIS  5u
#define CALLED_NAMES (sizeof(called_names) / sizeof(called_names[0]))

/* Tracepoints, behind the functions. */
static const char *const called_points[] = { "vpu:job", "vpu:jsm", "vpu:pm", "sched:sched_switch" };
#define CALLED_POINTS 4u
#define CALLED_POINT  (CALLED_TYPE + 2 * CALLED_NAMES)

static const char *const called_texts[] = { "create", "submit", "done", "[tx]JSM",       "[rx]JSM",
					    "resume", "boot",   "\xff", "ivpu_fence_ops" };
#define CALLED_TEXTS 9u

#define CALLED_FIELD(field, off, r, n)                                         \
	{                                                                      \
		.name = field, .offset = off, .size = n, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                         \
	}

static const struct xtr_field called_entry[] = {
	CALLED_FIELD("context", 16, U32, 4),      CALLED_FIELD("size", 24, U64, 8),
	CALLED_FIELD("bo_size", 32, U64, 8),      CALLED_FIELD("vpu_addr", 40, HEX64, 8),
	CALLED_FIELD("handle", 48, U32, 4),       CALLED_FIELD("cmdq_id", 52, U32, 4),
	CALLED_FIELD("buffer_count", 56, U32, 4), CALLED_FIELD("n", 60, U32, 4),
};
static const struct xtr_field called_ret[] = {
	CALLED_FIELD("context", 16, U32, 4),
	CALLED_FIELD("ret", 48, S32, 4),
	CALLED_FIELD("vpu_addr", 40, HEX64, 8),
	CALLED_FIELD("job_status", 52, U32, 4),
};
static const struct xtr_field called_point[] = {
	CALLED_FIELD("event", 16, STRID, 4),  CALLED_FIELD("type", 20, STRID, 4),
	CALLED_FIELD("ctx_id", 24, U32, 4),   CALLED_FIELD("engine_id", 28, U32, 4),
	CALLED_FIELD("job_id", 32, U32, 4),   CALLED_FIELD("request_id", 36, U32, 4),
	CALLED_FIELD("result", 40, U32, 4),   CALLED_FIELD("prev_pid", 24, U32, 4),
	CALLED_FIELD("next_pid", 28, U32, 4),
};

enum called_variant { /* bits of the first byte */
	CALLED_NO_ENTRY = 1,
	CALLED_NO_RETURN = 2, /* with both: every other function has only one of them */
	CALLED_NO_API = 4,
	CALLED_NO_TIMES = 8,
	CALLED_VARIANTS = 16,
	CALLED_WINDOW = 16, /* only a part is asked for */
	CALLED_PRETTY = 32,
};

static inline void called_add(struct xtr_meta *m, const char *name, uint32_t type,
			      const struct xtr_field *fields, uint32_t n)
{
	struct xtr_event_desc d = {
		.name = name, .type = type, .size = CALLED_SIZE, .fields = fields, .n_fields = n
	};

	FUZZ_CHECK(!xtr_meta_add_event(m, &d));
}

static inline void called_add_function(struct xtr_meta *m, uint32_t i, unsigned int variant)
{
	bool entry = !(variant & CALLED_NO_ENTRY), ret = !(variant & CALLED_NO_RETURN);
	char name[128];

	if (!entry && !ret) {
		entry = i % 3 < 2;
		ret = i % 3 > 0;
	}
	if (i >= CALLED_NAMES - CALLED_APIS && variant & CALLED_NO_API)
		return;
	if (entry)
		called_add(m, called_names[i], CALLED_TYPE + 2 * i, called_entry, 8);
	snprintf(name, sizeof(name), "%s:ret", called_names[i]);
	if (ret)
		called_add(m, name, CALLED_TYPE + 2 * i + 1, called_ret, 4);
}

static inline const struct xtr_meta *called_meta(unsigned int variant)
{
	static struct xtr_meta *metas[CALLED_VARIANTS];
	const uint8_t boot[16] = { 0 };
	struct xtr_meta *m = metas[variant];

	if (m)
		return m;
	m = metas[variant] = xtr_meta_new();
	FUZZ_CHECK(m);
	if (variant & CALLED_NO_TIMES)
		FUZZ_CHECK(!xtr_meta_set_clock(m, XTR_CLOCK_SEQUENCE, boot, 1));
	for (uint32_t i = 0; i < CALLED_NAMES; i++)
		called_add_function(m, i, variant);
	for (uint32_t i = 0; i < CALLED_POINTS; i++)
		called_add(m, called_points[i], (uint32_t)CALLED_POINT + i, called_point, 9);
	FUZZ_CHECK(!xtr_meta_add_event(m, xtr_builtin_event(XTR_EV_FENCE_INIT)));
	FUZZ_CHECK(!xtr_meta_add_event(m, xtr_builtin_event(XTR_EV_FENCE_SIGNALED)));
	return m;
}

/* Threads 1 to 40 belong to processes, 4 threads each; all others are not known. */
static inline const struct xtr_tables *called_tables(void)
{
	static struct xtr_tables *t;
	uint32_t id;

	if (t)
		return t;
	t = xtr_tables_new();
	FUZZ_CHECK(t);
	for (uint32_t i = 0; i < CALLED_TEXTS; i++)
		FUZZ_CHECK(!xtr_tables_intern(t, called_texts[i], strlen(called_texts[i]), &id) &&
			   id == i + 1);
	for (uint32_t tid = 1; tid <= 40; tid++) {
		struct xtr_task task = { .tid = tid, .pid = tid / 4 * 4 + 1, .comm = tid % 8 };

		FUZZ_CHECK(!xtr_tables_add_task(t, &task));
	}
	return t;
}

struct called {
	const uint8_t *p;
	size_t left;
	const struct xtr_meta *meta;
	struct xtr_event ev;
	struct xtr_gap gap;
	uint32_t again; /* times that the present event comes once more, on other threads */
	uint32_t n;
	uint8_t rec[CALLED_SIZE];
};

/* Places in the bytes of an event. */
enum called_op {
	CALLED_KIND,
	CALLED_SIDE, /* bit 0: return; from 240 on: the event comes again on many threads */
	CALLED_TIME,
	CALLED_TID,
	CALLED_CPU,
	CALLED_CONTEXT,
	CALLED_VALUE, /* and those that follow */
};

static inline void called_values(struct called *c, const uint8_t *op)
{
	const uint8_t *v = op + CALLED_VALUE;

	memset(c->rec, 0, sizeof(c->rec));
	xtr_put_le32(c->rec + 16, op[CALLED_CONTEXT] % 16);
	xtr_put_le32(c->rec + 20, v[0] % 16);
	for (unsigned int i = 24; i < CALLED_SIZE; i += 8)
		xtr_put_le64(c->rec + i, (uint64_t)v[i / 8 % 6] << v[i / 4 % 6] % 64);
	if (v[5] % 4 == 0)
		xtr_put_le32(c->rec + 48, 0);
	else if (v[5] % 4 == 1)
		xtr_put_le32(c->rec + 48, (uint32_t)-110);
}

static inline void called_type(struct called *c, const uint8_t *op)
{
	uint32_t kind = op[CALLED_KIND] % (CALLED_NAMES + CALLED_POINTS + 3);

	c->ev.type = CALLED_TYPE + 2 * kind + (op[CALLED_SIDE] & 1);
	if (kind >= CALLED_NAMES)
		c->ev.type = (uint32_t)(CALLED_POINT + kind - CALLED_NAMES);
	if (kind == CALLED_NAMES + CALLED_POINTS)
		c->ev.type = XTR_EV_FENCE_INIT;
	if (kind == CALLED_NAMES + CALLED_POINTS + 1)
		c->ev.type = XTR_EV_FENCE_SIGNALED;
	if (kind == CALLED_NAMES + CALLED_POINTS + 2)
		c->ev.type = 0;
	/* A fence of the driver, more often than not. */
	if (c->ev.type == XTR_EV_FENCE_INIT || c->ev.type == XTR_EV_FENCE_SIGNALED)
		xtr_put_le32(c->rec + 32, op[CALLED_VALUE] % 4 ? CALLED_TEXTS : 1);
}

/* The next event, NULL at the end of the bytes, or after enough of them. */
static inline const struct xtr_event *called_next(struct called *c)
{
	const uint8_t *op = c->p;

	if (c->n++ == CALLED_MAX)
		return NULL;
	if (c->again) {
		c->again--;
		c->ev.tid++;
		c->ev.ts += c->again % 2;
		return &c->ev;
	}
	if (c->left < CALLED_OP)
		return NULL;
	c->p += CALLED_OP;
	c->left -= CALLED_OP;
	c->ev.ts += (uint64_t)op[CALLED_TIME] << op[CALLED_TIME] / 8;
	c->ev.stream = op[CALLED_CPU] % 4;
	c->ev.tid = op[CALLED_TID] < 250 ? op[CALLED_TID] % 32 : xtr_le32(op + CALLED_VALUE);
	called_values(c, op);
	called_type(c, op);
	c->ev.desc = xtr_meta_event(c->meta, c->ev.type);
	c->ev.rec = c->rec;
	c->ev.size = op[CALLED_CPU] < 240 ? CALLED_SIZE : 16u + op[CALLED_CPU] % 8u * 8u;
	c->ev.gap = NULL;
	if (c->ev.type) {
		if (op[CALLED_SIDE] >= 240)
			c->again = 1u << (op[CALLED_SIDE] - 240) / 2 * 2;
		return &c->ev;
	}
	c->gap = (struct xtr_gap){ c->ev.stream, c->ev.ts, c->ev.ts + op[CALLED_VALUE], 1 };
	c->ev = (struct xtr_event){ .ts = c->ev.ts, .stream = c->ev.stream, .gap = &c->gap };
	return &c->ev;
}

#endif /* XTR_FUZZ_CALLED_H */
