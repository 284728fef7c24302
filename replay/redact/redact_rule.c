/* SPDX-License-Identifier: BSD-2-Clause */
#include "redact_impl.h"

#include <fnmatch.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Drivers of GPUs and NPUs and what serves them: their numbers and texts are of hardware. */
static const char *const drivers[] = {
	"gpu_scheduler", "dma_fence", "drm",        "amdgpu", "amdgpu_dm",     "amdkfd",
	"i915",          "xe",        "nouveau",    "nvidia", "nvidia_uvm",    "nvswitch",
	"virtio_gpu",    "vpu",       "amdxdna",    "radeon", "amdxdna_trace", "panfrost",
	"panthor",       "v3d",       "vc4",        "lima",   "msm",           "drm_msm_atomic",
	"drm_msm_gpu",   "etnaviv",   "host1x",     "ttm",    "gpu_mem",       "habanalabs",
	"accel",         "rocket",    "sync_trace", "vmwgfx", "qaic",          "perfetto",
};

/* The kernel's own, whose numbers are times, counts, priorities and CPUs. */
static const char *const numbers[] = {
	"irq",       "irq_vectors", "sched",   "power",   "thermal", "timer",
	"workqueue", "iommu",       "swiotlb", "devfreq", "cpuhp",   "rcu",
	"ipi",       "regulator",   "clk",     "func",    "api",     "xtr",
};

/* Numbers that tell of somebody whatever event they are in; words between underscores. */
static const char *const private_words[] = {
	"uid",   "gid",  "euid",   "egid",  "suid",  "sgid",  "fsuid", "kuid", "loginuid", "ino",
	"inode", "uuid", "serial", "saddr", "daddr", "sport", "dport", "mac",  "netns",    "key",
};

#define ANY "*"

