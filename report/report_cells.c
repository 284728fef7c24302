/* SPDX-License-Identifier: BSD-2-Clause */
/* Activity of each ring in equal parts of the time. */
#include "report_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As many parts as the rings leave room for, a power of two. */
static uint32_t bins_for(size_t rings)
{
	uint32_t bins = REPORT_BINS_MAX;

	while (bins > REPORT_BINS_MIN && bins * rings > REPORT_CELLS)
		bins /= 2;
	return bins;
}

int report_cells_init(struct report_cells *c, size_t rings, uint64_t from, uint64_t to)
{
	*c = (struct report_cells){ .n = rings < REPORT_RINGS_MAX ? rings : REPORT_RINGS_MAX };
	c->bins = bins_for(c->n);
	c->from = from;
	c->width = (to - from) / c->bins + 1;
	c->ring = calloc(c->n ? c->n : 1, sizeof(*c->ring));
	return c->ring ? 0 : -ENOMEM;
}

void report_cells_free(struct report_cells *c)
{
	for (size_t i = 0; c->ring && i < c->n; i++)
		free(c->ring[i].cell);
	free(c->ring);
	free(c->covered);
	xtr_map_free(&c->covered_at);
	*c = (struct report_cells){ 0 };
}

/* The ring, with cells; NULL with *ret: there is no memory, or (0) it is not drawn. */
static struct report_ring *ring_of(struct report_cells *c, uint32_t ring, int *ret)
{
	struct report_ring *r;

	*ret = 0;
	if (ring >= c->n)
		return NULL;
	r = &c->ring[ring];
	if (!r->cell) {
		r->cell = calloc(c->bins, sizeof(*r->cell));
		r->since = c->from;
	}
	if (!r->cell)
		*ret = -ENOMEM;
	return r->cell ? r : NULL;
}

static uint32_t bin_of(const struct report_cells *c, uint64_t ts)
{
	uint64_t bin = ts > c->from ? (ts - c->from) / c->width : 0;

	return bin < c->bins ? (uint32_t)bin : c->bins - 1;
}

/* ns of [from, to) that lie in a part. */
static uint64_t within(const struct report_cells *c, uint32_t bin, uint64_t from, uint64_t to)
{
	uint64_t first = c->from + bin * c->width, last = first + c->width;

	if (bin == c->bins - 1 || last < first)
		last = UINT64_MAX;
	from = from > first ? from : first;
	to = to < last ? to : last;
	return to > from ? to - from : 0;
}

/* What held since the last change. */
static void hold(struct report_cells *c, struct report_ring *r, uint64_t until)
{
	uint32_t bin, last = bin_of(c, until > r->since ? until - 1 : until);

	for (bin = bin_of(c, r->since); bin <= last && (r->queued || r->on_hw); bin++) {
		struct report_cell *cell = &r->cell[bin];

		if (r->on_hw)
			cell->busy += within(c, bin, r->since, until);
		if (cell->queued < r->queued)
			cell->queued = r->queued;
		if (cell->on_hw < r->on_hw)
			cell->on_hw = r->on_hw;
	}
	r->since = until > r->since ? until : r->since;
}

int report_cells_depth(struct report_cells *c, uint32_t ring, uint32_t queued, uint32_t on_hw,
		       uint64_t ts)
{
	int err;
	struct report_ring *r = ring_of(c, ring, &err);

	if (!r)
		return err;
	hold(c, r, ts);
	r->queued = queued;
	r->on_hw = on_hw;
	return 0;
}

static void add_pid(struct report_cell *cell, uint16_t pid, uint64_t ns)
{
	for (size_t i = 0; i < REPORT_TOP_PIDS; i++) {
		if (cell->ns[i] && cell->pid[i] != pid)
			continue;
		cell->pid[i] = pid;
		cell->ns[i] += ns;
		return;
	}
	cell->other += ns;
}

