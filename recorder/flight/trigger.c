/* SPDX-License-Identifier: BSD-2-Clause */
#include "trigger.h"
#include "recorder/host/bpfdefs.h"
#include "recorder/host/util.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What to do with a record of a type. Numbers above are events that fire. */
enum act {
	ACT_NONE,
	ACT_JOB,
	ACT_FENCE, /* signaled, maybe with an error */
	ACT_EVENT
};

/* Events that fire a trigger by name; those that are recorded count. */
static const struct {
	enum xtr_trigger_kind kind;
	const char *event;
} named[] = {
	{ XTR_TRIGGER_XID, "nvidia:nvidia_dev_xid" },
	{ XTR_TRIGGER_XID, "nvswitch:nvswitch_dev_sxid" },
	{ XTR_TRIGGER_XID, "func:nvidia:nv_report_error" },
	{ XTR_TRIGGER_RESET, "amdgpu:amdgpu_reset_reg_dumps" },
	{ XTR_TRIGGER_RESET, "func:amdgpu:amdgpu_job_timedout" },
	{ XTR_TRIGGER_RESET, "func:amdgpu:amdgpu_device_gpu_recover" },
	{ XTR_TRIGGER_RESET, "func:i915:intel_gt_reset" },
	{ XTR_TRIGGER_RESET, "xe:xe_exec_queue_reset" },
	{ XTR_TRIGGER_RESET, "xe:xe_sched_job_timedout" },
	{ XTR_TRIGGER_RESET, "func:xe:xe_gt_reset_async" },
	{ XTR_TRIGGER_RESET, "func:intel_vpu:ivpu_job_timeout_work" },
	{ XTR_TRIGGER_RESET, "func:intel_vpu:ivpu_pm_recovery_work" },
	{ XTR_TRIGGER_RESET, "func:gpu_sched:drm_sched_job_timedout" },
};

struct search {
	struct xtr_triggers *ts;
	const struct xtr_selection *sel;
	bool (*available)(void *arg, const char *event, uint32_t type);
	void *arg;
};

static bool matches(const struct xtr_trigger *t, const char *event)
{
	if (t->kind == XTR_TRIGGER_EVENT)
		return !strcmp(t->text, event);
	for (size_t i = 0; i < ARRAY_LEN(named); i++)
		if (named[i].kind == t->kind && !strcmp(named[i].event, event))
			return true;
	return false;
}

/* The first trigger that an event can fire has it. */
static bool add_event(struct search *s, size_t trigger, uint32_t type, const char *event)
{
	struct xtr_triggers *ts = s->ts;
	unsigned int act = ACT_EVENT + ts->n_events;

	if (!type || type >= ts->n_act || !matches(&ts->t[trigger], event) ||
	    !s->available(s->arg, event, type))
		return false;
	if (ts->act[type] >= ACT_EVENT)
		return true;
	if (act > UINT8_MAX || ts->act[type])
		return false;
	ts->act[type] = (uint8_t)act;
	ts->event[act] = event;
	ts->trigger[act] = (uint8_t)trigger;
	ts->n_events++;
	ts->events = true;
	return true;
}

static bool find_events(struct search *s, size_t trigger)
{
	const struct xtr_selection *sel = s->sel;
	const struct xtr_event_desc *d;
	bool found = false;

	for (uint32_t type = 1; type < XTR_SLOT_GENERIC; type++) {
		d = sel->types[type] ? xtr_builtin_event((uint16_t)type) : NULL;
		if (d)
			found |= add_event(s, trigger, type, d->name);
	}
	for (size_t i = 0; i < sel->n_generics; i++)
		found |= add_event(s, trigger, sel->generics[i]->desc.type, sel->generics[i]->name);
	for (size_t i = 0; i < sel->n_probes; i++) {
		const struct xtr_probe *p = sel->probes[i];

		found |= add_event(s, trigger, p->entry.desc.type, p->entry.name);
		if (p->ret.name)
			found |= add_event(s, trigger, p->ret.desc.type, p->ret.name);
	}
	return found;
}

static bool has_type(const struct search *s, uint32_t type)
{
	return s->sel->types[type] &&
	       s->available(s->arg, xtr_builtin_event((uint16_t)type)->name, type);
}

/* Queueing tells the process alone. */
static bool find_jobs(struct search *s)
{
	static const uint32_t types[] = { XTR_EV_JOB_RUN, XTR_EV_JOB_DONE, XTR_EV_JOB_QUEUE };

	if (!has_type(s, XTR_EV_JOB_RUN) || !has_type(s, XTR_EV_JOB_DONE))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (has_type(s, types[i]))
			s->ts->act[types[i]] = ACT_JOB;
	s->ts->jobs = true;
	return true;
}

