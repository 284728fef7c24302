/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recorder holds that must outlive it: the batches that were taken from the rings and are
 * not in the file yet, what it counted itself, and what a salvager has to know to go on. One area
 * of memory: the values of a BPF array map that is pinned (pin.h), or, where nothing can be pinned,
 * memory of the process, which dies with it.
 *
 * A process that is killed stops between two instructions, and what it stored before is there. So
 * each step is made whole by one store: commits of a batch (queue.h), its state, and the redo note.
 */
#ifndef XTR_RECORDER_KEEP_H
#define XTR_RECORDER_KEEP_H

#include "recorder/host/bpfdefs.h"
#include "queue.h"
#include "recorder/ftrace/ring_set.h"

#include "base/siphash.h"
#include "format/meta/piece.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_PERSISTENT_MAGIC 0x316b706b72747806ull /* changes with every layout of what follows */

/* How large the area is: fixed when it is made. */
struct xtr_persistent_size {
	uint32_t n_cpus, n_slots, n_generics, n_probes, n_bufs;
	uint32_t page_bytes; /* of the trace ring's pages; 0: there is no such ring */
	uint32_t in_pieces;  /* 1: losses are kept by piece (open_pieces.h); 0 */
};

/* A piece that is being written, or the only file. */
struct xtr_open_piece {
	uint64_t file_id;
	struct xtr_piece says; /* as META is to say it; of an only file all zero */
	uint64_t border;       /* ns: what is older was collected with the piece before; 0 */
};

/* Of a gap that no record has announced yet, a piece has told already. */
struct xtr_gap_begun {
	uint64_t first;  /* ns: its beginning */
	uint64_t count;  /* events; 0: there is none */
	uint64_t border; /* ns: the rest of it is from here on */
	uint64_t last;   /* ns: the end of what that piece told */
};

/* The counter that is about to be raised, so that it is raised once. */
struct xtr_persistent_redo {
	uint64_t counter; /* its place, unwritten ones behind the spoilt ones */
	uint64_t value;   /* it gets this */
	uint32_t buf;     /* and `counted` of this batch */
	uint32_t counted;
	uint32_t armed;
	uint32_t pad;
};

struct xtr_persistent_head {
	uint64_t magic;
	struct xtr_persistent_size size;
	uint32_t n_dynamic, n_total_sets;
	uint64_t ring_bytes; /* of one event ring */
	uint64_t ctl_bytes;
	uint64_t pid, began; /* of the recorder; ns, CLOCK_REALTIME */
	struct xtr_siphash_key key;
	uint32_t hashed; /* pointers are hashed with key */
	uint32_t done;   /* everything is in the file: nothing is to be salvaged */
	uint64_t malformed;
	uint64_t left_out_since; /* ns: events are left out for a budget; 0: they are not */
	uint64_t misses[XTR_SLOT_GENERIC]; /* of the programs of hooks, before recording */
	struct xtr_persistent_redo redo;
	uint64_t open; /* which pieces are being written (open_pieces.h) */
	struct xtr_open_piece piece[2];
	uint32_t kept_in; /* directory of the file with what a flight recorder keeps; 0: there is
			     none */
	uint32_t pad;
	uint64_t flight_bytes, flight_ns; /* limits of that: of chunks, and time; 0: none */
	char output[4096];
};

struct xtr_persistent {
	int fd;       /* of the map, -1: memory of the process */
	size_t bytes; /* of the whole area */
	struct xtr_persistent_head *head;
	uint64_t *spoilt,
		*unwritten; /* events by cpu * n_slots + slot: causes `recorder`, `write` */
	uint64_t *lost[2];  /* by piece (open_pieces.h); NULL: there are no pieces */
	struct xtr_gap_begun *begun[2];
	struct xtr_generic_cfg *generics;
	struct xtr_probe_cfg *probes; /* two each: entry and return */
	uint8_t *pages; /* slots for pages of the trace ring (ftrace/ring_set.h), one for each CPU;
			   NULL */
	uint8_t *bufs;
};

#define XTR_LOST_CAUSES 5u /* that are counted by CPU and event */

/* Numbers of one lost[]. */
size_t xtr_persistent_n_lost(const struct xtr_persistent_size *size);
/* Bytes of an area of this size; 0: too large. */
size_t xtr_persistent_bytes(const struct xtr_persistent_size *size);
/*
 * Make an area, zeroed. pinnable: in a map, so that it can be pinned; where the kernel makes none,
 * in memory of the process. 0 or -errno.
 */
int xtr_persistent_new(struct xtr_persistent *k, const struct xtr_persistent_size *size,
		       bool pinnable);
/*
 * Map the area of a map that somebody left; fd is the keep's from now on, also on failure. 0;
 * -EBADMSG: it is none, or one of another version; or -errno.
 */
int xtr_persistent_open(struct xtr_persistent *k, int fd);
void xtr_persistent_close(struct xtr_persistent *k);

/* The slot of a CPU. */
struct xtr_page_slot *xtr_persistent_slot(const struct xtr_persistent *k, uint32_t cpu);
/* The i-th batch. */
struct xtr_ring_batch *xtr_persistent_buf(const struct xtr_persistent *k, uint32_t i);
/*
 * Count the record of batch i that ends at offset `end` as lost, in spoilt or unwritten at `place`
 * (cpu * n_slots + slot): exactly once, whenever the process is killed.
 */
void xtr_persistent_count(struct xtr_persistent *k, bool unwritten, size_t place, uint32_t i,
			  uint32_t end);

#endif /* XTR_RECORDER_KEEP_H */
