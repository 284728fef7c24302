/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Works on the stand-in NPU through the stand-in Level Zero loader, one scenario per run. Sets the
 * driver's parameters, empties its log, and ends when the device sleeps again, so that all that a
 * run does lies within it. Prints one line of JSON.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ze.h"

#define PARAMETERS "/sys/module/intel_vpu/parameters/"
#define POWER      "/sys/bus/platform/devices/intel_vpu/power/"
#define CONTROL    "/sys/kernel/debug/intel_vpu_lab/control"
#define FOREVER    UINT64_MAX
#define MS         1000000ull

struct work {
	ze_driver_handle_t driver;
	ze_device_handle_t device;
	ze_context_handle_t context;
	const struct ze_graph_table *graph;
};

struct options {
	unsigned int jobs, processes, threads;
};

static struct options options = { .jobs = 600, .processes = 2, .threads = 2 };

static void die(const char *what)
{
	fprintf(stderr, "npu-load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void must(ze_result_t result, const char *what)
{
	if (result == ZE_RESULT_SUCCESS)
		return;
	fprintf(stderr, "npu-load: %s: result %#x\n", what, (unsigned int)result);
	exit(1);
}

#define MUST(call) must(call, #call)

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void knob(const char *name, unsigned int value)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	snprintf(text, sizeof(text), "%u", value);
	put(path, text);
}

static void autosuspend(unsigned int ms)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", ms);
	put(POWER "autosuspend_delay_ms", text);
}

static void nap(uint64_t ns)
{
	struct timespec t = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	nanosleep(&t, NULL);
}

static void wait_asleep(void)
{
	char text[16] = "";
	int fd;

	for (int tries = 0; tries < 3000; tries++) {
		fd = open(POWER "runtime_status", O_RDONLY | O_CLOEXEC);
		if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
			die(POWER "runtime_status");
		close(fd);
		if (strncmp(text, "suspended", 9) == 0)
			return;
		nap(10 * MS);
	}
	errno = ETIMEDOUT;
	die("the device does not go to sleep");
}

static void defaults(void)
{
	static const struct {
		const char *name;
		unsigned int value;
	} knobs[] = {
		{ "create_ns", 0 },      { "alloc_page_ns", 0 }, { "bind_page_ns", 0 },
		{ "boot_polls", 60 },    { "poll_ns", 0 },       { "boot_us", 0 },
		{ "reply_us", 200 },     { "slow_create", 0 },   { "stall_job", 0 },
		{ "slow_create_us", 0 }, { "stall_us", 0 },      { "mute", 0 },
		{ "retry_ms", 1000 },
	};

	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		knob(knobs[i].name, knobs[i].value);
	autosuspend(10);
	wait_asleep();
	put(CONTROL, "reset");
}

static void begin(struct work *w)
{
	uint32_t one = 1;

	MUST(zeInit(0));
	MUST(zeDriverGet(&one, &w->driver));
	MUST(zeDeviceGet(w->driver, &one, &w->device));
	MUST(zeDriverGetExtensionFunctionAddress(w->driver, ZE_GRAPH_EXTENSION,
						 (void **)&w->graph));
	MUST(zeContextCreate(w->driver, NULL, &w->context));
}

/* One job of the list: executed and waited for. */
static void run_list(ze_command_queue_handle_t queue, ze_command_list_handle_t list,
		     ze_fence_handle_t fence)
{
	MUST(zeCommandListClose(list));
	MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
	if (fence) {
		MUST(zeFenceHostSynchronize(fence, FOREVER));
		MUST(zeFenceReset(fence));
	} else {
		MUST(zeCommandQueueSynchronize(queue, FOREVER));
	}
}

/*
 * The captured run of a matrix multiplication on a real NPU: three opens, 24 buffers of these
 * sizes, one job with all of them, 4,131 pages mapped, one boot with 942 polls, one suspend.
 */
