/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two processes with one number: `again N M` makes a child, "alpha", which makes the system call
 * sched_rr_get_interval N times and ends, and then a child with the same number, "beta", which
 * makes it M times. Prints the number; status 3 if numbers cannot be chosen (clone3 with set_tid,
 * Linux 5.5, and CAP_SYS_ADMIN in the pid namespace).
 */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CANNOT 3

/* pid 0: any. */
static pid_t child(pid_t pid, const char *name, int n)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	struct timespec ts;
	pid_t made;

	if (pid) {
		args.set_tid = (uint64_t)(uintptr_t)&pid;
		args.set_tid_size = 1;
	}
	made = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (made)
		return made;
	if (prctl(PR_SET_NAME, name))
		_exit(1);
	for (int i = 0; i < n; i++)
		sched_rr_get_interval(0, &ts);
	_exit(0);
}

static int ended(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) != pid || status;
}

int main(int argc, char **argv)
{
	pid_t pid;

	do { /* until nobody else got the number in between */
		pid = argc == 3 ? child(0, "alpha", atoi(argv[1])) : -1;
		if (pid < 0 || ended(pid))
			return 1;
	} while (child(pid, "beta", atoi(argv[2])) < 0 && errno == EEXIST);
	if (ended(pid))
		return errno == ECHILD ? CANNOT : 1;
	printf("%d\n", (int)pid);
	return 0;
}
