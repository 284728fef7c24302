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

void pf_ftrace_bundle(struct pf *pf, uint32_t cpu)
{
	pf_packet(pf);
	pf->packet.bundle = pf_in_packet(pf, PF_PACKET_FTRACE);
	pf_put_uint(&pf->out.block, PF_BUNDLE_CPU, cpu);
}

int pf_ftrace_bundle_end(struct pf *pf)
{
	return pf_packet_end_with(pf, pf->packet.bundle);
}

void pf_ftrace_begin(struct pf *pf, uint32_t cpu, uint64_t ts, uint32_t tid)
{
	struct xtr_buf *b = &pf->out.block;

	pf_ftrace_bundle(pf, cpu);
	pf->packet.ftrace = pf_message(b, PF_BUNDLE_EVENT);
	pf_put_uint(b, PF_FTRACE_TIME, pf_clock_boot(&pf->clock, ts));
	pf_put_uint(b, PF_FTRACE_TID, tid);
}

int pf_ftrace_end(struct pf *pf)
{
	pf_message_end(&pf->out.block, pf->packet.ftrace);
	return pf_ftrace_bundle_end(pf);
}

int pf_ftrace_gap(struct pf *pf, const struct xtr_gap *gap)
{
	if (!(pf->o.raw || pf->o.ftrace) || !pf_ftrace_fits(gap->stream))
		return 0;
	pf_ftrace_bundle(pf, gap->stream);
	pf_put_uint(&pf->out.block, PF_BUNDLE_LOST, true);
	return pf_ftrace_bundle_end(pf);
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
	struct xtr_buf *b = &pf->out.block;
	const char *from, *to;
	size_t n, m, at;
	uint8_t *p;

	pf_ftrace_begin(pf, cpu, ts, prev->tid);
	from = pf_text(pf, prev->comm, strlen(prev->comm));
	to = pf_text(pf, next->comm, strlen(next->comm));
	n = strlen(from);
	m = strlen(to);
	at = pf_message(b, PF_FTRACE_SWITCH);
	p = pf_room(b, 7 * PF_WIRE_NUMBER + n + m);
	if (p) {
		p = pf_wire_bytes(p, PF_SWITCH_PREV_COMM, from, n);
		p = pf_wire_int32(p, PF_SWITCH_PREV_TID, (int32_t)prev->tid);
		p = pf_wire_int32(p, PF_SWITCH_PREV_PRIO, prev->prio);
		p = pf_wire_uint(p, PF_SWITCH_PREV_STATE, (uint64_t)state);
		p = pf_wire_bytes(p, PF_SWITCH_NEXT_COMM, to, m);
		p = pf_wire_int32(p, PF_SWITCH_NEXT_TID, (int32_t)next->tid);
		pf_wrote(b, pf_wire_int32(p, PF_SWITCH_NEXT_PRIO, next->prio));
	}
	pf_message_end(b, at);
	return pf_ftrace_end(pf);
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

	if (c->end_ns != ev->ts || c->stream != ev->stream || c->tid != me.tid || !c->begin_ns)
		return 0;
	return put_switch(pf, ev->stream, c->begin_ns, &nobody, 0, &me)
		       ?: put_switch(pf, ev->stream, ev->ts, &me, (int64_t)number_of(ev, f->state),
				     &nobody);
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

static void put_string(struct pf *pf, uint32_t field, uint32_t id)
{
	size_t n = 0;
	const char *s = xtr_tables_string(pf->s->tables, id, &n);

	pf_put_text(&pf->out.block, field, pf_text(pf, s ? s : "", n));
}

static void put_job(struct pf *pf, const struct xtr_gpu_record *r, const struct xtr_event *ev)
{
	const struct xtr_ring *ring = xtr_tables_ring(pf->s->tables, r->ring);
	const struct xtr_field *hw = xtr_event_field(ev->desc, "hw_job_count");
	struct xtr_buf *b = &pf->out.block;

	put_string(pf, PF_JOB_NAME, ring ? ring->name : 0);
	pf_put_uint(b, PF_JOB_COUNT, r->job_count);
	pf_put_int32(b, PF_JOB_HW_COUNT, (int32_t)number_of(ev, hw));
	put_string(pf, PF_JOB_DEVICE, ring ? ring->device : 0);
	pf_put_uint(b, PF_JOB_CONTEXT, r->ctx);
	pf_put_uint(b, PF_JOB_SEQNO, r->seqno);
	pf_put_uint(b, PF_JOB_CLIENT, r->client_id);
}

static void put_fences(struct pf *pf, const struct xtr_gpu_record *r, bool dependency)
{
	struct xtr_buf *b = &pf->out.block;

	pf_put_uint(b, PF_FENCE_CONTEXT, r->ctx);
	pf_put_uint(b, PF_FENCE_SEQNO, r->seqno);
	if (dependency) {
		pf_put_uint(b, PF_FENCE_DEP_CONTEXT, r->dep_ctx);
		pf_put_uint(b, PF_FENCE_DEP_SEQNO, r->dep_seqno);
	}
}

static int scheduler_event(struct pf *pf, const struct xtr_event *ev)
{
	static const uint32_t field_of[] = {
		[XTR_EV_JOB_QUEUE] = PF_FTRACE_QUEUE,
		[XTR_EV_JOB_RUN] = PF_FTRACE_RUN,
		[XTR_EV_JOB_DONE] = PF_FTRACE_DONE,
		[XTR_EV_JOB_ADD_DEP] = PF_FTRACE_ADD_DEP,
		[XTR_EV_JOB_WAIT_DEP] = PF_FTRACE_UNSCHEDULABLE,
		[XTR_EV_JOB_UNSCHEDULABLE] = PF_FTRACE_UNSCHEDULABLE,
	};
	struct xtr_gpu_record r;
	size_t at;

	if (ev->type > XTR_EV_JOB_UNSCHEDULABLE || xtr_gpu_record_get(ev, &r) != 1)
		return 0;
	/* Kernels before 6.17 tell each dependency that is looked at; only what blocks is left. */
	if (ev->type == XTR_EV_JOB_WAIT_DEP && r.flags & XTR_JOB_DEP_SIGNALED)
		return 0;
	pf_ftrace_begin(pf, ev->stream, ev->ts, ev->tid);
	at = pf_message(&pf->out.block, field_of[ev->type]);
	if (ev->type == XTR_EV_JOB_QUEUE || ev->type == XTR_EV_JOB_RUN)
		put_job(pf, &r, ev);
	else
		put_fences(pf, &r, ev->type != XTR_EV_JOB_DONE);
	pf_message_end(&pf->out.block, at);
	return pf_ftrace_end(pf);
}

int pf_ftrace_event(void *self, const struct xtr_event *ev)
{
	struct pf *pf = self;
	int err = 0;

	if (!ev->desc || !pf_ftrace_fits(ev->stream))
		return 0;
	if (ev->type >= XTR_TYPE_FIRST_DYNAMIC && !strcmp(ev->desc->name, "sched:sched_switch"))
		return sched_switch(pf, ev);
	if (pf->o.ftrace)
		err = scheduler_event(pf, ev);
	return err || !pf->o.raw ? err : pf_raw_event(pf, ev);
}
