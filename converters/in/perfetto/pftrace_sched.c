/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compact sched: switches and wake-ups of a bundle as columns, without what the one before says.
 * Who is switched from is known once all of a CPU stand in order of time; behind a gap it is not.
 */
#include "pftrace_core.h"

#include <string.h>

#define COMM_MAX 64u

/* Fields of FtraceEventBundle.CompactSched, by column. */
enum {
	SWITCH_TIME,
	SWITCH_STATE,
	SWITCH_PID,
	SWITCH_PRIO,
	SWITCH_COMM,
	WAKING_TIME,
	WAKING_PID,
	WAKING_CPU,
	WAKING_PRIO,
	WAKING_COMM,
	COLUMNS
};
#define F_NAMES 5u

static const uint8_t numbers[] = { 1, 2, 3, 4, 6, 7, 8, 9, 10, 11 };

/* A record of kind PFT_SCHED; the name follows. */
struct row {
	uint32_t what, cpu;
	int32_t pid, prio;
	int64_t state; /* or the CPU that is to run it */
};

enum {
	FORGET,
	SWITCH,
	WAKING
};

static int hold_row(struct pftrace *p, uint64_t ts, const struct row *r,
		    const struct pft_field *name)
{
	uint8_t rec[sizeof(*r) + COMM_MAX];
	size_t n = name && name->n < COMM_MAX ? name->n : name ? COMM_MAX : 0;

	memcpy(rec, r, sizeof(*r));
	if (n)
		memcpy(rec + sizeof(*r), name->p, n);
	return pft_hold(p, PFT_SCHED, ts, rec, sizeof(*r) + n);
}

int pft_sched_forget(struct pftrace *p, uint32_t cpu, uint64_t ts)
{
	const struct row r = { .what = FORGET, .cpu = cpu };

	return p->ftrace->sched_switch ? hold_row(p, ts, &r, NULL) : 0;
}

/* The next number of a column. False: it has no more. */
static bool next(struct pft_msg *col, uint64_t *v)
{
	*v = 0;
	return col->p < col->end && pft_varint(col, v);
}

/* The columns' next numbers. Returns how many of them there are. */
static size_t next_row(struct pft_msg *col, const unsigned int *order, size_t n, uint64_t *v)
{
	size_t got = 0;

	for (size_t i = 0; i < n; i++)
		got += next(&col[order[i]], &v[i]);
	return got;
}

static const struct pft_field *name_of(const struct pft_names *names, uint64_t i)
{
	return i < names->n ? &names->name[i] : NULL;
}

static int take_rows(struct pftrace *p, struct pft_bundle *b, struct pft_msg *col,
		     const struct pft_names *names, uint32_t what)
{
	static const unsigned int orders[][5] = {
		[SWITCH] = { SWITCH_TIME, SWITCH_PID, SWITCH_PRIO, SWITCH_STATE, SWITCH_COMM },
		[WAKING] = { WAKING_TIME, WAKING_PID, WAKING_PRIO, WAKING_CPU, WAKING_COMM },
	};
	const unsigned int *order = orders[what];
	uint64_t v[5], raw = 0, ts;
	size_t got;
	int err = 0;

	while ((got = next_row(col, order, 5, v)) == 5 && !err) {
		const struct row r = { what, b->cpu, (int32_t)v[1], (int32_t)v[2], (int64_t)v[3] };

		raw += v[0];
		if (!pft_ftrace_time(p, b->seq, b->clock, raw, &ts))
			continue;
		b->first = ts < b->first ? ts : b->first;
		b->last = ts > b->last ? ts : b->last;
		err = hold_row(p, ts, &r, name_of(names, v[4]));
	}
	if (!err && got) {
		xtr_import_damage(p->im, "columns of scheduler events are not equally long");
		err = pft_lost_here(p);
	}
	return err;
}

