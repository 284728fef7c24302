/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of a section: its columns are constant data, one function gives its rows, and text, JSON
 * and SQL are made of these. Columns stand in the order of JSON; those with a title stand in the
 * same order in text. Where both need another order, or another form, there are two columns: one
 * with a key and one with a title.
 *
 * A column takes its value from a member of the structure that a row is made of (XTR_AT). Columns
 * without a member take what was put for the row, in the order of the columns. What is not known is
 * null in JSON and "-" in text.
 */
#ifndef XTR_SECTION_TABLE_H
#define XTR_SECTION_TABLE_H

#include "analysis.h"
#include "base/json.h"
#include "hist.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a column holds: JSON; text. */
enum xtr_column_kind {
	XTR_C_COUNT,   /* number; "1,234" */
	XTR_C_NUMBER,  /* number; "1234": of what is counted by nobody, as an index */
	XTR_C_SIGNED,  /* the same with a sign */
	XTR_C_HEX,     /* number; "0x4d2" */
	XTR_C_NS,      /* number; "1.23 us" */
	XTR_C_BYTES,   /* number; "1.21 KiB" */
	XTR_C_PLACE,   /* number; a time of the trace: "12.345678901", "#12" without times */
	XTR_C_BOOL,    /* boolean; "yes", "no" */
	XTR_C_TEXT,    /* text; members: char array, empty: not known */
	XTR_C_SHARE,   /* in text only: "12.3 %" */
	XTR_C_HIST,    /* histogram of ns, without buckets; a column for each part of its title */
	XTR_C_BUCKETS, /* the same with buckets */
	XTR_C_SUM,     /* in text only: the sum of a histogram */
	XTR_C_ANY,     /* in JSON only: what a function writes */
	XTR_C_STRING,  /* name in the trace's tables; its id is the member, 0: not known */
	XTR_C_PROCESS  /* pid, and pid_nth; "4711#2". replay/event/process.h */
};
#define XTR_C_KIND 0xffu
/* With a kind: */
#define XTR_C_TIMES 0x100u  /* not known where the trace has no times */
#define XTR_C_KNOWN 0x200u  /* 0 stands for what is not known */
#define XTR_C_MOST  0x400u  /* UINT64_MAX stands for what is not known */
#define XTR_C_BLANK 0x800u  /* what is not known is empty in text */
#define XTR_C_PLAIN 0x1000u /* the histogram is of numbers, not of ns */

struct xtr_section_column {
	/* In JSON; NULL: only in text. "power.resumes": the member resumes of an object power. */
	const char *key;
	/*
	 * In text, '<' in front: aligned left; NULL: only in JSON. Of histograms "|" between
	 * titles; a title shows what it ends with: p90, p99, max or mean, else the median.
	 */
	const char *title;
	unsigned int type;     /* kind and flags */
	uint32_t offset, size; /* of the member; size 0: it is put */
	const char *help;      /* what it means, for columns with a key */
	unsigned int own;      /* of the section: for parts and shows */
};

#define XTR_AT(structure, member) \
	.offset = offsetof(structure, member), .size = sizeof(((const structure *)0)->member)
#define XTR_PUT .offset = 0, .size = 0

enum xtr_table_shape {
	XTR_SHAPE_ROWS,   /* array of objects */
	XTR_SHAPE_OBJECT, /* one row, an object; null without a row */
	XTR_SHAPE_MEMBERS /* one row, whose keys are members of the object around it */
};

enum xtr_table_limit {
	XTR_SHOW_ALL,
	XTR_SHOW_TOP,       /* so many rows in text as --top says, and how many more there are */
	XTR_SHOW_TOP_QUIET, /* not how many more: the section itself says that */
	XTR_LIST_TOP        /* so many in JSON and SQL, too */
};

struct xtr_rows;

