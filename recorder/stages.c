/* SPDX-License-Identifier: BSD-2-Clause */
#include "stages.h"
#include "recorder/attach/attach.h"
#include "recorder/attach/idle_attach.h"
#include "recorder/drain/budget.h"
#include "recorder/ftrace/engine.h"
#include "recorder/host/caps.h"
#include "recorder/output/flight_file.h"
#include "recorder/output/output.h"
#include "recorder/host/device_facts.h"
#include "recorder/salvage/pinned.h"
#include "recorder/doctor/doctor.h"
#include "recorder/salvage/salvage.h"
#include "recorder/groups/sample.h"
#include "recorder/groups/stacks.h"
#include "recorder/host/util.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MODULES     "/sys/module"
#define QUEUE_EXTRA 64 /* batches beyond one per CPU */

static int fail(struct xtr_record_err *err, int code, const char *what)
{
	err->code = code;
	snprintf(err->what, sizeof(err->what), "%s: %s", what, strerror(-code));
	return code;
}

/* --- programs --------------------------------------------------------------------------------- */

/* The dma_fence tracepoints and xtr's own events are in every kernel: alone, without a device, they
 * are no GPU events.
 */
static bool any_gpu_event(const struct xtr_bpf *b)
{
	for (size_t i = 0; i < b->n_results; i++) {
		const char *name = b->results[i].info.name;

		if (b->results[i].info.state == XTR_PROVIDER_ATTACHED &&
		    strncmp(name, "dma_fence:", 10) && strncmp(name, "xtr:", 4))
			return true;
	}
	return xtr_facts_n_devices() > 0;
}

/* With the rights of the user alone: those are left when it is to be removed. */
static int open_ring(struct xtr_recorder *r, uint32_t n_cpus)
{
	bool suspend = geteuid() != 0;
	uint64_t caps;
	int ret = suspend ? xtr_caps_suspend(&caps) : 0, err;

	if (ret)
		return ret;
	ret = xtr_tring_open(&r->ring, &r->sel, &r->opts, r->file_id, n_cpus,
			     xtr_bpf_ring_bytes(&r->opts, n_cpus));
	err = suspend ? xtr_caps_resume(caps) : 0;
	return ret ? ret : err;
}

/*
 * The kernel's trace ring, for events by name. Where it is not to be had, and was not asked for by
 * name, programs do.
 */
static int begin_ring(struct xtr_recorder *r, struct xtr_record_err *err)
{
	int n_cpus = xtr_bpf_cpus(), ret = xtr_engine_choose(&r->sel, &r->opts, err);
	bool only = r->opts.engine == XTR_ENGINE_FTRACE, any = false;

	for (size_t i = 0; !ret && i < r->sel.n_generics; i++)
		any |= r->sel.generics[i]->ftrace;
	if (ret || !any || n_cpus <= 0)
		return ret;
	ret = open_ring(r, (uint32_t)n_cpus);
	if (ret && only) {
		err->kind = XTR_FAIL_MACHINE;
		return fail(err, ret, "cannot make a trace instance in tracefs");
	}
	for (size_t i = 0; ret && i < r->sel.n_generics; i++)
		r->sel.generics[i]->ftrace = false;
	return 0;
}

/*
 * Programs, or, where the machine has none (why) and events can do without, the trace ring alone.
 */
static int load_programs(struct xtr_recorder *r, const struct xtr_record_err *why,
			 struct xtr_record_err *err)
{
	int ret = why->code;

	*err = *why;
	if (!ret)
		ret = xtr_bpf_load(&r->bpf, &r->sel, &r->opts, err);
	if (!ret || err->kind != XTR_FAIL_MACHINE || !r->ring)
		return ret;
	snprintf(
		r->no_programs, sizeof(r->no_programs),
		r->sel.by_name
			? "functions and library calls are not recorded, and less of jobs and fences: %s"
			: "events of jobs and fences, functions and library calls are not recorded: %s",
		err->what);
	if (!xtr_engine_without_programs(&r->sel, r->no_programs))
		return ret;
	*err = (struct xtr_record_err){ 0 };
	return xtr_bpf_none(&r->bpf, &r->sel, &r->opts, err);
}