static unsigned int matmul(void)
{
	static const uint32_t pages[] = {
		1024, 1, 1, 1, 1, 2, 4, 1, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2
	};
	ze_command_queue_handle_t queue;
	ze_command_list_handle_t list;
	ze_fence_handle_t fence;
	ze_graph_handle_t graph;
	struct work w;
	void *mem[3];

	knob("boot_polls", 942);
	autosuspend(20000);
	begin(&w);
	for (int i = 0; i < 3; i++)
		MUST(zeMemAllocHost(w.context, NULL, 1024 * 1024 * 4, 64, &mem[i]));
	MUST(w.graph->create(w.context, pages, sizeof(pages) / sizeof(pages[0]), &graph));
	MUST(zeCommandListCreate(w.context, w.device, NULL, &list));
	MUST(w.graph->append_execute(list, graph, 5 * MS));
	for (int i = 0; i < 3; i++)
		MUST(w.graph->set_argument(list, mem[i]));
	MUST(zeCommandQueueCreate(w.context, w.device, NULL, &queue));
	MUST(zeFenceCreate(queue, NULL, &fence));
	run_list(queue, list, fence);
	nap(50 * MS); /* the driver is done with the job, too */
	MUST(zeFenceDestroy(fence));
	MUST(w.graph->destroy(graph));
	for (int i = 0; i < 3; i++)
		MUST(zeMemFree(w.context, mem[i]));
	MUST(zeCommandListDestroy(list));
	MUST(zeCommandQueueDestroy(queue));
	MUST(zeContextDestroy(w.context));
	return 1;
}

/* One thread's jobs: a new device buffer for every eighth, of three sizes in turn. */
static void *many_thread(void *arg)
{
	unsigned int n = options.jobs / options.processes / options.threads;
	static const size_t sizes[] = { 4096, 65536, 262144 };
	ze_command_queue_handle_t queue;
	ze_command_list_handle_t list;
	ze_fence_handle_t fence;
	const struct work *w = arg;
	void *mem = NULL;

	MUST(zeCommandQueueCreate(w->context, w->device, NULL, &queue));
	MUST(zeCommandListCreate(w->context, w->device, NULL, &list));
	MUST(zeFenceCreate(queue, NULL, &fence));
	for (unsigned int i = 0; i < n; i++) {
		if (i % 8 == 0) {
			if (mem)
				MUST(zeMemFree(w->context, mem));
			MUST(zeMemAllocDevice(w->context, NULL, sizes[i / 8 % 3], 64, w->device,
					      &mem));
		}
		MUST(zeCommandListReset(list));
		MUST(w->graph->append_execute(list, NULL, 100000 + i % 16 * 50000));
		MUST(w->graph->set_argument(list, mem));
		run_list(queue, list, i % 2 ? fence : NULL);
	}
	MUST(zeMemFree(w->context, mem));
	MUST(zeFenceDestroy(fence));
	MUST(zeCommandListDestroy(list));
	MUST(zeCommandQueueDestroy(queue));
	return NULL;
}

static void many_process(void)
{
	pthread_t threads[16];
	struct work w;

	begin(&w);
	for (unsigned int i = 0; i < options.threads; i++) {
		if (pthread_create(&threads[i], NULL, many_thread, &w))
			die("pthread_create");
	}
	for (unsigned int i = 0; i < options.threads; i++)
		pthread_join(threads[i], NULL);
	MUST(zeContextDestroy(w.context));
}

/* More than 256 jobs of each process: their ids are used again. */
static unsigned int many(void)
{
	int status, bad = 0;

	autosuspend(20000);
	for (unsigned int i = 0; i < options.processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			many_process();
			exit(0);
		}
	}
	while (wait(&status) > 0)
		bad += status != 0;
	if (bad)
		exit(1);
	return options.jobs / options.processes / options.threads * options.processes *
	       options.threads;
}

/* n jobs in a row, with a sleep of the device before each if so wished. */
static unsigned int row(unsigned int n, uint64_t duration_ns, int asleep)
{
	ze_command_queue_handle_t queue;
	ze_command_list_handle_t list;
	struct work w;

	begin(&w);
	MUST(zeCommandQueueCreate(w.context, w.device, NULL, &queue));
	MUST(zeCommandListCreate(w.context, w.device, NULL, &list));
	for (unsigned int i = 0; i < n; i++) {
		if (asleep)
			wait_asleep();
		MUST(zeCommandListReset(list));
		MUST(w.graph->append_execute(list, NULL, duration_ns));
		run_list(queue, list, NULL);
	}
	MUST(zeCommandListDestroy(list));
	MUST(zeCommandQueueDestroy(queue));
	MUST(zeContextDestroy(w.context));
	return n;
}

