/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Something that was taken, on its way to a bundle: compressed as it is read, block by block, in a
 * file that says itself what it is. Of one that was not ended (its writer was killed) all whole
 * blocks count.
 *
 * The file: a head of fixed size, then blocks: 16 bytes (raw and stored bytes, codec, CRC32C of
 * what is stored) and what is stored. The last one says how reading ended.
 */
#ifndef XTR_HANG_SPOOL_H
#define XTR_HANG_SPOOL_H

#include "room.h"

#include "format/io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_SPOOL_ENDING ".spool"

/* What it is, as in struct xtr_bundle_item. */
struct xtr_spool_head {
	char source[32], name[96], from[160];
};

struct xtr_spool;

/*
 * Begin `file` in the directory that dir is open on. room: where disk space is found; may be NULL.
 * 0 or -errno.
 */
int xtr_spool_new(struct xtr_spool **s, int dir, const char *file, const struct xtr_spool_head *h,
		  struct xtr_hang_room *room);
/* Add bytes. 0; -ENOSPC or -EDQUOT: there is no room, also after older bundles went; or -errno. */
int xtr_spool_add(struct xtr_spool *s, const void *p, size_t n);
/* What was added so far is to be there, should the process be killed now. The same. */
int xtr_spool_flush(struct xtr_spool *s);
/* Write what is left and how it ended: 0, or -errno and why in words. Closes and frees. */
int xtr_spool_end(struct xtr_spool *s, int err, const char *why);

struct xtr_spooled {
	struct xtr_spool_head head;
	uint64_t size; /* bytes */
	bool ended;    /* its writer has come to its end */
	int err;       /* -errno, how reading ended; 0: with all that there was */
	char why[128]; /* in words; may be "" */
};

/*
 * Read one: *io gives its bytes, size of them, decompressed as they are asked for; best in order.
 * 0; -EBADMSG: there is no head; or -errno.
 */
int xtr_spool_open(int dir, const char *file, struct xtr_spooled *what, struct xtr_io **io);

#endif /* XTR_HANG_SPOOL_H */
