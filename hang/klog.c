/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of the kernel's log that say of a hang, or of firmware that failed, where no uevent and no
 * event that can be recorded does on every kernel. A row has what a line must contain, and where
 * the kernel prints it.
 */
#include "sign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* driver: what the line must have, too. */
static const struct line {
	const char *kind, *driver, *has;
} lines[] = {
	/* drivers/gpu/drm/amd/amdgpu/amdgpu_job.c, amdgpu_job_timedout */
	{ "timeout", NULL, "timeout, signaled seq=" },
	{ "timeout", NULL, "timeout, but soft recovered" },
	{ "reset", NULL, "GPU Recovery Failed" },
	/* amdgpu/amdgpu_device.c: amdgpu_device_gpu_recover, amdgpu_do_asic_reset */
	{ "reset", "amdgpu", "GPU reset begin!" },
	{ "reset", NULL, "VRAM is lost due to GPU reset" },
	/* drivers/gpu/drm/amd/amdkfd/kfd_device_queue_manager.c, amdkfd_fence_wait_timeout */
	{ "timeout", NULL, "qcm fence wait loop timeout expired" },
	/* amdgpu/amdgpu_psp.c, psp_hw_init; mes_v11_0.c and mes_v12_0.c, submit_pkt_and_poll */
	{ "firmware", NULL, "PSP firmware loading failed" },
	{ "firmware", NULL, "MES failed to respon" },
	/* drivers/gpu/drm/radeon: radeon_ring.c, radeon_ring_test_lockup; radeon_fence.c */
	{ "timeout", "radeon", "stalled for more than" },
	{ "hang", "radeon", "GPU lockup (" },
	/* drivers/gpu/drm/i915/i915_gpu_error.c, error_code */
	{ "hang", NULL, "GPU HANG: ecode" },
	/* i915/gt/intel_reset.c: intel_gt_reset, intel_wedge_me */
	{ "reset", NULL, "Resetting chip for" },
	{ "wedged", NULL, "timed out, cancelling all in-flight rendering" },
	{ "wedged", "i915", "Failed to reset chip" },
	/* i915/gt/uc: intel_uc.c, intel_guc_fw.c, intel_guc_ct.c; xe/xe_guc.c has the second, too
	 */
	{ "firmware", NULL, "GuC initialization failed" },
	{ "firmware", NULL, "load failed: status" },
	{ "firmware", NULL, "CT: Corrupted descriptor" },
	/* drivers/gpu/drm/xe: xe_guc_submit.c, xe_devcoredump.c, xe_gt.c, xe_device.c */
	{ "timeout", "xe", "Timedout job: seqno=" },
	{ "hang", NULL, "Xe device coredump has been created" },
	{ "reset", "xe", "reset failed (" },
	{ "wedged", NULL, "Xe has declared device" },
	/* drivers/accel/ivpu: ivpu_pm.c, ivpu_drv.c */
	{ "npu-recovery", NULL, "Recovering the NPU" },
	{ "timeout", "vpu", "TDR detected, timeout" },
	{ "firmware", "vpu", "Failed to boot the firmware" },
	/* NVIDIA's modules, which print by nv_printf and NV_DEV_PRINTF; the Xid catalog */
	{ "xid", NULL, "NVRM: Xid (" },
	{ "xid", NULL, "SXid (" },
	{ "lost", NULL, "GPU has fallen off the bus" },
	{ "firmware", "NVRM", "RmInitAdapter failed" },
	/* drivers/gpu/drm/nouveau/nouveau_exec.c, nouveau_exec_job_timeout */
	{ "timeout", NULL, "job timeout, channel" },
	/* drivers/gpu/drm/msm/msm_gpu.c, recover_worker */
	{ "hang", NULL, "hangcheck recover!" },
	/* drivers/gpu/drm/v3d/v3d_gem.c, v3d_reset */
	{ "reset", NULL, "Resetting GPU for hang." },
	/* drivers/gpu/drm/etnaviv/etnaviv_gpu.c, etnaviv_gpu_recover_hang */
	{ "hang", NULL, "recover hung GPU!" },
	/* drivers/gpu/drm: panfrost/panfrost_job.c, panfrost_job_timedout; panthor/panthor_sched.c,
	 * queue_timedout_job; lima/lima_sched.c, lima_sched_timedout_job */
	{ "timeout", NULL, "gpu sched timeout, js=" },
	{ "timeout", "panthor", "job timeout" },
	{ "timeout", "lima", "job timeout" },
	/* drivers/accel/habanalabs/common/device.c, hl_device_reset */
	{ "reset", NULL, "Going to reset device" },
};

#define USER_FACILITY \
	8 /* priorities from here on are of who wrote to /dev/kmsg, not the kernel's */

static bool has(const char *text, size_t n, const char *what)
{
	return memmem(text, n, what, strlen(what)) != NULL;
}

static bool digit16(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* h: a digit of 16; anything else is itself. */
static bool looks_like(const char *text, const char *end, const char *shape)
{
	for (; *shape; shape++, text++)
		if (text == end || (*shape == 'h' ? !digit16(*text) : *text != *shape))
			return false;
	return true;
}

void xtr_hang_pci(const char *text, size_t n, char device[64])
{
	static const char shape[] = "hhhh:hh:hh";
	const char *end = text + n;

	device[0] = 0;
	for (const char *p = text; p < end; p++) {
		const char *fn = p + strlen(shape);

		if ((p != text && digit16(p[-1])) || !looks_like(p, end, shape))
			continue;
		/* NVIDIA's lines leave out the function: there is one. */
		snprintf(device, 64, "%.10s.%c", p, looks_like(fn, end, ".h") ? fn[1] : '0');
		return;
	}
}

bool xtr_hang_of_log(const char *record, size_t n, struct xtr_hang_sign *s)
{
	const char *text = memchr(record, ';', n), *line_end;
	char head[16] = "";
	size_t len;

	if (!text || *record < '0' || *record > '9')
		return false;
	memcpy(head, record,
	       (size_t)(text - record) < sizeof(head) - 1 ? (size_t)(text - record)
							  : sizeof(head) - 1);
	if (strtoul(head, NULL, 10) >= USER_FACILITY)
		return false;
	text++;
	line_end = memchr(text, '\n', n - (size_t)(text - record));
	len = line_end ? (size_t)(line_end - text) : n - (size_t)(text - record);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct line *l = &lines[i];

		if (!has(text, len, l->has) || (l->driver && !has(text, len, l->driver)))
			continue;
		*s = (struct xtr_hang_sign){ .kind = l->kind };
		snprintf(s->text, sizeof(s->text), "%.*s", (int)(len < 255 ? len : 255), text);
		/* Or in " DEVICE=+pci:0000:03:00.0" below the line. */
		xtr_hang_pci(text, n - (size_t)(text - record), s->device);
		xtr_hang_sign_clean(s);
		return true;
	}
	return false;
}
