/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts of made-up recordings in which everything happens that the model knows: jobs that overtake,
 * complete in batches, wait for each other, are killed, lose events, take names again. The truth is
 * what the whole says of the same selection.
 */
#include "bpf_types.h"
#include "format/read/chunk.h"
#include "format/codec/record.h"
#include "replay/cut/cut.h"
#include "replay/views/jobs_view.h"
#include "replay/model/model.h"
#include "replay/play/play.h"
#include "fewer.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS    4u
#define BEGIN   1000000000ull /* ns */
#define WIDE    6000000000ull /* ns: longer than the lead-in */
#define DENSE   60000000ull   /* ns: most jobs overlap, many events have one time */
#define SLICES  60u           /* batches of each CPU */
#define JOBS    1500u
#define RECORDS (JOBS * 12)
#ifndef SEEDS
#define SEEDS (FEWER > 1 ? 2u : 6u)
#endif

struct event {
	uint64_t ts;
	uint32_t cpu, size;
	uint8_t rec[64];
};

enum mode {
	WILD,
	CALM,
	BATCHES,
	MODES
};

struct recording {
	struct event *ev;
	size_t n;
	uint64_t seed, span, ring_end[5];
	enum mode mode;
	uint32_t ops[2];
};

static uint64_t rnd(struct recording *r, uint64_t n)
{
	return trace_random(&r->seed, n);
}

static bool one_in(struct recording *r, uint64_t n)
{
	return rnd(r, n) == 0;
}

static void put(struct recording *r, uint64_t ts, uint32_t cpu, uint16_t type, void *rec, size_t n)
{
	struct xtr_rec h = { .ts = ts, .type = type, .size = (uint16_t)n };
	struct event *e = &r->ev[r->n++];

	h.tid = one_in(r, 3) ? 0 : (uint32_t)(100 + rnd(r, 8));
	memcpy(rec, &h, sizeof(h));
	cr_assert(lt(sz, r->n, (size_t)RECORDS));
	*e = (struct event){ .ts = ts, .cpu = cpu, .size = (uint32_t)n };
	memcpy(e->rec, rec, n);
}

static void fence(struct recording *r, uint64_t ts, uint32_t cpu, uint16_t type, uint64_t ctx,
		  uint64_t seqno, int32_t error)
{
	struct xtr_rec_fence f = { .ctx = ctx, .seqno = seqno, .error = error };

	f.ops = r->ops[ctx % 2 == 0]; /* finished fences have odd contexts here */
	put(r, ts, cpu, type, &f, sizeof(f));
}

/* Something that the job waits for: another job, named by either fence, or a fence of nobody. */
static void wait(struct recording *r, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	struct xtr_rec_job_dep d = { .ctx = ctx, .seqno = seqno, .ring = ring };
	uint64_t of = one_in(r, 6) ? 900 : 11 + 2 * rnd(r, 12);

	d.dep_ctx = of - (one_in(r, 3) ? 1 : 0);
	d.dep_seqno = 1 + (seqno + rnd(r, 5) > 3 ? seqno + rnd(r, 5) - 3 : 0);
	d.flags = (one_in(r, 4) ? XTR_JOB_DEP_SCHEDULED : 0) |
		  (one_in(r, 5) ? XTR_JOB_DEP_SIGNALED : 0);
	put(r, ts, (uint32_t)rnd(r, CPUS),
	    one_in(r, 2) ? XTR_EV_JOB_WAIT_DEP : XTR_EV_JOB_UNSCHEDULABLE, &d, sizeof(d));
}

/*
 * When it is done. Wild: often shortly after the ring's last one, or before it; some take very
 * long. Calm: in order, on busy rings. Batches: in order, often two in one interrupt.
 */
static uint64_t done_after(struct recording *r, uint32_t ring, uint64_t run)
{
	uint64_t last = r->ring_end[ring], done = run + 1000 + rnd(r, 5000000);

	if (r->mode != WILD) {
		done = (last > run ? last : run) + 20000 + rnd(r, 28000000);
		if (last > run && one_in(r, r->mode == BATCHES ? 2 : 50))
			done = last + rnd(r, 9000);
	} else if (last > run && one_in(r, 3)) {
		done = last + rnd(r, 12000);
	} else if (last > run && !one_in(r, 4)) {
		done = last + 20000 + rnd(r, 3000000);
	}
	if (one_in(r, r->mode == WILD ? 100 : 700))
		done += rnd(r, 3000000000);
	else if (done > last)
		r->ring_end[ring] = done;
	return done;
}

