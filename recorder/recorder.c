// SPDX-License-Identifier: BSD-2-Clause
/* The parts put together, in the order in which they need each other: privileges last in, first
 * out. */
#include "recorder.h"
#include "attach.h"
#include "budget.h"
#include "caps.h"
#include "describe.h"
#include "drain.h"
#include "facts.h"
#include "keep.h"
#include "output.h"
#include "own_cost.h"
#include "pinned.h"
#include "modwatch.h"
#include "probe.h"
#include "salvage.h"
#include "sample.h"
#include "stacks.h"
#include "sink.h"
#include "spawn.h"
#include "util.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULES     "/sys/module"
#define QUEUE_EXTRA 64 /* batches beyond one per CPU */

struct xtr_recorder {
	struct xtr_record_opts opts;
	struct xtr_selection sel;
	struct xtr_bpf *bpf;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_rotate rotate;
	struct xtr_defs defs;
	struct xtr_siphash_key key;
	struct xtr_pin pin;
	struct xtr_keep keep;
	const char *not_pinned; /* why; NULL: pinned */
	struct xtr_queue queue;
	struct xtr_drain drain;
	struct xtr_sink sink; /* has the output and the losses from the beginning */
	struct xtr_child child;
	struct stat output; /* the file as it was made; st_ino 0: it is none */
	struct xtr_modwatch modules;
	uint32_t attached;
	struct xtr_own_cost began; /* at: 0 before */
};

static int fail(struct xtr_record_err *err, int code, const char *what)
{
	err->code = code;
	snprintf(err->what, sizeof(err->what), "%s: %s", what, strerror(-code));
	return code;
}

/* One descriptor per CPU and up to three per event. */
static void raise_file_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
}

/* The dma_fence tracepoints are in every kernel: alone, without a device, they are no GPU events.
 */
static bool any_gpu_event(const struct xtr_bpf *b)
{
	for (size_t i = 0; i < b->n_results; i++) {
		if (b->results[i].info.state == XTR_PROVIDER_ATTACHED &&
		    strncmp(b->results[i].info.name, "dma_fence:", 10))
			return true;
	}
	return xtr_facts_n_devices() > 0;
}

static int open_bpf(struct xtr_recorder *r, struct xtr_record_err *err)
{
	int rc = xtr_probe_require(&r->opts, err);

	if (!rc)
		rc = xtr_select(&r->sel, r->opts.events, r->opts.n_events,
				r->opts.argv ? r->opts.argv[0] : NULL, err);
	if (!rc && r->opts.stacks)
		rc = xtr_stacks_apply(&r->sel, r->opts.stack_at, r->opts.n_stack_at, err);
	if (!rc)
		rc = xtr_sample_apply(&r->sel, r->opts.samples, r->opts.n_samples, err);
	if (!rc)
		rc = xtr_budget_apply(&r->sel, r->opts.budget, err);
	if (!rc)
		rc = xtr_bpf_load(&r->bpf, &r->sel, &r->opts, err);
	if (rc)
		return rc;
	rc = xtr_bpf_attach(r->bpf, &r->sel);
	if (rc < 0)
		return fail(err, rc, "cannot attach");
	r->attached = (uint32_t)rc;
	if (rc && (r->opts.n_events || any_gpu_event(r->bpf)))
		return 0;
	if (!rc && r->sel.n_unknown) {
		err->code = -ENOENT;
		err->kind = XTR_FAIL_UNKNOWN;
		snprintf(err->what, sizeof(err->what), "%s", r->sel.unknown[0]);
		return -ENOENT;
	}
	return xtr_probe_no_events(&r->opts, r->bpf->results, r->bpf->n_results, err);
}

