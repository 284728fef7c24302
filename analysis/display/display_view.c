/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of displays: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "display_impl.h"

#include <inttypes.h>
#include <string.h>

/* --- clocks ----------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct display_clock, member)
#define WHOSE                                        \
	{ NULL, "crtc", XTR_C_SIGNED, XTR_PUT },     \
	{                                            \
		NULL, "clock", XTR_C_NUMBER, XTR_PUT \
	}
static const struct xtr_section_column clock_text[] = {
	WHOSE,
	{ NULL, "vblanks", XTR_C_COUNT, AT(events) },
	{ NULL, "refresh", XTR_C_NS | XTR_C_KNOWN, AT(refresh_ns) },
	{ NULL, "Hz", XTR_C_TEXT, XTR_PUT },
	{ NULL, "jitter p50|p99|max", XTR_C_HIST, AT(deviation) },
	{ NULL, "irq after|p99|max", XTR_C_HIST, AT(irq) },
	{ NULL, "missed", XTR_C_COUNT, AT(skipped[DISPLAY_MISSED]) },
	{ NULL, "off/missed", XTR_C_COUNT, AT(skipped[DISPLAY_UNSURE]) },
	{ NULL, "idle", XTR_C_COUNT, AT(skipped[DISPLAY_IDLE]) },
};

/* "59.94" */
static void put_hz(struct xtr_rows *r, uint64_t ns)
{
	uint64_t centi = ns ? (100000000000ull + ns / 2) / ns : 0;

	if (ns)
		xtr_put_format(r, "%" PRIu64 ".%02u", centi / 100, (unsigned int)(centi % 100));
	else
		xtr_put_text(r, NULL);
}

static void fill_clocks(const void *self, struct xtr_rows *r)
{
	const struct display *d = self;

	for (uint32_t i = 0; i < d->n_crtcs; i++)
		for (uint32_t k = 0; k < d->crtc[i].n_clocks; k++) {
			const struct display_clock *c = &d->crtc[i].clock[k];

			if (!c->events)
				continue;
			xtr_put_s64(r, true, d->crtc[i].index);
			xtr_put_u64(r, true, k);
			put_hz(r, c->refresh_ns);
			xtr_row(r, c);
		}
}

static const struct xtr_section_table clocks = {
	XTR_TABLE_COLUMNS(clock_text),
	.fill = fill_clocks,
	.heading =
		"  refresh: median interval of the vblanks' own times; jitter: distance from it; "
		"irq after: event - vblank\n",
};
static const struct xtr_section_table stamped_clocks = {
	XTR_TABLE_COLUMNS(clock_text),
	.fill = fill_clocks,
	.heading =
		"  refresh: median interval of the events' time stamps; jitter: distance from it; "
		"both with the interrupt's latency, as these vblanks have no time of their own\n",
};

static const struct xtr_section_column delivery_text[] = {
	WHOSE,
	{ NULL, "delivered", XTR_C_COUNT, AT(delivered) },
	{ NULL, "after vblank|p99|max", XTR_C_HIST, AT(delivery) },
	{ NULL, "> 1 ms", XTR_C_COUNT, AT(late) },
	{ NULL, "requests", XTR_C_COUNT, AT(requested) },
	{ NULL, "late", XTR_C_COUNT, AT(frames_late) },
	{ NULL, "most late", XTR_C_TEXT, XTR_PUT },
};

static void fill_delivery(const void *self, struct xtr_rows *r)
{
	const struct display *d = self;

	for (uint32_t i = 0; i < d->n_crtcs; i++)
		for (uint32_t k = 0; k < d->crtc[i].n_clocks; k++) {
			const struct display_clock *c = &d->crtc[i].clock[k];

			if (!c->delivered && !c->requested)
				continue;
			xtr_put_s64(r, true, d->crtc[i].index);
			xtr_put_u64(r, true, k);
			if (c->frames.n)
				xtr_put_format(r, "%" PRIu64 " frames", c->frames.max);
			else
				xtr_put_text(r, NULL);
			xtr_row(r, c);
		}
}

static const struct xtr_section_table delivery = {
	XTR_TABLE_COLUMNS(delivery_text),
	.fill = fill_delivery,
	.heading =
		"  delivered, and how long after its vblank; late: a frame or more after the one "
		"that was asked for\n",
};

#define SKIPS(key, id, what)                                              \
	COUNT(key "_stretches", skips[id], "stretches of vblanks " what), \
		COUNT(key, skipped[id], "vblanks " what)
