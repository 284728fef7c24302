/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of Intel GPUs from the requests of i915, against known truth. */
#include "base/bytes.h"
#include "format/xtr_format.h"
#include "i915_sim.h"
#include "replay/sources/i915_state.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

TestSuite(source_i915, .fini = done_with);

static void out(uint64_t ts, struct where w, uint64_t ctx, uint32_t seqno, uint32_t completed)
{
	event_with(OUT, ts, IRQ, w, ctx, seqno, completed);
}

static void expect_times(const struct xtr_job *j, uint64_t submit, uint64_t queue, uint64_t run,
			 uint64_t start, uint64_t done)
{
	cr_expect(eq(u64, j->submit_ns, submit));
	cr_expect(eq(u64, j->queue_ns, queue));
	cr_expect(eq(u64, j->run_ns, run));
	cr_expect(eq(u64, j->start_ns, start));
	cr_expect(eq(u64, j->done_ns, done));
}

/* Of who queued it, or, of the driver's own, of where it was added. */
Test(source_i915, stacks)
{
	begin(PLAIN);
	s->stack = 5;
	request(100 * US, 900 * US, 3, rcs0, 70, 1);
	event(ADD, 1000 * US, 4, rcs0, 71, 1);
	fence(1200 * US, 71, 1);
	sim_jobs(s);
	cr_expect(eq(u32, sim_find(s, 70, 1)->stack, 5 + QUEUE));
	cr_expect(eq(u32, sim_find(s, 71, 1)->stack, 5 + ADD));
}

Test(source_i915, one_request)
{
	const struct xtr_job *j;

	begin(PLAIN);
	request(100 * US, 900 * US, 3, rcs0, 7, 1);
	sim_jobs(s);
	j = sim_find(s, 7, 1);
	expect(j, XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN);
	expect_times(j, 100 * US, 100 * US, 105 * US, 0, 900 * US);
	cr_expect(eq(u64, j->exec_min_ns, 0));
	cr_expect(eq(u64, j->exec_max_ns, 795 * US));
	cr_expect(eq(str, (char *)j->ring->name, "rcs0"));
	cr_expect(eq(str, (char *)j->ring->device_name, "card0"));
	cr_expect(eq(int, j->kind, XTR_KIND_GPU));
	cr_expect(eq(u32, j->pid, 1003));
	cr_expect(eq(int, j->result_known, 1));
	cr_expect(eq(sz, s->n_jobs, 1));
}

/*
 * What was added may still wait for what it depends on: at most it took from the later of add and
 * the previous signal of the engine (and what a report takes), at least nothing. The copy engine is
 * another one.
 */
Test(source_i915, bounded_by_engine)
{
	static const struct bounds {
		uint64_t ctx;
		uint32_t seqno;
		uint64_t max;
	} of[] = {
		{ 7, 1, 795 * US },
		{ 8, 1, 600 * US + XTR_REPORT_NS },
		{ 9, 1, 395 * US },
		{ 7, 2, 495 * US },
	};

	begin(PLAIN);
	request(100 * US, 900 * US, 3, rcs0, 7, 1);
	request(200 * US, 1500 * US, 4, rcs0, 8, 1);
	request(300 * US, 700 * US, 4, (struct where){ 0, BCS, 0 }, 9, 1);
	request(3000 * US, 3500 * US, 3, rcs0, 7, 2);
	sim_jobs(s);
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const struct xtr_job *j = sim_find(s, of[i].ctx, of[i].seqno);

		expect(j, XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN);
		cr_expect(eq(u64, j->start_ns, 0));
		cr_expect(eq(u64, j->exec_min_ns, 0));
		cr_expect(eq(u64, j->exec_max_ns, of[i].max), "%zu", i);
	}
	cr_expect(eq(int, sim_find(s, 9, 1)->kind, XTR_KIND_COPY));
	cr_expect(eq(str, (char *)sim_find(s, 9, 1)->ring->name, "bcs0"));
}

