/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fakegpu-load: submits jobs to the devices of xtr_fakegpu, waits for all of them, and prints one
 * line of JSON. What it does is fixed by its arguments and the seed; when it happens is not.
 *
 * Processes and threads submit to random rings of both devices, each with a bounded number of jobs
 * in flight. Handles of recent jobs go through memory that all share, so that a job may depend on
 * jobs of other rings, devices and processes. A job depends only on jobs submitted before it.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fakegpu_uapi.h"

#define N_RINGS     (FAKEGPU_DEVICES * FAKEGPU_RINGS)
#define MAX_THREADS 64
#define MAX_WINDOW  256
#define N_RECENT    64
#define KILL_JOBS   32u /* per ring of device 0, by the child that gets killed */
#define KILL_NS     20000000ull
#define CONTROL     "/sys/kernel/debug/fakegpu/control"

/* As in <drm/drm.h>. */
struct drm_version {
	int version_major;
	int version_minor;
	int version_patchlevel;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};
#define DRM_IOCTL_VERSION _IOWR('d', 0x00, struct drm_version)

/* What a scenario adds to plain jobs; one_in is 0 for never. */
struct scenario {
	const char *name;
	unsigned int ooo_rings; /* bit per ring, device 0 first */
	unsigned int parallel_rings;
	unsigned int coalesce_rings;
	unsigned int kernel_one_in;
	unsigned int hang_one_in;
	unsigned int any_one_in; /* on the queue that moves between rings */
	unsigned int fault_one_in;
	unsigned int early_one_in;
	bool queues; /* all queues of a file, else the first of each ring */
	bool kill;
};

static const struct scenario scenarios[] = {
	{ .name = "basic" },
	{ .name = "ooo", .ooo_rings = 0xff },
	{ .name = "coalesce", .coalesce_rings = 0xff },
	{ .name = "kill", .kill = true },
	{ .name = "hang", .hang_one_in = 400 },
	{ .name = "kernel", .kernel_one_in = 4 },
	{ .name = "mixed",
	  .ooo_rings = 0xa0,
	  .coalesce_rings = 0x44,
	  .kernel_one_in = 16,
	  .hang_one_in = 1000,
	  .kill = true },
	{ .name = "parallel", .parallel_rings = 0xff },
	{ .name = "moving", .any_one_in = 2, .queues = true },
	{ .name = "errors", .fault_one_in = 8 },
	{ .name = "early", .early_one_in = 16 },
	{ .name = "all",
	  .kernel_one_in = 16,
	  .hang_one_in = 400,
	  .any_one_in = 8,
	  .fault_one_in = 16,
	  .early_one_in = 32,
	  .queues = true,
	  .kill = true },
};

struct options {
	const struct scenario *scenario;
	uint64_t jobs;
	uint64_t procs;
	uint64_t threads;
	uint64_t window;
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t coalesce_ns;
	uint64_t seed;
	unsigned int depth[N_RINGS];
	unsigned int rings;    /* bit per ring, as the next two */
	unsigned int ooo;      /* besides the scenario's */
	unsigned int parallel; /* likewise */
	bool stopped;          /* processes wait for SIGCONT */
	bool as_is;            /* rings are configured already: another load is using them */
};

struct shared {
	_Atomic uint64_t recent[N_RECENT];
	_Atomic unsigned long next_recent;
	atomic_ulong submitted;
	atomic_ulong completed;
	atomic_ulong timeouts;
	atomic_ulong killed;
	uint64_t doomed[FAKEGPU_RINGS * KILL_JOBS];
	_Atomic unsigned int n_doomed;
};

struct thread {
	pthread_t id;
	unsigned long jobs;
	uint64_t rng;
};

static struct options opt = {
	.jobs = 20000,
	.procs = 4,
	.threads = 2,
	.window = 16,
	.min_ns = 200000,
	.max_ns = 4000000,
	.coalesce_ns = 2000000,
	.seed = 1,
	.depth = { 1, 2, 3, 4, 5, 6, 7, 8 },
	.rings = (1u << N_RINGS) - 1,
};

