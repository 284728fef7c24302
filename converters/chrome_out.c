/* SPDX-License-Identifier: BSD-2-Clause */
#include "chrome_out.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000u

void chrome_out_init(struct chrome_out *o, FILE *f)
{
	memset(o, 0, offsetof(struct chrome_out, buf));
	o->f = f;
}

void chrome_flush(struct chrome_out *o)
{
	fwrite(o->buf, 1, o->n, o->f);
	o->n = 0;
}

static void put(struct chrome_out *o, const char *s, size_t n)
{
	if (n > sizeof(o->buf) - o->n)
		chrome_flush(o);
	if (n > sizeof(o->buf)) {
		fwrite(s, 1, n, o->f);
		return;
	}
	memcpy(o->buf + o->n, s, n);
	o->n += n;
}

void chrome_raw(struct chrome_out *o, const char *s)
{
	put(o, s, strlen(s));
}

void chrome_digits(struct chrome_out *o, uint64_t v)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	put(o, digits + i, sizeof(digits) - i);
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
	chrome_raw(o, o->comma ? ",\"" : "\"");
	chrome_raw(o, key);
	chrome_raw(o, "\":");
	o->comma = true;
}

void chrome_plain(struct chrome_out *o, const char *key, const char *value)
{
	chrome_key(o, key);
	chrome_raw(o, "\"");
	chrome_raw(o, value);
	chrome_raw(o, "\"");
}

struct xtr_json *chrome_json(struct chrome_out *o)
{
	chrome_flush(o);
	xtr_json_init(&o->json, o->f, false);
	return &o->json;
}

/* True if the emitter would write these bytes as they are. */
static bool needs_no_escape(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i] < 0x20 || s[i] == 0x7f || s[i] == '"' || s[i] == '\\' ||
		    (unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

void chrome_text(struct chrome_out *o, const char *key, const char *s, size_t n)
{
	chrome_key(o, key);
	if (!needs_no_escape(s, n)) {
		xtr_json_strn(chrome_json(o), s, n);
		return;
	}
	chrome_raw(o, "\"");
	put(o, s, n);
	chrome_raw(o, "\"");
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
	if (v < 0)
		chrome_raw(o, "-");
	chrome_digits(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void chrome_us(struct chrome_out *o, const char *key, uint64_t ns)
{
	uint32_t below = (uint32_t)(ns % NS_PER_US);
	const char decimals[] = { '.', (char)('0' + below / 100), (char)('0' + below / 10 % 10),
				  (char)('0' + below % 10) };

	chrome_key(o, key);
	chrome_digits(o, ns / NS_PER_US);
	put(o, decimals, sizeof(decimals));
}

void chrome_fence(struct chrome_out *o, const char *key, uint64_t ctx, uint64_t seqno)
{
	chrome_key(o, key);
	chrome_raw(o, "\"");
	chrome_digits(o, ctx);
	chrome_raw(o, ":");
	chrome_digits(o, seqno);
	chrome_raw(o, "\"");
}
