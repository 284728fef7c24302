/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs that xtr exported (docs/export.md, "Reading it back"): each becomes events of system xtr
 * that tell it as a whole. What goes before a job (its submission, its wait in the queue, single
 * dependencies) stands right before it in the file. The job itself is a render stage, or a slice.
 */
#include "pftrace_gpu.h"

#include <stdio.h>
#include <string.h>

/* Fields of GpuRenderStageEvent that xtr writes. */
enum {
	F_EVENT_ID = 1,
	F_DURATION = 2,
	F_CONTEXT = 5,
	F_EXTRA = 6,
	F_GPU = 11,
	F_QUEUE_IID = 13,
	F_STAGE_IID = 14,
	F_WAITS_FOR = 18,
	F_NAME_IID = 20,
	F_FIELDS
};

#define WIDE (1ull << 63)

struct gpu_told *gpu_told_of(struct pft_gpu *g, uint64_t ctx, uint64_t seqno)
{
	struct gpu_told *t = &g->told;

	if (t->known && t->ctx == ctx && t->seqno == seqno)
		return t;
	*t = (struct gpu_told){ .ctx = ctx, .seqno = seqno, .known = true };
	return t;
}

/* --- numbers in texts ------------------------------------------------------------------------- */

static bool number(const char **p, const char *end, uint64_t *v)
{
	const char *s = *p;

	for (*v = 0; s < end && *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, *s - '0', v))
			return false;
	if (s == *p)
		return false;
	*p = s;
	return true;
}

bool gpu_told_number(const void *s, size_t n, uint64_t *v)
{
	const char *p = s, *end = p + n;

	return n && number(&p, end, v) && p == end;
}

bool gpu_told_fence(const void *s, size_t n, uint64_t *ctx, uint64_t *seqno)
{
	const char *p = s, *end = p + n;

	return n && number(&p, end, ctx) && p < end && *p++ == ':' && number(&p, end, seqno) &&
	       p == end;
}

/* --- what a job says -------------------------------------------------------------------------- */

void gpu_told_extra(struct told_job *j, const struct pft_field *name, const struct pft_field *value)
{
	struct {
		const char *name;
		uint64_t *to;
		bool *has;
	} numbers[] = { { "exec_ns", &j->exec_max, &j->has_exec },
			{ "exec_max_ns", &j->exec_max, &j->has_exec },
			{ "exec_min_ns", &j->exec_min, NULL } };
	uint64_t v, ctx;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!gpu_is(name, numbers[i].name) || !gpu_told_number(value->p, value->n, &v))
			continue;
		*numbers[i].to = v;
		if (numbers[i].has)
			*numbers[i].has = true;
	}
	if (gpu_is(name, "at")) {
		j->at = *value;
	} else if (gpu_is(name, "error") && value->n > 1 && *value->p == '-' &&
		   gpu_told_number(value->p + 1, value->n - 1, &v) && v <= INT32_MAX) {
		j->error = -(int64_t)v;
		j->has_error = true;
	} else if (gpu_is(name, "fence") && gpu_told_fence(value->p, value->n, &ctx, &v)) {
		j->ctx = ctx;
		j->seqno = v;
	} else if (gpu_is(name, "dependency") && j->n_wide < TOLD_DEPS &&
		   gpu_told_fence(value->p, value->n, &ctx, &v)) {
		j->wide[j->n_wide].ctx = ctx;
		j->wide[j->n_wide++].seqno = v;
	}
}

/* "quality=inferred start=run flags=batch|overtook error=0" */
void gpu_told_description(struct told_job *j, const struct pft_field *text)
{
	const char *p = (const char *)text->p, *end = p + text->n;

	while (p && p < end) {
		const char *space = memchr(p, ' ', (size_t)(end - p));
		size_t n = (size_t)((space ? space : end) - p);

		if (n > 8 && !memcmp(p, "quality=", 8))
			j->quality = (struct pft_field){ .wire = 2,
							 .p = (const uint8_t *)p + 8,
							 .n = n - 8 };
		else if (n > 6 && !memcmp(p, "flags=", 6))
			j->flags = (struct pft_field){ .wire = 2,
						       .p = (const uint8_t *)p + 6,
						       .n = n - 6 };
		else if (n == 9 && !memcmp(p, "start=run", 9))
			j->from_run = true;
		else if (n == 7 && !memcmp(p, "error=0", 7))
			j->has_error = true;
		p += n + 1;
	}
}

