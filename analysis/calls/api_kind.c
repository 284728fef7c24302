/* SPDX-License-Identifier: BSD-2-Clause */
#include "api_kind.h"
#include "call_map.h"

#include <fnmatch.h>
#include <stddef.h>

/*
 * The first row that matches holds. Calls that only ask whether work is done (`...Query`,
 * `...GetFenceStatus`) do not block and are no waits; ones that put work into a list that is
 * submitted later are no submissions, but copies if that is what they put there.
 */
static const struct {
	const char *glob;
	enum xtr_api_kind kind;
} rows[] = {
	/* oneAPI Level Zero */
	{ "zeMemAlloc*", XTR_API_ALLOC },
	{ "zePhysicalMemCreate", XTR_API_ALLOC },
	{ "zeMemFree*", XTR_API_FREE },
	{ "zeVirtualMemFree", XTR_API_FREE },
	{ "zePhysicalMemDestroy", XTR_API_FREE },
	{ "zeCommandListAppendMemory*Barrier", XTR_API_OTHER },
	{ "zeCommandListAppendMemory*", XTR_API_COPY },
	{ "zeCommandListAppendImageCopy*", XTR_API_COPY },
	{ "zeCommandQueueExecuteCommandLists", XTR_API_SUBMIT },
	{ "zeCommandListImmediateAppendCommandListsExp", XTR_API_SUBMIT },
	{ "zeCommandQueueSynchronize", XTR_API_WAIT },
	{ "ze*HostSynchronize", XTR_API_WAIT },
	/* CUDA driver API */
	{ "cuMemAlloc*", XTR_API_ALLOC },
	{ "cuMemHostAlloc*", XTR_API_ALLOC },
	{ "cuMemCreate", XTR_API_ALLOC },
	{ "cuMemFree*", XTR_API_FREE },
	{ "cuMemRelease", XTR_API_FREE },
	{ "cuMemcpy*", XTR_API_COPY },
	{ "cuMemset*", XTR_API_COPY },
	{ "cuMemPrefetch*", XTR_API_COPY },
	{ "cuLaunch*", XTR_API_SUBMIT },
	{ "cuGraphLaunch*", XTR_API_SUBMIT },
	{ "cuStreamSynchronize*", XTR_API_WAIT },
	{ "cuEventSynchronize", XTR_API_WAIT },
	{ "cuCtxSynchronize*", XTR_API_WAIT },
	{ "cuGraphInstantiate*", XTR_API_CREATE },
	{ "cuModuleLoad*", XTR_API_CREATE },
	{ "cuModuleUnload", XTR_API_CREATE },
	{ "cuLibraryLoad*", XTR_API_CREATE },
	/* HIP */
	{ "hipMalloc*", XTR_API_ALLOC },
	{ "hipMemAlloc*", XTR_API_ALLOC },
	{ "hipHostAlloc", XTR_API_ALLOC },
	{ "hipHostMalloc", XTR_API_ALLOC },
	{ "hipMemCreate", XTR_API_ALLOC },
	{ "hipFree*", XTR_API_FREE },
	{ "hipHostFree", XTR_API_FREE },
	{ "hipMemRelease", XTR_API_FREE },
	{ "hipMemcpy*", XTR_API_COPY },
	{ "hipMemset*", XTR_API_COPY },
	{ "hipMemPrefetch*", XTR_API_COPY },
	{ "hipLaunch*", XTR_API_SUBMIT },
	{ "hipModuleLaunch*", XTR_API_SUBMIT },
	{ "hipExt*Launch*", XTR_API_SUBMIT },
	{ "hipGraphLaunch*", XTR_API_SUBMIT },
	{ "hip*Synchronize*", XTR_API_WAIT },
	{ "hipGraphInstantiate*", XTR_API_CREATE },
	{ "hipModuleLoad*", XTR_API_CREATE },
	{ "hipModuleUnload", XTR_API_CREATE },
	/* OpenCL */
	{ "clCreateBuffer*", XTR_API_ALLOC },
	{ "clCreateImage*", XTR_API_ALLOC },
	{ "clCreatePipe", XTR_API_ALLOC },
	{ "clSVMAlloc", XTR_API_ALLOC },
	{ "clReleaseMemObject", XTR_API_FREE },
	{ "clSVMFree", XTR_API_FREE },
	{ "clEnqueueWaitForEvents", XTR_API_OTHER }, /* waits on the device, not here */
	{ "clEnqueueBarrier*", XTR_API_OTHER },
	{ "clEnqueueMarker*", XTR_API_OTHER },
	{ "clEnqueueNDRangeKernel", XTR_API_SUBMIT },
	{ "clEnqueueTask", XTR_API_SUBMIT },
	{ "clEnqueueNativeKernel", XTR_API_SUBMIT },
	{ "clEnqueueSVMFree", XTR_API_FREE },
	{ "clEnqueueAcquire*", XTR_API_OTHER },
	{ "clEnqueueRelease*", XTR_API_OTHER },
	{ "clEnqueue*", XTR_API_COPY },
	{ "clFlush", XTR_API_SUBMIT },
	{ "clFinish", XTR_API_WAIT },
	{ "clWaitForEvents", XTR_API_WAIT },
	{ "clBuildProgram", XTR_API_CREATE },
	{ "clCompileProgram", XTR_API_CREATE },
	{ "clLinkProgram", XTR_API_CREATE },
	{ "clRelease*", XTR_API_CREATE },
	/* Vulkan */
	{ "vkAllocateMemory", XTR_API_ALLOC },
	{ "vkFreeMemory", XTR_API_FREE },
	{ "vkQueueSubmit*", XTR_API_SUBMIT },
	{ "vkQueuePresentKHR", XTR_API_SUBMIT },
	{ "vkQueueBindSparse", XTR_API_SUBMIT },
	{ "vkQueueWaitIdle", XTR_API_WAIT },
	{ "vkDeviceWaitIdle", XTR_API_WAIT },
	{ "vkWaitForFences", XTR_API_WAIT },
	{ "vkWaitSemaphores*", XTR_API_WAIT },
	{ "vkAcquireNextImage*", XTR_API_WAIT },
	/* All of them */
	{ "ze*Create*", XTR_API_CREATE },
	{ "ze*Destroy", XTR_API_CREATE },
	{ "cu*Create*", XTR_API_CREATE },
	{ "cu*Destroy*", XTR_API_CREATE },
	{ "hip*Create*", XTR_API_CREATE },
	{ "hip*Destroy*", XTR_API_CREATE },
	{ "clCreate*", XTR_API_CREATE },
	{ "vkCreate*", XTR_API_CREATE },
	{ "vkDestroy*", XTR_API_CREATE },
};

