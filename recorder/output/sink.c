/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink.h"
#include "clock.h"
#include "flight_file.h"
#include "next_piece.h"
#include "output.h"
#include "recorder/host/util.h"

#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CLOCK_EVERY (10 * NS_PER_S)
#define LOSS_EVERY  NS_PER_S
#define SYNC_EVERY  (5 * NS_PER_S)
#define IDLE_NS     (500 * NS_PER_MS)
#define HELD_MAX    8 /* batches of definitions that wait for their tables to be written */
#define SPACE_RESERVE \
	(1u << 20) /* bytes of the disk kept free for tables, losses and the end mark */

static void release_defs(struct xtr_sink *s)
{
	struct xtr_ring_batch *b;

	while ((b = s->held)) {
		s->held = b->next;
		xtr_queue_give_back(s->queue, b);
	}
	s->n_held = 0;
}

/* Recording ends by itself. The first reason holds. */
static void stop(struct xtr_sink *s, const char *reason, int error)
{
	const char *none = NULL;
	uint64_t one = 1;

	if (error)
		s->full = true;
	if (!atomic_compare_exchange_strong(&s->stopped, &none, reason))
		return;
	atomic_store(&s->error, error);
	if (write(s->event_fd, &one, sizeof(one)) != sizeof(one))
		return; /* the counter is at its limit: it is readable anyway */
}

static void check(struct xtr_sink *s, int err)
{
	if (err)
		stop(s, xtr_output_reason(err), err);
}

static uint64_t bytes_written(const struct xtr_sink *s)
{
	uint64_t last = s->last.writer ? xtr_writer_bytes(s->last.writer) : 0;

	return s->rotate->past_bytes + last + (s->flight ? 0 : xtr_writer_bytes(s->writer));
}

