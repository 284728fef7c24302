/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings of a driver whose job source is a row of a table, as its events name them: by a number, or
 * by a text. Bounded: what is more than SOURCE_RINGS_KEPT is one ring, "(others)".
 */
#ifndef XTR_SOURCE_RINGS_H
#define XTR_SOURCE_RINGS_H

#include "replay/event/event_bind.h"
#include "base/map.h"
#include "source_table.h"

#define SOURCE_RINGS_KEPT 256u
#define SOURCE_RING_NAME  64u /* bytes that are kept of a name */

struct source_ring {
	uint32_t id; /* in the model */
	char name[SOURCE_RING_NAME], card[16];
	const char *device;
};

struct source_rings {
	const struct source_row *row;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_rings *model;  /* NULL: steps are not wanted */
	struct source_ring *ring; /* SOURCE_RINGS_KEPT */
	struct xtr_map by_name;
	uint32_t n;
	bool tells_run;
	bool has_dev; /* dev: of the last event that told it */
	uint32_t dev;
};

/* All are borrowed, and must live as long. 0 or -ENOMEM. */
int source_rings_init(struct source_rings *s, const struct source_row *row,
		      const struct xtr_source_env *env, bool tells_run);
void source_rings_free(struct source_rings *s);
/*
 * Index of the ring that an event of the row names; -ENOMEM. `e`: which event of the row it is, b:
 * as it is bound.
 */
int64_t source_rings_of(struct source_rings *s, const struct source_event *e,
			const struct xtr_bind *b, const struct xtr_event *ev);

#endif /* XTR_SOURCE_RINGS_H */
