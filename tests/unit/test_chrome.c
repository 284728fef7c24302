/* SPDX-License-Identifier: BSD-2-Clause */
/* What the Chrome trace exporter writes of jobs, calls, marks and gaps that are handed to it. */
#include "trace.h"
#include "bpf_types.h"
#include "converters/out/core/export.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN  1000000000ull /* ns: first event of the first section */
#define AT(ns) (BEGIN + (ns))

extern const struct xtr_exporter xtr_exporter_chrome;
static const struct xtr_exporter *const x = &xtr_exporter_chrome;

/* A trace, and the exporter at work on it. */
static struct xtr_reader *reader;
static struct xtr_io *file;
static struct xtr_model *rings;
static void *self;
static FILE *out;
static char *text;
static size_t n_text;

/* --- a file ----------------------------------------------------------------------------------- */

struct recording {
	uint8_t boot;
	uint64_t first, last, realtime; /* ns; realtime 0: not known */
};

/* A section with an event at both ends, a ring, a thread with a name that no one should have. */
static void add_section(const struct recording *r)
{
	static const uint8_t comm[] = { 'e', '"', '\\', '\n', 0xff };
	const struct xtr_clock_reading clock = { "realtime", r->realtime };
	const uint8_t boot[16] = { r->boot };
	struct xtr_task task = { .tid = 42, .pid = 40 }, first = { .tid = 40, .pid = 40 };
	struct xtr_writer_opts opts;
	struct trace t;

	xtr_writer_opts_init(&opts);
	opts.file_id = r->boot * 1000 + r->first;
	cr_assert(!trace_open(&t, file, &opts));
	file = t.io;
	cr_assert(!xtr_meta_set_clock(t.meta, "monotonic", boot, 1));
	cr_assert(!xtr_tables_intern(t.tables, comm, sizeof(comm), &task.comm));
	cr_assert(!xtr_tables_intern(t.tables, "app", 3, &first.comm));
	cr_assert(!xtr_tables_add_task(t.tables, &task) && !xtr_tables_add_task(t.tables, &first));
	for (size_t i = 0; i < 2; i++) {
		struct xtr_rec_fence rec = { .h = { .ts = i ? r->last : r->first,
						    .type = XTR_EV_FENCE_SIGNALED,
						    .size = sizeof(rec) } };
		struct xtr_batch b = { .recs = (const uint8_t *)&rec, .len = sizeof(rec), .n = 1 };

		cr_assert(!xtr_writer_events(t.w, &b));
	}
	cr_assert(!xtr_writer_round(t.w, r->last));
	if (r->realtime)
		cr_assert(!xtr_writer_clock(t.w, r->first, r->first, &clock, 1));
	cr_assert(!xtr_writer_finish(t.w, "end", NULL));
	trace_close(&t, true);
}

static void begin_file(const struct recording *r, size_t n, const struct xtr_export_opts *opts)
{
	struct xtr_export_opts o = *opts;
	struct xtr_err err = { 0 };
	const uint8_t *bytes;
	const char *why = NULL;
	size_t len;

	file = NULL;
	for (size_t i = 0; i < n; i++)
		add_section(&r[i]);
	bytes = xtr_io_mem_data(file, &len);
	cr_assert(!trace_read(&reader, bytes, len, &err));
	cr_assert(xtr_reader_n_sections(reader) == n);
	out = open_memstream(&text, &n_text);
	o.out = out;
	cr_assert(x->open(&self, &o, &why) == 0);
}

static void begin_section(size_t i)
{
	const struct xtr_section *s = xtr_reader_section(reader, i);
	const struct xtr_model_opts mo = { .sz = sizeof(mo) };
	struct xtr_export_section es = {
		.reader = reader,
		.section = s,
		.meta = xtr_section_meta(s),
		.tables = xtr_section_tables(s),
		.index = i,
		.from = xtr_section_summary(s)->ts_min,
		.to = xtr_section_summary(s)->ts_max,
	};

	xtr_model_free(rings);
	cr_assert(!xtr_model_new(&rings, &mo));
	es.rings = rings;
	cr_assert(x->section(self, &es) == 0);
}

