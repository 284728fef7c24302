/* SPDX-License-Identifier: BSD-2-Clause */
#include "chrome_out.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000u

void chrome_out_init(struct chrome_out *o, FILE *f)
{
	xtr_json_init(&o->json, f, false);
	o->json.depth = 1;
	o->comma = o->any = false;
}

void chrome_flush(struct chrome_out *o)
{
	xtr_line_flush(&o->json.line);
}

void chrome_raw(struct chrome_out *o, const char *s)
{
	xtr_line_str(&o->json.line, s);
}

void chrome_digits(struct chrome_out *o, uint64_t v)
{
	xtr_line_number(&o->json.line, v);
}

void chrome_event(struct chrome_out *o, const char *phase, const char *cat)
{
	chrome_raw(o, o->any ? ",\n{" : "\n{");
	o->any = true;
	o->comma = false;
	chrome_plain(o, "ph", phase);
	if (cat)
		chrome_plain(o, "cat", cat);
}

void chrome_event_end(struct chrome_out *o)
{
	chrome_raw(o, "}");
}

void chrome_args(struct chrome_out *o)
{
	chrome_key(o, "args");
	chrome_raw(o, "{");
	o->comma = false;
}

void chrome_args_end(struct chrome_out *o)
{
	chrome_raw(o, "}");
	o->comma = true;
}

void chrome_key(struct chrome_out *o, const char *key)
{
	struct xtr_line *l = &o->json.line;
	size_t n = strlen(key);

	if (o->comma)
		xtr_line_char(l, ',');
	xtr_line_char(l, '"');
	xtr_line_put(l, key, n);
	xtr_line_put(l, "\":", 2);
	o->comma = true;
}

void chrome_plain(struct chrome_out *o, const char *key, const char *value)
{
	chrome_key(o, key);
	xtr_line_char(&o->json.line, '"');
	chrome_raw(o, value);
	xtr_line_char(&o->json.line, '"');
}

/* No comma before the value: there was a key. */
struct xtr_json *chrome_json(struct chrome_out *o)
{
	o->json.after_key = true;
	return &o->json;
}

void chrome_text(struct chrome_out *o, const char *key, const char *s, size_t n)
{
	chrome_key(o, key);
	xtr_json_strn(chrome_json(o), s, n);
}

void chrome_text_in(struct chrome_out *o, const char *key, const char *before, const char *s,
		    const char *after)
{
	struct xtr_line *l = &o->json.line;

	chrome_key(o, key);
	xtr_line_char(l, '"');
	xtr_line_str(l, before);
	xtr_json_escape(l, s, strlen(s));
	xtr_line_str(l, after);
	xtr_line_char(l, '"');
}

void chrome_textf(struct chrome_out *o, const char *key, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	chrome_text(o, key, n < 0 ? "" : text, n < 0 ? 0 : (size_t)n);
	if (n >= 0)
		free(text);
}

void chrome_u64(struct chrome_out *o, const char *key, uint64_t v)
{
	chrome_key(o, key);
	chrome_digits(o, v);
}

void chrome_s64(struct chrome_out *o, const char *key, int64_t v)
{
	chrome_key(o, key);
	xtr_line_s64(&o->json.line, v);
}

void chrome_us(struct chrome_out *o, const char *key, uint64_t ns)
{
	chrome_key(o, key);
	xtr_line_number(&o->json.line, ns / NS_PER_US);
	xtr_line_char(&o->json.line, '.');
	xtr_line_u64(&o->json.line, ns % NS_PER_US, 3);
}

void chrome_fence(struct chrome_out *o, const char *key, uint64_t ctx, uint64_t seqno)
{
	chrome_key(o, key);
	xtr_line_char(&o->json.line, '"');
	chrome_digits(o, ctx);
	xtr_line_char(&o->json.line, ':');
	chrome_digits(o, seqno);
	xtr_line_char(&o->json.line, '"');
}
