/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What debugfs and sysfs say of a device that hung. Files are named one by one: reading some others
 * changes what they tell of (amdgpu_gpu_recover and xe's force_reset reset the device,
 * amdgpu_evict_vram empties its memory).
 */
#include "take_file.h"

#include "bundle/gather.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DRI   "/sys/kernel/debug/dri/*/"
#define ACCEL "/sys/kernel/debug/accel/*/"
#define CARD  "/sys/class/drm/card*/"
#define NPU   "/sys/class/accel/accel*/device/"

/* Each is a member of the bundle, byte for byte. What only reads memory comes first. */
static const char *const files[] = {
	/* drivers/gpu/drm/amd/amdgpu: amdgpu_fence.c, amdgpu_gem.c, amdgpu_debugfs.c, amdgpu_ring.c
	 */
	DRI "amdgpu_fence_info",
	DRI "amdgpu_gem_info",
	DRI "amdgpu_vm_info",
	DRI "amdgpu_sa_info",
	DRI "amdgpu_ring_*",
	DRI "amdgpu_mqd_*",
	/* drivers/gpu/drm/drm_debugfs.c, drm_gem_framebuffer_helper.c, drm_atomic.c */
	DRI "clients",
	DRI "gem_names",
	DRI "gpuvas",
	DRI "state",
	/* drivers/gpu/drm/i915: i915_debugfs.c, gt/uc/intel_guc_log_debugfs.c, intel_guc_debugfs.c
	 */
	DRI "i915_gem_objects",
	DRI "i915_engine_info",
	DRI "i915_runtime_pm_status",
	DRI "gt*/uc/guc_log_dump",
	DRI "gt*/uc/guc_load_err_log_dump",
	DRI "gt*/uc/guc_info",
	DRI "gt*/uc/huc_info",
	/* drivers/gpu/drm/xe: xe_debugfs.c, xe_guc_debugfs.c, xe_gt_debugfs.c */
	DRI "info",
	DRI "gtt_mm",
	DRI "vram*_mm",
	DRI "gt*/uc/guc_log",
	DRI "gt*/uc/guc_ctb",
	DRI "gt*/uc/guc_pc",
	DRI "gt*/stats",
	DRI "gt*/topology",
	DRI "gt*/hw_engines",
	/* drivers/accel/ivpu/ivpu_debugfs.c */
	ACCEL "fw_log",
	ACCEL "bo_list",
	ACCEL "last_bootmode",
	ACCEL "reset_counter",
	ACCEL "reset_pending",
	ACCEL "firewall_irq_counter",
	/* drivers/gpu/drm: etnaviv/etnaviv_drv.c, v3d/v3d_debugfs.c */
	DRI "gem",
	DRI "mm",
	DRI "ring",
	DRI "bo_stats",
	DRI "v3d_ident",
	/* drivers/dma-buf: sync_debug.c, dma-buf.c */
	"/sys/kernel/debug/sync/info",
	"/sys/kernel/debug/dma_buf/bufinfo",
	/* drivers/gpu/drm/amd/pm/amdgpu_pm.c: may ask the device's own processor, which may not
	   answer */
	DRI "amdgpu_pm_info",
	CARD "device/gpu_metrics",
};

/* All go into state.txt. Documentation/ABI/testing/sysfs-bus-pci; drivers' own below. */
static const char *const lines[] = {
	"current_link_speed",   "current_link_width", "max_link_speed", "max_link_width",
	"aer_dev_correctable",  "aer_dev_nonfatal",   "aer_dev_fatal",  "power_state",
	"power/runtime_status", "reset_method",       "enable",         "numa_node",
};

static const char *const devices[] = {
	CARD "device/",
	NPU,
	"/sys/bus/pci/drivers/nvidia/*:*:*/",
};

static const char *const more[] = {
	/* drivers/gpu/drm/i915/gt/intel_gt_sysfs_pm.c */
	CARD "gt/gt*/rps_*_freq_mhz",
	CARD "gt/gt*/throttle_reason_*",
	CARD "gt_*_freq_mhz",
	/* drivers/gpu/drm/xe: xe_gt_freq.c, xe_gt_throttle.c */
	CARD "device/tile*/gt*/freq*/*_freq",
	CARD "device/tile*/gt*/freq*/throttle/*",
	/* drivers/devfreq/devfreq.c */
	CARD "device/devfreq/*/cur_freq",
	/* drivers/accel/ivpu/ivpu_sysfs.c */
	NPU "npu_busy_time_us",
	NPU "npu_memory_utilization",
	NPU "npu_*_frequency_mhz",
	NPU "sched_mode",
	/* kernel-open/nvidia/nv-procfs.c */
	"/proc/driver/nvidia/gpus/*/information",
	"/proc/driver/nvidia/gpus/*/power",
	/* drivers/gpu/drm/amd/pm/amdgpu_pm.c and amdgpu_vram_mgr.c */
	CARD "device/mem_info_*",
	CARD "device/pcie_replay_count",
	CARD "device/power_dpm_force_performance_level",
	CARD "device/thermal_throttling_logging",
	CARD "device/pp_dpm_*",
	CARD "device/*_busy_percent",
	CARD "device/hwmon/hwmon*/*_label",
	CARD "device/hwmon/hwmon*/*_input",
	CARD "device/hwmon/hwmon*/*_average",
};

