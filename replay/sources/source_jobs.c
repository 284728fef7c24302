/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SOURCE_JOBS_NONE

void source_jobs_init(struct source_jobs *s)
{
	*s = (struct source_jobs){ .free = NONE, .oldest = NONE, .youngest = NONE };
}

void source_jobs_free(struct source_jobs *s)
{
	xtr_map_free(&s->by_key);
	free(s->of_ring);
	free(s->job);
}

static int64_t alloc(struct source_jobs *s)
{
	uint32_t i = s->free, more = s->cap ? s->cap * 2 : 64;
	struct source_job *p;

	if (i != NONE) {
		s->free = s->job[i].next;
		return i;
	}
	if (s->n == s->cap) {
		p = reallocarray(s->job, more, sizeof(*p));
		if (!p)
			return -ENOMEM;
		s->job = p;
		s->cap = more;
	}
	return s->n++;
}

static int room_for_ring(struct source_jobs *s, uint32_t ring)
{
	struct source_ring_jobs *p;

	if (ring < s->n_rings)
		return 0;
	p = reallocarray(s->of_ring, (size_t)ring + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	s->of_ring = p;
	while (s->n_rings <= ring)
		s->of_ring[s->n_rings++] = (struct source_ring_jobs){ NONE, NONE };
	return 0;
}

static void append(struct source_jobs *s, uint32_t i)
{
	struct source_job *j = &s->job[i];
	struct source_ring_jobs *r = &s->of_ring[j->ring];

	j->next = j->ring_next = NONE;
	j->prev = s->youngest;
	j->ring_prev = r->youngest;
	*(s->youngest != NONE ? &s->job[s->youngest].next : &s->oldest) = i;
	*(r->youngest != NONE ? &s->job[r->youngest].ring_next : &r->oldest) = i;
	s->youngest = r->youngest = i;
	s->n_open++;
}

static void take_out(struct source_jobs *s, uint32_t i)
{
	const struct source_job *j = &s->job[i];
	struct source_ring_jobs *r = &s->of_ring[j->ring];

	*(j->prev != NONE ? &s->job[j->prev].next : &s->oldest) = j->next;
	*(j->next != NONE ? &s->job[j->next].prev : &s->youngest) = j->prev;
	*(j->ring_prev != NONE ? &s->job[j->ring_prev].ring_next : &r->oldest) = j->ring_next;
	*(j->ring_next != NONE ? &s->job[j->ring_next].ring_prev : &r->youngest) = j->ring_prev;
	s->n_open--;
}

void source_jobs_forget(struct source_jobs *s, uint32_t i)
{
	struct source_job *j = &s->job[i];

	xtr_map_del(&s->by_key, j->key[0], j->key[1]);
	take_out(s, i);
	j->next = s->free;
	s->free = i;
}

int64_t source_jobs_new(struct source_jobs *s, uint64_t a, uint64_t b, uint32_t ring)
{
	uint32_t old = source_jobs_find(s, a, b);
	int64_t i;

	if (old != NONE)
		source_jobs_forget(s, old);
	if (s->n_open >= SOURCE_JOBS_MAX)
		source_jobs_forget(s, s->oldest);
	if (room_for_ring(s, ring))
		return -ENOMEM;
	i = alloc(s);
	if (i < 0)
		return i;
	s->job[i] = (struct source_job){ .key = { a, b }, .ring = ring };
	append(s, (uint32_t)i);
	return xtr_map_put(&s->by_key, a, b, (uint32_t)i) ? -ENOMEM : i;
}

int source_jobs_move(struct source_jobs *s, uint32_t i, uint32_t ring)
{
	if (s->job[i].ring == ring)
		return 0;
	if (room_for_ring(s, ring))
		return -ENOMEM;
	take_out(s, i);
	s->job[i].ring = ring;
	append(s, i);
	return 0;
}

uint32_t source_jobs_oldest(const struct source_jobs *s, uint32_t ring)
{
	return ring < s->n_rings ? s->of_ring[ring].oldest : NONE;
}

/* --- source submits --------------------------------------------------------------------------- */

static void take_submit_out(struct source_submits *s, uint32_t i)
{
	memmove(&s->pending[i], &s->pending[i + 1], (--s->n - i) * sizeof(s->pending[0]));
}

void source_submits_add(struct source_submits *s, const struct source_submit *one)
{
	if (s->n == SOURCE_SUBMITS_MAX)
		take_submit_out(s, 0);
	s->pending[s->n++] = *one;
}

/* Addresses come again: the submission is the latest one, and those before it were run unseen. */
static uint32_t find_addr(const struct source_submits *s, uint64_t addr, uint8_t ring)
{
	uint32_t i = s->n;

	while (i-- > 0)
		if (s->pending[i].ring == ring && s->pending[i].by_addr &&
		    s->pending[i].addr == addr)
			return i;
	return UINT32_MAX;
}

static uint32_t find_only(const struct source_submits *s, uint8_t ring)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->pending[i].ring != ring || s->pending[i].by_addr)
			continue;
		if (found != UINT32_MAX && s->pending[i].tid != s->pending[found].tid)
			return UINT32_MAX;
		found = found == UINT32_MAX ? i : found;
	}
	return found;
}

