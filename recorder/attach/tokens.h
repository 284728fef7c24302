/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs behind the first of the hooks (bpf/xtr_emit.bpf.h): which events need them on this
 * kernel, and the tokens that the last should have picked up but did not, as the kernel skipped it.
 */
#ifndef XTR_RECORDER_TOKENS_H
#define XTR_RECORDER_TOKENS_H

#include "loader.h"

#include <stdbool.h>

/* How many programs this event needs on this kernel, as it may skip those that run: 1 to
 * XTR_PROGRAMS_MAX. */
uint32_t xtr_tokens_programs(const struct xtr_hook *h);

/*
 * Remove the tokens that were there at the last call too. Calls should lie a second apart: a task
 * that stays preempted longer than that between two programs has its event recorded twice.
 */
void xtr_tokens_sweep(struct xtr_bpf *b);

#endif /* XTR_RECORDER_TOKENS_H */
