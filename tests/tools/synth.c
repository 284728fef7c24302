/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a trace of made-up GPU jobs through the writer: for tests of large files, benchmarks and
 * vectors. The times come from a simulation of in-order rings, so the truth of each job is known
 * (-t). The same options give the same events.
 */
#include "format/meta/loss.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/builtin_events.h"
#include "heap.h"

enum {
	DEPTH = 4, /* jobs on a ring at once */
	STREAMS_MAX = 1024,
	RINGS_MAX = 1024,
	TASKS = 16,
	ROUND_MS = 10,
	NS_PER_MS = 1000000,
	START_NS = 1000000000,
};

struct config {
	uint64_t events, seed, devices, rings, streams;
	uint64_t gaps;     /* lost events to report */
	uint64_t round;    /* ms of events in a chunk */
	uint64_t contexts; /* of each ring */
	uint64_t wait;     /* ns more for each job between queue and run */
	uint64_t exec;     /* percent of what execution takes else */
	const char *path, *truth, *host;
	const char *kernel, *version; /* of the driver */
	struct xtr_writer_opts opts;
};

struct ring {
	uint64_t seqno;
	uint64_t done[DEPTH]; /* when the last jobs were done, by seqno */
	uint32_t queued, on_hw;
};

struct batch {
	uint8_t *recs;
	size_t len, cap;
	uint32_t n;
};

struct synth {
	struct config c;
	struct xtr_io *io;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer *w;
	FILE *truth;
	struct heap heap;
	struct ring *rings;
	struct batch *batches;
	uint64_t random, made;
	uint32_t ops;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "synth: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void check(const char *what, int err)
{
	if (err)
		die(what, err);
}

/* xorshift64*: the same on every machine. */
static uint64_t rnd(struct synth *s, uint64_t below)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return (s->random * 2685821657736338717u >> 11) % below;
}

static void push(struct synth *s, uint64_t ts, uint32_t ring, uint32_t kind, uint64_t seqno)
{
	check("memory", heap_push(&s->heap, (struct happening){ ts, seqno, ring, kind }));
}

static void emit(struct synth *s, uint32_t stream, const void *rec, size_t size)
{
	struct batch *b = &s->batches[stream];

	if (b->len + size > b->cap) {
		b->cap = b->cap ? b->cap * 2 : 65536;
		b->recs = realloc(b->recs, b->cap);
		if (!b->recs)
			die("memory", -ENOMEM);
	}
	memcpy(b->recs + b->len, rec, size);
	b->len += size;
	b->n++;
	s->made++;
}

static struct xtr_rec head(uint64_t ts, uint16_t type, size_t size, uint32_t tid)
{
	return (struct xtr_rec){ .ts = ts, .type = type, .size = (uint16_t)size, .tid = tid };
}

static uint64_t ctx_of(const struct synth *s, uint32_t ring, uint64_t seqno)
{
	return 1001 + 2 * (ring + s->c.devices * s->c.rings * (seqno % s->c.contexts));
}

/* Where things happen: submitters wander over the CPUs, interrupts have one for each ring. */
static uint32_t submit_cpu(struct synth *s, uint32_t ring, uint64_t seqno)
{
	return (uint32_t)((ring + seqno / 64) % s->c.streams);
}

static uint32_t irq_cpu(struct synth *s, uint32_t ring)
{
	return ring % s->c.streams;
}

static void queue_event(struct synth *s, uint64_t ts, uint32_t ring, uint64_t seqno)
{
	struct ring *r = &s->rings[ring];
	struct xtr_rec_job_queue e = {
		.h = head(ts, XTR_EV_JOB_QUEUE, sizeof(e), 2000 + ring % TASKS),
		.ctx = ctx_of(s, ring, seqno),
		.seqno = seqno,
		.client_id = 10 + ring % TASKS,
		.ring = ring + 1,
		.job_count = r->queued,
		.hw_job_count = (int32_t)r->on_hw,
		.flags = XTR_JOB_CLIENT_KNOWN,
		.prio = 2,
	};

	r->queued++;
	emit(s, submit_cpu(s, ring, seqno), &e, sizeof(e));
}

