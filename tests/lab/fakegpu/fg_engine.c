/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine of a ring: what would be hardware. An hrtimer plays engine and interrupt: a job ends
 * when the timer that was set for it fires, in hard interrupt context. Emulated machines fire
 * timers milliseconds late; since the timer is the engine, that makes the job longer, and does not
 * come between its end and its signal, as no real interrupt would.
 *
 * In order, a job starts when it was handed over and the job before it ended. Out of order, every
 * job starts at once. In parallel, every job starts at once, and none ends before the one that was
 * handed over before it: retire_ns later at the earliest. With coalesce_ns the engine exists in
 * numbers only: jobs end one after the other on time, and the interrupt for all that ended comes at
 * the next multiple.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>

#include "fg.h"

#define FG_NEVER U64_MAX

static unsigned int retire_ns = 50000;
module_param(retire_ns, uint, 0644);
MODULE_PARM_DESC(retire_ns, "parallel rings: ns from the end of a job to that of the next");

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

/* When the interrupt for a job that ends at end comes. Under ring->lock, as the next five. */
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
	u64 run = hw->rec->run_ns, before = ring->busy_until;

	hw->start = ring->mode == FG_IN_ORDER ? max(run, before) : run;
	hw->end = FG_NEVER;
	if (hw->start != FG_NEVER && !hw->hang)
		hw->end = hw->start + hw->duration;
	if (ring->mode == FG_PARALLEL && hw->end != FG_NEVER)
		hw->end = before == FG_NEVER ? FG_NEVER : max(hw->end, before + retire_ns);
	if (ring->mode != FG_OUT_OF_ORDER)
		ring->busy_until = hw->end;
}

/* The engine is free: what waited behind the job that ended, or hung and was reset, starts now. */
static void fg_restart(struct fg_ring *ring, u64 now)
{
	struct fg_hw *hw;

	if (ring->mode == FG_OUT_OF_ORDER)
		return;
	ring->busy_until = now;
	list_for_each_entry(hw, &ring->hw, link)
		fg_schedule(ring, hw);
}

void fg_signal(struct fg_hw *hw, enum fg_result result)
{
	hw->rec->start_ns = hw->start;
	hw->rec->end_ns = hw->end;
	hw->rec->result = result;
	if (hw->fault && result == FG_OK)
		dma_fence_set_error(&hw->base, -ECANCELED);
	hw->rec->hw_error = hw->base.error;
	hw->rec->signal_ns = ktime_get_ns();
	dma_fence_signal(&hw->base);
	hw->rec->fence_ns = ktime_to_ns(hw->base.timestamp);
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
		if (ring->coalesce_ns == 0 && ring->mode != FG_OUT_OF_ORDER) {
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

void fg_engine_run(struct fg_hw *hw)
{
	struct fg_ring *ring = hw->ring;
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	dma_fence_init(&hw->base, &fg_fence_ops, &ring->fence_lock, ring->context, ++ring->seqno);
	hw->rec->hw_context = ring->context;
	hw->rec->hw_seqno = ring->seqno;
	dma_fence_get(&hw->base); /* the engine's; the first is the job's */
	fg_schedule(ring, hw);
	list_add_tail(&hw->link, &ring->hw);
	fg_arm_timer(ring);
	spin_unlock_irqrestore(&ring->lock, flags);
}

bool fg_engine_reset(struct fg_hw *hw, struct dma_fence *finished)
{
	struct fg_ring *ring = hw->ring;
	unsigned long flags;
	bool hung = false;
	u64 now;

	/* As one: no job behind it is over before the world knows that this one is. */
	spin_lock_irqsave(&ring->lock, flags);
	if (hw->hang && hw->start != FG_NEVER && !list_empty(&hw->link)) {
		hung = true;
		now = ktime_get_ns();
		hw->end = now;
		list_del_init(&hw->link);
		dma_fence_set_error(&hw->base, -ETIME);
		dma_fence_set_error(finished, -ETIME);
		fg_signal(hw, FG_TIMEOUT);
		fg_restart(ring, now);
		fg_arm_timer(ring);
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	return hung;
}

void fg_engine_init(struct fg_ring *ring)
{
	spin_lock_init(&ring->lock);
	spin_lock_init(&ring->fence_lock);
	INIT_LIST_HEAD(&ring->hw);
	ring->context = dma_fence_context_alloc(1);
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(&ring->timer, fg_interrupt, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(&ring->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	ring->timer.function = fg_interrupt;
#endif
}

void fg_engine_fini(struct fg_ring *ring)
{
	/* The one that woke us is out of the ring's memory once it has let go of the lock. */
	spin_lock_irq(&ring->lock);
	spin_unlock_irq(&ring->lock);
	hrtimer_cancel(&ring->timer);
}
