/* SPDX-License-Identifier: BSD-2-Clause */
#include "driver_sources.h"
#include "replay/event/event_bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RINGS_MAX    1024u
#define CONTEXTS_MAX 65536u
#define BINDS_MAX    64u /* events of one name may have other fields */

enum role {
	ROLE_QUEUED,
	ROLE_RUN,
	ROLE_WAITED,
	ROLE_TOLD,
	ROLE_STAGE
};

enum {
	CTX,
	SEQNO,
	DEVICE,
	RING,
	QUEUE, /* what else tells rings of one name apart */
	WHY,   /* why execution on the ring is only bounded; "": it is not */
	TID,
	PID,
	COMM,
	SUBMIT,
	QUEUED,
	RUN,
	START,
	DONE,
	EXEC_MIN,
	EXEC_MAX,
	DEP_WAIT,
	DEP_WAITS,
	KIND,
	QUALITY,
	FLAGS,
	KNOWN, /* enum xtr_told_known */
	CLIENT,
	ERROR,
	FIELDS
};

enum {
	DEP_CTX = TID,
	DEP_SEQNO,
	DEP_FROM,
	DEP_UNTIL,
	DEP_KIND /* 1: until the other was run; 2: a job of the trace */
};

#define NAME  "ctx", "seqno", "device", "ring", "queue", "why"
#define TIMES "submit_ns", "queue_ns", "run_ns", "start_ns", "done_ns"

static const struct xtr_bind_spec specs[] = {
	{ "xtr:job_queued", ROLE_QUEUED, { NAME, "tid" } },
	{ "xtr:job_run", ROLE_RUN, { NAME } },
	{ "xtr:job_waited",
	  ROLE_WAITED,
	  { NAME, "dep_ctx", "dep_seqno", "from_ns", "until_ns", "dep" } },
	{ "xtr:job_told",
	  ROLE_TOLD,
	  { NAME, "tid", "pid", "comm", TIMES, "exec_min_ns", "exec_max_ns", "dep_wait_ns",
	    "dep_waits", "kind", "quality", "flags", "known", "client", "error" } },
	{ "perfetto:gpu_stage_queued", ROLE_QUEUED, { NAME, "tid" } },
	{ "perfetto:gpu_stage_begin", ROLE_RUN, { NAME } },
	{ "perfetto:gpu_stage_waited",
	  ROLE_WAITED,
	  { NAME, "dep_ctx", "dep_seqno", "from_ns", "until_ns", "dep" } },
	{ "perfetto:gpu_stage",
	  ROLE_STAGE,
	  { NAME, "tid", "pid", "comm", TIMES, [KIND] = "kind" } },
};

struct told_ring {
	uint64_t names; /* device's string id << 32 | ring's */
	uint64_t queue;
	uint32_t id;
};

struct told {
	struct xtr_bind bind[BINDS_MAX];
	uint32_t n_binds;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_rings *rings;
	struct xtr_map by_name; /* (names, queue) -> index in ring */
	struct xtr_map by_ctx;  /* fence context -> id of its last job's ring */
	struct told_ring ring[RINGS_MAX];
	uint32_t n_rings;
	uint32_t others; /* id of the ring of further ones; 0: none yet */
	struct xtr_told job;
};

bool source_told_all(const struct xtr_meta *meta)
{
	for (size_t i = 0; meta && i < xtr_meta_n_events(meta); i++)
		if (!strcmp(xtr_meta_event_at(meta, i)->name, "xtr:job_told"))
			return true;
	return false;
}

bool source_told_plain(const struct xtr_event_desc *d)
{
	return !strncmp(d->name, "xtr:job_", 8) ||
	       !strncmp(d->name, "perfetto:gpu_stage_", sizeof("perfetto:gpu_stage_") - 1);
}

static void told_close(void *self)
{
	struct told *t = self;

	xtr_map_free(&t->by_name);
	xtr_map_free(&t->by_ctx);
	free(t);
}

