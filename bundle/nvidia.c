/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What NVIDIA's own programs say, where its driver is in the trace and they are installed. Either
 * may wait for a device that hangs: each has so long, and is ended then.
 */
#include "gather.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SMI_S      30  /* seconds that it has */
#define REPORT_S   600 /* it takes a minute or two where nothing hangs */
#define OUTPUT_MAX (4ull << 20)

extern char **environ;

struct child {
	pid_t pid;
	int out;          /* what it prints */
	int64_t deadline; /* ms */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int start(struct child *c, const char *const *argv, int seconds)
{
	posix_spawn_file_actions_t a;
	posix_spawnattr_t attr;
	int fds[2], err;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	err = posix_spawn_file_actions_init(&a) ?: posix_spawnattr_init(&attr);
	if (!err) {
		/* A group of its own: what a script has started ends with it. */
		err = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP)
			      ?: posix_spawnattr_setpgroup(&attr, 0)
			      ?: posix_spawn_file_actions_addopen(&a, 0, "/dev/null", O_RDONLY, 0)
			      ?: posix_spawn_file_actions_adddup2(&a, fds[1], 1)
			      ?: posix_spawn_file_actions_adddup2(&a, fds[1], 2)
			      ?: posix_spawnp(&c->pid, argv[0], &a, &attr, (char *const *)argv,
					      environ);
		posix_spawnattr_destroy(&attr);
		posix_spawn_file_actions_destroy(&a);
	}
	close(fds[1]);
	c->out = fds[0];
	c->deadline = now_ms() + (int64_t)seconds * 1000;
	if (err)
		close(fds[0]);
	return -err;
}

/* 1: there is more; 0: its end; -ETIMEDOUT, or another -errno. */
static int read_some(struct child *c, struct xtr_buf *out)
{
	struct pollfd p = { .fd = c->out, .events = POLLIN };
	const int64_t left = c->deadline - now_ms();
	uint8_t *room;
	ssize_t n;
	int ready = left > 0 ? poll(&p, 1, (int)left) : 0;

	if (!ready)
		return -ETIMEDOUT;
	if (ready < 0)
		return errno == EINTR ? 1 : -errno;
	room = xtr_buf_room(out, 4096);
	if (!room)
		return -ENOMEM;
	n = read(c->out, room, 4096);
	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	out->n += (size_t)n;
	if (out->n > OUTPUT_MAX)
		return -EFBIG;
	return n > 0;
}

/* Run a program to its end. 0; -ENOENT: it is not installed; -ETIMEDOUT; -EIO: it failed. */
static int run(const char *const *argv, int seconds, struct xtr_buf *out)
{
	struct child c = { 0 };
	int status = 0, err = start(&c, argv, seconds);

	if (err)
		return err;
	do
		err = read_some(&c, out);
	while (err == 1);
	if (err)
		kill(-c.pid, SIGKILL);
	close(c.out);
	/* One that the kernel does not let go of, as its device hangs, is not waited for. */
	while (waitpid(c.pid, &status, err ? WNOHANG : 0) < 0 && errno == EINTR)
		;
	if (!err && (!WIFEXITED(status) || WEXITSTATUS(status)))
		return -EIO;
	return err;
}

static bool has_driver(const struct gather *g)
{
	for (size_t i = 0; i < g->m->n_drivers; i++)
		if (!strcmp(g->m->drivers[i], "nvidia"))
			return true;
	return false;
}

static int absent(struct gather *g, const char *name, const char *program, int err, int seconds)
{
	if (err == -ENOENT)
		return xtr_bundle_absent(g->b, g->s, name, program, "it is not installed");
	if (err == -ETIMEDOUT)
		return xtr_bundle_absent(g->b, g->s, name, program, "it did not end within %d s",
					 seconds);
	if (err == -EIO)
		return xtr_bundle_absent(g->b, g->s, name, program, "it failed");
	return err == -ENOMEM ? err : xtr_bundle_unread(g->b, g->s, name, program, err);
}

int gather_nvidia_smi(struct gather *g)
{
	static const char *const argv[] = { "nvidia-smi", "-q", NULL };
	struct xtr_buf out = { 0 };
	int err;

	if (!has_driver(g))
		return xtr_bundle_absent(g->b, g->s, "", "", "NVIDIA's driver is not in the trace");
	err = run(argv, SMI_S, &out);
	if (err)
		err = absent(g, "nvidia-smi.txt", "nvidia-smi -q", err, SMI_S);
	else
		err = xtr_bundle_add_text(g->b, g->s, "nvidia-smi.txt", "nvidia-smi -q", &out);
	xtr_buf_free(&out);
	return err;
}

/* --- nvidia-bug-report.sh --------------------------------------------------------------------- */

#define REPORT_NAME "nvidia-bug-report.log.gz"

static int take(struct gather *g, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct xtr_io *io = NULL;
	struct stat st;
	int err = fd < 0 ? -errno : xtr_io_read_fd(fd, &io);

	if (!err && fstat(fd, &st))
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err) {
		xtr_io_close(io);
		return absent(g, REPORT_NAME, "nvidia-bug-report.sh", err == -ENOENT ? -EIO : err,
			      REPORT_S);
	}
	return xtr_bundle_add_file(g->b, g->s, REPORT_NAME, "nvidia-bug-report.sh", io,
				   (uint64_t)st.st_size);
}

int gather_nvidia_report(struct gather *g)
{
	const char *tmp = getenv("TMPDIR");
	char folder[256], path[320];
	const char *const argv[] = { "nvidia-bug-report.sh", "--output-file", path, NULL };
	struct xtr_buf out = { 0 };
	int err;

	if (!has_driver(g))
		return xtr_bundle_absent(g->b, g->s, "", "", "NVIDIA's driver is not in the trace");
	if ((size_t)snprintf(folder, sizeof(folder), "%s/xtr-nvidia.XXXXXX",
			     tmp && *tmp ? tmp : "/tmp") >= sizeof(folder) ||
	    !mkdtemp(folder))
		return absent(g, REPORT_NAME, "nvidia-bug-report.sh", -errno, REPORT_S);
	snprintf(path, sizeof(path), "%s/" REPORT_NAME, folder);
	err = run(argv, REPORT_S, &out);
	err = err ? absent(g, REPORT_NAME, "nvidia-bug-report.sh", err, REPORT_S) : take(g, path);
	unlink(path);
	rmdir(folder);
	xtr_buf_free(&out);
	return err;
}
