/* SPDX-License-Identifier: BSD-2-Clause */
/* What libarchive reads: a struct xtr_io, in blocks, at any place. */
#ifndef XTR_ARCHIVE_FEED_H
#define XTR_ARCHIVE_FEED_H

#include "format/io.h"

struct archive;

struct archive_feed {
	struct xtr_io *in;
	uint64_t size, at; /* bytes: of in; the next that is read */
	int io_err;        /* -errno of reading in; 0: what is wrong is in the bytes */
	uint8_t *block;
};

/* in stays the caller's. 0 or -errno; archive_feed_free in both cases. */
int archive_feed_init(struct archive_feed *f, struct xtr_io *in);
void archive_feed_free(struct archive_feed *f);
/* Open a reader, whose format and filter are chosen, on it: what archive_read_open1 returns. */
int archive_feed_open(struct archive_feed *f, struct archive *a);

#endif /* XTR_ARCHIVE_FEED_H */