/* Where the rows of a table are in what it is made of. All zero: that itself is the one row. */
struct xtr_section_rows {
	enum {
		XTR_ROWS_SELF,
		XTR_ROWS_ARRAY,
		XTR_ROWS_POINTER,
		XTR_ROWS_COUNTED
	} where;
	uint32_t via; /* XTR_VIA, or 0: they are in what the table is made of */
	uint32_t at;  /* offset of the array, of a pointer to it, or of the counted rows */
	uint32_t count, count_size; /* of the number of rows: 4 or 8 bytes */
	uint32_t size;              /* bytes of a row */
	uint32_t fixed;             /* where the number is always the same, that */
};

/* They are in what this member points to. */
#define XTR_VIA(structure, pointer) (1 + offsetof(structure, pointer))
#define XTR_IS_POINTER(x)           __builtin_types_compatible_p(__typeof__(x), __typeof__(1 ? (x) : (x)))
/* An array or pointer, and how many rows it has; the same for a void pointer. */
#define XTR_ARRAY(structure, array, n) \
	XTR_ARRAY_OF(structure, array, n, __typeof__(((structure *)0)->array[0]))
#define XTR_ARRAY_OF(structure, array, n, of)                                       \
	{                                                                           \
		.where = XTR_IS_POINTER(((structure *)0)->array) ? XTR_ROWS_POINTER \
								 : XTR_ROWS_ARRAY,  \
		.at = offsetof(structure, array), .count = offsetof(structure, n),  \
		.count_size = sizeof(((structure *)0)->n), .size = sizeof(of)       \
	}
/* An array that is always full. */
#define XTR_ARRAY_ALL(structure, array)                                                       \
	{                                                                                     \
		.where = XTR_ROWS_ARRAY, .at = offsetof(structure, array),                    \
		.size = sizeof(((structure *)0)->array[0]),                                   \
		.fixed = sizeof(((structure *)0)->array) / sizeof(((structure *)0)->array[0]) \
	}
/* A struct xtr_counted. */
#define XTR_COUNTED(structure, tally)                                       \
	{                                                                   \
		.where = XTR_ROWS_COUNTED, .at = offsetof(structure, tally) \
	}
#define XTR_SELF                       \
	{                              \
		.where = XTR_ROWS_SELF \
	}

#define XTR_COLUMNS_MAX 64u

struct xtr_section_table {
	/* In JSON, behind the last '.'; NULL: only in text. In SQL all of it, behind the section's.
	 */
	const char *name;
	const char *help; /* what a row is */
	const struct xtr_section_column *columns;
	size_t n;
	struct xtr_section_rows rows;
	/* Puts what has no member; false: there is no such row. NULL: all columns are members. */
	bool (*put)(struct xtr_rows *r, const void *row);
	/* In place of both, where rows are something else: puts, then xtr_row() for each. */
	void (*fill)(const void *self, struct xtr_rows *r);
	/* Is a column shown in text? Not if it is of other parts (own), or if this says no. */
	unsigned int parts; /* bits; 0: of all */
	bool (*shows)(const void *self, const struct xtr_section_column *c);
	enum xtr_table_shape shape;
	enum xtr_table_limit limit;
	const char *heading; /* lines above its text, or NULL */
};

#define XTR_TABLE_COLUMNS(array) .columns = (array), .n = sizeof(array) / sizeof((array)[0])
/* A table; one of one row; one that is only in text. Further members: written out. */
#define XTR_TABLE(name_, help_, array, fill_, limit_)                                        \
	{                                                                                    \
		.name = (name_), .help = (help_), XTR_TABLE_COLUMNS(array), .fill = (fill_), \
		.limit = (limit_)                                                            \
	}
#define XTR_TABLE_ONE(name_, help_, array, fill_, shape_)                                    \
	{                                                                                    \
		.name = (name_), .help = (help_), XTR_TABLE_COLUMNS(array), .fill = (fill_), \
		.shape = (shape_)                                                            \
	}
