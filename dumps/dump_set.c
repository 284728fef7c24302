/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts are set here alone: texts are cut and made printable, contradictions are noted. */
#include "dump_rows.h"

#include <stdio.h>
#include <string.h>

/* Blanks at both ends go. */
static void trim(const char **s, size_t *n)
{
	while (*n && (**s == ' ' || **s == '\t')) {
		++*s;
		--*n;
	}
	while (*n && ((*s)[*n - 1] == ' ' || (*s)[*n - 1] == '\r' || (*s)[*n - 1] == '\t'))
		--*n;
}

static size_t printable(char to[XTR_DUMP_TEXT_MAX], const char *s, size_t n)
{
	trim(&s, &n);
	if (n > XTR_DUMP_TEXT_MAX - 1)
		n = XTR_DUMP_TEXT_MAX - 1;
	for (size_t i = 0; i < n; i++)
		to[i] = s[i] >= ' ' && s[i] <= '~' ? s[i] : s[i] == '\t' ? ' ' : '?';
	to[n] = 0;
	return n;
}

bool dump_differs_text(const struct xtr_dump_fact *f, const char *s, size_t n)
{
	char text[XTR_DUMP_TEXT_MAX];

	return f->known && printable(text, s, n) && strcmp(text, f->text) != 0;
}

bool dump_differs_number(const struct xtr_dump_fact *f, uint64_t v)
{
	return f->known && f->value != v;
}

/* May it be set? If it contradicts what it must not, it is not known from now on. */
static bool may_set(struct xtr_dump_fact *f, enum dump_mode mode, bool differs)
{
	if (f->unsure)
		return false;
	if (mode == DUMP_ONLY && differs) {
		*f = (struct xtr_dump_fact){ .unsure = true, .where = f->where };
		return false;
	}
	return !f->known || mode == DUMP_LAST;
}

void dump_set_text(struct xtr_dump_fact *f, enum dump_mode mode, uint64_t where, const char *s,
		   size_t n)
{
	char text[XTR_DUMP_TEXT_MAX];

	if (!printable(text, s, n) || !may_set(f, mode, dump_differs_text(f, s, n)))
		return;
	f->known = true;
	f->where = where;
	memcpy(f->text, text, sizeof(text));
}

void dump_set_number(struct xtr_dump_fact *f, enum dump_mode mode, uint64_t where, uint64_t v)
{
	if (!may_set(f, mode, dump_differs_number(f, v)))
		return;
	f->known = true;
	f->where = where;
	f->value = v;
}

/* Process 0, or a negative one, is what drivers print that do not know it; then the name is none.
 */
static bool is_nobody(const struct dump_row *row, const struct dump_value *v, int n)
{
	for (int i = 0; i < n; i++)
		if (row->fact[i] == DUMP_F(PID))
			return !v[i].known || !v[i].number;
	return false;
}

static void set_value(struct xtr_dump *d, const struct dump_row *row, unsigned int fact,
		      const struct dump_value *v, uint64_t where)
{
	struct xtr_dump_fact *f = &d->fact[fact];

	switch (xtr_dump_fact_kind(fact)) {
	case XTR_DUMP_TEXT:
		dump_set_text(f, row->mode, where, v->text, v->n);
		break;
	case XTR_DUMP_TIME:
		if (v->known && !f->known)
			snprintf(f->text, sizeof(f->text), "%s", row->clock ? row->clock : "log");
		__attribute__((fallthrough));
	default:
		if (v->known)
			dump_set_number(f, row->mode, where, v->number);
	}
}

void dump_set_row(struct xtr_dump *d, const struct dump_row *row, const struct dump_value *v, int n,
		  uint64_t where, const char *line, size_t len)
{
	const bool nobody = is_nobody(row, v, n);

	for (int i = 0; i < n; i++) {
		if (!row->fact[i] ||
		    (nobody && (row->fact[i] == DUMP_F(PID) || row->fact[i] == DUMP_F(COMM))))
			continue;
		set_value(d, row, row->fact[i] - 1u, &v[i], where);
	}
	if (row->also)
		dump_set_text(&d->fact[row->also - 1u], row->mode, where, row->is ? row->is : line,
			      row->is ? strlen(row->is) : len);
	d->failure |= row->failure;
}