/* One section, ready for what happens in it. */
static void begin(bool jobs_only)
{
	const struct recording r = { .boot = 1, .first = BEGIN, .last = AT(1000000000) };
	const struct xtr_export_opts o = { .sz = sizeof(o), .jobs_only = jobs_only };

	begin_file(&r, 1, &o);
	begin_section(0);
}

static void finish(void)
{
	cr_assert(!x->end_section(self) && !x->finish(self));
	fflush(out);
}

static void teardown(void)
{
	x->close(self);
	if (out)
		fclose(out);
	free(text);
	xtr_model_free(rings);
	xtr_reader_close(reader);
	xtr_io_close(file);
}

TestSuite(chrome, .fini = teardown);

/* How many times this stands in the output. */
static size_t count(const char *needle)
{
	const char *p = text;
	size_t n = 0;

	for (; (p = strstr(p, needle)); p += strlen(needle))
		n++;
	return n;
}

static void expect(const char *needle)
{
	cr_expect(count(needle) == 1, "%zu times %s in\n%s", count(needle), needle, text);
}

static void expect_none(const char *needle)
{
	cr_expect(count(needle) == 0, "%s in\n%s", needle, text);
}

/* --- jobs ------------------------------------------------------------------------------------- */

static struct xtr_model_ring ring_a = {
	.id = 1, .index = 0, .name = "gfx", .device_name = "gpu.0", .limit = 2
};
static struct xtr_model_ring ring_b = {
	.id = 2, .index = 1, .name = "gfx", .device_name = "gpu.1", .limit = 2
};

/* Submitted, run and done at these times after BEGIN. */
static struct xtr_job job_of(const struct xtr_model_ring *ring, uint64_t seqno, uint64_t queue,
			     uint64_t run, uint64_t done)
{
	return (struct xtr_job){
		.ctx = 17,
		.seqno = seqno,
		.submit_ns = AT(queue),
		.queue_ns = AT(queue),
		.run_ns = AT(run),
		.start_ns = AT(run),
		.done_ns = AT(done),
		.exec_min_ns = done - run,
		.exec_max_ns = done - run,
		.ring = ring,
		.tid = 42,
		.pid = 40,
		.comm = 1,
		.quality = XTR_QUALITY_INFERRED,
	};
}

static void give(const struct xtr_job *j)
{
	cr_assert(x->job(self, j) == 0);
}

Test(chrome, a_job_is_one_slice)
{
	struct xtr_job j = job_of(&ring_a, 3, 1000, 2345678, 5000000);

	begin(true);
	give(&j);
	finish();
	expect("{\"ph\":\"X\",\"name\":\"e\\\"\\\\\\n\\ufffd\",\"pid\":5000016,\"tid\":1,"
	       "\"ts\":2345.678,\"dur\":2654.322,\"args\":{\"job\":\"17:3\",\"pid\":40}}");
	expect("\"name\":\"process_name\",\"pid\":5000016,\"tid\":5000016,"
	       "\"args\":{\"name\":\"gpu.0\",\"device\":\"gpu.0\"}");
	expect("\"name\":\"thread_name\",\"pid\":5000016,\"tid\":1,\"args\":{\"name\":\"gfx\","
	       "\"ring\":\"gfx\",\"ring_id\":1,\"lane\":1,\"quality\":\"inferred\","
	       "\"kind\":\"gpu\"}");
	expect("\"name\":\"process_name\",\"pid\":40,\"tid\":40,\"args\":{\"name\":\"app\"}");
	expect("\"start_ns\":\"1000000000\",\"sections\"");
	expect_none("\"cat\"");
}

