/* SPDX-License-Identifier: BSD-2-Clause */
#include "play.h"
#include "replay/notes/cut_note.h"
#include "base/checked.h"

#include <errno.h>
#include <unistd.h>

#define PROGRESS_EVERY 65536u
#define THREADS_MAX    4

/* One thread decodes ahead for each CPU but the one that runs the caller. */
static unsigned int threads(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN) - 1;

	if (n < 1)
		return 1;
	return n > THREADS_MAX ? THREADS_MAX : (unsigned int)n;
}

static int give(const struct xtr_play *p, const struct xtr_event *ev, size_t n)
{
	int err = 0;

	if (p->batch)
		return p->batch(p->ctx, ev, n);
	for (size_t i = 0; i < n && !err; i++)
		err = p->event(p->ctx, &ev[i]);
	return err;
}

static int run(const struct xtr_play *p, struct xtr_merge *m, struct xtr_err *err)
{
	const struct xtr_event *ev;
	size_t n, until_progress = PROGRESS_EVERY;

	for (;;) {
		int ret = xtr_merge_next_batch(m, &ev, &n, err);

		if (ret == -EBADMSG) {
			if (p->damage)
				p->damage(p->ctx, err);
			continue;
		}
		if (ret <= 0)
			return ret;
		ret = give(p, ev, n);
		if (ret)
			return ret;
		if (n < until_progress) {
			until_progress -= n;
			continue;
		}
		until_progress = PROGRESS_EVERY;
		if (p->progress)
			p->progress(p->ctx, xtr_merge_permille(m));
	}
}

int xtr_play(const struct xtr_play *p, struct xtr_err *err)
{
	struct xtr_merge_opts o = {
		.sz = sizeof(o),
		.from = p->from,
		.to = p->to,
		.threads = threads(),
		.types = p->types,
		.n_types = p->n_types,
	};
	struct xtr_merge *m;
	int ret = xtr_merge_open(&m, p->reader, p->section, &o);

	if (ret) {
		*err = (struct xtr_err){ .code = ret };
		return ret;
	}
	ret = run(p, m, err);
	xtr_merge_close(m);
	return ret;
}

uint64_t xtr_play_time(const struct xtr_section *s, uint64_t ns)
{
	uint64_t first, to;

	if (!xtr_meta_has_times(xtr_section_meta(s)))
		return ns / XTR_PLAY_NUMBER;
	xtr_cut_note_window(xtr_section_meta(s), &first, &to);
	if (!first)
		first = xtr_section_summary(s)->ts_min;
	if (!ns || ns >= first)
		return ns;
	return xtr_sat_add(first, ns);
}

void xtr_play_window(const struct xtr_section *s, uint64_t *from, uint64_t *to)
{
	uint64_t first, last;

	*from = xtr_play_time(s, *from);
	*to = xtr_play_time(s, *to);
	xtr_cut_note_window(xtr_section_meta(s), &first, &last);
	if (first > *from)
		*from = first;
	if (last && (!*to || last < *to))
		*to = last;
}

uint64_t xtr_play_lead_in(uint64_t from)
{
	return from > XTR_PLAY_LEAD_IN ? from - XTR_PLAY_LEAD_IN : 0;
}
