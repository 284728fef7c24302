/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of the scheduler from its tracepoints by name, before Linux 6.17 and since. */
#include "base/bytes.h"
#include "format/xtr_format.h"
#include "gpu_sim.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define US     1000ull
#define DEVICE "0000:03:00.0"
#define CTX    900ull

enum {
	QUEUE = 1100,
	RUN,
	DONE,
	WAIT,
	FENCE
};

static struct sim *s;
static const char *old_ring; /* of old events */

#define FIELD(field, off, bytes, r)                                                \
	{                                                                          \
		.name = field, .offset = off, .size = bytes, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                             \
	}

static const struct xtr_field new_fields[] = {
	FIELD("name", 16, 4, STRID),      FIELD("job_count", 20, 4, U32),
	FIELD("dev", 24, 4, STRID),       FIELD("fence_context", 32, 8, U64),
	FIELD("fence_seqno", 40, 8, U64), FIELD("client_id", 48, 8, U64),
};
static const struct xtr_field dep_fields[] = {
	FIELD("fence_context", 16, 8, U64),
	FIELD("fence_seqno", 24, 8, U64),
	FIELD("ctx", 32, 8, U64),
	FIELD("seqno", 40, 8, U64),
};
static const struct xtr_field old_fields[] = {
	FIELD("entity", 16, 8, HEX64), FIELD("fence", 24, 8, HEX64),   FIELD("name", 32, 4, STRID),
	FIELD("id", 40, 8, U64),       FIELD("job_count", 48, 4, U32),
};
static const struct xtr_field old_dep_fields[] = {
	FIELD("name", 16, 4, STRID), FIELD("id", 24, 8, U64),    FIELD("fence", 32, 8, HEX64),
	FIELD("ctx", 40, 8, U64),    FIELD("seqno", 48, 4, U32),
};
static const struct xtr_field old_done_fields[] = { FIELD("fence", 16, 8, HEX64) };
static const struct xtr_field fence_fields[] = {
	FIELD("driver", 16, 4, STRID),
	FIELD("timeline", 20, 4, STRID),
	FIELD("context", 24, 4, U32),
	FIELD("seqno", 28, 4, U32),
};

static void add(const char *name, uint32_t type, uint32_t size, const struct xtr_field *fields,
		size_t n)
{
	struct xtr_event_desc d = { .name = (char *)name,
				    .type = type,
				    .size = size,
				    .fields = (struct xtr_field *)fields,
				    .n_fields = n };

	cr_assert(eq(int, xtr_meta_add_event(s->meta, &d), 0));
}

#define ADD(name, type, size, fields) \
	add(name, type, size, fields, sizeof(fields) / sizeof((fields)[0]))

static void begin(bool old)
{
	s = sim_new();
	old_ring = "gfx_0.0.0";
	sim_device(s, DEVICE, "amdgpu");
	sim_task(s, 7, 5, "game", 0);
	if (old) {
		ADD("gpu_scheduler:drm_sched_job", QUEUE, 56, old_fields);
		ADD("gpu_scheduler:drm_run_job", RUN, 56, old_fields);
		ADD("gpu_scheduler:drm_sched_process_job", DONE, 24, old_done_fields);
		ADD("gpu_scheduler:drm_sched_job_wait_dep", WAIT, 56, old_dep_fields);
	} else {
		ADD("gpu_scheduler:drm_sched_job_queue", QUEUE, 56, new_fields);
		ADD("gpu_scheduler:drm_sched_job_run", RUN, 56, new_fields);
		ADD("gpu_scheduler:drm_sched_job_done", DONE, 48, dep_fields);
		ADD("gpu_scheduler:drm_sched_job_unschedulable", WAIT, 48, dep_fields);
	}
	ADD("dma_fence:dma_fence_signaled", FENCE, 32, fence_fields);
}

static void done_with(void)
{
	sim_free(s);
}

TestSuite(source_sched, .fini = done_with);

static uint32_t intern(const char *text)
{
	uint32_t id;

	cr_assert(eq(int, xtr_tables_intern(s->tables, text, strlen(text), &id), 0));
	return id;
}

static uint64_t new_ctx = CTX;

static void new_job(uint32_t type, uint64_t ts, const char *ring, uint64_t seqno)
{
	uint8_t rec[56] = { 0 };

	s->tid = type == QUEUE ? 7 : 50;
	xtr_put_le32(rec + 16, intern(ring));
	xtr_put_le32(rec + 20, 1);
	xtr_put_le32(rec + 24, intern(DEVICE));
	xtr_put_le64(rec + 32, new_ctx);
	xtr_put_le64(rec + 40, seqno);
	xtr_put_le64(rec + 48, 17);
	sim_raw(s, ts, type, rec, sizeof(rec));
}

