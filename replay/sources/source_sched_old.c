/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler's events before Linux 6.17: a job goes by the address of its finished fence, which
 * another one gets as soon as it is over, from its queue event to its completion.
 */
#include "source_sched.h"

#include <errno.h>
#include <string.h>

#define ENTITIES_MAX (1u << 20)
#define NAMES_MAX    (4 * (size_t)SOURCE_JOBS_MAX) /* of jobs, some of which are over */
/* Above the contexts of ivpu, below those of i915 and of the table. */
#define CONTEXT(n) (XTR_SOURCE_CONTEXT + (1ull << 31) + 2 * (uint64_t)(n))

/* Old events do not tell the device: it is known where there is one. */
static const char *only_device(const struct sched *v)
{
	return xtr_meta_n_devices(v->meta) == 1 ? xtr_meta_device(v->meta, 0)->name : "";
}

/*
 * Up to Linux 6.7 each scheduler has a thread of its own, called like the ring, which tells rings
 * of one name apart. Where several devices may have rings of this name and nothing tells them
 * apart, they are one ring whose jobs may overlap.
 */
static int64_t old_ring(struct sched *v, uint64_t name, const struct xtr_event *ev, bool run)
{
	const struct xtr_task *task = run ? xtr_tables_task(v->tables, ev->tid, ev->ts) : NULL;
	const char *comm = task ? sched_text(v, task->comm) : "", *ring = sched_text(v, name);
	bool own = *comm && !strncmp(ring, comm, 15) && strlen(comm) == strnlen(ring, 15);

	return sched_ring(v, name, own ? ev->tid : 0, only_device(v),
			  !own && xtr_meta_n_devices(v->meta) > 1);
}

/* --- jobs by address -------------------------------------------------------------------------- */

static int consched_text(struct sched *v, uint64_t name, uint64_t entity, uint64_t *ctx)
{
	const uint64_t *known = xtr_map_get(&v->entities, name, entity);

	if (v->n_entities == ENTITIES_MAX && !known) {
		xtr_map_free(&v->entities);
		xtr_map_free(&v->last);
	}
	*ctx = CONTEXT(known ? *known : v->n_entities % ENTITIES_MAX);
	return known ? 0 : xtr_map_put(&v->entities, name, entity, v->n_entities++ % ENTITIES_MAX);
}

static void name_job(struct xtr_gpu_record *r, const struct source_job *j)
{
	r->ctx = j->ctx;
	r->seqno = j->seqno;
	r->ring = SCHED_RING | j->ring;
}

/* The job of an old queue or run event: a new one, or the one that was queued. */
static int64_t old_job(struct sched *v, enum act act, const struct xtr_event *ev, uint64_t name,
		       uint64_t entity)
{
	const struct xtr_bind *b = &v->bind[act];
	uint64_t fence = xtr_bind_u64(b, F_FENCE, ev), id = xtr_bind_u64(b, F_ID, ev), ctx = 0;
	uint32_t last, known;
	int err = consched_text(v, name, entity, &ctx);
	int64_t ring, i;

	if (err)
		return err;
	last = xtr_map_index(&v->last, ctx, 0);
	ring = act == A_OLD_QUEUE && last != XTR_MAP_NONE ? last
							  : old_ring(v, name, ev, act == A_OLD_RUN);
	if (ring < 0)
		return ring;
	known = source_jobs_find(&v->jobs, 0, fence);
	if (act == A_OLD_RUN && known != SOURCE_JOBS_NONE && v->jobs.job[known].seqno == id &&
	    v->jobs.job[known].ctx == ctx) {
		err = source_jobs_move(&v->jobs, known, (uint32_t)ring);
		return err ? err : (int64_t)known;
	}
	i = source_jobs_new(&v->jobs, 0, fence, (uint32_t)ring);
	if (i < 0)
		return i;
	v->jobs.job[i].ctx = ctx;
	v->jobs.job[i].seqno = id;
	return i;
}

/* An open job of this ring's name and number; two devices may have one each. */
static uint32_t numbered(const struct sched *v, int which, uint64_t name, uint64_t id)
{
	const uint64_t *fence = xtr_map_get(&v->by_id[which], name, id);
	uint32_t i = fence ? source_jobs_find(&v->jobs, 0, *fence) : SOURCE_JOBS_NONE;
	const struct source_job *j = i != SOURCE_JOBS_NONE ? &v->jobs.job[i] : NULL;

	return j && j->seqno == id && v->ring_name[j->ring] == name ? i : SOURCE_JOBS_NONE;
}

static int note_id(struct sched *v, uint64_t name, uint32_t i)
{
	const struct source_job *j = &v->jobs.job[i];
	uint32_t known = numbered(v, 0, name, j->seqno);
	bool other = known != SOURCE_JOBS_NONE && known != i;

	return xtr_map_put_most(&v->by_id[other], NAMES_MAX, name, j->seqno, j->key[1]);
}

static int old_job_event(struct sched *v, enum act act, const struct xtr_event *ev,
			 struct xtr_job_steps *out)
{
	const struct xtr_bind *b = &v->bind[act];
	uint64_t name = xtr_bind_u64(b, F_NAME, ev), entity = xtr_bind_u64(b, F_ENTITY, ev);
	int64_t i = old_job(v, act, ev, name, entity);
	struct xtr_gpu_record *r;
	int err = i < 0 ? (int)i : note_id(v, name, (uint32_t)i);

