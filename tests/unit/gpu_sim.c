/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu_sim.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void sim_device(struct sim *s, const char *name, const char *driver)
{
	struct xtr_device dev = { .name = name, .driver = driver };

	cr_assert(!xtr_meta_add_device(s->meta, &dev));
}

struct sim *sim_new(void)
{
	struct sim *s = calloc(1, sizeof(*s));

	s->meta = xtr_meta_new();
	s->tables = xtr_tables_new();
	s->tid = 100;
	sim_device(s, "gpu.0", "amdgpu"); /* whose rings are known to execute in order */
	return s;
}

void sim_free(struct sim *s)
{
	xtr_meta_free(s->meta);
	xtr_tables_free(s->tables);
	free(s->event);
	free(s);
}

static uint32_t intern(struct sim *s, const char *text)
{
	uint32_t id = 0;

	cr_assert(!xtr_tables_intern(s->tables, text, strlen(text), &id));
	return id;
}

void sim_ring(struct sim *s, uint32_t id, const char *device, const char *name, uint32_t limit)
{
	struct xtr_ring ring = { .id = id,
				 .sched = id * 64ull,
				 .device = intern(s, device),
				 .name = intern(s, name),
				 .limit = limit };

	cr_assert(!xtr_tables_add_ring(s->tables, &ring));
}

void sim_task(struct sim *s, uint32_t tid, uint32_t pid, const char *comm, uint32_t flags)
{
	struct xtr_task task = { .tid = tid, .pid = pid, .comm = intern(s, comm), .flags = flags };

	cr_assert(!xtr_tables_add_task(s->tables, &task));
}

void sim_task_of(struct sim *s, uint32_t tid, uint32_t pid, const char *comm, uint64_t since,
		 uint64_t start)
{
	struct xtr_task task = {
		.tid = tid, .pid = pid, .since = since, .comm = intern(s, comm), .start = start
	};

	cr_assert(!xtr_tables_add_task(s->tables, &task));
}

static struct sim_event *add(struct sim *s, uint64_t ts, uint32_t type, size_t size)
{
	struct sim_event *e;

	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->event = realloc(s->event, s->cap * sizeof(*s->event));
	}
	e = &s->event[s->n++];
	memset(e, 0, sizeof(*e));
	e->ev = (struct xtr_event){
		.ts = ts, .type = type, .size = (uint32_t)size, .tid = s->tid, .stream = s->cpu
	};
	e->rec.queue.h.ts = ts;
	e->rec.queue.h.type = (uint16_t)type;
	e->rec.queue.h.size = (uint16_t)size;
	e->rec.queue.h.tid = s->tid;
	return e;
}

void sim_queue(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	struct xtr_rec_job_queue *r =
		&add(s, ts, XTR_EV_JOB_QUEUE, sizeof(struct xtr_rec_job_queue))->rec.queue;

	r->ctx = ctx;
	r->seqno = seqno;
	r->ring = ring;
	r->client_id = s->client_id;
	r->job_count = s->job_count;
	r->stack = s->stack;
	r->flags = s->flags;
}

void sim_run(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	struct xtr_rec_job_run *r =
		&add(s, ts, XTR_EV_JOB_RUN, sizeof(struct xtr_rec_job_run))->rec.run;

	s->event[s->n - 1].ev.tid = SIM_WORKER;
	r->ctx = ctx;
	r->seqno = seqno;
	r->ring = ring;
	r->job_count = s->job_count;
	r->flags = s->flags;
}

void sim_done(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	struct xtr_rec_job_done *r =
		&add(s, ts, XTR_EV_JOB_DONE, sizeof(struct xtr_rec_job_done))->rec.done;

	r->ctx = ctx;
	r->seqno = seqno;
	r->ring = ring;
	r->flags = s->flags | XTR_JOB_HW_FENCE | XTR_JOB_HW_SIGNALED;
	r->hw_age = s->hw_age;
	r->hw_error = s->hw_error;
}

void sim_done_old(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	sim_done(s, ts, ctx, seqno, ring);
	s->event[s->n - 1].ev.size = 40;
}

void sim_done_without_fence(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	sim_done(s, ts, ctx, seqno, ring);
	s->event[s->n - 1].rec.done.flags = 0;
}

void sim_signaled(struct sim *s, uint64_t ts, uint64_t ctx, uint64_t seqno, int32_t error)
{
	struct xtr_rec_fence *r =
		&add(s, ts, XTR_EV_FENCE_SIGNALED, sizeof(struct xtr_rec_fence))->rec.fence;

	r->ctx = ctx;
	r->seqno = seqno;
	r->error = error;
}

void sim_dep(struct sim *s, uint32_t type, uint64_t ts, uint64_t ctx, uint64_t seqno,
	     uint64_t dep_ctx, uint64_t dep_seqno, uint32_t ring, uint32_t flags)
{
	struct xtr_rec_job_dep *r = &add(s, ts, type, sizeof(struct xtr_rec_job_dep))->rec.dep;

	r->ctx = ctx;
	r->seqno = seqno;
	r->dep_ctx = dep_ctx;
	r->dep_seqno = dep_seqno;
	r->ring = ring;
	r->flags = flags;
}