static void job(struct recording *r, uint64_t ts, uint64_t *seqnos)
{
	uint32_t ring = 1 + (uint32_t)rnd(r, 4), entity = (uint32_t)rnd(r, 3), cpu = ring % CPUS;
	uint64_t ctx = 11 + 2 * (3 * (ring - 1) + entity), seqno = ++seqnos[ctx];
	uint64_t run = ts + 1000 + rnd(r, 2000000), done;
	struct xtr_rec_job_queue q = { .client_id = entity, .ring = ring, .flags = 2 };
	struct xtr_rec_job_run u = { .ring = one_in(r, 20) ? 1 + (uint32_t)rnd(r, 4) : ring };
	struct xtr_rec_job_done d = { .ring = ring,
				      .flags = XTR_JOB_HW_FENCE | XTR_JOB_HW_SIGNALED };

	if (one_in(r, 150) && seqno > 2)
		seqno -= 1 + rnd(r, 2); /* a name that was there already */
	q.ctx = u.ctx = d.ctx = ctx;
	q.seqno = u.seqno = d.seqno = seqno;
	if (!one_in(r, 40))
		put(r, ts, (uint32_t)rnd(r, CPUS), XTR_EV_JOB_QUEUE, &q, sizeof(q));
	for (uint64_t n = one_in(r, 3) ? rnd(r, 3) : 0; n; n--)
		wait(r, ts + rnd(r, run - ts), ctx, seqno, ring);
	if (one_in(r, 60)) { /* killed */
		fence(r, run, cpu, XTR_EV_FENCE_SIGNALED, ctx, seqno, -ESRCH);
		return;
	}
	done = done_after(r, u.ring, run);
	if (!one_in(r, 40))
		put(r, run, (uint32_t)rnd(r, CPUS), XTR_EV_JOB_RUN, &u, sizeof(u));
	if (one_in(r, 4))
		fence(r, run, cpu, XTR_EV_FENCE_SIGNALED, ctx - 1, seqno, 0);
	if (!one_in(r, 30))
		put(r, done, cpu, XTR_EV_JOB_DONE, &d, sizeof(d));
	if (one_in(r, 60))
		put(r, done + rnd(r, 2000000), cpu, XTR_EV_JOB_DONE, &d, sizeof(d));
	if (!one_in(r, 5))
		fence(r, done + 500, cpu, XTR_EV_FENCE_SIGNALED, ctx, seqno,
		      one_in(r, 20) ? -ETIME : 0);
}

static int event_cmp(const void *pa, const void *pb)
{
	const struct event *a = pa, *b = pb;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void define(struct recording *r, struct trace *t)
{
	static const char *const rings[] = { "gfx", "sdma0", "gfx", "rcs0" };
	static const char *const devices[] = { "gpu0", "gpu0", "gpu1", "gpu2" };
	static const char *const ops[] = { "drm_sched_fence_ops_finished", "amdgpu_fence_ops" };
	struct xtr_device shared = { .name = "gpu2", .driver = "xe" };

	cr_assert(zero(int, xtr_meta_add_device(t->meta, &shared)));
	for (uint32_t i = 0; i < 2; i++)
		cr_assert(zero(int,
			       xtr_tables_intern(t->tables, ops[i], strlen(ops[i]), &r->ops[i])));
	for (uint32_t i = 0; i < 4; i++) {
		struct xtr_ring ring = { .id = i + 1, .since = 1, .limit = i == 2 ? 1 : 4 };

		xtr_tables_intern(t->tables, devices[i], 4, &ring.device);
		xtr_tables_intern(t->tables, rings[i], strlen(rings[i]), &ring.name);
		cr_assert(zero(int, xtr_tables_add_ring(t->tables, &ring)));
	}
	for (uint32_t i = 0; i < 8; i++) {
		struct xtr_task task = { .tid = 100 + i, .pid = 100 + i / 2, .since = 1 };

		cr_assert(zero(int, xtr_tables_add_task(t->tables, &task)));
	}
}

/* Times at which losses are noted, and how much is lost up to then on CPU 0. */
static void lose(struct recording *r, struct trace *t)
{
	for (uint64_t i = 0; i < 3; i++) {
		struct xtr_gap g = { .count = 5, .first = BEGIN + rnd(r, r->span) };

		g.last = g.first + rnd(r, r->span / 300);
		cr_assert(zero(int, xtr_loss_add_gap(t->loss, &g)));
	}
	cr_assert(zero(int, xtr_loss_set(t->loss, 0, 17, XTR_LOSS_RING_FULL, 15)));
	cr_assert(zero(int, xtr_loss_set(t->loss, 2, 0, 0, 9)));
}

static void write_slices(struct recording *r, struct trace *t)
{
	uint8_t *buf = malloc(RECORDS * 64);
	uint64_t slice = r->span / SLICES;
	size_t from = 0, to = 0;

	cr_assert(ne(ptr, buf, NULL));
	for (uint64_t end = BEGIN + slice; from < r->n; end += slice, from = to) {
		while (to < r->n && r->ev[to].ts < end)
			to++;
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			struct xtr_batch b = { .stream = cpu, .recs = buf };

			for (size_t i = from; i < to; i++) {
				if (r->ev[i].cpu != cpu)
					continue;
				memcpy(buf + b.len, r->ev[i].rec, r->ev[i].size);
				b.len += r->ev[i].size;
				b.n++;
			}
			if (!cpu && end > BEGIN + r->span / 2)
				b.lost_total = 15;
			cr_assert(zero(int, xtr_writer_events(t->w, &b)));
		}
		cr_assert(zero(int, xtr_writer_round(t->w, end)));
		cr_assert(zero(int, xtr_writer_clock(t->w, end, end + 10, NULL, 0)));
	}
	free(buf);
}

