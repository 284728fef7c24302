/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs for calls of functions (bpf/probe.bpf.h): loaded as far as this kernel goes. */
#ifndef XTR_RECORDER_PROBE_LOAD_H
#define XTR_RECORDER_PROBE_LOAD_H

#include "loader.h"

enum xtr_probe_prog {
	XTR_PROG_ENTRY, /* kprobe and uprobe */
	XTR_PROG_RET,
	XTR_PROG_MULTI_ENTRY, /* kprobe.multi */
	XTR_PROG_MULTI_RET,
	XTR_PROG_SESSION, /* kprobe.session: both halves */
	XTR_N_PROBE_PROGS
};

/* Load what the selection's functions need; without any nothing is done. 0 or -errno. */
int xtr_probe_bpf_load(struct xtr_bpf *b, const struct xtr_selection *sel,
		       const struct xtr_record_opts *opts);
void xtr_probe_bpf_free(struct xtr_probe_bpf *p);
/* A program as libbpf has it, NULL: this kernel does not load it. */
const struct bpf_program *xtr_probe_program(const struct xtr_bpf *b, enum xtr_probe_prog which);
/* Descriptor of a program, -ENOENT: this kernel does not load it. */
int xtr_probe_prog_fd(const struct xtr_bpf *b, enum xtr_probe_prog which);
/* Tell the programs how to record probe i of the selection: for its cookie, which is i. */
int xtr_probe_bpf_set(const struct xtr_bpf *b, uint32_t i, const struct xtr_probe *p);
/* The program that stops these when the recorder dies; NULL: there are none. */
struct bpf_program *xtr_probe_died(const struct xtr_bpf *b);
void xtr_probe_bpf_phase(struct xtr_bpf *b, uint32_t phase);
void xtr_probe_bpf_budget(struct xtr_bpf *b, uint32_t level);

/* --- function attach -------------------------------------------------------------------------- */

/* Attaching the programs for calls of functions: what kernel functions and libraries share. */
struct perf_event_attr;

/*
 * Attach all functions of the selection. What became of each is in the probe (state, attach, why)
 * and in the results of b. Returns the number of functions attached, or -errno.
 */
int xtr_probes_attach(struct xtr_bpf *b, const struct xtr_selection *sel);

/*
 * Open the perf event, attach a program to it with this cookie, and keep the attachment with b's
 * links. 0 or -errno.
 */
int xtr_probe_attach_perf(struct xtr_bpf *b, const struct perf_event_attr *attr, int prog_fd,
			  uint64_t cookie);

#endif /* XTR_RECORDER_PROBE_LOAD_H */
