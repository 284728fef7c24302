/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls on their thread or CPU, what happened at one moment, and where events were lost. */
#include "perfetto.h"

#include "replay/event/process.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* --- fields ------------------------------------------------------------------------------------
 */

static void note_string_id(struct pf *pf, const char *name, uint64_t id)
{
	size_t n = 0;
	const char *s =
		id <= UINT32_MAX ? xtr_tables_string(pf->s->tables, (uint32_t)id, &n) : NULL;

	if (s)
		pf_note_text(pf, name, s, n);
}

static void note_ring_id(struct pf *pf, const char *name, uint64_t id)
{
	const struct xtr_ring *r = xtr_tables_ring(pf->s->tables, (uint32_t)id);

	if (r)
		note_string_id(pf, name, r->name);
}

static bool is_hex(enum xtr_repr r)
{
	return r == XTR_REPR_HEX8 || r == XTR_REPR_HEX16 || r == XTR_REPR_HEX32 ||
	       r == XTR_REPR_HEX64;
}

/* One number, or text. A stack has no place here. */
static void note_number(struct pf *pf, const struct xtr_field *f, uint64_t v)
{
	if (f->repr == XTR_REPR_STRID)
		note_string_id(pf, f->name, v);
	else if (f->repr == XTR_REPR_RING)
		note_ring_id(pf, f->name, v);
	else if (is_hex(f->repr))
		pf_note_hex(pf, f->name, v);
	else if (xtr_repr_is_signed(f->repr))
		pf_note_s64(pf, f->name, (int64_t)v);
	else if (f->repr != XTR_REPR_STACK)
		pf_note_u64(pf, f->name, v);
}

static void note_field(struct pf *pf, const struct xtr_event *ev, const struct xtr_field *f)
{
	const uint8_t *p = ev->rec + f->offset;
	uint64_t v;

	if (xtr_field_get(f, ev->rec, ev->size, &v)) {
		note_number(pf, f, v);
		return;
	}
	if (f->offset > ev->size || f->size > ev->size - f->offset)
		return;
	if (f->repr == XTR_REPR_STR) {
		const char *text = pf_chars(pf, p, f->size);

		pf_note_text(pf, f->name, text, strlen(text));
	} else if (f->repr == XTR_REPR_BYTES) {
		pf_note_hex_bytes(pf, f->name, p, f->size);
	}
}

static void note_fields(struct pf *pf, const struct xtr_event *ev)
{
	for (uint32_t i = 0; ev->desc && i < ev->desc->n_fields; i++)
		note_field(pf, ev, &ev->desc->fields[i]);
}

/* What a function or API call captured. */
static void note_half(struct pf *pf, const struct xtr_call_half *h)
{
	struct xtr_event ev = { .desc = h->desc, .rec = h->rec, .size = h->size };

	for (uint32_t i = 0; h->desc && i < h->desc->n_fields; i++)
		if (xtr_call_captured(&h->desc->fields[i]))
			note_field(pf, &ev, &h->desc->fields[i]);
}

/* --- calls ------------------------------------------------------------------------------------ */

static void call_notes(struct pf *pf, const struct xtr_call *c)
{
	if (c->kind == XTR_CALL_WAIT) {
		pf_note_u64(pf, "context", c->ctx);
		pf_note_u64(pf, "seqno", c->seqno);
	}
	if (c->module)
		pf_note_text(pf, "module", c->module, strlen(c->module));
	note_half(pf, &c->entry);
	note_half(pf, &c->exit);
	if (c->ret_known)
		pf_note_s64(pf, "ret", c->ret);
	if (c->gap)
		pf_note_text(pf, "events", "lost meanwhile", strlen("lost meanwhile"));
}

