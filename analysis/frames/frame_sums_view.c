/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of frames. */
#include "analysis/core/section_columns.h"
#include "frame_sums.h"

#include <inttypes.h>

static void put_who(struct xtr_rows *r, const struct xtr_frame_sums *s, uint64_t who)
{
	size_t n;
	const char *name = xtr_who_name(s->names, who, &n);

	xtr_put_u64(r, true, xtr_who_process(who));
	xtr_put_name(r, name, name ? n : 0);
}

/* Its index, for people and for programs. */
static void put_screen(struct xtr_rows *r, const struct xtr_frame_sums *s, uint32_t stream)
{
	int32_t crtc = s->stream[stream].crtc;

	if (crtc < 0)
		xtr_put_copy(r, "-");
	else
		xtr_put_format(r, "CRTC %" PRId32, crtc);
	xtr_put_u64(r, true, stream);
	xtr_put_s64(r, crtc >= 0, crtc);
}

#define SCREEN                                                                              \
	{ NULL, "<screen", XTR_C_TEXT, XTR_PUT },                                           \
		{ "stream", NULL, XTR_C_NUMBER, XTR_PUT, "screen and client, or process" }, \
	{                                                                                   \
		"crtc", NULL, XTR_C_SIGNED, XTR_PUT, "index of the CRTC in its device"      \
	}

#define AT(member) XTR_AT(struct xtr_frame_sum, member)
#define OF(id)     verdict[XTR_FRAME_##id]
static const struct xtr_section_column screen_columns[] = {
	SCREEN,
	{ NULL, "<frames of", XTR_C_TEXT, XTR_PUT },
	{ "pid", NULL, XTR_C_PROCESS, XTR_PUT, "process of the last frame's last job" },
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	SHOWN("frames", "frames", n, "frames"),
	SHOWN("on_time", "on time", OF(ON_TIME), "shown at their deadline"),
	SHOWN("late", "missed", OF(MISSED), "shown later, and begun before it"),
	SHOWN("late_start", "late start", OF(LATE_START), "shown later, and begun after it"),
	SHOWN("missed", "deadlines", missed, "deadlines that passed without a new frame"),
	COUNT("first", OF(FIRST), "the first of all"),
	COUNT("resumed", OF(RESUMED), "the first after a pause"),
	COUNT("no_deadline", OF(NO_DEADLINE), "without a deadline"),
	SHOWN("not_known", "not known", OF(UNKNOWN), "late, and why is not known"),
	{ "interval_ns", "interval p50|p99|max", XTR_C_HIST, AT(interval),
	  "from the frame before, without pauses" },
	{ "latency_ns", "latency p50|p99|max", XTR_C_HIST, AT(latency),
	  "from the first submission until it was shown" },
};
#undef OF
#undef AT

static bool put_stream(struct xtr_rows *r, const void *row)
{
	const struct xtr_frame_sums *s = xtr_rows_self(r);
	const struct xtr_frame_sum *of = row;
	char who[XTR_WHO_TEXT];

	put_screen(r, s, (uint32_t)(of - s->stream));
	xtr_put_copy(r, xtr_who_text(s->names, of->who, who, sizeof(who)));
	put_who(r, s, of->who);
	return of->n;
}

static const struct xtr_section_table screens = XTR_TABLE_OF(
	"screens", "the frames of a screen and its client, or of a process", screen_columns,
	XTR_ARRAY(struct xtr_frame_sums, stream, n_streams), put_stream, XTR_SHOW_TOP);

#define AT(member) XTR_AT(struct xtr_frame_reason, member)
static const struct xtr_section_column reason_columns[] = {
	SCREEN,
	SHOWN("frames", "frames", frames, "frames that were late for this reason"),
	{ "verdict", "<verdict", XTR_C_TEXT, XTR_PUT, "missed, or late-start (docs/frames.md)" },
	{ "reason", "<reason", XTR_C_TEXT, XTR_PUT, "what took longest beyond the usual" },
	{ NULL, "<of whom", XTR_C_TEXT, XTR_PUT },
	{ "pid", NULL, XTR_C_PROCESS, XTR_PUT, "process whose job or thread that was" },
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	{ "ring", "<on ring", XTR_C_TEXT, XTR_PUT, "ring on which that job was" },
	{ "ns", "time", XTR_C_NS, AT(ns), "what it took in all these frames" },
	{ "max_ns", "longest", XTR_C_NS, AT(longest_ns), "what it took in one of them" },
	{ "frame", "frame", XTR_C_NUMBER, AT(longest), "the number of that one" },
	{ "at_ns", "shown at", XTR_C_PLACE, AT(at_ns), "when that one was shown" },
};
#undef AT

static bool put_reason(struct xtr_rows *r, const void *row)
{
	const struct xtr_frame_sums *s = xtr_rows_self(r);
	const struct xtr_frame_reason *of = row;
	char who[XTR_WHO_TEXT], ring[128];

	put_screen(r, s, of->stream);
	xtr_put_text(r, xtr_frame_verdict_name(of->verdict));
	xtr_put_text(r, xtr_frame_cause_name(of->cause));
	xtr_put_copy(r, of->who ? xtr_who_text(s->names, of->who, who, sizeof(who)) : NULL);
	put_who(r, s, of->who);
	xtr_put_copy(r, of->ring ? s->ring(s->ctx, of->ring, ring, sizeof(ring)) : NULL);
	return true;
}

static const struct xtr_section_table reasons =
	XTR_TABLE_OF("reasons", "what frames were late for", reason_columns,
		     XTR_ARRAY(struct xtr_frame_sums, reason, n_reasons), put_reason, XTR_SHOW_TOP);

const struct xtr_section_table *const xtr_frame_tables[] = { &screens, &reasons, NULL };

int xtr_frame_sums_text(const struct xtr_frame_sums *s, FILE *f)
{
	return xtr_tables_text(xtr_frame_tables, s, s->o, f);
}

void xtr_frame_sums_json(const struct xtr_frame_sums *s, struct xtr_json *j)
{
	xtr_tables_json(xtr_frame_tables, s, s->o, j);
}
