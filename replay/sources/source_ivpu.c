/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of its events a section has decides which of them say what; what is said twice is taken
 * from the first of
 *   run   vpu:job submit, the doorbell
 *   done  vpu:job done, the fence's signal, the completion function
 * The name of a job is its fence's; without one it is made up of the driver's context and the time
 * of the job's first event, so that a part of the file gives it the same name.
 */
#include "driver_sources.h"
#include "replay/event/field.h"
#include "ivpu_state.h"

#include <errno.h>

#define LOOK_AT 256u /* jobs, when none is named */

/* --- steps ------------------------------------------------------------------------------------ */

static uint32_t ring_of(const struct ivpu *v, uint32_t engine)
{
	return v->ring[engine < IVPU_ENGINES ? engine : IVPU_ENGINES - 1];
}

static struct xtr_job_step *step(const struct ivpu *v, struct xtr_job_steps *out,
				 enum xtr_step_kind kind, const struct ivpu_job *j,
				 const struct xtr_event *ev)
{
	struct xtr_job_step *s = xtr_steps_add(out, kind);

	s->r.ctx = j->ctx;
	s->r.seqno = j->seqno;
	s->r.ring = ring_of(v, j->engine);
	s->r.tid = ev->tid;
	s->r.stream = ev->stream;
	if (j->created || j->has_id) {
		s->r.client_id = j->ctx_id;
		s->r.flags |= XTR_JOB_CLIENT_KNOWN;
	}
	if (j->made_up)
		s->flags |= XTR_FLAG_KEY_INFERRED;
	return s;
}

/* A job without a fence. Two of a context at one ns: the second is called a little later. */
static int64_t job_made_up(struct ivpu *v, uint32_t ctx_id, const struct xtr_event *ev)
{
	uint64_t ctx = XTR_SOURCE_CONTEXT + ctx_id, seqno = ev->ts;
	int64_t i;

	while (ivpu_by_name(&v->s, ctx, seqno) != IVPU_NONE)
		seqno++;
	i = ivpu_job_new(&v->s, ctx, seqno);
	if (i >= 0)
		v->s.job[i].made_up = true;
	return i;
}

/* The thread has created this job and will submit it. */
static void set_pending(struct ivpu *v, struct ivpu_thread *t, uint32_t i)
{
	t->has_job = t->got_job = true;
	t->job_ctx = v->s.job[i].ctx;
	t->job_seqno = v->s.job[i].seqno;
}

static uint32_t pending(const struct ivpu *v, const struct ivpu_thread *t)
{
	return t && t->has_job ? ivpu_by_name(&v->s, t->job_ctx, t->job_seqno) : IVPU_NONE;
}

static uint32_t stack_of(const struct ivpu *v, const struct xtr_event *ev)
{
	const struct xtr_event_desc *d = xtr_meta_event(v->meta, ev->type);

	return xtr_field_stack_id(xtr_field_own_stack(d), ev->rec, ev->size);
}

static int begin(struct ivpu *v, struct ivpu_thread *t, int64_t i, const struct xtr_event *ev,
		 struct xtr_job_steps *out)
{
	uint32_t before = pending(v, t);
	struct xtr_job_step *s;

	if (i < 0)
		return (int)i;
	if (before != IVPU_NONE && before != i && v->s.job[before].ended)
		ivpu_job_forget(&v->s, before); /* its submission failed */
	set_pending(v, t, (uint32_t)i);
	s = step(v, out, XTR_STEP_QUEUE, &v->s.job[i], ev);
	s->submit_ns = t->submit_ns;
	/* As the time: that of the ioctl, or else of the event. */
	s->r.stack = t->submit_ns && t->stack ? t->stack : stack_of(v, ev);
	return 0;
}

/* --- vpu:job ---------------------------------------------------------------------------------- */

static int on_create(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	struct ivpu_thread *t = ivpu_thread_get(&v->s, ev->tid);
	uint32_t ctx_id = (uint32_t)ivpu_number(v->ctx_id, ev), i;
	int64_t made;
	struct ivpu_job *j;

	if (!t)
		return -ENOMEM;
	i = pending(v, t);
	made = i == IVPU_NONE || v->s.job[i].created ? job_made_up(v, ctx_id, ev) : i;
	if (made < 0)
		return (int)made;
	j = &v->s.job[made];
	j->created = true;
	j->ctx_id = ctx_id;
	j->engine = (uint32_t)ivpu_number(v->engine_id, ev);
	if (j->made_up)
		return begin(v, t, made, ev, out);
	step(v, out, XTR_STEP_REQUEUE, j, ev);
	return 0;
}

