/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is missing. A bundle says that events were lost before it, and not how many; FtraceStats of
 * the end minus that of the start is how many the kernel lost in all on each CPU.
 */
#include "pftrace_core.h"

#include "base/buf.h"
#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define GAPS_MAX ((size_t)100000)

/* Fields of FtraceStats, FtraceCpuStats, TraceStats and TraceStats.BufferStats */
#define F_PHASE          1u
#define F_CPU_STATS      2u
#define F_PARSE_ERRORS   9u
#define PHASE_START      1u
#define PHASE_END        2u
#define F_CPU            1u
#define F_OVERRUN        3u
#define F_COMMIT_OVERRUN 4u
#define F_DROPPED        8u
#define F_BUFFER         1u
#define F_OVERWRITTEN    3u
#define F_PATCHES_FAILED 6u
#define F_ABI_VIOLATIONS 9u
#define F_DISCARDED      18u
#define F_WRITER_LOSS    19u

int pft_gap(struct pftrace *p, uint32_t cpu, uint64_t first, uint64_t last)
{
	struct pft_losses *l = &p->losses;
	struct pft_gap *end = l->n ? &l->gaps[l->n - 1] : NULL;

	if (l->n >= GAPS_MAX && end) {
		end->cpu = end->cpu == cpu ? cpu : XTR_IMPORT_CPUS;
		end->first = first < end->first ? first : end->first;
		end->last = last > end->last ? last : end->last;
		end->times++;
		return 0;
	}
	if (xtr_grow_array(&l->gaps, &l->cap, l->n + 1, sizeof(*l->gaps)))
		return -ENOMEM;
	l->gaps[l->n++] = (struct pft_gap){ cpu, first, last > first ? last : first, 1 };
	return 0;
}

int pft_lost_here(struct pftrace *p)
{
	return pft_gap(p, XTR_IMPORT_CPUS, p->last_ts, p->last_ts);
}

int pft_dropped(struct pftrace *p, const struct pft_seq *seq)
{
	return seq->events ? pft_gap(p, XTR_IMPORT_CPUS, seq->last_ts, p->last_ts) : 0;
}

/* --- counts ----------------------------------------------------------------------------------- */

static void take_cpu_stats(struct pftrace *p, struct pft_msg m, uint64_t phase)
{
	struct pft_cpu_stats *s;
	uint64_t cpu = 0, lost = 0;
	struct pft_field f;

	while (pft_next(&m, &f)) {
		if (f.num == F_CPU)
			cpu = f.v;
		else if (f.num == F_OVERRUN || f.num == F_COMMIT_OVERRUN || f.num == F_DROPPED)
			lost = xtr_sat_add(lost, f.v);
	}
	if (cpu >= XTR_IMPORT_CPUS)
		return;
	s = &p->losses.cpus[cpu];
	if (phase == PHASE_START && !s->has_start) {
		s->start = lost;
		s->has_start = true;
	} else if (phase == PHASE_END) {
		s->end = lost > s->end ? lost : s->end;
		s->has_end = true;
	}
}

int pft_take_ftrace_stats(struct pftrace *p, struct pft_msg m)
{
	struct pft_losses *l = &p->losses;
	struct pft_msg again = m;
	struct pft_field f;
	uint64_t phase = 0;

	if (!l->cpus)
		l->cpus = calloc(XTR_IMPORT_CPUS, sizeof(*l->cpus));
	if (!l->cpus)
		return -ENOMEM;
	while (pft_next(&m, &f)) {
		if (f.num == F_PHASE)
			phase = f.v;
		else if (f.num == F_PARSE_ERRORS)
			l->parse_errors++;
	}
	while (pft_next(&again, &f))
		if (f.num == F_CPU_STATS)
			take_cpu_stats(p, pft_sub(&f), phase);
	return 0;
}

/* They are cumulative: the last ones count. */
int pft_take_trace_stats(struct pftrace *p, struct pft_msg m)
{
	struct pft_losses *l = &p->losses;
	struct pft_field f, in;

	l->overwritten = l->lost_chunks = 0;
	while (pft_next(&m, &f)) {
		struct pft_msg buffer = pft_sub(&f);

		while (f.num == F_BUFFER && pft_next(&buffer, &in)) {
			if (in.num == F_OVERWRITTEN)
				l->overwritten = xtr_sat_add(l->overwritten, in.v);
			else if (in.num == F_PATCHES_FAILED || in.num == F_ABI_VIOLATIONS ||
				 in.num == F_DISCARDED || in.num == F_WRITER_LOSS)
				l->lost_chunks = xtr_sat_add(l->lost_chunks, in.v);
		}
	}
	return 0;
}

