/* SPDX-License-Identifier: BSD-2-Clause */
#include "record_bundle.h"
#include "cli/ui/outfile.h"

#include "recorder/host/caps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of root: files of other users, and the log. */
#define KEPT (1ull << CAP_DAC_OVERRIDE | 1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_SYSLOG)

/* Ctrl-C is the recorder's: it comes to all processes of a terminal. */
static void on_signals(void (*action)(int))
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		signal(all[i], action);
}

static bool told_to_go(int fd)
{
	char c;
	ssize_t n;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static int wait_and_make(int fd, const struct bundle_opts *o, const char *trace)
{
	const bool given = getauxval(AT_SECURE) && getuid();
	const uint64_t chown = cli_owner(&(uid_t){ 0 }, &(gid_t){ 0 }) ? 1ull << CAP_CHOWN : 0;
	int err = xtr_caps_keep(given ? 0 : KEPT | chown);

	if (!told_to_go(fd))
		return XTR_EXIT_OK;
	if (err)
		return cli_failed(o->output, err);
	on_signals(SIG_DFL);
	return bundle_make(o, trace);
}

/* What would be said only after the recording is said before it. */
static int check(const struct bundle_opts *o)
{
	struct stat st;
	int err = xtr_bundle_can_write();

	if (err == -ENOMEM)
		return cli_failed(o->output, ENOMEM);
	if (err) {
		cli_error("--bundle: this xtr was built without libarchive");
		return XTR_EXIT_FAILURE;
	}
	if (!lstat(o->output, &st) && !o->force) {
		cli_error("'%s' exists", o->output);
		cli_hint("use --force to replace it, or another name");
		return XTR_EXIT_FAILURE;
	}
	return XTR_EXIT_OK;
}

int record_bundle_start(struct record_bundle *b, const struct bundle_opts *o, const char *trace,
			bool quiet)
{
	int status = check(o), fds[2];

	if (status != XTR_EXIT_OK)
		return status;
	if (pipe2(fds, O_CLOEXEC))
		return cli_failed(o->output, errno);
	fflush(NULL);
	b->child = fork();
	if (b->child < 0) {
		b->child = 0;
		close(fds[0]);
		close(fds[1]);
		return cli_failed(o->output, errno);
	}
	if (!b->child) {
		on_signals(SIG_IGN);
		close(fds[1]);
		cli_quiet = quiet;
		_exit(cli_finish(wait_and_make(fds[0], o, trace)));
	}
	close(fds[0]);
	b->go = fds[1];
	return XTR_EXIT_OK;
}

int record_bundle_end(struct record_bundle *b, bool made)
{
	int status = 0;

	if (!b->child)
		return XTR_EXIT_OK;
	if (made && write(b->go, "", 1) != 1)
		cli_error("the bundle is not made: the process for it has ended");
	close(b->go);
	while (waitpid(b->child, &status, 0) < 0 && errno == EINTR)
		;
	b->child = 0;
	if (WIFSIGNALED(status))
		cli_error("the bundle is not made: its process was ended by signal %d (%s)",
			  WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WIFEXITED(status) ? WEXITSTATUS(status) : XTR_EXIT_FAILURE;
}
