/* SPDX-License-Identifier: BSD-2-Clause */
#include "hooks.h"
#include "recorder/host/bpfdefs.h"
#include "groups.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include "format/xtr_format.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)XTR_SLOT_GENERIC > (int)XTR_EV_THREAD_ON, "slots of built-in events");
_Static_assert((int)XTR_JOB_KTHREAD == (int)XTR_TASK_KTHREAD, "flags of jobs and tasks");

#define SCHED(type, name, tracepoint, prog)                                              \
	{                                                                                \
		XTR_EV_##type, "gpu_scheduler:" name, "gpu_scheduler", tracepoint, prog, \
			"gpu_sched"                                                      \
	}
#define FENCE(type, name)                                                       \
	{                                                                       \
		XTR_EV_##type, "dma_fence:" name, "dma_fence", name, name, NULL \
	}

/* New names (since Linux 6.17) first. */
const struct xtr_hook xtr_hooks[] = {
	SCHED(JOB_QUEUE, "drm_sched_job_queue", "drm_sched_job_queue", "drm_sched_job_queue"),
	SCHED(JOB_QUEUE, "drm_sched_job_queue", "drm_sched_job", "drm_sched_job_old"),
	SCHED(JOB_RUN, "drm_sched_job_run", "drm_sched_job_run", "drm_sched_job_run"),
	SCHED(JOB_RUN, "drm_sched_job_run", "drm_run_job", "drm_run_job"),
	SCHED(JOB_DONE, "drm_sched_job_done", "drm_sched_job_done", "drm_sched_job_done"),
	SCHED(JOB_DONE, "drm_sched_job_done", "drm_sched_process_job", "drm_sched_process_job"),
	SCHED(JOB_WAIT_DEP, "drm_sched_job_wait_dep", "drm_sched_job_wait_dep",
	      "drm_sched_job_wait_dep"),
	SCHED(JOB_ADD_DEP, "drm_sched_job_add_dep", "drm_sched_job_add_dep",
	      "drm_sched_job_add_dep"),
	SCHED(JOB_UNSCHEDULABLE, "drm_sched_job_unschedulable", "drm_sched_job_unschedulable",
	      "drm_sched_job_unschedulable"),
	FENCE(FENCE_INIT, "dma_fence_init"),
	FENCE(FENCE_EMIT, "dma_fence_emit"),
	FENCE(FENCE_ENABLE_SIGNAL, "dma_fence_enable_signal"),
	FENCE(FENCE_SIGNALED, "dma_fence_signaled"),
	FENCE(FENCE_WAIT_START, "dma_fence_wait_start"),
	FENCE(FENCE_WAIT_END, "dma_fence_wait_end"),
	FENCE(FENCE_DESTROY, "dma_fence_destroy"),
};
const size_t xtr_n_hooks = ARRAY_LEN(xtr_hooks);

static bool events_readable(void)
{
	int err;
	const char *dir = xtr_tracefs_dir(&err);
	char path[160];

	if (!dir)
		return false;
	snprintf(path, sizeof(path), "%s/events", dir);
	return xtr_access(path, R_OK) == 0;
}

/*
 * tracefs tells what there is. Where we may not look into it (it is root's), a loaded module is
 * taken to have both sets of names: attaching finds out.
 */
enum xtr_hook_state xtr_hook_state(const struct xtr_hook *h, const char **why)
{
	*why = NULL;
	if (xtr_tracefs_has(h->system, h->tracepoint))
		return XTR_HOOK_AVAILABLE;
	for (size_t i = 0; i < xtr_n_hooks; i++) {
		if (xtr_hooks[i].type == h->type &&
		    xtr_tracefs_has(h->system, xtr_hooks[i].tracepoint))
			return XTR_HOOK_RENAMED;
	}
	if (h->module && !xtr_module_loaded(h->module)) {
		*why = "module gpu_sched is not loaded: no driver that uses the DRM scheduler is active";
		return XTR_HOOK_MISSING;
	}
	if (!events_readable())
		return XTR_HOOK_AVAILABLE;
	*why = "this kernel has no such tracepoint";
	return XTR_HOOK_MISSING;
}

bool xtr_hook_matches(const struct xtr_hook *h, const char *pattern)
{
	char alias[128];

	snprintf(alias, sizeof(alias), "%s:%s", h->system, h->tracepoint);
	return fnmatch(pattern, h->event, 0) == 0 || fnmatch(pattern, alias, 0) == 0;
}

bool xtr_hook_asked(uint32_t type, const char *pattern)
{
	for (size_t i = 0; i < xtr_n_hooks; i++) {
		if (xtr_hooks[i].type == type && xtr_hook_matches(&xtr_hooks[i], pattern))
			return true;
	}
	return false;
}

bool xtr_hook_exists(const char *system, const char *tracepoint)
{
	for (size_t i = 0; i < xtr_n_hooks; i++) {
		if (strcmp(xtr_hooks[i].system, system) == 0 &&
		    strcmp(xtr_hooks[i].tracepoint, tracepoint) == 0)
			return true;
	}
	return false;
}
