/* SPDX-License-Identifier: BSD-2-Clause */
/* What was taken of a hang, as items of its bundle. */
#ifndef XTR_HANG_PACK_H
#define XTR_HANG_PACK_H

#include "bundle/bundle.h"

/*
 * Add hang.txt and all spool files of a folder (case.h). What is not whole says why. 0 or -errno.
 */
int xtr_hang_pack(struct xtr_bundle *b, int folder);
/* Add the trace, as the first item, if there is one; *io gives it once more, to be read and closed
 * by the caller; NULL: there is none. why: said where there is none. 0 or -errno. */
int xtr_hang_pack_trace(struct xtr_bundle *b, int folder, const char *why, struct xtr_io **io);
/* Why the machine as it is now says nothing of the hang, or NULL: it is the same boot. */
const char *xtr_hang_other_boot(int folder, const char *root);

#endif /* XTR_HANG_PACK_H */