Test(chrome, execution_is_told_where_it_is_not_the_slice)
{
	struct xtr_job j = job_of(&ring_a, 1, 0, 1000, 5000);

	begin(true);
	j.start_ns = AT(2000);
	give(&j);
	j = job_of(&ring_a, 2, 0, 6000, 9000);
	j.quality = XTR_QUALITY_BOUNDED;
	j.start_ns = 0;
	j.exec_min_ns = 0;
	give(&j);
	j = job_of(&ring_a, 3, 0, 10000, 12000);
	j.quality = XTR_QUALITY_BOUNDED; /* batched, but the ring was idle */
	j.exec_min_ns = 0;
	give(&j);
	finish();
	expect("{\"job\":\"17:1\",\"pid\":40,\"exec_ns\":3000}");
	expect("{\"job\":\"17:2\",\"pid\":40,\"exec_ns\":[0]}");
	expect("{\"job\":\"17:3\",\"pid\":40,\"exec_ns\":[0],"
	       "\"hw_wait_ns\":0}");
}

Test(chrome, everything_unusual_is_told)
{
	const struct xtr_dep deps[] = {
		{ .ctx = 5, .seqno = 6, .from_ns = AT(100), .until_ns = AT(300), .ring_id = 9 },
		{ .ctx = 7,
		  .seqno = 8,
		  .from_ns = AT(300),
		  .until_ns = AT(900),
		  .scheduled = true },
	};
	struct xtr_job j = job_of(&ring_a, 1, 100, 1000, 5000);

	begin(false);
	j.deps = deps;
	j.n_deps = 2;
	j.dep_wait_ns = 800;
	j.kind = XTR_KIND_KERNEL;
	j.flags = XTR_FLAG_ERROR | XTR_FLAG_TIMEOUT;
	j.error = -ETIME;
	j.result_known = j.client_known = true;
	j.client_id = UINT64_MAX;
	give(&j);
	finish();
	expect("\"dur\":4.000,\"cname\":\"terrible\",\"args\":{\"job\":\"17:1\",\"pid\":40,"
	       "\"tid\":42,\"client\":18446744073709551615,\"kind\":\"kernel\","
	       "\"quality\":\"inferred\",\"error\":-62,\"flags\":\"error|timeout\","
	       "\"deps\":[\"5:6\",\"7:8 run\"]}");
	expect("\"name\":\"wait for 5:6\",\"pid\":5000017,\"tid\":1,\"ts\":0.100,\"dur\":0.200,"
	       "\"args\":{\"job\":\"17:1\",\"dep\":\"5:6\",\"until\":\"done\",\"ring_id\":9}");
	expect("\"name\":\"wait for 7:8\",\"pid\":5000017,\"tid\":1,\"ts\":0.300,\"dur\":0.600,"
	       "\"args\":{\"job\":\"17:1\",\"dep\":\"7:8\",\"until\":\"run\"}");
	expect("\"ts\":0.100,\"dur\":0.900,\"args\":{\"job\":\"17:1\",\"dep_wait_ns\":800}");
}

Test(chrome, an_arrow_leads_from_submission_to_job)
{
	struct xtr_job j = job_of(&ring_a, 1, 100, 1000, 5000), k = j;

	begin(false);
	give(&j);
	k.seqno = 2; /* not known when it was submitted */
	k.submit_ns = k.queue_ns = 0;
	give(&k);
	finish();
	expect("{\"ph\":\"X\",\"cat\":\"submit\",\"name\":\"submit gfx\",\"pid\":40,\"tid\":42,"
	       "\"ts\":0.100,\"dur\":0.000,\"args\":{\"job\":\"17:1\"}},\n"
	       "{\"ph\":\"s\",\"cat\":\"flow\",\"name\":\"job\",\"pid\":40,\"tid\":42,\"ts\":0.100,"
	       "\"id\":1}");
	expect("},\n{\"ph\":\"f\",\"cat\":\"flow\",\"name\":\"job\",\"pid\":5000016,\"tid\":1,"
	       "\"ts\":1.000,\"id\":1,\"bp\":\"e\"}");
	cr_expect(count("\"cat\":\"flow\"") == 2);
	cr_expect(count("\"cat\":\"queue\"") == 1);
	cr_expect(count("\"cat\":\"job\"") == 2);
}

