/* SPDX-License-Identifier: BSD-2-Clause */
#include "workload.h"
#include "truth.h"

#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/builtin_events.h"

#define PLAIN  XTR_CODEC_NONE, XTR_FILTER_NONE
#define PACKED XTR_CODEC_LZ4, XTR_FILTER_ROWDELTA

/* clang-format off */
const struct workload workloads[] = {
	/* name                     codec, filter               cpus  n  least most sync loss names att again */
	{ "small chunks",           PACKED,                        2, 24,   1,  30,  3,  0,  0,  0,    0, false, false },
	{ "several chunks a sector", PLAIN,                        8, 40,   1,   2,  4,  0,  0,  0,    0, false, false },
	{ "sync after each batch",  PACKED,                        2, 20,   1,  40,  1,  0,  1,  0,    0, false, false },
	{ "sync at the end alone",  PACKED,                        3, 12,   1,  60,  0,  0,  0,  0,    0, false, false },
	{ "large chunks",           PLAIN,                         2, 10,  60, 120,  3,  0,  0,  0,    0, false, false },
	{ "chunks of many pages",   PLAIN,                         1,  6, 300, 500,  2,  0,  0,  0,    0, false, false },
	{ "compressed alone",       XTR_CODEC_LZ4, XTR_FILTER_NONE, 2, 16,  1, 100,  4,  0,  0,  0,    0, false, false },
	{ "filtered alone",         XTR_CODEC_NONE, XTR_FILTER_ROWDELTA, 2, 16, 1, 100, 5, 0, 0, 0,    0, false, false },
	{ "losses and gaps",        PACKED,                        4, 24,   1,  30,  5,  2,  0,  0,    0, false, false },
	{ "names all the time",     PACKED,                        2, 16,   1,  10,  3,  0,  5,  0,    0, false, false },
	{ "repeated META, tables",  PACKED,                        2, 16,   1,  30,  3,  0,  1,  0, 3000, false, false },
	{ "attached files",         PACKED,                        2, 14,   1,  30,  4,  0,  0,  3,    0, false, false },
	{ "times in no order",      PACKED,                        3, 16,   2,  50,  4,  0,  0,  0,    0, true,  false },
	{ "a writer left behind",   PACKED,                        2, 16,   1,  50,  4,  3,  1,  0,    0, false, true },
	{ "an index in the middle", PLAIN,                         4, 2100, 1,   1, 700, 0, 0,  0,     0, false, false },
};
/* clang-format on */
const size_t n_workloads = sizeof(workloads) / sizeof(workloads[0]);

struct work {
	const struct workload *of;
	uint64_t state, ts, made, lost[16];
	struct xtr_io *io;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer *w;
	struct xtr_rec_job_done *rec;
};

static void check(const struct work *k, int err)
{
	if (!err)
		return;
	fprintf(stderr, "%s: writing failed: %s\n", k->of->name, strerror(-err));
	exit(2);
}

static void describe(struct work *k)
{
	const struct xtr_system sys = {
		.release = "6.18.0",
		.version = "#1 SMP",
		.machine = "x86_64",
		.cpus = k->of->streams,
		.page = 4096,
	};
	const struct xtr_provider p = {
		.id = 1, .name = "made up", .attach = "synthetic", .target = "none"
	};
	uint8_t boot[16] = { 'c', 'r', 'a', 's', 'h' };

	check(k, xtr_meta_set_writer(k->meta, "crash", "1"));
	check(k, xtr_meta_set_clock(k->meta, "monotonic", boot, 1));
	check(k, xtr_meta_set_system(k->meta, &sys));
	check(k, xtr_meta_add_provider(k->meta, &p));
	for (size_t i = 0; i < xtr_builtin_event_count && i < 6; i++) {
		struct xtr_event_desc ev = xtr_builtin_events[i];

		ev.provider = p.id;
		check(k, xtr_meta_add_event(k->meta, &ev));
	}
}

static void new_names(struct work *k)
{
	for (uint32_t i = 0; i < k->of->names; i++) {
		struct xtr_task task = { .since = k->ts };
		char name[32];
		int n = snprintf(name, sizeof(name), "name-%llx",
				 (unsigned long long)draw(&k->state, UINT64_MAX));

		check(k, xtr_tables_intern(k->tables, name, (size_t)n, &task.comm));
		task.tid = task.pid = 100 + task.comm;
		check(k, xtr_tables_add_task(k->tables, &task));
	}
}

