/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_jsm.h"
#include "replay/event/field.h"

#include "format/meta/meta.h"

#include <stdio.h>
#include <string.h>

/* Sent by ivpu_ipc_send_and_wait (ivpu_jsm_state_dump): a pause follows, no reply is waited for. */
static const char *const one_way[] = { "VPU_JSM_MSG_STATE_DUMP" };

void jsm_init(struct jsm *j, const struct xtr_meta *meta, const struct xtr_tables *tables,
	      bool times)
{
	const struct xtr_event_desc *d = xtr_meta_event_by_name(meta, "vpu:jsm");

	*j = (struct jsm){ .tables = tables, .times = times };
	if (!d)
		return;
	j->event = xtr_event_field(d, "event");
	j->type = xtr_event_field(d, "type");
	j->request = xtr_event_field(d, "request_id");
	j->result = xtr_event_field(d, "result");
	j->usable = j->event && j->request &&
		    (j->event->repr == XTR_REPR_STRID || j->event->repr == XTR_REPR_STR);
}

void jsm_free(struct jsm *j)
{
	for (uint32_t i = 0; i < j->n_rows; i++)
		xtr_hist_free(&j->row[i].rtt);
	xtr_map_free(&j->by_request);
	xtr_gaps_free(&j->gaps);
}

int jsm_gap(struct jsm *j, const struct xtr_gap *gap)
{
	return j->usable ? xtr_gaps_add(&j->gaps, gap->first, gap->last) : 0;
}

static uint32_t row_of(struct jsm *j, const struct xtr_event *ev)
{
	char name[JSM_NAME_MAX];
	size_t n = 0;
	const char *s = xtr_field_string(j->type, j->tables, ev->rec, ev->size, &n);
	uint32_t i;

	snprintf(name, sizeof(name), "%.*s", s ? (int)(n < sizeof(name) ? n : sizeof(name)) : 1,
		 s ? s : "?");
	for (i = 0; i < j->n_rows; i++)
		if (!strcmp(j->row[i].name, name))
			return i;
	if (j->n_rows == JSM_TYPES_MAX)
		return JSM_TYPES_MAX - 1;
	if (j->n_rows == JSM_TYPES_MAX - 1)
		snprintf(name, sizeof(name), "(other)");
	memcpy(j->row[i].name, name, sizeof(name));
	for (size_t k = 0; k < sizeof(one_way) / sizeof(one_way[0]); k++)
		j->row[i].one_way |= !strcmp(name, one_way[k]);
	return j->n_rows++;
}

/* No reply will be matched with this message any more. `end`: of the time in which one was. */
static void close_open(struct jsm *j, struct jsm_open *o, uint64_t end, bool reused)
{
	struct jsm_type *row = &j->row[o->type];
	uint64_t ns = end > o->ts ? end - o->ts : 0;

	o->used = false;
	xtr_map_del(&j->by_request, o->request, 0);
	if (xtr_gaps_overlap(&j->gaps, o->ts, end) ||
	    (!reused && (!j->times || ns < JSM_REPLY_NS))) {
		row->not_known++;
		return;
	}
	if (!row->no_reply++)
		row->first_no_reply_ns = o->ts;
	if (ns > row->longest_ns)
		row->longest_ns = ns;
}

static int sent(struct jsm *j, const struct xtr_event *ev, uint32_t request)
{
	uint32_t before = xtr_map_index(&j->by_request, request, 0);
	struct jsm_open *o = &j->open[j->next];

	if (before != XTR_MAP_NONE)
		close_open(j, &j->open[before], ev->ts, true);
	if (o->used) {
		j->row[o->type].not_known++;
		xtr_map_del(&j->by_request, o->request, 0);
	}
	*o = (struct jsm_open){ .ts = ev->ts, .request = request, .used = true };
	o->type = row_of(j, ev);
	j->row[o->type].sent++;
	j->sent++;
	before = j->next;
	j->next = (j->next + 1) % JSM_OPEN_MAX;
	return xtr_map_put(&j->by_request, request, 0, before);
}

static int received(struct jsm *j, const struct xtr_event *ev, uint32_t request)
{
	uint32_t i = xtr_map_index(&j->by_request, request, 0);
	struct jsm_open *o;
	struct jsm_type *row;
	uint64_t result;

	j->received++;
	if (i == XTR_MAP_NONE) {
		j->unasked++;
		return 0;
	}
	o = &j->open[i];
	row = &j->row[o->type];
	row->replies++;
	xtr_field_get(j->result, ev->rec, ev->size, &result);
	if (result && !row->failed++)
		row->result = (uint32_t)result;
	o->used = false;
	xtr_map_del(&j->by_request, request, 0);
	return j->times ? xtr_hist_add(&row->rtt, ev->ts - o->ts) : 0;
}

static bool is(const char *s, size_t n, const char *word)
{
	return s && memmem(s, n, word, strlen(word));
}

int jsm_event(struct jsm *j, const struct xtr_event *ev)
{
	const char *s;
	uint64_t request;
	size_t n = 0;
	int err;

	if (!j->usable || !xtr_field_get(j->request, ev->rec, ev->size, &request))
		return 0;
	s = xtr_field_string(j->event, j->tables, ev->rec, ev->size, &n);
	if (is(s, n, "rx")) {
		err = received(j, ev, (uint32_t)request);
		return err ? err : 1;
	}
	if (is(s, n, "tx")) {
		err = sent(j, ev, (uint32_t)request);
		return err ? err : 2;
	}
	return 0;
}

void jsm_finish(struct jsm *j, uint64_t end_ns)
{
	for (uint32_t i = 0; i < JSM_OPEN_MAX; i++)
		if (j->open[i].used)
			close_open(j, &j->open[i], end_ns, false);
}