Test(chrome, no_duration_is_made_up)
{
	struct xtr_job j = job_of(&ring_a, 1, 100, 1000, 0);

	begin(true);
	j.done_ns = 0;
	j.quality = XTR_QUALITY_OPEN;
	j.flags = XTR_FLAG_NO_DONE;
	give(&j);
	j = job_of(&ring_a, 2, 100, 0, 9000);
	j.run_ns = 0;
	j.quality = XTR_QUALITY_LOST;
	give(&j);
	j = (struct xtr_job){ .ctx = 17, .seqno = 3, .ring = &ring_a, .quality = XTR_QUALITY_LOST };
	give(&j);
	j = job_of(&ring_a, 4, 100, 5000, 4000); /* no file of ours says that */
	give(&j);
	finish();
	expect("\"pid\":5000016,\"tid\":1,\"ts\":1.000,\"s\":\"t\",\"args\":{\"at\":\"run\","
	       "\"job\":\"17:1\",\"pid\":40,\"quality\":\"open\",\"flags\":\"no-done\","
	       "\"queue_ns\":-900}");
	expect("\"ts\":9.000,\"s\":\"t\",\"args\":{\"at\":\"done\",\"job\":\"17:2\",\"pid\":40,"
	       "\"quality\":\"lost\",\"queue_ns\":-8900}");
	expect("\"name\":\"job\",\"pid\":5000016,\"tid\":1,\"ts\":0.000,\"s\":\"t\","
	       "\"args\":{\"at\":\"not known\",\"job\":\"17:3\",\"quality\":\"lost\"}");
	expect("\"args\":{\"at\":\"run\",\"job\":\"17:4\",\"pid\":40,\"queue_ns\":-4900,"
	       "\"done_ns\":-1000}");
	expect("\"name\":\"gfx (unfinished)\"");
	expect_none("\"ph\":\"X\"");
}

Test(chrome, rings_stay_apart)
{
	struct xtr_model_ring twin = ring_a;
	struct xtr_job j = job_of(&ring_a, 1, 0, 1000, 5000);

	begin(true);
	twin.id = 3;
	twin.index = 2;
	give(&j);
	j = job_of(&ring_b, 2, 0, 1000, 5000);
	give(&j);
	j = job_of(&twin, 3, 0, 1000, 5000);
	give(&j);
	j = job_of(&ring_a, 4, 0, 3000, 6000); /* overlaps the first */
	give(&j);
	j = job_of(&ring_a, 5, 0, 5000, 7000); /* follows the first */
	give(&j);
	finish();
	expect("\"pid\":5000016,\"tid\":1,\"ts\":1.000,\"dur\":4.000,\"args\":{\"job\":\"17:1\"");
	expect("\"pid\":5000018,\"tid\":1,\"ts\":1.000,\"dur\":4.000,\"args\":{\"job\":\"17:2\"");
	expect("\"pid\":5000016,\"tid\":2,\"ts\":1.000,\"dur\":4.000,\"args\":{\"job\":\"17:3\"");
	expect("\"pid\":5000016,\"tid\":3,\"ts\":3.000,\"dur\":3.000,\"args\":{\"job\":\"17:4\"");
	expect("\"pid\":5000016,\"tid\":1,\"ts\":5.000,\"dur\":2.000,\"args\":{\"job\":\"17:5\"");
	expect("\"name\":\"gfx#3\",\"ring\":\"gfx#3\",\"ring_id\":3");
	expect("\"name\":\"gfx (2)\",\"ring\":\"gfx\",\"ring_id\":1,\"lane\":2");
}

/* --- sections --------------------------------------------------------------------------------- */

static void one_job(size_t section, uint64_t seqno, uint64_t run)
{
	struct xtr_job j = job_of(&ring_a, seqno, 0, 0, 0);

	begin_section(section);
	j.submit_ns = j.queue_ns = 0;
	j.run_ns = j.start_ns = run;
	j.done_ns = run + 1000;
	give(&j);
	cr_assert(!x->end_section(self));
}

