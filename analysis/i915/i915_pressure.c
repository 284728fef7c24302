/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shrinks and evictions, and what they came in the middle of: requests of the same card that were
 * between run and done, and two vblanks of a running refresh (of any card: vblanks name none).
 * Requests are settled later than the pressure comes, so that is kept until then.
 */
#include "i915_impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct i915_device *i915_device_row(struct i915 *g, uint32_t dev)
{
	struct i915_devices *d = &g->devices;
	char card[I915_ENGINE_NAME];
	uint32_t i;

	for (i = 0; i < d->n; i++)
		if (d->device[i].dev == dev)
			return &d->device[i];
	if (d->n == I915_DEVICES_MAX)
		return &d->device[I915_DEVICES_MAX - 1];
	i = d->n++;
	d->device[i].dev = dev;
	snprintf(d->device[i].name, sizeof(d->device[i].name), "%s",
		 i == I915_DEVICES_MAX - 1 ? "(others)" : i915_device_name(g->o->meta, dev, card));
	return &d->device[i];
}

void i915_on_pressure(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev,
		      enum i915_pressure_kind kind)
{
	struct i915_devices *d = &g->devices;
	struct i915_device *row = i915_device_row(g, (uint32_t)xtr_bind_u64(b, I915_F0, ev));
	uint64_t amount = xtr_bind_u64(b, I915_F1, ev);

	row->count[kind]++;
	/* ULONG_MAX: i915_gem_shrink_all */
	if (kind == I915_SHRINK && amount == UINT64_MAX)
		row->unlimited++;
	else
		i915_add(kind == I915_SHRINK ? &row->pages : &row->evict_bytes, amount);
	if (d->n_kept == I915_PRESSURE_MAX) {
		d->not_kept++;
		return;
	}
	d->kept[d->n_kept++] = (struct i915_pressure){ .ts = ev->ts,
						       .before_ns = d->vblank_ns,
						       .device = (uint32_t)(row - d->device),
						       .kind = kind };
}

void i915_on_vblank(struct i915 *g, uint64_t ts)
{
	struct i915_devices *d = &g->devices;

	for (; d->judged < d->n_kept; d->judged++) {
		struct i915_pressure *p = &d->kept[d->judged];

		p->between = p->before_ns && ts - p->before_ns <= I915_FRAME_MAX_NS;
	}
	d->vblank_ns = ts;
}

/* Index of the first that is not before ts. */
static uint32_t first_from(const struct i915_devices *d, uint64_t ts)
{
	uint32_t lo = 0, hi = d->n_kept;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (d->kept[mid].ts < ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void i915_job_in_flight(struct i915 *g, const struct xtr_job *j)
{
	struct i915_devices *d = &g->devices;
	const uint32_t unsure = XTR_FLAG_LATE | XTR_FLAG_RECYCLED | XTR_FLAG_EVICTED | XTR_FLAG_GAP;

	if (!j->run_ns || j->flags & unsure)
		return;
	for (uint32_t i = first_from(d, j->run_ns); i < d->n_kept; i++) {
		struct i915_pressure *p = &d->kept[i];

		if (j->done_ns && p->ts > j->done_ns)
			break;
		if (!strcmp(d->device[p->device].name, j->ring->device_name))
			p->jobs++;
	}
}

/* --- contexts and address spaces -------------------------------------------------------------- */

static void free_one(struct i915_devices *d, struct xtr_map *alive, uint64_t ptr, bool space)
{
	uint32_t i = xtr_map_index(alive, ptr, 0);

	if (i == XTR_MAP_NONE)
		return;
	*(space ? &d->device[i].spaces_left : &d->device[i].contexts_left) -= 1;
	xtr_map_del(alive, ptr, 0);
}

int i915_on_life(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev, bool inside,
		 bool space, bool made)
{
	struct i915_devices *d = &g->devices;
	struct i915_device *row = i915_device_row(g, (uint32_t)xtr_bind_u64(b, I915_F0, ev));
	struct xtr_map *alive = space ? &d->spaces : &d->contexts;
	uint64_t ptr = xtr_bind_u64(b, I915_F1, ev);
	bool known = xtr_map_index(alive, ptr, 0) != XTR_MAP_NONE;

	if (space && !made && i915_space_end(g, ptr))
		return -ENOMEM;
	free_one(d, alive, ptr, space);
	if (!inside)
		return 0;
	if (!made) {
		*(space ? &row->spaces_released : &row->contexts_freed) += 1;
		*(space ? &row->spaces_unknown : &row->contexts_unknown) += !known;
		return 0;
	}
	*(space ? &row->spaces : &row->contexts) += 1;
	if (alive->n == I915_CONTEXTS_MAX)
		return 0;
	*(space ? &row->spaces_left : &row->contexts_left) += 1;
	return xtr_map_put(alive, ptr, 0, (uint32_t)(row - d->device));
}

void i915_devices_finish(struct i915 *g)
{
	struct i915_devices *d = &g->devices;

	for (uint32_t i = 0; i < d->n_kept; i++) {
		struct i915_device *row = &d->device[d->kept[i].device];

		row->in_flight += !!d->kept[i].jobs;
		row->between += d->kept[i].between;
	}
}
