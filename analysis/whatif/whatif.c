/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs are added and learnt from. */
#include "whatif_impl.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct xtr_whatif *xtr_whatif_new(void)
{
	return calloc(1, sizeof(struct xtr_whatif));
}

void xtr_whatif_free(struct xtr_whatif *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_rings; i++)
		free(w->ring[i].ready.v);
	free(w->ring);
	free(w->job);
	free(w->dep);
	free(w->loop);
	free(w->step);
	xtr_map_free(&w->threads);
	free(w->order);
	free(w->place);
	free(w->chain);
	free(w->scratch);
	free(w->events.v);
	free(w);
}

/* --- adding ----------------------------------------------------------------------------------- */

/* All of it is known, and in the right order. */
static bool whole(const struct xtr_job *j)
{
	return j->queue_ns && j->run_ns >= j->queue_ns && j->done_ns >= j->run_ns &&
	       j->quality != XTR_QUALITY_OPEN && j->quality != XTR_QUALITY_LOST && !j->others;
}

static uint16_t flags_of(const struct xtr_job *j, bool shown, bool removed)
{
	uint16_t flags = 0;

	if (!whole(j))
		flags |= WHATIF_FIXED;
	if (shown)
		flags |= WHATIF_SHOWN;
	if (removed)
		flags |= WHATIF_REMOVED;
	if (j->error)
		flags |= WHATIF_AS_LONG;
	if (j->flags & XTR_FLAG_MEASURED && j->start_ns >= j->run_ns && j->start_ns <= j->done_ns)
		flags |= WHATIF_MEASURED;
	if (j->quality == XTR_QUALITY_BOUNDED)
		flags |= WHATIF_BOUNDED;
	if (j->flags & XTR_FLAG_KEY_INFERRED)
		flags |= WHATIF_NO_QUEUE;
	return flags;
}

static int add_deps(struct xtr_whatif *w, const struct xtr_job *j)
{
	if (j->n_deps > XTR_WHATIF_DEPS_MAX - w->n_deps)
		return -EFBIG;
	if (xtr_grow_array(&w->dep, &w->cap_deps, w->n_deps + j->n_deps, sizeof(*w->dep)))
		return -ENOMEM;
	for (uint32_t i = 0; i < j->n_deps; i++)
		w->dep[w->n_deps++] = (struct whatif_dep){ .ctx = j->deps[i].ctx,
							   .seqno = j->deps[i].seqno,
							   .until_ns = j->deps[i].until_ns,
							   .owner = (uint32_t)w->n,
							   .scheduled = j->deps[i].scheduled };
	return 0;
}

static uint32_t min32(uint64_t ns)
{
	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

int xtr_whatif_add(struct xtr_whatif *w, const struct xtr_job *j, bool shown, bool removed)
{
	struct whatif_job *to;
	int err;

	if (w->n >= XTR_WHATIF_JOBS_MAX)
		return -EFBIG;
	err = xtr_grow_array(&w->job, &w->cap, w->n + 1, sizeof(*w->job));
	if (!err && whole(j))
		err = add_deps(w, j);
	if (err)
		return err;
	to = &w->job[w->n++];
	*to = (struct whatif_job){ .queue_ns = j->queue_ns,
				   .run_ns = j->run_ns,
				   .done_ns = j->done_ns,
				   .name = { j->ctx, j->seqno },
				   .next = WHATIF_NONE,
				   .deps = WHATIF_NONE,
				   .ring = (uint16_t)j->ring->index,
				   .flags = flags_of(j, shown, removed) };
	if (to->done_ns && to->run_ns > to->done_ns)
		to->run_ns = 0; /* nothing can be made of it */
	if (to->queue_ns > (to->run_ns ?: to->done_ns ?: UINT64_MAX))
		to->queue_ns = 0;
	if (j->submit_ns && j->submit_ns < to->queue_ns)
		to->early_ns = min32(to->queue_ns - j->submit_ns);
	if (whatif_has(to, WHATIF_MEASURED))
		to->own_ns = (int64_t)(j->done_ns - j->start_ns);
	return whatif_loop_add(w, to, j);
}

void xtr_whatif_prio(struct xtr_whatif *w, unsigned int level, bool changed)
{
	struct whatif_job *j = &w->job[w->n - 1];

	level = level < XTR_PRIORITY_LEVELS ? level : XTR_PRIORITY_LEVELS - 1;
	j->flags |= (uint16_t)(level << WHATIF_LEVEL_SHIFT);
	if (changed)
		j->flags |= WHATIF_PRIO;
}

/* --- learning --------------------------------------------------------------------------------- */

static int learn_rings(struct xtr_whatif *w, const struct xtr_model *m)
{
	w->n_rings = xtr_model_n_rings(m);
	w->ring = calloc(w->n_rings, sizeof(*w->ring));
	if (!w->ring) {
		w->n_rings = 0;
		return -ENOMEM;
	}
	for (size_t i = 0; i < w->n_rings; i++) {
		const struct xtr_model_ring *r = xtr_model_ring(m, i);
		struct xtr_whatif_ring *pub = &w->ring[i].pub;
		bool all = r->id && !r->partial; /* its jobs, and no others */

		pub->ring = r;
		pub->in_order = all && !xtr_ring_ended_bounded(r);
		pub->assumed = pub->in_order && !xtr_ring_order_known(r);
		pub->limit = all && r->limit ? r->limit : UINT32_MAX;
		pub->limit_seen = all && !r->limit;
		pub->millionths = XTR_WHATIF_UNIT;
	}
	return 0;
}

static void count_flags(struct xtr_whatif *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct whatif_job *j = &w->job[i];
		struct xtr_whatif_ring *r = &w->ring[j->ring].pub;

		r->fixed += whatif_has(j, WHATIF_FIXED);
		r->prio += whatif_has(j, WHATIF_PRIO) && !whatif_has(j, WHATIF_REMOVED);
	}
}

