/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The power fails while a trace is written: makes the files that may be on the disk then, and holds
 * each against what parts/judge.h demands, and against this: each chunk that was synced is shown.
 *
 * usage: crash SEED N [FIRST STEP]   the workloads FIRST, FIRST + STEP, ... of parts/workload.h
 *        crash SEED N notes FILE...  of each of these notes of writes (parts/oplog.h)
 * For each write, the crash comes when it and those before it are on their way. Where these have at
 * most 8 * N combinations of fates, or sectors of being there, all are tried; else N random ones.
 * SAVE=DIR and EACH=K in the environment: each K-th image is left there as NUMBER.xtr, with a line
 * in DIR/list of its number, events that were synced, and all. Prints one line for each broken
 * demand, at most 20, then `W writes, S syncs, E images of E all, CASES cases, BROKEN broken`.
 */
#include "parts/image.h"
#include "parts/workload.h"
#include "format/xtr_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 24 /* of one stretch between two syncs, at most */

struct sums {
	uint64_t writes, syncs, all, cases, broken;
};

struct run {
	const char *name;
	struct truth t;
	struct crash c;
	struct damage d;
	uint64_t state, n; /* random numbers; images of each moment */
	const char *save;
	uint64_t each;
	struct sums sum;
};

/* Events of chunks that end below this offset. */
static uint64_t events_below(const struct truth *t, size_t end)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n_chunks; i++)
		if (t->chunk[i].recs && t->chunk[i].c.offset + truth_span(&t->chunk[i].c) <= end)
			n += t->chunk[i].c.n_records;
	return n;
}

static FILE *create(const char *folder, const char *name, const char *mode)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, mode);
	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

static void save(const struct run *r)
{
	char name[32];
	FILE *f;

	snprintf(name, sizeof(name), "%" PRIu64 ".xtr", r->sum.cases);
	f = create(r->save, name, "wb");
	fwrite(r->d.data, 1, r->d.n, f);
	fclose(f);
	f = create(r->save, "list", "a");
	fprintf(f, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->sum.cases,
		events_below(&r->t, r->d.safe), events_below(&r->t, r->t.n));
	fclose(f);
}

/* A copy of the image's size, so that a sanitizer sees a read past the end. */
static void one(struct run *r, const char *what)
{
	const uint8_t *image = r->d.data;
	uint8_t *copy = must(malloc(r->d.n + !r->d.n));
	const char *why;

	memcpy(copy, image, r->d.n);
	r->d.data = copy;
	r->d.merge = r->sum.cases % 8 == 0;
	why = judge(&r->t, &r->d);
	r->d.data = image;
	free(copy);
	if (r->save && r->sum.cases % r->each == 0)
		save(r);
	r->sum.cases++;
	if (why && r->sum.broken++ < 20)
		printf("FAIL %s: case %" PRIu64 ", %s, %zu bytes synced, %zu written: %s\n",
		       r->name, r->sum.cases - 1, what, r->c.durable, r->c.end, why);
}

/* All combinations of fates, or false if they are too many. */
static bool all_fates(struct run *r, uint8_t *fate, size_t n)
{
	uint64_t all = 1;

	for (size_t i = 0; i < n; i++)
		if ((all *= FATES) > 8 * r->n)
			return false;
	for (uint64_t k = 0; k < all; k++) {
		uint64_t digits = k;

		for (size_t i = 0; i < n; i++, digits /= FATES)
			fate[i] = (uint8_t)(digits % FATES);
		image_by_writes(&r->c, fate, &r->state, &r->d);
		one(r, "each fate of the writes");
		r->sum.all++;
	}
	return true;
}

static void by_writes(struct run *r, uint64_t draws)
{
	size_t n = r->c.last - r->c.first;
	uint8_t *fate = must(malloc(n));

	if (!all_fates(r, fate, n)) {
		for (uint64_t k = 0; k < draws; k++) {
			uint64_t kept = draw(&r->state, 10);

			for (size_t i = 0; i < n; i++)
				fate[i] = draw(&r->state, 10) < kept
						  ? FATE_KEPT
						  : (uint8_t)draw(&r->state, FATES);
			image_by_writes(&r->c, fate, &r->state, &r->d);
			one(r, "fates of the writes");
		}
	}
	free(fate);
}

