/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print formats of the kernel's own events whose labels are not the fields' names, or whose values
 * may hold anything (names of threads). include/trace/events/{sched,irq,task,power,signal,timer,
 * workqueue,syscalls}.h of Linux 4.4 to 7.2; for sched_switch and sched_wakeup libtraceevent's own
 * form, too, which trace-cmd and perf print if its plugins are there.
 */
#include "print_format.h"

/* clang-format off */
#define WAKEUP "comm=%s{comm} pid=%d{pid} prio=%d{prio}"
#define WAKEUP_PLUGIN "%s{comm}:%d{pid} [%d{prio}]"
/* Since Linux 4.14; of before, K, W and x are of bits that have no name any more. */
#define STATE \
	"%f{prev_state:R=0|S=1|D=2|T=4|t=8|X=16|Z=32|P=64|I=128|+=256|x=16|K=256|W=512|N=1024}"
#define SOFTIRQS \
	"%n{vec:HI=0|TIMER=1|NET_TX=2|NET_RX=3|BLOCK=4|IRQ_POLL=5|BLOCK_IOPOLL=5|TASKLET=6|" \
	"SCHED=7|HRTIMER=8|RCU=9}"

static const struct xtr_print rows[] = {
	{ "sched", "sched_switch",
	  "prev_comm=%s{prev_comm} prev_pid=%d{prev_pid} prev_prio=%d{prev_prio} "
	  "prev_state=" STATE " ==> next_comm=%s{next_comm} next_pid=%d{next_pid} "
	  "next_prio=%d{next_prio}" },
	{ "sched", "sched_switch",
	  "%s{prev_comm}:%d{prev_pid} [%d{prev_prio}] " STATE " ==> "
	  "%s{next_comm}:%d{next_pid} [%d{next_prio}]" },
	{ "sched", "sched_switch",
	  "prev_comm=%s{prev_comm} prev_pid=%d{prev_pid} prev_prio=%d{prev_prio} "
	  "prev_state=%s{prev_state} ==> next_comm=%s{next_comm} next_pid=%d{next_pid} "
	  "next_prio=%d{next_prio}" },
	{ "sched", "sched_wakeup sched_waking sched_wakeup_new",
	  WAKEUP " success=%d{success} target_cpu=%u{target_cpu}" },
	{ "sched", "sched_wakeup sched_waking sched_wakeup_new",
	  WAKEUP " target_cpu=%u{target_cpu}" },
	{ "sched", "sched_wakeup sched_waking sched_wakeup_new",
	  WAKEUP_PLUGIN " success=%d{success} CPU:%u{target_cpu}" },
	{ "sched", "sched_wakeup sched_waking sched_wakeup_new",
	  WAKEUP_PLUGIN " CPU:%u{target_cpu}" },
	{ "sched", "sched_process_fork",
	  "comm=%s{parent_comm} pid=%d{parent_pid} child_comm=%s{child_comm} "
	  "child_pid=%d{child_pid}" },
	{ "sched", "sched_process_exec",
	  "filename=%s{filename} pid=%d{pid} old_pid=%d{old_pid}" },
	{ "sched", "sched_process_exit",
	  WAKEUP "%( group_dead=%e{group_dead:true=1|false=0}%)" },
	{ "sched", "sched_migrate_task sched_process_free sched_process_wait sched_wait_task",
	  WAKEUP },
	{ "sched", "sched_stat_runtime",
	  "comm=%s{comm} pid=%d{pid} runtime=%u{runtime} [ns]"
	  "%( vruntime=%u{vruntime} [ns]%)" },
	{ "sched", "sched_stat_*", "comm=%s{comm} pid=%d{pid} delay=%u{delay} [ns]" },
	{ "sched", "sched_pi_setprio sched_process_hang sched_kthread_stop sched_blocked_reason",
	  "%(comm=%s{comm} %)pid=%d{pid}" },
	{ "sched", "sched_kthread_work_execute_start sched_kthread_work_execute_end",
	  "work struct %p{work}: function %s{function}" },
	{ "sched", "sched_kthread_work_queue_work",
	  "work struct=%p{work} function=%s{function} worker=%p{worker}" },
	{ "task", "task_newtask",
	  "pid=%d{pid} comm=%s{comm} clone_flags=%x{clone_flags}" },
	{ "task", "task_rename",
	  "pid=%d{pid} oldcomm=%s{oldcomm} newcomm=%s{newcomm} oom_score_adj=%d{oom_score_adj}" },
	{ "irq", "irq_handler_entry", "irq=%d{irq} name=%s{name}" },
	{ "irq", "irq_handler_exit", "irq=%d{irq} ret=%e{ret:handled=1|unhandled=0}" },
	{ "irq", "softirq_entry softirq_exit softirq_raise", "vec=%_ [action=" SOFTIRQS "]" },
	{ "irq", "tasklet_entry tasklet_exit", "tasklet=%s{tasklet} function=%s{func}" },
	{ "workqueue", "workqueue_queue_work",
	  "work struct=%p{work} function=%s{function} workqueue=%s{workqueue} "
	  "req_cpu=%d{req_cpu} cpu=%d{cpu}" },
	{ "workqueue", "workqueue_execute_start workqueue_execute_end workqueue_activate_work",
	  "work struct %p{work}%(: function %s{function}%)" },
	{ "power", "suspend_resume",
	  "%s{action}[%u{val}] %e{start:begin=1|end=0}" },
	{ "power", "clock_enable clock_disable clock_set_rate",
	  "%s{name} state=%u{state} cpu_id=%u{cpu_id}" },
	{ "power", "wakeup_source_activate wakeup_source_deactivate", "%s{name} state=%x{state}" },
	{ "signal", "signal_generate",
	  "sig=%d{sig} errno=%d{errno} code=%d{code} comm=%s{comm} pid=%d{pid} grp=%d{group} "
	  "res=%d{result}" },
	{ "signal", "signal_deliver",
	  "sig=%d{sig} errno=%d{errno} code=%d{code} sa_handler=%x{sa_handler} "
	  "sa_flags=%x{sa_flags}" },
	{ "timer", "hrtimer_expire_entry", "hrtimer=%p{hrtimer} %(function=%s{function} %)now=%u{now}" },
	{ "syscalls", "sys_exit_*", "%r{ret}" },
	{ "raw_syscalls", "sys_enter", "NR %d{id} (%s{args})" },
	{ "raw_syscalls", "sys_exit", "NR %d{id} = %d{ret}" },
	{ "exceptions", "page_fault_user page_fault_kernel",
	  "address=%p{address} ip=%p{ip} error_code=%x{error_code}" },
	/* The function tracer, of trace-cmd and of the kernel. */
	{ "ftrace", "function", "%s{ip} <-- %s{parent_ip}" },
	{ "ftrace", "function", "%s{ip} <-%s{parent_ip}" },
};
/* clang-format on */

const struct xtr_print_table xtr_print_kernel = { rows, sizeof(rows) / sizeof(rows[0]) };
