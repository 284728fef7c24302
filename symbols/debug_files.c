/* SPDX-License-Identifier: BSD-2-Clause */
#include "debug_files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIGITS_MAX 128u /* of 64 bytes */

extern char **environ;

bool xtr_is_build_id(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return n && !s[n] && n % 2 == 0 && n <= DIGITS_MAX;
}

int xtr_debug_file(char *path, size_t size, const char *dir, const char *build_id)
{
	int n = snprintf(path, size, "%s/.build-id/%.2s/%s.debug", dir, build_id, build_id + 2);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* What a program printed, up to its end; more than there is room for is no path. */
static int read_line(int fd, char *path, size_t size)
{
	size_t n = 0;
	ssize_t got;

	do {
		got = read(fd, path + n, size - n);
		n += got > 0 ? (size_t)got : 0;
	} while (n < size && (got > 0 || (got < 0 && errno == EINTR)));
	if (got < 0)
		return -errno;
	if (n == size)
		return -ENAMETOOLONG;
	path[n] = '\0';
	path[strcspn(path, "\n")] = '\0';
	return *path == '/' ? 0 : -ENODATA;
}

static int spawn(pid_t *pid, int out, const char *what, const char *build_id)
{
	char *const argv[] = { (char *)"debuginfod-find", (char *)what, (char *)build_id, NULL };
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return -err;
	err = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
		      ?: posix_spawn_file_actions_adddup2(&actions, out, 1)
		      ?: posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
		      ?: posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

int xtr_debuginfod_find(char *path, size_t size, const char *what, const char *build_id)
{
	int fds[2], status = 0, err;
	pid_t pid = 0;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	err = spawn(&pid, fds[1], what, build_id);
	close(fds[1]);
	if (!err) {
		err = read_line(fds[0], path, size);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (!err && (!WIFEXITED(status) || WEXITSTATUS(status)))
			err = -ENODATA;
	}
	close(fds[0]);
	return err;
}
