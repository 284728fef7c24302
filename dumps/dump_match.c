/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_match.h"

#include <string.h>

#define NS 1000000000ull

/* What is left of a line. */
struct rest {
	const char *p, *end;
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
	if (digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* v * by + more; false: it does not fit. */
static bool grow(uint64_t *v, uint64_t by, uint64_t more)
{
	return !__builtin_mul_overflow(*v, by, v) && !__builtin_add_overflow(*v, more, v);
}

/* False: there is no digit. */
static bool decimal(struct rest *r, struct dump_value *v)
{
	v->known = true;
	v->number = 0;
	if (r->p == r->end || !digit(*r->p))
		return false;
	for (; r->p < r->end && digit(*r->p); r->p++)
		v->known = v->known && grow(&v->number, 10, (uint64_t)(*r->p - '0'));
	return true;
}

static bool take_decimal(struct rest *r, struct dump_value *v)
{
	bool negative = r->p < r->end && *r->p == '-';

	r->p += negative;
	if (!decimal(r, v))
		return false;
	v->known = v->known && !negative;
	return true;
}

static bool take_hex(struct rest *r, struct dump_value *v)
{
	unsigned int digits = 0;
	int d;

	v->known = true;
	v->number = 0;
	if (r->end - r->p > 2 && r->p[0] == '0' && (r->p[1] == 'x' || r->p[1] == 'X'))
		r->p += 2;
	for (; r->p < r->end; r->p++) {
		d = hex_digit(*r->p);
		if (d < 0 && (*r->p == '_' || *r->p == ' ') && digits == 8 && r->end - r->p > 8 &&
		    hex_digit(r->p[1]) >= 0 && hex_digit(r->p[8]) >= 0)
			continue; /* upper half, lower half */
		if (d < 0)
			break;
		digits++;
		v->known = v->known && grow(&v->number, 16, (uint64_t)d);
	}
	return digits;
}

/* Digits behind the point, as ns. */
static uint64_t fraction(struct rest *r, uint64_t unit)
{
	uint64_t ns = 0;

	for (; r->p < r->end && digit(*r->p); r->p++) {
		unit /= 10;
		ns += unit * (uint64_t)(*r->p - '0');
	}
	return ns;
}

static bool take_seconds(struct rest *r, struct dump_value *v)
{
	if (!decimal(r, v) || r->p == r->end || *r->p != '.')
		return false;
	r->p++;
	v->known = v->known && grow(&v->number, NS, fraction(r, NS));
	return true;
}

/* i915's "12 s 345 us". */
static bool take_s_us(struct rest *r, struct dump_value *v)
{
	static const char s[] = " s ";
	struct dump_value us = { 0 };

	if (!decimal(r, v) || (size_t)(r->end - r->p) < sizeof(s) - 1 ||
	    memcmp(r->p, s, sizeof(s) - 1) != 0)
		return false;
	r->p += sizeof(s) - 1;
	if (!decimal(r, &us) || !us.known || us.number >= 1000000)
		return false;
	v->known = v->known && grow(&v->number, NS, us.number * 1000);
	return true;
}

/* What the pattern goes on with is looked for; where it ends, all of the line. */
static bool take_text(struct rest *r, struct dump_value *v, const char *next, bool word)
{
	size_t n = strcspn(next, "%");
	const char *to = n ? memmem(r->p, (size_t)(r->end - r->p), next, n) : r->end;

	if (!to)
		return false;
	v->text = r->p;
	v->n = (size_t)(to - r->p);
	v->known = true;
	if (word)
		for (size_t i = 0; i < v->n; i++)
			if (v->text[i] == ' ' || v->text[i] == '\t') {
				if (n)
					return false;
				v->n = i;
			}
	r->p += v->n;
	return v->n || !word;
}

static bool take(char directive, struct rest *r, struct dump_value *v, const char *next)
{
	const char *from = r->p;
	bool is = false;

	switch (directive) {
	case 'u':
	case 'd':
		is = take_decimal(r, v);
		break;
	case 'x':
		is = take_hex(r, v);
		break;
	case 't':
		is = take_seconds(r, v);
		break;
	case 'T':
		is = take_s_us(r, v);
		break;
	case 'w':
	case 's':
		return take_text(r, v, next, directive == 'w');
	default:
		break;
	}
	v->text = from;
	v->n = (size_t)(r->p - from);
	return is;
}

/* At this place. */
static int match_here(const char *pattern, struct rest r, struct dump_value *v)
{
	int n = 0;

	while (*pattern) {
		if (*pattern == '%' && n < (int)DUMP_VALUES) {
			v[n] = (struct dump_value){ 0 };
			if (!take(pattern[1], &r, &v[n], pattern + 2))
				return -1;
			n++;
			pattern += 2;
			continue;
		}
		if (r.p == r.end || *r.p != *pattern)
			return -1;
		r.p++;
		pattern++;
	}
	return n;
}

int dump_match(const char *pattern, const char *line, size_t n, struct dump_value *v,
	       const char **at)
{
	const size_t literal = strcspn(pattern, "%");
	const char *p = line, *end = line + n;
	int got = -1;

	*at = line;
	if (!literal)
		return match_here(pattern, (struct rest){ line, end }, v);
	while (got < 0 && (p = memmem(p, (size_t)(end - p), pattern, literal))) {
		*at = p;
		got = match_here(pattern, (struct rest){ p, end }, v);
		p++;
	}
	return got;
}
