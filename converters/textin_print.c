// SPDX-License-Identifier: BSD-2-Clause
/*
 * Print formats of events whose text says more than labels do, or whose values may hold anything
 * (names of threads, rings and devices). Labels become the names that tracefs gives the fields, so
 * that the event is the same as if it had been recorded; for gpu_scheduler they stay what the core
 * knows.
 *
 * In a format, %X{name} is a value: s text, u and d numbers, x hexadecimal, r the same as a signed
 * number, p a pointer, k two numbers with a colon between them, as one text; %_ is a number that is
 * not kept. Everything else is itself. What follows a format in a text
 * (fields of newer kernels) is taken apart by its labels.
 *
 * Source: the `print fmt` lines of tracefs, of Linux 6.1 to 7.2, and for sched_switch and
 * sched_wakeup libtraceevent's own form, which trace-cmd and perf print if its plugins are there.
 */
#include "textin.h"

#include <ctype.h>
#include <string.h>

#define TRIES 64u /* ends that are tried for the texts of one format */

struct print {
	const char *event, *system, *format;
};

/* clang-format off */
#define OLD_JOB \
	"entity=%p{entity}, id=%u{id}, fence=%p{fence}, ring=%s{ring}, job count:%u{job count}, " \
	"hw job count:%d{hw job count}"
#define NEW_JOB \
	"dev=%s{dev}, fence=%k{fence}, ring=%s{ring}, job count:%u{job count}, " \
	"hw job count:%d{hw job count}"
#define FENCE \
	"driver=%s{driver} timeline=%s{timeline} context=%u{context} seqno=%u{seqno}"
#define WAKEUP "comm=%s{comm} pid=%d{pid} prio=%d{prio}"
#define WAKEUP_PLUGIN "%s{comm}:%d{pid} [%d{prio}]"

