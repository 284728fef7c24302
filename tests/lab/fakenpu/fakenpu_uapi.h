/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ioctls of /dev/accel/accel0 that the stand-in answers: numbers and layouts of the real
 * driver's public interface (drm/ivpu_accel.h), declared again so that every kernel's headers do.
 */
#ifndef FAKENPU_UAPI_H
#define FAKENPU_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define FAKENPU_NODE "/dev/accel/accel0"

/* Parameters of GET_PARAM that have a meaning here; every other one below 32 reads as 0. */
#define FAKENPU_PARAM_CORE_CLOCK_RATE 3
#define FAKENPU_PARAM_CONTEXT_ID      7
#define FAKENPU_PARAMS                32

struct fakenpu_param {
	__u32 param;
	__u32 index;
	__u64 value; /* out */
};

struct fakenpu_bo_create {
	__u64 size; /* bytes, rounded up to pages on return */
	__u32 flags;
	__u32 handle;   /* out */
	__u64 vpu_addr; /* out */
};

struct fakenpu_bo_info {
	__u32 handle;
	__u32 flags; /* out, as all that follows */
	__u64 vpu_addr;
	__u64 mmap_offset; /* for mmap() of the device */
	__u64 size;
};

struct fakenpu_submit {
	__u64 buffers_ptr; /* u32 handles; the first is the command buffer */
	__u32 buffer_count;
	__u32 engine;
	__u32 flags;
	__u32 commands_offset; /* in the command buffer: a struct fakenpu_commands */
	__u32 priority;
};

struct fakenpu_bo_wait {
	__u32 handle;
	__u32 flags;
	__s64 timeout_ns; /* absolute, CLOCK_MONOTONIC */
	__u32 job_status; /* out */
	__u32 pad;
};

struct fakenpu_cmdq_create {
	__u32 cmdq_id; /* out */
	__u32 priority;
	__u32 flags;
};

struct fakenpu_cmdq_destroy {
	__u32 cmdq_id;
};

struct fakenpu_cmdq_submit {
	__u64 buffers_ptr;
	__u32 buffer_count;
	__u32 cmdq_id;
	__u32 flags;
	__u32 commands_offset;
	__u32 preempt_buffer_index;
	__u32 reserved;
};

struct fakenpu_gem_close {
	__u32 handle;
	__u32 pad;
};

/* What the stand-in's engine reads instead of commands. */
struct fakenpu_commands {
	__u64 duration_ns; /* at most a minute */
};

#define FAKENPU_GET_PARAM    _IOWR('d', 0x40, struct fakenpu_param)
#define FAKENPU_BO_CREATE    _IOWR('d', 0x42, struct fakenpu_bo_create)
#define FAKENPU_BO_INFO      _IOWR('d', 0x43, struct fakenpu_bo_info)
#define FAKENPU_SUBMIT       _IOW('d', 0x45, struct fakenpu_submit)
#define FAKENPU_BO_WAIT      _IOWR('d', 0x46, struct fakenpu_bo_wait)
#define FAKENPU_CMDQ_CREATE  _IOWR('d', 0x4b, struct fakenpu_cmdq_create)
#define FAKENPU_CMDQ_DESTROY _IOW('d', 0x4c, struct fakenpu_cmdq_destroy)
#define FAKENPU_CMDQ_SUBMIT  _IOW('d', 0x4d, struct fakenpu_cmdq_submit)
#define FAKENPU_GEM_CLOSE    _IOW('d', 0x09, struct fakenpu_gem_close)

#endif
