/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which job hung, and which others were there. A job whose fence says timeout has; so has one that
 * a trigger names. A trigger that names none belongs to such a job if that was on the hardware
 * then; else the job in front is taken, if there is but one ring that had any and it executes in
 * order, or but one job. All else is not known.
 */
#include "hang_impl.h"
#include "base/buf.h"
#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 16u /* of jobs that wait for jobs that wait */

/* A hang that is being made: its guilty job, and what fired. */
struct making {
	struct xtr_hangs *h;
	struct xtr_hang *hang;
	const struct hang_job *guilty; /* NULL: not known */
	uint64_t end; /* ns: of the guilty job; if it has none, when the hang was told */
	uint64_t to;  /* ns: what ends with an error until then ended with it */
};

/* Does it say which job it is about? */
static bool names_job(const struct hang_trigger *t)
{
	return xtr_job_name_any(&t->job) && !t->foreign;
}

static int by_time(const void *pa, const void *pb)
{
	const struct hang_trigger *a = pa, *b = pb;
	const bool names_a = names_job(a), names_b = names_job(b);

	if (names_a != names_b)
		return names_a ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static int by_role(const void *pa, const void *pb)
{
	const struct xtr_hang_job *a = pa, *b = pb;

	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	if (a->role == XTR_HANG_GOOD) /* the last one first */
		return (a->done_ns < b->done_ns) - (a->done_ns > b->done_ns);
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns ? -1 : 1;
	if (a->name.ctx != b->name.ctx)
		return a->name.ctx < b->name.ctx ? -1 : 1;
	return (a->name.seqno > b->name.seqno) - (a->name.seqno < b->name.seqno);
}

static int hangs_by_time(const void *pa, const void *pb)
{
	const struct xtr_hang *a = pa, *b = pb;

	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

/* --- which job -------------------------------------------------------------------------------- */

/* Can what fired be about this device? */
static bool fits(const struct hang_trigger *t, const char *device, const char *driver)
{
	if (*t->device && *device && strcmp(t->device, device) != 0)
		return false;
	return !t->driver || !*driver || !strcmp(t->driver, driver);
}

static struct hang_job *named(struct xtr_hangs *h, const struct xtr_job_name *name)
{
	for (size_t i = 0; i < h->n_jobs; i++)
		if (xtr_job_name_same(&h->job[i].j.name, name))
			return &h->job[i];
	return NULL;
}

/* The job in front of the one ring that had jobs on the hardware. *why: why there is none. */
static struct hang_job *in_front(struct xtr_hangs *h, const struct hang_trigger *t,
				 const char **why)
{
	struct hang_job *first = NULL;
	uint64_t n = 0, rings = 1;

	for (size_t i = 0; i < h->n_jobs; i++) {
		struct hang_job *k = &h->job[i];

		if (!hang_was_running(k, t->at) || !fits(t, k->device, k->driver))
			continue;
		n++;
		rings += first && k->ring != first->ring;
		if (!first || k->j.run_ns < first->j.run_ns)
			first = k;
	}
	*why = NULL;
	if (!first)
		*why = "no job of the trace was on the hardware then";
	else if (rings > 1)
		*why = "jobs of several rings were on the hardware then";
	else if (n > 1 && !first->in_order)
		*why = "several jobs were on a ring that is not known to execute in order";
	else if (h->left_out)
		*why = "there were more jobs than are kept";
	else if (xtr_gaps_overlap(&h->gaps, first->j.run_ns, t->at))
		*why = "events were lost before it";
	return *why ? NULL : first;
}

/* --- hangs ------------------------------------------------------------------------------------ */

static struct xtr_hang *hang_new(struct xtr_hangs *h, const struct hang_trigger *t)
{
	struct xtr_hang *hang;

	if (xtr_grow_array(&h->hang, &h->cap_hangs, h->n_hangs + 1, sizeof(*h->hang)))
		return NULL;
	hang = &h->hang[h->n_hangs++];
	*hang = (struct xtr_hang){ .at_ns = t->at, .told = t->told, .guilt = XTR_HANG_UNKNOWN };
	snprintf(hang->device, sizeof(hang->device), "%s", t->device);
	snprintf(hang->driver, sizeof(hang->driver), "%s", t->driver ? t->driver : "");
	return hang;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * How far a trigger without a job is from a hang; UINT64_MAX: it can be of none. *inside: the
 * guilty job was on the hardware then, and had not ended. One that fired before that job was run
 * is another's.
 */
static uint64_t distance(struct xtr_hangs *h, const struct xtr_hang *hang,
			 const struct hang_trigger *t, bool *inside)
{
	const struct hang_job *g = hang->n_jobs ? named(h, &hang->job[0].name) : NULL;
	const uint64_t end = g && g->j.done_ns ? g->j.done_ns : hang->at_ns;
	uint64_t ns = apart(t->at, end);

	*inside = g && t->at <= end;
	if (!fits(t, hang->device, hang->driver) || (g && t->at < g->j.run_ns) ||
	    ns > HANG_APART_NS)
		return UINT64_MAX;
	return ns;
}

/*
 * The hang that a trigger without a job belongs to: the one whose job was on the hardware then and
 * timed out next; else the last one before it, as a reset follows a timeout.
 */
static struct xtr_hang *hang_of(struct xtr_hangs *h, const struct hang_trigger *t)
{
	struct xtr_hang *best = NULL;
	bool best_inside = false, inside;
	uint64_t best_ns = UINT64_MAX, ns;

	for (size_t i = 0; i < h->n_hangs; i++) {
		ns = distance(h, &h->hang[i], t, &inside);
		if (ns == UINT64_MAX || (best_inside && !inside) ||
		    (best_inside == inside && ns >= best_ns))
			continue;
		best = &h->hang[i];
		best_ns = ns;
		best_inside = inside;
	}
	return best;
}

static int add_job(struct xtr_hang *hang, const struct xtr_hang_job *j, enum xtr_hang_role role)
{
	struct xtr_hang_job *more;

	hang->n[role]++;
	if (hang->n_jobs == HANG_LISTED_MAX)
		return 0;
	more = reallocarray(hang->job, hang->n_jobs + 1u, sizeof(*more));
	if (!more)
		return -ENOMEM;
	hang->job = more;
	more[hang->n_jobs] = *j;
	more[hang->n_jobs++].role = role;
	return 0;
}

/* Its job is known: that comes first, as what follows asks for it. */
static int set_guilty(struct xtr_hang *hang, const struct hang_job *g, enum xtr_hang_guilt guilt)
{
	hang->guilt = guilt;
	hang->why = NULL;
	snprintf(hang->device, sizeof(hang->device), "%s", g->device);
	snprintf(hang->driver, sizeof(hang->driver), "%s", g->driver);
	snprintf(hang->ring, sizeof(hang->ring), "%s", g->j.ring);
	return add_job(hang, &g->j, XTR_HANG_GUILTY);
}

/* A trigger that names its job, or one that names none and belongs to no hang yet. */
static int begin(struct xtr_hangs *h, struct hang_trigger *t)
{
	const bool names = xtr_job_name_any(&t->job);
	const char *why = "the job that the trigger names is not in the trace";
	struct hang_job *g = names ? named(h, &t->job) : in_front(h, t, &why);
	struct xtr_hang *hang;

	for (size_t i = 0; g && i < h->n_hangs; i++)
		if (h->hang[i].n_jobs && xtr_job_name_same(&h->hang[i].job[0].name, &g->j.name)) {
			if (t->at < h->hang[i].at_ns) { /* it fired before the job timed out */
				h->hang[i].at_ns = t->at;
				h->hang[i].told = t->told;
			}
			return 0;
		}
	hang = hang_new(h, t);
	if (!hang)
		return -ENOMEM;
	hang->why = why;
	return g ? set_guilty(hang, g, names ? XTR_HANG_EXACT : XTR_HANG_INFERRED) : 0;
}

static int all_hangs(struct xtr_hangs *h)
{
	int err = 0;

	/* Trigger "error" names any fence that was signalled with one (recorder/flight/trigger.c).
	 */
	for (uint32_t i = 0; i < h->n_triggers; i++)
		h->trigger[i].foreign = xtr_job_name_any(&h->trigger[i].job) &&
					!strcmp(h->trigger[i].told, "error") &&
					!named(h, &h->trigger[i].job);
	if (h->n_triggers)
		qsort(h->trigger, h->n_triggers, sizeof(h->trigger[0]), by_time);
	for (uint32_t i = 0; i < h->n_triggers && !err; i++) {
		struct hang_trigger *t = &h->trigger[i];
		struct xtr_hang *of = names_job(t) ? NULL : hang_of(h, t);

		if (!of)
			err = begin(h, t);
		else if (t->at < of->at_ns) {
			of->at_ns = t->at;
			of->told = t->told;
		}
	}
	return err;
}

/* --- the others ------------------------------------------------------------------------------- */

static bool is_listed(const struct making *m, const struct xtr_job_name *name)
{
	for (size_t i = 0; i < m->h->n_jobs; i++)
		if (m->h->job[i].taken && xtr_job_name_same(&m->h->job[i].j.name, name))
			return true;
	return false;
}

/* What it waits for, of those that are part of the hang; NULL: nothing. */
static const struct xtr_job_name *waits_for(const struct making *m, const struct hang_job *k)
{
	for (uint32_t i = 0; i < k->n_deps; i++)
		if (is_listed(m, &k->dep[i]))
			return &k->dep[i];
	return NULL;
}

static bool same_device(const struct making *m, const struct hang_job *k)
{
	return !*m->hang->device || !strcmp(m->hang->device, k->device);
}

static int take(struct making *m, struct hang_job *k, enum xtr_hang_role role,
		const struct xtr_job_name *waits)
{
	k->taken = true;
	if (waits)
		k->j.waits_for = *waits;
	return add_job(m->hang, &k->j, role);
}

/* Ended with an error that is no timeout, on the device, and was in flight when the hang ended. */
static bool was_killed(const struct making *m, const struct hang_job *k)
{
	const uint64_t at = m->hang->at_ns, from = at > HANG_EARLY_NS ? at - HANG_EARLY_NS : 0;

	return !k->timed_out && k->j.error_known && k->j.error && k->j.done_ns >= from &&
	       k->j.done_ns <= m->to && k->j.first_ns <= m->end && same_device(m, k);
}

/* What of it is not in the trace may be what was lost: where it was then is not known. */
static bool is_unsure(const struct making *m, const struct hang_job *k)
{
	return (!k->j.done_ns || !k->j.run_ns) &&
	       xtr_gaps_overlap(&m->h->gaps, k->j.run_ns ?: k->j.first_ns, m->hang->at_ns);
}

/* It had not ended for certain. */
static bool was_open(const struct making *m, const struct hang_job *k)
{
	return !k->taken && !k->timed_out && hang_was_there(k, m->hang->at_ns) && !is_unsure(m, k);
}

/* On the guilty one's ring, and behind it. */
static bool is_behind(const struct making *m, const struct hang_job *k)
{
	const struct hang_job *g = m->guilty;

	if (!g || k->ring != g->ring)
		return false;
	return !hang_was_running(k, m->hang->at_ns) ||
	       (g->in_order && g->j.run_ns && k->j.run_ns >= g->j.run_ns);
}

static int killed_and_behind(struct making *m)
{
	int err = 0;

	for (size_t i = 0; i < m->h->n_jobs && !err; i++) {
		struct hang_job *k = &m->h->job[i];

		if (!k->taken && was_killed(m, k))
			err = take(m, k, XTR_HANG_KILLED, waits_for(m, k));
		else if (was_open(m, k) && is_behind(m, k))
			err = take(m, k, XTR_HANG_WAITING, waits_for(m, k));
	}
	return err;
}

/* Those that wait for the guilty one, for those that wait for it, and so on. */
static int waiting(struct making *m)
{
	bool more = m->guilty;
	int err = 0;

	for (unsigned int round = 0; round < ROUNDS && more && !err; round++) {
		more = false;
		for (size_t i = 0; i < m->h->n_jobs && !err; i++) {
			struct hang_job *k = &m->h->job[i];
			const struct xtr_job_name *dep;

			if (!was_open(m, k) || hang_was_running(k, m->hang->at_ns))
				continue;
			dep = waits_for(m, k);
			if (!dep)
				continue;
			err = take(m, k, XTR_HANG_WAITING, dep);
			more = true;
		}
	}
	return err;
}

static int running(struct making *m)
{
	int err = 0;

	for (size_t i = 0; i < m->h->n_jobs && !err; i++) {
		struct hang_job *k = &m->h->job[i];

		if (was_open(m, k) && hang_was_running(k, m->hang->at_ns) && same_device(m, k) &&
		    (!*m->hang->driver || !*k->driver || !strcmp(m->hang->driver, k->driver)))
			err = take(m, k, XTR_HANG_RUNNING, NULL);
	}
	return err;
}

/* Of the ring as it was at the trigger that is nearest, what ended before the guilty one hung. */
static int ended_well(struct making *m)
{
	const struct hang_trigger *best = NULL;
	const struct hang_ring *r;
	int err = 0;

	for (uint32_t i = 0; m->guilty && i < m->h->n_triggers; i++) {
		const struct hang_trigger *t = &m->h->trigger[i];

		if (t->at >= m->hang->at_ns && (!best || t->at < best->at))
			best = t;
	}
	if (!best || m->guilty->ring >= best->n_rings)
		return 0;
	r = &best->ring[m->guilty->ring];
	for (uint32_t i = 0; i < r->n && !err; i++)
		if (r->good[i].done_ns <= m->hang->at_ns)
			err = add_job(m->hang, &r->good[i], XTR_HANG_GOOD);
	return err;
}

static int complete(struct xtr_hangs *h, struct xtr_hang *hang)
{
	struct making m = { .h = h, .hang = hang };
	const uint64_t end = h->end_ns;
	int err;

	for (size_t i = 0; i < h->n_jobs; i++)
		h->job[i].taken = false;
	m.guilty = hang->n_jobs ? named(h, &hang->job[0].name) : NULL;
	m.end = m.guilty && m.guilty->j.done_ns > hang->at_ns ? m.guilty->j.done_ns : hang->at_ns;
	m.to = xtr_sat_add(m.end, HANG_TOGETHER_NS);
	if (m.guilty)
		h->job[m.guilty - h->job].taken = true;
	if (end < m.to)
		m.to = end;
	hang->lost = xtr_gaps_overlap(&h->gaps,
				      m.guilty && m.guilty->j.first_ns
					      ? m.guilty->j.first_ns
					      : hang->at_ns - (hang->at_ns > HANG_TOGETHER_NS
								       ? HANG_TOGETHER_NS
								       : hang->at_ns),
				      m.to);
	err = killed_and_behind(&m) ?: waiting(&m) ?: running(&m) ?: ended_well(&m);
	if (!err && hang->n_jobs)
		qsort(hang->job, hang->n_jobs, sizeof(*hang->job), by_role);
	return err;
}

int hang_decide(struct xtr_hangs *h)
{
	int err = all_hangs(h);

	for (size_t i = 0; i < h->n_hangs && !err; i++)
		err = complete(h, &h->hang[i]);
	if (!err && h->n_hangs)
		qsort(h->hang, h->n_hangs, sizeof(*h->hang), hangs_by_time);
	return err;
}
