/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the traces of tests/golden: small scenarios whose jobs are known by heart. The same bytes
 * each time. usage: gen SCENARIO OUTPUT
 */
#include "format/loss.h"
#include "format/writer.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/xtr_events.h"

#define US       1000ull
#define MS       1000000ull
#define BEGIN    1000000000ull /* ns: the first event is about here */
#define BUF_SIZE 65536u
#define CPUS     2u

struct gen {
	struct xtr_io *io;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer *w;
	uint8_t buf[CPUS][BUF_SIZE];
	uint32_t len[CPUS], n[CPUS];
	uint32_t cpu, tid, flags, job_count, stack;
	uint64_t client;
};

static void must(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "gen: %s: %s\n", what, strerror(-ret));
	exit(1);
}

static uint32_t intern(struct gen *g, const char *s, size_t n)
{
	uint32_t id;

	must(xtr_tables_intern(g->tables, s, n, &id), "string");
	return id;
}

static void device(struct gen *g, const char *name, const char *driver)
{
	struct xtr_device d = { .name = name, .driver = driver };

	must(xtr_meta_add_device(g->meta, &d), "device");
}

static void ring(struct gen *g, uint32_t id, const char *dev, const char *name, uint32_t limit)
{
	struct xtr_ring r = { .id = id,
			      .since = BEGIN,
			      .sched = 0x1000 + id,
			      .device = intern(g, dev, strlen(dev)),
			      .name = intern(g, name, strlen(name)),
			      .limit = limit };

	must(xtr_tables_add_ring(g->tables, &r), "ring");
}

static void task(struct gen *g, uint32_t tid, uint32_t pid, const char *comm, size_t n)
{
	struct xtr_task t = { .tid = tid, .pid = pid, .since = BEGIN, .comm = intern(g, comm, n) };

	must(xtr_tables_add_task(g->tables, &t), "task");
}

static void put(struct gen *g, void *rec, uint64_t ts, uint16_t type, uint16_t size)
{
	struct xtr_rec *h = rec;

	h->ts = BEGIN + ts;
	h->type = type;
	h->size = size;
	h->tid = g->tid;
	memcpy(g->buf[g->cpu] + g->len[g->cpu], rec, size);
	g->len[g->cpu] += size;
	g->n[g->cpu]++;
}

static void queue(struct gen *g, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t on)
{
	struct xtr_rec_job_queue r = { .ctx = ctx,
				       .seqno = seqno,
				       .client_id = g->client,
				       .ring = on,
				       .job_count = g->job_count,
				       .stack = g->stack,
				       .flags = g->flags };

	put(g, &r, ts, XTR_EV_JOB_QUEUE, sizeof(r));
}

static void run(struct gen *g, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t on)
{
	struct xtr_rec_job_run r = { .ctx = ctx, .seqno = seqno, .ring = on, .hw_job_count = 1 };

	put(g, &r, ts, XTR_EV_JOB_RUN, sizeof(r));
}

static void done(struct gen *g, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t on)
{
	struct xtr_rec_job_done r = { .ctx = ctx, .seqno = seqno, .ring = on };

	put(g, &r, ts, XTR_EV_JOB_DONE, sizeof(r));
}

static void job(struct gen *g, uint64_t ctx, uint64_t seqno, uint32_t on, uint64_t queued,
		uint64_t run_at, uint64_t done_at)
{
	queue(g, queued, ctx, seqno, on);
	run(g, run_at, ctx, seqno, on);
	done(g, done_at, ctx, seqno, on);
}

static void signaled(struct gen *g, uint64_t ts, uint64_t ctx, uint64_t seqno, int32_t error)
{
	struct xtr_rec_fence r = { .ctx = ctx, .seqno = seqno, .error = error };

	r.ops = intern(g, "drm_sched_fence_ops_finished", 28);
	put(g, &r, ts, XTR_EV_FENCE_SIGNALED, sizeof(r));
}

