/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A print format is the text of a C argument list: a string literal, then expressions. It is cut at
 * its top-level commas; what an expression means is judged by its shape: REC->field in any number
 * of parentheses and casts.
 */
#include "printfmt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define NAMES_MAX 1024
#define ARGS_MAX  128

struct span {
	const char *p, *end;
};

/* Position after the string literal that starts at p. */
static const char *skip_literal(const char *p)
{
	for (p++; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
	}
	return *p ? p + 1 : p;
}

/* End of the argument at p: the comma or closing bracket at its own level, or the end. */
static const char *arg_end(const char *p)
{
	int depth = 0;

	while (*p) {
		if (*p == '"') {
			p = skip_literal(p);
			continue;
		}
		if (strchr("([{", *p)) {
			depth++;
		} else if (strchr(")]}", *p)) {
			if (!depth--)
				return p;
		} else if (*p == ',' && !depth) {
			return p;
		}
		p++;
	}
	return p;
}

static struct span trim(struct span s)
{
	while (s.p < s.end && isspace((unsigned char)*s.p))
		s.p++;
	while (s.end > s.p && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

/* The bracket that closes the one at p, or NULL. */
static const char *closing(struct span s)
{
	int depth = 0;

	for (const char *p = s.p; p < s.end; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p;
	}
	return NULL;
}

/* Take off outer parentheses and casts. */
static struct span strip(struct span s)
{
	const char *close;

	for (s = trim(s); s.p < s.end && *s.p == '('; s = trim(s)) {
		close = closing(s);
		if (!close)
			break;
		if (close == s.end - 1) {
			s.p++;
			s.end--;
		} else if (memchr(s.p, '>', (size_t)(close - s.p))) {
			break; /* (REC->x) & ... */
		} else {
			s.p = close + 1;
		}
	}
	return s;
}

/* Does s start with REC->field (and, unless prefix, end there)? */
static bool is_field(struct span s, const char *field, bool prefix)
{
	size_t n = strlen(field);

	s = strip(s);
	if ((size_t)(s.end - s.p) < 5 + n || memcmp(s.p, "REC->", 5) || memcmp(s.p + 5, field, n))
		return false;
	s.p += 5 + n;
	if (prefix && s.p < s.end) {
		s = trim(s);
		return s.p < s.end && (*s.p == '&' || *s.p == ')');
	}
	return s.p == s.end;
}

/* The next conversion at or after *p; its letter, and how many `*` arguments stand before its own.
 */
static char next_conv(const char **p, const char *end, int *stars)
{
	const char *s = *p;

	*stars = 0;
	for (; s < end; s++) {
		if (*s != '%')
			continue;
		if (s + 1 < end && s[1] == '%') {
			s++;
			continue;
		}
		for (s++; s < end && strchr("-+ #0123456789.*hlLqjzt", *s); s++)
			*stars += *s == '*';
		*p = s < end ? s + 1 : s;
		return s < end ? *s : 0;
	}
	*p = s;
	return 0;
}

char xtr_printfmt_conv(const char *print_fmt, const char *field)
{
	struct span args[ARGS_MAX];
	const char *fmt = print_fmt, *p, *end;
	size_t n = 0, i = 0;
	int stars;
	char conv;

	if (*fmt != '"')
		return 0;
	end = arg_end(fmt);
	for (p = end; *p == ',' && n < ARGS_MAX; p = args[n++].end) {
		args[n].p = p + 1;
		args[n].end = arg_end(p + 1);
	}
	while ((conv = next_conv(&fmt, end, &stars)) != 0) {
		i += (size_t)stars;
		if (i < n && is_field(args[i], field, false))
			return conv;
		i++;
	}
	return 0;
}

/* Contents of a string literal at p, escapes of quote and backslash resolved; *next is behind it.
 */
static char *take_literal(const char *p, const char **next)
{
	char *out = malloc(strlen(p) + 1), *o = out;

	*next = skip_literal(p);
	if (!out)
		return NULL;
	for (p++; p + 1 < *next; p++) {
		if (*p == '\\' && p + 2 < *next)
			p++;
		*o++ = *p;
	}
	*o = 0;
	return out;
}

static int add_name(struct xtr_printfmt_names *names, uint64_t value, char *name)
{
	struct xtr_value_name *more;

	if (!name)
		return -ENOMEM;
	more = reallocarray(names->v, names->n + 1, sizeof(*more));
	if (!more) {
		free(name);
		return -ENOMEM;
	}
	names->v = more;
	names->v[names->n++] = (struct xtr_value_name){ .value = value, .name = name };
	return 0;
}

/* One "{ value, "name" }" at p. *next is behind it, NULL if there is none. */
static int take_pair(struct xtr_printfmt_names *names, const char *p, const char **next)
{
	const char *stop, *text;
	uint64_t value;

	*next = NULL;
	while (isspace((unsigned char)*p) || *p == ',')
		p++;
	if (*p != '{')
		return 0;
	stop = arg_end(p + 1);
	if (*stop != ',')
		return 0;
	for (text = stop + 1; isspace((unsigned char)*text); text++)
		;
	if (*text != '"')
		return 0;
	*next = arg_end(text);
	if (**next != '}') {
		*next = NULL;
		return 0;
	}
	(*next)++;
	/* Negative values cannot be keys (xtr.cddl). */
	if (names->n < NAMES_MAX && xtr_constant(p + 1, (size_t)(stop - p - 1), &value) &&
	    !(value >> 63))
		return add_name(names, value, take_literal(text, &text));
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const struct xtr_value_name *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static void sort_unique(struct xtr_printfmt_names *names)
{
	uint32_t kept = 0;

	if (!names->n)
		return;
	qsort(names->v, names->n, sizeof(*names->v), by_value);
	for (uint32_t i = 0; i < names->n; i++) {
		if (kept && names->v[kept - 1].value == names->v[i].value)
			free((char *)names->v[i].name);
		else
			names->v[kept++] = names->v[i];
	}
	names->n = kept;
}

static const struct {
	const char *call;
	enum xtr_names_kind kind;
} name_calls[] = {
	{ "__print_symbolic(", XTR_NAMES_ENUM },
	{ "__print_symbolic_u64(", XTR_NAMES_ENUM },
	{ "__print_flags(", XTR_NAMES_FLAGS },
	{ "__print_flags_u64(", XTR_NAMES_FLAGS },
};

/* The pairs of one call, whose arguments start at p, if it is about the field. */
static int take_call(struct xtr_printfmt_names *names, const char *p, const char *field,
		     enum xtr_names_kind kind)
{
	struct span value = { p, arg_end(p) };
	int err = 0;

	if (!is_field(value, field, kind == XTR_NAMES_FLAGS))
		return 0;
	p = value.end;
	if (kind == XTR_NAMES_FLAGS && *p == ',')
		p = arg_end(p + 1); /* the delimiter */
	names->kind = kind;
	while (!err && p && *p)
		err = take_pair(names, p, &p);
	if (!names->n)
		names->kind = XTR_NAMES_NONE;
	return err;
}

int xtr_printfmt_names(const char *print_fmt, const char *field, struct xtr_printfmt_names *names)
{
	const char *p;
	int err = 0;

	*names = (struct xtr_printfmt_names){ 0 };
	for (size_t i = 0; i < COUNT(name_calls); i++) {
		for (p = print_fmt; !err && !names->n && (p = strstr(p, name_calls[i].call));) {
			p += strlen(name_calls[i].call);
			err = take_call(names, p, field, name_calls[i].kind);
		}
	}
	if (err)
		xtr_printfmt_names_free(names);
	else
		sort_unique(names);
	return err;
}

void xtr_printfmt_names_free(struct xtr_printfmt_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free((char *)names->v[i].name);
	free(names->v);
	*names = (struct xtr_printfmt_names){ 0 };
}
