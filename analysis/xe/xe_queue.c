/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lives of queues. The driver numbers queues (guc_id) and uses numbers again, so a queue is a
 * number of one GT of one device between two moments: begin  its creation, or the first event of a
 * number that nobody has end    its destruction, or the firmware's answer that it has forgotten it;
 * both may come, in either order, and belong to one life. What submits work after that is another
 * queue.
 */
#include "xe_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *text, *ring; /* for people; in the names of schedulers */
} classes[] = {
	{ "render", "rcs" }, { "video decode", "vcs" }, { "video enhance", "vecs" },
	{ "copy", "bcs" },   { "other", "gsccs" },      { "compute", "ccs" },
};
#define KNOWN (sizeof(classes) / sizeof(classes[0]))

uint32_t xe_class_index(uint32_t class)
{
	return class < KNOWN ? class : XE_CLASSES - 1;
}

const char *xe_class_text(uint32_t class, char buf[32])
{
	if (class < KNOWN)
		return classes[class].text;
	snprintf(buf, 32, "class %u", class);
	return class == XE_CLASS_UNKNOWN ? "-" : buf;
}

const char *xe_queue_name(const struct xe_queue *q, char buf[32])
{
	if (q->class < KNOWN)
		snprintf(buf, 32, "%s%u", classes[q->class].ring, q->guc);
	else
		snprintf(buf, 32, "guc %u", q->guc);
	return buf;
}

bool xe_queue_instant(const struct xe_queue *q)
{
	return q->instant && q->instant == q->unsignaled && !q->done && !q->event[XE_QUEUE_KILL] &&
	       !q->job[XE_JOB_SET_ERROR] && !q->job[XE_JOB_BAN] && !q->job[XE_JOB_TIMEDOUT] &&
	       !q->event[XE_QUEUE_RESET] && !q->event[XE_QUEUE_CAT_ERROR];
}

static struct xe_queue *add(struct xe *x, uint32_t older, int *ret)
{
	struct xe_queue *q;
	uint32_t cap = x->cap_queues ? x->cap_queues * 2 : 64;

	*ret = 0;
	if (x->n_queues == XE_QUEUES_MAX) {
		x->queues_left_out++;
		return NULL;
	}
	if (x->n_queues == x->cap_queues) {
		q = realloc(x->queue, cap * sizeof(*q));
		if (!q) {
			*ret = -ENOMEM;
			return NULL;
		}
		x->queue = q;
		x->cap_queues = cap;
	}
	q = &x->queue[x->n_queues++];
	*q = (struct xe_queue){ .class = XE_CLASS_UNKNOWN, .older = older };
	return q;
}

static struct xe_queue *begin(struct xe *x, uint32_t dev, uint32_t gt, uint32_t guc, uint32_t older,
			      const struct xtr_event *ev, int *ret)
{
	struct xe_queue *q = add(x, older, ret);

	if (!q) {
		/* What follows is not of the life before. */
		xtr_map_del(&x->by_guc, (uint64_t)dev << 32 | gt, guc);
		return NULL;
	}
	q->dev = dev;
	q->gt = gt;
	q->guc = guc;
	q->from_ns = ev->ts;
	if (xtr_map_put(&x->by_guc, (uint64_t)dev << 32 | gt, guc, x->n_queues - 1)) {
		*ret = -ENOMEM;
		return NULL;
	}
	return q;
}

struct xe_queue *xe_queue_of(struct xe *x, uint32_t dev, uint32_t gt, uint32_t guc,
			     const struct xtr_event *ev, int *ret)
{
	uint32_t i = xtr_map_index(&x->by_guc, (uint64_t)dev << 32 | gt, guc);

	*ret = 0;
	return i != XTR_MAP_NONE ? &x->queue[i] : begin(x, dev, gt, guc, i, ev, ret);
}

static void set_owner(struct xe *x, struct xe_queue *q, const struct xtr_event *ev)
{
	const struct xtr_task *task =
		ev->tid && x->o->tables ? xtr_tables_task(x->o->tables, ev->tid, ev->ts) : NULL;

	if (!task || q->process)
		return;
	q->process = xtr_process_of(task);
	q->comm = task->comm;
}

static bool is_creation(uint32_t kind)
{
	return kind == XE_QUEUE_CREATE || kind == XE_QUEUE_CREATE_MULTI;
}

/* The life that the event is of. A creation with a second event of its own is one. */
static struct xe_queue *life(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
			     uint32_t kind, int *ret)
{
	int64_t dev = xe_device_of(x, b, 0, ev);
	uint32_t gt = (uint32_t)xtr_bind_u64(b, 1, ev), guc = (uint32_t)xtr_bind_u64(b, 2, ev), i;
	struct xe_queue *q;

	*ret = dev < 0 ? (int)dev : 0;
	if (dev < 0)
		return NULL;
	q = xe_queue_of(x, (uint32_t)dev, gt, guc, ev, ret);
	if (!q || !is_creation(kind) || q->from_ns == ev->ts)
		return q;
	i = (uint32_t)(q - x->queue);
	if (q->creations & 1u << kind || !q->creations || q->ended) {
		q->ended = true;
		return begin(x, (uint32_t)dev, gt, guc, i, ev, ret);
	}
	return q;
}

int xe_queue_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside)
{
	uint64_t class;
	int err;
	struct xe_queue *q = life(x, b, ev, kind, &err);

	if (!q) {
		if (!err && inside && !x->rest.event[kind]++)
			x->rest.first_ns[kind] = ev->ts;
		return err;
	}
	if (xtr_bind_get(b, 3, ev, &class))
		q->class = (uint32_t) class;
	if (xtr_bind_has(b, 4))
		q->width = (uint32_t)xtr_bind_u64(b, 4, ev);
	if (is_creation(kind)) {
		q->creations |= 1u << kind;
		set_owner(x, q, ev);
	}
	if (kind == XE_QUEUE_DESTROY || kind == XE_QUEUE_DEREGISTER_DONE) {
		q->ended = true;
		q->to_ns = ev->ts;
	}
	if (!inside)
		return 0;
	if (!q->event[kind]++)
		q->first_ns[kind] = ev->ts;
	return 0;
}
