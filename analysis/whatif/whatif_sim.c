/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One replay, event by event, in order of time.
 *
 * A job is ready when it has come to its queue, the job before it there has been run, and the
 * fences that kept it were signalled. Its ring has room while fewer jobs are on the hardware than
 * that takes. The scheduler of a ring runs one ready job after the other, in the order in which it
 * ran them when they were recorded, and takes as long for each as it did: from when the job was
 * ready, the ring had room, and the one before it was run. So time behind others and without room
 * is not kept but replayed.
 *
 * There may have been a job that was first of those that were ready for longer than the scheduler
 * took for it, until another one came that was run before it: it was passed over. That time is kept
 * as well, so that without a change each job is run when it was.
 *
 * On a ring that executes in order a job begins when it is run and the job that was run before it
 * has ended, and takes as long as it did. On any other ring it takes, from run to end, as long as
 * it did.
 *
 * The same code goes through what was recorded: then a job runs and ends when it did, and how long
 * it was ready and how long it executed are learnt. A wait that the record contradicts, as the job
 * was run during it, is left out from then on.
 */
#include "whatif_impl.h"
#include "base/checked.h"

#include <errno.h>

/* Of events at one time, jobs come after those before them ended, and run last. */
enum order {
	ENDS,
	SIGNALS,
	COMES,
	RUNS
};

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int plan(struct xtr_whatif *w, uint64_t ns, enum order order, uint32_t what, uint32_t nth)
{
	const struct whatif_event e = {
		.ns = max64(ns, w->now), .order = order, .what = what, .plan = nth
	};

	return whatif_heap_put(&w->events, &e);
}

/* --- room ------------------------------------------------------------------------------------- */

int whatif_plan_coming(struct xtr_whatif *w, uint32_t i, uint64_t ns)
{
	return plan(w, xtr_sat_add(w->now, ns), COMES, i, 0);
}

static bool has_room(const struct whatif_ring *r)
{
	return r->on_hw < r->limit;
}

static uint64_t delay_of(const struct xtr_whatif *w, const struct whatif_job *j)
{
	return w->kind == XTR_WHATIF_TYPICAL ? w->ring[j->ring].pub.delay_ns : j->delay_ns;
}

static uint64_t passed_over(const struct xtr_whatif *w, const struct whatif_job *j)
{
	/* With another priority it is another job's turn. */
	if (w->kind == XTR_WHATIF_CHANGED && whatif_has(j, WHATIF_PRIO))
		return 0;
	return w->kind == XTR_WHATIF_TYPICAL ? 0 : j->over_ns;
}

/* When the ring's first ready job can be run, if it is not passed over. */
static uint64_t due(const struct xtr_whatif *w, const struct whatif_ring *r)
{
	const struct whatif_job *j = &w->job[r->ready.v[0].what];

	return xtr_sat_add(max64(j->ready.ns, r->since_ns), delay_of(w, j));
}

/* What a ring's jobs wait for is about to change: count up to now. */
static void count_passed(struct xtr_whatif *w, struct whatif_ring *r)
{
	if (r->ready.n && has_room(r)) {
		struct whatif_job *j = &w->job[r->ready.v[0].what];
		uint64_t from = max64(r->passed_ns, due(w, r));

		if (w->now > from)
			j->ready.over_ns += w->now - from;
	}
	r->passed_ns = w->now;
}

/* When the ring runs its next job, as far as can be said now. */
static int plan_next(struct xtr_whatif *w, struct whatif_ring *r)
{
	const struct whatif_job *j;
	uint64_t over;

	r->plan++;
	if (!has_room(r) || !r->ready.n || w->kind == XTR_WHATIF_RECORDED)
		return 0;
	j = &w->job[r->ready.v[0].what];
	over = passed_over(w, j);
	/* It was passed over until the other one came: only then it is its turn. */
	over = over > j->ready.over_ns ? over - j->ready.over_ns + 1 : 0;
	return plan(w, xtr_sat_add(max64(r->passed_ns, due(w, r)), over), RUNS,
		    (uint32_t)(r - w->ring), r->plan);
}

