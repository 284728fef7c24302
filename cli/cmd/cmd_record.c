/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr record: options, signals, the status line and the summary around the recorder. */
#include "cli/ui/cli.h"
#include "cmd_list.h"
#include "cli/ui/outfile.h"
#include "record_bundle.h"
#include "record_flight.h"
#include "record_hang.h"
#include "record_say.h"
#include "record_session.h"
#include "record_ship.h"
#include "cli/ui/units.h"

#include "recorder/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE_MIN_NS 1000000u

struct opts {
	const char *output;
	const char *budget, *bundle, *engine, *on_piece;
	struct cli_list pids, events, samples, rotate, stack_at, labels;
	struct record_flight flight;
	struct record_hang_opts hang;
	uint64_t duration, size, buffer, keep, idle_rate;
	bool stack, idle_stacks, compact, keep_pointers, force, quiet;
};

/* One recording, as far as the command line is concerned. */
struct session {
	const struct opts *o;
	struct record_session run;
	struct record_ship ship;
	bool made; /* the trace is whole, under its name */
};

static int parse_pids(const struct cli_list *list, uint32_t **pids)
{
	uint64_t pid;

	*pids = calloc(list->n + 1, sizeof(**pids));
	if (!*pids)
		return cli_failed("-p", ENOMEM);
	for (size_t i = 0; i < list->n; i++) {
		if (cli_parse_u64(list->v[i], &pid) || !pid || pid > INT32_MAX) {
			cli_error("invalid process ID '%s'", list->v[i]);
			return XTR_EXIT_USAGE;
		}
		if (kill((pid_t)pid, 0) && errno == ESRCH) {
			cli_error("no process with ID %s", list->v[i]);
			return XTR_EXIT_FAILURE;
		}
		(*pids)[i] = (uint32_t)pid;
	}
	return XTR_EXIT_OK;
}

/* Each is a size or a time that is no typing error, and has a unit. */
static int parse_rotate(const struct opts *o, struct xtr_record_opts *ro)
{
	uint64_t v;

	for (size_t i = 0; i < o->rotate.n; i++) {
		const char *s = o->rotate.v[i];
		size_t n = strlen(s);
		bool unit = n && (s[n - 1] < '0' || s[n - 1] > '9');

		if (unit && !cli_parse_time(s, &v) && v >= PIECE_MIN_NS)
			ro->rotate_ns = v;
		else if (unit && !cli_parse_size(s, &v) && v)
			ro->rotate_bytes = v;
		else {
			cli_error(
				"--rotate: invalid size or time '%s': give at least 1ms, such as 100M or 30s",
				s);
			return XTR_EXIT_USAGE;
		}
	}
	if (o->rotate.n && !strcmp(o->output, "-")) {
		cli_error("--rotate writes files: it cannot be combined with -o -");
		return XTR_EXIT_USAGE;
	}
	if (o->keep && !o->rotate.n && !o->flight.limits.n) {
		cli_error("--keep requires --rotate or --flight");
		return XTR_EXIT_USAGE;
	}
	if (o->keep > UINT32_MAX) {
		cli_error("--keep: at most %u", UINT32_MAX);
		return XTR_EXIT_USAGE;
	}
	ro->keep = (uint32_t)o->keep;
	return XTR_EXIT_OK;
}

/* Checked here, so that who made a mistake is told before anything is recorded. */
static int parse_labels(const struct cli_list *list)
{
	if (list->n > XTR_LABELS_MAX) {
		cli_error("--label: at most %u labels", XTR_LABELS_MAX);
		return XTR_EXIT_USAGE;
	}
	for (size_t i = 0; i < list->n; i++) {
		const char *s = list->v[i];
		const size_t n = strcspn(s, "=");

		if (!s[n] || !xtr_label_key_is_right(s, n) ||
		    !xtr_label_value_is_right(s + n + 1)) {
			cli_error("--label: invalid label '%s': give KEY=VALUE, such as node=gpu17",
				  s);
			return XTR_EXIT_USAGE;
		}
		for (size_t k = 0; k < i; k++) {
			if (strncmp(list->v[k], s, n + 1) == 0) {
				cli_error("--label: '%.*s' is given twice", (int)n, s);
				return XTR_EXIT_USAGE;
			}
		}
	}
	return XTR_EXIT_OK;
}

