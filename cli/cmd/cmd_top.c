/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr top: what devices, rings and processes do, slice by slice. */
#include "cli/ui/cli.h"
#include "top.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cli_option options[] = {
	{ 0, "interval", "TIME", CLI_TIME, offsetof(struct top_opts, interval),
	  "length of a slice, and time between two refreshes (1s)" },
	{ 'n', "count", "N", CLI_U64, offsetof(struct top_opts, count), "end after N slices" },
	{ 'b', "batch", NULL, CLI_FLAG, offsetof(struct top_opts, batch),
	  "print each slice as text, the default if standard output is not a terminal" },
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct top_opts, json),
	  "a line of JSON for each slice (docs/top.md)" },
	{ 0, "sort", "KEY", CLI_STRING, offsetof(struct top_opts, sort),
	  "busy (default), jobs, queued, running, exec, wait or name" },
	{ 'e', "event", "EVENT", CLI_LIST, offsetof(struct top_opts, events),
	  "without a FILE: record EVENT (system:event, a glob or a group) instead of the default set" },
	{ 0, "follow", NULL, CLI_FLAG, offsetof(struct top_opts, follow),
	  "follow FILE even if nobody is seen to write it" },
	PACE_OPTION(struct top_opts, pace),
	REPLAY_OPTIONS(struct top_opts, replay),
};

static void defaults(void *opts)
{
	((struct top_opts *)opts)->interval = 1000000000u;
}

static const char *words(const char *option, size_t i)
{
	if (!strcmp(option, "sort"))
		return i < XTR_SLICE_SORT_COUNT ? xtr_slice_sorts[i].name : NULL;
	return NULL;
}

/* --- showing ---------------------------------------------------------------------------------- */

static int show_text(struct top *t, const struct xtr_slice *s)
{
	FILE *f = replay_out(&t->cmd);
	int err;

	if (t->shown)
		fputc('\n', f);
	err = xtr_slice_text(f, s, &t->facts, &t->look);
	return err < 0 ? err : 0;
}

static int show_json(struct top *t, const struct xtr_slice *s)
{
	xtr_slice_json(&t->json, s, &t->facts);
	xtr_json_newline(&t->json);
	return 0;
}

/* ms until a time, rounded up; 0: it is over. */
static int ms_until(const struct timespec *at)
{
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (int64_t)(at->tv_sec - now.tv_sec) * 1000000000 + (at->tv_nsec - now.tv_nsec);
	if (ns <= 0)
		return 0;
	return ns / 1000000 < INT32_MAX ? (int)((ns + 999999) / 1000000) : INT32_MAX;
}

static int keep_pace(struct top *t, uint64_t ts)
{
	struct timespec at;
	int err = 0, ms;

	if (t->pace.factor <= 0 || !pace_turn(&t->pace, ts ? ts : 1, &at))
		return 0;
	if (!t->screen)
		pace_sleep(&at);
	while (t->screen && !err && (ms = ms_until(&at)) > 0)
		err = top_screen_wait(t->screen, -1, ms, NULL);
	return err;
}

/* While it is paused, or for ever, with what keys ask for. Time that goes by is not played. */
static int hold(struct top *t, const struct xtr_slice *s, bool for_ever)
{
	struct timespec from, to;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &from);
	while (!err && (for_ever || top_screen_paused(t->screen))) {
		err = top_screen_wait(t->screen, -1, -1, NULL);
		if (!err && top_screen_stale(t->screen))
			err = top_screen_show(t->screen, s, &t->facts, false);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	t->pace.began.tv_sec += to.tv_sec - from.tv_sec;
	t->pace.began.tv_nsec += to.tv_nsec - from.tv_nsec;
	if (t->pace.began.tv_nsec < 0) {
		t->pace.began.tv_nsec += 1000000000;
		t->pace.began.tv_sec--;
	}
	return err;
}

static int show_screen(struct top *t, const struct xtr_slice *s)
{
	bool end = s->last && t->final, more = !end && t->pace.factor <= 0;
	int err = 0;

	if (!t->live || !top_screen_paused(t->screen))
		err = top_screen_show(t->screen, s, &t->facts, more);
	if (!err && !t->live)
		err = top_screen_wait(t->screen, -1, 0, NULL);
	return err || t->live ? err : hold(t, s, end);
}

int top_show(void *ctx, const struct xtr_slice *s)
{
	struct top *t = ctx;
	int err = (s->number ? 0 : keep_pace(t, s->begin)) ?: keep_pace(t, s->end);

	if (err)
		return err;
	if (t->screen)
		err = show_screen(t, s);
	else
		err = t->o->json ? show_json(t, s) : show_text(t, s);
	t->shown++;
	if (err)
		return err;
	if (!t->screen && (fflush(t->cmd.out) || ferror(t->cmd.out)))
		return -EIO;
	return t->o->count && t->shown >= t->o->count ? TOP_STOP : 0;
}

int top_enter_screen(struct top *t)
{
	return t->on_screen && !t->screen ? top_screen_open(&t->screen, &t->look) : 0;
}

void top_leave_screen(struct top *t)
{
	if (!t->screen)
		return;
	t->signal = top_screen_signal(t->screen);
	top_screen_close(t->screen);
	t->screen = NULL;
}

/* --- the command ------------------------------------------------------------------------------ */

