/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring: one drm_gpu_scheduler, whose back end gives jobs to the engine (fg_engine.c).
 *
 * A job with FAKEGPU_JOB_EARLY is over before the scheduler can ask for its fence: the call that
 * hands it over comes back late_us after the fence was signalled, as with a worker that was
 * preempted there.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "fg.h"

static unsigned int timeout_ms = 300;
module_param(timeout_ms, uint, 0444);
MODULE_PARM_DESC(timeout_ms, "time limit of a job on the hardware");

static unsigned int flush_ms = 50;
module_param(flush_ms, uint, 0644);
MODULE_PARM_DESC(flush_ms, "time that the queue of a closed file has to run empty");

static unsigned int late_us = 3000;
module_param(late_us, uint, 0644);
MODULE_PARM_DESC(late_us, "early jobs: time from the end to the scheduler's callback");

#define FG_EARLY_US 2000000 /* longest wait for the end of an early job */

struct fg_job {
	struct drm_sched_job base;
	struct fg_ring *ring;
	struct fg_rec *rec;
	struct fg_hw *hw;
	bool ran;
};

static struct fg_job *to_job(struct drm_sched_job *base)
{
	return container_of(base, struct fg_job, base);
}

/* Comes back when the job has been over for late_us, or does not end. */
static void fg_outlast(struct fg_hw *hw)
{
	for (unsigned int waited = 0; waited < FG_EARLY_US && !dma_fence_is_signaled(&hw->base);
	     waited += 200)
		usleep_range(200, 300);
	usleep_range(late_us, late_us + 200);
}

static struct dma_fence *fg_run_job(struct drm_sched_job *base)
{
	struct fg_job *job = to_job(base);
	struct fg_hw *hw = job->hw;
	u64 now = ktime_get_ns();

	if (base->s_fence->finished.error)
		return NULL;
	job->rec->run_ns = now;
	job->rec->mode = job->ring->mode;
	job->rec->depth = fg_ring_depth(job->ring);
	job->ran = true;
	fg_engine_run(hw);
	dma_fence_get(&hw->base); /* the scheduler's */
	if (hw->early)
		fg_outlast(hw);
	return &hw->base;
}

/*
 * The scheduler took the job off its pending list before it called. It goes back there, so that the
 * usual way of freeing finished jobs applies, be it reset or innocent: newer schedulers do that
 * themselves and call it "no hang".
 */
static enum drm_gpu_sched_stat fg_give_back(struct drm_sched_job *base)
{
#ifdef HAVE_STAT_NO_HANG
	return DRM_GPU_SCHED_STAT_NO_HANG;
#else
	struct drm_gpu_scheduler *sched = base->sched;

	spin_lock(&sched->job_list_lock);
	list_add(&base->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
#ifdef HAVE_WORK_FREE_JOB
	queue_work(sched->submit_wq, &sched->work_free_job);
#else
	wake_up_interruptible(&sched->wake_up_worker);
#endif
	return DRM_GPU_SCHED_STAT_NOMINAL;
#endif
}

/*
 * Resets the engine if the job hangs. Jobs behind it keep their place. A job that is only late
 * (a busy machine) is left alone.
 */
static enum drm_gpu_sched_stat fg_timedout_job(struct drm_sched_job *base)
{
	struct fg_job *job = to_job(base);

