/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Argument numbers are those of the interfaces' public headers: ze_api.h (1.8), cuda.h (12),
 * hip_runtime_api.h (5.2), cl.h (3.0), vulkan_core.h (1.3).
 */
#include "api_tables.h"
#include "recorder/host/util.h"

#include <fnmatch.h>
#include <string.h>

#define VALUE(name, unit, repr, arg)                            \
	{                                                       \
		name, unit, XTR_REPR_##repr, arg, XTR_API_VALUE \
	}
#define SIZE(arg) VALUE("size", "bytes", U64, arg)
#define SIZE_AT(arg, at)                               \
	{                                              \
		"size", "bytes", XTR_REPR_U64, arg, at \
	}
#define TIMEOUT(arg)    VALUE("timeout", "ns", U64, arg)
#define COUNT(arg)      VALUE("n", NULL, U32, arg)
#define GRID(repr, arg) VALUE("grid_x", NULL, repr, arg)
#define LIST(...)       ((const char *const[]){ __VA_ARGS__, NULL })

/* --- oneAPI Level Zero ------------------------------------------------------------------------ */

#define ZE(glob, ...)                     \
	{                                 \
		glob, &xtr_api_ze_result, \
		{                         \
			__VA_ARGS__       \
		}                         \
	}
static const struct xtr_api_row ze_rows[] = {
	ZE("zeMemAllocHost", SIZE(2)),
	ZE("zeMemAllocDevice", SIZE(2)),
	ZE("zeMemAllocShared", SIZE(3)),
	ZE("zeCommandQueueExecuteCommandLists", COUNT(1)),
	ZE("zeCommandQueueSynchronize", TIMEOUT(1)),
	ZE("zeFenceHostSynchronize", TIMEOUT(1)),
	ZE("zeEventHostSynchronize", TIMEOUT(1)),
	ZE("zeCommandListHostSynchronize", TIMEOUT(1)),
	ZE("zeCommandListImmediateAppendCommandListsExp", COUNT(1)),
	ZE("zeCommandListAppendMemoryCopy", SIZE(3)),
	ZE("zeCommandListAppendMemoryCopyFromContext", SIZE(4)),
	ZE("zeCommandListAppendMemoryFill", SIZE(4)),
	ZE("zeCommandListAppendMemoryPrefetch", SIZE(2)),
	ZE("zeCommandListAppendWaitOnEvents", COUNT(1)),
	ZE("zeCommandListAppendLaunchKernel", { "groups_x", NULL, XTR_REPR_U32, 2, 0 },
	   { "groups_y", NULL, XTR_REPR_U32, 2, 4 }, { "groups_z", NULL, XTR_REPR_U32, 2, 8 }),
	ZE("zeContextMakeMemoryResident", SIZE(3)),
	ZE("zeContextEvictMemory", SIZE(3)),
	ZE("zeVirtualMemReserve", SIZE(2)),
	ZE("zeVirtualMemMap", SIZE(2)),
	ZE("zeVirtualMemFree", SIZE(2)),
	{ "zelLoaderTracingLayerInit", &xtr_api_void, { { 0 } } },
	ZE("ze[A-Z]*"),
	{ 0 },
};

/* --- CUDA driver API -------------------------------------------------------------------------- */

#define CU(glob, ...)                     \
	{                                 \
		glob, &xtr_api_cu_result, \
		{                         \
			__VA_ARGS__       \
		}                         \
	}
