/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the stand-in loader share. */
#ifndef FAKENPU_ZE_INTERNAL_H
#define FAKENPU_ZE_INTERNAL_H

#include <pthread.h>
#include <stdint.h>

#include "../fakenpu_uapi.h"
#include "ze.h"
#include "ze_log.h"

#define PAGE        4096u
#define MAX_BUFFERS 128

struct buffer {
	struct buffer *next;
	void *ptr; /* mapped, or the NPU address of device memory */
	uint64_t size;
	uint32_t handle;
	int mapped;
};

struct ze_driver {
	int one;
};

struct ze_device {
	int one;
};

struct ze_context {
	int fd;
	pthread_mutex_t lock;
	struct buffer *allocations;
};

struct ze_fence {
	int fd;
	uint32_t handle; /* of the command buffer to wait for, 0 while there is none */
};

struct ze_queue {
	int fd;
	uint32_t id; /* 0: the kernel has no queues to create */
	struct ze_fence last;
};

struct ze_list {
	struct ze_context *context;
	struct buffer commands, heap;
	uint32_t handles[MAX_BUFFERS];
	uint32_t n;
	uint64_t duration_ns;
};

struct ze_graph {
	struct ze_context *context;
	uint32_t n;
	struct buffer buffers[MAX_BUFFERS];
};

/* 0 where the driver does not know it. */
uint64_t ze_get_param(int fd, uint32_t param);
/* A buffer of size bytes, mapped for the host if so wished. 0 or -errno. */
int ze_buffer_create(int fd, uint64_t size, int map, struct buffer *b);
void ze_buffer_destroy(int fd, struct buffer *b);

#endif