/* Without pins everything works, but for what can be had of a recorder that is killed. */
static int open_keep(struct xtr_recorder *r, uint64_t file_id)
{
	/* The counters in the kernel are those of all pieces; what is the last one's is not kept.
	 */
	const char *why_not = r->opts.flight.on                           ? "held in memory"
			      : r->opts.rotate_bytes || r->opts.rotate_ns ? "recorded in pieces"
									  : NULL;
	const struct xtr_pinned_about about = { .file_id = file_id,
						.output = r->opts.output,
						.key = r->opts.keep_pointers ? NULL : &r->key,
						.n_bufs = r->bpf->n_cpus + QUEUE_EXTRA,
						.why_not = why_not };
	int err;

	xtr_leftovers_sweep();
	err = xtr_pinned_new(&r->pin, &r->keep, r->bpf, &r->sel, &about, &r->not_pinned);
	if (err)
		return err;
	return xtr_meta_set_config_str(r->meta, "after-kill",
				       r->not_pinned ? r->not_pinned : "xtr recover --rings");
}

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

static int open_flight(struct xtr_recorder *r, struct xtr_record_err *err)
{
	const struct xtr_flight_opts *o = &r->opts.flight;
	int rc;

	if (!o->on)
		return 0;
	rc = xtr_flight_open(&r->sink.flight, o, r->bpf->n_cpus);
	if (rc)
		return fail(err, rc, "--flight");
	return xtr_triggers_open(&r->sink.flight->triggers, o->triggers, o->n_triggers, &r->sel,
				 is_recorded, r->bpf, xtr_flight_fire, r->sink.flight, err);
}

static int open_file(struct xtr_recorder *r, struct xtr_record_err *err)
{
	struct xtr_sink *s = &r->sink;
	uint64_t id = 0;
	int rc;

	s->meta = r->meta = xtr_meta_new();
	s->tables = r->tables = xtr_tables_new();
	s->loss = xtr_loss_new();
	s->rotate = &r->rotate;
	if (!s->meta || !s->tables || !s->loss)
		return fail(err, -ENOMEM, "cannot record");
	while (!id) {
		if (getrandom(&id, sizeof(id), 0) != sizeof(id))
			return fail(err, -errno, "cannot make an id");
	}
	rc = open_keep(r, id);
	if (!rc)
		rc = xtr_describe(r->meta, &r->opts, &r->sel, r->bpf);
	if (rc)
		return fail(err, rc, "cannot describe the machine");
	rc = open_flight(r, err);
	if (!rc)
		rc = xtr_output_open(s, id, &r->opts, err);
	if (r->rotate.on || stat(r->opts.output, &r->output) || !S_ISREG(r->output.st_mode))
		r->output.st_ino = 0;
	return rc;
}

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

