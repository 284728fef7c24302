/* SPDX-License-Identifier: BSD-2-Clause */
#include "missing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends; what does not fit is cut off. */
static __attribute__((format(printf, 3, 4))) void put(char *buf, size_t *len, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf + *len, XTR_MISSING_TEXT - *len, fmt, ap);
	va_end(ap);
	*len += n > 0 ? (size_t)n : 0;
	if (*len >= XTR_MISSING_TEXT)
		*len = XTR_MISSING_TEXT - 1;
}

const char *xtr_missing_text(char buf[XTR_MISSING_TEXT], const char *const *names,
			     const bool *missing, size_t n)
{
	size_t all = 0, said = 0, len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n; i++)
		all += missing[i];
	for (size_t i = 0; i < n; i++) {
		if (!missing[i])
			continue;
		put(buf, &len, "%s%s", !said ? "" : said + 1 < all ? ", " : " and ", names[i]);
		said++;
	}
	put(buf, &len, " %s not recorded", all == 1 ? "was" : "were");
	return buf;
}

const char *xtr_missing_half(char buf[XTR_MISSING_TEXT], const char *name, struct xtr_halves h)
{
	if (!h.entry && !h.ret)
		snprintf(buf, XTR_MISSING_TEXT, "%s was not recorded", name);
	else
		snprintf(buf, XTR_MISSING_TEXT, "%s of %s were not recorded",
			 h.entry ? "returns" : "entries", name);
	return buf;
}

/* --- no jobs ---------------------------------------------------------------------------------- */

/* The first whose event the section has is the reason. docs/drivers.md says what tells of jobs. */
static const struct {
	const char *prefix; /* of an event's name; alternatives separated by | */
	const char *why;
} reasons[] = {
	{ "gpu_scheduler:drm_sched_job_queue|gpu_scheduler:drm_sched_job_run|"
	  "gpu_scheduler:drm_sched_job_done",
	  "the scheduler's events were recorded, and none of a job happened" },
	{ "amdgpu:amdgpu_cs_ioctl|amdgpu:amdgpu_sched_run_job",
	  "before Linux 4.7 amdgpu's events do not name their jobs" },
	{ "virtio_gpu:",
	  "a guest's virtio_gpu sends commands, and only the host knows the jobs of them" },
	{ "kgsl:|mali:|drm_msm_gpu:|v3d:|vc4:|lima:|radeon:|host1x:|pvr:|panthor:",
	  "the driver's events are there, but not those of its jobs" },
	{ "i915:", "of i915 only i915_request_* tell of jobs" },
	{ "xe:", "of xe the scheduler's events tell of jobs: gpu_scheduler:*" },
	{ "amdgpu:", "of amdgpu amdgpu_cs_ioctl and amdgpu_sched_run_job tell of jobs" },
	{ "power:gpu_work_period", "gpu_work_period tells of periods, not of jobs" },
	{ "dma_fence:|fence:|sync:|sync_trace:",
	  "fences alone tell when work ended, not what it was" },
	{ "drm:", "of drm there are events of displays only" },
	{ "ftrace:print", "markers tell what programs did, not what the GPU did" },
};

static bool begins(const char *name, const char *prefixes)
{
	for (; *prefixes; prefixes += strcspn(prefixes, "|"), prefixes += *prefixes == '|')
		if (!strncmp(name, prefixes, strcspn(prefixes, "|")))
			return true;
	return false;
}

const char *xtr_no_jobs(const struct xtr_meta *meta)
{
	for (size_t i = 0; meta && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		for (size_t k = 0; k < xtr_meta_n_events(meta); k++)
			if (begins(xtr_meta_event_at(meta, k)->name, reasons[i].prefix))
				return reasons[i].why;
	return "no event of a GPU or NPU driver tells of any";
}
