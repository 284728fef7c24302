/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The depth of rings (how many jobs are queued, how many on the hardware) against a count that
 * looks through a list of all open jobs after each event.
 */
#include "bpf_types.h"
#include "gpu_sim.h"
#include "trace.h"
#include "format/xtr_format.h"
#include "replay/model/model.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define US    1000ull
#define KEYS  64u
#define RINGS 6u /* ids 0 (not known) to 5 */
#define CTX   (KEYS / 16)

enum place {
	ABSENT,
	HELD,  /* ended, but its fence is still looked for */
	KNOWN, /* an event was seen, but neither queue nor run */
	QUEUED,
	ON_HW
};

/* What the list knows of each fence's job. */
struct entry {
	enum place place;
	uint32_t ring;
	uint64_t since; /* number of its first event, for who is oldest */
	uint64_t ended;
	bool ran;
};

struct count {
	uint32_t queued, on_hw;
};

static struct entry entry[KEYS];
static struct count told[RINGS]; /* what the callback said last */
static struct xtr_model *model;
static uint64_t now, events, last_end;
static uint32_t max_open;

static int on_depth(void *ctx, const struct xtr_model_ring *ring, uint64_t ts)
{
	cr_assert_eq(ctx, &told);
	cr_assert_lt(ring->id, RINGS);
	cr_assert_eq(ts, now, "not at the event's time");
	cr_assert(told[ring->id].queued != ring->queued || told[ring->id].on_hw != ring->on_hw,
		  "told though nothing changed");
	told[ring->id] = (struct count){ ring->queued, ring->on_hw };
	return 0;
}

static void setup(void)
{
	struct xtr_model_opts o = {
		.sz = sizeof(o), .depth = on_depth, .ctx = &told, .max_open = max_open
	};

	memset(entry, 0, sizeof(entry));
	memset(told, 0, sizeof(told));
	now = events = last_end = 0;
	cr_assert(!xtr_model_new(&model, &o));
}

static void compare(void)
{
	struct count true_count[RINGS] = { 0 };

	for (uint32_t i = 0; i < KEYS; i++) {
		true_count[entry[i].ring].queued += entry[i].place == QUEUED;
		true_count[entry[i].ring].on_hw += entry[i].place == ON_HW;
	}
	for (uint32_t i = 0; i < RINGS; i++)
		cr_assert(told[i].queued == true_count[i].queued &&
				  told[i].on_hw == true_count[i].on_hw,
			  "event %llu ring %u: %u queued %u on hw, true %u %u",
			  (unsigned long long)events, i, told[i].queued, told[i].on_hw,
			  true_count[i].queued, true_count[i].on_hw);
}

/* Who ended longer ago than its signal would take is forgotten. */
static void forget(void)
{
	for (uint32_t i = 0; i < KEYS; i++)
		if (entry[i].place == HELD &&
		    (!entry[i].ended || now - entry[i].ended > XTR_HOLD_NS))
			entry[i].place = ABSENT;
}

static void end(uint32_t key, uint64_t ended)
{
	entry[key].place = HELD;
	entry[key].ended = last_end = ended;
}

/* A new job in the list: the oldest goes if there are too many. */
static void make(uint32_t key, enum place place, uint32_t ring)
{
	uint32_t open = 0, oldest = KEYS;

	entry[key].place = ABSENT;
	for (uint32_t i = 0; i < KEYS; i++) {
		if (entry[i].place <= HELD)
			continue;
		open++;
		if (oldest == KEYS || entry[i].since < entry[oldest].since)
			oldest = i;
	}
	if (max_open && open >= max_open)
		end(oldest, last_end); /* is let go with those that ended before */
	entry[key] = (struct entry){ place, ring, events, 0, place == ON_HW };
}

static void expect(uint32_t type, uint32_t key, uint32_t ring)
{
	struct entry *e = &entry[key];

	switch (type) {
	case XTR_EV_JOB_QUEUE:
		make(key, QUEUED, ring);
		break;
	case XTR_EV_JOB_RUN:
		if (e->place <= HELD || e->ran) {
			make(key, ON_HW, ring);
			break;
		}
		e->place = ON_HW;
		e->ran = true;
		if (ring)
			e->ring = ring;
		break;
	case XTR_EV_JOB_DONE:
		if (e->place == HELD)
			break;
		if (e->place == ABSENT)
			make(key, KNOWN, ring);
		end(key, now);
		break;
	case XTR_EV_FENCE_SIGNALED:
		if (e->place > HELD)
			end(key, now);
		break;
	default: /* it waits */
		if (e->place == ABSENT)
			make(key, KNOWN, ring);
	}
}

/* Bytes without which a record says nothing: done may end before the hardware's fence. */
static uint32_t needed(uint32_t type)
{
	return type == XTR_EV_JOB_DONE ? 40 : xtr_builtin_event(type)->size;
}

