/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text put together in memory and written to a stream in one piece: what lines take of which there
 * are millions, without printf. Nothing is lost if it is longer than the memory; errors are the
 * stream's, which no other thread may write to meanwhile.
 */
#ifndef XTR_LINE_H
#define XTR_LINE_H

#include "text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define XTR_LINE_BYTES 2048u

struct xtr_line {
	FILE *f;
	size_t n; /* bytes in buf */
	char buf[XTR_LINE_BYTES];
};

/* buf is not cleared: a line is made for each event. */
static inline void xtr_line_begin(struct xtr_line *l, FILE *f)
{
	l->f = f;
	l->n = 0;
}

/* Write what there is. */
void xtr_line_flush(struct xtr_line *l);
/* n bytes that do not fit beside what there is. */
void xtr_line_put_long(struct xtr_line *l, const char *s, size_t n);

static inline void xtr_line_put(struct xtr_line *l, const char *s, size_t n)
{
	if (n > sizeof(l->buf) - l->n) {
		xtr_line_put_long(l, s, n);
		return;
	}
	memcpy(l->buf + l->n, s, n);
	l->n += n;
}

static inline void xtr_line_char(struct xtr_line *l, char c)
{
	if (l->n == sizeof(l->buf))
		xtr_line_flush(l);
	l->buf[l->n++] = c;
}

static inline void xtr_line_str(struct xtr_line *l, const char *s)
{
	xtr_line_put(l, s, strlen(s));
}

/* n times c. */
void xtr_line_fill(struct xtr_line *l, char c, size_t n);
/* Decimal. */
static inline void xtr_line_number(struct xtr_line *l, uint64_t v)
{
	if (sizeof(l->buf) - l->n < XTR_DIGITS_MAX)
		xtr_line_flush(l);
	l->n = (size_t)(xtr_digits_put(l->buf + l->n, v) - l->buf);
}
/* Decimal, at least `width` digits (up to 20), with zeros in front. */
void xtr_line_u64(struct xtr_line *l, uint64_t v, unsigned int width);
/* Decimal, in `width` columns, blanks behind. */
void xtr_line_left(struct xtr_line *l, uint64_t v, unsigned int width);
void xtr_line_s64(struct xtr_line *l, int64_t v);
/* "0x1f". */
void xtr_line_hex(struct xtr_line *l, uint64_t v);
/* Two digits for each byte. */
void xtr_line_bytes(struct xtr_line *l, const uint8_t *p, size_t n);
/* As xtr_text_put: a stranger's text, escaped. */
void xtr_line_text(struct xtr_line *l, const char *s, size_t n);

/*
 * CSV field, RFC 4180: quoted if it holds a comma, a quote or a line break. It is valid UTF-8:
 * U+FFFD stands for NUL and for each byte that is not.
 */
void xtr_line_csv(struct xtr_line *l, const char *s, size_t n);

#endif /* XTR_LINE_H */