static void new_two(uint32_t type, uint64_t ts, uint64_t ctx, uint64_t seqno, uint64_t dep_ctx,
		    uint64_t dep_seqno)
{
	uint8_t rec[48] = { 0 };

	s->tid = type == DONE ? 0 : 50;
	xtr_put_le64(rec + 16, ctx);
	xtr_put_le64(rec + 24, seqno);
	xtr_put_le64(rec + 32, dep_ctx);
	xtr_put_le64(rec + 40, dep_seqno);
	sim_raw(s, ts, type, rec, sizeof(rec));
}

static void new_dep(uint32_t type, uint64_t ts, uint64_t seqno, uint64_t dep_ctx,
		    uint64_t dep_seqno)
{
	new_two(type, ts, CTX, seqno, dep_ctx, dep_seqno);
}

static void old_job(uint32_t type, uint64_t ts, uint32_t tid, uint64_t entity, uint64_t fence,
		    uint64_t id)
{
	uint8_t rec[56] = { 0 };

	s->tid = tid;
	xtr_put_le64(rec + 16, entity);
	xtr_put_le64(rec + 24, fence);
	xtr_put_le32(rec + 32, intern(old_ring));
	xtr_put_le64(rec + 40, id);
	sim_raw(s, ts, type, rec, sizeof(rec));
}

static void old_done(uint64_t ts, uint64_t fence)
{
	uint8_t rec[24] = { 0 };

	s->tid = 0;
	xtr_put_le64(rec + 16, fence);
	sim_raw(s, ts, DONE, rec, sizeof(rec));
}

static void old_dep(uint64_t ts, uint64_t id, uint64_t fence)
{
	uint8_t rec[56] = { 0 };

	s->tid = 50;
	xtr_put_le32(rec + 16, intern(old_ring));
	xtr_put_le64(rec + 24, id);
	xtr_put_le64(rec + 32, fence);
	xtr_put_le64(rec + 40, 4000);
	xtr_put_le32(rec + 48, 1);
	sim_raw(s, ts, WAIT, rec, sizeof(rec));
}

static void signaled(uint64_t ts, uint32_t ctx, uint32_t seqno)
{
	uint8_t rec[32] = { 0 };

	s->tid = 0;
	xtr_put_le32(rec + 16, intern("drm_sched"));
	xtr_put_le32(rec + 24, ctx);
	xtr_put_le32(rec + 28, seqno);
	sim_raw(s, ts, FENCE, rec, sizeof(rec));
}

Test(source_sched, jobs_by_their_fence)
{
	const struct xtr_job *j;

	begin(false);
	new_job(QUEUE, 10 * US, "gfx_0.0.0", 1);
	new_job(RUN, 12 * US, "gfx_0.0.0", 1);
	new_job(QUEUE, 13 * US, "gfx_0.0.0", 2);
	new_dep(WAIT, 14 * US, 2, 4000, 1);
	signaled(30 * US, 4000, 1);
	new_job(RUN, 31 * US, "gfx_0.0.0", 2);
	new_dep(DONE, 50 * US, 1, 0, 0);
	signaled(50 * US + 1, CTX, 1);
	new_dep(DONE, 90 * US, 2, 0, 0);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	j = sim_find(s, CTX, 1);
	cr_expect(eq(u64, j->queue_ns, 10 * US));
	cr_expect(eq(u64, j->run_ns, 12 * US));
	cr_expect(eq(u64, j->done_ns, 50 * US));
	cr_expect(eq(u64, j->client_id, 17));
	cr_expect(eq(u32, j->pid, 5));
	cr_expect(eq(u32, j->flags, 0));
	cr_expect(eq(int, j->quality, XTR_QUALITY_INFERRED));
	cr_expect(eq(str, (char *)j->ring->name, "gfx_0.0.0"));
	cr_expect(eq(str, (char *)j->ring->device_name, DEVICE));
	j = sim_find(s, CTX, 2);
	cr_expect(eq(u64, j->dep_wait_ns, 16 * US));
	cr_expect(eq(u64, j->exec_max_ns, 40 * US));
}

/* The event of its end names no ring. */
Test(source_sched, a_dependency_has_the_ring_of_its_job)
{
	const struct xtr_job *j, *other;

	begin(false);
	new_ctx = 300;
	new_job(QUEUE, 9 * US, "sdma0", 7);
	new_job(RUN, 10 * US, "sdma0", 7);
	new_ctx = CTX;
	new_job(QUEUE, 11 * US, "gfx_0.0.0", 1);
	new_dep(WAIT, 14 * US, 1, 300, 7);
	new_two(DONE, 30 * US, 300, 7, 0, 0);
	new_job(RUN, 31 * US, "gfx_0.0.0", 1);
	new_dep(DONE, 50 * US, 1, 0, 0);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	j = sim_find(s, CTX, 1);
	other = sim_find(s, 300, 7);
	cr_assert(eq(u32, j->n_deps, 1));
	cr_expect(eq(u64, j->deps[0].until_ns, 30 * US));
	cr_expect(ne(u32, other->ring->id, 0));
	cr_expect(eq(u32, j->deps[0].ring_id, other->ring->id));
}

