/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ivpu_state_init(struct ivpu_state *s)
{
	*s = (struct ivpu_state){ .free_job = IVPU_NONE,
				  .free_thread = IVPU_NONE,
				  .oldest = IVPU_NONE,
				  .youngest = IVPU_NONE };
}

void ivpu_state_free(struct ivpu_state *s)
{
	xtr_map_free(&s->by_name);
	xtr_map_free(&s->by_id);
	xtr_map_free(&s->by_tid);
	free(s->job);
	free(s->thread);
}

uint32_t ivpu_by_name(const struct ivpu_state *s, uint64_t ctx, uint64_t seqno)
{
	return xtr_map_index(&s->by_name, ctx, seqno);
}

uint32_t ivpu_by_id(const struct ivpu_state *s, uint32_t ctx_id, uint32_t job_id)
{
	return xtr_map_index(&s->by_id, ctx_id, job_id);
}

/* Room for one more in an array of which n are used; the index of a free one, or -ENOMEM. */
static int64_t take(void **array, uint32_t *n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 64;
	void *p;

	if (*n == *cap) {
		p = realloc(*array, more * size);
		if (!p)
			return -ENOMEM;
		*array = p;
		*cap = more;
	}
	return (*n)++;
}

static int64_t alloc_job(struct ivpu_state *s)
{
	uint32_t i = s->free_job;

	if (i == IVPU_NONE)
		return take((void **)&s->job, &s->n_jobs, &s->cap_jobs, sizeof(*s->job));
	s->free_job = s->job[i].next;
	return i;
}

static void append(struct ivpu_state *s, uint32_t i)
{
	s->job[i].next = IVPU_NONE;
	s->job[i].prev = s->youngest;
	if (s->youngest != IVPU_NONE)
		s->job[s->youngest].next = i;
	else
		s->oldest = i;
	s->youngest = i;
	s->n_open++;
}

static void unlink_job(struct ivpu_state *s, uint32_t i)
{
	const struct ivpu_job *j = &s->job[i];

	if (j->prev != IVPU_NONE)
		s->job[j->prev].next = j->next;
	else
		s->oldest = j->next;
	if (j->next != IVPU_NONE)
		s->job[j->next].prev = j->prev;
	else
		s->youngest = j->prev;
	s->n_open--;
}

void ivpu_job_forget(struct ivpu_state *s, uint32_t i)
{
	struct ivpu_job *j = &s->job[i];

	xtr_map_del(&s->by_name, j->ctx, j->seqno);
	if (j->has_id)
		xtr_map_del(&s->by_id, j->ctx_id, j->job_id);
	unlink_job(s, i);
	j->next = s->free_job;
	s->free_job = i;
}

int64_t ivpu_job_new(struct ivpu_state *s, uint64_t ctx, uint64_t seqno)
{
	uint32_t old = ivpu_by_name(s, ctx, seqno);
	int64_t i;

	if (old != IVPU_NONE)
		ivpu_job_forget(s, old);
	if (s->n_open >= IVPU_JOBS_MAX)
		ivpu_job_forget(s, s->oldest);
	i = alloc_job(s);
	if (i < 0)
		return i;
	s->job[i] = (struct ivpu_job){ .ctx = ctx, .seqno = seqno };
	append(s, (uint32_t)i);
	return xtr_map_put(&s->by_name, ctx, seqno, (uint32_t)i) ? -ENOMEM : i;
}

int ivpu_job_set_id(struct ivpu_state *s, uint32_t i, uint32_t ctx_id, uint32_t job_id)
{
	struct ivpu_job *j = &s->job[i];

	if (j->has_id)
		xtr_map_del(&s->by_id, j->ctx_id, j->job_id);
	j->ctx_id = ctx_id;
	j->job_id = job_id;
	j->has_id = true;
	return xtr_map_put(&s->by_id, ctx_id, job_id, i);
}

struct ivpu_thread *ivpu_thread_find(struct ivpu_state *s, uint32_t tid)
{
	uint32_t i = xtr_map_index(&s->by_tid, tid, 0);

	return i != IVPU_NONE ? &s->thread[i] : NULL;
}

static void forget_threads(struct ivpu_state *s)
{
	xtr_map_free(&s->by_tid);
	s->by_tid = (struct xtr_map){ 0 };
	s->n_threads = 0;
	s->free_thread = IVPU_NONE;
}

struct ivpu_thread *ivpu_thread_get(struct ivpu_state *s, uint32_t tid)
{
	struct ivpu_thread *t = ivpu_thread_find(s, tid);
	int64_t i = s->free_thread;

