/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libarchive has no function for digests, but a format that lists files with them, mtree(5): a list
 * of one file, whose content goes nowhere.
 */
#include "write.h"

#include <archive.h>
#include <archive_entry.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)256 << 10)
#define KEY   "sha256digest="

static int feed(struct archive *a, struct xtr_io *from, uint64_t size)
{
	uint8_t *block = malloc(BLOCK);
	int err = block ? 0 : -ENOMEM;

	for (uint64_t at = 0; at < size && !err;) {
		size_t n = size - at < BLOCK ? (size_t)(size - at) : BLOCK;

		err = from->ops->read_at(from, at, block, n);
		if (!err && archive_write_data(a, block, n) < 0)
			err = -EIO;
		at += n;
	}
	free(block);
	return err;
}

static int list_one(struct archive *a, struct xtr_io *from, uint64_t size)
{
	struct archive_entry *e = archive_entry_new();
	int err = e ? 0 : -ENOMEM;

	if (e) {
		archive_entry_set_pathname(e, "x");
		archive_entry_set_filetype(e, AE_IFREG);
		archive_entry_set_size(e, (la_int64_t)size);
		err = archive_write_header(a, e) == ARCHIVE_OK ? 0 : -EIO;
		archive_entry_free(e);
	}
	if (!err)
		err = feed(a, from, size);
	return !err && archive_write_close(a) != ARCHIVE_OK ? -EIO : err;
}

int xtr_bundle_digest(struct xtr_io *from, uint64_t size, char text[XTR_BUNDLE_DIGEST])
{
	struct archive *a = archive_write_new();
	char list[512] = "";
	const char *found;
	size_t used = 0;
	int err = -ENOMEM;

	text[0] = 0;
	if (a && archive_write_set_format_mtree(a) == ARCHIVE_OK &&
	    archive_write_set_format_option(a, "mtree", "all", NULL) == ARCHIVE_OK &&
	    archive_write_set_format_option(a, "mtree", "sha256", "1") == ARCHIVE_OK &&
	    archive_write_set_bytes_per_block(a, 0) == ARCHIVE_OK &&
	    archive_write_open_memory(a, list, sizeof(list) - 1, &used) == ARCHIVE_OK)
		err = list_one(a, from, size);
	archive_write_free(a);
	list[used < sizeof(list) ? used : sizeof(list) - 1] = 0;
	found = err ? NULL : strstr(list, KEY);
	if (found && strspn(found + strlen(KEY), "0123456789abcdef") == XTR_BUNDLE_DIGEST - 1) {
		memcpy(text, found + strlen(KEY), XTR_BUNDLE_DIGEST - 1);
		text[XTR_BUNDLE_DIGEST - 1] = 0;
	}
	return err;
}
