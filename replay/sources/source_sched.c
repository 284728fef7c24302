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
#include "source_sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
			{ [F_CTX] = "context|ctx", [F_SEQNO] = "seqno", [F_ERROR] = "error" } },
		      BIT(F_CTX) | BIT(F_SEQNO),
		      XTR_EV_FENCE_SIGNALED },
};

/* --- rings ------------------------------------------------------------------------------------ */

const char *sched_text(const struct sched *v, uint64_t string)
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

int64_t sched_ring(struct sched *v, uint64_t name, uint64_t of, const char *dev, bool shared)
{
	uint32_t i = xtr_map_index(&v->by_name, name, of);
	bool last = v->n_rings == SCHED_RINGS_MAX - 1;

	if (i != XTR_MAP_NONE)
		return i;
	if (v->n_rings == SCHED_RINGS_MAX)
		return SCHED_RINGS_MAX - 1;
	i = v->n_rings;
	if (declare(v, SCHED_RING | i, last ? "(others)" : sched_text(v, name), last ? "" : dev,
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

	return sched_ring(v, xtr_bind_u64(b, F_NAME, ev), dev, sched_text(v, dev), false);
}

/* --- steps ------------------------------------------------------------------------------------ */

struct xtr_gpu_record *sched_record(struct xtr_job_steps *out, const struct xtr_event *ev,
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
	r = sched_record(out, ev, act);
	r->ctx = xtr_bind_u64(b, F_CTX, ev);
	r->seqno = xtr_bind_u64(b, F_SEQNO, ev);
	r->ring = ring < 0 ? 0 : SCHED_RING | (uint32_t)ring;
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

/* What other sources know to be theirs they have taken before (job_source.c, find). */
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
	struct sched *v = self;
	bool old = role >= A_OLD_QUEUE && (role != A_FENCE || v->bind[A_OLD_RUN].desc);

	return (old ? sched_old_event : new_event)(v, role, ev, out);
}

const struct xtr_job_source xtr_source_sched = {
	.name = "scheduler",
	.open = sched_open,
	.close = sched_close,
	.takes = sched_takes,
	.event = sched_event,
};
