// SPDX-License-Identifier: BSD-2-Clause
/*
 * Track events of programs (Perfetto's SDK, Chrome, Mesa): slices, moments and counters that they
 * write themselves. They become perfetto:track_event, which replay/calls/marker.c takes for
 * markers, as it does those of trace_marker. Slices on a thread's own track are the thread's; those
 * of any other track are its process's, under the track's name.
 */
#include "pftrace_gpu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
static bool value_of(struct pft_msg m, int64_t *v)
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
	    (type == TYPE_COUNTER && !value_of(m, &value))) {
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
	int err = hold_submissions(p, g, packet, m, t);

	return err ? err : hold_marker(p, g, packet, m, t);
}
