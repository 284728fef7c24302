// SPDX-License-Identifier: BSD-2-Clause
/* Every kind of finding, so that one that is misspelt can be told from one that was not made. */
#include "finding.h"

#include <stddef.h>

static const char *const ids[] = {
	"amdgpu-interrupt-storm",
	"amdgpu-move-thrash",
	"amdgpu-reset",
	"amdgpu-scheduling-delay",
	"amdgpu-small-batches",
	"amdgpu-vram-exhausted",
	"boot-in-submit",
	"boot-polling",
	"cpu-delay",
	"dependency-stall",
	"display-underrun",
	"firmware-loop",
	"i915-leak",
	"i915-long-wait",
	"i915-pressure-in-frame",
	"i915-rebind-thrash",
	"ioctl-storm",
	"irq-storm",
	"late-delivery",
	"map-calls",
	"map-excess",
	"mappings-in-submit",
	"missed-evasion",
	"missed-vblanks",
	"no-reply",
	"npu-stall",
	"nvidia-interrupt-storm",
	"shared-crtc-index",
	"slow-allocation",
	"sxid",
	"unsignalled-fences",
	"virtio-gpu-error",
	"virtio-gpu-unanswered",
	"xdna-job-timeout",
	"xdna-mailbox-slow",
	"xdna-mailbox-unanswered",
	"xe-cgp-context-error",
	"xe-job-timeout",
	"xe-long-running-queue",
	"xe-memory-cat-error",
	"xe-queue-banned",
	"xe-queue-reset",
	"xe-tlb-timeout",
	"xid",
};

const char *xtr_finding_id(size_t i)
{
	return i < sizeof(ids) / sizeof(ids[0]) ? ids[i] : NULL;
}
