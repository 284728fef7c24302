/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of xtr in a child process, and what it leaves. */
#include "server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LIMIT_S = 60, /* of one run */
	FDS = 64,
};

int __real_main(int argc, char **argv);
void __gcov_dump(void) __attribute__((weak)); /* only where coverage is counted */

struct shared *inject;
const void *inject_outermost;

static int out_fd, err_fd;

static uint64_t open_fds(void)
{
	uint64_t set = 0;

	for (int fd = 0; fd < FDS; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			set |= (uint64_t)1 << fd;
	return set;
}

/* Threads of this process. */
static int n_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2;
}

/*
 * The threads that run on. One that was joined is listed until the kernel has done with it, which
 * is later than its join: a listed one counts if it is still there after a while.
 */
static int threads_left(void)
{
	int n = n_threads();

	for (int i = 0; n > 1 && i < 10000; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		n = n_threads();
	}
	return n;
}

static int open_input(const struct scenario *s)
{
	static char buf[1 << 16];
	int fd = open(s->input ? s->input : "/dev/null", O_RDONLY | O_CLOEXEC), ends[2];
	ssize_t n;

	if (!s->piped)
		return fd;
	n = read(fd, buf, sizeof(buf));
	if (n < 0 || n == sizeof(buf) || pipe(ends) || write(ends[1], buf, (size_t)n) != n)
		_exit(99);
	close(fd);
	close(ends[1]);
	return ends[0];
}

__attribute__((noreturn)) static void child(const struct scenario *s, const sigset_t *mask)
{
	int in = open_input(s), status, left;
	uint64_t before, more;

	inject_outermost = __builtin_return_address(0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	dup2(in, STDIN_FILENO);
	if (in > STDERR_FILENO)
		close(in);
	dup2(out_fd, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	if (inject_trap_calls())
		_exit(98);
	before = open_fds();
	inject_live = 0;
	inject->only = s->alone && !inject_every ? getpid() : 0;
	inject->armed = true;
	status = __real_main(s->argc, s->argv);
	inject->armed = false;
	inject->live = inject_live;
	more = open_fds() & ~before;
	left = more ? __builtin_ctzll(more) : -1;
	inject->threads = threads_left();
	inject->child = waitpid(-1, NULL, WNOHANG) >= 0;
	inject->leaked_fd = left;
	inject->ended = true;
	if (__gcov_dump)
		__gcov_dump();
	_exit(status);
}

static int wait_for(pid_t pid)
{
	const struct timespec limit = { .tv_sec = LIMIT_S };
	sigset_t set;
	int status;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return status;
		if (sigtimedwait(&set, NULL, &limit) < 0 && errno == EAGAIN)
			break;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

static void read_back(struct outcome *o)
{
	static char buf[1 << 16];
	off_t at = 0;
	ssize_t n;

	o->out = 0xcbf29ce484222325u;
	while ((n = pread(out_fd, buf, sizeof(buf), at)) > 0) {
		o->out = inject_hash(o->out, buf, (size_t)n);
		at += n;
	}
	n = pread(err_fd, o->err, sizeof(o->err) - 1, 0);
	o->err[n > 0 ? n : 0] = '\0';
	inject_look_at_dir(&o->dir);
}

void inject_run(const struct scenario *s, const struct plan *plan, bool look, bool keep,
		struct outcome *o)
{
	sigset_t set, mask;
	pid_t pid;

	memset(inject, 0, offsetof(struct shared, alloc_place));
	inject->plan = *plan;
	inject->look = look;
	inject->own = s->recording && !inject_every;
	if (ftruncate(out_fd, 0) || ftruncate(err_fd, 0))
		exit(3);
	lseek(out_fd, 0, SEEK_SET);
	lseek(err_fd, 0, SEEK_SET);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &mask);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		child(s, &mask);
	o->status = pid < 0 ? -1 : wait_for(pid);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	read_back(o);
	if (!keep)
		inject_clean(s, &o->dir);
}

int inject_run_plain(int argc, char **argv)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		_exit(__real_main(argc, argv));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

#define BPFFS "/sys/fs/bpf"

int inject_own_bpffs(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("bpf", BPFFS, "bpf", 0, NULL))
		return -errno;
	return 0;
}

bool inject_bpffs_left(void)
{
	if (access(BPFFS "/xtr", F_OK))
		return false;
	umount2(BPFFS, MNT_DETACH);
	if (mount("bpf", BPFFS, "bpf", 0, NULL))
		exit(3);
	return true;
}

int inject_prepare(void)
{
	static char in[BUFSIZ], out[BUFSIZ];

	inject = mmap(NULL, sizeof(*inject), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	out_fd = memfd_create("stdout", MFD_CLOEXEC);
	err_fd = memfd_create("stderr", MFD_CLOEXEC);
	if (inject == MAP_FAILED || out_fd < 0 || err_fd < 0)
		return -errno;
	/* stdio would keep buffers of its own. */
	setvbuf(stdin, in, _IOFBF, sizeof(in));
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	return 0;
}
