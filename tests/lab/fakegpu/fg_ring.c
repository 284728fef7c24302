// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring: one drm_gpu_scheduler and a made-up engine behind it.
 *
 * In order, a job starts when it was handed over and the job before it ended; out of order, every
 * job starts at once. An hrtimer plays engine and interrupt: a job ends when the timer that was set
 * for it fires, in hard interrupt context. Emulated machines fire timers milliseconds late; since
 * the timer is the engine, that makes the job longer, and does not come between its end and its
 * signal, as no real interrupt would. With coalesce_ns the engine exists in numbers only: jobs end
 * one after the other on time, and the interrupt for all that ended comes at the next multiple.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "fg.h"

#define FG_NEVER U64_MAX

static unsigned int timeout_ms = 300;
module_param(timeout_ms, uint, 0444);
MODULE_PARM_DESC(timeout_ms, "time limit of a job on the hardware");

static unsigned int flush_ms = 50;
module_param(flush_ms, uint, 0644);
MODULE_PARM_DESC(flush_ms, "time that the queue of a closed file has to run empty");

/* A job on the hardware. The fence comes first: its default release frees the whole. */
struct fg_hw {
	struct dma_fence base;
	struct list_head link;
	struct fg_ring *ring;
	struct fg_rec *rec;
	u64 duration;
	u64 start;
	u64 end;
	bool hang;
};

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

static const char *fg_driver_name(struct dma_fence *fence)
{
	return "fakegpu";
}

static const char *fg_timeline_name(struct dma_fence *fence)
{
	return container_of(fence, struct fg_hw, base)->ring->name;
}

static const struct dma_fence_ops fg_fence_ops = {
	.get_driver_name = fg_driver_name,
	.get_timeline_name = fg_timeline_name,
};

/* When the interrupt for a job that ends at end comes. Under ring->lock, as the next three. */
static u64 fg_due(const struct fg_ring *ring, u64 end)
{
	if (end == FG_NEVER || ring->coalesce_ns == 0)
		return end;
	return div64_u64(end + ring->coalesce_ns - 1, ring->coalesce_ns) * ring->coalesce_ns;
}

static void fg_arm_timer(struct fg_ring *ring)
{
	u64 next = FG_NEVER;
	struct fg_hw *hw;

	list_for_each_entry(hw, &ring->hw, link) {
		next = min(next, fg_due(ring, hw->end));
	}
	if (next != FG_NEVER)
		hrtimer_start(&ring->timer, ns_to_ktime(next), HRTIMER_MODE_ABS);
}

/* Gives the engine a job: settles its start and its end, as far as they are known. */
static void fg_schedule(struct fg_ring *ring, struct fg_hw *hw)
{
	u64 run = hw->rec->run_ns;

	hw->start = ring->ooo ? run : max(run, ring->busy_until);
	hw->end = FG_NEVER;
	if (hw->start != FG_NEVER && !hw->hang)
		hw->end = hw->start + hw->duration;
	if (!ring->ooo)
		ring->busy_until = hw->end;
}

/* The engine is free: what waited behind the job that ended, or hung and was reset, starts now. */
static void fg_restart(struct fg_ring *ring, u64 now)
{
	struct fg_hw *hw;

	if (ring->ooo)
		return;
	ring->busy_until = now;
	list_for_each_entry(hw, &ring->hw, link)
		fg_schedule(ring, hw);
}

/* Tells the world that hw has ended, and gives up the engine's reference to it. */
static void fg_signal(struct fg_hw *hw, enum fg_result result)
{
	hw->rec->start_ns = hw->start;
	hw->rec->end_ns = hw->end;
	hw->rec->result = result;
	hw->rec->signal_ns = ktime_get_ns();
	dma_fence_signal(&hw->base);
	hw->rec->signalled_ns = ktime_get_ns();
	dma_fence_put(&hw->base);
}

static void fg_move_ended(struct fg_hw *hw, struct list_head *ended)
{
	struct fg_hw *other;

	list_for_each_entry(other, ended, link) {
		if (other->end > hw->end)
			break;
	}
	list_move_tail(&hw->link, &other->link);
}

/* Takes the jobs that have ended off the ring, in order of their ends. */
static void fg_collect(struct fg_ring *ring, u64 now, struct list_head *ended)
{
	struct fg_hw *hw, *next;

	list_for_each_entry_safe(hw, next, &ring->hw, link) {
		if (fg_due(ring, hw->end) > now)
			continue;
		if (ring->coalesce_ns == 0)
			hw->end = now;
		fg_move_ended(hw, ended);
		if (ring->coalesce_ns == 0 && !ring->ooo) {
			fg_restart(ring, now);
			break;
		}
	}
}

static enum hrtimer_restart fg_interrupt(struct hrtimer *timer)
{
	struct fg_ring *ring = container_of(timer, struct fg_ring, timer);
	struct fg_hw *hw, *next;
	unsigned long flags;
	LIST_HEAD(ended);

