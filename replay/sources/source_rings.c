/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_rings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of rings in the model: below those that it gives itself, apart from those of other sources:
 * the row, the device, and the number, or a text's id.
 */
#define RING_BASE    0xc0000000u
#define ROW_SHIFT    24
#define DEVICE_SHIFT 16
#define NUMBERS      0xffffu
#define TEXTS        0xffffffu
#define OTHERS       (SOURCE_RINGS_KEPT - 1)

int source_rings_init(struct source_rings *s, const struct source_row *row,
		      const struct xtr_source_env *env, bool tells_run)
{
	*s = (struct source_rings){ .row = row,
				    .meta = env->meta,
				    .tables = env->tables,
				    .model = env->rings,
				    .tells_run = tells_run };
	s->ring = calloc(SOURCE_RINGS_KEPT, sizeof(*s->ring));
	return s->ring ? 0 : -ENOMEM;
}

void source_rings_free(struct source_rings *s)
{
	xtr_map_free(&s->by_name);
	free(s->ring);
}

/* --- devices ---------------------------------------------------------------------------------- */

static bool has_node(const struct xtr_device *d, const char *node)
{
	for (size_t i = 0; i < d->n_nodes; i++)
		if (!strcmp(d->nodes[i], node))
			return true;
	return false;
}

/*
 * The device of META that is this driver's and has the node cardN; without a number the only one of
 * the driver. What META does not know goes by cardN, or by the driver's name.
 */
static const char *device_name(const struct source_rings *s, struct source_ring *r, bool has_dev,
			       uint32_t dev)
{
	const char *found = NULL;
	size_t n = 0;

	snprintf(r->card, sizeof(r->card), "card%" PRIu32, dev);
	for (size_t i = 0; i < xtr_meta_n_devices(s->meta); i++) {
		const struct xtr_device *d = xtr_meta_device(s->meta, i);

		if (!d->driver || strcmp(d->driver, s->row->driver) ||
		    (has_dev && !has_node(d, r->card)))
			continue;
		found = d->name;
		n++;
	}
	if (n == 1)
		return found;
	return has_dev ? r->card : s->row->driver;
}

/* --- rings ------------------------------------------------------------------------------------ */

static int declare(struct source_rings *s, struct source_ring *r, bool has_dev, uint32_t dev)
{
	const struct source_row *row = s->row;
	struct xtr_declared_ring ring = { .id = r->id,
					  .driver = row->driver,
					  .name = r->name,
					  .tells_run = s->tells_run,
					  .limit = row->limit,
					  .order_source = row->order_source,
					  .measured = row->measured };

	r->device = device_name(s, r, has_dev, dev);
	ring.device = r->device;
	return s->model ? xtr_rings_declare(s->model, &ring, &r->id) : 0;
}

/* The ring with this name by which the events call it; named if it is new. */
static int64_t find(struct source_rings *s, uint32_t id, const char *name, size_t len, bool has_dev,
		    uint32_t dev)
{
	uint32_t i = xtr_map_index(&s->by_name, id, 0);
	struct source_ring *r;

	if (i != XTR_MAP_NONE)
		return i;
	i = s->n < OTHERS && name ? s->n : OTHERS;
	r = &s->ring[i];
	if (i == OTHERS && r->id)
		return i;
	len = len < SOURCE_RING_NAME - 1 ? len : SOURCE_RING_NAME - 1;
	r->id = id;
	if (i == OTHERS) {
		r->id = RING_BASE | (uint32_t)(s->row - source_rows) << ROW_SHIFT | TEXTS;
		snprintf(r->name, sizeof(r->name), "(others)");
	} else {
		memcpy(r->name, name, len);
		s->n++;
	}
	if (declare(s, r, has_dev, dev))
		return -ENOMEM;
	return i != OTHERS && xtr_map_put(&s->by_name, id, 0, i) ? -ENOMEM : (int64_t)i;
}

static int64_t by_number(struct source_rings *s, bool has_dev, uint32_t dev, uint64_t number)
{
	char made[SOURCE_RING_NAME];
	const char *name = number < SOURCE_RINGS_MAX ? s->row->ring[number] : NULL;
	uint32_t id = RING_BASE | (uint32_t)(s->row - source_rows) << ROW_SHIFT |
		      dev << DEVICE_SHIFT | (uint32_t)number;

	if (!name) {
		snprintf(made, sizeof(made), "ring%" PRIu64, number);
		name = made;
	}
	if (dev >= 255 || number >= NUMBERS)
		name = NULL;
	return find(s, name ? id : 0, name, name ? strlen(name) : 0, has_dev, dev);
}

static bool is_text(const char *known, const char *name, size_t n)
{
	return known && strlen(known) == n && !memcmp(known, name, n);
}

/* Fences do not tell their device: it is the one that other events told of last. */
static int64_t by_text(struct source_rings *s, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint32_t string = (uint32_t)xtr_bind_u64(b, SF_TIMELINE, ev), i;
	size_t n;
	const char *name = xtr_bind_text(b, SF_TIMELINE, ev, s->tables, &n);
	uint32_t id = RING_BASE | (uint32_t)(s->row - source_rows) << ROW_SHIFT | string;

	for (i = 0; name && i < SOURCE_RINGS_MAX; i++)
		if (is_text(s->row->ring[i], name, n) || is_text(s->row->timeline[i], name, n))
			return by_number(s, s->has_dev, s->dev, i);
	if (!string || string >= TEXTS)
		name = NULL;
	return find(s, name ? id : 0, name, name ? n : 0, false, 0);
}

int64_t source_rings_of(struct source_rings *s, const struct source_event *e,
			const struct xtr_bind *b, const struct xtr_event *ev)
{
	bool has_dev = xtr_bind_has(b, SF_DEV);
	uint32_t dev = (uint32_t)xtr_bind_u64(b, SF_DEV, ev);
	uint64_t number;

	if (has_dev) {
		s->has_dev = true;
		s->dev = dev;
	}
	if (e->ring != SOURCE_RING_FIELD)
		return by_number(s, has_dev, dev, e->ring);
	if (xtr_bind_has(b, SF_TIMELINE) && !xtr_bind_has(b, SF_RING))
		return by_text(s, b, ev);
	number = xtr_bind_u64(b, SF_RING, ev);
	return by_number(s, has_dev, dev, e->act == ACT_SLOT ? number >> 16 & 0xff : number);
}
