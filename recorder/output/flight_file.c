/* SPDX-License-Identifier: BSD-2-Clause */
#include "flight_file.h"
#include "clock.h"
#include "flight_copy.h"
#include "next_piece.h"
#include "output.h"
#include "recorder/drain/open_pieces.h"
#include "recorder/host/util.h"

#include "format/meta/piece.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE_RESERVE (2u << 20) /* bytes of the disk that stay free, for tables and the rest */

/* The file, and what the recorder goes on with. */
struct file {
	struct xtr_sink *s;
	struct xtr_flight *f;
	struct xtr_fired why;
	struct xtr_flight_note note;
	struct xtr_piece piece;
	struct xtr_piece after;    /* the same as it counts from the file's end on */
	struct xtr_tables *tables; /* of the file */
	struct xtr_loss *loss;
	struct xtr_io *io;
	struct xtr_writer *writer;
	struct xtr_flight_copy copy; /* aged: also what is too old for this file */
	uint64_t n_aged;
	uint64_t bytes, events;    /* of the file */
	struct xtr_own_cost spent; /* until it was written */
	struct xtr_tables *next_tables;
	struct xtr_loss *next_loss, *before;
	struct xtr_writer *next_writer;
};

/* The recording's end is not told of by a signal that came before. */
static struct xtr_fired reason(const struct xtr_flight *f)
{
	if (f->pending)
		return f->why;
	return (struct xtr_fired){ .event = "", .at = xtr_now() };
}

static const char *why_text(const struct xtr_flight *f, const struct xtr_fired *why)
{
	if (why->trigger)
		return why->trigger->text;
	if (why->text)
		return why->text;
	return f->pending ? "signal" : "end";
}

static int last_words(struct xtr_sink *s)
{
	int err;

	if (s->flight->end)
		return 0; /* they are said */
	xtr_totals_again(&s->totals);
	err = xtr_sink_totals(s, false) ?: xtr_budget_state(s) ?: xtr_clock_write(s->writer);
	xtr_sink_gather(s);
	return err;
}

/* From when on all is there: what is older than asked for goes, too. */
static uint64_t window_from(const struct file *x)
{
	const struct xtr_flight *f = x->f;
	uint64_t asked = f->opts.ns && x->why.at > f->opts.ns ? x->why.at - f->opts.ns : 0;
	struct xtr_chunk_walk w = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *stored;

	if (asked <= f->from)
		return f->from;
	while ((c = xtr_chunk_ring_next(&f->ring, &w, &stored)))
		if (c->type == XTR_CHUNK_EVENTS && !xtr_flight_is_own(c) && c->ts_min < asked)
			return asked;
	return f->from;
}

static uint64_t process_of(const struct file *x)
{
	const struct xtr_task *t =
		x->why.tid ? xtr_tables_task(x->tables, x->why.tid, x->why.at) : NULL;

	return t ? t->pid : 0;
}

/* That of a fence is an errno, which the fence has in the file, too. */
static bool is_time_or_count(const struct xtr_fired *why)
{
	return !why->trigger || why->trigger->kind != XTR_TRIGGER_ERROR;
}

static void set_note(struct file *x)
{
	const struct xtr_flight *f = x->f;

	x->note = (struct xtr_flight_note){
		.why = why_text(f, &x->why),
		.event = x->why.event,
		.at = x->why.at,
		.from = window_from(x),
		.bytes = f->opts.bytes,
		.ns = f->opts.ns,
		.suppressed = f->suppressed,
		.untracked = f->triggers.watch.unwatched,
		.ctx = x->why.ctx,
		.seqno = x->why.seqno,
		.pid = process_of(x),
		.value = is_time_or_count(&x->why) ? x->why.value : 0,
	};
}

static int open_next(struct file *x)
{
	struct xtr_sink *s = x->s;
	struct xtr_writer_opts how;

	xtr_output_how(s, &how);
	how.table_every = how.meta_every = UINT64_MAX;
	x->next_tables = xtr_next_tables(&s->next_tables, s->defs, s->watermark, xtr_now());
	x->next_loss = xtr_loss_new();
	x->before = xtr_sink_losses(s, s->loss);
	if (!x->next_tables || !x->next_loss || !x->before)
		return -ENOMEM;
	return xtr_writer_open(&x->next_writer, &x->f->io, s->meta, s->tables, x->next_loss, &how);
}

