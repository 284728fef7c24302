/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every function that has the name of one of the real driver's: X(name, suffix, returns,
 * values...). suffix is what the compiler appended in the real binary. returns is 1 where the
 * function returns a number. values name what the log keeps of a call, in the order of
 * npu_call.arg. All of them are real functions of this module, never inlined, and all their calls
 * are counted.
 */
/* clang-format off */
#define NPU_FUNCTIONS(X) NPU_COMMON_FUNCTIONS(X) NPU_FLAVOUR_FUNCTIONS(X)

#define NPU_COMMON_FUNCTIONS(X) \
	X(ivpu_open, "", 1, "ctx") \
	X(ivpu_postclose, "", 0, "ctx") \
	X(ivpu_ms_cleanup, "", 0) \
	X(ivpu_file_priv_get, "", 0) \
	X(ivpu_file_priv_put, "", 0) \
	X(ivpu_get_param_ioctl, "", 1, "param", "value") \
	X(ivpu_bo_create_ioctl, "", 1, "size", "flags", "handle", "vpu_addr") \
	X(ivpu_bo_info_ioctl, "", 1, "handle") \
	X(ivpu_bo_wait_ioctl, "", 1, "handle", "job_status") \
	X(ivpu_submit_ioctl, "", 1, "buffer_count", "engine", "job_id", "fence_context") \
	X(ivpu_gem_create_object, "", 0, "size") \
	X(ivpu_gem_bo_open, "", 1, "handle") \
	X(ivpu_gem_bo_free, "", 0, "handle", "size") \
	X(ivpu_bo_create, "", 0) \
	X(ivpu_bo_create_global, "", 0, "size") \
	X(ivpu_bo_free, "", 0) \
	X(ivpu_bo_alloc_vpu_addr, "", 1, "vpu_addr", "size") \
	X(ivpu_bo_unbind_locked, "", 0) \
	X(ivpu_bo_unbind_all_bos_from_context, "", 0) \
	X(drm_gem_shmem_object_mmap, "", 1, "handle", "size", "allocated") \
	X(ivpu_mmu_context_init, "", 0) \
	X(ivpu_mmu_context_fini, "", 0) \
	X(ivpu_mmu_context_insert_node, "", 1, "size") \
	X(ivpu_mmu_context_remove_node, "", 0) \
	X(ivpu_mmu_context_map_sgt, "", 1, "vpu_addr", "bo_size", "pages") \
	X(ivpu_mmu_context_unmap_sgt, "", 0, "vpu_addr") \
	X(ivpu_mmu_context_map_page, "", 1) \
	X(ivpu_pgtable_alloc_page, "", 0) \
	X(ivpu_pgtable_free_page, "", 0) \
	X(ivpu_mmu_cd_set, "", 1) \
	X(ivpu_mmu_cd_clear, "", 0) \
	X(ivpu_mmu_cdtab_entry_set, "", 1) \
	X(ivpu_mmu_cmdq_cmd_write, "", 1) \
	X(ivpu_mmu_cmdq_sync, "", 1) \
	X(ivpu_mmu_invalidate_tlb, "", 1) \
	X(ivpu_mmu_enable, "", 1) \
	X(ivpu_mmu_disable, "", 0) \
	X(ivpu_mmu_reg_write_cr0, "", 1) \
	X(ivpu_mmu_reg_write_irq_ctrl, "", 1) \
	X(ivpu_ipc_consumer_add, "", 0) \
	X(ivpu_ipc_consumer_del, "", 0) \
	X(ivpu_ipc_send, "", 1, "type", "request_id") \
	X(ivpu_ipc_receive, "", 1, "timeout_ms") \
	X(ivpu_ipc_send_receive, "", 1, "type") \
	X(ivpu_ipc_send_receive_internal, "", 1, "type") \
	X(ivpu_ipc_irq_handler, "", 0) \
	X(ivpu_ipc_rx_msg_del, "", 0) \
	X(ivpu_ipc_msg_dump, "", 0) \
	X(ivpu_jsm_msg_dump, "", 0) \
	X(ivpu_ipc_enable, "", 0) \
	X(ivpu_ipc_disable, "", 0) \
	X(ivpu_jsm_register_db, "", 1, "ctx", "db_id") \
	X(ivpu_jsm_unregister_db, "", 1, "db_id") \
	X(ivpu_jsm_pwr_d0i3_enter, "", 1) \
	X(ivpu_hw_irq_handler, "", 1) \
	X(ivpu_hw_btrs_irq_handler_lnl, "", 1) \
	X(ivpu_hw_ip_irq_handler_40xx, "", 1) \
	X(ivpu_hw_btrs_global_int_disable, "", 0) \
	X(ivpu_hw_btrs_global_int_enable, "", 0) \
	X(ivpu_hw_btrs_is_idle, "", 1) \
	X(ivpu_hw_btrs_wait_for_idle, "", 1) \
	X(ivpu_hw_ip_ipc_rx_count_get, "", 1) \
	X(ivpu_hw_ip_ipc_rx_addr_get, "", 1) \
	X(ivpu_hw_ip_ipc_tx_set, "", 0) \
	X(ivpu_hw_ip_db_set, "", 0, "db_id") \
	X(ivpu_hw_ip_read_perf_timer_counter, "", 1) \
	X(ivpu_hw_power_up, "", 1) \
	X(ivpu_hw_power_down, "", 1) \
	X(ivpu_hw_reset, "", 1) \
	X(ivpu_hw_boot_fw, "", 1) \
	X(ivpu_hw_irq_enable, "", 0) \
	X(ivpu_hw_irq_disable, "", 0) \
	X(ivpu_hw_btrs_irq_enable, "", 0) \
	X(ivpu_hw_btrs_irq_disable, "", 0) \
	X(ivpu_hw_ip_irq_enable, "", 0) \
	X(ivpu_hw_ip_irq_disable, "", 0) \
	X(ivpu_hw_ip_irq_clear, "", 0) \
	X(ivpu_hw_btrs_d0i3_disable, "", 1) \
	X(ivpu_hw_btrs_d0i3_enable, "", 1) \
	X(ivpu_hw_btrs_wp_drive, "", 1) \
	X(ivpu_hw_btrs_ip_reset, "", 1) \
	X(ivpu_hw_btrs_profiling_freq_reg_set_lnl, "", 0) \
	X(ivpu_hw_btrs_ats_print_lnl, "", 0) \
	X(ivpu_hw_btrs_wait_for_clock_res_own_ack, "", 1) \
	X(ivpu_hw_btrs_set_port_arbitration_weights_lnl, "", 0) \
	X(ivpu_hw_ip_host_ss_configure, "", 1) \
	X(ivpu_hw_ip_idle_gen_disable, "", 0) \
	X(ivpu_hw_ip_pwr_domain_enable, "", 1) \
	X(ivpu_hw_ip_host_ss_axi_enable, "", 1) \
	X(ivpu_hw_ip_top_noc_enable, "", 1) \
	X(ivpu_hw_ip_snoop_disable, "", 0) \
	X(ivpu_hw_ip_tbu_mmu_enable, "", 0) \
	X(ivpu_hw_ip_soc_cpu_boot, "", 1) \
	X(ivpu_fw_boot_params_setup, "", 0) \
	X(ivpu_boot, "", 1) \
	X(ivpu_wait_for_ready, "", 1, "polls") \
	X(ivpu_resume, "", 1) \
	X(ivpu_shutdown, "", 1) \
	X(ivpu_prepare_for_reset, "", 0) \
	X(ivpu_pm_prepare_warm_boot, "", 0) \
	X(ivpu_pm_runtime_resume_cb, "", 1) \
	X(ivpu_pm_runtime_suspend_cb, "", 1) \
	X(ivpu_rpm_get, "", 1) \
	X(ivpu_rpm_put, "", 0) \
	X(ivpu_ipc_irq_thread_handler, "", NPU_THREAD_RETURNS) \
	X(ivpu_job_done_callback, "", 0, "job_id") \
	X(ivpu_job_destroy, "", 0, "job_id") \
	X(ivpu_start_job_timeout_detection, "", 0) \
	X(ivpu_stop_job_timeout_detection, "", 0) \
	X(ivpu_fence_get_driver_name, "", 0) \
	X(ivpu_fence_get_timeline_name, "", 0) \
	X(ivpu_jsm_msg_type_to_str, "", 0) \
	X(ivpu_probe, "", 1) \
	X(ivpu_remove, "", 0) \
	X(ivpu_cmdq_release_all_locked, "", 0)