/* The id is another job's now: whoever had it is done, without a record of it. */
static void recycle(struct ivpu *v, uint32_t old, const struct xtr_event *ev,
		    struct xtr_job_steps *out)
{
	if (!v->s.job[old].ended)
		step(v, out, XTR_STEP_RECYCLED, &v->s.job[old], ev);
	ivpu_job_forget(&v->s, old);
}

static int on_submit(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	uint32_t ctx_id = (uint32_t)ivpu_number(v->ctx_id, ev),
		 job_id = (uint32_t)ivpu_number(v->job_id, ev);
	struct ivpu_thread *t = ivpu_thread_find(&v->s, ev->tid);
	uint32_t old = ivpu_by_id(&v->s, ctx_id, job_id);
	int64_t i = pending(v, t);

	if (i != IVPU_NONE && v->s.job[i].created && v->s.job[i].ctx_id != ctx_id)
		i = IVPU_NONE; /* the job that this is was never seen */
	if (old != IVPU_NONE && old != i)
		recycle(v, old, ev, out);
	if (i == IVPU_NONE)
		i = job_made_up(v, ctx_id, ev);
	if (i < 0)
		return (int)i;
	if (ivpu_job_set_id(&v->s, (uint32_t)i, ctx_id, job_id))
		return -ENOMEM;
	v->s.job[i].run = true;
	v->s.job[i].engine = (uint32_t)ivpu_number(v->engine_id, ev);
	step(v, out, XTR_STEP_RUN, &v->s.job[i], ev);
	if (t)
		t->has_job = false;
	ivpu_thread_put(&v->s, t);
	return 0;
}

/* Nothing was seen of the job but its end. */
static void done_only(const struct ivpu *v, const struct ivpu_thread *t, const struct xtr_event *ev,
		      struct xtr_job_steps *out)
{
	struct ivpu_job j = { .created = true };
	struct xtr_job_step *s;

	j.ctx_id = (uint32_t)ivpu_number(v->ctx_id, ev);
	j.engine = (uint32_t)ivpu_number(v->engine_id, ev);
	j.made_up = !t || !t->signaled;
	j.ctx = j.made_up ? XTR_SOURCE_CONTEXT + j.ctx_id : t->sig_ctx;
	j.seqno = j.made_up ? ev->ts : t->sig_seqno;
	s = step(v, out, XTR_STEP_DONE, &j, ev);
	s->result_known = !j.made_up && v->sig.error;
	s->r.error = s->result_known ? t->error : 0;
}

/*
 * Which job is done: that of the fence that the thread has just signalled, or of the id. Where
 * records were lost these may be two.
 */
static uint32_t job_done(struct ivpu *v, struct ivpu_thread *t, uint32_t by_id)
{
	uint32_t f = t && t->signaled ? ivpu_by_name(&v->s, t->sig_ctx, t->sig_seqno) : IVPU_NONE;

	if (f != IVPU_NONE && f != by_id && v->s.job[f].has_id) {
		ivpu_job_forget(&v->s, f); /* the done that followed its signal is lost */
		t->signaled = false;
		f = IVPU_NONE;
	}
	if (f != IVPU_NONE)
		return f;
	/* The fence of a job of which nothing was seen: then the id's is an older one. */
	if (t && t->signaled && by_id != IVPU_NONE && !v->s.job[by_id].made_up)
		return IVPU_NONE;
	return by_id;
}

static int on_done(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	struct ivpu_thread *t = ivpu_thread_find(&v->s, ev->tid);
	uint32_t by_id = ivpu_by_id(&v->s, (uint32_t)ivpu_number(v->ctx_id, ev),
				    (uint32_t)ivpu_number(v->job_id, ev));
	uint32_t i = job_done(v, t, by_id);
	struct xtr_job_step *s;

	if (by_id != IVPU_NONE && by_id != i)
		recycle(v, by_id, ev, out);
	if (i == IVPU_NONE) {
		done_only(v, t, ev, out);
	} else {
		s = step(v, out, XTR_STEP_DONE, &v->s.job[i], ev);
		s->ended = v->s.job[i].ended;
		s->result_known = t && t->signaled && v->sig.error && v->s.job[i].made_up;
		s->r.error = s->result_known ? t->error : 0;
		ivpu_job_forget(&v->s, i);
	}
	if (t)
		t->signaled = false;
	ivpu_thread_put(&v->s, t);
	return 0;
}