/* One interrupt found both: which of them ended when is not known, so neither bounds the other. */
Test(source_i915, bounded_in_a_batch)
{
	begin(PLAIN);
	request(100 * US, 400 * US, 3, rcs0, 7, 1);
	request(200 * US, 1500 * US, 3, rcs0, 8, 1);
	request(300 * US, 1501 * US, 3, rcs0, 9, 1);
	sim_jobs(s);
	expect(sim_find(s, 8, 1), XTR_QUALITY_BOUNDED,
	       XTR_FLAG_NO_RUN | XTR_FLAG_BATCH | XTR_FLAG_BATCH_FIRST);
	expect(sim_find(s, 9, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN | XTR_FLAG_BATCH);
	cr_expect(eq(u64, sim_find(s, 9, 1)->exec_max_ns, 1101 * US + XTR_REPORT_NS));
}

/* Dependencies are met, and the engine takes requests in order: that is enough for a start. */
Test(source_i915, submit_tells_the_start)
{
	begin(PLAIN | BIT(SUBMIT));
	added(100 * US, rcs0, 7, 1);
	added(200 * US, rcs0, 8, 1);
	event(SUBMIT, 300 * US, IRQ, rcs0, 7, 1);
	event(SUBMIT, 350 * US, IRQ, rcs0, 8, 1);
	fence(900 * US, 7, 1);
	fence(1500 * US, 8, 1);
	sim_jobs(s);
	expect(sim_find(s, 7, 1), XTR_QUALITY_INFERRED, 0);
	expect(sim_find(s, 8, 1), XTR_QUALITY_INFERRED, 0);
	expect_times(sim_find(s, 7, 1), 100 * US, 105 * US, 300 * US, 300 * US, 900 * US);
	expect_times(sim_find(s, 8, 1), 200 * US, 205 * US, 350 * US, 900 * US, 1500 * US);
}

/* The same engine and the same numbers of two cards; one of them META knows by its node. */
Test(source_i915, two_cards_do_not_mix)
{
	static const char *const nodes[] = { "renderD129", "card1" };
	struct xtr_device d = {
		.name = "0000:03:00.0", .driver = "i915", .nodes = nodes, .n_nodes = 2
	};

	begin(PLAIN);
	cr_assert(eq(int, xtr_meta_add_device(s->meta, &d), 0));
	request(100 * US, 900 * US, 3, rcs0, 7, 1);
	request(200 * US, 1500 * US, 4, (struct where){ 1, RCS, 0 }, 8, 1);
	sim_jobs(s);
	cr_expect(eq(u64, sim_find(s, 8, 1)->exec_max_ns, 1295 * US));
	cr_expect(eq(u64, sim_find(s, 8, 1)->floor_ns, 205 * US + XTR_REPORT_NS));
	cr_expect(eq(str, (char *)sim_find(s, 7, 1)->ring->device_name, "card0"));
	cr_expect(eq(str, (char *)sim_find(s, 8, 1)->ring->device_name, "0000:03:00.0"));
}

/* Nobody waited: retiring signals the fence. The request had ended before, and so may the next. */
Test(source_i915, only_retired)
{
	begin(PLAIN);
	event(QUEUE, 100 * US, 3, rcs0, 7, 1);
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	event(RETIRE, 5 * MS, 3, rcs0, 7, 1);
	fence(5 * MS + US, 7, 1);
	request(1 * MS, 6 * MS, 3, rcs0, 7, 2);
	request(7 * MS, 8 * MS, 3, rcs0, 7, 3);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	expect(sim_find(s, 7, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN | XTR_FLAG_LATE);
	cr_expect(eq(u64, sim_find(s, 7, 1)->done_ns, 5 * MS));
	cr_expect(eq(u64, sim_find(s, 7, 1)->exec_max_ns, 5 * MS - 105 * US));
	cr_expect(eq(u64, sim_find(s, 7, 1)->exec_min_ns, 0));
	cr_expect(eq(int, sim_find(s, 7, 1)->result_known, 1));
	expect(sim_find(s, 7, 2), XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN);
	cr_expect(eq(u64, sim_find(s, 7, 2)->exec_max_ns, 5 * MS - 5 * US));
	expect(sim_find(s, 7, 3), XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN);
}

/* Signals were not recorded at all. */
Test(source_i915, without_signals)
{
	begin(PLAIN & ~SIGNALS);
	event(QUEUE, 100 * US, 3, rcs0, 7, 1);
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	event(RETIRE, 5 * MS, 3, rcs0, 7, 1);
	event(RETIRE, 6 * MS, 3, rcs0, 7, 1);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1));
	expect(&s->job[0], XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN | XTR_FLAG_LATE);
	cr_expect(eq(int, s->job[0].result_known, 0));
}