/* Of these fields more is known than their class tells. The first row that fits holds. */
static const struct {
	const char *event, *field; /* patterns */
	struct redact_rule rule;
} rows[] = {
	{ "xtr:total", "event", { REDACT_STRID, REDACT_EVENT } },
	{ "xtr:total", "*field", { REDACT_STRID, REDACT_IDENT } },
	{ "xtr:total", "*key", { REDACT_KEEP, REDACT_NAME } }, /* see redact_total_rule */
	{ "nv*:*", "msg", { REDACT_STRID, REDACT_XID } },
	{ "ftrace:print", "buf", { REDACT_STRID, REDACT_MARKER } },
	{ "*:tracing_mark_write", "*buf", { REDACT_STRID, REDACT_MARKER } },
	{ ANY, "tracing_mark_write", { REDACT_STRID, REDACT_MARKER } },
	{ "*:tracing_mark_write", "*type", { REDACT_STRID, REDACT_WORD } },
	{ "*:tracing_mark_write", "*type", { REDACT_KEEP, REDACT_NAME } },
	{ "*:tracing_mark_write", "trace_begin", { REDACT_KEEP, REDACT_NAME } },
	{ "perfetto:track_event", "type", { REDACT_STRID, REDACT_WORD } },
	{ "perfetto:track_event", "type", { REDACT_KEEP, REDACT_NAME } },
	{ ANY, "comm", { REDACT_STRID, REDACT_COMM } },
	{ ANY, "*_comm", { REDACT_STRID, REDACT_COMM } },
	{ "irq:*", "name", { REDACT_STRID, REDACT_DRIVER } },
	{ "sched:*", ANY, { REDACT_STRID, REDACT_COMM } },
	{ ANY, "*filename", { REDACT_STRID, REDACT_PATH } },
	{ ANY, "*path", { REDACT_STRID, REDACT_PATH } },
	{ "amdgpu:*", "dst", { REDACT_STRID, REDACT_HEX } },
	{ ANY, "ring", { REDACT_STRID, REDACT_RING } },
	{ "xtr:job_*", "ring", { REDACT_STRID, REDACT_RING } },
	{ "xtr:job_*", "why", { REDACT_STRID, REDACT_WORD } },
	{ "xtr:job_told", "kind", { REDACT_STRID, REDACT_WORD } },
	{ "xtr:job_told", "quality", { REDACT_STRID, REDACT_WORD } },
	{ "xtr:job_told", "flags", { REDACT_STRID, REDACT_WORD } },
	{ "xtr:job_*", "*ctx", { REDACT_CONTEXT, REDACT_NAME } },
	{ "perfetto:gpu_*", "stage", { REDACT_STRID, REDACT_WORD } },
	{ "perfetto:gpu_counter*", "unit", { REDACT_STRID, REDACT_WORD } },
	{ "perfetto:gpu_log", "severity", { REDACT_STRID, REDACT_WORD } },
	{ "perfetto:vulkan_memory", "source", { REDACT_STRID, REDACT_WORD } },
	{ "perfetto:vulkan_memory", "operation", { REDACT_STRID, REDACT_WORD } },
	{ "perfetto:vulkan_memory", "scope", { REDACT_STRID, REDACT_WORD } },
	{ ANY, "timeline", { REDACT_STRID, REDACT_RING } },
	{ "gpu_scheduler:*", "name", { REDACT_STRID, REDACT_RING } },
	{ "amdxdna*:*", "name", { REDACT_STRID, REDACT_RING } },
	/* Of these the driver's source has each text. */
	{ "amdxdna*:*", "str", { REDACT_STRID, REDACT_WORD } },
	{ "dma_fence:*", "driver", { REDACT_STRID, REDACT_WORD } },
	{ "dma_fence:*", "ops", { REDACT_STRID, REDACT_IDENT } },
	{ "i915:*", "name", { REDACT_STRID, REDACT_WORD } },
	{ "virtio_gpu:*", "name", { REDACT_STRID, REDACT_WORD } },
	{ "vpu:*", "event", { REDACT_STRID, REDACT_WORD } },
	{ "vpu:*", "type", { REDACT_STRID, REDACT_WORD } },
	{ "xe:*", "*name", { REDACT_STRID, REDACT_WORD } },
	{ ANY, "dev", { REDACT_STRID, REDACT_DEVICE } },
	{ ANY, "device", { REDACT_STRID, REDACT_DEVICE } },
	{ ANY, "device_id", { REDACT_STRID, REDACT_DEVICE } },
	{ "gpu_scheduler:*", "*ctx", { REDACT_CONTEXT, REDACT_NAME } },
	{ "gpu_scheduler:*", "fence_context", { REDACT_CONTEXT, REDACT_NAME } },
	{ "dma_fence:*", "context", { REDACT_CONTEXT, REDACT_NAME } },
	{ "dma_fence:*", "ctx", { REDACT_CONTEXT, REDACT_NAME } },
	{ "amdgpu:*", "context", { REDACT_CONTEXT, REDACT_NAME } },
	{ "amdgpu:*", "ctx", { REDACT_CONTEXT, REDACT_NAME } },
	{ "amdgpu:*", "vm_ctx", { REDACT_CONTEXT, REDACT_NAME } },
	{ "amdxdna*:*", "fence_context", { REDACT_CONTEXT, REDACT_NAME } },
	{ "i915:*", "ctx", { REDACT_CONTEXT, REDACT_NAME } },
	{ "xe:*", "ctx", { REDACT_CONTEXT, REDACT_NAME } },
	{ "syscalls:*", "ret", { REDACT_NUMBER, REDACT_NAME } },
	{ "raw_syscalls:*", "id", { REDACT_NUMBER, REDACT_NAME } },
	{ "raw_syscalls:*", "ret", { REDACT_NUMBER, REDACT_NAME } },
};

static bool is_system(const char *name, const char *const *list, size_t n)
{
	size_t len = strcspn(name, ":");

	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == len && !memcmp(name, list[i], len))
			return true;
	return false;
}

/* Is one of the field's words, which underscores separate, this one? */
static bool has_word(const char *field, const char *word)
{
	size_t n = strlen(word), len;

	for (const char *at = field; *at; at += len + (at[len] == '_')) {
		len = strcspn(at, "_");
		if (len == n && !memcmp(at, word, n))
			return true;
	}
	return false;
}

static bool is_private(const char *field)
{
	for (size_t i = 0; i < COUNT(private_words); i++)
		if (has_word(field, private_words[i]))
			return true;
	return false;
}