static const struct xtr_api_row cu_rows[] = {
	CU("cuMemAllocPitch*", VALUE("width", "bytes", U64, 2), VALUE("height", NULL, U64, 3)),
	CU("cuMemAlloc*", SIZE(1)),
	CU("cuMemHostAlloc*", SIZE(1)),
	CU("cuMemCreate", SIZE(1)),
	CU("cuMemAddressReserve", SIZE(1)),
	CU("cuMemHostRegister*", SIZE(1)),
	CU("cuMemcpyPeer*", SIZE(4)),
	CU("cuMemcpy[23]D*"),
	CU("cuMemcpy*ArrayToArray*"),
	CU("cuMemcpyAto[AHD]*"),
	CU("cuMemcpy[HD]toA*", SIZE(3)),
	CU("cuMemcpy*", SIZE(2)),
	CU("cuMemPrefetchAsync*", SIZE(1)),
	CU("cuLaunchKernelEx*"),
	CU("cuLaunchKernel*", GRID(U32, 1), VALUE("grid_y", NULL, U32, 2),
	   VALUE("grid_z", NULL, U32, 3)),
	CU("cuLaunchCooperativeKernel", GRID(U32, 1), VALUE("grid_y", NULL, U32, 2),
	   VALUE("grid_z", NULL, U32, 3)),
	CU("cu[A-Z]*"),
	{ 0 },
};

/* --- HIP -------------------------------------------------------------------------------------- */

#define HIP(glob, ...)                    \
	{                                 \
		glob, &xtr_api_hip_error, \
		{                         \
			__VA_ARGS__       \
		}                         \
	}
static const struct xtr_api_row hip_rows[] = {
	HIP("hipMallocPitch", VALUE("width", "bytes", U64, 2), VALUE("height", NULL, U64, 3)),
	HIP("hipMalloc3D*"),
	HIP("hipMallocArray"),
	HIP("hipMallocMipmappedArray"),
	HIP("hipMalloc*", SIZE(1)),
	HIP("hipHostMalloc", SIZE(1)),
	HIP("hipHostAlloc", SIZE(1)),
	HIP("hipMemAllocHost", SIZE(1)),
	HIP("hipMemCreate", SIZE(1)),
	HIP("hipMemAddressReserve", SIZE(1)),
	HIP("hipHostRegister", SIZE(1)),
	HIP("hipMemcpyPeer*", SIZE(4)),
	HIP("hipMemcpy[23]D*"),
	HIP("hipMemcpyParam2D*"),
	HIP("hipMemcpyAto*"),
	HIP("hipMemcpyHtoA"),
	HIP("hipMemcpy*Array*"),
	HIP("hipMemcpy*", SIZE(2)),
	HIP("hipMemset", SIZE(2)),
	HIP("hipMemset_spt", SIZE(2)),
	HIP("hipMemsetAsync*", SIZE(2)),
	HIP("hipMemPrefetchAsync", SIZE(1)),
	HIP("hipModuleLaunchKernel", GRID(U32, 1), VALUE("grid_y", NULL, U32, 2),
	    VALUE("grid_z", NULL, U32, 3)),
	{ "hipGetErrorName", &xtr_api_handle, { { 0 } } },
	{ "hipGetErrorString", &xtr_api_handle, { { 0 } } },
	{ "hipApiName", &xtr_api_handle, { { 0 } } },
	{ "hipKernelNameRef*", &xtr_api_handle, { { 0 } } },
	HIP("hip[A-Z]*"),
	{ 0 },
};

/* --- OpenCL ----------------------------------------------------------------------------------- */

#define CL(glob, ...)                  \
	{                              \
		glob, &xtr_api_cl_int, \
		{                      \
			__VA_ARGS__    \
		}                      \
	}
#define CLH(glob, ...)                 \
	{                              \
		glob, &xtr_api_handle, \
		{                      \
			__VA_ARGS__    \
		}                      \
	}
