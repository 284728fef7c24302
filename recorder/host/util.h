/* SPDX-License-Identifier: BSD-2-Clause */
/* Small things that several files of the recorder need. */
#ifndef XTR_RECORDER_UTIL_H
#define XTR_RECORDER_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull

/* Read a whole file, NUL-terminated; *text is malloc'ed. -EFBIG past max bytes. */
int xtr_read_file(const char *path, size_t max, char **text, size_t *n);
/* First line of a file without its newline; false if unreadable. */
bool xtr_read_line(const char *path, char *buf, size_t n);
/* access(2) by the effective user and capabilities. 0 or a negative errno. */
int xtr_access(const char *path, int mode);
/* Now, on CLOCK_MONOTONIC, ns. */
uint64_t xtr_now(void);
/* CPU time of this process, user and system, ns. */
uint64_t xtr_cpu_ns(void);

/* Random bytes; an id, which is not 0. 0 or -errno. */
int xtr_draw(void *bytes, size_t n);
int xtr_draw_id(uint64_t *id);

/*
 * Open a regular file for reading, and nothing else: a path below another process' root may lead
 * anywhere. A descriptor; -ENOEXEC: it is none; or -errno.
 */
int xtr_open_regular(const char *path);

/* --- proc lines ------------------------------------------------------------------------------- */

/*
 * Lines of a file of procfs or tracefs. Nothing is allocated, interrupted reads go on, and a read
 * that fails is not taken for the end.
 */
struct xtr_lines {
	int fd, err;
	size_t at, n;
	char buf[16384];
};

/* 0 or -errno: then it is not open. */
int xtr_lines_open(struct xtr_lines *l, const char *path);
/* The next line with its newline, as fgets(3): a longer one comes in parts. False: no more. */
bool xtr_lines_next(struct xtr_lines *l, char *line, size_t n);
/* 0, or -errno if not all could be read. */
int xtr_lines_close(struct xtr_lines *l);

#endif /* XTR_RECORDER_UTIL_H */
