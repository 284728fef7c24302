/* SPDX-License-Identifier: BSD-2-Clause */
#include "record_ship.h"
#include "cli/ui/cli.h"
#include "ship.h"

#include "recorder/host/caps.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* "dir/run.xtr" to "dir" and "run". */
static void split(const char *output, char dir[PATH_MAX], char base[NAME_MAX + 1])
{
	const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
	size_t n = strlen(name);
	int in = !slash ? 0 : slash == output ? 1 : (int)(slash - output);

	if (n > 4 && !strcmp(name + n - 4, ".xtr"))
		n -= 4;
	snprintf(dir, PATH_MAX, "%.*s", slash ? in : 1, slash ? output : ".");
	snprintf(base, NAME_MAX + 1, "%.*s", (int)n, name);
}

/* Root acts as the owner: what a directory of somebody else's leads to is that one's. */
static int become_owner(const char *dir)
{
	const struct passwd *user;
	struct stat st;

	if (getauxval(AT_SECURE) && getuid())
		return xtr_caps_forget();
	if (geteuid() || stat(dir, &st) || !st.st_uid)
		return 0;
	user = getpwuid(st.st_uid);
	if (user ? initgroups(user->pw_name, st.st_gid) : setgroups(0, NULL))
		return -errno;
	return setgid(user ? user->pw_gid : st.st_gid) || setuid(st.st_uid) ? -errno : 0;
}

static int run(const char *output, const char *command, bool quiet, int until, int ready)
{
	char dir[PATH_MAX], base[NAME_MAX + 1];
	char *const argv[] = { "sh", "-c", (char *)command, "sh", NULL };
	struct ship_opts o = {
		.dir = dir,
		.base = base,
		.command = argv,
		.follow = true,
		.quiet = quiet,
		.until = until,
		.ready = ready,
	};
	int err;

	ship_defaults(&o);
	split(output, dir, base);
	err = become_owner(dir);
	return err ? cli_failed(dir, err) : ship_run(&o);
}

/* It says that it can work in the directory; else it has said why not. */
static bool is_ready(int fd)
{
	char c;
	ssize_t n;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

int record_ship_start(struct record_ship *s, const char *output, const char *command, bool quiet)
{
	int go[2], ready[2];
	bool good;

	if (pipe2(go, O_CLOEXEC))
		return cli_failed("--on-piece", errno);
	if (pipe2(ready, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return cli_failed("--on-piece", errno);
	}
	fflush(NULL);
	s->child = fork();
	if (!s->child) {
		close(go[1]);
		close(ready[0]);
		_exit(cli_finish(run(output, command, quiet, go[0], ready[1])));
	}
	close(go[0]);
	close(ready[1]);
	s->go = go[1];
	good = s->child > 0 && is_ready(ready[0]);
	close(ready[0]);
	if (good)
		return XTR_EXIT_OK;
	if (s->child < 0) {
		s->child = 0;
		close(s->go);
		return cli_failed("--on-piece", EAGAIN);
	}
	record_ship_end(s);
	return XTR_EXIT_FAILURE;
}

void record_ship_go(const struct record_ship *s)
{
	if (s->child && write(s->go, "", 1) != 1)
		cli_warn("pieces are not shipped: the process for it has ended");
}

int record_ship_end(struct record_ship *s)
{
	int status = 0;

	if (!s->child)
		return XTR_EXIT_OK;
	close(s->go);
	while (waitpid(s->child, &status, 0) < 0 && errno == EINTR)
		;
	s->child = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : XTR_EXIT_FAILURE;
}
