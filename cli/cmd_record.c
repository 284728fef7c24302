// SPDX-License-Identifier: BSD-2-Clause
/* xtr record: options, signals, the status line and the summary around the recorder. */
#include "cli.h"
#include "list_groups.h"
#include "record_names.h"
#include "units.h"

#include "recorder/recorder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_EVERY_MS 500
#define GRACE_MS        2000 /* after a signal, for the command to end */

struct opts {
	const char *output;
	struct cli_list pids, events, samples;
	uint64_t duration, size, buffer;
	bool stack, keep_pointers, force, quiet;
};

/* One recording, as far as the command line is concerned. */
struct session {
	const struct opts *o;
	struct xtr_recorder *r;
	int signals;      /* signalfd */
	bool tty;         /* the status line is shown */
	int child_status; /* of waitpid */
	bool child_ended;
	bool ending;       /* a signal came, the command has time until deadline */
	uint64_t deadline; /* ns on CLOCK_MONOTONIC, 0: none */
	uint64_t last_events, last_at;
	const char *reason;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int parse_pids(const struct cli_list *list, uint32_t **pids)
{
	uint64_t pid;

	*pids = calloc(list->n + 1, sizeof(**pids));
	if (!*pids)
		return XTR_EXIT_FAILURE;
	for (size_t i = 0; i < list->n; i++) {
		if (cli_parse_u64(list->v[i], &pid) || !pid || pid > INT32_MAX) {
			cli_error("-p: '%s' is no process number", list->v[i]);
			return XTR_EXIT_USAGE;
		}
		if (kill((pid_t)pid, 0) && errno == ESRCH) {
			cli_error("-p: there is no process %s", list->v[i]);
			return XTR_EXIT_FAILURE;
		}
		(*pids)[i] = (uint32_t)pid;
	}
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

static bool is_function(const struct xtr_provider *p)
{
	return strncmp(p->name, "func:", 5) == 0;
}

/* By its name; a function also with what may stand behind that (:ret). */
static bool asked_for(const struct opts *o, const struct xtr_provider *p)
{
	size_t n = strlen(p->name);

	for (size_t i = 0; i < o->events.n; i++) {
		const char *e = o->events.v[i];

		if (strcmp(e, p->name) == 0 ||
		    (is_function(p) && strncmp(e, p->name, n) == 0 && e[n] == ':'))
			return true;
	}
	return false;
}

static bool is_worth_a_line(const struct opts *o, const struct xtr_provider *p)
{
	if (asked_for(o, p) || strncmp(p->name, "api:", 4) == 0)
		return p->state == XTR_PROVIDER_REFUSED || p->state == XTR_PROVIDER_MISSING;
	return p->state == XTR_PROVIDER_REFUSED && !is_function(p);
}

/*
 * Say what will not be recorded: what was asked for by name, and what the kernel refused. Of the
 * functions that a pattern or a group means the kernel always refuses some: their number.
 */
static void report_missing(const struct session *s)
{
	const char *name;
	size_t refused = 0;

	for (size_t i = 0; (name = xtr_recorder_unknown(s->r, i)); i++)
		record_unknown_event(name, false);
	for (size_t i = 0; (name = xtr_recorder_note(s->r, i)); i++)
		cli_warn("%s", name);
	for (size_t i = 0; i < xtr_recorder_n_providers(s->r); i++) {
		const struct xtr_provider *p = xtr_recorder_provider(s->r, i);

		if (is_worth_a_line(s->o, p))
			cli_warn("%s is not recorded: %s", p->name, p->why ? p->why : "missing");
		else
			refused += p->state == XTR_PROVIDER_REFUSED;
	}
	if (refused)
		cli_warn("%zu functions are not recorded: 'xtr info' tells which and why", refused);
}

static void status_line(struct session *s)
{
	struct xtr_record_status st;
	uint64_t now = now_ns(), rate = 0;

	xtr_recorder_status(s->r, &st);
	if (s->last_at && now > s->last_at)
		rate = (uint64_t)((double)(st.events - s->last_events) * 1e9 /
				  (double)(now - s->last_at));
	s->last_at = now;
	s->last_events = st.events;
	fprintf(stderr, "\r%s  %s events  %s/s  %s  lost %s  ring %u%%\033[K",
		cli_ns(st.elapsed_ns), cli_count(st.events), cli_count(rate), cli_bytes(st.bytes),
		cli_count(st.lost), st.ring_permille / 10);
	fflush(stderr);
}

static void end(struct session *s, const char *reason)
{
	if (!s->reason)
		s->reason = reason;
}

/* A signal for us is the command's too, unless the terminal has sent it to both. */
static void on_signal(struct session *s, const struct signalfd_siginfo *info)
{
	pid_t child = xtr_recorder_child(s->r);
	int sig = (int)info->ssi_signo;

	if (sig == SIGCHLD) {
		if (child && waitpid(child, &s->child_status, WNOHANG) == child) {
			s->child_ended = true;
			end(s, "command ended");
		}
		return;
	}
	if (!child || s->child_ended || s->ending) {
		end(s, "signal");
		return;
	}
	if (info->ssi_code != SI_KERNEL)
		kill(child, sig);
	s->ending = true;
	s->deadline = now_ns() + GRACE_MS * 1000000ull;
}

static int wait_ms(const struct session *s)
{
	uint64_t now = now_ns(), left;
	int ms = s->tty ? STATUS_EVERY_MS : 60000;

	if (!s->deadline)
		return ms;
	left = s->deadline > now ? (s->deadline - now + 999999) / 1000000 : 0;
	return left < (uint64_t)ms ? (int)left : ms;
}

/* Until there is a reason to end. */
static void wait_for_end(struct session *s)
{
	struct pollfd fds[] = {
		{ .fd = s->signals, .events = POLLIN },
		{ .fd = xtr_recorder_fd(s->r), .events = POLLIN },
	};
	struct signalfd_siginfo info;

	while (!s->reason) {
		poll(fds, 2, wait_ms(s));
		if (fds[0].revents & POLLIN &&
		    read(s->signals, &info, sizeof(info)) == sizeof(info))
			on_signal(s, &info);
		if (fds[1].revents & POLLIN)
			end(s, "stopped");
		if (s->deadline && now_ns() >= s->deadline)
			end(s, s->ending ? "signal" : "duration");
		if (s->tty)
			status_line(s);
	}
}

/* Recording has ended, the command may not: ask it to end where the user has set the end, then wait
 * for it. */
static void wait_for_command(struct session *s)
{
	pid_t child = xtr_recorder_child(s->r);
	struct signalfd_siginfo info;

	if (!child || s->child_ended)
		return;
	if (strcmp(s->reason, "stopped"))
		kill(child, SIGTERM);
	while (!s->child_ended) {
		if (read(s->signals, &info, sizeof(info)) != sizeof(info))
			continue;
		if (info.ssi_signo != SIGCHLD)
			kill(child, (int)info.ssi_signo);
		else if (waitpid(child, &s->child_status, WNOHANG) == child)
			s->child_ended = true;
	}
}

static void summary(const struct session *s, const struct xtr_record_status *st)
{
	uint64_t all = st->events + st->lost;
	const char *module;

	if (st->lost)
		cli_warn("LOST %s of %s (%.3g%%): 'xtr info' tells which", cli_count(st->lost),
			 cli_events(all), (double)st->lost * 100 / (double)all);
	for (size_t i = 0; (module = xtr_recorder_unloaded(s->r, i)); i++)
		cli_warn(
			"module '%s' was unloaded while its functions were recorded: later calls are not in the file",
			module);
	if (st->stopped)
		cli_warn("recording ended early: %s", st->stopped);
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
	if (st->events)
		fprintf(stderr, " (%.1f bytes per event)", (double)st->bytes / (double)st->events);
	fprintf(stderr, ", recorder CPU %s\n", cli_ns(st->cpu_ns));
}

/* The command's own status comes first, then ours. */
static int exit_status(const struct session *s, const struct xtr_record_status *st, int rc)
{
	if (s->child_ended) {
		if (WIFSIGNALED(s->child_status))
			return 128 + WTERMSIG(s->child_status);
		if (WEXITSTATUS(s->child_status))
			return WEXITSTATUS(s->child_status);
	}
	if (rc || st->gone)
		return XTR_EXIT_FAILURE;
	return st->lost ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}

/* Signals come through a descriptor; threads started later inherit the mask. */
static int block_signals(void)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int record(struct session *s)
{
	struct xtr_record_status st;
	struct xtr_record_err err = { 0 };
	int rc;

	s->signals = block_signals();
	rc = xtr_recorder_start(s->r, &err);
	if (rc) {
		struct xtr_record_err ignored;

		xtr_recorder_stop(s->r, "not started", &st, &ignored);
		return report_error(&err);
	}
	s->tty = !s->o->quiet && isatty(STDERR_FILENO);
	s->deadline = s->o->duration ? now_ns() + s->o->duration : 0;
	wait_for_end(s);
	rc = xtr_recorder_stop(s->r, s->reason, &st, &err);
	if (s->tty)
		fputs("\r\033[K", stderr);
	if (rc)
		report_error(&err);
	summary(s, &st);
	wait_for_command(s);
	close(s->signals);
	return exit_status(s, &st, rc);
}

static void defaults(void *opts)
{
	((struct opts *)opts)->output = "xtr.xtr";
}

static int run(const void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct session s = { .o = o };
	struct xtr_record_opts ro = {
		.sz = sizeof(ro),
		.output = o->output,
		.force = o->force,
		.n_pids = o->pids.n,
		.events = o->events.v,
		.n_events = o->events.n,
		.samples = o->samples.v,
		.n_samples = o->samples.n,
		.size_limit = o->size,
		.ring_bytes = o->buffer,
		.stacks = o->stack,
		.keep_pointers = o->keep_pointers,
		.argv = argc ? argv : NULL,
	};
	struct xtr_record_err err;
	uint32_t *pids = NULL;
	int status = parse_pids(&o->pids, &pids);

	signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message */
	if (!status) {
		ro.pids = pids;
		if (xtr_recorder_open(&s.r, &ro, &err)) {
			status = report_error(&err);
		} else {
			report_missing(&s);
			status = record(&s);
			xtr_recorder_close(s.r);
		}
	}
	free(pids);
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
	OPT('p', "pid", "PID", CLI_LIST, pids, "record only process PID and the jobs it submits"),
	OPT('d', "duration", "TIME", CLI_TIME, duration, "record for TIME, then end"),
	OPT(0, "size", "SIZE", CLI_SIZE, size, "end when the file has SIZE bytes"),
	OPT(0, "buffer", "SIZE", CLI_SIZE, buffer,
	    "bytes of buffer per CPU, rounded up to a power of two"),
	OPT(0, "stack", NULL, CLI_FLAG, stack, "record the stack of each job submission"),
	OPT(0, "keep-pointers", NULL, CLI_FLAG, keep_pointers,
	    "write kernel addresses as they are, not hashed"),
	OPT(0, "force", NULL, CLI_FLAG, force, "replace an existing file"),
	OPT('q', "quiet", NULL, CLI_FLAG, quiet,
	    "no status line and no summary; losses are still reported"),
};

const struct cli_command cmd_record = {
	.name = "record",
	.summary = "record GPU and NPU driver events",
	.args = "[-- COMMAND [ARG]...]",
	.about =
		"Records the events of the GPU and NPU kernel drivers into a file, until COMMAND ends, a time or "
		"size is reached, or Ctrl-C is pressed. All processes are recorded, not only COMMAND; -p limits it.\n"
		"\n"
		"The default set is group 'gpu' (all events of the DRM GPU scheduler, and dma_fence signaled, wait_start and "
		"wait_end), and the groups of the drivers that are loaded: amdgpu, i915, xe, display, nvidia, nouveau, "
		"virtio_gpu, npu, amdxdna. With -e exactly what is given is "
		"recorded: events, patterns and groups add up, and the word 'default' stands for the default set: "
		"-e default -e 'sched:*'. Any tracepoint of the kernel can be named; 'xtr list' shows them, and the groups.\n"
		"\n"
		"A group is a set of events under one name. Parts of it that this kernel lacks are left out, and the file says "
		"why; a group whose driver is not loaded is an error when it is asked for. Of dma_fence_init, which most "
		"drivers cause far too often, 'npu' records the fences of the NPU's jobs alone, unless the event is asked "
		"for by name, or addresses of kernel symbols are hidden, which is said.\n"
		"\n"
		"Kernel functions: 'func:MODULE:GLOB' records each call of the functions of a module ('vmlinux': of the kernel "
		"itself), with ':ret' also their returns with the value returned, with ':args' the arguments that are passed "
		"in registers, as the kernel's types name them. Names are those of the source: what the compiler appends "
		"(.isra.0) is left out. Calls that the kernel skips, as another program was running on the CPU, are counted as "
		"lost. With -p, calls in interrupts are left out. 'xtr list func:MODULE:GLOB' shows what can be recorded.\n"
		"\n"
		"Calls of libraries: 'api:LIBRARY:GLOB' records entry and return, with their result, of the functions that "
		"LIBRARY exports (a soname, a path, or a program, of which all functions not stripped count); 'api:GROUP' those "
		"of level-zero, cuda, hip, opencl or vulkan, with sizes and counts among their arguments. ':noret' behind "
		"it leaves the returns out. Libraries are looked for as the loader does and in all running processes, "
		"also in containers. Not recorded: calls inside a library, or through pointers, that go past the exported function; "
		"returns more than 64 calls deep in a thread, or of calls left by longjmp or the thread's end. A C++ exception "
		"cannot pass a call whose return is recorded: use ':noret'.\n"
		"\n"
		"--sample records a share of frequent events, chosen at random, and counts all of them by process and value in "
		"events 'xtr:total': 'RATE' alone is for the ioctls of NVIDIA's drivers, 'EVENT=RATE' for a tracepoint, a "
		"function or an API call that is recorded, with 'EVENT/FIELD=RATE' its totals are kept by that field. RATE is "
		"N% or 1/N. What is left out is counted as filtered.\n"
		"\n"
		"If xtr itself is killed, 'xtr recover --rings' collects what was not written by then, if a BPF file "
		"system was mounted at /sys/fs/bpf and could be written ('xtr doctor' tells).\n"
		"\n"
		"Every event is in the file or counted as lost. The exit status is the command's own if it "
		"failed, 3 if events were lost, 5 if a privilege or kernel feature is missing ('xtr doctor' "
		"tells which), 1 if the output could not be written, or was removed meanwhile.\n"
		"\n"
		"Needs root, or a program file with capabilities (setcap): CAP_BPF (to load programs) and CAP_PERFMON "
		"(to attach them). With CAP_DAC_READ_SEARCH, or a tracefs that the user may read, also tracepoints by "
		"name and those of groups; with CAP_SYSLOG names of kernel addresses; with CAP_SYS_PTRACE the names of other "
		"users' programs in stacks (--stack), and libraries that only they have loaded (api:). Where "
		"kernel.perf_event_paranoid is above 2 (Debian, Ubuntu) tracepoints by name, and functions or libraries "
		"that the kernel attaches one by one, need CAP_SYS_ADMIN, or that set to 2. What is missing is said, and the rest "
		"is recorded; if nothing is left, or what was asked for by name, the exit status is 5.\n"
		"\n"
		"All privileges are given up before the first event is handled (with --stack CAP_SYS_PTRACE and "
		"CAP_DAC_READ_SEARCH when it ends). COMMAND runs with the rights of the user who called; where the program's "
		"file has capabilities, the system's loader has removed LD_LIBRARY_PATH and its like from the environment. The "
		"output has mode 0600 and is not written through a symbolic link.\n"
		"\n"
		"-d sends the command SIGTERM at the end; "
		"when recording ends by itself (--size, no space left) the command runs on.",
	.examples =
		"xtr record -- ./my-workload\trecord while the program runs, into xtr.xtr\n"
		"xtr record -d 10s -o run.xtr\trecord the machine for ten seconds\n"
		"xtr record -e npu -- ./my-inference\twhat the Intel NPU and its driver do\n"
		"xtr record -e 'func:intel_vpu:ivpu_*:ret' -- ./my-inference\tcalls and durations in a driver\n"
		"xtr record -e npu -e api:level-zero -- ./my-inference\twith the calls that cause it\n"
		"xtr record -e default -e 'sched:sched_switch' -- ./my-workload\twith context switches\n"
		"xtr record --sample 1% -- ./my-training\tall groups, of NVIDIA's ioctls every hundredth\n"
		"xtr record -o - | ssh host 'cat >run.xtr'\tover the network",
	.options = options,
	.n_options = sizeof(options) / sizeof(*options),
	.opts_size = sizeof(struct opts),
	.words = words,
	.defaults = defaults,
	.run = run,
	.stop_at_first = true,
	.privileged = true,
};
