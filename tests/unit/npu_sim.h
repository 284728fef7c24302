/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of the Intel NPU's driver on top of gpu_sim.h: what the file has of them is chosen first,
 * and events that it does not have are not added. All in thread s->tid, on CPU s->cpu.
 */
#ifndef TEST_NPU_SIM_H
#define TEST_NPU_SIM_H

#include "gpu_sim.h"

#define NPU_DEVICE "0000:00:0b.0"
#define NPU_IRQ    55u /* the interrupt thread */

enum npu_has {
	NPU_JOBS = 1,
	NPU_INIT = 2,
	NPU_SIGNALED = 4,
	NPU_FENCES = NPU_INIT | NPU_SIGNALED,
	NPU_IOCTL = 8,
	NPU_DOORBELL = 16,
	NPU_COMPLETE = 32,
	NPU_FUNCTIONS = NPU_IOCTL | NPU_DOORBELL | NPU_COMPLETE,
	NPU_ALL = 63
};

/* Describe the events in META, and the device, and the threads 1 to 9 of processes 1000 more. */
struct sim *npu_sim(unsigned int has);
/* Which of them are recorded from now on: the others are lost. */
void npu_records(unsigned int has);

void npu_job(struct sim *s, uint64_t ts, const char *event, uint32_t ctx, uint32_t id);
void npu_fence(struct sim *s, uint64_t ts, bool init, uint64_t ctx, int32_t error);
/* "ivpu_submit_ioctl", "ivpu_submit_ioctl:ret" (ret), "ivpu_hw_ip_db_set", "ivpu_job_signal" */
void npu_function(struct sim *s, uint64_t ts, const char *name, int32_t ret);

/*
 * What the driver says of one job: the ioctl at `at`, 1 us later the fence, 2 us the creation,
 * 5 us the doorbell, 6 us the submission, 7 us the return; in the interrupt thread the completion
 * 2 us before `done`, the signal 1 us before.
 */
void npu_submit(struct sim *s, uint64_t at, uint32_t tid, uint64_t fence, uint32_t ctx,
		uint32_t id);
void npu_done(struct sim *s, uint64_t done, uint64_t fence, uint32_t ctx, uint32_t id);

#endif /* TEST_NPU_SIM_H */
