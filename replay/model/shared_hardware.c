/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which jobs were on the hardware together with another client's. On rings by client (ring.h) the
 * firmware may run those side by side, or one instead of the other, so nothing tells when one of
 * them started. Jobs that come and go are counted, so that jobs of one moment have an order.
 */
#include "engine.h"
#include "replay/event/process.h"

#include <errno.h>

/* A process stands for its client where that is not known; else a job is nobody's but its own. */
static uint64_t client_of(const struct xtr_job *j, uint32_t i)
{
	if (j->client_known)
		return j->client_id;
	return j->queue_ns && j->pid ? 1ull << 63 | xtr_process(j->pid, j->nth) : 1ull << 62 | i;
}

int share_enter(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	uint32_t n;

	if (!ring->by_client)
		return 0;
	s->client = client_of(&s->job, i);
	n = xtr_map_index(&m->on_hw, s->ring, s->client);
	n = n != NONE ? n : 0;
	if (xtr_map_put(&m->on_hw, s->ring, s->client, n + 1))
		return -ENOMEM;
	ring->n_clients += !n;
	s->moves = ++ring->moves;
	if (ring->n_clients > 1)
		ring->mixed = ring->moves;
	return 0;
}

void share_leave(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	uint32_t n;

	if (!s->moves)
		return;
	ring->moves++;
	if (ring->n_clients > 1)
		ring->mixed = ring->moves;
	if (ring->mixed >= s->moves)
		s->job.flags |= XTR_FLAG_SHARED;
	s->moves = 0;
	n = xtr_map_index(&m->on_hw, s->ring, s->client);
	if (n > 1) { /* replaces a key that is there: cannot fail */
		xtr_map_put(&m->on_hw, s->ring, s->client, n - 1);
		return;
	}
	xtr_map_del(&m->on_hw, s->ring, s->client);
	ring->n_clients--;
}