	if (!err && act == A_OLD_RUN)
		err = xtr_map_put(&v->last, v->jobs.job[i].ctx, 0, v->jobs.job[i].ring);
	if (err)
		return err;
	r = sched_record(out, ev, act);
	name_job(r, &v->jobs.job[i]);
	r->job_count = (uint32_t)xtr_bind_u64(b, F_COUNT, ev);
	out->step[out->n - 1].flags = XTR_FLAG_KEY_INFERRED;
	return 0;
}

/* One of which nothing else is in the trace has no name. */
static int old_done(struct sched *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	uint32_t i = source_jobs_find(&v->jobs, 0, xtr_bind_u64(&v->bind[A_OLD_DONE], F_FENCE, ev));

	if (i == SOURCE_JOBS_NONE)
		return 0;
	name_job(sched_record(out, ev, A_OLD_DONE), &v->jobs.job[i]);
	for (int which = 0; which < 2; which++)
		if (numbered(v, which, v->ring_name[v->jobs.job[i].ring], v->jobs.job[i].seqno) ==
		    i)
			xtr_map_del(&v->by_id[which], v->ring_name[v->jobs.job[i].ring],
				    v->jobs.job[i].seqno);
	source_jobs_forget(&v->jobs, i);
	return 0;
}

/* Between a job's scheduled and its finished fence lies a struct dma_fence. */
#define FENCE_BYTES 64u

/*
 * The job that waits goes by its number on the ring of this name. Where there are two of them the
 * scheduler's thread tells, if it is known on which rings their entities' jobs were run.
 */
static int waiting_job(struct sched *v, const struct xtr_event *ev, uint32_t *job)
{
	const struct xtr_bind *b = &v->bind[A_OLD_WAIT];
	uint64_t name = xtr_bind_u64(b, F_NAME, ev), id = xtr_bind_u64(b, F_ID, ev);
	int64_t ring = old_ring(v, name, ev, true);
	uint32_t n = 0, n_sure = 0, sure = SOURCE_JOBS_NONE;

	*job = SOURCE_JOBS_NONE;
	for (int which = 0; which < 2 && ring >= 0; which++) {
		uint32_t i = numbered(v, which, name, id), on;

		if (i == SOURCE_JOBS_NONE)
			continue;
		on = xtr_map_index(&v->last, v->jobs.job[i].ctx, 0);
		if (on != XTR_MAP_NONE && on != (uint32_t)ring)
			continue;
		n++;
		*job = i;
		n_sure += on != XTR_MAP_NONE;
		sure = on != XTR_MAP_NONE ? i : sure;
	}
	if (n > 1)
		*job = n_sure == 1 ? sure : SOURCE_JOBS_NONE;
	return ring < 0 ? (int)ring : 0;
}

/* What it waits for goes by an address. */
static int old_wait(struct sched *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	const struct xtr_bind *b = &v->bind[A_OLD_WAIT];
	uint64_t of = xtr_bind_u64(b, F_FENCE, ev);
	uint32_t dep = source_jobs_find(&v->jobs, 0, of), i;
	int err = waiting_job(v, ev, &i);
	struct xtr_gpu_record *r;
	bool scheduled = false;

	if (err)
		return err;
	if (dep == SOURCE_JOBS_NONE) {
		dep = source_jobs_find(&v->jobs, 0, of + FENCE_BYTES);
		scheduled = dep != SOURCE_JOBS_NONE;
	}
	if (i == SOURCE_JOBS_NONE)
		return 0;
	r = sched_record(out, ev, A_OLD_WAIT);
	name_job(r, &v->jobs.job[i]);
	r->dep_ctx = xtr_bind_u64(b, F_DEP_CTX, ev);
	r->dep_seqno = xtr_bind_u64(b, F_DEP_SEQNO, ev);
	if (dep != SOURCE_JOBS_NONE && !scheduled &&
	    xtr_map_put_most(&v->by_real, NAMES_MAX, (uint32_t)r->dep_ctx, (uint32_t)r->dep_seqno,
			     of))
		return -ENOMEM;
	if (dep != SOURCE_JOBS_NONE) {
		r->dep_ctx = v->jobs.job[dep].ctx - scheduled; /* its context comes before */
		r->dep_seqno = v->jobs.job[dep].seqno;
		r->flags = scheduled ? XTR_JOB_DEP_SCHEDULED : 0;
	}
	return 0;
}

/* Of a job that was killed in its queue nothing but its fence's signal tells. */
static int old_fence(struct sched *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	const struct xtr_bind *b = &v->bind[A_FENCE];
	uint32_t ctx = (uint32_t)xtr_bind_u64(b, F_CTX, ev);
	uint32_t seqno = (uint32_t)xtr_bind_u64(b, F_SEQNO, ev);
	const uint64_t *fence = xtr_map_get(&v->by_real, ctx, seqno);
	uint32_t i = fence ? source_jobs_find(&v->jobs, 0, *fence) : SOURCE_JOBS_NONE;
	struct xtr_gpu_record *r = sched_record(out, ev, A_FENCE);

	r->ctx = ctx;
	r->seqno = seqno;
	r->error = (int32_t)xtr_bind_s64(b, F_ERROR, ev);
	if (i != SOURCE_JOBS_NONE)
		name_job(r, &v->jobs.job[i]);
	if (fence)
		xtr_map_del(&v->by_real, ctx, seqno);
	return 0;
}

int sched_old_event(struct sched *v, enum act act, const struct xtr_event *ev,
		    struct xtr_job_steps *out)
{
	switch (act) {
	case A_OLD_DONE:
		return old_done(v, ev, out);
	case A_OLD_WAIT:
		return old_wait(v, ev, out);
	case A_FENCE:
		return old_fence(v, ev, out);
	default:
		return old_job_event(v, act, ev, out);
	}
}