static int begin_programs(struct xtr_recorder *r, struct xtr_record_err *err)
{
	struct xtr_record_err why = { 0 };
	int ret = xtr_doctor_require(&r->opts, &why), idle;
	bool without = why.code || r->opts.engine == XTR_ENGINE_FTRACE;

	if (!ret || r->opts.engine != XTR_ENGINE_BPF)
		ret = xtr_select(&r->sel, r->opts.events, r->opts.n_events, without, err);
	if (ret && why.code) {
		*err = why;
		return why.code;
	}
	if (!ret && (ret = xtr_draw_id(&r->file_id)))
		return fail(err, ret, "cannot make an id");
	if (!ret && r->opts.stacks)
		ret = xtr_stacks_apply(&r->sel, r->opts.stack_at, r->opts.n_stack_at, err);
	ret = ret ?: xtr_sample_apply(&r->sel, r->opts.samples, r->opts.n_samples, err) ?:
	      xtr_budget_apply(&r->sel, r->opts.budget, err) ?:
	      begin_ring(r, err) ?: load_programs(r, &why, err);
	if (ret)
		return ret;
	ret = xtr_bpf_attach(r->bpf, &r->sel);
	idle = ret < 0 ? 0 : xtr_idle_attach(r->bpf, &r->opts);
	ret = idle < 0 ? idle : ret;
	if (ret < 0)
		return fail(err, ret, "cannot attach the BPF programs");
	r->attached = (uint32_t)(ret + idle);
	if (ret && (r->opts.n_events || any_gpu_event(r->bpf)))
		return 0;
	if (!ret && r->sel.n_unknown) {
		err->code = -ENOENT;
		err->kind = XTR_FAIL_UNKNOWN;
		snprintf(err->what, sizeof(err->what), "%s", r->sel.unknown[0]);
		return -ENOENT;
	}
	return xtr_doctor_no_events(&r->opts, r->bpf->results, r->bpf->n_results, err);
}

static void end_programs(struct xtr_recorder *r)
{
	xtr_bpf_free(r->bpf);
	(void)xtr_tring_free(r->ring);
	r->ring = NULL;
	xtr_selection_free(&r->sel);
	r->bpf = NULL;
}

/* --- account ---------------------------------------------------------------------------------- */

/* Without pins everything works, but for what can be had of a recorder that is killed. */
static int open_keep(struct xtr_recorder *r)
{
	const struct xtr_pinned_about about = {
		.file_id = r->file_id,
		.output = r->opts.output,
		.key = r->opts.keep_pointers ? NULL : &r->key,
		.n_bufs = r->bpf->n_cpus + QUEUE_EXTRA,
		.page_bytes = r->ring ? xtr_tring_page_bytes(r->ring) : 0,
		.in_pieces = r->opts.rotate_bytes || r->opts.rotate_ns || r->opts.flight.on,
	};
	int err;

	xtr_leftovers_sweep();
	err = xtr_pinned_new(&r->pin, &r->keep, r->bpf, &r->sel, &about, &r->not_pinned);
	if (!err && r->ring)
		xtr_tring_slots(r->ring, r->keep.pages);
	return err;
}

static int note_after_kill(struct xtr_recorder *r)
{
	return xtr_meta_set_config_str(r->meta, "after-kill",
				       r->not_pinned ? r->not_pinned : "xtr recover --killed");
}

/* Which engine brings the events. */
static int note_engine(struct xtr_recorder *r)
{
	uint32_t by_ring = 0;
	char text[120];

	for (size_t i = 0; i < r->sel.n_generics; i++)
		by_ring += r->sel.generics[i]->ftrace;
	if (by_ring == r->attached)
		snprintf(text, sizeof(text), "the kernel's trace ring");
	else if (!by_ring)
		snprintf(text, sizeof(text), "BPF programs");
	else
		snprintf(text, sizeof(text), "trace ring: %u events, BPF programs: %u", by_ring,
			 r->attached - by_ring);
	return xtr_meta_set_config_str(r->meta, "engine", text);
}

static int begin_account(struct xtr_recorder *r, struct xtr_record_err *err)
{
	struct xtr_sink *s = &r->sink;
	int ret = xtr_draw(&r->key, sizeof(r->key));

	if (ret)
		return fail(err, ret, "cannot make a key");
	s->meta = r->meta = xtr_meta_new();
	s->tables = r->tables = xtr_tables_new();
	s->loss = xtr_loss_new();
	s->rotate = &r->rotate;
	if (!s->meta || !s->tables || !s->loss)
		return -ENOMEM;
	ret = open_keep(r) ?: xtr_describe(r->meta, &r->opts, &r->sel, r->bpf) ?: note_engine(r);
	return ret ? fail(err, ret, "cannot describe the machine") : 0;
}

