// SPDX-License-Identifier: BSD-2-Clause
#include "next_piece.h"
#include "clock.h"
#include "output.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All of the next piece, before anything of this one is given up. */
struct next {
	struct xtr_tables *tables;
	struct xtr_loss *loss, *before;
	struct xtr_io *io;
	struct xtr_writer *writer;
	struct xtr_piece piece;
};

static int last_words(struct xtr_sink *s)
{
	int err = xtr_sink_totals(s, false);

	if (!err)
		err = xtr_budget_state(s);
	if (!err)
		err = xtr_clock_write(s->writer);
	if (!err)
		xtr_sink_gather(s);
	return err;
}

struct xtr_loss *xtr_sink_losses(const struct xtr_sink *s)
{
	const struct xtr_loss *before = s->before, *own = s->loss;
	struct xtr_loss *l = xtr_loss_copy(before, 1, 0);
	int err = l ? 0 : -ENOMEM;

	for (size_t i = 0; i < xtr_loss_n_entries(own) && !err; i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(own, i);
		uint64_t past = xtr_loss_get(before, e->stream, e->type, e->cause);

		err = xtr_loss_set(l, e->stream, e->type, e->cause, past + e->total);
	}
	if (!err)
		return l;
	xtr_loss_free(l);
	return NULL;
}

static int prepare(struct xtr_sink *s, struct next *n)
{
	n->tables = xtr_next_tables(&s->next_tables, s->defs, s->watermark, xtr_now());
	n->loss = xtr_loss_new();
	n->before = xtr_sink_losses(s);
	if (!n->tables || !n->loss || !n->before)
		return -ENOMEM;
	n->piece = s->rotate->piece;
	n->piece.number++;
	n->piece.events_before += xtr_writer_events_written(s->writer);
	n->piece.lost_before += xtr_loss_total(s->loss);
	return xtr_rotate_create(s->rotate, &n->io);
}

/* META says which piece it is: for a moment that of the next one. */
static int open_writer(struct xtr_sink *s, struct next *n)
{
	int err = xtr_piece_write(&n->piece, s->meta), err2;
	struct xtr_writer_opts how;

	xtr_output_how(s, &how);
	if (!err)
		err = xtr_writer_open(&n->writer, n->io, s->meta, s->tables, n->loss, &how);
	err2 = xtr_piece_write(&s->rotate->piece, s->meta);
	return err ? err : err2;
}

static void give_up(struct xtr_sink *s, struct next *n)
{
	xtr_writer_free(n->writer);
	if (n->io) {
		xtr_io_close(n->io);
		xtr_rotate_undo(s->rotate);
	}
	xtr_tables_free(n->tables);
	xtr_loss_free(n->loss);
	xtr_loss_free(n->before);
}

static int finish(struct xtr_sink *s)
{
	struct xtr_recorder_cost cost = { .ring_bytes = s->bpf->ring_bytes,
					  .ring_high = atomic_load(s->ring_high) };
	struct xtr_own_cost now;

	xtr_own_cost_now(&now, s->bpf);
	xtr_own_cost_between(&cost, &s->spent, &now);
	s->spent = now;
	return xtr_writer_finish(s->writer, XTR_PIECE_ROTATED, &cost);
}

/* Of each CPU, as the piece's chunks count them. */
void xtr_sink_set_base(struct xtr_sink *s)
{
	memset(s->lost_before, 0, s->bpf->n_cpus * sizeof(*s->lost_before));
	for (size_t i = 0; i < xtr_loss_n_entries(s->before); i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(s->before, i);

		if (e->stream < s->bpf->n_cpus &&
		    (e->cause == XTR_LOSS_RING_FULL || e->cause == XTR_LOSS_RING_BUSY))
			s->lost_before[e->stream] += e->total;
	}
	s->lost_0 = 0;
}

static int commit(struct xtr_sink *s, struct next *n)
{
	uint64_t bytes = xtr_writer_bytes(s->writer);
	int err;

	xtr_writer_free(s->writer);
	err = xtr_io_close(s->io);
	xtr_loss_free(s->loss);
	xtr_loss_free(s->before);
	xtr_tables_replace(s->tables, n->tables);
	s->writer = s->totals.writer = n->writer;
	s->io = n->io;
	s->loss = s->convert.loss = n->loss;
	s->before = n->before;
	xtr_sink_set_base(s);
	xtr_totals_again(&s->totals);
	xtr_rotate_begin(s->rotate, &n->piece, bytes);
	xtr_rotate_trim(s->rotate, false);
	return err;
}

int xtr_sink_next_piece(struct xtr_sink *s)
{
	struct next n = { 0 };
	int err = last_words(s), err2;

	if (!err)
		err = prepare(s, &n);
	if (!err)
		err = open_writer(s, &n);
	if (!err)
		err = finish(s);
	if (err) {
		give_up(s, &n);
		return err;
	}
	err = commit(s, &n);
	err2 = xtr_piece_write(&s->rotate->piece, s->meta);
	if (!err)
		err = err2;
	if (!err)
		err = xtr_budget_state(s);
	return err ? err : xtr_clock_write(s->writer);
}