Test(chrome, sections_share_one_time_axis)
{
	const struct recording r[] = {
		{ 1, 5000000, 6000000, 1700000000000000000 },
		{ 1, 3000000, 4000000, 0 },                   /* of the same boot, earlier */
		{ 2, 9000000, 9500000, 1700000000000500000 }, /* 0.5 ms after the first */
		{ 3, 7000, 9000, 0 },                         /* nobody knows when */
	};
	const struct xtr_export_opts o = { .sz = sizeof(o), .jobs_only = true };

	begin_file(r, 4, &o);
	one_job(0, 1, 5000000);
	one_job(1, 2, 3000500);
	one_job(2, 3, 9000000);
	one_job(3, 4, 7000);
	finish();
	expect("\"pid\":5000016,\"tid\":1,\"ts\":2000.000,\"dur\":1.000,\"args\":{\"job\":\"17:1\"");
	expect("\"ts\":0.500,\"dur\":1.000,\"args\":{\"job\":\"17:2\"");
	expect("\"pid\":13388626,\"tid\":1,\"ts\":2500.000,\"dur\":1.000,\"args\":{\"job\":\"17:3\"");
	expect("\"ts\":3000.000,\"dur\":1.000,\"args\":{\"job\":\"17:4\"");
	cr_expect(count("\"aligned_by\":\"boot\"") == 2);
	expect("\"aligned_by\":\"realtime\"");
	expect("\"aligned_by\":\"behind the section before\"");
	/* Where 0 is, on the clocks of the first and the third. */
	cr_expect(count("\"start_realtime_ns\":\"1699999999998000000\","
			"\"start_utc\":\"2023-11-14T22:13:19.998000000Z\"") == 3);
	expect("\"start_ns\":\"6500000\"");
	/* The second section's ring is the first's, but what comes later and was earlier takes a
	 * lane of its own. */
	cr_expect(count("\"name\":\"thread_name\",\"pid\":5000016") == 2);
}

/* Times that no clock has: sorted behind the section before, and nothing overflows. */
Test(chrome, times_that_do_not_fit)
{
	const struct recording r[] = {
		{ 1, BEGIN, AT(1000), 1 },
		{ 4, BEGIN, AT(1000), BEGIN * 3600 * 24 * 60 }, /* 60 days later */
		{ 2, 1000, 2000, INT64_MAX },
		{ 2, UINT64_MAX - 5000, UINT64_MAX - 500, 5 },
	};
	const struct xtr_export_opts o = { .sz = sizeof(o), .jobs_only = true };

	begin_file(r, 4, &o);
	one_job(0, 1, BEGIN);
	one_job(1, 2, BEGIN);
	one_job(2, 3, 1000);
	one_job(3, 4, UINT64_MAX - 4998);
	finish();
	expect("\"ts\":0.000,\"dur\":1.000,\"args\":{\"job\":\"17:1\"");
	expect("\"ts\":1.000,\"dur\":1.000,\"args\":{\"job\":\"17:2\"");
	expect("\"ts\":2.000,\"dur\":1.000,\"args\":{\"job\":\"17:3\"");
	expect("\"ts\":3.002,\"dur\":1.000,\"args\":{\"job\":\"17:4\"");
	cr_expect(count("\"aligned_by\":\"behind the section before\"") == 3);
}

/* --- the rest --------------------------------------------------------------------------------- */

static void call(const char *name, uint32_t depth, uint64_t b, uint64_t e)
{
	struct xtr_call c = {
		.kind = XTR_CALL_SYSCALL,
		.name = name,
		.begin_ns = b ? AT(b) : 0,
		.end_ns = e ? AT(e) : 0,
		.tid = 42,
		.pid = 40,
		.comm = 1,
		.stream = 3,
		.depth = depth,
		.ret = -5,
		.ret_known = true,
	};

	cr_assert(x->call(self, &c) == 0);
}