/* What is pinned may serve a salvager until the file is closed, which was ended before. */
static void end_account(struct xtr_recorder *r)
{
	xtr_loss_free(r->sink.loss);
	xtr_tables_free(r->tables);
	xtr_meta_free(r->meta);
	xtr_bpf_detach(r->bpf);
	xtr_pin_remove(&r->pin, XTR_PINNED_KEEP);
	xtr_persistent_close(&r->keep);
}

/* --- memory of a flight recorder -------------------------------------------------------------- */

/* Can this event happen? What the kernel refused cannot. */
static bool is_recorded(void *arg, const char *event, uint32_t type)
{
	const struct xtr_bpf *b = arg;

	for (size_t i = 0; i < b->n_results; i++) {
		const struct xtr_provider *p = &b->results[i].info;
		size_t n = strlen(p->name);
		bool by_name =
			!strncmp(event, p->name, n) && (!event[n] || !strcmp(event + n, ":ret"));

		if (p->state == XTR_PROVIDER_ATTACHED &&
		    (type < XTR_TYPE_FIRST_DYNAMIC ? b->results[i].type == type : by_name))
			return true;
	}
	return false;
}

/* In a file that outlives this process, found through what is pinned: it is named there first. */
static int outlive(struct xtr_recorder *r)
{
	struct xtr_persistent_head *h = r->keep.head;
	int err = -ENODEV;

	h->flight_bytes = r->opts.flight.bytes;
	h->flight_ns = r->opts.flight.ns;
	for (h->kept_in = 1; xtr_kept_dir(h->kept_in); h->kept_in++) {
		err = xtr_flight_outlive(r->sink.flight, h->kept_in, r->file_id, 1);
		if (!err)
			return 0;
	}
	h->kept_in = 0;
	return err;
}

/* What is pinned is of no use where the rest dies with the process. */
static void keep_in_process(struct xtr_recorder *r, int err)
{
	xtr_pin_remove(&r->pin, XTR_PINNED_KEEP);
	r->not_pinned = err == -ENOSPC  ? "held in memory: no room in /dev/shm"
			: err == -EFBIG ? "held in memory: the size of files is limited"
					: "held in memory: /dev/shm cannot be used";
}

static int begin_memory(struct xtr_recorder *r, struct xtr_record_err *err)
{
	const struct xtr_flight_opts *o = &r->opts.flight;
	int ret;

	if (!o->on)
		return note_after_kill(r);
	ret = xtr_flight_open(&r->sink.flight, o, r->bpf->n_cpus);
	if (ret)
		return fail(err, ret, "--flight");
	if (!r->not_pinned && (ret = outlive(r)))
		keep_in_process(r, ret);
	ret = note_after_kill(r);
	if (ret)
		return ret;
	return xtr_triggers_open(&r->sink.flight->triggers, o->triggers, o->n_triggers, &r->sel,
				 is_recorded, r->bpf, xtr_flight_fire, r->sink.flight, err);
}

static void end_memory(struct xtr_recorder *r)
{
	xtr_flight_close(r->sink.flight);
	r->sink.flight = NULL;
	if (!r->keep.head || !r->keep.head->kept_in)
		return;
	__atomic_store_n(&r->keep.head->done, 1, __ATOMIC_SEQ_CST); /* there is nothing any more */
	xtr_kept_remove(r->file_id);
}

/* --- output ----------------------------------------------------------------------------------- */

static int begin_output(struct xtr_recorder *r, struct xtr_record_err *err)
{
	return xtr_output_open(&r->sink, r->file_id, &r->opts, err);
}

/* A recorder that was never open leaves no file. */
static void end_output(struct xtr_recorder *r)
{
	xtr_writer_free(r->sink.writer);
	if (!r->opened)
		xtr_output_undo(&r->sink, &r->opts);
	xtr_io_close(r->sink.io);
	xtr_rotate_free(&r->rotate);
	r->sink.writer = NULL;
	r->sink.io = NULL;
}

/* --- names ------------------------------------------------------------------------------------ */