static int make_room(struct xtr_whatif *w)
{
	w->chain = calloc(w->n + 1, sizeof(*w->chain));
	w->scratch = calloc(w->n + 1, sizeof(*w->scratch));
	w->place = calloc(w->n_rings + 2, sizeof(*w->place));
	return w->chain && w->scratch && w->place ? 0 : -ENOMEM;
}

/* Replays of what happened, each of which rests on what was learnt by the one before it. */
static int learn_times(struct xtr_whatif *w)
{
	int err;

	w->kind = XTR_WHATIF_RECORDED;
	w->learn = WHATIF_MOST;
	err = whatif_sim(w);
	for (size_t i = 0; i < w->n_rings; i++)
		if (w->ring[i].pub.limit_seen)
			w->ring[i].pub.limit = w->ring[i].most ?: 1;
	w->learn = WHATIF_DELAYS;
	err = err ?: whatif_sim(w);
	w->learn = WHATIF_PASSED;
	err = err ?: whatif_loops_learn(w) ?: whatif_sim(w);
	w->learn = WHATIF_NOTHING;
	if (err)
		return err;
	for (size_t i = 0; i < w->n; i++) {
		const struct whatif_loop *l = whatif_loop(w, &w->job[i]);

		w->ring[w->job[i].ring].pub.paced += l && l->closed;
	}
	whatif_typical(w);
	return 0;
}

int xtr_whatif_learn(struct xtr_whatif *w, const struct xtr_model *m)
{
	int err = learn_rings(w, m) ?: whatif_link(w) ?: make_room(w);

	if (err)
		return err;
	count_flags(w);
	return learn_times(w);
}

void xtr_whatif_as_submitted(struct xtr_whatif *w)
{
	w->as_submitted = true;
	for (size_t i = 0; i < w->n_rings; i++)
		w->ring[i].pub.paced = 0;
}

size_t xtr_whatif_n_rings(const struct xtr_whatif *w)
{
	return w->n_rings;
}

struct xtr_whatif_ring *xtr_whatif_ring(struct xtr_whatif *w, size_t i)
{
	return &w->ring[i].pub;
}

int xtr_whatif_play(struct xtr_whatif *w, enum xtr_whatif_kind kind, struct xtr_whatif_sums *sums)
{
	int err;

	memset(sums, 0, (w->n_rings + 1) * sizeof(*sums));
	w->kind = kind;
	w->sums = sums;
	err = whatif_sim(w);
	if (!err)
		whatif_sum(w);
	w->sums = NULL;
	return err;
}

bool xtr_whatif_times(const struct xtr_whatif *w, size_t i, struct xtr_whatif_times *t)
{
	const struct whatif_job *j = &w->job[i];

	if (j->state != WHATIF_OVER)
		return false;
	*t = (struct xtr_whatif_times){ j->sim.run_ns, j->sim.done_ns };
	return true;
}
