/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the Level Zero interface that the stand-in loader exports: names, arguments and
 * results as in the public specification; descriptors, which it never reads, are plain pointers.
 */
#ifndef FAKENPU_ZE_H
#define FAKENPU_ZE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
	ZE_RESULT_SUCCESS = 0,
	ZE_RESULT_NOT_READY = 1,
	ZE_RESULT_ERROR_DEVICE_LOST = 0x70000001,
	ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY = 0x70000002,
	ZE_RESULT_ERROR_UNINITIALIZED = 0x78000001,
	ZE_RESULT_ERROR_UNSUPPORTED_FEATURE = 0x78000003,
	ZE_RESULT_ERROR_INVALID_ARGUMENT = 0x78000004,
} ze_result_t;

typedef struct ze_driver *ze_driver_handle_t;
typedef struct ze_device *ze_device_handle_t;
typedef struct ze_context *ze_context_handle_t;
typedef struct ze_queue *ze_command_queue_handle_t;
typedef struct ze_list *ze_command_list_handle_t;
typedef struct ze_fence *ze_fence_handle_t;
typedef struct ze_event *ze_event_handle_t;
typedef struct ze_graph *ze_graph_handle_t;

ze_result_t zeInit(uint32_t flags);
ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers);
ze_result_t zeDriverGetExtensionFunctionAddress(ze_driver_handle_t driver, const char *name,
						void **address);
ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *devices);
ze_result_t zeContextCreate(ze_driver_handle_t driver, const void *desc,
			    ze_context_handle_t *context);
ze_result_t zeContextDestroy(ze_context_handle_t context);
ze_result_t zeMemAllocHost(ze_context_handle_t context, const void *host_desc, size_t size,
			   size_t alignment, void **pptr);
ze_result_t zeMemAllocDevice(ze_context_handle_t context, const void *device_desc, size_t size,
			     size_t alignment, ze_device_handle_t device, void **pptr);
ze_result_t zeMemAllocShared(ze_context_handle_t context, const void *device_desc,
			     const void *host_desc, size_t size, size_t alignment,
			     ze_device_handle_t device, void **pptr);
ze_result_t zeMemFree(ze_context_handle_t context, void *ptr);
ze_result_t zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
				 const void *desc, ze_command_queue_handle_t *queue);
ze_result_t zeCommandQueueDestroy(ze_command_queue_handle_t queue);
ze_result_t zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t queue, uint32_t n,
					      ze_command_list_handle_t *lists,
					      ze_fence_handle_t fence);
ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t queue, uint64_t timeout);
ze_result_t zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
				const void *desc, ze_command_list_handle_t *list);
ze_result_t zeCommandListDestroy(ze_command_list_handle_t list);
ze_result_t zeCommandListClose(ze_command_list_handle_t list);
ze_result_t zeCommandListReset(ze_command_list_handle_t list);
ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
				       uint32_t n_wait, ze_event_handle_t *wait);
ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *dst, const void *src,
					  size_t size, ze_event_handle_t signal, uint32_t n_wait,
					  ze_event_handle_t *wait);
ze_result_t zeFenceCreate(ze_command_queue_handle_t queue, const void *desc,
			  ze_fence_handle_t *fence);
ze_result_t zeFenceDestroy(ze_fence_handle_t fence);
ze_result_t zeFenceHostSynchronize(ze_fence_handle_t fence, uint64_t timeout);
ze_result_t zeFenceReset(ze_fence_handle_t fence);

/*
 * What zeDriverGetExtensionFunctionAddress gives for ZE_GRAPH_EXTENSION: functions that no symbol
 * names, as the real graph extension's. A graph is n buffers of so many pages each.
 */
#define ZE_GRAPH_EXTENSION "ZE_extension_graph"

struct ze_graph_table {
	ze_result_t (*create)(ze_context_handle_t context, const uint32_t *pages, uint32_t n,
			      ze_graph_handle_t *graph);
	ze_result_t (*destroy)(ze_graph_handle_t graph);
	/* The job's buffers get the graph's and this argument, its duration so many ns more. */
	ze_result_t (*set_argument)(ze_command_list_handle_t list, const void *argument);
	ze_result_t (*append_execute)(ze_command_list_handle_t list, ze_graph_handle_t graph,
				      uint64_t duration_ns);
};

#endif