static int on_job(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	switch (ivpu_stage_of(v, ev)) {
	case STAGE_CREATE:
		return on_create(v, ev, out);
	case STAGE_SUBMIT:
		return on_submit(v, ev, out);
	case STAGE_DONE:
		return on_done(v, ev, out);
	default:
		return 0;
	}
}

/* --- fences ----------------------------------------------------------------------------------- */

static int on_init(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	struct ivpu_thread *t = ivpu_thread_get(&v->s, ev->tid);

	if (!t)
		return -ENOMEM;
	return begin(
		v, t,
		ivpu_job_new(&v->s, ivpu_number(v->init.ctx, ev), ivpu_number(v->init.seqno, ev)),
		ev, out);
}

/*
 * The oldest job that is on the hardware, or, where nothing tells that, the oldest. *n: 2 if there
 * are more. If none of the first LOOK_AT is one, the oldest is forgotten: its submission is lost.
 */
static uint32_t oldest(struct ivpu *v, bool made_up, uint32_t *n)
{
	uint32_t seen = 0, found = IVPU_NONE;

	*n = 0;
	for (uint32_t i = v->s.oldest; i != IVPU_NONE && *n < 2 && seen < LOOK_AT;
	     i = v->s.job[i].next) {
		const struct ivpu_job *j = &v->s.job[i];

		seen++;
		if (j->ended || (made_up && !j->made_up) || (v->doorbell && !j->run))
			continue;
		if (!(*n)++)
			found = i;
	}
	if (seen == LOOK_AT && !*n)
		ivpu_job_forget(&v->s, v->s.oldest);
	return found;
}

/* Some job has completed, and nothing says which. */
static int complete_oldest(struct ivpu *v, const struct xtr_event *ev, enum xtr_step_kind kind,
			   const struct xtr_job_step *fence, struct xtr_job_steps *out)
{
	uint32_t n, i = oldest(v, fence, &n);
	struct xtr_job_step *s;

	if (i == IVPU_NONE)
		return 0;
	s = step(v, out, kind, &v->s.job[i], ev);
	if (n > 1)
		s->flags |= XTR_FLAG_BY_ORDER;
	if (fence) {
		s->r.error = fence->r.error;
		s->result_known = fence->result_known;
	}
	ivpu_job_forget(&v->s, i);
	return 1;
}

/* A signal that was not followed by its done: that record is lost. */
static void forget_signaled(struct ivpu *v, const struct ivpu_thread *t)
{
	uint32_t i = t->signaled ? ivpu_by_name(&v->s, t->sig_ctx, t->sig_seqno) : IVPU_NONE;

	if (i != IVPU_NONE)
		ivpu_job_forget(&v->s, i);
}

/* vpu:job done follows, in the same thread. */
static int await_done(struct ivpu *v, const struct xtr_job_step *s, const struct xtr_event *ev)
{
	struct ivpu_thread *t = ivpu_thread_get(&v->s, ev->tid);

	if (!t)
		return -ENOMEM;
	forget_signaled(v, t);
	t->signaled = true;
	t->sig_ctx = s->r.ctx;
	t->sig_seqno = s->r.seqno;
	t->error = s->r.error;
	return 0;
}

/* A job that its own thread signals before it submitted it: the submission failed. */
static bool failed(const struct ivpu *v, uint32_t i, const struct xtr_event *ev)
{
	uint32_t t = xtr_map_index(&v->s.by_tid, ev->tid, 0);

	return i != IVPU_NONE && (v->jobs || v->doorbell) && t != IVPU_NONE &&
	       pending(v, &v->s.thread[t]) == i;
}

