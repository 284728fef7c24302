/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracks of rings. Each device is a process, its queues are another; a ring has as many lanes in
 * each as it has jobs at one time. Sections of one boot share the tracks of rings with the same
 * names.
 */
#include "chrome.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_ORDER (-1000000) /* devices first, their queues behind each */
#define LANES_ORDER  1024       /* tracks of one ring in the order */

static uint64_t ring_key(const struct xtr_model_ring *ring)
{
	uint64_t h = chrome_hash(0, ring->device_name, strlen(ring->device_name) + 1);

	return chrome_hash(h, ring->name, strlen(ring->name));
}

/* Rings of this device and name in the section. */
enum count {
	IN_ALL,
	SO_FAR
};

static uint32_t same_name(struct xtr_map *m, const struct xtr_model_ring *ring, enum count which)
{
	uint32_t n = xtr_map_index(m, ring_key(ring), which);

	return n == XTR_MAP_NONE ? 0 : n;
}

int chrome_tracks_section(struct chrome_tracks *t, const struct xtr_export_section *s)
{
	size_t i, n = s ? xtr_model_n_rings(s->rings) : 0;

	free(t->by_index);
	t->by_index = NULL;
	t->n_by_index = 0;
	xtr_map_free(&t->same);
	for (i = 0; i < n; i++) {
		const struct xtr_model_ring *ring = xtr_model_ring(s->rings, i);
		uint32_t same = same_name(&t->same, ring, IN_ALL);

		if (xtr_map_put(&t->same, ring_key(ring), IN_ALL, same + 1))
			return -ENOMEM;
	}
	return 0;
}

static void device_names(struct chrome *c, struct chrome_device *d, const char *name, uint32_t i)
{
	const struct xtr_system *sys = xtr_meta_system(c->section.meta);
	const char *host = c->place->boot && sys->hostname ? sys->hostname : NULL;

	for (unsigned int k = 0; k < 2; k++) {
		chrome_meta_event(c, "process_name", d->pid + k, d->pid + k);
		chrome_textf(&c->out, "name", "%s%s%s%s", *name ? name : "(unknown device)",
			     host ? " @" : "", host ? host : "", k ? " queues" : "");
		chrome_text(&c->out, "device", name, strlen(name));
		chrome_meta_end(c);
		chrome_sort_index(c, "process_sort_index", d->pid + k, d->pid + k,
				  DEVICE_ORDER + 2 * (int64_t)i + k);
	}
}

/* The device of this name in this boot. */
static int device_of(struct chrome *c, const char *name, struct chrome_device **out)
{
	struct chrome_tracks *t = &c->tracks;
	uint64_t key = chrome_hash(0, name, strlen(name));
	uint32_t i = xtr_map_index(&t->devices, key, c->place->boot);
	struct chrome_device *d, **all;
	uint64_t number;

	if (i != XTR_MAP_NONE) {
		*out = t->device[i];
		return 0;
	}
	i = t->n_devices;
	number = i < CHROME_DEVICES_MAX ? i : CHROME_DEVICES_MAX;
	all = chrome_grow(t->device, i);
	if (!all)
		return -ENOMEM;
	t->device = all;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	if (xtr_map_put(&t->devices, key, c->place->boot, i)) {
		free(d);
		return -ENOMEM;
	}
	d->pid = chrome_pid(c, CHROME_DEVICE_PID + 2 * number);
	*out = all[t->n_devices++] = d;
	device_names(c, d, name, i);
	return 0;
}

static uint8_t usual_quality(const struct xtr_model_ring *ring)
{
	if (xtr_ring_is_bounded(ring))
		return XTR_QUALITY_BOUNDED;
	return ring->limit == 1 ? XTR_QUALITY_EXACT : XTR_QUALITY_INFERRED;
}

static int new_ring(struct chrome *c, const struct xtr_model_ring *ring, bool numbered,
		    struct chrome_ring **out)
{
	struct chrome_tracks *t = &c->tracks;
	const char *name = *ring->name ? ring->name : "(unknown ring)";
	size_t cap = strlen(name) + 16;
	struct chrome_ring *r, **all;
	int n;

	all = chrome_grow(t->ring, t->n_rings);
	if (!all)
		return -ENOMEM;
	t->ring = all;
	r = calloc(1, sizeof(*r) + cap);
	if (!r)
		return -ENOMEM;
	n = numbered ? snprintf(r->name, cap, "%s#%u", name, ring->id)
		     : snprintf(r->name, cap, "%s", name);
	r->n = (size_t)n;
	r->id = ring->id;
	r->order = t->n_rings;
	r->quality = usual_quality(ring);
	r->kind = ring->kind;
	*out = all[t->n_rings++] = r;
	return device_of(c, ring->device_name, &r->device);
}

