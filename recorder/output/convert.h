/* SPDX-License-Identifier: BSD-2-Clause */
/* Records as the BPF programs put them into the rings, to records of the file. */
#ifndef XTR_RECORDER_CONVERT_H
#define XTR_RECORDER_CONVERT_H

#include "recorder/drain/defs.h"
#include "recorder/drain/persistent.h"
#include "recorder/groups/select.h"

#include "format/meta/loss.h"
#include "format/meta/tables.h"

struct xtr_ring_batch;

struct xtr_convert {
	/* The caller's to set. */
	const struct xtr_selection *sel;
	struct xtr_tables *tables;
	struct xtr_loss *loss; /* gets the gaps */
	bool once;             /* but those that it has already */
	/* Two pieces are being written: what was lost before `border` (ns) goes to the first. */
	struct xtr_loss *loss_before; /* NULL: there is one piece */
	uint64_t border;
	struct xtr_defs *defs;
	const struct xtr_siphash_key *key; /* NULL: pointers are kept */
	/* What became of the last batch. */
	const uint8_t
		*recs; /* records of the file: n in len bytes; the batch's own, or those in room */
	uint32_t n, len;
	uint8_t *room;
	struct xtr_gap_begun *begun; /* by CPU */
	uint32_t n_cpus;
	uint32_t *bad; /* offsets in the batch of those that were not what they should be */
	uint32_t n_bad, n_gaps;
};

/* Slot of the counters of events of this type, 0 for unknown ones, and back. */
uint32_t xtr_slot_of_type(const struct xtr_selection *sel, uint32_t type);
uint32_t xtr_type_of_slot(uint32_t slot);

/*
 * Add a gap to the losses. One over the border of two pieces is in both: one of its events in the
 * first, the others, as it is not known when each was lost, in the second.
 */
void xtr_convert_gap(struct xtr_convert *c, const struct xtr_gap *gap);
/* The same, for the first of two pieces, which ends, with what the kernel has not announced yet. */
void xtr_convert_gap_begun(struct xtr_convert *c, const struct xtr_gap *gap);

/* n_cpus: CPUs that there may be. 0 or -ENOMEM. */
int xtr_convert_open(struct xtr_convert *c, uint32_t n_cpus);
void xtr_convert_close(struct xtr_convert *c);
/*
 * Convert len bytes of records of a CPU, at most XTR_BATCH_BYTES, whose sizes have been checked.
 * They must stay where they are as long as the result is used.
 */
void xtr_convert_batch(struct xtr_convert *c, uint32_t cpu, const uint8_t *recs, uint32_t len);
/* Of records that are not written: the gaps alone. */
void xtr_convert_gaps(struct xtr_convert *c, uint32_t cpu, const uint8_t *recs, uint32_t len);
/* The same of a batch in which nothing is to be converted (as_is). */
void xtr_convert_none(struct xtr_convert *c, const struct xtr_ring_batch *b);

#endif /* XTR_RECORDER_CONVERT_H */
