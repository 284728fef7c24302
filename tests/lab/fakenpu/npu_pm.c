/* SPDX-License-Identifier: GPL-2.0-only */
/* Runtime power: resume boots the firmware and polls until it is up, suspend tells it to sleep. */
#include <linux/pm_runtime.h>
#include <linux/sched.h>

#include "npu.h"
#include "npu_trace.h"

#define NPU_BOOT_TIMEOUT_NS (20ull * NSEC_PER_SEC)

NPU_FN int ivpu_rpm_get(struct ivpu_device *vdev)
{
	int ret;

	NPU_CALL(ivpu_rpm_get);
	ret = pm_runtime_resume_and_get(vdev->dev);
	return NPU_RET(ret < 0 ? ret : 0);
}

NPU_FN void ivpu_rpm_put(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_rpm_put);
	pm_runtime_mark_last_busy(vdev->dev);
	pm_runtime_put_autosuspend(vdev->dev);
}

NPU_FN void ivpu_fw_boot_params_setup(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_fw_boot_params_setup);
}

NPU_FN int ivpu_wait_for_ready(struct ivpu_device *vdev)
{
	u64 limit = ktime_get_ns() + NPU_BOOT_TIMEOUT_NS, polls = 0;
	struct ivpu_ipc_consumer cons;
	struct ivpu_ipc_hdr hdr;
	int ret;

	NPU_CALL(ivpu_wait_for_ready);
	ivpu_ipc_consumer_add(vdev, &cons, NPU_CHAN_BOOT, NULL);
	do {
		ivpu_ipc_irq_handler(vdev);
		ret = ivpu_ipc_receive(vdev, &cons, &hdr, NULL, 0);
		polls++;
		cond_resched();
	} while (ret == -ETIMEDOUT && ktime_get_ns() < limit);
	ivpu_ipc_consumer_del(vdev, &cons);
	NPU_ARG(0, polls);
	return NPU_RET(ret);
}

NPU_FN void ivpu_ipc_enable(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_ipc_enable);
}

NPU_FN void ivpu_ipc_disable(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_ipc_disable);
}

NPU_FN int ivpu_boot(struct ivpu_device *vdev)
{
	int ret;

	NPU_CALL(ivpu_boot);
	ivpu_fw_boot_params_setup(vdev);
	ivpu_hw_boot_fw(vdev);
	ret = ivpu_wait_for_ready(vdev);
	if (ret)
		return NPU_RET(ret);
	ivpu_hw_ip_irq_clear(vdev);
	ivpu_hw_irq_enable(vdev);
	ivpu_ipc_enable(vdev);
	return NPU_RET(0);
}

NPU_FN int ivpu_resume(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_resume);
	ivpu_hw_power_up(vdev);
	ivpu_mmu_enable(vdev);
	return NPU_RET(ivpu_boot(vdev));
}

NPU_FN int ivpu_pm_runtime_resume_cb(struct device *dev)
{
	int ret;

	NPU_CALL(ivpu_pm_runtime_resume_cb);
	npu_trace_pm("runtime resume");
	ret = ivpu_resume(npu_vdev);
	npu_trace_pm("runtime resume done");
	return NPU_RET(ret);
}

NPU_FN void ivpu_prepare_for_reset(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_prepare_for_reset);
	ivpu_hw_irq_disable(vdev);
	ivpu_ipc_disable(vdev);
	ivpu_mmu_disable(vdev);
}

NPU_FN int ivpu_shutdown(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_shutdown);
	return NPU_RET(ivpu_hw_power_down(vdev));
}

NPU_FN void ivpu_pm_prepare_warm_boot(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_pm_prepare_warm_boot);
}

NPU_FN int ivpu_pm_runtime_suspend_cb(struct device *dev)
{
	struct ivpu_device *vdev = npu_vdev;

	NPU_CALL(ivpu_pm_runtime_suspend_cb);
	npu_trace_pm("runtime suspend");
	ivpu_mmu_disable(vdev);
	ivpu_hw_btrs_is_idle(vdev);
	ivpu_jsm_pwr_d0i3_enter(vdev);
	ivpu_prepare_for_reset(vdev);
	ivpu_shutdown(vdev);
	ivpu_pm_prepare_warm_boot(vdev);
	npu_trace_pm("runtime suspend done");
	return NPU_RET(0);
}