/* A recording, read back. */
static struct xtr_reader *record(uint64_t seed, uint64_t span)
{
	struct recording r = { .seed = seed,
			       .span = span,
			       .mode = (enum mode)(seed % MODES),
			       .ev = calloc(RECORDS, sizeof(*r.ev)) };
	uint64_t seqnos[64] = { 0 };
	struct xtr_reader *reader = NULL;
	struct xtr_err err;
	struct trace t;

	cr_assert(zero(int, trace_open(&t, NULL, NULL)));
	define(&r, &t);
	lose(&r, &t);
	for (uint32_t i = 0; i < JOBS; i++) {
		uint64_t ts = BEGIN + i * (span / JOBS) + rnd(&r, span / 6000);

		job(&r, ts, seqnos);
		if (one_in(&r, 4))
			fence(&r, ts, (uint32_t)rnd(&r, CPUS), XTR_EV_FENCE_WAIT_START,
			      10 + rnd(&r, 30), 1 + rnd(&r, i + 1), 0);
	}
	qsort(r.ev, r.n, sizeof(*r.ev), event_cmp);
	write_slices(&r, &t);
	cr_assert(zero(int, xtr_writer_attach(t.w, "note.txt", "hello", 5)));
	cr_assert(zero(int, xtr_writer_finish(t.w, "end", NULL)));
	cr_assert(zero(int, xtr_reader_open(&reader, t.io, &err)));
	trace_close(&t, true);
	free(r.ev);
	return reader;
}

/* --- what `xtr jobs` would print -------------------------------------------------------------- */

struct listing {
	struct xtr_json json;
	const struct xtr_tables *tables;
	struct xtr_select select;
	size_t n;
};

static int list_job(void *ctx, const struct xtr_job *j)
{
	struct listing *l = ctx;

	if (!xtr_select_job(&l->select, j))
		return 0;
	xtr_jobs_json(&l->json, NULL, l->tables, true, j);
	l->n++;
	return 0;
}

static int to_model(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(ctx, ev);
}

static struct xtr_model *play(const struct xtr_reader *r, struct xtr_model_opts *mo,
			      const struct listing *l, const uint32_t *types, size_t n)
{
	struct xtr_model *m = NULL;
	struct xtr_err err;
	struct xtr_play p = {
		.reader = r,
		.section = xtr_reader_section(r, 0),
		.from = xtr_play_lead_in(l->select.from),
		.to = l->select.to,
		.types = types,
		.n_types = n,
		.event = to_model,
	};

	cr_assert(zero(int, xtr_model_new(&m, mo)));
	p.ctx = m;
	cr_assert(zero(int, xtr_play(&p, &err)));
	cr_assert(zero(int, xtr_model_finish(m)));
	return m;
}

/* The jobs of a selection as text; the caller frees it. */
static char *jobs(const struct xtr_reader *r, const struct xtr_select *select, size_t *n_jobs)
{
	static const uint32_t order[] = { 17, 18, 27 }, all[] = { 16, 17, 18, 19, 21, 27 };
	const struct xtr_section *s = xtr_reader_section(r, 0);
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(s),
				     .tables = xtr_section_tables(s) };
	struct listing l = { .tables = mo.tables, .select = *select };
	struct xtr_model *verdict, *model;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	xtr_play_window(s, &l.select.from, &l.select.to);
	xtr_json_init(&l.json, f, false);
	verdict = play(r, &mo, &l, order, 3);
	mo.verdict = verdict;
	mo.job = list_job;
	mo.ctx = &l;
	model = play(r, &mo, &l, all, 6);
	xtr_model_free(model);
	xtr_model_free(verdict);
	fclose(f);
	*n_jobs = l.n;
	return text;
}

