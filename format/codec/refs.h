/* SPDX-License-Identifier: BSD-2-Clause */
/* References to records that stand one after the other. */
#ifndef XTR_REFS_H
#define XTR_REFS_H

#include "base/map.h"
#include "record.h"

#define XTR_REFS_RECENT 64u /* a power of two */

/* References and their layouts, kept between calls. A zeroed structure is an empty one. */
struct xtr_refs {
	struct xtr_rec_ref *refs;
	struct xtr_rec_layout *layouts;
	size_t cap, cap_layouts;
	uint32_t n_layouts;
	struct xtr_map by_key;            /* (type, size) -> index in layouts */
	uint32_t recent[XTR_REFS_RECENT]; /* the layout used last, by a hash of type and size */
};

/*
 * Refer to n well-formed records, at most XTR_RECORDS_MAX: r->refs and r->layouts, valid until the
 * next call. 0 or -ENOMEM.
 */
int xtr_refs_to(struct xtr_refs *r, const uint8_t *recs, uint32_t n);
/*
 * The same of what claims to be n records of len bytes in all, which are looked at on the way:
 * *span as by xtr_records_check. -EINVAL: they are not.
 */
int xtr_refs_check(struct xtr_refs *r, const uint8_t *recs, size_t len, uint32_t n,
		   struct xtr_rec_span *span);
void xtr_refs_free(struct xtr_refs *r);

#endif /* XTR_REFS_H */
