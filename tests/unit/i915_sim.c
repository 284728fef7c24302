/* SPDX-License-Identifier: BSD-2-Clause */
#include "i915_sim.h"
#include "base/bytes.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

struct sim *s;

static const struct xtr_field fields[] = {
	FIELD("dev", 16, 4, U32),       FIELD("ctx", 24, 8, U64),   FIELD("class", 32, 2, U16),
	FIELD("instance", 34, 2, U16),  FIELD("seqno", 36, 4, U32), FIELD("stack", 44, 4, STACK),
	FIELD("completed", 40, 4, U32),
};

static const struct xtr_field old_fields[] = {
	FIELD("dev", 16, 4, U32),   FIELD("ctx", 24, 8, U64),    FIELD("ring", 32, 4, U32),
	FIELD("seqno", 36, 4, U32), FIELD("global", 40, 4, U32),
};

static const char *const names[TYPES - QUEUE] = {
	"i915:i915_request_queue",   "i915:i915_request_add",        "i915:i915_request_submit",
	"i915:i915_request_execute", "i915:i915_request_guc_submit", "i915:i915_request_in",
	"i915:i915_request_out",     "i915:i915_request_retire",     "i915:intel_engine_notify",
};

uint32_t intern(const char *text)
{
	uint32_t id;

	cr_assert(eq(int, xtr_tables_intern(s->tables, text, strlen(text), &id), 0));
	return id;
}

void begin(unsigned int has)
{
	char comm[16];

	s = sim_new();
	intern("i915_fence_ops");
	for (uint32_t i = 0; i < TYPES - QUEUE; i++) {
		struct xtr_event_desc d = { .name = names[i],
					    .type = QUEUE + i,
					    .size = 48,
					    .n_fields = i == OUT - QUEUE ? 7 : 6,
					    .fields = fields };

		if (has & OLD) {
			d.fields = old_fields;
			d.n_fields = 5;
		}
		if (has & 1u << i)
			cr_assert(eq(int, xtr_meta_add_event(s->meta, &d), 0));
	}
	if (has & SIGNALS)
		cr_assert(eq(int,
			     xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_FENCE_SIGNALED)),
			     0));
	for (uint32_t tid = 1; tid < 10; tid++) {
		snprintf(comm, sizeof(comm), "app%u", tid);
		sim_task(s, tid, tid + 1000, comm, 0);
	}
}

void done_with(void)
{
	sim_free(s);
}

const struct where rcs0 = { 0, RCS, 0 };

void event(enum type type, uint64_t ts, uint32_t tid, struct where w, uint64_t ctx, uint32_t seqno)
{
	uint8_t rec[48] = { 0 };

	xtr_put_le32(rec + 16, w.dev);
	xtr_put_le64(rec + 24, ctx);
	xtr_put_le16(rec + 32, w.class);
	xtr_put_le16(rec + 34, w.instance);
	xtr_put_le32(rec + 36, seqno);
	xtr_put_le32(rec + 44, s->stack ? s->stack + (uint32_t)type : 0);
	s->tid = tid;
	sim_raw(s, ts, type, rec, sizeof(rec));
}

void event_with(enum type type, uint64_t ts, uint32_t tid, struct where w, uint64_t ctx,
		uint32_t seqno, uint32_t more)
{
	event(type, ts, tid, w, ctx, seqno);
	xtr_put_le32((uint8_t *)&s->event[s->n - 1].rec + 40, more);
}

void signal_error(uint64_t ts, const char *ops, uint64_t ctx, uint64_t seqno, int32_t error)
{
	struct xtr_rec_fence r = { .ctx = ctx, .seqno = seqno, .error = error };

	r.ops = intern(ops);
	s->tid = IRQ;
	sim_raw(s, ts, XTR_EV_FENCE_SIGNALED, &r, sizeof(r));
}

void fence(uint64_t ts, uint64_t ctx, uint64_t seqno)
{
	signal_error(ts, "i915_fence_ops", ctx, seqno, 0);
}

void request(uint64_t at, uint64_t done, uint32_t tid, struct where w, uint64_t ctx, uint32_t seqno)
{
	event(QUEUE, at, tid, w, ctx, seqno);
	event(ADD, at + 5 * US, tid, w, ctx, seqno);
	fence(done, ctx, seqno);
	event(RETIRE, done + 2 * MS, 90, w, ctx, seqno);
}

void expect(const struct xtr_job *j, enum xtr_quality quality, uint32_t flags)
{
	cr_expect(eq(int, j->quality, (int)quality), "%llu:%llu", (unsigned long long)j->ctx,
		  (unsigned long long)j->seqno);
	cr_expect(eq(u32, j->flags, flags), "%llu:%llu", (unsigned long long)j->ctx,
		  (unsigned long long)j->seqno);
}

void added(uint64_t ts, struct where w, uint64_t ctx, uint32_t seqno)
{
	event(QUEUE, ts, 3, w, ctx, seqno);
	event(ADD, ts + 5 * US, 3, w, ctx, seqno);
}
