/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a sequence of events in time order, for targets behind the reader: 8 bytes each. Few
 * fences, rings and CPUs, so that events meet; times between them from 0 to minutes.
 */
#ifndef XTR_FUZZ_EVENTS_H
#define XTR_FUZZ_EVENTS_H

#include "fuzz.h"

#include "base/bytes.h"
#include "format/read/merge.h"
#include "format/xtr_format.h"

#define FUZZ_OP    8u  /* bytes of one event */
#define FUZZ_RINGS 8u  /* ring ids 1 to 8 are defined, 0 and 9 are not */
#define FUZZ_REC   72u /* bytes of the longest record, that of a done event */

struct fuzz_events {
	const uint8_t *p;
	size_t left;
	struct xtr_event ev;
	struct xtr_gap gap;
	uint8_t rec[FUZZ_REC];
};

/* Ids of the texts that tell; they are the first of the strings. */
static const char *const fuzz_texts[] = { "create", "submit", "done", "other", "ivpu_fence_ops" };
#define FUZZ_TEXTS 5u

/* Rings of drivers that the model tells apart by the scheduler's name; every other one runs one job
 * at a time. */
static inline const struct xtr_tables *fuzz_rings(void)
{
	static const char *const names[] = { "gfx_0.0.0", "sdma0", "v3d_bin", "panthor-csg" };
	static struct xtr_tables *t;
	uint32_t name;

	if (t)
		return t;
	t = xtr_tables_new();
	FUZZ_CHECK(t);
	for (uint32_t i = 0; i < FUZZ_TEXTS; i++)
		FUZZ_CHECK(!xtr_tables_intern(t, fuzz_texts[i], strlen(fuzz_texts[i]), &name) &&
			   name == i + 1);
	for (uint32_t id = 1; id <= FUZZ_RINGS; id++) {
		const char *text = names[id % 4];
		struct xtr_ring ring = { .id = id, .sched = id, .limit = id % 2 };

		FUZZ_CHECK(!xtr_tables_intern(t, text, strlen(text), &name));
		ring.name = name;
		FUZZ_CHECK(!xtr_tables_add_ring(t, &ring));
	}
	return t;
}

/* What the driver of the Intel NPU says, spec/events.md and replay/sources/driver_sources.h. */
enum fuzz_npu {
	NPU_JOB = 1024,
	NPU_SUBMIT,
	NPU_SUBMIT_RET,
	NPU_DOORBELL,
	NPU_COMPLETE,
	NPU_TYPES
};

#define FUZZ_FIELD(field, off, r)                                              \
	{                                                                      \
		.name = field, .offset = off, .size = 4, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                         \
	}

/* META in four variants: with (1) or without vpu:job, with (2) or without fences. */
static inline const struct xtr_meta *fuzz_meta(unsigned int variant)
{
	static const struct xtr_field fields[] = { FUZZ_FIELD("event", 16, STRID),
						   FUZZ_FIELD("ctx_id", 20, U32),
						   FUZZ_FIELD("engine_id", 24, U32),
						   FUZZ_FIELD("job_id", 28, U32) };
	static const struct xtr_field ret[] = { FUZZ_FIELD("ret", 24, S32) };
	static const char *const names[] = { "vpu:job", "func:intel_vpu:ivpu_submit_ioctl",
					     "func:intel_vpu:ivpu_submit_ioctl:ret",
					     "func:intel_vpu:ivpu_hw_ip_db_set",
					     "func:intel_vpu:ivpu_job_signal" };
	static struct xtr_meta *metas[4];
	struct xtr_meta *m = metas[variant % 4];

	if (m)
		return m;
	m = metas[variant % 4] = xtr_meta_new();
	FUZZ_CHECK(m);
	for (uint32_t i = variant % 2 ? 0 : 1; i < NPU_TYPES - NPU_JOB; i++) {
		struct xtr_event_desc d = { .name = names[i], .type = NPU_JOB + i, .size = 32 };

		d.fields = i ? ret : fields;
		d.n_fields = i ? 1 : 4;
		FUZZ_CHECK(!xtr_meta_add_event(m, &d));
	}
	if (variant % 4 >= 2)
		FUZZ_CHECK(!xtr_meta_add_event(m, xtr_builtin_event(XTR_EV_FENCE_INIT)) &&
			   !xtr_meta_add_event(m, xtr_builtin_event(XTR_EV_FENCE_SIGNALED)));
	return m;
}

enum fuzz_op { /* places in the 8 bytes */
	OP_KIND,
	OP_TIME,
	OP_CTX,
	OP_SEQNO,
	OP_RING,
	OP_DEP,
	OP_FLAGS,
	OP_CPU,
};