/* By boot, device, name, and which one of several with that name. */
static int find_ring(struct chrome *c, const struct xtr_model_ring *ring, struct chrome_ring **out)
{
	struct chrome_tracks *t = &c->tracks;
	uint32_t all = same_name(&t->same, ring, IN_ALL),
		 so_far = same_name(&t->same, ring, SO_FAR), i;
	uint64_t which = (uint64_t)c->place->boot << 32 | so_far;
	int err;

	if (xtr_map_put(&t->same, ring_key(ring), SO_FAR, so_far + 1))
		return -ENOMEM;
	i = xtr_map_index(&t->rings, ring_key(ring), which);
	if (i != XTR_MAP_NONE) {
		*out = t->ring[i];
		return 0;
	}
	err = new_ring(c, ring, all > 1 || so_far, out);
	return err ? err : xtr_map_put(&t->rings, ring_key(ring), which, t->n_rings - 1);
}

int chrome_ring_of(struct chrome *c, const struct xtr_model_ring *ring, struct chrome_ring **out)
{
	struct chrome_tracks *t = &c->tracks;
	uint32_t cap = t->n_by_index ? t->n_by_index : 16;
	struct chrome_ring **by_index;
	int err = 0;

	while (ring->index >= cap)
		cap *= 2;
	if (cap != t->n_by_index) {
		by_index = reallocarray(t->by_index, cap, sizeof(struct chrome_ring *));
		if (!by_index)
			return -ENOMEM;
		memset(by_index + t->n_by_index, 0,
		       (cap - t->n_by_index) * sizeof(struct chrome_ring *));
		t->by_index = by_index;
		t->n_by_index = cap;
	}
	if (!t->by_index[ring->index])
		err = find_ring(c, ring, &t->by_index[ring->index]);
	*out = t->by_index[ring->index];
	return err;
}

/* Name and place of a new track of a ring. which: " (2)", " (unfinished)" */
static void name_ring_track(struct chrome *c, const struct chrome_ring *r,
			    const struct chrome_place *at, const char *which, uint64_t lane)
{
	uint64_t below = lane < LANES_ORDER - 1 ? lane : LANES_ORDER - 1;
	struct chrome_out *o = &c->out;

	chrome_meta_event(c, "thread_name", at->pid, at->tid);
	chrome_text_in(o, "name", "", r->name, which);
	chrome_text(o, "ring", r->name, r->n);
	chrome_u64(o, "ring_id", r->id);
	chrome_u64(o, "lane", lane);
	chrome_plain(o, "quality", xtr_quality_name(r->quality));
	chrome_plain(o, "kind", xtr_job_kind_name(r->kind));
	chrome_meta_end(c);
	chrome_sort_index(c, "thread_sort_index", at->pid, at->tid,
			  (int64_t)r->order * LANES_ORDER + (int64_t)below);
}

static int place(struct chrome *c, const struct chrome_ring *r, struct xtr_lanes *lanes,
		 uint64_t *last_tid, uint64_t begin, uint64_t end, struct chrome_place *at)
{
	int64_t i = xtr_lanes_take(lanes, begin, end);
	struct xtr_lane *lane;
	char which[24] = "";

	if (i < 0)
		return (int)i;
	lane = &lanes->lane[i];
	if (lane->tid) {
		at->tid = lane->tid;
		return 0;
	}
	at->tid = lane->tid = ++*last_tid;
	if (i > 1)
		snprintf(which, sizeof(which), " (%lld)", (long long)i);
	name_ring_track(c, r, at, which, (uint64_t)i);
	return 0;
}

int chrome_job_place(struct chrome *c, struct chrome_ring *r, uint64_t begin, uint64_t end,
		     struct chrome_place *at)
{
	at->pid = r->device->pid;
	return place(c, r, &r->jobs, &r->device->jobs_tid, begin, end, at);
}

int chrome_queue_place(struct chrome *c, struct chrome_ring *r, uint64_t begin, uint64_t end,
		       struct chrome_place *at)
{
	at->pid = r->device->pid + 1;
	return place(c, r, &r->queue, &r->device->queues_tid, begin, end, at);
}

int chrome_unfinished_place(struct chrome *c, struct chrome_ring *r, struct chrome_place *at)
{
	bool known = r->unfinished_tid;

	if (!known)
		r->unfinished_tid = ++r->device->jobs_tid;
	*at = (struct chrome_place){ r->device->pid, r->unfinished_tid };
	if (!known)
		name_ring_track(c, r, at, " (unfinished)", 0);
	return 0;
}
