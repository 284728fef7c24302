/* SPDX-License-Identifier: BSD-2-Clause */
#include "flight.h"
#include "lone_chunk.h"
#include "recorder/host/util.h"

#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LATE_NS     (2 * NS_PER_S)      /* a file does not wait longer for a round mark */
#define SLACK_NS    NS_PER_S            /* kept longer than asked for, until it is written */
#define TABLES_MIN  ((size_t)256 << 10) /* growth that is worth making them smaller, at least */
#define CLOCK_BYTES 4096u               /* of a CLOCK chunk that is held */

/* --- what outlives the process ---------------------------------------------------------------- */

/* As things are now, where they are kept in a file; cpu: the only one of which the counts change.
 */
static void publish(struct xtr_flight *f, uint32_t cpu, uint64_t ordinal)
{
	struct xtr_kept_state next;

	if (f->kept.fd < 0)
		return;
	next = *xtr_kept_state(&f->kept);
	next.ring = xtr_chunk_ring_place(&f->ring);
	next.from = f->from;
	if (cpu < f->n_cpus) {
		next.of = xtr_kept_cpu(&f->kept, cpu);
		next.of.aged = f->aged[cpu];
		next.of.ordinal = ordinal > next.of.ordinal ? ordinal : next.of.ordinal;
		next.cpu = cpu;
	}
	xtr_kept_publish(&f->kept, &next);
}

static void publish_chunk(struct xtr_flight *f, const struct xtr_chunk *c)
{
	if (c->type == XTR_CHUNK_EVENTS)
		publish(f, c->stream, c->first_ordinal + c->n_records);
	else
		publish(f, UINT32_MAX, 0);
}

/* The state points to it with the next that is published. */
static void outlive_clock(struct xtr_flight *f, const struct xtr_chunk *c, const uint8_t *stored)
{
	struct xtr_kept_state next;
	uint32_t which;

	if (f->kept.fd < 0)
		return;
	which = xtr_kept_put_clock(&f->kept, c, stored);
	next = *xtr_kept_state(&f->kept);
	next.clock = which ? which : next.clock;
	xtr_kept_publish(&f->kept, &next);
}

static void cut_log(struct xtr_flight *f, uint64_t before)
{
	struct xtr_kept_state next;

	if (f->kept.fd < 0)
		return;
	next = *xtr_kept_state(&f->kept);
	if (before <= next.log_from)
		return;
	next.log_from = before;
	xtr_kept_publish(&f->kept, &next);
	xtr_kept_log_cut(&f->kept, before);
}

uint64_t xtr_flight_log_end(const struct xtr_flight *f)
{
	return f->kept.fd < 0 ? 0 : xtr_kept_state(&f->kept)->log_to;
}

int xtr_flight_outlive(struct xtr_flight *f, uint32_t dir, uint64_t id, uint64_t piece)
{
	struct xtr_chunk_ring ring;
	int err = xtr_kept_new(&f->kept, dir, id, (size_t)f->opts.bytes, f->n_cpus);

	if (err)
		return err;
	err = xtr_chunk_ring_open_in(&ring, (size_t)f->opts.bytes, f->kept.fd,
				     xtr_kept_ring_at(&f->kept));
	if (err) {
		xtr_kept_close(&f->kept);
		xtr_kept_remove(id);
		return err;
	}
	xtr_chunk_ring_close(&f->ring);
	f->ring = ring;
	xtr_kept_publish(&f->kept, &(struct xtr_kept_state){ .piece = piece, .of.piece = piece });
	return 0;
}

/* --- what is kept ----------------------------------------------------------------------------- */

/* Bytes that chunks may take. */
static size_t room(const struct xtr_flight *f)
{
	return f->opts.bytes > f->more ? (size_t)f->opts.bytes - f->more : 0;
}

