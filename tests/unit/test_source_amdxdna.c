/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of AMD NPUs from what their driver tells, with and without the scheduler's events. */
#include "base/bytes.h"
#include "format/xtr_format.h"
#include "gpu_sim.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define US       1000ull
#define DEVICE   "0000:c5:00.1"
#define XDNA_JOB 1100u
#define RING     7u
#define CTX      900ull

static struct sim *s;

#define FIELD(field, off, bytes, r)                                                \
	{                                                                          \
		.name = field, .offset = off, .size = bytes, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                             \
	}

static const struct xtr_field fields[] = {
	FIELD("name", 16, 4, STRID),        FIELD("str", 20, 4, STRID),
	FIELD("fence_context", 24, 8, U64), FIELD("fence_seqno", 32, 8, U64),
	FIELD("seq", 40, 8, U64),           FIELD("op", 48, 4, U32),
};

static void begin(const char *system)
{
	char name[64];
	struct xtr_event_desc d = { .name = name,
				    .type = XDNA_JOB,
				    .size = 56,
				    .fields = (struct xtr_field *)fields,
				    .n_fields = sizeof(fields) / sizeof(fields[0]) };

	snprintf(name, sizeof(name), "%s:xdna_job", system);
	s = sim_new();
	cr_assert(eq(int, xtr_meta_add_event(s->meta, &d), 0));
	sim_device(s, DEVICE, "amdxdna");
	sim_ring(s, RING, DEVICE, "amdxdna_js", 4);
	sim_ring(s, RING + 1, DEVICE, "amdxdna_js", 4);
	sim_task(s, 7, 5, "infer", 0);
	sim_task(s, 50, 50, "kworker", XTR_TASK_KTHREAD);
}

static void done_with(void)
{
	sim_free(s);
}

TestSuite(source_amdxdna, .fini = done_with);

static uint32_t intern(const char *text)
{
	uint32_t id;

	cr_assert(eq(int, xtr_tables_intern(s->tables, text, strlen(text), &id), 0));
	return id;
}

static void stage(uint64_t ts, const char *name, const char *text, uint64_t ctx, uint64_t seqno)
{
	uint8_t rec[56] = { 0 };

	s->tid = 50;
	xtr_put_le32(rec + 16, intern(name));
	xtr_put_le32(rec + 20, intern(text));
	xtr_put_le64(rec + 24, ctx);
	xtr_put_le64(rec + 32, seqno);
	sim_raw(s, ts, XDNA_JOB, rec, sizeof(rec));
}

/* What both say of a job; the driver's own alone without `scheduler`. */
static void job(uint64_t at, uint64_t seqno, uint64_t length, bool scheduler)
{
	if (scheduler) {
		s->tid = 7;
		sim_queue(s, at, CTX, seqno, RING);
		s->tid = 50;
		sim_run(s, at + 10 * US, CTX, seqno, RING);
	}
	stage(at + 11 * US, "hwctx.5.1", "job run", CTX, seqno);
	stage(at + 20 * US, "hwctx.5.1", "sent to device", CTX, seqno);
	stage(at + 20 * US + length, "hwctx.5.1", "signaling fence", CTX, seqno);
	if (scheduler) {
		sim_done(s, at + 22 * US + length, CTX, seqno, 0);
		sim_signaled(s, at + 23 * US + length, CTX, seqno, 0);
	}
	stage(at + 30 * US + length, "hwctx.5.1", "job free", CTX, seqno);
}

Test(source_amdxdna, with_the_scheduler_there_is_one_job)
{
	const struct xtr_job *j;

	begin("amdxdna");
	job(100 * US, 1, 400 * US, true);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1));
	j = &s->job[0];
	cr_expect(eq(u64, j->queue_ns, 100 * US));
	cr_expect(eq(u64, j->run_ns, 120 * US));
	cr_expect(eq(u64, j->done_ns, 520 * US));
	cr_expect(eq(u64, j->exec_max_ns, 400 * US));
	cr_expect(eq(int, j->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(int, j->kind, XTR_KIND_NPU));
	cr_expect(eq(u32, j->pid, 5));
	cr_expect(eq(u32, j->flags, 0));
	cr_expect(eq(int, j->result_known, 1));
	cr_expect(eq(str, (char *)j->ring->name, "amdxdna_js"));
	cr_expect(eq(u64, s->counts.duplicates, 0));
	cr_expect(eq(u64, s->counts.recycled, 0));
}