/* What is recorded with less, as this process may not look at all that it needs. */
static void note_limits(struct xtr_recorder *r)
{
	bool others = xtr_cap_have(CAP_SYS_PTRACE);

	if (r->opts.stacks && !others)
		xtr_selection_note(
			&r->sel,
			"stacks: functions of other users' programs get no names (no CAP_SYS_PTRACE)");
	if (r->opts.stacks && !xtr_cap_have(CAP_SYSLOG) && !xtr_kallsyms_shown())
		xtr_selection_note(
			&r->sel,
			"stacks: functions of the kernel get no names (addresses are hidden: no CAP_SYSLOG)");
	if (r->sel.n_api && !others)
		xtr_selection_note(
			&r->sel,
			"libraries that only other users' programs have loaded are not looked for (no CAP_SYS_PTRACE)");
}

static int begin_names(struct xtr_recorder *r, struct xtr_record_err *err)
{
	(void)err;
	note_limits(r);
	r->defs.tables = r->tables;
	r->defs.key = r->opts.keep_pointers ? NULL : &r->key;
	r->defs.kallsyms = xtr_kallsyms_open("/proc/kallsyms");
	if (r->opts.stacks) {
		r->defs.symbols = xtr_symbols_new();
		if (r->defs.kallsyms)
			xtr_kallsyms_load(r->defs.kallsyms);
	}
	return 0;
}

static void end_names(struct xtr_recorder *r)
{
	xtr_defs_free(&r->defs);
}

/* --- queue, writer, reader, modules ----------------------------------------------------------- */

static int begin_queue(struct xtr_recorder *r, struct xtr_record_err *err)
{
	(void)err;
	return xtr_queue_init(&r->queue, &r->keep);
}

static void end_queue(struct xtr_recorder *r)
{
	xtr_queue_destroy(&r->queue);
}

static int begin_writer(struct xtr_recorder *r, struct xtr_record_err *err)
{
	struct xtr_sink *s = &r->sink;

	(void)err;
	s->ring_high = &r->drain.high;
	s->defs = &r->defs;
	s->key = r->defs.key;
	s->sel = &r->sel;
	s->bpf = r->bpf;
	s->queue = &r->queue;
	s->keep = &r->keep;
	s->path = strcmp(r->opts.output, "-") == 0 ? NULL : r->opts.output;
	s->size_limit = r->opts.size_limit;
	if (s->flight)
		xtr_flight_file_begin(s);
	return xtr_sink_open(s);
}

static void end_writer(struct xtr_recorder *r)
{
	xtr_sink_free(&r->sink);
}

static int begin_reader(struct xtr_recorder *r, struct xtr_record_err *err)
{
	(void)err;
	return xtr_drain_open(&r->drain, r->bpf, r->ring, &r->queue, r->sink.flight);
}

static void end_reader(struct xtr_recorder *r)
{
	xtr_drain_free(&r->drain);
}

static int begin_watch(struct xtr_recorder *r, struct xtr_record_err *err)
{
	int ret = xtr_modwatch_begin(&r->modules, &r->sel, MODULES);

	(void)err;
	r->opened = !ret;
	return ret;
}

static void end_watch(struct xtr_recorder *r)
{
	xtr_modwatch_free(&r->modules);
}

/* --- recording -------------------------------------------------------------------------------- */

static int begin_command(struct xtr_recorder *r, struct xtr_record_err *err)
{
	int ret = 0;

	if (r->opts.argv)
		ret = xtr_child_start(&r->child, r->opts.argv, strcmp(r->opts.output, "-") == 0);
	return ret ? fail(err, ret, "cannot start the command") : 0;
}

/* One that goes is the caller's to wait for. */
static void end_command(struct xtr_recorder *r)
{
	xtr_child_close(&r->child);
}

/* To read /proc/PID/maps of other users while stacks are taken. */
static uint64_t caps_kept(const struct xtr_recorder *r)
{
	if (!r->opts.stacks)
		return 0;
	return 1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH;
}

