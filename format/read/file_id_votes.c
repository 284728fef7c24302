// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counted from the end: one more header in front can only make its own file_id win, and of equals
 * it is the one seen first. So one pass gives the winner at every place.
 */
#include "file_id_votes.h"
#include "base/buf.h"
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

int xtr_votes_add(struct xtr_votes *v, uint64_t at, uint64_t id)
{
	if (xtr_grow_array(&v->v, &v->cap, v->n + 1, sizeof(*v->v)))
		return -ENOMEM;
	v->v[v->n++] = (struct xtr_vote){ at, id };
	return 0;
}

int xtr_votes_count(struct xtr_votes *v)
{
	struct xtr_map votes = { 0 };
	uint64_t most = 0, winner = 0;
	int err = 0;

	for (size_t i = v->n; i-- && !err;) {
		const uint64_t *known = xtr_map_get(&votes, v->v[i].id, 0);
		uint64_t n = known ? *known + 1 : 1;

		err = xtr_map_put(&votes, v->v[i].id, 0, n);
		if (n >= most) {
			most = n;
			winner = v->v[i].id;
		}
		v->v[i].id = winner;
	}
	xtr_map_free(&votes);
	return err;
}

uint64_t xtr_votes_winner(const struct xtr_votes *v, uint64_t from)
{
	size_t low = 0, high = v->n;

	while (low < high) { /* the first header that is not before it */
		size_t mid = low + (high - low) / 2;

		if (v->v[mid].at < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low < v->n ? v->v[low].id : 0;
}

void xtr_votes_free(struct xtr_votes *v)
{
	free(v->v);
	*v = (struct xtr_votes){ 0 };
}
