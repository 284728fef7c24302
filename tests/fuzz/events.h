/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a sequence of events in time order, for targets behind the reader: 8 bytes each. Few
 * fences, rings and CPUs, so that events meet; times between them from 0 to minutes.
 */
#ifndef XTR_FUZZ_EVENTS_H
#define XTR_FUZZ_EVENTS_H

#include "tests/fuzz/fuzz.h"

#include "format/bytes.h"
#include "format/merge.h"

#define FUZZ_OP    8u /* bytes of one event */
#define FUZZ_RINGS 8u /* ring ids 1 to 8 are defined, 0 and 9 are not */

struct fuzz_events {
	const uint8_t *p;
	size_t left;
	struct xtr_event ev;
	struct xtr_gap gap;
	uint8_t rec[64];
};

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
	for (uint32_t id = 1; id <= FUZZ_RINGS; id++) {
		const char *text = names[id % 4];
		struct xtr_ring ring = { .id = id, .sched = id, .limit = id % 2 };

		FUZZ_CHECK(!xtr_tables_intern(t, text, strlen(text), &name));
		ring.name = name;
		FUZZ_CHECK(!xtr_tables_add_ring(t, &ring));
	}
	return t;
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
	if (type >= XTR_EV_FENCE_INIT)
		xtr_put_le32(e->rec + 36, (uint32_t) - (int32_t)(op[OP_FLAGS] % 128));
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
