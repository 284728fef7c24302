/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the scheduler told of a job: probes of the module's own on its run and done events. They are
 * there before any recorder's and of a higher priority, so that they are called first: a recorder's
 * time of a run event lies between event_run_ns and run_ns, that of a done event after report_ns.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tracepoint.h>

#include "fg.h"

#define FG_FIRST 100 /* priority of these probes; others have 10 */

static void fg_saw_run(void *data, struct drm_sched_job *job, struct drm_sched_entity *entity)
{
	struct fg_rec *rec = fg_rec_of_job(job);

	if (rec)
		rec->event_run_ns = ktime_get_ns();
}

static void fg_saw_done(void *data, struct drm_sched_fence *fence)
{
	struct fg_rec *rec = fg_rec_of_fence(fence);

	if (rec)
		rec->report_ns = ktime_get_ns();
}

/* The events have one of two names, before Linux 6.17 and from then on. */
static struct fg_probe {
	const char *names[2];
	void *probe;
	struct tracepoint *tp;
} fg_probes[] = {
	{ { "drm_run_job", "drm_sched_job_run" }, fg_saw_run },
	{ { "drm_sched_process_job", "drm_sched_job_done" }, fg_saw_done },
};

static void fg_report_detach(unsigned int n)
{
	while (n-- > 0)
		tracepoint_probe_unregister(fg_probes[n].tp, fg_probes[n].probe, NULL);
	tracepoint_synchronize_unregister();
}

int fg_report_init(void)
{
	int ret;

	for (unsigned int i = 0; i < ARRAY_SIZE(fg_probes); i++) {
		struct fg_probe *p = &fg_probes[i];

		p->tp = fg_tracepoint(p->names[0]);
		if (!p->tp)
			p->tp = fg_tracepoint(p->names[1]);
		ret = p->tp ? tracepoint_probe_register_prio(p->tp, p->probe, NULL, FG_FIRST)
			    : -ENODEV;
		if (ret) {
			fg_report_detach(i);
			return ret;
		}
	}
	return 0;
}

void fg_report_fini(void)
{
	fg_report_detach(ARRAY_SIZE(fg_probes));
}
