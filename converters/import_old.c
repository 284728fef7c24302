// SPDX-License-Identifier: BSD-2-Clause
/*
 * The scheduler's events before Linux 6.17 have neither context nor number of the job's fence. What
 * they have: the address of the finished fence (free to be used again as soon as the job is gone),
 * the entity, the ring's name, and a number that one scheduler gives to its jobs.
 *
 * A job's key is made up of these: its number is the scheduler's, its context stands for (ring's
 * name, entity), because an entity has one scheduler of a name even where two devices have rings of
 * the same name. Made-up contexts lie above all real ones. The event of the completion has the
 * address alone: it belongs to the job that was queued or run with this address last.
 */
#include "import_priv.h"

#include "format/buf.h"
#include "format/bytes.h"

#include <errno.h>
#include <string.h>

#define CTX_BASE  1000000000000ull /* + 2 per context; the kernel counts from 1 */
#define JOBS_MAX  ((size_t)1 << 18)
#define AMBIGUOUS UINT64_MAX /* two jobs that are not done have this number */
#define FENCE_GAP 64u /* bytes between a job's scheduled and finished fence: struct dma_fence */

static struct import_old_job *job_at(const struct import_old *o, uint64_t fence)
{
	const uint64_t *i = xtr_map_get(&o->by_fence, fence, 0);

	return i ? &o->jobs[*i] : NULL;
}

static void forget(struct import_old *o)
{
	xtr_map_free(&o->by_fence);
	xtr_map_free(&o->by_id);
	o->n = 0;
}

static int context_of(struct import_old *o, uint32_t name, uint64_t entity, uint64_t *ctx)
{
	const uint64_t *known = xtr_map_get(&o->contexts, name, entity);

	if (known) {
		*ctx = *known;
		return 0;
	}
	o->last_ctx += 2;
	*ctx = CTX_BASE + o->last_ctx;
	return import_map_put(&o->contexts, name, entity, *ctx);
}

static void unlist_id(struct import_old *o, const struct import_old_job *j)
{
	const uint64_t *i = xtr_map_get(&o->by_id, j->name, j->id);

	if (i && *i == (uint64_t)(j - o->jobs))
		xtr_map_del(&o->by_id, j->name, j->id);
}

/* The job that has this address from now on. An earlier one with it is gone. */
static int take_address(struct import_old *o, uint64_t fence, struct import_old_job **out)
{
	struct import_old_job *j = job_at(o, fence);

	if (j) {
		unlist_id(o, j);
		*out = j;
		return 0;
	}
	if (o->n >= JOBS_MAX)
		forget(o);
	if (xtr_grow_array(&o->jobs, &o->cap, o->n + 1, sizeof(*j)) ||
	    xtr_map_put(&o->by_fence, fence, 0, o->n))
		return -ENOMEM;
	*out = &o->jobs[o->n++];
	return 0;
}

/* Two devices may have rings of one name, whose jobs then have the same numbers. */
static int list_id(struct import_old *o, const struct import_old_job *j)
{
	uint64_t i = (uint64_t)(j - o->jobs);

	if (xtr_map_get(&o->by_id, j->name, j->id))
		i = AMBIGUOUS;
	return xtr_map_put(&o->by_id, j->name, j->id, i);
}

static int begin_job(struct xtr_import *im, const struct import_values *v, uint32_t name,
		     uint32_t ring, struct import_old_job **out)
{
	struct import_old *o = &im->old;
	struct import_old_job *j;
	uint64_t ctx;
	int err = context_of(o, name, v->num[ROLE_ENTITY], &ctx);

	if (!err)
		err = take_address(o, v->num[ROLE_FENCE], &j);
	if (err)
		return err;
	*j = (struct import_old_job){ .fence = v->num[ROLE_FENCE],
				      .ctx = ctx,
				      .seqno = v->num[ROLE_ID],
				      .id = v->num[ROLE_ID],
				      .name = name,
				      .ring = ring };
	*out = j;
	return list_id(o, j);
}

static int note_inferred(struct xtr_import *im)
{
	return im->old.last_ctx ? 0 : xtr_meta_set_config_str(im->meta, "job-keys", "inferred");
}

