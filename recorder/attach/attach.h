/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching the loaded programs, switching them on and off. */
#ifndef XTR_RECORDER_ATTACH_H
#define XTR_RECORDER_ATTACH_H

#include "loader.h"

/*
 * Attach all that is loaded; each result is noted (xtr_bpf.results). Returns the number of hooks
 * attached, or -errno. Programs do nothing until xtr_bpf_run.
 */
int xtr_bpf_attach(struct xtr_bpf *b, const struct xtr_selection *sel);
void xtr_bpf_run(struct xtr_bpf *b);
/* Switch off and detach; when it returns no program runs any more. */
void xtr_bpf_halt(struct xtr_bpf *b);
/* Record at this level of a budget (bpf/xtr_ctl.h) from now on. */
void xtr_bpf_budget(struct xtr_bpf *b, uint32_t level);
/* Keep a descriptor that holds an attachment: it is closed with the links. 0, or -ENOMEM: it was
 * closed. */
int xtr_bpf_hold(struct xtr_bpf *b, int fd);
/*
 * The same for a link; prog: its raw tracepoint program, whose skipped runs count as events of the
 * slot that are missing; -1: none. 0, or -ENOMEM: it was destroyed.
 */
int xtr_bpf_hold_link(struct xtr_bpf *b, struct bpf_link *link, int prog, uint32_t slot);
/* Descriptor of the raw tracepoint program of a slot whose skipped runs count, or -1. */
int xtr_bpf_counted_prog(const struct xtr_bpf *b, uint32_t slot);
/* How often the kernel did not run a raw tracepoint program because it was running on that CPU. */
uint64_t xtr_bpf_prog_misses(int prog);
/*
 * Call fn for the events of each hook, and with `all` of each event by name: how many of a slot no
 * program has taken, read after `before` (ns). While programs run some may still be taken.
 */
void xtr_bpf_each_missing(const struct xtr_bpf *b, bool all,
			  void (*fn)(void *ctx, uint32_t slot, uint64_t missing, uint64_t before),
			  void *ctx);
/*
 * After xtr_bpf_halt: call fn for what the kernel has skipped of events by name beyond b->not_run.
 * It counts that itself since Linux 6.7 (trace_call_bpf), of each program; where several events
 * have the same one, slot is 0. Hits minus runs is one too few where recording began between the
 * two.
 */
void xtr_bpf_each_overlooked(const struct xtr_bpf *b,
			     void (*fn)(void *ctx, uint32_t slot, uint64_t missing,
					uint64_t before),
			     void *ctx);
/* Events of a slot that a program behind the first took. */
uint64_t xtr_bpf_rescued(const struct xtr_bpf *b, uint32_t slot);
/*
 * Hits minus runs of a generic event. A task may move to another CPU between the two, so only the
 * sum means something. An event that was under way when recording began or ended may have been
 * seen by one of the two alone: then the sum is wrong by one.
 */
uint64_t xtr_bpf_not_run(const struct xtr_bpf *b, uint32_t slot);
/* Wait until no program that ran when this was called runs any more. */
void xtr_bpf_quiet(void);
/* Close all links, without more. */
void xtr_bpf_detach(struct xtr_bpf *b);

#endif /* XTR_RECORDER_ATTACH_H */