static const struct xtr_section_column clock_columns[] = {
	{ "clock", NULL, XTR_C_NUMBER, XTR_PUT, "number of the clock" },
	{ "first_ns", NULL, XTR_C_NS, AT(first_ns), "when its first event was" },
	COUNT("events", events, "vblanks"),
	COUNT("high_precision", high_prec, "of them with high precision"),
	COUNT("sequences", sequences, "of them with a new number"),
	COUNT("duplicates", duplicates, "of them with the number before"),
	COUNT("restarts", restarts, "how often numbers began anew"),
	SKIPS("missed", DISPLAY_MISSED, "without an event"),
	SKIPS("off_or_missed", DISPLAY_UNSURE, "for which the interrupt may have been off"),
	SKIPS("idle", DISPLAY_IDLE, "for which the interrupt was off"),
	SKIPS("lost", DISPLAY_LOST, "whose events were lost"),
	{ "refresh_ns", NULL, XTR_C_NS | XTR_C_KNOWN, AT(refresh_ns), "median interval" },
	HIST("interval_ns", interval, "interval of vblanks"),
	HIST("jitter_ns", deviation, "distance from the median"),
	HIST("irq_latency_ns", irq, "from vblank to event"),
	COUNT("irq_early", irq_early, "events before their vblank"),
	COUNT("irq_early_max_ns", irq_early_max_ns, "by how much at most"),
	COUNT("delivered", delivered, "events delivered"),
	HIST("delivery_ns", delivery, "from vblank to delivery"),
	COUNT("delivered_early", deliver_early, "of them before their vblank"),
	COUNT("delivered_over_1ms", late, "of them over 1 ms after it"),
	COUNT("requested", requested, "requests that were answered"),
	COUNT("frames_late", frames_late, "of them a frame or more late"),
	HIST("lateness_frames", frames, "how many frames late"),
};
#undef SKIPS
#undef AT

/* self: a CRTC. */
static void fill_crtc_clocks(const void *self, struct xtr_rows *r)
{
	const struct display_crtc *c = self;

	for (uint32_t k = 0; k < c->n_clocks; k++) {
		if (!c->clock[k].events)
			continue;
		xtr_put_u64(r, true, k);
		xtr_row(r, &c->clock[k]);
	}
}

static const struct xtr_section_table crtc_clocks =
	XTR_TABLE("clocks", "a clock of a CRTC", clock_columns, fill_crtc_clocks, XTR_SHOW_ALL);

/* --- CRTCs ------------------------------------------------------------------------------------ */

#define AT(member) XTR_AT(struct display_crtc, member)
static const struct xtr_section_column crtc_columns[] = {
	{ "crtc", "crtc", XTR_C_SIGNED, AT(index), "index of the CRTC within its device" },
	{ "several_devices", NULL, XTR_C_BOOL, XTR_PUT, "counters of several devices are in it" },
	COUNT("clock_switches", switches, "how often another clock was next"),
	SHOWN("queued", "queued", queued, "events queued"),
	SHOWN("delivered", "delivered", delivered, "events delivered"),
	SHOWN("requested", "requested", requested, "of them requested"),
	SHOWN("at_once", "at once", at_once, "whose vblank had passed then"),
	SHOWN("flips", "flips", flips, "of flips"),
	SHOWN("kernel", "kernel", kernel, "of the kernel's own"),
	SHOWN("no_vblank", "no vblank", no_vblank, "without a vblank"),
	SHOWN("untimed", "no time", untimed, "whose vblank's time is not in the trace"),
	SHOWN("unanswered", "unanswered", unanswered, "requests without an answer"),
	{ "clocks", NULL, XTR_C_ANY, XTR_PUT, "its clocks" },
};
#undef AT

static void json_clocks(const void *self, const void *row, struct xtr_json *j)
{
	xtr_table_json_value(&crtc_clocks, row, ((const struct display *)self)->o, j);
}

static bool put_crtcs(struct xtr_rows *r, const void *row)
{
	const struct display_crtc *c = row;

	if (xtr_rows_text(r) && !c->queued && !c->delivered)
		return false;
	xtr_put_u64(r, true, display_shared(c));
	xtr_put_any(r, json_clocks, c);
	return true;
}

static const struct xtr_section_table crtcs =
	XTR_TABLE_OF("crtcs", "a CRTC", crtc_columns, XTR_ARRAY(struct display, crtc, n_crtcs),
		     put_crtcs, XTR_SHOW_ALL);

