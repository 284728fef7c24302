/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc_task.h"
#include "util.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PF_KTHREAD    0x00200000u /* include/linux/sched.h */
#define PF_WQ_WORKER  0x00000020u
#define FIELD_FLAGS   9
#define FIELD_STARTED 22 /* clock ticks since boot */

bool xtr_proc_stat(const char *path, char text[XTR_PROC_STAT_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	do
		n = read(fd, text, XTR_PROC_STAT_MAX - 1);
	while (n < 0 && errno == EINTR);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

bool xtr_proc_field(const char *text, unsigned int n, uint64_t *value)
{
	const char *at = strrchr(text, ')');
	char *end;

	for (unsigned int i = 2; at && i < n; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	*value = strtoull(at + 1, &end, 10);
	return end > at + 1;
}

/*
 * /proc adds what a worker of a workqueue does to its name, which is not in the thread's comm:
 * "kworker/u8:0-events_unbound" is "kworker/u8:0" (kernel/workqueue.c, wq_worker_comm). A rescuer
 * is named after its queue, in which '-' may be.
 */
static void cut_work(const char *name, char comm[XTR_COMM_LEN])
{
	size_t colon = strcspn(name, ":"), n = colon + strcspn(name + colon, "+-");

	if (n < XTR_COMM_LEN)
		memset(comm + n, 0, XTR_COMM_LEN - n);
}

bool xtr_proc_name(const char *text, char comm[XTR_COMM_LEN])
{
	const char *from = strchr(text, '('), *to = strrchr(text, ')');
	uint64_t flags;
	size_t n;

	if (!from || !to || to < from)
		return false;
	n = (size_t)(to - from - 1);
	memset(comm, 0, XTR_COMM_LEN);
	memcpy(comm, from + 1, n < XTR_COMM_LEN ? n : XTR_COMM_LEN - 1);
	if (xtr_proc_field(text, FIELD_FLAGS, &flags) && flags & PF_WQ_WORKER)
		cut_work(from + 1, comm);
	return true;
}

/* Process of a thread; 0: it is gone. */
static uint32_t process_of(uint32_t tid)
{
	char path[64], line[256];
	struct xtr_lines l;
	uint32_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	if (xtr_lines_open(&l, path))
		return 0;
	while (!pid && xtr_lines_next(&l, line, sizeof(line)))
		(void)sscanf(line, "Tgid: %u", &pid);
	(void)xtr_lines_close(&l);
	return pid;
}

/* Of version 2, "0::/a/b"; "/.." and what is below it are not below the reader's root. A group that
 * was removed has a word behind its path. */
bool xtr_proc_cgroup_line(const char *line, char *path, size_t n)
{
	static const char head[] = "0::", gone[] = " (deleted)";
	size_t skip = strlen(head), word = strlen(gone), len = strcspn(line, "\n");

	if (strncmp(line, head, skip) != 0 || line[skip] != '/' || line[len] != '\n')
		return false;
	line += skip;
	len -= skip;
	if (!strncmp(line, "/..", 3) && (len == 3 || line[3] == '/'))
		return false;
	if (len > word && !strncmp(line + len - word, gone, word))
		len -= word;
	if (len >= n)
		return false;
	memcpy(path, line, len);
	path[len] = 0;
	return true;
}

bool xtr_proc_cgroup(uint32_t pid, char *path, size_t n)
{
	char name[64], line[8192];
	struct xtr_lines l;
	bool found = false;

	snprintf(name, sizeof(name), "/proc/%u/cgroup", pid);
	if (xtr_lines_open(&l, name))
		return false;
	while (!found && xtr_lines_next(&l, line, sizeof(line)))
		found = xtr_proc_cgroup_line(line, path, n);
	(void)xtr_lines_close(&l);
	return found;
}

static bool start_of(struct xtr_proc_task *task, const char *text)
{
	uint64_t ticks, hz = (uint64_t)sysconf(_SC_CLK_TCK);

	if (!xtr_proc_field(text, FIELD_STARTED, &ticks))
		return false;
	task->start = ticks * (NS_PER_S / hz);
	return true;
}

bool xtr_proc_task(struct xtr_proc_task *task, uint32_t pid, uint32_t tid)
{
	char text[XTR_PROC_STAT_MAX], path[64];
	uint64_t flags;

	*task = (struct xtr_proc_task){ .pid = pid ? pid : process_of(tid) };
	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", task->pid, tid);
	if (!task->pid || !xtr_proc_stat(path, text) || !xtr_proc_name(text, task->comm) ||
	    !xtr_proc_field(text, FIELD_FLAGS, &flags))
		return false;
	task->kthread = flags & PF_KTHREAD;
	if (tid == task->pid) /* the start of a process is that of its first thread */
		return start_of(task, text);
	snprintf(path, sizeof(path), "/proc/%u/stat", task->pid);
	return xtr_proc_stat(path, text) && start_of(task, text);
}

static bool is_number(const struct dirent *d)
{
	return isdigit((unsigned char)d->d_name[0]) != 0;
}

int xtr_proc_each_thread(uint32_t pid, int (*fn)(void *ctx, uint32_t pid, uint32_t tid), void *ctx)
{
	struct dirent *d;
	char path[64];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (!err && dir && (d = readdir(dir)))
		if (is_number(d))
			err = fn(ctx, pid, (uint32_t)strtoul(d->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	return err;
}

int xtr_proc_each(int (*fn)(void *ctx, uint32_t pid, uint32_t tid), void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int err = 0;

	while (!err && dir && (d = readdir(dir)))
		if (is_number(d))
			err = xtr_proc_each_thread((uint32_t)strtoul(d->d_name, NULL, 10), fn, ctx);
	if (dir)
		closedir(dir);
	return err;
}
