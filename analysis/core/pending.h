/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that wait for their answers, by two numbers that both have; bounded memory. */
#ifndef XTR_PENDING_H
#define XTR_PENDING_H

#include "base/keymap.h"

#include <stdbool.h>

#define XTR_PENDING_MAX 8192u

struct xtr_request {
	uint64_t a, b; /* its key */
	uint64_t ts;   /* ns */
	uint32_t row;  /* the caller's */
	uint32_t next, prev;
	bool counted; /* the caller's */
};

struct xtr_pending {
	struct xtr_request *slot;
	struct xtr_keymap by_key;
	uint32_t n, free, head, tail; /* used so far, free list, oldest and youngest */
	uint64_t evicted; /* given up for want of room: whether they were answered is not known */
};

void xtr_pending_init(struct xtr_pending *p);
void xtr_pending_free(struct xtr_pending *p);
/*
 * 0: added; 1: added, and *old is one with this key that got no answer; 2: added in the place of
 * the oldest one, *old. -ENOMEM.
 */
int xtr_pending_add(struct xtr_pending *p, const struct xtr_request *r, struct xtr_request *old);
/* Take the request with this key out. False: there is none. */
bool xtr_pending_take(struct xtr_pending *p, uint64_t a, uint64_t b, struct xtr_request *r);
/* The oldest one after r (NULL: of all); NULL: no more. */
const struct xtr_request *xtr_pending_next(const struct xtr_pending *p,
					   const struct xtr_request *r);

#endif /* XTR_PENDING_H */
