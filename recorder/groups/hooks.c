// SPDX-License-Identifier: BSD-2-Clause
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

/* bpf/ has the numbers of the format a second time, as it includes nothing of xtr. */
#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a)
SAME(XTR_REC_JOB_QUEUE, XTR_EV_JOB_QUEUE);
SAME(XTR_REC_JOB_RUN, XTR_EV_JOB_RUN);
SAME(XTR_REC_JOB_DONE, XTR_EV_JOB_DONE);
SAME(XTR_REC_JOB_WAIT_DEP, XTR_EV_JOB_WAIT_DEP);
SAME(XTR_REC_JOB_ADD_DEP, XTR_EV_JOB_ADD_DEP);
SAME(XTR_REC_JOB_UNSCHEDULABLE, XTR_EV_JOB_UNSCHEDULABLE);
SAME(XTR_REC_FENCE_INIT, XTR_EV_FENCE_INIT);
SAME(XTR_REC_FENCE_EMIT, XTR_EV_FENCE_EMIT);
SAME(XTR_REC_FENCE_ENABLE_SIGNAL, XTR_EV_FENCE_ENABLE_SIGNAL);
SAME(XTR_REC_FENCE_SIGNALED, XTR_EV_FENCE_SIGNALED);
SAME(XTR_REC_FENCE_WAIT_START, XTR_EV_FENCE_WAIT_START);
SAME(XTR_REC_FENCE_WAIT_END, XTR_EV_FENCE_WAIT_END);
SAME(XTR_REC_FENCE_DESTROY, XTR_EV_FENCE_DESTROY);
SAME(XTR_REC_KTHREAD, XTR_JOB_KTHREAD);
SAME(XTR_REC_KTHREAD, XTR_TASK_KTHREAD);
SAME(XTR_REC_CLIENT_KNOWN, XTR_JOB_CLIENT_KNOWN);
SAME(XTR_REC_DEP_SIGNALED, XTR_JOB_DEP_SIGNALED);
SAME(XTR_REC_DEP_SCHEDULED, XTR_JOB_DEP_SCHEDULED);
SAME(XTR_REC_HW_FENCE, XTR_JOB_HW_FENCE);
SAME(XTR_REC_HW_SIGNALED, XTR_JOB_HW_SIGNALED);
SAME(XTR_REC_OTHERS, XTR_JOB_OTHERS);
SAME(sizeof(struct xtr_rec), XTR_RECORD_HEADER_SIZE);
/* spec/events.md, column size */
SAME(sizeof(struct xtr_rec_job_queue), 64);
SAME(sizeof(struct xtr_rec_job_run), 48);
SAME(sizeof(struct xtr_rec_job_done), 72);
SAME(sizeof(struct xtr_rec_job_dep), 56);
SAME(sizeof(struct xtr_rec_fence), 40);
SAME(sizeof(struct xtr_rec_fence_stack), 48);
SAME(XTR_SLOT_GENERIC > XTR_EV_FENCE_DESTROY, 1);

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
