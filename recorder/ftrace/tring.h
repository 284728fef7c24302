/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine `ftrace`: events by name through the kernel's own trace ring instead of a BPF program.
 * The kernel writes them there itself, at the least cost there is, and skips none; what finds no
 * room in the ring is counted by it.
 *
 * What is taken from here has the form in which the generic BPF program puts records into a BPF
 * ring (bpf/xtr_ctl.h), so that all that follows is the same for both engines. The ring's clock is
 * CLOCK_MONOTONIC (`mono`), as that of the programs.
 */
#ifndef XTR_RECORDER_TRING_H
#define XTR_RECORDER_TRING_H

#include "recorder/groups/select.h"
#include "tasks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_tring;

/* Bytes of the longest record: with so much room at least one is taken. */
#define XTR_TRING_RECORD_MAX (16u + XTR_FIXED_MAX + 8u + XTR_STRS_MAX * (XTR_STR_MAX + 2u) + 8u)

/*
 * Make an instance and switch on the selected events whose `ftrace` is set; nothing is recorded
 * yet. ring_bytes: of each of n_cpus rings. Where an event cannot be had its `ftrace` is cleared. 0
 * with *f, NULL if none is left; or -errno: there is no instance.
 */
int xtr_tring_open(struct xtr_tring **f, struct xtr_selection *sel, uint32_t n_cpus,
		    uint64_t ring_bytes);
/* Record from now on. 0 or -errno. */
int xtr_tring_run(struct xtr_tring *f);
/* Record nothing more; what is in the rings can still be taken. */
void xtr_tring_halt(struct xtr_tring *f);
/* Remove the instance. 0 or -errno: something of it is left; f is freed anyway. NULL: nothing. */
int xtr_tring_free(struct xtr_tring *f);

/* Descriptor that polls readable when the ring of a CPU is half full, or -1: there is no such CPU. */
int xtr_tring_fd(const struct xtr_tring *f, uint32_t cpu);

/* What was taken with one call. */
struct xtr_tring_part {
	uint32_t n, len; /* records, bytes */
	bool more;       /* there was no room for more */
	uint32_t broken; /* pages, or records, that were not what they should be */
};

/*
 * Take what the ring of a CPU holds, into `room` bytes at out, at most max_n records. Tasks that
 * occur for the first time, or have a new name, are defined by xtr_tring_task before these records
 * are used.
 */
void xtr_tring_take(struct xtr_tring *f, uint32_t cpu, uint8_t *out, uint32_t room,
		     uint32_t max_n, struct xtr_tring_part *part);
bool xtr_tring_has_task(const struct xtr_tring *f);
/* The next definition, or false: there is none. */
bool xtr_tring_task(struct xtr_tring *f, struct xtr_ctl_task *def);

/* Events of a CPU that found no room in its ring since the last call. */
struct xtr_tring_loss {
	uint64_t full, nested; /* no room; of interrupts that came while one was written */
	uint64_t since;        /* ns: none was lost before */
};

/*
 * A pass over the rings begins, at `now` (ns). Between two of them each ring is taken from until
 * nothing more is there, or its reading goes on in the next pass.
 */
void xtr_tring_pass(struct xtr_tring *f, uint64_t now);
/* Look at the kernel's counters if something may have been lost; last: in any case. */
bool xtr_tring_lost(struct xtr_tring *f, uint32_t cpu, bool last, struct xtr_tring_loss *loss);
/* The counter of the one event in the rings, or 0: there are several, and which was lost is not
 * known. */
uint32_t xtr_tring_slot(const struct xtr_tring *f);
/* Bytes of a ring, and those that were in the ring of a CPU when the last pass came to it. */
uint64_t xtr_tring_ring_bytes(const struct xtr_tring *f);
uint64_t xtr_tring_fill(const struct xtr_tring *f, uint32_t cpu);

#endif /* XTR_RECORDER_TRING_H */