static int put_call(struct pf *pf, const struct xtr_call *c, enum pf_type type, uint64_t track,
		    const char *missing)
{
	const char *name = c->name[0] ? c->name : xtr_call_kind_name(c->kind);

	pf_event(pf, type, track, c->begin_ns ? c->begin_ns : c->end_ns);
	pf_name_text(pf, xtr_call_kind_name(c->kind), name);
	if (missing)
		pf_note_text(pf, "missing", missing, strlen(missing));
	call_notes(pf, c);
	return pf_event_send(pf);
}

static int call_track(struct pf *pf, const struct xtr_call *c, uint64_t *track)
{
	if (c->kind == XTR_CALL_MARKER)
		return pf_marker_track(pf, c, track);
	if (c->on_cpu)
		return pf_cpu_track(pf, PF_ROOT_INTERRUPTS, c->stream, 0, track);
	return pf_thread_track(pf, c->tid, xtr_process(c->pid, c->nth), c->comm,
			       c->begin_ns ? c->begin_ns : c->end_ns, track);
}

/*
 * What began before the trace, or of which an end was lost, is a moment. A call of a thread that
 * was open at the end may hang: a slice without an end, on a track of its own, as later calls must
 * not seem to lie within it. A call inside another is written first, so one that begins with it
 * would be taken for the inner one: it stands beside.
 */
int pf_call(void *self, const struct xtr_call *c)
{
	struct pf *pf = self;
	uint64_t track;
	int err;

	if (c->kind == XTR_CALL_RUNNING)
		return pf_ftrace_running(pf, c);
	err = call_track(pf, c, &track);
	if (err)
		return err;
	if (c->begin_ns && c->end_ns) {
		if (c->begins_with_inner)
			err = pf_together_track(pf, track, c->depth, &track);
		return err ?: put_call(pf, c, PF_SLICE_BEGIN, track, NULL) ?:
		       pf_end(pf, track, c->end_ns);
	}
	if (!c->begin_ns)
		return put_call(pf, c, PF_INSTANT, track, "begin");
	if (c->loose)
		return put_call(pf, c, PF_INSTANT, track, NULL);
	if (c->gap || c->on_cpu)
		return put_call(pf, c, PF_INSTANT, track, "end");
	if (c->overlaps) /* a lane that nothing follows on */
		return put_call(pf, c, PF_SLICE_BEGIN, track, "end");
	err = pf_unfinished_call_track(pf, track, &track);
	return err ? err : put_call(pf, c, PF_SLICE_BEGIN, track, "end");
}

/* --- marks ------------------------------------------------------------------------------------ */

static int instant(struct pf *pf, const struct xtr_mark *m, uint64_t track, uint64_t ts,
		   const char *category)
{
	pf_event(pf, PF_INSTANT, track, ts);
	pf_name_text(pf, category, m->name);
	if (ts != m->ts)
		pf_note_u64(pf, "interrupt_after_ns", m->ts - ts);
	if (m->kind != XTR_MARK_MARKER) /* its text is its name */
		note_fields(pf, m->ev);
	return pf_event_send(pf);
}

/* A vblank is where the hardware says it was, if its clock is the events' and that makes sense. */
static uint64_t vblank_time(const struct pf *pf, const struct xtr_mark *m)
{
	if (pf->clock.monotonic && m->time_ns && m->time_ns < m->ts &&
	    m->ts - m->time_ns < 1000000000u)
		return m->time_ns;
	return m->ts;
}

static int thread_of(struct pf *pf, const struct xtr_mark *m, uint64_t *track)
{
	if (!m->tid)
		return pf_cpu_track(pf, PF_ROOT_NO_THREAD, m->stream, 0, track);
	return pf_thread_track(pf, m->tid, xtr_process(m->pid, m->nth), m->comm, m->ts, track);
}

static int counter(struct pf *pf, const struct xtr_mark *m)
{
	uint64_t track;
	int err = m->of_process ? pf_marker_counter(pf, m, &track)
				: pf_counter_track(pf, m->track, m->unit, &track);

	if (err)
		return err;
	return m->is_signed ? pf_counter_signed(pf, track, m->ts, (int64_t)m->value)
			    : pf_counter(pf, track, m->ts, m->value);
}

