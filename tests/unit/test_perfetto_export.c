/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the Perfetto exporter makes of a trace with one of everything, read back with the messages
 * of converters/out/perfetto/perfetto.proto. That other decoders read the same is tested in
 * tests/export.
 */
#include "named.h"
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
	size_t i;

	named_init(&n);
	for (i = 0; i < CPUS; i++) {
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
	size_t size, i;

	xtr_writer_opts_init(&o);
	o.file_id = file_id;
	cr_assert(!xtr_meta_set_writer(n.meta, "test", "1"));
	cr_assert(!xtr_meta_set_clock(n.meta, "monotonic", boot_id, 1));
	cr_assert(!xtr_meta_set_system(n.meta, &sys));
	cr_assert(!xtr_io_mem_new(&io));
	cr_assert(!xtr_writer_open(&w, io, n.meta, n.tables, loss, &o));
	cr_assert(!xtr_loss_add_gap(loss, &gap));
	for (i = 0; i < n_off; i++) {
		uint64_t at = AT(i * 100), boottime = at + 7000 + off[i] + i % 3 * 70;
		const struct xtr_clock_reading r[] = {
			{ "boottime", boottime },
			{ "realtime", boottime + 1700000000000000000ull + i / 2 * 30 +
					      (realtime_step ? realtime_step[i] : 0) },
		};

		cr_assert(!xtr_writer_clock(w, at, at + 100 + i, r, 2));
	}
	for (i = 0; i < CPUS; i++) {
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

static Pf__Trace *trace;

static void export_with(struct xtr_export_opts o, const uint32_t *pid)
{
	struct xtr_export e = { .sz = sizeof(e), .exporter = xtr_exporter_by_name("perfetto") };
	struct xtr_reader *r;
	struct xtr_err err;
	char *out = NULL;
	size_t size = 0;

	cr_assert(!trace_read(&r, file.p, file.n, &err));
	o.sz = sizeof(o);
	o.out = open_memstream(&out, &size);
	e.opts = o;
	e.reader = r;
	e.select.pids = pid;
	e.select.n_pids = pid != NULL;
	cr_assert(!xtr_export(&e));
	fclose(o.out);
	if (trace)
		pf__trace__free_unpacked(trace, NULL);
	trace = pf__trace__unpack(NULL, size, (uint8_t *)out);
	cr_assert(trace);
	free(out);
	xtr_reader_close(r);
}

static void export(void)
{
	export_with((struct xtr_export_opts){ 0 }, NULL);
}

static void teardown(void)
{
	if (trace)
		pf__trace__free_unpacked(trace, NULL);
	trace = NULL;
	xtr_buf_free(&file);
	xtr_buf_free(&recs[0]);
	xtr_buf_free(&recs[1]);
}

TestSuite(perfetto_export, .fini = teardown);

/* --- looking things up ------------------------------------------------------------------------ */

#define EACH(p)                                         \
	for (size_t i_ = 0; i_ < trace->n_packet; i_++) \
		for (const Pf__TracePacket *p = trace->packet[i_], *once_ = p; once_; once_ = NULL)

/* The i-th job. */
static const Pf__TracePacket *nth_job(size_t i)
{
	EACH(p)
	if (p->gpu_render_stage_event && !i--)
		return p;
	cr_assert_fail("no such job");
	return NULL;
}

static const Pf__GpuRenderStageEvent *stage(size_t i)
{
	return nth_job(i)->gpu_render_stage_event;
}

static const Pf__TrackDescriptor *track(const char *name)
{
	EACH(p)
	if (p->track_descriptor && p->track_descriptor->name &&
	    !strcmp(p->track_descriptor->name, name))
		return p->track_descriptor;
	cr_assert_fail("no track %s", name);
	return NULL;
}

/* The i-th event on a track. */
static const Pf__TracePacket *on_track(uint64_t uuid, size_t i)
{
	EACH(p)
	if (p->track_event && p->track_event->track_uuid == uuid && !i--)
		return p;
	cr_assert_fail("no such event on a track");
	return NULL;
}

/* An interned text; all of a short trace's have one meaning. */
static const char *event_name(const Pf__TracePacket *of)
{
	EACH(p)
	for (size_t i = 0; p->interned_data && i < p->interned_data->n_event_names; i++)
		if (p->interned_data->event_names[i]->iid == of->track_event->name_iid)
			return p->interned_data->event_names[i]->name;
	return NULL;
}

static int pid_of(uint64_t context)
{
	EACH(p)
	for (size_t i = 0; p->interned_data && i < p->interned_data->n_graphics_contexts; i++)
		if (p->interned_data->graphics_contexts[i]->iid == context)
			return p->interned_data->graphics_contexts[i]->pid;
	return -1;
}

static const char *extra(const Pf__GpuRenderStageEvent *e, const char *name)
{
	for (size_t i = 0; i < e->n_extra_data; i++)
		if (!strcmp(e->extra_data[i]->name, name))
			return e->extra_data[i]->value;
	return NULL;
}

static uint64_t clock_of(const Pf__ClockSnapshot *s, uint32_t id)
{
	for (size_t i = 0; i < s->n_clocks; i++)
		if (s->clocks[i]->clock_id == id)
			return s->clocks[i]->timestamp;
	cr_assert_fail("no clock %u", id);
	return 0;
}

/* --- tests ------------------------------------------------------------------------------------ */

Test(perfetto_export, jobs_say_who_and_where)
{
	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	cr_expect_eq(stage(0)->event_id, 11ull << 32 | 1);
	cr_expect_eq(nth_job(0)->timestamp, 5000); /* the base is the first event */
	cr_expect_eq(stage(0)->duration, 20000);
	cr_expect_eq(stage(0)->submission_id, 1);
	/* One context, two processes. */
	cr_expect_eq((uint32_t)stage(0)->context, 11);
	cr_expect_eq((uint32_t)stage(1)->context, 11);
	cr_expect_eq(pid_of(stage(0)->context), 5);
	cr_expect_eq(pid_of(stage(1)->context), 6);
	/* Equal names: another device, and another ring of the first. */
	cr_expect_eq(stage(0)->gpu_id, stage(3)->gpu_id);
	cr_expect_neq(stage(0)->gpu_id, stage(2)->gpu_id);
	cr_expect_eq(stage(0)->hw_queue_iid, stage(1)->hw_queue_iid);
	cr_expect_neq(stage(0)->hw_queue_iid, stage(2)->hw_queue_iid);
	cr_expect_neq(stage(0)->hw_queue_iid, stage(3)->hw_queue_iid);
	/* Too wide for an event id. */
	cr_expect(stage(4)->event_id >> 63);
	cr_expect_str_eq(extra(stage(4), "fence"), "11:1099511627776");
	cr_expect_eq(stage(4)->n_event_wait_ids, 1);
	cr_expect(stage(4)->event_wait_ids[0] >> 63);
	cr_expect_str_eq(extra(stage(4), "dependency"), "1099511627776:3");
	/* Never done. */
	cr_expect_not(stage(5)->has_duration);
	cr_expect_str_eq(extra(stage(5), "at"), "run");
	cr_expect_eq(nth_job(5)->timestamp, 310000);
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
		const Pf__TracePacket *p = nth_job(i);

		cr_expect(p->has_timestamp && !p->has_timestamp_clock_id);
		if (p->gpu_render_stage_event->event_id != (21ull << 32 | 4))
			continue;
		cr_expect_eq(p->timestamp, 50000);
		cr_expect_str_eq(extra(p->gpu_render_stage_event, "at"), "wait");
	}
}

Test(perfetto_export, all_else_is_on_tracks)
{
	const Pf__TracePacket *p;

	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	p = on_track(track("unfinished jobs")->uuid, 0);
	cr_expect_eq(p->timestamp, 310000);
	cr_expect_eq(p->track_event->type, PF__TRACK_EVENT__TYPE__SLICE_BEGIN);
	p = on_track(track("CRTC 1")->uuid, 0);
	cr_expect_eq(p->timestamp, 229000);
	cr_expect_str_eq(event_name(p), "drm_vblank_event");
	p = on_track(track("GPU memory gpu_id 0 pid 0")->uuid, 0);
	cr_expect_eq(p->track_event->counter_value, 4096);
	p = on_track(track("unfinished calls")->uuid, 0);
	cr_expect_eq(p->timestamp, 270000);
	cr_expect_str_eq(event_name(p), "ioctl");
	p = on_track(track("gfx on hardware")->uuid, 0);
	cr_expect_eq(p->timestamp, 0);
	cr_expect_eq(p->track_event->counter_value, 0);
	p = on_track(track("gfx on hardware")->uuid, 1);
	cr_expect_eq(p->timestamp, 5000);
	cr_expect_eq(p->track_event->counter_value, 1);
	EACH(q)
	if (q->ftrace_events && q->ftrace_events->n_event) {
		const Pf__FtraceEvent *f = q->ftrace_events->event[0];

		cr_expect_eq(f->timestamp, AT(250) + 7000 - 50);
		cr_expect_str_eq(f->sched_switch->prev_comm, "sixteen bytes...");
		cr_expect_eq(f->sched_switch->prev_state, 2);
		cr_expect_eq(f->sched_switch->next_pid, 9);
	}
}

Test(perfetto_export, gaps_are_marked_on_a_sequence_of_their_own)
{
	const Pf__TracePacket *begin = NULL, *end = NULL;

	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	EACH(p)
	if (p->trusted_packet_sequence_id == 2) {
		begin = begin ? begin : p;
		end = p;
	}
	cr_assert(begin && end && begin != end);
	cr_expect_str_eq(begin->track_event->name, "2 events lost");
	cr_expect_not(begin->previous_packet_dropped);
	cr_expect(end->previous_packet_dropped);
	cr_expect_eq(begin->timestamp_clock_id, PF_CLOCK_BOOTTIME);
	cr_expect_eq(end->timestamp - begin->timestamp, 10000);
	cr_expect_eq(begin->timestamp, AT(100) + 7000 - 50);
}

Test(perfetto_export, one_lost_event_is_an_event)
{
	const Pf__TracePacket *begin = NULL;

	lost_in_gap = 1;
	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	EACH(p)
	if (!begin && p->trusted_packet_sequence_id == 2)
		begin = p;
	cr_assert(begin);
	cr_expect_str_eq(begin->track_event->name, "1 event lost");
}

Test(perfetto_export, errors_of_readings_move_no_event)
{
	size_t snapshots = 0;

	fresh();
	one_of_everything();
	add_section(1, 1, awake, 4);
	export();
	EACH(p)
	if (p->clock_snapshot) {
		uint64_t ts = clock_of(p->clock_snapshot, PF_CLOCK_EVENT);

		snapshots++;
		cr_expect_eq(clock_of(p->clock_snapshot, PF_CLOCK_RELATIVE), ts - BEGIN);
		cr_expect_eq(clock_of(p->clock_snapshot, PF_CLOCK_MONOTONIC), ts);
		cr_expect_eq(clock_of(p->clock_snapshot, PF_CLOCK_BOOTTIME), ts + 7000 - 50);
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
	if (p->clock_snapshot) {
		const Pf__ClockSnapshot *s = p->clock_snapshot;
		uint64_t ts = clock_of(s, PF_CLOCK_EVENT);

		cr_assert(i < 3);
		cr_expect_eq(ts, AT(at[i]));
		cr_expect_leq(clock_of(s, PF_CLOCK_BOOTTIME) - ts - slept[i] - 6900, 200);
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
	if (p->clock_snapshot) {
		uint64_t w = clock_of(p->clock_snapshot, PF_CLOCK_REALTIME) -
			     clock_of(p->clock_snapshot, PF_CLOCK_BOOTTIME);

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
	if (p->clock_snapshot) {
		uint64_t w = clock_of(p->clock_snapshot, PF_CLOCK_REALTIME) -
			     clock_of(p->clock_snapshot, PF_CLOCK_BOOTTIME);

		wall[p->machine_id] = wall[p->machine_id] ? wall[p->machine_id] : w;
		cr_expect_eq(w, wall[p->machine_id]);
		cr_expect_eq(p->clock_snapshot->primary_trace_clock,
			     p->machine_id ? 0 : PF_CLOCK_REALTIME);
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
		cr_expect_eq(p->machine_id, p->trusted_packet_sequence_id >= 5);
		if (p->clock_snapshot && !p->machine_id) {
			uint64_t boot = clock_of(p->clock_snapshot, PF_CLOCK_BOOTTIME) -
					clock_of(p->clock_snapshot, PF_CLOCK_MONOTONIC);

			offset = offset ? offset : boot;
			cr_expect_eq(boot, offset);
		}
	}
	cr_expect_eq(stage(2)->hw_queue_iid, stage(6 + 2)->hw_queue_iid);
	cr_expect_eq(stage(3)->hw_queue_iid, stage(6 + 3)->hw_queue_iid);
	cr_expect_eq(stage(2)->gpu_id, stage(6 + 2)->gpu_id);
}

/* The hardware's time of a vblank may lie before the first event: then it stands by itself. */
Test(perfetto_export, times_before_the_base_are_on_the_event_clock)
{
	const Pf__TracePacket *p;

	fresh();
	emit("drm:drm_vblank_event", 0, 0, 1);
	named_set(&n, "time", BEGIN - 5);
	put();
	whole_job(1, 7, 11, 1, 1);
	add_section(1, 1, awake, 1);
	export();
	p = on_track(track("CRTC 0")->uuid, 0);
	cr_expect_eq(p->timestamp, BEGIN - 5);
	cr_expect_eq(p->timestamp_clock_id, PF_CLOCK_EVENT);
}

/* What an importer demands: ids are told before they are used, since the state was cleared. */
static void check_interning(void)
{
	static bool known[3][2 * LONG];
	uint32_t sequence = 0;

	EACH(p)
	{
		const Pf__InternedData *d = p->interned_data;

		if (p->trusted_packet_sequence_id % 2 == 0)
			continue;
		cr_assert(p->sequence_flags & 2);
		if (p->trusted_packet_sequence_id != sequence)
			cr_assert(p->sequence_flags & 1);
		sequence = p->trusted_packet_sequence_id;
		if (p->sequence_flags & 1) {
			memset(known, 0, sizeof(known));
			cr_assert_eq(p->trace_packet_defaults->timestamp_clock_id,
				     PF_CLOCK_RELATIVE);
		}
		for (size_t i = 0; d && i < d->n_event_names; i++)
			known[0][d->event_names[i]->iid] = true;
		for (size_t i = 0; d && i < d->n_graphics_contexts; i++)
			known[1][(uint32_t)d->graphics_contexts[i]->iid] = true;
		for (size_t i = 0; d && i < d->n_gpu_specifications; i++)
			known[2][d->gpu_specifications[i]->iid] = true;
		if (p->track_event && p->track_event->has_name_iid)
			cr_assert(known[0][p->track_event->name_iid]);
		if (!p->gpu_render_stage_event)
			continue;
		cr_assert(known[0][p->gpu_render_stage_event->name_iid]);
		cr_assert(known[1][(uint32_t)p->gpu_render_stage_event->context]);
		cr_assert(known[2][p->gpu_render_stage_event->hw_queue_iid]);
		cr_assert(known[2][p->gpu_render_stage_event->stage_iid]);
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
	cleared += p->trusted_packet_sequence_id == 1 && p->sequence_flags & 1;
	cr_expect_gt(cleared, 1);
}

#ifdef HAVE_ZLIB
Test(perfetto_export, compressed_packets_hold_the_same)
{
	struct xtr_export_opts plain = { .jobs_only = true };
	struct xtr_export_opts small = { .jobs_only = true, .compress = true };
	uint8_t *expected, *inflated;
	uLongf size;
	size_t len;

	fresh();
	one_of_everything();
	add_section(1, 1, awake, 1);
	export_with(plain, NULL);
	size = len = pf__trace__get_packed_size(trace);
	expected = malloc(len);
	inflated = malloc(len);
	cr_assert(expected && inflated);
	pf__trace__pack(trace, expected);
	export_with(small, NULL);
	cr_assert_eq(trace->n_packet, 1);
	cr_assert_eq(uncompress(inflated, &size, trace->packet[0]->compressed_packets.data,
				trace->packet[0]->compressed_packets.len),
		     Z_OK);
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
	const Pf__FtraceEvent *f[3] = { 0 };
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
	if (p->ftrace_events && p->ftrace_events->n_event && i < 3)
		f[i++] = p->ftrace_events->event[0];
	cr_assert_eq(i, 2);
	cr_expect_eq(f[0]->sched_switch->prev_pid, 0);
	cr_expect_eq(f[0]->sched_switch->next_pid, 7);
	cr_expect_eq(f[0]->sched_switch->next_prio, 100);
	cr_expect_str_eq(f[0]->sched_switch->prev_comm, "swapper/1");
	cr_expect_eq(f[1]->timestamp - f[0]->timestamp, 20000);
	cr_expect_eq(f[1]->sched_switch->prev_pid, 7);
	cr_expect_eq(f[1]->sched_switch->prev_state, 1);
	cr_expect_eq(f[1]->sched_switch->next_pid, 0);
}
