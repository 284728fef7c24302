/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fakegpu-chain: jobs of three processes that wait for each other over two devices, and a process
 * that submits late. Each round "feeder" submits a job of 60 ms on the second device, "middle" one
 * of 20 ms on the first that depends on it, and "victim" one of 5 ms on another ring that depends
 * on that. Then "sleeper" submits a job of 2 ms, waits for it, and sleeps for 80 ms; ten times.
 * Prints a line of JSON for each job whose cause is known.
 */
#include "fakegpu-client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS   15
#define FEED_NS  (60 * GPU_MS)
#define PASS_NS  (20 * GPU_MS)
#define DRAW_NS  (5 * GPU_MS)
#define SMALL_NS (2 * GPU_MS)
#define SLEEP_NS (80 * GPU_MS)

enum ring {
	GFX,
	COMPUTE,
	COPY,
	VIDEO
};

/* What they are asked with is the handle of the job that theirs depends on. */
static struct gpu_job serve(const char *name, uint64_t handle)
{
	static int gpu = -1;

	if (gpu < 0)
		gpu = gpu_open(!strcmp(name, "feeder"));
	if (!strcmp(name, "feeder"))
		return gpu_submit(gpu, COPY, FEED_NS, NULL, 0);
	if (!strcmp(name, "middle"))
		return gpu_submit(gpu, VIDEO, PASS_NS, &handle, 1);
	return gpu_submit(gpu, GFX, DRAW_NS, &handle, 1);
}

static struct gpu_job sleep_first(const char *name, uint64_t number)
{
	static int gpu = -1;
	struct gpu_job j;

	(void)name;
	if (gpu < 0)
		gpu = gpu_open(0);
	if (number)
		gpu_sleep(SLEEP_NS);
	j = gpu_submit(gpu, GFX, SMALL_NS, NULL, 0);
	gpu_wait(gpu, &j);
	return j;
}

static struct gpu_job ask(struct gpu_client *c, uint64_t number)
{
	gpu_client_ask(c, number);
	return gpu_client_answer(c);
}

static void put(const char *name, const struct gpu_job *j)
{
	printf("\"%s\":[%" PRIu64 ",%" PRIu64 "]", name, j->context, j->seqno);
}

int main(void)
{
	struct gpu_client feeder, middle, victim, sleeper;
	int gpu = gpu_open(0);

	gpu_client_start(&feeder, "feeder", serve);
	gpu_client_start(&middle, "middle", serve);
	gpu_client_start(&victim, "victim", serve);
	gpu_client_start(&sleeper, "sleeper", sleep_first);
	for (int i = 0; i < ROUNDS; i++) {
		struct gpu_job fed = ask(&feeder, 0), passed = ask(&middle, fed.handle),
			       drawn = ask(&victim, passed.handle);

		gpu_wait(gpu, &drawn);
		printf("{");
		put("victim", &drawn);
		printf(",");
		put("middle", &passed);
		printf(",");
		put("feeder", &fed);
		puts("}");
	}
	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct gpu_job late = ask(&sleeper, i);

		printf("{");
		put(i ? "sleeper" : "first", &late);
		puts("}");
	}
	return 0;
}
