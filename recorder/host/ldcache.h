/* SPDX-License-Identifier: BSD-2-Clause */
/* The dynamic loader's cache of libraries, /etc/ld.so.cache, in glibc's format. */
#ifndef XTR_RECORDER_LDCACHE_H
#define XTR_RECORDER_LDCACHE_H

#include <stddef.h>

/*
 * Call each() with the path of every entry whose name is `name` or, if name has no version
 * ("libx.so"), begins with it and a dot. Stops when each() returns not 0, and returns that.
 * -EBADMSG: not such a cache, or damaged; what stood before the damage was given.
 */
int xtr_ldcache_each(const char *text, size_t n, const char *name,
		     int (*each)(void *ctx, const char *path), void *ctx);

#endif /* XTR_RECORDER_LDCACHE_H */
