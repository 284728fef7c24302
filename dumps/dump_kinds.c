/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of dumps: how each is recognized, and which of its lines tell what. */
#include "dump_rows.h"

#include <stdio.h>
#include <string.h>

#define F   DUMP_F
#define ROW DUMP_ROW

#define MAGIC(s) .begins = (s), .n = sizeof(s) - 1

/* drivers/gpu/drm/amd/amdgpu/amdgpu_dev_coredump.c, amdgpu_devcoredump_format */
static const struct dump_row amdgpu[] = {
	{ ROW("kernel: %w", F(KERNEL)) },
	{ ROW("module: %w", F(DRIVER)) },
	{ ROW("time: %t", F(TIME)), .clock = "monotonic" },
	{ ROW("process_name: %s PID: %d", F(COMM), F(PID)) },
	{ ROW("IP Type: %u Ring Name: %w", 0, F(RING)), .failure = true },
	{ ROW("[%w] Page fault observed", F(CLIENT)) },
	{ ROW("Faulty page starting at address: %x", F(FAULT)) },
	{ ROW("Protection fault status register: %x", F(STATUS)) },
	{ ROW("MES feature version: %u, fw version: 0x%w", 0, F(FIRMWARE)) },
	{ ROW("VRAM is lost due to GPU reset!"), .also = F(OUTCOME),
	  .is = "device reset, memory lost" },
	{ 0 }
};

/* The dump always has these lines; where nothing faulted, with zeros. */
static void amdgpu_end(struct xtr_dump_reader *r)
{
	struct xtr_dump_fact *f = r->d.fact;

	if (f[XTR_DUMP_FAULT_FACT].value || f[XTR_DUMP_STATUS_FACT].value)
		return;
	f[XTR_DUMP_FAULT_FACT] = f[XTR_DUMP_STATUS_FACT] = f[XTR_DUMP_CLIENT_FACT] =
		(struct xtr_dump_fact){ 0 };
}

/*
 * drivers/gpu/drm/xe/xe_devcoredump.c, xe_guc_submit.c (xe_guc_exec_queue_snapshot_print) and
 * xe_hw_engine.c: of several engines that could have had the queue, none is known. The queue's name
 * is its scheduler's.
 */
static const struct dump_row xe[] = {
	{ ROW("Timedout job - seqno=%u, lrc_seqno=%u, guc_id=%u,", F(SEQNO), 0, F(GUC_ID)),
	  .failure = true, .also = F(MESSAGE) },
	{ ROW("Reason: %s", F(MESSAGE)), .failure = true },
	{ ROW("kernel: %w", F(KERNEL)) },
	{ ROW("module: %w", F(DRIVER)) },
	{ ROW("Snapshot time: %t", F(TIME)), .clock = "real" },
	{ ROW("Process: %s [%d]", F(COMM), F(PID)) },
	{ ROW("GuC version: %w", F(FIRMWARE)) },
	{ ROW("GuC ID: %u", F(GUC_ID)), .mode = DUMP_ONLY, .failure = true },
	{ ROW("\tName: %w", F(RING)), .mode = DUMP_ONLY },
	{ ROW("%w (physical), logical instance=%u", F(ENGINE)), .mode = DUMP_ONLY },
	{ 0 }
};

/* drivers/gpu/drm/i915/i915_gpu_error.c: __err_print_to_sgl, error_print_engine */
enum {
	I915_ENGINE = 1,
	I915_HUNG,
	I915_GUILTY
};
static const struct dump_row i915[] = {
	{ ROW("GPU HANG: ecode %w, in %s [%d]", F(CODE), F(COMM), F(PID)), .failure = true,
	  .also = F(MESSAGE) },
	{ ROW("GPU HANG: ecode %w", F(CODE)), .failure = true, .also = F(MESSAGE) },
	{ ROW("Kernel: %w", F(KERNEL)) },
	{ ROW("Boottime: %T", F(TIME)), .clock = "boot" },
	{ ROW("Active process (on ring %w): %s [%d]", F(ENGINE), F(COMM), F(PID)) },
	{ ROW("GuC version: %w", F(FIRMWARE)) },
	{ ROW("%w command stream:"), .act = I915_ENGINE },
	{ ROW("hung: %u"), .act = I915_HUNG },
	{ ROW("Active context: %s[%d] prio %d, guilty %u active"), .act = I915_GUILTY },
	{ 0 }
};

