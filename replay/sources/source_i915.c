/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request's way: queue (execbuffer, in the submitting process), add (committed to its timeline),
 * [submit: its dependencies are met], [execute, in, guc_submit: handed to the hardware or to its
 * firmware], the fence's signal, retire. Those in brackets exist only in kernels with
 * CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS, and [out] only without the GuC. Which of them the section
 * has decides what is taken for `run`: the last of the way before the signal.
 *
 * A driver that retires a request before its fence was signalled (nobody waited for it, so that no
 * interrupt was asked for) signals it then: the request had completed at some time before. At the
 * latest it had when a younger one of its context had, or, of kernels up to 5.1, when the engine's
 * interrupt told of its number (`global`) or a later one.
 *
 * Up to Linux 4.9 a request has no context, and its number is that of the device: dispatch (by the
 * submitting process), add, the interrupt that tells how far the engine is, retire.
 *
 * drivers/gpu/drm/i915/i915_trace.h, i915_request.c of Linux 6.1 to 7.3; for `global`, `ring` and
 * intel_engine_notify i915_trace.h and i915_irq.c of Linux 4.10 to 5.1; without contexts those of
 * Linux 3.8 and 4.4.
 */
#include "driver_sources.h"
#include "replay/event/event_bind.h"
#include "replay/event/field.h"
#include "i915_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum role {
	ROLE_QUEUE,
	ROLE_ADD,
	ROLE_SUBMIT,
	ROLE_EXECUTE,
	ROLE_GUC_SUBMIT,
	ROLE_IN,
	ROLE_OUT,
	ROLE_RETIRE,
	ROLE_SIGNALED,
	ROLE_NOTIFY,
	ROLES
};

enum request_field {
	F_DEV,
	F_CLASS,
	F_INSTANCE,
	F_CTX,
	F_SEQNO,
	F_COMPLETED,
	F_RING,
	F_GLOBAL
};

enum fence_field {
	F_OPS,
	F_DRIVER,
	F_FENCE_CTX,
	F_FENCE_SEQNO,
	F_ERROR
};

#define FIELDS                                                                   \
	{                                                                        \
		"dev", "class", "instance", "ctx", "seqno", "completed", "ring", \
			"global|global_seqno"                                    \
	}
/* Before Linux 4.17 they were called so. */
#define REQUEST(name, role)                                                            \
	{                                                                              \
		"i915:i915_request_" name "|i915:i915_gem_request_" name, role, FIELDS \
	}

/* In the order of enum role. */
static const struct xtr_bind_spec specs[ROLES] = {
	{ "i915:i915_request_queue|i915:i915_gem_request_queue|i915:i915_gem_ring_dispatch",
	  ROLE_QUEUE, FIELDS },
	REQUEST("add", ROLE_ADD),
	REQUEST("submit", ROLE_SUBMIT),
	REQUEST("execute", ROLE_EXECUTE),
	REQUEST("guc_submit", ROLE_GUC_SUBMIT),
	REQUEST("in", ROLE_IN),
	REQUEST("out", ROLE_OUT),
	REQUEST("retire", ROLE_RETIRE),
	{ "dma_fence:dma_fence_signaled",
	  ROLE_SIGNALED,
	  { "ops", "driver", "ctx|context", "seqno", "error" } },
	{ "i915:intel_engine_notify|i915:i915_gem_request_notify|i915:i915_gem_request_complete",
	  ROLE_NOTIFY, FIELDS },
};

struct i915 {
	struct i915_state s;
	struct xtr_bind bind[ROLES];
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_rings *rings; /* NULL: no steps are wanted */
	uint64_t ctx_mask;       /* of a context: what fences tell of it */
	enum role run;           /* first event that says that the hardware has the request */
	bool tells_run, signals;
	bool contexts; /* requests have one */
};

/* Made-up contexts of engines, for requests without: above those of imports. */
#define ENGINE_CONTEXT (XTR_SOURCE_CONTEXT + (1ull << 32))

/* --- binding ---------------------------------------------------------------------------------- */

static bool has(const struct i915 *v, enum role role)
{
	return v->bind[role].desc;
}

static bool has_string(const struct xtr_tables *t, const char *text)
{
	uint32_t id = 0;

	while (t && xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id))
		if (!strcmp(xtr_tables_string(t, id, NULL), text))
			return true;
	return false;
}