/* Nobody retires in the trace: nothing is missing for it. */
Test(source_i915, without_retire)
{
	begin(PLAIN & ~BIT(RETIRE));
	event(QUEUE, 100 * US, 3, rcs0, 7, 1);
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	fence(900 * US, 7, 1);
	event(QUEUE, 1000 * US, 3, rcs0, 7, 2);
	event(ADD, 1005 * US, 3, rcs0, 7, 2);
	sim_jobs(s);
	expect(sim_find(s, 7, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN);
	expect(sim_find(s, 7, 2), XTR_QUALITY_OPEN, XTR_FLAG_NO_RUN | XTR_FLAG_NO_DONE);
}

/* What no process queued is the driver's own; where queues are not recorded nobody can say. */
Test(source_i915, requests_of_the_driver)
{
	begin(PLAIN);
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	fence(900 * US, 7, 1);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 7, 1)->kind, XTR_KIND_KERNEL));
	sim_free(s);
	begin(PLAIN & ~BIT(QUEUE));
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	fence(900 * US, 7, 1);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 7, 1)->kind, XTR_KIND_GPU));
	expect(sim_find(s, 7, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN);
}

/* Low-level tracepoints, execlists: it waits for its dependencies until submit, then is handed
 * over.
 */
Test(source_i915, execlists)
{
	const struct xtr_job *j;

	begin(LOW);
	event(QUEUE, 100 * US, 3, rcs0, 7, 1);
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	event(SUBMIT, 400 * US, IRQ, rcs0, 7, 1);
	event(EXECUTE, 410 * US, IRQ, rcs0, 7, 1);
	event(IN, 412 * US, IRQ, rcs0, 7, 1);
	fence(900 * US, 7, 1);
	out(905 * US, rcs0, 7, 1, 1);
	event(RETIRE, 2 * MS, 90, rcs0, 7, 1);
	sim_jobs(s);
	j = sim_find(s, 7, 1);
	expect(j, XTR_QUALITY_INFERRED, 0);
	expect_times(j, 100 * US, 105 * US, 410 * US, 410 * US, 900 * US);
}

Test(source_i915, preempted)
{
	begin(LOW);
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	event(EXECUTE, 110 * US, IRQ, rcs0, 7, 1);
	event(IN, 111 * US, IRQ, rcs0, 7, 1);
	out(200 * US, rcs0, 7, 1, 0);
	event(EXECUTE, 600 * US, IRQ, rcs0, 7, 1);
	event(IN, 601 * US, IRQ, rcs0, 7, 1);
	fence(900 * US, 7, 1);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1));
	expect(&s->job[0], XTR_QUALITY_BOUNDED, XTR_FLAG_PREEMPTED);
	cr_expect(eq(u64, s->job[0].run_ns, 110 * US));
	cr_expect(eq(u64, s->job[0].exec_max_ns, 790 * US));
	cr_expect(eq(u64, s->counts.recycled, 0));
}

static void guc(uint64_t at, uint64_t done, uint64_t ctx, uint32_t seqno)
{
	event(ADD, at, 3, rcs0, ctx, seqno);
	event(EXECUTE, at + 1 * US, 3, rcs0, ctx, seqno);
	event(IN, at + 2 * US, 3, rcs0, ctx, seqno);
	event(GUC_SUBMIT, at + 3 * US, 3, rcs0, ctx, seqno);
	fence(done, ctx, seqno);
}