Test(chrome, calls_nest_on_their_thread)
{
	begin(false);
	call("inner", 1, 2000, 3000);
	call("later", 1, 4000, 5000);
	call("outer", 0, 1000, 5000);
	/* Begins together with a call inside, which is written already. */
	call("first", 1, 7000, 7500);
	call("around", 0, 7000, 8000);
	call("next", 0, 9000, 9500);
	call("deep", 20, 9000, 9100);
	finish();
	expect("{\"ph\":\"X\",\"cat\":\"syscall\",\"name\":\"inner\",\"pid\":40,\"tid\":42,"
	       "\"ts\":2.000,\"dur\":1.000,\"args\":{\"cpu\":3,\"ret\":-5}}");
	expect("\"name\":\"outer\",\"pid\":40,\"tid\":42,\"ts\":1.000,\"dur\":4.000");
	expect("\"name\":\"first\",\"pid\":40,\"tid\":42,");
	expect("\"name\":\"around\",\"pid\":40,\"tid\":5000001,\"ts\":7.000,\"dur\":1.000");
	expect("\"name\":\"next\",\"pid\":40,\"tid\":42,");
	expect("\"name\":\"deep\",\"pid\":40,\"tid\":5000001,");
	expect("\"pid\":40,\"tid\":5000001,\"args\":{\"name\":\"calls that begin together\"}");
}

Test(chrome, calls_without_begin_or_end_are_moments)
{
	begin(false);
	call("no_end", 0, 1000, 0);
	call("no_begin", 0, 0, 2000);
	finish();
	expect("{\"ph\":\"i\",\"cat\":\"syscall\",\"name\":\"no_end\",\"pid\":40,\"tid\":42,"
	       "\"ts\":1.000,\"s\":\"t\",\"args\":{\"cpu\":3,\"ret\":-5,\"end\":\"not recorded\"}}");
	expect("\"name\":\"no_begin\",\"pid\":40,\"tid\":42,\"ts\":2.000,\"s\":\"t\","
	       "\"args\":{\"cpu\":3,\"ret\":-5,\"begin\":\"not recorded\"}");
}

Test(chrome, scheduling_and_interrupts_are_on_cpus)
{
	struct xtr_call c = { .kind = XTR_CALL_RUNNING,
			      .name = "app",
			      .begin_ns = AT(1000),
			      .end_ns = AT(2000),
			      .tid = 42,
			      .pid = 40,
			      .stream = 3,
			      .on_cpu = true,
			      .gap = true };

	begin(false);
	cr_assert(x->call(self, &c) == 0);
	c.kind = XTR_CALL_IRQ;
	c.name = "";
	c.gap = false;
	cr_assert(x->call(self, &c) == 0);
	finish();
	expect("\"cat\":\"running\",\"name\":\"app\",\"pid\":5000003,\"tid\":7,\"ts\":1.000,"
	       "\"dur\":1.000,\"args\":{\"tid\":42,\"pid\":40,"
	       "\"lost\":\"events were lost meanwhile\"}");
	expect("\"cat\":\"irq\",\"name\":\"irq\",\"pid\":5000003,\"tid\":8,");
	expect("\"pid\":5000003,\"tid\":7,\"args\":{\"name\":\"CPU 3\"}");
	expect("\"pid\":5000003,\"tid\":8,\"args\":{\"name\":\"CPU 3 interrupts\"}");
}