static int check_options(struct top *t)
{
	const char *sort = t->o->sort ? t->o->sort : xtr_slice_sorts[0].name;
	unsigned int i;

	for (i = 0; i < XTR_SLICE_SORT_COUNT; i++)
		if (!strcmp(sort, xtr_slice_sorts[i].name))
			break;
	if (i == XTR_SLICE_SORT_COUNT)
		return cli_usage_error(&cmd_top, "--sort: no order '%s'", sort);
	t->look.sort = (enum xtr_slice_sort)i;
	if (t->o->interval < XTR_SLICE_MIN_NS || t->o->interval > INT64_MAX)
		return cli_usage_error(&cmd_top, "--interval: at least 10 ms");
	return XTR_EXIT_OK;
}

static bool wants_screen(const struct top_opts *o)
{
	const char *term = getenv("TERM");

	return !o->batch && !o->json && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

/* A file that is finished. */
static int run_file(struct top *t, int argc, char **argv)
{
	int status = replay_begin(&t->cmd, &cmd_top, &t->o->replay, argc, argv), ret;

	if (status != XTR_EXIT_OK)
		return status;
	if (replay_without_times(&t->cmd)) {
		cli_error("'%s': top needs times, and the trace has none", t->cmd.path);
		replay_end(&t->cmd, 0);
		return XTR_EXIT_FAILURE;
	}
	ret = top_enter_screen(t) ?: top_file(t);
	top_leave_screen(t);
	/* A write error is cli_finish's to report. */
	return replay_end(&t->cmd, ret == TOP_STOP || ferror(t->cmd.out) ? 0 : ret);
}

static int run_follow(struct top *t, const char *path, int fd)
{
	const struct top_input in = { .path = path, .fd = fd, .grows = fd != STDIN_FILENO };
	int status = replay_filters(&t->cmd, &cmd_top, &t->o->replay), ret;

	if (status == XTR_EXIT_OK && (ret = top_enter_screen(t)))
		status = cli_failed("terminal", ret);
	if (status == XTR_EXIT_OK)
		status = top_follow(t, &in);
	t->cmd.status = status;
	return replay_end(&t->cmd, 0);
}

static bool of_a_whole_file(const struct top_opts *o)
{
	return o->pace > 0 || o->replay.window.from || o->replay.window.to;
}

static int check_follow(const struct top *t)
{
	if (of_a_whole_file(t->o))
		return cli_usage_error(&cmd_top, "--pace, --from and --to need a recording that "
						 "has ended");
	return XTR_EXIT_OK;
}

/* Open a file that is to be followed; -1: it is not, or cannot be opened. */
static int open_written(const struct top *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || S_ISDIR(st.st_mode) ||
	    (S_ISREG(st.st_mode) && !t->o->follow && !top_is_written(fd))) {
		close(fd);
		return -1;
	}
	if (!S_ISREG(st.st_mode)) /* reading a pipe waits for its writer */
		fcntl(fd, F_SETFL, 0);
	return fd;
}

/* One file: one that somebody writes is followed, whatever else is read. */
static int run_path(struct top *t, int argc, char **argv)
{
	bool standard = !strcmp(argv[0], "-");
	int fd = STDIN_FILENO, status;

	if (t->o->events.n)
		return cli_usage_error(&cmd_top, "-e is for recording: not with a FILE");
	if (standard && (isatty(STDIN_FILENO) || of_a_whole_file(t->o)) && !t->o->follow)
		return run_file(t, argc, argv);
	if (!standard)
		fd = open_written(t, argv[0]);
	if (fd < 0)
		return run_file(t, argc, argv);
	status = check_follow(t) ?: run_follow(t, argv[0], fd);
	if (!standard)
		close(fd);
	return status;
}

/* Die of the signal that asked to end, so that who waits for this process knows. */
static int end(const struct top *t, int status)
{
	if (!t->signal)
		return status;
	cli_finish(status);
	signal(t->signal, SIG_DFL);
	raise(t->signal);
	return 128 + t->signal;
}

static int run(const void *opts, int argc, char **argv)
{
	struct top t = { .o = opts, .cmd.part = true };
	bool command = argc && !strcmp(argv[-1], "--");
	int status = check_options(&t);

	if (status == XTR_EXIT_OK && !command && argc > 1)
		status = cli_usage_error(&cmd_top, "one FILE, not %d", argc);
	if (status != XTR_EXIT_OK)
		return status;
	/* No pager: it waits for the end. */
	t.cmd.out = stdout;
	xtr_json_init(&t.json, stdout, false);
	t.look.color = cli_color(stdout);
	t.on_screen = wants_screen(t.o);
	if (argc && !command)
		return end(&t, run_path(&t, argc, argv));
	status = check_follow(&t) ?: replay_filters(&t.cmd, &cmd_top, &t.o->replay);
	if (status != XTR_EXIT_OK)
		return status;
	t.cmd.status = top_live(&t, argc, argv);
	return end(&t, replay_end(&t.cmd, 0));
}

const struct cli_command cmd_top = {
	.name = "top",
	.summary = "what devices, rings and processes do: live, or of a trace",
	.args = "[FILE | -- COMMAND [ARG]...]",
	.examples = "xtr top -- ./my-workload\trecord a command, and watch\n"
		    "xtr top --pace 1x run.xtr\tplay a trace at its original speed",
	CLI_OPTIONS(options, struct top_opts),
	.words = words,
	.defaults = defaults,
	.run = run,
};