/* Recordings have the fence's operations and its whole name, imported traces 32 bits of that. */
static void look_at_fences(struct i915 *v)
{
	struct xtr_bind *b = &v->bind[ROLE_SIGNALED];
	bool ops = xtr_bind_has(b, F_OPS), driver = xtr_bind_has(b, F_DRIVER);

	v->ctx_mask = ops && b->slot[F_FENCE_CTX].width == 8 ? UINT64_MAX : UINT32_MAX;
	v->signals = b->slot[F_FENCE_CTX].width && b->slot[F_FENCE_SEQNO].width &&
		     ((ops && has_string(v->tables, "i915_fence_ops")) ||
		      (driver && has_string(v->tables, "i915")));
	if (!v->signals)
		b->desc = NULL;
}

/* Of requests of one context only the last gets an `in`, so that alone does not tell of each. */
static void choose_run(struct i915 *v)
{
	v->tells_run = true;
	if (has(v, ROLE_EXECUTE) || has(v, ROLE_GUC_SUBMIT) || has(v, ROLE_IN)) {
		v->run = ROLE_EXECUTE;
		v->tells_run = has(v, ROLE_EXECUTE) || has(v, ROLE_GUC_SUBMIT);
	} else if (has(v, ROLE_SUBMIT)) {
		v->run = ROLE_SUBMIT;
	} else {
		v->run = ROLE_ADD;
		v->tells_run = has(v, ROLE_ADD);
	}
}

static bool is_usable(const struct xtr_bind *b)
{
	return b->slot[F_SEQNO].width && (b->slot[F_CTX].width || b->slot[F_RING].width);
}

static int i915_bind(struct i915 *v, const struct xtr_source_env *env)
{
	bool any = false;
	int err = 0;

	for (unsigned int i = 0; i < ROLES; i++) {
		bool request = i < ROLE_SIGNALED;

		xtr_bind_event(&v->bind[i], env->meta, &specs[i]);
		if (request && !is_usable(&v->bind[i]))
			v->bind[i].desc = NULL;
		any |= request && v->bind[i].desc;
		v->contexts |= request && xtr_bind_has(&v->bind[i], F_CTX);
	}
	if (!any)
		return 0;
	look_at_fences(v);
	choose_run(v);
	for (unsigned int i = 0; i < ROLES && !err; i++)
		err = xtr_source_bind(env, v->bind[i].desc, i);
	return err;
}

static void i915_close(void *self)
{
	struct i915 *v = self;

	i915_state_free(&v->s);
	free(v);
}

static int i915_open(void **self, const struct xtr_source_env *env)
{
	struct i915 *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	i915_state_init(&v->s);
	v->meta = env->meta;
	v->tables = env->tables;
	v->rings = env->rings;
	*self = v; /* closed by the caller, whatever happened */
	return i915_bind(v, env);
}

/* All request events are this driver's; of fences only its own. */
static bool i915_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size)
{
	const struct xtr_event ev = { .rec = rec, .size = size };
	const struct i915 *v = self;
	const struct xtr_bind *b = &v->bind[role];

	if (role != ROLE_SIGNALED)
		return true;
	if (xtr_bind_has(b, F_OPS))
		return xtr_bind_text_is(b, F_OPS, &ev, v->tables, "i915_fence_ops");
	return xtr_bind_text_is(b, F_DRIVER, &ev, v->tables, "i915");
}

/* --- engines ---------------------------------------------------------------------------------- */

static int declare(struct i915 *v, struct i915_engine *e)
{
	const struct xtr_declared_ring ring = { .id = e->ring,
						.device = e->device,
						.driver = "i915",
						.name = e->name,
						.tells_run = v->tells_run };

	return v->rings ? xtr_rings_declare(v->rings, &ring, &e->ring) : 0;
}

/* Further engines than there is room for, and those that no machine can have, are one. */
static int64_t other_engine(struct i915 *v)
{
	struct i915_engine *e = &v->s.engine[I915_ENGINES_MAX - 1];
	bool known;

	if (*e->name)
		return I915_ENGINES_MAX - 1;
	memcpy(e->name, "(others)", sizeof("(others)"));
	e->device = "i915";
	e->ring = i915_ring_id(UINT32_MAX, 0, 0, &known);
	return declare(v, e) ? -ENOMEM : (int64_t)I915_ENGINES_MAX - 1;
}