static int bind_event(struct told *t, const struct xtr_source_env *env,
		      const struct xtr_event_desc *d)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct xtr_bind *b = &t->bind[t->n_binds];

		if (strcmp(specs[i].event, d->name) != 0 || t->n_binds == BINDS_MAX)
			continue;
		xtr_bind_desc(b, d, &specs[i]);
		if (!b->slot[CTX].width || !b->slot[SEQNO].width || !xtr_bind_has(b, RING))
			return 0;
		b->role = specs[i].role;
		return xtr_source_bind(env, d, t->n_binds++);
	}
	return 0;
}

static int told_open(void **self, const struct xtr_source_env *env)
{
	struct told *t = calloc(1, sizeof(*t));
	int err = 0;

	if (!t)
		return -ENOMEM;
	*self = t; /* closed by the caller, whatever happened */
	t->meta = env->meta;
	t->tables = env->tables;
	t->rings = env->rings;
	for (size_t i = 0; i < xtr_meta_n_events(env->meta) && !err; i++)
		err = bind_event(t, env, xtr_meta_event_at(env->meta, i));
	return err;
}

static bool told_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size)
{
	(void)self;
	(void)role;
	(void)rec;
	(void)size;
	return true;
}

static const char *text_of(const struct told *t, uint64_t id)
{
	const char *s =
		id && id <= UINT32_MAX ? xtr_tables_string(t->tables, (uint32_t)id, NULL) : NULL;

	return s ? s : "";
}

static const char *driver_of(const struct told *t, const char *device)
{
	for (size_t i = 0; i < xtr_meta_n_devices(t->meta); i++)
		if (!strcmp(xtr_meta_device(t->meta, i)->name, device))
			return xtr_meta_device(t->meta, i)->driver;
	return NULL;
}

static int declare(struct told *t, const struct xtr_declared_ring *ring, uint32_t *id)
{
	*id = 1;
	return t->rings ? xtr_rings_declare(t->rings, ring, id) : 0;
}

/* The id of the ring that the event names; -ENOMEM. */
static int64_t ring_of(struct told *t, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint64_t device = xtr_bind_u64(b, DEVICE, ev), ring = xtr_bind_u64(b, RING, ev);
	uint64_t names = device << 32 | (uint32_t)ring, queue = xtr_bind_u64(b, QUEUE, ev);
	uint32_t i = xtr_map_index(&t->by_name, names, queue);
	const char *why = text_of(t, xtr_bind_u64(b, WHY, ev)), *name = text_of(t, device);
	const bool by_xtr = !strncmp(b->desc->name, "xtr:", 4);
	struct xtr_declared_ring made = {
		.device = name,
		.driver = driver_of(t, name),
		.name = text_of(t, ring),
		.tells_run = true,
		.measured = true,
		.told = by_xtr,
		.order_source = by_xtr ? "told by the trace that was imported" : NULL,
		.why = *why ? why : NULL
	};

	if (i != XTR_MAP_NONE)
		return t->ring[i].id;
	if (!*made.name && !*name && !queue)
		return 0; /* the unknown ring */
	if (t->n_rings == RINGS_MAX) {
		made = (struct xtr_declared_ring){ .device = "", .name = "(others)" };
		if (!t->others && declare(t, &made, &t->others))
			return -ENOMEM;
		return t->others;
	}
	t->ring[t->n_rings] = (struct told_ring){ .names = names, .queue = queue };
	if (declare(t, &made, &t->ring[t->n_rings].id) ||
	    xtr_map_put(&t->by_name, names, queue, t->n_rings))
		return -ENOMEM;
	return t->ring[t->n_rings++].id;
}

/* A queue's jobs have one context, so that it tells the ring of one that is gone long since. */
static int note_context(struct told *t, uint64_t ctx, uint32_t ring)
{
	if (t->by_ctx.n >= CONTEXTS_MAX)
		xtr_map_free(&t->by_ctx);
	return xtr_map_put(&t->by_ctx, ctx, 0, ring);
}