/* The end of a job may be looked at anyway (find_jobs). */
static bool find_errors(struct search *s)
{
	bool found = has_type(s, XTR_EV_JOB_DONE);

	if (found && s->ts->act[XTR_EV_JOB_DONE] == ACT_NONE)
		s->ts->act[XTR_EV_JOB_DONE] = ACT_JOB;
	if (has_type(s, XTR_EV_FENCE_SIGNALED)) {
		if (s->ts->act[XTR_EV_FENCE_SIGNALED] == ACT_NONE)
			s->ts->act[XTR_EV_FENCE_SIGNALED] = ACT_FENCE;
		found |= s->ts->act[XTR_EV_FENCE_SIGNALED] == ACT_FENCE;
	}
	s->ts->errors |= found;
	return found;
}

static bool find(struct search *s, size_t trigger)
{
	switch (s->ts->t[trigger].kind) {
	case XTR_TRIGGER_EXEC:
	case XTR_TRIGGER_HANG:
		return find_jobs(s);
	case XTR_TRIGGER_DROP:
	case XTR_TRIGGER_SIGNAL:
		return true;
	case XTR_TRIGGER_ERROR:
		return find_errors(s);
	default:
		return find_events(s, trigger);
	}
}

static int fail(struct xtr_record_err *err, int code, enum xtr_fail kind, const char *what,
		const char *hint)
{
	err->code = code;
	err->kind = kind;
	snprintf(err->what, sizeof(err->what), "%s", what);
	snprintf(err->hint, sizeof(err->hint), "%s", hint);
	return code;
}

/* Triggers on jobs come first: their records are not to fire as events, too. */
static int find_all(struct search *s, struct xtr_record_err *err)
{
	char what[sizeof(err->what)];

	for (int jobs = 1; jobs >= 0; jobs--) {
		for (size_t i = 0; i < s->ts->n; i++) {
			const struct xtr_trigger *t = &s->ts->t[i];

			if ((t->kind == XTR_TRIGGER_EXEC || t->kind == XTR_TRIGGER_HANG) != jobs ||
			    find(s, i))
				continue;
			if (t->optional) {
				s->ts->off |= 1u << i;
				continue;
			}
			snprintf(what, sizeof(what),
				 "--trigger '%.100s': no event that is recorded can fire it",
				 t->text);
			return fail(err, -ENOENT, XTR_FAIL_USAGE, what,
				    "-e chooses what is recorded; 'xtr list' shows what there is");
		}
	}
	return 0;
}

int xtr_triggers_open(struct xtr_triggers *ts, const struct xtr_trigger *t, size_t n,
		      const struct xtr_selection *sel,
		      bool (*available)(void *arg, const char *event, uint32_t type), void *arg,
		      xtr_fire_fn *fire, void *ctx, struct xtr_record_err *err)
{
	struct search s = { ts, sel, available, arg };
	int ret;

	*ts = (struct xtr_triggers){ .t = t, .n = n, .fire = fire, .ctx = ctx };
	if (n > XTR_TRIGGERS_MAX)
		return fail(err, -E2BIG, XTR_FAIL_USAGE, "--trigger: at most 32", "");
	ts->n_act = XTR_TYPE_FIRST_DYNAMIC + sel->n_dynamic;
	ts->act = calloc(ts->n_act, 1);
	ret = ts->act ? find_all(&s, err) : -ENOMEM;
	if (!ret && ts->jobs)
		ret = xtr_job_watch_open(&ts->watch);
	if (ret == -ENOMEM)
		fail(err, ret, XTR_FAIL_OTHER, "cannot record: out of memory", "");
	if (ret)
		xtr_triggers_close(ts);
	return ret;
}

void xtr_triggers_close(struct xtr_triggers *ts)
{
	xtr_job_watch_close(&ts->watch);
	free(ts->act);
	*ts = (struct xtr_triggers){ 0 };
}

static void take_event(struct xtr_triggers *ts, uint8_t act, const struct xtr_rec *h)
{
	ts->fire(ts->ctx, &(struct xtr_fired){ .trigger = &ts->t[ts->trigger[act]],
					       .event = ts->event[act],
					       .at = h->ts,
					       .tid = h->tid });
}

