/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_jobs.h"

#include <errno.h>
#include <stdlib.h>

#define NONE SOURCE_JOBS_NONE

void source_jobs_init(struct source_jobs *s)
{
	*s = (struct source_jobs){ .free = NONE, .oldest = NONE, .youngest = NONE };
}

void source_jobs_free(struct source_jobs *s)
{
	xtr_keymap_free(&s->by_key);
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

	xtr_keymap_del(&s->by_key, j->key[0], j->key[1]);
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
	return xtr_keymap_put(&s->by_key, a, b, (uint32_t)i) ? -ENOMEM : i;
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
