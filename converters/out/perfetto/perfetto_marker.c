/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracks of markers. They are beside the thread's own track: a slice begins inside the system call
 * that writes it and ends inside another one.
 */
#include "perfetto.h"

#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TRACKS_MAX 65536u /* with lanes; further ones share those of the first */

static const char own[] = "markers"; /* the track of a thread */

void pf_marker_free(struct pf *pf)
{
	for (uint32_t i = 0; i < pf->n_marker_lanes; i++)
		xtr_lanes_free(&pf->marker_lanes[i]);
	free(pf->marker_lanes);
	xtr_map_free(&pf->marker_tracks);
}

static int lanes_of(struct pf *pf, uint64_t parent, const char *track, struct xtr_lanes **out)
{
	uint64_t hash = pf_hash_text(track, strlen(track));
	uint32_t i = xtr_map_index(&pf->marker_tracks, hash, parent), n = pf->n_marker_lanes;
	struct xtr_lanes *more;

	if (i == XTR_MAP_NONE && n == TRACKS_MAX)
		i = 0;
	if (i == XTR_MAP_NONE) {
		if (!(n & (n - 1))) {
			more = reallocarray(pf->marker_lanes, n ? 2 * (size_t)n : 1, sizeof(*more));
			if (!more)
				return -ENOMEM;
			pf->marker_lanes = more;
		}
		if (xtr_map_put(&pf->marker_tracks, hash, parent, n))
			return -ENOMEM;
		pf->marker_lanes[n] = (struct xtr_lanes){ 0 };
		i = pf->n_marker_lanes++;
	}
	*out = &pf->marker_lanes[i];
	return 0;
}

static int process_track(struct pf *pf, uint32_t tid, uint64_t process, uint64_t ts,
			 uint64_t *parent)
{
	*parent = process ? pf_uuid(pf, PF_TRACK_PROCESS, process) : 0;
	return process ? pf_process(pf, tid, process, 0, ts) : 0;
}

int pf_marker_track(struct pf *pf, const struct xtr_call *c, uint64_t *uuid)
{
	uint64_t process = xtr_process(c->pid, c->nth), parent;
	uint64_t begin = c->begin_ns ? c->begin_ns : c->end_ns;
	uint64_t end = c->end_ns ? c->end_ns : (c->loose ? begin : UINT64_MAX);
	const char *track = c->track ? c->track : own;
	struct xtr_lanes *lanes;
	int err, lane;

	if (c->of_process)
		err = process_track(pf, c->tid, process, begin, &parent);
	else
		err = pf_thread_track(pf, c->tid, process, c->comm, begin, &parent);
	if (!err && !c->overlaps)
		return pf_child_track(pf, parent, track, 0, false, uuid);
	if (!err)
		err = lanes_of(pf, parent, track, &lanes);
	if (err)
		return err;
	lane = pf_lane(lanes, begin, end);
	if (lane < 0 && lane != -ENOSPC)
		return lane;
	return pf_child_track(pf, parent, track, lane < 0 ? PF_LANES_MAX : (uint32_t)lane + 1,
			      false, uuid);
}

int pf_marker_counter(struct pf *pf, const struct xtr_mark *m, uint64_t *uuid)
{
	uint64_t parent;
	int err = process_track(pf, m->tid, xtr_process(m->pid, m->nth), m->ts, &parent);

	return err ? err : pf_child_track(pf, parent, m->track, 0, true, uuid);
}

int pf_marker_moment_track(struct pf *pf, const struct xtr_mark *m, uint64_t *uuid)
{
	uint64_t parent;
	int err = process_track(pf, m->tid, xtr_process(m->pid, m->nth), m->ts, &parent);

	return err ? err : pf_child_track(pf, parent, m->track, 0, false, uuid);
}
