/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the Perfetto exporter makes of a trace with one of everything, read back field by field.
 * That decoders with a schema read the same is tested in tests/export.
 */
#include "named.h"
#include "pb.h"
#include "trace.h"
#include "converters/out/perfetto/perfetto.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN  5000000000000ull /* ns */
#define AT(us) (BEGIN + (us)*1000ull)
#define WIDE   (1ull << 40)
#define LONG   70000u /* jobs: more than may be interned at a time */
#define CPUS   2u

/* --- traces ----------------------------------------------------------------------------------- */

static struct named n;
static struct xtr_buf recs[CPUS];
static uint32_t records[CPUS];
static struct xtr_buf file; /* sections so far */

static void put(void)
{
	uint32_t cpu = n.ev.stream;

	xtr_buf_add(&recs[cpu], n.rec, n.ev.size);
	records[cpu]++;
}

static void emit(const char *name, uint64_t at, uint32_t tid, uint32_t cpu)
{
	named_emit(&n, name, AT(at), tid, cpu);
}

static void job_event(const char *name, uint64_t at, uint32_t tid, uint64_t ctx, uint64_t seqno,
		      uint32_t ring)
{
	char full[64];

	snprintf(full, sizeof(full), "gpu_scheduler:drm_sched_job_%s", name);
	emit(full, at, tid, 0);
	named_set(&n, "ctx", ctx);
	named_set(&n, "seqno", seqno);
	named_set(&n, "ring", ring);
}

static void job(const char *name, uint64_t at, uint32_t tid, uint64_t ctx, uint64_t seqno,
		uint32_t ring)
{
	job_event(name, at, tid, ctx, seqno, ring);
	put();
}

static void whole_job(uint64_t at, uint32_t tid, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	job("queue", at, tid, ctx, seqno, ring);
	job("run", at + 5, 300, ctx, seqno, ring);
	job("done", at + 25, 0, ctx, seqno, ring);
}

static void ring(uint32_t id, const char *device, const char *name)
{
	struct xtr_ring r = { .id = id, .limit = 4 };

	r.device = named_string(&n, device);
	r.name = named_string(&n, name);
	cr_assert(!xtr_tables_add_ring(n.tables, &r));
}

static void fresh(void)
{
	named_init(&n);
	for (size_t i = 0; i < CPUS; i++) {
		recs[i].n = 0;
		records[i] = 0;
	}
	named_describe(&n, "syscalls:sys_enter_ioctl", "fd:s32:4");
	named_describe(&n, "syscalls:sys_exit_ioctl", "ret:s64:8");
	named_describe(&n, "sched:sched_switch",
		       "prev_comm:str:16 prev_pid:s32:4 prev_prio:s32:4 prev_state:s64:8 "
		       "next_comm:str:16 next_pid:s32:4 next_prio:s32:4");
	named_describe(&n, "drm:drm_vblank_event", "crtc:s32:4 seq:u32:4 time:u64:8");
	named_describe(&n, "gpu_mem:gpu_mem_total", "gpu_id:u32:4 pid:u32:4 size:u64:8");
	named_task(&n, 7, 5, "game");
	named_task(&n, 5, 5, "launcher");
	named_task(&n, 9, 6, "vid\xff");
	ring(1, "0000:03:00.0", "gfx");
	ring(2, "0000:c1:00.0", "gfx");
	ring(3, "0000:03:00.0", "gfx");
}

static void one_of_everything(void)
{
	whole_job(0, 7, 11, 1, 1);
	whole_job(40, 9, 11, 2, 1); /* the same queue in another process */
	whole_job(80, 7, 21, 1, 2);
	whole_job(120, 7, 31, 1, 3);
	job("queue", 200, 7, 11, WIDE, 1); /* waits for a fence that no job has */
	job_event("unschedulable", 201, 300, 11, WIDE, 1);
	named_set(&n, "dep_ctx", WIDE);
	named_set(&n, "dep_seqno", 3);
	put();
	job("run", 210, 300, 11, WIDE, 1);
	job("done", 220, 0, 11, WIDE, 1);
	emit("drm:drm_vblank_event", 230, 0, 1);
	named_set(&n, "crtc", 1);
	named_set(&n, "time", AT(229));
	put();
	emit("gpu_mem:gpu_mem_total", 240, 7, 1);
	named_set(&n, "size", 4096);
	put();
	emit("sched:sched_switch", 250, 7, 1);
	named_text(&n, "prev_comm", "sixteen bytes...", 16);
	named_set(&n, "prev_pid", 7);
	named_set(&n, "prev_state", 2);
	named_set(&n, "next_pid", 9);
	put();
	emit("syscalls:sys_exit_ioctl", 260, 7, 1);
	put();
	emit("syscalls:sys_enter_ioctl", 270, 7, 1);
	put();
	job("queue", 300, 7, 21, 2, 2);
	job("run", 310, 300, 21, 2, 2); /* and never done */
}