/* Bytes free where the output is; UINT64_MAX: not known. */
static uint64_t space_left(const struct xtr_sink *s)
{
	struct statvfs fs;

	if (s->rotate->on)
		return xtr_rotate_space(s->rotate);
	if (!s->path || statvfs(s->path, &fs))
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* Stop while there is room for a proper end. */
static void check_space(struct xtr_sink *s)
{
	if (s->flight)
		return;
	if (s->size_limit && bytes_written(s) >= s->size_limit)
		stop(s, "size limit", 0);
	while (!s->full && space_left(s) < SPACE_RESERVE)
		if (!xtr_rotate_drop(s->rotate))
			stop(s, xtr_output_reason(-ENOSPC), -ENOSPC);
}

static void rotate_if_due(struct xtr_sink *s)
{
	uint64_t border;

	if (!s->full && xtr_rotate_due(s->rotate, xtr_writer_bytes(s->writer),
				       xtr_writer_events_written(s->writer), xtr_now(), &border))
		check(s, xtr_sink_next_piece(s, border));
}

/* Write what a flight recorder has kept. An error is told of with the file; nothing is given up. */
static void write_flight(struct xtr_sink *s)
{
	s->flight->err = xtr_flight_file(s);
}

static void flight_due(struct xtr_sink *s)
{
	if (s->flight->opts.once)
		stop(s, "trigger", 0);
	else
		write_flight(s);
}

/* Events of a CPU that were lost in this piece so far; lost: since recording began. */
static uint64_t lost_here(const struct xtr_sink *s, uint32_t cpu, uint64_t lost)
{
	if (s->last.writer)
		return 0; /* they are the last one's */
	return lost > s->lost_before[cpu] ? lost - s->lost_before[cpu] : 0;
}

enum lost_part {
	LOST_BAD,   /* those that could not be converted: the others are in the file */
	LOST_ALL,   /* the same, and the others were not written */
	LOST_UNSEEN /* all; nothing was converted */
};

/* Count as lost what has become of a batch, but for what is older than `from` (ns) and could be
 * converted. unwritten: the cause, of those that were converted. */
static void count_lost(struct xtr_sink *s, const struct xtr_ring_batch *b, enum lost_part part,
		       bool unwritten, uint64_t from)
{
	const struct xtr_convert *c = &s->convert;
	uint32_t k = 0, slot;
	struct xtr_rec h;

	for (uint32_t at = 0; at < b->len; at += h.size) {
		bool bad = part != LOST_UNSEEN && k < c->n_bad && c->bad[k] == at;

		memcpy(&h, b->data + at, sizeof(h)); /* sizes were checked when it was put in */
		k += bad;
		if (h.type == XTR_REC_GAP || (!bad && (part == LOST_BAD || h.ts < from)))
			continue;
		slot = xtr_slot_of_type(s->sel, h.type);
		xtr_persistent_count(s->keep, !bad && unwritten,
				     (size_t)b->cpu * s->bpf->n_slots + slot, b->number,
				     at + h.size);
		atomic_fetch_add_explicit(&s->dropped, 1, memory_order_relaxed);
	}
}

static struct xtr_batch converted(const struct xtr_sink *s, const struct xtr_ring_batch *b)
{
	return (struct xtr_batch){
		.stream = b->cpu,
		.recs = s->convert.recs,
		.len = s->convert.len,
		.n = s->convert.n,
		.lost_total = lost_here(s, b->cpu, b->lost),
		.raw = b->raw,
	};
}

static void note_ordinals(struct xtr_sink *s, struct xtr_ring_batch *b)
{
	/* A flight recorder gathers the piece behind the last that it wrote. */
	uint64_t number = s->rotate->on ? s->rotate->piece.number + (s->flight != NULL) : 0;

	if (s->last.writer)
		b->ordinal[(number + 1) % 2] = xtr_writer_ordinal(s->last.writer, b->cpu);
	__atomic_store_n(&b->ordinal[number % 2], xtr_writer_ordinal(s->writer, b->cpu),
			 __ATOMIC_SEQ_CST);
}

/* Tables and gaps of the piece before, too. */
static int write_tables(struct xtr_sink *s)
{
	int err = s->last.writer ? xtr_sink_last_tables(s) : 0;

	if (!err && s->last.writer)
		err = xtr_writer_tables(s->last.writer);
	return err ? err : xtr_writer_tables(s->writer);
}

static int write_losses(struct xtr_sink *s)
{
	return (s->last.writer ? xtr_writer_loss(s->last.writer) : 0) ?: xtr_writer_loss(s->writer);
}

/*
 * The ordinal is noted before the batch is written: by it and by the file a salvager knows whether
 * it was. Gaps are known from here on by the account alone, so they are written at once.
 */
static void take_events(struct xtr_sink *s, struct xtr_ring_batch *b)
{
	struct xtr_batch batch;
	uint64_t from = 0;
	int err;

	if (!s->full)
		check_space(s);
	rotate_if_due(s);
	if (s->full) {
		xtr_convert_gaps(&s->convert, b->cpu, b->data, b->len);
		count_lost(s, b, LOST_UNSEEN, true, 0);
		return;
	}
	if (s->flight && xtr_flight_lost(s->flight, b->cpu, b->lost))
		s->next_loss = 0; /* look now: it may be a trigger */
	if (s->flight)
		xtr_triggers_scan(&s->flight->triggers, b->data, b->len);
	if (b->as_is)
		xtr_convert_none(&s->convert, b);
	else
		xtr_convert_batch(&s->convert, b->cpu, b->data, b->len);
	batch = converted(s, b);
	note_ordinals(s, b);
	err = batch.n ? xtr_sink_write(s, &batch, &from) : 0;
	if (err || s->convert.n_bad)
		count_lost(s, b, err ? LOST_ALL : LOST_BAD, err != -EINVAL, from);
	if (err && err != -EINVAL)
		check(s, err);
	if (err)
		return;
	if (batch.n && !s->last.writer)
		release_defs(s);
	if (b->cpu == 0)
		s->lost_0 = batch.lost_total;
	atomic_fetch_add_explicit(&s->events, batch.n, memory_order_relaxed);
	if (s->convert.n_gaps)
		check(s, write_losses(s));
}

/* Definitions are kept until the tables that they are in are in the file. */
static void take_defs(struct xtr_sink *s, struct xtr_ring_batch *b)
{
	struct xtr_rec h;

	for (uint32_t at = 0; at < b->len; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		xtr_defs_take(s->defs, b->data + at, h.size);
	}
	s->last.renamed = true;
	b->next = s->held;
	s->held = b;
	s->n_held++;
	if (!s->full && s->n_held >= HELD_MAX)
		check(s, write_tables(s));
	if (s->full || s->n_held >= HELD_MAX)
		release_defs(s);
}

static void take_round(struct xtr_sink *s, const struct xtr_ring_batch *b)
{
	s->watermark = b->watermark;
	if (!s->full)
		check(s, xtr_writer_round(s->writer, b->watermark));
	if (s->last.writer && b->watermark >= s->last.piece.to)
		check(s, xtr_sink_end_piece(s));
	if (!s->full && s->flight && xtr_flight_round(s->flight, b->watermark, xtr_now()))
		flight_due(s);
}

static void take(struct xtr_sink *s, struct xtr_ring_batch *b)
{
	if (b->kind == XTR_BATCH_DEFS) {
		take_defs(s, b);
		return;
	}
	if (b->kind == XTR_BATCH_EVENTS)
		take_events(s, b);
	else
		take_round(s, b);
	xtr_queue_give_back(s->queue, b);
}

int xtr_sink_totals(struct xtr_sink *s, bool final)
{
	int err;

	if (s->flight)
		s->flight->own = true;
	err = xtr_totals_write(&s->totals, final, s->lost_0);
	if (s->flight)
		s->flight->own = false;
	return err;
}

/* Memory that is held beside chunks, losses since the last look, and a file that is late. */
static void look_after_flight(struct xtr_sink *s, bool losses, uint64_t now)
{
	struct xtr_flight *f = s->flight;
	uint64_t lost;

	if (losses) {
		lost = xtr_sat_add(xtr_loss_total(s->before), xtr_loss_total(s->loss));
		if (lost > f->lost_seen)
			xtr_triggers_lost(&f->triggers, lost - f->lost_seen, now);
		f->lost_seen = lost;
		xtr_loss_drop_gaps(s->loss, f->from);
	}
	check(s, xtr_flight_tables(f, &s->next_tables, s->defs, s->watermark, now,
				   xtr_loss_n_gaps(s->loss) * sizeof(struct xtr_gap)));
	if (xtr_flight_overdue(f, now))
		flight_due(s);
}

static void periodic(struct xtr_sink *s)
{
	uint64_t now = xtr_now();
	bool losses = now >= s->next_loss;

	if (s->full)
		return;
	if (s->rotate->ns)
		rotate_if_due(s);
	check(s, xtr_budget_look(s, now));
	if (now >= s->next_clock) {
		s->next_clock = now + CLOCK_EVERY;
		check(s, xtr_clock_write(s->writer));
	}
	if (losses) {
		s->next_loss = now + LOSS_EVERY;
		xtr_sink_gather(s);
		check(s, xtr_writer_loss(s->writer));
	}
	if (now >= s->next_sync) {
		s->next_sync = now + SYNC_EVERY;
		check(s, xtr_sink_totals(s, false));
		check(s, xtr_budget_gap(s));
		if (s->io->ops->sync)
			check(s, s->io->ops->sync(s->io));
	}
	if (s->flight)
		look_after_flight(s, losses, now);
}

static uint64_t until(uint64_t at, uint64_t now, uint64_t most)
{
	uint64_t left = at > now ? at - now : 0;

	return left < most ? left : most;
}

/* How long to wait for a batch: not past the end of a piece, or the next look at the cost. */
static uint64_t idle_ns(const struct xtr_sink *s)
{
	uint64_t now = xtr_now(), ns = IDLE_NS;

	if (s->full)
		return ns;
	if (s->rotate->ns)
		ns = until(s->rotate->next_at, now, ns);
	return s->budget.on ? until(s->budget.next, now, ns) : ns;
}

static void *run(void *arg)
{
	struct xtr_sink *s = arg;
	bool closed = false;
	struct xtr_ring_batch *b;

	while (!closed) {
		b = xtr_queue_pop(s->queue, idle_ns(s), &closed);
		if (b)
			take(s, b);
		periodic(s);
		atomic_store_explicit(&s->bytes, bytes_written(s), memory_order_relaxed);
	}
	if (s->last.writer)
		check(s, xtr_sink_end_piece(s));
	sem_post(&s->written);
	while (sem_wait(&s->ended)) /* only a signal interrupts it */
		;
	if (s->complete && s->flight)
		write_flight(s);
	else if (s->complete)
		xtr_rotate_trim(s->rotate, true);
	return NULL;
}

int xtr_sink_open(struct xtr_sink *s)
{
	int err;

	s->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->event_fd < 0)
		return -errno;
	s->lost_before = calloc(s->bpf->n_cpus, sizeof(*s->lost_before));
	s->before = xtr_loss_new();
	if (!s->lost_before || !s->before)
		return -ENOMEM;
	s->convert = (struct xtr_convert){
		.sel = s->sel, .tables = s->tables, .loss = s->loss, .defs = s->defs, .key = s->key
	};
	err = xtr_convert_open(&s->convert, s->bpf->n_cpus);
	if (err)
		return err;
	s->totals = (struct xtr_totals){
		.bpf = s->bpf, .writer = s->writer, .tables = s->tables, .key = s->key
	};
	err = xtr_totals_open(&s->totals);
	if (!err && (sem_init(&s->written, 0, 0) || sem_init(&s->ended, 0, 0)))
		err = -errno;
	return err;
}

