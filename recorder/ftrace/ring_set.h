/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings of a trace instance, one for each CPU: their pages, read one by one, and the kernel's
 * counters of what found no room.
 *
 * A page is read into a slot, which may lie in memory that outlives the process (persistent.h of
 * drain/). The slot says how much of its page was taken, so that nothing is lost or taken twice
 * when the recorder is killed.
 */
#ifndef XTR_RECORDER_RING_SET_H
#define XTR_RECORDER_RING_SET_H

#include "instance.h"
#include "ring_page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_RING_PAGE_MAX (64u << 10) /* bytes; the kernel's default is 4 KiB */

/* Where a page is read to. */
struct xtr_page_slot {
	uint64_t number; /* of the page, from 1 on; 0: none was read yet */
	uint32_t done;   /* bytes of the page that were taken, head included */
	uint32_t pad;
	uint64_t full, nested; /* of the kernel's counters so much was accounted for, */
	uint64_t clean;        /* ns: which is all that was lost before then */
	uint8_t page[];
};

struct xtr_ring_cpu {
	int raw, stats; /* -1: there is no such CPU */
	struct xtr_page_slot *slot;
	struct xtr_ring_page at; /* what of the page was not taken */
	bool pending;            /* it is not empty */
	uint64_t read;           /* bytes, since it was set to 0 */
	bool caught_up; /* the caller's: nothing older than the pass is in the ring any more */
	/* The caller's: thread of the event before, whose it is until then, and is it not recorded?
	 */
	uint32_t last_tid;
	bool last_other;
	uint64_t last_until; /* ns */
};

struct xtr_ring_set {
	struct xtr_instance in;
	struct xtr_ring_cpu *cpus;
	uint32_t n_cpus, page_bytes;
	uint64_t ring_bytes;
	uint8_t *own; /* slots of the set's own */
	int on;       /* tracing_on */
};

/* The kernel's counters, of a CPU. */
struct xtr_ring_stats {
	uint64_t full;    /* events that found no room */
	uint64_t nested;  /* those of interrupts that came while a page was left (commit overrun) */
	uint64_t entries; /* events in the ring */
	uint64_t taken;   /* events read from it */
};

/* Bytes of a page of this kernel's rings, its head included; -ENOTSUP: other than ring_page.h
 * knows them. 0 or -errno. */
int xtr_ring_page_bytes(uint32_t *bytes);
/* Bytes of a slot for pages of so many bytes. */
size_t xtr_page_slot_bytes(uint32_t page_bytes);

/* Make an instance of this name with rings of this size; nothing is recorded. 0, or -errno: free
 * it. */
int xtr_ring_set_new(struct xtr_ring_set *s, const char *name, uint32_t n_cpus,
		     uint64_t ring_bytes);
/* Switch an event on, and hold the module that it is of. 0 or -errno: it is not to be used. */
int xtr_ring_set_event(const struct xtr_ring_set *s, const char *system, const char *event);
/*
 * Record these processes alone: the kernel leaves out all threads but theirs and those that they
 * make, which may be of other processes. 0 or -errno.
 */
int xtr_ring_set_processes(const struct xtr_ring_set *s, const uint32_t *pids, size_t n);
/* Open the rings, of one that was made, or of one that somebody left (name). 0 or -errno. */
int xtr_ring_set_open(struct xtr_ring_set *s);
int xtr_ring_set_adopt(struct xtr_ring_set *s, const char *name, uint32_t n_cpus);
/* Read pages into these slots from now on, n_cpus of them; before the first page. */
void xtr_ring_set_slots(struct xtr_ring_set *s, uint8_t *slots);
/* Record, or not. 0 or -errno. */
int xtr_ring_set_switch(const struct xtr_ring_set *s, bool on);
/*
 * The next page of a CPU, or what there is of it: 1; 0: the ring is empty; -1: what was read is no
 * page. The one before must have been taken.
 */
int xtr_ring_set_read(struct xtr_ring_set *s, struct xtr_ring_cpu *c);
/*
 * Go on with a page that somebody left, of which so many bytes were taken: a copy of it. False: it
 * is no page, or nothing of it is left.
 */
bool xtr_ring_set_resume(struct xtr_ring_set *s, struct xtr_ring_cpu *c,
			 const struct xtr_page_slot *left, uint32_t done);
/* Where in its page a CPU is, bytes. */
uint32_t xtr_ring_set_place(const struct xtr_ring_cpu *c);
/* False: they cannot be read. */
bool xtr_ring_set_stats(const struct xtr_ring_cpu *c, struct xtr_ring_stats *st);
/* Close everything. */
void xtr_ring_set_close(struct xtr_ring_set *s);
/* The same, and remove the instance. 0 or -errno: something of it is left. */
int xtr_ring_set_free(struct xtr_ring_set *s);

#endif /* XTR_RECORDER_RING_SET_H */
