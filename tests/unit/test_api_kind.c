/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions of programming interfaces do, by name. */
#include "analysis/calls/api_kind.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void is(const char *function, const char *kind)
{
	cr_expect(eq(str, (char *)xtr_api_kind_name(xtr_api_kind(function)), (char *)kind), "%s",
		  function);
}

Test(api_kind, of_each_interface)
{
	is("zeMemAllocShared", "alloc");
	is("zeMemFree", "free");
	is("zeMemGetAllocProperties", "other");
	is("zeCommandListAppendMemoryCopy", "copy");
	is("zeCommandListAppendMemoryRangesBarrier", "other");
	is("zeCommandListAppendLaunchKernel", "other");
	is("zeCommandQueueExecuteCommandLists", "submit");
	is("zeFenceHostSynchronize", "wait");
	is("zeFenceQueryStatus", "other");
	is("zeCommandListCreateImmediate", "create");
	is("zeContextDestroy", "create");
	is("cuMemAlloc_v2", "alloc");
	is("cuMemcpyHtoDAsync_v2_ptsz", "copy");
	is("cuLaunchKernel", "submit");
	is("cuStreamSynchronize", "wait");
	is("cuStreamQuery", "other");
	is("cuCtxCreate_v3", "create");
	is("hipHostMalloc", "alloc");
	is("hipEventSynchronize", "wait");
	is("hipModuleLaunchKernel", "submit");
	is("clCreateBufferWithProperties", "alloc");
	is("clEnqueueReadBuffer", "copy");
	is("clEnqueueNDRangeKernel", "submit");
	is("clEnqueueWaitForEvents", "other");
	is("clFinish", "wait");
	is("clBuildProgram", "create");
	is("vkQueueSubmit2", "submit");
	is("vkCreateBuffer", "create");
	is("vkAllocateMemory", "alloc");
	is("vkAllocateCommandBuffers", "other");
	is("printf", "other");
	is("", "other");
}

Test(api_kind, names_of_kinds_that_are_none)
{
	cr_expect(eq(str, (char *)xtr_api_kind_name((enum xtr_api_kind)99), "other"));
}
