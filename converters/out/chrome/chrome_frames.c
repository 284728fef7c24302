/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames: a track for each screen and client, whose slices reach from one picture to the next. */
#include "chrome.h"

#include <inttypes.h>
#include <string.h>

static void put_reason(struct chrome_out *o, const struct xtr_export_frame *f)
{
	chrome_plain(o, "reason", f->reason);
	chrome_u64(o, "reason_ns", f->reason_ns);
	if (*f->of)
		chrome_text(o, "reason_of", f->of, strlen(f->of));
}

static void put_frame(struct chrome *c, const struct xtr_export_frame *f,
		      const struct chrome_place *at)
{
	struct chrome_out *o = &c->out;
	char name[256];
	int n = snprintf(name, sizeof(name), "%" PRIu64 " %s%s%s%s%s", f->number, f->verdict,
			 f->late ? ": " : "", f->reason, *f->of && f->late ? " of " : "",
			 f->late ? f->of : "");

	if (n >= (int)sizeof(name))
		n = sizeof(name) - 1;
	chrome_begin(c, "X", "frame", name, (size_t)n, at, chrome_time(c, f->from_ns));
	chrome_us(o, "dur", f->shown_ns - f->from_ns);
	chrome_args(o);
	chrome_u64(o, "frame", f->number);
	chrome_plain(o, "verdict", f->verdict);
	chrome_u64(o, "missed", f->missed);
	chrome_u64(o, "jobs", f->jobs);
	if (f->begin_ns && f->shown_ns >= f->begin_ns)
		chrome_u64(o, "latency_ns", f->shown_ns - f->begin_ns);
	if (*f->who)
		chrome_text(o, "of", f->who, strlen(f->who));
	if (xtr_job_name_any(&f->job))
		chrome_fence(o, "job", f->job.ctx, f->job.seqno);
	if (f->late)
		put_reason(o, f);
	chrome_args_end(o);
	chrome_event_end(o);
}

int chrome_frames(struct chrome *c)
{
	const struct xtr_export_frames *all = c->section.frames;
	struct chrome_place at;
	char track[64];
	int err = 0;

	for (size_t i = 0; all && i < all->n && !err; i++) {
		const struct xtr_export_frame *f = &all->frame[i];
		uint64_t key = (uint64_t)(c->section.index + 1) << 32 | f->stream;

		snprintf(track, sizeof(track), "CRTC %" PRId32 " #%" PRIu32, f->crtc, f->stream);
		err = chrome_pseudo_place(c, CHROME_FRAMES, key, track, &at);
		if (!err)
			put_frame(c, f, &at);
	}
	return err;
}