static void i915_line(struct xtr_dump_reader *r, const struct dump_row *row,
		      const struct dump_value *v, const char *line, size_t n)
{
	struct xtr_dump_fact *f = r->d.fact;

	(void)line;
	(void)n;
	if (!row)
		return;
	if (row->act == I915_ENGINE)
		snprintf(r->scope, sizeof(r->scope), "%.*s", (int)v[0].n, v[0].text);
	else if (row->act == I915_HUNG && v[0].known && v[0].number)
		dump_set_text(&f[XTR_DUMP_ENGINE_FACT], DUMP_ONLY, r->line_no, r->scope,
			      strlen(r->scope));
	else if (row->act == I915_GUILTY && v[1].known && v[3].known &&
		 f[XTR_DUMP_PID_FACT].known && v[1].number == f[XTR_DUMP_PID_FACT].value)
		dump_set_number(&f[XTR_DUMP_GUILTY_FACT], DUMP_FIRST, r->line_no, v[3].number);
}

/* drivers/gpu/drm/msm/msm_gpu.c, msm_gpu_devcoredump_read; adreno/adreno_gpu.c, adreno_show */
enum {
	MSM_RING = 1,
	MSM_LAST,
	MSM_RETIRED
};
static const struct dump_row msm[] = { { ROW("kernel: %w", F(KERNEL)) },
				       { ROW("time: %t", F(TIME)), .clock = "real" },
				       { ROW("comm: %s", F(COMM)), .failure = true },
				       { ROW("  - iova=%x", F(FAULT)) },
				       { ROW("  - dir=%w", F(ACCESS)) },
				       { ROW("  - source=%w", F(CLIENT)) },
				       { ROW("  - id: %u"), .act = MSM_RING },
				       { ROW("last-fence: %u"), .act = MSM_LAST },
				       { ROW("retired-fence: %u"), .act = MSM_RETIRED },
				       { 0 } };

/* A ring that has not retired all that it was given. */
static void msm_line(struct xtr_dump_reader *r, const struct dump_row *row,
		     const struct dump_value *v, const char *line, size_t n)
{
	struct xtr_dump_fact *f = r->d.fact;

	(void)line;
	(void)n;
	if (!row || !row->act || !v[0].known)
		return;
	if (row->act == MSM_RING)
		r->number = v[0].number;
	else if (row->act == MSM_LAST)
		r->last = v[0].number;
	if (row->act != MSM_RETIRED || v[0].number == r->last)
		return;
	dump_set_number(&f[XTR_DUMP_SLOT_FACT], DUMP_ONLY, r->line_no, r->number);
	dump_set_number(&f[XTR_DUMP_EMITTED_FACT], DUMP_ONLY, r->line_no, r->last);
	dump_set_number(&f[XTR_DUMP_SIGNALED_FACT], DUMP_ONLY, r->line_no, v[0].number);
}

/* fault-info is printed always; without a fault it is all zeros. */
static void msm_end(struct xtr_dump_reader *r)
{
	struct xtr_dump_fact *f = r->d.fact;

	if (!f[XTR_DUMP_FAULT_FACT].value && !f[XTR_DUMP_ACCESS_FACT].known)
		f[XTR_DUMP_FAULT_FACT] = (struct xtr_dump_fact){ 0 };
	if (f[XTR_DUMP_SLOT_FACT].unsure)
		f[XTR_DUMP_EMITTED_FACT] = f[XTR_DUMP_SIGNALED_FACT] = f[XTR_DUMP_SLOT_FACT];
}

/* drivers/accel/ivpu/ivpu_coredump.c: a head, and behind it the firmware's log as text */
static const struct dump_row ivpu[] = { { ROW("FW version: %s", F(FIRMWARE)), .failure = true },
					{ 0 } };

static void ivpu_line(struct xtr_dump_reader *r, const struct dump_row *row,
		      const struct dump_value *v, const char *line, size_t n)
{
	(void)v;
	if (!row && r->line_no > 1)
		dump_set_text(&r->d.fact[XTR_DUMP_MESSAGE_FACT], DUMP_LAST, r->line_no, line, n);
}

const struct dump_kind dump_kinds[] = {
	{ "amdgpu devcoredump", "amdgpu", MAGIC("**** AMDGPU Device Coredump ****"), .rows = amdgpu,
	  .end = amdgpu_end },
	{ "xe devcoredump", "xe", MAGIC("**** Xe Device Coredump ****"), .rows = xe },
	{ "i915 error state", "i915", MAGIC("GPU HANG: ecode "), .rows = i915, .line = i915_line },
	{ "msm devcoredump", "msm", MAGIC("---\nkernel: "), .rows = msm, .line = msm_line,
	  .end = msm_end },
	{ "ivpu devcoredump", "intel_vpu", MAGIC("Intel NPU crash dump"), .rows = ivpu,
	  .line = ivpu_line },
	{ "panfrost devcoredump", "panfrost", MAGIC("PANF"), .byte = dump_panfrost_byte },
	{ "etnaviv devcoredump", "etnaviv", MAGIC("ETNA"), .byte = dump_etnaviv_byte },
	{ 0 }
};