static const uint64_t *realtime_step; /* what the wall clock is set forward, by reading */
static uint64_t lost_in_gap = 2;

/* A section of what there is. Readings of the clocks are off by up to 150 ns; off: suspended. */
static void add_section(uint8_t boot, uint64_t file_id, const uint64_t *off, size_t n_off)
{
	const uint8_t boot_id[16] = { boot };
	const struct xtr_system sys = {
		.release = "6.18", .version = "1", .machine = "x86_64", .hostname = "host"
	};
	struct xtr_gap gap = {
		.stream = 1, .first = AT(100), .last = AT(110), .count = lost_in_gap
	};
	struct xtr_writer_opts o;
	struct xtr_loss *loss = xtr_loss_new();
	struct xtr_writer *w;
	struct xtr_io *io;
	const uint8_t *p;
	size_t size;

	xtr_writer_opts_init(&o);
	o.file_id = file_id;
	cr_assert(!xtr_meta_set_writer(n.meta, "test", "1"));
	cr_assert(!xtr_meta_set_clock(n.meta, "monotonic", boot_id, 1));
	cr_assert(!xtr_meta_set_system(n.meta, &sys));
	cr_assert(!xtr_io_mem_new(&io));
	cr_assert(!xtr_writer_open(&w, io, n.meta, n.tables, loss, &o));
	cr_assert(!xtr_loss_add_gap(loss, &gap));
	for (size_t i = 0; i < n_off; i++) {
		uint64_t at = AT(i * 100), boottime = at + 7000 + off[i] + i % 3 * 70;
		const struct xtr_clock_reading r[] = {
			{ "boottime", boottime },
			{ "realtime", boottime + 1700000000000000000ull + i / 2 * 30 +
					      (realtime_step ? realtime_step[i] : 0) },
		};

		cr_assert(!xtr_writer_clock(w, at, at + 100 + i, r, 2));
	}
	for (size_t i = 0; i < CPUS; i++) {
		struct xtr_batch b = { .stream = (uint32_t)i, .recs = recs[i].p };

		b.len = recs[i].n;
		b.n = records[i];
		if (b.n)
			cr_assert(!xtr_writer_events(w, &b));
	}
	cr_assert(!xtr_writer_finish(w, "end", NULL));
	p = xtr_io_mem_data(io, &size);
	xtr_buf_add(&file, p, size);
	xtr_writer_free(w);
	xtr_loss_free(loss);
	xtr_io_close(io);
	named_free(&n);
}

static const uint64_t awake[4];

static char *out;
static struct pb trace;

static void export_with(struct xtr_export_opts o, const uint32_t *pid)
{
	struct xtr_export e = { .sz = sizeof(e), .exporter = xtr_exporter_by_name("perfetto") };
	struct xtr_reader *r;
	struct xtr_err err;
	size_t size = 0;

	free(out);
	cr_assert(!trace_read(&r, file.p, file.n, &err));
	o.sz = sizeof(o);
	o.out = open_memstream(&out, &size);
	e.opts = o;
	e.reader = r;
	e.select.pids = pid;
	e.select.n_pids = pid != NULL;
	cr_assert(!xtr_export(&e));
	fclose(o.out);
	trace = (struct pb){ (const uint8_t *)out, size };
	xtr_reader_close(r);
}

static void export(void)
{
	export_with((struct xtr_export_opts){ 0 }, NULL);
}

static void teardown(void)
{
	free(out);
	out = NULL;
	xtr_buf_free(&file);
	xtr_buf_free(&recs[0]);
	xtr_buf_free(&recs[1]);
}

TestSuite(perfetto_export, .fini = teardown);

/* --- looking things up ------------------------------------------------------------------------ */

#define EACH(p) for (struct pb rest_ = trace, p = { 0 }; each(&rest_, &p);)