static void run_event(struct synth *s, const struct happening *h)
{
	struct ring *r = &s->rings[h->ring];
	struct xtr_rec_job_run e = {
		.h = head(h->ts, XTR_EV_JOB_RUN, sizeof(e), 300 + h->ring),
		.ctx = ctx_of(s, h->ring, h->seqno),
		.seqno = h->seqno,
		.ring = h->ring + 1,
		.job_count = --r->queued,
		.hw_job_count = (int32_t)++r->on_hw,
		.flags = XTR_JOB_KTHREAD | XTR_JOB_CLIENT_KNOWN,
	};

	emit(s, (irq_cpu(s, h->ring) + 1) % s->c.streams, &e, sizeof(e));
}

static void done_event(struct synth *s, const struct happening *h)
{
	struct ring *r = &s->rings[h->ring];
	struct xtr_rec_job_done e = {
		.h = head(h->ts, XTR_EV_JOB_DONE, sizeof(e), 0),
		.ctx = ctx_of(s, h->ring, h->seqno),
		.seqno = h->seqno,
		.ring = h->ring + 1,
		.hw_job_count = (int32_t)--r->on_hw,
		.hw_ctx = 1 + h->ring,
		.hw_seqno = h->seqno,
		.flags = XTR_JOB_HW_FENCE | XTR_JOB_HW_SIGNALED,
	};

	emit(s, irq_cpu(s, h->ring), &e, sizeof(e));
}

static void signaled_event(struct synth *s, const struct happening *h)
{
	struct xtr_rec_fence e = {
		.h = head(h->ts, XTR_EV_FENCE_SIGNALED, sizeof(e), 0),
		.ctx = ctx_of(s, h->ring, h->seqno),
		.seqno = h->seqno,
		.ops = s->ops,
	};

	emit(s, irq_cpu(s, h->ring), &e, sizeof(e));
}

