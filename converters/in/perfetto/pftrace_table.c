/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of ftrace that Perfetto's protos describe (protos/perfetto/trace/ftrace/), with the names
 * that tracefs has for them and for their fields: those of the kernel at large. What is of GPUs and
 * displays is in pftrace_table_gpu.c.
 */
#include "pftrace_core.h"

/* clang-format off */
#define WAKE     "s:comm d:pid d:prio d:success d:target_cpu"
#define WORK     "p:work p:function"
#define RW       "u:dev u:sector u:nr_sector"
#define RQ       RW " u:bytes s:rwbs s:comm s:cmd"
#define BIO      RW " s:rwbs s:comm"
#define KMALLOC  "u:bytes_alloc u:bytes_req p:call_site x:gfp_flags"
#define ION      "s:client_name x:flags s:heap_name u:len x:mask"
#define ION_FAIL "s:client_name d:error x:flags s:heap_name u:len x:mask"
#define BINDER   "d:debug_id d:target_node d:to_proc d:to_thread d:reply x:code x:flags"

static const struct pft_row rows[] = {
	{ 3, "ftrace:print", "p:ip l:buf" },
	{ 4, "sched:sched_switch",
	  "s:prev_comm d:prev_pid d:prev_prio d:prev_state s:next_comm d:next_pid d:next_prio" },
	{ 11, "power:cpu_frequency", "u:state u:cpu_id" },
	{ 12, "power:cpu_frequency_limits", "u:min_freq u:max_freq u:cpu_id" },
	{ 13, "power:cpu_idle", "u:state u:cpu_id" },
	{ 14, "power:clock_enable", "s:name u:state u:cpu_id" },
	{ 15, "power:clock_disable", "s:name u:state u:cpu_id" },
	{ 16, "power:clock_set_rate", "s:name u:state u:cpu_id" },
	{ 17, "sched:sched_wakeup", WAKE },
	{ 18, "sched:sched_blocked_reason", "d:pid p:caller u:io_wait" },
	{ 19, "sched:sched_cpu_hotplug", "d:affected_cpu d:error d:status" },
	{ 20, "sched:sched_waking", WAKE },
	{ 21, "ipi:ipi_entry", "s:reason" },
	{ 22, "ipi:ipi_exit", "s:reason" },
	{ 23, "ipi:ipi_raise", "x:target_cpus s:reason" },
	{ 24, "irq:softirq_entry", "u:vec" },
	{ 25, "irq:softirq_exit", "u:vec" },
	{ 26, "irq:softirq_raise", "u:vec" },
	{ 35, "lowmemorykiller:lowmemory_kill",
	  "s:comm d:pid d:pagecache_size d:pagecache_limit d:free" },
	{ 36, "irq:irq_handler_entry", "d:irq s:name u:handler" },
	{ 37, "irq:irq_handler_exit", "d:irq d:ret" },
	{ 45, "block:block_rq_issue", RQ },
	{ 46, "vmscan:mm_vmscan_direct_reclaim_begin", "d:order d:may_writepage x:gfp_flags" },
	{ 47, "vmscan:mm_vmscan_direct_reclaim_end", "u:nr_reclaimed" },
	{ 48, "vmscan:mm_vmscan_kswapd_wake", "d:nid d:order d:zid" },
	{ 49, "vmscan:mm_vmscan_kswapd_sleep", "d:nid" },
	{ 50, "binder:binder_transaction", BINDER },
	{ 51, "binder:binder_transaction_received", "d:debug_id" },
	{ 56, "workqueue:workqueue_activate_work", WORK },
	{ 57, "workqueue:workqueue_execute_end", WORK },
	{ 58, "workqueue:workqueue_execute_start", WORK },
	{ 59, "workqueue:workqueue_queue_work", WORK " - d:req_cpu d:cpu s:workqueue" },
	{ 60, "regulator:regulator_disable", "s:name" },
	{ 61, "regulator:regulator_disable_complete", "s:name" },
	{ 62, "regulator:regulator_enable", "s:name" },
	{ 63, "regulator:regulator_enable_complete", "s:name" },
	{ 64, "regulator:regulator_enable_delay", "s:name" },
	{ 65, "regulator:regulator_set_voltage", "s:name d:min d:max" },
	{ 66, "regulator:regulator_set_voltage_complete", "s:name u:val" },
	{ 113, "power:suspend_resume", "s:action d:val u:start" },
	{ 114, "sched:sched_wakeup_new", WAKE },
	{ 117, "block:block_bio_complete", RW " d:error s:rwbs" },
	{ 119, "block:block_bio_queue", BIO },
	{ 125, "block:block_rq_complete", RW " d:errors s:rwbs s:cmd d:error" },
	{ 126, "block:block_rq_insert", RQ },
	{ 235, "task:task_newtask", "d:pid s:comm x:clone_flags d:oom_score_adj" },
	{ 236, "task:task_rename", "d:pid s:oldcomm s:newcomm d:oom_score_adj" },
	{ 237, "sched:sched_process_exec", "s:filename d:pid d:old_pid" },
	{ 238, "sched:sched_process_exit", "s:comm d:pid d:tgid d:prio" },
	{ 239, "sched:sched_process_fork",
	  "s:parent_comm d:parent_pid s:child_comm d:child_pid" },
	{ 240, "sched:sched_process_free", "s:comm d:pid d:prio" },
	{ 241, "sched:sched_process_hang", "s:comm d:pid" },
	{ 242, "sched:sched_process_wait", "s:comm d:pid d:prio" },
	{ 284, "kmem:ion_alloc_buffer_end", ION },
	{ 285, "kmem:ion_alloc_buffer_fail", ION_FAIL },
	{ 286, "kmem:ion_alloc_buffer_fallback", ION_FAIL },
	{ 287, "kmem:ion_alloc_buffer_start", ION },
	{ 298, "kmem:kfree", "p:call_site p:ptr" },
	{ 299, "kmem:kmalloc", KMALLOC " p:ptr" },
	{ 300, "kmem:kmalloc_node", KMALLOC " d:node p:ptr" },
	{ 301, "kmem:kmem_cache_alloc", KMALLOC " p:ptr" },
	{ 302, "kmem:kmem_cache_alloc_node", KMALLOC " d:node p:ptr" },
	{ 303, "kmem:kmem_cache_free", "p:call_site p:ptr" },
	{ 307, "kmem:mm_page_alloc", "x:gfp_flags d:migratetype u:order p:page u:pfn" },
	{ 310, "kmem:mm_page_free", "u:order p:page u:pfn" },
	{ 313, "kmem:rss_stat", "d:member d:size u:curr u:mm_id" },
	{ 314, "kmem:ion_heap_shrink", "s:heap_name u:len d:total_allocated" },
	{ 315, "kmem:ion_heap_grow", "s:heap_name u:len d:total_allocated" },
	{ 320, "clk:clk_enable", "s:name" },
	{ 321, "clk:clk_disable", "s:name" },
	{ 322, "clk:clk_set_rate", "s:name u:rate" },
	{ 323, "binder:binder_transaction_alloc_buf",
	  "u:data_size d:debug_id u:offsets_size u:extra_buffers_size" },
	{ 324, "signal:signal_deliver", "d:code x:sa_flags d:sig" },
	{ 325, "signal:signal_generate", "d:code s:comm d:group d:pid d:result d:sig" },
	{ 326, "oom:oom_score_adj_update", "s:comm d:oom_score_adj d:pid" },
	{ 329, "raw_syscalls:sys_enter", "d:id" },
	{ 330, "raw_syscalls:sys_exit", "d:id d:ret" },
	{ 334, "oom:mark_victim", "d:pid" },
	{ 335, "ion:ion_stat", "u:buffer_id d:len u:total_allocated" },
	{ 336, "kmem:ion_buffer_create", "p:addr u:len" },
	{ 337, "kmem:ion_buffer_destroy", "p:addr u:len" },
	{ 341, "thermal:thermal_temperature", "d:id d:temp d:temp_prev s:thermal_zone" },
	{ 342, "thermal:cdev_update", "u:target s:type" },
	{ 343, "cpuhp:cpuhp_exit", "u:cpu d:idx d:ret d:state" },
	{ 344, "cpuhp:cpuhp_multi_enter", "u:cpu p:fun d:idx d:target" },
	{ 345, "cpuhp:cpuhp_enter", "u:cpu p:fun d:idx d:target" },
	{ 347, "fastrpc:fastrpc_dma_stat", "d:cid d:len u:total_allocated" },
	{ 351, "dmabuf_heap:dma_heap_stat", "u:inode d:len u:total_allocated" },
	{ 353, "sched:sched_pi_setprio", "s:comm d:newprio d:oldprio d:pid" },
	{ 359, "synthetic:rss_stat_throttled", "u:curr d:member u:mm_id d:size" },
	{ 404, "power:wakeup_source_activate", "s:name u:state" },
	{ 405, "power:wakeup_source_deactivate", "s:name u:state" },
	{ 408, "printk:console", "l:msg" },
	{ 421, "sched:sched_cpu_util_cfs",
	  "d:active u:capacity u:capacity_orig u:cpu u:cpu_importance u:cpu_util u:exit_lat "
	  "u:group_capacity u:grp_overutilized u:idle_cpu u:nr_running d:spare_cap u:task_fits "
	  "u:wake_group_util u:wake_util" },
	{ 437, "ftrace:funcgraph_entry", "d:depth p:func" },
	{ 438, "ftrace:funcgraph_exit", "u:calltime d:depth p:func u:overrun u:rettime" },
	{ 465, "cma:cma_alloc_start", "u:align u:count s:name" },
	{ 481, "synthetic:suspend_resume_minimal", "u:start" },
	{ 487, "perf_trace_counters:sched_switch_with_ctrs",
	  "d:old_pid d:new_pid u:cctr u:ctr0 u:ctr1 u:ctr2 u:ctr3 u:lctr0 u:lctr1 u:ctr4 u:ctr5 "
	  "s:prev_comm d:prev_pid u:cyc u:inst u:stallbm u:l3dm d:next_pid s:next_comm "
	  "d:prev_state u:amu0 u:amu1 u:amu2" },
	{ 489, "rpm:rpm_status", "s:name d:status" },
	{ 491, "sched:sched_migrate_task",
	  "s:comm d:pid d:prio d:orig_cpu d:dest_cpu d:running u:load" },
	{ 498, "fastrpc:fastrpc_dma_free", "d:cid x:phys u:size" },
	{ 499, "fastrpc:fastrpc_dma_alloc", "d:cid x:phys u:size x:attr d:mflags" },
	{ 500, "fastrpc:fastrpc_dma_unmap", "d:cid x:phys u:size" },
	{ 501, "fastrpc:fastrpc_dma_map", "d:cid d:fd x:phys u:size u:len x:attr d:mflags" },
	{ 504, "power:device_pm_callback_start", "s:device s:driver s:parent s:pm_ops d:event" },
	{ 505, "power:device_pm_callback_end", "s:device s:driver d:error" },
	{ 508, "dcvsh:dcvsh_freq", "u:cpu u:freq" },
	{ 540, "sched:sched_wakeup_task_attr",
	  "d:pid x:cpu_affinity u:task_util u:uclamp_min u:vruntime" },
	{ 541, "devfreq:devfreq_frequency",
	  "s:dev_name u:freq u:prev_freq u:busy_time u:total_time" },
	{ 546, "block:block_io_start", RW " u:bytes u:ioprio s:rwbs s:comm s:cmd" },
	{ 547, "block:block_io_done", RW " u:bytes u:ioprio s:rwbs s:comm s:cmd" },
	{ 551, "timer:hrtimer_start", "p:hrtimer p:function d:expires d:softexpires u:mode" },
	{ 552, "timer:hrtimer_cancel", "p:hrtimer" },
	{ 553, "timer:hrtimer_expire_entry", "p:hrtimer d:now p:function" },
	{ 554, "timer:hrtimer_expire_exit", "p:hrtimer" },
	{ 555, "timer:timer_start",
	  "p:timer p:function u:expires u:now u:deferrable x:flags u:bucket_expiry" },
	{ 556, "timer:timer_cancel", "p:timer" },
	{ 557, "timer:timer_expire_entry", "p:timer u:now p:function u:baseclk" },
	{ 558, "timer:timer_expire_exit", "p:timer" },
	{ 559, "irq_vectors:local_timer_entry", "d:vector" },
	{ 560, "irq_vectors:local_timer_exit", "d:vector" },
	{ 579, "synthetic:dmabuf_rss_stat", "u:rss d:rss_delta" },
	{ 604, "sched:sched_group_tracker", "s:comm d:pid s:group d:group_num" },
	{ 614, "power:psci_domain_idle_exit", "u:cpu_id u:state u:s2idle" },
	{ 615, "power:psci_domain_idle_enter", "u:cpu_id u:state u:s2idle" },
};
/* clang-format on */

const struct pft_row *pft_row(uint32_t number)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].number == number)
			return &rows[i];
	return pft_row_of_gpu(number);
}