static void free_old(struct xtr_flight *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_old; i++) {
		if (f->ring.n && f->old[i].end > f->ring.first) {
			f->old[n++] = f->old[i];
			continue;
		}
		f->more -= f->old[i].bytes;
		cut_log(f, f->old[i].log_end);
		xtr_tables_free(f->old[i].t);
	}
	f->n_old = n;
}

bool xtr_flight_is_own(const struct xtr_chunk *c)
{
	return c->offset;
}

static void age_events(struct xtr_flight *f, const struct xtr_chunk *c)
{
	if (xtr_flight_is_own(c))
		return;
	if (c->stream < f->n_cpus)
		f->aged[c->stream] += c->n_records;
	if (c->n_records && c->ts_max >= f->from)
		f->from = c->ts_max + 1;
}

static void keep_clock(struct xtr_flight *f, const struct xtr_chunk *c, const uint8_t *stored)
{
	if (c->stored_len > CLOCK_BYTES)
		return;
	f->clock = *c;
	memcpy(f->clock_data, stored, c->stored_len);
	outlive_clock(f, c, stored);
}

static void give_up_oldest(struct xtr_flight *f)
{
	struct xtr_chunk_walk w = { 0 };
	const uint8_t *stored;
	const struct xtr_chunk *c = xtr_chunk_ring_next(&f->ring, &w, &stored);

	if (c->type == XTR_CHUNK_EVENTS) {
		age_events(f, c);
		f->n_events -= c->n_records;
	} else if (c->type == XTR_CHUNK_CLOCK) {
		keep_clock(f, c, stored);
	}
	xtr_chunk_ring_drop(&f->ring);
	publish_chunk(f, c);
	xtr_chunk_ring_give_back(&f->ring);
	free_old(f);
}

/* Events that are too old by time; marks and clocks in front of what is kept are not needed, nor
 * gaps that ended before (outlive_gaps). */
static bool is_too_old(const struct xtr_flight *f, const struct xtr_chunk *c)
{
	uint64_t span = f->opts.ns + f->opts.after + SLACK_NS;

	if (!f->opts.ns || (c->type != XTR_CHUNK_EVENTS && c->type != XTR_CHUNK_LOSS))
		return false;
	return c->ts_max < f->newest && f->newest - c->ts_max > span;
}

/* The newest clock that goes is held; without events before them marks say nothing. */
static bool skips_front(const struct xtr_flight *f)
{
	const struct xtr_chunk *c = xtr_chunk_ring_oldest(&f->ring);

	if (!c || f->ring.n == 1 || c->type == XTR_CHUNK_EVENTS)
		return false;
	return c->type != XTR_CHUNK_LOSS || c->ts_max < f->from;
}

static void trim(struct xtr_flight *f)
{
	const struct xtr_chunk *c;

	while ((c = xtr_chunk_ring_oldest(&f->ring)) &&
	       (f->ring.used > room(f) || is_too_old(f, c) || skips_front(f)))
		give_up_oldest(f);
}

/* What alone is larger than all there may be is given up at once. */
static void keep(struct xtr_flight *f, const struct xtr_chunk *c, const uint8_t *stored)
{
	size_t cost = xtr_chunk_ring_cost(c->stored_len);
	bool put = false;

	while (f->ring.n && f->ring.used + cost > room(f))
		give_up_oldest(f);
	while (cost <= room(f) && !(put = xtr_chunk_ring_put(&f->ring, c, stored)) && f->ring.n)
		give_up_oldest(f);
	if (!put && c->type == XTR_CHUNK_EVENTS)
		age_events(f, c);
	publish_chunk(f, c);
	if (!put)
		return;
	if (c->type == XTR_CHUNK_EVENTS) {
		f->n_events += c->n_records;
		if (c->ts_max > f->newest)
			f->newest = c->ts_max;
	}
	trim(f);
}

