/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of counters. What a counter is stands in a descriptor: interned in its sequence, or, of
 * older producers, in any packet before, for all. A sample says what was in the time up to it,
 * unless its descriptor says that it looks forward: so its value stands at the sample before it,
 * and 0 at the last one, as in trace_processor (graphics_event_module.cc).
 *
 * An integer stays what it is. A double is kept as an integer of millionths, in an event of another
 * name: up to 9.2e12 it loses nothing that is above half of one.
 */
#include "pftrace_gpu.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLION     1000000
#define I_COUNTERS  47u /* InternedData.gpu_counter_descriptors */
#define LEGACY_PART 0xffffffffu

/* GpuCounterDescriptor.MeasureUnit, as people write them. */
static const char *const units[] = {
	"",         "bit", "Kb",        "Mb",       "Gb",          "Tb",  "Pb",  "B",      "KB",
	"MB",       "GB",  "TB",        "PB",       "Hz",          "KHz", "MHz", "GHz",    "THz",
	"PHz",      "ns",  "us",        "ms",       "s",           "min", "h",   "Vertex", "Pixel",
	"Triangle", "mW",  "W",         "kW",       "J",           "V",   "A",   "C",      "F",
	"K",        "%",   "Primitive", "Fragment", "Instruction",
};

static void add(char *to, size_t cap, const char *sep, const char *what)
{
	size_t n = strlen(to);

	snprintf(to + n, cap - n, "%s%s", n || *sep == '/' ? sep : "", what);
}

/* "Vertex/s", "Triangle/ms:ms" */
static void unit_of(struct pft_msg m, char text[64])
{
	const char *sep = "/";
	struct pft_field f;

	text[0] = '\0';
	for (struct pft_msg all = m; pft_next(&all, &f);)
		if (f.num == 7 && f.wire == 0 && f.v < sizeof(units) / sizeof(units[0]))
			add(text, 64, ":", units[f.v]);
	for (struct pft_msg all = m; pft_next(&all, &f);) {
		if (f.num != 8 || f.wire != 0 || !f.v || f.v >= sizeof(units) / sizeof(units[0]))
			continue;
		add(text, 64, sep, units[f.v]);
		sep = ":";
	}
}

/* A GpuCounterSpec; one that is known stays. */
static int take_spec(struct pft_gpu *g, uint64_t part, uint32_t gpu_id, struct pft_msg m)
{
	struct pft_field id, name;
	struct gpu_counter c = { .gpu_id = gpu_id };
	char unit[64];

	if (!gpu_field(m, 1, &id) || !gpu_field(m, 2, &name) || name.wire != 2 ||
	    g->n_counters == GPU_TRACKS_MAX || xtr_map_get(&g->counters, part, (uint32_t)id.v))
		return 0;
	unit_of(m, unit);
	c.forwards = gpu_u64(m, 11) == 2;
	c.name = xtr_copy_text((const char *)name.p, name.n < 255 ? name.n : 255);
	c.unit = strdup(unit);
	if (!c.name || !c.unit ||
	    xtr_grow_array(&g->counter, &g->cap_counters, g->n_counters + 1, sizeof(c)) ||
	    xtr_map_put(&g->counters, part, (uint32_t)id.v, g->n_counters)) {
		free(c.name);
		free(c.unit);
		return -ENOMEM;
	}
	g->counter[g->n_counters++] = c;
	return 0;
}

static int take_descriptor(struct pft_gpu *g, uint64_t part, uint32_t gpu_id, struct pft_msg m)
{
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f))
		if (f.num == 1 && f.wire == 2)
			err = take_spec(g, part, gpu_id, pft_sub(&f));
	return err;
}

/* What the samples of this packet are of: *part. */
static int find_descriptor(struct pft_gpu *g, const struct pft_packet *packet, struct pft_msg m,
			   uint64_t *part)
{
	struct pft_field f, d;
	struct pft_msg in;

	*part = LEGACY_PART;
	if (gpu_field(m, 4, &f)) {
		*part = (uint64_t)(packet->seq_id) << 32 | (uint32_t)f.v;
		if (pft_interned(packet->seq, I_COUNTERS, f.v, &in) && gpu_field(in, 2, &d))
			return take_descriptor(g, *part, (uint32_t)gpu_u64(in, 3), pft_sub(&d));
		return 0;
	}
	if (gpu_field(m, 1, &f))
		return take_descriptor(g, *part, (uint32_t)gpu_u64(m, 3), pft_sub(&f));
	return 0;
}

