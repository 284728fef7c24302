/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are no .xtr files: compressed ones, pages of systrace, other tools' traces. What they
 * hold becomes an unlinked temporary file, and commands read that.
 */
#ifndef XTR_CLI_FOREIGN_H
#define XTR_CLI_FOREIGN_H

#include "converters/in/core/import.h"

/* What can be told of an input that is no .xtr file. */
struct foreign {
	const char *path;             /* as given */
	uint64_t limit;               /* bytes that it may become when it is unwrapped */
	char damage[XTR_IMPORT_TEXT]; /* of what it was wrapped in; "": none */
};

/*
 * Take *io out of what it is wrapped in (gzip, xz, zstd, bzip2, zip, a page of systrace, atrace
 * -z), as often as it takes; a bundle stays as it is. *io is replaced, or closed after a line of
 * what is wrong. Returns the exit status.
 */
int foreign_unwrap(struct foreign *f, const char *path, struct xtr_io **io);
/*
 * The same; and if it is another tool's trace, *io becomes an .xtr file of it, and if it is known
 * to be none, that is said and a failure. What is left is an .xtr file, a bundle, or not known.
 */
int foreign_open(const char *path, struct xtr_io **io);
/* What *io is instead of a trace, if that is known: true, and a line was said. */
bool foreign_is_known(const char *path, struct xtr_io *io);
/* Importing path failed: a line of why. Returns the exit status. */
int foreign_import_failed(const char *path, int err, const struct xtr_import_result *res);
/*
 * It could not be opened (err: -errno): true if it is a directory of a known kind, and a line was
 * said.
 */
bool foreign_is_directory(const char *path, int err);
/* The name of an input for META: without directories; NULL for standard input. */
const char *foreign_source(const char *path);

#endif /* XTR_CLI_FOREIGN_H */
