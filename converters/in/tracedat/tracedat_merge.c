/* SPDX-License-Identifier: BSD-2-Clause */
/* All CPUs' events in order of time: a heap of the CPUs by their next event. */
#include "tracedat_priv.h"

#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>

static bool before(const struct dat_cpu *a, const struct dat_cpu *b)
{
	return a->ev.ts != b->ev.ts ? a->ev.ts < b->ev.ts : a < b;
}

static void sift_down(struct dat_cpu **heap, size_t n, size_t i)
{
	struct dat_cpu *c = heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && before(heap[child + 1], heap[child]))
			child++;
		if (before(c, heap[child]))
			break;
		heap[i] = heap[child];
	}
	heap[i] = c;
}

uint64_t dat_time(const struct dat *d, uint64_t ts)
{
	if (d->tsc)
		ts = (uint64_t)((unsigned __int128)ts * d->tsc_mult >> d->tsc_shift) +
		     d->tsc_offset;
	return ts + (uint64_t)d->offset;
}

static int hand_over(struct dat *d, struct dat_cpu *c)
{
	struct xtr_import_at at = { .ts = dat_time(d, c->ev.ts), .cpu = c->cpu };
	const uint8_t *rec = c->ev.rec;
	struct dat_event_type *t;
	uint32_t pid_at, n = c->ev.n;
	int err = dat_type_of(d, rec, n, &t);

	if (!c->events++)
		c->first_ts = at.ts;
	if (err || !t)
		return err;
	pid_at = t->f->common.pid_offset;
	if (t->f->common.pid_size == 4 && c->ev.n >= 4 && pid_at <= c->ev.n - 4)
		for (unsigned int i = 0; i < 4; i++)
			at.tid |= (uint32_t)c->ev.rec[pid_at + (d->big ? 3 - i : i)] << (8 * i);
	if (t->kind)
		dat_text_record(d, t, &rec, &n);
	return xtr_import_raw(d->im, &at, t->type, rec, n);
}

/* What the kernel counted beyond what the pages tell. Where in time it was is not known. */
static int count_rest(struct dat *d)
{
	int err = 0;

	for (size_t i = 0; i < d->n_cpus; i++) {
		uint64_t *overrun = &d->stats[d->cpus[i].cpu].overrun;

		*overrun -= d->cpus[i].told_lost < *overrun ? d->cpus[i].told_lost : *overrun;
	}
	for (uint32_t cpu = 0; !err && cpu < DAT_CPUS_MAX; cpu++) {
		uint64_t rest = xtr_sat_add(d->stats[cpu].overrun, d->stats[cpu].dropped);

		if (rest)
			err = xtr_import_lost(d->im, cpu, d->first_ts, d->last_ts, rest);
	}
	return err;
}

/*
 * trace-cmd record -m keeps the newest pages of each CPU alone, and so may whoever writes the file:
 * then the tracer took more events out of the CPU's buffer than are here, and those before its
 * first one are missing. How many of them are younger than the trace's beginning is not known.
 */
static bool begins_late(const struct dat *d, const struct dat_cpu *c)
{
	size_t same = 0;

	for (size_t i = 0; i < d->n_cpus; i++)
		same += d->cpus[i].cpu == c->cpu;
	return same == 1 && c->events && c->first_ts > d->first_ts &&
	       d->stats[c->cpu].read > xtr_sat_add(c->events, c->told_lost);
}

/* What is missing on each CPU before its first event, once all have been seen. */
static int count_ahead(struct dat *d)
{
	int err = 0;

	for (size_t i = 0; !err && i < d->n_cpus; i++) {
		const struct dat_cpu *c = &d->cpus[i];
		uint64_t until = c->events ? c->first_ts : d->last_ts;
		bool late = begins_late(d, c);

		if (c->ahead)
			err = xtr_import_lost(d->im, c->cpu, d->first_ts, until, c->ahead);
		if (!err && (c->ahead_unsure || late))
			err = xtr_import_lost(d->im, c->cpu, d->first_ts, until, 0);
	}
	return err;
}

int dat_merge(struct dat *d)
{
	struct dat_cpu **heap = calloc(d->n_cpus + 1, sizeof(struct dat_cpu *));
	size_t n = 0;
	int err = heap ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < d->n_cpus; i++) {
		err = dat_cpu_next(&d->cpus[i]);
		if (d->cpus[i].have)
			heap[n++] = &d->cpus[i];
	}
	for (size_t i = n / 2; !err && i-- > 0;)
		sift_down(heap, n, i);
	if (!err && n)
		d->first_ts = d->last_ts = dat_time(d, heap[0]->ev.ts);
	while (!err && n) {
		d->last_ts = dat_time(d, heap[0]->ev.ts);
		err = hand_over(d, heap[0]) ?: dat_cpu_next(heap[0]);
		if (!heap[0]->have)
			heap[0] = heap[--n];
		if (n)
			sift_down(heap, n, 0);
	}
	free(heap);
	return err ?: count_ahead(d) ?: count_rest(d);
}
