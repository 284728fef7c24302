/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Submissions: amdgpu_cs_ioctl and amdgpu_sched_run_job of one job are joined by context and seqno
 * of its finished fence, which no two jobs of a boot share. Older kernels have the low 32 bits of
 * both in these events; then the low halves are compared. The first run is the job's, further ones
 * are what a reset submits again. A run without a submission is work of the kernel's where the
 * scheduler's queue event of the job is in the trace.
 */
#include "amdgpu_impl.h"
#include "format/xtr_format.h"
#include "replay/event/process.h"
#include "replay/event/record.h"

#include <errno.h>
#include <string.h>

#define CLIENT_KERNEL (1ull << 63) /* amdgpu's constants for kernel work, spec/events.md */

enum {
	CTX,
	SEQNO,
	RING,
	IBS
};
enum {
	IB_RING,
	IB_DWORDS,
	IB_FENCES
};

int amdgpu_jobs_open(struct amdgpu *g)
{
	struct amdgpu_jobs *s = &g->jobs;

	s->mask = UINT64_MAX;
	xtr_counted_init(&s->rings, sizeof(struct amdgpu_ring), AMDGPU_ROWS_MAX);
	for (size_t i = 0; i < g->binds.n; i++) {
		const struct xtr_bind *b = &g->binds.bind[i];

		if (b->desc && b->slot[CTX].field && !strcmp(b->slot[CTX].field->name, "context") &&
		    b->slot[CTX].width == 4)
			s->mask = UINT32_MAX;
	}
	return s->recorded ? xtr_recent_init(&s->recent, sizeof(struct amdgpu_job), AMDGPU_JOBS_MAX)
			   : 0;
}

void amdgpu_jobs_free(struct amdgpu *g)
{
	struct amdgpu_jobs *s = &g->jobs;

	for (uint32_t i = 0; i < s->rings.n; i++)
		xtr_hist_free(&((struct amdgpu_ring *)xtr_counted_at(&s->rings, i))->latency);
	xtr_counted_free(&s->rings);
	xtr_hist_free(&s->ib_dwords);
	xtr_hist_free(&s->fences);
	xtr_map_free(&s->cards);
	xtr_recent_free(&s->recent);
}

/* --- jobs ------------------------------------------------------------------------------------- */

static struct amdgpu_job *job_get(const struct amdgpu *g, uint64_t ctx, uint64_t seqno)
{
	const struct amdgpu_jobs *s = &g->jobs;

	return xtr_recent_get(&s->recent, ctx & s->mask, seqno & s->mask);
}

static int ring_of(struct amdgpu *g, const struct amdgpu_job *job, struct amdgpu_ring **ring)
{
	return xtr_counted_get(&g->jobs.rings, job->card, job->ring, ring);
}

/* A job that was submitted, into its ring's row. */
static int count_ring(struct amdgpu *g, const struct amdgpu_job *job, struct amdgpu_ring **ring)
{
	int err = ring_of(g, job, ring);

	if (*ring) {
		(*ring)->row.n++;
		(*ring)->ibs += job->ibs;
	}
	return err;
}

/* It will not be known any more whether it is run. */
static int job_closes(struct amdgpu *g, const struct amdgpu_job *job, bool at_end)
{
	struct amdgpu_ring *ring;
	int err;

	if (!job->submitted || !job->selected || job->ran)
		return 0;
	err = count_ring(g, job, &ring);
	if (!at_end) {
		g->jobs.no_room++;
		return err;
	}
	g->jobs.not_run++;
	if (ring)
		ring->not_run++;
	return err;
}

static int job_new(struct amdgpu *g, uint64_t ctx, uint64_t seqno, struct amdgpu_job **job)
{
	struct amdgpu_jobs *s = &g->jobs;
	const struct amdgpu_job *old = xtr_recent_victim(&s->recent);
	int err = old ? job_closes(g, old, false) : 0;

	*job = err ? NULL : xtr_recent_add(&s->recent, ctx & s->mask, seqno & s->mask);
	return err ? err : *job ? 0 : -ENOMEM;
}

/* --- events ----------------------------------------------------------------------------------- */

int amdgpu_process_of(struct amdgpu *g, const struct xtr_event *ev, struct amdgpu_process **p)
{
	const struct xtr_task *task =
		ev->tid && g->o->tables ? xtr_tables_task(g->o->tables, ev->tid, ev->ts) : NULL;
	uint64_t process = xtr_process_of(task);
	/* Threads of processes that an imported trace does not know go by their name. */
	int err = xtr_counted_get(&g->processes, process, process || !task ? 0 : task->comm, p);

	if (*p && !(*p)->comm && task)
		(*p)->comm = task->comm;
	return err;
}