static int on_signaled(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	struct ivpu_job unknown = { .ctx = ivpu_number(v->sig.ctx, ev),
				    .seqno = ivpu_number(v->sig.seqno, ev) };
	uint32_t i = ivpu_by_name(&v->s, unknown.ctx, unknown.seqno);
	bool fails = failed(v, i, ev);
	struct xtr_job_step *s;
	int err;

	s = step(v, out, fails ? XTR_STEP_FAILED : XTR_STEP_SIGNALED,
		 i != IVPU_NONE ? &v->s.job[i] : &unknown, ev);
	s->r.error = (int32_t)ivpu_number(v->sig.error, ev);
	s->result_known = v->sig.error;
	if (i != IVPU_NONE)
		v->s.job[i].ended = true;
	if (fails)
		return 0; /* the ioctl's return may say why */
	if (v->jobs)
		return await_done(v, s, ev);
	if (i != IVPU_NONE) {
		ivpu_job_forget(&v->s, i);
		return 0;
	}
	err = complete_oldest(v, ev, XTR_STEP_SIGNALED, s, out);
	s->opens = !err;
	return 0;
}

/* --- functions -------------------------------------------------------------------------------- */

static int on_ioctl(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	struct ivpu_thread *t = ivpu_thread_get(&v->s, ev->tid);

	if (!t)
		return -ENOMEM;
	t->submit_ns = ev->ts;
	t->stack = stack_of(v, ev);
	t->has_job = t->got_job = false;
	if (v->jobs || v->fences)
		return 0;
	return begin(v, t, job_made_up(v, 0, ev), ev, out);
}

static int on_ioctl_ret(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	const struct xtr_event_desc *d = v->ret[v->ret[1] && v->ret[1]->type == ev->type];
	struct ivpu_thread *t = ivpu_thread_find(&v->s, ev->tid);
	int64_t ret = (int64_t)ivpu_number(xtr_event_field(d, "ret"), ev);
	uint32_t i = pending(v, t);
	struct xtr_job_step *s;

	if (i != IVPU_NONE && ret < 0 && ret >= -4095) { /* MAX_ERRNO */
		s = step(v, out, XTR_STEP_FAILED, &v->s.job[i], ev);
		s->r.error = (int32_t)ret;
		s->result_known = true;
		ivpu_job_forget(&v->s, i);
	}
	if (t) {
		t->submit_ns = 0;
		t->has_job = false;
	}
	ivpu_thread_put(&v->s, t);
	return 0;
}

/* In a submission without a fence this is the first that is seen of the job. */
static int on_doorbell(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	struct ivpu_thread *t = ivpu_thread_find(&v->s, ev->tid);
	int64_t i = pending(v, t);
	int err = 0;

	if (v->jobs || !t)
		return 0;
	if (i == IVPU_NONE && t->submit_ns && !t->got_job) {
		i = job_made_up(v, 0, ev);
		err = begin(v, t, i, ev, out);
	}
	if (err || i == IVPU_NONE)
		return err;
	v->s.job[i].run = true;
	step(v, out, XTR_STEP_RUN, &v->s.job[i], ev);
	t->has_job = false;
	ivpu_thread_put(&v->s, t);
	return 0;
}

/* With no job open: one that was submitted before the trace. */
static int on_complete(struct ivpu *v, const struct xtr_event *ev, struct xtr_job_steps *out)
{
	struct ivpu_job j = { .ctx = XTR_SOURCE_CONTEXT, .seqno = ev->ts, .made_up = true };

	if (!complete_oldest(v, ev, XTR_STEP_DONE, NULL, out))
		step(v, out, XTR_STEP_DONE, &j, ev);
	return 0;
}

static int ivpu_event(void *self, uint32_t role, const struct xtr_event *ev,
		      struct xtr_job_steps *out)
{
	static int (*const handlers[ROLES])(struct ivpu *, const struct xtr_event *,
					    struct xtr_job_steps *) = {
		[ROLE_JOB] = on_job,
		[ROLE_INIT] = on_init,
		[ROLE_SIGNALED] = on_signaled,
		[ROLE_SUBMIT] = on_ioctl,
		[ROLE_SUBMIT_RET] = on_ioctl_ret,
		[ROLE_DOORBELL] = on_doorbell,
		[ROLE_COMPLETE] = on_complete,
	};

	return handlers[role](self, ev, out);
}

const struct xtr_job_source xtr_source_ivpu = {
	.name = IVPU_DRIVER,
	.open = ivpu_open,
	.close = ivpu_close,
	.takes = ivpu_takes,
	.event = ivpu_event,
};
