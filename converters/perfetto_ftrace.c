/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as ftrace has them, for what importers do with those: sched_switch makes the tracks of
 * CPUs and the states of threads; the scheduler's events, if asked for, what stock tools make of
 * them. Times of ftrace are on BOOTTIME. A bundle holds one event.
 */
#include "perfetto.h"

#include "format/xtr_format.h"
#include "replay/field.h"
#include "replay/record.h"

#include <inttypes.h>
#include <string.h>

#define CPUS_MAX     1024u /* importers refuse more */
#define PRIO_DEFAULT 120
#define COMM_MAX     64u

bool pf_ftrace_fits(uint32_t cpu)
{
	return cpu < CPUS_MAX;
}

Pf__FtraceEvent *pf_ftrace_begin(struct pf *pf, uint32_t cpu, uint64_t ts, uint32_t tid)
{
	pf__ftrace_event_bundle__init(&pf->bundle);
	pf__ftrace_event__init(&pf->ftrace);
	pf->ftrace_ptr = &pf->ftrace;
	pf->bundle.has_cpu = true;
	pf->bundle.cpu = cpu;
	pf->bundle.event = &pf->ftrace_ptr;
	pf->bundle.n_event = 1;
	pf->ftrace.has_timestamp = pf->ftrace.has_pid = true;
	pf->ftrace.timestamp = pf_clock_boot(&pf->clock, ts);
	pf->ftrace.pid = tid;
	pf_packet(pf)->ftrace_events = &pf->bundle;
	return &pf->ftrace;
}

int pf_ftrace_gap(struct pf *pf, const struct xtr_gap *gap)
{
	if (!(pf->o.raw || pf->o.ftrace) || !pf_ftrace_fits(gap->stream))
		return 0;
	pf_ftrace_begin(pf, gap->stream, gap->last, 0);
	pf->bundle.n_event = 0;
	pf->bundle.has_lost_events = pf->bundle.lost_events = true;
	return pf_send(pf);
}

/* --- CPU scheduling --------------------------------------------------------------------------- */

/* One side of a switch. */
struct side {
	uint32_t tid;
	int32_t prio;
	char comm[COMM_MAX];
};

static struct side idle(uint32_t cpu)
{
	struct side s = { .prio = PRIO_DEFAULT };

	snprintf(s.comm, sizeof(s.comm), "swapper/%" PRIu32, cpu);
	return s;
}

static int put_switch(struct pf *pf, uint32_t cpu, uint64_t ts, const struct side *prev,
		      int64_t state, const struct side *next)
{
	Pf__SchedSwitch s = PF__SCHED_SWITCH__INIT;

	s.prev_comm = pf_text(pf, prev->comm, strlen(prev->comm));
	s.next_comm = pf_text(pf, next->comm, strlen(next->comm));
	s.has_prev_pid = s.has_prev_prio = s.has_prev_state = true;
	s.has_next_pid = s.has_next_prio = true;
	s.prev_pid = (int32_t)prev->tid;
	s.prev_prio = prev->prio;
	s.prev_state = state;
	s.next_pid = (int32_t)next->tid;
	s.next_prio = next->prio;
	pf->ftrace.sched_switch = &s;
	pf->ftrace.pid = prev->tid;
	pf->ftrace.timestamp = pf_clock_boot(&pf->clock, ts);
	pf->bundle.cpu = cpu;
	return pf_send(pf);
}

static uint64_t number(const struct xtr_event *ev, const char *field)
{
	uint64_t v;

	xtr_field_get(xtr_event_field(ev->desc, field), ev->rec, ev->size, &v);
	return v;
}

/* The text of a field, cut to fit. */
static void copy_text(const struct pf *pf, const struct xtr_event *ev, const char *field,
		      char to[COMM_MAX])
{
	const struct xtr_field *f = xtr_event_field(ev->desc, field);
	size_t n;
	const char *from = xtr_field_string(f, pf->s->tables, ev->rec, ev->size, &n);

	if (n >= COMM_MAX)
		n = COMM_MAX - 1;
	if (n)
		memcpy(to, from, n);
	to[n] = '\0';
}

static struct side side_of(const struct pf *pf, const struct xtr_event *ev, bool next)
{
	struct side s = {
		.tid = (uint32_t)number(ev, next ? "next_pid" : "prev_pid"),
		.prio = (int32_t)number(ev, next ? "next_prio" : "prev_prio"),
	};

	copy_text(pf, ev, next ? "next_comm" : "prev_comm", s.comm);
	return s;
}

/*
 * If only some processes were selected, an event tells who had the CPU before it and the call when
 * he got it; what other processes did is not known, and looks as if nobody did anything.
 */
