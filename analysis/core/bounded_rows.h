/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of bounded size by a key of two numbers, whatever a file holds: counted, the most recent,
 * and those that wait for an answer. */
#ifndef XTR_BOUNDED_ROWS_H
#define XTR_BOUNDED_ROWS_H

#include "base/map.h"

#include <stdbool.h>

/* --- counted rows ----------------------------------------------------------------------------- */

/*
 * Rows that are counted by a key of two numbers: at most so many, whatever a file holds. What finds
 * no room is counted. A row is a structure of the caller's that begins with struct xtr_counted_row.
 */
struct xtr_counted_row {
	uint64_t a, b; /* the key */
	uint64_t n;    /* the caller's count, by which rows are sorted */
};

struct xtr_counted {
	struct xtr_map map; /* of no use after xtr_counted_sort */
	uint8_t *row;
	size_t size; /* bytes of a row */
	uint32_t n, cap, max;
	uint64_t left_out; /* xtr_counted_get that found no room */
};

void xtr_counted_init(struct xtr_counted *r, size_t size, uint32_t max);
void xtr_counted_free(struct xtr_counted *r);
/*
 * The row of this key, a new one all zero but for the key. It moves when another one is added. 0
 * and *row; *row NULL: there is no room; -ENOMEM.
 */
int xtr_counted_get(struct xtr_counted *r, uint64_t a, uint64_t b, void *row);
/* Row i of r->n. */
void *xtr_counted_at(const struct xtr_counted *r, uint32_t i);
/* The largest n first, then by key. Nothing may be added afterwards. */
void xtr_counted_sort(struct xtr_counted *r);

/* --- recent ----------------------------------------------------------------------------------- */

/*
 * The entries of a fixed number that were added last, by a key of two numbers: where a file has
 * more things than can be kept, the oldest is forgotten.
 */
struct xtr_recent_entry { /* what the caller's structure begins with */
	uint64_t a, b;
	bool held; /* false: forgotten, or never used */
};

struct xtr_recent {
	struct xtr_map map;
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

/* --- pending ---------------------------------------------------------------------------------- */

/* Requests that wait for their answers, by two numbers that both have; bounded memory. */
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
	struct xtr_map by_key;
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

#endif /* XTR_BOUNDED_ROWS_H */
