/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small traces that are known by heart, record by record: what gen.c and tests/export/gen.c share.
 * Records may be added in any order. The same bytes each time.
 */
#ifndef TEST_GOLDEN_GEN_H
#define TEST_GOLDEN_GEN_H

#include "format/meta/loss.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/builtin_events.h"

#define US        1000ull
#define MS        1000000ull
#define BEGIN     1000000000ull /* ns: the first event is about here */
#define BUF_SIZE  (1u << 20)    /* bytes of records of a CPU */
#define CPUS      2u
#define GEN_TYPES 2048u

#define NORMAL 2 /* the priority of queues, as Linux 6.17 numbers it */

struct gen {
	struct xtr_io *io;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer *w;
	uint8_t buf[CPUS][BUF_SIZE];
	uint32_t len[CPUS], n[CPUS];
	uint32_t cpu, tid, flags, job_count, stack;
	uint64_t client, file_id;
	/* Records of CPU 1 from lose_from to lose_to (after BEGIN, exclusive) are lost. */
	uint64_t lose_from, lose_to;
	uint32_t n_lost[GEN_TYPES];
	struct xtr_gap gap;
	struct xtr_clock_reading clock[8][2]; /* boottime, realtime */
	uint64_t clock_ns[8], clock_took[8];
	size_t n_clocks;
	bool stacks; /* events are described as with stacks */
};

static inline void must(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "gen: %s: %s\n", what, strerror(-ret));
	exit(1);
}

static inline uint32_t intern(struct gen *g, const char *s, size_t n)
{
	uint32_t id;

	must(xtr_tables_intern(g->tables, s, n, &id), "string");
	return id;
}

static inline void device(struct gen *g, const char *name, const char *driver)
{
	struct xtr_device d = { .name = name, .driver = driver };

	must(xtr_meta_add_device(g->meta, &d), "device");
}

static inline void ring(struct gen *g, uint32_t id, const char *dev, const char *name,
			uint32_t limit)
{
	struct xtr_ring r = { .id = id,
			      .since = BEGIN,
			      .sched = 0x1000 + id,
			      .device = intern(g, dev, strlen(dev)),
			      .name = intern(g, name, strlen(name)),
			      .limit = limit };

	must(xtr_tables_add_ring(g->tables, &r), "ring");
}

static inline void task(struct gen *g, uint32_t tid, uint32_t pid, const char *comm, size_t n)
{
	struct xtr_task t = { .tid = tid, .pid = pid, .since = BEGIN, .comm = intern(g, comm, n) };

	must(xtr_tables_add_task(g->tables, &t), "task");
}

/* Of a process that began at `start`; times count from BEGIN. */
static inline void task_of(struct gen *g, uint32_t tid, uint32_t pid, const char *comm,
			   uint64_t since, int64_t start)
{
	struct xtr_task t = { .tid = tid,
			      .pid = pid,
			      .since = BEGIN + since,
			      .comm = intern(g, comm, strlen(comm)),
			      .start = BEGIN + (uint64_t)start };

	must(xtr_tables_add_task(g->tables, &t), "task");
}

/* The losses of one stretch of time: its gap grows. */
static inline void gen_lose(struct gen *g, uint64_t ts, uint16_t type)
{
	if (!g->gap.count)
		g->gap = (struct xtr_gap){ .stream = 1, .first = ts, .last = ts };
	g->gap.count++;
	g->gap.first = ts < g->gap.first ? ts : g->gap.first;
	g->gap.last = ts > g->gap.last ? ts : g->gap.last;
	g->n_lost[type]++;
}

/* Tell of them. */
static inline void gen_tell_losses(struct gen *g)
{
	if (g->gap.count)
		must(xtr_loss_add_gap(g->loss, &g->gap), "gap");
	for (uint32_t i = 0; i < GEN_TYPES; i++)
		if (g->n_lost[i])
			must(xtr_loss_set(g->loss, 1, i, XTR_LOSS_RING_FULL, g->n_lost[i]), "loss");
}

static inline void put(struct gen *g, void *rec, uint64_t ts, uint16_t type, uint16_t size)
{
	struct xtr_rec *h = rec;

	h->ts = BEGIN + ts;
	h->type = type;
	h->size = size;
	h->tid = g->tid;
	if (g->cpu == 1 && ts >= g->lose_from && ts < g->lose_to) {
		gen_lose(g, h->ts, type);
		return;
	}
	must(g->len[g->cpu] + size <= BUF_SIZE ? 0 : -E2BIG, "records");
	memcpy(g->buf[g->cpu] + g->len[g->cpu], rec, size);
	g->len[g->cpu] += size;
	g->n[g->cpu]++;
}