Test(source_amdxdna, alone)
{
	const struct xtr_job *j;

	begin("amdxdna");
	job(100 * US, 1, 400 * US, false);
	job(200 * US, 2, 450 * US, false);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	j = sim_find(s, CTX, 2);
	cr_expect(eq(u64, j->run_ns, 220 * US));
	cr_expect(eq(u64, j->done_ns, 670 * US));
	cr_expect(eq(u64, j->serial_start_ns, 520 * US));
	cr_expect(eq(u32, j->flags, XTR_FLAG_NO_QUEUE));
	cr_expect(eq(str, (char *)j->ring->name, "hwctx.5.1"));
	cr_expect(eq(str, (char *)j->ring->device_name, DEVICE));
	cr_expect(eq(int, j->quality, XTR_QUALITY_BOUNDED));
}

/* The out-of-tree driver's system, and the older text. */
Test(source_amdxdna, other_names)
{
	begin("amdxdna_trace");
	stage(10 * US, "hwctx.5.1", "sent to device", CTX, 1);
	stage(20 * US, "hwctx.5.1", "signaled fence", CTX, 1);
	stage(21 * US, "hwctx.5.1", "job timedout", CTX, 2);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1));
	cr_expect(eq(u64, s->job[0].exec_max_ns, 10 * US));
}

/* Several schedulers of one name are several rings. */
Test(source_amdxdna, contexts_are_apart)
{
	begin("amdxdna");
	s->tid = 7;
	for (uint32_t i = 0; i < 2; i++) {
		sim_queue(s, 10 * US + i, CTX + i, 1, RING + i);
		sim_run(s, 20 * US + i, CTX + i, 1, RING + i);
		stage(30 * US + i, i ? "hwctx.5.2" : "hwctx.5.1", "sent to device", CTX + i, 1);
		stage((90 + 10 * i) * US, i ? "hwctx.5.2" : "hwctx.5.1", "signaling fence", CTX + i,
		      1);
		sim_done(s, (91 + 10 * i) * US, CTX + i, 1, 0);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	cr_expect(ne(u32, s->job[0].ring->id, s->job[1].ring->id));
	cr_expect(eq(u64, sim_find(s, CTX + 1, 1)->exec_max_ns, 70 * US - 1));
}

/* Run is later than a job's that was handed over first: the ring's order is that of the device. */
Test(source_amdxdna, the_device_has_them_in_another_order)
{
	begin("amdxdna");
	sim_run(s, 10 * US, CTX, 1, RING);
	sim_run(s, 11 * US, CTX, 2, RING);
	stage(20 * US, "hwctx.5.1", "sent to device", CTX, 2);
	stage(21 * US, "hwctx.5.1", "sent to device", CTX, 1);
	stage(50 * US, "hwctx.5.1", "signaling fence", CTX, 2);
	stage(60 * US, "hwctx.5.1", "signaling fence", CTX, 1);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	cr_expect(eq(u32, sim_find(s, CTX, 2)->flags & XTR_FLAG_OVERTOOK, 0));
	cr_expect(eq(u64, sim_find(s, CTX, 1)->serial_start_ns, 50 * US));
}

/* The driver said done twice, the scheduler once more: only the first of the latter is expected. */
Test(source_amdxdna, duplicates)
{
	begin("amdxdna");
	job(100 * US, 1, 400 * US, true);
	sim_done(s, 523 * US, CTX, 1, 0);
	sim_jobs(s);
	cr_expect(eq(u64, s->counts.duplicates, 1));
	cr_assert(eq(sz, s->n_jobs, 1));
}

/* More contexts than there are rings for. */
Test(source_amdxdna, many_contexts)
{
	char name[32];

	begin("amdxdna");
	for (uint32_t i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "hwctx.5.%u", i);
		stage(i * US + 1, name, "sent to device", CTX + i, 1);
		stage(i * US + 500, name, "signaling fence", CTX + i, 1);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 600));
	cr_expect(eq(str, (char *)sim_find(s, CTX + 255, 1)->ring->name, "hwctx.5.255"));
	cr_expect(eq(str, (char *)sim_find(s, CTX + 256, 1)->ring->name, "(others)"));
	cr_expect(eq(str, (char *)sim_find(s, CTX + 599, 1)->ring->name, "(others)"));
}
