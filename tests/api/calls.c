/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls functions of a library that it loads by name when the first one is called.
 *
 * usage: calls [threads N] VERB NUMBER...
 *   load NAME     which library (default libze_loader.so.1)
 *   host N        N allocations of 4096, 8192, ... bytes
 *   shared N      N allocations that allocate twice more
 *   huge N        N allocations that fail
 *   sync NS       a call of that length; its begin and end (CLOCK_MONOTONIC, ns) are printed
 *   free N, submit N (N command lists), recurse DEPTH, close N (by both names), group N
 *   vulkan BYTES  vkAllocateMemory and vkFreeMemory
 *   unended N     N threads that end within a call
 *   die STATUS    the process ends within a call
 *   fork N        N processes, each of which makes the calls that follow; their parent waits
 *   wait 0        until standard input has ended; "ready" is printed before
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned int api(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
			 uintptr_t f, uintptr_t g);

static const char *library = "libze_loader.so.1";
static void *handle;
static void *memory;

static api *function(const char *name)
{
	api *f;

	if (!handle)
		handle = dlopen(library, RTLD_NOW);
	f = handle ? (api *)(uintptr_t)dlsym(handle, name) : NULL;
	if (!f) {
		fprintf(stderr, "calls: %s\n", dlerror());
		exit(2);
	}
	return f;
}

#define P ((uintptr_t)&memory)

static void host(long n)
{
	for (long i = 1; i <= n; i++)
		function("zeMemAllocHost")(1, 2, (uintptr_t)i * 4096, 64, P, 0, 0);
}

static void shared(long n)
{
	for (long i = 1; i <= n; i++)
		function("zeMemAllocShared")(1, 2, 3, (uintptr_t)i * 4096, 64, 0, P);
}

static void huge(long n)
{
	for (long i = 0; i < n; i++)
		function("zeMemAllocHost")(1, 2, 1ull << 41, 64, P, 0, 0);
}

static void release(long n)
{
	for (long i = 0; i < n; i++)
		function("zeMemFree")(1, P, 0, 0, 0, 0, 0);
}

static void submit(long n)
{
	function("zeCommandQueueExecuteCommandLists")(1, (uintptr_t)n, 0, 0, 0, 0, 0);
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sync_fence(long ns)
{
	api *f = function("zeFenceHostSynchronize");
	long long begin = now();

	f(1, (uintptr_t)ns, 0, 0, 0, 0, 0);
	printf("%lld %lld\n", begin, now());
}

static void recurse(long depth)
{
	function("zeEventHostSynchronize")(1, (uintptr_t)depth, 0, 0, 0, 0, 0);
}

static void close_list(long n)
{
	for (long i = 0; i < n; i++) {
		function("zeCommandListClose")(1, 0, 0, 0, 0, 0, 0);
		function("zeCommandListClose_v2")(1, 0, 0, 0, 0, 0, 0);
	}
}

static void group(long n)
{
	for (long i = 0; i < n; i++)
		function("zeKernelSetGroupSize")(1, 2, 3, 4, 0, 0, 0);
}

/* VkMemoryAllocateInfo: allocationSize at 16. */
static void vulkan(long bytes)
{
	uint64_t info[4] = { 5, 0, (uint64_t)bytes, 0 };

	function("vkAllocateMemory")(1, (uintptr_t)info, 0, P, 0, 0, 0);
	function("vkFreeMemory")(1, P, 0, 0, 0, 0, 0);
}

static void *end_within(void *arg)
{
	((api *)(uintptr_t)arg)(0, 0, 0, 0, 0, 0, 0);
	return NULL;
}

static void unended(long n)
{
	pthread_t t;

	for (long i = 0; i < n; i++) {
		if (pthread_create(&t, NULL, end_within, (void *)function("zeContextDestroy")))
			exit(2);
		pthread_join(t, NULL);
	}
}

static void die(long status)
{
	function("zeModuleDestroy")((uintptr_t)status, 0, 0, 0, 0, 0, 0);
}

static void fork_all(long n)
{
	for (long i = 0; i < n; i++) {
		if (fork() == 0)
			return;
	}
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static void wait_for_end(long unused)
{
	char byte;

	(void)unused;
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
}

static const struct {
	const char *verb;
	void (*run)(long n);
} verbs[] = {
	{ "host", host },       { "shared", shared },     { "huge", huge },
	{ "free", release },    { "submit", submit },     { "sync", sync_fence },
	{ "recurse", recurse }, { "close", close_list },  { "group", group },
	{ "vulkan", vulkan },   { "unended", unended },   { "die", die },
	{ "fork", fork_all },   { "wait", wait_for_end },
};

static void run(const char *verb, const char *number)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].verb, verb) == 0) {
			verbs[i].run(atol(number));
			return;
		}
	}
	fprintf(stderr, "calls: no verb '%s'\n", verb);
	exit(2);
}

static void *run_all(void *arg)
{
	char **argv = arg;

	for (; argv[0] && argv[1]; argv += 2)
		run(argv[0], argv[1]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[64];
	long n;

	argv++;
	if (argc > 2 && strcmp(argv[0], "load") == 0) {
		library = argv[1];
		argv += 2;
	}
	if (!argv[0] || strcmp(argv[0], "threads") || !argv[1]) {
		run_all(argv);
		return 0;
	}
	n = atol(argv[1]);
	function("zeInit"); /* loaded once */
	for (long i = 0; i < n && i < 64; i++) {
		if (pthread_create(&t[i], NULL, run_all, argv + 2))
			return 2;
	}
	for (long i = 0; i < n && i < 64; i++)
		pthread_join(t[i], NULL);
	return 0;
}