/* Give up privileges, and start the thread that makes the pieces as the one who can. */
static int begin_writing(struct xtr_recorder *r, struct xtr_record_err *err)
{
	struct xtr_dir_user user;
	int ret = 0;

	if (r->rotate.on)
		ret = xtr_dir_user_enter(&user, r->rotate.dir, &r->rotate.owner);
	if (!ret && r->rotate.on)
		ret = xtr_dir_user_caps(&user);
	if (!ret)
		ret = xtr_caps_keep(caps_kept(r));
	xtr_own_cost_now(&r->sink.spent, r->bpf);
	if (ret)
		fail(err, ret, "cannot give up privileges");
	else if ((ret = xtr_sink_begin(&r->sink)))
		fail(err, ret, xtr_output_name(&r->sink, &r->opts));
	else if ((ret = xtr_sink_start(&r->sink)))
		fail(err, ret, "cannot start the thread that writes");
	if (r->rotate.on)
		xtr_dir_user_leave(&user);
	return ret;
}

/* Nobody hands over any more, whoever did. */
static void end_writing(struct xtr_recorder *r)
{
	xtr_queue_close(&r->queue);
	xtr_sink_join(&r->sink);
}

static int begin_reading(struct xtr_recorder *r, struct xtr_record_err *err)
{
	int ret = r->ring ? xtr_tring_begin(r->ring) : 0;

	if (ret)
		return fail(err, ret, "cannot begin with the trace instance");
	ret = xtr_drain_start(&r->drain);
	return ret ? fail(err, ret, "cannot start the thread that reads") : 0;
}

static void end_reading(struct xtr_recorder *r)
{
	xtr_drain_stop(&r->drain);
}

static int begin_running(struct xtr_recorder *r, struct xtr_record_err *err)
{
	int ret;

	xtr_own_cost_now(&r->began, r->bpf);
	r->keep.head->done = 0;
	xtr_bpf_run(r->bpf);
	ret = r->ring ? xtr_tring_run(r->ring) : 0;
	if (ret)
		return fail(err, ret, "cannot switch the trace instance on");
	ret = xtr_child_go(&r->child);
	if (ret) {
		snprintf(err->what, sizeof(err->what), "'%.200s': %s", r->opts.argv[0],
			 strerror(-ret));
		err->code = ret;
		err->kind = XTR_FAIL_COMMAND;
	}
	return ret;
}

static void end_running(struct xtr_recorder *r)
{
	xtr_modwatch_end(&r->modules, MODULES);
	if (r->ring)
		xtr_tring_halt(r->ring);
	xtr_bpf_halt(r->bpf);
}

/* --- the table -------------------------------------------------------------------------------- */

/*
 * begin: 0, or -errno; *err says why, or what is said of all. end: undo it, also where it failed in
 * the middle: what is not made is zero, or -1.
 */
static const struct {
	int (*begin)(struct xtr_recorder *r, struct xtr_record_err *err);
	void (*end)(struct xtr_recorder *r);
} stages[] = {
	[XTR_STAGE_PROGRAMS] = { begin_programs, end_programs },
	[XTR_STAGE_ACCOUNT] = { begin_account, end_account },
	[XTR_STAGE_MEMORY] = { begin_memory, end_memory },
	[XTR_STAGE_OUTPUT] = { begin_output, end_output },
	[XTR_STAGE_NAMES] = { begin_names, end_names },
	[XTR_STAGE_QUEUE] = { begin_queue, end_queue },
	[XTR_STAGE_WRITER] = { begin_writer, end_writer },
	[XTR_STAGE_READER] = { begin_reader, end_reader },
	[XTR_STAGE_OPEN] = { begin_watch, end_watch },
	[XTR_STAGE_COMMAND] = { begin_command, end_command },
	[XTR_STAGE_WRITING] = { begin_writing, end_writing },
	[XTR_STAGE_READING] = { begin_reading, end_reading },
	[XTR_STAGE_RUNNING] = { begin_running, end_running },
};

void xtr_stages_init(struct xtr_recorder *r, const struct xtr_record_opts *opts)
{
	r->opts = *opts;
	r->opts.stacks |= opts->n_stack_at || opts->idle_hz;
	r->child.go = r->child.failed = -1;
	r->pin = XTR_PIN_NONE(0);
	r->keep.fd = -1;
	r->sink.event_fd = -1;
}

int xtr_stages_up(struct xtr_recorder *r, enum xtr_stage to, struct xtr_record_err *err)
{
	int ret = 0;

	while (!ret && r->stage < to)
		ret = stages[++r->stage].begin(r, err);
	if (ret && !err->what[0])
		fail(err, ret, "cannot record");
	return ret;
}

void xtr_stages_down(struct xtr_recorder *r, enum xtr_stage to)
{
	while (r->stage > to)
		stages[r->stage--].end(r);
}
