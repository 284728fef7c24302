/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of systrace: HTML with the text of a trace in scripts of class trace-data (since 2014), or
 * in a string of JavaScript (before). And what atrace -z writes: the text, compressed by zlib.
 * The text that comes out is what the importer of ftrace reads.
 */
#ifndef XTR_SYSTRACE_H
#define XTR_SYSTRACE_H

#include "format/io.h"

#include <stdbool.h>

/* Is it HTML? */
bool xtr_html_detect(const uint8_t *head, size_t n);
/*
 * Append the traces of a page to out: scripts of whose first bytes (at most 64 KiB) readable() says
 * so, one behind the other. What comes out is no longer than in. 0; -ENODATA: there is none; or
 * another -errno.
 */
int xtr_html_trace(struct xtr_io *in, struct xtr_io *out,
		   bool (*readable)(void *ctx, const uint8_t *head, size_t n), void *ctx);

/* Does it begin, perhaps behind lines for people, with "TRACE:" and a zlib stream? */
bool xtr_atrace_detect(const uint8_t *head, size_t n);
/*
 * Append what it becomes to out. 0, and *cut if the stream is damaged or ends early; -EFBIG: more
 * than limit bytes; -EBADMSG: nothing can be read; -ENOSYS: this xtr is built without zlib; or
 * another -errno.
 */
int xtr_atrace_inflate(struct xtr_io *in, struct xtr_io *out, uint64_t limit, bool *cut);

#endif /* XTR_SYSTRACE_H */