static void on_hardware(struct xtr_whatif *w, struct whatif_ring *r, bool shown, int by)
{
	struct xtr_whatif_sums *sums = w->sums ? &w->sums[r - w->ring] : NULL;
	bool had_room = has_room(r);

	r->on_hw += (uint32_t)by;
	r->most = r->on_hw > r->most ? r->on_hw : r->most;
	if (by > 0 || (!had_room && has_room(r)))
		r->since_ns = w->now;
	if (!shown)
		return;
	/* Where the engine's order is not known, it is busy while a job is there. */
	if (sums && !r->pub.in_order && r->shown_on_hw)
		sums->busy_ns += w->now - r->busy_to_ns;
	if (!r->pub.in_order)
		r->busy_to_ns = w->now;
	r->shown_on_hw += (uint32_t)by;
}

/* --- ready ------------------------------------------------------------------------------------ */

static bool waits_for_room(const struct xtr_whatif *w, const struct whatif_job *j)
{
	bool other_depth = w->kind == XTR_WHATIF_CHANGED && w->ring[j->ring].pub.depth;

	return !whatif_has(j, WHATIF_FULL) || other_depth;
}

static int becomes_ready(struct xtr_whatif *w, struct whatif_job *j)
{
	struct whatif_ring *r = &w->ring[j->ring];
	const struct whatif_event e = { .ns = j->run_ns,
					.level = whatif_level(w, j),
					.what = (uint32_t)(j - w->job) };

	j->state = WHATIF_READY;
	j->ready.over_ns = 0;
	if (!waits_for_room(w, j))
		return w->kind == XTR_WHATIF_RECORDED ? 0
						      : plan(w, xtr_sat_add(w->now, delay_of(w, j)),
							     RUNS, e.what, WHATIF_NONE);
	count_passed(w, r);
	return whatif_heap_put(&r->ready, &e) ?: plan_next(w, r);
}

/* One of the things that it waited for is there. False: it had been run before. */
static bool satisfy(struct xtr_whatif *w, uint32_t i, uint64_t chain, int *err)
{
	struct whatif_job *j = &w->job[i];

	*err = 0;
	if (j->state >= WHATIF_RAN)
		return false;
	w->chain[i] = max64(w->chain[i], chain);
	if (whatif_has(j, WHATIF_FIXED) || whatif_gone(w, j))
		return true;
	j->need--;
	j->ready.ns = w->now;
	if (!j->need)
		*err = becomes_ready(w, j);
	return true;
}

static int wake(struct xtr_whatif *w, const struct whatif_job *j, bool scheduled)
{
	uint64_t chain = w->chain[j - w->job];
	int err = 0;

	for (uint32_t i = j->deps; i != WHATIF_NONE && !err; i = w->dep[i].next) {
		struct whatif_dep *d = &w->dep[i];

		if (d->owner == WHATIF_NONE || d->scheduled != scheduled)
			continue;
		if (!satisfy(w, d->owner, chain, &err)) {
			w->ring[w->job[d->owner].ring].pub.loose++;
			d->owner = WHATIF_NONE;
		}
	}
	return err;
}

static int wake_queue(struct xtr_whatif *w, const struct whatif_job *j)
{
	struct whatif_job *next = j->next == WHATIF_NONE ? NULL : &w->job[j->next];
	int err;

	if (!next || whatif_has(next, WHATIF_FREE))
		return 0;
	if (!satisfy(w, j->next, w->chain[j - w->job], &err)) {
		w->ring[next->ring].pub.loose++;
		next->flags |= WHATIF_FREE;
	}
	return err;
}

/* --- on the hardware -------------------------------------------------------------------------- */

