/* SPDX-License-Identifier: BSD-2-Clause */
#include "write.h"

#include <archive.h>
#include <archive_entry.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)256 << 10) /* bytes copied at a time */
#define LEVEL "9"                 /* of zstd: tens of MB/s, little larger than the highest */

struct xtr_bundle_writer {
	struct archive *a;
	struct xtr_io *io;
	const char *folder;
	int64_t mtime;
	int io_err;    /* -errno of io */
	bool given_up; /* nothing more is written */
	uint8_t block[BLOCK];
};

static la_ssize_t write_block(struct archive *a, void *ctx, const void *p, size_t n)
{
	struct xtr_bundle_writer *w = ctx;

	if (w->given_up)
		return (la_ssize_t)n;
	if (!w->io_err)
		w->io_err = w->io->ops->append(w->io, p, n);
	if (!w->io_err)
		return (la_ssize_t)n;
	archive_set_error(a, -w->io_err, "append");
	return -1;
}

static int failed(const struct xtr_bundle_writer *w)
{
	int err = archive_errno(w->a);

	return w->io_err ? w->io_err : err > 0 ? -err : -EIO;
}

int xtr_bundle_can_write(void)
{
	struct archive *a = archive_write_new();
	int err = a ? archive_write_add_filter_zstd(a) : ARCHIVE_FATAL;

	archive_write_free(a);
	/* A warning: it would run zstd(1). */
	return err == ARCHIVE_OK ? 0 : err == ARCHIVE_WARN ? -ENOSYS : -ENOMEM;
}

int xtr_bundle_writer_open(struct xtr_bundle_writer **out, struct xtr_io *io, const char *folder,
			   int64_t mtime)
{
	struct xtr_bundle_writer *w = calloc(1, sizeof(*w));
	int err;

	*out = w;
	if (!w)
		return -ENOMEM;
	w->io = io;
	w->folder = folder;
	w->mtime = mtime;
	w->a = archive_write_new();
	if (!w->a)
		return -ENOMEM;
	err = archive_write_add_filter_zstd(w->a);
	if (err != ARCHIVE_OK)
		return err == ARCHIVE_WARN ? -ENOSYS : failed(w); /* as above */
	if (archive_write_set_format_pax_restricted(w->a) != ARCHIVE_OK ||
	    archive_write_set_filter_option(w->a, "zstd", "compression-level", LEVEL) !=
		    ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(w->a, 1) != ARCHIVE_OK ||
	    archive_write_open(w->a, w, NULL, write_block, NULL) != ARCHIVE_OK)
		return failed(w);
	return 0;
}

static int header(struct xtr_bundle_writer *w, const char *name, uint64_t size)
{
	struct archive_entry *e = archive_entry_new();
	char path[256];
	int err;

	if (!e)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	archive_entry_set_pathname(e, path);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_size(e, (la_int64_t)size);
	archive_entry_set_mtime(e, w->mtime, 0);
	err = archive_write_header(w->a, e);
	archive_entry_free(e);
	return err == ARCHIVE_OK ? 0 : failed(w);
}

int xtr_bundle_writer_add(struct xtr_bundle_writer *w, const char *name, struct xtr_io *from,
			  uint64_t size)
{
	int err = header(w, name, size);

	for (uint64_t at = 0; at < size && !err;) {
		size_t n = size - at < BLOCK ? (size_t)(size - at) : BLOCK;

		err = from->ops->read_at(from, at, w->block, n);
		if (!err && archive_write_data(w->a, w->block, n) != (la_ssize_t)n)
			err = failed(w);
		at += n;
	}
	return err;
}

int xtr_bundle_writer_finish(struct xtr_bundle_writer *w)
{
	return archive_write_close(w->a) == ARCHIVE_OK ? 0 : failed(w);
}

void xtr_bundle_writer_free(struct xtr_bundle_writer *w)
{
	if (!w)
		return;
	w->given_up =
		true; /* libarchive ends what was not finished, and frees nothing without that */
	archive_write_free(w->a);
	free(w);
}