#ifdef NPU_NEW
#define NPU_THREAD_RETURNS 1
#define NPU_FLAVOUR_FUNCTIONS(X) \
	X(ivpu_bo_bind, "", 1, "handle", "size", "allocated", "vpu_addr") \
	X(ivpu_cmdq_create_ioctl, "", 1, "cmdq_id") \
	X(ivpu_cmdq_create, "", 0) \
	X(ivpu_cmdq_destroy_ioctl, "", 1, "cmdq_id") \
	X(ivpu_cmdq_submit_ioctl, "", 1, "buffer_count", "cmdq_id", "job_id", "fence_context") \
	X(ivpu_submit, ".constprop.0", 1, "job_id") \
	X(ivpu_cmdq_unregister, ".isra.0", 1) \
	X(ivpu_job_signal, "", 0, "job_id") \
	X(ivpu_job_destroy_work_fn, "", 0)
#else
#define NPU_THREAD_RETURNS 0
#define NPU_FLAVOUR_FUNCTIONS(X) \
	X(ivpu_bo_pin, "", 1, "handle", "size", "allocated", "vpu_addr") \
	X(ivpu_hw_btrs_ratio_to_freq, "", 1) \
	X(ivpu_cmdq_fini, ".isra.0", 0) \
	X(ivpu_irq_thread_handler, "", 1) \
	X(ivpu_job_signal_and_destroy, ".isra.0", 1, "job_id")
#endif