/* A job arrives: its whole life is settled now, and when the ring's next one comes. */
static void job_arrives(struct synth *s, const struct happening *h)
{
	struct ring *r = &s->rings[h->ring];
	uint64_t seqno = ++r->seqno, run, start, done;
	uint64_t exec = 20000 + rnd(s, 80000) + (rnd(s, 16) ? 0 : rnd(s, 1000000));

	exec = exec * s->c.exec / 100;
	queue_event(s, h->ts, h->ring, seqno);
	run = h->ts + s->c.wait + 2000 + rnd(s, 8000);
	if (run <= r->done[seqno % DEPTH]) /* the ring is full until that one is done */
		run = r->done[seqno % DEPTH] + 1500 + rnd(s, 3000);
	start = run > r->done[(seqno - 1) % DEPTH] ? run : r->done[(seqno - 1) % DEPTH];
	done = start + exec;
	r->done[seqno % DEPTH] = done;
	push(s, run, h->ring, XTR_EV_JOB_RUN, seqno);
	push(s, done, h->ring, XTR_EV_JOB_DONE, seqno);
	push(s, done + 700 + rnd(s, 600), h->ring, XTR_EV_FENCE_SIGNALED, seqno);
	push(s, h->ts + 40000 + rnd(s, 180000), h->ring, 0, 0);
	if (s->truth)
		fprintf(s->truth,
			"%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			ctx_of(s, h->ring, seqno), seqno, h->ts, run, start, done);
}

static void happen(struct synth *s, const struct happening *h)
{
	switch (h->kind) {
	case XTR_EV_JOB_RUN:
		run_event(s, h);
		break;
	case XTR_EV_JOB_DONE:
		done_event(s, h);
		break;
	case XTR_EV_FENCE_SIGNALED:
		signaled_event(s, h);
		break;
	default:
		job_arrives(s, h);
	}
}

static void flush(struct synth *s, uint64_t watermark)
{
	for (uint32_t i = 0; i < s->c.streams; i++) {
		struct batch *b = &s->batches[i];
		struct xtr_batch out = { .stream = i, .recs = b->recs, .len = b->len, .n = b->n };

		if (!i)
			out.lost_total = s->c.gaps;
		check("write", xtr_writer_events(s->w, &out));
		b->len = 0;
		b->n = 0;
	}
	check("write", xtr_writer_round(s->w, watermark));
}

static void describe(struct synth *s)
{
	const struct xtr_system sys = {
		.release = s->c.kernel,
		.version = "#1 SMP",
		.machine = "x86_64",
		.hostname = s->c.host,
		.cpus = (uint32_t)s->c.streams,
		.page = 4096,
	};
	const struct xtr_provider p = {
		.id = 1,
		.name = "synthetic",
		.attach = "synthetic",
		.target = "synth",
	};
	uint8_t boot[16] = { 's', 'y', 'n', 't', 'h' };

	check("meta", xtr_meta_set_writer(s->meta, "synth", "1"));
	check("meta", xtr_meta_set_clock(s->meta, "monotonic", boot, 1));
	check("meta", xtr_meta_set_system(s->meta, &sys));
	check("meta", xtr_meta_add_provider(s->meta, &p));
	for (size_t i = 0; i < xtr_builtin_event_count; i++) {
		struct xtr_event_desc ev = xtr_builtin_events[i];

		ev.provider = p.id;
		check("meta", xtr_meta_add_event(s->meta, &ev));
	}
	for (uint32_t i = 0; i < s->c.devices; i++) {
		char name[32];
		/* A driver whose rings are known to be serial, as these are (replay/model/ring.c).
		 */
		struct xtr_device dev = { .name = name,
					  .driver = "amdgpu",
					  .driver_version = s->c.version };

		snprintf(name, sizeof(name), "synth.%" PRIu32, i);
		check("meta", xtr_meta_add_device(s->meta, &dev));
	}
}

/* A name with a number behind it. */
static uint32_t intern(struct synth *s, const char *name, uint32_t n)
{
	char text[32];
	uint32_t id;

	snprintf(text, sizeof(text), "%s%" PRIu32, name, n);
	check("tables", xtr_tables_intern(s->tables, text, strlen(text), &id));
	return id;
}

static void fill_tables(struct synth *s)
{
	const char *ops = "drm_sched_fence_ops_finished";

	check("tables", xtr_tables_intern(s->tables, ops, strlen(ops), &s->ops));
	for (uint32_t i = 0; i < s->c.devices * s->c.rings; i++) {
		struct xtr_ring ring = {
			.id = i + 1,
			.since = START_NS,
			.sched = 0x5c0000 + i,
			.device = intern(s, "synth.", i / s->c.rings),
			.name = intern(s, "ring", i % s->c.rings),
			.limit = DEPTH,
		};
		struct xtr_task kthread = {
			.tid = 300 + i,
			.pid = 300 + i,
			.comm = ring.name,
			.flags = XTR_TASK_KTHREAD,
		};

		check("tables", xtr_tables_add_ring(s->tables, &ring));
		check("tables", xtr_tables_add_task(s->tables, &kthread));
	}
	for (uint32_t i = 0; i < TASKS; i++) {
		struct xtr_task task = { .tid = 2000 + i, .pid = 2000 + i / 2 * 2 };

		task.comm = intern(s, "app", i);
		check("tables", xtr_tables_add_task(s->tables, &task));
	}
}

static void clocks(struct synth *s, uint64_t ts)
{
	const struct xtr_clock_reading r[] = {
		{ "boottime", ts + 5000 },
		{ "realtime", ts + 1700000000000000000u },
	};

	check("write", xtr_writer_clock(s->w, ts, ts + 100, r, 2));
}

/* Lost events of stream 0, some in the gap that is told, and in no record. */
static void lose(struct synth *s)
{
	struct xtr_gap gap = { .first = START_NS, .last = START_NS + 500, .count = s->c.gaps };

	if (!s->c.gaps)
		return;
	check("loss", xtr_loss_set(s->loss, 0, XTR_EV_JOB_DONE, XTR_LOSS_RING_FULL, s->c.gaps));
	check("loss", xtr_loss_add_gap(s->loss, &gap));
}

static void simulate(struct synth *s)
{
	uint64_t length = s->c.round * NS_PER_MS, round = START_NS + length, now = START_NS;

	for (uint32_t i = 0; i < s->c.devices * s->c.rings; i++)
		push(s, START_NS + rnd(s, 100000), i, 0, 0);
	while (s->made < s->c.events) {
		struct happening h = heap_pop(&s->heap);

		now = h.ts;
		for (; now >= round; round += length)
			flush(s, round);
		happen(s, &h);
	}
	flush(s, now);
	clocks(s, now);
}

static void run(struct synth *s)
{
	const struct xtr_recorder_cost cost = { .cpu_ns = 1 };

	s->random = s->c.seed * 0x9e3779b97f4a7c15u + 1;
	s->rings = calloc(s->c.devices * s->c.rings, sizeof(*s->rings));
	s->batches = calloc(s->c.streams, sizeof(*s->batches));
	s->meta = xtr_meta_new();
	s->tables = xtr_tables_new();
	s->loss = xtr_loss_new();
	if (!s->rings || !s->batches || !s->meta || !s->tables || !s->loss)
		die("memory", -ENOMEM);
	describe(s);
	fill_tables(s);
	check(s->c.path, xtr_io_create(s->c.path, XTR_IO_FORCE, &s->io));
	check(s->c.path, xtr_writer_open(&s->w, s->io, s->meta, s->tables, s->loss, &s->c.opts));
	clocks(s, START_NS);
	lose(s);
	simulate(s);
	check(s->c.path, xtr_writer_finish(s->w, "end", &cost));
	fprintf(stderr, "synth: %" PRIu64 " events, %" PRIu64 " bytes\n",
		xtr_writer_events_written(s->w), xtr_writer_bytes(s->w));
}

static void release(struct synth *s)
{
	xtr_writer_free(s->w);
	check(s->c.path, xtr_io_close(s->io));
	xtr_meta_free(s->meta);
	xtr_tables_free(s->tables);
	xtr_loss_free(s->loss);
	for (uint32_t i = 0; i < s->c.streams; i++)
		free(s->batches[i].recs);
	free(s->batches);
	free(s->rings);
	free(s->heap.of);
	if (s->truth && fclose(s->truth))
		die(s->c.truth, -errno);
}

static int usage(void)
{
	fputs("usage: synth -n EVENTS -o FILE [-d devices] [-r rings per device] [-s streams]\n"
	      "             [-S seed] [-g lost events] [-t truth.csv] [-H host]\n"
	      "             [-K kernel release] [-V driver version]\n"
	      "             [-c (columns)] [-p (no filter, no codec)]\n"
	      "             [-k fence contexts of each ring] [-w ns more in the queue for each job]\n"
	      "             [-x percent of what execution takes else]\n"
	      "             [-R ms of events in a chunk of each stream]\n",
	      stderr);
	return 2;
}

/* An option that is a number: where it goes. */
static uint64_t *number(struct config *c, int letter)
{
	struct {
		int letter;
		uint64_t *to;
	} table[] = {
		{ 'n', &c->events },   { 'd', &c->devices }, { 'r', &c->rings },
		{ 's', &c->streams },  { 'S', &c->seed },    { 'g', &c->gaps },
		{ 'k', &c->contexts }, { 'w', &c->wait },    { 'x', &c->exec },
		{ 'R', &c->round },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].letter == letter)
			return table[i].to;
	return NULL;
}

