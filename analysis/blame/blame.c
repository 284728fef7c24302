/* SPDX-License-Identifier: BSD-2-Clause */
/* Who delayed whom: the parts of all jobs, summed by ring and by process. */
#include "blame_impl.h"
#include "analysis/core/ring_text.h"
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool applies(const struct xtr_meta *meta)
{
	return meta != NULL; /* whether there are jobs, only the model knows */
}

static void blame_free(void *self)
{
	struct blame *b = self;

	xtr_past_free(b->past);
	xtr_map_free(&b->by_ring);
	xtr_map_free(&b->by_pair);
	xtr_who_free(&b->names);
	xtr_run_threads_free(b->threads);
	free(b->ring);
	free(b->pair);
	free(b);
}

static int blame_open(void **self, const struct xtr_analysis_opts *o)
{
	struct blame *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->o = o;
	b->names.tables = o->tables;
	b->past = xtr_past_new();
	if (!b->past || xtr_run_threads_new(&b->threads, o->meta, &b->names)) {
		blame_free(b);
		return -ENOMEM;
	}
	*self = b;
	return 0;
}

/* --- sums ------------------------------------------------------------------------------------- */

static int64_t ring_of(struct blame *b, const struct xtr_model_ring *ring)
{
	uint32_t i = xtr_map_index(&b->by_ring, ring->id, 0);
	bool last = b->n_rings == BLAME_RINGS_MAX - 1;
	struct blame_ring *r;

	if (i != XTR_MAP_NONE)
		return i;
	if (b->n_rings == BLAME_RINGS_MAX)
		return BLAME_RINGS_MAX - 1;
	if (xtr_grow_array(&b->ring, &b->cap_rings, b->n_rings + 1, sizeof(*b->ring)) ||
	    (!last && xtr_map_put(&b->by_ring, ring->id, 0, b->n_rings)))
		return -ENOMEM;
	r = &b->ring[b->n_rings];
	*r = (struct blame_ring){ .id = last ? 0 : ring->id };
	if (last)
		snprintf(r->name, sizeof(r->name), "(others)");
	else
		xtr_ring_text(ring, "(unknown)", r->name, sizeof(r->name));
	return b->n_rings++;
}

static int64_t pair_of(struct blame *b, uint64_t who, uint64_t by)
{
	uint32_t i = xtr_map_index(&b->by_pair, who, by);
	bool last = b->n_pairs == BLAME_PAIRS_MAX - 1;

	if (i != XTR_MAP_NONE)
		return i;
	if (b->n_pairs == BLAME_PAIRS_MAX)
		return BLAME_PAIRS_MAX - 1;
	if (xtr_grow_array(&b->pair, &b->cap_pairs, b->n_pairs + 1, sizeof(*b->pair)) ||
	    (!last && xtr_map_put(&b->by_pair, who, by, b->n_pairs)))
		return -ENOMEM;
	b->pair[b->n_pairs] = (struct blame_pair){ .who = last ? 0 : who, .by = last ? 0 : by };
	return b->n_pairs++;
}

static uint64_t length(const struct xtr_job_part *p)
{
	return p->to_ns - p->from_ns;
}

/* A job may have several parts of a kind: their sum is one. */
static void sum_kinds(struct blame *b, struct blame_ring *r, const struct xtr_job *j)
{
	uint64_t ns[XTR_PART_KIND_COUNT] = { 0 };

	for (uint32_t i = 0; i < b->parts.n; i++) {
		const struct xtr_job_part *p = &b->parts.part[i];
		struct blame_sum *of = &r->of[p->kind];

		ns[p->kind] += length(p);
		if (of->quality < p->quality)
			of->quality = p->quality;
	}
	for (unsigned int k = 0; k < XTR_PART_KIND_COUNT; k++) {
		struct blame_sum *of = &r->of[k];

		of->ns += ns[k];
		of->jobs += ns[k] > 0;
		if (ns[k] <= of->max_ns)
			continue;
		of->max_ns = ns[k];
		of->longest = (struct xtr_job_name){ j->ctx, j->seqno };
	}
}

static bool is_cost(const struct xtr_job_part *p)
{
	return p->kind != XTR_PART_EXECUTION && p->kind != XTR_PART_HARDWARE &&
	       (xtr_job_name_any(&p->root) || p->root_who);
}

static void add_cost(struct blame_pair *c, const struct xtr_job_part *p)
{
	uint64_t ns = length(p);

	c->ns += ns;
	if (p->kind == XTR_PART_RING || p->kind == XTR_PART_FULL)
		c->ring_ns += ns;
	else if (p->kind == XTR_PART_DEPENDENCY)
		c->dependency_ns += ns;
	else if (p->kind == XTR_PART_QUEUE)
		c->queue_ns += ns;
	else
		c->thread_ns += ns;
}

