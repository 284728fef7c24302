/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a flight recorder keeps of what a writer writes: the newest, in bounded memory, with all
 * that was given up counted, and the names that it needs.
 */
#include "recorder/flight/flight.h"
#include "recorder/host/util.h"

#include "format/write/writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS  3
#define TYPE  1024
#define RECS  512 /* records of a batch, at most */
#define BYTES (1u << 20)

struct rec {
	uint64_t ts;
	uint16_t type, size;
	uint32_t tid;
	uint64_t value[2];
};

static struct xtr_flight *f;
static struct xtr_writer *w;
static struct xtr_meta *meta;
static struct xtr_tables *tables;
static struct xtr_loss *loss;
static uint64_t given[CPUS]; /* events written */

static void open_with(uint64_t bytes, uint64_t ns, uint64_t after, uint64_t pause)
{
	const struct xtr_flight_opts o = {
		.on = true, .bytes = bytes, .ns = ns, .after = after, .pause = pause
	};

	meta = xtr_meta_new();
	tables = xtr_tables_new();
	loss = xtr_loss_new();
	memset(given, 0, sizeof(given));
	cr_assert_eq(xtr_flight_open(&f, &o, CPUS), 0);
	cr_assert_eq(xtr_writer_open(&w, &f->io, meta, tables, loss, NULL), 0);
}

static void close_all(void)
{
	xtr_writer_free(w);
	xtr_flight_close(f);
	xtr_loss_free(loss);
	xtr_tables_free(tables);
	xtr_meta_free(meta);
}

static void put(uint32_t cpu, uint64_t ts, uint32_t n)
{
	static struct rec recs[RECS];
	const struct xtr_batch b = {
		.stream = cpu, .recs = (const uint8_t *)recs, .len = n * sizeof(*recs), .n = n
	};

	for (uint32_t i = 0; i < n; i++)
		recs[i] = (struct rec){ ts + i,
					TYPE,
					sizeof(*recs),
					7,
					{ (uint64_t)rand() << 32 | (uint64_t)rand(),
					  (uint64_t)rand() } };
	cr_assert_eq(xtr_writer_events(w, &b), 0);
	given[cpu] += n;
}

/* Events in memory, by CPU; nothing older than f->from is missed. */
static void count(uint64_t kept[CPUS], uint64_t *oldest)
{
	struct xtr_chunk_walk walk = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *stored;

	memset(kept, 0, CPUS * sizeof(*kept));
	*oldest = UINT64_MAX;
	while ((c = xtr_chunk_ring_next(&f->ring, &walk, &stored))) {
		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		kept[c->stream] += c->n_records;
		if (c->ts_min < *oldest)
			*oldest = c->ts_min;
	}
}

static void all_is_kept_or_counted(void)
{
	uint64_t kept[CPUS], oldest;

	count(kept, &oldest);
	for (int i = 0; i < CPUS; i++)
		cr_assert_eq(kept[i] + f->aged[i], given[i], "CPU %d", i);
	cr_assert_eq(kept[0] + kept[1] + kept[2], f->n_events);
	cr_assert_leq(f->ring.used + f->more, BYTES);
}

Test(flight, the_newest_stay_and_the_others_are_counted)
{
	uint64_t ts = 1000;

	srand(3);
	open_with(BYTES, 0, 0, 0);
	for (int i = 0; i < 800; i++) {
		put((uint32_t)rand() % CPUS, ts, 1 + (uint32_t)rand() % RECS);
		ts += RECS;
		if (i % 7 == 0)
			cr_assert_eq(xtr_writer_round(w, ts), 0);
		if (i % 50 == 0)
			all_is_kept_or_counted();
	}
	all_is_kept_or_counted();
	cr_assert_gt(f->aged[0] + f->aged[1] + f->aged[2], 50000);
	cr_assert_gt(f->n_events, 10000, "memory is used");
	cr_assert_gt(f->from, 1000);
	close_all();
}

Test(flight, by_time)
{
	uint64_t kept[CPUS], oldest;

	open_with(BYTES, 10 * NS_PER_S, NS_PER_S, 0);
	for (uint64_t t = 1; t <= 100; t++)
		put((uint32_t)t % CPUS, t * NS_PER_S, 10);
	count(kept, &oldest);
	cr_assert_leq(oldest, 90 * NS_PER_S, "the time before a trigger, and what waits for it");
	cr_assert_geq(oldest, 86 * NS_PER_S);
	all_is_kept_or_counted();
	cr_assert_not(xtr_flight_round(f, 500 * NS_PER_S, 500 * NS_PER_S));
	cr_assert_eq(f->n_events, 0, "it becomes old without newer ones, too");
	all_is_kept_or_counted();
	close_all();
}

