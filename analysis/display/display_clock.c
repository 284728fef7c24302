/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which clock a vblank event belongs to, its interval to the one before, and the sequence numbers
 * in between (docs/display.md). Times are the events' own (drm_vblank.c: the time of the vblank,
 * CLOCK_MONOTONIC), not those of the interrupts. Linux 4 tells none: then it is the
 * event's time stamp, which is late by as long as the interrupt was.
 */
#include "display_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct display_crtc *display_crtc(struct display *d, int32_t index)
{
	for (uint32_t i = 0; i < d->n_crtcs; i++)
		if (d->crtc[i].index == index)
			return &d->crtc[i];
	if (d->n_crtcs == DISPLAY_CRTCS_MAX) {
		d->unplaced++;
		return NULL;
	}
	d->crtc[d->n_crtcs] = (struct display_crtc){ .index = index };
	return &d->crtc[d->n_crtcs++];
}

struct display_clock *display_clock_at(struct display_crtc *c, uint32_t seq)
{
	struct display_clock *best = NULL;

	for (uint32_t i = 0; i < c->n_clocks; i++)
		if (c->clock[i].seq == seq && (!best || c->clock[i].used > best->used))
			best = &c->clock[i];
	return best;
}

/* --- which clock ------------------------------------------------------------------------------ */

/* How well an event goes on from a clock; the least is the best. */
#define FIT_NONE  UINT64_MAX
#define FIT_NEW   (1ull << 32) /* the clock has no interval yet: the one used longest ago */
#define FIT_LOOSE (1ull << 62) /* another interval than the last one */

/* By time stamps: so near to one whose interrupt was late that it seems too near. */
static bool after_late(const struct display_clock *k, const struct display_vblank *v, uint32_t step)
{
	return v->stamped && step == 1 && k->fit_ns && v->time - k->time < DISPLAY_PERIOD_MIN_NS;
}

static uint64_t fit(const struct display_clock *k, const struct display_vblank *v)
{
	uint32_t step = v->seq - k->seq;
	uint64_t ns, off;

	if (!step && v->time == k->time)
		return 0;
	if (!step || step >> 31 || v->time <= k->time)
		return FIT_NONE;
	ns = (v->time - k->time) / step;
	if (after_late(k, v, step))
		return FIT_LOOSE + step;
	if (ns < DISPLAY_PERIOD_MIN_NS || ns > DISPLAY_PERIOD_MAX_NS)
		return FIT_NONE;
	if (!k->fit_ns)
		return FIT_NEW + k->used;
	off = (ns > k->fit_ns ? ns - k->fit_ns : k->fit_ns - ns) * 1000 / k->fit_ns;
	return off <= DISPLAY_FIT_PERMILLE ? off : FIT_LOOSE + step;
}

/* A clock of its own; what the others took for their interval was a step between two clocks. */
static struct display_clock *new_clock(struct display_crtc *c)
{
	struct display_clock *k = &c->clock[0];

	for (uint32_t i = 0; i < c->n_clocks; i++)
		c->clock[i].fit_ns = 0;
	if (c->n_clocks < DISPLAY_CLOCKS_MAX)
		return &c->clock[c->n_clocks++];
	for (uint32_t i = 1; i < c->n_clocks; i++)
		if (c->clock[i].used < k->used)
			k = &c->clock[i];
	k->restarts++;
	return k;
}

/* *begins: nothing goes before it. */
static struct display_clock *find_clock(struct display_crtc *c, const struct display_vblank *v,
					bool *begins)
{
	struct display_clock *k = NULL;
	uint64_t best = FIT_NONE, one;
	uint32_t i;

	for (i = 0; i < c->n_clocks; i++) {
		one = fit(&c->clock[i], v);
		if (one < best) {
			best = one;
			k = &c->clock[i];
		}
	}
	*begins = !k;
	if (!k)
		k = new_clock(c);
	i = (uint32_t)(k - c->clock);
	if (c->n_clocks > 1 && !*begins && i != c->last)
		c->switches++;
	c->last = i;
	k->used = ++c->used;
	return k;
}

