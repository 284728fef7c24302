/* SPDX-License-Identifier: BSD-2-Clause */
#include "groups.h"
#include "driver_probes.h"
#include "recorder/host/util.h"

#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SCHEDULER "gpu_scheduler:*"
#define SIGNALED  "dma_fence:dma_fence_signaled"
#define WAITS     "dma_fence:dma_fence_wait_start", "dma_fence:dma_fence_wait_end"

/* A driver's group has the scheduler's events where its jobs pass through that. */
const struct xtr_group xtr_groups[] = {
	{
		.name = "gpu",
		.help = "the DRM GPU scheduler, and dma_fence signaled, wait_start and wait_end",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED, WAITS },
	},
	{
		.name = "fence",
		.help = "all that happens to fences, of every driver",
		.hooks = { "dma_fence:*" },
	},
	{
		.name = "amdgpu",
		.help = "AMD GPUs: jobs, buffers, virtual memory, interrupts, resets",
		.module = "amdgpu",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.events = xtr_amdgpu_events,
		.without = { "amdgpu:amdgpu_vm_*_ptes", "amdgpu:amdgpu_device_*" },
		.probes = xtr_amdgpu_probes,
		.n_probes = &xtr_n_amdgpu_probes,
	},
	{
		.name = "amdgpu:vm",
		.help = "each write of AMD GPU page tables; frequent",
		.module = "amdgpu",
		.events = xtr_amdgpu_vm_events,
	},
	{
		.name = "amdgpu:regs",
		.help = "each access to a register of an AMD GPU; very frequent",
		.module = "amdgpu",
		.events = xtr_amdgpu_regs_events,
	},
	{
		.name = "i915",
		.help = "Intel GPUs (i915): requests, objects, bindings, evictions, faults",
		.module = "i915",
		.by_default = true,
		.hooks = { SIGNALED },
		.events = xtr_i915_events,
		.without = { "i915:i915_reg_rw" },
		.init = { { "i915", "i915_fence_ops" } },
		.probes = xtr_i915_probes,
		.n_probes = &xtr_n_i915_probes,
	},
	{
		.name = "i915:display",
		.help = "all of i915's display events: planes, watermarks, frontbuffers",
		.module = "i915",
		.events = xtr_i915_display_events,
		.without = { "i915:intel_gpu_*", "i915:intel_context_*" },
	},
	{
		.name = "i915:regs",
		.help = "each access to a register by i915; very frequent",
		.module = "i915",
		.events = xtr_i915_regs_events,
	},
	{
		.name = "xe",
		.help = "Intel GPUs (xe): jobs, queues, fences, memory, faults, firmware messages",
		.module = "xe",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.events = xtr_xe_events,
		.without = { "xe:xe_reg_rw", "xe:xe_hw_fence_try_signal" },
		.probes = xtr_xe_probes,
		.n_probes = &xtr_n_xe_probes,
	},
	{
		.name = "xe:display",
		.help = "all of xe's display events: planes, watermarks, frontbuffers",
		.module = "xe",
		.events = xtr_xe_display_events,
	},
	{
		.name = "xe:regs",
		.help = "each access to a register by xe; very frequent",
		.module = "xe",
		.events = xtr_xe_regs_events,
	},
	{
		.name = "display",
		.help = "vertical blanks and their events, page flips, commits, underruns",
		.module = "drm", /* loaded without a device by whatever uses its helpers */
		.by_default = true,
		.device = "/sys/class/drm/card[0-9]*",
		.events = xtr_display_events,
		.probes = xtr_display_probes,
		.n_probes = &xtr_n_display_probes,
	},
	{
		.name = "nvidia",
		.help = "NVIDIA GPUs: opens, ioctls, mappings, interrupts, suspend, errors (Xid)",
		.module = "nvidia",
		.by_default = true,
		.events = xtr_nvidia_events,
		.probes = xtr_nvidia_probes,
		.n_probes = &xtr_n_nvidia_probes,
	},
	{
		.name = "nvidia:uvm",
		.help = "NVIDIA's unified memory: opens, ioctls, mappings",
		.module = "nvidia_uvm",
		.by_default = true,
		.probes = xtr_uvm_probes,
		.n_probes = &xtr_n_uvm_probes,
	},
	{
		.name = "nouveau",
		.help = "NVIDIA GPUs under nouveau: submissions, buffers, jobs, fences",
		.module = "nouveau",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.init = { { "nouveau", "nouveau_fence_ops_legacy" },
			  { "nouveau", "nouveau_fence_ops_uevent" } },
		.probes = xtr_nouveau_probes,
		.n_probes = &xtr_n_nouveau_probes,
	},
	{
		.name = "virtio_gpu",
		.help = "virtual GPUs: commands, responses and fences",
		.module = "virtio_gpu",
		.by_default = true,
		.hooks = { SIGNALED, "dma_fence:dma_fence_emit" },
		.events = xtr_virtio_gpu_events,
		.init = { { "virtio_gpu", "virtio_gpu_fence_ops" } },
	},
	{
		.name = "radeon",
		.help = "old AMD GPUs: submissions, fences, buffers, virtual memory",
		.module = "radeon",
		.by_default = true,
		.hooks = { SIGNALED },
		.events = xtr_radeon_events,
		.without = { "radeon:radeon_vm_set_page" },
		.init = { { "radeon", "radeon_fence_ops" } },
	},
	{
		.name = "radeon:vm",
		.help = "each write of old AMD GPUs' page tables; frequent",
		.module = "radeon",
		.events = xtr_radeon_vm_events,
	},
	{
		.name = "msm",
		.help = "Qualcomm GPUs (msm): submissions with their times on the GPU, frequency, power",
		.module = "msm",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.events = xtr_msm_events,
		.without = { "drm_msm_gpu:msm_gpu_regaccess" },
	},
	{
		.name = "kgsl",
		.help = "Qualcomm GPUs under KGSL: jobs with their times on the GPU, contexts, faults",
		.module = "msm_kgsl",
		.by_default = true,
		.hooks = { SIGNALED },
		.events = xtr_kgsl_events,
	},
	{
		.name = "v3d",
		.help = "Broadcom GPUs (v3d): submissions, starts and ends of jobs, resets",
		.module = "v3d",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.events = xtr_v3d_events,
	},
	{
		.name = "vc4",
		.help = "Broadcom GPUs (vc4): submissions, starts and ends of jobs, waits",
		.module = "vc4",
		.by_default = true,
		.hooks = { SIGNALED },
		.events = xtr_vc4_events,
		.init = { { "vc4", "vc4_fence_ops" } },
	},
	{
		.name = "lima",
		.help = "Arm Mali GPUs (lima): jobs",
		.module = "lima",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.events = xtr_lima_events,
	},
	{
		.name = "panfrost",
		.help = "Arm Mali GPUs (panfrost): jobs, fences",
		.module = "panfrost",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
	},
	{
		.name = "panthor",
		.help = "Arm Mali GPUs (panthor): jobs, fences, power, interrupts",
		.module = "panthor",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.events = xtr_panthor_events,
	},
	{
		.name = "mali",
		.help = "Arm Mali GPUs under Arm's own driver: job slots, power, page faults",
		.module = "mali_kbase",
		.by_default = true,
		.hooks = { SIGNALED },
		.events = xtr_mali_events,
	},
	{
		.name = "powervr",
		.help = "Imagination GPUs: jobs, what is sent to the firmware, fences",
		.module = "powervr",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.events = xtr_powervr_events,
	},
	{
		.name = "etnaviv",
		.help = "Vivante GPUs and NPUs: jobs, fences",
		.module = "etnaviv",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
	},
	{
		.name = "host1x",
		.help = "NVIDIA Tegra's host1x: submissions, completions, syncpoints",
		.module = "host1x",
		.by_default = true,
		.hooks = { SIGNALED },
		.events = xtr_host1x_events,
		.without = { "host1x:host1x_cdma_push*" },
		.init = { { "host1x", "host1x_syncpt_fence_ops" } },
	},
	{
		.name = "host1x:push",
		.help = "each command that is written for host1x; very frequent",
		.module = "host1x",
		.events = xtr_host1x_push_events,
	},
	{
		.name = "npu",
		.help = "Intel NPU: submissions, buffers, messages, interrupts, boot and power",
		.module = "intel_vpu",
		.by_default = true,
		.hooks = { SIGNALED },
		.events = xtr_npu_events,
		.probes = xtr_npu_probes,
		.n_probes = &xtr_n_npu_probes,
		.init = { { "intel_vpu", "ivpu_fence_ops" } },
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
	{
		.name = "amdxdna",
		.help = "AMD NPU: jobs, mailbox messages, interrupts",
		.module = "amdxdna",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
		.events = xtr_amdxdna_events,
		.probes = xtr_amdxdna_probes,
		.n_probes = &xtr_n_amdxdna_probes,
	},
	{
		.name = "rocket",
		.help = "Rockchip NPU: jobs, fences",
		.module = "rocket",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
	},
	{
		.name = "ethosu",
		.help = "Arm Ethos-U NPU: jobs, fences",
		.module = "ethosu",
		.by_default = true,
		.hooks = { SCHEDULER, SIGNALED },
	},
	{
		.name = "cpu",
		.help = "what the CPUs do: task switches and wake-ups, interrupts, softirqs; frequent",
		.events = xtr_cpu_events,
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

bool xtr_group_leaves_out(const struct xtr_group *g, const char *event)
{
	for (size_t i = 0; i < XTR_GROUP_WITHOUT && g->without[i]; i++) {
		if (fnmatch(g->without[i], event, 0) == 0)
			return true;
	}
	return false;
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

bool xtr_group_default(const struct xtr_group *g)
{
	glob_t found;
	bool there;

	if (!g->by_default || !xtr_group_loaded(g))
		return false;
	if (!g->device)
		return true;
	there = glob(g->device, 0, NULL, &found) == 0;
	globfree(&found);
	return there;
}

const char *xtr_group_event_why(const struct xtr_group_event *ev)
{
	static const char one[] = "the driver of this kernel has no such tracepoint";
	static const char some[] = "the driver of this kernel has no such tracepoints";

	if (ev->absent)
		return ev->absent;
	return strpbrk(ev->name, "*?[") ? some : one;
}
