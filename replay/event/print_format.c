/* SPDX-License-Identifier: BSD-2-Clause */
#include "print_format.h"

#include <string.h>

static const struct xtr_print_table *const tables[] = {
	&xtr_print_gpus, &xtr_print_amd, &xtr_print_intel, &xtr_print_qcom, &xtr_print_kernel,
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

const struct xtr_print *xtr_print_row(size_t i)
{
	for (size_t k = 0; k < TABLES; i -= tables[k++]->n)
		if (i < tables[k]->n)
			return &tables[k]->rows[i];
	return NULL;
}

bool xtr_print_lists(const char *names, const char *name, size_t len)
{
	while (*names) {
		size_t n = strcspn(names, " ");
		bool prefix = n && names[n - 1] == '*';

		if (prefix ? len >= n - 1 && !memcmp(names, name, n - 1)
			   : len == n && !memcmp(names, name, n))
			return true;
		names += n + (names[n] == ' ');
	}
	return false;
}

size_t xtr_prints(const char *event, size_t len, const struct xtr_print *rows[XTR_PRINTS_MAX])
{
	const struct xtr_print *row;
	size_t n = 0;

	for (size_t i = 0; n < XTR_PRINTS_MAX && (row = xtr_print_row(i)); i++)
		if (xtr_print_lists(row->events, event, len))
			rows[n++] = row;
	return n;
}

/* --- the values of a format ------------------------------------------------------------------- */

bool xtr_print_next(const char **f, const char *end, struct xtr_print_value *v)
{
	const char *p = *f, *from = p, *close, *colon;

	for (; end - p >= 2; p += 2) {
		p = memchr(p, '%', (size_t)(end - p));
		if (!p || end - p < 2)
			return false;
		if (!strchr("()_", p[1]))
			break;
		from = p + 2;
	}
	close = end - p > 2 ? memchr(p, '}', (size_t)(end - p)) : NULL;
	if (!close)
		return false;
	*v = (struct xtr_print_value){ .kind = p[1], .piece = p, .field = p + 3, .label = from };
	colon = memchr(v->field, ':', (size_t)(close - v->field));
	v->field_len = (size_t)((colon ? colon : close) - v->field);
	v->names = colon ? colon + 1 : close;
	v->names_len = (size_t)(close - v->names);
	v->label_len = (size_t)(p - from);
	*f = v->end = close + 1;
	return true;
}

/* What of the text before a value is its label: the words before the sign. */
static void trim_label(struct xtr_print_value *v)
{
	const char *p = v->label, *end = p + v->label_len, *q = end;

	while (q > p && q[-1] == ' ')
		q--;
	if (q == p || !strchr("=:", q[-1])) {
		v->label_len = 0;
		return;
	}
	q--;
	while (q > p && strchr(" ?", q[-1]))
		q--;
	for (const char *s = p; s < q; s++)
		if (strchr(",([{;", *s))
			p = s + 1;
	while (p < q && *p == ' ')
		p++;
	v->label = p;
	v->label_len = (size_t)(q - p);
}

/* The values that follow with no blank or comma between belong to it: "%d{ringid}:%w{seqno}". */
static void extend(struct xtr_print_value *v, const char *end)
{
	const char *p = v->end, *f = p;
	struct xtr_print_value more;

	while (xtr_print_next(&f, end, &more)) {
		for (; p < more.piece; p++)
			if (strchr(" ,()[]%", *p))
				return;
		v->end = p = more.end;
	}
}

/* "elapsed=1 ns mhz=2": the label of 2 may be seen as "ns mhz", or as its last word. */
static bool is_label(const struct xtr_print_value *v, const char *name, size_t len)
{
	const char *last = v->label + v->label_len - len;

	return len && len <= v->label_len && !memcmp(last, name, len) &&
	       (last == v->label || last[-1] == ' ');
}

bool xtr_print_value(const struct xtr_print *const rows[], size_t n, const char *name, size_t len,
		     bool by_label, struct xtr_print_value *v)
{
	for (size_t i = 0; i < n; i++) {
		const char *f = rows[i]->format, *end = f + strlen(f);

		while (xtr_print_next(&f, end, v)) {
			trim_label(v);
			if (by_label ? is_label(v, name, len)
				     : v->field_len == len && !memcmp(v->field, name, len)) {
				if (by_label)
					extend(v, end);
				return true;
			}
		}
	}
	return false;
}