/* The first that fits is taken. An event that ends in '*' is a prefix. */
static const struct print prints[] = {
	{ "drm_sched_job", "gpu_scheduler", OLD_JOB },
	{ "drm_run_job", "gpu_scheduler", OLD_JOB },
	{ "drm_sched_process_job", "gpu_scheduler", "fence=%p{fence} signaled" },
	{ "drm_sched_job_wait_dep", "gpu_scheduler",
	  "job ring=%s{job ring}, id=%u{id}, depends fence=%p{depends fence}, "
	  "context=%u{context}, seq=%u{seq}" },
	{ "drm_sched_job_queue", "gpu_scheduler", NEW_JOB },
	{ "drm_sched_job_run", "gpu_scheduler", NEW_JOB },
	{ "drm_sched_job_done", "gpu_scheduler", "fence=%k{fence} signaled" },
	{ "drm_sched_job_add_dep", "gpu_scheduler",
	  "fence=%k{fence} depends on fence=%k{depends on fence}" },
	{ "drm_sched_job_unschedulable", "gpu_scheduler",
	  "fence=%k{fence} depends on unsignalled fence=%k{depends on unsignalled fence}" },
	{ "dma_fence_*", "dma_fence", FENCE },
	{ "sched_switch", "sched",
	  "prev_comm=%s{prev_comm} prev_pid=%d{prev_pid} prev_prio=%d{prev_prio} "
	  "prev_state=%s{prev_state} ==> next_comm=%s{next_comm} next_pid=%d{next_pid} "
	  "next_prio=%d{next_prio}" },
	{ "sched_switch", "sched",
	  "%s{prev_comm}:%d{prev_pid} [%d{prev_prio}] %s{prev_state} ==> "
	  "%s{next_comm}:%d{next_pid} [%d{next_prio}]" },
	{ "sched_wak*", "sched", WAKEUP " success=%d{success} target_cpu=%u{target_cpu}" },
	{ "sched_wak*", "sched", WAKEUP " target_cpu=%u{target_cpu}" },
	{ "sched_wak*", "sched", WAKEUP_PLUGIN " success=%d{success} CPU:%u{target_cpu}" },
	{ "sched_wak*", "sched", WAKEUP_PLUGIN " CPU:%u{target_cpu}" },
	{ "sched_process_fork", "sched",
	  "comm=%s{parent_comm} pid=%d{parent_pid} child_comm=%s{child_comm} "
	  "child_pid=%d{child_pid}" },
	{ "sched_process_exec", "sched",
	  "filename=%s{filename} pid=%d{pid} old_pid=%d{old_pid}" },
	{ "sched_migrate_task", "sched", WAKEUP },
	{ "sched_stat_*", "sched", "comm=%s{comm} pid=%d{pid}" },
	{ "sched_process_*", "sched", WAKEUP },
	{ "task_newtask", "task",
	  "pid=%d{pid} comm=%s{comm} clone_flags=%x{clone_flags}" },
	{ "task_rename", "task",
	  "pid=%d{pid} oldcomm=%s{oldcomm} newcomm=%s{newcomm} oom_score_adj=%d{oom_score_adj}" },
	{ "irq_handler_entry", "irq", "irq=%d{irq} name=%s{name}" },
	{ "irq_handler_exit", "irq", "irq=%d{irq} ret=%s{ret}" },
	/* The number's name is what the event is called by; the number says no more. */
	{ "softirq_*", "irq", "vec=%_ [action=%s{vec}]" },
	{ "drm_vblank_event", "drm",
	  "crtc=%d{crtc}, seq=%u{seq}, time=%d{time}, high-prec=%s{high_prec}" },
	{ "amdgpu_cs_ioctl", "amdgpu",
	  "sched_job=%u{sched_job_id}, timeline=%s{timeline}, context=%u{context}, "
	  "seqno=%u{seqno}, ring_name=%s{ring}, num_ibs=%u{num_ibs}" },
	{ "amdgpu_sched_run_job", "amdgpu",
	  "sched_job=%u{sched_job_id}, timeline=%s{timeline}, context=%u{context}, "
	  "seqno=%u{seqno}, ring_name=%s{ring}, num_ibs=%u{num_ibs}" },
	{ "amdgpu_cs_ioctl", "amdgpu",
	  "timeline=%s{timeline}, fence=%u{context}:%u{seqno}, ring_name=%s{ring}, "
	  "num_ibs=%u{num_ibs}" },
	{ "amdgpu_sched_run_job", "amdgpu",
	  "timeline=%s{timeline}, fence=%u{context}:%u{seqno}, ring_name=%s{ring}, "
	  "num_ibs=%u{num_ibs}" },
	{ "i915_request_*", "i915", "dev=%u{dev}, engine=%u{class}:%u{instance}" },
	{ "i915_reg_rw", "i915", "%s{access} reg=%x{reg}" },
	{ "intel_engine_notify", "i915", "dev=%u{dev}, engine=%u{class}:%u{instance}" },
	{ "xe_exec_queue_*", "xe", "dev=%s{dev}, %u{class}:%x{logical_mask}, gt=%u{gt_id}" },
	{ "xe_bo_move", "xe",
	  "move_lacks_source:%s{move_lacks_source}, migrate object %p{bo} [size %u{size}] from "
	  "%s{old_placement_name} to %s{new_placement_name} device_id:%s{device_id}" },
	{ "xdna_job", "amdxdna",
	  "fence=(context:%u{fence_context}, seqno:%u{fence_seqno}), %s{name} seq#:%u{seq} "
	  "%s{str}, op=%u{op}" },
	{ "mbox_*", "amdxdna", "%s{name}.%d{chann_id} id %x{msg_id} opcode %x{opcode}" },
	{ "mbox_irq_handle", "amdxdna", "%s{name}.%d{irq}" },
	{ "mbox_rx_worker", "amdxdna", "%s{name}.%d{irq}" },
	{ "job", "vpu",
	  "%s{event} context:%d{ctx_id} engine:%d{engine_id} job:%d{job_id}" },
	{ "jsm", "vpu",
	  "%s{event} type:%s{type}, status:%x{status}, id:%x{request_id}, result:%x{result}" },
	{ "sys_exit_*", "syscalls", "%r{ret}" },
	{ "sys_enter", "raw_syscalls", "NR %d{id} (%s{args})" },
	{ "sys_exit", "raw_syscalls", "NR %d{id} = %d{ret}" },
	{ "print", "ftrace", "%s{ip}: %s{buf}" },
	{ "tracing_mark_write", "ftrace", "%s{buf}" },
	/* The function tracer, of trace-cmd and of the kernel. */
	{ "function", "ftrace", "%s{ip} <-- %s{parent_ip}" },
	{ "function", "ftrace", "%s{ip} <-%s{parent_ip}" },
};
/* clang-format on */

