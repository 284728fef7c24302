/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target without libFuzzer:
 *
 *     fuzz_NAME [-m ROUNDS] [-w] FILE-OR-FOLDER...
 *
 * each input once as it is and, with -m, ROUNDS times more after mutation (mutate.c, fixed seeds,
 * so that a run repeats exactly). A broken promise or a sanitizer ends the program; otherwise it
 * prints how many inputs it ran. No input at all is a failure: an empty corpus must not look like
 * success.
 *
 * -w weighs each input (weigh.h), prints the heaviest and the slowest one, and fails if one took
 * more than 64 MiB, or more than a second twice.
 */
#include "fuzz.h"
#include "weigh.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_MAX (1u << 20)    /* bytes of one input, mutations included */
#define HEAP_MAX  (64u << 20)   /* bytes */
#define CPU_MAX   1000000000ull /* ns */

struct driver {
	unsigned int rounds;  /* mutations per input */
	unsigned long inputs; /* run so far, mutations included */
	bool weigh;
	struct weight most;               /* of any input */
	char heaviest[256], slowest[256]; /* their paths */
	const char *path;                 /* of the input at hand */
	int failed;
};

static uint64_t rng_state = 1;

/* xorshift64*: reproducible, good enough to choose places and values. */
static uint64_t rng(void)
{
	rng_state ^= rng_state >> 12;
	rng_state ^= rng_state << 25;
	rng_state ^= rng_state >> 27;
	return rng_state * 0x2545f4914f6cdd1dull;
}

/* libFuzzer's entry for mutators, in small: flip, set, insert or remove a few bytes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	static const uint8_t edges[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t at = size ? rng() % size : 0;

	switch (rng() % 4) {
	case 0:
		if (size)
			data[at] ^= (uint8_t)(1u << rng() % 8);
		return size;
	case 1:
		if (size)
			data[at] = edges[rng() % sizeof(edges)];
		return size;
	case 2:
		if (size >= max)
			return size;
		memmove(data + at + 1, data + at, size - at);
		data[at] = (uint8_t)rng();
		return size + 1;
	default:
		if (!size)
			return 0;
		memmove(data + at, data + at + 1, size - at - 1);
		return size - 1;
	}
}

static void keep_path(char to[256], const char *path)
{
	snprintf(to, 256, "%s", path);
}

static struct weight weigh(const uint8_t *data, size_t size)
{
	weigh_begin();
	LLVMFuzzerTestOneInput(data, size);
	return weigh_end();
}

/* A machine may be busy with something else, and a first run also fills caches: two tries. */
static void weigh_one(struct driver *d, const uint8_t *data, size_t size)
{
	struct weight w = weigh(data, size), again;

	if (w.cpu_ns > CPU_MAX) {
		again = weigh(data, size);
		w.cpu_ns = again.cpu_ns < w.cpu_ns ? again.cpu_ns : w.cpu_ns;
	}
	if (w.heap > HEAP_MAX || w.cpu_ns > CPU_MAX) {
		printf("FAIL %s: %zu bytes of heap, %.3f s\n", d->path, w.heap,
		       (double)w.cpu_ns / 1e9);
		d->failed = 1;
	}
	if (w.heap >= d->most.heap) {
		d->most.heap = w.heap;
		keep_path(d->heaviest, d->path);
	}
	if (w.cpu_ns >= d->most.cpu_ns) {
		d->most.cpu_ns = w.cpu_ns;
		keep_path(d->slowest, d->path);
	}
}

/* The input in a buffer of its own size, so that a read past its end is seen. */
static void run_one(struct driver *d, const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	FUZZ_CHECK(copy);
	memcpy(copy, data, size);
	if (d->weigh)
		weigh_one(d, copy, size);
	else
		LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	d->inputs++;
}

static int run_file(struct driver *d, const char *path)
{
	static uint8_t original[INPUT_MAX], work[INPUT_MAX];
	FILE *f = fopen(path, "rb");
	size_t size, n;

	if (!f) {
		perror(path);
		return -1;
	}
	size = fread(original, 1, sizeof(original), f);
	fclose(f);
	d->path = path;
	run_one(d, original, size);
	for (unsigned int i = 0; i < d->rounds; i++) {
		memcpy(work, original, size);
		n = LLVMFuzzerCustomMutator(work, size, sizeof(work), (unsigned int)rng());
		run_one(d, work, n);
	}
	return 0;
}

static int run_path(struct driver *d, const char *path)
{
	struct dirent **names;
	struct stat st;
	char sub[4096];
	int n, rc = 0;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return run_file(d, path);
	n = scandir(path, &names, NULL, alphasort);
	if (n < 0) {
		perror(path);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		snprintf(sub, sizeof(sub), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			rc |= run_path(d, sub);
		free(names[i]);
	}
	free(names);
	return rc;
}

int main(int argc, char **argv)
{
	struct driver d = { 0 };
	int opt, rc = 0;

	while ((opt = getopt(argc, argv, "m:w")) != -1) {
		if (opt == 'm')
			d.rounds = (unsigned int)strtoul(optarg, NULL, 10);
		else if (opt == 'w' && weigh_begin)
			d.weigh = true;
		else
			return 2;
	}
	for (int i = optind; i < argc; i++)
		rc |= run_path(&d, argv[i]);
	printf("%s: %lu inputs\n", argv[0], d.inputs);
	if (d.weigh)
		printf("heap %zu %s\ncpu %" PRIu64 " %s\n", d.most.heap, d.heaviest, d.most.cpu_ns,
		       d.slowest);
	return rc || d.failed || !d.inputs;
}