/* --- what it becomes -------------------------------------------------------------------------- */

static void begin(struct gpu_record *r, const struct told_job *j, const char *event, uint32_t tid)
{
	gpu_begin(r, GPU_EVENT, "xtr", event, tid, 0);
	gpu_number(r, "ctx", j->ctx);
	gpu_number(r, "seqno", j->seqno);
	gpu_device(r, "device", j->gpu);
	gpu_text(r, "ring", j->ring.p, j->ring.n);
	gpu_number(r, "queue", j->queue);
	gpu_text(r, "why", j->why.p, j->why.n);
}

/* What of a dependency is known beside its name. */
static struct gpu_dep dependency(const struct gpu_told *t, uint64_t ctx, uint64_t seqno,
				 uint32_t *from)
{
	for (uint32_t i = *from; i < t->n_deps; i++) {
		if (t->dep[i].ctx != ctx || t->dep[i].seqno != seqno)
			continue;
		*from = i + 1;
		return t->dep[i];
	}
	return (struct gpu_dep){ .ctx = ctx, .seqno = seqno };
}

static int hold_deps(struct pftrace *p, struct pft_gpu *g, const struct told_job *j, uint64_t ts)
{
	struct gpu_record *r = &g->rec;
	uint32_t from = 0;
	int err = 0;

	for (uint32_t i = 0; i < j->n_deps && !err; i++) {
		struct gpu_dep d = dependency(&g->told, j->dep[i].ctx, j->dep[i].seqno, &from);

		begin(r, j, "job_waited", 0);
		gpu_number(r, "dep_ctx", d.ctx);
		gpu_number(r, "dep_seqno", d.seqno);
		gpu_number(r, "from_ns", d.from_ns);
		gpu_number(r, "until_ns", d.until_ns);
		gpu_number(r, "dep", (uint64_t)d.by_job << 1 | d.run);
		err = gpu_hold(p, d.until_ns ? d.until_ns : ts, r);
	}
	return err;
}

static void put_times(struct gpu_record *r, const struct gpu_told *t, const struct told_job *j)
{
	bool bounded = gpu_is(&j->quality, "bounded"), resided = j->run && j->done;
	uint64_t all = resided ? j->done - j->run : 0, max = j->has_exec ? j->exec_max : all;
	uint64_t start = bounded ? (j->from_run ? j->run : 0) : j->done - max;

	gpu_number(r, "submit_ns", t->queue_ns - t->before_ns);
	gpu_number(r, "queue_ns", t->queue_ns);
	gpu_number(r, "run_ns", j->run);
	gpu_number(r, "start_ns", resided ? start : 0);
	gpu_number(r, "done_ns", j->done);
	gpu_number(r, "exec_min_ns", bounded ? j->exec_min : max);
	gpu_number(r, "exec_max_ns", max);
}

static int hold_told(struct pftrace *p, struct pft_gpu *g, const struct told_job *j, uint64_t ts)
{
	const struct gpu_told *t = &g->told;
	struct gpu_record *r = &g->rec;
	uint64_t known = (t->has_client ? 1 : 0) | (j->has_error ? 2 : 0) | (j->done ? 4 : 0);

	begin(r, j, "job_told", 0);
	gpu_number(r, "tid", t->tid);
	gpu_number(r, "pid", j->pid);
	gpu_text(r, "comm", j->comm.p, j->comm.n);
	put_times(r, t, j);
	gpu_number(r, "dep_wait_ns", t->dep_wait_ns);
	gpu_number(r, "dep_waits", t->n_waits);
	gpu_text(r, "kind", j->kind.p, j->kind.n);
	gpu_text(r, "quality", j->quality.p, j->quality.n);
	gpu_text(r, "flags", j->flags.p, j->flags.n);
	gpu_number(r, "known", known);
	gpu_number(r, "client", t->client);
	gpu_signed(r, "error", j->error);
	return gpu_hold(p, ts, r);
}

