/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hang that is being taken: a folder in the directory of bundles, NAME.part, with a spool file
 * (spool.h) for each thing, hang.txt with what has said of the hang, and the trace. It is locked
 * (flock) by who works on it; one that is not locked was left by a recorder that was killed.
 */
#ifndef XTR_HANG_CASE_H
#define XTR_HANG_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_HANG_NOTES "hang.txt"
#define XTR_HANG_TRACE "trace.xtr"
#define XTR_HANG_BOOT  "boot" /* the id of the boot in which it was taken */
#define XTR_HANG_WHOLE "bundle.tar.zst"
#define XTR_HANG_NAME  64 /* bytes of a name */

/* Name of the n-th hang of a second (s since 1970). */
void xtr_hang_name(int64_t s, unsigned int n, char name[XTR_HANG_NAME]);
/*
 * Begin one, of this moment, with a name that neither a bundle nor another one in the directory
 * has. A descriptor of its folder, locked until the last copy of it is closed, or -errno.
 */
int xtr_hang_begin(int dir, const char *boot, char name[XTR_HANG_NAME]);
/* Open one that is there, and lock it. The same; -EWOULDBLOCK: somebody is at work on it. */
int xtr_hang_open(int dir, const char *name);
/* Append a line to a file of it (hang.txt). 0 or -errno. */
int xtr_hang_note(int folder, const char *file, const char *line);
/* Put a flight file in: another name of the same file, or its path where that cannot be. 0 or
 * -errno. */
int xtr_hang_put_trace(int folder, const char *path);
/* Remove it with all that is in it. 0 or -errno. */
int xtr_hang_remove(int dir, const char *name);
/* Names of those that are in the directory, sorted: calls f for each. 0 or what f returned. */
int xtr_hang_each(int dir, int (*f)(void *ctx, const char *name), void *ctx);
/*
 * Its bundle (XTR_HANG_WHOLE in it, complete and synced) gets its name in the directory, which is
 * synced, too; then the rest goes. 0; -EEXIST: there is one of this name; or -errno.
 */
int xtr_hang_finish(int dir, int folder, const char *name);

#endif /* XTR_HANG_CASE_H */