static const char *const names[] = {
#define KIND_NAME(id, text, help) text,
	XTR_API_KINDS(KIND_NAME)
#undef KIND_NAME
};

enum xtr_api_kind xtr_api_kind(const char *function)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (fnmatch(rows[i].glob, function, 0) == 0)
			return rows[i].kind;
	}
	return XTR_API_OTHER;
}

const char *xtr_api_kind_name(enum xtr_api_kind kind)
{
	return (unsigned int)kind < XTR_API_KIND_COUNT ? names[kind] : "other";
}

/* --- api -------------------------------------------------------------------------------------- */

/*
 * What each call of a library caused in the kernel and on the device; and, in traces without such
 * calls, the same of the functions of the kernel.
 */

static bool api_applies(const struct xtr_meta *meta)
{
	return map_has_calls(meta, true);
}

static bool tree_applies(const struct xtr_meta *meta)
{
	return map_has_calls(meta, false) && !map_has_calls(meta, true);
}

#define MAP_ANALYSIS                                                                              \
	.open = map_open, .free = map_free, .takes = map_takes, .event = map_event,               \
	.call = map_call, .job = map_job, .finish = map_finish, .any = map_any, .text = map_text, \
	.json = map_json, .tables = map_tables

const struct xtr_analysis xtr_analysis_api = {
	.name = "api",
	.title = "API calls and what they caused",
	.applies = api_applies,
	MAP_ANALYSIS,
};

const struct xtr_analysis xtr_analysis_tree = {
	.name = "tree",
	.title = "Kernel functions and what they called",
	.applies = tree_applies,
	MAP_ANALYSIS,
};
