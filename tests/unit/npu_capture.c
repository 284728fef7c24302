/* SPDX-License-Identifier: BSD-2-Clause */
#include "npu_capture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct player {
	void (*step)(void *ctx, const char *function);
	void *ctx;
};

/* Names without "ivpu_", separated by blanks; "name*12": so many times. */
static void say(const struct player *p, const char *names)
{
	char name[64], function[80], *end;
	unsigned long times;
	int used;

	while (sscanf(names, " %63[^ *]%n", name, &used) == 1) {
		snprintf(function, sizeof(function), "ivpu_%s", name);
		names += used;
		times = 1;
		if (*names == '*') {
			times = strtoul(names + 1, &end, 10);
			names = end;
		}
		while (times--)
			p->step(p->ctx, function);
	}
}

static void repeat(const struct player *p, unsigned int times, const char *names)
{
	while (times--)
		say(p, names);
}

#define SYNC "mmu_cmdq_cmd_write mmu_cmdq_sync mmu_cmdq_cmd_write"
#define IRQ                                                                                    \
	"hw_irq_handler hw_btrs_global_int_disable hw_btrs_irq_handler_lnl hw_btrs_is_idle "   \
	"hw_ip_irq_handler_40xx ipc_irq_handler hw_ip_ipc_rx_count_get hw_ip_ipc_rx_addr_get " \
	"ipc_msg_dump jsm_msg_dump hw_ip_ipc_rx_count_get hw_btrs_global_int_enable"
#define MESSAGE                                                                                          \
	"ipc_send_receive_internal ipc_send jsm_msg_dump ipc_msg_dump hw_ip_ipc_tx_set ipc_receive " IRQ \
	" ipc_rx_msg_del ipc_consumer_del"
#define CREATE                                                                                     \
	"bo_create_ioctl gem_create_object gem_bo_open bo_alloc_vpu_addr mmu_context_insert_node " \
	"bo_info_ioctl"
#define FREE \
	"bo_unbind_locked mmu_context_unmap_sgt mmu_invalidate_tlb " SYNC " mmu_context_remove_node"

static void open_and_wake(const struct player *p)
{
	say(p,
	    "open mmu_context_init get_param_ioctl*4 hw_btrs_ratio_to_freq get_param_ioctl*8 "
	    "postclose ms_cleanup file_priv_put pm_runtime_resume_cb resume hw_power_up "
	    "hw_btrs_d0i3_disable hw_btrs_wp_drive hw_btrs_profiling_freq_reg_set_lnl "
	    "hw_btrs_ats_print_lnl hw_ip_host_ss_configure hw_ip_idle_gen_disable "
	    "hw_btrs_wait_for_clock_res_own_ack hw_ip_pwr_domain_enable hw_ip_host_ss_axi_enable "
	    "hw_btrs_set_port_arbitration_weights_lnl hw_ip_top_noc_enable mmu_enable "
	    "mmu_reg_write_cr0*2 mmu_cmdq_cmd_write " SYNC " mmu_reg_write_cr0*2 "
	    "mmu_reg_write_irq_ctrl*2 mmu_reg_write_cr0 mmu_cmdq_cmd_write " SYNC " "
	    "boot fw_boot_params_setup hw_boot_fw hw_ip_snoop_disable hw_ip_tbu_mmu_enable "
	    "hw_ip_soc_cpu_boot wait_for_ready ipc_consumer_add");
	repeat(p, 941, "ipc_irq_handler hw_ip_ipc_rx_count_get ipc_receive");
	say(p, "ipc_irq_handler hw_ip_ipc_rx_count_get hw_ip_ipc_rx_addr_get ipc_msg_dump "
	       "hw_ip_ipc_rx_count_get ipc_receive ipc_rx_msg_del ipc_consumer_del "
	       "hw_ip_irq_clear hw_irq_enable hw_ip_irq_enable hw_btrs_irq_enable ipc_enable "
	       "cmdq_release_all_locked bo_unbind_all_bos_from_context mmu_context_fini "
	       "pgtable_free_page open mmu_context_init open mmu_context_init postclose ms_cleanup "
	       "file_priv_put cmdq_release_all_locked bo_unbind_all_bos_from_context "
	       "mmu_context_fini pgtable_free_page");
}

