/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands before the events: how to read them, and what they were recorded on. Numbers that
 * JavaScript would round (2^53) are texts.
 */
#include "chrome.h"
#include "base/text.h"

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
	size_t i;

	xtr_json_kv_array(j, "devices");
	for (i = 0; i < xtr_meta_n_devices(meta); i++) {
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
	size_t i;

	xtr_json_kv_array(j, "sections");
	for (i = 0; i < c->axis.n; i++) {
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