/*
 * Jobs of a process that was killed end with ESRCH (drm_sched_entity_kill_jobs_work of
 * drivers/gpu/drm/scheduler/sched_entity.c): nothing hangs.
 */
static void take_error(struct xtr_triggers *ts, const struct xtr_rec *h, uint64_t ctx,
		       uint64_t seqno, int32_t error)
{
	for (size_t i = 0; i < ts->n && ts->errors && error && error != -ESRCH; i++)
		if (ts->t[i].kind == XTR_TRIGGER_ERROR)
			ts->fire(ts->ctx,
				 &(struct xtr_fired){ .trigger = &ts->t[i],
						      .event = xtr_builtin_event(h->type)->name,
						      .at = h->ts,
						      .ctx = ctx,
						      .seqno = seqno,
						      .value = (uint64_t) - (int64_t)error });
}

static void take_fence(struct xtr_triggers *ts, const uint8_t *rec, const struct xtr_rec *h)
{
	struct xtr_rec_fence r;

	if (h->size < sizeof(r))
		return;
	memcpy(&r, rec, sizeof(r));
	take_error(ts, h, r.ctx, r.seqno, r.error);
}

static void take_end(struct xtr_triggers *ts, const uint8_t *rec, const struct xtr_rec *h)
{
	struct xtr_rec_job_done r;

	if (h->size < sizeof(r))
		return;
	memcpy(&r, rec, sizeof(r));
	take_error(ts, h, r.ctx, r.seqno, r.hw_error);
}

/* All events of jobs have the fence at the same place. */
static void take_job(struct xtr_triggers *ts, const uint8_t *rec, const struct xtr_rec *h)
{
	struct xtr_rec_job_run r; /* begins as all records of jobs do */

	if (h->size < sizeof(r))
		return;
	memcpy(&r, rec, sizeof(r));
	if (h->type == XTR_EV_JOB_DONE)
		take_end(ts, rec, h);
	if (!ts->jobs)
		return;
	xtr_job_watch_step(&ts->watch, &(struct xtr_watch_step){ .ts = h->ts,
								 .ctx = r.ctx,
								 .seqno = r.seqno,
								 .tid = h->tid,
								 .type = h->type });
}

void xtr_triggers_scan(struct xtr_triggers *ts, const uint8_t *recs, uint32_t len)
{
	struct xtr_rec h;
	uint8_t act;

	if (!ts->jobs && !ts->events && !ts->errors)
		return;
	for (uint32_t at = 0; at < len; at += h.size) {
		memcpy(&h, recs + at, sizeof(h));
		act = h.type < ts->n_act ? ts->act[h.type] : ACT_NONE;
		if (act == ACT_JOB)
			take_job(ts, recs + at, &h);
		else if (act == ACT_FENCE)
			take_fence(ts, recs + at, &h);
		else if (act)
			take_event(ts, act, &h);
	}
}

/* The first trigger that a job has not fired yet, and that it fires by now. */
static void look_at_job(void *ctx, struct xtr_watched *job, uint64_t now, bool done)
{
	struct xtr_triggers *ts = ctx;
	uint64_t took = now > job->run ? now - job->run : 0;

	for (size_t i = 0; i < ts->n; i++) {
		const struct xtr_trigger *t = &ts->t[i];
		bool exec = t->kind == XTR_TRIGGER_EXEC;

		if ((!exec && t->kind != XTR_TRIGGER_HANG) || (exec && !done) || took <= t->ns ||
		    job->told & 1u << i)
			continue;
		job->told |= 1u << i;
		ts->fire(ts->ctx,
			 &(struct xtr_fired){
				 .trigger = t,
				 .event = done ? xtr_builtin_event(XTR_EV_JOB_DONE)->name : "",
				 .at = exec ? now : job->run + t->ns,
				 .ctx = job->ctx,
				 .seqno = job->seqno,
				 .value = took,
				 .tid = job->tid });
	}
}

void xtr_triggers_round(struct xtr_triggers *ts, uint64_t watermark)
{
	if (ts->jobs)
		xtr_job_watch_round(&ts->watch, watermark, look_at_job, ts);
}

void xtr_triggers_lost(struct xtr_triggers *ts, uint64_t n, uint64_t at)
{
	for (size_t i = 0; i < ts->n; i++)
		if (ts->t[i].kind == XTR_TRIGGER_DROP)
			ts->fire(ts->ctx,
				 &(struct xtr_fired){
					 .trigger = &ts->t[i], .event = "", .at = at, .value = n });
}