	if (t)
		return t;
	if (i != IVPU_NONE && s->thread) {
		s->free_thread = s->thread[i].next;
	} else {
		if (s->n_threads == IVPU_THREADS_MAX)
			forget_threads(s);
		i = take((void **)&s->thread, &s->n_threads, &s->cap_threads, sizeof(*s->thread));
	}
	if (i < 0 || xtr_map_put(&s->by_tid, tid, 0, (uint32_t)i))
		return NULL;
	s->thread[i] = (struct ivpu_thread){ .tid = tid };
	return &s->thread[i];
}

void ivpu_thread_put(struct ivpu_state *s, struct ivpu_thread *t)
{
	if (!t || t->submit_ns || t->signaled || t->has_job)
		return;
	xtr_map_del(&s->by_tid, t->tid, 0);
	t->next = s->free_thread;
	s->free_thread = (uint32_t)(t - s->thread);
}

/* --- ivpu bind -------------------------------------------------------------------------------- */

static const char driver[] = IVPU_DRIVER;
static const char fence_ops[] = "ivpu_fence_ops";

/* drivers/accel/ivpu/ivpu_job.c, ivpu_hw_ip.c of Linux 6.3 to 7.3. */
static const struct {
	const char *name;
	enum ivpu_role role;
} functions[] = {
	{ "ivpu_submit_ioctl", ROLE_SUBMIT },
	{ "ivpu_cmdq_submit_ioctl", ROLE_SUBMIT },
	{ "ivpu_submit_ioctl:ret", ROLE_SUBMIT_RET },
	{ "ivpu_cmdq_submit_ioctl:ret", ROLE_SUBMIT_RET },
	{ "ivpu_hw_ip_db_set", ROLE_DOORBELL },
};

/* One of them calls the other: only the first that the section has. */
static const char *const completions[] = {
	"ivpu_job_signal_and_destroy",
	"ivpu_job_signal",
	"ivpu_job_done",
	"ivpu_job_done_callback",
};

/* --- binding ---------------------------------------------------------------------------------- */

static const struct xtr_event_desc *function(const struct xtr_meta *meta, const char *name)
{
	const char *const modules[] = { driver, "vmlinux" };
	const struct xtr_event_desc *d = NULL;
	char text[96] = "func:";

	for (size_t i = 0; i < 2 && !d; i++) {
		strcpy(text + 5, modules[i]);
		strcat(text, ":");
		strncat(text, name, sizeof(text) - strlen(text) - 1);
		d = xtr_meta_event_by_name(meta, text);
	}
	return d;
}

static bool is_text(const struct xtr_field *f)
{
	return f && (f->repr == XTR_REPR_STRID || f->repr == XTR_REPR_STR);
}

/* The event's text is a pointer in traces that did not resolve it: then it says nothing. */
static int bind_jobs(struct ivpu *v, const struct xtr_source_env *env)
{
	const struct xtr_event_desc *d = xtr_meta_event_by_name(env->meta, "vpu:job");

	v->event = xtr_event_field(d, "event");
	v->ctx_id = xtr_event_field(d, "ctx_id");
	v->engine_id = xtr_event_field(d, "engine_id");
	v->job_id = xtr_event_field(d, "job_id");
	v->jobs = is_text(v->event) && v->ctx_id && v->job_id;
	return v->jobs ? xtr_source_bind(env, d, ROLE_JOB) : 0;
}

static bool has_string(const struct xtr_tables *t, const char *text)
{
	uint32_t id = 0;

	while (t && xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id))
		if (!strcmp(xtr_tables_string(t, id, NULL), text))
			return true;
	return false;
}

/* Recordings have the fence's operations, imported traces what it calls its driver. */
static const struct xtr_event_desc *bind_fence(struct ivpu *v, const struct xtr_source_env *env,
					       uint32_t type, struct fence_fields *f)
{
	const struct xtr_event_desc *d = xtr_meta_event(env->meta, type);
	const struct xtr_field *ops = xtr_event_field(d, "ops"),
			       *drv = xtr_event_field(d, "driver");

	f->owner = ops ? ops : drv;
	f->ctx = xtr_event_field(d, "ctx");
	f->seqno = xtr_event_field(d, "seqno");
	f->error = xtr_event_field(d, "error");
	if (!f->owner || f->owner->repr != XTR_REPR_STRID || !f->ctx || !f->seqno ||
	    !has_string(v->tables, ops ? fence_ops : driver))
		return NULL;
	v->fences = true;
	return d;
}