Test(chrome, marks)
{
	static const struct xtr_field fields[] = {
		{ .name = "cpu", .offset = 16, .size = 4, .repr = XTR_REPR_U32 },
		{ .name = "a\"b", .offset = 20, .size = 4, .repr = XTR_REPR_HEX32 },
	};
	const struct xtr_event_desc d = {
		.name = "x:y", .size = 24, .n_fields = 2, .fields = fields
	};
	const uint8_t rec[24] = { [16] = 9, [20] = 0x2a };
	const struct xtr_event ev = { .ts = AT(1000), .rec = rec, .size = 24, .desc = &d };
	struct xtr_mark m = { .kind = XTR_MARK_EVENT,
			      .name = "y",
			      .ts = AT(1000),
			      .tid = 42,
			      .pid = 40,
			      .comm = 1,
			      .stream = 3,
			      .ev = &ev };

	begin(false);
	cr_assert(x->mark(self, &m) == 0);
	m.tid = m.pid = 0; /* on the idle thread */
	cr_assert(x->mark(self, &m) == 0);
	m.tid = 43; /* of no process known */
	cr_assert(x->mark(self, &m) == 0);
	m.kind = XTR_MARK_VBLANK;
	m.track = "CRTC 0";
	cr_assert(x->mark(self, &m) == 0);
	m.kind = XTR_MARK_COUNTER;
	m.track = "GPU frequency 0";
	m.unit = "kHz";
	m.value = UINT64_MAX;
	cr_assert(x->mark(self, &m) == 0);
	finish();
	expect("{\"ph\":\"i\",\"cat\":\"event\",\"name\":\"y\",\"pid\":40,\"tid\":42,\"ts\":1.000,"
	       "\"s\":\"t\",\"args\":{\"cpu\":9,\"a\\\"b\":\"0x2a\"}}");
	expect("\"cat\":\"event\",\"name\":\"y\",\"pid\":5000004,\"tid\":4,");
	expect("\"cat\":\"event\",\"name\":\"y\",\"pid\":5000005,\"tid\":43,");
	expect("\"cat\":\"vblank\",\"name\":\"y\",\"pid\":5000001,");
	expect("{\"name\":\"CRTC 0\"}");
	expect("{\"ph\":\"C\",\"cat\":\"counter\",\"name\":\"GPU frequency 0\",\"pid\":5000002,"
	       "\"tid\":1,\"ts\":1.000,\"args\":{\"kHz\":18446744073709551615}}");
}

Test(chrome, depth_is_a_counter_of_the_device)
{
	struct xtr_model_ring ring = ring_b;

	begin(false);
	ring.queued = 3;
	ring.on_hw = 2;
	cr_assert(x->depth(self, &ring, AT(1500)) == 0);
	finish();
	expect("{\"ph\":\"C\",\"cat\":\"depth\",\"name\":\"gfx jobs\",\"pid\":5000016,"
	       "\"tid\":5000016,\"ts\":1.500,\"args\":{\"queued\":3,\"on hardware\":2}}");
}

Test(chrome, losses_are_slices_on_a_track_of_their_own)
{
	struct xtr_gap gap = { .stream = 1, .first = 500, .last = AT(2000), .count = 1 };

	begin(true);
	cr_assert(x->gap(self, &gap) == 0); /* from before the first event */
	gap = (struct xtr_gap){ 2, AT(1000), AT(3000), 7 };
	cr_assert(x->gap(self, &gap) == 0);
	gap = (struct xtr_gap){ 2, AT(3000), AT(3000), 2 };
	cr_assert(x->gap(self, &gap) == 0);
	finish();
	expect("\"name\":\"lost 1 event\",\"pid\":5000000,\"tid\":1,\"ts\":0.000,\"dur\":2.000,"
	       "\"args\":{\"count\":1,\"cpu\":1}");
	expect("\"name\":\"lost 7 events\",\"pid\":5000000,\"tid\":2,\"ts\":1.000,\"dur\":2.000");
	expect("\"name\":\"lost 2 events\",\"pid\":5000000,\"tid\":2,\"ts\":3.000,\"dur\":0.000");
}

/* A thread that took another name has it from then on; one that was not known now is. */
Test(chrome, names_follow)
{
	struct xtr_job j = job_of(&ring_a, 1, 0, 1000, 5000);

	begin(true);
	j.comm = 0;
	give(&j);
	j.comm = 2;
	give(&j);
	give(&j);
	finish();
	expect("\"pid\":40,\"tid\":42,\"args\":{\"name\":\"tid 42\"}");
	expect("\"pid\":40,\"tid\":42,\"args\":{\"name\":\"app\"}");
}

Test(chrome, options_that_mean_nothing_are_refused)
{
	const struct xtr_export_opts o[] = {
		{ .raw = true },          { .ftrace = true },   { .compress = true },
		{ .track_events = true }, { .table = "calls" },
	};
	const char *why;

	for (size_t i = 0; i < sizeof(o) / sizeof(o[0]); i++) {
		why = NULL;
		cr_expect(x->open(&self, &o[i], &why) == -EINVAL);
		cr_expect(why && !self);
	}
}