int xtr_sink_begin(struct xtr_sink *s)
{
	int err = xtr_clock_write(s->writer);

	s->next_clock = xtr_now() + CLOCK_EVERY;
	s->next_sync = xtr_now() + SYNC_EVERY;
	return err ? err : xtr_budget_start(s);
}

int xtr_sink_start(struct xtr_sink *s)
{
	int err = -pthread_create(&s->thread, NULL, run, s);

	s->running = !err;
	return err;
}

void xtr_sink_join(struct xtr_sink *s)
{
	if (!s->running)
		return;
	while (sem_wait(&s->written))
		;
	sem_post(&s->written);
}

/* The thread removes the last piece that is too many: nobody else may. */
static void end_thread(struct xtr_sink *s)
{
	if (!s->running)
		return;
	sem_post(&s->ended);
	pthread_join(s->thread, NULL);
	s->running = false;
}

int xtr_sink_finish(struct xtr_sink *s, const char *reason, const struct xtr_recorder_cost *cost)
{
	int err, error = atomic_load(&s->error);

	xtr_sink_account(s);
	err = xtr_sink_totals(s, true) ?: xtr_budget_state(s) ?: xtr_clock_write(s->writer);
	if (s->flight)
		s->flight->end = reason;
	else if (!err)
		err = xtr_writer_finish(s->writer, reason, cost);
	atomic_store(&s->bytes, bytes_written(s));
	s->complete = !err;
	end_thread(s);
	if (s->flight && !err)
		err = s->flight->err;
	atomic_store(&s->bytes, bytes_written(s));
	return err ? err : error;
}

void xtr_sink_free(struct xtr_sink *s)
{
	xtr_sink_join(s);
	end_thread(s);
	xtr_sink_drop_last(s);
	xtr_next_tables_free(&s->next_tables);
	xtr_loss_free(s->before);
	free(s->lost_before);
	xtr_totals_close(&s->totals);
	xtr_convert_close(&s->convert);
	if (s->event_fd >= 0)
		close(s->event_fd);
	s->event_fd = -1;
}
