/* SPDX-License-Identifier: BSD-2-Clause */
#include "missed.h"
#include "attach.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_NS (10 * NS_PER_MS)   /* between two looks at the programs of hooks */
#define ALL_NS  (1000 * NS_PER_MS) /* and at all slots, which are many */

int xtr_missed_open(struct xtr_missed *m, uint32_t n_slots)
{
	*m = (struct xtr_missed){ .n_slots = n_slots };
	m->of = calloc(n_slots, sizeof(*m->of));
	if (!m->of)
		return -ENOMEM;
	pthread_mutex_init(&m->lock, NULL);
	return 0;
}

void xtr_missed_close(struct xtr_missed *m)
{
	if (m->of)
		pthread_mutex_destroy(&m->lock);
	free(m->of);
	m->of = NULL;
}

void xtr_missed_begin(struct xtr_missed *m, uint64_t now)
{
	pthread_mutex_lock(&m->lock);
	for (uint32_t i = 0; i < m->n_slots; i++)
		m->of[i].clean = now;
	m->running = true;
	pthread_mutex_unlock(&m->lock);
}

static void add_gap(struct xtr_missed *m, const struct xtr_gap *gap)
{
	struct xtr_gap *g = &m->gaps[XTR_MISSED_GAPS - 1];

	if (m->n_gaps < XTR_MISSED_GAPS) {
		m->gaps[m->n_gaps++] = *gap;
		return;
	}
	g->first = g->first < gap->first ? g->first : gap->first;
	g->last = g->last > gap->last ? g->last : gap->last;
	g->count += gap->count;
	g->stream = g->stream == gap->stream ? g->stream : XTR_STREAM_NONE;
}

static void tell(struct xtr_missed *m, struct xtr_missed_slot *s, uint64_t n, uint32_t cpu,
		 uint64_t last)
{
	add_gap(m, &(struct xtr_gap){ cpu, s->clean, last, n });
	s->told += n;
}

void xtr_missed_look(struct xtr_missed *m, uint32_t slot, uint64_t missing, uint32_t cpu,
		     uint64_t before, uint64_t after)
{
	struct xtr_missed_slot *s = &m->of[slot];

	if (missing <= s->told) {
		s->clean = before;
		s->missing = 0;
		return;
	}
	if (s->missing) {
		uint64_t both = missing < s->missing ? missing : s->missing;

		tell(m, s, both - s->told, cpu, s->looked);
		s->clean = s->looked;
	}
	s->missing = missing > s->told ? missing : 0;
	s->looked = after;
}

void xtr_missed_end(struct xtr_missed *m, uint32_t slot, uint64_t missing, uint64_t now)
{
	struct xtr_missed_slot *s = &m->of[slot];

	if (missing > s->told)
		tell(m, s, missing - s->told, XTR_STREAM_NONE, now);
}

bool xtr_missed_take(struct xtr_missed *m, struct xtr_gap *gap)
{
	bool some;

	pthread_mutex_lock(&m->lock);
	some = m->n_gaps;
	if (some) {
		*gap = m->gaps[0];
		memmove(m->gaps, m->gaps + 1, --m->n_gaps * sizeof(*gap));
	}
	pthread_mutex_unlock(&m->lock);
	return some;
}

uint64_t xtr_missed_told(struct xtr_missed *m, uint32_t slot)
{
	uint64_t n;

	pthread_mutex_lock(&m->lock);
	n = m->of[slot].told;
	pthread_mutex_unlock(&m->lock);
	return n;
}

/* The one CPU on which an event by name was hit more often than its program ran. */
static uint32_t cpu_of(const struct xtr_bpf *b, uint32_t slot)
{
	uint32_t cpu = XTR_STREAM_NONE;

	for (uint32_t i = 0; i < b->n_cpus; i++) {
		if (!b->counts[(size_t)i * b->n_slots + slot].expect)
			continue;
		if (cpu != XTR_STREAM_NONE)
			return XTR_STREAM_NONE; /* or a task moved between the two */
		cpu = i;
	}
	return cpu;
}

static void look(void *ctx, uint32_t slot, uint64_t missing, uint64_t before)
{
	struct xtr_bpf *b = ctx;
	uint32_t cpu = XTR_STREAM_NONE;

	if (slot >= XTR_SLOT_GENERIC && missing > b->missed.of[slot].told)
		cpu = cpu_of(b, slot);
	xtr_missed_look(&b->missed, slot, missing, cpu, before, xtr_now());
}

void xtr_missed_pass(struct xtr_bpf *b, uint64_t now)
{
	struct xtr_missed *m = &b->missed;
	bool all = now >= m->next_all;

	if (now < m->next)
		return;
	m->next = now + LOOK_NS;
	if (all)
		m->next_all = now + ALL_NS;
	pthread_mutex_lock(&m->lock);
	if (m->running)
		xtr_bpf_each_missing(b, all, look, b);
	pthread_mutex_unlock(&m->lock);
}

/* An event may have several hooks, by the kernel's name for it. */
static void add_last(void *ctx, uint32_t slot, uint64_t missing, uint64_t before)
{
	struct xtr_bpf *b = ctx;

	b->not_run[slot] += missing;
	xtr_missed_end(&b->missed, slot, b->not_run[slot], before);
}

void xtr_missed_last(struct xtr_bpf *b)
{
	pthread_mutex_lock(&b->missed.lock);
	xtr_bpf_each_missing(b, true, add_last, b);
	xtr_bpf_each_overlooked(b, add_last, b);
	b->missed.running = false;
	pthread_mutex_unlock(&b->missed.lock);
}
