/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second programs of the hooks (bpf/xtr_emit.bpf.h): which events need one on this kernel, and
 * the tokens that they should have picked up but did not, as the kernel skipped them too.
 */
#ifndef XTR_RECORDER_TOKENS_H
#define XTR_RECORDER_TOKENS_H

#include "loader.h"

#include <stdbool.h>

/* May the kernel skip the program of this event, so that it needs a second one? */
bool xtr_tokens_needed(const struct xtr_hook *h);

/*
 * Remove the tokens that were there at the last call too. Calls should lie a second apart: a task
 * that stays preempted longer than that between the two programs has its event recorded twice.
 */
void xtr_tokens_sweep(struct xtr_bpf *b);

#endif /* XTR_RECORDER_TOKENS_H */
