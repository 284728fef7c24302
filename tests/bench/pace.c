/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loop with a clock, as a game or a compositor has one: sleeps until a frame is due, works,
 * submits. Work is always as much (WORK times 1,024 words of a table), not always as long: so its
 * CPU time shows what a recorder adds. What it submits is CALLS times getppid() through syscall().
 *
 *     pace -s MS [-t PERIOD-US] [-w WORK] [-k CALLS] [-c CPU] [-l] [-o FILE]
 *
 * Ends after MS milliseconds. A frame that is due before the last one ended is left out; with -l it
 * follows at once, so that the rate falls only where the machine cannot do it. Writes one line:
 * frames; calls; ns of CPU time of the loop; ns that it took; ns from when a frame was due until it
 * ended, median and 99th percentile.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TABLE 32768u /* words: what fits the second cache of a CPU, and not the first */
#define STEP  1024u  /* words: one unit of work */

struct pace {
	uint64_t ms;     /* in all */
	uint64_t period; /* us */
	uint64_t work;   /* units per frame */
	uint64_t calls;  /* per frame */
	int cpu;         /* -1: wherever */
	bool late;       /* no frame is left out */
	const char *out; /* file, or NULL for stdout */
};

/* What became of it. */
struct run {
	uint64_t *took; /* ns of each frame */
	uint64_t frames, cpu, wall;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000u),
			      .tv_nsec = (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

static uint64_t table[TABLE];

static void work(uint64_t units)
{
	static uint64_t x = 88172645463325252u;

	for (uint64_t i = 0; i < units * STEP; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		table[x % TABLE] += x;
	}
}

static void frame(const struct pace *p)
{
	work(p->work);
	for (uint64_t i = 0; i < p->calls; i++)
		syscall(SYS_getppid);
}

static void loop(const struct pace *p, struct run *r)
{
	uint64_t period = p->period * 1000, cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t start = clock_ns(CLOCK_MONOTONIC), end = start + p->ms * 1000000, now = start;

	for (uint64_t due = start + period; due <= end && now < end;) {
		sleep_until(due);
		frame(p);
		now = clock_ns(CLOCK_MONOTONIC);
		r->took[r->frames++] = now - due;
		due += p->late ? period : period * ((now - due) / period + 1);
	}
	r->cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	r->wall = now - start;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int report(const struct pace *p, struct run *r)
{
	FILE *f = p->out ? fopen(p->out, "we") : stdout;
	uint64_t n = r->frames, calls = n * p->calls;

	if (!f)
		return -1;
	qsort(r->took, n, sizeof(*r->took), compare);
	fprintf(f, "%llu %llu %llu %llu %llu %llu\n", (unsigned long long)n,
		(unsigned long long)calls, (unsigned long long)r->cpu, (unsigned long long)r->wall,
		(unsigned long long)(n ? r->took[n / 2] : 0),
		(unsigned long long)(n ? r->took[n * 99 / 100] : 0));
	return fclose(f);
}

static int run(const struct pace *p)
{
	struct run r = { 0 };
	int err;

	r.took = calloc(p->ms * 1000 / p->period + 1, sizeof(*r.took));
	if (!r.took)
		return -1;
	loop(p, &r);
	err = report(p, &r);
	free(r.took);
	return err;
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

/* Options are plain counts, but for the file. */
static int set(struct pace *p, int letter, const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 10);

	if (letter == 'o')
		p->out = text;
	else if (*end || end == text)
		return -1;
	else if (letter == 's')
		p->ms = v;
	else if (letter == 't')
		p->period = v;
	else if (letter == 'w')
		p->work = v;
	else if (letter == 'k')
		p->calls = v;
	else
		p->cpu = (int)v;
	return 0;
}

int main(int argc, char **argv)
{
	struct pace p = { .period = 1000, .cpu = -1 };
	int opt, bad = 0;

	while ((opt = getopt(argc, argv, "s:t:w:k:c:lo:")) != -1) {
		if (opt == 'l')
			p.late = true;
		else
			bad |= opt == '?' || set(&p, opt, optarg);
	}
	if (bad || !p.ms || !p.period || p.ms > 3600000)
		return 2;
	if (pin(p.cpu) || run(&p)) {
		perror("pace");
		return 1;
	}
	return 0;
}