static int64_t engine_of(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint32_t dev = (uint32_t)xtr_bind_u64(b, F_DEV, ev),
		 class = (uint32_t)xtr_bind_u64(b, F_CLASS, ev),
		 instance = (uint32_t)xtr_bind_u64(b, F_INSTANCE, ev), ring, i;
	struct i915_engine *e = &v->s.engine[v->s.n_engines];
	bool known;

	if (!xtr_bind_has(b, F_CLASS))
		i915_engine_by_number((uint32_t)xtr_bind_u64(b, F_RING, ev), v->contexts, &class,
				      &instance);
	ring = i915_ring_id(dev, class, instance, &known);
	i = known ? xtr_map_index(&v->s.by_engine, ring, 0) : I915_NONE;
	if (i != I915_NONE)
		return i;
	if (!known || v->s.n_engines == I915_ENGINES_MAX - 1)
		return other_engine(v);
	i915_engine_name(e->name, class, instance);
	e->device = i915_device_name(v->meta, dev, e->card);
	e->ring = ring;
	if (declare(v, e) || xtr_map_put(&v->s.by_engine, ring, 0, v->s.n_engines))
		return -ENOMEM;
	return v->s.n_engines++;
}

/* --- requests --------------------------------------------------------------------------------- */

static struct xtr_job_step *step(const struct i915 *v, struct xtr_job_steps *out,
				 enum xtr_step_kind kind, const struct i915_request *r,
				 const struct xtr_event *ev)
{
	struct xtr_job_step *s = xtr_steps_add(out, kind);

	s->r.ctx = r->ctx;
	s->r.seqno = r->seqno;
	s->r.ring = v->s.engine[r->engine].ring;
	s->r.tid = ev->tid;
	s->r.stream = ev->stream;
	s->flags = v->contexts ? 0 : XTR_FLAG_KEY_INFERRED;
	return s;
}

static uint64_t context(const struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev)
{
	if (v->contexts)
		return xtr_bind_u64(b, F_CTX, ev);
	return ENGINE_CONTEXT + ((xtr_bind_u64(b, F_DEV, ev) & 0xffff) << 16) +
	       (xtr_bind_u64(b, F_RING, ev) & 0xffff);
}

/* The request that the event names, NULL if nothing is known of it. */
static struct i915_request *known(struct i915 *v, const struct xtr_bind *b,
				  const struct xtr_event *ev)
{
	uint32_t i = i915_find(&v->s, context(v, b, ev) & v->ctx_mask,
			       (uint32_t)xtr_bind_u64(b, F_SEQNO, ev));

	return i != I915_NONE ? &v->s.request[i] : NULL;
}

/* The event is the first that tells of the request. NULL: no memory. */
static struct i915_request *begin(struct i915 *v, const struct xtr_bind *b,
				  const struct xtr_event *ev)
{
	uint64_t ctx = context(v, b, ev);
	int64_t engine = engine_of(v, b, ev), i;

	if (engine < 0)
		return NULL;
	i = i915_request_new(&v->s, ctx & v->ctx_mask, ctx, (uint32_t)xtr_bind_u64(b, F_SEQNO, ev),
			     (uint32_t)engine);
	return i < 0 ? NULL : &v->s.request[i];
}

/* Both events that may begin a request are of the thread that submits it. */
static struct xtr_job_step *queue(const struct i915 *v, const struct xtr_bind *b,
				  const struct i915_request *r, const struct xtr_event *ev,
				  struct xtr_job_steps *out)
{
	struct xtr_job_step *s = step(v, out, XTR_STEP_QUEUE, r, ev);

	s->r.stack = xtr_field_stack_id(xtr_field_own_stack(b->desc), ev->rec, ev->size);
	return s;
}

static void run(const struct i915 *v, struct i915_request *r, const struct xtr_event *ev,
		struct xtr_job_steps *out)
{
	if (r->run || r->told)
		return;
	r->run = true;
	r->run_ns = ev->ts;
	/* On its timeline it waits for what it depends on, and nothing tells how long. */
	step(v, out, XTR_STEP_RUN, r, ev)->flags |= v->run == ROLE_ADD ? XTR_FLAG_NO_RUN : 0;
}