static int bind_functions(struct ivpu *v, const struct xtr_source_env *env)
{
	const struct xtr_event_desc *d;
	size_t n_ret = 0;
	int err = 0;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && !err; i++) {
		d = function(env->meta, functions[i].name);
		if (d && functions[i].role == ROLE_SUBMIT_RET)
			v->ret[n_ret++] = d;
		if (d && functions[i].role == ROLE_DOORBELL)
			v->doorbell = true;
		err = xtr_source_bind(env, d, functions[i].role);
	}
	for (size_t i = 0; i < sizeof(completions) / sizeof(completions[0]) && !err; i++) {
		d = function(env->meta, completions[i]);
		if (!d)
			continue;
		/* Whatever else tells of the end is better. */
		return v->jobs || v->sig.owner ? 0 : xtr_source_bind(env, d, ROLE_COMPLETE);
	}
	return err;
}

static const char *device_name(const struct xtr_meta *meta)
{
	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++) {
		const struct xtr_device *d = xtr_meta_device(meta, i);

		if (d->driver && !strcmp(d->driver, driver))
			return d->name;
	}
	return driver;
}

/*
 * One compute engine, on which firmware schedules the jobs of several contexts and may preempt.
 * DRM_IVPU_ENGINE_COMPUTE, _COPY of include/uapi/drm/ivpu_accel.h.
 */
static int declare_rings(struct ivpu *v, const struct xtr_source_env *env)
{
	static const char *const engines[IVPU_ENGINES] = { "compute", "copy", "engine2", "other" };
	struct xtr_declared_ring ring = { .driver = driver,
					  .device = device_name(env->meta),
					  .tells_run = v->jobs || v->doorbell,
					  .by_client = true };
	int err = 0;

	for (uint32_t i = 0; env->rings && i < IVPU_ENGINES && !err; i++) {
		ring.name = engines[i];
		err = xtr_rings_declare(env->rings, &ring, &v->ring[i]);
	}
	return err;
}

static int bind_all(struct ivpu *v, const struct xtr_source_env *env)
{
	const struct xtr_event_desc *init, *sig;
	int err = bind_jobs(v, env);

	init = bind_fence(v, env, XTR_EV_FENCE_INIT, &v->init);
	sig = bind_fence(v, env, XTR_EV_FENCE_SIGNALED, &v->sig);
	if (!sig)
		v->sig = (struct fence_fields){ 0 };
	return err ?: xtr_source_bind(env, init, ROLE_INIT) ?:
	       xtr_source_bind(env, sig, ROLE_SIGNALED) ?:
	       bind_functions(v, env) ?:
	       declare_rings(v, env);
}

void ivpu_close(void *self)
{
	struct ivpu *v = self;

	ivpu_state_free(&v->s);
	free(v);
}

int ivpu_open(void **self, const struct xtr_source_env *env)
{
	struct ivpu *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return -ENOMEM;
	ivpu_state_init(&v->s);
	v->meta = env->meta;
	v->tables = env->tables;
	err = bind_all(v, env);
	*self = v; /* closed by the caller, whatever happened */
	return err;
}

/* --- records ---------------------------------------------------------------------------------- */

uint64_t ivpu_number(const struct xtr_field *f, const struct xtr_event *ev)
{
	uint64_t v;

	xtr_field_get(f, ev->rec, ev->size, &v);
	return v;
}

/* STRID fields have any width. */
static const char *text(const struct ivpu *v, const struct xtr_field *f, const uint8_t *rec,
			uint32_t size, size_t *n)
{
	uint64_t id;

	if (f->repr == XTR_REPR_STR) {
		*n = f->offset <= size && f->size <= size - f->offset
			     ? strnlen((const char *)rec + f->offset, f->size)
			     : 0;
		return (const char *)rec + f->offset;
	}
	*n = 0;
	if (!v->tables || !xtr_field_get(f, rec, size, &id) || id > UINT32_MAX)
		return NULL;
	return xtr_tables_string(v->tables, (uint32_t)id, n);
}

static bool text_is(const struct ivpu *v, const struct xtr_field *f, const uint8_t *rec,
		    uint32_t size, const char *want)
{
	size_t n;
	const char *s = text(v, f, rec, size, &n);

	return s && n == strlen(want) && !memcmp(s, want, n);
}

enum ivpu_stage ivpu_stage_of(const struct ivpu *v, const struct xtr_event *ev)
{
	static const char *const names[] = { "", "create", "submit", "done" };

	for (unsigned int i = STAGE_CREATE; i <= STAGE_DONE; i++)
		if (text_is(v, v->event, ev->rec, ev->size, names[i]))
			return (enum ivpu_stage)i;
	return STAGE_OTHER;
}

/* Every function and every vpu:job is this driver's; of fences only its own. */
bool ivpu_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size)
{
	const struct ivpu *v = self;
	const struct fence_fields *f = role == ROLE_INIT ? &v->init : &v->sig;
	bool ops;

	if (role != ROLE_INIT && role != ROLE_SIGNALED)
		return true;
	ops = !strcmp(f->owner->name, "ops");
	return text_is(v, f->owner, rec, size, ops ? fence_ops : driver);
}
