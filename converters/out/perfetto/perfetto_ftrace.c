/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as ftrace has them, for what importers do with those: sched_switch makes the tracks of
 * CPUs and the states of threads; the scheduler's events, if asked for, what stock tools make of
 * them. Times of ftrace are on BOOTTIME. A bundle holds one event.
 */
#include "perfetto.h"

#include "format/xtr_format.h"
#include "replay/event/field.h"
#include "replay/event/record.h"

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

/* Fields of FtraceEvent and SchedSwitch. */
#define SWITCH 4u

#define PREV_COMM  1u
#define PREV_TID   2u
#define PREV_PRIO  3u
#define PREV_STATE 4u
#define NEXT_COMM  5u
#define NEXT_TID   6u
#define NEXT_PRIO  7u

static uint8_t *put_int32(uint8_t *p, uint32_t field, int32_t v)
{
	return pf_wire_uint(p, field, (uint64_t)(int64_t)v);
}

static int put_switch(struct pf *pf, uint32_t cpu, uint64_t ts, const struct side *prev,
		      int64_t state, const struct side *next)
{
	const char *from, *to;
	size_t n, m, at;
	uint8_t *p;

	pf_straight_ftrace(pf, cpu, ts, prev->tid);
	from = pf_text(pf, prev->comm, strlen(prev->comm));
	to = pf_text(pf, next->comm, strlen(next->comm));
	n = strlen(from);
	m = strlen(to);
	at = pf_message(pf, SWITCH);
	p = pf_room(pf, 7 * PF_WIRE_NUMBER + n + m);
	if (p) {
		p = pf_wire_bytes(p, PREV_COMM, from, n);
		p = put_int32(p, PREV_TID, (int32_t)prev->tid);
		p = put_int32(p, PREV_PRIO, prev->prio);
		p = pf_wire_uint(p, PREV_STATE, (uint64_t)state);
		p = pf_wire_bytes(p, NEXT_COMM, to, m);
		p = put_int32(p, NEXT_TID, (int32_t)next->tid);
		pf_wrote(pf, put_int32(p, NEXT_PRIO, next->prio));
	}
	pf_message_end(pf, at);
	return pf_end_ftrace(pf);
}

static uint64_t number_of(const struct xtr_event *ev, const struct xtr_field *f)
{
	uint64_t v;

	xtr_field_get(f, ev->rec, ev->size, &v);
	return v;
}

/* The text of a field, cut to fit. */
static void copy_text(const struct pf *pf, const struct xtr_event *ev, const struct xtr_field *f,
		      char to[COMM_MAX])
{
	size_t n;
	const char *from = xtr_field_string(f, pf->s->tables, ev->rec, ev->size, &n);

	if (n >= COMM_MAX)
		n = COMM_MAX - 1;
	if (n)
		memcpy(to, from, n);
	to[n] = '\0';
}

static struct side side_of(const struct pf *pf, const struct xtr_event *ev,
			   const struct pf_side_fields *f)
{
	struct side s;

	s.tid = (uint32_t)number_of(ev, f->tid);
	s.prio = (int32_t)number_of(ev, f->prio);
	copy_text(pf, ev, f->comm, s.comm);
	return s;
}

static void find_fields(struct pf_switch_fields *f, const struct xtr_event_desc *d)
{
	f->desc = d;
	f->state = xtr_event_field(d, "prev_state");
	f->prev.tid = xtr_event_field(d, "prev_pid");
	f->prev.prio = xtr_event_field(d, "prev_prio");
	f->prev.comm = xtr_event_field(d, "prev_comm");
	f->next.tid = xtr_event_field(d, "next_pid");
	f->next.prio = xtr_event_field(d, "next_prio");
	f->next.comm = xtr_event_field(d, "next_comm");
}

/*
 * If only some processes were selected, an event tells who had the CPU before it and the call when
 * he got it; what other processes did is not known, and looks as if nobody did anything.
 */
static int switch_of_call(struct pf *pf, const struct xtr_event *ev)
{
	const struct xtr_call *c = &pf->running;
	const struct pf_switch_fields *f = &pf->switch_fields;
	struct side me = side_of(pf, ev, &f->prev), nobody = idle(ev->stream);
	int ret;

	if (c->end_ns != ev->ts || c->stream != ev->stream || c->tid != me.tid || !c->begin_ns)
		return 0;
	ret = put_switch(pf, ev->stream, c->begin_ns, &nobody, 0, &me);
	if (ret)
		return ret;
	return put_switch(pf, ev->stream, ev->ts, &me, (int64_t)number_of(ev, f->state), &nobody);
}

static int sched_switch(struct pf *pf, const struct xtr_event *ev)
{
	struct pf_switch_fields *f = &pf->switch_fields;
	struct side prev, next;

	if (f->desc != ev->desc)
		find_fields(f, ev->desc);
	if (pf->o.by_pid)
		return switch_of_call(pf, ev);
	prev = side_of(pf, ev, &f->prev);
	next = side_of(pf, ev, &f->next);
	return put_switch(pf, ev->stream, ev->ts, &prev, (int64_t)number_of(ev, f->state), &next);
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
	to->hw_job_count = (int32_t)number_of(ev, xtr_event_field(ev->desc, "hw_job_count"));
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
