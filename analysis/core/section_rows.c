/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a section's table: what fill puts, and what columns take from members. */
#include "section_rows.h"
#include "base/buf.h"
#include "bounded_rows.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct xtr_section_value *put(struct xtr_rows *r)
{
	static struct xtr_section_value none;

	assert(r->n_put < XTR_COLUMNS_MAX);
	if (r->n_put == XTR_COLUMNS_MAX)
		return &none;
	return &r->put[r->n_put++];
}

void xtr_put_u64(struct xtr_rows *r, bool known, uint64_t v)
{
	*put(r) = (struct xtr_section_value){ .known = known, .a = v };
}

void xtr_put_s64(struct xtr_rows *r, bool known, int64_t v)
{
	*put(r) = (struct xtr_section_value){ .known = known, .negative = v < 0, .a = (uint64_t)v };
}

void xtr_put_text(struct xtr_rows *r, const char *s)
{
	*put(r) = (struct xtr_section_value){ .known = s, .s = s, .n = s ? strlen(s) : 0 };
}

void xtr_put_name(struct xtr_rows *r, const char *s, size_t n)
{
	*put(r) = (struct xtr_section_value){ .known = s, .foreign = true, .s = s, .n = n };
}

void xtr_put_copy(struct xtr_rows *r, const char *s)
{
	size_t n = s ? strlen(s) + 1 : 0, room = sizeof(r->texts) - r->used;

	assert(n <= room);
	if (!s || n > room) {
		xtr_put_text(r, NULL);
		return;
	}
	memcpy(r->texts + r->used, s, n);
	xtr_put_text(r, r->texts + r->used);
	r->used += n;
}

void xtr_put_format(struct xtr_rows *r, const char *format, ...)
{
	size_t room = sizeof(r->texts) - r->used;
	char *to = r->texts + r->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(to, room, format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < room);
	xtr_put_text(r, room ? to : "");
	r->used += n > 0 && (size_t)n < room ? (size_t)n + 1 : 0;
}

void xtr_put_share(struct xtr_rows *r, bool known, uint64_t part, uint64_t whole)
{
	*put(r) = (struct xtr_section_value){ .known = known, .a = part, .b = whole };
}

void xtr_put_hist(struct xtr_rows *r, const struct xtr_hist *h)
{
	*put(r) = (struct xtr_section_value){ .known = h, .hist = h };
}

void xtr_put_any(struct xtr_rows *r,
		 void (*write)(const void *self, const void *row, struct xtr_json *j),
		 const void *ctx)
{
	*put(r) = (struct xtr_section_value){ .known = true, .write = write, .ctx = ctx };
}

void xtr_put_absent(struct xtr_rows *r)
{
	*put(r) = (struct xtr_section_value){ .absent = true };
}

bool xtr_rows_full(const struct xtr_rows *r)
{
	unsigned int limit = r->table->limit;

	return (limit == XTR_LIST_TOP || (r->text && limit != XTR_SHOW_ALL)) &&
	       r->rows >= r->o->top;
}

void xtr_row(struct xtr_rows *r, const void *row)
{
	bool full = xtr_rows_full(r);

	r->rows++;
	if (!full) {
		r->next = 0;
		r->row(r, row);
		assert(r->next == r->n_put);
	} else {
		r->more++;
	}
	r->n_put = 0;
	r->used = 0;
}

void xtr_rows_fail(struct xtr_rows *r, int err)
{
	r->err = err;
}

const void *xtr_rows_self(const struct xtr_rows *r)
{
	return r->self;
}

bool xtr_rows_text(const struct xtr_rows *r)
{
	return r->text;
}

/* Their number, and the first. */
static uint64_t rows_of(const struct xtr_section_rows *w, const void *self, const char **first)
{
	const void *at = (const char *)self + w->at;
	uint64_t n = 0;
	uint32_t n32;

	*first = at;
	if (w->where == XTR_ROWS_POINTER)
		memcpy(first, at, sizeof(*first));
	if (w->fixed)
		return w->fixed;
	if (w->count_size == sizeof(n)) {
		memcpy(&n, (const char *)self + w->count, sizeof(n));
		return n;
	}
	memcpy(&n32, (const char *)self + w->count, sizeof(n32));
	return n32;
}

