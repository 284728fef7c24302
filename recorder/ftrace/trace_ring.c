/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace_ring.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"
#include "records.h"
#include "task_ring.h"
#include "tasks.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IDS        (1u << 16) /* common_type is 16 bits wide */
#define LOOK_EVERY NS_PER_S   /* at the counters */

/* What is known of losses, by CPU. */
struct cpu_losses {
	uint64_t clean, looked; /* ns: nothing was lost before; of the last look at the counters */
	bool suspect;           /* the ring may have been full since */
};

struct xtr_tring {
	struct xtr_ring_set events;
	struct xtr_task_ring task_ring;
	struct xtr_ft_tasks tasks;
	struct xtr_ring_shape **of; /* [IDS]: NULL: it is not recorded */
	struct xtr_ring_shape *shapes;
	struct cpu_losses *losses;
	const uint32_t *pids; /* processes to be recorded; n_pids 0: all */
	size_t n_pids;
	uint32_t slot;
	uint64_t pass; /* ns */
};

/* --- open ------------------------------------------------------------------------------------- */

static int allocate(struct xtr_tring **out, uint32_t n_cpus, const struct xtr_selection *sel)
{
	struct xtr_tring *t = calloc(1, sizeof(*t));

	*out = t;
	if (!t)
		return -ENOMEM;
	xtr_ft_tasks_init(&t->tasks);
	t->of = calloc(IDS, sizeof(*t->of));
	t->shapes = calloc(sel ? sel->n_generics + 1 : 1, sizeof(*t->shapes));
	t->losses = calloc(n_cpus, sizeof(*t->losses));
	return t->of && t->shapes && t->losses ? 0 : -ENOMEM;
}

static void add_shape(struct xtr_tring *t, const struct xtr_generic *g, size_t n)
{
	xtr_ring_shape_of(&t->shapes[n], g);
	t->of[g->cfg.ring_id] = &t->shapes[n];
	t->slot = n ? 0 : g->cfg.slot;
}

/* One that cannot be had is left to the other engine. */
static size_t add_selected(struct xtr_tring *t, struct xtr_selection *sel)
{
	size_t n = 0;

	for (size_t i = 0; i < sel->n_generics; i++) {
		struct xtr_generic *g = sel->generics[i];

		if (!g->ftrace)
			continue;
		g->ftrace = g->id && g->id < IDS &&
			    xtr_ring_set_event(&t->events, g->system, g->event) == 0;
		if (!g->ftrace)
			continue;
		g->cfg.ring_id = g->id;
		add_shape(t, g, n++);
	}
	return n;
}

int xtr_tring_open(struct xtr_tring **out, struct xtr_selection *sel,
		   const struct xtr_record_opts *opts, uint64_t id, uint32_t n_cpus,
		   uint64_t ring_bytes)
{
	char name[XTR_INSTANCE_NAME];
	struct xtr_tring *t;
	size_t n = 0;
	int err = allocate(&t, n_cpus, sel);

	*out = NULL;
	xtr_instance_name(name, id, "");
	if (!err)
		err = xtr_ring_set_new(&t->events, name, n_cpus, ring_bytes);
	if (!err)
		n = add_selected(t, sel);
	if (!err && n)
		err = xtr_ring_set_open(&t->events);
	if (!err && n && opts->n_pids)
		err = xtr_ring_set_processes(&t->events, opts->pids, opts->n_pids);
	if (!err && n)
		err = xtr_task_ring_open(&t->task_ring, id, n_cpus);
	if (!err && n) {
		t->pids = opts->pids;
		t->n_pids = opts->n_pids;
	}
	if (err || !n) {
		xtr_tring_free(t);
		return err;
	}
	*out = t;
	return 0;
}

int xtr_tring_adopt(struct xtr_tring **out, const struct xtr_selection *sel, uint64_t id,
		    uint32_t n_cpus)
{
	char name[XTR_INSTANCE_NAME];
	struct xtr_tring *t;
	size_t n = 0;
	int err = allocate(&t, n_cpus, sel);

	*out = t;
	for (size_t i = 0; !err && sel && i < sel->n_generics; i++) {
		const struct xtr_generic *g = sel->generics[i];

		if (g->cfg.ring_id && g->cfg.ring_id < IDS)
			add_shape(t, g, n++);
	}
	xtr_instance_name(name, id, "");
	if (!err)
		err = xtr_ring_set_adopt(&t->events, name, n_cpus);
	if (!err)
		xtr_task_ring_adopt(&t->task_ring, id, n_cpus);
	return err;
}

void xtr_tring_resume(struct xtr_tring *t, uint32_t cpu, const struct xtr_page_slot *left,
		      uint32_t done)
{
	struct xtr_page_slot *slot = t->events.cpus[cpu].slot;

	slot->full = left->full;
	slot->nested = left->nested;
	slot->clean = left->clean;
	xtr_ring_set_resume(&t->events, &t->events.cpus[cpu], left, done);
}

