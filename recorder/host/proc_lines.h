/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of a file of procfs or tracefs. Nothing is allocated, interrupted reads go on, and a read
 * that fails is not taken for the end.
 */
#ifndef XTR_RECORDER_LINES_H
#define XTR_RECORDER_LINES_H

#include <stdbool.h>
#include <stddef.h>

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

#endif /* XTR_RECORDER_LINES_H */