static void put_row(struct xtr_rows *r, const void *row)
{
	if (!r->table->put || r->table->put(r, row))
		xtr_row(r, row);
	else
		r->n_put = r->used = 0;
}

static void fill(struct xtr_rows *r)
{
	const struct xtr_section_rows *w = &r->table->rows;
	const struct xtr_counted *tally;
	const void *self = r->self;
	const char *first;
	uint64_t n;

	if (w->via)
		memcpy(&self, (const char *)self + w->via - 1, sizeof(self));
	if (w->where == XTR_ROWS_SELF) {
		put_row(r, r->self);
	} else if (w->where == XTR_ROWS_COUNTED) {
		tally = (const void *)((const char *)self + w->at);
		for (uint64_t i = 0; i < tally->n; i++)
			put_row(r, xtr_counted_at(tally, (uint32_t)i));
	} else {
		n = rows_of(w, self, &first);
		for (uint64_t i = 0; i < n; i++)
			put_row(r, first + i * w->size);
	}
}

void xtr_rows_fill(struct xtr_rows *r, const struct xtr_section_table *t, const void *self,
		   const struct xtr_analysis_opts *o)
{
	r->table = t;
	r->self = self;
	r->o = o;
	r->n_put = 0;
	r->used = 0;
	r->rows = r->more = 0;
	if (t->fill)
		t->fill(self, r);
	else
		fill(r);
}

/* --- members ---------------------------------------------------------------------------------- */

static uint64_t number(const void *at, uint32_t size, bool sign, bool *negative)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	*negative = false;
	if (size == 8) {
		memcpy(&u64, at, 8);
	} else if (size == 4) {
		memcpy(&u32, at, 4);
		u64 = sign ? (uint64_t)(int64_t)(int32_t)u32 : u32;
	} else if (size == 2) {
		memcpy(&u16, at, 2);
		u64 = u16;
	} else {
		assert(size == 1);
		u64 = *(const uint8_t *)at;
	}
	*negative = sign && (int64_t)u64 < 0;
	return u64;
}

static void member(struct xtr_section_value *v, const struct xtr_section_column *c, const void *row)
{
	const void *at = (const char *)row + c->offset;
	unsigned int kind = c->type & XTR_C_KIND;

	if (c->size == sizeof(v->a) && kind <= XTR_C_BYTES && kind != XTR_C_SIGNED) {
		memcpy(&v->a, at, sizeof(v->a));
		v->negative = false;
	} else if (kind == XTR_C_HIST || kind == XTR_C_BUCKETS || kind == XTR_C_SUM) {
		v->hist = at;
	} else if (kind == XTR_C_TEXT) {
		v->s = at;
		v->n = strnlen(at, c->size);
		v->known = v->n;
		v->foreign = true;
	} else {
		v->a = number(at, c->size, kind == XTR_C_SIGNED, &v->negative);
	}
}

static void of_string(struct xtr_section_value *v, const struct xtr_tables *t)
{
	v->s = v->a && t ? xtr_tables_string(t, (uint32_t)v->a, &v->n) : NULL;
	v->known = v->s;
	v->foreign = true;
}

/* What makes a value one that is not known. */
static void judge(struct xtr_rows *r, const struct xtr_section_column *c,
		  struct xtr_section_value *v)
{
	unsigned int kind = c->type & XTR_C_KIND;

	if (kind == XTR_C_STRING)
		of_string(v, r->o->tables);
	if (kind == XTR_C_PROCESS)
		v->known = v->known && v->a;
	if ((c->type & XTR_C_TIMES && !r->o->times) || (c->type & XTR_C_KNOWN && !v->a) ||
	    (c->type & XTR_C_MOST && v->a == UINT64_MAX))
		v->known = false;
}

const struct xtr_section_value *xtr_section_value(struct xtr_rows *r,
						  const struct xtr_section_column *c,
						  const void *row)
{
	struct xtr_section_value *v = &r->member;

	if (!c->size && r->next < r->n_put) {
		v = &r->put[r->next++];
	} else {
		assert(c->size);
		v->known = c->size;
		v->foreign = false;
		v->s = NULL;
		v->hist = NULL;
		if (c->size)
			member(v, c, row);
	}
	if (c->type >= XTR_C_STRING) /* it has flags, or is one of these kinds */
		judge(r, c, v);
	return v;
}

