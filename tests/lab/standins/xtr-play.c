/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays a scenario on the stand-in drivers: one process or thread per task of it, with the task's
 * name, takes its lines in their order and at their times, and writes each to /dev/xtr-player.
 *
 * usage: xtr-play [-s SCALE] FILE
 *
 * FILE is a scenario without macros. SCALE stretches its time (default 1). Lines whose task is "-"
 * are played in a hard interrupt. A wait for a fence ends when the fence is signalled, or when the
 * scenario ends it. Exit status: 0, 1 when a line could not be played, 2 for a bad file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_TASKS     256
#define WAIT_LIMIT_US 20000000ULL
#define SETTLE_NS     2000000ULL

struct line {
	uint64_t ns;
	unsigned int task, cpu, number;
	char *text;
};

struct task {
	char comm[16];
	long pid, tid;
	bool interrupt;
};

/* Seen by all processes. */
struct shared {
	_Atomic uint32_t turn[MAX_TASKS]; /* the line that the task may play */
	_Atomic uint64_t not_before, start;
	_Atomic int failed;
};

static struct line *lines;
static unsigned int n_lines;
static struct task tasks[MAX_TASKS];
static unsigned int n_tasks;
static struct shared *shared;
static double scale = 1;
static int device = -1;

static void die(const char *what)
{
	fprintf(stderr, "xtr-play: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint64_t scaled(uint64_t ns)
{
	return (uint64_t)((double)ns * scale);
}

/* Sleeps until shortly before t, then spins. */
static void wait_until(uint64_t t)
{
	uint64_t early = t - 100000;
	struct timespec ts = { .tv_sec = early / 1000000000, .tv_nsec = early % 1000000000 };

	if (now_ns() + 200000 < t)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	while (now_ns() < t)
		;
}

static void wait_turn(unsigned int task, uint32_t line)
{
	_Atomic uint32_t *turn = &shared->turn[task];
	uint32_t v;

	while ((v = atomic_load(turn)) != line)
		syscall(SYS_futex, turn, FUTEX_WAIT, v, NULL, NULL, 0);
}

static void pass_turn(uint32_t next)
{
	unsigned int task;

	if (next == n_lines)
		return;
	task = lines[next].task;
	atomic_store(&shared->turn[task], next);
	syscall(SYS_futex, &shared->turn[task], FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void put(unsigned int number, const char *text)
{
	if (write(device, text, strlen(text)) >= 0)
		return;
	fprintf(stderr, "xtr-play: line %u: %s: %s\n", number, strerror(errno), text);
	atomic_fetch_add(&shared->failed, 1);
}

static bool is_fence(const struct line *l, const char *event, const char *fence)
{
	const char *at = strstr(l->text, " fence=");

	return at && !strncmp(l->text, event, strlen(event)) && !strcmp(at, fence);
}

/* How long the wait that begins with line i may last, in us: for ever, if the scenario signals the
 * fence. */
static uint64_t wait_limit(unsigned int i)
{
	const char *fence = strstr(lines[i].text, " fence=");

	for (unsigned int k = i + 1; fence && k < n_lines; k++) {
		if (is_fence(&lines[k], "dma_fence:dma_fence_signaled", fence))
			return WAIT_LIMIT_US;
		if (lines[k].task == lines[i].task &&
		    is_fence(&lines[k], "dma_fence:dma_fence_wait_end", fence))
			return (lines[k].ns - lines[i].ns) / 1000;
	}
	return WAIT_LIMIT_US;
}

static void play(unsigned int i)
{
	const struct line *l = &lines[i];
	char text[4096];

	if (tasks[l->task].interrupt) {
		snprintf(text, sizeof(text), "@%u %s", l->cpu, l->text);
		put(l->number, text);
	} else if (!strncmp(l->text, "dma_fence:dma_fence_wait_start ", 31)) {
		/* The turn goes on before the wait, and the next line gives it time to begin. */
		snprintf(text, sizeof(text), "%s timeout_us=%llu", l->text,
			 (unsigned long long)wait_limit(i));
		atomic_store(&shared->not_before, now_ns() + SETTLE_NS);
		pass_turn(i + 1);
		put(l->number, text);
		return;
	} else if (strncmp(l->text, "dma_fence:dma_fence_wait_end ", 29)) {
		put(l->number, l->text);
	}
	pass_turn(i + 1);
}

/* All lines of one task. An interrupt's are asked for from the other processor. */
static void *run_task(void *arg)
{
	unsigned int task = (uintptr_t)arg, i, cpu = ~0u, want;
	uint64_t target, least;

	prctl(PR_SET_NAME, tasks[task].interrupt ? "xtr-play irq" : tasks[task].comm);
	for (i = 0; i < n_lines; i++) {
		if (lines[i].task != task)
			continue;
		wait_turn(task, i);
		want = tasks[task].interrupt ? 1 - lines[i].cpu : lines[i].cpu;
		if (want != cpu)
			pin(want);
		cpu = want;
		target = shared->start + scaled(lines[i].ns - lines[0].ns);
		least = atomic_load(&shared->not_before);
		wait_until(target > least ? target : least);
		play(i);
	}
	return NULL;
}

/* The process of task `first`: it, and the tasks that are other threads of it. */
static void run_process(unsigned int first)
{
	pthread_t threads[MAX_TASKS];
	unsigned int n = 0;

	for (unsigned int k = first + 1; k < n_tasks; k++)
		if (!tasks[k].interrupt && tasks[k].pid == tasks[first].pid &&
		    pthread_create(&threads[n++], NULL, run_task, (void *)(uintptr_t)k))
			die("pthread_create");
	run_task((void *)(uintptr_t)first);
	while (n > 0)
		pthread_join(threads[--n], NULL);
}

static unsigned int find_task(char *text)
{
	struct task t = { .interrupt = !strcmp(text, "-") };
	char *slash = strrchr(text, '/');

	/* comm/pid or comm/pid/tid; a comm may have slashes of its own (kworker/0:1), and
	 * [brackets]. */
	if (!t.interrupt) {
		char *before, *end;

		if (!slash)
			die(text);
		t.pid = t.tid = strtol(slash + 1, NULL, 10);
		*slash = 0;
		before = strrchr(text, '/');
		if (before && before[1] && strspn(before + 1, "0123456789") == strlen(before + 1)) {
			t.pid = strtol(before + 1, NULL, 10);
			*before = 0;
		}
		end = text + strlen(text) - 1;
		if (*text == '[' && end > text && *end == ']') {
			*end = 0;
			text++;
		}
		memcpy(t.comm, text, strnlen(text, sizeof(t.comm) - 1));
	}
	for (unsigned int k = 0; k < n_tasks; k++)
		if (tasks[k].interrupt == t.interrupt && tasks[k].tid == t.tid &&
		    tasks[k].pid == t.pid)
			return k;
	if (n_tasks == MAX_TASKS)
		die("too many tasks");
	tasks[n_tasks] = t;
	return n_tasks++;
}

/* TIME TASK CPU EVENT...; a task with blanks is quoted. */
static void add_line(char *text, unsigned int number)
{
	char task[64];
	unsigned int cpu;
	double us;
	int at = 0;

	if ((sscanf(text, "%lf \"%63[^\"]\" %u %n", &us, task, &cpu, &at) != 3 || !at) &&
	    (sscanf(text, "%lf %63s %u %n", &us, task, &cpu, &at) != 3 || !at)) {
		errno = EINVAL;
		die(text);
	}
	lines = realloc(lines, (n_lines + 1) * sizeof(*lines));
	if (!lines)
		die("memory");
	lines[n_lines].ns = (uint64_t)(us * 1000 + 0.5);
	lines[n_lines].cpu = cpu % 2;
	lines[n_lines].number = number;
	lines[n_lines].text = strdup(text + at);
	lines[n_lines++].task = find_task(task);
}

/* Declares the fences, and reads the lines. */
static void read_file(FILE *f)
{
	char *text = NULL;
	size_t size = 0;
	unsigned int number = 0;

	while (getline(&text, &size, f) >= 0) {
		number++;
		text[strcspn(text, "\n")] = 0;
		if (!strncmp(text, "!fence ", 7))
			put(number, text);
		else if (*text && *text != '#' && *text != '!')
			add_line(text, number);
	}
	free(text);
}

/* Fences that the scenario does not create itself exist when it begins: "NAME" of each !fence. */
static void create_fences(FILE *f)
{
	char *text = NULL, name[64], rest[128], line[256];
	size_t size = 0;
	unsigned int k;

	rewind(f);
	while (getline(&text, &size, f) >= 0) {
		if (sscanf(text, "!fence %63s", name) != 1)
			continue;
		snprintf(rest, sizeof(rest), " fence=%s", name);
		for (k = 0; k < n_lines; k++)
			if (is_fence(&lines[k], "dma_fence:dma_fence_init", rest))
				break;
		if (k == n_lines) {
			snprintf(line, sizeof(line), "dma_fence:dma_fence_init%s", rest);
			put(0, line);
		}
	}
	free(text);
}

int main(int argc, char **argv)
{
	unsigned int j;
	int opt, status = 0;
	char line[64];
	FILE *f;

	while ((opt = getopt(argc, argv, "s:")) == 's')
		scale = atof(optarg);
	f = optind < argc ? fopen(argv[optind], "r") : NULL;
	device = open("/dev/xtr-player", O_WRONLY);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (!f || device < 0 || shared == MAP_FAILED || opt == '?')
		die(!f ? "no such file" : "/dev/xtr-player");
	put(0, "!reset");
	read_file(f);
	create_fences(f);
	if (!n_lines)
		die("no lines");
	for (unsigned int k = 0; k < MAX_TASKS; k++)
		shared->turn[k] = UINT32_MAX;
	shared->start = now_ns() + 50000000 + 5000000 * n_tasks;
	snprintf(line, sizeof(line), "!start %llu",
		 (unsigned long long)(shared->start - scaled(lines[0].ns)));
	put(0, line);
	for (unsigned int k = 0; k < n_tasks; k++) {
		for (j = 0; j < k && (tasks[j].interrupt || tasks[j].pid != tasks[k].pid); j++)
			;
		if (!tasks[k].interrupt && j < k)
			continue;
		if (fork() == 0) {
			run_process(k);
			_exit(0);
		}
	}
	pass_turn(0);
	while (wait(&status) > 0)
		if (status)
			atomic_fetch_add(&shared->failed, 1);
	return shared->failed ? 1 : 0;
}
