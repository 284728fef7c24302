/* SPDX-License-Identifier: BSD-2-Clause */
#include "play.h"
#include "replay/notes/cut_note.h"
#include "base/checked.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#define PROGRESS_EVERY 65536u
#define THREADS_MAX    4

/* CPUs that this process may run on. */
static unsigned int cpus(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN)
							 : CPU_COUNT(&set);

	return n > 1 ? (unsigned int)n : 1;
}

/* One thread decodes ahead for each CPU but the one that runs the caller. */
static unsigned int threads(unsigned int cpus)
{
	if (cpus < 3)
		return 1;
	return cpus > THREADS_MAX ? THREADS_MAX : cpus - 1;
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

static void keep(const struct xtr_play *p, const struct xtr_merge *m, bool keeps)
{
	if (p->keeps && xtr_merge_keeps(m))
		p->keeps(p->ctx, keeps);
}

static int run(const struct xtr_play *p, struct xtr_merge *m, struct xtr_err *err)
{
	const struct xtr_event *ev;
	size_t n, until_progress = PROGRESS_EVERY;

	for (;;) {
		int ret = xtr_merge_next_batch(m, &ev, &n, err);

		if (ret == -EBADMSG) {
			keep(p, m, false);
			keep(p, m, true);
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
	unsigned int n = cpus();
	struct xtr_merge_opts o = {
		.sz = sizeof(o),
		.from = p->from,
		.to = p->to,
		.threads = threads(n),
		.keep = n > 1 && p->keeps ? p->keep + 1 : 0, /* 1: a call may tell of damage */
		.types = p->types,
		.n_types = p->n_types,
	};
	struct xtr_merge *m;
	int ret = xtr_merge_open(&m, p->reader, p->section, &o);

	if (ret) {
		*err = (struct xtr_err){ .code = ret };
		return ret;
	}
	keep(p, m, true);
	ret = run(p, m, err);
	keep(p, m, false);
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
