/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The ioctls of xtr_fakegpu's render nodes (DRM driver name "fakegpu").
 *
 * A job is named by a handle that is unique over both devices, and valid until the log is reset.
 */
#ifndef FAKEGPU_UAPI_H
#define FAKEGPU_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define FAKEGPU_DEVICES  2
#define FAKEGPU_RINGS    4
#define FAKEGPU_QUEUES   2 /* of each open file, on each ring */
#define FAKEGPU_MAX_DEPS 4

#define FAKEGPU_JOB_KERNEL 1u /* submitted by a kernel thread, on a queue that no client owns */
#define FAKEGPU_JOB_HANG   2u /* never ends on its own: the scheduler's time limit ends it */
#define FAKEGPU_JOB_ANY \
	4u /* on a queue that moves between the device's rings; ring, queue unused */
#define FAKEGPU_JOB_FAULT 8u /* its hardware fence carries an error: -ECANCELED */
#define FAKEGPU_JOB_EARLY \
	16u /* its hardware fence is signalled before the scheduler's callback is there */

struct drm_fakegpu_submit {
	__u32 ring;
	__u32 flags; /* FAKEGPU_JOB_ */
	__u64 duration_ns;
	__u64 deps; /* address of n_deps handles (__u64) */
	__u32 n_deps;
	__u32 queue;
	__u64 handle;  /* out */
	__u64 context; /* out: of the job's finished fence */
	__u64 seqno;   /* out */
};

struct drm_fakegpu_wait {
	__u64 handle;
	__s64 timeout_ns; /* relative; the ioctl fails with ETIME when it has passed */
	__s32 error;      /* out: 0, or the negative errno that the job finished with */
	__u32 pad;
};

#define FAKEGPU_RING_SET 1u /* take depth, coalesce_ns and the mode; EBUSY while jobs are alive */
#define FAKEGPU_RING_OOO 2u /* out of order: every job has its own engine */
#define FAKEGPU_RING_PARALLEL \
	4u /* likewise, but they end in the order in which they were handed over */

struct drm_fakegpu_ring {
	__u32 ring;
	__u32 flags;
	__u32 depth; /* jobs on the hardware at once, 1 to 8 */
	__u32 pad;
	__u64 coalesce_ns; /* interrupts only at multiples of this; 0: one per job */
	char name[32];     /* out */
};

#define DRM_FAKEGPU_SUBMIT 0x00
#define DRM_FAKEGPU_WAIT   0x01
#define DRM_FAKEGPU_RING   0x02

/* 'd' and 0x40 are DRM_IOCTL_BASE and DRM_COMMAND_BASE: Debian 12 has <drm/drm.h> only with libdrm.
 */
#define DRM_IOCTL_FAKEGPU_SUBMIT _IOWR('d', 0x40 + DRM_FAKEGPU_SUBMIT, struct drm_fakegpu_submit)
#define DRM_IOCTL_FAKEGPU_WAIT   _IOWR('d', 0x40 + DRM_FAKEGPU_WAIT, struct drm_fakegpu_wait)
#define DRM_IOCTL_FAKEGPU_RING   _IOWR('d', 0x40 + DRM_FAKEGPU_RING, struct drm_fakegpu_ring)

#endif
