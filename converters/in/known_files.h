/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that people have and that xtr does not read: what they are, and the command that helps.
 * Told by content; by the name only where the format has no mark.
 */
#ifndef XTR_KNOWN_H
#define XTR_KNOWN_H

#include <stddef.h>
#include <stdint.h>

struct xtr_known {
	const char *what; /* "a CTF trace, as LTTng writes" */
	const char *help; /* a line: which command reads it, or makes something that xtr reads */
};

#define XTR_KNOWN_HEAD ((size_t)64 << 10) /* bytes that are looked at, at most */

/* Of a file: its first bytes, and its name. NULL: none that is known. */
const struct xtr_known *xtr_known_file(const uint8_t *head, size_t n, const char *name);
/* The i-th file that tells what a directory is that holds it ("metadata"); NULL past the last. */
const char *xtr_known_dir_file(size_t i, const struct xtr_known **known);

#endif /* XTR_KNOWN_H */
