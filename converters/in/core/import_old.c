/* SPDX-License-Identifier: BSD-2-Clause */
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

#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CTX_BASE    1000000000000ull /* + 2 per context; the kernel counts from 1 */
#define JOBS_MAX    ((size_t)1 << 18)
#define SAME_ID_MAX 8u   /* jobs of one number that are kept apart */
#define FENCE_GAP   64u  /* bytes between a job's scheduled and finished fence: struct dma_fence */
#define SHARED_MAX  900u /* bytes of the names of rings with several schedulers */

static struct import_old_job *job_at(const struct import_old *o, uint64_t fence)
{
	const uint64_t *i = xtr_map_get(&o->by_fence, fence, 0);

	return i ? &o->jobs[*i] : NULL;
}

static void forget(struct import_old *o)
{
	xtr_map_free(&o->by_fence);
	xtr_map_free(&o->by_id);
	xtr_map_free(&o->by_real);
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

/* --- jobs by number: two devices may have rings of one name, whose jobs have the same numbers ----
 */

static struct import_old_job *first_of_id(const struct import_old *o, uint32_t name, uint64_t id)
{
	const uint64_t *i = xtr_map_get(&o->by_id, name, id);

	return i ? &o->jobs[*i] : NULL;
}

static struct import_old_job *next_of_id(const struct import_old *o, const struct import_old_job *j)
{
	return j->next ? &o->jobs[j->next - 1] : NULL;
}

static void unlist_id(struct import_old *o, struct import_old_job *j)
{
	struct import_old_job *first = first_of_id(o, j->name, j->id), *before = first;

	if (first == j) {
		xtr_map_del(&o->by_id, j->name, j->id);
		if (j->next)
			xtr_map_put(&o->by_id, j->name, j->id, j->next - 1);
	}
	while (before && before != j && next_of_id(o, before) != j)
		before = next_of_id(o, before);
	if (before && before != j)
		before->next = j->next;
	j->next = 0;
}

static int list_id(struct import_old *o, struct import_old_job *j)
{
	const struct import_old_job *k = first_of_id(o, j->name, j->id);
	uint32_t first = k ? (uint32_t)(k - o->jobs) + 1 : 0, n = 0;

	for (; k; k = next_of_id(o, k))
		n++;
	if (n >= SAME_ID_MAX)
		return 0;
	j->next = first;
	return xtr_map_put(&o->by_id, j->name, j->id, (uint64_t)(j - o->jobs));
}

/* --- schedulers --------------------------------------------------------------------------------
 */

/*
 * Up to 6.7 each scheduler has a thread of its own, named like the ring: it tells rings of one name
 * apart. The first one has the ring that stands for the name.
 */
static int ring_of_thread(struct xtr_import *im, const struct xtr_import_at *at,
			  const struct import_values *v, uint32_t name, uint32_t *ring)
{
	const uint64_t *known = xtr_map_get(&im->old.rings, name, at->tid);
	int err = 0;

	if (known) {
		*ring = (uint32_t)*known;
		return 0;
	}
	if (!import_is_called(im, at, v->str[ROLE_RING], v->len[ROLE_RING]))
		return 0;
	if (xtr_map_get(&im->old.rings, name, 0))
		err = import_another_ring(im, at->ts, *ring, ring);
	return err ?: import_map_put(&im->old.rings, name, 0, *ring) ?:
	       import_map_put(&im->old.rings, name, at->tid, *ring);
}

/* The ring that an entity's jobs were run on last, if it is known. */
static void ring_of_context(const struct import_old *o, uint32_t name, uint64_t ctx, uint32_t *ring)
{
	const uint64_t *thread = xtr_map_get(&o->threads, ctx, 0), *known;

	known = thread ? xtr_map_get(&o->rings, name, *thread) : NULL;
	if (known)
		*ring = (uint32_t)*known;
}

/* Two jobs of one number are on this ring: it stands for several schedulers. META lists such. */
static int note_shared(struct xtr_import *im, uint32_t ring, const struct import_values *v)
{
	const char *had = xtr_meta_config_str(im->meta, "import-shared-rings");
	char text[SHARED_MAX + 1];
	int err;

	if (xtr_map_get(&im->old.shared, ring, 0) || v->len[ROLE_RING] > 64 ||
	    (had && strlen(had) + v->len[ROLE_RING] + 1 > SHARED_MAX))
		return 0;
	err = import_map_put(&im->old.shared, ring, 0, 1);
	snprintf(text, sizeof(text), "%s%s%.*s", had ? had : "", had ? "," : "",
		 (int)v->len[ROLE_RING], v->str[ROLE_RING]);
	return err ? err : xtr_import_note(im, "import-shared-rings", text);
}

/*
 * A scheduler gives each number once. The numbers run on a ring lately are remembered as a window
 * of bits that ends at the highest; what lies below it is not looked at.
 */
static int look_for_shared(struct xtr_import *im, const struct import_old_job *j,
			   const struct import_values *v)
{
	struct import_window *w;

	if (xtr_grow_array(&im->old.windows, &im->old.cap_windows, j->ring + 1, sizeof(*w)))
		return -ENOMEM;
	while (im->old.n_windows <= j->ring)
		im->old.windows[im->old.n_windows++] = (struct import_window){ 0 };
	w = &im->old.windows[j->ring];
	if (j->id > w->high) {
		if (j->id - w->high >= IMPORT_WINDOW)
			memset(w->bits, 0, sizeof(w->bits));
		else
			for (uint64_t id = w->high + 1; id <= j->id; id++)
				w->bits[id % IMPORT_WINDOW / 8] &= (uint8_t) ~(1u << id % 8);
		w->high = j->id;
	} else if (w->high - j->id >= IMPORT_WINDOW) {
		return 0;
	} else if (w->bits[j->id % IMPORT_WINDOW / 8] & 1u << j->id % 8) {
		return note_shared(im, j->ring, v);
	}
	w->bits[j->id % IMPORT_WINDOW / 8] |= (uint8_t)(1u << j->id % 8);
	return 0;
}

/* --- jobs ---------------------------------------------------------------------------------------
 */

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

static int begin_job(struct xtr_import *im, const struct import_values *v, uint32_t name,
		     uint32_t ring, struct import_old_job **out)
{
	struct import_old *o = &im->old;
	struct import_old_job *j;
	uint64_t ctx;
	int err = context_of(o, name, v->num[ROLE_ENTITY], &ctx)
			  ?: take_address(o, v->num[ROLE_FENCE], &j);

	if (err)
		return err;
	ring_of_context(o, name, ctx, &ring);
	*j = (struct import_old_job){ .fence = v->num[ROLE_FENCE],
				      .ctx = ctx,
				      .seqno = v->num[ROLE_ID],
				      .id = v->num[ROLE_ID],
				      .name = name,
				      .ring = ring };
	*out = j;
	return list_id(o, j);
}

static int run_job(struct xtr_import *im, const struct xtr_import_at *at,
		   const struct import_values *v, struct import_old_job *j, uint32_t ring)
{
	int err = ring_of_thread(im, at, v, j->name, &ring);

	j->ring = ring;
	j->run = true;
	if (!err)
		err = import_map_put(&im->old.was_run, j->ctx, 0, j->id);
	if (!err && xtr_map_get(&im->old.rings, j->name, at->tid))
		err = import_map_put(&im->old.threads, j->ctx, 0, at->tid);
	return err ? err : look_for_shared(im, j, v);
}

static int queue_job(struct import_old *o, struct import_old_job *j)
{
	const uint64_t *before = xtr_map_get(&o->queued, j->ctx, 0);

	j->before = before ? *before : 0;
	return import_map_put(&o->queued, j->ctx, 0, j->id);
}

static int note_inferred(struct xtr_import *im)
{
	return im->old.last_ctx ? 0 : xtr_meta_set_config_str(im->meta, "job-keys", "inferred");
}

static int put_job(struct xtr_import *im, const struct xtr_import_at *at, bool queue,
		   const struct import_old_job *j, const struct import_values *v)
{
	uint8_t rec[sizeof(struct xtr_rec_job_queue)] = { 0 };

	import_put_job(rec, queue, j->ctx, j->seqno, j->ring, v);
	if (!queue)
		return import_put(im, at, XTR_EV_JOB_RUN, rec, sizeof(struct xtr_rec_job_run));
	XTR_REC_PUT(rec, job_queue, stack, at->stack);
	return import_put(im, at, XTR_EV_JOB_QUEUE, rec, sizeof(rec));
}

int import_job_old(struct xtr_import *im, const struct xtr_import_at *at,
		   const struct import_event_map *map, const struct import_values *v)
{
	bool queue = map->type == XTR_EV_JOB_QUEUE;
	struct import_old_job *j = NULL;
	uint32_t ring, name;
	int err = import_ring(im, at->ts, v->str[ROLE_RING], v->len[ROLE_RING], NULL, 0, &ring) ?:
		  import_intern(im, v->str[ROLE_RING], v->len[ROLE_RING], &name) ?:
		  note_inferred(im) ?:
		  import_add_native(im, map);

	if (err)
		return err;
	if (!queue)
		j = job_at(&im->old, v->num[ROLE_FENCE]);
	if (!j || j->id != v->num[ROLE_ID] || j->run || j->done)
		err = begin_job(im, v, name, ring, &j);
	return err ?: (queue ? queue_job(&im->old, j) : run_job(im, at, v, j, ring)) ?:
	       put_job(im, at, queue, j, v);
}

/* The completion of a job of which nothing else is in the trace has a context of its own. */
int import_done_old(struct xtr_import *im, const struct xtr_import_at *at,
		    const struct import_event_map *map, const struct import_values *v)
{
	struct import_old_job *j = job_at(&im->old, v->num[ROLE_FENCE]);
	uint64_t ctx = CTX_BASE, seqno = 0;
	uint8_t rec[IMPORT_DONE_SIZE] = { 0 };
	int err = note_inferred(im) ?: import_add_native(im, map);

	if (err)
		return err;
	if (j && !j->done) {
		ctx = j->ctx;
		seqno = j->seqno;
		XTR_REC_PUT(rec, job_done, ring, j->ring);
		unlist_id(&im->old, j);
		j->done = true;
	} else {
		seqno = ++im->old.orphans;
	}
	XTR_REC_PUT(rec, job_done, ctx, ctx);
	XTR_REC_PUT(rec, job_done, seqno, seqno);
	return import_put(im, at, map->type, rec, sizeof(rec));
}

/* --- dependencies -------------------------------------------------------------------------------
 */

/* Is it the first of its queue? A scheduler looks at no other. */
static bool is_first(const struct import_old *o, const struct import_old_job *j)
{
	const uint64_t *was_run = xtr_map_get(&o->was_run, j->ctx, 0);

	return !j->before || (was_run && *was_run == j->before);
}

/*
 * The job that a scheduler looks at: it is not run yet. Of several of this number it is the one
 * whose entity this thread has served before, or the only one that no other has; and the first of
 * its queue, if that is needed to tell (after a loss it may not be known).
 */
static const struct import_old_job *waiting_job(const struct import_old *o, uint32_t name,
						uint64_t id, uint32_t tid)
{
	const struct import_old_job *j, *any = NULL, *first = NULL;
	unsigned int n_any = 0, n_first = 0;
	const uint64_t *thread;

	for (j = first_of_id(o, name, id); j; j = next_of_id(o, j)) {
		if (j->run)
			continue;
		thread = xtr_map_get(&o->threads, j->ctx, 0);
		if (thread && *thread == tid)
			return j;
		if (thread && xtr_map_get(&o->rings, name, tid))
			continue;
		any = j;
		n_any++;
		if (is_first(o, j)) {
			first = j;
			n_first++;
		}
	}
	return n_any == 1 ? any : n_first == 1 ? first : NULL;
}

/* The event of a dependency is the only one that has both address and key of a fence. */
static int learn_key(struct import_old *o, struct import_old_job *j, const struct import_values *v)
{
	j->real_ctx = (uint32_t)v->num[ROLE_DEP_CTX];
	j->real_seqno = (uint32_t)v->num[ROLE_DEP_SEQNO];
	return import_map_put(&o->by_real, j->real_ctx, j->real_seqno, (uint64_t)(j - o->jobs));
}

void import_old_key(const struct xtr_import *im, uint64_t *ctx, uint64_t *seqno)
{
	const struct import_old *o = &im->old;
	const uint64_t *i = o->by_real.n ? xtr_map_get(&o->by_real, *ctx, *seqno) : NULL;
	const struct import_old_job *j = i ? &o->jobs[*i] : NULL;

	if (!j || j->real_ctx != *ctx || j->real_seqno != *seqno)
		return;
	*ctx = j->ctx;
	*seqno = j->seqno;
}

/*
 * What a job waits for, as far as the trace tells: another job's finished fence, its scheduled
 * fence (they lie in one object), or a fence with only its own name.
 */
static int name_dependency(struct xtr_import *im, const struct import_values *v, uint64_t *ctx,
			   uint64_t *seqno, uint32_t *flags)
{
	struct import_old_job *dep = job_at(&im->old, v->num[ROLE_DEP_FENCE]);
	const uint64_t *last;

	*flags = 0;
	if (dep) {
		*ctx = dep->ctx;
		*seqno = dep->seqno;
		*flags = dep->done ? XTR_JOB_DEP_SIGNALED : 0;
		return learn_key(&im->old, dep, v);
	}
	dep = job_at(&im->old, v->num[ROLE_DEP_FENCE] + FENCE_GAP);
	if (dep) {
		*ctx = dep->ctx - 1;
		*seqno = dep->seqno;
		*flags = XTR_JOB_DEP_SCHEDULED | (dep->run || dep->done ? XTR_JOB_DEP_SIGNALED : 0);
		return 0;
	}
	*ctx = v->num[ROLE_DEP_CTX];
	*seqno = v->num[ROLE_DEP_SEQNO];
	last = xtr_map_get(&im->new_names.signaled, (uint32_t)*ctx, 0);
	*flags = last && *last >= *seqno ? XTR_JOB_DEP_SIGNALED : 0;
	return 0;
}

int import_dep_old(struct xtr_import *im, const struct xtr_import_at *at,
		   const struct import_event_map *map, const struct import_values *v)
{
	const struct import_old_job *j = NULL;
	uint64_t ctx, seqno;
	uint8_t rec[sizeof(struct xtr_rec_job_dep)] = { 0 };
	uint32_t name, flags;
	int err = import_intern(im, v->str[ROLE_RING], v->len[ROLE_RING], &name);

	if (!err)
		j = waiting_job(&im->old, name, v->num[ROLE_ID], at->tid);
	if (!j)
		return err ? err : 1;
	err = import_add_native(im, map) ?: name_dependency(im, v, &ctx, &seqno, &flags);
	if (err)
		return err;
	XTR_REC_PUT(rec, job_dep, ctx, j->ctx);
	XTR_REC_PUT(rec, job_dep, seqno, j->seqno);
	XTR_REC_PUT(rec, job_dep, dep_ctx, ctx);
	XTR_REC_PUT(rec, job_dep, dep_seqno, seqno);
	XTR_REC_PUT(rec, job_dep, ring, j->ring);
	XTR_REC_PUT(rec, job_dep, flags, flags);
	return import_put(im, at, map->type, rec, sizeof(rec));
}
