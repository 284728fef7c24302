/* SPDX-License-Identifier: BSD-2-Clause */
#include "record_session.h"
#include "cli/ui/cli.h"
#include "record_flight.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_EVERY_MS 500
#define LOOK_EVERY_MS   2000 /* without a status line: has it ended unnoticed? */
#define GRACE_MS        2000 /* after a signal, for the command to end */

static void status_line(struct record_session *s)
{
	struct xtr_record_status st;
	uint64_t now = cli_now(), rate = 0;

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

static void end(struct record_session *s, const char *reason)
{
	if (!s->reason)
		s->reason = reason;
}

/* A signal for us is the command's too, unless the terminal has sent it to both. */
static void on_signal(struct record_session *s, const struct signalfd_siginfo *info)
{
	pid_t child = xtr_recorder_child(s->r);
	int sig = (int)info->ssi_signo;

	if (sig == SIGUSR1) {
		xtr_recorder_trigger(s->r);
		return;
	}
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
	s->deadline = cli_now() + GRACE_MS * 1000000ull;
}

static int wait_ms(const struct record_session *s)
{
	uint64_t now = cli_now(), left;
	int ms = s->tty ? STATUS_EVERY_MS : LOOK_EVERY_MS;

	if (!s->deadline)
		return ms;
	left = s->deadline > now ? (s->deadline - now + 999999) / 1000000 : 0;
	return left < (uint64_t)ms ? (int)left : ms;
}

/* The status line is in the way of whole lines. */
void record_session_tell_files(struct record_session *s)
{
	if (s->tty)
		fputs("\r\033[K", stderr);
	record_flight_tell(s->r, &s->hang, s->quiet);
}

/* The next signal. False: there is none, or it cannot be read (*error, an errno). */
static bool next_signal(const struct record_session *s, struct signalfd_siginfo *info, int *error)
{
	ssize_t n = read(s->signals, info, sizeof(*info));

	*error = n < 0 && errno != EINTR && errno != EAGAIN ? errno : 0;
	return n == sizeof(*info);
}

/* Without signals nobody could end the recording: it ends itself. */
static void take_signal(struct record_session *s)
{
	struct signalfd_siginfo info;
	int error;

	if (next_signal(s, &info, &error)) {
		on_signal(s, &info);
	} else if (error) {
		cli_error("signals cannot be read: %s; the recording ends", strerror(error));
		end(s, "signals cannot be read");
		s->failed = true;
	}
}

static bool has_stopped(const struct record_session *s)
{
	struct xtr_record_status st;

	xtr_recorder_status(s->r, &st);
	return st.stopped;
}

/* Whoever is to be armed must know that it is not: a service begins again. */
static void listen_to_hangs(struct record_session *s)
{
	record_hang_listen(&s->hang, s->r);
	if (!s->hang.gone)
		return;
	end(s, "hangs are not taken any more");
	s->failed = true;
}

/* poll() fails only where a descriptor or memory is missing: what is there is looked at then. */
#define FDS 4

static void look(struct record_session *s, struct pollfd fds[FDS])
{
	int n = poll(fds, FDS, wait_ms(s));

	for (int i = 0; n < 0 && i < FDS; i++)
		fds[i].revents = 0;
	if (fds[0].revents & POLLIN)
		take_signal(s);
	if (fds[1].revents & POLLIN || (n <= 0 && has_stopped(s)))
		end(s, "stopped");
	if (fds[2].revents & POLLIN)
		record_session_tell_files(s);
	if (fds[3].revents)
		listen_to_hangs(s);
	fds[3].fd = s->hang.fd;
	if (s->deadline && cli_now() >= s->deadline)
		end(s, s->ending ? "signal" : "duration");
	if (s->tty)
		status_line(s);
}

void record_session_wait(struct record_session *s, uint64_t duration)
{
	struct pollfd fds[] = {
		{ .fd = s->signals, .events = POLLIN },
		{ .fd = xtr_recorder_fd(s->r), .events = POLLIN },
		{ .fd = xtr_recorder_flown_fd(s->r), .events = POLLIN },
		{ .fd = s->hang.fd, .events = POLLIN },
	};

	s->tty = !s->quiet && isatty(STDERR_FILENO);
	s->deadline = duration ? cli_now() + duration : 0;
	while (!s->reason)
		look(s, fds);
}

void record_session_wait_for_command(struct record_session *s)
{
	pid_t child = xtr_recorder_child(s->r);
	struct signalfd_siginfo info;
	int error = 0;

	if (!child || s->child_ended)
		return;
	if (strcmp(s->reason, "stopped"))
		kill(child, SIGTERM);
	while (!s->child_ended && !error) {
		if (!next_signal(s, &info, &error))
			continue;
		if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGUSR1)
			kill(child, (int)info.ssi_signo);
		else if (waitpid(child, &s->child_status, WNOHANG) == child)
			s->child_ended = true;
	}
	if (!s->child_ended)
		s->child_ended = waitpid(child, &s->child_status, 0) == child;
}

int record_session_signals(struct record_session *s, bool flight)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		sigaddset(&set, wanted[i]);
	if (flight)
		sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC);
	return s->signals < 0 ? -errno : 0;
}

void record_session_end(struct record_session *s)
{
	if (s->signals >= 0)
		close(s->signals);
	s->signals = -1;
}