static const struct xtr_api_row cl_rows[] = {
	CLH("clCreateBuffer", SIZE(2)),
	CLH("clCreateBufferWithProperties", SIZE(3)),
	CLH("clSVMAlloc", SIZE(2)),
	{ "clSVMFree", &xtr_api_void, { { 0 } } },
	CLH("clEnqueueMapBuffer", SIZE(5)),
	CLH("clEnqueueMapImage"),
	CL("clEnqueueReadBuffer", SIZE(4)),
	CL("clEnqueueWriteBuffer", SIZE(4)),
	CL("clEnqueueCopyBuffer", SIZE(5)),
	CL("clEnqueueFillBuffer", SIZE(5)),
	CL("clEnqueueSVMMemcpy", SIZE(4)),
	CL("clEnqueueSVMMemFill", SIZE(4)),
	CL("clEnqueueSVMMap", SIZE(4)),
	CL("clEnqueueNDRangeKernel", VALUE("work_dim", NULL, U32, 2),
	   { "global_x", NULL, XTR_REPR_U64, 4, 0 }),
	CL("clEnqueueWaitForEvents", COUNT(1)),
	CL("clWaitForEvents", COUNT(0)),
	CL("clCreateKernelsInProgram"),
	CL("clCreateSubDevices*"),
	CLH("clCreate*"),
	CLH("clLinkProgram"),
	CLH("clCloneKernel"),
	CLH("clGetExtensionFunctionAddress*"),
	CL("cl[A-Z]*"),
	{ 0 },
};

/* --- Vulkan ----------------------------------------------------------------------------------- */

#define VK(glob, ...)                     \
	{                                 \
		glob, &xtr_api_vk_result, \
		{                         \
			__VA_ARGS__       \
		}                         \
	}
#define VKV(glob, ...)               \
	{                            \
		glob, &xtr_api_void, \
		{                    \
			__VA_ARGS__  \
		}                    \
	}
static const struct xtr_api_row vk_rows[] = {
	VK("vkAllocateMemory", SIZE_AT(1, 16)), /* VkMemoryAllocateInfo.allocationSize */
	VK("vkCreateBuffer", SIZE_AT(1, 24)),   /* VkBufferCreateInfo.size */
	VK("vkMapMemory", SIZE(3)),
	VK("vkQueueSubmit*", COUNT(1)),
	VK("vkQueueBindSparse", COUNT(1)),
	VK("vkQueuePresentKHR", { "n", NULL, XTR_REPR_U32, 1, 32 }), /* swapchainCount */
	VK("vkWaitForFences", COUNT(1), TIMEOUT(4)),
	VK("vkWaitSemaphores*", TIMEOUT(2)),
	VK("vkAcquireNextImageKHR", TIMEOUT(2)),
	VK("vkResetFences", COUNT(1)),
	VK("vkQueueWaitIdle"),
	VK("vkDeviceWaitIdle"),
	VK("vkAcquireNextImage2KHR"),
	VK("vkMapMemory2*"),
	VK("vkUnmapMemory2*"),
	VK("vkAllocate*"),
	VK("vkCreate*"),
	VK("vkBind*Memory*"),
	VK("vkBeginCommandBuffer"),
	VK("vkEndCommandBuffer"),
	VK("vkResetCommandPool"),
	VK("vkGetFenceStatus"),
	VKV("vkFree[MC]*"),
	VKV("vkDestroy*"),
	VK("vkCmdSetPerformance*"),
	VKV("vkCmd*"),
	VKV("vkUnmapMemory"),
	{ 0 },
};

/* --- the interfaces --------------------------------------------------------------------------- */