static const char *const engines[] = {
	[XTR_ENGINE_AUTO] = "auto",
	[XTR_ENGINE_BPF] = "bpf",
	[XTR_ENGINE_FTRACE] = "ftrace",
};

static int parse_engine(const struct opts *o, struct xtr_record_opts *ro)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (!strcmp(o->engine, engines[i])) {
			ro->engine = (enum xtr_engine)i;
			return XTR_EXIT_OK;
		}
	}
	cli_error("--engine: unknown engine '%s': auto, bpf or ftrace", o->engine);
	return XTR_EXIT_USAGE;
}

#define IDLE_HZ     99
#define IDLE_HZ_MAX 999

static int parse_idle(const struct opts *o, struct xtr_record_opts *ro)
{
	if (o->idle_rate && !o->idle_stacks) {
		cli_error("--idle-rate is for --idle-stacks");
		return XTR_EXIT_USAGE;
	}
	if (o->idle_rate > IDLE_HZ_MAX) {
		cli_error("--idle-rate: 1 to %d samples a second", IDLE_HZ_MAX);
		return XTR_EXIT_USAGE;
	}
	if (o->idle_stacks && ro->engine == XTR_ENGINE_FTRACE) {
		cli_error("--engine ftrace: --idle-stacks needs BPF programs");
		return XTR_EXIT_USAGE;
	}
	if (o->idle_stacks)
		ro->idle_hz = o->idle_rate ? o->idle_rate : IDLE_HZ;
	return XTR_EXIT_OK;
}

static int report_error(const struct xtr_record_err *err)
{
	if (err->kind == XTR_FAIL_UNKNOWN) {
		record_unknown_event(err->what, true);
		return XTR_EXIT_USAGE;
	}
	cli_error("%s", err->what);
	if (err->hint[0])
		cli_hint("%s", err->hint);
	if (err->kind == XTR_FAIL_COMMAND)
		return err->code == -ENOENT ? 127 : 126;
	if (err->kind == XTR_FAIL_USAGE)
		return XTR_EXIT_USAGE;
	return err->kind == XTR_FAIL_MACHINE ? XTR_EXIT_PRIVILEGE : XTR_EXIT_FAILURE;
}

static void summary(const struct session *s, const struct xtr_record_status *st)
{
	uint64_t all = st->events + st->lost;
	const char *module;

	if (st->lost)
		cli_warn("LOST %s of %s (%.3g%%): 'xtr info' shows which", cli_count(st->lost),
			 cli_events(all), (double)st->lost * 100 / (double)all);
	for (size_t i = 0; (module = xtr_recorder_unloaded(s->run.r, i)); i++)
		cli_warn(
			"module '%s' was unloaded while its functions were recorded: later calls are not in the file",
			module);
	if (st->stopped)
		cli_warn("recording ended early: %s", st->stopped);
	if (st->budget_steps)
		cli_warn(
			"to keep the budget, not everything was recorded: 'xtr info' shows what was left out");
	if (st->cost_ppm > st->budget_ppm)
		cli_warn("recording cost %.3g%% of the machine, the budget was %.3g%%",
			 st->cost_ppm / 1e4, st->budget_ppm / 1e4);
	if (st->gone)
		cli_error("'%s' is not there any more: it was removed or replaced while recording",
			  s->o->output);
	if (s->o->quiet)
		return;
	fprintf(stderr, "xtr: '%s': %s in %s", s->o->output, cli_events(st->events),
		cli_ns(st->elapsed_ns));
	if (st->filtered)
		fprintf(stderr, ", %s filtered out", cli_count(st->filtered));
	fprintf(stderr, ", %s", cli_bytes(st->bytes));
	if (st->events && !s->o->flight.limits.n)
		fprintf(stderr, " (%.1f bytes per event)", (double)st->bytes / (double)st->events);
	if (st->pieces)
		fprintf(stderr, ", %s piece%s", cli_count(st->pieces), st->pieces == 1 ? "" : "s");
	if (st->removed)
		fprintf(stderr, ", of which the last %s kept", cli_count(st->pieces - st->removed));
	fprintf(stderr, ", recorder CPU %s\n", cli_ns(st->cpu_ns));
}

