/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands before the events: how to read them, and what they were recorded on. Numbers that
 * JavaScript would round (2^53) are texts.
 */
#include "base/text.h"
#include "chrome.h"
#include "replay/event/field.h"
#include "replay/event/process.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000u

static void kv_ns(struct xtr_json *j, const char *key, uint64_t ns)
{
	char text[24];

	/* Negative: before the clock's zero. */
	snprintf(text, sizeof(text), "%" PRId64, (int64_t)ns);
	xtr_json_kv_str(j, key, text);
}

/* 2026-11-21T08:00:00.123456789Z */
static void kv_utc(struct xtr_json *j, const char *key, uint64_t ns)
{
	time_t t = (time_t)(ns / NS_PER_S);
	char text[64];
	struct tm tm;
	size_t n;

	if (ns > INT64_MAX || !gmtime_r(&t, &tm))
		return;
	n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	if (!n)
		return;
	snprintf(text + n, sizeof(text) - n, ".%09" PRIu64 "Z", ns % NS_PER_S);
	xtr_json_kv_str(j, key, text);
}

/* Where ts 0 is on the section's clocks. */
static void put_start(struct xtr_json *j, const struct xtr_section *s,
		      const struct chrome_axis_section *place)
{
	uint64_t start = chrome_axis_clock(place, 0), offset;

	xtr_json_kv_str(j, "clock", xtr_meta_clock(xtr_section_meta(s)));
	kv_ns(j, "start_ns", start);
	if (chrome_boottime_offset(s, &offset))
		kv_ns(j, "start_boottime_ns", start + offset);
	if (!chrome_realtime_offset(s, &offset))
		return;
	kv_ns(j, "start_realtime_ns", start + offset);
	kv_utc(j, "start_utc", start + offset);
}

static void put_machine(struct xtr_json *j, const struct xtr_section *s)
{
	const struct xtr_meta *meta = xtr_section_meta(s);
	const struct xtr_system *sys = xtr_meta_system(meta);
	uint64_t id = xtr_section_file_id(s);
	char text[2 * 16 + 1];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	xtr_json_kv_str(j, "file_id", text);
	xtr_json_kv_str(j, "boot_id", xtr_text_hex(text, sizeof(text), xtr_meta_boot_id(meta), 16));
	if (sys->hostname)
		xtr_json_kv_str(j, "host", sys->hostname);
	xtr_json_kv_str(j, "kernel", sys->release);
	xtr_json_kv_str(j, "machine", sys->machine);
	xtr_json_kv_u64(j, "cpus", sys->cpus);
}

static void put_devices(struct xtr_json *j, const struct xtr_meta *meta)
{
	xtr_json_kv_array(j, "devices");
	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++) {
		const struct xtr_device *d = xtr_meta_device(meta, i);

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "name", d->name);
		xtr_json_kv_str(j, "driver", d->driver);
		xtr_json_kv_str(j, "pci_id", d->pci_id);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void put_sums(struct xtr_json *j, const struct xtr_section *s)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);

	xtr_json_kv_u64(j, "events", sum->events);
	xtr_json_kv_u64(j, "lost", sum->lost);
	xtr_json_kv_u64(j, "missing", sum->missing);
	xtr_json_kv_bool(j, "closed", sum->closed);
}

static void put_sections(struct chrome *c, struct xtr_json *j, const struct xtr_reader *r)
{
	xtr_json_kv_array(j, "sections");
	for (size_t i = 0; i < c->axis.n; i++) {
		const struct xtr_section *s = xtr_reader_section(r, i);
		const struct chrome_axis_section *place = &c->axis.section[i];

		xtr_json_begin_object(j);
		put_machine(j, s);
		put_start(j, s, place);
		xtr_json_kv_str(j, "aligned_by", chrome_aligned_name(place->aligned));
		put_sums(j, s);
		put_devices(j, xtr_section_meta(s));
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void chrome_head(struct chrome *c, const struct xtr_reader *r)
{
	const struct xtr_section *first = xtr_reader_section(r, 0);
	struct xtr_json *j = chrome_json(&c->out);

	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "displayTimeUnit", "ns");
	xtr_json_kv_object(j, "metadata");
	xtr_json_kv_str(j, "writer", "xtr");
	xtr_json_kv_str(j, "xtr_version", XTR_VERSION);
	xtr_json_kv_str(j, "slices",
			"job: run to done (residence); args.exec_ns: execution, "
			""
			"[least, most] if only bounded; what is absent is the whole slice");
	xtr_json_kv_str(j, "unfinished",
			"jobs of which run or done is not in the trace are instants, on tracks "
			"called (unfinished): no duration is made up");
	xtr_json_kv_bool(j, "jobs_only", c->opts.jobs_only);
	put_machine(j, first);
	put_start(j, first, &c->axis.section[0]);
	put_sections(c, j, r);
	xtr_json_end_object(j);
	chrome_raw(&c->out, ",\n\"traceEvents\":[");
}

/* --- chrome more ------------------------------------------------------------------------------ */

/* Counters, moments, and the stretches in which events were lost. */

int chrome_depth(void *self, const struct xtr_model_ring *ring, uint64_t ts)
{
	struct chrome *c = self;
	struct chrome_out *o = &c->out;
	struct chrome_ring *r;
	int err = chrome_ring_of(c, ring, &r);

	if (err)
		return err;
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

	chrome_key(&c->out, "args");
	j = chrome_json(&c->out);
	xtr_json_begin_object(j);
	if (!ev->desc || !xtr_event_field(ev->desc, "cpu"))
		xtr_json_kv_u64(j, "cpu", ev->stream);
	for (uint32_t i = 0; ev->desc && i < ev->desc->n_fields; i++)
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
	int err = m->of_process && m->pid ? process_place(c, m, &at)
					  : chrome_pseudo_place(c, CHROME_COUNTERS, 1, NULL, &at);

	if (err)
		return err;
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

	return chrome_pseudo_place(c, where, tid, m->track, &at) ?: put_moment(c, m, &at, cat);
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
	int err = chrome_thread_place(c, xtr_process(m->pid, m->nth), m->tid, m->comm, m->stream,
				      m->ts, &at);

	return err ? err : put_moment(c, m, &at, "event");
}

static int put_marker(struct chrome *c, const struct xtr_mark *m)
{
	struct chrome_owner *owner;
	struct chrome_place at;
	int err;

	if (m->of_process && m->pid)
		err = process_place(c, m, &at);
	else
		err = chrome_thread_place(c, xtr_process(m->pid, m->nth), m->tid, m->comm,
					  m->stream, m->ts, &at);
	if (!err && m->track)
		err = chrome_named_owner(c, &at, m->track, &owner);
	return err ? err : put_moment(c, m, &at, "marker");
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
	int err;

	if (lane < 0)
		return (int)lane;
	if (lane > 1)
		snprintf(name, sizeof(name), "lost events (%lld)", (long long)lane);
	err = chrome_pseudo_place(c, CHROME_LOST, (uint64_t)lane, name, &at);
	if (err)
		return err;
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
