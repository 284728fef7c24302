/* SPDX-License-Identifier: BSD-2-Clause */
#include "spawn.h"
#include "caps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's side: signals as a new program expects them, wait for the byte, run. */
static void child(int go, int failed, char *const *argv, bool aside)
{
	sigset_t none;
	char byte;
	ssize_t n;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (getauxval(AT_SECURE) && getuid() && xtr_caps_forget())
		_exit(125);
	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (!n)
		_exit(125); /* nobody is there any more */
	if (n == 1 && (!aside || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0))
		execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(125);
	_exit(err == ENOENT ? 127 : 126);
}

int xtr_child_start(struct xtr_child *c, char *const *argv, bool aside)
{
	int go[2], failed[2];

	*c = (struct xtr_child){ .go = -1, .failed = -1 };
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return -errno;
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		close(failed[0]);
		child(go[0], failed[1], argv, aside);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	if (c->pid < 0) {
		int err = -errno;

		c->pid = 0;
		xtr_child_close(c);
		return err;
	}
	return 0;
}

int xtr_child_go(struct xtr_child *c)
{
	int err = 0;
	ssize_t n;

	if (!c->pid)
		return 0;
	if (write(c->go, "g", 1) != 1)
		return -errno;
	do
		n = read(c->failed, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	if (!n) { /* end of file: the exec has closed it */
		close(c->go);
		c->go = -1;
		xtr_child_close(c);
		return 0;
	}
	if (n < 0) {
		err = errno;
		kill(c->pid, SIGKILL); /* whether it runs is not known */
	}
	xtr_child_close(c);
	return err ? -err : -EIO;
}

void xtr_child_close(struct xtr_child *c)
{
	if (c->go >= 0) {
		close(c->go);
		if (c->pid)
			waitpid(c->pid, NULL, 0);
		c->pid = 0;
	}
	if (c->failed >= 0)
		close(c->failed);
	c->go = c->failed = -1;
}
