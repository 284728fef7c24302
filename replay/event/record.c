/* SPDX-License-Identifier: BSD-2-Clause */
#include "record.h"

const uint8_t xtr_gpu_record_size[XTR_GPU_RECORD_TYPES] = {
	[XTR_EV_JOB_QUEUE] = 60,      [XTR_EV_JOB_RUN] = 48,     [XTR_EV_JOB_DONE] = 36,
	[XTR_EV_JOB_WAIT_DEP] = 56,   [XTR_EV_JOB_ADD_DEP] = 56, [XTR_EV_JOB_UNSCHEDULABLE] = 56,
	[XTR_EV_FENCE_SIGNALED] = 40,
};
