/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in for the Level Zero loader, with functions whose arguments, results and durations the
 * test decides, and two of Vulkan with what they are about behind a pointer. Signatures are those
 * of the public headers, with handles as pointers.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define ZE_OK        0u
#define ZE_NOT_READY 1u
#define ZE_NO_MEMORY 0x70000003u /* OUT_OF_DEVICE_MEMORY */
#define EXPORT       __attribute__((visibility("default"), noinline)) unsigned int

EXPORT zeInit(uint32_t flags);
EXPORT zeMemAllocHost(void *ctx, const void *desc, size_t size, size_t align, void **p);
EXPORT zeMemAllocDevice(void *ctx, const void *desc, size_t size, size_t align, void *dev,
			void **p);
EXPORT zeMemAllocShared(void *ctx, const void *device, const void *host, size_t size, size_t align,
			void *dev, void **p);
EXPORT zeMemFree(void *ctx, void *p);
EXPORT zeCommandQueueExecuteCommandLists(void *queue, uint32_t n, void **lists, void *fence);
EXPORT zeFenceHostSynchronize(void *fence, uint64_t timeout);
EXPORT zeEventHostSynchronize(void *event, uint64_t timeout);
EXPORT zeContextDestroy(void *ctx);
EXPORT zeModuleDestroy(void *module);
EXPORT zeCommandListClose(void *list);
EXPORT zeCommandListClose_v2(void *list);
EXPORT zeKernelSetGroupSize(void *kernel, uint32_t x, uint32_t y, uint32_t z);
EXPORT vkAllocateMemory(void *dev, const void *info, const void *callbacks, void **memory);
__attribute__((visibility("default"))) void vkFreeMemory(void *dev, void *memory, void *callbacks);

static volatile unsigned int calls; /* so that no call is optimised away */

EXPORT zeInit(uint32_t flags)
{
	calls += flags;
	return ZE_OK;
}

/* More than a TiB is not to be had. */
EXPORT zeMemAllocHost(void *ctx, const void *desc, size_t size, size_t align, void **p)
{
	(void)ctx;
	(void)desc;
	(void)align;
	*p = (void *)&calls;
	calls++;
	return size >> 40 ? ZE_NO_MEMORY : ZE_OK;
}

EXPORT zeMemAllocDevice(void *ctx, const void *desc, size_t size, size_t align, void *dev, void **p)
{
	(void)dev;
	return zeMemAllocHost(ctx, desc, size, align, p);
}

EXPORT zeMemAllocShared(void *ctx, const void *device, const void *host, size_t size, size_t align,
			void *dev, void **p)
{
	zeMemAllocHost(ctx, host, size, align, p);
	return zeMemAllocDevice(ctx, device, size, align, dev, p) + (calls & 0);
}

EXPORT zeMemFree(void *ctx, void *p)
{
	(void)ctx;
	calls += p != NULL;
	return ZE_OK;
}

EXPORT zeCommandQueueExecuteCommandLists(void *queue, uint32_t n, void **lists, void *fence)
{
	(void)queue;
	(void)lists;
	(void)fence;
	calls += n;
	return ZE_OK;
}

/* Takes as long as it may. */
EXPORT zeFenceHostSynchronize(void *fence, uint64_t timeout)
{
	struct timespec left = { (time_t)(timeout / 1000000000u), (long)(timeout % 1000000000u) };

	(void)fence;
	while (timeout && nanosleep(&left, &left) && errno == EINTR)
		;
	return timeout ? ZE_OK : ZE_NOT_READY;
}

/* Calls itself `timeout` times. */
EXPORT zeEventHostSynchronize(void *event, uint64_t timeout)
{
	calls++;
	return timeout ? zeEventHostSynchronize(event, timeout - 1) + (calls & 0) : ZE_OK;
}

/* Do not return: the thread, or the process, ends in them. */
EXPORT zeContextDestroy(void *ctx)
{
	pthread_exit(ctx);
}

EXPORT zeModuleDestroy(void *module)
{
	exit(module != NULL);
}

EXPORT zeCommandListClose(void *list)
{
	calls += list != NULL;
	return ZE_OK;
}

EXPORT zeCommandListClose_v2(void *list) __attribute__((alias("zeCommandListClose")));

static unsigned int group_size(void *kernel, uint32_t x, uint32_t y, uint32_t z)
{
	(void)kernel;
	calls += x + y + z;
	return ZE_OK;
}

typedef unsigned int group_size_fn(void *kernel, uint32_t x, uint32_t y, uint32_t z);

__attribute__((used)) static group_size_fn *choose(void)
{
	return group_size;
}

EXPORT zeKernelSetGroupSize(void *kernel, uint32_t x, uint32_t y, uint32_t z)
	__attribute__((ifunc("choose")));

EXPORT vkAllocateMemory(void *dev, const void *info, const void *callbacks, void **memory)
{
	(void)dev;
	(void)callbacks;
	*memory = (void *)&calls;
	return info ? 0 : (unsigned int)-1;
}

void vkFreeMemory(void *dev, void *memory, void *callbacks)
{
	(void)dev;
	(void)callbacks;
	calls += memory != NULL;
}
