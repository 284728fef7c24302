/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where data goes: standard output, through a pager if that is a terminal. The pager takes the
 * place of file descriptor 1, so that everything that prints to stdout goes through it.
 */
#include "cli.h"
#include "options.h"
#include "pager.h"
#include "out.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *cli_color_mode = "auto";

static pid_t pager; /* 0: none was started */
static bool decided, to_tty;
static struct stream standard;
static FILE *original; /* stdout as the C library made it */

#define NO_PAGER "the pager cannot be run: set PAGER, or use --no-pager"

/* The pager was left: nobody reads on. Wait for it to restore the terminal, then end quietly. */
static void pager_left(int sig)
{
	static const char line[] = "xtr: " NO_PAGER "\n";
	int status = 0;

	(void)sig;
	close(STDOUT_FILENO);
	waitpid(pager, &status, 0);
	if (!pager_failed(status))
		_exit(XTR_EXIT_OK);
	/* Where it cannot be said, the status says it alone. */
	(void)!write(STDERR_FILENO, line, sizeof(line) - 1);
	_exit(XTR_EXIT_FAILURE);
}

static void run_pager(const char *command, const int fds[2])
{
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	setenv("LESS", "FRSX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void start_pager(void)
{
	const char *command = pager_command();
	int fds[2];

	if (!command || pipe(fds))
		return;
	fflush(NULL);
	pager = fork();
	if (pager == 0)
		run_pager(command, fds);
	close(fds[0]);
	if (pager > 0) {
		dup2(fds[1], STDOUT_FILENO);
		signal(SIGPIPE, pager_left);
		signal(SIGINT, SIG_IGN); /* is the pager's to handle */
	}
	close(fds[1]);
	if (pager < 0)
		pager = 0;
}

static void decide(void)
{
	if (decided)
		return;
	decided = true;
	to_tty = isatty(STDOUT_FILENO);
}

int cli_out_init(void)
{
	static char buffer[1 << 16];
	FILE *f = stream_open(&standard, STDOUT_FILENO);

	if (!f)
		return -1;
	decide();
	setvbuf(f, buffer, to_tty ? _IOLBF : _IOFBF, sizeof(buffer));
	original = stdout;
	stdout = f;
	return 0;
}

FILE *cli_out(void)
{
	const char *term = getenv("TERM");

	decide();
	if (to_tty && !pager && !cli_globals.no_pager && term && strcmp(term, "dumb"))
		start_pager();
	return stdout;
}

bool cli_color(FILE *f)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (!strcmp(cli_color_mode, "always"))
		return true;
	if (!strcmp(cli_color_mode, "never") || (no_color && *no_color))
		return false;
	if (!term || !strcmp(term, "dumb"))
		return false;
	decide();
	return f == stdout ? to_tty : isatty(fileno(f));
}

static int finish_pager(int status)
{
	int ended = 0;

	close(STDOUT_FILENO);
	while (waitpid(pager, &ended, 0) < 0 && errno == EINTR)
		;
	pager = 0;
	if (!pager_failed(ended))
		return status;
	cli_error(NO_PAGER);
	return XTR_EXIT_FAILURE;
}

int cli_finish(int status)
{
	static bool finished; /* by the command itself; main asks again */
	int err = 0;

	cli_progress_done();
	if (finished)
		return status;
	finished = true;
	err = stream_error(&standard, stdout);
	fclose(stdout);
	stdout = original;
	if (pager)
		return finish_pager(status);
	if (close(STDOUT_FILENO) && errno != EINTR && !err)
		err = errno;
	if (err) {
		cli_error("cannot write to standard output: %s", cli_strerror(err));
		return XTR_EXIT_FAILURE;
	}
	return status;
}

/* --- stream ----------------------------------------------------------------------------------- */

/* 0: try again. */
static int wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, -1) < 0 && errno != EINTR ? errno : 0;
}

static ssize_t write_all(void *cookie, const char *p, size_t n)
{
	struct stream *s = cookie;
	size_t done = 0;

	while (done < n && !s->err) {
		ssize_t r = write(s->fd, p + done, n - done);

		if (r > 0)
			done += (size_t)r;
		else if (!r)
			s->err = EIO;
		else if (errno == EAGAIN)
			s->err = wait_writable(s->fd);
		else if (errno != EINTR)
			s->err = errno;
	}
	errno = s->err;
	return s->err ? 0 : (ssize_t)n; /* fopencookie(3): 0 is an error */
}

FILE *stream_open(struct stream *s, int fd)
{
	*s = (struct stream){ .fd = fd };
	return fopencookie(s, "w", (cookie_io_functions_t){ .write = write_all });
}

int stream_error(const struct stream *s, FILE *f)
{
	if (!fflush(f) && !ferror(f))
		return 0;
	return s->err ? s->err : EIO;
}
