/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of sections as text and as JSON. */
#include "section_table.h"
#include "base/text.h"
#include "grid.h"
#include "replay/event/process.h"
#include "section_rows.h"
#include "view.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* --- text ------------------------------------------------------------------------------------- */

static bool shown(const struct xtr_rows *r, const struct xtr_section_column *c)
{
	const struct xtr_section_table *t = r->table;

	return c->title && (!t->parts || !c->own || c->own & t->parts) &&
	       (!t->shows || t->shows(r->self, c));
}

static bool ends_in(const char *s, size_t n, const char *end)
{
	size_t len = strlen(end);

	return n >= len && !memcmp(s + n - len, end, len);
}

/* What the title of n bytes shows of a histogram. */
static uint64_t quantile(const struct xtr_hist *h, const char *title, size_t n)
{
	if (ends_in(title, n, "max"))
		return h->max;
	if (ends_in(title, n, "mean"))
		return xtr_hist_mean(h);
	if (ends_in(title, n, "p99"))
		return xtr_hist_quantile(h, 990);
	if (ends_in(title, n, "p90"))
		return xtr_hist_quantile(h, 900);
	return xtr_hist_quantile(h, 500);
}

static void cells_hist(struct xtr_grid *g, const struct xtr_section_column *c,
		       const struct xtr_hist *h, bool times)
{
	char *(*const format)(char *, uint64_t) =
		c->type & XTR_C_PLAIN ? xtr_text_count : xtr_text_ns;
	const bool known = (times || c->type & XTR_C_PLAIN) && h && h->n;
	const char *titles = c->title;
	size_t n;

	while (*titles) {
		n = strcspn(titles, "|");
		xtr_grid_value(g, known, format, known ? quantile(h, titles, n) : 0);
		titles += n + (titles[n] == '|');
	}
}

static const char *number_text(char buf[XTR_TEXT_NUMBER], unsigned int kind,
			       const struct xtr_section_value *v, bool times)
{
	switch (kind) {
	case XTR_C_NUMBER:
		snprintf(buf, XTR_TEXT_NUMBER, "%" PRIu64, v->a);
		return buf;
	case XTR_C_SIGNED:
		snprintf(buf, XTR_TEXT_NUMBER, "%" PRId64, (int64_t)v->a);
		return buf;
	case XTR_C_HEX:
		snprintf(buf, XTR_TEXT_NUMBER, "0x%" PRIx64, v->a);
		return buf;
	case XTR_C_NS:
		return xtr_text_ns(buf, v->a);
	case XTR_C_BYTES:
		return xtr_text_bytes(buf, v->a);
	case XTR_C_PLACE:
		return xtr_text_place(buf, times, v->a);
	case XTR_C_SHARE:
		return xtr_text_percent(buf, v->a, v->b);
	case XTR_C_PROCESS:
		return xtr_text_process(buf, v->a);
	case XTR_C_BOOL:
		return v->a ? "yes" : "no";
	default:
		return xtr_text_count(buf, v->a);
	}
}

static void cells_text(struct xtr_rows *r, const struct xtr_section_column *c,
		       const struct xtr_section_value *v)
{
	unsigned int kind = c->type & XTR_C_KIND;
	struct xtr_grid *g = r->to;
	char buf[XTR_TEXT_NAME];

	if (kind == XTR_C_HIST || kind == XTR_C_BUCKETS)
		cells_hist(g, c, v->hist, r->o->times);
	else if (kind == XTR_C_SUM)
		xtr_grid_ns(g, r->o->times && v->hist && v->hist->n, v->hist ? v->hist->sum : 0);
	else if (!v->known)
		xtr_grid_cell(g, c->type & XTR_C_BLANK ? "" : "-");
	else if (v->foreign)
		xtr_grid_cell(g, xtr_text_name(buf, sizeof(buf), v->s, v->n));
	else if (v->s)
		xtr_grid_cell(g, v->s);
	else
		xtr_grid_cell(g, number_text(buf, kind, v, r->o->times));
}

static void text_row(struct xtr_rows *r, const void *row)
{
	for (size_t i = 0; i < r->table->n; i++) {
		const struct xtr_section_column *c = &r->table->columns[i];
		const struct xtr_section_value *v;

		if (!c->title && c->size)
			continue;
		v = xtr_section_value(r, c, row);
		if (shown(r, c))
			cells_text(r, c, v);
	}
}

static struct xtr_grid *new_grid(const struct xtr_rows *r)
{
	const char *title[XTR_GRID_COLUMNS + 1] = { NULL };
	char parts[512];
	size_t n = 0, used = 0;

	for (size_t i = 0; i < r->table->n; i++) {
		const struct xtr_section_column *c = &r->table->columns[i];
		const char *s = c->title;
		size_t len;

		if (!shown(r, c))
			continue;
		while (*s && n < XTR_GRID_COLUMNS) {
			len = strcspn(s, "|");
			assert(used + len < sizeof(parts));
			memcpy(parts + used, s, len);
			parts[used + len] = '\0';
			title[n++] = parts + used;
			used += len + 1;
			s += len + (s[len] == '|');
		}
	}
	return xtr_grid_new(title);
}

