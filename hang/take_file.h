/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of taking (take.h): one file, or one text, as a spool file. */
#ifndef XTR_HANG_TAKE_FILE_H
#define XTR_HANG_TAKE_FILE_H

#include "spool.h"
#include "take.h"

#include "base/buf.h"

/* All of the file h->from; why it is not all is in the spool. 0 or -errno of writing that. */
int take_file(const struct xtr_hang_taking *t, const struct xtr_spool_head *h);
/* A text; err: what kept it from being whole, -errno or 0. The same. */
int take_text(const struct xtr_hang_taking *t, const struct xtr_spool_head *h,
	      const struct xtr_buf *b, int err);
/* The kernel's log since it was started. The same. */
int take_log(const struct xtr_hang_taking *t);

#endif /* XTR_HANG_TAKE_FILE_H */
