/* SPDX-License-Identifier: BSD-2-Clause */
#include "archive_feed.h"

#include <archive.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK ((size_t)256 << 10) /* bytes read at a time */

int archive_feed_init(struct archive_feed *f, struct xtr_io *in)
{
	*f = (struct archive_feed){ .in = in, .block = malloc(BLOCK) };
	return f->block ? in->ops->size(in, &f->size) : -ENOMEM;
}

void archive_feed_free(struct archive_feed *f)
{
	free(f->block);
	f->block = NULL;
}

static la_ssize_t read_block(struct archive *a, void *ctx, const void **block)
{
	struct archive_feed *f = ctx;
	size_t n = f->size - f->at < BLOCK ? (size_t)(f->size - f->at) : BLOCK;

	(void)a;
	*block = f->block;
	if (n)
		f->io_err = f->in->ops->read_at(f->in, f->at, f->block, n);
	if (f->io_err)
		return ARCHIVE_FATAL;
	f->at += n;
	return (la_ssize_t)n;
}

static la_int64_t skip(struct archive *a, void *ctx, la_int64_t n)
{
	struct archive_feed *f = ctx;
	uint64_t rest = f->size - f->at;

	(void)a;
	if (n < 0)
		return 0;
	if ((uint64_t)n > rest)
		n = (la_int64_t)rest;
	f->at += (uint64_t)n;
	return n;
}

static la_int64_t seek(struct archive *a, void *ctx, la_int64_t off, int whence)
{
	struct archive_feed *f = ctx;
	const int64_t base = whence == SEEK_SET   ? 0
			     : whence == SEEK_CUR ? (int64_t)f->at
						  : (int64_t)f->size;
	int64_t to;

	(void)a;
	if (__builtin_add_overflow(base, off, &to) || to < 0 || (uint64_t)to > f->size)
		return ARCHIVE_FATAL;
	f->at = (uint64_t)to;
	return to;
}

int archive_feed_open(struct archive_feed *f, struct archive *a)
{
	archive_read_set_callback_data(a, f);
	archive_read_set_read_callback(a, read_block);
	archive_read_set_skip_callback(a, skip);
	archive_read_set_seek_callback(a, seek);
	return archive_read_open1(a);
}
