/* SPDX-License-Identifier: GPL-2.0-only */
/* The module: its device, its files and what a client can ask of them, its parameters. */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "npu.h"
#include "npu_trace.h"

struct npu_knobs npu_knobs = {
	.boot_polls = 942,
	.reply_us = 200,
	.retry_ms = 1000,
};

struct ivpu_device *npu_vdev;

#define NPU_KNOB(name, text)                                  \
	module_param_named(name, npu_knobs.name, uint, 0644); \
	MODULE_PARM_DESC(name, text)
NPU_KNOB(create_ns, "time of each buffer's creation");
NPU_KNOB(alloc_page_ns, "time per physical page");
NPU_KNOB(bind_page_ns, "time per page mapped");
NPU_KNOB(boot_polls, "polls until the firmware says that it is up");
NPU_KNOB(poll_ns, "time of each of these polls");
NPU_KNOB(boot_us, "sleep before the polling");
NPU_KNOB(reply_us, "time until the firmware answers");
NPU_KNOB(slow_create, "which creation since the last reset is slow; 0: none");
NPU_KNOB(slow_create_us, "how slow");
NPU_KNOB(stall_job, "which job since the last reset stalls; 0: none");
NPU_KNOB(stall_us, "for how long");
NPU_KNOB(mute, "so many requests to the firmware stay without an answer");
NPU_KNOB(retry_ms, "how long each try waits for an answer");

void npu_spend(u64 ns)
{
	u64 end = ktime_get_ns() + ns;

	if (ns > 200000)
		usleep_range(ns / 1000, ns / 1000 + 20);
	while (ktime_get_ns() < end)
		cpu_relax();
}

NPU_FN int ivpu_open(struct drm_device *dev, struct drm_file *drm_file)
{
	struct ivpu_file_priv *file = (struct ivpu_file_priv *)drm_file;
	struct ivpu_device *vdev = (struct ivpu_device *)dev;
	unsigned long id;

	NPU_CALL(ivpu_open);
	mutex_lock(&vdev->ctx_lock);
	/* The first two are the driver's own. */
	id = find_next_zero_bit(vdev->ctx_used, NPU_MAX_CONTEXT, 2);
	if (id >= NPU_MAX_CONTEXT) {
		mutex_unlock(&vdev->ctx_lock);
		return NPU_RET(-EBUSY);
	}
	__set_bit(id, vdev->ctx_used);
	mutex_unlock(&vdev->ctx_lock);
	kref_init(&file->ref);
	file->vdev = vdev;
	mutex_init(&file->lock);
	xa_init_flags(&file->bos, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->cmdqs, XA_FLAGS_ALLOC1);
	ivpu_mmu_context_init(vdev, &file->ctx, id);
	NPU_ARG(0, id);
	return NPU_RET(0);
}

NPU_FN void ivpu_ms_cleanup(struct ivpu_file_priv *file)
{
	NPU_CALL(ivpu_ms_cleanup);
}

NPU_FN struct ivpu_file_priv *ivpu_file_priv_get(struct ivpu_file_priv *file)
{
	NPU_CALL(ivpu_file_priv_get);
	kref_get(&file->ref);
	return file;
}

static void file_priv_release(struct kref *ref)
{
	struct ivpu_file_priv *file = container_of(ref, struct ivpu_file_priv, ref);
	struct ivpu_device *vdev = file->vdev;

	/* As the real driver: the device is awake while a context is taken down. */
	pm_runtime_get_sync(vdev->dev);
	ivpu_cmdq_release_all_locked(file);
	ivpu_bo_unbind_all_bos_from_context(vdev, &file->ctx);
	ivpu_mmu_context_fini(vdev, &file->ctx);
	mutex_lock(&vdev->ctx_lock);
	__clear_bit(file->ctx.id, vdev->ctx_used);
	mutex_unlock(&vdev->ctx_lock);
	pm_runtime_mark_last_busy(vdev->dev);
	pm_runtime_put_autosuspend(vdev->dev);
	xa_destroy(&file->cmdqs);
	xa_destroy(&file->bos);
	kfree(file);
}

NPU_FN void ivpu_file_priv_put(struct ivpu_file_priv **link)
{
	struct ivpu_file_priv *file = *link;

	NPU_CALL(ivpu_file_priv_put);
	*link = NULL;
	kref_put(&file->ref, file_priv_release);
}

NPU_FN void ivpu_postclose(struct drm_device *dev, struct drm_file *drm_file)
{
	struct ivpu_file_priv *file = (struct ivpu_file_priv *)drm_file;

	NPU_CALL(ivpu_postclose);
	NPU_ARG(0, file->ctx.id);
	ivpu_ms_cleanup(file);
	ivpu_file_priv_put(&file);
}