/* A gap is needed as long as events from before its end are kept: the chunk is one of that time. */
static void outlive_gaps(struct xtr_flight *f, const struct xtr_chunk *c, const uint8_t *stored)
{
	struct xtr_lone_chunk lone;
	struct xtr_chunk timed = *c;
	const struct xtr_gap *gap;

	if (!xtr_lone_chunk_open(&lone, c, stored)) {
		const struct xtr_loss *loss = xtr_section_loss(lone.section);

		for (size_t i = 0; (gap = xtr_loss_gap_at(loss, i)); i++)
			timed.ts_max = gap->last > timed.ts_max ? gap->last : timed.ts_max;
	}
	xtr_lone_chunk_close(&lone);
	if (timed.ts_max)
		keep(f, &timed, stored);
}

/* Names are held by the tables, and gaps by the losses: their chunks are for who comes afterwards.
 */
static void outlive(struct xtr_flight *f, const struct xtr_chunk *c, const void *chunk)
{
	if (f->kept.fd >= 0 && (c->type == XTR_CHUNK_META || c->type == XTR_CHUNK_TABLE))
		xtr_kept_log(&f->kept, chunk, (size_t)xtr_chunk_span(c), c->type == XTR_CHUNK_META);
	if (f->kept.fd >= 0 && c->type == XTR_CHUNK_LOSS)
		outlive_gaps(f, c, (const uint8_t *)chunk + XTR_CHUNK_HEADER_SIZE);
}

/* One call is one chunk (xtr_writer_seal), or the file's header. */
static int append(struct xtr_io *io, const void *buf, size_t n)
{
	struct xtr_flight *f = (struct xtr_flight *)((char *)io - offsetof(struct xtr_flight, io));
	struct xtr_chunk c;

	if (n < XTR_CHUNK_HEADER_SIZE || !xtr_chunk_parse(buf, &c) ||
	    c.stored_len > n - XTR_CHUNK_HEADER_SIZE)
		return 0;
	c.offset = f->own;
	if (c.type == XTR_CHUNK_ROUND && f->rounded == f->n_events)
		return 0;
	if (c.type == XTR_CHUNK_EVENTS || c.type == XTR_CHUNK_CLOCK || c.type == XTR_CHUNK_ROUND)
		keep(f, &c, (const uint8_t *)buf + XTR_CHUNK_HEADER_SIZE);
	else
		outlive(f, &c, buf);
	if (c.type == XTR_CHUNK_ROUND)
		f->rounded = f->n_events;
	return 0;
}

static int size_of(struct xtr_io *io, uint64_t *size)
{
	(void)io;
	*size = 0;
	return 0;
}

/* It is a part of the flight recorder. */
static int close_io(struct xtr_io *io)
{
	(void)io;
	return 0;
}

static const struct xtr_io_ops ops = { .append = append, .size = size_of, .close = close_io };

int xtr_flight_open(struct xtr_flight **out, const struct xtr_flight_opts *opts, uint32_t n_cpus)
{
	struct xtr_flight *f = calloc(1, sizeof(*f));
	int err = 0;

	if (!f)
		return -ENOMEM;
	f->opts = *opts;
	f->io.ops = &ops;
	f->n_cpus = n_cpus;
	f->told_fd = f->kept.fd = -1;
	pthread_mutex_init(&f->lock, NULL);
	f->aged = calloc(n_cpus, sizeof(*f->aged));
	f->lost_of = calloc(n_cpus, sizeof(*f->lost_of));
	f->clock_data = malloc(CLOCK_BYTES);
	if (!f->aged || !f->lost_of || !f->clock_data || opts->bytes > SIZE_MAX)
		err = -ENOMEM;
	if (!err)
		err = xtr_chunk_ring_open(&f->ring, (size_t)opts->bytes);
	if (!err) {
		f->told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		err = f->told_fd < 0 ? -errno : 0;
	}
	if (err)
		xtr_flight_close(f);
	else
		*out = f;
	return err;
}

void xtr_flight_close(struct xtr_flight *f)
{
	if (!f)
		return;
	xtr_triggers_close(&f->triggers);
	for (size_t i = 0; i < f->n_old; i++)
		xtr_tables_free(f->old[i].t);
	xtr_chunk_ring_close(&f->ring);
	xtr_kept_close(&f->kept);
	if (f->told_fd >= 0)
		close(f->told_fd);
	pthread_mutex_destroy(&f->lock);
	free(f->clock_data);
	free(f->aged);
	free(f->lost_of);
	free(f);
}