/* Types of the import for both events: all fields are there, but for those of who was before. */
static int make_types(struct pftrace *p)
{
	struct pft_ftrace *f = p->ftrace;
	uint32_t index = 0;
	int err;

	if (f->sched_switch)
		return 0;
	err = pft_type_numbered(p, 4, &index);
	f->sched_switch = index + 1;
	if (!err)
		err = pft_type_numbered(p, 20, &index);
	f->sched_waking = index + 1;
	return err;
}

int pft_take_compact(struct pftrace *p, struct pft_bundle *b, struct pft_msg m)
{
	struct pft_msg col[COLUMNS] = { 0 };
	struct pft_names *names = &p->ftrace->names;
	struct pft_field f;
	int err = make_types(p);

	names->n = 0;
	while (pft_next(&m, &f)) {
		const uint8_t *at = memchr(numbers, (int)f.num, sizeof(numbers));

		if (f.num == F_NAMES && f.wire == 2 && names->n < PFT_BUNDLE_NAMES)
			names->name[names->n++] = f;
		else if (f.num < 256 && at && f.wire == 2)
			col[at - numbers] = pft_sub(&f);
	}
	return err ?: take_rows(p, b, col, names, SWITCH) ?: take_rows(p, b, col, names, WAKING);
}

/* --- in order of time ------------------------------------------------------------------------- */

/* Values are set by their field's number in the proto, which is its index + 1. */
static void set_num(struct pft_values *v, uint32_t number, int64_t num)
{
	v->have |= 1ull << (number - 1);
	v->num[number - 1] = (uint64_t)num;
}

static void set_text(struct pft_values *v, uint32_t number, const void *p, size_t n)
{
	v->have |= 1ull << (number - 1);
	v->p[number - 1] = p;
	v->n[number - 1] = n;
}

/* SchedSwitchFtraceEvent: prev_comm, _pid, _prio, _state, next_comm, _pid, _prio */
static int give_switch(struct pftrace *p, struct xtr_import_at *at, const struct row *r,
		       const uint8_t *comm, size_t n)
{
	struct pft_cpu *cpu = &p->ftrace->cpus[r->cpu];
	struct pft_values v;
	int err;

	v.have = 0;
	if (cpu->known) {
		set_text(&v, 1, cpu->comm, cpu->len);
		set_num(&v, 2, (int32_t)cpu->tid);
		set_num(&v, 3, cpu->prio);
		at->tid = cpu->tid;
	}
	set_num(&v, 4, r->state);
	set_text(&v, 5, comm, n);
	set_num(&v, 6, r->pid);
	set_num(&v, 7, r->prio);
	err = pft_type_give(p, p->ftrace->types[p->ftrace->sched_switch - 1], at, &v);
	cpu->known = true;
	cpu->tid = (uint32_t)r->pid;
	cpu->prio = r->prio;
	cpu->len = (uint32_t)n;
	memcpy(cpu->comm, comm, n);
	return err;
}

/* SchedWakingFtraceEvent: comm, pid, prio, success, target_cpu */
static int give_waking(struct pftrace *p, struct xtr_import_at *at, const struct row *r,
		       const uint8_t *comm, size_t n)
{
	const struct pft_cpu *cpu = &p->ftrace->cpus[r->cpu];
	struct pft_values v;

	v.have = 0;
	if (cpu->known)
		at->tid = cpu->tid;
	set_text(&v, 1, comm, n);
	set_num(&v, 2, r->pid);
	set_num(&v, 3, r->prio);
	set_num(&v, 5, r->state);
	return pft_type_give(p, p->ftrace->types[p->ftrace->sched_waking - 1], at, &v);
}

int pft_sched_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n)
{
	struct row r;
	struct xtr_import_at at = { .ts = ts };

	if (n < sizeof(r))
		return 0;
	memcpy(&r, rec, sizeof(r));
	at.cpu = r.cpu;
	if (r.what == FORGET) {
		p->ftrace->cpus[r.cpu].known = false;
		return 0;
	}
	return r.what == SWITCH ? give_switch(p, &at, &r, rec + sizeof(r), n - sizeof(r))
				: give_waking(p, &at, &r, rec + sizeof(r), n - sizeof(r));
}
