/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the debug file of a build id is: in directories as distributions have them, and by debuginfod. */
#ifndef XTR_SYMBOLS_DEBUG_FILES_H
#define XTR_SYMBOLS_DEBUG_FILES_H

#include <stdbool.h>
#include <stddef.h>

#define XTR_DEBUG_DIR "/usr/lib/debug"

/* Is it a build id as spec 6.4 has it: 1 to 64 bytes as hexadecimal digits in lower case? */
bool xtr_is_build_id(const char *s);
/* DIR/.build-id/ab/cdef.debug of build id abcdef. 0 or -ENAMETOOLONG. */
int xtr_debug_file(char *path, size_t size, const char *dir, const char *build_id);
/*
 * Ask the servers of $DEBUGINFOD_URLS, through debuginfod-find(1) in PATH, which keeps what it
 * fetches and gives its path. what: "debuginfo" or "executable". 0; -ENOENT: there is no such
 * program; -ENODATA: it gave none; other -errno.
 */
int xtr_debuginfod_find(char *path, size_t size, const char *what, const char *build_id);

#endif /* XTR_SYMBOLS_DEBUG_FILES_H */
