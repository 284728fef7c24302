/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `display` as text and as JSON. */
#include "display_impl.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <string.h>

static void cells_crtc(struct xtr_grid *t, const struct display_crtc *c, int clock)
{
	char buf[XTR_TEXT_NUMBER];

	snprintf(buf, sizeof(buf), "%" PRId32, c->index);
	xtr_grid_cell(t, buf);
	if (clock < 0)
		return;
	snprintf(buf, sizeof(buf), "%d", clock);
	xtr_grid_cell(t, buf);
}

/* "59.94" */
static void cell_hz(struct xtr_grid *t, uint64_t ns)
{
	char buf[XTR_TEXT_NUMBER];
	uint64_t centi = ns ? (100000000000ull + ns / 2) / ns : 0;

	snprintf(buf, sizeof(buf), "%" PRIu64 ".%02u", centi / 100, (unsigned int)(centi % 100));
	xtr_grid_cell(t, ns ? buf : "-");
}

static int text_clocks(const struct display *d, FILE *f)
{
	static const char *const columns[] = { "crtc",       "clock",      "vblanks", "refresh",
					       "Hz",         "jitter p50", "p99",     "max",
					       "irq after",  "p99",        "max",     "missed",
					       "off/missed", "idle",       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i, k, rows = 0;

	for (i = 0; i < d->n_crtcs; i++)
		for (k = 0; k < d->crtc[i].n_clocks; k++) {
			const struct display_clock *c = &d->crtc[i].clock[k];

			if (!c->events)
				continue;
			rows++;
			cells_crtc(t, &d->crtc[i], (int)k);
			xtr_grid_count(t, c->events);
			xtr_grid_ns(t, c->refresh_ns, c->refresh_ns);
			cell_hz(t, c->refresh_ns);
			xtr_grid_times(t, &c->deviation);
			xtr_grid_times(t, &c->irq);
			xtr_grid_count(t, c->skipped[DISPLAY_MISSED]);
			xtr_grid_count(t, c->skipped[DISPLAY_UNSURE]);
			xtr_grid_count(t, c->skipped[DISPLAY_IDLE]);
		}
	if (rows)
		fputs(d->stamped
			      ? "  refresh: median interval of the events' time stamps; jitter: distance "
				"from it; both with the interrupt's latency, as these vblanks have no time "
				"of their own\n"
			      : "  refresh: median interval of the vblanks' own times; jitter: distance "
				"from it; irq after: event - vblank\n",
		      f);
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

static int text_delivery(const struct display *d, FILE *f)
{
	static const char *const columns[] = { "crtc", "clock",     "delivered", "after vblank",
					       "p99",  "max",       "> 1 ms",    "requests",
					       "late", "most late", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i, k, rows = 0;

	for (i = 0; i < d->n_crtcs; i++)
		for (k = 0; k < d->crtc[i].n_clocks; k++) {
			const struct display_clock *c = &d->crtc[i].clock[k];
			char buf[XTR_TEXT_NUMBER];

			if (!c->delivered && !c->requested)
				continue;
			rows++;
			cells_crtc(t, &d->crtc[i], (int)k);
			xtr_grid_count(t, c->delivered);
			xtr_grid_times(t, &c->delivery);
			xtr_grid_count(t, c->late);
			xtr_grid_count(t, c->requested);
			xtr_grid_count(t, c->frames_late);
			snprintf(buf, sizeof(buf), "%" PRIu64 " frames", c->frames.max);
			xtr_grid_cell(t, c->frames.n ? buf : "-");
		}
	if (rows)
		fputs("  delivered, and how long after its vblank; late: a frame or more after the "
		      "one that was asked for\n",
		      f);
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

static int text_crtcs(const struct display *d, FILE *f)
{
	static const char *const columns[] = { "crtc",    "queued",     "delivered", "requested",
					       "at once", "flips",      "kernel",    "no vblank",
					       "no time", "unanswered", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i, rows = 0;

	for (i = 0; i < d->n_crtcs; i++) {
		const struct display_crtc *c = &d->crtc[i];

		if (!c->queued && !c->delivered)
			continue;
		rows++;
		cells_crtc(t, c, -1);
		xtr_grid_count(t, c->queued);
		xtr_grid_count(t, c->delivered);
		xtr_grid_count(t, c->requested);
		xtr_grid_count(t, c->at_once);
		xtr_grid_count(t, c->flips);
		xtr_grid_count(t, c->kernel);
		xtr_grid_count(t, c->no_vblank);
		xtr_grid_count(t, c->untimed);
		xtr_grid_count(t, c->unanswered);
	}
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

static int text_pipes(const struct display *d, FILE *f)
{
	static const char *const columns[] = {
		"<device", "<pipe",  "flips", "updates", "into the next frame", "p50", "p99",
		"max",     "waited", "p99",   "max",     "underruns",           NULL
	};
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NAME];
	uint32_t i;

	for (i = 0; i < d->n_pipes; i++) {
		const struct display_pipe *p = &d->pipe[i];
		char letter = (char)p->pipe;

		xtr_grid_cell(t, *p->device ? xtr_text_name(buf, sizeof(buf), p->device,
							    strlen(p->device))
					    : "(not told)");
		xtr_grid_cell(t, xtr_text_name(buf, sizeof(buf), &letter, 1));
		xtr_grid_count(t, p->flips);
		xtr_grid_count(t, p->updates);
		xtr_grid_count(t, p->crossed);
		xtr_grid_times(t, &p->update);
		xtr_grid_times(t, &p->evade);
		xtr_grid_count(t, p->underruns);
	}
	return xtr_grid_print(t, d->n_pipes ? f : NULL, 2);
}

static int text_amdgpu(const struct display *d, FILE *f)
{
	static const char *const columns[] = { "<amdgpu", "events", "p50", "p99", "max", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NAME];
	uint32_t i;

	for (i = 0; i < d->n_refresh; i++) {
		snprintf(buf, sizeof(buf), "refresh interval of CRTC %" PRId32, d->refresh[i].crtc);
		xtr_grid_cell(t, buf);
		xtr_grid_count(t, d->refresh[i].events);
		xtr_grid_times(t, &d->refresh[i].interval);
	}
	if (d->commits) {
		xtr_grid_cell(t, "atomic commit, its tail");
		xtr_grid_count(t, d->commits);
		xtr_grid_times(t, &d->commit_time);
	}
	return xtr_grid_print(t, d->n_refresh || d->commits ? f : NULL, 2);
}

int display_text(const void *self, const struct xtr_view *v)
{
	const struct display *d = self;
	uint32_t i;
	int ret;

	fputs("  a CRTC's number is its index within its device, which the kernel's events do not "
	      "name\n",
	      v->f);
	for (i = 0; i < d->n_crtcs; i++)
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
	ret = text_clocks(d, v->f);
	if (!ret)
		ret = text_delivery(d, v->f);
	if (!ret)
		ret = text_crtcs(d, v->f);
	if (!ret)
		ret = text_pipes(d, v->f);
	if (!ret)
		ret = text_amdgpu(d, v->f);
	if (d->unplaced)
		fprintf(v->f, "  events of more CRTCs or pipes than are kept apart: %" PRIu64 "\n",
			d->unplaced);
	return ret;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_clock(const struct display_clock *k, uint32_t no, struct xtr_json *j)
{
	static const char *const names[DISPLAY_SKIPS][2] = {
		[DISPLAY_MISSED] = { "missed_stretches", "missed" },
		[DISPLAY_UNSURE] = { "off_or_missed_stretches", "off_or_missed" },
		[DISPLAY_IDLE] = { "idle_stretches", "idle" },
		[DISPLAY_LOST] = { "lost_stretches", "lost" },
	};
	unsigned int i;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "clock", no);
	xtr_json_kv_u64(j, "first_ns", k->first_ns);
	xtr_json_kv_u64(j, "events", k->events);
	xtr_json_kv_u64(j, "high_precision", k->high_prec);
	xtr_json_kv_u64(j, "sequences", k->sequences);
	xtr_json_kv_u64(j, "duplicates", k->duplicates);
	xtr_json_kv_u64(j, "restarts", k->restarts);
	for (i = 0; i < DISPLAY_SKIPS; i++) {
		xtr_json_kv_u64(j, names[i][0], k->skips[i]);
		xtr_json_kv_u64(j, names[i][1], k->skipped[i]);
	}
	xtr_json_kv_known(j, "refresh_ns", k->refresh_ns);
	xtr_view_json_hist(j, "interval_ns", &k->interval, false);
	xtr_view_json_hist(j, "jitter_ns", &k->deviation, false);
	xtr_view_json_hist(j, "irq_latency_ns", &k->irq, false);
	xtr_json_kv_u64(j, "irq_early", k->irq_early);
	xtr_json_kv_u64(j, "irq_early_max_ns", k->irq_early_max_ns);
	xtr_json_kv_u64(j, "delivered", k->delivered);
	xtr_view_json_hist(j, "delivery_ns", &k->delivery, false);
	xtr_json_kv_u64(j, "delivered_early", k->deliver_early);
	xtr_json_kv_u64(j, "delivered_over_1ms", k->late);
	xtr_json_kv_u64(j, "requested", k->requested);
	xtr_json_kv_u64(j, "frames_late", k->frames_late);
	xtr_view_json_hist(j, "lateness_frames", &k->frames, false);
	xtr_json_end_object(j);
}

static void json_crtc(const struct display_crtc *c, struct xtr_json *j)
{
	uint32_t k;

	xtr_json_begin_object(j);
	xtr_json_kv_s64(j, "crtc", c->index);
	xtr_json_kv_bool(j, "several_devices", display_shared(c));
	xtr_json_kv_u64(j, "clock_switches", c->switches);
	xtr_json_kv_u64(j, "queued", c->queued);
	xtr_json_kv_u64(j, "delivered", c->delivered);
	xtr_json_kv_u64(j, "requested", c->requested);
	xtr_json_kv_u64(j, "at_once", c->at_once);
	xtr_json_kv_u64(j, "flips", c->flips);
	xtr_json_kv_u64(j, "kernel", c->kernel);
	xtr_json_kv_u64(j, "no_vblank", c->no_vblank);
	xtr_json_kv_u64(j, "untimed", c->untimed);
	xtr_json_kv_u64(j, "unanswered", c->unanswered);
	xtr_json_kv_array(j, "clocks");
	for (k = 0; k < c->n_clocks; k++)
		if (c->clock[k].events)
			json_clock(&c->clock[k], k, j);
	xtr_json_end_array(j);
	xtr_json_end_object(j);
}

static void json_pipe(const struct display_pipe *p, struct xtr_json *j)
{
	char letter = (char)p->pipe;

	xtr_json_begin_object(j);
	xtr_json_key(j, "device");
	xtr_json_strn(j, *p->device ? p->device : NULL, strlen(p->device));
	xtr_json_key(j, "pipe");
	xtr_json_strn(j, &letter, 1);
	xtr_json_kv_u64(j, "flips", p->flips);
	xtr_json_kv_u64(j, "updates", p->updates);
	xtr_json_kv_u64(j, "updates_open", p->open);
	xtr_json_kv_u64(j, "crossed", p->crossed);
	xtr_view_json_hist(j, "update_ns", &p->update, false);
	xtr_view_json_hist(j, "evade_ns", &p->evade, false);
	xtr_json_kv_u64(j, "underruns", p->underruns);
	xtr_json_end_object(j);
}

static void json_amdgpu(const struct display *d, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_object(j, "amdgpu");
	xtr_json_kv_array(j, "refresh");
	for (i = 0; i < d->n_refresh; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_s64(j, "crtc", d->refresh[i].crtc);
		xtr_json_kv_u64(j, "events", d->refresh[i].events);
		xtr_view_json_hist(j, "interval_ns", &d->refresh[i].interval, false);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "commits", d->commits);
	xtr_view_json_hist(j, "commit_ns", &d->commit_time, false);
	xtr_json_end_object(j);
}

void display_json(const void *self, struct xtr_json *j)
{
	const struct display *d = self;
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "comparable", d->comparable);
	xtr_json_kv_bool(j, "stamped", d->stamped);
	xtr_json_kv_u64(j, "unplaced", d->unplaced);
	xtr_json_kv_u64(j, "requests_forgotten", d->forgotten);
	xtr_json_kv_array(j, "crtcs");
	for (i = 0; i < d->n_crtcs; i++)
		json_crtc(&d->crtc[i], j);
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "pipes");
	for (i = 0; i < d->n_pipes; i++)
		json_pipe(&d->pipe[i], j);
	xtr_json_end_array(j);
	json_amdgpu(d, j);
	xtr_json_end_object(j);
}
