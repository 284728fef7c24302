/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfetto_lane.h"

#include "format/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Number of lanes that end before ns. */
static size_t ended_before(const struct pf_lanes *l, uint64_t ns)
{
	size_t lo = 0, hi = l->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->by_end[mid].end < ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int new_lane(struct pf_lanes *l, uint64_t end)
{
	struct pf_lane lane = { .end = end, .lane = (uint32_t)l->n };
	size_t at = ended_before(l, end);
	int ret;

	if (l->n == PF_LANES_MAX)
		return -ENOSPC;
	ret = xtr_grow_array(&l->by_end, &l->cap, l->n + 1, sizeof(*l->by_end));
	if (ret)
		return ret;
	memmove(l->by_end + at + 1, l->by_end + at, (l->n - at) * sizeof(lane));
	l->by_end[at] = lane;
	l->n++;
	return (int)lane.lane;
}

int pf_lanes_take(struct pf_lanes *l, uint64_t begin, uint64_t end)
{
	size_t from = ended_before(l, begin), to;
	struct pf_lane lane;

	if (!from)
		return new_lane(l, end);
	lane = l->by_end[--from];
	lane.end = end;
	/* It ends later now: those that end before it move down, itself among them. */
	to = ended_before(l, end) - 1;
	memmove(l->by_end + from, l->by_end + from + 1, (to - from) * sizeof(lane));
	l->by_end[to] = lane;
	return (int)lane.lane;
}

void pf_lanes_free(struct pf_lanes *l)
{
	free(l->by_end);
	*l = (struct pf_lanes){ 0 };
}
