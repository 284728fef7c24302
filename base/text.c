/* SPDX-License-Identifier: BSD-2-Clause */
#include "text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool xtr_text_unit(char buf[XTR_TEXT_NUMBER], uint64_t v, const struct xtr_text_unit *u,
		   uint64_t limit)
{
	uint64_t scale, n;
	int digits;

	for (scale = 100, digits = 2; scale > 1; scale /= 10, digits--) {
		n = (uint64_t)(((__uint128_t)v * scale + u->factor / 2) / u->factor);
		if (n < 1000)
			break;
	}
	n = (uint64_t)(((__uint128_t)v * scale + u->factor / 2) / u->factor);
	if (n / scale >= limit)
		return false;
	if (u->factor == 1 || digits == 0)
		snprintf(buf, XTR_TEXT_NUMBER, "%" PRIu64 " %s", n / scale, u->name);
	else
		snprintf(buf, XTR_TEXT_NUMBER, "%" PRIu64 ".%0*" PRIu64 " %s", n / scale, digits,
			 n % scale, u->name);
	return true;
}

char *xtr_text_ns(char buf[XTR_TEXT_NUMBER], uint64_t ns)
{
	static const struct xtr_text_unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }
	};
	size_t i = 0;

	while (!xtr_text_unit(buf, ns, &units[i], i < 3 ? 1000 : UINT64_MAX))
		i++;
	return buf;
}

char *xtr_text_bytes(char buf[XTR_TEXT_NUMBER], uint64_t bytes)
{
	static const struct xtr_text_unit units[] = {
		{ "B", 1 },
		{ "KiB", UINT64_C(1) << 10 },
		{ "MiB", UINT64_C(1) << 20 },
		{ "GiB", UINT64_C(1) << 30 },
		{ "TiB", UINT64_C(1) << 40 },
		{ "PiB", UINT64_C(1) << 50 },
		{ "EiB", UINT64_C(1) << 60 },
	};
	size_t i = 0;

	while (!xtr_text_unit(buf, bytes, &units[i], 1024))
		i++;
	return buf;
}

char *xtr_text_count(char buf[XTR_TEXT_NUMBER], uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n), i, k = 0;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[k++] = ',';
		buf[k++] = digits[i];
	}
	buf[k] = '\0';
	return buf;
}

char *xtr_text_stamp(char buf[XTR_TEXT_NUMBER], uint64_t ns)
{
	snprintf(buf, XTR_TEXT_NUMBER, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
	return buf;
}

char *xtr_text_place(char buf[XTR_TEXT_NUMBER], bool times, uint64_t ts)
{
	if (times)
		return xtr_text_stamp(buf, ts);
	snprintf(buf, XTR_TEXT_NUMBER, "#%" PRIu64, ts);
	return buf;
}

char *xtr_text_percent(char buf[XTR_TEXT_NUMBER], uint64_t part, uint64_t whole)
{
	__uint128_t tenths;

	if (!whole) {
		strcpy(buf, "-");
		return buf;
	}
	tenths = ((__uint128_t)part * 1000 + whole / 2) / whole;
	if (tenths > UINT64_MAX)
		tenths = UINT64_MAX;
	if (!tenths && part)
		strcpy(buf, "<0.1 %");
	else if (tenths == 1000 && part < whole)
		strcpy(buf, ">99.9 %");
	else
		snprintf(buf, XTR_TEXT_NUMBER, "%" PRIu64 ".%u %%", (uint64_t)(tenths / 10),
			 (unsigned int)(tenths % 10));
	return buf;
}

/* One character of s in its safe form; returns how many bytes of s it was, *len what is in out. */
static size_t safe_char(const char *s, size_t n, char out[8], size_t *len)
{
	size_t k = xtr_utf8_len(s, n);
	unsigned char c = (unsigned char)*s;

	if (!k || c == '\\' || xtr_utf8_is_control(s, k)) {
		*len = (size_t)snprintf(out, 8, "\\x%02x", c);
		return 1;
	}
	memcpy(out, s, k);
	*len = k;
	return k;
}

char *xtr_text_hex(char *buf, size_t cap, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n && 2 * i + 2 < cap; i++) {
		buf[2 * i] = digits[p[i] >> 4];
		buf[2 * i + 1] = digits[p[i] & 15];
	}
	buf[2 * i] = '\0';
	return buf;
}