#ifndef NPU_NEW
NPU_FN int ivpu_hw_btrs_ratio_to_freq(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_btrs_ratio_to_freq);
	return NPU_RET(1400000000);
}
#endif

NPU_FN NPU_IOCTL(ivpu_get_param_ioctl)
{
	struct ivpu_file_priv *priv = (struct ivpu_file_priv *)file;
	struct fakenpu_param *args = data;

	NPU_CALL(ivpu_get_param_ioctl);
	NPU_ARG(0, args->param);
	if (args->param >= FAKENPU_PARAMS)
		return NPU_RET(-EINVAL);
	args->value = 0;
	if (args->param == FAKENPU_PARAM_CONTEXT_ID)
		args->value = priv->ctx.id;
#ifndef NPU_NEW
	if (args->param == FAKENPU_PARAM_CORE_CLOCK_RATE)
		args->value = ivpu_hw_btrs_ratio_to_freq(priv->vdev);
#endif
	NPU_ARG(1, args->value);
	return NPU_RET(0);
}

static int npu_open(struct inode *inode, struct file *filep)
{
	struct ivpu_file_priv *file = kzalloc(sizeof(*file), GFP_KERNEL);
	int ret;

	if (!file)
		return -ENOMEM;
	ret = ivpu_open((struct drm_device *)npu_vdev, (struct drm_file *)file);
	if (ret)
		kfree(file);
	else
		filep->private_data = file;
	return ret;
}

static int npu_release(struct inode *inode, struct file *filep)
{
	struct ivpu_file_priv *file = filep->private_data;

	npu_gem_release(file);
	ivpu_postclose((struct drm_device *)npu_vdev, (struct drm_file *)file);
	return 0;
}

static int npu_close_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return npu_gem_close((struct ivpu_file_priv *)file, data);
}

static const struct npu_ioctl {
	unsigned int cmd;
	int (*call)(struct drm_device *dev, void *data, struct drm_file *file);
} npu_ioctls[] = {
	{ FAKENPU_GET_PARAM, ivpu_get_param_ioctl },
	{ FAKENPU_BO_CREATE, ivpu_bo_create_ioctl },
	{ FAKENPU_BO_INFO, ivpu_bo_info_ioctl },
	{ FAKENPU_SUBMIT, ivpu_submit_ioctl },
	{ FAKENPU_BO_WAIT, ivpu_bo_wait_ioctl },
	{ FAKENPU_GEM_CLOSE, npu_close_ioctl },
#ifdef NPU_NEW
	{ FAKENPU_CMDQ_CREATE, ivpu_cmdq_create_ioctl },
	{ FAKENPU_CMDQ_DESTROY, ivpu_cmdq_destroy_ioctl },
	{ FAKENPU_CMDQ_SUBMIT, ivpu_cmdq_submit_ioctl },
#endif
};

