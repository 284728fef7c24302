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

#define COST "threshold: {} of the time of all jobs"
#define LOST "lost_ns"

static const struct {
	const char *id;
	const char *rule;   /* as xtr_finding_rule gives it */
	const char *advice; /* as xtr_finding_advice gives it */
	const char *lost;   /* which of its numbers is the time that it cost, ns; NULL: none */
} kinds[] = {
	{ "amdgpu-interrupt-storm", "threshold: {} in the busiest 100 ms",
	  "xtr stats -s amdgpu: interrupts by source", NULL },
	{ "amdgpu-move-thrash", "thresholds: back within {}, {} times",
	  "use less VRAM at a time; xtr stats -s amdgpu: moves of buffers", NULL },
	{ "amdgpu-reset", "threshold: {}",
	  "dmesg has the driver's reason; xtr stats -s amdgpu,unusual: the jobs", NULL },
	{ "amdgpu-scheduling-delay", "thresholds: {} late, {} of the ring's jobs, at least {} jobs",
	  "xtr stats -s blame: what the jobs waited for, and whose it was", NULL },
	{ "amdgpu-small-batches",
	  "thresholds: {} in the busiest 100 ms, at most {} IBs per job on average",
	  "submit more work per job; xtr stats -s amdgpu: rates by process", NULL },
	{ "amdgpu-vram-exhausted", "threshold: {}",
	  "use less VRAM; xtr stats -s amdgpu: buffers and evictions", NULL },
	{ "blame-dependency", COST,
	  "submit what they wait for earlier; xtr why --path: the way to the job that took longest",
	  LOST },
	{ "blame-not-known", COST,
	  "record next time with a larger --buffer if events were lost, else with -e fence: fences "
	  "of no job",
	  LOST },
	{ "blame-queue", COST,
	  "put jobs that depend on nothing into a queue of their own; xtr why: the longest", LOST },
	{ "blame-ring", COST,
	  "shorter jobs, or fewer at once, of who has the ring; xtr whatif --without, --prio: what "
	  "it would change",
	  LOST },
	{ "blame-scheduler", COST,
	  "record next time with -e default -e cpu: who had the CPU of the thread that runs jobs",
	  LOST },
	{ "blame-thread", COST,
	  "give the thread a CPU (priority, affinity, less load); xtr stats -s cpu: which ones",
	  LOST },
	{ "boot-in-submit", NULL,
	  "lengthen the autosuspend delay, or submit a warm-up job; xtr stats -s power", NULL },
	{ "boot-polling", "threshold: {} calls", NULL, NULL },
	{ "cpu-delay", "thresholds: {} late, {} of the jobs",
	  "give the threads a CPU (priority, affinity, less load); xtr stats -s cpu: which ones",
	  NULL },
	{ "dependency-stall", "threshold: {}",
	  "submit what they wait for earlier; xtr stats -s blame: whose jobs those are",
	  "stall_ns" },
	{ "display-underrun", "threshold: more than {}",
	  "dmesg has more; xtr stats -s display: the pipes", NULL },
	{ "firmware-loop", "threshold: {} in a row", "xtr stats -s firmware: messages and replies",
	  NULL },
	{ "hang", NULL,
	  "xtr stats -s hang: its jobs and stack; of a bundle, xtr stats BUNDLE: what the driver says",
	  NULL },
	{ "i915-leak",
	  "thresholds: {} objects left from each of the two middle quarters, over at least {}",
	  "xtr stats -s i915: objects by process", NULL },
	{ "i915-long-wait", "threshold: {}", "xtr stats -s i915: who waited for which engine",
	  NULL },
	{ "i915-pressure-in-frame", "threshold: {}",
	  "use less memory at a time; xtr stats -s i915: what was shrunk", NULL },
	{ "i915-rebind-thrash", "threshold: {} rebinds within {}",
	  "use less address space at a time; xtr stats -s i915: the objects", NULL },
	{ "idle-device", "threshold: {} of the time from the first job to the last",
	  "xtr flame --idle: what the thread that submits did meanwhile", "of_it_ns" },
	{ "ioctl-storm", "threshold: {} in any 100 ms", "xtr stats -s nvidia: ioctls by process",
	  NULL },
	{ "irq-storm", "threshold: {}", "xtr stats -s cpu: the time that its handler took", NULL },
	{ "late-delivery", "thresholds: {} after the vblank, {} of the events",
	  "xtr stats -s display,cpu: what kept the CPU busy then", NULL },
	{ "map-calls", NULL, NULL, NULL },
	{ "map-excess", NULL, "xtr stats -s allocations: calls and pages by size", NULL },
	{ "mappings-in-submit", NULL, NULL, NULL },
	{ "missed-evasion", "threshold: more than {}", "xtr stats -s display: updates of the pipe",
	  NULL },
	{ "missed-frames", "threshold: {} of the frames that had a deadline",
	  "xtr frames: each of them; xtr stats -s frames: by reason, and whose it was",
	  "reason_ns" },
	{ "missed-vblanks", "threshold: {} of the vblanks", "xtr stats -s display: by counter",
	  NULL },
	{ "no-reply", NULL, "xtr stats -s firmware: messages and replies", NULL },
	{ "npu-stall",
	  "thresholds: {} times the median job and {} above it, in processes with at least {} jobs",
	  "xtr stats -s firmware: messages and replies", NULL },
	{ "nvidia-interrupt-storm", "threshold: {} in any 100 ms",
	  "xtr stats -s nvidia: interrupts by device", NULL },
	{ "shared-crtc-index", "threshold: {} switches between the counters", NULL, NULL },
	{ "slow-allocation", "thresholds: {} times the median, {}, at least {} others of its size",
	  "xtr stats -s allocations: times by size", NULL },
	{ "sxid", NULL, "xtr stats -s xid: what came before it", NULL },
	{ "unsignalled-fences", "threshold: {}",
	  "xtr stats -s fences: the fences, and who waited for them", NULL },
	{ "virtio-gpu-error", "threshold: {}", HOST_LOG, NULL },
	{ "virtio-gpu-unanswered", "threshold: {} without an answer", HOST_LOG, NULL },
	{ "xdna-job-timeout", "threshold: {}",
	  "dmesg has the driver's reason; xtr stats -s amdxdna: contexts and messages", NULL },
	{ "xdna-mailbox-slow", "threshold: {}", "xtr stats -s amdxdna: messages by opcode", NULL },
	{ "xdna-mailbox-unanswered", "threshold: {} without an answer",
	  "xtr stats -s amdxdna: messages by opcode", NULL },
	{ "xe-cgp-context-error", "threshold: {}", XE_FAULT, NULL },
	{ "xe-job-timeout", "threshold: {}", XE_FAULT, NULL },
	{ "xe-long-running-queue", "threshold: in under {}", NULL, NULL },
	{ "xe-memory-cat-error", "threshold: {}", XE_FAULT, NULL },
	{ "xe-queue-banned", "threshold: {}", XE_FAULT, NULL },
	{ "xe-queue-reset", "threshold: {}", XE_FAULT, NULL },
	{ "xe-tlb-timeout", "threshold: {}",
	  "dmesg has more; xtr stats -s xe: invalidations by device", NULL },
	{ "xid", NULL, "xtr stats -s xid: what came before it", NULL },
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

const char *xtr_finding_lost(const char *id)
{
	size_t i = kind_of(id);

	return i < N_KINDS ? kinds[i].lost : NULL;
}
