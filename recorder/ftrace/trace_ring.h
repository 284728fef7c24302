/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine `ftrace`: events by name through the kernel's own trace ring instead of a BPF program.
 * The kernel writes them there itself, at the least cost there is, and skips none; what finds no
 * room in the ring is counted by it.
 *
 * What is taken from here has the form in which the generic BPF program puts records into a BPF
 * ring (bpf/xtr_ctl.h), so that all that follows is the same for both engines. The ring's clock is
 * CLOCK_MONOTONIC (`mono`), as that of the programs.
 *
 * A second instance says which process a thread belongs to (task_ring.h).
 */
#ifndef XTR_RECORDER_TRING_H
#define XTR_RECORDER_TRING_H

#include "recorder/groups/select.h"
#include "ring_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_tring;

/* Bytes of the longest record: with so much room at least one is taken. */
#define XTR_TRING_RECORD_MAX (16u + XTR_FIXED_MAX + 8u + XTR_STRS_MAX * (XTR_STR_MAX + 2u) + 8u)

/*
 * Make the instances of the recorder of this id, and switch on the selected events whose `ftrace`
 * is set; nothing is recorded yet. ring_bytes: of each of n_cpus rings. Where an event cannot be
 * had its `ftrace` is cleared, else its cfg.ring_id is set. opts: processes, which must stay. 0
 * with *t, NULL if no event is left; or -errno: there is no instance.
 */
int xtr_tring_open(struct xtr_tring **t, struct xtr_selection *sel,
		   const struct xtr_record_opts *opts, uint64_t id, uint32_t n_cpus,
		   uint64_t ring_bytes);
/*
 * Take over what the recorder of this id left: events by cfg.ring_id of sel, which is not needed
 * to count them (NULL). What is taken is gone from the rings. 0; -ENOENT: there is no instance; or
 * -errno. Ends with xtr_tring_leave in any case.
 */
int xtr_tring_adopt(struct xtr_tring **t, const struct xtr_selection *sel, uint64_t id,
		    uint32_t n_cpus);
/* The page that it had read of a CPU, of which so many bytes were taken. */
void xtr_tring_resume(struct xtr_tring *t, uint32_t cpu, const struct xtr_page_slot *left,
		      uint32_t done);
/* Bytes of a page, 0 < n <= XTR_RING_PAGE_MAX. */
uint32_t xtr_tring_page_bytes(const struct xtr_tring *t);
/* Read pages into these slots, n_cpus of them; before the first page. */
void xtr_tring_slots(struct xtr_tring *t, uint8_t *slots);
/* Find the threads that there are. Before anything is taken. 0 or -errno. */
int xtr_tring_begin(struct xtr_tring *t);
/* Record from now on; and nothing more: what is in the rings can still be taken. Another thread may
 * be taking it. 0 or -errno. */
int xtr_tring_run(const struct xtr_tring *t);
void xtr_tring_halt(const struct xtr_tring *t);
/* Remove the instances. 0 or -errno: something of them is left; t is freed anyway. NULL: nothing.
 */
int xtr_tring_free(struct xtr_tring *t);
/* Free what was taken over; the instances stay. NULL: nothing. */
void xtr_tring_leave(struct xtr_tring *t);
/* Remove what the recorder of this id left. */
void xtr_tring_drop(uint64_t id);

/* Descriptor that polls readable when the ring of a CPU is half full; -1: there is no such CPU. */
int xtr_tring_fd(const struct xtr_tring *t, uint32_t cpu);

/* What was taken with one call: at most a page. */
struct xtr_tring_part {
	uint32_t n, len; /* records, bytes */
	uint64_t page;   /* number of the page, 0: none; how far it is taken, bytes */
	uint32_t place;
	bool as_is;        /* the records are as they shall be in the file */
	bool full;         /* there was no room for the next record */
	bool empty;        /* nothing more is to be had in this pass, */
	bool behind;       /* although there is: an event whose thread is not known yet */
	uint32_t filtered; /* events of other processes */
	uint32_t broken;   /* pages, or records, that were not what they should be */
};

/*
 * Take the rest of a page, or the next page, of a CPU into `room` bytes at out, at most max_n
 * records. Tasks that occur for the first time, or have a new name, are defined by xtr_tring_task
 * before these records are used.
 */
void xtr_tring_take(struct xtr_tring *t, uint32_t cpu, uint8_t *out, uint32_t room, uint32_t max_n,
		    struct xtr_tring_part *part);
bool xtr_tring_has_task(const struct xtr_tring *t);
/* The next definition, or false: there is none. */
bool xtr_tring_task(struct xtr_tring *t, struct xtr_ctl_task *def);

/* Events of a CPU that found no room in its ring since the last call. */
struct xtr_tring_loss {
	uint64_t full, nested; /* no room; of interrupts that came while a page was left */
	uint64_t since;        /* ns: none was lost before */
	uint64_t looked;       /* ns: all that were lost before this are counted */
};

/* A pass over the rings begins, at `now` (ns). */
void xtr_tring_pass(struct xtr_tring *t, uint64_t now);
/* All events that happened before the pass began were taken. */
void xtr_tring_taken(struct xtr_tring *t);
/* Look at the kernel's counters if something may have been lost; last: in any case. What is found
 * is found again until it is counted. */
bool xtr_tring_lost(struct xtr_tring *t, uint32_t cpu, bool last, struct xtr_tring_loss *loss);
void xtr_tring_counted(struct xtr_tring *t, uint32_t cpu, const struct xtr_tring_loss *loss);
/* The kernel's counters, since the instance was made. False: not known. */
bool xtr_tring_stats(const struct xtr_tring *t, uint32_t cpu, struct xtr_ring_stats *st);
/* Slot of the counters of the one event in the rings; 0: there are several, and which of them was
 * lost is not known. */
uint32_t xtr_tring_slot(const struct xtr_tring *t);
/* Events of a CPU that were not taken yet. */
uint64_t xtr_tring_left(const struct xtr_tring *t, uint32_t cpu);
/* Bytes that were in the ring of a CPU when this pass came to it. */
uint64_t xtr_tring_fill(const struct xtr_tring *t, uint32_t cpu);

#endif /* XTR_RECORDER_TRING_H */