static void by_tears(struct run *r, uint64_t draws)
{
	size_t n = image_tears(&r->c), step = n / (2 * draws + 1) + 1;

	for (size_t k = 0; k < n; k += step) {
		image_torn(&r->c, k, false, &r->d);
		one(r, "a torn write");
		image_torn(&r->c, k, true, &r->d);
		one(r, "a torn write and zeros");
	}
	r->sum.all += step == 1 ? 2 * n : 0;
}

static void by_sectors(struct run *r, uint64_t draws)
{
	size_t n = image_sectors(&r->c);

	if (n < 32 && 1ull << n <= 8 * r->n) {
		for (uint64_t bits = 0; bits < 1ull << n; bits++) {
			image_by_bits(&r->c, bits, &r->d);
			one(r, "each set of sectors");
		}
		r->sum.all += 1ull << n;
	}
	for (uint64_t k = 0; k < draws; k++) {
		image_by_sectors(&r->c, &r->state, &r->d);
		one(r, "any sectors");
	}
}

/* The writes [first, last) stand between two syncs. */
static void stretch(struct run *r, size_t first, size_t last)
{
	size_t n = last - first;

	r->c.first = first;
	r->c.durable = r->c.log->op[first].at;
	for (size_t k = 1; k <= n; k++) {
		const struct op *o = &r->c.log->op[first + k - 1];
		/* Long ones are not looked at after each write, and larger files not as often. */
		uint64_t draws = r->n * 20000 / (20000 + o->at) + 1;

		if (n > POINTS && k != n && draw(&r->state, n) >= POINTS)
			continue;
		r->c.last = first + k;
		r->c.end = o->at + o->n;
		by_writes(r, draws);
		by_tears(r, draws);
		by_sectors(r, draws);
	}
	r->sum.writes += n;
}

static void crashes(struct run *r, const char *name, struct oplog *log, const struct oplog *old)
{
	uint8_t *copy = must(malloc(log->n + 1)), *image = must(malloc(log->n + 1));
	size_t first = 0;

	memcpy(copy, log->data, log->n);
	truth_load(&r->t, name, copy, log->n);
	r->name = name;
	r->c = (struct crash){ .log = log, .old = old };
	r->d = (struct damage){ .data = image };
	for (size_t i = 0; i <= log->n_ops; i++) {
		if (i < log->n_ops && !log->op[i].sync)
			continue;
		if (i > first)
			stretch(r, first, i);
		r->sum.syncs += i < log->n_ops;
		first = i + 1;
	}
	truth_free(&r->t);
	free(image);
}

static void made_up(struct run *r, size_t first, size_t step, const struct oplog *old)
{
	for (size_t i = first; i < n_workloads; i += step) {
		struct oplog log;

		oplog_init(&log);
		workload_run(&workloads[i], r->state, &log.io);
		crashes(r, workloads[i].name, &log, old);
		oplog_free(&log);
	}
}

static int usage(void)
{
	fputs("usage: crash SEED N [FIRST STEP] | SEED N notes FILE...\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct run r = { .save = getenv("SAVE"), .each = 1 };
	bool notes = argc > 3 && !strcmp(argv[3], "notes");
	const char *each = getenv("EACH");
	struct oplog old;

	if (argc < 3 || (argc != 3 && argc != 5 && !notes))
		return usage();
	r.state = strtoull(argv[1], NULL, 0);
	r.n = strtoull(argv[2], NULL, 0);
	if (each && atol(each) > 0)
		r.each = (uint64_t)atol(each);
	if (!r.n || (argc == 5 && !notes && strtoul(argv[4], NULL, 0) == 0))
		return usage();
	oplog_init(&old);
	workload_run(&workloads[0], r.state + 1000, &old.io);
	for (int i = 4; notes && i < argc; i++) {
		struct oplog log;

		oplog_load(&log, argv[i]);
		crashes(&r, argv[i], &log, &old);
		oplog_free(&log);
	}
	if (!notes)
		made_up(&r, argc == 5 ? strtoul(argv[3], NULL, 0) : 0,
			argc == 5 ? strtoul(argv[4], NULL, 0) : 1, &old);
	oplog_free(&old);
	printf("%" PRIu64 " writes, %" PRIu64 " syncs, %" PRIu64 " images of all, %" PRIu64
	       " cases, %" PRIu64 " broken\n",
	       r.sum.writes, r.sum.syncs, r.sum.all, r.sum.cases, r.sum.broken);
	return r.sum.broken != 0;
}
