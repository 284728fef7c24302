/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler's tracepoints as any recorder without programs has them: as events by name. They
 * become the records that xtr's own programs would have made, as far as the kernel prints what
 * these need (docs/engines.md); the model takes these as it takes the others.
 *
 * Since Linux 6.17 events name jobs by their finished fence. Before, a job goes by the address of
 * that fence, from its queue event to its completion, and gets a made-up context for its entity
 * (include/trace/events and drivers/gpu/drm/scheduler/gpu_scheduler_trace.h).
 */
#include "driver_sources.h"
#include "replay/event/event_bind.h"
#include "source_jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RINGS_MAX 1024u
/* Below the ids of other sources and of those that the model gives itself. */
#define RING_BASE    0xa0000000u
#define ENTITIES_MAX (1u << 20)
/* Above the contexts of ivpu, below those of i915 and of the table. */
#define CONTEXT(n) (XTR_SOURCE_CONTEXT + (1ull << 31) + 2 * (uint64_t)(n))

enum field {
	F_NAME, /* of the ring */
	F_DEV,
	F_CTX, /* of the job's finished fence; of a fence event: of the fence */
	F_SEQNO,
	F_CLIENT,
	F_COUNT,
	F_DEP_CTX,
	F_DEP_SEQNO,
	F_ENTITY,
	F_FENCE, /* address: of the job's finished fence; of wait_dep: of what it waits for */
	F_ID,    /* of the job in its scheduler */
	F_DRIVER,
	F_ERROR
};

enum act {
	A_QUEUE,
	A_RUN,
	A_DONE,
	A_WAIT,
	A_OLD_QUEUE,
	A_OLD_RUN,
	A_OLD_DONE,
	A_OLD_WAIT,
	A_FENCE,
	ACTS
};

#define SCHED "gpu_scheduler:drm_"
#define JOB                                                                                   \
	{                                                                                     \
		[F_NAME] = "name", [F_DEV] = "dev", [F_CTX] = "fence_context",                \
		[F_SEQNO] = "fence_seqno", [F_CLIENT] = "client_id", [F_COUNT] = "job_count", \
		[F_DEP_CTX] = "ctx", [F_DEP_SEQNO] = "seqno",                                 \
	}
#define OLD                                                                                   \
	{                                                                                     \
		[F_NAME] = "name", [F_ENTITY] = "entity", [F_FENCE] = "fence", [F_ID] = "id", \
		[F_COUNT] = "job_count", [F_DEP_CTX] = "ctx", [F_DEP_SEQNO] = "seqno",        \
	}
#define BIT(field) (1u << (field))

static const struct {
	struct xtr_bind_spec spec;
	uint32_t needs; /* fields, as bits */
	enum xtr_event_type type;
} events[ACTS] = {
	[A_QUEUE] = { { SCHED "sched_job_queue", A_QUEUE, JOB },
		      BIT(F_CTX) | BIT(F_SEQNO),
		      XTR_EV_JOB_QUEUE },
	[A_RUN] = { { SCHED "sched_job_run", A_RUN, JOB },
		    BIT(F_CTX) | BIT(F_SEQNO),
		    XTR_EV_JOB_RUN },
	[A_DONE] = { { SCHED "sched_job_done", A_DONE, JOB },
		     BIT(F_CTX) | BIT(F_SEQNO),
		     XTR_EV_JOB_DONE },
	[A_WAIT] = { { SCHED "sched_job_unschedulable", A_WAIT, JOB },
		     BIT(F_CTX) | BIT(F_SEQNO) | BIT(F_DEP_CTX) | BIT(F_DEP_SEQNO),
		     XTR_EV_JOB_UNSCHEDULABLE },
	[A_OLD_QUEUE] = { { SCHED "sched_job", A_OLD_QUEUE, OLD },
			  BIT(F_ENTITY) | BIT(F_FENCE) | BIT(F_ID),
			  XTR_EV_JOB_QUEUE },
	[A_OLD_RUN] = { { SCHED "run_job", A_OLD_RUN, OLD },
			BIT(F_ENTITY) | BIT(F_FENCE) | BIT(F_ID),
			XTR_EV_JOB_RUN },
	[A_OLD_DONE] = { { SCHED "sched_process_job", A_OLD_DONE, OLD },
			 BIT(F_FENCE),
			 XTR_EV_JOB_DONE },
	[A_OLD_WAIT] = { { SCHED "sched_job_wait_dep", A_OLD_WAIT, OLD },
			 BIT(F_NAME) | BIT(F_ID) | BIT(F_FENCE),
			 XTR_EV_JOB_WAIT_DEP },
	/* All events of fences have the low halves of both numbers. */
	[A_FENCE] = { { "dma_fence:dma_fence_signaled",
			A_FENCE,
			{ [F_CTX] = "context|ctx",
			  [F_SEQNO] = "seqno",
			  [F_DRIVER] = "driver",
			  [F_ERROR] = "error" } },
		      BIT(F_CTX) | BIT(F_SEQNO),
		      XTR_EV_FENCE_SIGNALED },
};

