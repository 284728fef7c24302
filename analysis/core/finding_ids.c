// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every kind of finding, so that one that is misspelt can be told from one that was not made, and
 * its rule: what its limits are of. docs/ has each in full.
 */
#include "finding.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *id;
	const char *rule; /* as xtr_finding_rule gives it */
} kinds[] = {
	{ "amdgpu-interrupt-storm", "told above {} in the busiest 100 ms" },
	{ "amdgpu-move-thrash", "counted: back in less than {}; told from {} times on" },
	{ "amdgpu-reset", "{} of these is enough" },
	{ "amdgpu-scheduling-delay",
	  "late: more than {}; told from {} of the ring's jobs on, of at least {}" },
	{ "amdgpu-small-batches",
	  "told above {} in the busiest 100 ms, with at most {} IBs for each job in the mean" },
	{ "amdgpu-vram-exhausted", "{} is enough" },
	{ "boot-in-submit", NULL },
	{ "boot-polling", "told from {} calls on" },
	{ "cpu-delay", "late: more than {}; told above {} of the jobs" },
	{ "dependency-stall", "told above {} of the time" },
	{ "display-underrun", "told above {}" },
	{ "firmware-loop", "told from {} in a row on" },
	{ "i915-leak",
	  "told from {} objects left of each of the two middle quarters on, of a time of at least {}" },
	{ "i915-long-wait", "long: {} or more" },
	{ "i915-pressure-in-frame", "{} shrink or eviction is enough" },
	{ "i915-rebind-thrash", "again and again: at least {} rebinds within {}" },
	{ "ioctl-storm", "told above {} in a window of 100 ms" },
	{ "irq-storm", "told above {}" },
	{ "late-delivery", "late: more than {} after the vblank; told above {} of the events" },
	{ "map-calls", NULL },
	{ "map-excess", NULL },
	{ "mappings-in-submit", NULL },
	{ "missed-evasion", "told above {}" },
	{ "missed-vblanks", "told above {} of the vblanks" },
	{ "no-reply", NULL },
	{ "npu-stall",
	  "told from {} times the middle job and {} more than it on, in processes of at least {} jobs" },
	{ "nvidia-interrupt-storm", "told above {} in a window of 100 ms" },
	{ "shared-crtc-index", "told from {} changes between the counters on" },
	{ "slow-allocation",
	  "told above {} times the median, from {} on, with at least {} others of its size" },
	{ "sxid", NULL },
	{ "unsignalled-fences", "told of those older than {}" },
	{ "virtio-gpu-error", "{} is enough" },
	{ "virtio-gpu-unanswered", "told after more than {} without an answer" },
	{ "xdna-job-timeout", "{} is enough" },
	{ "xdna-mailbox-slow", "too long: more than {}" },
	{ "xdna-mailbox-unanswered", "told after more than {} without an answer" },
	{ "xe-cgp-context-error", "{} is enough" },
	{ "xe-job-timeout", "{} is enough" },
	{ "xe-long-running-queue", "at once: in less than {}" },
	{ "xe-memory-cat-error", "{} is enough" },
	{ "xe-queue-banned", "{} is enough" },
	{ "xe-queue-reset", "{} is enough" },
	{ "xe-tlb-timeout", "{} is enough" },
	{ "xid", NULL },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

const char *xtr_finding_id(size_t i)
{
	return i < N_KINDS ? kinds[i].id : NULL;
}

const char *xtr_finding_rule(const char *id)
{
	size_t i;

	for (i = 0; i < N_KINDS; i++)
		if (!strcmp(kinds[i].id, id))
			return kinds[i].rule;
	return NULL;
}