/* The tenth of twenty jobs of 2 ms takes 300 ms more. */
static unsigned int stall(void)
{
	autosuspend(20000);
	knob("stall_job", 10);
	knob("stall_us", 300000);
	return row(20, 2 * MS, 0);
}

/* Three requests stay without an answer, each for 100 ms, and half a second tells that none comes.
 */
static unsigned int retry(void)
{
	unsigned int jobs;

	autosuspend(20000);
	knob("mute", 3);
	knob("retry_ms", 100);
	jobs = row(5, 2 * MS, 0);
	nap(600 * MS);
	return jobs;
}

/* Every submit wakes the device: 15 ms and 60 polls. */
static unsigned int cold(void)
{
	knob("boot_us", 15000);
	autosuspend(5);
	return row(5, 2 * MS, 1);
}

/* 32 buffers of 256 KiB, of 2 ms each; the 20th takes 30 ms more. One job with all of them. */
static unsigned int slow_alloc(void)
{
	ze_command_queue_handle_t queue;
	ze_command_list_handle_t list;
	struct work w;
	void *mem[32];

	autosuspend(20000);
	knob("create_ns", 2000000);
	knob("alloc_page_ns", 500);
	knob("slow_create", 20);
	knob("slow_create_us", 30000);
	begin(&w);
	for (int i = 0; i < 32; i++)
		MUST(zeMemAllocHost(w.context, NULL, 1 << 18, 64, &mem[i]));
	MUST(zeCommandQueueCreate(w.context, w.device, NULL, &queue));
	MUST(zeCommandListCreate(w.context, w.device, NULL, &list));
	for (int i = 0; i < 32; i += 2)
		MUST(zeCommandListAppendMemoryCopy(list, mem[i], mem[i + 1], 1 << 18, NULL, 0,
						   NULL));
	MUST(zeCommandListAppendBarrier(list, NULL, 0, NULL));
	run_list(queue, list, NULL);
	for (int i = 0; i < 32; i++)
		MUST(zeMemFree(w.context, mem[i]));
	MUST(zeCommandListDestroy(list));
	MUST(zeCommandQueueDestroy(queue));
	MUST(zeContextDestroy(w.context));
	return 1;
}

static const struct {
	const char *name;
	unsigned int (*run)(void); /* returns the number of jobs */
} scenarios[] = {
	{ "matmul", matmul },         { "many", many }, { "stall", stall }, { "retry", retry },
	{ "slow-alloc", slow_alloc }, { "cold", cold },
};

static int run(unsigned int i)
{
	struct timespec a, b;
	unsigned int jobs;

	defaults();
	clock_gettime(CLOCK_MONOTONIC, &a);
	jobs = scenarios[i].run();
	autosuspend(10);
	wait_asleep();
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("{\"scenario\": \"%s\", \"jobs\": %u, \"wall_ms\": %lld}\n", scenarios[i].name, jobs,
	       (b.tv_sec - a.tv_sec) * 1000ll + (b.tv_nsec - a.tv_nsec) / 1000000);
	return 0;
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:p:t:")) != -1) {
		unsigned int value = optarg ? (unsigned int)atoi(optarg) : 0;

		if (c == 'n')
			options.jobs = value;
		else if (c == 'p')
			options.processes = value;
		else if (c == 't')
			options.threads = value;
		else
			goto usage;
	}
	if (optind + 1 != argc || !options.processes || !options.threads || options.threads > 16)
		goto usage;
	for (unsigned int i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(argv[optind], scenarios[i].name) == 0)
			return run(i);
	}
usage:
	fprintf(stderr, "usage: npu-load [-n JOBS] [-p PROCESSES] [-t THREADS] SCENARIO\n"
			"scenarios: matmul many stall retry slow-alloc cold (-n, -p, -t: many)\n");
	return 2;
}
