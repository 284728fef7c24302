/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table as a stream of Arrow messages
 * (https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format): its schema, then rows
 * in batches. No more than one batch is held.
 */
#ifndef XTR_ARROW_STREAM_H
#define XTR_ARROW_STREAM_H

#include "base/buf.h"
#include "replay/views/relation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define XTR_ARROW_BATCH_ROWS 65536u
#define XTR_ARROW_BATCH_TEXTS \
	(32u << 20) /* bytes; a batch is ended behind the row that passes it */

enum xtr_arrow_type {
	XTR_ARROW_INT,  /* Int(64, signed) */
	XTR_ARROW_UINT, /* Int(64, unsigned) */
	XTR_ARROW_TIME, /* Timestamp(NANOSECOND, "UTC") */
	XTR_ARROW_TEXT  /* Utf8 */
};

struct xtr_arrow_column {
	char *name, *unit, *help; /* unit, help: NULL: none */
	enum xtr_arrow_type type;
	size_t nulls;
	uint8_t *known; /* a bit for each row, from the lowest on */
	uint64_t *v;    /* numbers, as they are written */
	uint32_t *end;  /* of texts: where they begin, as written, and where the last one ends */
	struct xtr_buf bytes;
	size_t cap_known, cap_v, cap_end;
};

struct xtr_arrow {
	FILE *f;
	char *name, *help; /* of the table and its rows */
	struct xtr_arrow_column *column;
	size_t n_columns, cap_columns;
	/* own: of the present batch */
	size_t rows, room, at; /* at: column of the next cell */
	size_t texts;          /* bytes */
	bool begun;            /* the schema is written */
	struct xtr_buf head;
};

/* A table, whose name and texts are copied. 0 or -ENOMEM. */
int xtr_arrow_table(struct xtr_arrow *a, FILE *f, const char *name, const char *help);
/* Another column, before the first row; unit and help may be NULL. 0 or -ENOMEM. */
int xtr_arrow_column(struct xtr_arrow *a, const char *name, enum xtr_arrow_type type,
		     const char *unit, const char *help);
/* The same of a column of a table of xtr. */
int xtr_arrow_describe(struct xtr_arrow *a, const struct xtr_column *c);
/*
 * The next n cells of a row; texts are UTF-8 and are copied. 0, -ENOMEM, -EINVAL (one is of another
 * type than its column, or they are too many) or -E2BIG (2 GiB of text in one row).
 */
int xtr_arrow_cells(struct xtr_arrow *a, const struct xtr_cell *cell, size_t n);
/* The row has all its cells. 0, -EINVAL (it has not), -ENOMEM or -EIO. */
int xtr_arrow_row(struct xtr_arrow *a);
/* Write what is left, and that it is all. 0, -ENOMEM or -EIO. */
int xtr_arrow_end(struct xtr_arrow *a);
/* Frees all; a itself and f are the caller's. */
void xtr_arrow_free(struct xtr_arrow *a);

#endif /* XTR_ARROW_STREAM_H */
