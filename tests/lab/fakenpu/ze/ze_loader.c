/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in libze_loader.so.1: a Level Zero call becomes the ioctls that the real NPU driver
 * library makes of it. An allocation is one BO_CREATE, one BO_INFO and, where the host may read it,
 * a mmap; each command list that is executed is one SUBMIT or, where the kernel has it,
 * CMDQ_SUBMIT; each wait is one BO_WAIT.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ze_internal.h"

static struct ze_driver the_driver;
static struct ze_device the_device;
static int initialised;

static int open_device(void)
{
	return open(FAKENPU_NODE, O_RDWR | O_CLOEXEC);
}

uint64_t ze_get_param(int fd, uint32_t param)
{
	struct fakenpu_param p = { .param = param };

	return ioctl(fd, FAKENPU_GET_PARAM, &p) ? 0 : p.value;
}

int ze_buffer_create(int fd, uint64_t size, int map, struct buffer *b)
{
	struct fakenpu_bo_create c = { .size = (size + PAGE - 1) / PAGE * PAGE, .flags = 1 };
	struct fakenpu_bo_info info = { 0 };

	if (ioctl(fd, FAKENPU_BO_CREATE, &c))
		return -errno;
	info.handle = c.handle;
	if (ioctl(fd, FAKENPU_BO_INFO, &info))
		return -errno;
	*b = (struct buffer){ .size = info.size, .handle = info.handle, .mapped = map };
	b->ptr = (void *)(uintptr_t)info.vpu_addr;
	if (map)
		b->ptr = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			      (off_t)info.mmap_offset);
	return b->ptr == MAP_FAILED ? -errno : 0;
}

void ze_buffer_destroy(int fd, struct buffer *b)
{
	struct fakenpu_gem_close c = { .handle = b->handle };

	if (!b->handle)
		return;
	if (b->mapped)
		munmap(b->ptr, b->size);
	ioctl(fd, FAKENPU_GEM_CLOSE, &c);
}

ZE_API ze_result_t zeInit(uint32_t flags)
{
	int fd;

	(void)flags;
	ZE_CALL();
	if (initialised)
		return ZE_RET(ZE_RESULT_SUCCESS);
	fd = open_device();
	if (fd < 0)
		return ZE_RET(ZE_RESULT_ERROR_UNINITIALIZED);
	for (uint32_t i = 0; i < 12; i++)
		ze_get_param(fd, i);
	close(fd);
	initialised = 1;
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers)
{
	ZE_CALL();
	if (drivers && *count)
		drivers[0] = &the_driver;
	*count = 1;
	return ZE_RET(initialised ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED);
}

