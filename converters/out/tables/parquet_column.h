/* SPDX-License-Identifier: BSD-2-Clause */
/* One column of a row group: its cells are gathered, then written as pages of a Parquet file. */
#ifndef XTR_PARQUET_COLUMN_H
#define XTR_PARQUET_COLUMN_H

#include "base/buf.h"
#include "base/map.h"
#include "format/codec/codecs.h"
#include "parquet_thrift.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xtr_parquet_type {
	XTR_PARQUET_INT,  /* INT64 */
	XTR_PARQUET_UINT, /* INT64, INTEGER(64, unsigned) */
	XTR_PARQUET_TIME, /* INT64, TIMESTAMP(NANOS, UTC) */
	XTR_PARQUET_TEXT  /* BYTE_ARRAY, STRING */
};

#define XTR_PARQUET_RECENT 64u

/* Texts that occur, each once. */
struct xtr_parquet_texts {
	struct xtr_map by_hash; /* (hash, length) -> the first text with it */
	struct xtr_parquet_text {
		size_t at;          /* in bytes */
		uint32_t len, same; /* the next one with this hash; UINT32_MAX: none */
	} * v;
	size_t n, cap;
	struct xtr_buf bytes;
	uint32_t recent[XTR_PARQUET_RECENT]; /* indices */
};

struct xtr_parquet_column {
	const char *name;
	enum xtr_parquet_type type;
	bool names;     /* numbers that are names of things: a dictionary is worth a try */
	uint64_t *v;    /* values; of texts their indices; of what is not known 0 */
	uint8_t *known; /* 0 or 1 */
	size_t n, cap, cap_known, n_known;
	/* All n cells are this one: nothing stands in v and known. */
	bool same, same_known;
	uint64_t same_v;
	struct xtr_parquet_texts texts;
};

/* What was written, for the footer. */
struct xtr_parquet_chunk {
	int64_t values, nulls, dictionary_at, data_at; /* places in the file; dictionary -1: none */
	int64_t bytes, bytes_raw;                      /* compressed, and not */
	int encoding;
	bool ranged; /* there are least and most */
	struct xtr_buf least, most;
};

/* What a column needs to become pages. Buffers are kept between calls. */
struct xtr_parquet_pages {
	struct xtr_zstd zstd;
	struct xtr_buf raw, packed, head;
	uint64_t *values;
	uint32_t *codes;
	size_t cap_values, cap_codes;
	/* Appends to the file. 0 or -errno. */
	int (*write)(void *ctx, const void *p, size_t n);
	void *ctx;
	int64_t at; /* place in the file */
};

/* Another cell. 0 or -ENOMEM. */
int xtr_parquet_add_null(struct xtr_parquet_column *c);
int xtr_parquet_add_number(struct xtr_parquet_column *c, uint64_t v);
int xtr_parquet_add_text(struct xtr_parquet_column *c, const char *s, size_t n);
/* Write the cells in the order that `order` gives (NULL: as they came), and forget them. 0 or
 * -errno. chunk: its buffers are the caller's to free, whatever is returned. */
int xtr_parquet_write_column(struct xtr_parquet_column *c, const uint32_t *order,
			     struct xtr_parquet_pages *p, struct xtr_parquet_chunk *chunk);
void xtr_parquet_column_free(struct xtr_parquet_column *c);
void xtr_parquet_pages_free(struct xtr_parquet_pages *p);

#endif /* XTR_PARQUET_COLUMN_H */
