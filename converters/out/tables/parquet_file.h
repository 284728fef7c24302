/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Parquet file of one table (https://parquet.apache.org/docs/file-format/). It has no name until
 * it is whole, or, on file systems that cannot do that, one that begins with a dot and that no
 * reader of directories takes.
 */
#ifndef XTR_PARQUET_FILE_H
#define XTR_PARQUET_FILE_H

#include "parquet_column.h"

#include <stdio.h>

#define XTR_PARQUET_COLUMNS_MAX 176u
#define XTR_PARQUET_GROUP_ROWS  131072u

struct xtr_parquet_fact {
	char *key, *value;
};

struct xtr_parquet_group {
	struct xtr_parquet_chunk *chunk; /* of each column */
	size_t rows;
};

struct xtr_parquet_file {
	struct xtr_parquet_column column[XTR_PARQUET_COLUMNS_MAX];
	size_t n_columns;
	int sorted_by; /* column by which the rows of a group are in order; -1: none */
	/* own */
	struct xtr_parquet_pages pages;
	struct xtr_parquet_group *groups;
	size_t n_groups, cap_groups;
	struct xtr_parquet_fact *facts;
	size_t n_facts, cap_facts;
	uint32_t *order; /* twice as many as rows */
	uint64_t *keys;  /* of the rows, in order */
	size_t cap_order, cap_keys;
	uint64_t rows;
	FILE *f;     /* writes to fd; NULL: there is no file yet */
	int fd, err; /* of what was written, 0 or -errno */
	char *path, *temporary;
	bool named; /* there is a file of the temporary name */
};

/* A column; before the first row. */
void xtr_parquet_column(struct xtr_parquet_file *p, const char *name, enum xtr_parquet_type type,
			bool names);
/* A fact about the file, for its key-value metadata. 0 or -ENOMEM. */
int xtr_parquet_fact(struct xtr_parquet_file *p, const char *key, const char *value);
/* A new file for what was described; path is copied. 0 or -errno. */
int xtr_parquet_open(struct xtr_parquet_file *p, const char *path);
/* All columns have one cell more. 0 or -errno. */
int xtr_parquet_row(struct xtr_parquet_file *p);
/* The order of the rows by the column that they are sorted by; *order: NULL: as they are. 0 or
 * -ENOMEM. */
int xtr_parquet_order(struct xtr_parquet_file *p, const uint32_t **order);
/* Write what is left, and the footer, and sync. 0 or -errno. */
int xtr_parquet_end(struct xtr_parquet_file *p);
/* Give it its name, replacing a file that has it. 0 or -errno. */
int xtr_parquet_publish(struct xtr_parquet_file *p);
/* Free all; what was not published is removed. p itself is the caller's. */
void xtr_parquet_free(struct xtr_parquet_file *p);

#endif /* XTR_PARQUET_FILE_H */