static void give(uint32_t type, uint32_t key, uint32_t ring, uint64_t ts, uint32_t cut)
{
	union {
		struct xtr_rec_job_queue queue;
		struct xtr_rec_job_run run;
		struct xtr_rec_job_done done;
		struct xtr_rec_job_dep dep;
		struct xtr_rec_fence fence;
	} rec = { 0 };
	struct xtr_event ev = {
		.ts = ts, .type = type, .size = needed(type) - cut, .rec = (const uint8_t *)&rec
	};

	rec.queue.ctx = 1 + key % CTX;
	rec.queue.seqno = key / CTX;
	if (type == XTR_EV_JOB_QUEUE)
		rec.queue.ring = ring;
	else if (type == XTR_EV_JOB_RUN)
		rec.run.ring = ring;
	else if (type == XTR_EV_JOB_DONE)
		rec.done.ring = ring;
	else if (type != XTR_EV_FENCE_SIGNALED)
		rec.dep.ring = ring;
	now = ts > now ? ts : now;
	events++;
	forget();
	if (!cut)
		expect(type, key, ring);
	cr_assert(!xtr_model_event(model, &ev));
}

/* Any events of few fences on few rings: keys are used again, most jobs lack some of their events.
 */
static void random_events(uint64_t seed, uint32_t n, uint64_t step)
{
	static const uint32_t types[] = { XTR_EV_JOB_QUEUE,      XTR_EV_JOB_RUN,
					  XTR_EV_JOB_DONE,       XTR_EV_JOB_WAIT_DEP,
					  XTR_EV_FENCE_SIGNALED, XTR_EV_JOB_UNSCHEDULABLE };
	struct xtr_gap gap = { .first = 1 };
	struct xtr_event lost = { .gap = &gap };
	uint64_t ts = 1;

	setup();
	while (n--) {
		ts += trace_random(&seed, step);
		if (!trace_random(&seed, 50)) {
			gap.first = lost.ts = ts;
			now = ts > now ? ts : now;
			cr_assert(!xtr_model_event(model, &lost));
		}
		/* Now and then one that comes late, and one that is cut short. */
		give(types[trace_random(&seed, trace_random(&seed, 3) ? 3 : 6)],
		     (uint32_t)trace_random(&seed, KEYS), (uint32_t)trace_random(&seed, RINGS),
		     trace_random(&seed, 100) || ts < 500 ? ts : ts - 400,
		     trace_random(&seed, 200) ? 0 : 24);
		compare();
	}
	cr_assert(!xtr_model_finish(model));
	compare(); /* what is open at the end stays as it was */
	xtr_model_free(model);
}

Test(model_depth, random_events_dense)
{
	max_open = 0;
	random_events(1, 100000, 100);
}

/* So far apart that finished jobs are let go between events. */
Test(model_depth, random_events_sparse)
{
	max_open = 0;
	random_events(2, 100000, 3000 * US);
}

/* Jobs are given up: they are in no depth any more. */
Test(model_depth, random_events_with_few_open)
{
	for (max_open = 1; max_open < 20; max_open += 6)
		random_events(max_open, 30000, 2000);
}

struct step {
	uint64_t ts;
	uint32_t ring, queued, on_hw;
};

static struct step steps[64];
static size_t n_steps;
static int stop_at;

static int on_step(void *ctx, const struct xtr_model_ring *ring, uint64_t ts)
{
	(void)ctx;
	steps[n_steps++] = (struct step){ ts, ring->id, ring->queued, ring->on_hw };
	return n_steps == (size_t)stop_at ? -EPIPE : 0;
}

static int play_steps(struct sim *s)
{
	struct xtr_model_opts o = { .sz = sizeof(o), .tables = s->tables, .depth = on_step };
	int ret = 0;

	sim_sort(s);
	n_steps = 0;
	cr_assert(!xtr_model_new(&model, &o));
	for (size_t i = 0; i < s->n && !ret; i++)
		ret = xtr_model_event(model, &s->event[i].ev);
	if (!ret)
		ret = xtr_model_finish(model);
	xtr_model_free(model);
	return ret;
}

/* A job that runs on another ring than the one it was queued on leaves the one before it is on the
 * other. */
Test(model_depth, a_job_moves_to_another_ring)
{
	static const struct step want[] = {
		{ 10, 1, 1, 0 }, { 12, 1, 2, 0 }, { 20, 1, 1, 0 },
		{ 20, 2, 0, 1 }, { 25, 1, 0, 1 }, { 30, 2, 0, 0 },
	};
	struct sim *s = sim_new();

	stop_at = 0;
	sim_ring(s, 1, "gpu.0", "comp_1.0.0", 4);
	sim_ring(s, 2, "gpu.0", "comp_1.1.0", 4);
	sim_queue(s, 10, 11, 1, 1);
	sim_queue(s, 12, 11, 2, 1);
	sim_run(s, 20, 11, 1, 2);
	sim_run(s, 25, 11, 2, 1);
	sim_done(s, 30, 11, 1, 2); /* 11:2 stays to the end of the trace: not told */
	cr_assert(!play_steps(s));
	cr_assert_eq(n_steps, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < n_steps; i++)
		cr_expect(!memcmp(&steps[i], &want[i], sizeof(want[0])), "%zu: %llu ring %u: %u %u",
			  i, (unsigned long long)steps[i].ts, steps[i].ring, steps[i].queued,
			  steps[i].on_hw);
	sim_free(s);
}

Test(model_depth, what_the_callback_says_stops)
{
	struct sim *s = sim_new();

	sim_ring(s, 1, "gpu.0", "gfx", 4);
	sim_job(s, 11, 1, 1, 10, 20, 30);
	for (stop_at = 1; stop_at <= 3; stop_at++) {
		cr_expect_eq(play_steps(s), -EPIPE);
		cr_expect_eq(n_steps, (size_t)stop_at);
	}
	sim_free(s);
}
