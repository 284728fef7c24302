/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic in braces: integers, i, + - * / % << >> & | ^ and parentheses, as in C. */
#include "play.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

struct expr {
	const struct play_place *at;
	const char *p;
	bool has_i;
	uint64_t i;
};

static wide parse(struct expr *e, int level);

static void blanks(struct expr *e)
{
	while (*e->p == ' ')
		e->p++;
}

static wide primary(struct expr *e)
{
	char *end;
	wide v;

	blanks(e);
	if (*e->p == '-') {
		e->p++;
		return -primary(e);
	}
	if (*e->p == '(') {
		e->p++;
		v = parse(e, 0);
		if (*e->p != ')')
			play_fail(e->at, "a ) is missing");
		e->p++;
	} else if (*e->p == 'i' && e->has_i) {
		e->p++;
		v = e->i;
	} else if (isdigit((unsigned char)*e->p)) {
		v = strtoull(e->p, &end, 0);
		e->p = end;
	} else {
		play_fail(e->at, "no number at \"%s\"", e->p);
	}
	blanks(e);
	return v;
}

/* From the weakest to the strongest. */
static const char *const levels[] = { "|", "^", "&", "<>", "+-", "*/%" };

static wide apply(struct expr *e, char op, wide a, wide b)
{
	if ((op == '/' || op == '%') && !b)
		play_fail(e->at, "division by 0");
	if ((op == '<' || op == '>') && (b < 0 || b > 63))
		play_fail(e->at, "a shift by less than 0 or more than 63");
	switch (op) {
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case '&':
		return a & b;
	case '<':
		return a * ((wide)1 << b);
	case '>':
		return a >> b;
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return a / b;
	default:
		return a % b;
	}
}

static wide parse(struct expr *e, int level)
{
	wide v;

	if (level == (int)(sizeof(levels) / sizeof(levels[0])))
		return primary(e);
	v = parse(e, level + 1);
	while (*e->p && strchr(levels[level], *e->p)) {
		char op = *e->p++;

		if ((op == '<' || op == '>') && *e->p++ != op)
			play_fail(e->at, "no operator %c", op);
		v = apply(e, op, v, parse(e, level + 1));
		if (v >= (wide)1 << 64 || v < -((wide)1 << 63))
			play_fail(e->at, "the value does not fit into 64 bits");
	}
	return v;
}

static size_t print(char *out, wide v)
{
	char digits[24];
	size_t n = 0, len = 0;
	bool minus = v < 0;

	if (minus)
		v = -v;
	do {
		digits[n++] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	if (minus)
		out[len++] = '-';
	while (n)
		out[len++] = digits[--n];
	return len;
}

char *play_expand(const struct play_place *at, const char *text, bool has_i, uint64_t i)
{
	char *out = play_alloc(strlen(text) * 24 + 1);
	struct expr e = { .at = at, .has_i = has_i, .i = i };
	size_t n = 0;

	for (; *text; text++) {
		if (*text != '{' || text[1] == '{') {
			text += *text == '{';
			out[n++] = *text;
			continue;
		}
		e.p = text + 1;
		n += print(out + n, parse(&e, 0));
		if (*e.p != '}')
			play_fail(at, "a } is missing at \"%s\"", e.p);
		text = e.p;
	}
	return out;
}