/* --- section cells ---------------------------------------------------------------------------- */

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
	snprintf(buf, XTR_SECTION_NAME, "%s", name);
	for (size_t i = 0; buf[i]; i++)
		if (buf[i] == '.')
			buf[i] = '_';
}

const char *xtr_section_table_name(const char *section, const struct xtr_section_table *t,
				   char buf[XTR_SECTION_NAME])
{
	char name[XTR_SECTION_NAME];

	snprintf(name, sizeof(name), "%s.%s", section, t->name);
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
			 void (*store)(void *ctx, const char *name, enum xtr_column_type type,
				       const char *help),
			 void *ctx)
{
	char key[XTR_SECTION_NAME], name[XTR_SECTION_NAME + 16];
	size_t len;

	for (size_t i = 0; i < t->n; i++) {
		const struct xtr_section_column *c = &t->columns[i];

		if (!c->key)
			continue;
		plain(key, c->key);
		len = strlen(key);
		if (is_hist(c)) {
			bool ns = len > 3 && !strcmp(key + len - 3, "_ns");

			for (size_t k = 0; k < PARTS; k++) {
				snprintf(name, sizeof(name), "%.*s_%s%s", (int)(len - 3 * ns), key,
					 parts[k], ns && k ? "_ns" : "");
				store(ctx, name, XTR_COLUMN_INT, c->help);
			}
			continue;
		}
		store(ctx, key, type_of(c), c->help);
		if (kind_of(c) == XTR_C_PROCESS) {
			snprintf(name, sizeof(name), "%s_nth", key);
			store(ctx, name, XTR_COLUMN_INT,
			      "which process of that number, if not the first");
		}
	}
}

/* --- rows ------------------------------------------------------------------------------------- */

struct cells {
	int (*store)(void *ctx, const struct xtr_cell *cell, size_t n);
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

static void add_any(struct cells *to, const void *self, const struct xtr_section_value *v)
{
	struct xtr_buf buf = { 0 };
	FILE *f = xtr_memory_stream(&buf);
	char *text = NULL;
	struct xtr_json j;

	if (f) {
		xtr_json_init(&j, f, false);
		v->write(self, v->ctx, &j);
		text = xtr_memory_text(f, &buf);
	}
	if (!text)
		to->ret = to->ret ? to->ret : -ENOMEM;
	else
		to->text[to->n_texts++] = text;
	add(to, xtr_cell_str(text && strcmp(text, "null") ? text : NULL));
}

static void add_value(struct cells *to, const void *self, const struct xtr_section_column *c,
		      const struct xtr_section_value *v)
{
	if (is_hist(c)) {
		add_hist(to, v->hist, v->known && v->hist);
	} else if (kind_of(c) == XTR_C_PROCESS) {
		uint32_t nth = xtr_process_nth(v->a);

		add(to, xtr_cell_uint(v->known, xtr_process_pid(v->a)));
		add(to, xtr_cell_uint(v->known && nth, (uint64_t)nth + 1));
	} else if (v->known && v->write) {
		add_any(to, self, v);
	} else if (type_of(c) == XTR_COLUMN_TEXT) {
		add(to, xtr_cell_text(v->known ? v->s : NULL, v->n));
	} else {
		add(to, v->negative ? xtr_cell_int(v->known, (int64_t)v->a)
				    : xtr_cell_uint(v->known, v->a));
	}
}

static void cells_row(struct xtr_rows *r, const void *of)
{
	struct cells *to = r->to;

	to->n = to->n_texts = 0;
	for (size_t i = 0; i < r->table->n; i++) {
		const struct xtr_section_column *c = &r->table->columns[i];
		const struct xtr_section_value *v;

		if (!c->key && c->size)
			continue;
		v = xtr_section_value(r, c, of);
		if (c->key)
			add_value(to, r->self, c, v);
	}
	if (!to->ret)
		to->ret = to->store(to->ctx, to->cell, to->n);
	for (size_t i = 0; i < to->n_texts; i++)
		free(to->text[i]);
}

int xtr_section_cells(const struct xtr_section_table *t, const void *self,
		      const struct xtr_analysis_opts *o,
		      int (*store)(void *ctx, const struct xtr_cell *cell, size_t n), void *ctx)
{
	struct cells to = { .store = store, .ctx = ctx };
	struct xtr_rows r = { .row = cells_row, .to = &to };

	xtr_rows_fill(&r, t, self, o);
	return to.ret;
}