/* The GuC runs several contexts as it likes: then nothing tells when one of them started. */
Test(source_i915, guc)
{
	begin(LOW);
	guc(100 * US, 300 * US, 7, 1);
	guc(150 * US, 500 * US, 7, 2);
	guc(1000 * US, 2000 * US, 7, 3);
	guc(1500 * US, 2500 * US, 8, 1);
	guc(3000 * US, 3500 * US, 8, 2);
	sim_jobs(s);
	expect(sim_find(s, 7, 1), XTR_QUALITY_INFERRED, 0);
	expect(sim_find(s, 7, 2), XTR_QUALITY_INFERRED, 0);
	cr_expect(eq(u64, sim_find(s, 7, 2)->start_ns, 300 * US));
	expect(sim_find(s, 7, 3), XTR_QUALITY_BOUNDED, XTR_FLAG_SHARED);
	expect(sim_find(s, 8, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_SHARED);
	expect(sim_find(s, 8, 2), XTR_QUALITY_INFERRED, 0);
}

Test(source_i915, killed_before_it_ran)
{
	begin(LOW);
	event(QUEUE, 100 * US, 3, rcs0, 7, 1);
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	signal_error(900 * US, "i915_fence_ops", 7, 1, -EIO);
	sim_jobs(s);
	expect(&s->job[0], XTR_QUALITY_EXACT, XTR_FLAG_KILLED | XTR_FLAG_ERROR);
	cr_expect(eq(int, s->job[0].error, -EIO));
}

/* A reset: the fence has an error. */
Test(source_i915, error)
{
	begin(PLAIN);
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	signal_error(900 * US, "i915_fence_ops", 7, 1, -ETIMEDOUT);
	sim_jobs(s);
	expect(&s->job[0], XTR_QUALITY_BOUNDED,
	       XTR_FLAG_NO_RUN | XTR_FLAG_ERROR | XTR_FLAG_TIMEOUT);
}

/* Without execute, in comes only for the last of a context's requests that go together. */
Test(source_i915, in_alone_does_not_tell_of_each)
{
	begin(PLAIN | BIT(IN));
	event(ADD, 105 * US, 3, rcs0, 7, 1);
	event(ADD, 106 * US, 3, rcs0, 7, 2);
	event(IN, 110 * US, IRQ, rcs0, 7, 2);
	fence(400 * US, 7, 1);
	fence(900 * US, 7, 2);
	sim_jobs(s);
	expect(sim_find(s, 7, 1), XTR_QUALITY_OPEN, XTR_FLAG_NO_RUN);
	expect(sim_find(s, 7, 2), XTR_QUALITY_INFERRED, 0);
	cr_expect(eq(u64, sim_find(s, 7, 2)->start_ns, 400 * US));
}

/* Requests of before the trace: nothing tells their engine. Fences of others are not its own. */
Test(source_i915, what_is_no_request_of_the_trace)
{
	begin(PLAIN);
	fence(50 * US, 7, 1);
	event(RETIRE, 60 * US, 90, rcs0, 7, 1);
	event(RETIRE, 61 * US, 90, rcs0, 7, 2);
	event(QUEUE, 100 * US, 3, rcs0, 7, 3);
	event(ADD, 105 * US, 3, rcs0, 7, 3);
	signal_error(500 * US, "drm_sched_fence_ops_finished", 7, 3, 0);
	fence(900 * US, 7, 3);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1));
	cr_expect(eq(u64, s->job[0].done_ns, 900 * US));
}

/* Seqnos of a timeline wrap after 2^32 requests; an old one that never ended is closed. */
Test(source_i915, a_name_is_used_again)
{
	begin(PLAIN);
	event(QUEUE, 100 * US, 3, rcs0, 7, 5);
	event(ADD, 105 * US, 3, rcs0, 7, 5);
	request(1 * MS, 2 * MS, 3, rcs0, 7, 5);
	request(9 * MS, 10 * MS, 3, rcs0, 7, 5);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	cr_expect(eq(u64, s->counts.recycled, 1));
	cr_expect(eq(int, s->job[0].quality, XTR_QUALITY_LOST));
	expect_times(&s->job[2], 9 * MS, 9 * MS, 9 * MS + 5 * US, 0, 10 * MS);
}