struct sched {
	struct xtr_bind bind[ACTS];
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_rings *rings; /* NULL: no steps are wanted */
	struct xtr_map by_name;  /* (name, device or scheduler's thread) -> ring */
	uint32_t n_rings;
	/* Of the names before 6.17: */
	struct source_jobs jobs; /* (0, address of the finished fence) */
	struct xtr_map by_id[2]; /* (ring's name, id) -> address of the finished fence; another */
	struct xtr_map by_real;  /* (context, number), low halves, that a wait told -> address */
	struct xtr_map entities; /* (ring's name, entity) -> number of the context */
	struct xtr_map last;     /* (context, 0) -> ring that its jobs were run on last */
	uint32_t n_entities;
	uint64_t ring_name[RINGS_MAX];
};

/* --- rings ------------------------------------------------------------------------------------ */

static const char *text_of(const struct sched *v, uint64_t string)
{
	const char *s = string ? xtr_tables_string(v->tables, (uint32_t)string, NULL) : NULL;

	return s ? s : "";
}

static const struct xtr_device *device_named(const struct xtr_meta *meta, const char *name)
{
	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++)
		if (!strcmp(xtr_meta_device(meta, i)->name, name))
			return xtr_meta_device(meta, i);
	return NULL;
}

static int declare(struct sched *v, uint32_t id, const char *name, const char *dev, bool shared)
{
	const struct xtr_device *d = *dev ? device_named(v->meta, dev) : NULL;
	struct xtr_declared_ring ring = { .id = id,
					  .device = dev,
					  .driver = d ? d->driver : NULL,
					  .name = name,
					  .tells_run =
						  v->bind[A_RUN].desc || v->bind[A_OLD_RUN].desc };

	if (shared)
		ring.why = "rings of this name of several devices";
	return v->rings ? xtr_rings_declare(v->rings, &ring, &id) : 0;
}

/*
 * Index of the ring of this name and, if it is not 0, of this device (a string) or scheduler's
 * thread; the last of all stands for what there is no room for. -ENOMEM.
 */
static int64_t ring_of(struct sched *v, uint64_t name, uint64_t of, const char *dev, bool shared)
{
	uint32_t i = xtr_map_index(&v->by_name, name, of);
	bool last = v->n_rings == RINGS_MAX - 1;

	if (i != XTR_MAP_NONE)
		return i;
	if (v->n_rings == RINGS_MAX)
		return RINGS_MAX - 1;
	i = v->n_rings;
	if (declare(v, RING_BASE | i, last ? "(others)" : text_of(v, name), last ? "" : dev,
		    last || shared))
		return -ENOMEM;
	v->n_rings++;
	v->ring_name[i] = name;
	if (!last && xtr_map_put(&v->by_name, name, of, i))
		return -ENOMEM;
	return i;
}

static int64_t new_ring(struct sched *v, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint64_t dev = xtr_bind_u64(b, F_DEV, ev);

	return ring_of(v, xtr_bind_u64(b, F_NAME, ev), dev, text_of(v, dev), false);
}

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
	const char *comm = task ? text_of(v, task->comm) : "", *ring = text_of(v, name);
	bool own = *comm && !strncmp(ring, comm, 15) && strlen(comm) == strnlen(ring, 15);

	return ring_of(v, name, own ? ev->tid : 0, only_device(v),
		       !own && xtr_meta_n_devices(v->meta) > 1);
}

/* --- steps ------------------------------------------------------------------------------------ */

static struct xtr_gpu_record *record(struct xtr_job_steps *out, const struct xtr_event *ev,
				     enum act act)
{
	struct xtr_gpu_record *r = &xtr_steps_add(out, XTR_STEP_SCHEDULER)->r;

	r->type = events[act].type;
	r->tid = ev->tid;
	r->stream = ev->stream;
	return r;
}

static int new_event(struct sched *v, enum act act, const struct xtr_event *ev,
		     struct xtr_job_steps *out)
{
	const struct xtr_bind *b = &v->bind[act];
	int64_t ring = act == A_QUEUE || act == A_RUN ? new_ring(v, b, ev) : -1;
	struct xtr_gpu_record *r;

	if (ring == -ENOMEM)
		return -ENOMEM;
	r = record(out, ev, act);
	r->ctx = xtr_bind_u64(b, F_CTX, ev);
	r->seqno = xtr_bind_u64(b, F_SEQNO, ev);
	r->ring = ring < 0 ? 0 : RING_BASE | (uint32_t)ring;
	r->job_count = (uint32_t)xtr_bind_u64(b, F_COUNT, ev);
	if (act == A_QUEUE && xtr_bind_get(b, F_CLIENT, ev, &r->client_id))
		r->flags = XTR_JOB_CLIENT_KNOWN;
	if (act == A_WAIT) {
		r->dep_ctx = xtr_bind_u64(b, F_DEP_CTX, ev);
		r->dep_seqno = xtr_bind_u64(b, F_DEP_SEQNO, ev);
	}
	if (act == A_FENCE)
		r->error = (int32_t)xtr_bind_s64(b, F_ERROR, ev);
	return 0;
}

