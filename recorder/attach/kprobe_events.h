/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kprobes made through tracefs (kprobe_events): in a group xtr_PID of their own, so that the kernel
 * counts the hits of each (kprobe_profile) and what a dead recorder left can be found and removed.
 * Files are opened at the beginning: reading the counts and removing the probes needs no privilege
 * afterwards.
 */
#ifndef XTR_RECORDER_KPROBE_EVENTS_H
#define XTR_RECORDER_KPROBE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct xtr_kprobe_events;

/* Open, and remove the groups of recorders that are gone. 0, or -errno: tracefs cannot be written.
 */
int xtr_kprobe_events_open(struct xtr_kprobe_events **k);
/* Remove all probes that were added and close. */
void xtr_kprobe_events_free(struct xtr_kprobe_events *k);

/*
 * Add a probe at a function, by address (0: by name), with a number of the caller's, which several
 * may have. Returns the id of its tracepoint, or -errno.
 */
int xtr_kprobe_events_add(struct xtr_kprobe_events *k, uint32_t number, uint64_t addr,
			  const char *module, const char *symbol, bool ret);

/*
 * Call fn for each probe with its counts so far: hits, and calls that the kernel did not look at.
 * 0 or -errno.
 */
int xtr_kprobe_events_counts(struct xtr_kprobe_events *k,
			     void (*fn)(void *ctx, uint32_t number, uint64_t hits, uint64_t missed),
			     void *ctx);

/* Is this line of kprobe_events a probe of a recorder whose process is gone? Then its "group/name"
 * is put into name. alive: is there such a process? For tests. */
bool xtr_kprobe_event_stale(const char *line, bool (*alive)(long pid), char *name, unsigned int n);

#endif /* XTR_RECORDER_KPROBE_EVENTS_H */