static int marker(struct pf *pf, const struct xtr_mark *m)
{
	uint64_t track;
	int err = m->of_process ? pf_marker_moment_track(pf, m, &track) : thread_of(pf, m, &track);

	return err ? err : instant(pf, m, track, m->ts, "marker");
}

int pf_mark(void *self, const struct xtr_mark *m)
{
	struct pf *pf = self;
	uint64_t track;
	int err;

	if (m->kind == XTR_MARK_COUNTER)
		return counter(pf, m);
	if (m->kind == XTR_MARK_MARKER)
		return marker(pf, m);
	if (m->kind == XTR_MARK_VBLANK) {
		err = pf_named_track(pf, PF_ROOT_DISPLAY, m->track, &track);
		return err ? err : instant(pf, m, track, vblank_time(pf, m), "display");
	}
	if (m->kind == XTR_MARK_DEVICE) {
		err = pf_named_track(pf, PF_ROOT_DEVICES, m->track, &track);
		return err ? err : instant(pf, m, track, m->ts, "device");
	}
	return thread_of(pf, m, &track) ?: instant(pf, m, track, m->ts, "event");
}

/* --- gaps ------------------------------------------------------------------------------------- */

/*
 * Gaps are packets of a sequence of their own, each of which says that packets before it were
 * dropped. On the sequence of all others that would make an importer forget what was interned.
 */
static int gap_packet(struct pf *pf, enum pf_type type, uint64_t track, uint64_t ts,
		      const struct xtr_gap *gap)
{
	bool ends = type == PF_SLICE_END, left_out = xtr_gap_left_out(gap);
	struct xtr_buf *b = &pf->out.block;
	size_t packet, event;

	pf_begin(pf);
	packet = pf_message(b, PF_TRACE_PACKET);
	pf_put_uint(b, PF_PACKET_TIMESTAMP, pf_clock_boot(&pf->clock, ts));
	pf_put_uint(b, PF_PACKET_SEQUENCE, PF_SEQUENCE(pf) + 1);
	event = pf_message(b, PF_PACKET_EVENT);
	pf_put_uint(b, PF_EVENT_TYPE, type);
	pf_put_uint(b, PF_EVENT_TRACK, track);
	if (!ends && left_out)
		pf_put_text(b, PF_EVENT_PLAIN_NAME, "events left out");
	else if (!ends)
		pf_put_text(b, PF_EVENT_PLAIN_NAME,
			    pf_textf(pf, "%" PRIu64 " event%s lost", gap->count,
				     gap->count == 1 ? "" : "s"));
	pf_message_end(b, event);
	pf_put_uint(b, PF_PACKET_FLAGS, PF_FLAG_CLEARED); /* nothing interned is used */
	if (ends && !left_out)
		pf_put_uint(b, PF_PACKET_DROPPED, true);
	pf_put_uint(b, PF_PACKET_CLOCK_ID, PF_CLOCK_BOOTTIME);
	if (pf_machine(pf)->id)
		pf_put_uint(b, PF_PACKET_MACHINE_ID, pf_machine(pf)->id);
	pf_message_end(b, packet);
	return pf->err ? pf->err : pf_out_added(&pf->out);
}

int pf_gap(void *self, const struct xtr_gap *gap)
{
	struct pf *pf = self;
	uint64_t track, end = gap->last > gap->first ? gap->last : gap->first;
	int lane = pf_lane(&pf->gaps, gap->first, end);

	if (lane < 0)
		return lane == -ENOSPC ? 0 : lane;
	return pf_cpu_track(pf, PF_ROOT_LOST, gap->stream, (uint32_t)lane, &track) ?:
	       gap_packet(pf, PF_SLICE_BEGIN, track, gap->first, gap) ?:
	       gap_packet(pf, PF_SLICE_END, track, end, gap) ?:
	       pf_ftrace_gap(pf, gap);
}
