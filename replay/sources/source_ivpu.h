/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs of the Intel NPU (intel_vpu), from what the file has of
 *   vpu:job                  create (the job has no id yet), submit, done; kernels after 6.12
 *   dma_fence_init, _signaled of the driver's fences: each job has a fence of its own
 *   func:intel_vpu:...       the submit ioctls, the doorbell, completion
 *
 * Creation, submission and the ioctl are one call of one thread; the fence is initialised in it
 * before `create`. It is signalled by the thread that says `done` right after. Ids are used again
 * after 256 jobs of a context, and so are contexts: an id is a job's name only from submit to done.
 */
#ifndef XTR_SOURCE_IVPU_H
#define XTR_SOURCE_IVPU_H

#include "replay/model/job_source.h"

extern const struct xtr_job_source xtr_source_ivpu;

#endif /* XTR_SOURCE_IVPU_H */
