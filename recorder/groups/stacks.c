/* SPDX-License-Identifier: BSD-2-Clause */
#include "stacks.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/*
 * Events in the thread that submits or waits, in its own system call: the user's frames are those
 * of the program. What fires in a worker or an interrupt is not here: its stack says nothing of who
 * asked. Jobs of the kernel's scheduler have drm_sched_job_queue, which is no row: its record has
 * room for a stack, as those of dma_fence_init and dma_fence_wait_start (bpf/).
 */
static const char *const events[] = {
	/* i915_gem_execbuffer.c (eb_submit), i915_request.c (__i915_request_commit): the ioctl. */
	"i915:i915_request_queue",
	"i915:i915_request_add",
	"i915:i915_request_wait_begin",
	/* ivpu_job.c: `create` and `submit` in the ioctl, `done` in the interrupt's thread. */
	"vpu:job",
	"func:*:ivpu_submit_ioctl",
	"func:*:ivpu_cmdq_submit_ioctl",
	"func:*:ivpu_bo_wait_ioctl",
	/* aie2_ctx.c: the wait; its jobs are the scheduler's. */
	"func:*:amdxdna_drm_wait_cmd_ioctl",
	"func:*:nouveau_gem_ioctl_cpu_prep",
};

bool xtr_stacks_submit(const char *event)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		if (fnmatch(events[i], event, 0) == 0)
			return true;
	}
	return false;
}

static bool wanted(const char *name, const char *pattern)
{
	return pattern ? fnmatch(pattern, name, 0) == 0 : xtr_stacks_submit(name);
}

/* pattern NULL: those of the table; of them, one without room for a stack goes without. */
static int apply(struct xtr_selection *s, const char *pattern, size_t *n)
{
	int err = 0;

	for (size_t i = 0; i < s->n_generics && !err; i++) {
		if (!wanted(s->generics[i]->name, pattern))
			continue;
		err = s->generics[i]->cfg.stack ? 0 : xtr_generic_stack(s->generics[i]);
		*n += !err;
		err = pattern || err == -ENOMEM ? err : 0;
	}
	for (size_t i = 0; i < s->n_probes && !err; i++) {
		struct xtr_probe *p = s->probes[i];

		if (p->why[0] || !wanted(p->name, pattern))
			continue;
		err = p->entry.cfg.flags & XTR_PROBE_STACK ? 0 : xtr_probe_stack(p);
		*n += !err;
		err = pattern || err == -ENOMEM ? err : 0;
	}
	return err;
}

/* Built-in events whose records have room for a stack (bpf/). */
static bool any_built_in(const struct xtr_selection *s)
{
	return s->types[XTR_EV_JOB_QUEUE] || s->types[XTR_EV_FENCE_INIT] ||
	       s->types[XTR_EV_FENCE_WAIT_START];
}

static const char no_effect[] =
	"--stack has no effect: no event that is recorded takes a stack by it (those do that submit a "
	"job or begin to wait: gpu_scheduler:drm_sched_job_queue, dma_fence:dma_fence_init, "
	"dma_fence:dma_fence_wait_start, i915:i915_request_queue and others of drivers); "
	"--stack-at EVENT takes that of another one";

static int fail(struct xtr_record_err *err, int code, const char *pattern, const char *what)
{
	err->code = code;
	err->kind = code == -ENOMEM ? XTR_FAIL_OTHER : XTR_FAIL_USAGE;
	snprintf(err->what, sizeof(err->what), "--stack-at '%.120s': %.100s", pattern, what);
	snprintf(
		err->hint, sizeof(err->hint),
		"name a tracepoint or a function that is recorded by -e or a group; 'xtr list' shows them");
	return code;
}

int xtr_stacks_apply(struct xtr_selection *s, const char *const *more, size_t n,
		     struct xtr_record_err *err)
{
	size_t hit = 0;
	int ret = apply(s, NULL, &hit);

	if (ret == -ENOMEM)
		return fail(err, ret, "", strerror(ENOMEM));
	if (!hit && !n && !any_built_in(s))
		xtr_selection_note(s, no_effect);
	for (size_t i = 0; i < n; i++) {
		hit = 0;
		ret = apply(s, more[i], &hit);
		if (ret == -ENOMEM)
			return fail(err, ret, more[i], strerror(ENOMEM));
		if (ret)
			return fail(err, ret, more[i], "the event has no room for a stack");
		if (!hit)
			return fail(err, -EINVAL, more[i], "no such event is recorded");
	}
	return 0;
}
