/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler's events since Linux 6.17 name each job by the context and number of its finished
 * fence, so that nothing has to be paired: only the ring, which `done` and the dependencies lack,
 * is taken over from the job's earlier events. And dma_fence, the same on all kernels.
 */
#include "import_priv.h"

#include <string.h>

static uint32_t ring_of(struct xtr_import *im, uint64_t ctx, uint64_t seqno)
{
	const uint64_t *ring = xtr_map_get(&im->new_names.ring, ctx, seqno);

	return ring ? (uint32_t)*ring : 0;
}

void import_put_job(uint8_t *rec, bool queue, uint64_t ctx, uint64_t seqno, uint32_t ring,
		    const struct import_values *v)
{
	/* The key lies in all records of jobs at one place. */
	XTR_REC_PUT(rec, job_queue, ctx, ctx);
	XTR_REC_PUT(rec, job_queue, seqno, seqno);
	if (queue) {
		XTR_REC_PUT(rec, job_queue, ring, ring);
		XTR_REC_PUT(rec, job_queue, job_count, v->num[ROLE_JOBS]);
		XTR_REC_PUT(rec, job_queue, hw_job_count, v->num[ROLE_HW]);
		XTR_REC_PUT(rec, job_queue, prio, UINT32_MAX); /* not known */
	} else {
		XTR_REC_PUT(rec, job_run, ring, ring);
		XTR_REC_PUT(rec, job_run, job_count, v->num[ROLE_JOBS]);
		XTR_REC_PUT(rec, job_run, hw_job_count, v->num[ROLE_HW]);
	}
}

int import_job_new(struct xtr_import *im, const struct xtr_import_at *at,
		   const struct import_event_map *map, const struct import_values *v)
{
	bool queue = map->type == XTR_EV_JOB_QUEUE;
	uint32_t ring;
	uint64_t ctx = v->num[ROLE_CTX], seqno = v->num[ROLE_SEQNO];
	uint8_t rec[sizeof(struct xtr_rec_job_queue)] = { 0 };
	int err = import_ring(im, at->ts, v->str[ROLE_RING], v->len[ROLE_RING], v->str[ROLE_DEV],
			      v->len[ROLE_DEV], &ring) ?:
		  import_map_put(&im->new_names.ring, ctx, seqno, ring) ?:
		  import_map_put(&im->new_names.contexts, ctx, 0, 1) ?:
		  import_add_native(im, map);

	if (err)
		return err;
	import_put_job(rec, queue, ctx, seqno, ring, v);
	if (!queue)
		return import_put(im, at, map->type, rec, sizeof(struct xtr_rec_job_run));
	XTR_REC_PUT(rec, job_queue, client_id, v->num[ROLE_CLIENT]);
	XTR_REC_PUT(rec, job_queue, stack, at->stack);
	if (v->have & ROLE_BIT(ROLE_CLIENT))
		XTR_REC_PUT(rec, job_queue, flags, XTR_JOB_CLIENT_KNOWN);
	return import_put(im, at, map->type, rec, sizeof(struct xtr_rec_job_queue));
}

int import_done_new(struct xtr_import *im, const struct xtr_import_at *at,
		    const struct import_event_map *map, const struct import_values *v)
{
	uint64_t ctx = v->num[ROLE_CTX], seqno = v->num[ROLE_SEQNO];
	uint8_t rec[IMPORT_DONE_SIZE] = { 0 };
	int err = import_add_native(im, map);

	if (err)
		return err;
	XTR_REC_PUT(rec, job_done, ctx, ctx);
	XTR_REC_PUT(rec, job_done, seqno, seqno);
	XTR_REC_PUT(rec, job_done, ring, ring_of(im, ctx, seqno));
	xtr_map_del(&im->new_names.ring, ctx, seqno);
	return import_put(im, at, map->type, rec, sizeof(rec));
}

/* A fence whose context is the one before a finished fence's is a scheduler's `scheduled` fence. */
static bool is_scheduled_fence(const struct xtr_import *im, uint64_t ctx)
{
	return !xtr_map_get(&im->new_names.contexts, ctx, 0) &&
	       xtr_map_get(&im->new_names.contexts, ctx + 1, 0);
}

int import_dep_new(struct xtr_import *im, const struct xtr_import_at *at,
		   const struct import_event_map *map, const struct import_values *v)
{
	uint8_t rec[sizeof(struct xtr_rec_job_dep)] = { 0 };
	int err = import_add_native(im, map);

	if (err)
		return err;
	XTR_REC_PUT(rec, job_dep, ctx, v->num[ROLE_CTX]);
	XTR_REC_PUT(rec, job_dep, seqno, v->num[ROLE_SEQNO]);
	XTR_REC_PUT(rec, job_dep, dep_ctx, v->num[ROLE_DEP_CTX]);
	XTR_REC_PUT(rec, job_dep, dep_seqno, v->num[ROLE_DEP_SEQNO]);
	XTR_REC_PUT(rec, job_dep, ring, ring_of(im, v->num[ROLE_CTX], v->num[ROLE_SEQNO]));
	if (is_scheduled_fence(im, v->num[ROLE_DEP_CTX]))
		XTR_REC_PUT(rec, job_dep, flags, XTR_JOB_DEP_SCHEDULED);
	return import_put(im, at, map->type, rec, sizeof(rec));
}

static int intern_role(struct xtr_import *im, const struct import_values *v, enum import_role role,
		       uint32_t *id)
{
	*id = 0;
	return v->len[role] ? import_intern(im, v->str[role], v->len[role], id) : 0;
}

int import_fence(struct xtr_import *im, const struct xtr_import_at *at,
		 const struct import_event_map *map, const struct import_values *v)
{
	uint64_t ctx = v->num[ROLE_CTX], seqno = v->num[ROLE_SEQNO];
	const uint64_t *last;
	bool stack = import_fence_has_stack(im, map->type);
	uint8_t rec[IMPORT_FENCE_STACK_SIZE] = { 0 };
	uint32_t driver = 0, timeline = 0;
	int err = import_add_native(im, map) ?: intern_role(im, v, ROLE_DRIVER, &driver) ?:
		  intern_role(im, v, ROLE_TIMELINE, &timeline);

	if (!err && map->type == XTR_EV_FENCE_SIGNALED) {
		last = xtr_map_get(&im->new_names.signaled, ctx, 0);
		if (!last || *last < seqno)
			err = import_map_put(&im->new_names.signaled, ctx, 0, seqno);
	}
	import_old_key(im, &ctx, &seqno);
	XTR_REC_PUT(rec, fence, ctx, ctx);
	XTR_REC_PUT(rec, fence, seqno, seqno);
	XTR_REC_PUT(rec, import_fence, driver, driver);
	XTR_REC_PUT(rec, import_fence, timeline, timeline);
	if (stack)
		XTR_REC_PUT(rec, import_fence, stack, at->stack);
	return err ? err
		   : import_put(im, at, map->type, rec,
				stack ? IMPORT_FENCE_STACK_SIZE : IMPORT_FENCE_SIZE);
}
