/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON as spec/test-vectors.md writes it: lists, text, bytes. For vector_reader.c alone. */
#ifndef VECTOR_JSON_H
#define VECTOR_JSON_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static FILE *out;

/* Print, with a comma before it unless it is the first of its list. */
__attribute__((format(printf, 2, 3))) static void item(bool *first, const char *fmt, ...)
{
	va_list ap;

	if (!*first)
		putc(',', out);
	*first = false;
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
}

/* Bytes of the UTF-8 sequence at s that is well-formed (RFC 3629) and not a byte 0; else 0. */
static size_t utf8_at(const uint8_t *s, size_t n)
{
	static const struct {
		uint8_t lo, hi, lo2, hi2;
		size_t len;
	} forms[] = {
		{ 0x01, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t len = forms[i].len;

		if (s[0] < forms[i].lo || s[0] > forms[i].hi)
			continue;
		if (len > n || (len > 1 && (s[1] < forms[i].lo2 || s[1] > forms[i].hi2)))
			return 0;
		for (size_t k = 2; k < len; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return len;
	}
	return 0;
}

static void hex(const uint8_t *s, size_t n)
{
	putc('"', out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%02x", s[i]);
	putc('"', out);
}

static void octets(const void *bytes, size_t n)
{
	const uint8_t *s = bytes;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		len = utf8_at(s + i, n - i);
		if (len == 0) {
			fputs("{\"hex\":", out);
			hex(s, n);
			putc('}', out);
			return;
		}
	}
	putc('"', out);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\')
			fprintf(out, "\\%c", s[i]);
		else if (s[i] < 0x20 || s[i] == 0x7f)
			fprintf(out, "\\u%04x", s[i]);
		else
			putc(s[i], out);
	}
	putc('"', out);
}

static void text(const char *s)
{
	if (s)
		octets(s, strlen(s));
	else
		fputs("null", out);
}

static void key_text(const char *key, const char *s)
{
	fprintf(out, ",\"%s\":", key);
	text(s);
}

#endif /* VECTOR_JSON_H */
