/* SPDX-License-Identifier: BSD-2-Clause */
#include "section_cells.h"
#include "base/memory_stream.h"
#include "section_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a histogram's columns: what is between key and unit. */
static const char *const parts[] = { "n", "sum", "p50", "p99", "max" };
#define PARTS (sizeof(parts) / sizeof(parts[0]))

#define CELLS_MAX 160u

static unsigned int kind_of(const struct xtr_section_column *c)
{
	return c->type & XTR_C_KIND;
}

static bool is_hist(const struct xtr_section_column *c)
{
	return kind_of(c) == XTR_C_HIST || kind_of(c) == XTR_C_BUCKETS;
}

static void plain(char buf[XTR_SECTION_NAME], const char *name)
{
	size_t i;

	snprintf(buf, XTR_SECTION_NAME, "%s", name);
	for (i = 0; buf[i]; i++)
		if (buf[i] == '.')
			buf[i] = '_';
}

const char *xtr_section_table_name(const struct xtr_analysis *of, const struct xtr_section_table *t,
				   char buf[XTR_SECTION_NAME])
{
	char name[XTR_SECTION_NAME];

	snprintf(name, sizeof(name), "%s.%s", of->name, t->name);
	plain(buf, name);
	return buf;
}

/* --- columns ---------------------------------------------------------------------------------- */

static enum xtr_column_type type_of(const struct xtr_section_column *c)
{
	switch (kind_of(c)) {
	case XTR_C_TEXT:
	case XTR_C_STRING:
	case XTR_C_ANY:
		return XTR_COLUMN_TEXT;
	default:
		return XTR_COLUMN_INT;
	}
}

void xtr_section_columns(const struct xtr_section_table *t,
			 void (*put)(void *ctx, const char *name, enum xtr_column_type type,
				     const char *help),
			 void *ctx)
{
	char key[XTR_SECTION_NAME], name[XTR_SECTION_NAME + 16];
	size_t i, k, len;

	for (i = 0; i < t->n; i++) {
		const struct xtr_section_column *c = &t->columns[i];

		if (!c->key)
			continue;
		plain(key, c->key);
		len = strlen(key);
		if (is_hist(c)) {
			bool ns = len > 3 && !strcmp(key + len - 3, "_ns");

			for (k = 0; k < PARTS; k++) {
				snprintf(name, sizeof(name), "%.*s_%s%s", (int)(len - 3 * ns), key,
					 parts[k], ns && k ? "_ns" : "");
				put(ctx, name, XTR_COLUMN_INT, c->help);
			}
			continue;
		}
		put(ctx, key, type_of(c), c->help);
		if (kind_of(c) == XTR_C_PROCESS) {
			snprintf(name, sizeof(name), "%s_nth", key);
			put(ctx, name, XTR_COLUMN_INT,
			    "which process of that number, if not the first");
		}
	}
}

/* --- rows ------------------------------------------------------------------------------------- */

struct cells {
	int (*put)(void *ctx, const struct xtr_cell *cell, size_t n);
	void *ctx;
	int ret;
	struct xtr_cell cell[CELLS_MAX];
	size_t n;
	char *text[XTR_COLUMNS_MAX]; /* of cells that are JSON */
	size_t n_texts;
};

static void add(struct cells *to, struct xtr_cell cell)
{
	if (to->n < CELLS_MAX)
		to->cell[to->n++] = cell;
}

static void add_hist(struct cells *to, const struct xtr_hist *h, bool known)
{
	add(to, xtr_cell_uint(known, known ? h->n : 0));
	known = known && h->n;
	add(to, xtr_cell_uint(known, known ? h->sum : 0));
	add(to, xtr_cell_uint(known, known ? xtr_hist_quantile(h, 500) : 0));
	add(to, xtr_cell_uint(known, known ? xtr_hist_quantile(h, 990) : 0));
	add(to, xtr_cell_uint(known, known ? h->max : 0));
}

static void add_any(struct cells *to, const struct xtr_section_value *v)
{
	struct xtr_buf buf = { 0 };
	FILE *f = xtr_memory_stream(&buf);
	char *text = NULL;
	struct xtr_json j;

	if (f) {
		xtr_json_init(&j, f, false);
		v->write(v->ctx, &j);
		text = xtr_memory_text(f, &buf);
	}
	if (!text)
		to->ret = to->ret ? to->ret : -ENOMEM;
	else
		to->text[to->n_texts++] = text;
	add(to, xtr_cell_str(text && strcmp(text, "null") ? text : NULL));
}

static void add_value(struct cells *to, const struct xtr_section_column *c,
		      const struct xtr_section_value *v)
{
	if (is_hist(c)) {
		add_hist(to, v->hist, v->known && v->hist);
	} else if (kind_of(c) == XTR_C_PROCESS) {
		uint32_t nth = xtr_process_nth(v->a);

		add(to, xtr_cell_uint(v->known, xtr_process_pid(v->a)));
		add(to, xtr_cell_uint(v->known && nth, (uint64_t)nth + 1));
	} else if (v->known && v->write) {
		add_any(to, v);
	} else if (type_of(c) == XTR_COLUMN_TEXT) {
		add(to, xtr_cell_text(v->known ? v->s : NULL, v->n));
	} else {
		add(to, xtr_cell_uint(v->known, v->a));
	}
}

static void cells_row(struct xtr_rows *r, const void *of)
{
	struct cells *to = r->to;
	size_t i;

	to->n = to->n_texts = 0;
	for (i = 0; i < r->table->n; i++) {
		const struct xtr_section_column *c = &r->table->columns[i];
		const struct xtr_section_value *v;

		if (!c->key && c->size)
			continue;
		v = xtr_section_value(r, c, of);
		if (c->key)
			add_value(to, c, v);
	}
	if (!to->ret)
		to->ret = to->put(to->ctx, to->cell, to->n);
	for (i = 0; i < to->n_texts; i++)
		free(to->text[i]);
}

int xtr_section_cells(const struct xtr_section_table *t, const void *self,
		      const struct xtr_analysis_opts *o,
		      int (*put)(void *ctx, const struct xtr_cell *cell, size_t n), void *ctx)
{
	struct cells to = { .put = put, .ctx = ctx };
	struct xtr_rows r = { .row = cells_row, .to = &to };

	xtr_rows_fill(&r, t, self, o);
	return to.ret;
}