static int count_process(struct amdgpu *g, const struct xtr_event *ev, struct amdgpu_job *job)
{
	struct amdgpu_process *p;
	int err = amdgpu_process_of(g, ev, &p);

	if (!p)
		return err;
	job->process = p->row.a;
	p->ibs_min = p->row.n && p->ibs_min < job->ibs ? p->ibs_min : job->ibs;
	p->ibs_max = p->ibs_max > job->ibs ? p->ibs_max : job->ibs;
	p->row.n++;
	p->ibs += job->ibs;
	if (g->o->times)
		xtr_rate_add(&p->rate, ev->ts);
	return err;
}

int amdgpu_take_cs(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		   bool inside)
{
	struct amdgpu_jobs *s = &g->jobs;
	uint64_t ctx = xtr_bind_u64(b, CTX, ev), seqno = xtr_bind_u64(b, SEQNO, ev);
	struct amdgpu_job *job = job_get(g, ctx, seqno);
	int err;

	if (job) { /* a key that is used again: lost events, or a record of someone's making */
		s->recycled++;
		err = job_closes(g, job, false);
		xtr_recent_forget(&s->recent, job);
		if (err)
			return err;
	}
	err = job_new(g, ctx, seqno, &job);
	if (err)
		return err;
	job->submitted = true;
	job->selected = inside;
	job->cs_ns = ev->ts;
	job->ring = (uint32_t)xtr_bind_u64(b, RING, ev);
	job->ibs = (uint32_t)xtr_bind_u64(b, IBS, ev);
	if (!inside)
		return 0;
	s->submitted++;
	s->ibs += job->ibs;
	return count_process(g, ev, job);
}

static int add_latency(struct amdgpu *g, struct amdgpu_ring *ring, const struct amdgpu_job *job,
		       uint64_t run_ns)
{
	uint64_t ns = run_ns - job->cs_ns;

	if (!g->o->times)
		return 0;
	if (ns > AMDGPU_DELAY_NS) {
		g->jobs.late++;
		if (!ring->late++) {
			ring->late_ns = job->cs_ns;
			ring->late_ctx = job->e.a;
			ring->late_seqno = job->e.b;
		}
	}
	return xtr_hist_add_within(&ring->latency, ns, &g->hist_left);
}

/* The first run of a job whose submission is in the trace. */
static int run_submitted(struct amdgpu *g, struct amdgpu_job *job, const struct xtr_event *ev,
			 bool inside)
{
	struct amdgpu_ring *ring;
	int err;

	if (!job->selected) {
		g->jobs.before += inside;
		return 0;
	}
	g->jobs.run++;
	err = count_ring(g, job, &ring);
	if (err || !ring)
		return err;
	ring->run++;
	return add_latency(g, ring, job, ev->ts);
}

/* Without a submission. That it was never submitted by a process is known where its queue event is.
 */
static int run_other(struct amdgpu *g, const struct amdgpu_job *job, bool inside)
{
	bool kernel = job->kernel || (job->queued && g->jobs.both && !g->gaps);
	struct amdgpu_ring *ring;
	int err;

	if (!inside)
		return 0;
	g->jobs.kernel += kernel;
	g->jobs.other += !kernel;
	err = ring_of(g, job, &ring);
	if (ring) {
		ring->kernel += kernel;
		ring->other += !kernel;
	}
	return err;
}

static int run_again(struct amdgpu *g, const struct amdgpu_job *job, const struct xtr_event *ev,
		     bool inside)
{
	struct amdgpu_ring *ring;
	int err;

	if (!inside && !job->ran_selected)
		return 0;
	if (!g->jobs.run_again++)
		g->jobs.again_ns = ev->ts;
	err = ring_of(g, job, &ring);
	if (ring)
		ring->run_again++;
	return err;
}

int amdgpu_take_run(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		    bool inside)
{
	uint64_t ctx = xtr_bind_u64(b, CTX, ev), seqno = xtr_bind_u64(b, SEQNO, ev);
	struct amdgpu_job *job = job_get(g, ctx, seqno);
	int err = job ? 0 : job_new(g, ctx, seqno, &job);

	if (err)
		return err;
	if (job->ran)
		return run_again(g, job, ev, inside);
	job->ran = true;
	job->ran_selected = inside || (job->submitted && job->selected);
	job->ring = (uint32_t)xtr_bind_u64(b, RING, ev);
	return job->submitted ? run_submitted(g, job, ev, inside) : run_other(g, job, inside);
}

