/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stalls of one ring on another: a job waits for another ring's job while its own ring has nothing
 * on the hardware. Jobs come in order of their end, so those of the ring that were on the hardware
 * during the wait have come before it, but for jobs that it overtook.
 */
#include "fences_impl.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t find_ring(struct fences *f, const struct xtr_model_ring *ring)
{
	uint32_t i = xtr_map_index(&f->by_ring, ring->id, 0);
	char name[64], device[48];

	if (i != XTR_MAP_NONE)
		return i;
	if (f->n_rings == FENCES_RINGS_MAX)
		return FENCES_RINGS_MAX;
	if (fences_grow((void **)&f->ring, f->n_rings, &f->cap_rings, sizeof(*f->ring)) ||
	    xtr_map_put(&f->by_ring, ring->id, 0, f->n_rings))
		return -ENOMEM;
	i = f->n_rings++;
	f->ring[i] = (struct fence_ring){ .id = ring->id };
	xtr_text_name(device, sizeof(device), ring->device_name, strlen(ring->device_name));
	xtr_text_name(name, sizeof(name), ring->name, strlen(ring->name));
	snprintf(f->ring[i].name, sizeof(f->ring[i].name), "%s%s%s", device, *device ? "/" : "",
		 *name ? name : "(unknown)");
	return i;
}

/* Index of the ring; FENCES_RINGS_MAX: too many; -ENOMEM. */
static int64_t ring_of(struct fences *f, const struct xtr_model_ring *ring)
{
	uint32_t at = ring->id % FENCES_LAST;
	int64_t i;

	if (f->last_ring[at].index && f->last_ring[at].id == ring->id)
		return (int64_t)f->last_ring[at].index - 1;
	i = find_ring(f, ring);
	if (i >= 0) {
		f->last_ring[at].id = ring->id;
		f->last_ring[at].index = (uint32_t)i + 1;
	}
	return i;
}

const char *fences_ring_text(const struct fences *f, uint32_t id, char *buf, size_t cap)
{
	uint32_t i = xtr_map_index(&f->by_ring, id, 0);
	const struct xtr_ring *r;
	char device[48] = "", name[64] = "";
	const char *s;
	size_t n;

	if (i != XTR_MAP_NONE) {
		snprintf(buf, cap, "%s", f->ring[i].name);
		return buf;
	}
	r = f->o->tables ? xtr_tables_ring(f->o->tables, id) : NULL;
	s = r ? xtr_tables_string(f->o->tables, r->device, &n) : NULL;
	if (s)
		xtr_text_name(device, sizeof(device), s, n);
	s = r ? xtr_tables_string(f->o->tables, r->name, &n) : NULL;
	if (s)
		xtr_text_name(name, sizeof(name), s, n);
	if (*name)
		snprintf(buf, cap, "%s%s%s", device, *device ? "/" : "", name);
	else
		snprintf(buf, cap, "?ring:%u", id);
	return buf;
}

/* The i-th oldest stretch. */
static inline struct fence_busy *busy_at(const struct fence_ring *r, uint32_t i)
{
	return (struct fence_busy *)&r->busy[(r->first_busy + i) % FENCES_BUSY_MAX];
}

/* Room for one more in front of number `at`: the oldest gives its place, if it must. Returns where.
 */
static uint32_t make_room(struct fence_ring *r, uint32_t at)
{
	if (r->n_busy == FENCES_BUSY_MAX) {
		r->first_busy++;
		r->n_busy--;
		r->forgot = true;
		at--;
	}
	for (uint32_t i = r->n_busy++; i > at; i--)
		*busy_at(r, i) = *busy_at(r, i - 1);
	return at;
}

/* start <= end. It becomes one with the stretches that it touches: the last ones, but for late
 * jobs. */
static void add_busy(struct fence_ring *r, uint64_t start, uint64_t end)
{
	uint32_t first, behind, i; /* those it touches are [first, behind) */

	for (behind = r->n_busy; behind && busy_at(r, behind - 1)->start > end; behind--)
		;
	for (first = behind; first && busy_at(r, first - 1)->end >= start; first--) {
		const struct fence_busy *one = busy_at(r, first - 1);

		start = one->start < start ? one->start : start;
		end = one->end > end ? one->end : end;
	}
	if (first == behind) {
		if (!first && r->n_busy == FENCES_BUSY_MAX) {
			r->forgot = true; /* older than all that are kept */
			return;
		}
		first = make_room(r, first);
	} else {
		for (i = behind; i < r->n_busy; i++)
			*busy_at(r, first + 1 + i - behind) = *busy_at(r, i);
		r->n_busy -= behind - first - 1;
	}
	*busy_at(r, first) = (struct fence_busy){ start, end };
}

/* How long nothing was on the hardware in a stretch; what is forgotten counts as busy. */
static uint64_t idle_in(const struct fence_ring *r, uint64_t from, uint64_t until)
{
	uint64_t idle, a, b, oldest = busy_at(r, 0)->start;

	if (r->forgot && from < oldest)
		from = oldest < until ? oldest : until;
	idle = until - from;
	for (uint32_t i = 0; i < r->n_busy; i++) {
		a = busy_at(r, i)->start > from ? busy_at(r, i)->start : from;
		b = busy_at(r, i)->end < until ? busy_at(r, i)->end : until;
		if (a < b)
			idle -= b - a;
	}
	return idle;
}