/* The pages of the buffers of the job, and where a page of the page table is added. */
static void submit(const struct player *p)
{
	static const char *const bind[] = {
		"mmu_context_map_page pgtable_alloc_page*4 mmu_cd_set mmu_cdtab_entry_set " SYNC,
		"mmu_context_map_page",
		"mmu_context_map_page pgtable_alloc_page mmu_context_map_page*512 "
		"pgtable_alloc_page mmu_context_map_page*511",
		"mmu_context_map_page",
		"mmu_context_map_page",
		"mmu_context_map_page",
		"mmu_context_map_page",
		"mmu_context_map_page*2",
		"mmu_context_map_page*4",
		"mmu_context_map_page",
		"mmu_context_map_page*2",
		"mmu_context_map_page*2",
		"mmu_context_map_page*2",
		"mmu_context_map_page*2",
		"mmu_context_map_page",
		"mmu_context_map_page",
		"mmu_context_map_page",
		"mmu_context_map_page",
		"mmu_context_map_page*2",
		"mmu_context_map_page*2",
		"mmu_context_map_page*2",
		"mmu_context_map_page*481 pgtable_alloc_page mmu_context_map_page*512 "
		"pgtable_alloc_page mmu_context_map_page*32",
		"mmu_context_map_page*465 pgtable_alloc_page mmu_context_map_page*512 "
		"pgtable_alloc_page mmu_context_map_page*48",
		"mmu_context_map_page*449 pgtable_alloc_page mmu_context_map_page*512 "
		"pgtable_alloc_page mmu_context_map_page*64",
		"mmu_context_map_page",
	};
	size_t i, n = sizeof(bind) / sizeof(bind[0]);

	say(p, "submit_ioctl file_priv_get");
	for (i = 0; i < n; i++) {
		if (i == n - 1)
			say(p, "rpm_get bo_create_global bo_create gem_create_object "
			       "bo_alloc_vpu_addr mmu_context_insert_node");
		say(p, "bo_pin mmu_context_map_sgt");
		say(p, bind[i]);
		say(p, "mmu_invalidate_tlb " SYNC);
	}
	say(p, "jsm_register_db ipc_send_receive rpm_get " MESSAGE " rpm_put "
	       "start_job_timeout_detection hw_ip_db_set");
}

static void close_and_sleep(const struct player *p)
{
	say(p,
	    "bo_wait_ioctl " IRQ " irq_thread_handler ipc_irq_thread_handler job_done_callback "
	    "job_signal_and_destroy job_destroy file_priv_put stop_job_timeout_detection rpm_put "
	    "ipc_rx_msg_del");
	repeat(p, 24, "gem_bo_free " FREE);
	say(p,
	    "postclose ms_cleanup file_priv_put cmdq_release_all_locked cmdq_fini "
	    "jsm_unregister_db ipc_send_receive rpm_get " MESSAGE
	    " rpm_put bo_free gem_bo_free " FREE
	    " bo_unbind_all_bos_from_context mmu_context_fini mmu_cd_clear mmu_cdtab_entry_set " SYNC
	    " pgtable_free_page*515 pm_runtime_suspend_cb mmu_disable hw_btrs_is_idle "
	    "jsm_pwr_d0i3_enter " MESSAGE " hw_btrs_wait_for_idle prepare_for_reset "
	    "hw_irq_disable hw_btrs_irq_disable hw_ip_irq_disable ipc_disable mmu_disable shutdown "
	    "hw_power_down hw_ip_read_perf_timer_counter hw_btrs_is_idle hw_reset hw_btrs_ip_reset "
	    "hw_btrs_wp_drive hw_btrs_d0i3_enable pm_prepare_warm_boot");
}

void npu_capture_play(void (*step)(void *ctx, const char *function), void *ctx)
{
	struct player p = { step, ctx };

	open_and_wake(&p);
	repeat(&p, 23, CREATE);
	say(&p, "get_param_ioctl " CREATE);
	submit(&p);
	close_and_sleep(&p);
}

static void describe(void *ctx, const char *function)
{
	struct named *n = ctx;
	char name[96];

	snprintf(name, sizeof(name), "func:intel_vpu:%s", function);
	if (!xtr_meta_event_by_name(n->meta, name))
		named_describe(n, name, "context:u32:4 pad:u32:4");
}

void npu_capture_describe(struct named *n)
{
	npu_capture_play(describe, n);
}
