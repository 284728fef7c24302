/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the steps of an event cost the thread that has it: calls getppid() in bursts, on one CPU,
 * with each of the programs below attached in turn, and prints a table.
 *
 *     steps [ROUNDS [CALLS-PER-BURST]]
 *
 * In each round the fastest of BURSTS counts, which is what the machine can do when nobody
 * disturbs; the table has medians of rounds.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "steps.h"
#include "steps.skel.h"

#define BURSTS    6
#define TRACING   "/sys/kernel/tracing/"
#define INSTANCE  TRACING "instances/xtr-steps"
#define EVENT     "/events/syscalls/sys_enter_getppid/"
#define N_ROWS    (sizeof(rows) / sizeof(rows[0]))
#define FTRACE_AT 1 /* its row, to which the others are compared */

enum hook {
	NOTHING,
	FTRACE,
	CLASSIC,
	COUNTED,
	RAW
};

#define WHERE_CLOCK (STEP_WHERE | STEP_CLOCK)

static struct row {
	const char *name;
	enum hook hook;
	__u32 steps;
	struct steps *skel;
	struct bpf_link *link, *hits;
	double *ns; /* by round */
} rows[] = {
	{ .name = "the call alone", .hook = NOTHING },
	{ .name = "ftrace's whole event", .hook = FTRACE },
	{ .name = "raw tracepoint, empty", .hook = RAW },
	{ .name = "classic tracepoint, empty", .hook = CLASSIC },
	{ .name = "- and a raw one that counts hits", .hook = COUNTED },
	{ .name = "- and ids, counters, ring", .hook = CLASSIC, .steps = STEP_WHERE },
	{ .name = "- and the clock", .hook = CLASSIC, .steps = STEP_CLOCK },
	{ .name = "- and the name by helper", .hook = CLASSIC, .steps = STEP_NAME_HELPER },
	{ .name = "- and the name by words", .hook = CLASSIC, .steps = STEP_NAME_WORDS },
	{ .name = "- and ring: read, output", .hook = CLASSIC, .steps = STEP_WHERE | STEP_OUTPUT },
	{ .name = "- and ring: reserve, load, submit",
	  .hook = CLASSIC,
	  .steps = STEP_WHERE | STEP_RESERVE },
	{ .name = "- and memory instead of a ring",
	  .hook = CLASSIC,
	  .steps = STEP_WHERE | STEP_MEMORY },
	{ .name = "classic, all: helper, read, output",
	  .hook = CLASSIC,
	  .steps = WHERE_CLOCK | STEP_NAME_HELPER | STEP_OUTPUT },
	{ .name = "classic, all: words, reserve, load",
	  .hook = CLASSIC,
	  .steps = WHERE_CLOCK | STEP_NAME_WORDS | STEP_RESERVE },
	{ .name = "raw, and eight fields by helper", .hook = RAW, .steps = STEP_READS },
	{ .name = "raw, and eight fields by loads", .hook = RAW, .steps = STEP_LOADS },
	{ .name = "raw, all: words, reserve",
	  .hook = RAW,
	  .steps = WHERE_CLOCK | STEP_NAME_WORDS | STEP_RESERVE },
	{ .name = "raw, all: words, memory",
	  .hook = RAW,
	  .steps = WHERE_CLOCK | STEP_NAME_WORDS | STEP_MEMORY },
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void load(struct row *r)
{
	r->skel = steps__open();
	if (!r->skel)
		die("steps");
	r->skel->rodata->steps = r->steps;
	r->skel->rodata->number = SYS_getppid;
	bpf_program__set_autoload(r->skel->progs.classic, r->hook != RAW);
	bpf_program__set_autoload(r->skel->progs.raw, r->hook == RAW);
	bpf_program__set_autoload(r->skel->progs.hits, r->hook == COUNTED);
	if (steps__load(r->skel))
		die(r->name);
}

static struct bpf_link *attach_classic(struct bpf_program *prog)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	FILE *f = fopen(TRACING EVENT "id", "r");
	unsigned int id;
	int fd;

	if (!f || fscanf(f, "%u", &id) != 1)
		die(EVENT "id");
	fclose(f);
	attr.config = id;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		die("perf_event_open");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return bpf_program__attach_perf_event(prog, fd);
}