void xtr_flight_ask(struct xtr_flight *f)
{
	atomic_store(&f->asked, xtr_now());
}

void xtr_flight_ask_for(struct xtr_flight *f, const char *why)
{
	atomic_store(&f->asked_why, why);
	atomic_store(&f->asked_for, xtr_now());
}

static void wake(struct xtr_flight *f)
{
	uint64_t one = 1;

	if (write(f->told_fd, &one, sizeof(one)) != sizeof(one))
		return; /* the counter is at its limit: it is readable anyway */
}

/* If nobody asks, the oldest are forgotten. */
void xtr_flight_tell(struct xtr_flight *f, const struct xtr_flown_file *file)
{
	pthread_mutex_lock(&f->lock);
	if (f->n_told == XTR_FLIGHT_TOLD)
		memmove(f->told, f->told + 1, --f->n_told * sizeof(*f->told));
	f->told[f->n_told++] = *file;
	pthread_mutex_unlock(&f->lock);
	wake(f);
}

bool xtr_flight_told(struct xtr_flight *f, struct xtr_flown_file *file)
{
	uint64_t n;
	bool any;

	pthread_mutex_lock(&f->lock);
	any = f->n_told > 0;
	if (any) {
		*file = f->told[0];
		memmove(f->told, f->told + 1, --f->n_told * sizeof(*f->told));
	} else if (read(f->told_fd, &n, sizeof(n)) < 0) {
		any = false; /* it was empty */
	}
	pthread_mutex_unlock(&f->lock);
	return any;
}

/* Those of one trigger are told of together: there may be thousands a second. */
static void note_fired(struct xtr_flight *f, const struct xtr_fired *fired)
{
	size_t i = (size_t)(fired->trigger - f->triggers.t);

	pthread_mutex_lock(&f->lock);
	if (!f->times[i]++)
		f->fired[i] = *fired;
	pthread_mutex_unlock(&f->lock);
	wake(f);
}

bool xtr_flight_fired(struct xtr_flight *f, struct xtr_fired_trigger *out)
{
	bool any = false;

	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < XTR_TRIGGERS_MAX && !any; i++) {
		const struct xtr_fired *x = &f->fired[i];

		any = f->times[i];
		if (!any)
			continue;
		*out = (struct xtr_fired_trigger){ .kind = x->trigger->kind,
						   .times = f->times[i],
						   .at = x->at,
						   .ctx = x->ctx,
						   .seqno = x->seqno,
						   .value = x->value,
						   .tid = x->tid };
		snprintf(out->what, sizeof(out->what), "%s", x->trigger->text);
		snprintf(out->event, sizeof(out->event), "%s", x->event);
		f->times[i] = 0;
	}
	pthread_mutex_unlock(&f->lock);
	return any;
}

void xtr_flight_fire(void *flight, const struct xtr_fired *fired)
{
	struct xtr_flight *f = flight;

	if (f->opts.tell && fired->trigger)
		note_fired(f, fired);
	if (f->pending || f->end || (f->last && fired->at < xtr_sat_add(f->last, f->opts.pause))) {
		f->suppressed++;
		return;
	}
	f->pending = true;
	f->why = *fired;
	f->due = xtr_sat_add(fired->at, f->opts.after);
}

bool xtr_flight_lost(struct xtr_flight *f, uint32_t cpu, uint64_t lost)
{
	bool more = cpu < f->n_cpus && lost > f->lost_of[cpu];

	if (more)
		f->lost_of[cpu] = lost;
	return more;
}