/* In millionths; what is too large, or no number, becomes the nearest that there is. */
static int64_t millionths(double d)
{
	const double most = 9223372036854.0;

	if (!(d < most))
		return d >= most ? INT64_MAX : 0;
	return d <= -most ? INT64_MIN : (int64_t)llround(d * MILLION);
}

static bool value_of(struct pft_msg m, int64_t *v, bool *real)
{
	struct pft_field f;
	double d;

	*real = false;
	if (gpu_field(m, 2, &f) && f.wire == 0) {
		*v = (int64_t)f.v;
		return true;
	}
	*real = true;
	if (!gpu_field(m, 3, &f) || f.wire != 1)
		return false;
	memcpy(&d, &f.v, sizeof(d));
	*v = millionths(d);
	return true;
}

static int hold_value(struct pftrace *p, struct pft_gpu *g, const struct gpu_counter *c,
		      uint64_t ts, int64_t v)
{
	struct gpu_record *r = &g->rec;
	char unit[80];

	snprintf(unit, sizeof(unit), "%s%s", c->real ? "1e-6 " : "", c->unit);
	gpu_begin(r, GPU_EVENT, "perfetto", c->real ? "gpu_counter_real" : "gpu_counter", 0, 0);
	gpu_device(r, "device", c->gpu_id);
	gpu_text(r, "counter", c->name, strlen(c->name));
	gpu_text(r, "unit", unit, strlen(unit));
	gpu_signed(r, "value", v);
	return gpu_hold(p, ts, r);
}

static int take_sample(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		       uint64_t part, struct pft_msg m)
{
	const uint64_t *i = xtr_map_get(&g->counters, part, (uint32_t)gpu_u64(m, 1));
	struct gpu_counter *c;
	uint64_t at = packet->ts;
	int64_t v;
	bool real;

	if (!i || !value_of(m, &v, &real)) {
		g->left_out[GPU_NO_COUNTER]++;
		return 0;
	}
	c = &g->counter[*i];
	c->real = real;
	if (!c->forwards) {
		at = c->last_ts;
		c->last_ts = packet->ts;
		if (!at)
			return 0;
	}
	return hold_value(p, g, c, at, v);
}

int gpu_take_counter(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		     struct pft_msg m)
{
	struct pft_field f;
	uint64_t part;
	int err = find_descriptor(g, packet, m, &part);

	while (!err && pft_next(&m, &f)) {
		if (f.num != 2 || f.wire != 2)
			continue;
		if (packet->has_ts)
			err = take_sample(p, g, packet, part, pft_sub(&f));
		else
			g->left_out[GPU_NO_TIME]++;
	}
	return err;
}

int gpu_counters_end(struct pftrace *p, struct pft_gpu *g)
{
	int err = 0;

	for (size_t i = 0; i < g->n_counters && !err; i++)
		if (g->counter[i].last_ts)
			err = hold_value(p, g, &g->counter[i], g->counter[i].last_ts, 0);
	return err;
}

/* --- pftrace gpu marker ----------------------------------------------------------------------- */

/*
 * Track events of programs (Perfetto's SDK, Chrome, Mesa): slices, moments and counters that they
 * write themselves. They become perfetto:track_event, which replay/calls/marker.c takes for
 * markers, as it does those of trace_marker. Slices on a thread's own track are the thread's; those
 * of any other track are its process's, under the track's name.
 */

/* Fields of TrackEvent, and of TrackEventDefaults in TracePacketDefaults. */
enum {
	F_TYPE = 9,
	F_NAME_IID = 10,
	F_TRACK = 11,
	F_NAME = 23,
	F_COUNTER = 30,
	F_REAL = 44,
	F_CORRELATION = 3000,
	F_DEFAULTS = 11,
};

