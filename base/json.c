/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"
#include "text.h"

#include <assert.h>
#include <string.h>

void xtr_json_init(struct xtr_json *j, FILE *f, bool pretty)
{
	xtr_line_begin(&j->line, f);
	j->pretty = pretty;
	j->after_key = false;
	j->depth = 0;
	j->has_item[0] = false;
}

/* Documents are seen whole: others may write to the stream between them. */
static void after_value(struct xtr_json *j)
{
	if (!j->depth)
		xtr_line_flush(&j->line);
}

void xtr_json_newline(struct xtr_json *j)
{
	assert(!j->depth);
	putc_unlocked('\n', j->line.f);
	j->has_item[0] = false;
}

static void indent(struct xtr_json *j)
{
	if (!j->pretty)
		return;
	xtr_line_char(&j->line, '\n');
	xtr_line_fill(&j->line, ' ', 2 * (size_t)j->depth);
}

/* What stands between the item before and the value that follows. */
static void before_value(struct xtr_json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->has_item[j->depth])
		xtr_line_char(&j->line, ',');
	if (j->depth)
		indent(j);
	j->has_item[j->depth] = true;
}

static void begin(struct xtr_json *j, char c)
{
	before_value(j);
	xtr_line_char(&j->line, c);
	j->depth++;
	assert(j->depth < XTR_JSON_DEPTH);
	j->has_item[j->depth] = false;
}

static void end(struct xtr_json *j, char c)
{
	bool items = j->has_item[j->depth];

	assert(j->depth > 0 && !j->after_key);
	j->depth--;
	if (items)
		indent(j);
	xtr_line_char(&j->line, c);
	after_value(j);
}

void xtr_json_begin_object(struct xtr_json *j)
{
	begin(j, '{');
}

void xtr_json_end_object(struct xtr_json *j)
{
	end(j, '}');
}

void xtr_json_begin_array(struct xtr_json *j)
{
	begin(j, '[');
}

void xtr_json_end_array(struct xtr_json *j)
{
	end(j, ']');
}

/* The number of a character of 1 to 3 bytes. */
static unsigned int code_point(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;

	if (len == 1)
		return p[0];
	if (len == 2)
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	return (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

/* "\\u0085" */
static void put_escape(struct xtr_line *l, unsigned int c)
{
	static const char digits[] = "0123456789abcdef";
	const char text[] = {
		'\\',          'u', digits[c >> 12 & 15], digits[c >> 8 & 15], digits[c >> 4 & 15],
		digits[c & 15]
	};

	xtr_line_put(l, text, sizeof(text));
}

/* The character at s, of n bytes left, which is not plain; returns its length. */
static size_t put_special(struct xtr_line *l, const char *s, size_t n)
{
	static const char *const shorts[0x20] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r",
	};
	size_t len = xtr_utf8_len(s, n);
	unsigned char c = (unsigned char)*s;

	if (!len) {
		put_escape(l, 0xfffd);
		return 1;
	}
	if (c == '"' || c == '\\') {
		xtr_line_char(l, '\\');
		xtr_line_char(l, *s);
	} else if (c < 0x20 && shorts[c]) {
		xtr_line_str(l, shorts[c]);
	} else if (xtr_utf8_is_control(s, len)) {
		put_escape(l, code_point(s, len));
	} else {
		xtr_line_put(l, s, len);
	}
	return len;
}

/* RFC 8259 section 7: quotation mark, backslash and U+0000 to U+001F must be escaped; others that a
 * terminal would obey are too. */
void xtr_json_escape(struct xtr_line *l, const char *s, size_t n)
{
	size_t i = 0, len;

	for (;;) {
		len = xtr_utf8_plain(s + i, n - i, '"');
		xtr_line_put(l, s + i, len);
		i += len;
		if (i == n)
			return;
		i += put_special(l, s + i, n - i);
	}
}

void xtr_json_quote(struct xtr_line *l, const char *s, size_t n)
{
	xtr_line_char(l, '"');
	xtr_json_escape(l, s, n);
	xtr_line_char(l, '"');
}

void xtr_json_key(struct xtr_json *j, const char *key)
{
	assert(j->depth && !j->after_key);
	before_value(j);
	xtr_line_char(&j->line, '"');
	xtr_json_escape(&j->line, key, strlen(key));
	if (j->pretty)
		xtr_line_put(&j->line, "\": ", 3);
	else
		xtr_line_put(&j->line, "\":", 2);
	j->after_key = true;
}

void xtr_json_u64(struct xtr_json *j, uint64_t v)
{
	before_value(j);
	xtr_line_number(&j->line, v);
	after_value(j);
}

void xtr_json_s64(struct xtr_json *j, int64_t v)
{
	before_value(j);
	xtr_line_s64(&j->line, v);
	after_value(j);
}

void xtr_json_bool(struct xtr_json *j, bool v)
{
	before_value(j);
	xtr_line_str(&j->line, v ? "true" : "false");
	after_value(j);
}

void xtr_json_null(struct xtr_json *j)
{
	before_value(j);
	xtr_line_str(&j->line, "null");
	after_value(j);
}

void xtr_json_strn(struct xtr_json *j, const char *s, size_t n)
{
	if (!s) {
		xtr_json_null(j);
		return;
	}
	before_value(j);
	xtr_json_quote(&j->line, s, n);
	after_value(j);
}

void xtr_json_str(struct xtr_json *j, const char *s)
{
	xtr_json_strn(j, s, s ? strlen(s) : 0);
}

void xtr_json_hex(struct xtr_json *j, const uint8_t *p, size_t n)
{
	before_value(j);
	xtr_line_char(&j->line, '"');
	xtr_line_bytes(&j->line, p, n);
	xtr_line_char(&j->line, '"');
	after_value(j);
}

void xtr_json_hex_number(struct xtr_json *j, uint64_t v)
{
	before_value(j);
	xtr_line_char(&j->line, '"');
	xtr_line_hex(&j->line, v);
	xtr_line_char(&j->line, '"');
	after_value(j);
}

void xtr_json_kv_u64(struct xtr_json *j, const char *key, uint64_t v)
{
	xtr_json_key(j, key);
	xtr_json_u64(j, v);
}

void xtr_json_kv_u64_if(struct xtr_json *j, const char *key, bool known, uint64_t v)
{
	xtr_json_key(j, key);
	if (known)
		xtr_json_u64(j, v);
	else
		xtr_json_null(j);
}

void xtr_json_kv_known(struct xtr_json *j, const char *key, uint64_t v)
{
	xtr_json_kv_u64_if(j, key, v != 0, v);
}

void xtr_json_kv_s64(struct xtr_json *j, const char *key, int64_t v)
{
	xtr_json_key(j, key);
	xtr_json_s64(j, v);
}

void xtr_json_kv_bool(struct xtr_json *j, const char *key, bool v)
{
	xtr_json_key(j, key);
	xtr_json_bool(j, v);
}

void xtr_json_kv_str(struct xtr_json *j, const char *key, const char *v)
{
	xtr_json_key(j, key);
	xtr_json_str(j, v);
}

void xtr_json_kv_object(struct xtr_json *j, const char *key)
{
	xtr_json_key(j, key);
	xtr_json_begin_object(j);
}

void xtr_json_kv_array(struct xtr_json *j, const char *key)
{
	xtr_json_key(j, key);
	xtr_json_begin_array(j);
}

void xtr_json_document(struct xtr_json *j, FILE *f, const char *schema)
{
	xtr_json_init(j, f, true);
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "schema", schema);
}

void xtr_json_document_end(struct xtr_json *j)
{
	xtr_json_end_object(j);
	xtr_json_newline(j);
}
