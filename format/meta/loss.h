/* SPDX-License-Identifier: BSD-2-Clause */
/* The account of what is missing (spec 6.5). */
#ifndef XTR_LOSS_H
#define XTR_LOSS_H

#include "format/err.h"
#include "format/xtr_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_loss;

/* Gaps held in all: a bound on what a hostile file can make a reader keep. */
#define XTR_LOSS_GAPS_MAX (4u << 20)

struct xtr_loss_entry {
	uint32_t stream, type;
	enum xtr_loss_cause cause; /* or XTR_LOSS_FILTERED, XTR_LOSS_AGED */
	uint64_t total;
};

struct xtr_gap {
	uint32_t stream;
	uint64_t first, last; /* ns: of the first and the last lost event */
	uint64_t count;       /* events; 0: none was lost, some were left out on purpose */
};

static inline bool xtr_gap_left_out(const struct xtr_gap *g)
{
	return !g->count;
}

struct xtr_loss *xtr_loss_new(void);
void xtr_loss_free(struct xtr_loss *l);
const struct xtr_loss *xtr_loss_none(void); /* an empty one */

/*
 * A copy that a writer can write: all totals, and those gaps that overlap [from, to] (ns,
 * inclusive), count as new (xtr_loss_encode), whether l was filled by a recorder or read from a
 * file. NULL: no memory.
 */
struct xtr_loss *xtr_loss_copy(const struct xtr_loss *l, uint64_t from, uint64_t to);

/* Is this the cause of a loss? Not so what was filtered or aged. */
bool xtr_loss_is_loss(enum xtr_loss_cause cause);
/* Set the cumulative total of a key. 0 or -ENOMEM. */
int xtr_loss_set(struct xtr_loss *l, uint32_t stream, uint32_t type, enum xtr_loss_cause cause,
		 uint64_t total);
/* What stands there for a key; 0 if nothing does. */
uint64_t xtr_loss_get(const struct xtr_loss *l, uint32_t stream, uint32_t type,
		      enum xtr_loss_cause cause);
int xtr_loss_add_gap(struct xtr_loss *l, const struct xtr_gap *gap);

size_t xtr_loss_n_entries(const struct xtr_loss *l);
const struct xtr_loss_entry *xtr_loss_entry_at(const struct xtr_loss *l, size_t i);
size_t xtr_loss_n_gaps(const struct xtr_loss *l);   /* in order of first, once settled */
size_t xtr_loss_n_losses(const struct xtr_loss *l); /* gaps in which events were lost */
const struct xtr_gap *xtr_loss_gap_at(const struct xtr_loss *l, size_t i);
/* Events lost (filtered and aged ones excluded), saturating. */
uint64_t xtr_loss_total(const struct xtr_loss *l);
/* Events of one cause, of all streams and types, saturating. */
uint64_t xtr_loss_of(const struct xtr_loss *l, enum xtr_loss_cause cause);
/* Forget the gaps that ended before a time (ns); totals stay. */
void xtr_loss_drop_gaps(struct xtr_loss *l, uint64_t before);
const char *xtr_loss_cause_name(enum xtr_loss_cause cause);
const char *xtr_loss_cause_help(enum xtr_loss_cause cause);

/* Encode changed entries and new gaps since the last call as one payload; *n = 0 if none changed.
 */
int xtr_loss_encode(struct xtr_loss *l, uint8_t **buf, size_t *n);
/* Add a LOSS payload. After the last one, xtr_loss_settle brings the gaps in order. */
int xtr_loss_merge(struct xtr_loss *l, const uint8_t *buf, size_t n, struct xtr_err *err);
void xtr_loss_settle(struct xtr_loss *l);

/* --- recorder cost ---------------------------------------------------------------------------- */

/* What recording cost the machine, as the END chunk has it (spec 6.6). */
struct xtr_recorder_cost {
	uint64_t cpu_ns;     /* CPU time of the recorder, user and system */
	uint64_t ring_bytes; /* size of one BPF ring */
	uint64_t ring_high;  /* highest fill of any ring, bytes */
	uint64_t bpf_run_ns; /* of all runs of the BPF programs, estimated; 0 if not measured */
	uint64_t bpf_run_cnt;
	uint64_t bpf_timed_cnt; /* runs that were timed for it; 0: not known */
	uint64_t elapsed_ns;    /* how long was recorded; 0: not known */
};

#endif /* XTR_LOSS_H */
