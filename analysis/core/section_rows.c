/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a section's table: what fill puts, and what columns take from members. */
#include "section_rows.h"

#include <assert.h>
#include <stdarg.h>
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

void xtr_put_any(struct xtr_rows *r, void (*write)(const void *ctx, struct xtr_json *j),
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
	return r->text && r->table->limit != XTR_SHOW_ALL && r->rows >= r->o->top;
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

void xtr_row_array(struct xtr_rows *r, const void *rows, size_t n, size_t size)
{
	size_t i;

	for (i = 0; i < n; i++)
		xtr_row(r, (const char *)rows + i * size);
}

bool xtr_rows_text(const struct xtr_rows *r)
{
	return r->text;
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
	t->fill(self, r);
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

	if (kind == XTR_C_HIST || kind == XTR_C_BUCKETS || kind == XTR_C_SUM) {
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

const struct xtr_section_value *xtr_section_value(struct xtr_rows *r,
						  const struct xtr_section_column *c,
						  const void *row)
{
	struct xtr_section_value *v = &r->member;

	if (!c->size && r->next < r->n_put) {
		v = &r->put[r->next++];
	} else {
		assert(c->size);
		*v = (struct xtr_section_value){ .known = c->size };
		if (c->size)
			member(v, c, row);
	}
	if ((c->type & XTR_C_KIND) == XTR_C_STRING)
		of_string(v, r->o->tables);
	if ((c->type & XTR_C_KIND) == XTR_C_PROCESS)
		v->known = v->known && v->a;
	if ((c->type & XTR_C_TIMES && !r->o->times) || (c->type & XTR_C_KNOWN && !v->a) ||
	    (c->type & XTR_C_MOST && v->a == UINT64_MAX))
		v->known = false;
	return v;
}
