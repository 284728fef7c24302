/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs that a trace tells as a whole (XTR_STEP_TOLD): quality, flags and bounds are what somebody
 * has concluded from events that this trace may not have. Nothing is concluded anew.
 */
#include "engine.h"

/* What the tables call who submitted it. */
static uint32_t name_of(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t tid = s->r.tid ? s->r.tid : s->told->pid;
	const struct xtr_task *task =
		tid ? xtr_task_cache_get(&m->tasks, m->o.tables, tid, m->now) : NULL;

	return task ? task->comm : 0;
}

static void take_told(struct xtr_model *m, struct xtr_job *j, const struct xtr_job_step *s)
{
	const struct xtr_told *t = s->told;

	j->submit_ns = t->submit_ns;
	j->queue_ns = t->queue_ns;
	j->run_ns = t->run_ns;
	j->start_ns = t->start_ns;
	j->done_ns = t->done_ns;
	j->exec_min_ns = t->exec_min_ns;
	j->exec_max_ns = t->exec_max_ns;
	j->dep_wait_ns = t->dep_wait_ns;
	j->n_waits = later(t->n_waits, j->n_waits);
	j->tid = s->r.tid;
	j->nth = j->pid == t->pid ? j->nth : 0;
	j->pid = t->pid;
	j->comm = t->comm ? t->comm : name_of(m, s);
	j->kind = t->kind;
	j->quality = t->quality;
	j->flags = s->flags;
	j->stream = s->r.stream;
	j->client_known = s->r.flags & XTR_JOB_CLIENT_KNOWN;
	j->client_id = s->r.client_id;
	j->error = s->r.error;
	j->result_known = s->result_known;
}

/* The job, begun if need be; -errno. */
static int64_t job_of(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t i = slot_find(m, s->r.ctx, s->r.seqno);
	int64_t ring = ring_index(m, s->r.ring);

	if (ring < 0)
		return ring;
	if (i == NONE || m->slot[i].state != SLOT_OPEN)
		return slot_new(m, &s->r, (uint32_t)ring, i);
	if (s->r.ring && m->slot[i].ring != (uint32_t)ring) {
		slot_place(m, i, PLACE_NOWHERE);
		run_list_del(m, i);
		m->slot[i].ring = (uint32_t)ring;
	}
	return i;
}

int step_told(struct xtr_model *m, const struct xtr_job_step *s)
{
	int64_t i = job_of(m, s);
	struct slot *slot;

	if (i < 0)
		return (int)i;
	slot = &m->slot[i];
	take_told(m, &slot->job, s);
	slot->told = true;
	if (!s->told->ended)
		return 0;
	if (xtr_job_resided(&slot->job)) {
		const struct xtr_end end = { slot->job.done_ns, { s->r.ctx, s->r.seqno }, false };

		xtr_ends_add(&m->rings.ring[slot->ring].ends, &end);
	}
	slot_hold(m, (uint32_t)i);
	wait_wake(m, s->r.ctx, s->r.seqno, m->now, false, s->r.ring);
	return 0;
}

int step_waited(struct xtr_model *m, const struct xtr_job_step *s)
{
	const struct xtr_dep dep = { .ctx = s->r.dep_ctx,
				     .seqno = s->r.dep_seqno,
				     .from_ns = s->dep_from_ns,
				     .until_ns = s->dep_until_ns,
				     .ring_id = s->dep_ring,
				     .scheduled = s->r.flags & XTR_JOB_DEP_SCHEDULED };
	int64_t i = job_of(m, s);

	return i < 0 ? (int)i : wait_add(m, (uint32_t)i, &dep);
}

void told_settle(struct slot *s)
{
	struct xtr_job *j = &s->job;

	if (!j->submit_ns)
		j->submit_ns = j->queue_ns;
	if (!xtr_job_resided(j))
		return;
	j->busy_from_ns = j->run_ns;
	j->busy_to_ns = j->done_ns;
	j->serial_start_ns = j->start_ns ? j->start_ns : j->run_ns;
	j->floor_ns =
		j->done_ns -
		(j->exec_min_ns < j->done_ns - j->run_ns ? j->exec_min_ns : j->done_ns - j->run_ns);
}