/* Two rings of one name, which their schedulers' threads tell apart; one address for two jobs. */
Test(source_sched, old_jobs_by_address)
{
	const struct xtr_job *first, *second, *other;

	begin(true);
	sim_task(s, 60, 60, "gfx_0.0.0", XTR_TASK_KTHREAD);
	sim_task(s, 61, 61, "gfx_0.0.0", XTR_TASK_KTHREAD);
	old_job(QUEUE, 10 * US, 7, 0xe1, 0xf1000, 1);
	old_job(RUN, 11 * US, 60, 0xe1, 0xf1000, 1);
	old_job(QUEUE, 12 * US, 7, 0xe2, 0xf2000, 1);
	old_job(RUN, 13 * US, 61, 0xe2, 0xf2000, 1);
	old_done(20 * US, 0xf1000);
	old_done(25 * US, 0xf2000);
	old_job(QUEUE, 30 * US, 7, 0xe1, 0xf1000, 2);
	old_job(RUN, 31 * US, 60, 0xe1, 0xf1000, 2);
	old_done(35 * US, 0xf1000);
	old_done(36 * US, 0xf3000); /* nothing else is known of it */
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	first = &s->job[0];
	other = &s->job[1];
	second = &s->job[2];
	cr_expect(eq(u64, first->done_ns, 20 * US));
	cr_expect(eq(u64, other->done_ns, 25 * US));
	cr_expect(eq(u64, second->done_ns, 35 * US));
	cr_expect(eq(u64, first->ctx, second->ctx));
	cr_expect(ne(u64, first->ctx, other->ctx));
	cr_expect(eq(u32, first->ring->id, second->ring->id));
	cr_expect(ne(u32, first->ring->id, other->ring->id));
	cr_expect(eq(u32, first->flags, XTR_FLAG_KEY_INFERRED));
	cr_expect(eq(u64, second->exec_max_ns, 4 * US));
}

/* By the address of what it waits for: a job's finished fence, or the scheduled one before it. */
Test(source_sched, old_dependencies)
{
	const struct xtr_job *j;

	begin(true);
	old_job(QUEUE, 10 * US, 7, 0xe1, 0xf1000, 1);
	old_job(RUN, 12 * US, 50, 0xe1, 0xf1000, 1);
	old_job(QUEUE, 13 * US, 7, 0xe1, 0xf3000, 2);
	old_ring = "sdma0";
	old_job(QUEUE, 11 * US, 7, 0xe2, 0xf2000, 2);
	old_job(QUEUE, 14 * US, 7, 0xe2, 0xf4000, 3);
	old_dep(13 * US, 2, 0xf1000);
	old_dep(15 * US, 3, 0xf3000 - 64);
	old_done(33 * US, 0xf1000);
	old_job(RUN, 34 * US, 50, 0xe2, 0xf2000, 2);
	old_done(44 * US, 0xf2000);
	old_job(RUN, 56 * US, 50, 0xe2, 0xf4000, 3);
	old_done(60 * US, 0xf4000);
	old_dep(61 * US, 77, 0xf1000); /* no such job */
	old_ring = "gfx_0.0.0";
	old_job(RUN, 55 * US, 50, 0xe1, 0xf3000, 2);
	old_done(70 * US, 0xf3000);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 4));
	j = &s->job[1];
	cr_expect(eq(u64, j->dep_wait_ns, 20 * US));
	cr_assert(eq(u32, j->n_waits, 1));
	cr_expect(eq(u64, s->dep[1][0].ctx, s->job[0].ctx));
	cr_expect(eq(u64, s->dep[1][0].seqno, 1));
	j = &s->job[2];
	cr_expect(eq(u64, j->dep_wait_ns, 40 * US));
	cr_expect(eq(int, s->dep[2][0].scheduled, 1));
}

/* More entities than are kept, and more rings: nothing is mixed up that is still open. */
Test(source_sched, many_entities_and_rings)
{
	char name[32];

	begin(false);
	for (uint32_t i = 0; i < 1100; i++) {
		snprintf(name, sizeof(name), "ring%u", i);
		new_job(RUN, (10 + 2 * i) * US, name, i + 1);
		new_dep(DONE, (11 + 2 * i) * US, i + 1, 0, 0);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1100));
	cr_expect(eq(str, (char *)s->job[0].ring->name, "ring0"));
	cr_expect(eq(str, (char *)s->job[1099].ring->name, "(others)"));
}