/* Until when the time of this process on this ring was counted; NULL: no memory. */
static uint64_t *covered(struct report_cells *c, uint32_t ring, uint16_t pid)
{
	uint32_t at = xtr_map_index(&c->covered_at, ring, pid);

	if (at != XTR_MAP_NONE)
		return &c->covered[at];
	if (xtr_grow_array(&c->covered, &c->cap_covered, c->n_covered + 1, sizeof(*c->covered)) ||
	    xtr_map_put(&c->covered_at, ring, pid, (uint32_t)c->n_covered))
		return NULL;
	c->covered[c->n_covered] = 0;
	return &c->covered[c->n_covered++];
}

int report_cells_job(struct report_cells *c, uint32_t ring, const struct xtr_job *j, uint16_t pid)
{
	uint64_t from = j->start_ns && j->quality != XTR_QUALITY_BOUNDED ? j->start_ns : j->run_ns;
	uint64_t *until;
	uint32_t last;
	int err;
	struct report_ring *r = ring_of(c, ring, &err);

	if (!r)
		return err;
	r->jobs++;
	if (!j->done_ns)
		return 0;
	last = bin_of(c, j->done_ns);
	r->cell[last].jobs++;
	until = covered(c, ring, pid);
	if (!until)
		return -ENOMEM;
	from = from > *until ? from : *until;
	if (!xtr_job_resided(j) || from >= j->done_ns)
		return 0;
	for (uint32_t bin = bin_of(c, from); bin <= last; bin++) {
		uint64_t ns = within(c, bin, from, j->done_ns);

		if (ns)
			add_pid(&r->cell[bin], pid, ns);
	}
	*until = j->done_ns; /* later than before, as `from` is */
	return 0;
}

void report_cells_end(struct report_cells *c, uint64_t to)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->ring[i].cell)
			hold(c, &c->ring[i], to);
}

static struct report_cell both(const struct report_cell *a, const struct report_cell *b)
{
	struct report_cell sum = *a;

	sum.busy += b->busy;
	sum.jobs += b->jobs;
	sum.queued = a->queued > b->queued ? a->queued : b->queued;
	sum.on_hw = a->on_hw > b->on_hw ? a->on_hw : b->on_hw;
	sum.other += b->other;
	for (size_t i = 0; i < REPORT_TOP_PIDS; i++)
		if (b->ns[i])
			add_pid(&sum, b->pid[i], b->ns[i]);
	return sum;
}

void report_cells_fold(struct report_cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (uint32_t k = 0; c->ring[i].cell && k < c->bins / 2; k++)
			c->ring[i].cell[k] =
				both(&c->ring[i].cell[2 * k], &c->ring[i].cell[2 * k + 1]);
	c->bins /= 2;
	c->width *= 2;
}

/* In 255ths of the part, rounded up: what is there is seen. */
static uint64_t share(const struct report_cells *c, uint64_t ns)
{
	__uint128_t parts = ((__uint128_t)ns * 255 + c->width - 1) / c->width;

	return parts < 255 ? (uint64_t)parts : 255;
}

static bool is_empty(const struct report_cell *cell)
{
	return !cell->busy && !cell->jobs && !cell->queued && !cell->on_hw && !cell->ns[0];
}

static void cell_put(const struct report_cells *c, const struct report_cell *cell,
		     struct xtr_buf *b)
{
	uint64_t n = 0;

	while (n < REPORT_TOP_PIDS && cell->ns[n])
		n++;
	report_varint(b, share(c, cell->busy));
	report_varint(b, cell->jobs);
	report_varint(b, cell->queued);
	report_varint(b, cell->on_hw);
	report_varint(b, n);
	for (size_t i = 0; i < n; i++) {
		report_varint(b, cell->pid[i]);
		report_varint(b, share(c, cell->ns[i]));
	}
}

void report_cells_put(const struct report_cells *c, size_t ring, struct xtr_buf *b)
{
	const struct report_cell *cell = c->ring[ring].cell;
	uint32_t next = 0;

	for (uint32_t bin = 0; cell && bin < c->bins; bin++) {
		if (is_empty(&cell[bin]))
			continue;
		report_varint(b, bin - next);
		cell_put(c, &cell[bin], b);
		next = bin + 1;
	}
}
