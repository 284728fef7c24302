/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a Parquet directory beside those of enum xtr_relation_id, and what all tables share. */
#ifndef XTR_PARQUET_MORE_H
#define XTR_PARQUET_MORE_H

#include "converters/out/core/export.h"
#include "feed.h"
#include "parquet_file.h"

/* All directories of a path; its last part is a file. 0 or -errno. */
int xtr_parquet_directories(char *path);
/* A column with its unit and meaning, which lasts as long as c->name. 0 or -ENOMEM. */
int xtr_parquet_describe(struct xtr_parquet_file *f, const struct xtr_column *c);
/* Another cell. 0 or -errno. */
int xtr_parquet_add_cell(struct xtr_parquet_column *c, const struct xtr_cell *cell);

struct xtr_parquet_more {
	struct xtr_export_tables to; /* first: what gives tables has it */
	const struct xtr_feed *feed; /* which recording */
	char *dir, *place;           /* "date=DATE/host=HOST" */
	struct xtr_parquet_table {
		struct xtr_parquet_file file;
		char *path, *name[XTR_PARQUET_COLUMNS_MAX];
		struct xtr_utf8 clean;
	} * *v;
	size_t n, cap;
	bool broken; /* the last error was of what is written */
};

/* Of a recording, whose tables are at this place. 0 or -ENOMEM. */
int xtr_parquet_more_begin(struct xtr_parquet_more *m, const char *dir, const char *date,
			   const char *host, const struct xtr_feed *feed);
/* All rows are there: finish the files; give them their names. 0 or -errno. */
int xtr_parquet_more_end(struct xtr_parquet_more *m);
int xtr_parquet_more_publish(struct xtr_parquet_more *m);
void xtr_parquet_more_free(struct xtr_parquet_more *m);

#endif /* XTR_PARQUET_MORE_H */
