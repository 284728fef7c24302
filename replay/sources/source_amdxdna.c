/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xdna_job tells in a text what happens to a job: "job run" (the scheduler hands it to the driver,
 * right after the scheduler's own event), "sent to device" (the driver has written it to the
 * device's mailbox), "signaling fence" (the device has answered; the scheduler's done follows),
 * "job free". A job that nothing else tells of is on a ring of the name of its hardware context.
 *
 * drivers/accel/amdxdna/aie2_ctx.c, include/trace/events/amdxdna.h of Linux 6.14 to 7.3.
 */
#include "driver_sources.h"
#include "replay/event/event_bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER       "amdxdna"
#define CONTEXTS_MAX 256u

/* Below the ids that the model gives itself; bits of a string's id follow. */
#define RING_BASE 0xb0000000u
#define RING_BITS 0x0fffffffu

enum field {
	F_NAME,
	F_STAGE,
	F_CTX,
	F_SEQNO
};

/* The out-of-tree driver has the same event in a system of its own. */
static const struct xtr_bind_spec spec = { "amdxdna:xdna_job|amdxdna_trace:xdna_job",
					   0,
					   { "name", "str", "fence_context", "fence_seqno" } };

static const struct {
	const char *text;
	enum xtr_step_kind kind;
} stages[] = {
	{ "job run", XTR_STEP_HANDED },
	{ "sent to device", XTR_STEP_HANDED },
	{ "signaling fence", XTR_STEP_DONE },
	{ "signaled fence", XTR_STEP_DONE }, /* what earlier versions call it */
};
#define STAGES (sizeof(stages) / sizeof(stages[0]))

struct amdxdna {
	struct xtr_bind bind;
	const struct xtr_tables *tables;
	struct xtr_rings *rings; /* NULL: no steps are wanted */
	const char *device;
	struct xtr_map by_name; /* string's id -> the ring is declared */
	uint32_t n_contexts;
	bool others; /* the ring of further contexts is declared */
};

/* Events do not name the device: it is known where there is one. */
static const char *device_name(const struct xtr_meta *meta)
{
	const char *found = NULL;

	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++) {
		const struct xtr_device *d = xtr_meta_device(meta, i);

		if (!d->driver || strcmp(d->driver, DRIVER))
			continue;
		if (found)
			return DRIVER;
		found = d->name;
	}
	return found ? found : DRIVER;
}

static void amdxdna_close(void *self)
{
	struct amdxdna *v = self;

	xtr_map_free(&v->by_name);
	free(v);
}

static int amdxdna_open(void **self, const struct xtr_source_env *env)
{
	struct amdxdna *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	*self = v; /* closed by the caller, whatever happened */
	xtr_bind_event(&v->bind, env->meta, &spec);
	v->tables = env->tables;
	v->rings = env->rings;
	v->device = device_name(env->meta);
	if (!v->bind.slot[F_CTX].width || !v->bind.slot[F_SEQNO].width ||
	    !xtr_bind_has(&v->bind, F_STAGE))
		return 0;
	return xtr_source_bind(env, v->bind.desc, 0);
}

static bool amdxdna_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size)
{
	(void)self;
	(void)role;
	(void)rec;
	(void)size;
	return true;
}

static int declare(struct amdxdna *v, uint32_t id, const char *name)
{
	struct xtr_declared_ring ring = {
		.id = id, .device = v->device, .driver = DRIVER, .name = name, .tells_run = true
	};

	return v->rings ? xtr_rings_declare(v->rings, &ring, &id) : 0;
}

/* The ring of the event's context; -ENOMEM. */
static int64_t ring_of(struct amdxdna *v, const struct xtr_event *ev)
{
	uint32_t string = (uint32_t)xtr_bind_u64(&v->bind, F_NAME, ev), id = RING_BASE | string;
	const char *name = string ? xtr_tables_string(v->tables, string, NULL) : NULL;

	if (xtr_map_index(&v->by_name, string, 0) != XTR_MAP_NONE)
		return id;
	if (!name || string >= RING_BITS || v->n_contexts == CONTEXTS_MAX) {
		id = RING_BASE | RING_BITS;
		if (!v->others && declare(v, id, "(others)"))
			return -ENOMEM;
		v->others = true;
		return id;
	}
	v->n_contexts++;
	if (declare(v, id, name) || xtr_map_put(&v->by_name, string, 0, 1))
		return -ENOMEM;
	return id;
}

static int amdxdna_event(void *self, uint32_t role, const struct xtr_event *ev,
			 struct xtr_job_steps *out)
{
	struct amdxdna *v = self;
	struct xtr_job_step *s;
	int64_t ring;
	size_t i;

	(void)role;
	for (i = 0; i < STAGES; i++)
		if (xtr_bind_text_is(&v->bind, F_STAGE, ev, v->tables, stages[i].text))
			break;
	ring = i < STAGES ? ring_of(v, ev) : 0;
	if (i == STAGES || ring < 0)
		return (int)ring;
	s = xtr_steps_add(out, stages[i].kind);
	s->r.ctx = xtr_bind_u64(&v->bind, F_CTX, ev);
	s->r.seqno = xtr_bind_u64(&v->bind, F_SEQNO, ev);
	s->r.ring = (uint32_t)ring;
	s->r.tid = ev->tid;
	s->r.stream = ev->stream;
	return 0;
}

const struct xtr_job_source xtr_source_amdxdna = {
	.name = DRIVER,
	.open = amdxdna_open,
	.close = amdxdna_close,
	.takes = amdxdna_takes,
	.event = amdxdna_event,
};
