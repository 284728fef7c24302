/* SPDX-License-Identifier: BSD-2-Clause */
/* The totals of sampled events: from the programs' table (bpf/total.bpf.h) to records of the file.
 */
#ifndef XTR_RECORDER_TOTALS_H
#define XTR_RECORDER_TOTALS_H

#include "recorder/attach/loader.h"

#include "format/meta/tables.h"
#include "format/write/writer.h"

struct xtr_totals {
	const struct xtr_bpf *bpf;
	struct xtr_writer *writer;
	struct xtr_tables *tables;
	const struct xtr_siphash_key *key; /* NULL: addresses are kept */
	uint64_t *written;                 /* counts as last written; NULL: nothing is sampled */
};

/* The fields up to key are the caller's to set. 0 or -ENOMEM. */
int xtr_totals_open(struct xtr_totals *t);
/*
 * Write those that have changed since the last call as `interim`; final: all of them, when no
 * program runs any more. lost: events of CPU 0 lost so far, as last written. 0 or -errno.
 */
int xtr_totals_write(struct xtr_totals *t, bool final, uint64_t lost);
/* Count none as written: a new piece begins, which is to have them all. */
void xtr_totals_again(struct xtr_totals *t);
void xtr_totals_close(struct xtr_totals *t);

#endif /* XTR_RECORDER_TOTALS_H */
