/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bundles of ftrace's events: those of one CPU, in order of time. An event's message is held as it
 * stands with the kind of event that its number was then, and is read when its turn has come.
 */
#include "pftrace_core.h"

#include "base/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Fields of FtraceEventBundle */
enum {
	F_CPU = 1,
	F_EVENT = 2,
	F_LOST = 3,
	F_COMPACT = 4,
	F_CLOCK = 5,
	F_CLOCK_TS = 6,
	F_BOOT_TS = 7,
	F_ERROR = 8,
	F_LAST_READ = 9,
	F_PREVIOUS_END = 10,
	F_DESCRIPTION = 11,
};

/* FtraceClock: 0 boot; unknown, global, local, mono_raw */
#define FTRACE_MONO_RAW 4u

/* Fields of FtraceEvent that are no event. */
#define F_TIME  1u
#define F_PID   2u
#define F_FLAGS 5u

static int make_state(struct pftrace *p)
{
	if (p->ftrace)
		return 0;
	p->ftrace = calloc(1, sizeof(*p->ftrace));
	if (!p->ftrace)
		return -ENOMEM;
	p->ftrace->cpus = calloc(XTR_IMPORT_CPUS, sizeof(*p->ftrace->cpus));
	return p->ftrace->cpus ? 0 : -ENOMEM;
}

void pft_ftrace_free(struct pft_ftrace *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		pft_type_free(f->types[i]);
	free(f->types);
	free(f->cpus);
	xtr_map_free(&f->by_number);
	xtr_map_free(&f->by_name);
	free(f);
}

/* --- the clock -------------------------------------------------------------------------------- */

/* What a bundle says beside its events. */
struct about {
	uint64_t clock, clock_ts, boot_ts, previous_end;
	bool lost;
};

/*
 * Any other clock than boot comes with a reading of both. One that no system call reads is the
 * sequence's own.
 */
static int clock_of(struct pftrace *p, const struct pft_seq *seq, const struct about *a,
		    uint32_t *clock)
{
	struct pft_clock_value v[2] = { { .value = a->clock_ts, .unit = 1 },
					{ PFT_CLOCK_BOOT, a->boot_ts, 1, false } };

	*clock = PFT_CLOCK_BOOT;
	if (!a->clock)
		return 0;
	*clock = a->clock == FTRACE_MONO_RAW ? PFT_CLOCK_MONO_RAW : PFT_CLOCK_SEQ_FIRST;
	v[0].id = *clock;
	return a->clock_ts && a->boot_ts ? pft_clock_add(p, seq, v, 2) : 0;
}

bool pft_ftrace_time(struct pftrace *p, const struct pft_seq *seq, uint32_t clock, uint64_t raw,
		     uint64_t *ts)
{
	return pft_time(p, seq, clock, raw, ts);
}

/* --- events ----------------------------------------------------------------------------------- */

static void note_time(struct pft_bundle *b, uint64_t ts)
{
	b->first = ts < b->first ? ts : b->first;
	b->last = ts > b->last ? ts : b->last;
}

static int hold_event(struct pftrace *p, struct pft_bundle *b, uint64_t ts, uint32_t tid,
		      const struct pft_field *event)
{
	uint8_t rec[PFT_RECORD_MAX];
	uint32_t type = event->num;
	size_t n =
		event->n < sizeof(rec) - PFT_FTRACE_HEAD ? event->n : sizeof(rec) - PFT_FTRACE_HEAD;
	int err = 0;

	/* These two have names of their own. */
	if (type == PFT_GENERIC || type == PFT_KPROBE)
		type |= 1u << 31;
	else
		err = pft_type_numbered(p, event->num, &type);
	if (err)
		return err;
	if (n < event->n)
		xtr_import_damage(p->im, "an event of %zu bytes is cut", event->n);
	xtr_put_le32(rec, type);
	xtr_put_le32(rec + 4, b->cpu);
	xtr_put_le32(rec + 8, tid);
	if (n)
		memcpy(rec + PFT_FTRACE_HEAD, event->p, n);
	return pft_hold(p, PFT_FTRACE, ts, rec, PFT_FTRACE_HEAD + n);
}

static int take_event(struct pftrace *p, struct pft_bundle *b, struct pft_msg m)
{
	struct pft_field f, event = { 0 };
	uint64_t raw = 0, ts;
	uint32_t tid = 0;

	while (pft_next(&m, &f)) {
		if (f.num == F_TIME)
			raw = f.v;
		else if (f.num == F_PID)
			tid = (uint32_t)f.v;
		else if (f.wire == 2)
			event = f;
	}
	if (m.bad) {
		xtr_import_damage(p->im, "an event of CPU %" PRIu32 " is damaged", b->cpu);
		return pft_gap(p, b->cpu, p->ftrace->cpus[b->cpu].last_ts, p->last_ts);
	}
	if (!event.num || !pft_ftrace_time(p, b->seq, b->clock, raw, &ts))
		return 0;
	note_time(b, ts);
	return hold_event(p, b, ts, tid, &event);
}