static int prepare(struct file *x)
{
	struct xtr_sink *s = x->s;
	int err = last_words(s);

	if (err)
		return err;
	x->tables = xtr_flight_all_tables(x->f, s->tables);
	x->copy.aged = calloc(x->f->n_cpus, sizeof(*x->copy.aged));
	if (!x->tables || !x->copy.aged)
		return -ENOMEM;
	memcpy(x->copy.aged, x->f->aged, x->f->n_cpus * sizeof(*x->copy.aged));
	set_note(x);
	x->loss = xtr_loss_copy(s->loss, x->note.from, UINT64_MAX);
	if (!x->loss)
		return -ENOMEM;
	x->piece = s->rotate->piece;
	x->piece.number++;
	x->piece.to = x->f->end ? 0 : s->watermark ? s->watermark : 1;
	x->copy.from = x->note.from;
	x->copy.n_cpus = x->f->n_cpus;
	return open_next(x);
}

/* The id under which the piece that is gathered is known after a kill. */
static uint64_t file_id(const struct file *x)
{
	return xtr_open_piece(x->s->keep->head, x->piece.number)->file_id;
}

/* Earlier files may have to go (--keep). */
static int create(struct file *x)
{
	struct xtr_rotate *p = x->s->rotate;
	struct xtr_writer_opts how;
	uint64_t need = x->f->ring.used + xtr_tables_bytes(x->tables) + SPACE_RESERVE;
	int err;

	while (xtr_rotate_space(p) < need)
		if (!xtr_rotate_drop(p))
			break;
	err = xtr_rotate_create(p, &x->io);
	if (err)
		return err;
	if (xtr_rotate_space(p) < need)
		return -ENOSPC;
	err = xtr_piece_write(&x->piece, x->s->meta) ?: xtr_flight_write(&x->note, x->s->meta);
	xtr_output_how(x->s, &how);
	how.file_id = file_id(x);
	if (!err)
		err = xtr_writer_open(&x->writer, x->io, x->s->meta, x->tables, x->loss, &how);
	x->copy.writer = x->writer;
	return err;
}

static int write_aged(struct file *x)
{
	int err = 0;

	for (uint32_t i = 0; i < x->f->n_cpus && !err; i++) {
		x->n_aged += x->copy.aged[i];
		err = xtr_loss_set(x->loss, i, 0, XTR_LOSS_AGED, x->copy.aged[i]);
	}
	return err;
}

/*
 * All is in the file but its end. If the recorder is killed from here on, whether the file has an
 * end says where its events are: in it, or still in memory.
 */
static int announce(struct file *x)
{
	struct xtr_open_piece next;
	uint64_t newest = xtr_writer_newest(x->writer);

	x->after = x->piece;
	x->after.events_before += xtr_writer_events_written(x->writer);
	x->after.lost_before += xtr_loss_total(x->s->loss);
	x->after.from = newest ? newest + 1 : x->piece.from;
	x->after.to = 0;
	next = (struct xtr_open_piece){ .says = x->after };
	next.says.number++;
	if (xtr_draw_id(&next.file_id))
		return -EIO;
	xtr_open_settle(x->s->keep, &next, x->before, x->s->convert.begun);
	if (x->f->end)
		xtr_open_last(x->s->keep);
	return 0;
}

static int write_all(struct file *x)
{
	const struct xtr_flight *f = x->f;
	struct xtr_recorder_cost cost = { .ring_bytes = x->s->bpf->ring_bytes,
					  .ring_high = atomic_load(x->s->ring_high) };
	struct xtr_chunk_walk w = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *stored;
	int err = 0;

	if (f->clock.type)
		err = xtr_writer_copy(x->writer, &f->clock, f->clock_data, 0);
	while (!err && (c = xtr_chunk_ring_next(&f->ring, &w, &stored)))
		err = xtr_flight_copy(&x->copy, c, stored);
	xtr_own_cost_now(&x->spent, x->s->bpf);
	xtr_own_cost_between(&cost, &x->s->spent, &x->spent);
	err = err ?: write_aged(x) ?: announce(x) ?:
	      xtr_writer_finish(x->writer, f->end ? f->end : "trigger", &cost);
	x->bytes = xtr_writer_bytes(x->writer);
	x->events = xtr_writer_events_written(x->writer);
	return err;
}

