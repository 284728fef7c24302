/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing a bundle: a tar of plain files in one folder, compressed with zstd. Whatever does not
 * come from the members is constant, so that the same members give the same bytes.
 */
#ifndef XTR_BUNDLE_WRITE_H
#define XTR_BUNDLE_WRITE_H

#include "format/io.h"

#include <stdbool.h>

struct xtr_bundle_writer;

/* 0; -ENOSYS: this xtr is built without libarchive, or that without zstd; -ENOMEM: not known. */
int xtr_bundle_can_write(void);

/*
 * Takes neither; io is appended to, and must outlive w. folder: of all members, borrowed. mtime:
 * theirs, seconds since 1970. 0, -ENOMEM; -ENOSYS: this xtr is built without libarchive, or that
 * without zstd. w is to be freed in any case.
 */
int xtr_bundle_writer_open(struct xtr_bundle_writer **w, struct xtr_io *io, const char *folder,
			   int64_t mtime);
/* Add a member of size bytes, which are read from `from`. 0 or -errno. */
int xtr_bundle_writer_add(struct xtr_bundle_writer *w, const char *name, struct xtr_io *from,
			  uint64_t size);
/* Write the end. 0 or -errno. */
int xtr_bundle_writer_finish(struct xtr_bundle_writer *w);
void xtr_bundle_writer_free(struct xtr_bundle_writer *w);

#define XTR_BUNDLE_DIGEST 65u /* bytes of a text of SHA-256 */

/*
 * SHA-256 of the first size bytes of a file, as sha256sum(1) prints it; empty where libarchive is
 * built without it. 0 or -errno.
 */
int xtr_bundle_digest(struct xtr_io *from, uint64_t size, char text[XTR_BUNDLE_DIGEST]);

#endif /* XTR_BUNDLE_WRITE_H */