const char *xtr_text_input(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

char *xtr_text_name(char *buf, size_t cap, const char *s, size_t n)
{
	size_t i = xtr_utf8_plain(s, n, '\\'), used, len, k;
	char one[8];

	if (i >= cap)
		i = cap - 1;
	if (i)
		memcpy(buf, s, i);
	used = i;
	while (i < n) {
		k = safe_char(s + i, n - i, one, &len);
		if (used + len >= cap)
			break;
		memcpy(buf + used, one, len);
		used += len;
		i += k;
	}
	buf[used] = '\0';
	return buf;
}

void xtr_text_put(FILE *f, const char *s, size_t n)
{
	size_t i = xtr_utf8_plain(s, n, '\\'), from = 0, len, k;
	char one[8];

	while (i < n) {
		k = safe_char(s + i, n - i, one, &len);
		if (len != k) { /* only an escape differs in length from what it stands for */
			fwrite(s + from, 1, i - from, f);
			fwrite(one, 1, len, f);
			from = i + k;
		}
		i += k;
		i += xtr_utf8_plain(s + i, n - i, '\\');
	}
	fwrite(s + from, 1, n - from, f);
}

/* The length of the character at s that may stay as it is, 0 if it may not. */
static size_t kept(const char *s, size_t n)
{
	return *s ? xtr_utf8_len(s, n) : 0;
}

static const char *replaced(struct xtr_utf8 *u, const char *s, size_t *n, size_t good)
{
	size_t i = good, out = good, k;

	if (u->cap < 3 * *n) { /* 3 bytes for U+FFFD */
		char *p = realloc(u->p, 3 * *n);

		if (!p)
			return NULL;
		u->p = p;
		u->cap = 3 * *n;
	}
	memcpy(u->p, s, good);
	for (; i < *n; i += k) {
		k = kept(s + i, *n - i);
		memcpy(u->p + out, k ? s + i : "\xef\xbf\xbd", k ? k : 3);
		out += k ? k : 3;
		k = k ? k : 1;
	}
	*n = out;
	return u->p;
}

/* Bytes of whole words of ASCII without NUL at the begin: what most texts are. */
static size_t plain_words(const char *s, size_t n)
{
	const uint64_t ones = UINT64_MAX / 255, high = ones << 7;
	uint64_t word;
	size_t i;

	for (i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, s + i, sizeof(word));
		if ((word | (word - ones)) & high)
			break;
	}
	return i;
}

const char *xtr_text_utf8(struct xtr_utf8 *u, const char *s, size_t *n)
{
	size_t i = plain_words(s, *n), k;

	while (i < *n) {
		k = (signed char)s[i] > 0 ? 1 : kept(s + i, *n - i);
		if (!k)
			return replaced(u, s, n, i);
		i += k;
	}
	return s;
}

/* --- digits ----------------------------------------------------------------------------------- */

/* "00" to "99". */
static const char pairs[200] = {
#define TEN(t) t, '0', t, '1', t, '2', t, '3', t, '4', t, '5', t, '6', t, '7', t, '8', t, '9',
	TEN('0') TEN('1') TEN('2') TEN('3') TEN('4') TEN('5') TEN('6') TEN('7') TEN('8') TEN('9')
#undef TEN
};

static const uint64_t power[XTR_DIGITS_MAX] = {
	1u,
	10u,
	100u,
	1000u,
	10000u,
	100000u,
	1000000u,
	10000000u,
	100000000u,
	1000000000u,
	10000000000u,
	100000000000u,
	1000000000000u,
	10000000000000u,
	100000000000000u,
	1000000000000000u,
	10000000000000000u,
	100000000000000000u,
	1000000000000000000u,
	10000000000000000000u,
};

/* 1233 / 4096 is a little more than log 2: right, or one too few. */
unsigned int xtr_digits_count(uint64_t v)
{
	unsigned int bits = 64u - (unsigned int)__builtin_clzll(v | 1), n = bits * 1233 >> 12;

	return n + ((v | 1) >= power[n]);
}

