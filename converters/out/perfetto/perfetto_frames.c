/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames: a track for each screen and client, whose slices reach from one picture to the next. */
#include "perfetto.h"

#include <inttypes.h>
#include <string.h>

static void note_time(struct pf *pf, const char *name, uint64_t from, uint64_t to)
{
	if (from && to >= from)
		pf_note_u64(pf, name, to - from);
}

static void notes(struct pf *pf, const struct xtr_export_frame *f)
{
	pf_note_u64(pf, "frame", f->number);
	pf_note_text(pf, "verdict", f->verdict, strlen(f->verdict));
	pf_note_u64(pf, "missed", f->missed);
	pf_note_u64(pf, "jobs", f->jobs);
	note_time(pf, "latency_ns", f->begin_ns, f->shown_ns);
	if (f->deadline_ns)
		pf_note_u64(pf, "deadline_ns", f->deadline_ns);
	if (*f->who)
		pf_note_text(pf, "of", f->who, strlen(f->who));
	if (xtr_job_name_any(&f->job)) {
		pf_note_u64(pf, "context", f->job.ctx);
		pf_note_u64(pf, "seqno", f->job.seqno);
	}
	if (!f->late)
		return;
	pf_note_text(pf, "reason", f->reason, strlen(f->reason));
	pf_note_u64(pf, "reason_ns", f->reason_ns);
	if (*f->of)
		pf_note_text(pf, "reason_of", f->of, strlen(f->of));
}

static int put_frame(struct pf *pf, const struct xtr_export_frame *f)
{
	uint64_t track;
	int err = pf_named_track(
		pf, PF_ROOT_NONE,
		pf_textf(pf, "frames of CRTC %" PRId32 " #%" PRIu32, f->crtc, f->stream), &track);

	if (err)
		return err;
	pf_event(pf, PF_SLICE_BEGIN, track, f->from_ns);
	if (f->late)
		pf_name_text(pf, "frame",
			     pf_textf(pf, "%" PRIu64 " %s: %s%s%s", f->number, f->verdict,
				      f->reason, *f->of ? " of " : "", f->of));
	else
		pf_name_text(pf, "frame", pf_textf(pf, "%" PRIu64 " %s", f->number, f->verdict));
	notes(pf, f);
	return pf_event_send(pf) ?: pf_end(pf, track, f->shown_ns);
}

int pf_frames(struct pf *pf)
{
	const struct xtr_export_frames *all = pf->s->frames;
	int err = 0;

	for (size_t i = 0; all && i < all->n && !err; i++)
		err = put_frame(pf, &all->frame[i]);
	return err;
}