static bool is_id(const char *field)
{
	static const char *const words[] = { "pid", "tid", "tgid", "ppid", "pgid", "pgrp" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (has_word(field, words[i]))
			return true;
	return false;
}

static struct redact_rule text_rule(const struct xtr_event_desc *ev, const struct xtr_field *f)
{
	enum redact_action how = f->repr == XTR_REPR_STRID ? REDACT_STRID : REDACT_STR;
	struct redact_rule rule = { how, REDACT_NAME };

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].rule.action != REDACT_STRID || fnmatch(rows[i].event, ev->name, 0) ||
		    fnmatch(rows[i].field, f->name, 0))
			continue;
		if (rows[i].rule.kind == REDACT_RING &&
		    !is_system(ev->name, drivers, COUNT(drivers)) &&
		    strncmp(ev->name, "xtr:job_", 8) != 0)
			continue;
		rule.kind = rows[i].rule.kind;
		return rule;
	}
	if (f->sens == XTR_SENS_USER_DATA)
		return (struct redact_rule){ REDACT_ZERO, REDACT_NAME };
	if (f->sens == XTR_SENS_PATH)
		rule.kind = REDACT_PATH;
	return rule;
}

/* A number, or an array of bytes, that stays. An address is never signed. */
static enum redact_action stays(const struct xtr_field *f)
{
	return f->repr == XTR_REPR_BYTES || xtr_repr_is_signed(f->repr) ? REDACT_KEEP
									: REDACT_NUMBER;
}

/* Numbers and arrays of bytes to which META gives no class. */
static enum redact_action unclassed(const struct xtr_event_desc *ev, const struct xtr_field *f,
				    enum xtr_redact_policy policy)
{
	if (policy == XTR_REDACT_STRICT)
		return REDACT_ZERO;
	if (is_system(ev->name, drivers, COUNT(drivers)))
		return stays(f);
	if (f->repr != XTR_REPR_BYTES && is_system(ev->name, numbers, COUNT(numbers)))
		return stays(f);
	return REDACT_ZERO;
}

/* i915 has pointers to contexts, too, that are called like the numbers of contexts. */
static bool fits(enum redact_action action, const struct xtr_field *f)
{
	return action != REDACT_CONTEXT ||
	       (f->repr != XTR_REPR_BYTES &&
		(f->sens == XTR_SENS_NONE || f->sens == XTR_SENS_PLAIN));
}

static enum redact_action number_action(const struct xtr_event_desc *ev, const struct xtr_field *f,
					enum xtr_redact_policy policy)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].rule.action != REDACT_STRID && !fnmatch(rows[i].event, ev->name, 0) &&
		    !fnmatch(rows[i].field, f->name, 0) && fits(rows[i].rule.action, f))
			return rows[i].rule.action;
	if (f->sens == XTR_SENS_PID || is_id(f->name))
		return f->repr == XTR_REPR_BYTES ? REDACT_ZERO : REDACT_PID;
	if (is_private(f->name))
		return REDACT_ZERO;
	switch (f->sens) {
	case XTR_SENS_KPTR:
		return f->repr == XTR_REPR_BYTES ? REDACT_ZERO : REDACT_KPTR;
	case XTR_SENS_UPTR:
		return f->repr == XTR_REPR_BYTES ? REDACT_ZERO : REDACT_UPTR;
	case XTR_SENS_PLAIN:
		return stays(f);
	case XTR_SENS_NONE:
		return unclassed(ev, f, policy);
	default:
		return REDACT_ZERO;
	}
}

struct redact_rule redact_rule_of(const struct xtr_event_desc *ev, const struct xtr_field *f,
				  enum xtr_redact_policy policy)
{
	if (f->repr == XTR_REPR_STRID || f->repr == XTR_REPR_STR)
		return text_rule(ev, f);
	if (f->repr == XTR_REPR_RING || f->repr == XTR_REPR_STACK)
		return (struct redact_rule){ REDACT_KEEP, REDACT_NAME };
	return (struct redact_rule){ number_action(ev, f, policy), REDACT_NAME };
}
