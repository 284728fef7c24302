/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the room share. */
#ifndef XTR_FLEET_IMPL_H
#define XTR_FLEET_IMPL_H

#include "fleet.h"
#include "base/map.h"

struct xtr_fleet {
	struct xtr_fleet_file *file;
	struct xtr_fleet_recording *recording;
	struct xtr_fleet_group *group;
	struct xtr_fleet_row *row;
	size_t n_files, cap_files, n_recordings, cap_recordings, n_groups, cap_groups, n_rows,
		cap_rows;
	struct xtr_map ids; /* (file_id, 0): the recording */
	/* of xtr_fleet_outliers and xtr_fleet_compare */
	uint32_t metrics;
	struct xtr_fleet_outlier *outlier;
	size_t n_outliers, cap_outliers;
	uint64_t n_sets, n_small_sets;
	struct xtr_fleet_cohort *cohort;
	size_t n_cohorts;
	struct xtr_fleet_change *change;
	size_t n_changes, cap_changes;
	uint64_t n_tests;
};

/* Room for one more of size bytes: the array, which may have moved, or NULL. */
void *fleet_grow(void *array, size_t n, size_t *cap, size_t size);
/* Index of the group of this name, made if it is new. -ENOMEM, or -E2BIG. */
int64_t fleet_group(struct xtr_fleet *f, const char *name);
/* 0 or -ENOMEM; -E2BIG: there are too many. The device is copied. */
int fleet_row(struct xtr_fleet *f, const struct xtr_fleet_row *row);

/* fleet_sums.c */
int fleet_sums_ring(struct xtr_fleet_sums *sums, const struct xtr_stats_row *row, uint64_t span);
int fleet_sums_merge(struct xtr_fleet_sums *dst, const struct xtr_fleet_sums *src);
void fleet_sums_free(struct xtr_fleet_sums *sums);
/* The row's values, and which are known. */
void fleet_sums_values(const struct xtr_fleet_sums *sums, struct xtr_fleet_row *row);

static inline bool fleet_has(const struct xtr_fleet_row *row, unsigned int metric)
{
	return row->known & 1u << metric;
}

/* part / whole in millionths; 0 if whole is 0. */
static inline uint64_t fleet_ppm(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((unsigned __int128)part * 1000000 / whole) : 0;
}

#endif /* XTR_FLEET_IMPL_H */