static bool each(struct pb *rest, struct pb *packet)
{
	struct pb_field f = { 0 };

	if (!pb_next(rest, &f))
		return false;
	cr_assert_eq(f.number, PF_TRACE_PACKET);
	*packet = f.bytes;
	return true;
}

/* The i-th job. */
static struct pb nth_job(size_t i)
{
	EACH(p)
	if (pb_has(p, PF_PACKET_RENDER_STAGE) && !i--)
		return p;
	cr_assert_fail("no such job");
	return trace;
}

static struct pb stage(size_t i)
{
	return pb_message(nth_job(i), PF_PACKET_RENDER_STAGE);
}

static uint64_t of_stage(size_t i, uint32_t field)
{
	return pb_number(stage(i), field);
}

static uint64_t time_of(struct pb packet)
{
	return pb_number(packet, PF_PACKET_TIMESTAMP);
}

static uint64_t sequence_of(struct pb packet)
{
	return pb_number(packet, PF_PACKET_SEQUENCE);
}

static uint64_t of_event(struct pb packet, uint32_t field)
{
	return pb_number(pb_message(packet, PF_PACKET_EVENT), field);
}

/* A track's uuid. */
static uint64_t track(const char *name)
{
	EACH(p)
	{
		struct pb t = pb_message(p, PF_PACKET_TRACK);
		const char *s = pb_text(t, PF_TRACK_NAME);

		if (s && !strcmp(s, name))
			return pb_number(t, PF_TRACK_UUID);
	}
	cr_assert_fail("no track %s", name);
	return 0;
}

/* The i-th event on a track. */
static struct pb on_track(const char *name, size_t i)
{
	uint64_t uuid = track(name);

	EACH(p)
	if (of_event(p, PF_EVENT_TRACK) == uuid && !i--)
		return p;
	cr_assert_fail("no such event on a track");
	return trace;
}

/* The entry with an iid; all of a short trace's have one meaning. */
static struct pb interned(uint32_t table, uint64_t iid)
{
	EACH(p)
	{
		struct pb data = pb_message(p, PF_PACKET_INTERNED);

		for (size_t i = 0; i < pb_count(data, table); i++)
			if (pb_number(pb_nth(data, table, i).bytes, PF_NAME_IID) == iid)
				return pb_nth(data, table, i).bytes;
	}
	return (struct pb){ 0 };
}

static char *event_name(struct pb packet)
{
	uint64_t iid = of_event(packet, PF_EVENT_NAME);

	return pb_text(interned(PF_INTERNED_EVENT_NAMES, iid), PF_NAME_TEXT);
}

static uint64_t pid_of(uint64_t context)
{
	return pb_number(interned(PF_INTERNED_CONTEXTS, context), PF_CONTEXT_PID);
}

static char *extra(struct pb stage, const char *name)
{
	for (size_t i = 0; i < pb_count(stage, PF_STAGE_EXTRA); i++) {
		struct pb e = pb_nth(stage, PF_STAGE_EXTRA, i).bytes;

		if (!strcmp(pb_text(e, PF_STAGE_EXTRA_NAME), name))
			return pb_text(e, PF_STAGE_EXTRA_VALUE);
	}
	return NULL;
}

/* A clock of a packet's snapshot. */
static uint64_t clock_of(struct pb packet, uint32_t id)
{
	struct pb s = pb_message(packet, PF_PACKET_CLOCKS);

	for (size_t i = 0; i < pb_count(s, PF_CLOCKS_CLOCK); i++) {
		struct pb c = pb_nth(s, PF_CLOCKS_CLOCK, i).bytes;

		if (pb_number(c, PF_CLOCK_ID) == id)
			return pb_number(c, PF_CLOCK_TIMESTAMP);
	}
	cr_assert_fail("no clock %u", id);
	return 0;
}

/* The one event of a bundle of ftrace, if the packet has one. */
static struct pb ftrace_of(struct pb packet)
{
	return pb_message(pb_message(packet, PF_PACKET_FTRACE), PF_BUNDLE_EVENT);
}

static struct pb switch_of(struct pb packet)
{
	return pb_message(ftrace_of(packet), PF_FTRACE_SWITCH);
}

/* --- tests ------------------------------------------------------------------------------------ */