/* The command's own status comes first, then ours. */
static int exit_status(const struct session *s, const struct xtr_record_status *st, int err)
{
	if (s->run.child_ended) {
		if (WIFSIGNALED(s->run.child_status))
			return 128 + WTERMSIG(s->run.child_status);
		if (WEXITSTATUS(s->run.child_status))
			return WEXITSTATUS(s->run.child_status);
	}
	if (err || st->gone || s->run.failed)
		return XTR_EXIT_FAILURE;
	return st->lost ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}

/* It could not begin: why is said, and what there is of the file is finished. */
static int not_started(struct session *s, const struct xtr_record_err *why)
{
	struct xtr_record_status st;
	struct xtr_record_err ignored;

	xtr_recorder_stop(s->run.r, "not started", &st, &ignored);
	return report_error(why);
}

static int record(struct session *s)
{
	struct xtr_record_status st;
	struct xtr_record_err err = { 0 };
	bool flight = s->o->flight.limits.n;
	int ret = record_session_signals(&s->run, flight);

	if (ret)
		snprintf(err.what, sizeof(err.what), "cannot receive signals: %s", strerror(-ret));
	else
		ret = xtr_recorder_start(s->run.r, &err);
	if (ret)
		return not_started(s, &err);
	if (flight && !s->o->quiet)
		cli_hint("'kill -USR1 %d' writes what is kept", (int)getpid());
	record_ship_go(&s->ship);
	record_session_wait(&s->run, s->o->duration);
	ret = xtr_recorder_stop(s->run.r, s->run.reason, &st, &err);
	record_session_tell_files(&s->run);
	if (ret)
		report_error(&err);
	summary(s, &st);
	record_session_wait_for_command(&s->run);
	s->made = !ret && !st.gone;
	return exit_status(s, &st, ret);
}

static int open_and_record(struct session *s, const struct xtr_record_opts *ro)
{
	struct xtr_record_err err;
	int status;

	if (xtr_recorder_open(&s->run.r, ro, &err))
		return report_error(&err);
	record_report_missing(s->run.r, &s->o->events);
	record_flight_tell_off(s->run.r, ro);
	status = record(s);
	xtr_recorder_close(s->run.r);
	record_session_end(&s->run);
	return status;
}

/* The bundle is of one file, which is there when the recording ends. */
static int start_bundle(const struct opts *o, struct record_bundle *b)
{
	const struct bundle_opts bo = { .output = o->bundle, .force = o->force };

	if (!o->bundle)
		return XTR_EXIT_OK;
	if (o->rotate.n || o->flight.limits.n || !strcmp(o->output, "-") ||
	    !strcmp(o->bundle, "-")) {
		cli_error(
			"--bundle needs one file: it cannot be combined with --rotate, --flight or -o -");
		return XTR_EXIT_USAGE;
	}
	return record_bundle_start(b, &bo, o->output, o->quiet);
}

static int start_ship(struct session *s)
{
	const struct opts *o = s->o;

	if (!o->on_piece)
		return XTR_EXIT_OK;
	if (!o->rotate.n && !o->flight.limits.n) {
		cli_error("--on-piece requires --rotate or --flight");
		return XTR_EXIT_USAGE;
	}
	return record_ship_start(&s->ship, o->output, o->on_piece, o->quiet);
}

static int start_hang(struct session *s)
{
	const struct opts *o = s->o;
	const char *wrong = record_hang_conflict(&o->hang, o->flight.limits.n);

	if (wrong) {
		cli_error("%s", wrong);
		return XTR_EXIT_USAGE;
	}
	if (!o->hang.on)
		return XTR_EXIT_OK;
	return record_hang_start(&s->run.hang, &o->hang, o->flight.pause, o->keep);
}

