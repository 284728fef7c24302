/* SPDX-License-Identifier: BSD-2-Clause */
/* One recording: its rings by group and device, and the numbers of each. */
#include "fleet_impl.h"
#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A ring of the recording. */
struct ring {
	const struct xtr_stats_row *row;
	uint32_t group;
};

static const struct xtr_device *device_named(const struct xtr_meta *meta, const char *name)
{
	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++)
		if (xtr_meta_device(meta, i)->name && !strcmp(xtr_meta_device(meta, i)->name, name))
			return xtr_meta_device(meta, i);
	return NULL;
}

/* Devices of one driver and model are alike, whatever they are called on each machine. */
static void group_name(char buf[XTR_FLEET_NAME_MAX], const struct xtr_meta *meta,
		       const struct xtr_model_ring *ring)
{
	const struct xtr_device *d = device_named(meta, ring->device_name);
	const char *driver = d && d->driver ? d->driver : ring->device_name;
	const char *model = d && d->pci_id ? d->pci_id : "";
	const char *name = *ring->name ? ring->name : "(unknown)";

	snprintf(buf, XTR_FLEET_NAME_MAX, "%s%s%s%s%s", driver, *driver && *model ? " " : "", model,
		 *driver || *model ? " " : "", name);
}

/* By group, then by device. */
static int by_place(const void *a, const void *b)
{
	const struct ring *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return strcmp(x->row->ring->device_name, y->row->ring->device_name);
}

/* The rings that there is room for, in order; *n of them. NULL: no memory. */
static struct ring *rings_of(struct xtr_fleet *f, const struct xtr_meta *meta,
			     const struct xtr_stats *stats, size_t *n)
{
	const size_t all = xtr_stats_n_rows(stats, XTR_BY_RING);
	struct ring *ring = calloc(all + 1, sizeof(*ring));
	char name[XTR_FLEET_NAME_MAX];

	*n = 0;
	for (size_t i = 0; ring && i < all && *n < XTR_FLEET_RINGS_MAX; i++) {
		const struct xtr_stats_row *row = xtr_stats_row(stats, XTR_BY_RING, i);
		int64_t group;

		group_name(name, meta, row->ring);
		group = fleet_group(f, name);
		if (group == -E2BIG)
			continue;
		if (group < 0) {
			free(ring);
			return NULL;
		}
		ring[(*n)++] = (struct ring){ row, (uint32_t)group };
	}
	if (ring)
		qsort(ring, *n, sizeof(*ring), by_place);
	return ring;
}

/* n rings of one group and device. */
static int add_device(struct xtr_fleet *f, const struct ring *ring, size_t n, uint64_t span,
		      bool only)
{
	struct xtr_fleet_row row = { .group = ring->group,
				     .part = true,
				     .device = (char *)(uintptr_t)ring->row->ring->device_name };
	struct xtr_fleet_sums sums = { 0 };
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = fleet_sums_ring(&sums, ring[i].row, span);
	if (!err && !only) {
		fleet_sums_values(&sums, &row);
		err = fleet_row(f, &row);
	}
	err = err ?: fleet_sums_merge(&f->group[ring->group].sums, &sums);
	fleet_sums_free(&sums);
	return err;
}

/* n rings of one group. */
static int add_group(struct xtr_fleet *f, const struct ring *ring, size_t n, uint64_t span)
{
	struct xtr_fleet_row row = { .group = ring->group, .whole = true };
	int err = 0;

	row.part = !strcmp(ring[0].row->ring->device_name, ring[n - 1].row->ring->device_name);
	for (size_t i = 0, next; i < n && !err; i = next) {
		for (next = i + 1; next < n; next++)
			if (strcmp(ring[i].row->ring->device_name,
				   ring[next].row->ring->device_name))
				break;
		err = add_device(f, ring + i, next - i, span, row.part);
	}
	if (err)
		return err;
	if (row.part)
		row.device = (char *)(uintptr_t)ring[0].row->ring->device_name;
	f->group[row.group].recordings = 1;
	fleet_sums_values(&f->group[row.group].sums, &row);
	return fleet_row(f, &row);
}

/* The row of the recording itself, in group 0. */
static int add_whole(struct xtr_fleet *f, const struct xtr_fleet_recording *r)
{
	struct xtr_fleet_row row = { .whole = true, .part = true, .jobs = r->jobs };
	const uint64_t gone = xtr_sat_add(r->lost, r->missing), all = xtr_sat_add(r->events, gone);

	if (all) {
		row.known = 1u << XTR_FLEET_LOST;
		row.value[XTR_FLEET_LOST] = fleet_ppm(gone, all);
	}
	f->group[0].recordings = 1;
	return fleet_row(f, &row);
}

static int describe(struct xtr_fleet *f, const struct xtr_section *s, const struct xtr_stats *stats,
		    const char *cohort)
{
	const struct xtr_meta *meta = xtr_section_meta(s);
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	const char *host = xtr_meta_system(meta)->hostname;
	struct xtr_fleet_recording *r = f->recording;
	uint64_t first, last;

	xtr_stats_span(stats, &first, &last);
	r->times = xtr_meta_has_times(meta);
	r->file_id = xtr_section_file_id(s);
	r->span_ns = r->times ? last - first : 0;
	r->events = xtr_stats_events(stats);
	r->lost = sum->lost;
	r->missing = sum->missing;
	r->jobs = xtr_stats_total(stats)->agg.jobs;
	r->rings = (uint32_t)xtr_stats_n_rows(stats, XTR_BY_RING);
	r->host = host && *host ? strdup(host) : NULL;
	r->cohort = strdup(cohort);
	return r->cohort && (r->host || !host || !*host) ? 0 : -ENOMEM;
}

int xtr_fleet_add(struct xtr_fleet *f, const struct xtr_section *s, size_t index,
		  const struct xtr_stats *stats, const char *cohort)
{
	struct xtr_fleet_recording *r = calloc(1, sizeof(*r));
	struct ring *ring;
	size_t n = 0;
	int err;

	if (!r)
		return -ENOMEM;
	f->recording = r;
	f->n_recordings = f->cap_recordings = 1;
	r->section = (uint32_t)index;
	err = describe(f, s, stats, cohort) ?: add_whole(f, r);
	ring = err ? NULL : rings_of(f, xtr_section_meta(s), stats, &n);
	if (!ring)
		return err ? err : -ENOMEM;
	r->left_out = r->rings - (uint32_t)n;
	for (size_t i = 0, next; i < n && r->times && !err; i = next) {
		for (next = i + 1; next < n && ring[next].group == ring[i].group;)
			next++;
		err = add_group(f, ring + i, next - i, r->span_ns);
	}
	free(ring);
	r->n_rows = (uint32_t)f->n_rows;
	return err;
}