Test(perfetto_export, jobs_say_who_and_where)
{
	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	cr_expect_eq(of_stage(0, PF_STAGE_EVENT_ID), 11ull << 32 | 1);
	cr_expect_eq(time_of(nth_job(0)), 5000); /* the base is the first event */
	cr_expect_eq(of_stage(0, PF_STAGE_DURATION), 20000);
	cr_expect_eq(of_stage(0, PF_STAGE_SUBMISSION), 1);
	/* One context, two processes. */
	cr_expect_eq((uint32_t)of_stage(0, PF_STAGE_CONTEXT), 11);
	cr_expect_eq((uint32_t)of_stage(1, PF_STAGE_CONTEXT), 11);
	cr_expect_eq(pid_of(of_stage(0, PF_STAGE_CONTEXT)), 5);
	cr_expect_eq(pid_of(of_stage(1, PF_STAGE_CONTEXT)), 6);
	/* Equal names: another device, and another ring of the first. */
	cr_expect_eq(of_stage(0, PF_STAGE_GPU), of_stage(3, PF_STAGE_GPU));
	cr_expect_neq(of_stage(0, PF_STAGE_GPU), of_stage(2, PF_STAGE_GPU));
	cr_expect_eq(of_stage(0, PF_STAGE_QUEUE), of_stage(1, PF_STAGE_QUEUE));
	cr_expect_neq(of_stage(0, PF_STAGE_QUEUE), of_stage(2, PF_STAGE_QUEUE));
	cr_expect_neq(of_stage(0, PF_STAGE_QUEUE), of_stage(3, PF_STAGE_QUEUE));
	/* Too wide for an event id. */
	cr_expect(of_stage(4, PF_STAGE_EVENT_ID) >> 63);
	cr_expect_str_eq(extra(stage(4), "fence"), "11:1099511627776");
	cr_expect_eq(pb_count(stage(4), PF_STAGE_WAITS_FOR), 1);
	cr_expect(of_stage(4, PF_STAGE_WAITS_FOR) >> 63);
	cr_expect_str_eq(extra(stage(4), "dependency"), "1099511627776:3");
	/* Never done. */
	cr_expect_not(pb_has(stage(5), PF_STAGE_DURATION));
	cr_expect_str_eq(extra(stage(5), "at"), "run");
	cr_expect_eq(time_of(nth_job(5)), 310000);
}

/* As where most events were lost: no time of the job itself is known. */
Test(perfetto_export, a_job_of_which_only_a_wait_is_known_has_its_moment)
{
	fresh();
	whole_job(0, 7, 11, 1, 1);
	job_event("unschedulable", 50, 300, 21, 4, 1);
	named_set(&n, "dep_ctx", 11);
	named_set(&n, "dep_seqno", 2);
	put();
	whole_job(60, 7, 11, 2, 1);
	add_section(1, 1, awake, 1);
	export();
	for (size_t i = 0; i < 3; i++) {
		struct pb p = nth_job(i);

		cr_expect(pb_has(p, PF_PACKET_TIMESTAMP) && !pb_has(p, PF_PACKET_CLOCK_ID));
		if (of_stage(i, PF_STAGE_EVENT_ID) != (21ull << 32 | 4))
			continue;
		cr_expect_eq(time_of(p), 50000);
		cr_expect_str_eq(extra(stage(i), "at"), "wait");
	}
}

Test(perfetto_export, all_else_is_on_tracks)
{
	struct pb p;

	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	p = on_track("unfinished jobs", 0);
	cr_expect_eq(time_of(p), 310000);
	cr_expect_eq(of_event(p, PF_EVENT_TYPE), PF_SLICE_BEGIN);
	p = on_track("CRTC 1", 0);
	cr_expect_eq(time_of(p), 229000);
	cr_expect_str_eq(event_name(p), "drm_vblank_event");
	p = on_track("GPU memory gpu_id 0 pid 0", 0);
	cr_expect_eq(of_event(p, PF_EVENT_COUNTER), 4096);
	p = on_track("unfinished calls", 0);
	cr_expect_eq(time_of(p), 270000);
	cr_expect_str_eq(event_name(p), "ioctl");
	p = on_track("gfx on hardware", 0);
	cr_expect_eq(time_of(p), 0);
	cr_expect_eq(of_event(p, PF_EVENT_COUNTER), 0);
	p = on_track("gfx on hardware", 1);
	cr_expect_eq(time_of(p), 5000);
	cr_expect_eq(of_event(p, PF_EVENT_COUNTER), 1);
	EACH(q)
	if (ftrace_of(q).p) {
		struct pb f = switch_of(q);

		cr_expect_eq(pb_number(ftrace_of(q), PF_FTRACE_TIME), AT(250) + 7000 - 50);
		cr_expect_str_eq(pb_text(f, PF_SWITCH_PREV_COMM), "sixteen bytes...");
		cr_expect_eq(pb_number(f, PF_SWITCH_PREV_STATE), 2);
		cr_expect_eq(pb_number(f, PF_SWITCH_NEXT_TID), 9);
	}
}