/* What the recording ended with comes first, then the status of bundles, and of the last pieces. */
static int end_beside(struct record_bundle *b, struct session *s, int status)
{
	int made = record_bundle_end(b, s->made), taken = record_hang_end(&s->run.hang),
	    shipped = record_ship_end(&s->ship);

	return status ?: made ?: taken ?: shipped;
}

static void defaults(void *opts)
{
	struct opts *o = opts;

	o->output = "xtr.xtr";
	o->engine = "auto";
	o->flight.after = RECORD_FLIGHT_AFTER_NS;
	o->flight.pause = RECORD_FLIGHT_PAUSE_NS;
	o->hang.max = RECORD_HANG_MAX_BYTES;
}

static int run(const void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct session s = { .o = o, .run = { .quiet = o->quiet, .signals = -1, .hang.fd = -1 } };
	struct xtr_record_opts ro = {
		.sz = sizeof(ro),
		.output = o->output,
		.force = o->force,
		.n_pids = o->pids.n,
		.events = o->events.v,
		.n_events = o->events.n,
		.samples = o->samples.v,
		.n_samples = o->samples.n,
		.budget = o->budget,
		.size_limit = o->size,
		.ring_bytes = o->buffer,
		.stacks = o->stack,
		.stack_at = o->stack_at.v,
		.n_stack_at = o->stack_at.n,
		.labels = o->labels.v,
		.n_labels = o->labels.n,
		.compact = o->compact,
		.keep_pointers = o->keep_pointers,
		.argv = argc ? argv : NULL,
	};
	struct record_bundle bundle = { 0 };
	struct record_flight flight = o->flight;
	uint32_t *pids = NULL;
	int status = parse_rotate(o, &ro);

	flight.on_hang = o->hang.on;
	(void)cli_owner(&ro.owner, &ro.owner_group);
	if (!status)
		status = parse_engine(o, &ro) ?: parse_idle(o, &ro);
	if (!status)
		status = parse_labels(&o->labels);
	if (!status)
		status = record_flight_parse(&flight, &ro);
	if (!status)
		status = parse_pids(&o->pids, &pids);
	if (!status)
		status = start_bundle(o, &bundle);
	if (!status)
		status = start_ship(&s);
	if (!status)
		status = start_hang(&s);
	if (o->hang.on && !ro.n_events)
		ro.n_events = record_hang_events(&ro.events);
	record_flight_hold(&ro);
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message */
	if (!status) {
		ro.pids = pids;
		status = open_and_record(&s, &ro);
	}
	status = end_beside(&bundle, &s, status);
	free(pids);
	free((void *)ro.flight.triggers);
	return status;
}

static const char *words(const char *option, size_t i)
{
	return strcmp(option, "event") ? NULL : cli_group_name(i);
}

#define OPT(letter, name, arg, kind, field, help)                           \
	{                                                                   \
		letter, name, arg, kind, offsetof(struct opts, field), help \
	}

