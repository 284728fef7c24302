/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet_more.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what all tables share -------------------------------------------------------------------- */

int xtr_parquet_directories(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	return 0;
}

int xtr_parquet_describe(struct xtr_parquet_file *f, const struct xtr_column *c)
{
	static const enum xtr_parquet_type types[] = { [XTR_COLUMN_U64] = XTR_PARQUET_UINT,
						       [XTR_COLUMN_INT] = XTR_PARQUET_INT,
						       [XTR_COLUMN_TEXT] = XTR_PARQUET_TEXT };
	char key[128];
	int err = 0;

	xtr_parquet_column(f, c->name, types[c->type], !c->unit);
	snprintf(key, sizeof(key), "%s.unit", c->name);
	if (c->unit)
		err = xtr_parquet_fact(f, key, c->unit);
	snprintf(key, sizeof(key), "%s.help", c->name);
	return err ?: xtr_parquet_fact(f, key, c->help);
}

int xtr_parquet_add_cell(struct xtr_parquet_column *c, const struct xtr_cell *cell)
{
	switch (cell->kind) {
	case XTR_CELL_TEXT:
		return xtr_parquet_add_text(c, cell->s, cell->n);
	case XTR_CELL_UINT:
	case XTR_CELL_INT:
		return xtr_parquet_add_number(c, cell->u);
	default:
		return xtr_parquet_add_null(c);
	}
}

/* --- tables ----------------------------------------------------------------------------------- */

static struct xtr_parquet_table *last(const struct xtr_parquet_more *m)
{
	return m->v[m->n - 1];
}

/* From now on it has a file. */
static int open_file(struct xtr_parquet_more *m, struct xtr_parquet_table *t)
{
	int err = xtr_parquet_directories(t->path) ?: xtr_parquet_open(&t->file, t->path);

	m->broken = err && err != -ENOMEM;
	return err;
}

static int begin(struct xtr_export_tables *to, const char *name, const char *help, bool always)
{
	struct xtr_parquet_more *m = (struct xtr_parquet_more *)to;
	struct xtr_parquet_table *t;
	int err;

	if (xtr_grow_array(&m->v, &m->cap, m->n + 1, sizeof(*m->v)))
		return -ENOMEM;
	t = m->v[m->n] = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	m->n++;
	t->file.sorted_by = -1;
	if (asprintf(&t->path, "%s/table=%s/%s/%s.parquet", m->dir, name, m->place,
		     m->feed->origin.file_id) < 0)
		t->path = NULL;
	err = t->path ? xtr_parquet_fact(&t->file, "xtr.table", name) : -ENOMEM;
	err = err ?: xtr_parquet_fact(&t->file, "xtr.row", help);
	for (size_t i = 0; i < XTR_ORIGIN_N && !err; i++)
		err = xtr_parquet_describe(&t->file, &xtr_origin_columns[i]);
	return err || !always ? err : open_file(m, t);
}

static int column(struct xtr_export_tables *to, const struct xtr_column *c)
{
	struct xtr_parquet_table *t = last((struct xtr_parquet_more *)to);
	size_t at = t->file.n_columns;
	struct xtr_column own = *c;

	if (at >= XTR_PARQUET_COLUMNS_MAX)
		return -E2BIG;
	own.name = t->name[at] = strdup(c->name);
	return own.name ? xtr_parquet_describe(&t->file, &own) : -ENOMEM;
}

static int add(struct xtr_parquet_table *t, size_t at, struct xtr_cell cell)
{
	if (cell.kind == XTR_CELL_TEXT)
		cell.s = xtr_text_utf8(&t->clean, cell.s, &cell.n);
	if (cell.kind == XTR_CELL_TEXT && !cell.s)
		return -ENOMEM;
	return xtr_parquet_add_cell(&t->file.column[at], &cell);
}

/* But one that is always there, a table has a file from its first row on. */
static int row(struct xtr_export_tables *to, const struct xtr_cell *cell, size_t n)
{
	struct xtr_parquet_more *m = (struct xtr_parquet_more *)to;
	struct xtr_parquet_table *t = last(m);
	int err = 0;

	if (n + XTR_ORIGIN_N != t->file.n_columns)
		return -EINVAL;
	if (!t->file.f)
		err = open_file(m, t);
	for (size_t i = 0; i < XTR_ORIGIN_N && !err; i++)
		err = xtr_parquet_add_cell(&t->file.column[i], &m->feed->origin_cell[i]);
	for (size_t i = 0; i < n && !err; i++)
		err = add(t, XTR_ORIGIN_N + i, cell[i]);
	if (err)
		return err;
	err = xtr_parquet_row(&t->file);
	m->broken = err && err != -ENOMEM;
	return err;
}

/* --- of a recording --------------------------------------------------------------------------- */

int xtr_parquet_more_begin(struct xtr_parquet_more *m, const char *dir, const char *date,
			   const char *host, const struct xtr_feed *feed)
{
	*m = (struct xtr_parquet_more){ .to = { begin, column, row }, .feed = feed };
	m->dir = strdup(dir);
	if (asprintf(&m->place, "date=%s/host=%s", date, host) < 0)
		m->place = NULL;
	return m->dir && m->place ? 0 : -ENOMEM;
}

int xtr_parquet_more_end(struct xtr_parquet_more *m)
{
	int err = 0;

	for (size_t i = 0; i < m->n && !err; i++)
		if (m->v[i]->file.f)
			err = xtr_parquet_end(&m->v[i]->file);
	return err;
}

/* What had rows in an earlier export of the recording, and has none now, goes. */
int xtr_parquet_more_publish(struct xtr_parquet_more *m)
{
	int err = 0;

	for (size_t i = 0; i < m->n && !err; i++) {
		struct xtr_parquet_table *t = m->v[i];

		if (t->file.f)
			err = xtr_parquet_publish(&t->file);
		else if (unlink(t->path) && errno != ENOENT && errno != ENOTDIR)
			err = -errno;
	}
	return err;
}

static void free_table(struct xtr_parquet_table *t)
{
	xtr_parquet_free(&t->file);
	for (size_t i = 0; i < XTR_PARQUET_COLUMNS_MAX; i++)
		free(t->name[i]);
	free(t->clean.p);
	free(t->path);
	free(t);
}

void xtr_parquet_more_free(struct xtr_parquet_more *m)
{
	for (size_t i = 0; i < m->n; i++)
		free_table(m->v[i]);
	free(m->v);
	free(m->dir);
	free(m->place);
	*m = (struct xtr_parquet_more){ 0 };
}
