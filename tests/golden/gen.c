/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the traces of tests/golden: small scenarios whose jobs are known by heart. The same bytes
 * each time. usage: gen SCENARIO OUTPUT
 */
#include "npu.h"

static void rings(struct gen *g)
{
	device(g, "0000:03:00.0", "amdgpu");
	device(g, "0000:c1:00.0", "amdgpu");
	device(g, "0000:00:02.0", "xe");
	ring(g, 1, "0000:03:00.0", "gfx_0.0.0", 2);
	ring(g, 2, "0000:03:00.0", "sdma0", 2);
	ring(g, 3, "0000:c1:00.0", "gfx_0.0.0", 2);
	ring(g, 4, "0000:00:02.0", "rcs12", 64);
	ring(g, 5, "0000:03:00.0", "vcn_dec_0", 1);
	task(g, 4242, 4200, "game:gdrv0", 10);
	task(g, 4200, 4200, "game", 4);
	task(g, 77, 77, "kworker/u8:2", 12);
	g->flags = XTR_JOB_CLIENT_KNOWN;
	g->client = 9;
	g->tid = 4242;
}

/* A frame on every kind of ring: copy, wait for the copy, draw twice; another device; a shared
 * engine. */
static void frames(struct gen *g, uint16_t wait_type)
{
	uint64_t t;

	for (uint64_t i = 0; i < 20; i++) {
		t = i * 16 * MS;
		g->job_count = (uint32_t)(i % 3);
		job(g, 21, 1 + i, 2, t, t + 20 * US, t + 2020 * US);
		job(g, 11, 1 + 2 * i, 1, t + 10 * US, t + 2050 * US, t + 6050 * US);
		dep(g, wait_type, t + 30 * US, 11, 1 + 2 * i, 21, 1 + i, 1, 0);
		job(g, 11, 2 + 2 * i, 1, t + 15 * US, t + 2060 * US, t + 9050 * US);
		job(g, 31, 1 + i, 3, t + 40 * US, t + 60 * US, t + (1000 + 100 * i) * US);
		job(g, 41, 1 + i, 4, t + 50 * US, t + 70 * US, t + 5000 * US);
		job(g, 51, 1 + i, 5, t + 100 * US, t + 110 * US, t + 3110 * US);
	}
	g->flags |= XTR_JOB_KTHREAD;
	g->client = 18446744073709551609ull;
	g->tid = 77;
	job(g, 23, 1, 2, 4 * MS, 5 * MS, 6 * MS);
}

static void in_order(struct gen *g)
{
	rings(g);
	frames(g, XTR_EV_JOB_UNSCHEDULABLE);
}

static void old_kernel(struct gen *g)
{
	rings(g);
	frames(g, XTR_EV_JOB_WAIT_DEP);
}

static uint32_t frame(struct gen *g, const char *symbol, uint64_t offset, const char *module)
{
	struct xtr_frame f = { .symbol = intern(g, symbol, strlen(symbol)),
			       .offset = offset,
			       .module = intern(g, module, strlen(module)) };
	uint32_t id;

	if (!*symbol)
		f.symbol = 0;
	must(xtr_tables_intern_frame(g->tables, &f, &id), "frame");
	return id;
}

/* A frame with symbol and module, one with a module alone, one with neither. */
static uint32_t stack(struct gen *g)
{
	const uint32_t frames[] = { frame(g, "drm_sched_entity_push_job", 0x121, "gpu_sched"),
				    frame(g, "", 0x10ed6b, "libc.so.6"),
				    frame(g, "", 0x7f705a9cad6b, "") };

	must(xtr_tables_add_stack(g->tables, 1, frames, 3), "stack");
	return 1;
}

/* Killed, timed out, batch, open at both ends, a gap, a hostile name. */
static void trouble(struct gen *g)
{
	static const struct xtr_gap gap = {
		.stream = 1, .first = BEGIN + 40 * MS, .last = BEGIN + 42 * MS, .count = 3
	};
	static const char evil[] = "ev\x1b[31m,\"\xff\n";

	rings(g);
	task(g, 666, 600, evil, sizeof(evil) - 1);
	done(g, 1 * US, 11, 1, 1);
	job(g, 11, 2, 1, 2 * US, 5 * US, 300 * US);
	job(g, 11, 3, 1, 3 * US, 6 * US, 304 * US);
	g->tid = 666;
	g->stack = stack(g);
	queue(g, 1 * MS, 13, 1, 1);
	g->stack = 0;
	signaled(g, 2 * MS, 13, 1, -ESRCH);
	job(g, 15, 1, 2, 3 * MS, 4 * MS, 30 * MS);
	signaled(g, 30 * MS + 2 * US, 15, 1, -ETIME);
	queue(g, 35 * MS, 17, 1, 1);
	run(g, 36 * MS, 17, 1, 1);
	must(xtr_loss_add_gap(g->loss, &gap), "gap");
	must(xtr_loss_set(g->loss, 1, XTR_EV_JOB_DONE, XTR_LOSS_RING_FULL, 3), "loss");
	g->cpu = 1;
	queue(g, 50 * MS, 19, 1, 5);
	run(g, 51 * MS, 19, 1, 5);
}

