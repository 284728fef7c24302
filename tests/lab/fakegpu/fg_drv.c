/* SPDX-License-Identifier: GPL-2.0-only */
/* Two platform devices, a DRM device on each, and what a client can ask of them. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>

#include "fg.h"

/* The same names on both devices, as two cards of one make have them. */
static const char *const fg_ring_names[FAKEGPU_RINGS] = {
	"gfx_0.0.0",
	"comp_1.0.0",
	"sdma0",
	"vcn_dec_0",
};

static unsigned int depth[FAKEGPU_DEVICES * FAKEGPU_RINGS] = { 1, 2, 3, 4, 5, 6, 7, 8 };
module_param_array(depth, uint, NULL, 0444);
MODULE_PARM_DESC(depth, "jobs on the hardware at once, per ring: device 0's four, device 1's four");

struct fg_dev {
	struct drm_device *drm;
	struct fg_ring rings[FAKEGPU_RINGS];
};

/* Of each file: its queues on each ring, and one on all rings of the device. */
#define FG_ANY      (FAKEGPU_RINGS * FAKEGPU_QUEUES)
#define FG_ENTITIES (FG_ANY + 1)

struct fg_file {
	struct fg_entity ents[FG_ENTITIES];
	u64 client_id;
};

static struct fg_dev *fg_devs[FAKEGPU_DEVICES];
static struct platform_device *fg_pdevs[FAKEGPU_DEVICES];
static struct workqueue_struct *fg_kernel_wq;

u32 fg_live(void)
{
	u32 live = 0;

	for (int i = 0; i < FAKEGPU_DEVICES; i++) {
		for (int r = 0; fg_devs[i] && r < FAKEGPU_RINGS; r++)
			live += fg_ring_live(&fg_devs[i]->rings[r]);
	}
	return live;
}

struct fg_kernel_submit {
	struct work_struct work;
	struct fg_entity *ent;
	struct fg_submit *s;
	int ret;
};

static void fg_kernel_work(struct work_struct *work)
{
	struct fg_kernel_submit *k = container_of(work, struct fg_kernel_submit, work);

	k->ret = fg_submit(k->ent, k->s);
}

/* Has a kernel thread submit the job. Returns when it is queued. */
static int fg_kernel_submit(struct fg_ring *ring, struct fg_submit *s)
{
	struct fg_kernel_submit k = { .ent = &ring->kernel, .s = s };

	s->client_id = 0;
	s->owner = NULL;
	INIT_WORK_ONSTACK(&k.work, fg_kernel_work);
	queue_work(fg_kernel_wq, &k.work);
	flush_work(&k.work);
	destroy_work_on_stack(&k.work);
	return k.ret;
}

#define FG_JOB_FLAGS                                                                   \
	(FAKEGPU_JOB_KERNEL | FAKEGPU_JOB_HANG | FAKEGPU_JOB_ANY | FAKEGPU_JOB_FAULT | \
	 FAKEGPU_JOB_EARLY)

static bool fg_submit_valid(const struct drm_fakegpu_submit *args)
{
	return args->ring < FAKEGPU_RINGS && args->queue < FAKEGPU_QUEUES &&
	       args->n_deps <= FAKEGPU_MAX_DEPS && !(args->flags & ~FG_JOB_FLAGS) &&
	       args->duration_ns <= 60 * NSEC_PER_SEC;
}

static int fg_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct fg_dev *fdev = drm->dev_private;
	struct fg_file *file = drm_file->driver_priv;
	struct drm_fakegpu_submit *args = data;
	struct fg_submit s = {
		.duration_ns = args->duration_ns,
		.flags = args->flags,
		.queue = args->queue,
		.n_deps = args->n_deps,
		.client_id = file->client_id,
		.owner = drm_file,
	};
	int ret;

	if (!fg_submit_valid(args))
		return -EINVAL;
	if (copy_from_user(s.deps, u64_to_user_ptr(args->deps), args->n_deps * sizeof(u64)))
		return -EFAULT;
	if (args->flags & FAKEGPU_JOB_KERNEL)
		ret = fg_kernel_submit(&fdev->rings[args->ring], &s);
	else if (args->flags & FAKEGPU_JOB_ANY)
		ret = fg_submit(&file->ents[FG_ANY], &s);
	else
		ret = fg_submit(&file->ents[args->ring * FAKEGPU_QUEUES + args->queue], &s);
	args->handle = s.handle;
	args->context = s.context;
	args->seqno = s.seqno;
	return ret;
}