ZE_API ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t *count,
			       ze_device_handle_t *devices)
{
	ZE_CALL();
	if (devices && *count)
		devices[0] = &the_device;
	*count = 1;
	return ZE_RET(driver ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* The device is opened twice, and one of the two files closed again, as the real library does. */
ZE_API ze_result_t zeContextCreate(ze_driver_handle_t driver, const void *desc,
				   ze_context_handle_t *context)
{
	struct ze_context *c = calloc(1, sizeof(*c));
	int second;

	(void)driver, (void)desc;
	ZE_CALL();
	if (!c)
		return ZE_RET(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
	c->fd = open_device();
	if (c->fd < 0) {
		free(c);
		return ZE_RET(ZE_RESULT_ERROR_DEVICE_LOST);
	}
	second = open_device();
	if (second >= 0)
		close(second);
	pthread_mutex_init(&c->lock, NULL);
	*context = c;
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeContextDestroy(ze_context_handle_t context)
{
	struct buffer *b, *next;

	ZE_CALL();
	for (b = context->allocations; b; b = next) {
		next = b->next;
		if (b->mapped)
			munmap(b->ptr, b->size);
		free(b);
	}
	close(context->fd);
	free(context);
	return ZE_RET(ZE_RESULT_SUCCESS);
}

/* The library asks for a page more than the program, which the hardware may read ahead. */
static ze_result_t mem_alloc(ze_context_handle_t context, size_t size, int map, void **pptr)
{
	struct buffer *b = calloc(1, sizeof(*b));

	if (!b)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	if (ze_buffer_create(context->fd, size + PAGE, map, b)) {
		free(b);
		return ZE_RESULT_ERROR_DEVICE_LOST;
	}
	pthread_mutex_lock(&context->lock);
	b->next = context->allocations;
	context->allocations = b;
	pthread_mutex_unlock(&context->lock);
	*pptr = b->ptr;
	return ZE_RESULT_SUCCESS;
}

ZE_API ze_result_t zeMemAllocHost(ze_context_handle_t context, const void *host_desc, size_t size,
				  size_t alignment, void **pptr)
{
	(void)host_desc, (void)alignment;
	ZE_CALL();
	ze_call.size = size;
	return ZE_RET(mem_alloc(context, size, 1, pptr));
}

ZE_API ze_result_t zeMemAllocDevice(ze_context_handle_t context, const void *device_desc,
				    size_t size, size_t alignment, ze_device_handle_t device,
				    void **pptr)
{
	(void)device_desc, (void)alignment, (void)device;
	ZE_CALL();
	ze_call.size = size;
	return ZE_RET(mem_alloc(context, size, 0, pptr));
}

ZE_API ze_result_t zeMemAllocShared(ze_context_handle_t context, const void *device_desc,
				    const void *host_desc, size_t size, size_t alignment,
				    ze_device_handle_t device, void **pptr)
{
	(void)device_desc, (void)host_desc, (void)alignment, (void)device;
	ZE_CALL();
	ze_call.size = size;
	return ZE_RET(mem_alloc(context, size, 1, pptr));
}

ZE_API ze_result_t zeMemFree(ze_context_handle_t context, void *ptr)
{
	struct buffer **link, *b;

	ZE_CALL();
	pthread_mutex_lock(&context->lock);
	for (link = &context->allocations; *link && (*link)->ptr != ptr; link = &(*link)->next)
		;
	b = *link;
	if (b)
		*link = b->next;
	pthread_mutex_unlock(&context->lock);
	if (!b)
		return ZE_RET(ZE_RESULT_ERROR_INVALID_ARGUMENT);
	ze_buffer_destroy(context->fd, b);
	free(b);
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
					const void *desc, ze_command_queue_handle_t *queue)
{
	struct fakenpu_cmdq_create c = { .priority = 1 };
	struct ze_queue *q = calloc(1, sizeof(*q));

	(void)device, (void)desc;
	ZE_CALL();
	if (!q)
		return ZE_RET(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
	q->fd = q->last.fd = context->fd;
	if (!ioctl(q->fd, FAKENPU_CMDQ_CREATE, &c))
		q->id = c.cmdq_id;
	*queue = q;
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeCommandQueueDestroy(ze_command_queue_handle_t queue)
{
	struct fakenpu_cmdq_destroy d = { .cmdq_id = queue->id };

	ZE_CALL();
	if (queue->id)
		ioctl(queue->fd, FAKENPU_CMDQ_DESTROY, &d);
	free(queue);
	return ZE_RET(ZE_RESULT_SUCCESS);
}

static int submit(struct ze_queue *queue, struct ze_list *list)
{
	struct fakenpu_submit s = { .buffers_ptr = (uintptr_t)list->handles,
				    .buffer_count = list->n };
	struct fakenpu_cmdq_submit c = { .buffers_ptr = (uintptr_t)list->handles,
					 .buffer_count = list->n,
					 .cmdq_id = queue->id };

	if (queue->id)
		return ioctl(queue->fd, FAKENPU_CMDQ_SUBMIT, &c);
	return ioctl(queue->fd, FAKENPU_SUBMIT, &s);
}

ZE_API ze_result_t zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t queue, uint32_t n,
						     ze_command_list_handle_t *lists,
						     ze_fence_handle_t fence)
{
	ZE_CALL();
	ze_call.n = n;
	for (uint32_t i = 0; i < n; i++) {
		if (submit(queue, lists[i]))
			return ZE_RET(ZE_RESULT_ERROR_DEVICE_LOST);
		queue->last.handle = lists[i]->commands.handle;
	}
	if (fence)
		fence->handle = queue->last.handle;
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeFenceHostSynchronize(ze_fence_handle_t fence, uint64_t timeout)
{
	struct fakenpu_bo_wait w = { .handle = fence->handle };
	struct timespec t;
	uint64_t now;

	ZE_CALL();
	if (!fence->handle)
		return ZE_RET(ZE_RESULT_NOT_READY);
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = t.tv_sec * 1000000000ull + t.tv_nsec;
	w.timeout_ns = timeout > INT64_MAX - now ? INT64_MAX : (int64_t)(now + timeout);
	if (ioctl(fence->fd, FAKENPU_BO_WAIT, &w))
		return ZE_RET(errno == ETIMEDOUT ? ZE_RESULT_NOT_READY
						 : ZE_RESULT_ERROR_DEVICE_LOST);
	return ZE_RET(ZE_RESULT_SUCCESS);
}

/* A call within a call: the tree of calls has two levels here. */
ZE_API ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t queue, uint64_t timeout)
{
	ZE_CALL();
	return ZE_RET(zeFenceHostSynchronize(&queue->last, timeout));
}

ZE_API ze_result_t zeFenceCreate(ze_command_queue_handle_t queue, const void *desc,
				 ze_fence_handle_t *fence)
{
	struct ze_fence *f = calloc(1, sizeof(*f));

	(void)desc;
	ZE_CALL();
	if (!f)
		return ZE_RET(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
	f->fd = queue->fd;
	*fence = f;
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeFenceDestroy(ze_fence_handle_t fence)
{
	ZE_CALL();
	free(fence);
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeFenceReset(ze_fence_handle_t fence)
{
	ZE_CALL();
	fence->handle = 0;
	return ZE_RET(ZE_RESULT_SUCCESS);
}
