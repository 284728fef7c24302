// SPDX-License-Identifier: BSD-2-Clause
#include "pftrace_core.h"

static const struct pft_row rows[] = {
	{ 3, "ftrace:print", "p:ip s:buf" },
	{ 4, "sched:sched_switch",
	  "s:prev_comm d:prev_pid d:prev_prio d:prev_state s:next_comm d:next_pid d:next_prio" },
	{ 17, "sched:sched_wakeup", "s:comm d:pid d:prio d:success d:target_cpu" },
	{ 20, "sched:sched_waking", "s:comm d:pid d:prio d:success d:target_cpu" },
	{ 411, "gpu_scheduler:drm_sched_job",
	  "p:entity p:fence d:hw_job_count u:id u:job_count s:name" },
	{ 412, "gpu_scheduler:drm_run_job",
	  "p:entity p:fence d:hw_job_count u:id u:job_count s:name" },
	{ 413, "gpu_scheduler:drm_sched_process_job", "p:fence" },
	{ 414, "dma_fence:dma_fence_init", "u:context s:driver u:seqno s:timeline" },
	{ 415, "dma_fence:dma_fence_emit", "u:context s:driver u:seqno s:timeline" },
	{ 416, "dma_fence:dma_fence_signaled", "u:context s:driver u:seqno s:timeline" },
	{ 417, "dma_fence:dma_fence_wait_start", "u:context s:driver u:seqno s:timeline" },
	{ 418, "dma_fence:dma_fence_wait_end", "u:context s:driver u:seqno s:timeline" },
	{ 591, "gpu_scheduler:drm_sched_job_add_dep",
	  "u:fence_context u:fence_seqno u:ctx u:seqno" },
	{ 592, "gpu_scheduler:drm_sched_job_done", "u:fence_context u:fence_seqno" },
	{ 593, "gpu_scheduler:drm_sched_job_queue",
	  "s:name u:job_count d:hw_job_count s:dev u:fence_context u:fence_seqno u:client_id" },
	{ 594, "gpu_scheduler:drm_sched_job_run",
	  "s:name u:job_count d:hw_job_count s:dev u:fence_context u:fence_seqno u:client_id" },
	{ 595, "gpu_scheduler:drm_sched_job_unschedulable",
	  "u:fence_context u:fence_seqno u:ctx u:seqno" },
};

const struct pft_row *pft_row(uint32_t number)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}