/* A job of which the submission does not tell the address: of the only thread that has any. */
static uint32_t find_other(const struct source_submits *s)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < s->n; i++) {
		if (!s->pending[i].by_addr)
			continue;
		if (found != UINT32_MAX && s->pending[i].tid != s->pending[found].tid)
			return UINT32_MAX;
		found = found == UINT32_MAX ? i : found;
	}
	return found;
}

bool source_submits_take(struct source_submits *s, bool by_addr, uint64_t addr, uint8_t ring,
			 struct source_submit *one)
{
	uint32_t i = by_addr ? find_addr(s, addr, ring) : find_only(s, ring);

	if (i == UINT32_MAX)
		return false;
	*one = s->pending[i];
	take_submit_out(s, i);
	return true;
}

bool source_submits_of(const struct source_submits *s, struct source_submit *one)
{
	uint32_t i = find_other(s);

	if (i != UINT32_MAX)
		*one = s->pending[i];
	return i != UINT32_MAX;
}

/* --- source clock ----------------------------------------------------------------------------- */

uint64_t source_ticks_ns(uint64_t ticks, uint32_t num, uint32_t den)
{
	return ticks / den * num + ticks % den * num / den;
}

void source_clock_sample(struct source_clock *c, uint64_t hw_ns, uint64_t trace_ns)
{
	int64_t off = (int64_t)(trace_ns - hw_ns);

	if (hw_ns < c->last_hw)
		*c = (struct source_clock){ 0 };
	c->last_hw = hw_ns;
	if (c->n == SOURCE_CLOCK_SAMPLES) {
		c->before = c->lowest;
		c->had_before = true;
		c->n = 0;
	}
	if (!c->n++ || off < c->lowest)
		c->lowest = off;
	c->known = true;
}

bool source_clock_map(const struct source_clock *c, uint64_t hw_ns, uint64_t *trace_ns)
{
	int64_t off = c->had_before && c->before < c->lowest ? c->before : c->lowest;

	*trace_ns = hw_ns + (uint64_t)off;
	return c->known && (int64_t)*trace_ns > 0;
}

/* --- source spans ----------------------------------------------------------------------------- */

uint64_t source_spans_add(struct source_spans *s, uint32_t ring, uint64_t start, uint64_t end)
{
	uint32_t kept = s->n < SOURCE_SPANS_KEPT ? s->n : SOURCE_SPANS_KEPT;
	uint64_t others = 0;

	for (uint32_t i = 0; i < kept; i++) {
		const struct source_span *o = &s->kept[i];
		uint64_t from = o->start > start ? o->start : start,
			 to = o->end < end ? o->end : end;

		if (o->ring != ring && from < to)
			others += to - from;
	}
	s->kept[s->n++ % SOURCE_SPANS_KEPT] = (struct source_span){ start, end, ring };
	return others;
}