static int open_defs(struct xtr_recorder *r)
{
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

int xtr_recorder_open(struct xtr_recorder **out, const struct xtr_record_opts *opts,
		      struct xtr_record_err *err)
{
	struct xtr_recorder *r = calloc(1, sizeof(*r));
	int rc;

	*err = (struct xtr_record_err){ 0 };
	if (!r)
		return fail(err, -ENOMEM, "cannot record");
	r->opts = *opts;
	r->opts.stacks |= opts->n_stack_at != 0;
	r->child.go = r->child.failed = -1;
	raise_file_limit();
	r->pin.lock = -1;
	r->keep.fd = -1;
	rc = open_bpf(r, err);
	if (!rc && getrandom(&r->key, sizeof(r->key), 0) != sizeof(r->key))
		rc = fail(err, -errno, "cannot make a key");
	if (!rc)
		rc = open_file(r, err);
	if (!rc)
		rc = open_defs(r);
	if (!rc && xtr_queue_init(&r->queue, &r->keep))
		rc = fail(err, -ENOMEM, "cannot record");
	if (rc) {
		xtr_recorder_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

const char *xtr_recorder_not_pinned(const struct xtr_recorder *r)
{
	return r->not_pinned;
}

size_t xtr_recorder_n_providers(const struct xtr_recorder *r)
{
	return r->bpf->n_results;
}

const struct xtr_provider *xtr_recorder_provider(const struct xtr_recorder *r, size_t i)
{
	return &r->bpf->results[i].info;
}

const char *xtr_recorder_unknown(const struct xtr_recorder *r, size_t i)
{
	return i < r->sel.n_unknown ? r->sel.unknown[i] : NULL;
}

const char *xtr_recorder_note(const struct xtr_recorder *r, size_t i)
{
	return i < r->sel.n_notes ? r->sel.notes[i] : NULL;
}

const char *xtr_recorder_unloaded(const struct xtr_recorder *r, size_t i)
{
	return xtr_modwatch_gone(&r->modules, i);
}

static void set_sink(struct xtr_recorder *r)
{
	r->sink.ring_high = &r->drain.high;
	r->sink.defs = &r->defs;
	r->sink.key = r->defs.key;
	r->sink.sel = &r->sel;
	r->sink.bpf = r->bpf;
	xtr_own_cost_now(&r->sink.spent, r->bpf);
	r->sink.queue = &r->queue;
	r->sink.keep = &r->keep;
	r->sink.path = strcmp(r->opts.output, "-") == 0 ? NULL : r->opts.output;
	r->sink.size_limit = r->opts.size_limit;
}

/* To read /proc/PID/maps of other users while stacks are taken. */
static uint64_t caps_kept(const struct xtr_recorder *r)
{
	if (!r->opts.stacks)
		return 0;
	return 1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH;
}

/* Give up privileges, and start the thread that makes the pieces as the one who can. */
static int start_sink(struct xtr_recorder *r, struct xtr_record_err *err)
{
	struct xtr_dir_user user;
	int rc = 0;

	if (r->rotate.on)
		rc = xtr_dir_user_enter(&user, r->rotate.dir);
	if (!rc && r->rotate.on)
		rc = xtr_dir_user_caps(&user);
	if (!rc)
		rc = xtr_caps_keep(caps_kept(r));
	set_sink(r);
	if (rc)
		fail(err, rc, "cannot give up privileges");
	else if ((rc = xtr_sink_start(&r->sink)))
		fail(err, rc, "cannot start recording");
	if (r->rotate.on)
		xtr_dir_user_leave(&user);
	return rc;
}

int xtr_recorder_start(struct xtr_recorder *r, struct xtr_record_err *err)
{
	int rc = 0;

	if (r->opts.argv) {
		rc = xtr_child_start(&r->child, r->opts.argv, strcmp(r->opts.output, "-") == 0);
		if (rc)
			return fail(err, rc, "cannot start the command");
	}
	rc = start_sink(r, err);
	if (rc)
		return rc;
	rc = xtr_drain_start(&r->drain, r->bpf, &r->queue, r->sink.flight);
	if (!rc)
		rc = xtr_modwatch_begin(&r->modules, &r->sel, MODULES);
	if (rc)
		return fail(err, rc, "cannot start recording");
	xtr_own_cost_now(&r->began, r->bpf);
	r->keep.head->done = 0;
	xtr_bpf_run(r->bpf);
	rc = xtr_child_go(&r->child);
	if (rc) {
		snprintf(err->what, sizeof(err->what), "'%.200s': %s", r->opts.argv[0],
			 strerror(-rc));
		err->code = rc;
		err->kind = XTR_FAIL_COMMAND;
	}
	return rc;
}

bool xtr_recorder_trigger_is_off(const struct xtr_recorder *r, size_t i)
{
	return r->sink.flight && i < XTR_TRIGGERS_MAX && r->sink.flight->triggers.off & 1u << i;
}

void xtr_recorder_trigger(struct xtr_recorder *r)
{
	if (r->sink.flight)
		xtr_flight_ask(r->sink.flight);
}

int xtr_recorder_flown_fd(const struct xtr_recorder *r)
{
	return r->sink.flight ? r->sink.flight->told_fd : -1;
}

bool xtr_recorder_flown(struct xtr_recorder *r, struct xtr_flown_file *f)
{
	return r->sink.flight && xtr_flight_told(r->sink.flight, f);
}

int xtr_recorder_fd(const struct xtr_recorder *r)
{
	return r->sink.event_fd;
}

pid_t xtr_recorder_child(const struct xtr_recorder *r)
{
	return r->child.pid;
}

/* Sums of the kernel's counters. */
static void sum_counts(const struct xtr_recorder *r, struct xtr_record_status *st)
{
	for (uint32_t i = 0; i < r->bpf->n_cpus; i++)
		st->lost += r->bpf->cpus[i].lost;
	for (uint32_t i = 0; i < r->bpf->n_cpus * r->bpf->n_slots; i++)
		st->filtered += r->bpf->counts[i].filtered;
}

void xtr_recorder_status(struct xtr_recorder *r, struct xtr_record_status *st)
{
	*st = (struct xtr_record_status){
		.elapsed_ns = r->began.at ? xtr_now() - r->began.at : 0,
		.events = atomic_load(&r->sink.events),
		.lost = atomic_load(&r->sink.dropped) +
			__atomic_load_n(&r->keep.head->malformed, __ATOMIC_RELAXED),
		.bytes = atomic_load(&r->sink.bytes),
		.pieces = atomic_load(&r->rotate.count),
		.removed = atomic_load(&r->rotate.removed),
		.cpu_ns = xtr_cpu_ns() - r->began.cpu,
		.ring_bytes = r->bpf->ring_bytes,
		.ring_high = atomic_load(&r->drain.high),
		.ring_permille = (uint32_t)atomic_load(&r->drain.permille),
		.attached = r->attached,
		.stopped = atomic_load(&r->sink.stopped),
		.error = atomic_load(&r->sink.error),
	};
	sum_counts(r, st);
}

static bool output_is_gone(const struct xtr_recorder *r)
{
	struct stat now;
	return r->output.st_ino && (stat(r->opts.output, &now) || now.st_ino != r->output.st_ino ||
				    now.st_dev != r->output.st_dev);
}

int xtr_recorder_stop(struct xtr_recorder *r, const char *reason, struct xtr_record_status *st,
		      struct xtr_record_err *err)
{
	struct xtr_recorder_cost cost = { 0 };
	uint64_t elapsed = xtr_now() - r->began.at;
	struct xtr_own_cost now;
	const char *own;
	int rc;

	xtr_modwatch_end(&r->modules, MODULES);
	xtr_bpf_halt(r->bpf);
	xtr_drain_stop(&r->drain);
	xtr_sink_join(&r->sink);
	own = atomic_load(&r->sink.stopped);
	xtr_own_cost_now(&now, r->bpf);
	xtr_own_cost_between(&cost, &r->sink.spent, &now);
	cost.ring_bytes = r->bpf->ring_bytes;
	cost.ring_high = atomic_load(&r->drain.high);
	(void)xtr_modwatch_note(&r->modules, r->meta); /* no memory: the caller still says it */
	rc = xtr_sink_finish(&r->sink, own ? own : reason, &cost);
	if (!rc)
		__atomic_store_n(&r->keep.head->done, 1, __ATOMIC_SEQ_CST);
	xtr_recorder_status(r, st);
	st->elapsed_ns = elapsed;
	st->budget_ppm = r->sel.budget;
	st->budget_steps = r->sink.budget.steps;
	st->cost_ppm = (uint32_t)xtr_budget_spent(&r->sink.budget, &now);
	st->gone = output_is_gone(r);
	st->lost = r->rotate.piece.lost_before + xtr_loss_total(r->sink.loss);
	return rc ? fail(err, rc, xtr_output_name(&r->sink, &r->opts)) : 0;
}

void xtr_recorder_close(struct xtr_recorder *r)
{
	if (!r)
		return;
	xtr_child_close(&r->child);
	if (r->bpf)
		xtr_bpf_detach(r->bpf);
	if (r->drain.running)
		xtr_drain_stop(&r->drain);
	else if (r->sink.running)
		xtr_queue_close(&r->queue);
	xtr_sink_free(&r->sink);
	xtr_drain_free(&r->drain);
	xtr_queue_destroy(&r->queue);
	xtr_writer_free(r->sink.writer);
	xtr_io_close(r->sink.io);
	xtr_flight_close(r->sink.flight);
	xtr_rotate_free(&r->rotate);
	xtr_defs_free(&r->defs);
	xtr_loss_free(r->sink.loss);
	xtr_tables_free(r->tables);
	xtr_meta_free(r->meta);
	xtr_pin_remove(&r->pin, XTR_PINNED_KEEP);
	xtr_modwatch_free(&r->modules);
	xtr_bpf_free(r->bpf);
	xtr_keep_close(&r->keep);
	xtr_selection_free(&r->sel);
	free(r);
}
