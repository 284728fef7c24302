/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory and power. The driver tells of no destruction of buffers, so nothing tells how much memory
 * is held. The last byte of a range of virtual memory is in it (xe_trace_bo.h: end is the last
 * one).
 */
#include "xe_impl.h"
#include "replay/event/process.h"

int xe_bo_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev);
	const struct xtr_task *task;
	uint64_t size = xtr_bind_u64(b, 1, ev);
	struct xe_user *u;
	bool is_new;
	int err;

	if (dev < 0 || !inside)
		return dev < 0 ? (int)dev : 0;
	x->device[dev].bo[kind]++;
	x->device[dev].bytes[kind] += size;
	task = ev->tid && x->o->tables ? xtr_tables_task(x->o->tables, ev->tid, ev->ts) : NULL;
	u = xe_row(&x->users, (uint64_t)dev, xtr_process_of(task), sizeof(*u), &is_new, &err);
	if (!u)
		return err;
	if (is_new)
		*u = (struct xe_user){ .dev = (uint32_t)dev,
				       .process = xtr_process_of(task),
				       .comm = task ? task->comm : 0 };
	u->bo[kind]++;
	u->bytes[kind] += size;
	return 0;
}

static int64_t place_of(struct xe *x, const struct xtr_bind *b, uint32_t i,
			const struct xtr_event *ev)
{
	size_t n;
	const char *s = xtr_bind_text(b, i, ev, x->o->tables, &n);

	return xtr_label(&x->places, s, n, XE_ROWS_MAX);
}

int xe_move_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		  bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev), to = place_of(x, b, 2, ev),
		from = place_of(x, b, 3, ev);
	struct xe_move *m;
	bool is_new;
	int err;

	(void)kind;
	if (dev < 0 || to < 0 || from < 0)
		return (int)(dev < 0 ? dev : to < 0 ? to : from);
	if (!inside)
		return 0;
	m = xe_row(&x->moves, (uint64_t)dev, (uint64_t)from << 32 | (uint64_t)to, sizeof(*m),
		   &is_new, &err);
	if (!m)
		return err;
	m->dev = (uint32_t)dev;
	m->from = (uint32_t)from;
	m->to = (uint32_t)to;
	m->n++;
	m->bytes += xtr_bind_u64(b, 1, ev);
	m->lacks_source += xtr_bind_u64(b, 4, ev) != 0;
	return 0;
}

int xe_space_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev);
	uint64_t first, last;
	struct xe_space *s;
	bool is_new;
	int err;

	(void)kind;
	if (dev < 0 || !inside)
		return dev < 0 ? (int)dev : 0;
	s = xe_row(&x->spaces, (uint64_t)dev, ev->type, sizeof(*s), &is_new, &err);
	if (!s)
		return err;
	s->dev = (uint32_t)dev;
	s->desc = ev->desc;
	s->n++;
	if (xtr_bind_get(b, 1, ev, &first) && xtr_bind_get(b, 2, ev, &last) && last >= first)
		s->bytes += last - first + 1;
	return 0;
}

int xe_power_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev);
	struct xe_device *d;

	if (dev < 0)
		return (int)dev;
	d = &x->device[dev];
	d->power[kind] += inside;
	if (kind == XE_POWER_RUNTIME_SUSPEND && !d->asleep_since) {
		d->asleep_since = ev->ts;
	} else if (kind == XE_POWER_RUNTIME_RESUME && d->asleep_since) {
		if (inside)
			d->asleep_ns += ev->ts - d->asleep_since;
		d->asleep_since = 0;
	}
	return 0;
}

/* Ticks since the value before; of an engine the driver tells the sums so far. */
int xe_ticks_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev), name;
	uint64_t first = xtr_bind_u64(b, 2, ev), second = xtr_bind_u64(b, 3, ev);
	struct xe_ticks *t;
	bool is_new;
	size_t n;
	const char *s = xtr_bind_text(b, 1, ev, x->o->tables, &n);
	int err;

	name = xtr_label(&x->clocks, s, n, XE_ROWS_MAX);
	if (dev < 0 || name < 0 || !inside)
		return (int)(dev < 0 ? dev : name < 0 ? name : 0);
	t = xe_row(&x->ticks, (uint64_t)dev << 32 | kind, (uint64_t)name, sizeof(*t), &is_new,
		   &err);
	if (!t)
		return err;
	t->dev = (uint32_t)dev;
	t->name = (uint32_t)name;
	t->engine = kind;
	t->n++;
	if (kind && !is_new && first >= t->last_active && second >= t->last_total) {
		t->active += first - t->last_active;
		t->total += second - t->last_total;
	} else if (!kind && second >= first) {
		t->active += second - first;
	}
	t->last_active = first;
	t->last_total = second;
	return 0;
}