/* TrackEvent.Type; replay/calls/marker.c knows them by these numbers, too. */
enum {
	TYPE_BEGIN = 1,
	TYPE_END,
	TYPE_INSTANT,
	TYPE_COUNTER
};

#define NAMES   2u /* InternedData.event_names */
#define PARENTS 16 /* tracks above a track that are looked at */

/* The event's, or what the sequence has for events that do not say it. */
static uint64_t uuid_of(const struct pft_packet *packet, struct pft_msg m)
{
	struct pft_field f;

	if (gpu_field(m, F_TRACK, &f))
		return f.v;
	return gpu_field(pft_defaults(packet->seq), F_DEFAULTS, &f) ? gpu_u64(pft_sub(&f), F_TRACK)
								    : 0;
}

static struct pft_field name_of(const struct pft_packet *packet, struct pft_msg m)
{
	struct pft_field f;

	if (gpu_field(m, F_NAME, &f) && f.wire == 2)
		return f;
	return gpu_interned(packet->seq, NAMES, gpu_u64(m, F_NAME_IID), 2);
}

/* The nearest track, this one or above it, that has a process. */
static const struct gpu_track *owner_of(const struct pft_gpu *g, const struct gpu_track *t)
{
	for (int i = 0; t && !t->pid && i < PARENTS; i++)
		t = gpu_track_of(g, t->parent);
	return t && t->pid ? t : NULL;
}

/* Whole numbers are what marks can hold; a number with a fraction is not one of them. */
static bool marker_value(struct pft_msg m, int64_t *v)
{
	struct pft_field f;
	double real;

	if (gpu_field(m, F_COUNTER, &f)) {
		*v = (int64_t)f.v;
		return true;
	}
	if (!gpu_field(m, F_REAL, &f) || f.wire != 1)
		return false;
	memcpy(&real, &f.v, sizeof(real));
	if (!(real > -9e18 && real < 9e18))
		return false;
	*v = (int64_t)real;
	return (double)*v == real;
}

static int hold_marker(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		       struct pft_msg m, const struct gpu_track *t)
{
	const struct gpu_track *owner = owner_of(g, t);
	const uint64_t type = gpu_u64(m, F_TYPE);
	struct gpu_record *r = &g->rec;
	struct pft_field name = name_of(packet, m);
	const char *track = t && !t->tid && t->name ? t->name : "";
	int64_t value = 0;

	if (type < TYPE_BEGIN || type > TYPE_COUNTER ||
	    (type == TYPE_COUNTER && !marker_value(m, &value))) {
		g->left_out[GPU_TRACK_EVENTS]++;
		return 0;
	}
	gpu_begin(r, GPU_EVENT, "perfetto", "track_event", owner ? owner->tid : 0,
		  owner ? owner->pid : 0);
	gpu_number(r, "type", type);
	if (type == TYPE_COUNTER)
		gpu_text(r, "name", track, strlen(track));
	else
		gpu_text(r, "name", name.p, name.n < 255 ? name.n : 255);
	gpu_number(r, "pid", owner ? owner->pid : 0);
	gpu_signed(r, "value", value);
	gpu_text(r, "track", type == TYPE_COUNTER ? "" : track,
		 type == TYPE_COUNTER ? 0 : strlen(track));
	return gpu_hold(p, packet->ts, r);
}

/* GpuCorrelation: the thread submitted these render stages. */
static int hold_submissions(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
			    struct pft_msg m, const struct gpu_track *thread)
{
	struct pft_field f, id;
	int err = 0;

	if (!gpu_field(m, F_CORRELATION, &f) || !thread || !thread->tid)
		return 0;
	for (m = pft_sub(&f); pft_next(&m, &id) && !err;) {
		if (id.num != 1 || id.wire != 0)
			continue;
		gpu_begin(&g->rec, GPU_SUBMIT, "", "", thread->tid, thread->pid);
		gpu_keys(&g->rec, 0, 0, id.v);
		err = gpu_hold(p, packet->ts, &g->rec);
	}
	return err;
}

int gpu_take_marker(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		    struct pft_msg m)
{
	const struct gpu_track *t = gpu_track_of(g, uuid_of(packet, m));

	return hold_submissions(p, g, packet, m, t) ?: hold_marker(p, g, packet, m, t);
}
