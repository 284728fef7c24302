/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a disk may hold after the power failed: all that was synced, and of every write since then
 * anything. Two views of it:
 *
 *  - by writes: each one has a fate of its own. More than what a page cache can do (a sector that
 *    two writes share has the later one alone), so that a file system that reorders writes, or
 *    parts of them, in any way is covered.
 *  - by sectors: each one holds what it held before, or what it held after any of the writes, or
 *    something else, and the size of the file is another matter than its contents.
 */
#ifndef TEST_IMAGE_H
#define TEST_IMAGE_H

#include "judge.h"
#include "oplog.h"

/* A moment between two syncs: the writes [first, last) are on their way. */
struct crash {
	const struct oplog *log;
	const struct oplog *old; /* another trace, which was deleted: what else is on the disk */
	size_t first, last;      /* indexes of ops */
	size_t durable, end;     /* bytes that were synced; bytes written */
};

enum fate {
	FATE_KEPT,
	FATE_DROPPED, /* zeros, or nothing at the end of the file */
	FATE_TORN,    /* some sectors from its beginning on; then as dropped */
	FATE_RANDOM,  /* bytes that nobody wrote */
	FATE_STALE,   /* bytes of the deleted trace */
	FATE_SPOILT,  /* some sectors from its beginning on; then bytes that nobody wrote */
	FATES
};

#define IMAGE_SECTOR 512u /* bytes; the least that a disk writes as a whole */

/* The image is put into d: d->data (room for c->end bytes), d->n, and what is demanded of it. */

/* fate: of each write. cut: of the sectors inside of a torn write, how many are kept. */
void image_by_writes(const struct crash *c, const uint8_t *fate, uint64_t *state, struct damage *d);
/* The last write is torn behind so many sectors: the file ends there, or zeros follow. */
void image_torn(const struct crash *c, size_t sectors, bool zeros, struct damage *d);
size_t image_tears(const struct crash *c); /* how many of these there are */
/* bit i of kept: sector i of those that were written to is as at the end; else as it was synced. */
void image_by_bits(const struct crash *c, uint64_t kept, struct damage *d);
size_t image_sectors(const struct crash *c);
/* Any: sectors of 512 or 4096 bytes, any size of the file, sectors swapped, and spoilt ones. */
void image_by_sectors(const struct crash *c, uint64_t *state, struct damage *d);

#endif /* TEST_IMAGE_H */
