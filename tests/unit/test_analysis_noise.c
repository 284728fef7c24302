/* SPDX-License-Identifier: BSD-2-Clause */
/* Any values in events of drivers, and records that are cut off: nothing breaks, all is counted. */
#include "analysed.h"
#include "fewer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define JOB "dev:str:4 gt_id:u8:1 guc_id:u16:2 lrc_seqno:u32:4 fence:hex64:8 error:s32:4"
#define Q   "dev:str:4 class:u32:4 gt_id:u8:1 width:u16:2 guc_id:u16:2"
#define HW  "dev:str:4 ctx:u64:8 seqno:u32:4 fence:hex64:8"
#define MB  "chann_id:u32:4 opcode:u32:4 msg_id:u32:4"
#define VG  "dev:s32:4 vq:u32:4 type:u32:4 fence_id:u64:8 num_free:u32:4 seqno:u32:4"

static const struct {
	const char *name, *fields, *section;
} events[] = {
	{ "xe:xe_sched_job_create", JOB, "xe" },
	{ "xe:xe_sched_job_exec", JOB, "xe" },
	{ "xe:xe_sched_job_run", JOB, "xe" },
	{ "xe:xe_sched_job_free", JOB, "xe" },
	{ "xe:xe_sched_job_ban", JOB, "xe" },
	{ "xe:xe_sched_job_set_error", JOB, "xe" },
	{ "xe:xe_exec_queue_create", Q, "xe" },
	{ "xe:xe_exec_queue_create_multi_queue", Q, "xe" },
	{ "xe:xe_exec_queue_destroy", Q, "xe" },
	{ "xe:xe_exec_queue_deregister_done", Q, "xe" },
	{ "xe:xe_exec_queue_reset", Q, "xe" },
	{ "xe:xe_hw_fence_create", HW, "xe" },
	{ "xe:xe_hw_fence_signal", HW, "xe" },
	{ "xe:xe_bo_create", "dev:str:4 size:u64:8", "xe" },
	{ "xe:xe_vma_bind", "dev:str:4 start:u64:8 end:u64:8", "xe" },
	{ "xe:xe_guc_ctb_h2g", "dev:str:4 gt_id:u8:1 action:u32:4 len:u32:4", "xe" },
	{ "xe:xe_tlb_inval_fence_send", "dev:str:4 fence:hex64:8", "xe" },
	{ "xe:xe_tlb_inval_fence_signal", "dev:str:4 fence:hex64:8", "xe" },
	{ "xe:xe_tlb_inval_fence_timeout", "dev:str:4 fence:hex64:8", "xe" },
	{ "xe:xe_pm_runtime_suspend", "dev:str:4", "xe" },
	{ "xe:xe_pm_runtime_resume", "dev:str:4", "xe" },
	{ "xe:xe_guc_engine_activity", "dev:str:4 name:str:2 active:u64:8 total:u64:8", "xe" },
	{ "amdxdna:xdna_job", "name:str:2 str:str:16 fence_context:u64:8 fence_seqno:u64:8",
	  "amdxdna" },
	{ "amdxdna:mbox_set_tail", MB, "amdxdna" },
	{ "amdxdna:mbox_set_head", MB, "amdxdna" },
	{ "amdxdna:mbox_irq_handle", "irq:s32:4", "amdxdna" },
	{ "virtio_gpu:virtio_gpu_cmd_queue", VG, "virtio_gpu" },
	{ "virtio_gpu:virtio_gpu_cmd_response", VG, "virtio_gpu" },
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

static const char *const stages[] = { "job run", "sent to device", "signaling fence", "job free",
				      "job timedout" };

static uint64_t state;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

/* Small numbers, so that events meet; now and then any. */
static void fill(struct named *n)
{
	const struct xtr_event_desc *d = n->ev.desc;
	const char *text = stages[draw(5)];

	for (uint32_t i = 0; i < d->n_fields; i++) {
		const struct xtr_field *f = &d->fields[i];

		if (f->size == 16) {
			named_text(n, f->name, text, strlen(text));
			continue;
		}
		named_set(n, f->name, f->repr == XTR_REPR_STR ? 'a' + draw(30) : draw(6));
		for (uint32_t k = 0; draw(16) == 0 && k < f->size; k++)
			n->rec[f->offset + k] = (uint8_t)draw(256);
	}
	if (draw(32) == 0)
		named_cut(n, 16 + draw(n->ev.size - 16));
}

static void check(uint64_t seed, const char *section)
{
	uint64_t given[EVENTS] = { 0 };
	struct analysed r;
	char want[96];
	uint64_t ts = 0;
	uint32_t e;

	state = seed;
	analysed_init(&r);
	for (uint32_t i = 0; i < EVENTS; i++)
		named_describe(&r.n, events[i].name, events[i].fields);
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 4000; i++) {
		e = draw(EVENTS);
		ts += 1 + draw(i % 100 ? 1000 : 300000000);
		named_emit(&r.n, events[e].name, ts, draw(4), 0);
		fill(&r.n);
		analysed_give(&r);
		given[e]++;
	}
	analysed_end(&r, ts, section);
	for (e = 0; e < EVENTS; e++) {
		if (strcmp(events[e].section, section))
			continue;
		snprintf(want, sizeof(want), "\"%s\":%llu", events[e].name,
			 (unsigned long long)given[e]);
		analysed_has(r.section, want);
	}
	analysed_free(&r);
}

Test(analysis_noise, drivers)
{
	static const char *const sections[] = { "xe", "amdxdna", "virtio_gpu" };

	for (uint64_t seed = 1; seed <= 60 / FEWER; seed++)
		check(seed, sections[seed % 3]);
}