	if (job->ran && fg_engine_reset(job->hw, &base->s_fence->finished))
		fg_dump_hang(job->hw);
	return fg_give_back(base);
}

static void fg_free_job(struct drm_sched_job *base)
{
	struct fg_job *job = to_job(base);
	struct fg_ring *ring = job->ring;
	unsigned long flags;

	if (job->ran) {
		dma_fence_put(&job->hw->base);
	} else {
		job->rec->result = FG_KILLED;
		kfree(job->hw);
	}
	fg_rec_drop_fence(job->rec);
	drm_sched_job_cleanup(base);
	kfree(job);
	spin_lock_irqsave(&ring->lock, flags);
	if (--ring->live == 0)
		wake_up_all(&ring->idle);
	spin_unlock_irqrestore(&ring->lock, flags);
}

static const struct drm_sched_backend_ops fg_sched_ops = {
	.run_job = fg_run_job,
	.timedout_job = fg_timedout_job,
	.free_job = fg_free_job,
};

struct fg_rec *fg_rec_of_job(struct drm_sched_job *base)
{
	return base->sched->ops == &fg_sched_ops ? to_job(base)->rec : NULL;
}

struct fg_rec *fg_rec_of_fence(struct drm_sched_fence *fence)
{
	if (fence->sched->ops != &fg_sched_ops || !fence->parent)
		return NULL;
	return container_of(fence->parent, struct fg_hw, base)->rec;
}

static int fg_job_init(struct fg_job *job, struct fg_entity *ent, struct fg_submit *s)
{
#if defined(HAVE_JOB_CLIENT_ID)
	return drm_sched_job_init(&job->base, &ent->base, 1, s->owner, s->client_id);
#elif defined(HAVE_JOB_CREDITS)
	return drm_sched_job_init(&job->base, &ent->base, 1, s->owner);
#else
	return drm_sched_job_init(&job->base, &ent->base, s->owner);
#endif
}

static int fg_add_deps(struct fg_job *job, const struct fg_submit *s)
{
	struct dma_fence *fence;
	int ret, error;
	u32 i;

	for (i = 0; i < s->n_deps; i++) {
		ret = fg_rec_fence(s->deps[i], &fence, &error);
		if (ret == 0 && fence)
			ret = drm_sched_job_add_dependency(&job->base, fence);
		if (ret)
			return ret;
	}
	return 0;
}

/* Takes down what the armed job says of itself, before anyone else can see it. */
static void fg_rec_fill(struct fg_rec *rec, struct fg_job *job, const struct fg_submit *s)
{
	struct dma_fence *fence = &job->base.s_fence->finished, *dep;
	unsigned long i;

	rec->ring = job->ring;
	rec->context = fence->context;
	rec->seqno = fence->seqno;
	rec->client_id = s->client_id;
	rec->kernel = s->flags & FAKEGPU_JOB_KERNEL;
	rec->queue = s->flags & FAKEGPU_JOB_ANY ? FAKEGPU_QUEUES : s->queue;
	rec->pid = current->tgid;
	rec->tid = current->pid;
	xa_for_each(&job->base.dependencies, i, dep) {
		rec->deps[rec->n_deps].context = dep->context;
		rec->deps[rec->n_deps++].seqno = dep->seqno;
	}
	fg_rec_set_fence(rec, fence);
}

int fg_submit(struct fg_entity *ent, struct fg_submit *s)
{
	struct fg_job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	struct fg_hw *hw = kzalloc(sizeof(*hw), GFP_KERNEL);
	struct fg_ring *ring;
	struct fg_rec *rec;
	int ret = -ENOMEM;

	if (!job || !hw)
		goto free;
	hw->duration = s->duration_ns;
	hw->hang = s->flags & FAKEGPU_JOB_HANG;
	hw->fault = s->flags & FAKEGPU_JOB_FAULT;
	hw->early = s->flags & FAKEGPU_JOB_EARLY && !hw->hang;
	INIT_LIST_HEAD(&hw->link);
	job->hw = hw;
	ret = fg_job_init(job, ent, s);
	if (ret)
		goto free;
	ret = fg_add_deps(job, s);
	if (ret)
		goto cleanup;
	ret = -ENOSPC;
	rec = fg_rec_new(ent->rings[0], &s->handle);
	if (!rec)
		goto cleanup;
	hw->rec = rec;
	job->rec = rec;

	mutex_lock(&ent->lock);
	/* The scheduler of an entity that has several is chosen here. */
	drm_sched_job_arm(&job->base);
	ring = container_of(job->base.sched, struct fg_ring, sched);
	job->ring = ring;
	hw->ring = ring;
	spin_lock_irq(&ring->lock);
	ring->live++;
	spin_unlock_irq(&ring->lock);
	fg_rec_fill(rec, job, s);
	s->context = rec->context;
	s->seqno = rec->seqno;
	rec->queue_ns = ktime_get_ns();
	drm_sched_entity_push_job(&job->base);
	mutex_unlock(&ent->lock);
	return 0;

cleanup:
	drm_sched_job_cleanup(&job->base);
free:
	kfree(hw);
	kfree(job);
	return ret;
}

int fg_entity_init(struct fg_entity *ent, struct fg_ring *rings, unsigned int n)
{
	mutex_init(&ent->lock);
	for (unsigned int i = 0; i < n; i++) {
		ent->rings[i] = &rings[i];
		ent->scheds[i] = &rings[i].sched;
	}
	return drm_sched_entity_init(&ent->base, DRM_SCHED_PRIORITY_NORMAL, ent->scheds, n, NULL);
}

void fg_entity_fini(struct fg_entity *ent)
{
	drm_sched_entity_flush(&ent->base, msecs_to_jiffies(flush_ms));
	drm_sched_entity_fini(&ent->base);
}

u32 fg_ring_live(struct fg_ring *ring)
{
	return READ_ONCE(ring->live);
}

static u32 *fg_depth(struct fg_ring *ring)
{
#ifdef HAVE_CREDIT_LIMIT
	return &ring->sched.credit_limit;
#else
	return &ring->sched.hw_submission_limit;
#endif
}

u32 fg_ring_depth(const struct fg_ring *ring)
{
	return *fg_depth((struct fg_ring *)ring);
}

int fg_ring_config(struct fg_ring *ring, u32 depth, enum fg_mode mode, u64 coalesce_ns)
{
	int ret = -EBUSY;

	spin_lock_irq(&ring->lock);
	if (ring->live == 0) {
		*fg_depth(ring) = depth;
		ring->mode = mode;
		ring->coalesce_ns = coalesce_ns;
		ring->busy_until = 0;
		ret = 0;
	}
	spin_unlock_irq(&ring->lock);
	return ret;
}

static int fg_sched_init(struct fg_ring *ring, struct device *dev, u32 depth)
{
	long timeout = msecs_to_jiffies(timeout_ms);
#ifdef HAVE_INIT_ARGS
	struct drm_sched_init_args args = {
		.ops = &fg_sched_ops,
#ifdef HAVE_INIT_NUM_RQS
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
#endif
		.credit_limit = depth,
		.timeout = timeout,
		.name = ring->name,
		.dev = dev,
	};

	return drm_sched_init(&ring->sched, &args);
#elif defined(HAVE_JOB_CREDITS)
	return drm_sched_init(&ring->sched, &fg_sched_ops, NULL, DRM_SCHED_PRIORITY_COUNT, depth, 0,
			      timeout, NULL, NULL, ring->name, dev);
#else
	return drm_sched_init(&ring->sched, &fg_sched_ops, depth, 0, timeout, NULL, NULL,
			      ring->name, dev);
#endif
}

int fg_ring_init(struct fg_ring *ring, struct device *dev, const char *name, u32 depth)
{
	int ret;

	ring->dev_name = dev_name(dev);
	ring->name = name;
	init_waitqueue_head(&ring->idle);
	fg_engine_init(ring);
	ret = fg_sched_init(ring, dev, depth);
	if (ret)
		return ret;
	ret = fg_entity_init(&ring->kernel, ring, 1);
	if (ret)
		drm_sched_fini(&ring->sched);
	return ret;
}

void fg_ring_fini(struct fg_ring *ring)
{
	fg_entity_fini(&ring->kernel);
	wait_event(ring->idle, fg_ring_live(ring) == 0);
	fg_engine_fini(ring);
	drm_sched_fini(&ring->sched);
}