/* Like drm_ioctl(): the function gets a copy of the caller's struct, and the copy goes back. */
static long npu_ioctl(struct file *filep, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	u64 data[16] = {};
	unsigned int i;
	long ret;

	for (i = 0; i < ARRAY_SIZE(npu_ioctls); i++) {
		if (npu_ioctls[i].cmd == cmd)
			break;
	}
	if (i == ARRAY_SIZE(npu_ioctls) || _IOC_SIZE(cmd) > sizeof(data))
		return -ENOTTY;
	if (copy_from_user(data, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	ret = npu_ioctls[i].call((struct drm_device *)npu_vdev, data, filep->private_data);
	if ((_IOC_DIR(cmd) & _IOC_READ) && copy_to_user(user, data, _IOC_SIZE(cmd)))
		return -EFAULT;
	return ret;
}

static int npu_mmap(struct file *filep, struct vm_area_struct *vma)
{
	struct ivpu_file_priv *file = filep->private_data;
	struct ivpu_bo *bo = npu_bo_get(file, vma->vm_pgoff);
	int ret;

	if (!bo)
		return -EINVAL;
	ret = drm_gem_shmem_object_mmap(&bo->base, vma);
	npu_bo_put(bo);
	return ret;
}

static const struct file_operations npu_fops = {
	.owner = THIS_MODULE,
	.open = npu_open,
	.release = npu_release,
	.unlocked_ioctl = npu_ioctl,
	.mmap = npu_mmap,
};

static struct miscdevice npu_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "accel0",
	.nodename = "accel/accel0",
	.mode = 0666,
	.fops = &npu_fops,
};

static int npu_irq_thread(void *arg)
{
	struct ivpu_device *vdev = arg;

	while (!kthread_should_stop()) {
		wait_event_interruptible(vdev->irq_wait,
					 atomic_read(&vdev->irq_pending) || kthread_should_stop());
		if (!atomic_xchg(&vdev->irq_pending, 0))
			continue;
#ifdef NPU_NEW
		ivpu_ipc_irq_thread_handler(0, vdev);
#else
		ivpu_irq_thread_handler(0, vdev);
#endif
	}
	return 0;
}

static void npu_vdev_init(struct ivpu_device *vdev, struct device *dev)
{
	vdev->dev = dev;
	mutex_init(&vdev->mmu_lock);
	mutex_init(&vdev->ctx_lock);
	spin_lock_init(&vdev->fence_lock);
	spin_lock_init(&vdev->cons_lock);
	INIT_LIST_HEAD(&vdev->consumers);
	INIT_LIST_HEAD(&vdev->done);
	init_waitqueue_head(&vdev->irq_wait);
	xa_init_flags(&vdev->jobs, XA_FLAGS_ALLOC1);
	npu_fw_init(vdev);
}

NPU_FN int ivpu_probe(struct device *dev)
{
	struct ivpu_device *vdev = npu_vdev;

	NPU_CALL(ivpu_probe);
	npu_vdev_init(vdev, dev);
	ivpu_mmu_context_init(vdev, &vdev->gctx, 0);
	vdev->wq = alloc_workqueue("intel_vpu", WQ_UNBOUND, 0);
	if (!vdev->wq)
		return NPU_RET(-ENOMEM);
	vdev->irq_thread = kthread_run(npu_irq_thread, vdev, "irq/255-intel_vpu");
	if (IS_ERR(vdev->irq_thread)) {
		destroy_workqueue(vdev->wq);
		return NPU_RET(PTR_ERR(vdev->irq_thread));
	}
	pm_runtime_use_autosuspend(dev);
	pm_runtime_set_autosuspend_delay(dev, 10);
	pm_runtime_enable(dev);
	return NPU_RET(0);
}

NPU_FN void ivpu_remove(struct device *dev)
{
	struct ivpu_device *vdev = npu_vdev;

	NPU_CALL(ivpu_remove);
	flush_workqueue(vdev->wq);
	pm_runtime_dont_use_autosuspend(dev);
	pm_runtime_suspend(dev);
	pm_runtime_disable(dev);
	npu_fw_stop(vdev);
	kthread_stop(vdev->irq_thread);
	destroy_workqueue(vdev->wq);
	ivpu_mmu_context_fini(vdev, &vdev->gctx);
	xa_destroy(&vdev->jobs);
}

static int npu_probe(struct platform_device *pdev)
{
	return ivpu_probe(&pdev->dev);
}

#ifdef HAVE_REMOVE_VOID
static void npu_remove(struct platform_device *pdev)
{
	ivpu_remove(&pdev->dev);
}
#else
static int npu_remove(struct platform_device *pdev)
{
	ivpu_remove(&pdev->dev);
	return 0;
}
#endif

static const struct dev_pm_ops npu_pm = {
	.runtime_resume = ivpu_pm_runtime_resume_cb,
	.runtime_suspend = ivpu_pm_runtime_suspend_cb,
};

static struct platform_driver npu_driver = {
	.driver = {
		.name = "intel_vpu",
		.suppress_bind_attrs = true,
		.pm = &npu_pm,
	},
	.probe = npu_probe,
	.remove = npu_remove,
};

static struct platform_device *npu_pdev;

static void npu_unregister(void)
{
	if (!IS_ERR_OR_NULL(npu_pdev))
		platform_device_unregister(npu_pdev);
	platform_driver_unregister(&npu_driver);
}

static int npu_register(void)
{
	int ret = platform_driver_register(&npu_driver);

	if (ret)
		return ret;
	npu_pdev = platform_device_register_simple("intel_vpu", PLATFORM_DEVID_NONE, NULL, 0);
	ret = PTR_ERR_OR_ZERO(npu_pdev);
	if (!ret && !npu_vdev->dev)
		ret = -ENODEV;
	if (!ret)
		ret = misc_register(&npu_misc);
	if (ret)
		npu_unregister();
	return ret;
}

static int __init npu_init(void)
{
	int ret = npu_truth_init();

	if (ret)
		return ret;
	ret = -ENOMEM;
	npu_vdev = kzalloc(sizeof(*npu_vdev), GFP_KERNEL);
	if (npu_vdev)
		ret = npu_register();
	if (ret) {
		kfree(npu_vdev);
		npu_truth_fini();
	}
	return ret;
}

static void __exit npu_exit(void)
{
	misc_deregister(&npu_misc);
	npu_unregister();
	/* Fences that the kernel still holds name this module's functions. */
	rcu_barrier();
	kfree(npu_vdev);
	npu_truth_fini();
}

module_init(npu_init);
module_exit(npu_exit);

MODULE_DESCRIPTION("A stand-in for intel_vpu without hardware, with a log of the truth");
MODULE_LICENSE("GPL");