Test(perfetto_export, gaps_are_marked_on_a_sequence_of_their_own)
{
	struct pb begin = { 0 }, end = { 0 };

	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	EACH(p)
	if (sequence_of(p) == 2) {
		begin = begin.p ? begin : p;
		end = p;
	}
	cr_assert(begin.p && end.p && begin.p != end.p);
	cr_expect_str_eq(pb_text(pb_message(begin, PF_PACKET_EVENT), PF_EVENT_PLAIN_NAME),
			 "2 events lost");
	cr_expect_not(pb_has(begin, PF_PACKET_DROPPED));
	cr_expect(pb_has(end, PF_PACKET_DROPPED));
	cr_expect_eq(pb_number(begin, PF_PACKET_CLOCK_ID), PF_CLOCK_BOOTTIME);
	cr_expect_eq(time_of(end) - time_of(begin), 10000);
	cr_expect_eq(time_of(begin), AT(100) + 7000 - 50);
}

Test(perfetto_export, one_lost_event_is_an_event)
{
	struct pb begin = { 0 };

	lost_in_gap = 1;
	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	EACH(p)
	if (!begin.p && sequence_of(p) == 2)
		begin = p;
	cr_assert(begin.p);
	cr_expect_str_eq(pb_text(pb_message(begin, PF_PACKET_EVENT), PF_EVENT_PLAIN_NAME),
			 "1 event lost");
}

Test(perfetto_export, errors_of_readings_move_no_event)
{
	size_t snapshots = 0;

	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	EACH(p)
	if (pb_has(p, PF_PACKET_CLOCKS)) {
		uint64_t ts = clock_of(p, PF_CLOCK_EVENT);

		snapshots++;
		cr_expect_eq(clock_of(p, PF_CLOCK_RELATIVE), ts - BEGIN);
		cr_expect_eq(clock_of(p, PF_CLOCK_MONOTONIC), ts);
		cr_expect_eq(clock_of(p, PF_CLOCK_BOOTTIME), ts + 7000 - 50);
	}
	cr_expect_eq(snapshots, 2);
}

Test(perfetto_export, a_suspend_moves_what_follows)
{
	static const uint64_t off[4] = { 0, 0, 3000000000, 3000000000 };
	static const uint64_t at[3] = { 0, 200, 310 }, slept[3] = { 0, 3000000000, 3000000000 };
	size_t i = 0;

	fresh();
	one_of_everything();
	add_section(1, 1, off, 4);
	export();
	EACH(p)
	if (pb_has(p, PF_PACKET_CLOCKS)) {
		uint64_t ts = clock_of(p, PF_CLOCK_EVENT);

		cr_assert(i < 3);
		cr_expect_eq(ts, AT(at[i]));
		cr_expect_leq(clock_of(p, PF_CLOCK_BOOTTIME) - ts - slept[i] - 6900, 200);
		i++;
	}
	cr_expect_eq(i, 3);
}

/* In a suspend the wall clock goes on as BOOTTIME does: to the nanosecond, whatever was read. */
Test(perfetto_export, a_suspend_does_not_set_the_wall_clock)
{
	static const uint64_t off[4] = { 0, 0, 3000000000, 3000000000 };
	uint64_t wall = 0;

	fresh();
	one_of_everything();
	add_section(1, 1, off, 4);
	export();
	EACH(p)
	if (pb_has(p, PF_PACKET_CLOCKS)) {
		uint64_t w = clock_of(p, PF_CLOCK_REALTIME) - clock_of(p, PF_CLOCK_BOOTTIME);

		wall = wall ? wall : w;
		cr_expect_eq(w, wall);
	}
	cr_expect_eq(wall, 1700000000000000000ull);
}

static void three_sections(void)
{
	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	fresh();
	one_of_everything();
	add_section(1, 2, awake + 1, 2); /* the same boot, other readings */
	fresh();
	one_of_everything();
	add_section(2, 3, awake, 1);
}