static void waited(const struct told *t, const struct xtr_bind *b, const struct xtr_event *ev,
		   struct xtr_job_step *s)
{
	uint64_t kind = xtr_bind_u64(b, DEP_KIND, ev);
	uint32_t ring;

	s->r.dep_ctx = xtr_bind_u64(b, DEP_CTX, ev);
	s->r.dep_seqno = xtr_bind_u64(b, DEP_SEQNO, ev);
	s->dep_from_ns = xtr_bind_u64(b, DEP_FROM, ev);
	s->dep_until_ns = xtr_bind_u64(b, DEP_UNTIL, ev);
	ring = kind & 2 ? xtr_map_index(&t->by_ctx, s->r.dep_ctx, 0) : XTR_MAP_NONE;
	s->dep_ring = ring == XTR_MAP_NONE ? 0 : ring;
	s->r.flags = kind & 1 ? XTR_JOB_DEP_SCHEDULED : 0;
}

/* The number, below n, that has this name. */
static uint8_t number_of(const char *text, const char *(*name)(unsigned int), unsigned int n,
			 uint8_t none)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(name(i), text))
			return (uint8_t)i;
	return none;
}

/* "batch|overtook" */
static uint32_t flags_of(const char *text)
{
	uint32_t flags = 0;
	const char *name;

	for (; *text; text += strcspn(text, "|"), text += *text == '|') {
		size_t n = strcspn(text, "|");

		for (unsigned int bit = 0; (name = xtr_job_flag_name(bit)); bit++)
			if (strlen(name) == n && !memcmp(name, text, n))
				flags |= 1u << bit;
	}
	return flags;
}

/* Times that a file says may make no sense: what they are is bounded here. */
static void told_job(struct told *t, const struct xtr_bind *b, const struct xtr_event *ev)
{
	struct xtr_told *j = &t->job;

	*j = (struct xtr_told){ .submit_ns = xtr_bind_u64(b, SUBMIT, ev),
				.queue_ns = xtr_bind_u64(b, QUEUED, ev),
				.run_ns = xtr_bind_u64(b, RUN, ev),
				.start_ns = xtr_bind_u64(b, START, ev),
				.done_ns = xtr_bind_u64(b, DONE, ev),
				.exec_min_ns = xtr_bind_u64(b, EXEC_MIN, ev),
				.exec_max_ns = xtr_bind_u64(b, EXEC_MAX, ev),
				.dep_wait_ns = xtr_bind_u64(b, DEP_WAIT, ev),
				.n_waits = (uint32_t)xtr_bind_u64(b, DEP_WAITS, ev),
				.pid = (uint32_t)xtr_bind_u64(b, PID, ev),
				.comm = (uint32_t)xtr_bind_u64(b, COMM, ev) };
	/* It is told when it has happened. */
	j->done_ns = j->done_ns < ev->ts ? j->done_ns : ev->ts;
	j->run_ns = j->run_ns < ev->ts ? j->run_ns : ev->ts;
	j->queue_ns = j->queue_ns < ev->ts ? j->queue_ns : ev->ts;
	if (j->run_ns && j->done_ns && j->done_ns < j->run_ns)
		j->done_ns = j->run_ns;
	if (j->start_ns && (j->start_ns < j->run_ns || j->start_ns > j->done_ns))
		j->start_ns = 0;
	if (j->run_ns && j->queue_ns > j->run_ns)
		j->queue_ns = j->run_ns;
	if (j->submit_ns > j->queue_ns)
		j->submit_ns = j->queue_ns;
	if (!j->run_ns || !j->done_ns || j->exec_max_ns > j->done_ns - j->run_ns)
		j->exec_max_ns = j->run_ns && j->done_ns ? j->done_ns - j->run_ns : 0;
	if (j->exec_min_ns > j->exec_max_ns)
		j->exec_min_ns = j->exec_max_ns;
}

static void told(struct told *t, const struct xtr_bind *b, const struct xtr_event *ev,
		 struct xtr_job_step *s)
{
	uint64_t known = xtr_bind_u64(b, KNOWN, ev);
	struct xtr_told *j = &t->job;

