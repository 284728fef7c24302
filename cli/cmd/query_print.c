/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Of a table as text the first rows are kept until there are enough to tell how wide the columns
 * are; what follows streams. Memory does not grow with the answer.
 */
#include "query_print.h"
#include "cli/ui/cli.h"
#include "query_db.h"
#include "cli/ui/text.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_KEPT  1000u
#define BYTES_KEPT (1u << 20)

/* One answer while it is printed. */
struct answer {
	FILE *f; /* NULL: nothing was printed yet */
	sqlite3_stmt *st;
	int n; /* columns */
	struct xtr_utf8 clean;
	/* as text */
	bool *number; /* of a column: right-aligned */
	int *width;
	char **kept; /* cells of the first rows; NULL: no value */
	size_t rows, bytes;
	bool streaming;
};

/* A value as text, n bytes; NULL: none. Numbers stand in buf. */
struct value {
	const char *s;
	size_t n;
	char buf[32];
};

/* Columns that may use all 64 bits (docs/tables.md) are stored as signed numbers. */
static bool is_u64(sqlite3_stmt *st, int i)
{
	const char *type = sqlite3_column_decltype(st, i);

	return type && !strcmp(type, "UNSIGNED BIG INT");
}

static void get_number(const struct answer *a, int i, struct value *v)
{
	if (sqlite3_column_type(a->st, i) == SQLITE_FLOAT)
		snprintf(v->buf, sizeof(v->buf), "%.15g", sqlite3_column_double(a->st, i));
	else if (is_u64(a->st, i))
		snprintf(v->buf, sizeof(v->buf), "%" PRIu64,
			 (uint64_t)sqlite3_column_int64(a->st, i));
	else
		snprintf(v->buf, sizeof(v->buf), "%" PRId64,
			 (int64_t)sqlite3_column_int64(a->st, i));
	v->s = v->buf;
	v->n = strlen(v->buf);
}

/* 0 or -ENOMEM. */
static int get(struct answer *a, int i, struct value *v)
{
	switch (sqlite3_column_type(a->st, i)) {
	case SQLITE_NULL:
		v->s = NULL;
		v->n = 0;
		return 0;
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		get_number(a, i, v);
		return 0;
	default:
		v->s = (const char *)sqlite3_column_text(a->st, i);
		v->n = (size_t)sqlite3_column_bytes(a->st, i);
		if (v->s)
			v->s = xtr_text_utf8(&a->clean, v->s, &v->n);
		return v->s ? 0 : -ENOMEM;
	}
}