static int switch_of_call(struct pf *pf, const struct xtr_event *ev)
{
	const struct xtr_call *c = &pf->running;
	struct side me = side_of(pf, ev, false), nobody = idle(ev->stream);
	int ret;

	if (c->end_ns != ev->ts || c->stream != ev->stream || c->tid != me.tid || !c->begin_ns)
		return 0;
	pf_ftrace_begin(pf, ev->stream, ev->ts, 0);
	ret = put_switch(pf, ev->stream, c->begin_ns, &nobody, 0, &me);
	if (ret)
		return ret;
	pf_ftrace_begin(pf, ev->stream, ev->ts, 0);
	return put_switch(pf, ev->stream, ev->ts, &me, (int64_t)number(ev, "prev_state"), &nobody);
}

static int sched_switch(struct pf *pf, const struct xtr_event *ev)
{
	struct side prev = side_of(pf, ev, false), next = side_of(pf, ev, true);

	if (pf->o.by_pid)
		return switch_of_call(pf, ev);
	pf_ftrace_begin(pf, ev->stream, ev->ts, prev.tid);
	return put_switch(pf, ev->stream, ev->ts, &prev, (int64_t)number(ev, "prev_state"), &next);
}

/* Handed out just before the event that ends it. */
int pf_ftrace_running(struct pf *pf, const struct xtr_call *c)
{
	pf->running = *c;
	return 0;
}

/* --- gpu_scheduler ---------------------------------------------------------------------------- */

static char *ring_text(struct pf *pf, uint32_t id, bool device)
{
	const struct xtr_ring *r = xtr_tables_ring(pf->s->tables, id);
	size_t n = 0;
	const char *s =
		r ? xtr_tables_string(pf->s->tables, device ? r->device : r->name, &n) : NULL;

	return pf_text(pf, s ? s : "", s ? n : 0);
}

static void fill_job(struct pf *pf, Pf__DrmSchedJob *to, const struct xtr_gpu_record *r,
		     const struct xtr_event *ev)
{
	pf__drm_sched_job__init(to);
	to->name = ring_text(pf, r->ring, false);
	to->dev = ring_text(pf, r->ring, true);
	to->has_job_count = to->has_hw_job_count = true;
	to->has_fence_context = to->has_fence_seqno = to->has_client_id = true;
	to->job_count = r->job_count;
	to->hw_job_count = (int32_t)number(ev, "hw_job_count");
	to->fence_context = r->ctx;
	to->fence_seqno = r->seqno;
	to->client_id = r->client_id;
}

static int scheduler_event(struct pf *pf, const struct xtr_event *ev)
{
	Pf__DrmSchedJob job;
	Pf__DrmSchedDone done = PF__DRM_SCHED_DONE__INIT;
	Pf__DrmSchedDep dep = PF__DRM_SCHED_DEP__INIT;
	struct xtr_gpu_record r;
	Pf__FtraceEvent *f;

	if (ev->type > XTR_EV_JOB_UNSCHEDULABLE || xtr_gpu_record_get(ev, &r) != 1)
		return 0;
	/* Kernels before 6.17 tell each dependency that is looked at; only what blocks is left. */
	if (ev->type == XTR_EV_JOB_WAIT_DEP && r.flags & XTR_JOB_DEP_SIGNALED)
		return 0;
	f = pf_ftrace_begin(pf, ev->stream, ev->ts, ev->tid);
	done.has_fence_context = done.has_fence_seqno = true;
	dep.has_fence_context = dep.has_fence_seqno = dep.has_ctx = dep.has_seqno = true;
	done.fence_context = dep.fence_context = r.ctx;
	done.fence_seqno = dep.fence_seqno = r.seqno;
	dep.ctx = r.dep_ctx;
	dep.seqno = r.dep_seqno;
	fill_job(pf, &job, &r, ev);
	if (ev->type == XTR_EV_JOB_QUEUE)
		f->drm_sched_job_queue = &job;
	else if (ev->type == XTR_EV_JOB_RUN)
		f->drm_sched_job_run = &job;
	else if (ev->type == XTR_EV_JOB_DONE)
		f->drm_sched_job_done = &done;
	else if (ev->type == XTR_EV_JOB_ADD_DEP)
		f->drm_sched_job_add_dep = &dep;
	else
		f->drm_sched_job_unschedulable = &dep;
	return pf_send(pf);
}

int pf_ftrace_event(struct pf *pf, const struct xtr_event *ev)
{
	int ret = 0;

	if (!ev->desc || !pf_ftrace_fits(ev->stream))
		return 0;
	if (!strcmp(ev->desc->name, "sched:sched_switch"))
		return sched_switch(pf, ev);
	if (pf->o.ftrace)
		ret = scheduler_event(pf, ev);
	return ret || !pf->o.raw ? ret : pf_raw_event(pf, ev);
}
