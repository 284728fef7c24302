/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lanes: slices that overlap go on different tracks of the same name, as an importer pairs begin
 * and end of one track by their order. Slices may come in any order; each gets the lane whose last
 * slice ended latest before it begins. In order of end that takes as few lanes as there can be.
 */
#ifndef XTR_PERFETTO_LANE_H
#define XTR_PERFETTO_LANE_H

#include <stddef.h>
#include <stdint.h>

#define PF_LANES_MAX 8192u

struct pf_lane {
	uint64_t end; /* ns: its last slice's */
	uint32_t lane;
};

struct pf_lanes { /* all zero: empty */
	struct pf_lane *by_end;
	size_t n, cap;
};

/*
 * The lane of a slice from begin to end (ns, end not before begin). -ENOMEM; -ENOSPC if more
 * than PF_LANES_MAX overlap.
 */
int pf_lanes_take(struct pf_lanes *l, uint64_t begin, uint64_t end);
void pf_lanes_free(struct pf_lanes *l);

#endif /* XTR_PERFETTO_LANE_H */