static void lose(struct work *k, uint32_t stream)
{
	struct xtr_gap gap = { .stream = stream, .first = k->ts, .last = k->ts + 10 };

	gap.count = 1 + draw(&k->state, 100);
	k->lost[stream] += gap.count;
	k->ts += 20;
	check(k, xtr_loss_add_gap(k->loss, &gap));
	check(k,
	      xtr_loss_set(k->loss, stream, XTR_EV_JOB_DONE, XTR_LOSS_RING_FULL, k->lost[stream]));
	check(k, xtr_writer_loss(k->w));
}

/* Each record is there once: the sequence number tells them apart. */
static void batch(struct work *k, uint32_t stream, bool raw)
{
	uint32_t n = k->of->least + (uint32_t)draw(&k->state, k->of->most - k->of->least + 1);
	struct xtr_batch b = {
		.stream = stream,
		.recs = (const uint8_t *)k->rec,
		.len = n * sizeof(*k->rec),
		.n = n,
		.lost_total = k->lost[stream],
		.raw = raw,
	};

	for (uint32_t i = 0; i < n; i++) {
		k->ts += 1 + draw(&k->state, 5000);
		k->rec[i] = (struct xtr_rec_job_done){
			.h = { .ts = k->ts,
			       .type = XTR_EV_JOB_DONE,
			       .size = sizeof(*k->rec),
			       .tid = 100 + (uint32_t)draw(&k->state, 8) },
			.ctx = draw(&k->state, 3) ? 7 : draw(&k->state, UINT64_MAX),
			.seqno = ++k->made,
			.ring = (uint32_t)draw(&k->state, 4),
		};
		if (k->of->disorder)
			k->rec[i].h.ts -= draw(&k->state, 4000);
	}
	check(k, xtr_writer_events(k->w, &b));
	check(k, xtr_writer_round(k->w, k->ts > 100000 ? k->ts - 100000 : 0));
}

static void clocks(struct work *k)
{
	const struct xtr_clock_reading r[] = { { "boottime", k->ts + 5000 },
					       { "realtime", k->ts + 1700000000000000000u } };

	check(k, xtr_writer_clock(k->w, k->ts, k->ts + 100, r, 2));
}

static bool due(uint32_t i, uint32_t every)
{
	return every && i % every == every - 1;
}

static void work(struct work *k)
{
	uint8_t attached[3000];

	clocks(k);
	for (uint32_t i = 0; i < k->of->batches; i++) {
		uint32_t stream = (uint32_t)draw(&k->state, k->of->streams);
		size_t n = 1 + draw(&k->state, sizeof(attached));

		new_names(k);
		if (due(i, k->of->loss_every))
			lose(k, stream);
		batch(k, stream, k->of->raw && i % 2);
		for (size_t j = 0; j < n; j++)
			attached[j] = (uint8_t)draw(&k->state, 256);
		if (due(i, k->of->attach_every))
			check(k, xtr_writer_attach(k->w, "file", attached, n));
		if (i % 10 == 5)
			clocks(k);
		if (due(i, k->of->sync_every))
			check(k, k->io->ops->sync(k->io));
	}
}

void workload_run(const struct workload *w, uint64_t seed, struct xtr_io *io)
{
	struct work k = { .of = w, .state = seed, .ts = 1000000000, .io = io };
	struct xtr_writer_opts o;

	xtr_writer_opts_init(&o);
	o.codec = w->codec;
	o.filter = w->filter;
	o.table_every = o.meta_every = w->again;
	o.file_id = seed | 1;
	k.meta = must(xtr_meta_new());
	k.tables = must(xtr_tables_new());
	k.loss = must(xtr_loss_new());
	k.rec = must(calloc(w->most, sizeof(*k.rec)));
	describe(&k);
	check(&k, xtr_writer_open(&k.w, io, k.meta, k.tables, k.loss, &o));
	work(&k);
	check(&k, xtr_writer_finish(k.w, "end", NULL));
	xtr_writer_free(k.w);
	xtr_meta_free(k.meta);
	xtr_tables_free(k.tables);
	xtr_loss_free(k.loss);
	free(k.rec);
}