#define LINES_MAX (64u << 10) /* bytes of one of these */

struct state {
	const struct xtr_hang_taking *t;
	struct xtr_spool *lines;
	int err;
};

/* --- whose it is ------------------------------------------------------------------------------ */

/* The node's own: "card0" of /sys/class/drm/card0/device/..., 0 of /sys/kernel/debug/dri/0/... */
static bool node_is(const struct xtr_hang_taking *t, const char *class, const char *node, int len)
{
	char path[PATH_MAX], device[64];

	return (size_t)snprintf(path, sizeof(path), "/sys/class/%s%.*s/device", class, len, node) <
		       sizeof(path) &&
	       gather_link(t->root, path, device, sizeof(device)) && !strcmp(device, t->device);
}

static const struct {
	const char *before, *class;
} nodes[] = {
	{ "/sys/class/drm/", "drm/" },
	{ "/sys/class/accel/", "accel/" },
	{ "/sys/kernel/debug/dri/", "drm/card" },
	{ "/sys/kernel/debug/accel/", "accel/accel" },
};

/* Numbers alone: names of the same folders are links to them, or the other way round. */
static bool is_number(const char *s, size_t n)
{
	return n && n < 3 && strspn(s, "0123456789") >= n;
}

static bool is_asked(const struct xtr_hang_taking *t, const char *path)
{
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		const size_t len = strlen(nodes[i].before);
		const char *node = path + len;
		const size_t n = strncmp(path, nodes[i].before, len) ? 0 : strcspn(node, "/");

		if (!n)
			continue;
		if (strstr(nodes[i].before, "debug") && !is_number(node, n))
			return false;
		if (memchr(node, '-', n))
			return false; /* a connector */
		return !t->device[0] || node_is(t, nodes[i].class, node, (int)n);
	}
	/* Others have the address in their path, or are of all devices. */
	return !t->device[0] || !strstr(path, "nvidia/") || strstr(path, t->device);
}

/* --- taking ----------------------------------------------------------------------------------- */

/* "/sys/kernel/debug/dri/0/gt0/uc/guc_log" becomes "state-dri-0-gt0-uc-guc_log". */
static void name_of(const char *path, char *name, size_t n)
{
	static const char *const before[] = { "/sys/kernel/debug/", "/sys/class/drm/", "/" };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (strncmp(path, before[i], strlen(before[i])) != 0)
			continue;
		snprintf(name, n, "state-%s", path + strlen(before[i]));
		break;
	}
	for (char *p = name; *p; p++)
		*p = *p == '/' ? '-' : *p;
}

static int one_file(void *ctx, const char *path)
{
	struct state *s = ctx;
	struct xtr_spool_head h = { .source = "state" };

	if (!is_asked(s->t, path))
		return 0;
	name_of(path, h.name, sizeof(h.name));
	snprintf(h.from, sizeof(h.from), "%s", path);
	s->err = take_file(s->t, &h);
	return s->err == -EEXIST ? 0 : s->err;
}

static int one_line(void *ctx, const char *path)
{
	struct state *s = ctx;
	struct xtr_buf b = { 0 };
	char head[256];
	int n, err;

	if (!is_asked(s->t, path))
		return 0;
	err = gather_file(s->t->root, path, LINES_MAX, &b);
	if (err)
		n = snprintf(head, sizeof(head), "== %.160s: cannot be read: %s\n", path,
			     strerror(-err));
	else
		n = snprintf(head, sizeof(head), "== %.160s\n", path);
	err = err == -EISDIR ? 0 : xtr_spool_add(s->lines, head, (size_t)n) ?:
				   xtr_spool_add(s->lines, b.p, b.n) ?:
				   b.n && b.p[b.n - 1] != '\n' ? xtr_spool_add(s->lines, "\n", 1) : 0;
	xtr_buf_free(&b);
	return err ?: xtr_spool_flush(s->lines);
}

static int of_devices(struct state *s)
{
	char pattern[PATH_MAX];
	int err = 0;

	for (size_t d = 0; d < sizeof(devices) / sizeof(devices[0]) && !err; d++)
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && !err; i++) {
			snprintf(pattern, sizeof(pattern), "%s%s", devices[d], lines[i]);
			err = gather_glob(s->t->root, pattern, one_line, s);
		}
	return err;
}

static int all_lines(struct state *s)
{
	static const struct xtr_spool_head h = { "state", "state.txt", "/sys/class, /proc/driver" };
	int err = xtr_spool_new(&s->lines, s->t->folder, "state.txt" XTR_SPOOL_ENDING, &h,
				s->t->room);

	if (err)
		return err;
	err = of_devices(s);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]) && !err; i++)
		err = gather_glob(s->t->root, more[i], one_line, s);
	return xtr_spool_end(s->lines, err, "") ?: err;
}

int xtr_hang_take_state(const struct xtr_hang_taking *t)
{
	struct state s = { .t = t };
	int err = take_log(t);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++)
		err = gather_glob(t->root, files[i], one_file, &s);
	return err ?: all_lines(&s);
}