/* What a done event says of the hardware's fence: of any age, up to minutes. */
static inline void fuzz_hardware(struct fuzz_events *e, const uint8_t *op)
{
	xtr_put_le64(e->rec + 40, op[OP_RING] % 8);
	xtr_put_le64(e->rec + 48, op[OP_SEQNO] % 16);
	xtr_put_le64(e->rec + 56, (uint64_t)op[OP_DEP] << op[OP_CTX] / 8);
	xtr_put_le32(e->rec + 64, (uint32_t) - (int32_t)(op[OP_DEP] % 4 ? 0 : op[OP_FLAGS] % 128));
	xtr_put_le32(e->rec + 68, op[OP_FLAGS]);
}

static inline void fuzz_record(struct fuzz_events *e, uint32_t type, const uint8_t *op)
{
	const struct xtr_event_desc *desc = xtr_builtin_event(type);

	memset(e->rec, 0, sizeof(e->rec));
	e->ev.type = type;
	e->ev.desc = desc;
	e->ev.rec = e->rec;
	/* Now and then a record that is shorter than its type. */
	e->ev.size =
		desc && op[OP_CPU] < 240 ? desc->size : XTR_RECORD_HEADER_SIZE + op[OP_CPU] % 8 * 8;
	xtr_put_le64(e->rec + 16, op[OP_CTX] % 8 * 2 + 1);
	xtr_put_le64(e->rec + 24, op[OP_SEQNO] % 16);
	xtr_put_le64(e->rec + 32, op[OP_DEP] % 16);
	xtr_put_le64(e->rec + 40, op[OP_DEP] / 16);
	xtr_put_le32(e->rec + (type == XTR_EV_JOB_QUEUE ? 40
			       : type > XTR_EV_JOB_DONE ? 48
							: 32),
		     op[OP_RING] % (FUZZ_RINGS + 2));
	xtr_put_le32(e->rec + (type == XTR_EV_JOB_QUEUE ? 56
			       : type > XTR_EV_JOB_DONE ? 52
							: 44),
		     op[OP_FLAGS]);
	FUZZ_CHECK(e->ev.size <= sizeof(e->rec));
	if (type == XTR_EV_JOB_DONE)
		fuzz_hardware(e, op);
	if (type >= XTR_EV_FENCE_INIT)
		xtr_put_le32(e->rec + 36, (uint32_t) - (int32_t)(op[OP_FLAGS] % 128));
}

/* An event of the NPU's driver: kinds from 128 on. */
static inline void fuzz_npu(struct fuzz_events *e, const uint8_t *op)
{
	static const uint32_t types[8] = { NPU_JOB,      NPU_JOB,      NPU_SUBMIT, NPU_SUBMIT_RET,
					   NPU_DOORBELL, NPU_COMPLETE, 24,         27 };
	uint32_t type = types[op[OP_KIND] % 8];

	fuzz_record(e, type, op);
	if (type >= NPU_JOB) {
		e->ev.size = op[OP_CPU] < 240 ? 32 : 16;
		xtr_put_le32(e->rec + 16, op[OP_KIND] / 8 % 4 + 1);
		xtr_put_le32(e->rec + 20, op[OP_CTX] % 4);
		xtr_put_le32(e->rec + 24, type == NPU_JOB ? op[OP_RING] : 0u - op[OP_FLAGS] % 4);
		xtr_put_le32(e->rec + 28, op[OP_SEQNO] % 8);
		return;
	}
	xtr_put_le32(e->rec + 32, op[OP_RING] % 8 ? FUZZ_TEXTS : 1);
	xtr_put_le32(e->rec + 36, 0u - op[OP_FLAGS] / 64);
}

/* The next event, NULL at the end of the bytes. */
static inline const struct xtr_event *fuzz_next(struct fuzz_events *e)
{
	static const uint8_t types[16] = { 16, 17, 18, 16, 17, 18, 19, 19, 20, 21, 27, 27, 24, 28 };
	const uint8_t *op = e->p;
	uint32_t type;

	if (e->left < FUZZ_OP)
		return NULL;
	e->p += FUZZ_OP;
	e->left -= FUZZ_OP;
	e->ev.ts += (uint64_t)op[OP_TIME] << op[OP_TIME] / 8;
	e->ev.stream = op[OP_CPU] % 4;
	e->ev.tid = op[OP_CPU] / 4;
	if (op[OP_KIND] & 0x80) {
		fuzz_npu(e, op);
		e->ev.gap = NULL;
		return &e->ev;
	}
	type = types[op[OP_KIND] % 16];
	if (type) {
		fuzz_record(e, type, op);
		e->ev.gap = NULL;
		return &e->ev;
	}
	e->gap = (struct xtr_gap){ e->ev.stream, e->ev.ts, e->ev.ts + op[OP_DEP], op[OP_FLAGS] };
	e->ev = (struct xtr_event){ .ts = e->ev.ts, .stream = e->ev.stream, .gap = &e->gap };
	return &e->ev;
}

#endif /* XTR_FUZZ_EVENTS_H */