struct match {
	struct textin_values *out;
	unsigned int tries;
};

static bool match_from(struct match *m, const char *f, struct textin_at a, const char **end);

/* %s: up to where the rest of the format fits, the shortest first. */
static bool match_text(struct match *m, const char *f, struct textin_at a, const char **end,
		       struct xtr_import_value *v)
{
	const char *stop = strchr(f, '%');
	size_t n = stop ? (size_t)(stop - f) : strlen(f), before = m->out->n;
	const char *hit;

	v->kind = XTR_IMPORT_STR;
	v->str = a.p;
	if (!n) { /* the end of the format: all that is left */
		v->str_len = (size_t)(a.end - a.p);
		textin_add_value(m->out, v);
		*end = a.end;
		return true;
	}
	for (const char *from = a.p; m->tries; from = hit + 1) {
		hit = memmem(from, (size_t)(a.end - from), f, n);
		if (!hit)
			return false;
		m->tries--;
		v->str_len = (size_t)(hit - v->str);
		textin_add_value(m->out, v);
		if (match_from(m, f, (struct textin_at){ hit, a.end }, end))
			return true;
		m->out->n = before;
	}
	return false;
}

static bool take_pointer(struct textin_at *a, uint64_t *v)
{
	*v = 0;
	return textin_text(a, "(null)") || textin_text(a, "(nil)") || textin_hex(a, v);
}

static bool take_key(struct textin_at *a, struct xtr_import_value *v)
{
	uint64_t n;

	v->kind = XTR_IMPORT_STR;
	v->str = a->p;
	if (!textin_u64(a, &n) || !textin_char(a, ':') || !textin_u64(a, &n))
		return false;
	v->str_len = (size_t)(a->p - v->str);
	return true;
}

/* A value that ends by itself. */
static bool take(char kind, struct textin_at *a, struct xtr_import_value *v)
{
	bool minus;

	switch (kind) {
	case 'k':
		return take_key(a, v);
	case 'p':
		v->kind = XTR_IMPORT_HEX;
		return take_pointer(a, &v->num);
	case 'x':
		v->kind = XTR_IMPORT_HEX;
		return textin_hex(a, &v->num);
	case 'r':
		if (!textin_hex(a, &v->num))
			return false;
		v->kind = v->num > INT64_MAX ? XTR_IMPORT_SINT : XTR_IMPORT_UINT;
		return true;
	default:
		minus = kind == 'd' && textin_char(a, '-');
		v->kind = minus ? XTR_IMPORT_SINT : XTR_IMPORT_UINT;
		if (!textin_u64(a, &v->num))
			return false;
		v->num = minus ? -v->num : v->num;
		return true;
	}
}

static bool match_from(struct match *m, const char *f, struct textin_at a, const char **end)
{
	while (*f) {
		struct xtr_import_value v = { 0 };
		char kind;

		if (*f != '%') {
			if (!textin_char(&a, *f++))
				return false;
			continue;
		}
		kind = f[1];
		f += 2;
		if (kind == '_') { /* a number that is not kept */
			if (!textin_u64(&a, &v.num))
				return false;
			continue;
		}
		v.name = f + 1;
		v.name_len = (size_t)(strchr(f, '}') - v.name);
		f += v.name_len + 2;
		if (kind == 's')
			return match_text(m, f, a, end, &v);
		if (!take(kind, &a, &v))
			return false;
		textin_add_value(m->out, &v);
	}
	*end = a.p;
	return true;
}

static bool is_of(const struct print *print, const char *event, size_t len)
{
	size_t n = strlen(print->event);

	if (print->event[n - 1] == '*')
		return len >= n - 1 && !memcmp(print->event, event, n - 1);
	return len == n && !memcmp(print->event, event, n);
}

size_t textin_print(struct textin_values *out, const char *event, size_t event_len,
		    const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		struct match m = { .out = out, .tries = TRIES };
		struct textin_at a = { text, text + len };
		const char *end;

		if (!is_of(&prints[i], event, event_len))
			continue;
		/* A format is the whole text, or a comma or blank follows. */
		if (match_from(&m, prints[i].format, a, &end) &&
		    (end == a.end || *end == ',' || *end == ' ')) {
			out->system = prints[i].system;
			return (size_t)(end - text);
		}
		out->n = 0;
	}
	return 0;
}