/* A signal is followed in any case, and at once; if a trigger waits, that one's file is written. */
static void take_signal(struct xtr_flight *f)
{
	uint64_t at = atomic_exchange(&f->asked, 0);

	if (!at || f->end)
		return;
	if (f->pending) {
		f->suppressed++;
		f->due = at < f->due ? at : f->due;
		return;
	}
	f->pending = true;
	f->why = (struct xtr_fired){ .event = "", .at = at };
	f->due = at;
}

/* Followed in any case. A file that waits is to have what happened up to now, too. */
static void take_hang(struct xtr_flight *f)
{
	uint64_t at = atomic_exchange(&f->asked_for, 0);

	if (!at || f->end)
		return;
	if (f->pending) {
		f->due = at > f->due ? at : f->due;
		return;
	}
	f->pending = true;
	f->why = (struct xtr_fired){ .text = atomic_load(&f->asked_why), .event = "", .at = at };
	f->due = xtr_sat_add(at, f->opts.after);
}

bool xtr_flight_round(struct xtr_flight *f, uint64_t watermark, uint64_t now)
{
	xtr_triggers_round(&f->triggers, watermark);
	if (watermark > f->newest)
		f->newest = watermark;
	trim(f);
	return xtr_flight_overdue(f, now) || (f->pending && watermark > f->due);
}

bool xtr_flight_overdue(struct xtr_flight *f, uint64_t now)
{
	take_signal(f);
	take_hang(f);
	return f->pending && now > f->due && now - f->due > LATE_NS;
}

int xtr_flight_tables(struct xtr_flight *f, struct xtr_next_tables *nt, struct xtr_defs *d,
		      uint64_t watermark, uint64_t now, size_t gaps)
{
	size_t bytes = xtr_tables_bytes(d->tables), old = 0, worth = (size_t)f->opts.bytes / 8;
	struct xtr_tables *rest;

	for (size_t i = 0; i < f->n_old; i++)
		old += f->old[i].bytes;
	f->more = old + gaps;
	trim(f);
	if (bytes <= f->base || bytes - f->base < (worth > TABLES_MIN ? worth : TABLES_MIN))
		return 0;
	rest = xtr_next_tables(nt, d, watermark, now);
	if (!rest)
		return -ENOMEM;
	while (f->n_old == XTR_FLIGHT_OLD)
		give_up_oldest(f);
	xtr_tables_swap(d->tables, rest);
	f->base = xtr_tables_bytes(d->tables);
	f->old[f->n_old++] = (struct xtr_flight_tables){ rest, f->ring.first + f->ring.n, bytes,
							 xtr_flight_log_end(f) };
	f->more += bytes;
	free_old(f);
	trim(f);
	return 0;
}

struct xtr_tables *xtr_flight_all_tables(const struct xtr_flight *f, const struct xtr_tables *now)
{
	struct xtr_tables *t = xtr_tables_copy(f->n_old ? f->old[0].t : now);
	int err = t ? 0 : -ENOMEM;

	for (size_t i = 1; i < f->n_old && !err; i++)
		err = xtr_tables_join(t, f->old[i].t);
	if (!err && f->n_old)
		err = xtr_tables_join(t, now);
	if (!err)
		return t;
	xtr_tables_free(t);
	return NULL;
}

void xtr_flight_empty(struct xtr_flight *f, size_t table_bytes, uint64_t piece, uint64_t log_from)
{
	struct xtr_kept_state next = { .piece = piece, .of.piece = piece, .log_from = log_from };

	while (f->ring.n)
		xtr_chunk_ring_drop(&f->ring);
	if (f->kept.fd >= 0) {
		next.log_to = xtr_kept_state(&f->kept)->log_to;
		next.ring = xtr_chunk_ring_place(&f->ring);
		xtr_kept_publish(&f->kept, &next);
		xtr_kept_log_cut(&f->kept, log_from);
	}
	xtr_chunk_ring_give_back(&f->ring);
	free_old(f);
	memset(f->aged, 0, f->n_cpus * sizeof(*f->aged));
	f->from = f->n_events = f->rounded = f->suppressed = 0;
	f->clock.type = 0;
	f->base = table_bytes;
}