void sim_raw(struct sim *s, uint64_t ts, uint32_t type, const void *rec, size_t size)
{
	struct sim_event *e = add(s, ts, type, size);

	cr_assert(size <= sizeof(e->rec));
	memcpy((uint8_t *)&e->rec + sizeof(struct xtr_rec),
	       (const uint8_t *)rec + sizeof(struct xtr_rec), size - sizeof(struct xtr_rec));
}

void sim_gap(struct sim *s, uint64_t first, uint64_t last, uint64_t count)
{
	struct sim_event *e = add(s, first, 0, 0);

	e->gap = (struct xtr_gap){ .stream = s->cpu, .first = first, .last = last, .count = count };
}

void sim_job(struct sim *s, uint64_t ctx, uint64_t seqno, uint32_t ring, uint64_t queue,
	     uint64_t run, uint64_t done)
{
	sim_queue(s, queue, ctx, seqno, ring);
	sim_run(s, run, ctx, seqno, ring);
	sim_done(s, done, ctx, seqno, ring);
}

/* By time, then by place: a merge sort would do the same; this is insertion, the arrays are small.
 */
void sim_sort(struct sim *s)
{
	size_t k;

	for (size_t i = 1; i < s->n; i++) {
		struct sim_event e = s->event[i];

		for (k = i; k && s->event[k - 1].ev.ts > e.ev.ts; k--)
			s->event[k] = s->event[k - 1];
		s->event[k] = e;
	}
	for (size_t i = 0; i < s->n; i++) {
		s->event[i].ev.rec = s->event[i].ev.type ? (const uint8_t *)&s->event[i].rec : NULL;
		s->event[i].ev.gap = s->event[i].ev.type ? NULL : &s->event[i].gap;
	}
}

static int collect(void *ctx, const struct xtr_job *j)
{
	struct sim *s = ctx;

	cr_assert(s->n_jobs < SIM_JOBS_MAX);
	s->job[s->n_jobs] = *j;
	s->ring_of[s->n_jobs] = *j->ring;
	s->job[s->n_jobs].ring = &s->ring_of[s->n_jobs];
	strncpy(s->names[s->n_jobs][0], j->ring->name, sizeof(s->names[0][0]) - 1);
	strncpy(s->names[s->n_jobs][1], j->ring->device_name, sizeof(s->names[0][1]) - 1);
	s->ring_of[s->n_jobs].name = s->names[s->n_jobs][0];
	s->ring_of[s->n_jobs].device_name = s->names[s->n_jobs][1];
	memcpy(s->dep[s->n_jobs], j->deps, j->n_deps * sizeof(*j->deps));
	s->job[s->n_jobs].deps = s->dep[s->n_jobs];
	s->n_jobs++;
	return 0;
}

static struct xtr_model *play(struct sim *s, struct xtr_model_opts *o)
{
	struct xtr_model *m;

	cr_assert(!xtr_model_new(&m, o));
	for (size_t i = 0; i < s->n; i++)
		cr_assert(!xtr_model_event(m, &s->event[i].ev));
	cr_assert(!xtr_model_finish(m));
	return m;
}

void sim_jobs_limited(struct sim *s, uint32_t max_open)
{
	struct xtr_model_opts o = {
		.sz = sizeof(o), .meta = s->meta, .tables = s->tables, .max_open = max_open
	};
	struct xtr_model *verdict, *m;

	sim_sort(s);
	s->n_jobs = 0;
	verdict = play(s, &o);
	o.verdict = verdict;
	o.job = collect;
	o.ctx = s;
	m = play(s, &o);
	s->counts = *xtr_model_counts(m);
	xtr_model_free(m);
	xtr_model_free(verdict);
}

void sim_jobs(struct sim *s)
{
	sim_jobs_limited(s, 0);
}

const struct xtr_job *sim_find(const struct sim *s, uint64_t ctx, uint64_t seqno)
{
	const struct xtr_job *found = NULL;

	for (size_t i = 0; i < s->n_jobs; i++) {
		if (s->job[i].ctx != ctx || s->job[i].seqno != seqno)
			continue;
		cr_assert(!found, "job %llu:%llu came twice", (unsigned long long)ctx,
			  (unsigned long long)seqno);
		found = &s->job[i];
	}
	cr_assert(found, "job %llu:%llu did not come", (unsigned long long)ctx,
		  (unsigned long long)seqno);
	return found;
}

struct xtr_stats *sim_stats(struct sim *s, const struct xtr_select *select, uint32_t top)
{
	struct xtr_stats_opts o = {
		.sz = sizeof(o), .meta = s->meta, .tables = s->tables, .top = top
	};
	struct xtr_stats *stats;

	if (select)
		o.select = *select;
	sim_sort(s);
	cr_assert(!xtr_stats_new(&stats, &o));
	for (size_t i = 0; i < s->n; i++)
		cr_assert(!xtr_stats_event(stats, &s->event[i].ev));
	cr_assert(!xtr_stats_finish(stats));
	return stats;
}