static int on_queue(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev,
		    struct xtr_job_steps *out)
{
	struct i915_request *r = begin(v, b, ev);

	if (!r)
		return -ENOMEM;
	queue(v, b, r, ev, out)->submit_ns = ev->ts;
	return 0;
}

/* A request that no process has queued is the driver's own. */
static int on_add(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev,
		  struct xtr_job_steps *out)
{
	struct i915_request *r = known(v, b, ev);
	struct xtr_job_step *s;

	if (!r || r->added || r->run || r->told) {
		r = begin(v, b, ev);
		if (!r)
			return -ENOMEM;
		s = queue(v, b, r, ev, out);
		s->r.flags = has(v, ROLE_QUEUE) ? XTR_JOB_KTHREAD : 0;
	} else if (v->run != ROLE_ADD) {
		step(v, out, XTR_STEP_REQUEUE, r, ev);
	}
	r->added = true;
	if (v->run == ROLE_ADD)
		run(v, r, ev, out);
	return 0;
}

static int on_submit(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev,
		     struct xtr_job_steps *out)
{
	struct i915_request *r = known(v, b, ev);

	if (!r)
		r = begin(v, b, ev);
	if (!r)
		return -ENOMEM;
	if (v->run == ROLE_SUBMIT)
		run(v, r, ev, out);
	return 0;
}

static int on_handed(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev,
		     struct xtr_job_steps *out)
{
	struct i915_request *r = known(v, b, ev);

	if (!r)
		r = begin(v, b, ev);
	if (!r)
		return -ENOMEM;
	run(v, r, ev, out);
	if (b == &v->bind[ROLE_GUC_SUBMIT] && !r->told)
		i915_guc_enter(&v->s, r);
	return 0;
}

/* It has ended, now or (late) before. */
static struct xtr_job_step *end(struct i915 *v, struct i915_request *r, const struct xtr_event *ev,
				bool late, struct xtr_job_steps *out)
{
	struct xtr_job_step *s;

	i915_request_ended(&v->s, r, ev->ts);
	r->told = true;
	i915_guc_leave(&v->s, r);
	s = step(v, out, XTR_STEP_DONE, r, ev);
	s->ended_ns = r->ended_ns;
	s->flags |= (r->preempted ? XTR_FLAG_PREEMPTED : 0) | (r->shared ? XTR_FLAG_SHARED : 0) |
		    (late ? XTR_FLAG_LATE : 0);
	return s;
}

static void forget_if_over(struct i915 *v, const struct i915_request *r)
{
	bool no_more_retire = r->retired || !has(v, ROLE_RETIRE);
	bool no_more_signal = r->signaled || !v->signals;

	if (no_more_retire && no_more_signal)
		i915_request_forget(&v->s, (uint32_t)(r - v->s.request));
}

/*
 * Requests of one context that go to the hardware together get one `out`, that of the last of them
 * (intel_lrc.c, execlists_dequeue): those before it had ended by then. Where nothing else tells of
 * their ends, that is all there is.
 */
static void end_older(struct i915 *v, const struct i915_request *last, const struct xtr_event *ev,
		      struct xtr_job_steps *out)
{
	uint32_t i = last->older, older;

	if (v->signals || has(v, ROLE_RETIRE))
		return;
	for (; i != I915_NONE && out->n + 2 < XTR_STEPS_MAX; i = older) {
		struct i915_request *r = &v->s.request[i];

		older = r->older;
		if (r->engine != last->engine)
			continue;
		if (!r->told)
			end(v, r, ev, true, out);
		i915_request_forget(&v->s, i);
	}
}

/* Taken off the hardware: it is complete, or was preempted. */
static int on_out(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev,
		  struct xtr_job_steps *out)
{
	struct i915_request *r = known(v, b, ev);
	uint64_t completed = 1; /* before Linux 4.17 nothing tells */

	if (!r || (xtr_bind_has(b, F_COMPLETED) && !xtr_bind_get(b, F_COMPLETED, ev, &completed)))
		return 0;
	if (!completed) {
		r->preempted = true;
	} else if (!r->told) {
		end_older(v, r, ev, out);
		end(v, r, ev, false, out);
	}
	if (r->told)
		forget_if_over(v, r);
	return 0;
}

