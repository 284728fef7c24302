/* SPDX-License-Identifier: BSD-2-Clause */
/* How jobs come to a ring: submitted by a thread, waiting in queues; and how many there are. */
#include "perfetto.h"
#include "replay/event/process.h"

#include <errno.h>
#include <string.h>

static void note_ring(struct pf *pf, const char *name, const char *ring)
{
	pf_note_text(pf, name, ring, strlen(ring));
}

/* A moment on the submitter's thread, from which arrows go to the wait and to the job. */
static int submission(struct pf *pf, const struct xtr_job *j)
{
	uint64_t track, id = pf_event_id(j->ctx, j->seqno);
	int err = pf_thread_track(pf, j->tid, xtr_process(j->pid, j->nth), j->comm, j->queue_ns,
				  &track);

	if (err)
		return err;
	pf_event(pf, PF_INSTANT, track, j->queue_ns);
	pf_name(pf, "job", "submit");
	note_ring(pf, "ring", j->ring->name);
	pf_note_u64(pf, "context", j->ctx);
	pf_note_u64(pf, "seqno", j->seqno);
	if (j->client_known)
		pf_note_u64(pf, "client", j->client_id);
	if (j->submit_ns && j->submit_ns < j->queue_ns)
		pf_note_u64(pf, "submit_before_ns", j->queue_ns - j->submit_ns);
	pf_flow(pf, id, false);
	if (!pf->o.track_events)
		pf_submits(pf);
	return pf_event_send(pf);
}

static const char *dep_ring(const struct pf *pf, uint32_t id)
{
	const struct xtr_model_ring *r = id ? xtr_model_ring_by_id(pf->s->rings, id) : NULL;

	return r && *r->name ? r->name : NULL;
}

/* Waits for single dependencies lie within the wait, one after the other. */
static int dependency(struct pf *pf, const struct xtr_job *j, const struct xtr_dep *d,
		      uint64_t track)
{
	uint64_t from = d->from_ns < j->queue_ns ? j->queue_ns : d->from_ns;
	uint64_t until = d->until_ns > j->run_ns ? j->run_ns : d->until_ns;
	const char *ring = dep_ring(pf, d->ring_id), *what = d->scheduled ? "run" : "done";

	if (until < from)
		return 0;
	pf_event(pf, PF_SLICE_BEGIN, track, from);
	pf_name(pf, "job", "dependency");
	pf_note_u64(pf, "context", d->ctx);
	pf_note_u64(pf, "seqno", d->seqno);
	pf_note_text(pf, "until", what, strlen(what));
	if (ring)
		note_ring(pf, "ring", ring);
	return pf_event_send(pf) ?: pf_end(pf, track, until);
}

static int wait_slice(struct pf *pf, uint32_t ring, const struct xtr_job *j)
{
	int lane = pf_lane(&pf_machine(pf)->ring[ring].waits, j->queue_ns, j->run_ns), ret;
	uint64_t track;

	/* More than can be drawn: the wait is still told by the submission and the job. */
	if (lane == -ENOSPC)
		return 0;
	if (lane < 0)
		return lane;
	ret = pf_ring_track(pf, ring, PF_TRACK_WAITS, (uint32_t)lane, &track);
	if (ret)
		return ret;
	pf_event(pf, PF_SLICE_BEGIN, track, j->queue_ns);
	pf_name_comm(pf, "job", j->comm, xtr_job_kind_name(j->kind));
	pf_note_u64(pf, "context", j->ctx);
	pf_note_u64(pf, "seqno", j->seqno);
	pf_note_u64(pf, "dep_wait_ns", j->dep_wait_ns);
	pf_note_u64(pf, "dep_waits", j->n_waits);
	pf_flow(pf, pf_event_id(j->ctx, j->seqno), !pf->o.track_events);
	ret = pf_event_send(pf);
	for (uint32_t i = 0; i < j->n_deps && !ret; i++)
		ret = dependency(pf, j, &j->deps[i], track);
	return ret ? ret : pf_end(pf, track, j->run_ns);
}

/* A job that hangs, or was still at work when the recording ended: a slice without an end. */
static int unfinished(struct pf *pf, uint32_t ring, const struct xtr_job *j)
{
	uint64_t track;
	int err = pf_ring_track(pf, ring, PF_TRACK_UNFINISHED, 0, &track);

	if (err)
		return err;
	pf_event(pf, PF_SLICE_BEGIN, track, j->run_ns);
	pf_name_comm(pf, "job", j->comm, xtr_job_kind_name(j->kind));
	pf_note_u64(pf, "context", j->ctx);
	pf_note_u64(pf, "seqno", j->seqno);
	return pf_event_send(pf);
}

int pf_queue(struct pf *pf, uint32_t ring, const struct xtr_job *j)
{
	int err = j->queue_ns ? submission(pf, j) : 0;

	if (!err && j->queue_ns && j->run_ns >= j->queue_ns)
		err = wait_slice(pf, ring, j);
	if (!err && j->quality == XTR_QUALITY_OPEN && j->run_ns && !j->done_ns)
		err = unfinished(pf, ring, j);
	return err;
}

/* Only what changed. */
int pf_depth(void *self, const struct xtr_model_ring *ring, uint64_t ts)
{
	struct pf *pf = self;
	int64_t i = pf_ring_of(pf, ring);
	struct pf_ring *r;
	uint64_t track;
	int err = 0;

	if (i < 0)
		return (int)i;
	r = &pf_machine(pf)->ring[i];
	if (!r->depth_known || r->queued != ring->queued) {
		err = pf_ring_track(pf, (uint32_t)i, PF_TRACK_QUEUED, 0, &track)
			      ?: pf_counter(pf, track, ts, ring->queued);
	}
	if (!err && (!r->depth_known || r->on_hw != ring->on_hw)) {
		err = pf_ring_track(pf, (uint32_t)i, PF_TRACK_ON_HW, 0, &track)
			      ?: pf_counter(pf, track, ts, ring->on_hw);
	}
	r->depth_known = true;
	r->queued = ring->queued;
	r->on_hw = ring->on_hw;
	return err;
}