static struct shared *shared;
static char nodes[FAKEGPU_DEVICES][32];
static int fds[FAKEGPU_DEVICES];

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "fakegpu-load: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* xorshift64*: state is never 0. */
static uint64_t rng_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

static uint64_t rng_below(uint64_t *state, uint64_t limit)
{
	return (rng_next(state) >> 11) % limit;
}

static bool one_in(uint64_t *state, unsigned int n)
{
	return n != 0 && rng_below(state, n) == 0;
}

static int xioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret;
}

/* Finds the render nodes by driver name, in the order of their minors. */
static void find_nodes(void)
{
	unsigned int n = 0;

	for (unsigned int minor = 128; minor < 192 && n < FAKEGPU_DEVICES; minor++) {
		char name[16] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(nodes[n], sizeof(nodes[n]), "/dev/dri/renderD%u", minor);
		fd = open(nodes[n], O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (xioctl(fd, DRM_IOCTL_VERSION, &version) == 0 && strcmp(name, "fakegpu") == 0)
			n++;
		close(fd);
	}
	if (n < FAKEGPU_DEVICES)
		die("no fakegpu devices (is xtr_fakegpu loaded?)");
}

static void open_nodes(void)
{
	for (int i = 0; i < FAKEGPU_DEVICES; i++) {
		fds[i] = open(nodes[i], O_RDWR | O_CLOEXEC);
		if (fds[i] < 0)
			die("'%s': %s", nodes[i], strerror(errno));
	}
}

static void close_nodes(void)
{
	for (int i = 0; i < FAKEGPU_DEVICES; i++)
		close(fds[i]);
}

static void config_rings(void)
{
	for (unsigned int i = 0; i < N_RINGS; i++) {
		struct drm_fakegpu_ring ring = {
			.ring = i % FAKEGPU_RINGS,
			.flags = FAKEGPU_RING_SET,
			.depth = opt.depth[i],
		};

		if ((opt.scenario->ooo_rings | opt.ooo) & 1u << i)
			ring.flags |= FAKEGPU_RING_OOO;
		if ((opt.scenario->parallel_rings | opt.parallel) & 1u << i)
			ring.flags |= FAKEGPU_RING_PARALLEL;
		if (opt.scenario->coalesce_rings & 1u << i)
			ring.coalesce_ns = opt.coalesce_ns;
		if (xioctl(fds[i / FAKEGPU_RINGS], DRM_IOCTL_FAKEGPU_RING, &ring) < 0)
			die("ring %u: configure: %s", i, strerror(errno));
	}
}

static uint64_t submit(unsigned int ring, struct drm_fakegpu_submit *job)
{
	unsigned long slot;

	job->ring = ring % FAKEGPU_RINGS;
	if (xioctl(fds[ring / FAKEGPU_RINGS], DRM_IOCTL_FAKEGPU_SUBMIT, job) < 0)
		die("submit: %s", strerror(errno));
	atomic_fetch_add(&shared->submitted, 1);
	slot = atomic_fetch_add(&shared->next_recent, 1) % N_RECENT;
	atomic_store(&shared->recent[slot], job->handle);
	return job->handle;
}

/* Waits for the job and counts how it ended. */
__attribute__((noinline)) static void reap(uint64_t handle)
{
	struct drm_fakegpu_wait wait = { .handle = handle, .timeout_ns = 120000000000ll };

	if (xioctl(fds[0], DRM_IOCTL_FAKEGPU_WAIT, &wait) < 0)
		die("wait for job %llu: %s", (unsigned long long)handle, strerror(errno));
	if (wait.error == 0)
		atomic_fetch_add(&shared->completed, 1);
	else if (wait.error == -ETIME)
		atomic_fetch_add(&shared->timeouts, 1);
	else
		atomic_fetch_add(&shared->killed, 1);
}

static unsigned int pick_ring(uint64_t *rng)
{
	unsigned int ring;

	do {
		ring = (unsigned int)rng_below(rng, N_RINGS);
	} while (!(opt.rings & 1u << ring));
	return ring;
}

__attribute__((noinline)) static uint64_t submit_random(uint64_t *rng)
{
	uint64_t deps[FAKEGPU_MAX_DEPS];
	struct drm_fakegpu_submit job = {
		.duration_ns = opt.min_ns + rng_below(rng, opt.max_ns - opt.min_ns + 1),
		.deps = (uintptr_t)deps,
	};

	if (one_in(rng, opt.scenario->kernel_one_in))
		job.flags |= FAKEGPU_JOB_KERNEL;
	if (one_in(rng, opt.scenario->hang_one_in))
		job.flags |= FAKEGPU_JOB_HANG;
	if (one_in(rng, opt.scenario->any_one_in))
		job.flags |= FAKEGPU_JOB_ANY;
	if (one_in(rng, opt.scenario->fault_one_in))
		job.flags |= FAKEGPU_JOB_FAULT;
	if (one_in(rng, opt.scenario->early_one_in))
		job.flags |= FAKEGPU_JOB_EARLY;
	if (opt.scenario->queues)
		job.queue = (uint32_t)rng_below(rng, FAKEGPU_QUEUES);
	if (one_in(rng, 8)) {
		uint64_t wanted = 1 + rng_below(rng, FAKEGPU_MAX_DEPS), i;

		for (i = 0; i < wanted; i++) {
			uint64_t dep = atomic_load(&shared->recent[rng_below(rng, N_RECENT)]);

			if (dep != 0)
				deps[job.n_deps++] = dep;
		}
	}
	return submit(pick_ring(rng), &job);
}

/*
 * Functions that a stack is to tell apart: one of three jobs is drawn, the others are copied; a
 * thread waits for room while it works, and for the rest at its end. libc's ioctl keeps no frame
 * pointer, so that its caller may be missed: these call functions that call it. What follows a call
 * keeps it from becoming a jump, and the functions from becoming one.
 */
__attribute__((noinline)) static uint64_t draw_frame(uint64_t *rng)
{
	uint64_t handle = submit_random(rng);

	__asm__ volatile("# drawn" : : : "memory");
	return handle;
}

__attribute__((noinline)) static uint64_t copy_pixels(uint64_t *rng)
{
	uint64_t handle = submit_random(rng);

	__asm__ volatile("# copied" : : : "memory");
	return handle;
}

__attribute__((noinline)) static void wait_for_room(uint64_t handle)
{
	reap(handle);
	__asm__ volatile("# room made" : : : "memory");
}

__attribute__((noinline)) static void wait_for_rest(const uint64_t *window, unsigned long from,
						    unsigned long to)
{
	for (; from < to; from++)
		reap(window[from % opt.window]);
	__asm__ volatile("# all done" : : : "memory");
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	uint64_t window[MAX_WINDOW];

	for (unsigned long i = 0; i < t->jobs; i++) {
		if (i >= opt.window)
			wait_for_room(window[i % opt.window]);
		window[i % opt.window] = i % 3 ? copy_pixels(&t->rng) : draw_frame(&t->rng);
	}
	wait_for_rest(window, t->jobs > opt.window ? t->jobs - opt.window : 0, t->jobs);
	return NULL;
}

/* One client process: its own files, shared by its threads. */
static void process_main(unsigned int proc)
{
	uint64_t total = opt.procs * opt.threads, n = proc * opt.threads;
	struct thread threads[MAX_THREADS];

	if (opt.stopped)
		raise(SIGSTOP);
	open_nodes();
	for (unsigned int i = 0; i < opt.threads; i++, n++) {
		threads[i].jobs = opt.jobs / total + (n < opt.jobs % total ? 1 : 0);
		threads[i].rng = (opt.seed * 1000003u + n + 1) * 0x9e3779b97f4a7c15ull | 1;
		if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i]) != 0)
			die("cannot start a thread");
	}
	for (unsigned int i = 0; i < opt.threads; i++)
		pthread_join(threads[i].id, NULL);
	close_nodes();
}