/* The record of a request that is not known: of before the trace. Nothing tells its engine. */
static int on_signaled(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev,
		       struct xtr_job_steps *out)
{
	struct i915_request unknown = { .ctx = xtr_bind_u64(b, F_FENCE_CTX, ev),
					.seqno = xtr_bind_u64(b, F_FENCE_SEQNO, ev) };
	uint32_t i = i915_find(&v->s, unknown.ctx & v->ctx_mask, (uint32_t)unknown.seqno);
	struct i915_request *r = i != I915_NONE ? &v->s.request[i] : NULL;
	int32_t error = (int32_t)xtr_bind_s64(b, F_ERROR, ev);
	struct xtr_job_step *s;

	if (r && !r->run && error && v->tells_run)
		s = step(v, out, XTR_STEP_FAILED, r, ev);
	else if (r && !r->told)
		s = end(v, r, ev, false, out);
	else
		s = step(v, out, XTR_STEP_SIGNALED, r ? r : &unknown, ev);
	s->r.error = error;
	s->result_known = xtr_bind_has(b, F_ERROR);
	if (!r)
		return 0;
	r->signaled = r->told = true;
	forget_if_over(v, r);
	return 0;
}

/*
 * What the interrupts told of it. Its number is final only now: it gets another when preempted.
 * True: one of them told of its very number. That was its own, which comes at its end (each request
 * ends with MI_USER_INTERRUPT, intel_lrc.c): r->ended_ns is when. A later number only says `by
 * then`.
 */
static bool look_at_notified(struct i915 *v, const struct xtr_bind *b, struct i915_request *r,
			     const struct xtr_event *ev)
{
	uint64_t number, at;
	bool own;

	number = v->contexts ? xtr_bind_u64(b, F_GLOBAL, ev) : r->seqno;
	if (!number)
		return false;
	at = i915_notified_at(&v->s.engine[r->engine], (uint32_t)number, r->run_ns, &own);
	if (!at)
		return false;
	own &= !r->ended_ns || at <= r->ended_ns;
	i915_request_ended(&v->s, r, at);
	return own;
}

static int on_notify(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev,
		     struct xtr_job_steps *out)
{
	int64_t engine = engine_of(v, b, ev);
	struct i915_request *r = v->contexts ? NULL : known(v, b, ev);

	if (engine < 0)
		return -ENOMEM;
	if (r && !r->told) { /* its number is told from the beginning */
		end_older(v, r, ev, out);
		end(v, r, ev, false, out);
		forget_if_over(v, r);
	}
	return i915_notified(&v->s.engine[engine], ev->ts, (uint32_t)xtr_bind_u64(b, F_SEQNO, ev));
}

static int on_retire(struct i915 *v, const struct xtr_bind *b, const struct xtr_event *ev,
		     struct xtr_job_steps *out)
{
	struct i915_request *r = known(v, b, ev);

	if (!r)
		return 0;
	if (!r->told)
		end(v, r, ev, !look_at_notified(v, b, r, ev), out);
	r->retired = true;
	forget_if_over(v, r);
	return 0;
}

static int i915_event(void *self, uint32_t role, const struct xtr_event *ev,
		      struct xtr_job_steps *out)
{
	static int (*const handlers[ROLES])(struct i915 *, const struct xtr_bind *,
					    const struct xtr_event *, struct xtr_job_steps *) = {
		[ROLE_QUEUE] = on_queue,       [ROLE_ADD] = on_add,
		[ROLE_SUBMIT] = on_submit,     [ROLE_EXECUTE] = on_handed,
		[ROLE_GUC_SUBMIT] = on_handed, [ROLE_IN] = on_handed,
		[ROLE_OUT] = on_out,           [ROLE_RETIRE] = on_retire,
		[ROLE_SIGNALED] = on_signaled, [ROLE_NOTIFY] = on_notify,
	};
	struct i915 *v = self;

	return handlers[role](v, &v->bind[role], ev, out);
}

const struct xtr_job_source xtr_source_i915 = {
	.name = "i915",
	.open = i915_open,
	.close = i915_close,
	.takes = i915_takes,
	.event = i915_event,
};