/* Setting the wall clock must not move events against each other where it is the trace's clock. */
Test(perfetto_export, several_machines_have_one_wall_clock_each)
{
	static const uint64_t set[4] = { 0, 0, 5000000000, 5000000000 };
	uint64_t wall[2] = { 0 };

	realtime_step = set;
	three_sections();
	realtime_step = NULL;
	export();
	EACH(p)
	if (pb_has(p, PF_PACKET_CLOCKS)) {
		uint64_t w = clock_of(p, PF_CLOCK_REALTIME) - clock_of(p, PF_CLOCK_BOOTTIME);

		uint64_t m = pb_number(p, PF_PACKET_MACHINE_ID);

		cr_assert(m < 2);
		wall[m] = wall[m] ? wall[m] : w;
		cr_expect_eq(w, wall[m]);
		cr_expect_eq(pb_number(pb_message(p, PF_PACKET_CLOCKS), PF_CLOCKS_PRIMARY),
			     m ? 0 : PF_CLOCK_REALTIME);
	}
	cr_expect(wall[0] && wall[1]);
}

Test(perfetto_export, sections_of_one_boot_share_a_machine)
{
	uint64_t offset = 0;

	three_sections();
	export();
	EACH(p)
	{
		cr_expect_eq(pb_number(p, PF_PACKET_MACHINE_ID), sequence_of(p) >= 5);
		if (pb_has(p, PF_PACKET_CLOCKS) && !pb_number(p, PF_PACKET_MACHINE_ID)) {
			uint64_t boot =
				clock_of(p, PF_CLOCK_BOOTTIME) - clock_of(p, PF_CLOCK_MONOTONIC);

			offset = offset ? offset : boot;
			cr_expect_eq(boot, offset);
		}
	}
	cr_expect_eq(of_stage(2, PF_STAGE_QUEUE), of_stage(6 + 2, PF_STAGE_QUEUE));
	cr_expect_eq(of_stage(3, PF_STAGE_QUEUE), of_stage(6 + 3, PF_STAGE_QUEUE));
	cr_expect_eq(of_stage(2, PF_STAGE_GPU), of_stage(6 + 2, PF_STAGE_GPU));
}

/* The hardware's time of a vblank may lie before the first event: then it stands by itself. */
Test(perfetto_export, times_before_the_base_are_on_the_event_clock)
{
	struct pb p;

	fresh();
	emit("drm:drm_vblank_event", 0, 0, 1);
	named_set(&n, "time", BEGIN - 5);
	put();
	whole_job(1, 7, 11, 1, 1);
	add_section(1, 1, awake, 1);
	export();
	p = on_track("CRTC 0", 0);
	cr_expect_eq(time_of(p), BEGIN - 5);
	cr_expect_eq(pb_number(p, PF_PACKET_CLOCK_ID), PF_CLOCK_EVENT);
}

/* What an importer demands: ids are told before they are used, since the state was cleared. */
static bool known[3][2 * LONG];

static void note_interned(struct pb packet)
{
	static const uint32_t tables[3] = { PF_INTERNED_EVENT_NAMES, PF_INTERNED_CONTEXTS,
					    PF_INTERNED_SPECS };
	struct pb data = pb_message(packet, PF_PACKET_INTERNED);

	for (size_t t = 0; t < 3; t++)
		for (size_t i = 0; i < pb_count(data, tables[t]); i++) {
			uint32_t iid = (uint32_t)pb_number(pb_nth(data, tables[t], i).bytes, 1);

			cr_assert(iid < 2 * LONG);
			known[t][iid] = true;
		}
}

static void check_uses(struct pb packet)
{
	struct pb stage = pb_message(packet, PF_PACKET_RENDER_STAGE);

	if (of_event(packet, PF_EVENT_NAME))
		cr_assert(known[0][of_event(packet, PF_EVENT_NAME)]);
	if (!stage.p)
		return;
	cr_assert(known[0][pb_number(stage, PF_STAGE_NAME)]);
	cr_assert(known[1][(uint32_t)pb_number(stage, PF_STAGE_CONTEXT)]);
	cr_assert(known[2][pb_number(stage, PF_STAGE_QUEUE)]);
	cr_assert(known[2][pb_number(stage, PF_STAGE_STAGE)]);
}