/* --- what it tells ---------------------------------------------------------------------------- */

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The refresh interval is the median of the first ones; from it each deviates. */
static int set_refresh(struct display_clock *k)
{
	int err = 0;

	if (!k->n_ref)
		return 0;
	qsort(k->ref, k->n_ref, sizeof(*k->ref), by_value);
	k->refresh_ns = k->ref[(k->n_ref - 1) / 2];
	for (uint32_t i = 0; i < k->n_ref && !err; i++)
		err = xtr_hist_add(&k->deviation, distance(k->ref[i], k->refresh_ns));
	free(k->ref);
	k->ref = NULL;
	k->n_ref = 0;
	return err;
}

static int add_interval(struct display_clock *k, uint64_t ns, uint32_t step)
{
	int err = xtr_hist_add(&k->interval, ns);

	if (err || step != 1)
		return err;
	if (k->refresh_ns)
		return xtr_hist_add(&k->deviation, distance(ns, k->refresh_ns));
	if (!k->ref)
		k->ref = malloc(DISPLAY_REF_MAX * sizeof(*k->ref));
	if (!k->ref)
		return -ENOMEM;
	k->ref[k->n_ref++] = ns;
	return k->n_ref == DISPLAY_REF_MAX ? set_refresh(k) : 0;
}

static void skip(struct display_clock *k, enum display_skip why, uint32_t n)
{
	if (!n)
		return;
	k->skips[why]++;
	k->skipped[why] += n;
}

/*
 * Of the step - 1 vblanks between, those that came when the interrupt was surely on were missed. An
 * eighth of an interval is allowed for the interrupt that comes before its vblank's time.
 */
static void add_skipped(const struct display *d, const struct display_crtc *c,
			struct display_clock *k, const struct display_vblank *v, uint64_t ns,
			uint32_t step)
{
	uint64_t on = display_on_since(d, c, v), since;
	uint32_t missed = 0, between = step - 1;

	if (!between)
		return;
	if (xtr_gaps_overlap(&d->gaps, k->ts, v->ts)) {
		skip(k, DISPLAY_LOST, between);
		return;
	}
	on += ns / 8;
	if (on > ns / 8 && v->time > on) {
		since = (v->time - on) / ns;
		missed = since < between ? (uint32_t)since : between;
	}
	if (missed && k->skips[DISPLAY_MISSED] < XTR_FINDING_EVENTS_MAX + 1)
		k->missed_ns[k->skips[DISPLAY_MISSED]] = v->ts;
	skip(k, DISPLAY_MISSED, missed);
	skip(k, v->time - k->time > DISPLAY_IDLE_NS ? DISPLAY_IDLE : DISPLAY_UNSURE,
	     between - missed);
}

static int add_irq(const struct display *d, struct display_clock *k, const struct display_vblank *v)
{
	if (!d->comparable)
		return 0;
	if (v->time > v->ts) {
		k->irq_early++;
		if (v->time - v->ts > k->irq_early_max_ns)
			k->irq_early_max_ns = v->time - v->ts;
	}
	return xtr_hist_add(&k->irq, v->ts > v->time ? v->ts - v->time : 0);
}

static int goes_on(const struct display *d, const struct display_crtc *c, struct display_clock *k,
		   const struct display_vblank *v)
{
	uint32_t step = v->seq - k->seq;
	uint64_t ns;

	if (!step) {
		k->duplicates++;
		return 0;
	}
	ns = (v->time - k->time) / step;
	if (ns >= DISPLAY_PERIOD_MIN_NS)
		k->fit_ns = ns;
	if (!v->inside || !d->o->times)
		return 0;
	k->sequences += step;
	add_skipped(d, c, k, v, ns, step);
	return add_interval(k, ns, step);
}

struct display_clock *display_vblank(struct display *d, struct display_crtc *c,
				     const struct display_vblank *v)
{
	bool begins;
	struct display_clock *k = find_clock(c, v, &begins);

	if (!begins && goes_on(d, c, k, v))
		return NULL;
	k->seq = v->seq;
	k->time = v->time;
	k->ts = v->ts;
	if (!v->inside)
		return k;
	if (!k->events++)
		k->first_ns = v->ts;
	k->high_prec += v->high_prec;
	return add_irq(d, k, v) ? NULL : k;
}

int display_clock_finish(struct display_clock *k)
{
	return set_refresh(k);
}

void display_clock_free(struct display_clock *k)
{
	free(k->ref);
	xtr_hist_free(&k->interval);
	xtr_hist_free(&k->deviation);
	xtr_hist_free(&k->irq);
	xtr_hist_free(&k->delivery);
	xtr_hist_free(&k->frames);
}