/* --- jobs by address -------------------------------------------------------------------------- */

static int context_of(struct sched *v, uint64_t name, uint64_t entity, uint64_t *ctx)
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
	r->ring = RING_BASE | j->ring;
}

/* The job of an old queue or run event: a new one, or the one that was queued. */
static int64_t old_job(struct sched *v, enum act act, const struct xtr_event *ev, uint64_t name,
		       uint64_t entity)
{
	const struct xtr_bind *b = &v->bind[act];
	uint64_t fence = xtr_bind_u64(b, F_FENCE, ev), id = xtr_bind_u64(b, F_ID, ev), ctx = 0;
	uint32_t last, known;
	int err = context_of(v, name, entity, &ctx);
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

	return xtr_map_put(&v->by_id[other], name, j->seqno, j->key[1]);
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
	r = record(out, ev, act);
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
	name_job(record(out, ev, A_OLD_DONE), &v->jobs.job[i]);
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
	r = record(out, ev, A_OLD_WAIT);
	name_job(r, &v->jobs.job[i]);
	r->dep_ctx = xtr_bind_u64(b, F_DEP_CTX, ev);
	r->dep_seqno = xtr_bind_u64(b, F_DEP_SEQNO, ev);
	if (dep != SOURCE_JOBS_NONE && !scheduled &&
	    xtr_map_put(&v->by_real, (uint32_t)r->dep_ctx, (uint32_t)r->dep_seqno, of))
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
	struct xtr_gpu_record *r = record(out, ev, A_FENCE);

	r->ctx = ctx;
	r->seqno = seqno;
	r->error = (int32_t)xtr_bind_s64(b, F_ERROR, ev);
	if (i != SOURCE_JOBS_NONE)
		name_job(r, &v->jobs.job[i]);
	if (fence)
		xtr_map_del(&v->by_real, ctx, seqno);
	return 0;
}

/* --- the source ------------------------------------------------------------------------------- */

bool source_sched_tells(const struct xtr_meta *meta)
{
	struct xtr_bind b;

	if (!meta || xtr_meta_event(meta, XTR_EV_JOB_RUN) || xtr_meta_event(meta, XTR_EV_JOB_QUEUE))
		return false;
	xtr_bind_event(&b, meta, &events[A_RUN].spec);
	if (!b.desc)
		xtr_bind_event(&b, meta, &events[A_OLD_RUN].spec);
	return b.desc;
}

static void sched_close(void *self)
{
	struct sched *v = self;

	source_jobs_free(&v->jobs);
	xtr_map_free(&v->by_name);
	xtr_map_free(&v->by_id[0]);
	xtr_map_free(&v->by_id[1]);
	xtr_map_free(&v->by_real);
	xtr_map_free(&v->entities);
	xtr_map_free(&v->last);
	free(v);
}

static int sched_open(void **self, const struct xtr_source_env *env)
{
	struct sched *v;
	int err = 0;

	if (!source_sched_tells(env->meta) || source_table_measures(env->meta))
		return 0;
	v = calloc(1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	*self = v; /* closed by the caller, whatever happened */
	v->meta = env->meta;
	v->tables = env->tables;
	v->rings = env->rings;
	source_jobs_init(&v->jobs);
	for (uint32_t a = 0; a < ACTS && !err; a++) {
		uint32_t have = 0;

		xtr_bind_event(&v->bind[a], env->meta, &events[a].spec);
		for (uint32_t f = 0; f <= F_ERROR; f++)
			have |= v->bind[a].slot[f].width ? BIT(f) : 0;
		if ((have & events[a].needs) != events[a].needs)
			v->bind[a].desc = NULL;
		err = xtr_source_bind(env, v->bind[a].desc, a);
	}
	return err;
}

/* Fences of other drivers' jobs are those drivers'. */
static bool sched_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size)
{
	(void)self;
	(void)role;
	(void)rec;
	(void)size;
	return true;
}

static int sched_event(void *self, uint32_t role, const struct xtr_event *ev,
		       struct xtr_job_steps *out)
{
	switch ((enum act)role) {
	case A_OLD_QUEUE:
	case A_OLD_RUN:
		return old_job_event(self, role, ev, out);
	case A_OLD_DONE:
		return old_done(self, ev, out);
	case A_OLD_WAIT:
		return old_wait(self, ev, out);
	case A_FENCE:
		return ((struct sched *)self)->bind[A_OLD_RUN].desc
			       ? old_fence(self, ev, out)
			       : new_event(self, role, ev, out);
	default:
		return new_event(self, role, ev, out);
	}
}

const struct xtr_job_source xtr_source_sched = {
	.name = "scheduler",
	.open = sched_open,
	.close = sched_close,
	.takes = sched_takes,
	.event = sched_event,
};
