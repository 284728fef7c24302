/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The workload that all recorders in the benchmark see: getppid() through syscall(), in bursts, on
 * one CPU, or another call in its place. A burst is a tight loop, so that the time per call can be
 * measured; the pause after it lets every recorder drain its buffers, so that no one looks cheap
 * because it drops events.
 *
 *     load -n CALLS [-b CALLS-PER-BURST] [-p PAUSE-US | -r RATE] [-c CPU] [-o FILE]
 *          [-u | -l LIBRARY | -d]
 *
 * With -r it does not pause: each burst begins when RATE calls per second demand it, or at once.
 * -u calls getuid(), which nobody records: the control for what a recorder costs by running. -l
 * calls zeMemFree() of LIBRARY, which takes no time of its own. -d creates a buffer of the NPU and
 * closes it, which counts as one call here and is several of the driver's functions. Writes one
 * line: calls; ns per call, median of the bursts; ns of CPU time of this process; ns that all took.
 */
#include "tests/lab/fakenpu/fakenpu_uapi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct load {
	uint64_t calls;      /* in all */
	uint64_t burst;      /* calls */
	uint64_t pause;      /* us */
	uint64_t rate;       /* calls/s, 0: pauses instead */
	int cpu;             /* -1: wherever */
	long number;         /* of the system call */
	const char *library; /* its zeMemFree() is called instead, or NULL */
	bool npu;            /* buffers are created and closed instead */
	const char *out;     /* file, or NULL for stdout */
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* What is called; the rest tells it what with. */
struct subject {
	int (*call)(const struct subject *s);
	long number;
	int fd;
	unsigned int (*free)(void *context, void *p);
};

static int call_system(const struct subject *s)
{
	syscall(s->number);
	return 0;
}

static int call_library(const struct subject *s)
{
	return (int)s->free(NULL, NULL);
}

static int call_npu(const struct subject *s)
{
	struct fakenpu_bo_create create = { .size = 4096 };
	struct fakenpu_gem_close bo = { 0 };

	if (ioctl(s->fd, FAKENPU_BO_CREATE, &create))
		return -1;
	bo.handle = create.handle;
	return ioctl(s->fd, FAKENPU_GEM_CLOSE, &bo);
}

static int subject_open(struct subject *s, const struct load *l)
{
	void *library;

	*s = (struct subject){ .call = call_system, .number = l->number, .fd = -1 };
	if (l->npu) {
		s->call = call_npu;
		s->fd = open(FAKENPU_NODE, O_RDWR | O_CLOEXEC);
		return s->fd < 0 ? -1 : 0;
	}
	if (!l->library)
		return 0;
	s->call = call_library;
	library = dlopen(l->library, RTLD_NOW);
	if (library)
		*(void **)&s->free = dlsym(library, "zeMemFree");
	return s->free ? 0 : -1;
}

/* ns per call of one burst; negative if a call failed. */
static double run_burst(const struct subject *s, uint64_t calls)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int rc = 0;

	for (uint64_t i = 0; i < calls; i++)
		rc |= s->call(s);
	return rc ? -1 : (double)(clock_ns(CLOCK_MONOTONIC) - start) / (double)calls;
}

/* Before the next burst: rest, or wait for the time at which so many calls are due. */
static void wait_burst(const struct load *l, uint64_t start, uint64_t done)
{
	if (!l->rate) {
		usleep((useconds_t)l->pause);
		return;
	}
	while ((double)(clock_ns(CLOCK_MONOTONIC) - start) * (double)l->rate < (double)done * 1e9)
		;
}

static int report(const struct load *l, uint64_t calls, double ns, uint64_t wall)
{
	FILE *f = l->out ? fopen(l->out, "w") : stdout;

	if (!f)
		return -1;
	fprintf(f, "%llu %.1f %llu %llu\n", (unsigned long long)calls, ns,
		(unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID), (unsigned long long)wall);
	return fclose(f);
}

static int run(const struct load *l)
{
	uint64_t bursts = (l->calls + l->burst - 1) / l->burst, done = 0;
	double *ns = calloc(bursts ? bursts : 1, sizeof(*ns));
	struct subject s;
	uint64_t start;
	int rc;

	start = clock_ns(CLOCK_MONOTONIC);
	rc = !ns ? -1 : subject_open(&s, l);
	for (uint64_t i = 0; !rc && i < bursts; i++) {
		uint64_t n = l->calls - done < l->burst ? l->calls - done : l->burst;

		ns[i] = run_burst(&s, n);
		rc = ns[i] < 0 ? -1 : 0;
		done += n;
		wait_burst(l, start, done);
	}
	if (!rc) {
		start = clock_ns(CLOCK_MONOTONIC) - start;
		qsort(ns, bursts, sizeof(*ns), compare);
		rc = report(l, done, ns[bursts / 2], start);
	}
	free(ns);
	return rc;
}

/* Number options by letter; all are plain counts. */
static int set_number(struct load *l, int letter, const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 10);

	if (*end || end == text)
		return -1;
	if (letter == 'n')
		l->calls = v;
	else if (letter == 'b')
		l->burst = v;
	else if (letter == 'p')
		l->pause = v;
	else if (letter == 'r')
		l->rate = v;
	else
		l->cpu = (int)v;
	return 0;
}

int main(int argc, char **argv)
{
	struct load l = {
		.calls = 100000, .burst = 1000, .pause = 2000, .cpu = -1, .number = SYS_getppid
	};
	int opt, bad = 0;

	while ((opt = getopt(argc, argv, "n:b:p:r:c:ul:do:")) != -1) {
		if (opt == 'u')
			l.number = SYS_getuid;
		else if (opt == 'l')
			l.library = optarg;
		else if (opt == 'd')
			l.npu = true;
		else if (opt == 'o')
			l.out = optarg;
		else
			bad |= opt == '?' || set_number(&l, opt, optarg);
	}
	if (bad || !l.burst)
		return 2;
	if (pin(l.cpu) || run(&l)) {
		perror("load");
		return 1;
	}
	return 0;
}
