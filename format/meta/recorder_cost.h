/* SPDX-License-Identifier: BSD-2-Clause */
/* What recording cost the machine, as the END chunk has it (spec 6.6). */
#ifndef XTR_RECORDER_COST_H
#define XTR_RECORDER_COST_H

#include <stdint.h>

struct xtr_recorder_cost {
	uint64_t cpu_ns;     /* CPU time of the recorder, user and system */
	uint64_t ring_bytes; /* size of one BPF ring */
	uint64_t ring_high;  /* highest fill of any ring, bytes */
	uint64_t bpf_run_ns; /* of all runs of the BPF programs, estimated; 0 if not measured */
	uint64_t bpf_run_cnt;
	uint64_t bpf_timed_cnt; /* runs that were timed for it; 0: not known */
	uint64_t elapsed_ns;    /* how long was recorded; 0: not known */
};

#endif /* XTR_RECORDER_COST_H */
