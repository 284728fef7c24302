/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compile probes, one per PROBE_ name; Kbuild defines HAVE_ name where the lines compile. Nothing
 * of this is linked.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/gpu_scheduler.h>

#if defined(PROBE_INIT_ARGS)
static int p(struct drm_gpu_scheduler *s)
{
	struct drm_sched_init_args a = { .credit_limit = 1 };

	return drm_sched_init(s, &a);
}
#elif defined(PROBE_INIT_NUM_RQS)
static struct drm_sched_init_args p = { .num_rqs = 1 };
#elif defined(PROBE_JOB_CREDITS)
static int p(struct drm_sched_job *j, struct drm_sched_entity *e)
{
	return drm_sched_job_init(j, e, 1, NULL);
}
#elif defined(PROBE_JOB_CLIENT_ID)
static int p(struct drm_sched_job *j, struct drm_sched_entity *e)
{
	return drm_sched_job_init(j, e, 1, NULL, 1);
}
#elif defined(PROBE_FILE_CLIENT_ID)
static u64 p(struct drm_file *f)
{
	return f->client_id;
}
#elif defined(PROBE_SHOW_FDINFO)
static struct drm_driver p = { .show_fdinfo = NULL };
static void q(struct seq_file *m, struct file *f)
{
	drm_show_fdinfo(m, f);
}
#elif defined(PROBE_DRIVER_DATE)
static struct drm_driver p = { .date = "" };
#elif defined(PROBE_HRTIMER_SETUP)
static void p(struct hrtimer *t)
{
	hrtimer_setup(t, NULL, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}
#elif defined(PROBE_CREDIT_LIMIT)
static u32 p(struct drm_gpu_scheduler *s)
{
	return s->credit_limit;
}
#elif defined(PROBE_STAT_NO_HANG)
static int p = DRM_GPU_SCHED_STAT_NO_HANG;
#elif defined(PROBE_WORK_FREE_JOB)
static bool p(struct drm_gpu_scheduler *s)
{
	return queue_work(s->submit_wq, &s->work_free_job);
}
#elif defined(PROBE_REMOVE_VOID)
static void r(struct platform_device *d)
{
}
static struct platform_driver p = { .remove = r };
#elif defined(PROBE_NOTHING)
/* The control: if even this does not compile, no answer of the others means anything. */
static struct drm_driver p = { .name = "" };
static int q(struct drm_sched_entity *e)
{
	return e != NULL;
}
#else
#error "no such probe"
#endif