/* --- a bundle --------------------------------------------------------------------------------- */

static int look(struct pftrace *p, struct pft_msg m, struct pft_bundle *b, struct about *a)
{
	struct pft_field f;
	uint64_t cpu = 0;
	int err = 0;

	while (!err && pft_next(&m, &f)) {
		switch (f.num) {
		case F_CPU:
			cpu = f.v;
			break;
		case F_LOST:
			a->lost = f.v;
			break;
		case F_CLOCK:
			a->clock = f.v;
			break;
		case F_CLOCK_TS:
			a->clock_ts = f.v;
			break;
		case F_BOOT_TS:
			a->boot_ts = f.v;
			break;
		case F_PREVIOUS_END:
		case F_LAST_READ:
			a->previous_end = f.v;
			break;
		case F_ERROR:
			xtr_import_damage(
				p->im, "the recorder could not read events of CPU %" PRIu64, cpu);
			a->lost = true;
			break;
		case F_DESCRIPTION:
			err = pft_take_description(p, pft_sub(&f));
			break;
		default:
			break;
		}
	}
	b->cpu = cpu < XTR_IMPORT_CPUS ? (uint32_t)cpu : XTR_IMPORT_CPUS;
	if (m.bad)
		xtr_import_damage(p->im, "a bundle of events is damaged");
	return err;
}

/* Events are missing between the CPU's last event before this bundle and the bundle's first. */
static int lost_before(struct pftrace *p, const struct pft_bundle *b, const struct about *a)
{
	struct pft_cpu *cpu = &p->ftrace->cpus[b->cpu];
	uint64_t from = cpu->last_ts, to = b->first != UINT64_MAX ? b->first : 0;

	if (!from && a->previous_end &&
	    !pft_ftrace_time(p, b->seq, b->clock, a->previous_end, &from))
		from = 0;
	if (!from)
		from = to;
	if (!to)
		to = from;
	return pft_gap(p, b->cpu, from, to) ?: pft_sched_forget(p, b->cpu, from);
}

static int take_events(struct pftrace *p, struct pft_bundle *b, struct pft_msg m)
{
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f)) {
		if (f.num == F_EVENT && f.wire == 2)
			err = take_event(p, b, pft_sub(&f));
		else if (f.num == F_COMPACT && f.wire == 2)
			err = pft_take_compact(p, b, pft_sub(&f));
	}
	return err;
}

int pft_take_bundle(struct pftrace *p, const struct pft_packet *packet, struct pft_msg m)
{
	struct pft_bundle b = { .seq = packet->seq, .first = UINT64_MAX };
	struct about a = { 0 };
	struct pft_cpu *cpu;
	int err = make_state(p) ?: look(p, m, &b, &a) ?: clock_of(p, packet->seq, &a, &b.clock);

	if (err)
		return err;
	if (b.cpu == XTR_IMPORT_CPUS) {
		p->ftrace->bad_cpu++;
		xtr_import_damage(p->im, "a bundle of a CPU that cannot be");
		return 0;
	}
	packet->seq->events = true;
	cpu = &p->ftrace->cpus[b.cpu];
	err = take_events(p, &b, m);
	if (!err && a.lost)
		err = lost_before(p, &b, &a);
	if (b.last > cpu->last_ts)
		cpu->last_ts = b.last;
	if (b.last > packet->seq->last_ts)
		packet->seq->last_ts = b.last;
	return err;
}

/* --- in order of time ------------------------------------------------------------------------- */

int pft_ftrace_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n)
{
	const uint32_t type = n >= PFT_FTRACE_HEAD ? xtr_le32(rec) : UINT32_MAX;
	struct xtr_import_at at = { .ts = ts };
	struct pft_values v;
	struct pft_msg m;
	int err;

	if (n < PFT_FTRACE_HEAD)
		return 0;
	at.cpu = xtr_le32(rec + 4);
	at.tid = xtr_le32(rec + 8);
	m = pft_msg(rec + PFT_FTRACE_HEAD, n - PFT_FTRACE_HEAD);
	if (type == (PFT_GENERIC | 1u << 31))
		return pft_give_generic(p, &at, m);
	if (type == (PFT_KPROBE | 1u << 31))
		return pft_give_kprobe(p, &at, m);
	if (type >= p->ftrace->n) {
		p->ftrace->left_out++;
		return 0;
	}
	err = pft_type_read(p->ftrace->types[type], m, &v);
	return err ? err : pft_type_give(p, p->ftrace->types[type], &at, &v);
}

int pft_ftrace_tell(struct pftrace *p)
{
	const struct pft_ftrace *f = p->ftrace;
	int err;

	if (!f)
		return 0;
	if (f->left_out)
		xtr_import_damage(p->im, "%" PRIu64 " events of too many kinds", f->left_out);
	err = pft_note_number(p, "import-bundles-left-out", f->bad_cpu);
	return err ? err : pft_note_number(p, "import-events-left-out", f->left_out);
}