static int set_option(struct config *c, int letter, const char *arg)
{
	uint64_t *to = number(c, letter);

	if (to)
		*to = strtoull(arg, NULL, 10);
	else if (letter == 'o')
		c->path = arg;
	else if (letter == 't')
		c->truth = arg;
	else if (letter == 'H')
		c->host = arg;
	else if (letter == 'K')
		c->kernel = arg;
	else if (letter == 'V')
		c->version = arg;
	else if (letter == 'c')
		c->opts.filter = XTR_FILTER_COLUMNS;
	else if (letter != 'p')
		return -1;
	else {
		c->opts.codec = XTR_CODEC_NONE;
		c->opts.filter = XTR_FILTER_NONE;
	}
	return 0;
}

/* Nothing is missing, and nothing too much. */
static bool usable(const struct config *c)
{
	return c->path && c->devices && c->devices <= RINGS_MAX && c->rings &&
	       c->rings <= RINGS_MAX && c->devices * c->rings <= RINGS_MAX && c->streams &&
	       c->streams <= STREAMS_MAX && c->contexts && c->round && c->round <= 1000;
}

int main(int argc, char **argv)
{
	struct synth s = { .c = { .devices = 2,
				  .rings = 4,
				  .streams = 8,
				  .seed = 1,
				  .contexts = 1,
				  .exec = 100,
				  .round = ROUND_MS,
				  .kernel = "6.18.0" } };
	int opt;

	xtr_writer_opts_init(&s.c.opts);
	while ((opt = getopt(argc, argv, "n:o:d:r:s:S:g:t:H:K:V:k:w:x:R:cp")) != -1)
		if (set_option(&s.c, opt, optarg))
			return usage();
	s.c.opts.file_id = s.c.seed + 1; /* so that the same options give the same bytes */
	if (!usable(&s.c))
		return usage();
	if (s.c.truth) {
		s.truth = fopen(s.c.truth, "we");
		if (!s.truth)
			die(s.c.truth, -errno);
		fputs("context,seqno,queue_ns,run_ns,start_ns,done_ns\n", s.truth);
	}
	run(&s);
	release(&s);
	return 0;
}
