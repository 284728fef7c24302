/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a fixed number that were added last, by a key of two numbers: where a file has
 * more things than can be kept, the oldest is forgotten.
 */
#ifndef XTR_RECENT_H
#define XTR_RECENT_H

#include "base/keymap.h"

#include <stdbool.h>

struct xtr_recent_entry { /* what the caller's structure begins with */
	uint64_t a, b;
	bool held; /* false: forgotten, or never used */
};

struct xtr_recent {
	struct xtr_keymap map;
	uint8_t *slot; /* max of them */
	size_t size;   /* bytes of a slot */
	uint32_t max, next;
};

/* 0 or -ENOMEM. */
int xtr_recent_init(struct xtr_recent *r, size_t size, uint32_t max);
/* Of a zeroed one too. */
void xtr_recent_free(struct xtr_recent *r);
/* NULL if there is none. */
void *xtr_recent_get(const struct xtr_recent *r, uint64_t a, uint64_t b);
/* The entry that the next one takes the place of; NULL: there is room. */
void *xtr_recent_victim(const struct xtr_recent *r);
/* A new entry, all zero but for its key, which must not be there. NULL: no memory. */
void *xtr_recent_add(struct xtr_recent *r, uint64_t a, uint64_t b);
void xtr_recent_forget(struct xtr_recent *r, void *entry);
/* Slot i of max, NULL if it holds nothing. */
void *xtr_recent_at(const struct xtr_recent *r, uint32_t i);

#endif /* XTR_RECENT_H */
