// SPDX-License-Identifier: BSD-2-Clause
#include "groups.h"
#include "npu_probes.h"
#include "util.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct xtr_group xtr_groups[] = {
	{
		.name = "gpu",
		.help = "the DRM GPU scheduler, and dma_fence signaled, wait_start and wait_end",
		.by_default = true,
		.hooks = { "gpu_scheduler:*", "dma_fence:dma_fence_signaled",
			   "dma_fence:dma_fence_wait_start", "dma_fence:dma_fence_wait_end" },
	},
	{
		.name = "npu",
		.help = "Intel NPU: submissions, buffers, messages, interrupts, boot and power",
		.module = "intel_vpu",
		.by_default = true,
		.hooks = { "dma_fence:dma_fence_signaled" },
		.tracepoints = { "vpu:*" },
		.probes = xtr_npu_probes,
		.n_probes = &xtr_n_npu_probes,
		.init = { "intel_vpu", "ivpu_fence_ops" },
	},
	{
		.name = "npu:functions",
		.help = "calls of every ivpu_* function of the NPU's driver",
		.module = "intel_vpu",
		.functions = "func:intel_vpu:ivpu_*",
	},
	{
		.name = "npu:functions:ret",
		.help = "the same with returns, so with durations",
		.module = "intel_vpu",
		.functions = "func:intel_vpu:ivpu_*:ret",
	},
};
const size_t xtr_n_groups = ARRAY_LEN(xtr_groups);

const struct xtr_group *xtr_group_find(const char *name)
{
	for (size_t i = 0; i < xtr_n_groups; i++) {
		if (strcmp(xtr_groups[i].name, name) == 0)
			return &xtr_groups[i];
	}
	return NULL;
}

size_t xtr_group_n_probes(const struct xtr_group *g)
{
	return g->n_probes ? *g->n_probes : 0;
}

bool xtr_module_loaded(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%.100s", module);
	return access(path, F_OK) == 0;
}

bool xtr_group_loaded(const struct xtr_group *g)
{
	return !g->module || xtr_module_loaded(g->module);
}