char *xtr_digits_padded(char *p, uint64_t v, unsigned int n)
{
	char *end = p + n;

	p = end;
	for (; n >= 2; n -= 2, v /= 100) {
		p -= 2;
		memcpy(p, &pairs[2 * (v % 100)], 2);
	}
	if (n)
		*--p = (char)('0' + v % 10);
	return end;
}

char *xtr_digits_put(char *p, uint64_t v)
{
	return xtr_digits_padded(p, v, xtr_digits_count(v));
}

/* --- utf8 ------------------------------------------------------------------------------------- */

/*
 * RFC 3629 section 4 as a table: lead byte range, range of the second byte, length. All later
 * bytes are 80..BF.
 */
static const struct {
	unsigned char lo, hi, lo2, hi2, len;
} forms[] = {
	{ 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t xtr_utf8_len(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;

	if (!n)
		return 0;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (p[0] < forms[i].lo || p[0] > forms[i].hi)
			continue;
		if (forms[i].len == 1)
			return 1;
		if (n < forms[i].len || p[1] < forms[i].lo2 || p[1] > forms[i].hi2)
			return 0;
		for (size_t k = 2; k < forms[i].len; k++)
			if (p[k] < 0x80 || p[k] > 0xbf)
				return 0;
		return forms[i].len;
	}
	return 0;
}

#define EACH 0x0101010101010101ull /* one in each byte */

/* A bit 7 for a byte that is zero, and maybe for bytes above one: 0 if there is none. */
static uint64_t zero_bytes(uint64_t w)
{
	return (w - EACH) & ~w & 0x80 * EACH;
}

static const uint8_t special[256] = { [0 ... 0x1f] = 1, [0x7f ... 0xff] = 1, ['\\'] = 1 };

/* Eight bytes at a time, as long as nothing in them needs a closer look. */
size_t xtr_utf8_plain(const char *s, size_t n, char but)
{
	size_t i;
	uint64_t w;

	for (i = 0; n - i >= sizeof(w); i += sizeof(w)) {
		memcpy(&w, s + i, sizeof(w));
		if ((w & 0x80 * EACH) | ((w - 0x20 * EACH) & ~w & 0x80 * EACH) |
		    zero_bytes(w ^ 0x7f * EACH) | zero_bytes(w ^ '\\' * EACH) |
		    zero_bytes(w ^ (uint8_t)but * EACH))
			break;
	}
	for (; i < n; i++)
		if (special[(uint8_t)s[i]] || s[i] == but)
			break;
	return i;
}

bool xtr_utf8_is_control(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;

	switch (len) {
	case 1:
		return p[0] < 0x20 || p[0] == 0x7f;
	case 2:
		return p[0] == 0xc2 && p[1] < 0xa0;
	case 3:
		return p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
					(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
	default:
		return false;
	}
}

/* --- folding ---------------------------------------------------------------------------------- */

/* Columns of UTF-8, of which each character takes one. */
static size_t columns(const char *s, size_t n)
{
	size_t c = 0;

	for (size_t i = 0; i < n; i++)
		c += ((unsigned char)s[i] & 0xc0) != 0x80;
	return c;
}

/* One line without its end, word by word. */
static void fold_line(FILE *f, const char *s, size_t n)
{
	size_t hang = 2, at = 0, word;

	while (hang - 2 < n && s[hang - 2] == ' ')
		hang++;
	for (size_t i = 0; i < n; i += word) {
		size_t len;

		/* The blanks before a word are its own. */
		word = i;
		while (word < n && s[word] == ' ')
			word++;
		while (word < n && s[word] != ' ')
			word++;
		word -= i;
		len = columns(s + i, word);
		if (at > hang && at + len > XTR_TEXT_COLUMNS) {
			fprintf(f, "\n%*s", (int)hang, "");
			at = hang;
			i++;
			word--;
			len--;
		}
		fwrite(s + i, 1, word, f);
		at += len;
	}
}

void xtr_text_fold(FILE *f, const char *s, size_t n)
{
	for (size_t len; n; s += len, n -= len) {
		const char *end = memchr(s, '\n', n);

		len = end ? (size_t)(end - s) : n;
		fold_line(f, s, len);
		if (end) {
			fputc('\n', f);
			len++;
		}
	}
}
