/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfetto.h"

#include <string.h>

void pf_event(struct pf *pf, Pf__TrackEvent__Type type, uint64_t track, uint64_t ts)
{
	Pf__TrackEvent *e = &pf->event;

	pf__track_event__init(e);
	e->has_type = e->has_track_uuid = true;
	e->type = type;
	e->track_uuid = track;
	e->debug_annotations = pf->note_ptr;
	pf_packet_at(pf, ts)->track_event = e;
}

static void set_category(struct pf *pf, const char *category)
{
	if (!category)
		return;
	pf->category = pf_intern_text(pf, PF_CATEGORIES, category);
	pf->event.category_iids = &pf->category;
	pf->event.n_category_iids = pf->category != 0;
}

static void set_name(struct pf *pf, uint64_t iid)
{
	pf->event.has_name_iid = iid != 0;
	pf->event.name_iid = iid;
}

void pf_name(struct pf *pf, const char *category, const char *name)
{
	set_category(pf, category);
	set_name(pf, pf_intern_text(pf, PF_EVENT_NAMES, name));
}

void pf_name_comm(struct pf *pf, const char *category, uint32_t comm, const char *other)
{
	uint64_t iid = pf_intern_comm(pf, comm);

	set_category(pf, category);
	set_name(pf, iid ? iid : pf_intern_text(pf, PF_EVENT_NAMES, other));
}

/* A note to fill, or NULL if there is no room. */
static Pf__DebugAnnotation *add_note(struct pf *pf, const char *name)
{
	Pf__DebugAnnotation *a = &pf->note[pf->event.n_debug_annotations];
	uint64_t iid;

	if (pf->event.n_debug_annotations == PF_NOTES_MAX)
		return NULL;
	iid = pf_intern_text(pf, PF_NOTE_NAMES, name);
	if (!iid)
		return NULL;
	pf__debug_annotation__init(a);
	a->has_name_iid = true;
	a->name_iid = iid;
	pf->note_ptr[pf->event.n_debug_annotations++] = a;
	return a;
}

void pf_note_u64(struct pf *pf, const char *name, uint64_t v)
{
	Pf__DebugAnnotation *a = add_note(pf, name);

	if (!a)
		return;
	a->has_uint_value = true;
	a->uint_value = v;
}

void pf_note_s64(struct pf *pf, const char *name, int64_t v)
{
	Pf__DebugAnnotation *a = add_note(pf, name);

	if (!a)
		return;
	a->has_int_value = true;
	a->int_value = v;
}

void pf_note_hex(struct pf *pf, const char *name, uint64_t v)
{
	Pf__DebugAnnotation *a = add_note(pf, name);

	if (!a)
		return;
	a->has_pointer_value = true;
	a->pointer_value = v;
}

void pf_note_text(struct pf *pf, const char *name, const char *s, size_t n)
{
	Pf__DebugAnnotation *a = add_note(pf, name);

	if (a)
		a->string_value = pf_text(pf, s, n);
}

void pf_flow(struct pf *pf, uint64_t id, bool ends)
{
	pf->flow = id;
	if (ends) {
		pf->event.terminating_flow_ids = &pf->flow;
		pf->event.n_terminating_flow_ids = 1;
	} else {
		pf->event.flow_ids = &pf->flow;
		pf->event.n_flow_ids = 1;
	}
}

void pf_submits(struct pf *pf, uint64_t event_id)
{
	pf__gpu_correlation__init(&pf->correlation);
	pf->submits = event_id;
	pf->correlation.submission_event_ids = &pf->submits;
	pf->correlation.n_submission_event_ids = 1;
	pf->event.gpu_correlation = &pf->correlation;
}

int pf_end(struct pf *pf, uint64_t track, uint64_t ts)
{
	pf_event(pf, PF__TRACK_EVENT__TYPE__SLICE_END, track, ts);
	return pf_send(pf);
}

int pf_counter(struct pf *pf, uint64_t track, uint64_t ts, uint64_t value)
{
	pf_event(pf, PF__TRACK_EVENT__TYPE__COUNTER, track, ts);
	pf->event.has_counter_value = true;
	pf->event.counter_value = value > INT64_MAX ? INT64_MAX : (int64_t)value;
	return pf_send(pf);
}