	told_job(t, b, ev);
	if (!*text_of(t, j->comm))
		j->comm = 0;
	j->kind = number_of(text_of(t, xtr_bind_u64(b, KIND, ev)), xtr_job_kind_name,
			    XTR_KIND_COUNT, XTR_KIND_GPU);
	j->quality = number_of(text_of(t, xtr_bind_u64(b, QUALITY, ev)), xtr_quality_name,
			       XTR_QUALITY_COUNT, XTR_QUALITY_LOST);
	s->flags = flags_of(text_of(t, xtr_bind_u64(b, FLAGS, ev)));
	if (j->quality < XTR_QUALITY_OPEN && !(s->flags & XTR_FLAG_KILLED) &&
	    !(j->run_ns && j->done_ns))
		j->quality = XTR_QUALITY_OPEN;
	j->ended = known & XTR_TOLD_ENDED;
	s->r.flags = known & XTR_TOLD_CLIENT ? XTR_JOB_CLIENT_KNOWN : 0;
	s->r.client_id = xtr_bind_u64(b, CLIENT, ev);
	s->r.error = (int32_t)xtr_bind_s64(b, ERROR, ev);
	s->result_known = known & XTR_TOLD_RESULT;
	s->told = j;
}

/* The GPU has measured it. */
static void stage(struct told *t, const struct xtr_bind *b, const struct xtr_event *ev,
		  struct xtr_job_step *s)
{
	told_job(t, b, ev);
	t->job.kind = number_of(text_of(t, xtr_bind_u64(b, KIND, ev)), xtr_job_kind_name,
				XTR_KIND_COUNT, XTR_KIND_GPU);
	t->job.quality = t->job.run_ns && t->job.done_ns ? XTR_QUALITY_EXACT : XTR_QUALITY_OPEN;
	t->job.start_ns = t->job.run_ns;
	if (t->job.quality == XTR_QUALITY_EXACT)
		t->job.exec_min_ns = t->job.exec_max_ns = t->job.done_ns - t->job.run_ns;
	t->job.ended = true;
	s->flags = XTR_FLAG_MEASURED | XTR_FLAG_KEY_INFERRED |
		   (t->job.queue_ns ? 0 : XTR_FLAG_NO_QUEUE);
	s->told = &t->job;
}

static int told_event(void *self, uint32_t role, const struct xtr_event *ev,
		      struct xtr_job_steps *out)
{
	static const enum xtr_step_kind kinds[] = { [ROLE_QUEUED] = XTR_STEP_QUEUE,
						    [ROLE_RUN] = XTR_STEP_RUN,
						    [ROLE_WAITED] = XTR_STEP_WAITED,
						    [ROLE_TOLD] = XTR_STEP_TOLD,
						    [ROLE_STAGE] = XTR_STEP_TOLD };
	struct told *t = self;
	const struct xtr_bind *b = &t->bind[role];
	int64_t ring = ring_of(t, b, ev);
	struct xtr_job_step *s;

	if (ring < 0)
		return (int)ring;
	s = xtr_steps_add(out, kinds[b->role]);
	s->r.ctx = xtr_bind_u64(b, CTX, ev);
	s->r.seqno = xtr_bind_u64(b, SEQNO, ev);
	s->r.ring = (uint32_t)ring;
	s->r.stream = ev->stream;
	s->r.tid = b->role == ROLE_WAITED ? 0 : (uint32_t)xtr_bind_u64(b, TID, ev);
	if (b->role == ROLE_WAITED)
		waited(t, b, ev, s);
	else if (note_context(t, s->r.ctx, s->r.ring))
		return -ENOMEM;
	if (b->role == ROLE_TOLD)
		told(t, b, ev, s);
	else if (b->role == ROLE_STAGE)
		stage(t, b, ev, s);
	return 0;
}

const struct xtr_job_source xtr_source_told = {
	.name = "told",
	.open = told_open,
	.close = told_close,
	.takes = told_takes,
	.event = told_event,
};
