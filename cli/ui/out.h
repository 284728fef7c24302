/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XTR_OUT_H
#define XTR_OUT_H

#include <stdio.h>

/* --- stream ----------------------------------------------------------------------------------- */

/*
 * Output streams that get over what stdio does not: a write that a signal interrupts, one that
 * takes a part, a descriptor that somebody made non-blocking. They remember why a write failed, and
 * write nothing after that.
 */
struct stream {
	int fd;
	int err; /* errno of the write that failed; 0: none did */
};

/*
 * A stream that writes to fd, with s as its state, which must outlive it. fclose flushes and leaves
 * fd open. NULL with errno: no memory.
 */
FILE *stream_open(struct stream *s, int fd);
/* Why writing to f, a stream of s, failed: errno, or 0. Flushes. */
int stream_error(const struct stream *s, FILE *f);

#endif /* XTR_OUT_H */
