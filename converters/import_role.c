// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which events become those of spec/events.md, and which of their fields is what. An event is told
 * by its name and the fields that it has, never by the kernel's version; one that lacks a field is
 * kept as any other event. Fields have two names: that of tracefs, and the label that the kernel's
 * print format puts before the value, which is all that a printed trace has.
 */
#include "import_priv.h"

#include <ctype.h>
#include <string.h>

#define JOB_KEY                                                       \
	{ ROLE_CTX, "fence_context" }, { ROLE_SEQNO, "fence_seqno" }, \
	{                                                             \
		ROLE_KEY, "fence"                                     \
	}
#define JOB_RING                  \
	{ ROLE_RING, "name" },    \
	{                         \
		ROLE_RING, "ring" \
	}
#define JOB_COUNTS                                                                           \
	{ ROLE_JOBS, "job_count" }, { ROLE_JOBS, "job count" }, { ROLE_HW, "hw_job_count" }, \
	{                                                                                    \
		ROLE_HW, "hw job count"                                                      \
	}

#define NEEDS_KEY  (ROLE_BIT(ROLE_CTX) | ROLE_BIT(ROLE_SEQNO))
#define NEEDS_NEW  (NEEDS_KEY | ROLE_BIT(ROLE_RING))
#define NEEDS_DEP  (NEEDS_KEY | ROLE_BIT(ROLE_DEP_CTX) | ROLE_BIT(ROLE_DEP_SEQNO))
#define NEEDS_OLD  (ROLE_BIT(ROLE_FENCE) | ROLE_BIT(ROLE_RING) | ROLE_BIT(ROLE_ID))
#define NEEDS_WAIT (ROLE_BIT(ROLE_RING) | ROLE_BIT(ROLE_ID) | ROLE_BIT(ROLE_DEP_CTX))

/* clang-format off */
#define NEW_JOB(name, ev) \
	{ "gpu_scheduler", name, ev, NEEDS_NEW, import_job_new, \
	  { JOB_KEY, JOB_RING, { ROLE_DEV, "dev" }, JOB_COUNTS, { ROLE_CLIENT, "client_id" } } }
#define NEW_DEP(name, ev, label) \
	{ "gpu_scheduler", name, ev, NEEDS_DEP, import_dep_new, \
	  { JOB_KEY, { ROLE_DEP_CTX, "ctx" }, { ROLE_DEP_SEQNO, "seqno" }, \
	    { ROLE_DEP_KEY, label } } }
#define OLD_JOB(name, ev) \
	{ "gpu_scheduler", name, ev, NEEDS_OLD, import_job_old, \
	  { { ROLE_ENTITY, "entity" }, { ROLE_FENCE, "fence" }, JOB_RING, { ROLE_ID, "id" }, \
	    JOB_COUNTS } }
#define FENCE(name, ev) \
	{ "dma_fence", name, ev, NEEDS_KEY, import_fence, \
	  { { ROLE_CTX, "context" }, { ROLE_SEQNO, "seqno" }, { ROLE_DRIVER, "driver" }, \
	    { ROLE_TIMELINE, "timeline" } } }

static const struct import_event_map maps[] = {
	NEW_JOB("drm_sched_job_queue", XTR_EV_JOB_QUEUE),
	NEW_JOB("drm_sched_job_run", XTR_EV_JOB_RUN),
	{ "gpu_scheduler", "drm_sched_job_done", XTR_EV_JOB_DONE, NEEDS_KEY, import_done_new,
	  { JOB_KEY } },
	NEW_DEP("drm_sched_job_add_dep", XTR_EV_JOB_ADD_DEP, "depends on fence"),
	NEW_DEP("drm_sched_job_unschedulable", XTR_EV_JOB_UNSCHEDULABLE,
		"depends on unsignalled fence"),
	OLD_JOB("drm_sched_job", XTR_EV_JOB_QUEUE),
	OLD_JOB("drm_run_job", XTR_EV_JOB_RUN),
	{ "gpu_scheduler", "drm_sched_process_job", XTR_EV_JOB_DONE, ROLE_BIT(ROLE_FENCE),
	  import_done_old, { { ROLE_FENCE, "fence" } } },
	{ "gpu_scheduler", "drm_sched_job_wait_dep", XTR_EV_JOB_WAIT_DEP, NEEDS_WAIT,
	  import_dep_old,
	  { JOB_RING, { ROLE_RING, "job ring" }, { ROLE_ID, "id" }, { ROLE_DEP_FENCE, "fence" },
	    { ROLE_DEP_FENCE, "depends fence" }, { ROLE_DEP_CTX, "ctx" },
	    { ROLE_DEP_CTX, "context" }, { ROLE_DEP_SEQNO, "seqno" }, { ROLE_DEP_SEQNO, "seq" } } },
	FENCE("dma_fence_init", XTR_EV_FENCE_INIT),
	FENCE("dma_fence_emit", XTR_EV_FENCE_EMIT),
	FENCE("dma_fence_enable_signal", XTR_EV_FENCE_ENABLE_SIGNAL),
	FENCE("dma_fence_signaled", XTR_EV_FENCE_SIGNALED),
	FENCE("dma_fence_wait_start", XTR_EV_FENCE_WAIT_START),
	FENCE("dma_fence_wait_end", XTR_EV_FENCE_WAIT_END),
	FENCE("dma_fence_destroy", XTR_EV_FENCE_DESTROY),
};