int xtr_table_text(const struct xtr_section_table *t, const void *self,
		   const struct xtr_analysis_opts *o, FILE *f)
{
	struct xtr_rows r = { .row = text_row, .text = true, .table = t, .self = self };
	bool any;
	int err;

	r.to = new_grid(&r);
	xtr_rows_fill(&r, t, self, o);
	any = r.rows > r.more && !r.err;
	if (r.to && any && t->heading)
		fputs(t->heading, f);
	err = xtr_grid_print(r.to, any ? f : NULL, 2);
	if (r.more && t->limit == XTR_SHOW_TOP)
		fprintf(f, "  ... and %" PRIu64 " more (%s)\n", r.more,
			o->more ? o->more : "--top");
	return r.err ? r.err : err;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Where a row is: in which objects, as the key of the column before says ("power" of "power.n"). */
struct json_row {
	struct xtr_json *j;
	const char *path;
	size_t len;
};

static size_t depth(const char *path, size_t len)
{
	size_t n = len != 0;

	for (size_t i = 0; i < len; i++)
		n += path[i] == '.';
	return n;
}

/* Ends the objects that the path of len bytes is not in, begins those that it is in. */
static void go_to(struct json_row *row, const char *path, size_t len)
{
	size_t same = 0, end;
	char key[64];

	for (size_t i = 0; i <= len && i <= row->len; i++) {
		bool a = i == len || path[i] == '.', b = i == row->len || row->path[i] == '.';

		if (a && b)
			same = i;
		if (i == len || i == row->len || path[i] != row->path[i])
			break;
	}
	for (size_t i = depth(row->path, row->len); i > depth(path, same); i--)
		xtr_json_end_object(row->j);
	for (size_t i = same ? same + 1 : 0; i < len; i = end + 1) {
		end = i + strcspn(path + i, ".");
		snprintf(key, sizeof(key), "%.*s", (int)(end - i), path + i);
		xtr_json_kv_object(row->j, key);
	}
	row->path = path;
	row->len = len;
}

static void json_value(struct xtr_rows *r, const struct xtr_section_column *c, const char *key,
		       const struct xtr_section_value *v)
{
	unsigned int kind = c->type & XTR_C_KIND;
	struct xtr_json *j = r->to;

	if (kind == XTR_C_PROCESS) {
		xtr_json_kv_process(j, key, v->a);
		return;
	}
	if (v->known && v->hist) {
		xtr_view_json_hist(j, key, v->hist, kind == XTR_C_BUCKETS && !r->o->no_buckets);
		return;
	}
	xtr_json_key(j, key);
	if (!v->known)
		xtr_json_null(j);
	else if (v->write)
		v->write(r->self, v->ctx, j);
	else if (v->s)
		xtr_json_strn(j, v->s, v->n);
	else if (kind == XTR_C_BOOL)
		xtr_json_bool(j, v->a);
	else if (v->negative)
		xtr_json_s64(j, (int64_t)v->a);
	else
		xtr_json_u64(j, v->a);
}

static void json_members(struct xtr_rows *r, const void *of)
{
	const struct xtr_section_column *c = r->table->columns, *end = c + r->table->n;
	struct json_row row = { .j = r->to, .path = "" };
	const uint8_t *at = r->dot;

	for (; c < end; c++) {
		const struct xtr_section_value *v;
		size_t dot = *at++;

		if (!c->key) {
			r->next += !c->size;
			continue;
		}
		/* The most frequent case, without a call. */
		v = !c->size && c->type < XTR_C_STRING && r->next < r->n_put
			    ? &r->put[r->next++]
			    : xtr_section_value(r, c, of);
		if (v->absent)
			continue;
		if (dot || row.len)
			go_to(&row, c->key, dot);
		json_value(r, c, c->key + dot + (dot != 0), v);
	}
	if (row.len)
		go_to(&row, "", 0);
}

/* Where the objects end in the keys. */
static void find_dots(struct xtr_rows *r, const struct xtr_section_table *t)
{
	const char *dot;

	for (size_t i = 0; i < t->n; i++) {
		dot = t->columns[i].key ? strrchr(t->columns[i].key, '.') : NULL;
		r->dot[i] = dot ? (uint8_t)(dot - t->columns[i].key) : 0;
	}
}

static void json_row(struct xtr_rows *r, const void *of)
{
	xtr_json_begin_object(r->to);
	json_members(r, of);
	xtr_json_end_object(r->to);
}

void xtr_table_json_value(const struct xtr_section_table *t, const void *self,
			  const struct xtr_analysis_opts *o, struct xtr_json *j)
{
	struct xtr_rows r = { .row = json_row, .to = j };

	find_dots(&r, t);
	if (t->shape == XTR_SHAPE_ROWS)
		xtr_json_begin_array(j);
	xtr_rows_fill(&r, t, self, o);
	if (t->shape == XTR_SHAPE_ROWS)
		xtr_json_end_array(j);
	else if (!r.rows)
		xtr_json_null(j);
}

void xtr_table_json(const struct xtr_section_table *t, const void *self,
		    const struct xtr_analysis_opts *o, struct xtr_json *j)
{
	struct xtr_rows r = { .row = json_members, .to = j };
	const char *dot = strrchr(t->name, '.');

	if (t->shape == XTR_SHAPE_MEMBERS) {
		find_dots(&r, t);
		xtr_rows_fill(&r, t, self, o);
		return;
	}
	xtr_json_key(j, dot ? dot + 1 : t->name);
	xtr_table_json_value(t, self, o, j);
}

/* --- several ---------------------------------------------------------------------------------- */

int xtr_tables_text(const struct xtr_section_table *const *t, const void *self,
		    const struct xtr_analysis_opts *o, FILE *f)
{
	int err = 0;
	size_t k;

	for (; *t && !err; t++) {
		for (k = 0; k < (*t)->n && !(*t)->columns[k].title; k++)
			;
		if (k < (*t)->n)
			err = xtr_table_text(*t, self, o, f);
	}
	return err;
}

void xtr_tables_json(const struct xtr_section_table *const *t, const void *self,
		     const struct xtr_analysis_opts *o, struct xtr_json *j)
{
	for (; *t; t++)
		if ((*t)->name)
			xtr_table_json(*t, self, o, j);
}
