/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which the functions of intel_vpu call each other when one matrix multiplication runs
 * on the NPU, entries alone, as a published capture of Linux 6.13 has it: 8,198 calls.
 */
#ifndef TEST_NPU_CAPTURE_H
#define TEST_NPU_CAPTURE_H

#include "named.h"

#define NPU_CAPTURE_CALLS 8198u

/* Hand out the names of the functions in order. */
void npu_capture_play(void (*step)(void *ctx, const char *function), void *ctx);
/* Describe an event for each function that npu_capture_play has; entries alone. */
void npu_capture_describe(struct named *n);

#endif /* TEST_NPU_CAPTURE_H */
