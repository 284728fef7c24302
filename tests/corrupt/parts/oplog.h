/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program did to a file that it writes: each write and each sync, in their order. */
#ifndef TEST_OPLOG_H
#define TEST_OPLOG_H

#include "format/io.h"

#include <stdbool.h>

struct op {
	bool sync;    /* else a write */
	size_t at, n; /* bytes [at, at + n) of the file; a sync: at = all that was written so far */
};

struct oplog {
	struct xtr_io io; /* a file that notes what is done to it; closing it leaves the notes */
	uint8_t *data;    /* all that was written */
	size_t n, cap;
	struct op *op;
	size_t n_ops, cap_ops;
};

void oplog_init(struct oplog *l);
void oplog_free(struct oplog *l);
/* From notes in a file: 'W', length as 8 bytes little-endian, bytes; or 'S'. Exits if it cannot. */
void oplog_load(struct oplog *l, const char *path);

#endif /* TEST_OPLOG_H */