uint32_t xtr_tring_page_bytes(const struct xtr_tring *t)
{
	return t->events.page_bytes;
}

void xtr_tring_slots(struct xtr_tring *t, uint8_t *slots)
{
	xtr_ring_set_slots(&t->events, slots);
}

/* The threads that there are, then what happens to them, then what they do. */
int xtr_tring_begin(struct xtr_tring *t)
{
	int err = xtr_ring_set_switch(&t->task_ring.set, true);

	if (!err)
		xtr_ft_tasks_read(&t->tasks);
	t->pass = xtr_now();
	for (uint32_t i = 0; i < t->events.n_cpus; i++)
		t->losses[i].clean = t->losses[i].looked = t->pass;
	return err;
}

int xtr_tring_run(const struct xtr_tring *t)
{
	return xtr_ring_set_switch(&t->events, true);
}

void xtr_tring_halt(const struct xtr_tring *t)
{
	(void)xtr_ring_set_switch(&t->events, false);
	(void)xtr_ring_set_switch(&t->task_ring.set, false);
}

static void free_all(struct xtr_tring *t)
{
	xtr_ft_tasks_close(&t->tasks);
	free(t->losses);
	free(t->of);
	free(t->shapes);
	free(t);
}

int xtr_tring_free(struct xtr_tring *t)
{
	int err, err_tasks;

	if (!t)
		return 0;
	err = xtr_ring_set_free(&t->events);
	err_tasks = xtr_ring_set_free(&t->task_ring.set);
	free_all(t);
	return err ? err : err_tasks;
}

void xtr_tring_leave(struct xtr_tring *t)
{
	if (!t)
		return;
	xtr_ring_set_close(&t->events);
	xtr_ring_set_close(&t->task_ring.set);
	free_all(t);
}

void xtr_tring_drop(uint64_t id)
{
	static const char *const of[] = { "", "-tasks" };
	char name[XTR_INSTANCE_NAME];
	struct xtr_instance in;

	for (size_t i = 0; i < ARRAY_LEN(of); i++) {
		xtr_instance_name(name, id, of[i]);
		if (!xtr_instance_get(&in, name))
			(void)xtr_instance_remove(&in);
	}
}

int xtr_tring_fd(const struct xtr_tring *t, uint32_t cpu)
{
	return t->events.cpus[cpu].raw;
}

/* --- tasks ------------------------------------------------------------------------------------ */

bool xtr_tring_has_task(const struct xtr_tring *t)
{
	return t->tasks.taken < t->tasks.n_defs;
}

bool xtr_tring_task(struct xtr_tring *t, struct xtr_ctl_task *def)
{
	return xtr_ft_tasks_take(&t->tasks, def);
}

/* --- records ---------------------------------------------------------------------------------- */

enum who {
	WANTED,
	OTHER,
	NOT_KNOWN
};

/*
 * Whose event it is. A thread that was made since the pass began is known in the next one: its
 * event, and those behind it, stay until then.
 */
static enum who whose(struct xtr_tring *t, struct xtr_ring_cpu *c, uint32_t tid, uint64_t ts)
{
	uint32_t pid;

	if (tid == c->last_tid && tid && ts < c->last_until)
		return c->last_other ? OTHER : WANTED;
	c->last_tid = 0;
	if (t->n_pids) {
		pid = xtr_ft_tasks_process(&t->tasks, tid, ts, &c->last_until);
		if (!pid && tid && ts >= t->pass)
			return NOT_KNOWN;
		c->last_other = true;
		for (size_t i = 0; i < t->n_pids; i++)
			c->last_other &= pid != t->pids[i];
		if (c->last_other) {
			c->last_tid = pid ? tid : 0;
			return OTHER;
		}
	}
	if (xtr_ft_tasks_seen(&t->tasks, tid, ts, &c->last_until))
		c->last_tid = tid;
	return WANTED;
}

/* Events of the page, until there is no room for the next one, which stays. */
static void take_page(struct xtr_tring *t, struct xtr_ring_cpu *c, uint8_t *out, uint32_t room,
		      uint32_t max_n, struct xtr_tring_part *part)
{
	struct xtr_ring_page before;
	struct xtr_ring_event ev;
	int got;

	for (;;) {
		const struct xtr_ring_shape *s;
		uint32_t tid, n;
		enum who who;

		before = c->at;
		got = xtr_ring_page_next(&c->at, &ev);
		if (got != 1)
			break;
		s = ev.n < XTR_TP_COMMON ? NULL : t->of[xtr_load32(ev.data) & (IDS - 1)];
		if (!s) {
			part->broken++;
			continue;
		}
		if (part->n == max_n || s->max > room - part->len) {
			c->at = before;
			part->full = true;
			return;
		}
		tid = xtr_load32(ev.data + 4);
		who = whose(t, c, tid, ev.ts);
		if (who == NOT_KNOWN) {
			c->at = before;
			part->empty = part->behind = true;
			return;
		}
		part->filtered += who == OTHER;
		if (who == OTHER)
			continue;
		n = xtr_ring_record(s, &ev, tid, out + part->len);
		part->as_is &= s->as_is;
		part->broken += !n;
		part->n += n != 0;
		part->len += n;
		if (n && s->plain && tid && c->last_tid == tid) {
			uint32_t fit = (room - part->len) / n, left = max_n - part->n;

			fit = xtr_ring_records_alike(&c->at, s, &ev, c->last_until, out + part->len,
						     fit < left ? fit : left);
			part->n += fit;
			part->len += fit * n;
		}
	}
	part->broken += got < 0;
	c->pending = false;
}

