/* SPDX-License-Identifier: BSD-2-Clause */
#include "record.h"

const uint8_t xtr_gpu_record_size[XTR_GPU_RECORD_TYPES] = {
	[XTR_EV_JOB_QUEUE] = XTR_REC_END(job_queue, flags),
	[XTR_EV_JOB_RUN] = XTR_REC_END(job_run, flags),
	[XTR_EV_JOB_DONE] = XTR_REC_END(job_done, ring),
	[XTR_EV_JOB_WAIT_DEP] = XTR_REC_END(job_dep, flags),
	[XTR_EV_JOB_ADD_DEP] = XTR_REC_END(job_dep, flags),
	[XTR_EV_JOB_UNSCHEDULABLE] = XTR_REC_END(job_dep, flags),
	[XTR_EV_FENCE_SIGNALED] = XTR_REC_END(fence, error),
};
