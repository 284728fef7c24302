/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may be concluded about a job when all its events have been seen.
 *
 * In-order ring: the engine takes jobs in order of run and one at a time, so a job starts when it
 * is handed over or when the job before it is done, whichever is later (the kernel's own accounting
 * does the same). That a ring is one has to be known of its driver (ring.c), as one that runs jobs
 * side by side may complete them in order; of other rings only the jobs that found them idle have a
 * start. It needs the true `previous done`, so a job is only bounded if events were lost
 * while it was on the hardware, if a job that was run before it had not been reported done yet, if
 * it was itself reported late, or if several completions came in one interrupt.
 *
 * A ring by client (ring.h) is in order as long as one client alone has jobs on the hardware; those
 * of several that overlap are bounded, each by its own run and done.
 *
 * A scheduler that may have one job (credit) on the hardware leaves nothing to infer: the hardware
 * had no other job of this ring between run and done. Then residence is execution: exact, up to the
 * cost of run_job() and the interrupt, which every ring has.
 *
 * Where jobs overlap, nothing tells the start. Execution is at most done - run. As a lower bound
 * xtr gives done - (the later of run and the latest earlier done on the whole device): from then on
 * no other job of the device completed, so the job held the engine unless the engine was idle with
 * work at hand or served a job that is still to complete. Only the upper bound is certain. Where
 * completions come in batches even the end is not known, and the lower bound is 0; but a job that
 * found such a ring idle started when it was run.
 */
#include "piece_border.h"
#include "engine.h"
#include "base/checked.h"

#include <errno.h>

#define CLIENT_KERNEL (1ull << 63) /* amdgpu's constants for kernel work, spec/events.md */

static void set_owner(const struct xtr_model *m, struct slot *s)
{
	const struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	struct xtr_job *j = &s->job;
	bool kernel = j->kthread;

	if (j->client_known)
		kernel = !j->client_id || j->client_id >= CLIENT_KERNEL;
	j->kind = kernel ? XTR_KIND_KERNEL : ring->kind;
	j->ring = ring;
}

/* The time until which a record of a job that never ended could have come. */
static uint64_t last_possible(const struct slot *s)
{
	return s->job.done_ns ? s->job.done_ns : s->held_ns;
}

/* Quality of a job whose run or done is not in the trace. */
static uint8_t quality_unfinished(const struct xtr_model *m, struct slot *s)
{
	struct xtr_job *j = &s->job;

	if (j->flags & XTR_FLAG_KILLED && !(j->flags & XTR_FLAG_GAP))
		return XTR_QUALITY_EXACT;
	/* A recycled key, or a run that must have been: queue < run < done always holds. */
	if (j->flags & (XTR_FLAG_RECYCLED | XTR_FLAG_GAP))
		return XTR_QUALITY_LOST;
	if (border_leaves_open(m, s))
		return XTR_QUALITY_OPEN;
	if (s->passed && !j->run_ns)
		return XTR_QUALITY_LOST;
	if (j->done_ns && j->queue_ns && !m->rings.ring[s->ring].no_run)
		return XTR_QUALITY_LOST;
	/* An in-order ring completed a younger job: this one was done too. */
	if (s->overtaken_at && !xtr_ring_is_bounded(&m->rings.ring[s->ring]))
		return XTR_QUALITY_LOST;
	return XTR_QUALITY_OPEN;
}

static void mark_missing(const struct xtr_model *m, struct slot *s)
{
	struct xtr_job *j = &s->job;
	uint64_t from = j->run_ns ? j->run_ns : s->first_ns;

	border_flags(m, s);
	if (!j->queue_ns)
		j->flags |= XTR_FLAG_NO_QUEUE;
	if (!j->run_ns && !(j->flags & XTR_FLAG_KILLED))
		j->flags |= XTR_FLAG_NO_RUN;
	if (!j->done_ns || j->flags & XTR_FLAG_FENCE_DONE)
		j->flags |= XTR_FLAG_NO_DONE;
	/* Without run and queue, the missing ones may lie anywhere before done. */
	if (!j->run_ns && !j->queue_ns)
		from = 0;
	if (xtr_gaps_overlap(&m->gaps, from, last_possible(s)))
		j->flags |= XTR_FLAG_GAP;
}

/* It overlapped others, or its end is not known: nothing tells what of its residence it executed.
 */
#define OVERLAPPED                                                                       \
	(XTR_FLAG_OVERTAKEN | XTR_FLAG_SHARED | XTR_FLAG_BY_ORDER | XTR_FLAG_PREEMPTED | \
	 XTR_FLAG_LATE | XTR_FLAG_BY_WORKER)
#define UNSURE (XTR_FLAG_BATCH | XTR_FLAG_OVERTOOK | XTR_FLAG_GAP | OVERLAPPED)

/*
 * The end of this job, and of the one before it, is known up to what a report takes: bounds that
 * rest on both hold up to that, so they are widened by it.
 */
static uint64_t floor_of(const struct xtr_job *j)
{
	uint64_t floor = xtr_sat_add(later(j->run_ns, j->floor_ns), XTR_REPORT_NS);

	if (j->flags & (XTR_FLAG_LATE | XTR_FLAG_BY_WORKER | XTR_FLAG_NO_FENCE))
		return j->done_ns;
	return floor < j->done_ns ? floor : j->done_ns;
}

static void bound(struct xtr_job *j, uint64_t max)
{
	uint64_t residence = j->done_ns - j->run_ns;

	j->quality = XTR_QUALITY_BOUNDED;
	j->exec_min_ns = 0;
	j->exec_max_ns = max + XTR_REPORT_NS < residence ? max + XTR_REPORT_NS : residence;
}