/* --- at the end ------------------------------------------------------------------------------- */

/* What the kernel counted on this CPU; 0: nothing, or it is not known. */
static uint64_t counted(const struct pft_losses *l, uint32_t cpu)
{
	const struct pft_cpu_stats *s = l->cpus ? &l->cpus[cpu] : NULL;

	return s && s->has_end && s->end > s->start ? s->end - s->start : 0;
}

static int by_cpu(const void *a, const void *b)
{
	const struct pft_gap *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/*
 * n gaps of a CPU on which `total` events were lost: each has one at least, the others are shared
 * by the gaps' lengths, so that the sum is right.
 */
static int tell_shares(struct pftrace *p, const struct pft_gap *g, size_t n, uint64_t total)
{
	uint64_t least = 0, length = 0, rest, share;
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		least += g[i].times;
		length = xtr_sat_add(length, g[i].last - g[i].first);
	}
	total -= least;
	rest = total;
	for (size_t i = 0; !err && i < n; i++) {
		share = length ? (uint64_t)((unsigned __int128)total * (g[i].last - g[i].first) /
					    length)
			       : 0;
		if (i + 1 == n || share > rest)
			share = rest;
		rest -= share;
		err = xtr_import_lost(p->im, g[i].cpu, g[i].first, g[i].last, share + g[i].times);
	}
	return err;
}

/* The gaps of one CPU. The kernel's count is believed if it can be true. */
static int tell_gaps(struct pftrace *p, const struct pft_gap *g, size_t n)
{
	const uint64_t total = g->cpu < XTR_IMPORT_CPUS ? counted(&p->losses, g->cpu) : 0;
	uint64_t least = 0;
	int err = 0;

	for (size_t i = 0; i < n; i++)
		least += g[i].times;
	if (total >= least)
		return tell_shares(p, g, n, total);
	for (size_t i = 0; !err && i < n; i++)
		err = xtr_import_lost(p->im, g[i].cpu, g[i].first, g[i].last, 0);
	return err;
}

/* What the kernel counted where no bundle tells of it. */
static int tell_counts(struct pftrace *p, uint32_t from, uint32_t to)
{
	int err = 0;

	for (uint32_t cpu = from; !err && cpu < to && cpu < XTR_IMPORT_CPUS; cpu++) {
		uint64_t total = counted(&p->losses, cpu);

		if (total)
			err = xtr_import_lost(p->im, cpu, p->first_ts, p->last_ts, total);
	}
	return err;
}

static int tell_cpus(struct pftrace *p)
{
	struct pft_losses *l = &p->losses;
	uint32_t next = 0;
	int err = 0;

	if (l->n)
		qsort(l->gaps, l->n, sizeof(*l->gaps), by_cpu);
	for (size_t i = 0, n; !err && i < l->n; i += n) {
		const struct pft_gap *g = &l->gaps[i];

		for (n = 1; i + n < l->n && g[n].cpu == g->cpu; n++)
			;
		err = tell_counts(p, next, g->cpu);
		next = g->cpu + 1;
		if (!err)
			err = tell_gaps(p, g, n);
	}
	return err ? err : tell_counts(p, next, XTR_IMPORT_CPUS);
}

int pft_losses_tell(struct pftrace *p)
{
	struct pft_losses *l = &p->losses;
	int err;

	if (p->first_ts == UINT64_MAX)
		p->first_ts = 0;
	err = tell_cpus(p);
	if (!err && l->lost_chunks)
		err = xtr_import_lost(p->im, XTR_IMPORT_CPUS, p->first_ts, p->last_ts, 0);
	return err ?: pft_note_number(p, "import-perfetto-losses", l->lost_chunks) ?:
	       pft_note_number(p, "import-perfetto-chunks-overwritten", l->overwritten) ?:
	       pft_note_number(p, "import-perfetto-parse-errors", l->parse_errors);
}

void pft_losses_free(struct pft_losses *l)
{
	free(l->gaps);
	free(l->cpus);
}
