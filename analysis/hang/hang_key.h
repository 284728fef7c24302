/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a hang is compared with another one (docs/hang.md, "Same hang?"). */
#ifndef XTR_HANG_KEY_H
#define XTR_HANG_KEY_H

#include "hang_head.h"

enum xtr_hang_verdict {
	XTR_HANG_ALIKE,     /* the same hang, as far as it is known */
	XTR_HANG_DIFFERENT, /* something that is known of both differs */
	XTR_HANG_UNDECIDED, /* too little is known of both */
};

#define HANG_KEYS 5u

struct xtr_hang_compared {
	enum xtr_hang_verdict verdict;
	struct {
		const char *name;  /* "ring" */
		const char *a, *b; /* NULL: not known */
		enum xtr_hang_verdict is;
	} key[HANG_KEYS];
};

/* Where an address lies: null-page (below 64 KiB), below-4GiB, user (below 2^47), high. */
const char *hang_fault_class(uint64_t address);
/* h and tables may be NULL; of: n dumps that speak of it. */
void hang_key_of(struct xtr_hang_key *k, const struct xtr_hang *h, const struct xtr_tables *t,
		 const struct xtr_dump *const *of, size_t n);
/* Both must outlive c. */
void xtr_hang_compare(const struct xtr_hang_key *a, const struct xtr_hang_key *b,
		      struct xtr_hang_compared *c);
/* "same", "different", "not-known" */
const char *xtr_hang_verdict_name(enum xtr_hang_verdict v);

#endif /* XTR_HANG_KEY_H */
