/* SPDX-License-Identifier: BSD-2-Clause */
#include "kprobe_events.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT_MAX (16u << 20) /* bytes of kprobe_events */
/* Calls of one function under way at the same time whose return is seen (Documentation/trace/
 * kprobetrace.rst); more are counted as missed. */
#define MAXACTIVE 128
#define TRIES     20 /* to remove a probe that its perf event still holds */

struct xtr_kprobe_events {
	int events, profile; /* descriptors */
	long pid;
	uint32_t n; /* probes added: their names are p<pid>_<0 ... n-1>_<number> */
	uint32_t *number;
};

static int open_file(const char *name, int flags)
{
	int err, fd;
	const char *dir = xtr_tracefs_dir(&err);
	char path[160];

	if (!dir)
		return err;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int put(int fd, const char *line)
{
	size_t n = strlen(line);

	return write(fd, line, n) == (ssize_t)n ? 0 : -errno;
}

static int remove_probe(int fd, const char *name)
{
	char line[200];
	int err;

	snprintf(line, sizeof(line), "-:%.180s\n", name);
	err = put(fd, line);
	for (int i = 0; err == -EBUSY && i < TRIES; i++) {
		usleep(10000);
		err = put(fd, line);
	}
	return err;
}

bool xtr_kprobe_event_stale(const char *line, bool (*alive)(long pid), char *name, unsigned int n)
{
	const char *at = strstr(line, ":xtr_");
	char *end;
	long pid;

	if (!at || (line[0] != 'p' && line[0] != 'r') || at > line + 8)
		return false;
	pid = strtol(at + 5, &end, 10);
	if (pid <= 0 || *end != '/' || strcspn(end, " \n") < 2 || alive(pid))
		return false;
	snprintf(name, n, "%.*s", (int)strcspn(at + 1, " \n"), at + 1);
	return true;
}

static bool is_alive(long pid)
{
	return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

/* A recorder that was killed could not clean up. What cannot be removed is somebody's. */
static void remove_stale(int fd)
{
	char path[160], *text, *save, *line, name[160];
	int err;
	const char *dir = xtr_tracefs_dir(&err);
	size_t n;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/kprobe_events", dir);
	if (xtr_read_file(path, TEXT_MAX, &text, &n))
		return;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (xtr_kprobe_event_stale(line, is_alive, name, sizeof(name)))
			remove_probe(fd, name);
	}
	free(text);
}

int xtr_kprobe_events_open(struct xtr_kprobe_events **out)
{
	struct xtr_kprobe_events *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	k->pid = getpid();
	/* Without O_TRUNC, which would remove everybody's probes. */
	k->events = open_file("kprobe_events", O_WRONLY | O_APPEND);
	k->profile = open_file("kprobe_profile", O_RDONLY);
	err = k->events < 0 ? k->events : k->profile < 0 ? k->profile : 0;
	if (err) {
		xtr_kprobe_events_free(k);
		return err;
	}
	remove_stale(k->events);
	*out = k;
	return 0;
}

static void probe_name(const struct xtr_kprobe_events *k, uint32_t i, char *name, size_t n)
{
	snprintf(name, n, "x%ld_%u", k->pid, i);
}

static int tracepoint_id(const struct xtr_kprobe_events *k, const char *name)
{
	char path[256], line[32];
	int err, id;
	const char *dir = xtr_tracefs_dir(&err);

	if (!dir)
		return err;
	snprintf(path, sizeof(path), "%s/events/xtr_%ld/%s/id", dir, k->pid, name);
	if (!xtr_read_line(path, line, sizeof(line)) || sscanf(line, "%d", &id) != 1)
		return -ENOENT;
	return id;
}

static void where(char *text, size_t n, uint64_t addr, const char *module, const char *symbol)
{
	if (addr)
		snprintf(text, n, "0x%llx", (unsigned long long)addr);
	else
		snprintf(text, n, "%s%s%s", module ? module : "", module ? ":" : "", symbol);
}

int xtr_kprobe_events_add(struct xtr_kprobe_events *k, uint32_t number, uint64_t addr,
			  const char *module, const char *symbol, bool ret)
{
	uint32_t *more = reallocarray(k->number, k->n + 1, sizeof(*more));
	char name[64], place[320], line[512], begin[16];
	int err;

	if (!more)
		return -ENOMEM;
	k->number = more;
	snprintf(begin, sizeof(begin), ret ? "r%d" : "p", MAXACTIVE);
	probe_name(k, k->n, name, sizeof(name));
	where(place, sizeof(place), addr, module, symbol);
	snprintf(line, sizeof(line), "%s:xtr_%ld/%s %s\n", begin, k->pid, name, place);
	err = put(k->events, line);
	if (err)
		return err;
	k->number[k->n++] = number;
	return tracepoint_id(k, name);
}

/* Lines "  NAME   HITS   MISSED", of everybody's probes; names of ours have our pid. */
static void count_line(struct xtr_kprobe_events *k, const char *line,
		       void (*fn)(void *ctx, uint32_t number, uint64_t hits, uint64_t missed),
		       void *ctx)
{
	unsigned long long hits, missed;
	uint32_t i;
	long pid;

	if (sscanf(line, " x%ld_%u %llu %llu", &pid, &i, &hits, &missed) == 4 && pid == k->pid &&
	    i < k->n)
		fn(ctx, k->number[i], hits, missed);
}

int xtr_kprobe_events_counts(struct xtr_kprobe_events *k,
			     void (*fn)(void *ctx, uint32_t number, uint64_t hits, uint64_t missed),
			     void *ctx)
{
	char line[256];
	int fd = dup(k->profile);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	rewind(f); /* the offset is shared with k->profile */
	while (fgets(line, sizeof(line), f))
		count_line(k, line, fn, ctx);
	fclose(f);
	return 0;
}

void xtr_kprobe_events_free(struct xtr_kprobe_events *k)
{
	char name[64], full[128];

	if (!k)
		return;
	for (uint32_t i = 0; i < k->n; i++) {
		probe_name(k, i, name, sizeof(name));
		snprintf(full, sizeof(full), "xtr_%ld/%s", k->pid, name);
		remove_probe(k->events, full);
	}
	if (k->events >= 0)
		close(k->events);
	if (k->profile >= 0)
		close(k->profile);
	free(k->number);
	free(k);
}
