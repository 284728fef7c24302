/* SPDX-License-Identifier: BSD-2-Clause */
/* The same for each of many files, on several CPUs, told in order. */
#ifndef XTR_CLI_EACH_FILE_H
#define XTR_CLI_EACH_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* What the work on one file came to. */
struct each_done {
	int status; /* exit status */
	void *made; /* for take, which frees it */
	char *said; /* messages, whole lines; NULL: none, or they were written at once */
};

struct each_file {
	size_t n;
	bool serial; /* in the caller's thread, one after the other */
	/* Of file i: in any thread, several at once. Fills all but said. */
	void (*work)(void *ctx, size_t i, struct each_done *done);
	/* The same i, in order and in the caller's thread: once for each. */
	void (*take)(void *ctx, size_t i, const struct each_done *done);
	void *ctx;
};

/* No more files are worked on ahead of take than there are threads, twice. */
void each_file(const struct each_file *e);

#endif /* XTR_CLI_EACH_FILE_H */