void xtr_tring_take(struct xtr_tring *t, uint32_t cpu, uint8_t *out, uint32_t room, uint32_t max_n,
		    struct xtr_tring_part *part)
{
	struct xtr_ring_cpu *c = &t->events.cpus[cpu];
	int got = 1;

	/* What happens during the pass waits for the next one: reading the ring may be an event. */
	*part = (struct xtr_tring_part){ .as_is = true };
	if (!c->pending)
		got = c->caught_up ? 0 : xtr_ring_set_read(&t->events, c);
	part->empty = !got;
	part->broken = got < 0;
	if (got != 1)
		return;
	take_page(t, c, out, room, max_n, part);
	c->caught_up |= t->pass && c->at.ts >= t->pass;
	part->page = c->slot->number;
	part->place = xtr_ring_set_place(c);
}

/* --- losses ----------------------------------------------------------------------------------- */

/*
 * A ring that was emptied at the last pass, and was not half full at this one, was not full in
 * between.
 */
void xtr_tring_pass(struct xtr_tring *t, uint64_t now)
{
	for (uint32_t i = 0; i < t->events.n_cpus; i++) {
		struct xtr_ring_cpu *c = &t->events.cpus[i];
		struct cpu_losses *l = &t->losses[i];

		l->suspect |= c->pending || c->read > t->events.ring_bytes / 2;
		if (!l->suspect)
			l->clean = t->pass;
		c->read = 0;
		c->last_tid = 0;
		c->caught_up = false;
	}
	t->pass = now;
	xtr_task_ring_take(&t->task_ring, &t->tasks);
	xtr_ft_tasks_until(&t->tasks, now);
}

void xtr_tring_taken(struct xtr_tring *t)
{
	xtr_ft_tasks_prune(&t->tasks, t->pass);
}

/* What was lost until then is accounted for. */
static void looked(struct xtr_tring *t, uint32_t cpu, uint64_t at)
{
	struct cpu_losses *l = &t->losses[cpu];

	t->events.cpus[cpu].slot->clean = at;
	l->looked = l->clean = at;
	l->suspect = false;
}

bool xtr_tring_lost(struct xtr_tring *t, uint32_t cpu, bool last, struct xtr_tring_loss *loss)
{
	const struct xtr_page_slot *slot = t->events.cpus[cpu].slot;
	const struct cpu_losses *l = &t->losses[cpu];
	struct xtr_ring_stats st;
	uint64_t now;

	if (!last && !l->suspect && t->pass < l->looked + LOOK_EVERY)
		return false;
	now = xtr_now(); /* the counters have all that was lost before */
	if (!xtr_tring_stats(t, cpu, &st))
		return false;
	*loss = (struct xtr_tring_loss){ st.full - slot->full, st.nested - slot->nested,
					 l->clean > slot->clean ? l->clean : slot->clean, now };
	if (loss->full || loss->nested)
		return true;
	looked(t, cpu, now);
	return false;
}

void xtr_tring_counted(struct xtr_tring *t, uint32_t cpu, const struct xtr_tring_loss *loss)
{
	struct xtr_page_slot *slot = t->events.cpus[cpu].slot;

	slot->full += loss->full;
	slot->nested += loss->nested;
	looked(t, cpu, loss->looked);
}

bool xtr_tring_stats(const struct xtr_tring *t, uint32_t cpu, struct xtr_ring_stats *st)
{
	return xtr_ring_set_stats(&t->events.cpus[cpu], st);
}

uint32_t xtr_tring_slot(const struct xtr_tring *t)
{
	return t->slot;
}

uint64_t xtr_tring_left(const struct xtr_tring *t, uint32_t cpu)
{
	struct xtr_ring_page at = t->events.cpus[cpu].at;
	struct xtr_ring_stats st = { .entries = 0 };
	struct xtr_ring_event ev;
	uint64_t n = 0;

	while (t->events.cpus[cpu].pending && xtr_ring_page_next(&at, &ev) == 1)
		n++;
	(void)xtr_tring_stats(t, cpu, &st);
	return n + st.entries;
}

uint64_t xtr_tring_fill(const struct xtr_tring *t, uint32_t cpu)
{
	return t->events.cpus[cpu].read;
}
