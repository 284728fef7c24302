/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every kind of finding, so that one that is misspelt can be told from one that was not made, its
 * rule: what its limits are of, and what to do next. docs/ has each in full.
 */
#include "finding.h"

#include <stddef.h>
#include <string.h>

#define XE_FAULT \
	"dmesg and the device coredump have the driver's reason; xtr stats -s xe: the queue"
#define HOST_LOG "the host's log may say why; xtr stats -s virtio_gpu: commands and answers"

static const struct {
	const char *id;
	const char *rule;   /* as xtr_finding_rule gives it */
	const char *advice; /* as xtr_finding_advice gives it */
} kinds[] = {
	{ "amdgpu-interrupt-storm", "threshold: {} in the busiest 100 ms",
	  "xtr stats -s amdgpu: interrupts by source" },
	{ "amdgpu-move-thrash", "thresholds: back within {}, {} times",
	  "use less VRAM at a time; xtr stats -s amdgpu: moves of buffers" },
	{ "amdgpu-reset", "threshold: {}",
	  "dmesg has the driver's reason; xtr stats -s amdgpu,unusual: the jobs" },
	{ "amdgpu-scheduling-delay", "thresholds: {} late, {} of the ring's jobs, at least {} jobs",
	  "xtr stats -s blame: what the jobs waited for, and whose it was" },
	{ "amdgpu-small-batches",
	  "thresholds: {} in the busiest 100 ms, at most {} IBs per job on average",
	  "submit more work per job; xtr stats -s amdgpu: rates by process" },
	{ "amdgpu-vram-exhausted", "threshold: {}",
	  "use less VRAM; xtr stats -s amdgpu: buffers and evictions" },
	{ "boot-in-submit", NULL,
	  "lengthen the autosuspend delay, or submit a warm-up job; xtr stats -s power" },
	{ "boot-polling", "threshold: {} calls", NULL },
	{ "cpu-delay", "thresholds: {} late, {} of the jobs",
	  "give the threads a CPU (priority, affinity, less load); xtr stats -s cpu: which ones" },
	{ "dependency-stall", "threshold: {}",
	  "submit what they wait for earlier; xtr stats -s blame: whose jobs those are" },
	{ "display-underrun", "threshold: more than {}",
	  "dmesg has more; xtr stats -s display: the pipes" },
	{ "firmware-loop", "threshold: {} in a row",
	  "xtr stats -s firmware: messages and replies" },
	{ "i915-leak",
	  "thresholds: {} objects left from each of the two middle quarters, over at least {}",
	  "xtr stats -s i915: objects by process" },
	{ "i915-long-wait", "threshold: {}", "xtr stats -s i915: who waited for which engine" },
	{ "i915-pressure-in-frame", "threshold: {}",
	  "use less memory at a time; xtr stats -s i915: what was shrunk" },
	{ "i915-rebind-thrash", "threshold: {} rebinds within {}",
	  "use less address space at a time; xtr stats -s i915: the objects" },
	{ "ioctl-storm", "threshold: {} in any 100 ms", "xtr stats -s nvidia: ioctls by process" },
	{ "irq-storm", "threshold: {}", "xtr stats -s cpu: the time that its handler took" },
	{ "late-delivery", "thresholds: {} after the vblank, {} of the events",
	  "xtr stats -s display,cpu: what kept the CPU busy then" },
	{ "map-calls", NULL, NULL },
	{ "map-excess", NULL, "xtr stats -s allocations: calls and pages by size" },
	{ "mappings-in-submit", NULL, NULL },
	{ "missed-evasion", "threshold: more than {}",
	  "xtr stats -s display: updates of the pipe" },
	{ "missed-frames", "threshold: {} of the frames that had a deadline",
	  "xtr frames: each of them; xtr stats -s frames: by reason, and whose it was" },
	{ "missed-vblanks", "threshold: {} of the vblanks", "xtr stats -s display: by counter" },
	{ "no-reply", NULL, "xtr stats -s firmware: messages and replies" },
	{ "npu-stall",
	  "thresholds: {} times the median job and {} above it, in processes with at least {} jobs",
	  "xtr stats -s firmware: messages and replies" },
	{ "nvidia-interrupt-storm", "threshold: {} in any 100 ms",
	  "xtr stats -s nvidia: interrupts by device" },
	{ "shared-crtc-index", "threshold: {} switches between the counters", NULL },
	{ "slow-allocation", "thresholds: {} times the median, {}, at least {} others of its size",
	  "xtr stats -s allocations: times by size" },
	{ "sxid", NULL, "xtr stats -s xid: what came before it" },
	{ "unsignalled-fences", "threshold: {}",
	  "xtr stats -s fences: the fences, and who waited for them" },
	{ "virtio-gpu-error", "threshold: {}", HOST_LOG },
	{ "virtio-gpu-unanswered", "threshold: {} without an answer", HOST_LOG },
	{ "xdna-job-timeout", "threshold: {}",
	  "dmesg has the driver's reason; xtr stats -s amdxdna: contexts and messages" },
	{ "xdna-mailbox-slow", "threshold: {}", "xtr stats -s amdxdna: messages by opcode" },
	{ "xdna-mailbox-unanswered", "threshold: {} without an answer",
	  "xtr stats -s amdxdna: messages by opcode" },
	{ "xe-cgp-context-error", "threshold: {}", XE_FAULT },
	{ "xe-job-timeout", "threshold: {}", XE_FAULT },
	{ "xe-long-running-queue", "threshold: in under {}", NULL },
	{ "xe-memory-cat-error", "threshold: {}", XE_FAULT },
	{ "xe-queue-banned", "threshold: {}", XE_FAULT },
	{ "xe-queue-reset", "threshold: {}", XE_FAULT },
	{ "xe-tlb-timeout", "threshold: {}",
	  "dmesg has more; xtr stats -s xe: invalidations by device" },
	{ "xid", NULL, "xtr stats -s xid: what came before it" },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

const char *xtr_finding_id(size_t i)
{
	return i < N_KINDS ? kinds[i].id : NULL;
}

/* N_KINDS: there is no such kind. */
static size_t kind_of(const char *id)
{
	size_t i = 0;

	while (i < N_KINDS && strcmp(kinds[i].id, id))
		i++;
	return i;
}

const char *xtr_finding_rule(const char *id)
{
	size_t i = kind_of(id);

	return i < N_KINDS ? kinds[i].rule : NULL;
}

const char *xtr_finding_advice(const char *id)
{
	size_t i = kind_of(id);

	return i < N_KINDS ? kinds[i].advice : NULL;
}