/* Imported traces have 32 bits of a fence's name, and the driver's name. */
Test(source_i915, imported_fences)
{
	static const struct xtr_field imported[] = {
		FIELD("ctx", 16, 8, U64),
		FIELD("seqno", 24, 8, U64),
		FIELD("driver", 40, 4, STRID),
	};
	struct xtr_event_desc d = { .name = "dma_fence:dma_fence_signaled",
				    .type = XTR_EV_FENCE_SIGNALED,
				    .size = 48,
				    .n_fields = 3,
				    .fields = imported };
	uint8_t rec[48] = { 0 };

	begin(PLAIN & ~SIGNALS);
	cr_assert(eq(int, xtr_meta_add_event(s->meta, &d), 0));
	event(QUEUE, 100 * US, 3, rcs0, 0x500000007, 1);
	event(ADD, 105 * US, 3, rcs0, 0x500000007, 1);
	xtr_put_le64(rec + 16, 7);
	xtr_put_le64(rec + 24, 1);
	xtr_put_le32(rec + 40, intern("i915"));
	sim_raw(s, 900 * US, XTR_EV_FENCE_SIGNALED, rec, sizeof(rec));
	sim_jobs(s);
	expect(sim_find(s, 0x500000007, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN);
	cr_expect(eq(u64, s->job[0].done_ns, 900 * US));
	cr_expect(eq(int, s->job[0].result_known, 0));
}

/* A class that has no name goes by its number; more engines than any machine has share one ring. */
Test(source_i915, strange_engines)
{
	begin(PLAIN);
	request(100 * US, 200 * US, 3, (struct where){ 0, 65535, 2 }, 1, 1);
	request(300 * US, 400 * US, 3, (struct where){ 0, 4, 3 }, 2, 1);
	for (uint16_t i = 0; i < 1000; i++)
		request(MS + i * 10 * US, MS + i * 10 * US + 8 * US, 3, (struct where){ i, VCS, i },
			100u + i, 1);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1002));
	cr_expect(eq(str, (char *)sim_find(s, 1, 1)->ring->name, "class65535.2"));
	cr_expect(eq(str, (char *)sim_find(s, 2, 1)->ring->name, "ccs3"));
	cr_expect(eq(str, (char *)sim_find(s, 101, 1)->ring->name, "vcs1"));
	cr_expect(eq(str, (char *)sim_find(s, 1099, 1)->ring->name, "(others)"));
	cr_expect(eq(u64, sim_find(s, 1099, 1)->done_ns, MS + 9998 * US));
}

/* Records cut short, and requests that never end: memory is bounded, nothing is read past an end.
 */
Test(source_i915, hostile)
{
	uint8_t rec[24] = { 0 };

	begin(LOW);
	for (uint32_t i = 0; i < 1000; i++)
		event(ADD, i * US, 3, rcs0, 7, i);
	for (uint32_t i = QUEUE; i < TYPES; i++)
		sim_raw(s, 2000 * US, i, rec, sizeof(rec));
	sim_jobs(s);
	cr_expect(ge(sz, s->n_jobs, 1000));
}

/* The ring's id does not depend on what came before it in the file. */
Test(source_i915, ids_of_rings)
{
	bool known;
	uint32_t a = i915_ring_id(0, RCS, 0, &known), b = i915_ring_id(1, RCS, 0, &known);

	begin(PLAIN);
	cr_expect(ne(u32, a, b));
	request(100 * US, 200 * US, 3, (struct where){ 1, RCS, 0 }, 1, 1);
	sim_jobs(s);
	cr_expect(eq(u32, sim_find(s, 1, 1)->ring->id, b));
	cr_expect(ne(u32, i915_ring_id(0, 65535, 0, &known), i915_ring_id(0, 255, 0, &known)));
	cr_expect(eq(int, known, 0));
}