/* --- drivers ---------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct display_pipe, member)
static const struct xtr_section_column pipe_columns[] = {
	{ "device", NULL, XTR_C_TEXT, AT(device), "name of the device" },
	{ NULL, "<device", XTR_C_TEXT, XTR_PUT },
	{ "pipe", "<pipe", XTR_C_TEXT, XTR_PUT, "letter of the pipe" },
	SHOWN("flips", "flips", flips, "flips"),
	SHOWN("updates", "updates", updates, "updates"),
	COUNT("updates_open", open, "of them without an end in the trace"),
	SHOWN("crossed", "into the next frame", crossed, "that ended in the next frame"),
	{ "update_ns", "p50|p99|max", XTR_C_HIST, AT(update), "how long they took" },
	{ "evade_ns", "waited|p99|max", XTR_C_HIST, AT(evade),
	  "how long they waited for a vblank" },
	SHOWN("underruns", "underruns", underruns, "underruns of its FIFO"),
};
#undef AT

static bool put_pipes(struct xtr_rows *r, const void *row)
{
	const struct display_pipe *p = row;

	if (*p->device)
		xtr_put_name(r, p->device, strlen(p->device));
	else
		xtr_put_text(r, "(not told)");
	xtr_put_format(r, "%c", p->pipe >= ' ' && p->pipe <= '~' ? (char)p->pipe : '?');
	return true;
}

static const struct xtr_section_table pipes =
	XTR_TABLE_OF("pipes", "a pipe of Intel's driver", pipe_columns,
		     XTR_ARRAY(struct display, pipe, n_pipes), put_pipes, XTR_SHOW_ALL);

static const struct xtr_section_column amdgpu_text[] = {
	{ NULL, "<amdgpu", XTR_C_TEXT, XTR_PUT },
	{ NULL, "events", XTR_C_COUNT, XTR_PUT },
	{ NULL, "p50|p99|max", XTR_C_HIST, XTR_PUT },
};

static void fill_amdgpu(const void *self, struct xtr_rows *r)
{
	const struct display *d = self;

	for (uint32_t i = 0; i < d->n_refresh; i++) {
		xtr_put_format(r, "refresh interval of CRTC %" PRId32, d->refresh[i].crtc);
		xtr_put_u64(r, true, d->refresh[i].events);
		xtr_put_hist(r, &d->refresh[i].interval);
		xtr_row(r, NULL);
	}
	if (!d->commits)
		return;
	xtr_put_text(r, "atomic commit, its tail");
	xtr_put_u64(r, true, d->commits);
	xtr_put_hist(r, &d->commit_time);
	xtr_row(r, NULL);
}

static const struct xtr_section_table amdgpu =
	XTR_TABLE_TEXT(amdgpu_text, fill_amdgpu, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct display_refresh, member)
static const struct xtr_section_column refresh_columns[] = {
	{ "crtc", NULL, XTR_C_SIGNED, AT(crtc), "index of the CRTC" },
	COUNT("events", events, "events"),
	HIST("interval_ns", interval, "refresh interval"),
};
#undef AT

static const struct xtr_section_table refresh =
	XTR_TABLE_OF("amdgpu.refresh", "a CRTC of amdgpu", refresh_columns,
		     XTR_ARRAY(struct display, refresh, n_refresh), NULL, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct display, member)
static const struct xtr_section_column commit_columns[] = {
	COUNT("commits", commits, "atomic commits"),
	HIST("commit_ns", commit_time, "of their tails"),
};

static const struct xtr_section_table commits = XTR_TABLE_SELF(
	"amdgpu.commits", "atomic commits of amdgpu", commit_columns, NULL, XTR_SHAPE_MEMBERS);

/* --- the section ------------------------------------------------------------------------------ */

static const struct xtr_section_column fact_columns[] = {
	FLAG("comparable", comparable, "vblanks' times are on the event clock"),
	FLAG("stamped", stamped, "vblanks have no time of their own"),
	COUNT("unplaced", unplaced, "events of more CRTCs or pipes than are kept apart"),
	COUNT("requests_forgotten", forgotten, "requests: too many, or events were lost"),
};
#undef AT

static const struct xtr_section_table facts =
	XTR_TABLE_SELF("facts", "all displays", fact_columns, NULL, XTR_SHAPE_MEMBERS);

const struct xtr_section_table *const display_tables[] = { &facts,   &clocks,  &delivery,
							   &crtcs,   &pipes,   &amdgpu,
							   &refresh, &commits, NULL };
static const struct xtr_section_table *const stamped_tables[] = { &stamped_clocks, &delivery,
								  &crtcs,          &pipes,
								  &amdgpu,         NULL };

int display_text(const void *self, const struct xtr_view *v)
{
	const struct display *d = self;
	int err;

	fputs("  a CRTC's number is its index within its device, which the kernel's events do not "
	      "name\n",
	      v->f);
	for (uint32_t i = 0; i < d->n_crtcs; i++)
		if (display_shared(&d->crtc[i]))
			fprintf(v->f,
				"  CRTC %" PRId32
				": counters (clocks) of several devices go on side "
				"by side\n",
				d->crtc[i].index);
	if (!d->o->times)
		fputs("  times: not known, the trace has none\n", v->f);
	else if (d->stamped)
		fputs("  times after a vblank: not known, these vblanks have no time of their own\n",
		      v->f);
	else if (!d->comparable)
		fputs("  times after a vblank: not known, the trace has another clock\n", v->f);
	err = xtr_tables_text(d->stamped ? stamped_tables : display_tables, d, d->o, v->f);
	if (d->unplaced)
		fprintf(v->f, "  events of more CRTCs or pipes than are kept apart: %" PRIu64 "\n",
			d->unplaced);
	return err;
}

void display_json(const void *self, struct xtr_json *j)
{
	static const struct xtr_section_table *const first[] = { &facts, &crtcs, &pipes, NULL };
	static const struct xtr_section_table *const then[] = { &refresh, &commits, NULL };
	const struct display *d = self;

	xtr_json_begin_object(j);
	xtr_tables_json(first, d, d->o, j);
	xtr_json_kv_object(j, "amdgpu");
	xtr_tables_json(then, d, d->o, j);
	xtr_json_end_object(j);
	xtr_json_end_object(j);
}
