/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target without libFuzzer:
 *
 *     fuzz_NAME [-m ROUNDS] FILE-OR-FOLDER...
 *
 * each input once as it is and, with -m, ROUNDS times more after mutation (mutate.c, fixed seeds,
 * so that a run repeats exactly). A broken promise or a sanitizer ends the program; otherwise it
 * prints how many inputs it ran. No input at all is a failure: an empty corpus must not look like
 * success.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_MAX (1u << 20) /* bytes of one input, mutations included */

struct driver {
	unsigned int rounds;  /* mutations per input */
	unsigned long inputs; /* run so far, mutations included */
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

/* The input in a buffer of its own size, so that a read past its end is seen. */
static void run_one(struct driver *d, const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	FUZZ_CHECK(copy);
	memcpy(copy, data, size);
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

	while ((opt = getopt(argc, argv, "m:")) != -1) {
		if (opt != 'm')
			return 2;
		d.rounds = (unsigned int)strtoul(optarg, NULL, 10);
	}
	for (int i = optind; i < argc; i++)
		rc |= run_path(&d, argv[i]);
	printf("%s: %lu inputs\n", argv[0], d.inputs);
	return rc || !d.inputs;
}
