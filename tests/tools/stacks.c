/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a trace whose jobs have stacks, as xtr record --stack makes it on a machine with a GPU:
 * rings that execute in order and one that does not, jobs without a stack, open and lost ones,
 * dependencies, threads that wait for fences. The same bytes each time.
 *
 * usage: stacks plain|hostile OUTPUT   hostile: names of functions, files and threads mean harm
 */
#include "tests/golden/gen.h"

#include <stdbool.h>

#define JOBS   600u
#define STACKS 12u

static const char *const plain[] = { "main",
				     "frame_loop",
				     "draw",
				     "upload",
				     "glFlush",
				     "amdgpu_cs_submit",
				     "entry_SYSCALL_64",
				     "drm_ioctl",
				     "drm_sched_entity_push_job" };
static const char *const hostile[] = { "<script>alert(1)</script>",
				       "a;b",
				       "new\nline 12",
				       "\"quoted' & more>",
				       "\x1b[31mred",
				       "\xff\xfe not UTF-8",
				       "]]>--><!--",
				       "\xef\xbf\xbf\xe2\x80\xae",
				       "back\\slash 7" };
static const char *const modules[] = { "/usr/bin/game",
				       "/usr/lib/libGL.so.1",
				       "/usr/bin/game",
				       "",
				       "/usr/lib/libdrm.so.2",
				       "/usr/lib/libdrm.so.2",
				       "kernel",
				       "drm",
				       "gpu_sched" };
static bool evil;

static uint32_t frame(struct gen *g, unsigned int i)
{
	const char *symbol = evil ? hostile[i] : plain[i];
	const char *module = evil && i == 4 ? "/lib/<&\">;\n.so" : modules[i];
	struct xtr_frame f = { .symbol = intern(g, symbol, strlen(symbol)),
			       .offset = 0x10 + i,
			       .module = *module ? intern(g, module, strlen(module)) : 0 };
	uint32_t id;

	if (i == 3) /* not even a name */
		f.symbol = 0;
	must(xtr_tables_intern_frame(g->tables, &f, &id), "frame");
	return id;
}

/* Innermost first; user frames 0 to 5 in different numbers, always the same kernel's. */
static void stacks(struct gen *g)
{
	uint32_t ids[9], id, n, i;

	for (id = 1; id <= STACKS; id++) {
		for (n = 0, i = 8; i >= 6; i--)
			ids[n++] = frame(g, i);
		for (i = 5; i > 0; i--)
			if ((id * 5 + 3) >> (i - 1) & 1)
				ids[n++] = frame(g, i);
		ids[n++] = frame(g, 0);
		must(xtr_tables_add_stack(g->tables, id, ids, n), "stack");
	}
}

static void rings(struct gen *g)
{
	const char *comm = evil ? "g<a>;m\ne" : "game";

	device(g, "0000:03:00.0", "amdgpu");
	device(g, "0000:00:02.0", "xe");
	ring(g, 1, "0000:03:00.0", "gfx_0.0.0", 2);
	ring(g, 2, "0000:03:00.0", "sdma0", 1);
	ring(g, 3, "0000:00:02.0", "rcs12", 64);
	task(g, 4200, 4200, comm, strlen(comm));
	task(g, 4242, 4200, "game:gdrv0", 10);
	task(g, 5000, 5000, "editor", 6);
}

static void wait_for(struct gen *g, uint64_t from, uint64_t to, uint64_t ctx, uint64_t seqno)
{
	struct xtr_rec_fence_stack r = { .ctx = ctx, .seqno = seqno };

	r.ops = intern(g, "drm_sched_fence_ops_finished", 28);
	r.stack = (uint32_t)(from / US % (STACKS + 1)); /* 0: none */
	put(g, &r, from, XTR_EV_FENCE_WAIT_START, sizeof(r));
	if (to)
		put(g, &r, to, XTR_EV_FENCE_WAIT_END, sizeof(struct xtr_rec_fence));
}

static void fill(struct gen *g)
{
	uint64_t t = 0, i, last[4] = { 0 }; /* last: done of the ring's job before */

	rings(g);
	stacks(g);
	for (i = 1; i <= JOBS; i++) {
		uint32_t on = (uint32_t)(i % 3) + 1;
		uint64_t ctx = 10 * on + 1, run_at = t + 20 * US + i * 7919 % 100000;
		uint64_t from = on < 3 && last[on] > run_at ? last[on] : run_at;
		uint64_t done_at = from + 20 * US + i * 104729 % (on < 3 ? 300000 : 900000);

		g->tid = i % 5 ? 4242 : 5000;
		last[on] = done_at;
		/* 0: none; 13: one that is not in the file */
		g->stack = i % 50 == 7 ? STACKS + 1 : (uint32_t)(i * 7 % 13);
		queue(g, t, ctx, i, on);
		g->stack = 0;
		if (i % 17 == 3)
			dep(g, XTR_EV_JOB_UNSCHEDULABLE, t + 1 * US, ctx, i, 11, i - 1, on, 0);
		if (i % 41)
			run(g, run_at, ctx, i, on);
		if (i % 43)
			done(g, done_at, ctx, i, on);
		if (i % 10 == 1)
			wait_for(g, run_at + 1 * US, i % 30 == 1 ? 0 : done_at + 5 * US, ctx, i);
		if (i % 20 == 2)
			wait_for(g, t + 2 * US, t + 9 * US, 900, i);
		t += 60 * US + i * 31337 % 200000;
	}
}

int main(int argc, char **argv)
{
	if (argc != 3 || (strcmp(argv[1], "plain") && strcmp(argv[1], "hostile"))) {
		fprintf(stderr, "usage: stacks plain|hostile OUTPUT\n");
		return 2;
	}
	evil = !strcmp(argv[1], "hostile");
	gen_write_as(argv[2], fill, true);
	return 0;
}
