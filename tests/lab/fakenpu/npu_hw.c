/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that touch registers in the real driver. Here only their order and their calls count.
 */
#include <linux/delay.h>

#include "npu.h"

#define NPU_LEAF_INT(name)                        \
	NPU_FN int name(struct ivpu_device *vdev) \
	{                                         \
		NPU_CALL(name);                   \
		return NPU_RET(0);                \
	}
#define NPU_LEAF_VOID(name)                        \
	NPU_FN void name(struct ivpu_device *vdev) \
	{                                          \
		NPU_CALL(name);                    \
	}

NPU_LEAF_INT(ivpu_hw_btrs_d0i3_disable)
NPU_LEAF_INT(ivpu_hw_btrs_d0i3_enable)
NPU_LEAF_INT(ivpu_hw_btrs_wp_drive)
NPU_LEAF_INT(ivpu_hw_btrs_ip_reset)
NPU_LEAF_INT(ivpu_hw_btrs_wait_for_clock_res_own_ack)
NPU_LEAF_INT(ivpu_hw_btrs_wait_for_idle)
NPU_LEAF_INT(ivpu_hw_btrs_is_idle)
NPU_LEAF_INT(ivpu_hw_ip_host_ss_configure)
NPU_LEAF_INT(ivpu_hw_ip_pwr_domain_enable)
NPU_LEAF_INT(ivpu_hw_ip_host_ss_axi_enable)
NPU_LEAF_INT(ivpu_hw_ip_top_noc_enable)
NPU_LEAF_INT(ivpu_hw_ip_ipc_rx_addr_get)
NPU_LEAF_INT(ivpu_hw_ip_read_perf_timer_counter)
NPU_LEAF_VOID(ivpu_hw_btrs_irq_enable)
NPU_LEAF_VOID(ivpu_hw_btrs_irq_disable)
NPU_LEAF_VOID(ivpu_hw_ip_irq_enable)
NPU_LEAF_VOID(ivpu_hw_ip_irq_disable)
NPU_LEAF_VOID(ivpu_hw_ip_irq_clear)
NPU_LEAF_VOID(ivpu_hw_btrs_global_int_disable)
NPU_LEAF_VOID(ivpu_hw_btrs_global_int_enable)
NPU_LEAF_VOID(ivpu_hw_btrs_profiling_freq_reg_set_lnl)
NPU_LEAF_VOID(ivpu_hw_btrs_ats_print_lnl)
NPU_LEAF_VOID(ivpu_hw_btrs_set_port_arbitration_weights_lnl)
NPU_LEAF_VOID(ivpu_hw_ip_idle_gen_disable)
NPU_LEAF_VOID(ivpu_hw_ip_snoop_disable)
NPU_LEAF_VOID(ivpu_hw_ip_tbu_mmu_enable)

NPU_FN int ivpu_hw_ip_soc_cpu_boot(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_ip_soc_cpu_boot);
	npu_fw_boot(vdev);
	return NPU_RET(0);
}

NPU_FN int ivpu_hw_ip_ipc_rx_count_get(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_ip_ipc_rx_count_get);
	return NPU_RET(npu_fw_count(vdev));
}

NPU_FN void ivpu_hw_ip_ipc_tx_set(struct ivpu_device *vdev, const struct vpu_jsm_msg *req)
{
	NPU_CALL(ivpu_hw_ip_ipc_tx_set);
	npu_fw_request(vdev, req);
}

NPU_FN void ivpu_hw_ip_db_set(struct ivpu_device *vdev, u32 db_id)
{
	NPU_CALL(ivpu_hw_ip_db_set);
	NPU_ARG(0, db_id);
}

NPU_FN void ivpu_hw_irq_enable(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_irq_enable);
	ivpu_hw_ip_irq_enable(vdev);
	ivpu_hw_btrs_irq_enable(vdev);
	WRITE_ONCE(vdev->fw.irq_on, true);
}

NPU_FN void ivpu_hw_irq_disable(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_irq_disable);
	WRITE_ONCE(vdev->fw.irq_on, false);
	ivpu_hw_btrs_irq_disable(vdev);
	ivpu_hw_ip_irq_disable(vdev);
}

NPU_FN int ivpu_hw_boot_fw(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_boot_fw);
	ivpu_hw_ip_snoop_disable(vdev);
	ivpu_hw_ip_tbu_mmu_enable(vdev);
	if (npu_knobs.boot_us)
		npu_spend(npu_knobs.boot_us * 1000ull);
	return NPU_RET(ivpu_hw_ip_soc_cpu_boot(vdev));
}

NPU_FN int ivpu_hw_power_up(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_power_up);
	ivpu_hw_btrs_d0i3_disable(vdev);
	ivpu_hw_btrs_wp_drive(vdev);
	ivpu_hw_btrs_profiling_freq_reg_set_lnl(vdev);
	ivpu_hw_btrs_ats_print_lnl(vdev);
	ivpu_hw_ip_host_ss_configure(vdev);
	ivpu_hw_ip_idle_gen_disable(vdev);
	ivpu_hw_btrs_wait_for_clock_res_own_ack(vdev);
	ivpu_hw_ip_pwr_domain_enable(vdev);
	ivpu_hw_ip_host_ss_axi_enable(vdev);
	ivpu_hw_btrs_set_port_arbitration_weights_lnl(vdev);
	ivpu_hw_ip_top_noc_enable(vdev);
	return NPU_RET(0);
}

NPU_FN int ivpu_hw_reset(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_reset);
	ivpu_hw_btrs_ip_reset(vdev);
	ivpu_hw_btrs_wp_drive(vdev);
	return NPU_RET(0);
}

NPU_FN int ivpu_hw_power_down(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_hw_power_down);
	ivpu_hw_ip_read_perf_timer_counter(vdev);
	ivpu_hw_btrs_is_idle(vdev);
	ivpu_hw_reset(vdev);
	ivpu_hw_btrs_d0i3_enable(vdev);
	return NPU_RET(0);
}
