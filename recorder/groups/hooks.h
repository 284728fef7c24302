/* SPDX-License-Identifier: BSD-2-Clause */
/* The events with a BPF program of their own, and the kernel's names for where they come from. */
#ifndef XTR_RECORDER_HOOKS_H
#define XTR_RECORDER_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_hook {
	uint32_t type;                   /* spec/events.md */
	const char *event;               /* "gpu_scheduler:drm_sched_job_run" */
	const char *system, *tracepoint; /* the kernel's names */
	const char *prog;                /* first BPF program; the second has its name with _2 */
	const char *module;              /* kernel module, or NULL: built in */
};

extern const struct xtr_hook xtr_hooks[];
extern const size_t xtr_n_hooks;

enum xtr_hook_state {
	XTR_HOOK_AVAILABLE,
	XTR_HOOK_MISSING, /* this kernel has no such tracepoint, or its module is not loaded */
	XTR_HOOK_RENAMED, /* this kernel has the event under another name, which is available */
};

/* Is the hook's tracepoint there? *why is set to a static text if not. */
enum xtr_hook_state xtr_hook_state(const struct xtr_hook *h, const char **why);

/* Does pattern (a name or a glob) mean this hook, by xtr's or by the kernel's name? */
bool xtr_hook_matches(const struct xtr_hook *h, const char *pattern);
/* Does the pattern mean the built-in event of this type? */
bool xtr_hook_asked(uint32_t type, const char *pattern);
/* Is this tracepoint one of those in the table? */
bool xtr_hook_exists(const char *system, const char *tracepoint);

#endif /* XTR_RECORDER_HOOKS_H */
