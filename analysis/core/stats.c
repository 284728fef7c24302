/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats_aside.h"
#include "stats_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct xtr_stats_row *rows_add(struct rows *r)
{
	struct xtr_stats_row *row;
	uint32_t cap;

	if (r->n == r->cap) {
		cap = r->cap ? r->cap * 2 : 8;
		row = realloc(r->row, cap * sizeof(*row));
		if (!row)
			return NULL;
		r->row = row;
		r->cap = cap;
	}
	row = &r->row[r->n++];
	*row = (struct xtr_stats_row){ 0 };
	return row;
}

static int rows_grow(struct rows *r, size_t n)
{
	struct xtr_stats_row *row;

	while (r->n < n) {
		row = rows_add(r);
		if (!row)
			return -ENOMEM;
		row->known = true;
	}
	return 0;
}

/* v with n elements, those behind the `had` first ones zero; NULL: no memory, v stays. */
static void *grown(void *v, size_t had, size_t n, size_t each)
{
	uint8_t *more = reallocarray(v, n, each);

	if (more)
		memset(more + had * each, 0, (n - had) * each);
	return more;
}

int stats_grow_rings(struct xtr_stats *s)
{
	size_t n = xtr_model_n_rings(s->model);
	struct xtr_stats_ring *ring;

	if (s->n_rings < n) {
		ring = grown(s->ring, s->n_rings, n, sizeof(*ring));
		if (!ring)
			return -ENOMEM;
		s->ring = ring;
		s->n_rings = (uint32_t)n;
	}
	return 0;
}

int stats_grow_rows(struct xtr_stats *s, size_t rings, size_t devices)
{
	struct xtr_hist *waits;

	if (s->n_dep_waits < rings) {
		waits = grown(s->dep_wait, s->n_dep_waits, rings, sizeof(*waits));
		if (!waits)
			return -ENOMEM;
		s->dep_wait = waits;
		s->n_dep_waits = (uint32_t)rings;
	}
	return rows_grow(&s->rows[XTR_BY_RING], rings)
		       ?: rows_grow(&s->rows[XTR_BY_DEVICE], devices);
}

/* All of them that the model knows by now. */
static int grow_all(struct xtr_stats *s)
{
	return stats_grow_rings(s)
		       ?: stats_grow_rows(s, xtr_model_n_rings(s->model),
					  xtr_model_n_devices(s->model));
}

int xtr_stats_new(struct xtr_stats **out, const struct xtr_stats_opts *opts)
{
	struct xtr_stats *s = calloc(1, sizeof(*s));
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = opts->meta,
				     .tables = opts->tables,
				     .job = stats_on_job,
				     .step = stats_on_step,
				     .ctx = s };
	int err = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->o = *opts;
	s->to = opts->select.to ? opts->select.to : UINT64_MAX;
	s->types = calloc(XTR_STATS_TYPES, sizeof(*s->types));
	s->takes = calloc(XTR_STATS_TYPES, sizeof(*s->takes));
	s->slowest = calloc(opts->top + 1u, sizeof(*s->slowest));
	s->wait = calloc(opts->top + 1u, sizeof(*s->wait));
	s->passes = !opts->select.n_pids;
	if (s->types && s->takes && s->slowest && s->wait && rows_add(&s->rows[XTR_BY_PROCESS]) &&
	    rows_add(&s->rows[XTR_BY_CLIENT]))
		err = xtr_model_new(&s->model, &mo);
	if (!err)
		err = grow_all(s);
	if (err) {
		xtr_stats_free(s);
		return err;
	}
	*out = s;
	return 0;
}

static void rows_free(struct rows *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		xtr_agg_free(&r->row[i].agg);
		xtr_busy_free(&r->row[i].busy);
	}
	free(r->row);
}

static void rings_free(struct xtr_stats *s)
{
	for (uint32_t i = 0; i < s->n_rings; i++) {
		xtr_hist_free(&s->ring[i].depth_queue);
		xtr_hist_free(&s->ring[i].depth_run);
	}
	for (uint32_t i = 0; i < s->n_dep_waits; i++)
		xtr_hist_free(&s->dep_wait[i]);
	free(s->ring);
	free(s->dep_wait);
}

void xtr_stats_free(struct xtr_stats *s)
{
	if (!s)
		return;
	stats_aside_end(s->aside);
	rings_free(s);
	for (uint32_t i = 0; i < XTR_BY_COUNT; i++)
		rows_free(&s->rows[i]);
	for (uint32_t i = 0; i < s->n_owners; i++)
		xtr_agg_free(&s->owner[i].agg);
	xtr_agg_free(&s->total.agg);
	xtr_busy_free(&s->total.busy);
	xtr_map_free(&s->owners);
	xtr_map_free(&s->processes);
	xtr_map_free(&s->clients);
	xtr_map_free(&s->blockers);
	xtr_model_free(s->model);
	free(s->owner);
	free(s->blocker);
	free(s->slowest);
	free(s->wait);
	free(s->types);
	free(s->takes);
	free(s);
}

/* A piece has all of its time, not only that between its events. */
static void take_piece(struct xtr_stats *s)
{
	uint64_t from, to;

	xtr_model_piece(s->model, &from, &to);
	if (!s->events || s->o.select.from || s->o.select.to)
		return;
	if (from)
		s->first = from;
	if (to > s->first)
		s->last = to;
}

int xtr_stats_finish(struct xtr_stats *s)
{
	int err;

	xtr_stats_keeps(s, false);
	err = s->err ?: xtr_model_finish(s->model);
	take_piece(s);

	if (!err)
		err = grow_all(s);
	if (!err)
		err = stats_make_rows(s);
	stats_tell(s);
	if (!err && s->o.analyses)
		err = xtr_analyses_finish(s->o.analyses, s->last - s->first);
	s->finished = !err;
	return err;
}