const struct xtr_api_group xtr_api_groups[] = {
	{ "level-zero", "oneAPI Level Zero", LIST("libze_loader.so.1"),
	  LIST("zeInit*", "zeMem*", "zeVirtualMem*", "zePhysicalMem*", "zeCommandQueue*",
	       "zeCommandList*", "zeFence*", "zeEvent*", "zeContext*", "zeModule*", "zeKernel*",
	       "zeGraph*"),
	  ze_rows },
	{ "cuda", "CUDA driver API", LIST("libcuda.so.1"),
	  LIST("cuInit", "cuMem[ACFHP]*", "cuMemcpy*", "cuMemset*", "cuLaunch*", "cuGraphLaunch*",
	       "cuGraphInstantiate*", "cuStream*", "cuCtxCreate*", "cuCtxDestroy*",
	       "cuCtxSynchronize*", "cuDevicePrimaryCtx*", "cuEvent*", "cuModuleLoad*",
	       "cuModuleUnload", "cuLibraryLoad*"),
	  cu_rows },
	{ "hip", "HIP", LIST("libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"),
	  LIST("hipInit", "hipMalloc*", "hipMem[AC]*", "hipHost[MARFU]*", "hipFree*", "hipMemcpy*",
	       "hipMemset*", "hipMemPrefetch*", "hipLaunch*", "hipModuleLaunch*", "hipExt*Launch*",
	       "hipGraphLaunch*", "hipGraphInstantiate*", "hipStreamCreate*", "hipStreamDestroy*",
	       "hipStreamSynchronize*", "hipStreamWaitEvent*", "hipDeviceSynchronize", "hipEvent*",
	       "hipModuleLoad*", "hipModuleUnload"),
	  hip_rows },
	{ "opencl", "OpenCL", LIST("libOpenCL.so.1"),
	  LIST("clEnqueue*", "clFinish", "clFlush", "clWaitForEvents", "clBuildProgram",
	       "clCompileProgram", "clLinkProgram", "clCreateBuffer*", "clCreateSubBuffer",
	       "clCreateImage*", "clCreatePipe", "clCreateContext*", "clCreateCommandQueue*",
	       "clCreateProgram*", "clCreateKernel*", "clReleaseMemObject", "clSVM*"),
	  cl_rows },
	{ "vulkan", "Vulkan", LIST("libvulkan.so.1"),
	  LIST("vkQueueSubmit*", "vkQueuePresentKHR", "vkQueueBindSparse", "vkQueueWaitIdle",
	       "vkDeviceWaitIdle", "vkWaitForFences", "vkWaitSemaphores*", "vkAcquireNextImage*",
	       "vkAllocateMemory", "vkFreeMemory", "vkMapMemory*", "vkUnmapMemory*",
	       "vkCreateBuffer", "vkCreateImage", "vkDestroyBuffer", "vkDestroyImage",
	       "vkCreate*Pipelines", "vkCreateShaderModule", "vkCreateDevice", "vkCreateInstance"),
	  vk_rows },
	{ 0 },
};

const struct xtr_api_group *xtr_api_group(const char *name)
{
	for (const struct xtr_api_group *g = xtr_api_groups; g->name; g++) {
		if (strcmp(g->name, name) == 0)
			return g;
	}
	return NULL;
}

const struct xtr_api_row *xtr_api_row(const char *function)
{
	static const struct xtr_api_row unknown = { "*", &xtr_api_handle, { { 0 } } };

	for (const struct xtr_api_group *g = xtr_api_groups; g->name; g++) {
		for (const struct xtr_api_row *r = g->rows; r->glob; r++) {
			if (fnmatch(r->glob, function, 0) == 0)
				return r;
		}
	}
	return &unknown;
}

/* --- api results ------------------------------------------------------------------------------ */

/* Sources: the interfaces' public headers (ze_api.h, cuda.h, hip_runtime_api.h, cl.h,
 * vulkan_core.h). */