/* --- cutting ---------------------------------------------------------------------------------- */

static struct xtr_reader *cut(const struct xtr_reader *r, const struct xtr_select *select,
			      struct xtr_cut_result *res)
{
	struct xtr_cut_opts o = { .sz = sizeof(o), .select = *select, .options = "--test" };
	struct xtr_reader *back = NULL;
	struct xtr_err err;
	struct xtr_io *io;

	xtr_play_window(xtr_reader_section(r, 0), &o.select.from, &o.select.to);
	cr_assert(zero(int, xtr_io_mem_new(&io)));
	cr_assert(zero(int, xtr_cut(r, xtr_reader_section(r, 0), io, &o, res)));
	cr_assert(zero(int, xtr_reader_open(&back, io, &err)));
	cr_assert(zero(int, xtr_reader_verify(back, NULL, NULL)));
	cr_assert(zero(sz, xtr_reader_n_problems(back)));
	return back;
}

/* Everything that happened: kept, left out, lost, not to be read. */
static uint64_t happened(const struct xtr_reader *r)
{
	const struct xtr_section_summary *s = xtr_section_summary(xtr_reader_section(r, 0));

	return s->events + s->filtered + s->lost + s->missing;
}

static void check_same(const struct xtr_reader *r, const struct xtr_select *select,
		       const char *what)
{
	const struct xtr_select none = { 0 };
	struct xtr_cut_result res;
	struct xtr_reader *c = cut(r, select, &res);
	size_t n, m;
	char *want = jobs(r, select, &n), *got = jobs(c, &none, &m), *a, *b;

	for (a = want, b = got; *a && *a == *b; a++, b++)
		;
	while (a > want && a[-1] != '\n') {
		a--;
		b--;
	}
	cr_assert(
		zero(int, *a | *b),
		"%s [%llu, %llu]: %zu jobs, in the cut %zu; first difference:\n%.700s\n---\n%.700s",
		what, (unsigned long long)select->from, (unsigned long long)select->to, n, m, a, b);
	cr_assert(eq(u64, happened(c), happened(r)));
	cr_assert(eq(u64, res.kept + res.filtered, res.events));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(c, 0))->events, res.kept));
	free(want);
	free(got);
	xtr_reader_close(c);
}

static const char *const gfx[] = { "gfx" }, *const gpu0[] = { "gpu0" }, *const gpu2[] = { "gpu2" },
			 *const sdma[] = { "sdma*" };
static const uint32_t pids[] = { 101, 103 };

static const struct {
	const char *name;
	struct xtr_select s;
} kinds[] = {
	{ "time", { 0 } },
	{ "ring", { .rings = gfx, .n_rings = 1 } },
	{ "ring", { .rings = sdma, .n_rings = 1 } },
	{ "device", { .devices = gpu0, .n_devices = 1 } },
	{ "shared device", { .devices = gpu2, .n_devices = 1 } },
	{ "pid", { .pids = pids, .n_pids = 2 } },
	{ "all",
	  { .rings = gfx,
	    .n_rings = 1,
	    .devices = gpu0,
	    .n_devices = 1,
	    .pids = pids,
	    .n_pids = 2 } },
};

/* Windows at several places; the unit is a 6,000th of the whole. */
static void check_recording(uint64_t seed, uint64_t span)
{
	static const uint64_t windows[][2] = {
		{ 0, 0 },    { 3000, 3500 }, { 500, 501 },   { 5000, 0 },
		{ 0, 1234 }, { 4567, 4571 }, { 2718, 2718 },
	};
	const uint64_t unit = span / 6000, shift = seed * unit * 7 / 9;
	struct xtr_reader *r = record(seed, span);

	for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]); w++) {
		uint64_t from = windows[w][0], to = windows[w][1];

		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			struct xtr_select s = kinds[k].s;

			s.from = from ? BEGIN + from * unit + shift : 0;
			s.to = to ? BEGIN + to * unit + shift : 0;
			check_same(r, &s, kinds[k].name);
		}
	}
	xtr_reader_close(r);
}

Test(cut, jobs_are_those_of_the_whole)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		check_recording(seed, WIDE);
}

Test(cut, jobs_are_those_of_the_whole_where_all_overlap)
{
	for (uint64_t seed = 1000; seed < 1000 + SEEDS; seed++)
		check_recording(seed, DENSE);
}
