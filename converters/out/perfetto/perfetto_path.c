/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The critical path to a job's end: a track whose slices are its steps, one behind the other. An
 * arrow connects the first step of each job with the job's slice: a flow between track events, or
 * what a track event says of the render stage that it waited for.
 */
#include "perfetto.h"

#include "replay/event/process.h"

#include <string.h>

#define TRACK "critical path"
#define FLOW  0x706174680000u /* so that a path's flows are no others */

static uint64_t flow_of(uint64_t ctx, uint64_t seqno)
{
	return pf_hash(pf_event_id(ctx, seqno), FLOW) | 1;
}

static void note_ring(struct pf *pf, const struct xtr_export_step *s)
{
	const struct xtr_model_ring *r =
		s->ring_id ? xtr_model_ring_by_id(pf->s->rings, s->ring_id) : NULL;

	if (!r)
		return;
	pf_note_text(pf, "device", r->device_name, strlen(r->device_name));
	pf_note_text(pf, "ring", r->name, strlen(r->name));
	pf_note_u64(pf, "ring_id", r->id);
}

static void step_notes(struct pf *pf, const struct xtr_export_step *s)
{
	pf_note_text(pf, "step", s->kind, strlen(s->kind));
	if (*s->who)
		pf_note_text(pf, "of", s->who, strlen(s->who));
	if (s->process)
		pf_note_u64(pf, "pid", xtr_process_pid(s->process));
	if (s->tid)
		pf_note_u64(pf, "tid", s->tid);
	note_ring(pf, s);
	if (!xtr_job_name_any(&s->job))
		return;
	pf_note_u64(pf, "context", s->job.ctx);
	pf_note_u64(pf, "seqno", s->job.seqno);
}

static int put_step(struct pf *pf, const struct xtr_export_steps *all, uint32_t i, uint64_t track)
{
	const struct xtr_export_step *s = &all->step[i];
	bool arrow = !s->tid && xtr_job_name_any(&s->job) && xtr_export_step_first(all, i);

	pf_event(pf, PF_SLICE_BEGIN, track, s->from_ns);
	if (*s->who)
		pf_name_text(pf, "path", pf_textf(pf, "%s: %s", s->kind, s->who));
	else
		pf_name(pf, "path", s->kind);
	step_notes(pf, s);
	if (arrow && pf->o.track_events)
		pf_path_flow(pf, flow_of(s->job.ctx, s->job.seqno));
	else if (arrow)
		pf_waits_for(pf, pf_event_id(s->job.ctx, s->job.seqno));
	return pf_event_send(pf) ?: pf_end(pf, track, s->to_ns);
}

int pf_path(struct pf *pf)
{
	const struct xtr_export_steps *all = xtr_export_drawn(pf->s->paths);
	uint64_t track;
	int err;

	if (!all)
		return 0;
	err = pf_named_track(pf, PF_ROOT_NONE, TRACK, &track);
	for (uint32_t i = 0; i < all->n && !err; i++)
		err = put_step(pf, all, i, track);
	return err;
}

void pf_path_of_job(struct pf *pf, const struct xtr_job *j)
{
	if (xtr_export_step_of(xtr_export_drawn(pf->s->paths), j->ctx, j->seqno))
		pf_path_flow(pf, flow_of(j->ctx, j->seqno));
}
