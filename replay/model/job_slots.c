/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots and the lists that they are on. */
#include "engine.h"
#include "job.h"

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

static void age_add(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];

	s->younger = NONE;
	s->older = m->all.tail;
	if (s->older != NONE)
		m->slot[s->older].younger = i;
	else
		m->all.head = i;
	m->all.tail = i;
}

static void age_del(struct xtr_model *m, const struct slot *s)
{
	if (s->older != NONE)
		m->slot[s->older].younger = s->younger;
	else
		m->all.head = s->younger;
	if (s->younger != NONE)
		m->slot[s->younger].older = s->older;
	else
		m->all.tail = s->older;
}

static void unmap(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];

	if (s->mapped)
		xtr_map_del(&m->jobs, s->job.ctx, s->job.seqno);
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

static inline void change_depth(struct xtr_model_ring *ring, uint8_t from, enum slot_place to)
{
	if (from != PLACE_NOWHERE)
		--*(from == PLACE_QUEUED ? &ring->queued : &ring->on_hw);
	if (to != PLACE_NOWHERE)
		++*(to == PLACE_QUEUED ? &ring->queued : &ring->on_hw);
}

/* The same with whoever else has to know. */
static __attribute__((noinline)) void place_and_tell(struct xtr_model *m, uint32_t i,
						     enum slot_place place)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];

	if (s->moves)
		share_leave(m, i);
	change_depth(ring, s->place, place);
	s->place = (uint8_t)place;
	if (place == PLACE_ON_HW && ring->by_client && share_enter(m, i) && !m->stopped)
		m->stopped = -ENOMEM;
	if (m->o.depth && !m->ended && !m->stopped)
		m->stopped = m->o.depth(m->o.ctx, ring, m->now);
}

void slot_place(struct xtr_model *m, uint32_t i, enum slot_place place)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];

	if (s->place == place)
		return;
	if (s->moves || ring->by_client || m->o.depth) {
		place_and_tell(m, i, place);
		return;
	}
	change_depth(ring, s->place, place);
	s->place = (uint8_t)place;
}

int64_t slot_new(struct xtr_model *m, const struct xtr_gpu_record *r, uint32_t ring, uint32_t old)
{
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
	*s = (struct slot){ .job = { .ctx = r->ctx, .seqno = r->seqno },
			    .first_ns = m->now,
			    .ring = ring,
			    .deps = NONE,
			    .last_dep = NONE,
			    .state = SLOT_OPEN };
	if (xtr_map_put(&m->jobs, r->ctx, r->seqno, (uint32_t)i)) {
		s->next = m->free_slots;
		m->free_slots = (uint32_t)i;
		return -ENOMEM;
	}
	s->mapped = true;
	list_add(m, &m->open, (uint32_t)i);
	age_add(m, (uint32_t)i);
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
	if (m->held.head == NONE)
		m->due = 0;
	list_add(m, &m->held, i);
}

int slot_release(struct xtr_model *m)
{
	uint32_t i = m->held.head;
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	int err = 0;

	list_del(m, &m->held, i);
	age_del(m, s);
	unmap(m, i);
	if (ring->last == i)
		ring->last = NONE;
	settle(m, i);
	wait_collect(m, i);
	m->counts.jobs++;
	if (m->o.job)
		err = m->o.job(m->o.ctx, &s->job);
	s->state = SLOT_FREE;
	s->next = m->free_slots;
	m->free_slots = i;
	return err;
}

/* --- job -------------------------------------------------------------------------------------- */

struct text {
	const char *name, *help;
};

static const struct text kinds[] = {
#define KIND(id, text, help) [XTR_KIND_##id] = { text, help },
	XTR_JOB_KINDS(KIND)
};

static const struct text qualities[] = {
#define QUALITY(id, text, help) [XTR_QUALITY_##id] = { text, help },
	XTR_QUALITIES(QUALITY)
};

static const struct text flags[] = {
#define FLAG(id, bit, text, help) [bit] = { text, help },
	XTR_JOB_FLAGS(FLAG)
};

const char *xtr_job_kind_name(unsigned int kind)
{
	return kind < XTR_KIND_COUNT ? kinds[kind].name : "?";
}

const char *xtr_quality_name(unsigned int quality)
{
	return quality < XTR_QUALITY_COUNT ? qualities[quality].name : "?";
}

const char *xtr_quality_help(unsigned int quality)
{
	return quality < XTR_QUALITY_COUNT ? qualities[quality].help : "?";
}

const char *xtr_job_flag_name(unsigned int bit)
{
	return bit < sizeof(flags) / sizeof(flags[0]) ? flags[bit].name : NULL;
}

const char *xtr_job_flag_help(unsigned int bit)
{
	return bit < sizeof(flags) / sizeof(flags[0]) ? flags[bit].help : NULL;
}
