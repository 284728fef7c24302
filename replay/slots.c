/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots and the lists that they are on. */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>

static void list_add(struct xtr_model *m, struct slot_list *l, uint32_t i)
{
	struct slot *s = &m->slot[i];

	s->next = NONE;
	s->prev = l->tail;
	if (l->tail != NONE)
		m->slot[l->tail].next = i;
	else
		l->head = i;
	l->tail = i;
}

static void list_del(struct xtr_model *m, struct slot_list *l, uint32_t i)
{
	struct slot *s = &m->slot[i];

	if (s->prev != NONE)
		m->slot[s->prev].next = s->next;
	else
		l->head = s->next;
	if (s->next != NONE)
		m->slot[s->next].prev = s->prev;
	else
		l->tail = s->prev;
}

void run_list_add(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];

	s->on_ring = true;
	s->run_next = NONE;
	s->run_prev = ring->run_tail;
	if (ring->run_tail != NONE)
		m->slot[ring->run_tail].run_next = i;
	else
		ring->run_head = i;
	ring->run_tail = i;
}

void run_list_del(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];

	if (!s->on_ring)
		return;
	s->on_ring = false;
	if (s->run_prev != NONE)
		m->slot[s->run_prev].run_next = s->run_next;
	else
		ring->run_head = s->run_next;
	if (s->run_next != NONE)
		m->slot[s->run_next].run_prev = s->run_prev;
	else
		ring->run_tail = s->run_prev;
}

uint32_t slot_find(const struct xtr_model *m, uint64_t ctx, uint64_t seqno)
{
	return xtr_keymap_get(&m->jobs, ctx, seqno);
}

static void unmap(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];

	if (s->mapped)
		xtr_keymap_del(&m->jobs, s->job.ctx, s->job.seqno);
	s->mapped = false;
}

static int64_t slot_alloc(struct xtr_model *m)
{
	uint32_t i = m->free_slots;

	if (i != NONE) {
		m->free_slots = m->slot[i].next;
		return i;
	}
	if (m->n_slots == m->cap_slots) {
		uint32_t cap = m->cap_slots ? m->cap_slots * 2 : 256;
		struct slot *s = realloc(m->slot, (size_t)cap * sizeof(*s));

		if (!s)
			return -ENOMEM;
		m->slot = s;
		m->cap_slots = cap;
	}
	return m->n_slots++;
}

/* The oldest open job ends here, so that memory stays bounded. */
static void evict(struct xtr_model *m)
{
	uint32_t i = m->open.head;

	m->slot[i].job.flags |= XTR_FLAG_EVICTED;
	m->counts.evicted++;
	slot_hold(m, i);
}

static uint32_t *depth_of(struct xtr_model_ring *ring, uint8_t place)
{
	return place == PLACE_QUEUED ? &ring->queued : &ring->on_hw;
}

void slot_place(struct xtr_model *m, uint32_t i, enum slot_place place)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];

	if (s->place == place)
		return;
	if (s->place == PLACE_ON_HW)
		share_leave(m, i);
	if (s->place != PLACE_NOWHERE)
		--*depth_of(ring, s->place);
	if (place != PLACE_NOWHERE)
		++*depth_of(ring, (uint8_t)place);
	s->place = (uint8_t)place;
	if (place == PLACE_ON_HW && share_enter(m, i) && !m->stopped)
		m->stopped = -ENOMEM;
	if (m->o.depth && !m->ended && !m->stopped)
		m->stopped = m->o.depth(m->o.ctx, ring, m->now);
}

int64_t slot_new(struct xtr_model *m, uint64_t ctx, uint64_t seqno, uint64_t ts, uint32_t ring)
{
	uint32_t old = slot_find(m, ctx, seqno);
	struct slot *s;
	int64_t i;

	if (old != NONE)
		unmap(m, old);
	if (m->n_open >= m->o.max_open)
		evict(m);
	i = slot_alloc(m);
	if (i < 0)
		return i;
	s = &m->slot[i];
	*s = (struct slot){ .job = { .ctx = ctx, .seqno = seqno },
			    .first_ns = ts,
			    .ring = ring,
			    .deps = NONE,
			    .last_dep = NONE,
			    .state = SLOT_OPEN };
	if (xtr_keymap_put(&m->jobs, ctx, seqno, (uint32_t)i)) {
		s->next = m->free_slots;
		m->free_slots = (uint32_t)i;
		return -ENOMEM;
	}
	s->mapped = true;
	list_add(m, &m->open, (uint32_t)i);
	m->n_open++;
	return i;
}

void slot_hold(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];

	wait_end(m, i, m->now, 0);
	slot_place(m, i, PLACE_NOWHERE);
	run_list_del(m, i);
	list_del(m, &m->open, i);
	m->n_open--;
	s->state = SLOT_HELD;
	s->held_ns = m->now;
	list_add(m, &m->held, i);
}

int slot_release(struct xtr_model *m)
{
	uint32_t i = m->held.head;
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	int ret = 0;

	list_del(m, &m->held, i);
	unmap(m, i);
	if (ring->last == i)
		ring->last = NONE;
	settle(m, i);
	wait_collect(m, i);
	m->counts.jobs++;
	if (m->o.job)
		ret = m->o.job(m->o.ctx, &s->job);
	s->state = SLOT_FREE;
	s->next = m->free_slots;
	m->free_slots = i;
	return ret;
}
