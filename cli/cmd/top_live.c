/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xtr top without a file: `xtr record -o -` as a process of its own writes into a pipe. So
 * recording is what it always is, with its rights and messages, and a top that is slow or killed
 * leaves nothing behind.
 */
#include "top.h"
#include "cli/ui/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TAIL_BYTES 4096u

/* The recorder, and what it and the command say while the screen is in use. */
struct recorder {
	pid_t pid;
	int out, err;           /* read ends; err -1: its messages go where ours do */
	uint64_t began, before; /* ns: since when its cost is measured, CPU time up to then */
	pthread_t reader;
	bool reading;
	char tail[TAIL_BYTES]; /* the last that was said */
	size_t n_tail;
};

/* CPU time of the process as /proc/PID/stat has it: fields 14 and 15, in clock ticks. 0: not known.
 */
static uint64_t cpu_ns(const struct recorder *r)
{
	uint64_t ns = 0;
	unsigned long long user = 0, system = 0;
	char path[64], line[1024];
	long tick = sysconf(_SC_CLK_TCK);
	const char *p = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)r->pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f))
		p = strrchr(line, ')'); /* a name may hold anything */
	if (p && tick > 0 &&
	    sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
		   &system) == 2)
		ns = (user + system) * (1000000000u / (unsigned long)tick);
	fclose(f);
	return ns;
}

/* Loading and attaching come before, and are not what recording costs. */
static void cost(void *ctx, uint64_t *cpu, uint64_t *elapsed)
{
	const struct recorder *r = ctx;
	uint64_t now = cpu_ns(r);

	*cpu = now > r->before ? now - r->before : 0;
	*elapsed = *cpu ? cli_now() - r->began : 0;
}

/* --- starting --------------------------------------------------------------------------------- */

static void child(const struct top *t, int out, int err, int argc, char **argv)
{
	size_t n = 0, all = 8 + 2 * t->o->events.n + (size_t)argc;
	char **args = calloc(all, sizeof(*args));

	if (!args || dup2(out, STDOUT_FILENO) < 0 || (err >= 0 && dup2(err, STDERR_FILENO) < 0))
		_exit(XTR_EXIT_FAILURE);
	args[n++] = "xtr";
	args[n++] = "record";
	args[n++] = "-q";
	args[n++] = "-o";
	args[n++] = "-";
	for (size_t i = 0; i < t->o->events.n; i++) {
		args[n++] = "-e";
		args[n++] = (char *)(uintptr_t)t->o->events.v[i];
	}
	if (argc)
		args[n++] = "--";
	for (int i = 0; i < argc; i++)
		args[n++] = argv[i];
	execv("/proc/self/exe", args);
	_exit(XTR_EXIT_FAILURE);
}

static int start(struct top *t, struct recorder *r, int argc, char **argv)
{
	int out[2], err[2] = { -1, -1 };

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	if (t->on_screen && pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return -errno;
	}
	fflush(NULL);
	r->pid = fork();
	if (!r->pid)
		child(t, out[1], err[1], argc, argv);
	close(out[1]);
	if (err[1] >= 0)
		close(err[1]);
	r->out = out[0];
	r->err = err[0];
	return r->pid < 0 ? -errno : 0;
}

/* --- its messages ----------------------------------------------------------------------------- */

static void keep_tail(struct recorder *r, const char *p, size_t n)
{
	size_t drop = r->n_tail + n > TAIL_BYTES ? r->n_tail + n - TAIL_BYTES : 0;

	memmove(r->tail, r->tail + drop, r->n_tail - drop);
	r->n_tail -= drop;
	memcpy(r->tail + r->n_tail, p, n);
	r->n_tail += n;
}

static void *read_messages(void *arg)
{
	struct recorder *r = arg;
	char buf[1024];
	ssize_t n;

	while ((n = read(r->err, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			keep_tail(r, buf, (size_t)n);
	return NULL;
}

static int start_reader(struct recorder *r)
{
	sigset_t all, old;
	int err;

	if (r->err < 0)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = -pthread_create(&r->reader, NULL, read_messages, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	r->reading = !err;
	return err;
}

/* --- from begin to end ------------------------------------------------------------------------ */

/* Take what it still writes, and wait; ask: it has not ended by itself. Returns its exit status. */
static int stop(struct recorder *r, bool ask)
{
	char buf[4096];
	int status = 0;
	ssize_t n;

	if (ask)
		kill(r->pid, SIGTERM); /* not reaped yet: it is this process, ended or not */
	while ((n = read(r->out, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		;
	close(r->out);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r->reading)
		pthread_join(r->reader, NULL);
	if (r->err >= 0)
		close(r->err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Has it written something? Where it cannot record, its message is all there is to see. */
static bool has_begun(const struct recorder *r)
{
	struct pollfd p = { .fd = r->out, .events = POLLIN };

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	return p.revents & POLLIN;
}

int top_live(struct top *t, int argc, char **argv)
{
	struct recorder r = { .err = -1 };
	struct top_input in = { .cost = cost, .ctx = &r };
	int err = start(t, &r, argc, argv), status = XTR_EXIT_FAILURE, recorded;
	bool begun, ended;

	if (err)
		return cli_failed("xtr record", err);
	err = start_reader(&r);
	begun = !err && has_begun(&r);
	if (begun)
		err = top_enter_screen(t);
	in.fd = r.out;
	r.began = cli_now();
	r.before = cpu_ns(&r);
	if (begun && !err)
		status = top_follow(t, &in);
	ended = !begun || !strcmp(t->facts.state ? t->facts.state : "", "ended");
	top_leave_screen(t);
	recorded = stop(&r, !ended);
	if (r.n_tail && ended)
		fwrite(r.tail, 1, r.n_tail, stderr);
	if (err)
		return cli_failed("terminal", err);
	/* That it was asked to end is no failure. */
	return ended && recorded ? recorded : status;
}
