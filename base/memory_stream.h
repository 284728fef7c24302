/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream into memory, as open_memstream(3), but one that tells of a lack of memory: that one says
 * nothing where the text cannot grow, neither by ferror nor by fclose.
 */
#ifndef XTR_MEMORY_STREAM_H
#define XTR_MEMORY_STREAM_H

#include "buf.h"

#include <stdio.h>

/*
 * What is written is added to b, which must outlive the stream and is the caller's to free; seen
 * there after a flush. NULL: no memory.
 */
FILE *xtr_memory_stream(struct xtr_buf *b);
/* Flush. 0, or -ENOMEM if anything that was written is missing. */
int xtr_memory_flush(FILE *f, const struct xtr_buf *b);
/* Flush, add a NUL, close. The text, malloc'ed, with b empty again; NULL: no memory. */
char *xtr_memory_text(FILE *f, struct xtr_buf *b);

#endif /* XTR_MEMORY_STREAM_H */