static void attach(struct row *r)
{
	if (r->hook == FTRACE)
		write_file(INSTANCE EVENT "enable", "1");
	else if (r->hook == RAW)
		r->link = bpf_program__attach(r->skel->progs.raw);
	else if (r->hook != NOTHING)
		r->link = attach_classic(r->skel->progs.classic);
	if (r->hook == COUNTED)
		r->hits = bpf_program__attach(r->skel->progs.hits);
	if ((r->hook > FTRACE && !r->link) || (r->hook == COUNTED && !r->hits))
		die(r->name);
}

static void detach(struct row *r)
{
	if (r->hook == FTRACE)
		write_file(INSTANCE EVENT "enable", "0");
	bpf_link__destroy(r->link);
	bpf_link__destroy(r->hits);
	r->link = r->hits = NULL;
}

/* Everything that is in the ring was read. */
static void drain(const struct row *r)
{
	long page = sysconf(_SC_PAGESIZE);
	int fd = bpf_map__fd(r->skel->maps.ring);
	uint64_t *end = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, fd, page);
	uint64_t *read_to = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (end == MAP_FAILED || read_to == MAP_FAILED)
		die("ring");
	__atomic_store_n(read_to, __atomic_load_n(end, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	munmap(end, (size_t)page);
	munmap(read_to, (size_t)page);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of a call: of the fastest burst. */
static double measure(const struct row *r, int calls)
{
	double best = 1e18;

	for (int b = 0; b < BURSTS; b++) {
		double start, ns;

		if (r->skel)
			drain(r);
		start = now();
		for (int i = 0; i < calls; i++)
			syscall(SYS_getppid);
		ns = (now() - start) / calls;
		if (ns < best)
			best = ns;
	}
	return best;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
}

static void print(int rounds)
{
	double *added = calloc((size_t)rounds, sizeof(*added));
	double *share = calloc((size_t)rounds, sizeof(*share));

	if (!added || !share)
		die("memory");
	printf("| what runs | added, ns | of ftrace's |\n|---|---|---|\n");
	for (size_t i = 1; i < N_ROWS; i++) {
		for (int k = 0; k < rounds; k++) {
			added[k] = rows[i].ns[k] - rows[0].ns[k];
			share[k] = added[k] / (rows[FTRACE_AT].ns[k] - rows[0].ns[k]);
		}
		printf("| %s | %.0f | %.2f |\n", rows[i].name, median(added, rounds),
		       median(share, rounds));
	}
	printf("\nThe call alone: %.0f ns.\n", median(rows[0].ns, rounds));
	free(added);
	free(share);
}

static void remove_instance(void)
{
	rmdir(INSTANCE);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 21, calls = argc > 2 ? atoi(argv[2]) : 3000;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
	if (rounds < 1 || calls < 1 || sched_setaffinity(0, sizeof(set), &set))
		return 2;
	if (mkdir(INSTANCE, 0700))
		die(INSTANCE);
	atexit(remove_instance);
	write_file(INSTANCE "/buffer_size_kb", "8192");
	for (size_t i = 0; i < N_ROWS; i++) {
		rows[i].ns = calloc((size_t)rounds, sizeof(double));
		if (!rows[i].ns)
			die("memory");
		if (rows[i].hook > FTRACE)
			load(&rows[i]);
	}
	for (int k = 0; k < rounds; k++) {
		for (size_t i = 0; i < N_ROWS; i++) {
			attach(&rows[i]);
			rows[i].ns[k] = measure(&rows[i], calls);
			detach(&rows[i]);
		}
	}
	print(rounds);
	return 0;
}