#define XTR_TABLE_OF(name_, help_, array, rows_, put_, limit_)                             \
	{                                                                                  \
		.name = (name_), .help = (help_), XTR_TABLE_COLUMNS(array), .rows = rows_, \
		.put = (put_), .limit = (limit_)                                           \
	}
#define XTR_TABLE_SELF(name_, help_, array, put_, shape_)                                  \
	{                                                                                  \
		.name = (name_), .help = (help_), XTR_TABLE_COLUMNS(array), .put = (put_), \
		.shape = (shape_)                                                          \
	}
#define XTR_TABLE_TEXT(array, fill_, limit_)                                 \
	{                                                                    \
		XTR_TABLE_COLUMNS(array), .fill = (fill_), .limit = (limit_) \
	}

/*
 * The table as text, nothing if it has no rows. 0, or -ENOMEM. self: as fill takes it; o: of the
 * analysis.
 */
int xtr_table_text(const struct xtr_section_table *t, const void *self,
		   const struct xtr_analysis_opts *o, FILE *f);
/* The table as a member of the object that is open in j. */
void xtr_table_json(const struct xtr_section_table *t, const void *self,
		    const struct xtr_analysis_opts *o, struct xtr_json *j);
/* The same without the key: the value of a key of the caller's. Not for XTR_SHAPE_MEMBERS. */
void xtr_table_json_value(const struct xtr_section_table *t, const void *self,
			  const struct xtr_analysis_opts *o, struct xtr_json *j);
/* Several tables, up to NULL, one behind the other; those that have no columns of that kind are
 * passed over. */
int xtr_tables_text(const struct xtr_section_table *const *t, const void *self,
		    const struct xtr_analysis_opts *o, FILE *f);
void xtr_tables_json(const struct xtr_section_table *const *t, const void *self,
		     const struct xtr_analysis_opts *o, struct xtr_json *j);

/* --- for put and fill ------------------------------------------------------------------------- */

/*
 * The value of the next column without a member. Texts must live until xtr_row(), unless they are
 * made by xtr_put_copy or xtr_put_format, of which a row holds XTR_ROW_TEXTS bytes in all.
 */
#define XTR_ROW_TEXTS 1024u
void xtr_put_u64(struct xtr_rows *r, bool known, uint64_t v);
void xtr_put_s64(struct xtr_rows *r, bool known, int64_t v);
/* A text that may go to a terminal as it is; NULL: not known. */
void xtr_put_text(struct xtr_rows *r, const char *s);
/* A text of the trace, n bytes; NULL: not known. */
void xtr_put_name(struct xtr_rows *r, const char *s, size_t n);
void xtr_put_copy(struct xtr_rows *r, const char *s); /* NULL: not known */
void xtr_put_format(struct xtr_rows *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void xtr_put_share(struct xtr_rows *r, bool known, uint64_t part, uint64_t whole);
/* NULL: not known. It must live until xtr_row(). */
void xtr_put_hist(struct xtr_rows *r, const struct xtr_hist *h);
/* What write writes of self and what is given here, of which it lives until xtr_row(). */
void xtr_put_any(struct xtr_rows *r,
		 void (*write)(const void *self, const void *row, struct xtr_json *j),
		 const void *ctx);
/* Nothing at all: JSON has no such key in this row. */
void xtr_put_absent(struct xtr_rows *r);
/* The row is whole. row: what the columns' members are in; NULL: no column has one. */
void xtr_row(struct xtr_rows *r, const void *row);
/* There are rows that cannot be given: -ENOMEM. Only where they are for text. */
void xtr_rows_fail(struct xtr_rows *r, int err);
/* What the table is made of. */
const void *xtr_rows_self(const struct xtr_rows *r);
/* Are the rows for text? What is only in the other forms may then be put as not known. */
bool xtr_rows_text(const struct xtr_rows *r);
/* Will the next row only be counted? Then nothing needs to be put for it. */
bool xtr_rows_full(const struct xtr_rows *r);

#endif /* XTR_SECTION_TABLE_H */
