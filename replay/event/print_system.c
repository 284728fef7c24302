/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Systems of events by their names: those of all GPU and NPU drivers of the kernel, old names
 * included, of Android's vendors, and of the kernel's parts that such traces have besides.
 * TRACE_SYSTEM of drivers/gpu, drivers/accel, include/trace/events; kgsl, mali, sde, mdss: vendors'
 * kernels.
 */
#include "print_format.h"

struct named {
	const char *names, *system; /* names: as in struct xtr_print */
};

/* The first that fits is taken: single names stand before prefixes. */
static const struct named systems[] = {
	/* schedulers and fences */
	{ "drm_sched_* drm_run_job", "gpu_scheduler" },
	{ "amd_sched_*", "gpu_sched" },
	{ "dma_fence_*", "dma_fence" },
	{ "fence_init fence_emit fence_enable_signal fence_signaled fence_wait_start "
	  "fence_wait_end fence_destroy fence_annotate_wait_on",
	  "fence" },
	{ "dma_buf_*", "dma_buf" },
	{ "sync_timeline sync_wait sync_pt", "sync" },
	{ "drm_vblank_*", "drm" },
	{ "ttm_*", "ttm" },
	/* AMD */
	{ "amdgpu_dm_* amdgpu_dc_* amdgpu_dmub_* amdgpu_refresh_rate_track dcn_*", "amdgpu_dm" },
	{ "amdgpu_*", "amdgpu" },
	{ "kfd_*", "amdkfd" },
	{ "radeon_*", "radeon" },
	{ "xdna_* amdxdna_* mbox_set_tail mbox_set_head mbox_irq_handle mbox_rx_worker",
	  "amdxdna" },
	/* Intel */
	{ "i915_* intel_* g4x_* vlv_* switch_mm", "i915" },
	{ "xe_*", "xe" },
	{ "vpu_* ivpu_*", "vpu" },
	{ "inject_msr workload_* gvt_* render_mmio", "gvt" },
	/* Qualcomm */
	{ "adreno_* kgsl_* syncpoint_fence syncpoint_fence_expire syncpoint_timestamp "
	  "syncpoint_timestamp_expire dispatch_queue_context gmu_ao_sync gmu_event",
	  "kgsl" },
	{ "msm_atomic_*", "drm_msm_atomic" },
	{ "msm_gpu_* msm_gmu_* msm_gem_*", "drm_msm_gpu" },
	{ "dpu_*", "dpu" },
	{ "sde_*", "sde" },
	{ "mdp_* mdss_*", "mdss" },
	{ "rotator_*", "rotator" },
	/* ARM */
	{ "mali_* sysgraph sysgraph_gpu kbase_*", "mali" },
	{ "gpu_job_irq gpu_power_status", "panthor" },
	{ "panthor_*", "panthor" },
	{ "panfrost_*", "panfrost" },
	{ "lima_*", "lima" },
	{ "ethosu_*", "ethosu" },
	/* others */
	{ "v3d_*", "v3d" },
	{ "vc4_*", "vc4" },
	{ "etnaviv_*", "etnaviv" },
	{ "nouveau_*", "nouveau" },
	{ "nvidia_dev_xid", "nvidia" },
	{ "virtio_gpu_*", "virtio_gpu" },
	{ "vmwgfx_*", "vmwgfx" },
	{ "host1x_*", "host1x" },
	{ "tegra_dma_*", "tegra_apb_dma" },
	{ "gk20a_* gp10b_* gv11b_* nvgpu_*", "gk20a" },
	{ "nvhost_*", "nvhost" },
	{ "dc_*", "tegra" },
	{ "pvr_*", "pvr" },
	{ "rogue_*", "rogue" },
	{ "rocket_*", "rocket" },
	{ "exynos_busfreq_* exynos_page_flip_state", "exynos" },
	{ "sgpu_*", "sgpu" },
	{ "gpu_mem_*", "gpu_mem" },
	/* the kernel's */
	{ "tracing_mark_write print bprint bputs function funcgraph_entry funcgraph_exit "
	  "kernel_stack user_stack context_switch",
	  "ftrace" },
	{ "cpuhp_*", "cpuhp" },
	{ "sched_*", "sched" },
	{ "irq_handler_* softirq_* tasklet_*", "irq" },
	{ "irq_matrix_* vector_alloc vector_reserve_managed vector_reserve vector_activate "
	  "vector_deactivate vector_update vector_clear vector_config vector_free_moved "
	  "vector_teardown vector_setup vector_alloc_managed local_timer_* "
	  "reschedule_* call_function_* irq_work_* thermal_apic_* x86_platform_ipi_* "
	  "spurious_apic_* error_apic_* deferred_error_apic_* threshold_apic_*",
	  "irq_vectors" },
	{ "ipi_*", "ipi" },
	{ "hrtimer_* timer_* tick_* itimer_*", "timer" },
	{ "alarmtimer_*", "alarmtimer" },
	{ "workqueue_*", "workqueue" },
	{ "task_*", "task" },
	{ "signal_*", "signal" },
	{ "cpu_idle cpu_idle_miss cpu_frequency cpu_frequency_limits psci_* powernv_throttle "
	  "device_pm_callback_start device_pm_callback_end suspend_resume wakeup_source_* "
	  "clock_* power_domain_target pm_qos_* dev_pm_qos_* guest_halt_poll_ns "
	  "gpu_frequency gpu_work_period pstate_sample power_start power_end cpu_*",
	  "power" },
	{ "clk_*", "clk" },
	{ "devfreq_*", "devfreq" },
	{ "regulator_*", "regulator" },
	{ "thermal_* cdev_update", "thermal" },
	{ "rpm_*", "rpm" },
	{ "sys_enter sys_exit", "raw_syscalls" },
	{ "sys_enter_* sys_exit_*", "syscalls" },
	{ "page_fault_*", "exceptions" },
	{ "kmalloc kmalloc_node kfree kmem_cache_* mm_page_* rss_stat ion_heap_grow "
	  "ion_heap_shrink ion_stat",
	  "kmem" },
	{ "mm_vmscan_*", "vmscan" },
	{ "mm_compaction_*", "compaction" },
	{ "mm_filemap_*", "filemap" },
	{ "oom_*", "oom" },
	{ "block_*", "block" },
	{ "ext4_*", "ext4" },
	{ "f2fs_*", "f2fs" },
	{ "binder_*", "binder" },
	{ "dma_map_* dma_unmap_* dma_sync_* dma_alloc* dma_free*", "dma" },
	{ "iommu_* map unmap io_page_fault attach_device_to_domain", "iommu" },
	{ "arm_smmu_* tlbi_*", "arm_smmu" },
	{ "writeback_*", "writeback" },
	{ "rcu_*", "rcu" },
	{ "lock_* contention_begin contention_end", "lock" },
	{ "console", "printk" },
	{ "module_*", "module" },
	{ "i2c_*", "i2c" },
	{ "smbus_*", "i2c" },
	{ "spi_*", "spi" },
	{ "mmc_*", "mmc" },
	{ "ufshcd_*", "ufs" },
	{ "scsi_*", "scsi" },
	{ "nvme_*", "nvme" },
	{ "kvm_*", "kvm" },
	{ "xhci_*", "xhci-hcd" },
	{ "net_* netif_*", "net" },
	{ "napi_*", "napi" },
	{ "tcp_*", "tcp" },
	{ "v4l2_* vb2_v4l2_*", "v4l2" },
	{ "vb2_*", "vb2" },
	{ "migrate_* mm_migrate_*", "migrate" },
	{ "tlb_flush", "tlb" },
	{ "xen_*", "xen" },
	{ "mce_record", "mce" },
	{ "cgroup_*", "cgroup" },
	{ "io_uring_*", "io_uring" },
};

const char *xtr_print_system(const char *event, size_t len)
{
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (xtr_print_lists(systems[i].names, event, len))
			return systems[i].system;
	return NULL;
}