static void check_interning(void)
{
	uint64_t sequence = 0;

	EACH(p)
	{
		uint64_t flags = pb_number(p, PF_PACKET_FLAGS);
		struct pb defaults = pb_message(p, PF_PACKET_DEFAULTS);

		if (sequence_of(p) % 2 == 0)
			continue;
		cr_assert(flags & PF_FLAG_NEEDED);
		if (sequence_of(p) != sequence)
			cr_assert(flags & PF_FLAG_CLEARED);
		sequence = sequence_of(p);
		if (flags & PF_FLAG_CLEARED) {
			memset(known, 0, sizeof(known));
			cr_assert_eq(pb_number(defaults, PF_DEFAULTS_CLOCK_ID), PF_CLOCK_RELATIVE);
		}
		note_interned(p);
		check_uses(p);
	}
}

Test(perfetto_export, ids_are_told_before_they_are_used)
{
	three_sections();
	export();
	check_interning();
}

Test(perfetto_export, ids_are_forgotten_when_they_are_many)
{
	size_t cleared = 0;

	fresh();
	for (uint32_t i = 0; i < LONG; i++)
		whole_job(i * 30, 7, 2 + i, 1, 1);
	add_section(1, 1, awake, 1);
	export_with((struct xtr_export_opts){ .jobs_only = true }, NULL);
	check_interning();
	EACH(p)
	cleared += sequence_of(p) == 1 && pb_number(p, PF_PACKET_FLAGS) & PF_FLAG_CLEARED;
	cr_expect_gt(cleared, 1);
}

#ifdef HAVE_ZLIB
Test(perfetto_export, compressed_packets_hold_the_same)
{
	struct xtr_export_opts plain = { .jobs_only = true };
	struct xtr_export_opts small = { .jobs_only = true, .compress = true };
	struct pb packed;
	uint8_t *inflated;
	char *expected;
	uLongf size;
	size_t len;

	fresh();
	one_of_everything();
	add_section(1, 1, awake, 1);
	export_with(plain, NULL);
	expected = out;
	out = NULL;
	size = len = trace.n;
	inflated = malloc(len);
	cr_assert(inflated);
	export_with(small, NULL);
	cr_assert_eq(pb_count(trace, PF_TRACE_PACKET), 1);
	packed = pb_message(pb_message(trace, PF_TRACE_PACKET), PF_PACKET_COMPRESSED);
	cr_assert_eq(uncompress(inflated, &size, packed.p, packed.n), Z_OK);
	cr_expect_eq(size, len);
	cr_expect_arr_eq(inflated, expected, len);
	free(expected);
	free(inflated);
}
#endif

/* Of one process only: nobody else has the CPU, and what it did is not lost. */
Test(perfetto_export, with_a_pid_others_look_idle)
{
	static const uint32_t pid = 5;
	struct pb f[3] = { 0 }, s[2];
	size_t i = 0;

	fresh();
	emit("sched:sched_switch", 10, 9, 1);
	named_set(&n, "prev_pid", 9);
	named_set(&n, "next_pid", 7);
	put();
	emit("sched:sched_switch", 30, 7, 1);
	named_set(&n, "prev_pid", 7);
	named_set(&n, "prev_prio", 100);
	named_set(&n, "prev_state", 1);
	named_set(&n, "next_pid", 9);
	put();
	add_section(1, 1, awake, 1);
	export_with((struct xtr_export_opts){ 0 }, &pid);
	EACH(p)
	if (ftrace_of(p).p && i < 3)
		f[i++] = ftrace_of(p);
	cr_assert_eq(i, 2);
	for (i = 0; i < 2; i++)
		s[i] = pb_message(f[i], PF_FTRACE_SWITCH);
	cr_expect_eq(pb_number(s[0], PF_SWITCH_PREV_TID), 0);
	cr_expect_eq(pb_number(s[0], PF_SWITCH_NEXT_TID), 7);
	cr_expect_eq(pb_number(s[0], PF_SWITCH_NEXT_PRIO), 100);
	cr_expect_str_eq(pb_text(s[0], PF_SWITCH_PREV_COMM), "swapper/1");
	cr_expect_eq(pb_number(f[1], PF_FTRACE_TIME) - pb_number(f[0], PF_FTRACE_TIME), 20000);
	cr_expect_eq(pb_number(s[1], PF_SWITCH_PREV_TID), 7);
	cr_expect_eq(pb_number(s[1], PF_SWITCH_PREV_STATE), 1);
	cr_expect_eq(pb_number(s[1], PF_SWITCH_NEXT_TID), 0);
}