static int64_t scaled(const struct xtr_whatif *w, const struct whatif_job *j)
{
	__int128 ns = j->own_ns;

	if (w->kind == XTR_WHATIF_CHANGED && !whatif_has(j, WHATIF_AS_LONG))
		ns = ns * w->ring[j->ring].pub.millionths / XTR_WHATIF_UNIT;
	return ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

static uint64_t after(uint64_t ns, int64_t by)
{
	if (by >= 0)
		return xtr_sat_add(ns, (uint64_t)by);
	return ns - (uint64_t)-by < ns ? ns - (uint64_t)-by : 0;
}

/* It was recorded that it ended then, and its engine was free at `start`. */
static void learn_own(struct whatif_job *j, uint64_t start)
{
	int64_t all = (int64_t)(j->done_ns - start);

	if (!whatif_has(j, WHATIF_MEASURED) || j->own_ns > all || all - j->own_ns > UINT32_MAX)
		j->own_ns = all;
	j->gap_ns = (uint32_t)(all - j->own_ns);
}

/* It was run then. */
static void learn_delay(struct xtr_whatif *w, struct whatif_job *j)
{
	struct whatif_ring *r = &w->ring[j->ring];

	if (whatif_has(j, WHATIF_FIXED))
		return;
	if (w->learn == WHATIF_PASSED && j->state == WHATIF_READY)
		j->over_ns = j->ready.over_ns;
	if (w->learn != WHATIF_DELAYS)
		return;
	j->delay_ns = w->now - max64(j->ready.ns, r->since_ns);
	if (has_room(r))
		return;
	j->flags |= WHATIF_FULL;
	j->delay_ns = w->now - j->ready.ns;
	r->pub.full++;
}

/* It is run now, and ends. */
static uint64_t execute(struct xtr_whatif *w, struct whatif_job *j)
{
	struct whatif_ring *r = &w->ring[j->ring];
	uint64_t start = r->pub.in_order ? max64(w->now, r->free_ns) : w->now, end, from;
	uint64_t *chain = &w->chain[j - w->job];

	if (w->kind == XTR_WHATIF_RECORDED)
		learn_own(j, start);
	from = xtr_sat_add(start, j->gap_ns);
	end = whatif_forced(w, j) ? j->done_ns : max64(w->now, after(from, scaled(w, j)));
	if (r->pub.in_order) {
		*chain = max64(*chain, r->chain_ns);
		r->free_ns = max64(r->free_ns, end);
	}
	*chain = xtr_sat_add(*chain, end > from ? end - from : 0);
	r->chain_ns = max64(r->chain_ns, *chain);
	if (r->pub.in_order && whatif_counts(j)) {
		from = max64(from, r->busy_to_ns);
		if (w->sums && end > from)
			w->sums[j->ring].busy_ns += end - from;
		r->busy_to_ns = max64(r->busy_to_ns, end);
	}
	return end;
}

/* It leaves the jobs that are ready, of which it is the first. */
static void leave_ready(struct xtr_whatif *w, struct whatif_ring *r, uint32_t i)
{
	if (w->kind == XTR_WHATIF_RECORDED && r->ready.n && r->ready.v[0].what == i)
		whatif_heap_take(&r->ready);
}

static int run(struct xtr_whatif *w, uint32_t i)
{
	struct whatif_job *j = &w->job[i];
	struct whatif_ring *r = &w->ring[j->ring];
	uint64_t before = w->chain[i], end = 0, all;
	int err;

	count_passed(w, r);
	if (w->kind == XTR_WHATIF_RECORDED)
		learn_delay(w, j);
	leave_ready(w, r, i);
	if (j->done_ns)
		end = execute(w, j);
	j->state = WHATIF_RAN;
	j->sim.run_ns = w->now;
	j->sim.done_ns = end;
	if (end)
		on_hardware(w, r, whatif_counts(j), 1);
	/* Those that wait for its run do not wait for its execution. */
	all = w->chain[i];
	w->chain[i] = before;
	err = wake_queue(w, j) ?: wake(w, j, true);
	w->chain[i] = all;
	if (!err && end)
		err = plan(w, end, ENDS, i, 0);
	return err ?: plan_next(w, r);
}

static int end(struct xtr_whatif *w, uint32_t i)
{
	struct whatif_job *j = &w->job[i];
	struct whatif_ring *r = &w->ring[j->ring];

	count_passed(w, r);
	if (j->state == WHATIF_RAN)
		on_hardware(w, r, whatif_counts(j), -1);
	else
		j->sim.run_ns = 0;
	j->state = WHATIF_OVER;
	j->sim.done_ns = w->now;
	return whatif_loop_ends(w, j) ?: wake(w, j, false) ?: plan_next(w, r);
}

/* --- coming ----------------------------------------------------------------------------------- */

static int come(struct xtr_whatif *w, uint32_t i)
{
	struct whatif_job *j = &w->job[i];
	int err = 0;

	if (whatif_gone(w, j))
		return 0;
	err = whatif_loop_comes(w, j);
	if (err)
		return err;
	if (whatif_forced(w, j)) {
		if (j->run_ns)
			err = plan(w, j->run_ns, RUNS, i, WHATIF_NONE);
		else if (j->done_ns)
			err = plan(w, j->done_ns, ENDS, i, 0);
	}
	if (err || whatif_has(j, WHATIF_FIXED))
		return err;
	if (j->fence_ns > whatif_comes(j))
		err = plan(w, j->fence_ns, SIGNALS, i, 0);
	if (!err)
		satisfy(w, i, 0, &err);
	return err;
}

/* It is its time, by the record; the thread that waits for its jobs submits them one by one. */
static int come_first(struct xtr_whatif *w, uint32_t i)
{
	const struct whatif_job *j = &w->job[i];

	return whatif_is_paced(w, j) && whatif_loop(w, j)->first != i ? 0 : come(w, i);
}

static int happen(struct xtr_whatif *w, const struct whatif_event *e)
{
	struct whatif_ring *r;
	struct whatif_event first;
	int err;

	switch ((enum order)e->order) {
	case ENDS:
		return end(w, e->what);
	case SIGNALS:
		satisfy(w, e->what, 0, &err);
		return err;
	case COMES:
		return come(w, e->what);
	case RUNS:
		if (e->plan == WHATIF_NONE)
			return run(w, e->what);
		r = &w->ring[e->what];
		if (e->plan != r->plan)
			return 0;
		count_passed(w, r);
		first = whatif_heap_take(&r->ready);
		return run(w, first.what);
	}
	return 0;
}

/* --- all -------------------------------------------------------------------------------------- */

static void begin_rings(struct xtr_whatif *w)
{
	for (size_t i = 0; i < w->n_rings; i++) {
		struct whatif_ring *r = &w->ring[i];
		const struct xtr_whatif_ring pub = r->pub;
		const struct whatif_heap ready = r->ready;

		*r = (struct whatif_ring){ .pub = pub, .ready = ready, .limit = pub.limit };
		r->ready.n = 0;
		if (w->learn == WHATIF_MOST)
			r->limit = UINT32_MAX;
		else if (w->kind == XTR_WHATIF_CHANGED && pub.depth)
			r->limit = pub.depth;
	}
}

static void begin_jobs(struct xtr_whatif *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct whatif_job *j = &w->job[i];

		j->state = WHATIF_WAITS;
		j->need = (uint8_t)(1 + (j->fence_ns > whatif_comes(j)));
		j->sim.run_ns = j->sim.done_ns = 0;
		w->chain[i] = 0;
	}
	for (size_t i = 0; i < w->n; i++) {
		struct whatif_job *j = &w->job[i];

		if (whatif_gone(w, j))
			continue;
		if (j->next != WHATIF_NONE && !whatif_has(&w->job[j->next], WHATIF_FREE))
			w->job[j->next].need++;
		for (uint32_t d = j->deps; d != WHATIF_NONE; d = w->dep[d].next)
			if (w->dep[d].owner != WHATIF_NONE)
				w->job[w->dep[d].owner].need++;
	}
}

int whatif_sim(struct xtr_whatif *w)
{
	size_t next = 0;
	int err = 0;

	begin_rings(w);
	begin_jobs(w);
	whatif_loops_begin(w);
	w->events.n = 0;
	w->now = 0;
	while (!err && (next < w->n || w->events.n)) {
		const struct whatif_event *first = w->events.n ? &w->events.v[0] : NULL;
		uint64_t comes = next < w->n ? whatif_comes(&w->job[w->order[next]]) : 0;
		struct whatif_event e;

		if (next < w->n &&
		    (!first || comes < first->ns || (comes == first->ns && COMES < first->order))) {
			w->now = max64(w->now, comes);
			err = come_first(w, w->order[next++]);
			continue;
		}
		e = whatif_heap_take(&w->events);
		w->now = max64(w->now, e.ns);
		err = happen(w, &e);
	}
	return err;
}
