/* SPDX-License-Identifier: BSD-2-Clause */
#include "line.h"
#include "text.h"

static const char hex_digit[] = "0123456789abcdef";

void xtr_line_flush(struct xtr_line *l)
{
	fwrite_unlocked(l->buf, 1, l->n, l->f);
	l->n = 0;
}

void xtr_line_put_long(struct xtr_line *l, const char *s, size_t n)
{
	xtr_line_flush(l);
	if (n > sizeof(l->buf))
		fwrite_unlocked(s, 1, n, l->f);
	else
		xtr_line_put(l, s, n);
}

void xtr_line_fill(struct xtr_line *l, char c, size_t n)
{
	while (n--)
		xtr_line_char(l, c);
}

void xtr_line_u64(struct xtr_line *l, uint64_t v, unsigned int width)
{
	unsigned int n = xtr_digits_count(v);

	if (n < width)
		n = width < XTR_DIGITS_MAX ? width : XTR_DIGITS_MAX;
	if (sizeof(l->buf) - l->n < n)
		xtr_line_flush(l);
	l->n = (size_t)(xtr_digits_padded(l->buf + l->n, v, n) - l->buf);
}

void xtr_line_left(struct xtr_line *l, uint64_t v, unsigned int width)
{
	unsigned int n = xtr_digits_count(v);

	xtr_line_number(l, v);
	xtr_line_fill(l, ' ', n < width ? width - n : 0);
}

void xtr_line_s64(struct xtr_line *l, int64_t v)
{
	if (v < 0)
		xtr_line_char(l, '-');
	xtr_line_number(l, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void xtr_line_hex(struct xtr_line *l, uint64_t v)
{
	char digits[18];
	unsigned int i = sizeof(digits);

	do
		digits[--i] = hex_digit[v & 15];
	while (v >>= 4);
	digits[--i] = 'x';
	digits[--i] = '0';
	xtr_line_put(l, digits + i, sizeof(digits) - i);
}

void xtr_line_bytes(struct xtr_line *l, const uint8_t *p, size_t n)
{
	size_t some;
	char *to;

	for (; n; p += some, n -= some) {
		some = n < XTR_LINE_BYTES / 2 ? n : XTR_LINE_BYTES / 2;
		if (2 * some > sizeof(l->buf) - l->n)
			xtr_line_flush(l);
		to = l->buf + l->n;
		for (size_t i = 0; i < some; i++) {
			*to++ = hex_digit[p[i] >> 4];
			*to++ = hex_digit[p[i] & 15];
		}
		l->n += 2 * some;
	}
}

void xtr_line_text(struct xtr_line *l, const char *s, size_t n)
{
	if (xtr_utf8_plain(s, n, '\\') == n) {
		xtr_line_put(l, s, n);
		return;
	}
	xtr_line_flush(l);
	xtr_text_put(l->f, s, n);
}

#define CSV_QUOTED 1u /* the field needs quotation marks */
#define CSV_CHECK  2u /* it may not be UTF-8 */

static const uint8_t csv_class[256] = {
	[0] = CSV_CHECK,     [','] = CSV_QUOTED,  ['"'] = CSV_QUOTED,
	['\r'] = CSV_QUOTED, ['\n'] = CSV_QUOTED, [0x80 ... 0xff] = CSV_CHECK,
};

/* A quotation mark is written twice, and U+FFFD for each byte that is not UTF-8. */
static void put_field(struct xtr_line *l, const char *s, size_t n)
{
	size_t from = 0, k;

	for (size_t i = 0; i < n; i += k ? k : 1) {
		k = s[i] ? xtr_utf8_len(s + i, n - i) : 0;
		if (k && s[i] != '"')
			continue;
		xtr_line_put(l, s + from, i - from);
		if (k)
			xtr_line_char(l, '"');
		else
			xtr_line_put(l, "\xef\xbf\xbd", 3);
		from = i + !k;
	}
	xtr_line_put(l, s + from, n - from);
}

void xtr_line_csv(struct xtr_line *l, const char *s, size_t n)
{
	unsigned int class = 0;

	for (size_t i = 0; i < n; i++)
		class |= csv_class[(uint8_t)s[i]];
	if (!class) {
		xtr_line_put(l, s, n);
		return;
	}
	if (class & CSV_QUOTED)
		xtr_line_char(l, '"');
	put_field(l, s, n);
	if (class & CSV_QUOTED)
		xtr_line_char(l, '"');
}
