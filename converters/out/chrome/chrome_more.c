/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters, moments, and the stretches in which events were lost. */
#include "chrome.h"

#include "replay/event/field.h"
#include "replay/event/process.h"

#include <string.h>

int chrome_depth(void *self, const struct xtr_model_ring *ring, uint64_t ts)
{
	struct chrome *c = self;
	struct chrome_out *o = &c->out;
	struct chrome_ring *r;
	int ret = chrome_ring_of(c, ring, &r);

	if (ret)
		return ret;
	chrome_event(o, "C", "depth");
	chrome_text_in(o, "name", "", r->name, " jobs");
	chrome_u64(o, "pid", r->device->pid);
	chrome_u64(o, "tid", r->device->pid);
	chrome_us(o, "ts", chrome_time(c, ts));
	chrome_args(o);
	chrome_u64(o, "queued", ring->queued);
	chrome_u64(o, "on hardware", ring->on_hw);
	chrome_args_end(o);
	chrome_event_end(o);
	return 0;
}

/* All fields of the event, as `xtr dump --json` has them. */
static void put_fields(struct chrome *c, const struct xtr_event *ev)
{
	struct xtr_json *j;
	uint32_t i;

	chrome_key(&c->out, "args");
	j = chrome_json(&c->out);
	xtr_json_begin_object(j);
	if (!ev->desc || !xtr_event_field(ev->desc, "cpu"))
		xtr_json_kv_u64(j, "cpu", ev->stream);
	for (i = 0; ev->desc && i < ev->desc->n_fields; i++)
		xtr_field_json(j, c->section.tables, &ev->desc->fields[i], ev->rec, ev->size);
	xtr_json_end_object(j);
}

/* What belongs to a process stands with its first thread. */
static int process_place(struct chrome *c, const struct xtr_mark *m, struct chrome_place *at)
{
	return chrome_thread_place(c, xtr_process(m->pid, m->nth), m->pid, 0, m->stream, m->ts, at);
}

static int put_counter(struct chrome *c, const struct xtr_mark *m)
{
	struct chrome_place at;
	int ret = m->of_process && m->pid ? process_place(c, m, &at)
					  : chrome_pseudo_place(c, CHROME_COUNTERS, 1, NULL, &at);

	if (ret)
		return ret;
	chrome_begin(c, "C", "counter", m->track, strlen(m->track), &at, chrome_time(c, m->ts));
	chrome_args(&c->out);
	if (m->is_signed)
		chrome_s64(&c->out, "value", (int64_t)m->value);
	else
		chrome_u64(&c->out, m->unit ? m->unit : "value", m->value);
	chrome_args_end(&c->out);
	chrome_event_end(&c->out);
	return 0;
}

static int put_moment(struct chrome *c, const struct xtr_mark *m, const struct chrome_place *at,
		      const char *cat)
{
	chrome_begin(c, "i", cat, m->name, strlen(m->name), at, chrome_time(c, m->ts));
	chrome_plain(&c->out, "s", "t");
	put_fields(c, m->ev);
	chrome_event_end(&c->out);
	return 0;
}

/* Tracks of displays and devices are numbered by their name's hash. */
static int put_on_track(struct chrome *c, const struct xtr_mark *m, enum chrome_pseudo where,
			const char *cat)
{
	uint64_t tid = (chrome_hash(0, m->track, strlen(m->track)) & 0x3fffffff) + 1;
	struct chrome_place at;
	int ret = chrome_pseudo_place(c, where, tid, m->track, &at);

	return ret ? ret : put_moment(c, m, &at, cat);
}

static int put_vblank(struct chrome *c, const struct xtr_mark *m)
{
	return put_on_track(c, m, CHROME_DISPLAYS, "vblank");
}

static int put_device(struct chrome *c, const struct xtr_mark *m)
{
	return put_on_track(c, m, CHROME_DEVICES, "device");
}

static int put_event(struct chrome *c, const struct xtr_mark *m)
{
	struct chrome_place at;
	int ret = chrome_thread_place(c, xtr_process(m->pid, m->nth), m->tid, m->comm, m->stream,
				      m->ts, &at);

	return ret ? ret : put_moment(c, m, &at, "event");
}

static int put_marker(struct chrome *c, const struct xtr_mark *m)
{
	struct chrome_owner *owner;
	struct chrome_place at;
	int ret;

	if (m->of_process && m->pid)
		ret = process_place(c, m, &at);
	else
		ret = chrome_thread_place(c, xtr_process(m->pid, m->nth), m->tid, m->comm,
					  m->stream, m->ts, &at);
	if (!ret && m->track)
		ret = chrome_named_owner(c, &at, m->track, &owner);
	return ret ? ret : put_moment(c, m, &at, "marker");
}

int chrome_mark(void *self, const struct xtr_mark *m)
{
	static int (*const put[])(struct chrome *, const struct xtr_mark *) = {
		[XTR_MARK_COUNTER] = put_counter, [XTR_MARK_VBLANK] = put_vblank,
		[XTR_MARK_DEVICE] = put_device,   [XTR_MARK_EVENT] = put_event,
		[XTR_MARK_MARKER] = put_marker,
	};

	return put[m->kind](self, m);
}

int chrome_gap(void *self, const struct xtr_gap *gap)
{
	struct chrome *c = self;
	struct chrome_out *o = &c->out;
	uint64_t first = chrome_time(c, gap->first), last = chrome_time(c, gap->last);
	uint64_t end = last > first ? last : first;
	int64_t lane = xtr_lanes_take(&c->tracks.lost, first, end);
	struct chrome_place at;
	char name[40] = "lost events";
	int ret;

	if (lane < 0)
		return (int)lane;
	if (lane > 1)
		snprintf(name, sizeof(name), "lost events (%lld)", (long long)lane);
	ret = chrome_pseudo_place(c, CHROME_LOST, (uint64_t)lane, name, &at);
	if (ret)
		return ret;
	chrome_event(o, "X", "lost");
	if (xtr_gap_left_out(gap))
		chrome_textf(o, "name", "events left out");
	else
		chrome_textf(o, "name", "lost %llu %s", (unsigned long long)gap->count,
			     gap->count == 1 ? "event" : "events");
	chrome_u64(o, "pid", at.pid);
	chrome_u64(o, "tid", at.tid);
	chrome_us(o, "ts", first);
	chrome_us(o, "dur", end - first);
	chrome_args(o);
	chrome_u64(o, "count", gap->count);
	if (gap->stream != XTR_STREAM_NONE)
		chrome_u64(o, "cpu", gap->stream);
	chrome_args_end(o);
	chrome_event_end(o);
	return 0;
}