static bool is_number(const struct answer *a, int i)
{
	int type = sqlite3_column_type(a->st, i);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* --- text ------------------------------------------------------------------------------------- */

static void put_aligned(struct answer *a, int i, const char *s)
{
	int w = cli_width(s);

	if (i)
		fputs("  ", a->f);
	if (a->number[i] && w < a->width[i])
		fprintf(a->f, "%*s", a->width[i] - w, "");
	/* No spaces at the ends of lines. */
	cli_put(a->f, s, a->number[i] || i + 1 == a->n ? 0 : a->width[i]);
	if (i + 1 == a->n)
		fputc('\n', a->f);
}

static void put_titles(struct answer *a)
{
	for (int i = 0; i < a->n; i++)
		put_aligned(a, i, sqlite3_column_name(a->st, i));
}

static void flush_kept(struct answer *a)
{
	put_titles(a);
	for (size_t k = 0; k < a->rows * (size_t)a->n; k++) {
		put_aligned(a, (int)(k % (size_t)a->n), a->kept[k]);
		free(a->kept[k]);
	}
	a->rows = 0;
	a->streaming = true;
}

static int begin_text(struct answer *a)
{
	a->number = calloc((size_t)a->n, sizeof(*a->number));
	a->width = calloc((size_t)a->n, sizeof(*a->width));
	a->kept = calloc((size_t)a->n * ROWS_KEPT, sizeof(*a->kept));
	if (!a->number || !a->width || !a->kept)
		return -ENOMEM;
	for (int i = 0; i < a->n; i++) {
		a->number[i] = true;
		a->width[i] = cli_width(sqlite3_column_name(a->st, i));
	}
	return 0;
}

static int keep(struct answer *a, int i, const struct value *v)
{
	char **cell = &a->kept[a->rows * (size_t)a->n + (size_t)i];
	int w = cli_width(v->s);

	if (v->s && !is_number(a, i))
		a->number[i] = false;
	if (w > a->width[i])
		a->width[i] = w;
	*cell = v->s ? xtr_copy_text(v->s, v->n) : NULL;
	a->bytes += v->n;
	return v->s && !*cell ? -ENOMEM : 0;
}

static int row_text(struct answer *a)
{
	struct value v;
	char *s;
	int err;

	for (int i = 0; i < a->n; i++) {
		err = get(a, i, &v);
		if (!err && !a->streaming) {
			err = keep(a, i, &v);
		} else if (!err) {
			s = v.s ? xtr_copy_text(v.s, v.n)
				: NULL; /* values need not be terminated */
			put_aligned(a, i, s);
			free(s);
		}
		if (err)
			return err;
	}
	if (a->streaming)
		return 0;
	if (++a->rows == ROWS_KEPT || a->bytes > BYTES_KEPT)
		flush_kept(a);
	return 0;
}

static int end_text(struct answer *a)
{
	if (!a->streaming)
		flush_kept(a);
	return 0;
}

/* --- CSV -------------------------------------------------------------------------------------- */

static int begin_csv(struct answer *a)
{
	struct xtr_line l;
	const char *name;

	xtr_line_begin(&l, a->f);
	for (int i = 0; i < a->n; i++) {
		name = sqlite3_column_name(a->st, i);
		xtr_line_csv(&l, name ? name : "", name ? strlen(name) : 0);
		xtr_line_str(&l, i + 1 < a->n ? "," : "\r\n");
	}
	xtr_line_flush(&l);
	return 0;
}

static int row_csv(struct answer *a)
{
	struct xtr_line l;
	struct value v;
	int err = 0;

	xtr_line_begin(&l, a->f);
	for (int i = 0; i < a->n && !err; i++) {
		err = get(a, i, &v);
		if (!err && v.s)
			xtr_line_csv(&l, v.s, v.n);
		xtr_line_str(&l, i + 1 < a->n ? "," : "\r\n");
	}
	xtr_line_flush(&l);
	return err;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* JSON has no infinite numbers. */
static void put_json(struct xtr_line *l, struct answer *a, int i, const struct value *v)
{
	bool finite = !v->s || !strpbrk(v->s, "in");

	if (!v->s || (is_number(a, i) && !finite))
		xtr_line_str(l, "null");
	else if (is_number(a, i))
		xtr_line_put(l, v->s, v->n);
	else
		xtr_json_quote(l, v->s, v->n);
}

static int row_json(struct answer *a)
{
	struct xtr_line l;
	const char *name;
	struct value v;
	int err = 0;

	xtr_line_begin(&l, a->f);
	for (int i = 0; i < a->n && !err; i++) {
		name = sqlite3_column_name(a->st, i);
		xtr_line_char(&l, i ? ',' : '{');
		xtr_json_quote(&l, name ? name : "", name ? strlen(name) : 0);
		xtr_line_char(&l, ':');
		err = get(a, i, &v);
		if (!err)
			put_json(&l, a, i, &v);
	}
	xtr_line_str(&l, "}\n");
	xtr_line_flush(&l);
	return err;
}

static int nothing(struct answer *a)
{
	(void)a;
	return 0;
}

/* --- all -------------------------------------------------------------------------------------- */

static const struct {
	int (*begin)(struct answer *a);
	int (*row)(struct answer *a);
	int (*end)(struct answer *a);
	const char *between; /* the answers of two statements */
} formats[] = {
	[QUERY_TEXT] = { begin_text, row_text, end_text, "\n" },
	[QUERY_CSV] = { begin_csv, row_csv, nothing, "\r\n" },
	[QUERY_JSON] = { nothing, row_json, nothing, "" },
};

static void free_answer(struct answer *a)
{
	for (size_t k = 0; a->kept && !a->streaming && k < a->rows * (size_t)a->n; k++)
		free(a->kept[k]);
	free(a->kept);
	free(a->number);
	free(a->width);
	free(a->clean.p);
	sqlite3_finalize(a->st);
}

/* Output begins with the first row or the end: a statement that fails at once prints nothing. */
static int begin(struct answer *a, enum query_format format, bool first)
{
	a->f = cli_out();
	if (!first)
		fputs(formats[format].between, a->f);
	return formats[format].begin(a);
}

static int print(sqlite3 *db, struct answer *a, enum query_format format, bool first)
{
	int ret, err = 0;

	while (!err && (ret = sqlite3_step(a->st)) == SQLITE_ROW) {
		if (!a->f)
			err = begin(a, format, first);
		if (!err)
			err = formats[format].row(a);
		if (!err && ferror(a->f))
			return XTR_EXIT_FAILURE; /* cli_finish says it */
	}
	if (!err && ret != SQLITE_DONE)
		return query_sql_error(db, ret);
	if (!err && !a->f)
		err = begin(a, format, first);
	if (!err)
		err = formats[format].end(a);
	if (err)
		cli_error("%s", cli_strerror(err));
	return err ? XTR_EXIT_FAILURE : XTR_EXIT_OK;
}

int query_run(sqlite3 *db, const char *sql, enum query_format format)
{
	int status = XTR_EXIT_OK;
	bool first = true;

	while (*sql && status == XTR_EXIT_OK) {
		struct answer a = { 0 };

		status = query_prepare(db, &sql, &a.st);
		a.n = sqlite3_column_count(a.st);
		if (a.n) {
			status = print(db, &a, format, first);
			first = false;
		}
		free_answer(&a);
	}
	return status;
}