static inline void queue(struct gen *g, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t on)
{
	struct xtr_rec_job_queue r = { .ctx = ctx,
				       .seqno = seqno,
				       .client_id = g->client,
				       .ring = on,
				       .job_count = g->job_count,
				       .stack = g->stack,
				       .flags = g->flags,
				       .prio = NORMAL };

	put(g, &r, ts, XTR_EV_JOB_QUEUE, sizeof(r));
}

static inline void run(struct gen *g, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t on)
{
	struct xtr_rec_job_run r = { .ctx = ctx, .seqno = seqno, .ring = on, .hw_job_count = 1 };

	put(g, &r, ts, XTR_EV_JOB_RUN, sizeof(r));
}

static inline void done(struct gen *g, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t on)
{
	struct xtr_rec_job_done r = { .ctx = ctx,
				      .seqno = seqno,
				      .ring = on,
				      .hw_ctx = 1000 + on,
				      .hw_seqno = seqno,
				      .flags = XTR_JOB_HW_FENCE | XTR_JOB_HW_SIGNALED };

	put(g, &r, ts, XTR_EV_JOB_DONE, sizeof(r));
}

static inline void job(struct gen *g, uint64_t ctx, uint64_t seqno, uint32_t on, uint64_t queued,
		       uint64_t run_at, uint64_t done_at)
{
	queue(g, queued, ctx, seqno, on);
	run(g, run_at, ctx, seqno, on);
	done(g, done_at, ctx, seqno, on);
}

static inline void signaled(struct gen *g, uint64_t ts, uint64_t ctx, uint64_t seqno, int32_t error)
{
	struct xtr_rec_fence r = { .ctx = ctx, .seqno = seqno, .error = error };

	r.ops = intern(g, "drm_sched_fence_ops_finished", 28);
	put(g, &r, ts, XTR_EV_FENCE_SIGNALED, sizeof(r));
}

static inline void dep(struct gen *g, uint16_t type, uint64_t ts, uint64_t ctx, uint64_t seqno,
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

static inline void meta(struct gen *g)
{
	static const uint8_t boot_id[16] = { 1, 2, 3 };
	const struct xtr_system sys = { .release = "6.17.0",
					.version = "#1 SMP",
					.machine = "x86_64",
					.cpus = CPUS,
					.page = 4096 };
	struct xtr_provider p = { .attach = "raw_tp", .state = XTR_PROVIDER_ATTACHED };

	must(xtr_meta_set_writer(g->meta, "golden", "1"), "writer");
	must(xtr_meta_set_clock(g->meta, "monotonic", boot_id, 1), "clock");
	must(xtr_meta_set_system(g->meta, &sys), "system");
	for (size_t i = 0; i < xtr_builtin_event_count; i++) {
		struct xtr_event_desc d = xtr_builtin_events[i];

		if (d.type >= XTR_EV_CPU_SAMPLE) /* whoever has them describes them */
			continue;

		if (g->stacks)
			d = *xtr_builtin_event_stack(d.type);

		p.id = d.provider = (uint32_t)i + 1;
		p.name = p.target = d.name;
		must(xtr_meta_add_provider(g->meta, &p), "provider");
		must(xtr_meta_add_event(g->meta, &d), "event");
	}
}

static inline void write_all(struct gen *g)
{
	const struct xtr_clock_reading *c;
	struct xtr_writer_opts o;

	xtr_writer_opts_init(&o);
	o.file_id = g->file_id;
	must(xtr_writer_open(&g->w, g->io, g->meta, g->tables, g->loss, &o), "open");
	for (size_t i = 0; i < g->n_clocks; i++) {
		c = g->clock[i];
		must(xtr_writer_clock(g->w, g->clock_ns[i], g->clock_ns[i] + g->clock_took[i], c,
				      2),
		     "clock");
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
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

/* One section with what fill adds, into a new file. stacks: see struct gen. */
static inline void gen_write_as(const char *path, void (*fill)(struct gen *g), bool stacks)
{
	static struct gen g;

	g.file_id = 42;
	g.stacks = stacks;
	g.meta = xtr_meta_new();
	g.tables = xtr_tables_new();
	g.loss = xtr_loss_new();
	must(g.meta && g.tables && g.loss ? 0 : -ENOMEM, "start");
	must(xtr_io_create(path, XTR_IO_FORCE, &g.io), path);
	meta(&g);
	fill(&g);
	write_all(&g);
	must(xtr_io_close(g.io), path);
	xtr_meta_free(g.meta);
	xtr_tables_free(g.tables);
	xtr_loss_free(g.loss);
}

static inline void gen_write(const char *path, void (*fill)(struct gen *g))
{
	gen_write_as(path, fill, false);
}

#endif /* TEST_GOLDEN_GEN_H */