int amdgpu_take_ib(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		   bool inside)
{
	struct amdgpu_jobs *s = &g->jobs;
	int err;

	if (!inside)
		return 0;
	s->ib_events++;
	err = xtr_hist_add(&s->ib_dwords, xtr_bind_u64(b, IB_DWORDS, ev));
	return err ? err : xtr_hist_add(&s->fences, xtr_bind_u64(b, IB_FENCES, ev));
}

int amdgpu_take_pipe_sync(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
			  bool inside)
{
	(void)b;
	(void)ev;
	g->jobs.pipe_syncs += inside;
	return 0;
}

/* --- the scheduler's events of the same jobs -------------------------------------------------- */

static const char *driver_of(const struct amdgpu *g, const char *device)
{
	for (size_t i = 0; device && i < xtr_meta_n_devices(g->o->meta); i++)
		if (!strcmp(xtr_meta_device(g->o->meta, i)->name, device))
			return xtr_meta_device(g->o->meta, i)->driver;
	return NULL;
}

/* *foreign: the ring is another driver's. What a ring is, is kept: of so many rings. */
static int card_of(struct amdgpu *g, uint32_t ring_id, uint32_t *card, bool *foreign)
{
	struct xtr_map *cards = &g->jobs.cards;
	const struct xtr_ring *ring;
	const char *driver;
	int err;

	*card = xtr_map_index(cards, ring_id, 0);
	*foreign = xtr_map_index(cards, ring_id, 1) == 1;
	if (*card != XTR_MAP_NONE)
		return 0;
	ring = g->o->tables ? xtr_tables_ring(g->o->tables, ring_id) : NULL;
	*card = ring && ring->device != XTR_MAP_NONE ? ring->device : 0;
	driver = *card ? driver_of(g, xtr_tables_string(g->o->tables, *card, NULL)) : NULL;
	*foreign = driver && strcmp(driver, "amdgpu");
	if (cards->n >= 2 * AMDGPU_ROWS_MAX)
		return 0;
	err = xtr_map_put(cards, ring_id, 0, *card);
	return err ? err : xtr_map_put(cards, ring_id, 1, *foreign);
}

int amdgpu_jobs_scheduler(struct amdgpu *g, const struct xtr_event *ev)
{
	struct xtr_gpu_record r;
	struct amdgpu_job *job;
	uint32_t card;
	bool foreign;
	int err;

	if (!g->jobs.recorded || (ev->type != XTR_EV_JOB_QUEUE && ev->type != XTR_EV_JOB_RUN) ||
	    xtr_gpu_record_get(ev, &r) <= 0)
		return 0;
	err = card_of(g, r.ring, &card, &foreign);
	if (err || foreign)
		return err;
	job = job_get(g, r.ctx, r.seqno);
	if (!job)
		err = job_new(g, r.ctx, r.seqno, &job);
	if (err)
		return err;
	job->card = card;
	if (ev->type == XTR_EV_JOB_QUEUE) {
		job->queued = true;
		job->kernel = r.client_id >= CLIENT_KERNEL;
	}
	return 0;
}

int amdgpu_jobs_job(struct amdgpu *g, const struct xtr_job *j)
{
	struct amdgpu_jobs *s = &g->jobs;
	const struct amdgpu_job *job;
	const char *ring;

	if (!j->ring->driver || strcmp(j->ring->driver, "amdgpu"))
		return 0;
	if (j->flags & XTR_FLAG_TIMEOUT && !s->timeouts++)
		s->timeout_ns = j->done_ns ? j->done_ns : j->run_ns;
	s->errors += j->flags & XTR_FLAG_ERROR ? 1 : 0;
	if (!s->recorded || j->flags & XTR_FLAG_KEY_INFERRED)
		return 0;
	job = job_get(g, j->ctx, j->seqno);
	if (!job || !job->submitted || !job->selected)
		return 0;
	ring = g->o->tables && job->ring ? xtr_tables_string(g->o->tables, job->ring, NULL) : NULL;
	s->checked++;
	s->same_process += xtr_process(j->pid, j->nth) == job->process;
	s->same_ring += ring && !strcmp(ring, j->ring->name);
	return 0;
}

int amdgpu_jobs_finish(struct amdgpu *g)
{
	struct amdgpu_jobs *s = &g->jobs;
	const struct amdgpu_job *job;
	int err = 0;

	for (uint32_t i = 0; i < s->recent.max && !err; i++) {
		job = xtr_recent_at(&s->recent, i);
		if (job)
			err = job_closes(g, job, true);
	}
	return err;
}
