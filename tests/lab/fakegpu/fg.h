/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xtr_fakegpu: two DRM devices without hardware on the real DRM scheduler, that know the truth.
 *
 * fg_drv.c     devices, files, ioctls
 * fg_ring.c    rings: the scheduler's back end
 * fg_engine.c  the engine behind each, that an hrtimer plays
 * fg_dump.c    what it leaves of a hang
 * fg_report.c  when the scheduler's own events were emitted
 * fg_truth.c   the log: one record per job, kept until reset
 * fg_emitted.c counts trace points with probes of its own
 */
#ifndef FG_H
#define FG_H

#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <drm/drm_device.h>
#include <drm/gpu_scheduler.h>

#include "fakegpu_uapi.h"

#define FG_MAX_DEPTH 8

enum fg_result {
	FG_OPEN,
	FG_OK,
	FG_TIMEOUT,
	FG_KILLED,
};

enum fg_mode {
	FG_IN_ORDER,
	FG_OUT_OF_ORDER,
	FG_PARALLEL, /* all at once, but ending in order */
};

struct fg_ring;

/* What is known of one job. Times are CLOCK_MONOTONIC ns, 0 where the thing did not happen. */
struct fg_rec {
	struct dma_fence *fence; /* the finished fence while the job lives; under the log's lock */
	struct fg_ring *ring;
	u64 context;
	u64 seqno;
	u64 client_id;
	u64 queue_ns;
	u64 event_run_ns; /* the scheduler's run event was emitted; as report_ns by another thread
			   */
	u64 run_ns;
	u64 start_ns;
	u64 end_ns;
	u64 signal_ns;
	u64 fence_ns;     /* the time stamp of the hardware fence */
	u64 signalled_ns; /* written last: while it is below signal_ns, it is not known */
	u64 report_ns;    /* the scheduler's done event was emitted */
	u64 hw_context;   /* of the hardware fence; 0: never ran */
	u64 hw_seqno;
	int hw_error;
	u32 depth;
	u8 mode;
	u8 queue;
	pid_t pid;
	pid_t tid;
	int error;
	u8 result;
	bool kernel;
	u8 n_deps;
	struct {
		u64 context;
		u64 seqno;
	} deps[FAKEGPU_MAX_DEPS];
};

/*
 * A queue of one client (or of the kernel): on one ring, or on whichever is free when it is empty.
 * The lock orders arm and push.
 */
struct fg_entity {
	struct drm_sched_entity base;
	struct mutex lock;
	struct fg_ring *rings[FAKEGPU_RINGS];
	struct drm_gpu_scheduler
		*scheds[FAKEGPU_RINGS]; /* the entity refers to them while it lives */
};

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
	bool fault;
	bool early;
};

/* One execution unit behind one scheduler. */
struct fg_ring {
	struct drm_gpu_scheduler sched;
	struct fg_entity kernel;
	const char *dev_name;
	const char *name;
	spinlock_t lock;
	spinlock_t fence_lock;
	struct hrtimer timer;
	struct list_head hw; /* struct fg_hw on the hardware, in run order; this and below: lock */
	u64 busy_until;      /* in order: when the engine has done all that it was given */
	u64 seqno;
	u64 context;
	u64 coalesce_ns;
	u32 live; /* jobs pushed and not yet freed */
	enum fg_mode mode;
	wait_queue_head_t idle;
};

struct fg_submit {
	u64 duration_ns;
	u32 flags;
	u32 queue;
	u32 n_deps;
	u64 deps[FAKEGPU_MAX_DEPS];
	u64 client_id;
	void *owner;
	u64 handle; /* out, as the next two */
	u64 context;
	u64 seqno;
};

int fg_ring_init(struct fg_ring *ring, struct device *dev, const char *name, u32 depth);
/* Waits for the ring's jobs, then takes it down. Its clients are gone by then. */
void fg_ring_fini(struct fg_ring *ring);
/* -EBUSY while jobs are alive. */
int fg_ring_config(struct fg_ring *ring, u32 depth, enum fg_mode mode, u64 coalesce_ns);
u32 fg_ring_depth(const struct fg_ring *ring);
u32 fg_ring_live(struct fg_ring *ring);

/* The log's record of a job, of its scheduler fence: NULL for another driver's, or one that did not
 * run. */
struct fg_rec *fg_rec_of_job(struct drm_sched_job *job);
struct fg_rec *fg_rec_of_fence(struct drm_sched_fence *fence);

void fg_engine_init(struct fg_ring *ring);
void fg_engine_fini(struct fg_ring *ring);
/* Makes the hardware fence, and puts the job on the hardware; rec->run_ns is set. */
void fg_engine_run(struct fg_hw *hw);
/* Ends the job with -ETIME, as its scheduler fence, if it hangs: true. */
bool fg_engine_reset(struct fg_hw *hw, struct dma_fence *finished);
/* Tells the world that hw has ended, and gives up the engine's reference to it. */
void fg_signal(struct fg_hw *hw, enum fg_result result);

/* On the first n of rings, in a row. */
int fg_entity_init(struct fg_entity *ent, struct fg_ring *rings, unsigned int n);
/* Gives queued jobs flush_ms to get to the hardware, kills the rest. */
void fg_entity_fini(struct fg_entity *ent);
int fg_submit(struct fg_entity *ent, struct fg_submit *s);

/* A job hung: leave what the module's parameters ask for. May sleep. */
void fg_dump_hang(struct fg_hw *hw);
/* Tell user space that the device needs help: as drm_dev_wedged_event() of newer kernels. */
void fg_wedged(struct device *dev);

int fg_truth_init(void);
void fg_truth_fini(void);
/* The next free record, or NULL when the log is full. */
struct fg_rec *fg_rec_new(struct fg_ring *ring, u64 *handle);
/* A reference to the finished fence of the job behind handle, NULL if that job is gone. -ENOENT. */
int fg_rec_fence(u64 handle, struct dma_fence **fence, int *error);
void fg_rec_set_fence(struct fg_rec *rec, struct dma_fence *fence);
void fg_rec_drop_fence(struct fg_rec *rec);

int fg_emitted_init(void);
void fg_emitted_fini(void);
int fg_emitted_start(void);
void fg_emitted_stop(void);
void fg_emitted_show(struct seq_file *m);
bool fg_emitted_running(void);
/* A trace point of the scheduler or of dma_fence, NULL if there is none of that name. */
struct tracepoint *fg_tracepoint(const char *name);

/* Between fg_emitted_init and fg_emitted_fini. */
int fg_report_init(void);
void fg_report_fini(void);

/* Jobs alive on all rings (fg_drv.c). */
u32 fg_live(void);

#endif