static int64_t pair_of(struct fences *f, uint32_t ring, uint32_t blocker_id)
{
	uint32_t i = xtr_map_index(&f->by_pair, ring, blocker_id);

	if (i != XTR_MAP_NONE)
		return i;
	if (f->n_pairs == FENCES_PAIRS_MAX)
		return FENCES_PAIRS_MAX;
	if (fences_grow((void **)&f->pair, f->n_pairs, &f->cap_pairs, sizeof(*f->pair)) ||
	    xtr_map_put(&f->by_pair, ring, blocker_id, f->n_pairs))
		return -ENOMEM;
	f->pair[f->n_pairs] = (struct fence_pair){ .ring = ring, .blocker_id = blocker_id };
	return f->n_pairs++;
}

static int add_wait(struct fences *f, uint32_t ring, const struct xtr_dep *d)
{
	uint64_t ns = d->until_ns - d->from_ns, from = d->from_ns;
	int64_t i = pair_of(f, ring, d->ring_id);
	struct fence_pair *p;

	if (i < 0 || i == FENCES_PAIRS_MAX)
		return i < 0 ? (int)i : 0;
	p = &f->pair[i];
	p->waits++;
	p->wait_ns += ns;
	/* What several jobs wait for at once is one stall. */
	if (from < p->covered_ns)
		from = p->covered_ns;
	if (from >= d->until_ns)
		return 0;
	p->covered_ns = d->until_ns;
	ns = idle_in(&f->ring[ring], from, d->until_ns);
	if (!ns)
		return 0;
	if (p->stalls < XTR_FINDING_EVENTS_MAX + 1)
		p->at_ns[p->stalls] = from;
	p->stalls++;
	p->stall_ns += ns;
	p->max_ns = ns > p->max_ns ? ns : p->max_ns;
	return 0;
}

int fences_job(struct fences *f, const struct xtr_job *j)
{
	int64_t ring = ring_of(f, j->ring);
	int err = 0;

	if (ring < 0 || ring == FENCES_RINGS_MAX)
		return ring < 0 ? (int)ring : 0;
	for (uint32_t i = 0;
	     i < j->n_deps && !err && f->o->times && !j->ring->partial && xtr_job_waits_known(j);
	     i++)
		if (j->deps[i].ring_id && j->deps[i].ring_id != j->ring->id)
			err = add_wait(f, (uint32_t)ring, &j->deps[i]);
	if (j->busy_to_ns)
		add_busy(&f->ring[ring], j->busy_from_ns, j->busy_to_ns);
	return err;
}

int fences_others(struct fences *f, const struct xtr_job *j)
{
	int64_t ring = ring_of(f, j->ring);

	if (ring >= 0 && ring != FENCES_RINGS_MAX)
		add_busy(&f->ring[ring], j->run_ns, j->done_ns);
	return ring < 0 ? (int)ring : 0;
}

/* --- at the end ------------------------------------------------------------------------------- */

static int by_stall(const void *pa, const void *pb)
{
	const struct fence_pair *a = pa, *b = pb;

	if (a->stall_ns != b->stall_ns)
		return a->stall_ns < b->stall_ns ? 1 : -1;
	if (a->wait_ns != b->wait_ns)
		return a->wait_ns < b->wait_ns ? 1 : -1;
	if (a->ring != b->ring)
		return a->ring < b->ring ? -1 : 1;
	return (a->blocker_id > b->blocker_id) - (a->blocker_id < b->blocker_id);
}

static int finding(const struct fences *f, const struct fence_pair *p)
{
	struct xtr_finding one = {
		.id = "dependency-stall",
		.notable = true,
		.at_ns = p->at_ns[0],
		.evidence = { { "ring_id", f->ring[p->ring].id },
			      { "blocked_by_ring_id", p->blocker_id },
			      { "stalls", p->stalls },
			      { "stall_ns", p->stall_ns },
			      { "max_ns", p->max_ns },
			      { "span_ns", f->o->span_ns },
			      { "limit_permille", FENCES_STALL_PERMILLE } },
		.n_evidence = 7,
	};
	char n[XTR_TEXT_NUMBER], ns[XTR_TEXT_NUMBER], by[112], share[XTR_TEXT_NUMBER];

	for (uint32_t i = 0; i < XTR_FINDING_EVENTS_MAX && i + 1 < p->stalls; i++)
		one.event_ns[one.n_events++] = p->at_ns[i + 1];
	snprintf(one.text, sizeof(one.text),
		 "%.60s was idle for %s (%s) while %s of its jobs waited for %.60s",
		 f->ring[p->ring].name, xtr_text_ns(ns, p->stall_ns),
		 xtr_text_percent(share, p->stall_ns, f->o->span_ns), xtr_text_count(n, p->stalls),
		 fences_ring_text(f, p->blocker_id, by, sizeof(by)));
	return xtr_findings_add(f->o->findings, &one);
}

int fences_stalls(struct fences *f)
{
	int err = 0;

	if (f->n_pairs)
		qsort(f->pair, f->n_pairs, sizeof(*f->pair), by_stall);
	for (uint32_t i = 0; i < f->n_pairs && !err; i++)
		if ((__uint128_t)f->pair[i].stall_ns * 1000 >
		    (__uint128_t)f->o->span_ns * FENCES_STALL_PERMILLE)
			err = finding(f, &f->pair[i]);
	return err;
}
