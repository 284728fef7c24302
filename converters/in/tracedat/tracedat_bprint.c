/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What trace_printk() wrote: the kernel stores the values alone and the address of the format
 * (vbin_printf() of lib/vsprintf.c). Values stand one after the other: those of 8 bytes at
 * multiples of 4, all others at multiples of their own size; texts as they are, with their 0 byte.
 * A pointer that the kernel follows (%pI4, %pM, ...) is the finished text since Linux 4.17, and its
 * address before, as are %p, %ps, %pS, %px, %pK, %pe always.
 */
#include "base/checked.h"
#include "tracedat_priv.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where values are taken from, and where the text goes. */
struct bprint {
	const uint8_t *p; /* the values */
	size_t n, at;
	bool big;
	uint32_t long_size;
	const struct dat *d;
	char *out;
	size_t cap, len;
};

/* One conversion of the format. */
struct spec {
	bool left, plus, space, alt, zero;
	int width, precision; /* -1: none */
	uint32_t size;        /* bytes of a number */
};

static void add(struct bprint *b, const char *text, size_t n)
{
	size_t room = b->cap - b->len;

	n = n < room ? n : room;
	memcpy(b->out + b->len, text, n);
	b->len += n;
}

static void fill(struct bprint *b, char c, int n)
{
	while (n-- > 0 && b->len < b->cap)
		b->out[b->len++] = c;
}

/* The next value; 0 where the record ends before it. */
static uint64_t take(struct bprint *b, uint32_t size)
{
	size_t align = size == 8 ? 4 : size, at = (b->at + align - 1) & ~(align - 1);
	uint64_t v = 0;

	if (at > b->n || size > b->n - at) {
		b->at = b->n;
		return 0;
	}
	for (uint32_t i = 0; i < size; i++)
		v |= (uint64_t)b->p[at + (b->big ? size - 1 - i : i)] << (8 * i);
	b->at = at + size;
	return v;
}

static void put_text(struct bprint *b, const struct spec *s, const char *text, size_t n)
{
	int pad;

	if (s->precision >= 0 && n > (size_t)s->precision)
		n = (size_t)s->precision;
	pad = n < (size_t)(s->width > 0 ? s->width : 0) ? s->width - (int)n : 0;
	if (!s->left)
		fill(b, ' ', pad);
	add(b, text, n);
	if (s->left)
		fill(b, ' ', pad);
}

static const char *sign_of(const struct spec *s, char conv, bool negative)
{
	if (conv == 'd')
		return negative ? "-" : s->plus ? "+" : s->space ? " " : "";
	if (!s->alt)
		return "";
	return conv == 'x' ? "0x" : conv == 'X' ? "0X" : conv == 'o' ? "0" : "";
}

/* conv: d (signed), u, x, X or o. */
static void put_number(struct bprint *b, const struct spec *s, char conv, uint64_t v)
{
	const char *digits = conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef", *sign;
	unsigned int base = conv == 'o' ? 8 : conv == 'd' || conv == 'u' ? 10 : 16;
	bool negative = conv == 'd' && (int64_t)v < 0;
	char text[24];
	int n = 0, zeros, pad;

	v = negative ? -v : v;
	do
		text[sizeof(text) - 1 - (size_t)n++] = digits[v % base];
	while (v /= base);
	sign = sign_of(s, conv, negative);
	zeros = s->precision > n ? s->precision - n : 0;
	pad = s->width - n - zeros - (int)strlen(sign);
	if (s->zero && !s->left && s->precision < 0) {
		zeros = pad > 0 ? pad : 0;
		pad = 0;
	}
	if (!s->left)
		fill(b, ' ', pad);
	add(b, sign, strlen(sign));
	fill(b, '0', zeros);
	add(b, text + sizeof(text) - n, (size_t)n);
	if (s->left)
		fill(b, ' ', pad);
}

static uint64_t extend(uint64_t v, uint32_t size)
{
	const unsigned int shift = size ? 64 - 8 * size : 0;

	return (uint64_t)((int64_t)(v << shift) >> shift);
}

static void put_stored_text(struct bprint *b, const struct spec *s)
{
	const char *text = (const char *)b->p + b->at;
	size_t n = strnlen(text, b->n - b->at);

	b->at += n < b->n - b->at ? n + 1 : n;
	put_text(b, s, text, n);
}