/*
 * The file is there: nothing below fails, but that names for who comes after a kill are written
 * later. They are written before the old ones go.
 */
static int commit(struct file *x)
{
	uint64_t log = xtr_flight_log_end(x->f);
	struct xtr_sink *s = x->s;
	int err;

	xtr_writer_free(s->writer);
	xtr_loss_free(s->loss);
	xtr_loss_free(s->before);
	xtr_tables_replace(s->tables, x->next_tables);
	s->writer = s->totals.writer = x->next_writer;
	s->loss = s->convert.loss = x->next_loss;
	s->before = x->before;
	s->spent = x->spent;
	xtr_sink_set_base(s);
	xtr_totals_again(&s->totals);
	xtr_rotate_begin(s->rotate, &x->after);
	xtr_rotate_ended(s->rotate, x->bytes);
	xtr_rotate_trim(s->rotate, true);
	err = xtr_writer_tables(s->writer);
	if (!x->f->end)
		xtr_open_ended(s->keep);
	xtr_flight_empty(x->f, xtr_tables_bytes(s->tables), x->piece.number + 1, log);
	return err;
}

static void give_up(struct file *x)
{
	if (x->after.number)
		xtr_open_back(x->s->keep);
	xtr_writer_free(x->next_writer);
	xtr_tables_free(x->next_tables);
	xtr_loss_free(x->next_loss);
	xtr_loss_free(x->before);
}

static void tell(const struct file *x, const char *path, int err)
{
	struct xtr_flown_file told = { .error = err,
				       .events = x->events,
				       .bytes = x->bytes,
				       .aged = x->n_aged,
				       .suppressed = x->note.suppressed,
				       .ctx = x->note.ctx,
				       .seqno = x->note.seqno,
				       .pid = x->note.pid,
				       .value = x->note.value,
				       .at = x->note.at,
				       .to = x->f->end ? UINT64_MAX : x->piece.to };
	uint64_t from = x->note.from ? x->note.from : x->copy.first;

	told.span = x->why.at > from ? x->why.at - from : 0;
	snprintf(told.path, sizeof(told.path), "%s", path);
	snprintf(told.why, sizeof(told.why), "%s", why_text(x->f, &x->why));
	xtr_flight_tell(x->f, &told);
}

int xtr_flight_file(struct xtr_sink *s)
{
	struct file x = {
		.s = s, .f = s->flight, .why = reason(s->flight), .copy.first = UINT64_MAX
	};
	char path[sizeof(((struct xtr_flown_file *)0)->path)];
	int err = prepare(&x), err2;

	if (!err)
		err = create(&x);
	snprintf(path, sizeof(path), "%s", s->rotate->path);
	if (!err)
		err = write_all(&x);
	xtr_writer_free(x.writer);
	if (err && x.io) /* first: closed, it would look like a dead recorder's */
		xtr_rotate_undo(s->rotate);
	err2 = x.io ? xtr_io_close(x.io) : 0;
	if (err2 && !err)
		xtr_rotate_undo(s->rotate);
	err = err ? err : err2;
	tell(&x, path, err);
	if (err)
		give_up(&x);
	else
		err2 = commit(&x);
	xtr_tables_free(x.tables);
	xtr_loss_free(x.loss);
	free(x.copy.aged);
	s->flight->pending = false;
	s->flight->last = xtr_now();
	return err ?: err2 ?: xtr_clock_write(s->writer);
}

void xtr_flight_file_begin(struct xtr_sink *s)
{
	struct xtr_open_piece first = *xtr_open_piece(s->keep->head, 1);

	first.says = s->rotate->piece;
	first.says.number = 1;
	xtr_open_begin(s->keep, &first, XTR_OPEN_ONE);
}
