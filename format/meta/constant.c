/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constant expressions as the preprocessor leaves them in print formats, for example
 * "((( gfp_t)((((1UL))) << (___GFP_IO_BIT))))" (which is none: a name is left) or "(1 << 3) |
 * 0x10u". Precedence climbing; nesting is bounded.
 */
#include "printfmt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define DEPTH_MAX 64

struct scan {
	const char *p, *end;
	int depth;
};

static bool parse_binary(struct scan *s, int min_prec, uint64_t *v);

static void skip_space(struct scan *s)
{
	while (s->p < s->end && isspace((unsigned char)*s->p))
		s->p++;
}

static bool take(struct scan *s, const char *text)
{
	size_t n = strlen(text);

	skip_space(s);
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n))
		return false;
	s->p += n;
	return true;
}

static bool parse_number(struct scan *s, uint64_t *v)
{
	char buf[32], *stop;
	size_t n = 0;

	skip_space(s);
	while (s->p + n < s->end && n < sizeof(buf) - 1 && isalnum((unsigned char)s->p[n])) {
		buf[n] = s->p[n];
		n++;
	}
	buf[n] = 0;
	if (!isdigit((unsigned char)buf[0]))
		return false;
	*v = strtoull(buf, &stop, 0);
	s->p += n;
	return stop[strspn(stop, "uUlL")] == 0;
}

/* "(unsigned long)": words and stars only, and not a number. */
static bool take_cast(struct scan *s)
{
	const char *p = s->p;
	bool word = false;

	for (; p < s->end && *p != ')'; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("_ *", *p))
			return false;
		if (isdigit((unsigned char)*p) && !word)
			return false;
		if (isalpha((unsigned char)*p) || *p == '_')
			word = true;
	}
	if (p == s->end || !word)
		return false;
	s->p = p + 1;
	return true;
}

static bool parse_unary(struct scan *s, uint64_t *v)
{
	bool ok;

	*v = 0;
	if (++s->depth > DEPTH_MAX)
		return false;
	if (take(s, "-")) {
		ok = parse_unary(s, v);
		*v = 0 - *v;
	} else if (take(s, "~")) {
		ok = parse_unary(s, v);
		*v = ~*v;
	} else if (take(s, "(")) {
		if (take_cast(s))
			ok = parse_unary(s, v);
		else
			ok = parse_binary(s, 0, v) && take(s, ")");
	} else {
		ok = parse_number(s, v);
	}
	s->depth--;
	return ok;
}

static const struct {
	const char *text;
	int prec;
} operators[] = {
	{ "<<", 4 }, { ">>", 4 }, { "+", 5 }, { "-", 5 },
	{ "*", 6 },  { "&", 3 },  { "^", 2 }, { "|", 1 },
};

static uint64_t apply(const char *op, uint64_t a, uint64_t b)
{
	switch (op[0]) {
	case '<':
		return b < 64 ? a << b : 0;
	case '>':
		return b < 64 ? a >> b : 0;
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '&':
		return a & b;
	case '^':
		return a ^ b;
	default:
		return a | b;
	}
}

static bool parse_binary(struct scan *s, int min_prec, uint64_t *v)
{
	uint64_t right;
	size_t i;

	if (!parse_unary(s, v))
		return false;
	for (;;) {
		for (i = 0; i < COUNT(operators); i++) {
			if (operators[i].prec > min_prec && take(s, operators[i].text))
				break;
		}
		if (i == COUNT(operators))
			return true;
		if (!parse_binary(s, operators[i].prec, &right))
			return false;
		*v = apply(operators[i].text, *v, right);
	}
}

bool xtr_constant(const char *p, size_t n, uint64_t *v)
{
	struct scan s = { .p = p, .end = p + n };

	*v = 0;
	if (!parse_binary(&s, 0, v))
		return false;
	skip_space(&s);
	return s.p == s.end;
}
