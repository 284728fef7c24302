/* SPDX-License-Identifier: BSD-2-Clause */
/* What of displays is worth a look, and the limits (display_impl.h). */
#include "display_impl.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

static bool over_permille(uint64_t part, uint64_t whole, unsigned int limit)
{
	return (__uint128_t)part * 1000 > (__uint128_t)whole * limit;
}

/* The first of the times, and those that follow. */
static void set_events(struct xtr_finding *f, const uint64_t *ns, uint64_t n)
{
	f->at_ns = ns[0];
	for (uint32_t i = 0; i + 1 < n && i < XTR_FINDING_EVENTS_MAX; i++)
		f->event_ns[f->n_events++] = ns[i + 1];
}

static int missed(const struct display *d, const struct display_crtc *c,
		  const struct display_clock *k, uint32_t no)
{
	uint64_t n = k->skipped[DISPLAY_MISSED];
	struct xtr_finding f = {
		.id = "missed-vblanks",
		.notable = true,
		.evidence = { { "crtc", (uint32_t)c->index },
			      { "clock", no },
			      { "missed", n },
			      { "stretches", k->skips[DISPLAY_MISSED] },
			      { "events", k->events },
			      { "refresh_ns", k->refresh_ns },
			      { "limit_permille", DISPLAY_MISSED_PERMILLE } },
		.n_evidence = 7,
	};
	char m[XTR_TEXT_NUMBER], e[XTR_TEXT_NUMBER];

	if (!over_permille(n, n + k->events, DISPLAY_MISSED_PERMILLE))
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "CRTC %" PRId32 ": %s %s had no event although a request was waiting; %s had one",
		 c->index, xtr_text_count(m, n), n == 1 ? "vblank" : "vblanks",
		 xtr_text_count(e, k->events));
	set_events(&f, k->missed_ns, k->skips[DISPLAY_MISSED]);
	return xtr_findings_add(d->o->findings, &f);
}

static int late(const struct display *d, const struct display_crtc *c,
		const struct display_clock *k, uint32_t no)
{
	struct xtr_finding f = {
		.id = "late-delivery",
		.notable = true,
		.evidence = { { "crtc", (uint32_t)c->index },
			      { "clock", no },
			      { "late", k->late },
			      { "delivered", k->delivered },
			      { "p50_ns", xtr_hist_quantile(&k->delivery, 500) },
			      { "max_ns", k->delivery.max },
			      { "limit_ns", DISPLAY_LATE_NS },
			      { "limit_permille", DISPLAY_LATE_PERMILLE } },
		.n_evidence = 8,
	};
	char n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER], max[XTR_TEXT_NUMBER];

	if (!over_permille(k->late, k->delivered, DISPLAY_LATE_PERMILLE))
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "CRTC %" PRId32
		 ": %s of %s vblank events were delivered late, the slowest after %s",
		 c->index, xtr_text_count(n, k->late), xtr_text_count(of, k->delivered),
		 xtr_text_ns(max, k->delivery.max));
	set_events(&f, k->late_ns, k->late);
	return xtr_findings_add(d->o->findings, &f);
}

static int shared(const struct display *d, const struct display_crtc *c)
{
	struct xtr_finding f = {
		.id = "shared-crtc-index",
		.evidence = { { "crtc", (uint32_t)c->index },
			      { "clocks", c->n_clocks },
			      { "switches", c->switches },
			      { "limit", DISPLAY_SHARED_MIN } },
		.n_evidence = 4,
	};

	if (!display_shared(c))
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "CRTC index %" PRId32 " is shared by several devices: %" PRIu32
		 " vblank counters run side by side",
		 c->index, c->n_clocks);
	return xtr_findings_add(d->o->findings, &f);
}

static int pipe_findings(const struct display *d, const struct display_pipe *p)
{
	struct xtr_finding f = {
		.id = "missed-evasion",
		.notable = true,
		.at_ns = p->crossed_ns,
		.evidence = { { "pipe", p->pipe },
			      { "crossed", p->crossed },
			      { "updates", p->updates },
			      { "limit", 0 } },
		.n_evidence = 4,
	};
	char n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER], dev[XTR_TEXT_NAME];
	int err = 0;

	xtr_text_name(dev, sizeof(dev), p->device, __builtin_strlen(p->device));
	if (p->crossed) {
		snprintf(f.text, sizeof(f.text),
			 "%s%spipe %c: %s of %s updates ran into the next frame", dev,
			 *dev ? " " : "", p->pipe >= ' ' && p->pipe < 127 ? (char)p->pipe : '?',
			 xtr_text_count(n, p->crossed), xtr_text_count(of, p->updates));
		err = xtr_findings_add(d->o->findings, &f);
	}
	if (err || !p->underruns)
		return err;
	f = (struct xtr_finding){
		.id = "display-underrun",
		.notable = true,
		.fault = true,
		.at_ns = p->underrun_ns,
		.evidence = { { "pipe", p->pipe }, { "underruns", p->underruns }, { "limit", 0 } },
		.n_evidence = 3
	};
	snprintf(f.text, sizeof(f.text), "%s%spipe %c: %s FIFO %s", dev, *dev ? " " : "",
		 p->pipe >= ' ' && p->pipe < 127 ? (char)p->pipe : '?',
		 xtr_text_count(n, p->underruns), p->underruns == 1 ? "underrun" : "underruns");
	return xtr_findings_add(d->o->findings, &f);
}

int display_findings(const struct display *d)
{
	int err = 0;

	for (uint32_t i = 0; i < d->n_crtcs && !err; i++) {
		const struct display_crtc *c = &d->crtc[i];

		err = shared(d, c);
		for (uint32_t k = 0; k < c->n_clocks && !err; k++) {
			err = missed(d, c, &c->clock[k], k);
			if (!err)
				err = late(d, c, &c->clock[k], k);
		}
	}
	for (uint32_t i = 0; i < d->n_pipes && !err; i++)
		err = pipe_findings(d, &d->pipe[i]);
	return err;
}
