/* SPDX-License-Identifier: BSD-2-Clause */
#include "next_piece.h"
#include "clock.h"
#include "output.h"
#include "recorder/drain/open_pieces.h"
#include "recorder/host/util.h"

#include "format/codec/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All of the next piece, before this one is told that it ends. */
struct next {
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	uint8_t *recs;
	struct xtr_io *io;
	struct xtr_writer *writer;
	struct xtr_piece piece;
	uint64_t file_id;
};

static int last_words(struct xtr_sink *s)
{
	int err = xtr_sink_totals(s, false) ?: xtr_budget_state(s) ?: xtr_clock_write(s->writer);

	if (!err)
		xtr_sink_gather(s);
	return err;
}

struct xtr_loss *xtr_sink_losses(const struct xtr_sink *s, const struct xtr_loss *own)
{
	const struct xtr_loss *before = s->before;
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

/* Where this piece ends: its events are older already. */
static uint64_t border_of(const struct xtr_sink *s, uint64_t border)
{
	uint64_t newest = xtr_writer_newest(s->writer), from = s->rotate->piece.from;

	if (border <= newest)
		border = newest + 1;
	return border > from ? border : from + 1;
}

static int prepare(struct xtr_sink *s, struct next *n, uint64_t border)
{
	n->tables = xtr_next_tables(&s->next_tables, s->defs, s->watermark, xtr_now());
	n->loss = xtr_loss_new();
	n->recs = malloc(XTR_BATCH_BYTES);
	if (!n->tables || !n->loss || !n->recs)
		return -ENOMEM;
	n->piece = s->rotate->piece;
	n->piece.number++;
	n->piece.events_before += xtr_writer_events_written(s->writer);
	n->piece.lost_before += xtr_loss_total(s->loss);
	n->piece.from = border;
	return xtr_draw_id(&n->file_id) ?: xtr_rotate_create(s->rotate, &n->io);
}

/* META says which piece it is: for a moment that of the next one. */
static int open_writer(struct xtr_sink *s, struct next *n)
{
	int err = xtr_piece_write(&n->piece, s->meta), err2;
	struct xtr_writer_opts how;

	xtr_output_how(s, &how);
	how.file_id = n->file_id;
	xtr_tables_swap(s->tables, n->tables);
	if (!err)
		err = xtr_writer_open(&n->writer, n->io, s->meta, s->tables, n->loss, &how);
	if (!err)
		return 0;
	xtr_tables_swap(s->tables, n->tables);
	err2 = xtr_piece_write(&s->rotate->piece, s->meta);
	return err2 ? err2 : err;
}

static void give_up(struct xtr_sink *s, struct next *n)
{
	if (n->io) {
		xtr_rotate_undo(s->rotate); /* first: closed, it would look like a dead one's */
		xtr_io_close(n->io);
	}
	xtr_tables_free(n->tables);
	xtr_loss_free(n->loss);
	free(n->recs);
}

/* The tables have changed places: those of the piece that ends are in n. */
static void commit(struct xtr_sink *s, struct next *n, uint64_t border)
{
	s->last = (struct xtr_last_piece){ .writer = s->writer,
					   .io = s->io,
					   .tables = n->tables,
					   .loss = s->loss,
					   .piece = s->rotate->piece,
					   .recs = n->recs };
	s->last.piece.to = border;
	xtr_writer_ends(s->writer, n->tables);
	s->writer = s->totals.writer = n->writer;
	s->io = n->io;
	s->loss = s->convert.loss = n->loss;
	s->convert.loss_before = s->last.loss;
	s->convert.border = border;
	s->lost_0 = 0;
	xtr_totals_again(&s->totals);
	xtr_rotate_begin(s->rotate, &n->piece);
	atomic_store(&s->queue->hurry, true);
}

/* Events were left out since before the border, too. */
static int left_out(struct xtr_sink *s, uint64_t border)
{
	const struct xtr_gap gap = { XTR_STREAM_NONE, border, s->budget.since, 0 };

	return gap.last < border ? 0 : xtr_loss_add_gap(s->loss, &gap);
}

/*
 * What it needs to be read alone. Its names may be nowhere else, and from here on it is known to be
 * there if the recorder is killed: before, all that comes belongs to the piece that ends.
 */
static int begin(struct xtr_sink *s, const struct next *n)
{
	const struct xtr_open_piece open = { .file_id = n->file_id, .says = n->piece };
	int err = left_out(s, n->piece.from) ?: xtr_budget_state(s) ?: xtr_clock_write(s->writer) ?:
		  xtr_writer_tables(s->writer);

	xtr_open_begin(s->keep, &open, XTR_OPEN_TWO);
	return err;
}

int xtr_sink_next_piece(struct xtr_sink *s, uint64_t border)
{
	struct next n = { 0 };
	int err;

	border = border_of(s, border);
	err = last_words(s) ?: prepare(s, &n, border) ?: open_writer(s, &n);
	if (err) {
		give_up(s, &n);
		return err;
	}
	commit(s, &n, border);
	return begin(s, &n);
}

/* --- both are open ---------------------------------------------------------------------------- */

/* Put the records of a batch that are older than the border, or the others, into p->recs. */
static struct xtr_batch part_of(const struct xtr_last_piece *p, const struct xtr_batch *b,
				bool older)
{
	const uint8_t *rec = b->recs;
	struct xtr_batch part = *b;

	part.recs = p->recs;
	part.len = part.n = 0;
	for (uint32_t i = 0; i < b->n; i++, rec += xtr_rec_size(rec)) {
		if ((xtr_rec_ts(rec) < p->piece.to) != older)
			continue;
		memcpy(p->recs + part.len, rec, xtr_rec_size(rec));
		part.len += xtr_rec_size(rec);
		part.n++;
	}
	return part;
}

int xtr_sink_last_tables(struct xtr_sink *s)
{
	int err = s->last.renamed ? xtr_tables_join(s->last.tables, s->tables) : 0;

	s->last.renamed = err != 0;
	return err;
}

int xtr_sink_write(struct xtr_sink *s, const struct xtr_batch *b, uint64_t *from)
{
	struct xtr_last_piece *p = &s->last;
	struct xtr_batch part;
	int err;

	if (!p->writer)
		return xtr_writer_events(s->writer, b);
	part = part_of(p, b, true);
	if (!part.n)
		return xtr_writer_events(s->writer, b);
	err = xtr_sink_last_tables(s) ?: xtr_writer_events(p->writer, &part);
	if (err)
		return err;
	*from = p->piece.to;
	part = part_of(p, b, false);
	return part.n ? xtr_writer_events(s->writer, &part) : 0;
}

/* --- the end of the first --------------------------------------------------------------------- */

/* What the kernel will announce with the next record of a CPU. */
static void gaps_begun(struct xtr_sink *s)
{
	for (uint32_t i = 0; i < s->bpf->n_cpus; i++) {
		const struct xtr_cpu *c = &s->bpf->cpus[i];
		struct xtr_gap gap = { .stream = i,
				       .count = __atomic_load_n(&c->gap_count, __ATOMIC_ACQUIRE) };

		gap.first = __atomic_load_n(&c->gap_first, __ATOMIC_RELAXED);
		gap.last = __atomic_load_n(&c->gap_last, __ATOMIC_RELAXED);
		if (gap.first <= gap.last)
			xtr_convert_gap_begun(&s->convert, &gap);
	}
}

static int finish(struct xtr_sink *s)
{
	struct xtr_recorder_cost cost = { .ring_bytes = s->bpf->ring_bytes,
					  .ring_high = atomic_load(s->ring_high) };
	struct xtr_own_cost now;

	xtr_own_cost_now(&now, s->bpf);
	xtr_own_cost_between(&cost, &s->spent, &now);
	s->spent = now;
	return xtr_writer_finish(s->last.writer, XTR_PIECE_ROTATED, &cost);
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

/* All of the last piece is known: so are the losses before the one being written. NULL: no memory.
 */
static struct xtr_loss *settle(struct xtr_sink *s)
{
	struct xtr_piece *next = &s->rotate->piece;
	struct xtr_open_piece open = *xtr_open_piece(s->keep->head, next->number);
	struct xtr_loss *before = xtr_sink_losses(s, s->last.loss);

	next->events_before =
		s->last.piece.events_before + xtr_writer_events_written(s->last.writer);
	next->lost_before = s->last.piece.lost_before + xtr_loss_total(s->last.loss);
	open.says = *next;
	if (before)
		xtr_open_settle(s->keep, &open, before, s->convert.begun);
	return before;
}

/* META of the piece being written, if it says something else now. */
static int tell_next(struct xtr_sink *s, const struct xtr_piece *was)
{
	int err = xtr_piece_write(&s->rotate->piece, s->meta);

	if (!err && memcmp(was, &s->rotate->piece, sizeof(*was)))
		err = xtr_writer_meta(s->writer);
	return err;
}

int xtr_sink_drop_last(struct xtr_sink *s)
{
	struct xtr_last_piece *p = &s->last;
	int err;

	if (!p->writer)
		return 0;
	xtr_writer_free(p->writer);
	err = xtr_io_close(p->io);
	xtr_tables_free(p->tables);
	xtr_loss_free(p->loss);
	free(p->recs);
	*p = (struct xtr_last_piece){ 0 };
	s->convert.loss_before = NULL;
	return err;
}

int xtr_sink_end_piece(struct xtr_sink *s)
{
	struct xtr_last_piece *p = &s->last;
	const struct xtr_piece was = s->rotate->piece;
	struct xtr_loss *before;
	int err, err2, err3;

	xtr_sink_gather(s);
	gaps_begun(s);
	before = settle(s);
	err = (before ? xtr_piece_write(&p->piece, s->meta) : -ENOMEM) ?: finish(s);
	err2 = tell_next(s, &was);
	if (before) {
		xtr_loss_free(s->before);
		s->before = before;
		xtr_sink_set_base(s);
	}
	xtr_rotate_ended(s->rotate, xtr_writer_bytes(p->writer));
	err3 = xtr_sink_drop_last(s);
	if (before)
		xtr_open_ended(s->keep);
	atomic_store(&s->queue->hurry, false);
	if (!err)
		xtr_rotate_trim(s->rotate, false);
	if (err)
		return err;
	return err2 ? err2 : err3;
}