/* Queues far more work than can run soon, says so, and waits for its end. */
static void doomed_main(void)
{
	open_nodes();
	for (unsigned int i = 0; i < FAKEGPU_RINGS * KILL_JOBS; i++) {
		struct drm_fakegpu_submit job = { .duration_ns = KILL_NS };

		shared->doomed[i] = submit(i % FAKEGPU_RINGS, &job);
		atomic_fetch_add(&shared->n_doomed, 1);
	}
	for (;;)
		pause();
}

static pid_t start(void (*fn)(unsigned int), unsigned int arg)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid == 0) {
		if (fn)
			fn(arg);
		else
			doomed_main();
		_exit(0);
	}
	return pid;
}

static void kill_doomed(pid_t pid)
{
	int status;

	while (atomic_load(&shared->n_doomed) < FAKEGPU_RINGS * KILL_JOBS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			die("the process to kill ended by itself");
		usleep(2000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/* The log is complete only when no job is alive any more; without debugfs there is no log. */
static void wait_idle(void)
{
	uint64_t end = now_ns() + 20000000000ull;
	unsigned int live = 1;
	char line[64];

	while (live != 0) {
		FILE *f = fopen(CONTROL, "r");

		if (!f)
			return;
		while (fgets(line, sizeof(line), f))
			sscanf(line, "live %u", &live);
		fclose(f);
		if (live != 0 && now_ns() > end)
			die("%u jobs are still alive", live);
		if (live != 0)
			usleep(5000);
	}
}

static void run(void)
{
	pid_t pids[MAX_THREADS], doomed = 0;

	if (opt.scenario->kill)
		doomed = start(NULL, 0);
	for (unsigned int i = 0; i < opt.procs; i++)
		pids[i] = start(process_main, i);
	if (doomed)
		kill_doomed(doomed);
	for (unsigned int i = 0; i < opt.procs; i++) {
		int status;

		if (waitpid(pids[i], &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
			die("a process failed");
	}
	for (unsigned int i = 0; i < atomic_load(&shared->n_doomed); i++)
		reap(shared->doomed[i]);
}

static void parse_depths(char *list)
{
	unsigned int i;
	char *s;

	for (i = 0, s = strtok(list, ","); s && i < N_RINGS; i++, s = strtok(NULL, ","))
		opt.depth[i] = (unsigned int)strtoul(s, NULL, 0);
	if (i == 1) {
		for (; i < N_RINGS; i++)
			opt.depth[i] = opt.depth[0];
	}
}

static unsigned int parse_rings(char *list)
{
	unsigned int rings = 0;
	char *s;

	for (s = strtok(list, ","); s; s = strtok(NULL, ",")) {
		unsigned int dev, ring;

		if (sscanf(s, "%u.%u", &dev, &ring) != 2 || dev >= FAKEGPU_DEVICES ||
		    ring >= FAKEGPU_RINGS)
			die("'%s': not a DEVICE.RING", s);
		rings |= 1u << (dev * FAKEGPU_RINGS + ring);
	}
	return rings;
}

static const char usage_text[] =
	"usage: fakegpu-load [OPTION...] SCENARIO\n"
	"scenarios: basic ooo coalesce kill hang kernel mixed parallel moving errors early all\n"
	"  -n, --jobs N         jobs in all (20000); kill, mixed and all add those of the killed process\n"
	"  -p, --procs N        client processes (4)\n"
	"  -t, --threads N      threads of each (2)\n"
	"  -w, --window N       jobs in flight per thread (16)\n"
	"      --min-ns N       shortest job (200000)\n"
	"      --max-ns N       longest job (4000000)\n"
	"      --coalesce-ns N  time between interrupts, where they are coalesced (2000000)\n"
	"      --seed N         (1)\n"
	"      --depth LIST     jobs on the hardware, per ring or one for all (1,2,3,4,5,6,7,8)\n"
	"      --rings LIST     DEVICE.RING, separated by commas (all)\n"
	"      --ooo LIST       rings that are out of order, besides the scenario's\n"
	"      --parallel LIST  rings that are parallel, besides the scenario's\n"
	"      --stopped        each process stops before its first job, until SIGCONT\n"
	"      --as-is          leave the rings as another load that runs has made them\n";

static bool valid_options(void)
{
	return opt.scenario && opt.procs >= 1 && opt.procs <= MAX_THREADS && opt.threads >= 1 &&
	       opt.threads <= MAX_THREADS && opt.window >= 1 && opt.window <= MAX_WINDOW &&
	       opt.min_ns <= opt.max_ns && opt.rings != 0;
}

static void parse(int argc, char **argv)
{
	/* The first eight take a number. */
	static const struct option longs[] = {
		{ "jobs", 1, NULL, 'n' },        { "procs", 1, NULL, 'p' },
		{ "threads", 1, NULL, 't' },     { "window", 1, NULL, 'w' },
		{ "min-ns", 1, NULL, 'm' },      { "max-ns", 1, NULL, 'M' },
		{ "coalesce-ns", 1, NULL, 'c' }, { "seed", 1, NULL, 's' },
		{ "depth", 1, NULL, 'd' },       { "rings", 1, NULL, 'r' },
		{ "ooo", 1, NULL, 'o' },         { "parallel", 1, NULL, 'P' },
		{ "stopped", 0, NULL, 'S' },     { "as-is", 0, NULL, 'A' },
		{ "help", 0, NULL, 'h' },        { NULL, 0, NULL, 0 },
	};
	uint64_t *const numbers[] = { &opt.jobs,   &opt.procs,  &opt.threads,     &opt.window,
				      &opt.min_ns, &opt.max_ns, &opt.coalesce_ns, &opt.seed };
	size_t i;
	int c;

	while ((c = getopt_long(argc, argv, "n:p:t:w:h", longs, NULL)) != -1) {
		for (i = 0; i < 8 && longs[i].val != c; i++)
			;
		if (i < 8) {
			*numbers[i] = strtoull(optarg, NULL, 0);
		} else if (c == 'd') {
			parse_depths(optarg);
		} else if (c == 'r') {
			opt.rings = parse_rings(optarg);
		} else if (c == 'o') {
			opt.ooo = parse_rings(optarg);
		} else if (c == 'P') {
			opt.parallel = parse_rings(optarg);
		} else if (c == 'S') {
			opt.stopped = true;
		} else if (c == 'A') {
			opt.as_is = true;
		} else {
			fputs(usage_text, c == 'h' ? stdout : stderr);
			exit(c == 'h' ? 0 : 2);
		}
	}
	for (i = 0; optind < argc && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(scenarios[i].name, argv[optind]) == 0)
			opt.scenario = &scenarios[i];
	}
	if (optind + 1 != argc || !valid_options()) {
		fputs(usage_text, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	uint64_t begin;

	parse(argc, argv);
	find_nodes();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		die("no memory");
	open_nodes();
	if (!opt.as_is)
		config_rings();
	begin = now_ns();
	run();
	if (!opt.as_is)
		wait_idle();
	printf("{\"scenario\": \"%s\", \"submitted\": %lu, \"completed\": %lu, \"timeouts\": %lu, "
	       "\"killed\": %lu, \"wall_ms\": %llu}\n",
	       opt.scenario->name, atomic_load(&shared->submitted), atomic_load(&shared->completed),
	       atomic_load(&shared->timeouts), atomic_load(&shared->killed),
	       (unsigned long long)((now_ns() - begin) / 1000000));
	close_nodes();
	return 0;
}