static int fg_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_fakegpu_wait *args = data;
	struct dma_fence *fence;
	long left;
	int ret;

	if (args->timeout_ns < 0)
		return -EINVAL;
	ret = fg_rec_fence(args->handle, &fence, &args->error);
	if (ret || !fence)
		return ret;
	left = dma_fence_wait_timeout(fence, true, nsecs_to_jiffies(args->timeout_ns) + 1);
	if (left > 0)
		args->error = fence->error;
	dma_fence_put(fence);
	return left > 0 ? 0 : left < 0 ? left : -ETIME;
}

static const u32 fg_mode_flags[] = {
	[FG_IN_ORDER] = 0,
	[FG_OUT_OF_ORDER] = FAKEGPU_RING_OOO,
	[FG_PARALLEL] = FAKEGPU_RING_PARALLEL,
};

static int fg_ring_set(struct fg_ring *ring, const struct drm_fakegpu_ring *args)
{
	u32 flags = args->flags & ~FAKEGPU_RING_SET;
	u32 mode;

	for (mode = 0; mode < ARRAY_SIZE(fg_mode_flags) && fg_mode_flags[mode] != flags; mode++)
		;
	if (mode == ARRAY_SIZE(fg_mode_flags) || args->depth < 1 || args->depth > FG_MAX_DEPTH ||
	    args->coalesce_ns > (mode == FG_PARALLEL ? 0 : NSEC_PER_SEC))
		return -EINVAL;
	return fg_ring_config(ring, args->depth, mode, args->coalesce_ns);
}

static int fg_ioctl_ring(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct fg_dev *fdev = drm->dev_private;
	struct drm_fakegpu_ring *args = data;
	struct fg_ring *ring;
	int ret = 0;

	if (args->ring >= FAKEGPU_RINGS || args->pad)
		return -EINVAL;
	ring = &fdev->rings[args->ring];
	if (args->flags & FAKEGPU_RING_SET)
		ret = fg_ring_set(ring, args);
	args->flags = fg_mode_flags[ring->mode];
	args->depth = fg_ring_depth(ring);
	args->coalesce_ns = ring->coalesce_ns;
	strscpy(args->name, ring->name, sizeof(args->name));
	return ret;
}

static void fg_postclose(struct drm_device *drm, struct drm_file *drm_file)
{
	struct fg_file *file = drm_file->driver_priv;

	for (int i = 0; i < FG_ENTITIES; i++)
		fg_entity_fini(&file->ents[i]);
	kfree(file);
}

static int fg_open(struct drm_device *drm, struct drm_file *drm_file)
{
	struct fg_dev *fdev = drm->dev_private;
	struct fg_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	int ret = 0;
	int i;

	if (!file)
		return -ENOMEM;
#ifdef HAVE_FILE_CLIENT_ID
	file->client_id = drm_file->client_id;
#endif
	for (i = 0; i < FG_ENTITIES; i++) {
		if (i == FG_ANY)
			ret = fg_entity_init(&file->ents[i], fdev->rings, FAKEGPU_RINGS);
		else
			ret = fg_entity_init(&file->ents[i], &fdev->rings[i / FAKEGPU_QUEUES], 1);
		if (ret)
			break;
	}
	if (ret) {
		while (i-- > 0)
			fg_entity_fini(&file->ents[i]);
		kfree(file);
		return ret;
	}
	drm_file->driver_priv = file;
	return 0;
}