/* Systems of events that are printed without, by how their names begin. */
static const struct {
	const char *prefix, *system;
} systems[] = {
	{ "drm_sched_", "gpu_scheduler" }, { "drm_run_job", "gpu_scheduler" },
	{ "dma_fence_", "dma_fence" },     { "dma_buf_", "dma_buf" },
	{ "drm_vblank_", "drm" },          { "amdgpu_dm_", "amdgpu_dm" },
	{ "amdgpu_", "amdgpu" },           { "i915_", "i915" },
	{ "intel_", "i915" },              { "g4x_", "i915" },
	{ "vlv_", "i915" },                { "xe_", "xe" },
	{ "nouveau_", "nouveau" },         { "virtio_gpu_", "virtio_gpu" },
	{ "msm_gpu_", "drm_msm_gpu" },     { "gpu_mem_", "gpu_mem" },
	{ "vpu_", "vpu" },                 { "xdna_", "amdxdna" },
	{ "sched_", "sched" },             { "irq_handler_", "irq" },
	{ "softirq_", "irq" },             { "tasklet_", "irq" },
	{ "irq_matrix_", "irq_matrix" },   { "hrtimer_", "timer" },
	{ "timer_", "timer" },             { "tick_", "timer" },
	{ "workqueue_", "workqueue" },     { "task_", "task" },
	{ "cpu_", "power" },               { "sys_enter_", "syscalls" },
	{ "sys_exit_", "syscalls" },       { "sys_enter", "raw_syscalls" },
	{ "sys_exit", "raw_syscalls" },    { "gpu_frequency", "power" },
	{ "gpu_work_period", "power" },    { "suspend_resume", "power" },
	{ "wakeup_source_", "power" },     { "pm_qos_", "power" },
	{ "dev_pm_qos_", "power" },        { "clock_", "power" },
	{ "rpm_", "rpm" },                 { "itimer_", "timer" },
	{ "page_fault_", "exceptions" },   { "amdxdna_", "amdxdna" },
	{ "block_", "block" },             { "dma_map_", "dma" },
	{ "dma_unmap_", "dma" },           { "dma_sync_", "dma" },
	{ "dma_alloc", "dma" },            { "dma_free", "dma" },
	{ "tracing_mark_write", "ftrace" }, { "ipi_", "ipi" },
	{ "signal_", "signal" },           { "host1x_", "host1x" },
};
/* clang-format on */

static bool same(const char *s, const char *text, size_t len)
{
	return strlen(s) == len && !memcmp(s, text, len);
}

const struct import_event_map *import_map_find(const char *system, size_t system_len,
					       const char *event, size_t event_len)
{
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		if (system_len && !same(maps[i].system, system, system_len))
			continue;
		if (same(maps[i].event, event, event_len))
			return &maps[i];
	}
	return NULL;
}

const char *import_system_of(const char *event, size_t len)
{
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		size_t n = strlen(systems[i].prefix);

		if (n <= len && !memcmp(systems[i].prefix, event, n))
			return systems[i].system;
	}
	return "unknown";
}

static bool is_text_role(enum import_role role)
{
	return role == ROLE_RING || role == ROLE_DEV || role == ROLE_KEY || role == ROLE_DEP_KEY ||
	       role == ROLE_DRIVER || role == ROLE_TIMELINE;
}

enum import_role import_role_of(const struct import_event_map *map, const char *name, size_t len,
				bool text)
{
	for (size_t i = 0; map && i < sizeof(map->roles) / sizeof(map->roles[0]); i++) {
		if (!map->roles[i].name)
			break;
		if (same(map->roles[i].name, name, len) && is_text_role(map->roles[i].role) == text)
			return map->roles[i].role;
	}
	return ROLES;
}

static bool take_number(const char **p, const char *end, uint64_t *v)
{
	const char *start = *p;

	*v = 0;
	for (; *p < end && isdigit((unsigned char)**p); (*p)++)
		if (__builtin_mul_overflow(*v, 10u, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(**p - '0'), v))
			return false;
	return *p > start;
}

static void split(struct import_values *v, enum import_role key, enum import_role ctx,
		  enum import_role seqno)
{
	const char *p = v->str[key], *end;
	uint64_t a, b;

	if (!(v->have & ROLE_BIT(key)))
		return;
	end = p + v->len[key];
	if (!take_number(&p, end, &a) || p == end || *p++ != ':' || !take_number(&p, end, &b) ||
	    p != end)
		return;
	v->num[ctx] = a;
	v->num[seqno] = b;
	v->have |= ROLE_BIT(ctx) | ROLE_BIT(seqno);
}

void import_values_split(struct import_values *v)
{
	split(v, ROLE_KEY, ROLE_CTX, ROLE_SEQNO);
	split(v, ROLE_DEP_KEY, ROLE_DEP_CTX, ROLE_DEP_SEQNO);
}