/* Nothing of a GPU. */
static void no_jobs(struct gen *g)
{
	struct xtr_rec_fence r = { .ctx = 5, .seqno = 1 };

	rings(g);
	r.ops = intern(g, "sync_timeline_ops", 17);
	put(g, &r, 1 * US, XTR_EV_FENCE_INIT, sizeof(r));
	put(g, &r, 3 * MS, XTR_EV_FENCE_WAIT_START, sizeof(r));
	put(g, &r, 4 * MS, XTR_EV_FENCE_WAIT_END, sizeof(r));
}

/*
 * The NPU: a process whose jobs follow each other, a second one whose jobs overlap the first's, a
 * submission that fails, a GPU job that waits for an NPU job, an error, and a job without an end.
 */
static void npu(struct gen *g)
{
	rings(g);
	npu_describe(g);
	task(g, 5001, 5000, "llm:submit", 10);
	for (uint64_t i = 0; i < 6; i++) {
		npu_submit(g, i * 400 * US, 1000 + i, 2, 256 + (uint32_t)i, 0);
		npu_done(g, (i + 1) * MS, 1000 + i, 2, 256 + (uint32_t)i, 0);
	}
	queue(g, 5 * MS, 11, 1, 1);
	dep(g, XTR_EV_JOB_UNSCHEDULABLE, 5 * MS + 1 * US, 11, 1, 1005, 1, 1, 0);
	run(g, 6 * MS + 5 * US, 11, 1, 1);
	done(g, 7 * MS, 11, 1, 1);
	npu_submit(g, 8 * MS, 1006, 2, 262, -EBUSY);
	npu_submit(g, 10 * MS, 1007, 2, 262, 0);
	g->tid = 5001;
	npu_submit(g, 11 * MS, 1008, 3, 512, 0);
	npu_done(g, 13 * MS, 1007, 2, 262, 0);
	npu_done(g, 15 * MS, 1008, 3, 512, -EIO);
	npu_submit(g, 16 * MS, 1009, 3, 513, 0);
}

/*
 * A number of a process that is given again: alpha with 5 jobs, then beta with 3, of its second
 * thread, whose first one the trace does not know; and a process whose number nobody else had.
 */
static void reused(struct gen *g)
{
	rings(g);
	task_of(g, 180, 180, "alpha", 0, -(int64_t)MS);
	task_of(g, 190, 190, "gamma", 0, 0);
	task_of(g, 181, 180, "beta", 60 * MS, 59 * MS);
	for (uint64_t i = 0; i < 10; i++) {
		g->tid = i < 5 ? 180 : i < 8 ? 181 : 190;
		job(g, 21 + 2 * (i / 5), i + 1, 1, i * 10 * MS + 10 * MS, i * 10 * MS + 11 * MS,
		    i * 10 * MS + 12 * MS + i * US);
	}
}

#define COMPUTES 20u
#define STAR     4u /* those that wait for the same ring */

/* A compute ring's job: of the first ones after the video's job, else of each even one after that
 * of the odd one behind it. */
static void compute(struct gen *g, uint32_t k, uint64_t i, uint64_t t)
{
	uint64_t ctx = 200 + 2 * k;

	g->tid = 6000 + k;
	if (k >= STAR && k % 2) {
		job(g, ctx, i, 100 + k, t + 10 * US, t + 20 * US, t + (2500 + 10 * k) * US);
		return;
	}
	job(g, ctx, i, 100 + k, t + 20 * US, t + (3020 + k) * US, t + (4000 + 100 * k) * US);
	dep(g, XTR_EV_JOB_UNSCHEDULABLE, t + (40 + k) * US, ctx, i, k < STAR ? 51 : ctx + 2, i,
	    100 + k, 0);
}

/*
 * More rings, processes and findings than a screen has room for: gfx waits for sdma0 and that for
 * vcn_dec_0, and compute rings for this one and each other.
 */
static void crowded(struct gen *g)
{
	char name[16];

	rings(g);
	for (uint32_t k = 0; k < COMPUTES; k++) {
		snprintf(name, sizeof(name), "comp_1.%u.%u", k / 4, k % 4);
		ring(g, 100 + k, "0000:c1:00.0", name, 2);
		snprintf(name, sizeof(name), "worker%u", k);
		task(g, 6000 + k, 6000 + k, name, strlen(name));
	}
	for (uint64_t t = 0, i = 1; i <= 10; i++, t += 10 * MS) {
		g->tid = 4242;
		job(g, 51, i, 5, t, t + 20 * US, t + 3 * MS);
		job(g, 21, i, 2, t + 10 * US, t + 3010 * US, t + 5 * MS);
		dep(g, XTR_EV_JOB_UNSCHEDULABLE, t + 30 * US, 21, i, 51, i, 2, 0);
		job(g, 11, i, 1, t + 15 * US, t + 5010 * US, t + 8 * MS);
		dep(g, XTR_EV_JOB_UNSCHEDULABLE, t + 35 * US, 11, i, 21, i, 1, 0);
		for (uint32_t k = 0; k < COMPUTES; k++)
			compute(g, k, i, t);
	}
}

static const struct {
	const char *name;
	void (*fill)(struct gen *g);
} scenarios[] = {
	{ "frames", in_order }, { "frames-old-kernel", old_kernel },
	{ "trouble", trouble }, { "no-jobs", no_jobs },
	{ "npu", npu },         { "reused", reused },
	{ "crowded", crowded },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(argv[1], scenarios[i].name))
			continue;
		gen_write(argv[2], scenarios[i].fill);
		return 0;
	}
	fprintf(stderr, "usage: gen SCENARIO OUTPUT\n");
	return 2;
}
