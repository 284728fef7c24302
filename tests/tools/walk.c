/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks a trace in time order as the commands do, and prints what came and what it cost: for
 * benchmarks, and to compare ways of merging (-j threads, -m memory) by the hash of all events.
 */
#include "format/read/merge.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct walk {
	uint64_t events, gaps, damaged, unordered, hash;
	bool hashed;
};

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* FNV-1a over what an event is: order matters, the process does not. */
static uint64_t add(uint64_t hash, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

static int walk_section(struct walk *w, const struct xtr_reader *r, const struct xtr_section *s,
			const struct xtr_merge_opts *opts)
{
	uint64_t last = 0;
	struct xtr_event ev;
	struct xtr_err err;
	struct xtr_merge *m;
	int ret = xtr_merge_open(&m, r, s, opts);

	if (ret)
		return ret;
	while ((ret = xtr_merge_next(m, &ev, &err)) == 1 || ret == -EBADMSG) {
		if (ret == -EBADMSG) {
			w->damaged++;
			continue;
		}
		if (ev.gap) {
			w->gaps++;
			continue;
		}
		w->unordered += ev.ts < last;
		last = ev.ts;
		w->events++;
		if (w->hashed) {
			w->hash = add(w->hash, &ev.stream, sizeof(ev.stream));
			w->hash = add(w->hash, ev.rec, ev.size);
		}
	}
	xtr_merge_close(m);
	return ret;
}

int main(int argc, char **argv)
{
	struct xtr_merge_opts opts = { .sz = sizeof(opts) };
	struct walk w = { .hash = 0xcbf29ce484222325u };
	struct xtr_reader *r;
	struct rusage ru;
	double start = seconds(CLOCK_MONOTONIC), opened;
	int opt, ret;

	while ((opt = getopt(argc, argv, "j:m:c")) != -1) {
		if (opt == 'j')
			opts.threads = (unsigned int)strtoul(optarg, NULL, 10);
		else if (opt == 'm')
			opts.memory = strtoull(optarg, NULL, 10);
		else if (opt == 'c')
			w.hashed = true;
		else
			return 2;
	}
	if (optind + 1 != argc) {
		fputs("usage: walk [-j threads] [-m bytes] [-c (hash all events)] FILE\n", stderr);
		return 2;
	}
	ret = xtr_reader_open_path(&r, argv[optind], NULL);
	opened = seconds(CLOCK_MONOTONIC);
	for (size_t i = 0; !ret && i < xtr_reader_n_sections(r); i++)
		ret = walk_section(&w, r, xtr_reader_section(r, i), &opts);
	if (ret) {
		fprintf(stderr, "walk: %s: %s\n", argv[optind], strerror(-ret));
		return 1;
	}
	getrusage(RUSAGE_SELF, &ru);
	printf("events %" PRIu64 " gaps %" PRIu64 " damaged %" PRIu64 " unordered %" PRIu64
	       " hash %016" PRIx64 " open_s %.3f wall_s %.3f cpu_s %.3f peak_kib %ld\n",
	       w.events, w.gaps, w.damaged, w.unordered, w.hash, opened - start,
	       seconds(CLOCK_MONOTONIC) - start, seconds(CLOCK_PROCESS_CPUTIME_ID), ru.ru_maxrss);
	xtr_reader_close(r);
	return w.unordered ? 1 : 0;
}