/* A recording begins with a clock, which does not hold back what is behind it, and stays known. */
Test(flight, by_time_behind_a_clock)
{
	const struct xtr_clock_reading now = { "realtime", 7 };
	uint64_t kept[CPUS], oldest;

	open_with(BYTES, 10 * NS_PER_S, NS_PER_S, 0);
	cr_assert_eq(xtr_writer_clock(w, 1, 2, &now, 1), 0);
	for (uint64_t t = 1; t <= 100; t++)
		put((uint32_t)t % CPUS, t * NS_PER_S, 10);
	count(kept, &oldest);
	cr_assert_geq(oldest, 86 * NS_PER_S);
	cr_assert_eq(f->clock.type, XTR_CHUNK_CLOCK);
	all_is_kept_or_counted();
	close_all();
}

/* The recorder's own events did not happen. */
Test(flight, own_events_do_not_count)
{
	open_with(BYTES, NS_PER_S, 0, 0);
	f->own = true;
	put(0, 10, 100);
	f->own = false;
	put(1, 20, 50);
	put(1, 1000 * NS_PER_S, 1);
	cr_assert_eq(f->aged[0], 0);
	cr_assert_eq(f->aged[1], 50);
	cr_assert_eq(f->from, 20 + 49 + 1);
	close_all();
}

/* Names come and go; each chunk finds its own as long as it is there. */
Test(flight, names_are_held_with_the_chunks_that_have_them)
{
	const struct xtr_flight_opts o = { .on = true, .bytes = BYTES };
	struct xtr_next_tables nt = { 0 };
	struct xtr_defs defs = { 0 };
	size_t most = 0, old = 0;
	char name[128];
	uint32_t id = 0, first_of_batch[2000];

	open_with(o.bytes, 0, 0, 0);
	defs.tables = tables;
	for (uint32_t i = 0; i < 2000; i++) {
		for (int k = 0; k < 10; k++) {
			snprintf(name, sizeof(name), "%0100u %d", i, k);
			cr_assert_eq(xtr_tables_intern(tables, name, strlen(name), &id), 0);
			if (!k)
				first_of_batch[i] = id;
		}
		put(0, (uint64_t)i * RECS, 100);
		cr_assert_eq(xtr_flight_tables(f, &nt, &defs, (uint64_t)i * RECS, i, 0), 0);
		most = xtr_tables_bytes(tables) > most ? xtr_tables_bytes(tables) : most;
		old = f->n_old > old ? f->n_old : old;
		cr_assert_leq(f->ring.used + f->more, BYTES);
		if (i % 100 == 99) {
			struct xtr_tables *all = xtr_flight_all_tables(f, tables);
			uint64_t kept[CPUS], oldest;

			count(kept, &oldest);
			cr_assert_lt(oldest / RECS, 2000);
			for (uint64_t b = oldest / RECS; b <= i; b++)
				cr_assert(xtr_tables_string(all, first_of_batch[b], NULL),
					  "batch %zu of %u", (size_t)b, i);
			xtr_tables_free(all);
		}
	}
	all_is_kept_or_counted();
	cr_assert_gt(f->aged[0], 10000);
	cr_assert_gt(old, 1);
	cr_assert_lt(most, BYTES, "the names in use are bounded, too");
	xtr_flight_empty(f, xtr_tables_bytes(tables), 2, 0);
	cr_assert_eq(f->n_old, 0);
	cr_assert_eq(f->more, 0);
	xtr_next_tables_free(&nt);
	close_all();
}

Test(flight, triggers_wait_and_are_counted)
{
	const struct xtr_trigger t = { XTR_TRIGGER_DROP, "drop", 0, false };
	struct xtr_fired fired = { .trigger = &t, .event = "", .at = 1000 };

	open_with(BYTES, 0, 500, 10000);
	xtr_flight_fire(f, &fired);
	fired.at = 1001;
	xtr_flight_fire(f, &fired);
	cr_assert(f->pending);
	cr_assert_eq(f->suppressed, 1);
	cr_assert_not(xtr_flight_round(f, 1500, 1600), "what followed may still come");
	cr_assert(xtr_flight_round(f, 1501, 1600));
	cr_assert_eq(f->why.at, 1000, "the first one holds");
	f->pending = false;
	f->last = 2000;
	fired.at = 11999;
	xtr_flight_fire(f, &fired);
	cr_assert_not(f->pending, "too soon after the last file");
	fired.at = 12000;
	xtr_flight_fire(f, &fired);
	cr_assert(f->pending);
	cr_assert_eq(f->suppressed, 2);
	cr_assert_not(xtr_flight_overdue(f, 12500 + 2 * NS_PER_S));
	cr_assert(xtr_flight_overdue(f, 12501 + 2 * NS_PER_S), "round marks that do not come");
	close_all();
}