/* f: behind the 'p'. Returns what is behind the letters that say how to print it. */
static const char *put_pointer(struct bprint *b, const struct spec *s, const char *f)
{
	struct spec hex = { .alt = true, .width = s->width, .precision = -1, .left = s->left };
	bool plain = !isalnum((unsigned char)*f) || strchr("SsxKeB", *f) ||
		     ((*f == 'f' || *f == 'F') && f[1] != 'w');

	while (isalnum((unsigned char)*f))
		f++;
	/* Addresses are not text: this tells what the kernel was. */
	if (!plain && b->at < b->n && isprint(b->p[b->at]))
		put_stored_text(b, s);
	else
		put_number(b, &hex, 'x', xtr_import_address(b->d->im, take(b, b->long_size)));
	return f;
}

/* A number of the format itself, or '*': a value. More than there is room for means the same. */
static const char *take_count(struct bprint *b, const char *f, int *v)
{
	const int most = (int)b->cap;

	*v = 0;
	if (*f == '*') {
		*v = (int)take(b, 4);
		f++;
	}
	for (; isdigit((unsigned char)*f); f++)
		*v = *v < most ? *v * 10 + (*f - '0') : most;
	*v = *v > most ? most : *v < -most ? -most : *v;
	return f;
}

static const char *take_flags(const char *f, struct spec *s)
{
	for (;; f++) {
		switch (*f) {
		case '-':
			s->left = true;
			break;
		case '+':
			s->plus = true;
			break;
		case ' ':
			s->space = true;
			break;
		case '#':
			s->alt = true;
			break;
		case '0':
			s->zero = true;
			break;
		default:
			return f;
		}
	}
}

static const char *take_size(const struct bprint *b, const char *f, struct spec *s)
{
	static const struct {
		char text[3];
		uint8_t size; /* 0: a long of the kernel's */
	} sizes[] = { { "hh", 1 }, { "ll", 8 }, { "h", 2 }, { "l", 0 }, { "L", 8 },
		      { "q", 8 },  { "z", 0 },  { "Z", 0 }, { "t", 0 }, { "j", 8 } };

	s->size = 4;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = strlen(sizes[i].text);

		if (strncmp(f, sizes[i].text, n) != 0)
			continue;
		s->size = sizes[i].size ? sizes[i].size : b->long_size;
		return f + n;
	}
	return f;
}

/* f: behind the '%'. Returns what follows the conversion. */
static const char *convert(struct bprint *b, const char *f)
{
	struct spec s = { .precision = -1 };
	char c;

	f = take_count(b, take_flags(f, &s), &s.width);
	if (s.width < 0) {
		s.left = true;
		s.width = -s.width;
	}
	if (*f == '.')
		f = take_count(b, f + 1, &s.precision);
	f = take_size(b, f, &s);
	switch (*f) {
	case '\0':
		return f;
	case 'd':
	case 'i':
		put_number(b, &s, 'd', extend(take(b, s.size), s.size));
		break;
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		put_number(b, &s, *f, take(b, s.size));
		break;
	case 'c':
		c = (char)take(b, 1);
		put_text(b, &s, &c, 1);
		break;
	case 's':
		put_stored_text(b, &s);
		break;
	case 'p':
		return put_pointer(b, &s, f + 1);
	default: /* "%%", or none of the kernel's */
		add(b, f, 1);
	}
	return f + 1;
}

/* The text of a bprint in out, at most cap bytes, no 0 byte behind it; returns its bytes. */
static size_t dat_bprint(const struct dat *d, const char *format, const uint8_t *values, size_t n,
			 char *out, size_t cap)
{
	struct bprint b = { .p = values,
			    .n = n,
			    .big = d->big,
			    .long_size = d->long_size,
			    .d = d,
			    .out = out,
			    .cap = cap };
	size_t plain;

	while (*format && b.len < cap) {
		plain = strcspn(format, "%");
		add(&b, format, plain);
		format += plain;
		if (*format)
			format = convert(&b, format + 1);
	}
	return b.len;
}

/* --- tracedat text ---------------------------------------------------------------------------- */

/*
 * Events that are a text: ftrace:print (markers), :bprint and :bputs (trace_printk). Kernels have
 * declared the text in several ways, or store only where it is; all become a record of `ip` and
 * `buf`, the text to its end, without the line's end.
 */

#define COMMON 8u /* bytes: common fields */