static const struct drm_ioctl_desc fg_ioctls[] = {
	DRM_IOCTL_DEF_DRV(FAKEGPU_SUBMIT, fg_ioctl_submit, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(FAKEGPU_WAIT, fg_ioctl_wait, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(FAKEGPU_RING, fg_ioctl_ring, DRM_RENDER_ALLOW),
};

static const struct file_operations fg_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = drm_ioctl,
	.compat_ioctl = drm_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
#ifdef HAVE_SHOW_FDINFO
	.show_fdinfo = drm_show_fdinfo,
#endif
#ifdef FOP_UNSIGNED_OFFSET
	.fop_flags = FOP_UNSIGNED_OFFSET,
#endif
};

static const struct drm_driver fg_driver = {
	.driver_features = DRIVER_RENDER,
	.open = fg_open,
	.postclose = fg_postclose,
	.ioctls = fg_ioctls,
	.num_ioctls = ARRAY_SIZE(fg_ioctls),
	.fops = &fg_fops,
	.name = "fakegpu",
	.desc = "rings without hardware",
#ifdef HAVE_DRIVER_DATE
	.date = "20260101",
#endif
	.major = 1,
};

void fg_wedged(struct device *dev)
{
	struct fg_dev *fdev = dev_get_drvdata(dev);
	char *env[] = { "WEDGED=rebind,bus-reset", NULL };

	if (fdev)
		kobject_uevent_env(&fdev->drm->primary->kdev->kobj, KOBJ_CHANGE, env);
}

static void fg_fini_rings(struct fg_dev *fdev, int n)
{
	while (n-- > 0)
		fg_ring_fini(&fdev->rings[n]);
}

static int fg_probe(struct platform_device *pdev)
{
	struct fg_dev *fdev = kzalloc(sizeof(*fdev), GFP_KERNEL);
	int ret, i;

	if (!fdev)
		return -ENOMEM;
	fdev->drm = drm_dev_alloc(&fg_driver, &pdev->dev);
	if (IS_ERR(fdev->drm)) {
		ret = PTR_ERR(fdev->drm);
		goto free;
	}
	fdev->drm->dev_private = fdev;
	for (i = 0; i < FAKEGPU_RINGS; i++) {
		ret = fg_ring_init(
			&fdev->rings[i], &pdev->dev, fg_ring_names[i],
			clamp(depth[pdev->id * FAKEGPU_RINGS + i], 1u, (unsigned int)FG_MAX_DEPTH));
		if (ret)
			goto rings;
	}
	ret = drm_dev_register(fdev->drm, 0);
	if (ret)
		goto rings;
	platform_set_drvdata(pdev, fdev);
	fg_devs[pdev->id] = fdev;
	return 0;

rings:
	fg_fini_rings(fdev, i);
	drm_dev_put(fdev->drm);
free:
	kfree(fdev);
	return ret;
}

static void fg_teardown(struct platform_device *pdev)
{
	struct fg_dev *fdev = platform_get_drvdata(pdev);

	drm_dev_unregister(fdev->drm);
	fg_devs[pdev->id] = NULL;
	fg_fini_rings(fdev, FAKEGPU_RINGS);
	drm_dev_put(fdev->drm);
	kfree(fdev);
}

#ifdef HAVE_REMOVE_VOID
static void fg_remove(struct platform_device *pdev)
{
	fg_teardown(pdev);
}
#else
static int fg_remove(struct platform_device *pdev)
{
	fg_teardown(pdev);
	return 0;
}
#endif

static struct platform_driver fg_platform_driver = {
	.driver = {
		.name = "fakegpu",
		.suppress_bind_attrs = true,
	},
	.probe = fg_probe,
	.remove = fg_remove,
};

static void fg_unregister(void)
{
	for (int i = 0; i < FAKEGPU_DEVICES; i++) {
		if (!IS_ERR_OR_NULL(fg_pdevs[i]))
			platform_device_unregister(fg_pdevs[i]);
	}
	platform_driver_unregister(&fg_platform_driver);
}

static int fg_register(void)
{
	int ret = platform_driver_register(&fg_platform_driver);

	if (ret)
		return ret;
	for (int i = 0; i < FAKEGPU_DEVICES; i++) {
		fg_pdevs[i] = platform_device_register_simple("fakegpu", i, NULL, 0);
		if (IS_ERR(fg_pdevs[i])) {
			ret = PTR_ERR(fg_pdevs[i]);
			fg_unregister();
			return ret;
		}
	}
	return 0;
}

static int __init fg_init(void)
{
	int ret = fg_truth_init();

	if (ret)
		return ret;
	ret = fg_emitted_init();
	if (ret)
		goto truth;
	ret = fg_report_init();
	if (ret)
		goto emitted;
	ret = -ENOMEM;
	fg_kernel_wq = alloc_workqueue("fakegpu", WQ_UNBOUND, 0);
	if (!fg_kernel_wq)
		goto report;
	ret = fg_register();
	if (ret)
		goto wq;
	return 0;

wq:
	destroy_workqueue(fg_kernel_wq);
report:
	fg_report_fini();
emitted:
	fg_emitted_fini();
truth:
	fg_truth_fini();
	return ret;
}

static void __exit fg_exit(void)
{
	fg_unregister();
	destroy_workqueue(fg_kernel_wq);
	fg_report_fini();
	fg_emitted_fini();
	fg_truth_fini();
}

module_init(fg_init);
module_exit(fg_exit);

MODULE_DESCRIPTION("DRM devices without hardware, on the real scheduler, with a log of the truth");
MODULE_LICENSE("GPL");
