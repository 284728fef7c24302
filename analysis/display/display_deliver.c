/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests for vblank events and their answers. In the vblank interrupt the answers go out first
 * and drm_vblank_event follows (drm_vblank.c, drm_handle_vblank), so an answer is kept until the
 * event of its vblank tells when that was.
 */
#include "display_impl.h"

#include <string.h>

/* 32 bits of a counter that wraps: how far b is behind a; negative: before it. */
static int32_t seq_diff(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

void display_queued(struct display *d, struct display_crtc *c, const struct display_request *r,
		    bool inside)
{
	c->queued += inside;
	if (d->n_requests == DISPLAY_REQUESTS_MAX) {
		memmove(d->request, d->request + 1, --d->n_requests * sizeof(*d->request));
		d->forgotten++;
	}
	d->request[d->n_requests++] = *r;
}

/* The oldest request of this file on this CRTC that is due. */
static bool take_request(struct display *d, struct display_pending *p)
{
	for (uint32_t i = 0; i < d->n_requests; i++) {
		const struct display_request *r = &d->request[i];

		if (r->file != p->file || r->crtc != p->crtc || seq_diff(p->seq, r->seq) < 0)
			continue;
		p->request_ts = r->ts;
		p->request_seq = r->seq;
		d->n_requests--;
		memmove(d->request + i, d->request + i + 1,
			(d->n_requests - i) * sizeof(*d->request));
		return true;
	}
	return false;
}

uint64_t display_on_since(const struct display *d, const struct display_crtc *c,
			  const struct display_vblank *v)
{
	uint64_t since = 0;

	for (uint32_t i = 0; i < d->n_requests; i++)
		if (d->request[i].crtc == c->index && (!since || d->request[i].ts < since))
			since = d->request[i].ts;
	for (uint32_t i = 0; i < d->n_pending; i++) {
		const struct display_pending *p = &d->pending[i];

		if (p->crtc == c->index && p->seq == v->seq && p->request_ts &&
		    (!since || p->request_ts < since))
			since = p->request_ts;
	}
	return since;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void count_kind(struct display_crtc *c, const struct display_pending *p, bool vblank)
{
	c->delivered++;
	if (!p->file)
		c->kernel++;
	else if (!p->seq && !vblank)
		c->no_vblank++;
	else if (p->request_ts)
		c->requested++;
	else
		c->flips++;
}

/* The vblank that it tells of was at `time`. */
static int settle(struct display *d, struct display_crtc *c, struct display_clock *k,
		  const struct display_pending *p, uint64_t time)
{
	uint64_t ns = p->ts > time ? p->ts - time : 0;
	int32_t frames = seq_diff(p->seq, p->request_seq);
	int err = 0;

	if (!p->inside)
		return 0;
	count_kind(c, p, true);
	if (p->request_ts) {
		k->requested++;
		k->frames_late += frames > 0;
		err = xtr_hist_add(&k->frames, (uint64_t)frames);
	}
	if (err || !d->comparable)
		return err;
	k->delivered++;
	k->deliver_early += p->ts < time;
	if (ns > DISPLAY_LATE_NS) {
		if (k->late < XTR_FINDING_EVENTS_MAX + 1)
			k->late_ns[k->late] = p->ts;
		k->late++;
	}
	return xtr_hist_add(&k->delivery, ns);
}

/* The time of its vblank is not known, and will not be. */
static void drop(struct display *d, uint32_t i)
{
	const struct display_pending p = d->pending[i];
	struct display_crtc *c = display_crtc(d, p.crtc);

	d->n_pending--;
	memmove(d->pending + i, d->pending + i + 1, (d->n_pending - i) * sizeof(*d->pending));
	if (!p.inside || !c)
		return;
	count_kind(c, &p, false);
	c->untimed += p.seq || !p.file;
}

/*
 * Its vblank's event may be there already: an answer given at once to a request for a vblank that
 * had passed, or a flip that completed in another interrupt.
 */
int display_delivered(struct display *d, struct display_crtc *c, struct display_pending p)
{
	struct display_clock *k = display_clock_at(c, p.seq);

	if (p.file)
		take_request(d, &p);
	if (k && p.request_ts > k->ts) {
		if (p.inside)
			count_kind(c, &p, true);
		c->at_once += p.inside;
		return 0;
	}
	if (k)
		return settle(d, c, k, &p, k->time);
	if (d->n_pending == DISPLAY_PENDING_MAX)
		drop(d, 0);
	d->pending[d->n_pending++] = p;
	return 0;
}

/*
 * Requests that were due at this vblank and are still there get no answer: their file was closed.
 * Of two devices on one index each has requests far from the other's counter.
 */
static void abandon(struct display *d, struct display_crtc *c, uint32_t seq)
{
	uint32_t kept = 0;
	int32_t due;

	for (uint32_t i = 0; i < d->n_requests; i++) {
		due = seq_diff(seq, d->request[i].seq);
		if (d->request[i].crtc == c->index && due >= 0 && due < DISPLAY_DUE_MAX)
			c->unanswered++;
		else
			d->request[kept++] = d->request[i];
	}
	d->n_requests = kept;
}

void display_deliver_gap(struct display *d)
{
	d->forgotten += d->n_requests;
	d->n_requests = 0;
}

int display_deliver_at(struct display *d, struct display_crtc *c, struct display_clock *k,
		       const struct display_vblank *v)
{
	uint32_t i = 0;
	int err = 0;

	while (i < d->n_pending && !err) {
		const struct display_pending p = d->pending[i];

		if (p.crtc == c->index && p.seq == v->seq) {
			d->n_pending--;
			memmove(d->pending + i, d->pending + i + 1,
				(d->n_pending - i) * sizeof(*d->pending));
			err = settle(d, c, k, &p, v->time);
		} else if (v->ts > p.ts && v->ts - p.ts > DISPLAY_PENDING_NS) {
			drop(d, i);
		} else {
			i++;
		}
	}
	abandon(d, c, v->seq);
	return err;
}

void display_deliver_finish(struct display *d)
{
	while (d->n_pending)
		drop(d, 0);
}
