/* SPDX-License-Identifier: BSD-2-Clause */
#include "ship_child.h"
#include "cli/ui/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_MS 1000000u
#define TICK_MS   1000
#define LAST_MS   2000 /* between SIGTERM and SIGKILL */

/* --- waiting ---------------------------------------------------------------------------------- */

int ship_wait_open(struct ship_wait *w, int until)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	sigset_t set;

	*w = (struct ship_wait){ .signals = -1, .until = until };
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		sigaddset(&set, wanted[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return w->signals < 0 ? -errno : 0;
}

void ship_wait_close(struct ship_wait *w)
{
	if (w->signals >= 0)
		close(w->signals);
	w->signals = -1;
}

static void take_signals(struct ship_wait *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info))
		w->stop |= info.ssi_signo != SIGCHLD && (w->until < 0 || w->ended);
}

void ship_wait_for(struct ship_wait *w, int ms)
{
	struct pollfd fds[] = {
		{ .fd = w->signals, .events = POLLIN },
		{ .fd = w->ended ? -1 : w->until, .events = POLLIN },
	};

	if (poll(fds, 2, ms) <= 0)
		return;
	if (fds[0].revents)
		take_signals(w);
	w->ended |= fds[1].revents != 0;
}

/* --- a program -------------------------------------------------------------------------------- */

/*
 * It holds the lock of the directory: a shipper that comes after one that was killed has to wait
 * until what that one began has ended. Returns -errno: it cannot be the program.
 */
static int become(const struct ship_child *c, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), err;
	sigset_t none;

	if (null < 0)
		return -errno;
	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	if (getppid() != parent)
		_exit(125);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(null, STDIN_FILENO) < 0 || fcntl(c->lock, F_SETFD, 0))
		return -errno;
	err = c->begin ? c->begin(c->ctx) : 0;
	if (err)
		return err;
	execvp(c->argv[0], c->argv);
	return -errno;
}

/* Of a process that has ended: why it could not be the program; 0: it was. */
static int why_not(int fd)
{
	ssize_t n;
	int err;

	do
		n = read(fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	return n == sizeof(err) ? err : 0;
}

/* When it is to be ended next: by SIGTERM, then by SIGKILL. */
static void end_late(struct ship_child *c, pid_t pid, uint64_t now, uint64_t *at)
{
	kill(-pid, c->late ? SIGKILL : SIGTERM);
	*at = now + (uint64_t)LAST_MS * NS_PER_MS;
	c->late = true;
}

/* The nearest of the times at which it has to be looked at. */
static int wait_ms(uint64_t at, uint64_t now)
{
	uint64_t left = at > now ? (at - now) / NS_PER_MS + 1 : 0;

	return at && left < TICK_MS ? (int)left : TICK_MS;
}

static int watch(struct ship_child *c, struct ship_wait *w, pid_t pid)
{
	uint64_t now = cli_now(), at = c->timeout ? now + c->timeout : 0, tick = now;
	bool told = false;
	int status;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -errno;
		now = cli_now();
		if (w->stop && !told) {
			told = true;
			if (!at || at > now + c->grace)
				at = now + c->grace;
		}
		if (at && now >= at)
			end_late(c, pid, now, &at);
		if (c->tick && now - tick >= (uint64_t)TICK_MS * NS_PER_MS) {
			tick = now;
			c->tick(c->ctx);
		}
		ship_wait_for(w, wait_ms(at, now));
	}
}

int ship_child_run(struct ship_child *c, struct ship_wait *w)
{
	pid_t parent = getpid(), pid;
	int status, err, told[2];

	if (pipe2(told, O_CLOEXEC))
		return -errno;
	pid = fork();
	err = pid < 0 ? -errno : 0;
	if (!pid) {
		err = become(c, parent);
		_exit(write(told[1], &err, sizeof(err)) == sizeof(err) ? 125 : 126);
	}
	close(told[1]);
	if (err) {
		close(told[0]);
		return err;
	}
	setpgid(pid, pid); /* whoever is first */
	c->late = false;
	status = watch(c, w, pid);
	if (c->late)
		kill(-pid, SIGKILL); /* what it may have left behind */
	err = why_not(told[0]);
	close(told[0]);
	return err ?: status;
}
