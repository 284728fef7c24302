/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads .xtr bytes as they are written, from a pipe or a file that grows: what is whole is given
 * out, what is not waits for the rest. Events come in order of time, as far as ROUND chunks say
 * that none before them comes any more (spec 6); without such chunks they wait until there are
 * `memory` bytes of them, or the section ends.
 *
 * Memory is bounded: by `memory`, the largest chunk, and `tables` bytes of names; names beyond are
 * not known. Gaps come where they are in time, or, if they are told too late, as soon as
 * they are.
 */
#ifndef XTR_FOLLOW_H
#define XTR_FOLLOW_H

#include "merge.h"

#define XTR_FOLLOW_MEMORY ((size_t)64 << 20)
#define XTR_FOLLOW_TABLES ((size_t)256 << 20)

struct xtr_follow;

struct xtr_follow_opts {
	size_t memory; /* bytes of events that wait; 0: XTR_FOLLOW_MEMORY */
	size_t tables; /* bytes of names; 0: XTR_FOLLOW_TABLES. One chunk's more may come */
	/*
	 * A section begins: its META was read. s has what was read so far (xtr_section_meta,
	 * _tables, _loss, _end_cost), stays until `end`, and has no chunks. META that adds events
	 * later ends the section and begins it again. All: not 0: stop, and this is returned.
	 */
	int (*begin)(void *ctx, const struct xtr_section *s);
	/* As xtr_merge_next gives it; gone afterwards. */
	int (*event)(void *ctx, const struct xtr_event *ev);
	/* No event before ts (ns) comes any more. May be NULL. */
	int (*round)(void *ctx, uint64_t ts);
	/* No more events of it. */
	int (*end)(void *ctx);
	/* May be NULL. */
	void (*problem)(void *ctx, const struct xtr_problem *p);
	void *ctx;
};

/* Sums over all sections so far. */
struct xtr_follow_status {
	uint64_t bytes;    /* taken */
	uint64_t events;   /* given out */
	uint64_t lost;     /* while recording, as far as told by now */
	uint64_t missing;  /* recorded, but in damaged or missing chunks */
	uint64_t problems; /* told of */
	size_t waiting;    /* bytes that are no whole chunk yet */
	bool ended;        /* the last section was closed (END) */
	bool closed;       /* its trailer was read, too: it has no more bytes */
};

/* 0 or -ENOMEM. */
int xtr_follow_new(struct xtr_follow **f, const struct xtr_follow_opts *o);
void xtr_follow_free(struct xtr_follow *f);
/*
 * The next n bytes. 0; -ENOMEM; what a callback returned; -EBADMSG: they are no .xtr file, or one
 * that this version cannot read (problem told why).
 */
int xtr_follow_bytes(struct xtr_follow *f, const void *p, size_t n);
/* No more bytes: give out what is left. As above. */
int xtr_follow_end(struct xtr_follow *f);
void xtr_follow_status(const struct xtr_follow *f, struct xtr_follow_status *st);

#endif /* XTR_FOLLOW_H */
