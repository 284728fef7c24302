/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stalls that are one fact: ring A waited for B, and B for C. Each is a finding of its own
 * ("dependency-stall"); a text says them in one line.
 */
#ifndef XTR_FINDING_CHAIN_H
#define XTR_FINDING_CHAIN_H

#include "finding.h"

#define XTR_CHAIN_NONE UINT16_MAX

/* Indexes of findings, XTR_CHAIN_NONE: there is none. No chain is a circle. */
struct xtr_chains {
	uint16_t next[XTR_FINDINGS_MAX];   /* the stall of the ring that this one waited for */
	uint16_t before[XTR_FINDINGS_MAX]; /* the stall that waited for this one's ring */
};

/* Each finding is in one chain, most of them alone. Of several stalls of a ring that was waited
 * for, the longest one that is in no chain yet goes on. */
void xtr_chains_find(struct xtr_chains *c, const struct xtr_findings *f);
/* Of the chain that a finding is in: the first. */
uint32_t xtr_chain_begin(const struct xtr_chains *c, uint32_t i);

#endif /* XTR_FINDING_CHAIN_H */