static void dep(struct gen *g, uint16_t type, uint64_t ts, uint64_t ctx, uint64_t seqno,
		uint64_t dep_ctx, uint64_t dep_seqno, uint32_t on, uint32_t flags)
{
	struct xtr_rec_job_dep r = { .ctx = ctx,
				     .seqno = seqno,
				     .dep_ctx = dep_ctx,
				     .dep_seqno = dep_seqno,
				     .ring = on,
				     .flags = flags };

	put(g, &r, ts, type, sizeof(r));
}

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
	uint64_t i, t;

	for (i = 0; i < 20; i++) {
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
	frames(g, XTR_EV_JOB_UNSCHEDULABLE);
}

static void old_kernel(struct gen *g)
{
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

	r.ops = intern(g, "sync_timeline_ops", 17);
	put(g, &r, 1 * US, XTR_EV_FENCE_INIT, sizeof(r));
	put(g, &r, 3 * MS, XTR_EV_FENCE_WAIT_START, sizeof(r));
	put(g, &r, 4 * MS, XTR_EV_FENCE_WAIT_END, sizeof(r));
}

static const struct {
	const char *name;
	void (*fill)(struct gen *g);
} scenarios[] = {
	{ "frames", in_order },
	{ "frames-old-kernel", old_kernel },
	{ "trouble", trouble },
	{ "no-jobs", no_jobs },
};

static void meta(struct gen *g)
{
	static const uint8_t boot_id[16] = { 1, 2, 3 };
	const struct xtr_system sys = { .release = "6.17.0",
					.version = "#1 SMP",
					.machine = "x86_64",
					.cpus = CPUS,
					.page = 4096 };
	struct xtr_provider p = { .attach = "raw_tp", .state = XTR_PROVIDER_ATTACHED };
	size_t i;

	must(xtr_meta_set_writer(g->meta, "golden", "1"), "writer");
	must(xtr_meta_set_clock(g->meta, "monotonic", boot_id, 1), "clock");
	must(xtr_meta_set_system(g->meta, &sys), "system");
	for (i = 0; i < xtr_builtin_event_count; i++) {
		struct xtr_event_desc d = xtr_builtin_events[i];

		p.id = d.provider = (uint32_t)i + 1;
		p.name = p.target = d.name;
		must(xtr_meta_add_provider(g->meta, &p), "provider");
		must(xtr_meta_add_event(g->meta, &d), "event");
	}
}

static void write_all(struct gen *g)
{
	struct xtr_writer_opts o;
	uint32_t cpu;

	xtr_writer_opts_init(&o);
	o.file_id = 42;
	must(xtr_writer_open(&g->w, g->io, g->meta, g->tables, g->loss, &o), "open");
	for (cpu = 0; cpu < CPUS; cpu++) {
		struct xtr_batch b = { .stream = cpu,
				       .recs = g->buf[cpu],
				       .len = g->len[cpu],
				       .n = g->n[cpu],
				       .lost_total = xtr_loss_total(g->loss) * cpu };

		if (b.n)
			must(xtr_writer_events(g->w, &b), "events");
	}
	must(xtr_writer_finish(g->w, "golden", NULL), "finish");
	xtr_writer_free(g->w);
}

int main(int argc, char **argv)
{
	static struct gen g;
	size_t i;

	for (i = 0; argc == 3 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(argv[1], scenarios[i].name))
			continue;
		g.meta = xtr_meta_new();
		g.tables = xtr_tables_new();
		g.loss = xtr_loss_new();
		must(g.meta && g.tables && g.loss ? 0 : -ENOMEM, "start");
		must(xtr_io_create(argv[2], XTR_IO_FORCE, &g.io), argv[2]);
		meta(&g);
		rings(&g);
		scenarios[i].fill(&g);
		write_all(&g);
		must(xtr_io_close(g.io), argv[2]);
		xtr_meta_free(g.meta);
		xtr_tables_free(g.tables);
		xtr_loss_free(g.loss);
		return 0;
	}
	fprintf(stderr, "usage: gen SCENARIO OUTPUT\n");
	return 2;
}
