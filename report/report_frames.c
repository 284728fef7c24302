/* SPDX-License-Identifier: BSD-2-Clause */
/* What screens showed (docs/frames.md). */
#include "report_impl.h"

#include <string.h>

#define FRAME_BYTES 130u /* without its names, at most; of these each byte takes six */
#define WHO_BYTES   64u

static size_t bytes_of(const struct xtr_export_frame *f)
{
	return FRAME_BYTES + 6 * (strnlen(f->who, WHO_BYTES) + strnlen(f->of, WHO_BYTES));
}

/*
 * [number, stream, crtc, from, shown, latency, verdict, missed, jobs, who, context, seqno, reason,
 * its ns, of whom, ring]; from, shown: less the section's, may be below 0.
 */
static void put(struct xtr_json *j, const struct xtr_export_frame *f, uint64_t from)
{
	char text[24];

	xtr_json_begin_array(j);
	xtr_json_u64(j, f->number);
	xtr_json_u64(j, f->stream);
	xtr_json_s64(j, f->crtc);
	xtr_json_s64(j, (int64_t)(f->from_ns - from));
	xtr_json_s64(j, (int64_t)(f->shown_ns - from));
	xtr_json_u64(j, f->begin_ns && f->shown_ns >= f->begin_ns ? f->shown_ns - f->begin_ns : 0);
	xtr_json_str(j, f->verdict);
	xtr_json_u64(j, f->missed);
	xtr_json_u64(j, f->jobs);
	xtr_json_strn(j, f->who, strnlen(f->who, WHO_BYTES));
	*xtr_digits_put(text, f->job.ctx) = '\0';
	xtr_json_str(j, text);
	*xtr_digits_put(text, f->job.seqno) = '\0';
	xtr_json_str(j, text);
	xtr_json_str(j, f->reason);
	xtr_json_u64(j, f->late ? f->reason_ns : 0);
	xtr_json_strn(j, f->of, f->late ? strnlen(f->of, WHO_BYTES) : 0);
	xtr_json_u64(j, f->late ? f->ring_id : 0);
	xtr_json_end_array(j);
}

/* How many there is room for, late ones before others. */
static size_t fits(const struct xtr_export_frames *all, size_t most, bool late, size_t *used)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		size_t bytes = bytes_of(&all->frame[i]);

		if (all->frame[i].late != late)
			continue;
		if (*used + bytes > most)
			break;
		*used += bytes;
		n++;
	}
	return n;
}

void report_frames_json(struct xtr_json *j, const struct xtr_export_section *s, size_t most)
{
	static const struct xtr_export_frames none;
	const struct xtr_export_frames *all = s->frames ? s->frames : &none;
	size_t used = 0, late = fits(all, most, true, &used),
	       others = fits(all, most, false, &used);

	xtr_json_kv_u64(j, "frames_left_out", all->left_out + all->n - late - others);
	xtr_json_kv_array(j, "frames");
	for (size_t i = 0; i < all->n; i++) {
		size_t *left = all->frame[i].late ? &late : &others;

		if (!*left)
			continue;
		--*left;
		put(j, &all->frame[i], s->from);
	}
	xtr_json_end_array(j);
}