int import_job_old(struct xtr_import *im, const struct xtr_import_at *at,
		   const struct import_event_map *map, const struct import_values *v)
{
	bool queue = map->type == XTR_EV_JOB_QUEUE;
	uint32_t at_counts = queue ? 44 : 36, ring, name;
	struct import_old_job *j = NULL;
	uint8_t rec[64] = { 0 };
	int err = import_ring(im, at->ts, v->str[ROLE_RING], v->len[ROLE_RING], NULL, 0, &ring);

	if (!err)
		err = import_intern(im, v->str[ROLE_RING], v->len[ROLE_RING], &name);
	if (!err)
		err = note_inferred(im);
	if (!err)
		err = import_add_native(im, map);
	if (err)
		return err;
	if (!queue)
		j = job_at(&im->old, v->num[ROLE_FENCE]);
	if (!j || j->id != v->num[ROLE_ID] || j->run || j->done)
		err = begin_job(im, v, name, ring, &j);
	if (err)
		return err;
	j->run = !queue;
	j->ring = ring;
	xtr_put_le64(rec + 16, j->ctx);
	xtr_put_le64(rec + 24, j->seqno);
	xtr_put_le32(rec + at_counts - 4, ring);
	xtr_put_le32(rec + at_counts, (uint32_t)v->num[ROLE_JOBS]);
	xtr_put_le32(rec + at_counts + 4, (uint32_t)v->num[ROLE_HW]);
	if (queue)
		xtr_put_le32(rec + 60, UINT32_MAX); /* priority: not known */
	return import_put(im, at, map->type, rec, queue ? 64 : 48);
}

/* The completion of a job of which nothing else is in the trace has a context of its own. */
int import_done_old(struct xtr_import *im, const struct xtr_import_at *at,
		    const struct import_event_map *map, const struct import_values *v)
{
	struct import_old_job *j = job_at(&im->old, v->num[ROLE_FENCE]);
	uint64_t ctx = CTX_BASE, seqno = 0;
	uint8_t rec[40] = { 0 };
	int err = note_inferred(im);

	if (!err)
		err = import_add_native(im, map);
	if (err)
		return err;
	if (j && !j->done) {
		ctx = j->ctx;
		seqno = j->seqno;
		xtr_put_le32(rec + 32, j->ring);
		unlist_id(&im->old, j);
		j->done = true;
	} else {
		seqno = ++im->old.orphans;
	}
	xtr_put_le64(rec + 16, ctx);
	xtr_put_le64(rec + 24, seqno);
	return import_put(im, at, map->type, rec, sizeof(rec));
}

/*
 * What a job waits for, as far as the trace tells: another job's finished fence, its scheduled
 * fence (they lie in one object), or a fence with only its own name.
 */
static uint32_t name_dependency(struct xtr_import *im, const struct import_values *v, uint64_t *ctx,
				uint64_t *seqno)
{
	const struct import_old_job *dep = job_at(&im->old, v->num[ROLE_DEP_FENCE]);
	const uint64_t *last;

	if (dep) {
		*ctx = dep->ctx;
		*seqno = dep->seqno;
		return dep->done ? XTR_JOB_DEP_SIGNALED : 0;
	}
	dep = job_at(&im->old, v->num[ROLE_DEP_FENCE] + FENCE_GAP);
	if (dep) {
		*ctx = dep->ctx - 1;
		*seqno = dep->seqno;
		return XTR_JOB_DEP_SCHEDULED | (dep->run || dep->done ? XTR_JOB_DEP_SIGNALED : 0);
	}
	*ctx = v->num[ROLE_DEP_CTX];
	*seqno = v->num[ROLE_DEP_SEQNO];
	last = xtr_map_get(&im->new_names.signaled, (uint32_t)*ctx, 0);
	return last && *last >= *seqno ? XTR_JOB_DEP_SIGNALED : 0;
}

int import_dep_old(struct xtr_import *im, const struct xtr_import_at *at,
		   const struct import_event_map *map, const struct import_values *v)
{
	const uint64_t *i;
	uint64_t ctx, seqno;
	uint8_t rec[56] = { 0 };
	uint32_t name, flags;
	int err = import_intern(im, v->str[ROLE_RING], v->len[ROLE_RING], &name);

	i = err ? NULL : xtr_map_get(&im->old.by_id, name, v->num[ROLE_ID]);
	if (!i || *i == AMBIGUOUS)
		return err ? err : 1;
	err = import_add_native(im, map);
	if (err)
		return err;
	flags = name_dependency(im, v, &ctx, &seqno);
	xtr_put_le64(rec + 16, im->old.jobs[*i].ctx);
	xtr_put_le64(rec + 24, im->old.jobs[*i].seqno);
	xtr_put_le64(rec + 32, ctx);
	xtr_put_le64(rec + 40, seqno);
	xtr_put_le32(rec + 48, im->old.jobs[*i].ring);
	xtr_put_le32(rec + 52, flags);
	return import_put(im, at, map->type, rec, sizeof(rec));
}