/* On a ring whose jobs overlap, or whose completions come in batches. */
static void bound_on_ring(struct slot *s, const struct xtr_model_ring *ring)
{
	struct xtr_job *j = &s->job;

	bound(j, j->done_ns - j->run_ns);
	if (ring->verdict != XTR_VERDICT_BATCHED)
		j->exec_min_ns = j->done_ns - j->floor_ns;
	else if (ring->rule == XTR_RULE_IN_ORDER && !(j->flags & UNSURE) &&
		 j->run_ns >= s->prev_done)
		j->start_ns = j->run_ns;
}

static void set_bounds(struct xtr_model *m, struct slot *s)
{
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	struct xtr_job *j = &s->job;
	bool behind = s->prev_done > j->run_ns, known = xtr_ring_order_known(ring);

	j->serial_start_ns = later(j->run_ns, s->prev_done);
	j->floor_ns = ring->partial ? j->done_ns : floor_of(j);
	if (j->flags & XTR_FLAG_MEASURED) {
		measured_bounds(s);
	} else if (j->flags & XTR_FLAG_NO_FENCE && !j->error) {
		j->quality = XTR_QUALITY_OPEN;
	} else if (ring->measured) { /* nothing was concluded from its order */
		bound(j, j->done_ns - j->run_ns);
	} else if (xtr_ring_is_bounded(ring)) {
		bound_on_ring(s, ring);
	} else if (!known && (behind || j->flags & UNSURE)) {
		j->flags |= XTR_FLAG_ORDER_UNKNOWN;
		j->serial_start_ns = j->run_ns;
		bound(j, j->done_ns - j->run_ns);
	} else if (j->flags & OVERLAPPED || (behind && s->prev_late) || border_unsure(m, j)) {
		bound(j, j->done_ns - j->run_ns);
	} else if (j->flags & UNSURE) {
		bound(j, j->done_ns - later(j->run_ns, s->batch_base));
	} else if (j->flags & XTR_FLAG_NO_RUN) {
		bound(j, j->done_ns - j->serial_start_ns);
	} else {
		j->quality = ring->limit == 1 ? XTR_QUALITY_EXACT : XTR_QUALITY_INFERRED;
		j->start_ns = j->serial_start_ns;
		j->exec_min_ns = j->exec_max_ns = j->done_ns - j->start_ns;
	}
}

/*
 * Whether the ring overtakes is counted here and not when it happens, because an error, which comes
 * with the fence's signal, excuses it: a reset completes the guilty job late.
 */
static void count_ring(struct xtr_model *m, const struct slot *s)
{
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	const struct xtr_job *j = &s->job;

	ring->n_done++;
	if (!(j->flags & (UNSURE | XTR_FLAG_NO_FENCE)) && !j->error)
		xtr_overlap_add(&ring->overlap, j->done_ns - j->run_ns,
				s->prev_done > j->run_ns ? s->prev_done - j->run_ns : 0);
	ring->n_batched += !!(j->flags & XTR_FLAG_BATCH);
	if (!s->overtaken_at || j->error || j->flags & XTR_FLAG_BY_WORKER)
		return;
	if (j->stream == s->overtaken_on || j->done_ns - s->overtaken_at > XTR_RACE_NS)
		ring->n_overtaken++;
}

/* A cut (cut_note.h) is about jobs that end in its window, of its rings and processes. */
static bool is_aside(const struct xtr_model *m, const struct xtr_job *j)
{
	const struct xtr_cut_note *n = &m->rings.note;

	if (j->others)
		return true;
	if (!n->is_cut)
		return false;
	if (j->done_ns && (j->done_ns < n->from || (n->to && j->done_ns > n->to)))
		return true;
	if (n->some_rings && !xtr_ids_have(&n->rings, j->ring->id))
		return true;
	return n->some_pids && (j->flags & XTR_FLAG_NO_QUEUE || !xtr_ids_have(&n->pids, j->pid));
}

/* Jobs that ended before this one was run have no part in its figures. */
static void forget_early(const struct slot *s, struct xtr_job *j)
{
	bool resided = xtr_job_resided(j);

	if (!resided || (s->prev_done < j->run_ns && !(j->flags & XTR_FLAG_BATCH)))
		j->prev = (struct xtr_job_name){ 0 };
	if (!resided || j->floor_ns < j->run_ns)
		j->floor = (struct xtr_job_name){ 0 };
}

void settle(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];
	struct xtr_job *j = &s->job;

	if (s->told) {
		j->ring = &m->rings.ring[s->ring];
		told_settle(s);
		m->rings.ring[s->ring].n_done += xtr_job_resided(j);
		j->aside = is_aside(m, j);
		return;
	}
	set_owner(m, s);
	if (m->keys_inferred)
		j->flags |= XTR_FLAG_KEY_INFERRED;
	if (j->error) {
		j->flags |= XTR_FLAG_ERROR;
		if (j->error == -ETIME || j->error == -ETIMEDOUT)
			j->flags |= XTR_FLAG_TIMEOUT;
	}
	mark_missing(m, s);
	j->aside = is_aside(m, j);
	forget_early(s, j);
	if (!j->submit_ns)
		j->submit_ns = j->queue_ns;
	border_busy(m, s);
	if (!xtr_job_resided(j)) {
		j->quality = quality_unfinished(m, s);
		return;
	}
	count_ring(m, s);
	set_bounds(m, s);
}
