/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory of bundles, and how much of it may be used: where more is needed, the oldest
 * bundles of hangs go. Nothing else in the directory is ever removed. What is being taken needs its
 * bytes twice: the bundle is written beside it.
 */
#ifndef XTR_HANG_ROOM_H
#define XTR_HANG_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct xtr_hang_room {
	int dir;        /* the directory */
	uint64_t max;   /* bytes on disk: of bundles, and of what is being taken; 0: no limit */
	uint32_t keep;  /* bundles; 0: all */
	uint64_t ahead; /* bytes that were found to be free, and not yet taken */
};

/* Names of bundles: hang-20261127T114500Z-0000.tar.zst, and of their folders while they are made.
 */
#define XTR_HANG_PART ".part"

/* Is this a name that xtr_hang_name makes, with this ending? */
bool xtr_hang_is_name(const char *name, const char *ending);

/* n more bytes of what is taken are going to be written. 0; -EDQUOT, or of the disk -ENOSPC: they
 * do not fit, and no bundle is left to go; or -errno. */
int xtr_hang_room_take(struct xtr_hang_room *r, uint64_t n);
/* Remove the oldest bundle. 0; -ENOENT: there is none; or -errno. */
int xtr_hang_room_drop(const struct xtr_hang_room *r);
/* A bundle has been added: what is too much goes, but never that one (name). 0 or -errno. */
int xtr_hang_room_trim(const struct xtr_hang_room *r, const char *name);

#endif /* XTR_HANG_ROOM_H */