/* The time of a packet of a job that did not run from run to done. */
static void place(struct gpu_told *t, struct told_job *j, uint64_t ts)
{
	if (!j->at.n) {
		j->run = ts;
		j->done = ts + j->duration;
	} else if (gpu_is(&j->at, "run")) {
		j->run = ts;
	} else if (gpu_is(&j->at, "done")) {
		j->done = ts;
	} else if (gpu_is(&j->at, "queue")) {
		t->queue_ns = ts;
	}
}

int gpu_told_hold(struct pftrace *p, struct pft_gpu *g, struct told_job *j, uint64_t ts)
{
	struct gpu_told *t = gpu_told_of(g, j->ctx, j->seqno);
	uint64_t last;
	int err = 0;

	if (j->duration > INT64_MAX || ts > INT64_MAX)
		j->duration = 0;
	place(t, j, ts);
	last = j->done ? j->done : j->run > ts ? j->run : ts;
	if (t->queue_ns) {
		begin(&g->rec, j, "job_queued", t->tid);
		gpu_number(&g->rec, "tid", t->tid);
		err = gpu_hold(p, t->queue_ns, &g->rec);
		last = t->queue_ns > last ? t->queue_ns : last;
	}
	if (!err)
		err = hold_deps(p, g, j, j->run ? j->run : last);
	if (!err && j->run) {
		begin(&g->rec, j, "job_run", 0);
		err = gpu_hold(p, j->run, &g->rec);
	}
	if (!err)
		err = hold_told(p, g, j, last);
	t->known = false;
	return err;
}

/* --- as a render stage ------------------------------------------------------------------------ */

void gpu_told_ring(struct told_job *j, struct pft_field name)
{
	if (gpu_is(&name, "unknown ring"))
		name = (struct pft_field){ .wire = 2 };
	j->ring = name;
}

/* The fence of an id; those that do not fit into it come one by one. */
static void add_dep(struct told_job *j, uint64_t id, uint32_t *wide)
{
	struct told_fence *d = &j->dep[j->n_deps];

	if (j->n_deps == TOLD_DEPS || (id & WIDE && *wide == j->n_wide))
		return;
	if (id & WIDE)
		*d = j->wide[(*wide)++];
	else
		*d = (struct told_fence){ id >> 32, (uint32_t)id };
	j->n_deps++;
}

static void read_stage(struct told_job *j, const struct pft_field *f, struct pft_msg all,
		       const struct pft_seq *seq)
{
	struct pft_field in, name, value;
	uint32_t wide = 0;
	struct pft_msg m;

	j->ctx = f[F_EVENT_ID].v >> 32;
	j->seqno = (uint32_t)f[F_EVENT_ID].v;
	j->gpu = (uint32_t)f[F_GPU].v;
	j->queue = f[F_QUEUE_IID].v / 2;
	gpu_told_ring(j, gpu_interned(seq, 24, f[F_QUEUE_IID].v, 2));
	j->why = gpu_interned(seq, 24, f[F_QUEUE_IID].v, 3);
	j->kind = gpu_interned(seq, 24, f[F_STAGE_IID].v, 2);
	value = gpu_interned(seq, 24, f[F_STAGE_IID].v, 3);
	gpu_told_description(j, &value);
	j->comm = gpu_interned(seq, 2, f[F_NAME_IID].v, 2);
	if (pft_interned(seq, 23, f[F_CONTEXT].v, &m))
		j->pid = (uint32_t)gpu_u64(m, 2);
	for (m = all; pft_next(&m, &in);)
		if (in.num == F_EXTRA && gpu_field(pft_sub(&in), 1, &name) &&
		    gpu_field(pft_sub(&in), 2, &value) && value.wire == 2)
			gpu_told_extra(j, &name, &value);
	for (m = all; pft_next(&m, &in);)
		if (in.num == F_WAITS_FOR && in.wire == 0)
			add_dep(j, in.v, &wide);
}

int gpu_take_told(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		  struct pft_msg m)
{
	struct pft_field all[F_FIELDS] = { 0 }, f;
	struct told_job j = { 0 };
	struct pft_msg rest = m;

	if (!packet->has_ts) {
		g->left_out[GPU_NO_TIME]++;
		return 0;
	}
	while (pft_next(&m, &f))
		if (f.num < F_FIELDS)
			all[f.num] = f;
	read_stage(&j, all, rest, packet->seq);
	j.duration = all[F_DURATION].v;
	return gpu_told_hold(p, g, &j, packet->ts);
}
