/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of --idle-stacks (bpf/idle.bpf.c): samples of stacks on all CPUs, and where threads
 * that submit jobs leave their CPU and come back. What cannot be had is noted, and stops nothing.
 */
#ifndef XTR_RECORDER_IDLE_ATTACH_H
#define XTR_RECORDER_IDLE_ATTACH_H

#include "loader.h"

/* Load them where they are asked for. 0, also where this kernel refuses them; or -ENOMEM. */
int xtr_idle_bpf_load(struct xtr_bpf *b, const struct xtr_selection *sel,
		      const struct xtr_record_opts *opts);
void xtr_idle_bpf_free(struct xtr_idle_bpf *idle);
/* The number of events that are attached, or -ENOMEM. What became of each is in b's results. */
int xtr_idle_attach(struct xtr_bpf *b, const struct xtr_record_opts *opts);
/* The program that stops these when the recorder dies; NULL: there are none. */
struct bpf_program *xtr_idle_died(const struct xtr_bpf *b);
void xtr_idle_bpf_phase(struct xtr_bpf *b, uint32_t phase);
void xtr_idle_bpf_budget(struct xtr_bpf *b, uint32_t level);

#endif /* XTR_RECORDER_IDLE_ATTACH_H */