static const struct cli_option options[] = {
	OPT('o', "output", "FILE", CLI_STRING, output,
	    "write to FILE, - for standard output (default xtr.xtr)"),
	OPT('e', "event", "EVENT", CLI_LIST, events,
	    "record EVENT (system:event, a glob or a group) instead of the default set"),
	OPT(0, "sample", "RULE", CLI_LIST, samples,
	    "record a share of the calls of frequent functions, or of EVENT: [EVENT[/FIELD]=]N% or 1/N"),
	OPT(0, "budget", "SHARE", CLI_STRING, budget,
	    "keep what recording costs under SHARE of the machine (0.5%): record a sample where all is too much"),
	OPT(0, "engine", "NAME", CLI_STRING, engine,
	    "record events by name by auto (default: the kernel's trace ring where it can, else a BPF program), bpf or ftrace alone"),
	OPT('p', "pid", "PID", CLI_LIST, pids,
	    "record only process PID, the jobs it submits, and when others are on their rings"),
	OPT('d', "duration", "TIME", CLI_TIME, duration, "record for TIME, then end"),
	OPT(0, "size", "SIZE", CLI_SIZE, size, "end when the file has SIZE bytes"),
	OPT(0, "rotate", "SIZE|TIME", CLI_LIST, rotate,
	    "begin a new file when one has SIZE bytes, or after TIME; given twice, whichever comes first"),
	OPT(0, "keep", "N", CLI_U64, keep,
	    "with --rotate or --flight: keep the newest N files, remove older ones; bundles of hangs, too"),
	OPT(0, "on-piece", "COMMAND", CLI_STRING, on_piece,
	    "with --rotate or --flight: hand each complete file to COMMAND of sh, as $1, until it takes it"),
	OPT(0, "flight", "SIZE|TIME", CLI_LIST, flight.limits,
	    "keep the newest SIZE bytes, or TIME, in memory, and write them when a trigger fires"),
	OPT(0, "trigger", "WHAT", CLI_LIST, flight.triggers,
	    "with --flight: 'exec>TIME', 'hang>TIME', xid, reset, error, drop or EVENT; SIGUSR1 always is one"),
	OPT(0, "try-trigger", "WHAT", CLI_LIST, flight.try_triggers,
	    "the same, left out with a line where nothing that is recorded can fire it"),
	OPT(0, "after", "TIME", CLI_TIME, flight.after,
	    "with --flight: record for TIME after a trigger before writing (default 1s)"),
	OPT(0, "pause", "TIME", CLI_TIME, flight.pause,
	    "with --flight: follow no trigger within TIME after a file (default 30s)"),
	OPT(0, "once", NULL, CLI_FLAG, flight.once,
	    "with --flight: the first trigger ends the recording"),
	OPT(0, "on-hang", NULL, CLI_FLAG, hang.on,
	    "with --flight: when a device hangs, take its dump, the log and the trace into a bundle"),
	OPT(0, "bundle-dir", "DIR", CLI_STRING, hang.dir,
	    "with --on-hang: put these bundles into DIR"),
	OPT(0, "bundle-max", "SIZE", CLI_SIZE, hang.max,
	    "with --on-hang: at most SIZE of them (default 4G)"),
	OPT(0, "buffer", "SIZE", CLI_SIZE, buffer,
	    "bytes of buffer per CPU, rounded up to a power of two"),
	OPT(0, "stack", NULL, CLI_FLAG, stack,
	    "record the stack of each thread that submits a job or begins to wait for a fence"),
	OPT(0, "stack-at", "EVENT", CLI_LIST, stack_at,
	    "the same, and the stack of each EVENT, too (system:event, func:..., api:... or a glob)"),
	OPT(0, "idle-stacks", NULL, CLI_FLAG, idle_stacks,
	    "sample the stacks on all CPUs, and record those of threads that submit jobs when they sleep"),
	OPT(0, "idle-rate", "HZ", CLI_U64, idle_rate,
	    "with --idle-stacks: samples a second of each CPU, 1 to 999 (default 99)"),
	OPT(0, "label", "KEY=VALUE", CLI_LIST, labels,
	    "write KEY=VALUE into the file, to tell recordings apart by: node, cluster, job; repeatable"),
	OPT(0, "compact", NULL, CLI_FLAG, compact,
	    "write columns of events: a smaller file that takes longer to read"),
	OPT(0, "keep-pointers", NULL, CLI_FLAG, keep_pointers,
	    "write kernel addresses as they are, not hashed"),
	OPT(0, "bundle", "FILE", CLI_STRING, bundle,
	    "when it is recorded, make a bundle for a bug report of it, as 'xtr bundle -o FILE'"),
	OPT(0, "force", NULL, CLI_FLAG, force, "replace an existing file"),
	OPT('q', "quiet", NULL, CLI_FLAG, quiet,
	    "no status line and no summary; losses are still reported"),
};

const struct cli_command cmd_record = {
	.name = "record",
	.summary = "record GPU and NPU driver events",
	.args = "[-- COMMAND [ARG]...]",
	.examples = "xtr record -o run.xtr -- ./my-workload\trecord while a command runs\n"
		    "xtr record -d 10s -o run.xtr\trecord the machine for ten seconds",
	CLI_OPTIONS(options, struct opts),
	.words = words,
	.defaults = defaults,
	.run = run,
	.stop_at_first = true,
	.privileged = true,
};
