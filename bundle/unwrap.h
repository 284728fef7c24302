/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed files, and archives that hold a trace: gzip, xz, zstd, bzip2, zip. What is in them
 * goes to an unlinked file; nothing of a stranger's archive gets a name on this machine.
 */
#ifndef XTR_BUNDLE_UNWRAP_H
#define XTR_BUNDLE_UNWRAP_H

#include "format/io.h"

#include <stdbool.h>

struct xtr_wrapping {
	const char *name; /* "gzip" */
	const char *tool; /* the command that unpacks it by hand: "gunzip" */
};

/*
 * How a file is wrapped that begins with these bytes; NULL: not at all, or in no way that is known.
 */
const struct xtr_wrapping *xtr_wrapping_of(const uint8_t *head, size_t n);

/* A file may become so many times its size, and so much more, when it is unwrapped. */
#define XTR_UNWRAP_GROWTH 256u
#define XTR_UNWRAP_MORE   (256ull << 20) /* bytes */
/* That of a file of size bytes. */
uint64_t xtr_unwrap_limit(uint64_t size);

#define XTR_UNWRAP_HEAD ((size_t)64 << 10) /* bytes of a member that readable() sees, at most */

struct xtr_unwrap {
	const struct xtr_wrapping *how;
	uint64_t limit; /* bytes that may come out */
	/* Could a member that begins with these bytes be read? */
	bool (*readable)(void *ctx, const uint8_t *head, size_t n);
	/* Bytes of `in` so far, and in all. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	void *ctx;
	/* The outcome. what: a line, printable, of what was wrong; or the names of members. */
	bool cut; /* what came out is not all, as `in` is damaged or cut short */
	char what[256];
};

/*
 * Unwrap in, which stays the caller's; *out is for reading. Of an archive it is the one member, or
 * the one that is readable. 0, and u->cut may be set; -ENOSYS: this xtr is built without what it
 * takes; -EFBIG: more than u->limit; -ENOENT: several members, none readable; -ENOTUNIQ: several
 * that are (for both u->what names them); -E2BIG: an archive of more than XTR_BUNDLE_MEMBERS_MAX
 * members; -EBADMSG: damaged, and nothing came out; or another -errno (-ENOSPC: the temporary
 * file).
 */
int xtr_unwrap(struct xtr_io *in, struct xtr_unwrap *u, struct xtr_io **out);

/* Does zstd-compressed data hold a tar, as a bundle does? False also if nothing can be unpacked. */
bool xtr_unwrap_is_tar(struct xtr_io *in);

/* --- wrapping --------------------------------------------------------------------------------- */

/* The table of wrappings (wrapping.c), for what unwraps them. */
enum wrapping_kind {
	WRAPPING_GZIP,
	WRAPPING_XZ,
	WRAPPING_ZSTD,
	WRAPPING_BZIP2,
	WRAPPING_ZIP,
};

struct wrapping {
	struct xtr_wrapping w; /* first: one is the other */
	const char *magic;     /* the first n_magic bytes */
	size_t n_magic;
	enum wrapping_kind kind;
};

extern const struct wrapping wrappings[];

#endif /* XTR_BUNDLE_UNWRAP_H */
