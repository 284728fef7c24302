/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"
#include "utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void xtr_json_init(struct xtr_json *j, FILE *f, bool pretty)
{
	memset(j, 0, sizeof(*j));
	j->f = f;
	j->pretty = pretty;
}

void xtr_json_newline(struct xtr_json *j)
{
	assert(!j->depth);
	fputc('\n', j->f);
	j->has_item[0] = false;
}

static void indent(struct xtr_json *j)
{
	unsigned int i;

	if (!j->pretty)
		return;
	fputc('\n', j->f);
	for (i = 0; i < j->depth; i++)
		fputs("  ", j->f);
}

/* What stands between the item before and the value that follows. */
static void before_value(struct xtr_json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->has_item[j->depth])
		fputc(',', j->f);
	if (j->depth)
		indent(j);
	j->has_item[j->depth] = true;
}

static void begin(struct xtr_json *j, char c)
{
	before_value(j);
	fputc(c, j->f);
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
	fputc(c, j->f);
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

/* How many bytes at s stand for themselves. */
static size_t plain(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((signed char)s[i] < 0x20 || s[i] == 0x7f || s[i] == '"' || s[i] == '\\')
			break; /* from 0x80 on they are negative */
	return i;
}

/* RFC 8259 section 7: quotation mark, backslash and U+0000 to U+001F must be escaped; DEL is too.
 */
void xtr_json_quote(FILE *f, const char *s, size_t n)
{
	static const char *const shorts[0x20] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r",
	};
	size_t i = 0, len;

	fputc('"', f);
	while (i < n) {
		unsigned char c = (unsigned char)s[i];

		len = plain(s + i, n - i);
		if (len) {
			fwrite(s + i, 1, len, f);
			i += len;
			continue;
		}
		len = xtr_utf8_len(s + i, n - i);
		if (!len) {
			fputs("\\ufffd", f);
			len = 1;
		} else if (c == '"' || c == '\\') {
			fprintf(f, "\\%c", c);
		} else if (c < 0x20 && shorts[c]) {
			fputs(shorts[c], f);
		} else if (c < 0x20 || c == 0x7f) {
			fprintf(f, "\\u%04x", c);
		} else {
			fwrite(s + i, 1, len, f);
		}
		i += len;
	}
	fputc('"', f);
}

void xtr_json_key(struct xtr_json *j, const char *key)
{
	assert(j->depth && !j->after_key);
	before_value(j);
	xtr_json_quote(j->f, key, strlen(key));
	fputs(j->pretty ? ": " : ":", j->f);
	j->after_key = true;
}

void xtr_json_u64(struct xtr_json *j, uint64_t v)
{
	before_value(j);
	fprintf(j->f, "%" PRIu64, v);
}

void xtr_json_s64(struct xtr_json *j, int64_t v)
{
	before_value(j);
	fprintf(j->f, "%" PRId64, v);
}

void xtr_json_bool(struct xtr_json *j, bool v)
{
	before_value(j);
	fputs(v ? "true" : "false", j->f);
}

void xtr_json_null(struct xtr_json *j)
{
	before_value(j);
	fputs("null", j->f);
}

void xtr_json_strn(struct xtr_json *j, const char *s, size_t n)
{
	if (!s) {
		xtr_json_null(j);
		return;
	}
	before_value(j);
	xtr_json_quote(j->f, s, n);
}

void xtr_json_str(struct xtr_json *j, const char *s)
{
	xtr_json_strn(j, s, s ? strlen(s) : 0);
}

void xtr_json_hex(struct xtr_json *j, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	before_value(j);
	fputc('"', j->f);
	for (size_t i = 0; i < n; i++) {
		fputc(digits[p[i] >> 4], j->f);
		fputc(digits[p[i] & 15], j->f);
	}
	fputc('"', j->f);
}

void xtr_json_kv_u64(struct xtr_json *j, const char *key, uint64_t v)
{
	xtr_json_key(j, key);
	xtr_json_u64(j, v);
}

void xtr_json_kv_known(struct xtr_json *j, const char *key, uint64_t v)
{
	xtr_json_key(j, key);
	if (v)
		xtr_json_u64(j, v);
	else
		xtr_json_null(j);
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