	spin_lock_irqsave(&ring->lock, flags);
	fg_collect(ring, ktime_get_ns(), &ended);
	fg_arm_timer(ring);
	spin_unlock_irqrestore(&ring->lock, flags);

	list_for_each_entry_safe(hw, next, &ended, link) {
		list_del_init(&hw->link);
		fg_signal(hw, FG_OK);
	}
	return HRTIMER_NORESTART;
}

static struct dma_fence *fg_run_job(struct drm_sched_job *base)
{
	struct fg_job *job = to_job(base);
	struct fg_ring *ring = job->ring;
	struct fg_hw *hw = job->hw;
	u64 now = ktime_get_ns();
	unsigned long flags;

	if (base->s_fence->finished.error)
		return NULL;
	job->rec->run_ns = now;
	job->ran = true;
	spin_lock_irqsave(&ring->lock, flags);
	dma_fence_init(&hw->base, &fg_fence_ops, &ring->fence_lock, ring->context, ++ring->seqno);
	dma_fence_get(&hw->base); /* the engine's; the first is the job's */
	dma_fence_get(&hw->base); /* the scheduler's */
	fg_schedule(ring, hw);
	list_add_tail(&hw->link, &ring->hw);
	fg_arm_timer(ring);
	spin_unlock_irqrestore(&ring->lock, flags);
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
	struct fg_ring *ring = job->ring;
	struct fg_hw *hw = job->hw;
	unsigned long flags;
	bool hung;

	spin_lock_irqsave(&ring->lock, flags);
	hung = job->ran && hw->hang && hw->start != FG_NEVER && !list_empty(&hw->link);
	if (hung) {
		hw->end = ktime_get_ns();
		list_del_init(&hw->link);
		fg_restart(ring, hw->end);
		fg_arm_timer(ring);
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	if (hung) {
		dma_fence_set_error(&hw->base, -ETIME);
		dma_fence_set_error(&base->s_fence->finished, -ETIME);
		fg_signal(hw, FG_TIMEOUT);
	}
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

	rec->context = fence->context;
	rec->seqno = fence->seqno;
	rec->client_id = s->client_id;
	rec->kernel = s->flags & FAKEGPU_JOB_KERNEL;
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
	struct fg_ring *ring = ent->ring;
	struct fg_job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	struct fg_hw *hw = kzalloc(sizeof(*hw), GFP_KERNEL);
	struct fg_rec *rec;
	int ret = -ENOMEM;

	if (!job || !hw)
		goto free;
	hw->ring = ring;
	hw->duration = s->duration_ns;
	hw->hang = s->flags & FAKEGPU_JOB_HANG;
	INIT_LIST_HEAD(&hw->link);
	job->hw = hw;
	job->ring = ring;
	ret = fg_job_init(job, ent, s);
	if (ret)
		goto free;
	ret = fg_add_deps(job, s);
	if (ret)
		goto cleanup;
	ret = -ENOSPC;
	rec = fg_rec_new(ring, &s->handle);
	if (!rec)
		goto cleanup;
	hw->rec = rec;
	job->rec = rec;

	spin_lock_irq(&ring->lock);
	ring->live++;
	spin_unlock_irq(&ring->lock);
	mutex_lock(&ent->lock);
	drm_sched_job_arm(&job->base);
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

int fg_entity_init(struct fg_entity *ent, struct fg_ring *ring)
{
	struct drm_gpu_scheduler *list = &ring->sched;

	mutex_init(&ent->lock);
	ent->ring = ring;
	return drm_sched_entity_init(&ent->base, DRM_SCHED_PRIORITY_NORMAL, &list, 1, NULL);
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

int fg_ring_config(struct fg_ring *ring, u32 depth, bool ooo, u64 coalesce_ns)
{
	int ret = -EBUSY;

	spin_lock_irq(&ring->lock);
	if (ring->live == 0) {
		*fg_depth(ring) = depth;
		ring->ooo = ooo;
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
	spin_lock_init(&ring->lock);
	spin_lock_init(&ring->fence_lock);
	INIT_LIST_HEAD(&ring->hw);
	init_waitqueue_head(&ring->idle);
	ring->context = dma_fence_context_alloc(1);
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(&ring->timer, fg_interrupt, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(&ring->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	ring->timer.function = fg_interrupt;
#endif
	ret = fg_sched_init(ring, dev, depth);
	if (ret)
		return ret;
	ret = fg_entity_init(&ring->kernel, ring);
	if (ret)
		drm_sched_fini(&ring->sched);
	return ret;
}

void fg_ring_fini(struct fg_ring *ring)
{
	fg_entity_fini(&ring->kernel);
	wait_event(ring->idle, fg_ring_live(ring) == 0);
	/* The one that woke us is out of the ring's memory once it has let go of the lock. */
	spin_lock_irq(&ring->lock);
	spin_unlock_irq(&ring->lock);
	hrtimer_cancel(&ring->timer);
	drm_sched_fini(&ring->sched);
}