static const struct xtr_value_name ze_results[] = {
	{ 0, "ZE_RESULT_SUCCESS" },
	{ 1, "ZE_RESULT_NOT_READY" },
	{ 0x70000001, "ZE_RESULT_ERROR_DEVICE_LOST" },
	{ 0x70000002, "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY" },
	{ 0x70000003, "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY" },
	{ 0x70000004, "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE" },
	{ 0x70000005, "ZE_RESULT_ERROR_MODULE_LINK_FAILURE" },
	{ 0x70000006, "ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET" },
	{ 0x70000007, "ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE" },
	{ 0x70010000, "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS" },
	{ 0x70010001, "ZE_RESULT_ERROR_NOT_AVAILABLE" },
	{ 0x70020000, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE" },
	{ 0x78000001, "ZE_RESULT_ERROR_UNINITIALIZED" },
	{ 0x78000002, "ZE_RESULT_ERROR_UNSUPPORTED_VERSION" },
	{ 0x78000003, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE" },
	{ 0x78000004, "ZE_RESULT_ERROR_INVALID_ARGUMENT" },
	{ 0x78000005, "ZE_RESULT_ERROR_INVALID_NULL_HANDLE" },
	{ 0x78000006, "ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE" },
	{ 0x78000007, "ZE_RESULT_ERROR_INVALID_NULL_POINTER" },
	{ 0x78000008, "ZE_RESULT_ERROR_INVALID_SIZE" },
	{ 0x78000009, "ZE_RESULT_ERROR_UNSUPPORTED_SIZE" },
	{ 0x7800000a, "ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT" },
	{ 0x7800000b, "ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT" },
	{ 0x7800000c, "ZE_RESULT_ERROR_INVALID_ENUMERATION" },
	{ 0x7800000f, "ZE_RESULT_ERROR_INVALID_NATIVE_BINARY" },
	{ 0x78000019, "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE" },
	{ 0x7800001a, "ZE_RESULT_ERROR_OVERLAPPING_REGIONS" },
	{ 0x7ffffffe, "ZE_RESULT_ERROR_UNKNOWN" },
};

static const struct xtr_value_name cu_results[] = {
	{ 0, "CUDA_SUCCESS" },
	{ 1, "CUDA_ERROR_INVALID_VALUE" },
	{ 2, "CUDA_ERROR_OUT_OF_MEMORY" },
	{ 3, "CUDA_ERROR_NOT_INITIALIZED" },
	{ 4, "CUDA_ERROR_DEINITIALIZED" },
	{ 100, "CUDA_ERROR_NO_DEVICE" },
	{ 101, "CUDA_ERROR_INVALID_DEVICE" },
	{ 200, "CUDA_ERROR_INVALID_IMAGE" },
	{ 201, "CUDA_ERROR_INVALID_CONTEXT" },
	{ 205, "CUDA_ERROR_MAP_FAILED" },
	{ 218, "CUDA_ERROR_INVALID_PTX" },
	{ 400, "CUDA_ERROR_INVALID_HANDLE" },
	{ 401, "CUDA_ERROR_ILLEGAL_STATE" },
	{ 500, "CUDA_ERROR_NOT_FOUND" },
	{ 600, "CUDA_ERROR_NOT_READY" },
	{ 700, "CUDA_ERROR_ILLEGAL_ADDRESS" },
	{ 701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" },
	{ 702, "CUDA_ERROR_LAUNCH_TIMEOUT" },
	{ 719, "CUDA_ERROR_LAUNCH_FAILED" },
	{ 800, "CUDA_ERROR_NOT_PERMITTED" },
	{ 801, "CUDA_ERROR_NOT_SUPPORTED" },
	{ 999, "CUDA_ERROR_UNKNOWN" },
};

static const struct xtr_value_name hip_results[] = {
	{ 0, "hipSuccess" },
	{ 1, "hipErrorInvalidValue" },
	{ 2, "hipErrorOutOfMemory" },
	{ 3, "hipErrorNotInitialized" },
	{ 4, "hipErrorDeinitialized" },
	{ 100, "hipErrorNoDevice" },
	{ 101, "hipErrorInvalidDevice" },
	{ 200, "hipErrorInvalidImage" },
	{ 201, "hipErrorInvalidContext" },
	{ 205, "hipErrorMapFailed" },
	{ 400, "hipErrorInvalidHandle" },
	{ 500, "hipErrorNotFound" },
	{ 600, "hipErrorNotReady" },
	{ 700, "hipErrorIllegalAddress" },
	{ 701, "hipErrorLaunchOutOfResources" },
	{ 702, "hipErrorLaunchTimeOut" },
	{ 719, "hipErrorLaunchFailure" },
	{ 801, "hipErrorNotSupported" },
	{ 999, "hipErrorUnknown" },
};

static const struct xtr_value_name cl_results[] = {
	{ 0, "CL_SUCCESS" },
	{ (uint64_t)-61, "CL_INVALID_BUFFER_SIZE" },
	{ (uint64_t)-59, "CL_INVALID_OPERATION" },
	{ (uint64_t)-58, "CL_INVALID_EVENT" },
	{ (uint64_t)-57, "CL_INVALID_EVENT_WAIT_LIST" },
	{ (uint64_t)-54, "CL_INVALID_WORK_GROUP_SIZE" },
	{ (uint64_t)-52, "CL_INVALID_KERNEL_ARGS" },
	{ (uint64_t)-48, "CL_INVALID_KERNEL" },
	{ (uint64_t)-38, "CL_INVALID_MEM_OBJECT" },
	{ (uint64_t)-36, "CL_INVALID_COMMAND_QUEUE" },
	{ (uint64_t)-34, "CL_INVALID_CONTEXT" },
	{ (uint64_t)-30, "CL_INVALID_VALUE" },
	{ (uint64_t)-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST" },
	{ (uint64_t)-12, "CL_MAP_FAILURE" },
	{ (uint64_t)-11, "CL_BUILD_PROGRAM_FAILURE" },
	{ (uint64_t)-6, "CL_OUT_OF_HOST_MEMORY" },
	{ (uint64_t)-5, "CL_OUT_OF_RESOURCES" },
	{ (uint64_t)-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
	{ (uint64_t)-3, "CL_COMPILER_NOT_AVAILABLE" },
	{ (uint64_t)-2, "CL_DEVICE_NOT_AVAILABLE" },
	{ (uint64_t)-1, "CL_DEVICE_NOT_FOUND" },
};

static const struct xtr_value_name vk_results[] = {
	{ 0, "VK_SUCCESS" },
	{ 1, "VK_NOT_READY" },
	{ 2, "VK_TIMEOUT" },
	{ 3, "VK_EVENT_SET" },
	{ 4, "VK_EVENT_RESET" },
	{ 5, "VK_INCOMPLETE" },
	{ 1000001003, "VK_SUBOPTIMAL_KHR" },
	{ 1000297000, "VK_PIPELINE_COMPILE_REQUIRED" },
	{ (uint64_t)-1000001004, "VK_ERROR_OUT_OF_DATE_KHR" },
	{ (uint64_t)-1000000000, "VK_ERROR_SURFACE_LOST_KHR" },
	{ (uint64_t)-13, "VK_ERROR_UNKNOWN" },
	{ (uint64_t)-12, "VK_ERROR_FRAGMENTED_POOL" },
	{ (uint64_t)-11, "VK_ERROR_FORMAT_NOT_SUPPORTED" },
	{ (uint64_t)-10, "VK_ERROR_TOO_MANY_OBJECTS" },
	{ (uint64_t)-9, "VK_ERROR_INCOMPATIBLE_DRIVER" },
	{ (uint64_t)-8, "VK_ERROR_FEATURE_NOT_PRESENT" },
	{ (uint64_t)-7, "VK_ERROR_EXTENSION_NOT_PRESENT" },
	{ (uint64_t)-6, "VK_ERROR_LAYER_NOT_PRESENT" },
	{ (uint64_t)-5, "VK_ERROR_MEMORY_MAP_FAILED" },
	{ (uint64_t)-4, "VK_ERROR_DEVICE_LOST" },
	{ (uint64_t)-3, "VK_ERROR_INITIALIZATION_FAILED" },
	{ (uint64_t)-2, "VK_ERROR_OUT_OF_DEVICE_MEMORY" },
	{ (uint64_t)-1, "VK_ERROR_OUT_OF_HOST_MEMORY" },
};

#define NAMES(a) ARRAY_LEN(a), a

const struct xtr_api_ret xtr_api_ze_result = { XTR_REPR_HEX32, NAMES(ze_results) };
const struct xtr_api_ret xtr_api_cu_result = { XTR_REPR_S32, NAMES(cu_results) };
const struct xtr_api_ret xtr_api_hip_error = { XTR_REPR_S32, NAMES(hip_results) };
const struct xtr_api_ret xtr_api_cl_int = { XTR_REPR_S32, NAMES(cl_results) };
const struct xtr_api_ret xtr_api_vk_result = { XTR_REPR_S32, NAMES(vk_results) };
const struct xtr_api_ret xtr_api_handle = { XTR_REPR_HEX64, 0, NULL };
const struct xtr_api_ret xtr_api_void = { XTR_REPR_COUNT, 0, NULL };