static void add_root_priority(const struct blame *b, struct blame_pair *c,
			      const struct xtr_job_name *root)
{
	const struct xtr_past_job *j = xtr_past_job(b->past, root->ctx, root->seqno);

	if (j && j->prio_known)
		xtr_priorities_add(&c->by_prio, j->prio);
}

/* The parts of one job that one process is the root of, from the i-th on, which is its first. */
static int sum_pair(struct blame *b, const struct xtr_job *j, uint32_t first)
{
	const struct xtr_job_part *v = b->parts.part;
	int64_t at = pair_of(b, xtr_who_of(j), v[first].root_who);
	struct xtr_job_name by = { 0 };
	struct blame_pair *c;
	uint64_t before, most = 0;

	if (at < 0)
		return (int)at;
	c = &b->pair[at];
	before = c->ns;
	for (uint32_t i = first; i < b->parts.n; i++) {
		if (!is_cost(&v[i]) || v[i].root_who != v[first].root_who)
			continue;
		add_cost(c, &v[i]);
		add_root_priority(b, c, &v[i].root);
		if (length(&v[i]) > most) {
			most = length(&v[i]);
			by = v[i].root;
		}
	}
	c->jobs++;
	if (j->prio_known)
		xtr_priorities_add(&c->prio, j->prio);
	if (c->ns - before > c->max_ns) {
		c->max_ns = c->ns - before;
		c->longest = (struct xtr_job_name){ j->ctx, j->seqno };
		c->longest_by = by;
	}
	return 0;
}

static bool seen_before(const struct xtr_job_parts *p, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (is_cost(&p->part[k]) && p->part[k].root_who == p->part[i].root_who)
			return true;
	return false;
}

static int sum_costs(struct blame *b, const struct xtr_job *j)
{
	int err = 0;

	for (uint32_t i = 0; i < b->parts.n && !err; i++)
		if (is_cost(&b->parts.part[i]) && !seen_before(&b->parts, i))
			err = sum_pair(b, j, i);
	return err;
}

static int sum(struct blame *b, const struct xtr_job *j)
{
	int64_t at = ring_of(b, j->ring);
	const struct xtr_job_parts *p = &b->parts;
	uint64_t ns;

	if (at < 0)
		return (int)at;
	ns = p->n ? p->part[p->n - 1].to_ns - p->part[0].from_ns : 0;
	b->jobs++;
	b->ns += ns;
	b->folded += p->folded;
	b->with_prio += j->prio_known;
	b->ring[at].jobs++;
	b->ring[at].ns += ns;
	sum_kinds(b, &b->ring[at], j);
	return sum_costs(b, j);
}

static bool takes(const void *self, uint32_t type)
{
	return !type || xtr_run_threads_take(((const struct blame *)self)->threads, type);
}

static int on_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct blame *b = self;
	int err = ev->gap ? xtr_past_lost(b->past, ev->gap->first, ev->gap->last) : 0;

	(void)inside;
	return err ?: xtr_run_threads_event(b->threads, ev);
}

static int on_job(void *self, const struct xtr_job *j)
{
	struct blame *b = self;
	bool divided = b->o->times &&
		       xtr_split_job(b->past, j, xtr_run_threads_of(b->threads, j), &b->parts);
	int err = divided ? sum(b, j) : 0;

	b->undivided += !divided;
	return err ?: xtr_who_note(&b->names, j) ?: xtr_past_add(b->past, j, divided ? &b->parts : NULL);
}

static int on_others(void *self, const struct xtr_job *j)
{
	struct blame *b = self;

	return xtr_who_note(&b->names, j) ?: xtr_past_add(b->past, j, NULL);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct blame_pair *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->who != b->who)
		return a->who < b->who ? -1 : 1;
	return (a->by > b->by) - (a->by < b->by);
}

static int blame_finish(void *self)
{
	struct blame *b = self;

	if (b->n_pairs)
		qsort(b->pair, b->n_pairs, sizeof(*b->pair), by_cost);
	return blame_findings(b);
}

const struct xtr_analysis xtr_analysis_blame = {
	.name = "blame",
	.title = "Blame: what jobs waited for, and whose it was",
	.on_request = true,
	.applies = applies,
	.open = blame_open,
	.free = blame_free,
	.takes = takes,
	.event = on_event,
	.job = on_job,
	.others = on_others,
	.finish = blame_finish,
	.any = blame_any,
	.text = blame_text,
	.json = blame_json,
	.tables = blame_tables,
};
