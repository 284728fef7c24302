/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What recording costs the machine: CPU time of the recorder, and the estimated time of its BPF
 * programs. Of these the kernel keeps no time unless it is told to time each run, which costs more
 * than some of them take; they time one run in 256 themselves (bpf/xtr_emit.bpf.h), from where they
 * have found their CPU until the record is in the ring. The kernel's way into the program is not in
 * it, nor are the counting programs, which only add one to a counter.
 */
#ifndef XTR_RECORDER_OWN_COST_H
#define XTR_RECORDER_OWN_COST_H

#include "recorder/attach/loader.h"

#include "format/write/writer.h"

/* All that has been spent until a moment. */
struct xtr_own_cost {
	uint64_t at, cpu; /* ns: of the monotonic clock; of this process's CPU time */
	uint64_t runs, timed, timed_ns;
};

void xtr_own_cost_now(struct xtr_own_cost *c, const struct xtr_bpf *b);
/* What was spent from `before` until `now`, with rings as they are; ring_high is left alone. */
void xtr_own_cost_between(struct xtr_recorder_cost *out, const struct xtr_own_cost *before,
			  const struct xtr_own_cost *now);

#endif /* XTR_RECORDER_OWN_COST_H */