Test(flight, a_signal_does_not_wait)
{
	uint64_t before = xtr_now();

	open_with(BYTES, 0, 500 * NS_PER_S, UINT64_MAX);
	f->last = 1;
	xtr_flight_ask(f);
	cr_assert_not(xtr_flight_round(f, before, before));
	cr_assert(f->pending);
	cr_assert_null(f->why.trigger);
	cr_assert_geq(f->due, before);
	cr_assert(xtr_flight_round(f, xtr_now() + 1, before));
	close_all();
}

Test(flight, what_somebody_else_has_seen_is_followed)
{
	const uint64_t before = xtr_now();

	open_with(BYTES, 0, 500 * NS_PER_S, UINT64_MAX);
	f->last = 1; /* a trigger would be too soon */
	xtr_flight_ask_for(f, "devcoredump");
	cr_assert_not(xtr_flight_round(f, before, before), "what follows may still come");
	cr_assert(f->pending);
	cr_assert_null(f->why.trigger);
	cr_assert_str_eq(f->why.text, "devcoredump");
	cr_assert_geq(f->due, before + 500 * NS_PER_S);
	/* A file that waits has what happened up to the second one, too. */
	f->due = before;
	xtr_flight_ask_for(f, "wedged");
	cr_assert_not(xtr_flight_overdue(f, before));
	cr_assert_str_eq(f->why.text, "devcoredump");
	cr_assert_geq(f->due, before);
	cr_assert_lt(f->due, before + 500 * NS_PER_S);
	cr_assert_eq(f->suppressed, 0);
	close_all();
}

Test(flight, triggers_are_told_of_as_they_fire)
{
	static const struct xtr_trigger t[] = { { XTR_TRIGGER_RESET, "reset", 0, false },
						{ XTR_TRIGGER_ERROR, "error", 0, false } };
	struct xtr_fired fired = { .trigger = &t[1], .event = "e", .at = 1000, .value = 62 };
	struct xtr_fired_trigger told;

	open_with(BYTES, 0, 0, UINT64_MAX);
	f->triggers.t = t;
	xtr_flight_fire(f, &fired);
	cr_assert_not(xtr_flight_fired(f, &told), "nobody wants to know");
	f->opts.tell = true;
	xtr_flight_fire(f, &fired);
	fired.at = 2000;
	xtr_flight_fire(f, &fired);
	fired.trigger = &t[0];
	xtr_flight_fire(f, &fired);
	cr_assert_eq(f->suppressed, 3, "with a file or without");
	cr_assert(xtr_flight_fired(f, &told));
	cr_assert_str_eq(told.what, "reset");
	cr_assert_eq(told.times, 1);
	cr_assert(xtr_flight_fired(f, &told));
	cr_assert_eq(told.kind, XTR_TRIGGER_ERROR);
	cr_assert_str_eq(told.event, "e");
	cr_assert_eq(told.times, 2);
	cr_assert_eq(told.at, 1000, "the first one");
	cr_assert_eq(told.value, 62);
	cr_assert_not(xtr_flight_fired(f, &told));
	close_all();
}

Test(flight, files_are_told_of_in_their_order)
{
	struct xtr_flown_file file = { 0 };

	open_with(BYTES, 0, 0, 0);
	cr_assert_not(xtr_flight_told(f, &file));
	for (uint64_t i = 0; i < XTR_FLIGHT_TOLD + 5; i++) {
		file.events = i;
		xtr_flight_tell(f, &file);
	}
	for (uint64_t i = 5; i < XTR_FLIGHT_TOLD + 5; i++) {
		cr_assert(xtr_flight_told(f, &file));
		cr_assert_eq(file.events, i);
	}
	cr_assert_not(xtr_flight_told(f, &file));
	close_all();
}

Test(flight, losses_of_a_cpu)
{
	open_with(BYTES, 0, 0, 0);
	cr_assert_not(xtr_flight_lost(f, 1, 0));
	cr_assert(xtr_flight_lost(f, 1, 5));
	cr_assert_not(xtr_flight_lost(f, 1, 5));
	cr_assert(xtr_flight_lost(f, 2, 5));
	cr_assert_not(xtr_flight_lost(f, CPUS, 5));
	close_all();
}