static const struct {
	const char *event, *text, *format; /* fields; format NULL: none */
	enum dat_text_kind kind;
} texts[] = {
	{ "print", "buf", NULL, DAT_TEXT_STORED },
	{ "bputs", "str", NULL, DAT_TEXT_POINTED },
	{ "bprint", "buf", "fmt", DAT_TEXT_BINARY },
};

static const struct xtr_tp_field *field(const struct xtr_tp_format *f, const char *name)
{
	for (size_t i = 0; name && i < f->n_fields; i++)
		if (!strcmp(f->fields[i].name, name))
			return &f->fields[i];
	return NULL;
}

/* A format of the form above in place of the kernel's. */
static int replace(struct dat *d, struct dat_event_type *t)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "name: %s\nID: %" PRIu32 "\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n"
			 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			 "\tfield:unsigned long ip;\toffset:8;\tsize:%" PRIu32 ";\tsigned:0;\n"
			 "\tfield:char buf[];\toffset:%" PRIu32 ";\tsize:0;\tsigned:0;\n"
			 "print fmt: \"%%p: %%s\", REC->ip, REC->buf\n",
			 t->f->name, t->f->id, d->long_size, COMMON + d->long_size);
	struct xtr_tp_format *f;
	int err = xtr_tp_format_parse(&f, text, (size_t)n);

	if (err)
		return err;
	f->common = t->f->common;
	xtr_tp_format_free(t->f);
	t->f = f;
	return 0;
}

int dat_text_event(struct dat *d, struct dat_event_type *t)
{
	const struct xtr_tp_field *ip = field(t->f, "ip"), *text, *format;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(t->f->name, texts[i].event) != 0)
			continue;
		text = field(t->f, texts[i].text);
		format = field(t->f, texts[i].format);
		if (!text || text->kind == XTR_TP_LOC_STR || text->kind == XTR_TP_REL_STR ||
		    (texts[i].format && !format))
			return 0;
		t->kind = texts[i].kind;
		t->ip_at = ip && ip->size == d->long_size ? ip->offset : 0;
		t->text_at = text->offset;
		t->format_at = format ? format->offset : 0;
		return replace(d, t);
	}
	return 0;
}

static uint64_t address(const struct dat *d, const uint8_t *rec, uint32_t n, uint32_t at)
{
	uint64_t v = 0;

	for (uint32_t i = 0; xtr_fits(at, d->long_size, n) && i < d->long_size; i++)
		v |= (uint64_t)rec[at + (d->big ? d->long_size - 1 - i : i)] << (8 * i);
	return v;
}

static size_t put_unknown(const struct dat *d, uint64_t addr, char *out, size_t cap)
{
	int n = snprintf(out, cap, "(no text at 0x%" PRIx64 ")", xtr_import_address(d->im, addr));

	return n < 0 ? 0 : (size_t)n < cap ? (size_t)n : cap - 1;
}

static size_t put_event_text(const struct dat *d, const struct dat_event_type *t,
			     const uint8_t *rec, uint32_t n, char *out, size_t cap)
{
	const struct dat_string *s;
	uint64_t addr;
	size_t len;

	if (t->kind == DAT_TEXT_STORED) {
		len = strnlen((const char *)rec + t->text_at, n - t->text_at);
		len = len < cap ? len : cap;
		memcpy(out, rec + t->text_at, len);
		return len;
	}
	addr = address(d, rec, n, t->kind == DAT_TEXT_BINARY ? t->format_at : t->text_at);
	s = dat_string(d, addr);
	if (!s)
		return put_unknown(d, addr, out, cap);
	if (t->kind == DAT_TEXT_BINARY)
		return dat_bprint(d, s->text, rec + t->text_at, n - t->text_at, out, cap);
	len = s->len < cap ? s->len : cap;
	memcpy(out, s->text, len);
	return len;
}

void dat_text_record(struct dat *d, const struct dat_event_type *t, const uint8_t **rec,
		     uint32_t *n)
{
	uint32_t at = COMMON + d->long_size;
	char *text = (char *)d->text + at;
	size_t len = 0;

	memset(d->text, 0, at);
	memcpy(d->text, *rec, *n < COMMON ? *n : COMMON);
	if (t->ip_at && xtr_fits(t->ip_at, d->long_size, *n))
		memcpy(d->text + COMMON, *rec + t->ip_at, d->long_size);
	if (t->text_at <= *n)
		len = put_event_text(d, t, *rec, *n, text, DAT_TEXT_MAX);
	len -= len && text[len - 1] == '\n';
	*rec = d->text;
	*n = at + (uint32_t)len;
}
