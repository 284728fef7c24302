/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What drivers tell of their displays: Intel's updates of a pipe, which must not be going on when
 * its vblank comes (intel_pipe_update_start waits for a vblank that is too near), its flips and
 * underruns; amdgpu's commits and refresh intervals.
 */
#include "display_impl.h"

#include <string.h>

/* Fields of the Intel events, in the order of display.c's table. */
enum {
	PIPE_DEVICE,
	PIPE_NAME, /* a letter since 6.1x, else: */
	PIPE_NUMBER,
	PIPE_FRAME
};

static uint32_t pipe_letter(const struct display *d, const struct xtr_bind *b,
			    const struct xtr_event *ev)
{
	size_t n;
	const char *s = xtr_bind_text(b, PIPE_NAME, ev, d->o->tables, &n);

	if (s && n)
		return (uint8_t)s[0];
	if (xtr_bind_has(b, PIPE_NAME))
		return (uint32_t)xtr_bind_u64(b, PIPE_NAME, ev);
	return 'A' + (uint32_t)xtr_bind_u64(b, PIPE_NUMBER, ev);
}

static struct display_pipe *pipe_of(struct display *d, const struct xtr_bind *b,
				    const struct xtr_event *ev)
{
	uint32_t i, letter = pipe_letter(d, b, ev);
	char device[sizeof(d->pipe->device)] = "";
	struct display_pipe *p;
	size_t n;
	const char *s = xtr_bind_text(b, PIPE_DEVICE, ev, d->o->tables, &n);

	if (s)
		memcpy(device, s, n < sizeof(device) - 1 ? n : sizeof(device) - 1);
	for (i = 0; i < d->n_pipes; i++)
		if (d->pipe[i].pipe == letter && !strcmp(d->pipe[i].device, device))
			return &d->pipe[i];
	if (d->n_pipes == DISPLAY_PIPES_MAX) {
		d->unplaced++;
		return NULL;
	}
	p = &d->pipe[d->n_pipes++];
	*p = (struct display_pipe){ .pipe = letter };
	memcpy(p->device, device, sizeof(device));
	return p;
}

static int update_ends(const struct display *d, struct display_pipe *p, const struct xtr_bind *b,
		       const struct xtr_event *ev)
{
	bool begun = p->start_ns && p->start_tid == ev->tid;
	uint64_t ns = ev->ts - p->start_ns;

	if (!begun) {
		p->open++;
		return 0;
	}
	p->start_ns = 0;
	p->updates++;
	if ((uint32_t)xtr_bind_u64(b, PIPE_FRAME, ev) != p->start_frame && !p->crossed++)
		p->crossed_ns = ev->ts;
	return d->o->times ? xtr_hist_add(&p->update, ns) : 0;
}

static int pipe_event(struct display *d, struct display_pipe *p, const struct xtr_bind *b,
		      const struct xtr_event *ev)
{
	switch (b->role) {
	case DISPLAY_UPDATE_START:
		p->open += p->start_ns != 0;
		p->start_ns = ev->ts;
		p->start_tid = ev->tid;
		/* The frame is told again when the wait for a vblank is over. */
		p->start_frame = (uint32_t)xtr_bind_u64(b, PIPE_FRAME, ev);
		return 0;
	case DISPLAY_UPDATE_EVADED:
		if (!p->start_ns || p->start_tid != ev->tid)
			return 0;
		p->start_frame = (uint32_t)xtr_bind_u64(b, PIPE_FRAME, ev);
		return d->o->times ? xtr_hist_add(&p->evade, ev->ts - p->start_ns) : 0;
	case DISPLAY_UPDATE_END:
		return update_ends(d, p, b, ev);
	case DISPLAY_FLIP_DONE:
		p->flips++;
		return 0;
	default:
		if (!p->underruns++)
			p->underrun_ns = ev->ts;
		return 0;
	}
}

static int refresh(struct display *d, const struct xtr_bind *b, const struct xtr_event *ev)
{
	int32_t crtc = (int32_t)xtr_bind_s64(b, 0, ev);
	struct display_refresh *r;
	uint32_t i;

	for (i = 0; i < d->n_refresh && d->refresh[i].crtc != crtc; i++)
		;
	if (i == DISPLAY_PIPES_MAX) {
		d->unplaced++;
		return 0;
	}
	r = &d->refresh[i];
	if (i == d->n_refresh) {
		*r = (struct display_refresh){ .crtc = crtc };
		d->n_refresh++;
	}
	r->events++;
	return xtr_hist_add(&r->interval, xtr_bind_u64(b, 1, ev));
}

static int commit(struct display *d, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint64_t state = xtr_bind_u64(b, 0, ev), begin;
	uint32_t i;

	if (b->role == DISPLAY_COMMIT_BEGIN) {
		if (d->n_commits == DISPLAY_COMMITS_MAX)
			memmove(d->commit, d->commit + 1, --d->n_commits * sizeof(*d->commit));
		d->commit[d->n_commits++] = (struct display_commit){ .state = state, .ts = ev->ts };
		return 0;
	}
	d->commits++;
	for (i = d->n_commits; i > 0 && d->commit[i - 1].state != state; i--)
		;
	if (!i)
		return 0;
	begin = d->commit[i - 1].ts;
	d->commit[i - 1] = d->commit[--d->n_commits];
	return d->o->times ? xtr_hist_add(&d->commit_time, ev->ts - begin) : 0;
}

int display_pipe_event(struct display *d, const struct xtr_bind *b, const struct xtr_event *ev,
		       bool inside)
{
	struct display_pipe *p;

	if (!inside)
		return 0;
	if (b->role == DISPLAY_REFRESH)
		return refresh(d, b, ev);
	if (b->role == DISPLAY_COMMIT_BEGIN || b->role == DISPLAY_COMMIT_END)
		return commit(d, b, ev);
	p = pipe_of(d, b, ev);
	return p ? pipe_event(d, p, b, ev) : 0;
}

void display_pipes_finish(struct display *d)
{
	for (uint32_t i = 0; i < d->n_pipes; i++)
		d->pipe[i].open += d->pipe[i].start_ns != 0;
}
