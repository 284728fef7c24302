/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables as databases have them: what columns each has, and rows made from what the model hands
 * out. (The tables of the format, format/meta/tables.h, are another thing: hence the name.) Columns
 * stand in relation_columns.h and nowhere else.
 */
#ifndef XTR_RELATION_H
#define XTR_RELATION_H

#include "replay/calls/call.h"
#include "format/read/reader.h"
#include "format/xtr_format.h"
#include "replay/model/model.h"
#include "replay/event/process.h"
#include "relation_columns.h"

#include <string.h>

enum xtr_column_type {
	XTR_COLUMN_U64,
	XTR_COLUMN_INT,
	XTR_COLUMN_TEXT
};

struct xtr_column {
	const char *name;
	enum xtr_column_type type;
	const char *unit; /* "ns", or NULL */
	const char *help;
};

enum xtr_relation_id {
#define XTR_RELATION_ENUM(id, name, columns, help) XTR_REL_##id,
	XTR_RELATIONS(XTR_RELATION_ENUM)
#undef XTR_RELATION_ENUM
	XTR_REL_COUNT
};

struct xtr_relation {
	const char *name, *help;
	const struct xtr_column *columns; /* without those of the origin */
	size_t n;
};

extern const struct xtr_relation xtr_relations[XTR_REL_COUNT];
#define XTR_ORIGIN_N 3u
extern const struct xtr_column xtr_origin_columns[XTR_ORIGIN_N];

/* By name; NULL if there is none. */
const struct xtr_relation *xtr_relation_by_name(const char *name);

/* Places of the columns: XTR_COL_JOB_DEVICE, ... from 0 in each table. */
#define XTR_COLUMN_ENUM(id, name, type, unit, help) XTR_COL_##id,
#define XTR_RELATION_COLUMN_ENUM(id, name, columns, help) \
	enum {                                            \
		columns(XTR_COLUMN_ENUM) XTR_COLS_OF_##id \
	};
XTR_RELATIONS(XTR_RELATION_COLUMN_ENUM)
#undef XTR_RELATION_COLUMN_ENUM

enum xtr_cell_kind {
	XTR_CELL_NULL,
	XTR_CELL_UINT,
	XTR_CELL_INT,
	XTR_CELL_TEXT
};

struct xtr_cell {
	enum xtr_cell_kind kind;
	size_t n; /* bytes of s, which may be any but are not terminated */
	union {
		uint64_t u;
		int64_t i;
		const char *s;
	};
};

#define XTR_ROW_MAX      32u
#define XTR_ROW_TEXT_MAX 256u

/* A row without its origin. What cells point to lives as long as what the row was made from. */
struct xtr_row {
	struct xtr_cell cell[XTR_ROW_MAX];
	char text[XTR_ROW_TEXT_MAX]; /* of cells whose text was put together */
	char process[XTR_TEXT_PROCESS];
};

/* The cell that names a process; 0 and no pid: NULL. */
struct xtr_cell xtr_row_process(struct xtr_row *row, uint64_t process);
void xtr_row_job(struct xtr_row *row, const struct xtr_tables *t, const struct xtr_job *j);
void xtr_row_dep(struct xtr_row *row, const struct xtr_job *j, const struct xtr_dep *d);
/* captured: JSON text of n bytes, as xtr_dump_captured makes it; NULL: it is no call of that kind.
 */
void xtr_row_call(struct xtr_row *row, const struct xtr_tables *t, const struct xtr_call *c,
		  const char *captured, size_t n);
/* Verdict and why are those when all events have been seen. */
void xtr_row_ring(struct xtr_row *row, const struct xtr_model_ring *r);
void xtr_row_gap(struct xtr_row *row, const struct xtr_gap *gap);
/* fields: JSON text of n bytes, as xtr_dump_fields makes it. Not of gaps. */
void xtr_row_event(struct xtr_row *row, const struct xtr_tables *t, const struct xtr_event *ev,
		   const char *fields, size_t n);

/* Of a section without times: no cell that is a time or a duration is known. */
void xtr_row_without_times(const struct xtr_relation *of, struct xtr_row *row);

/* Where rows come from. */
struct xtr_origin {
	const struct xtr_section *section;
	const struct xtr_model *rings; /* all rings and their verdicts */
	size_t index;                  /* of the section in the file */
	uint64_t from, to;             /* ns: the time exported */
	const char *host;              /* NULL: not recorded */
	char boot_id[33], file_id[17]; /* hexadecimal */
};

/* Fills host and ids; the section's own data is borrowed. */
void xtr_origin_init(struct xtr_origin *o, const struct xtr_section *section);
/* The columns of the origin. */
void xtr_row_origin(struct xtr_cell cell[XTR_ORIGIN_N], const struct xtr_origin *o);

/*
 * All rows of a table that the section's own data tell (files, devices, rings, ...); none of the
 * others. 0, -ENOMEM, or what put returned if that is not 0. A row is gone after put.
 */
int xtr_rows(enum xtr_relation_id id, const struct xtr_origin *o,
	     int (*put)(void *ctx, const struct xtr_row *row), void *ctx);

static inline struct xtr_cell xtr_cell_uint(bool known, uint64_t v)
{
	return (struct xtr_cell){ .kind = known ? XTR_CELL_UINT : XTR_CELL_NULL, .u = v };
}

static inline struct xtr_cell xtr_cell_int(bool known, int64_t v)
{
	return (struct xtr_cell){ .kind = known ? XTR_CELL_INT : XTR_CELL_NULL, .i = v };
}

/* s NULL: not known. */
static inline struct xtr_cell xtr_cell_text(const char *s, size_t n)
{
	return (struct xtr_cell){ .kind = s ? XTR_CELL_TEXT : XTR_CELL_NULL, .n = n, .s = s };
}

static inline struct xtr_cell xtr_cell_str(const char *s)
{
	return xtr_cell_text(s, s ? strlen(s) : 0);
}

/* A name that is empty where it is not known. */
static inline struct xtr_cell xtr_cell_name(const char *s)
{
	return xtr_cell_str(s && *s ? s : NULL);
}

/* A string of the tables; t NULL or id 0: not known. */
static inline struct xtr_cell xtr_cell_string(const struct xtr_tables *t, uint32_t id)
{
	size_t n = 0;
	const char *s = id && t ? xtr_tables_string(t, id, &n) : NULL;

	return xtr_cell_text(s, n);
}

static inline struct xtr_cell xtr_cell_cpu(uint32_t stream)
{
	return xtr_cell_uint(stream != XTR_STREAM_NONE, stream);
}

#endif /* XTR_RELATION_H */
