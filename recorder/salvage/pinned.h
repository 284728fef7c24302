/* SPDX-License-Identifier: BSD-2-Clause */
/* Which maps and programs of a recorder are pinned, under which names. */
#ifndef XTR_RECORDER_PINNED_H
#define XTR_RECORDER_PINNED_H

#include "recorder/drain/persistent.h"
#include "recorder/attach/loader.h"
#include "pin.h"
#include "recorder/groups/select.h"

#define XTR_PINNED_KEEP "keep" /* pinned last and removed last: without it nothing is left */

/* What the keep is told. */
struct xtr_pinned_about {
	uint64_t file_id;
	const char *output;
	const struct xtr_siphash_key *key; /* NULL: pointers are not hashed */
	uint32_t n_bufs;
	uint32_t page_bytes; /* of the trace ring, 0: there is none */
	bool in_pieces;
};

/*
 * Make the keep of a recorder whose programs are attached, and pin it with the maps. What cannot be
 * pinned does not stop recording: then there are no pins, and *why is a static text. 0 or -errno.
 */
int xtr_pinned_new(struct xtr_pin *pin, struct xtr_persistent *k, struct xtr_bpf *b,
		   const struct xtr_selection *sel, const struct xtr_pinned_about *about,
		   const char **why);

/*
 * What somebody left, as a recorder has it: rings, counters and totals mapped, nothing attached, no
 * programs. Only to be read: nothing of it is given back to the kernel. Ends with xtr_pinned_free.
 * 0; -EBADMSG: it does not fit what the keep says; or -errno.
 */
int xtr_pinned_get(struct xtr_bpf *b, const struct xtr_pin *pin, const struct xtr_persistent *k);
void xtr_pinned_free(struct xtr_bpf *b);
/* Events that the kernel skipped, into b->not_run, as xtr_bpf_halt does; those of functions are not
 * known any more. */
void xtr_pinned_misses(struct xtr_bpf *b, const struct xtr_pin *pin,
		       const struct xtr_persistent *k);
/* The fence operations that have numbers: fn gets each, as on the control ring. 0 or -errno. */
int xtr_pinned_ops(const struct xtr_pin *pin, int (*fn)(void *ctx, const struct xtr_ctl_ops *def),
		   void *ctx);

#endif /* XTR_RECORDER_PINNED_H */
