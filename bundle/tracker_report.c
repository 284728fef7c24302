/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracker.h"

#include <string.h>

#define BLANK "**FILL IN**"

/* --- texts of strangers ----------------------------------------------------------------------- */

/* In a line: what has a meaning in Markdown or HTML, and what is not printed, stands for itself. */
static void put_inline(FILE *f, const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			fputc(' ', f);
		else if (strchr("\\`*_[]<>#|!&@~$", *s))
			fprintf(f, "\\%c", *s);
		else
			fputc(*s, f);
	}
}

/* Lines of a block of code, whatever is in them: indented, so that nothing ends it. */
static void put_block(FILE *f, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		fputs("    ", f);
		for (size_t i = 0; i < n; i++)
			fputc((unsigned char)s[i] < ' ' || s[i] == 0x7f ? ' ' : s[i], f);
		fputc('\n', f);
		s += n + (s[n] == '\n');
	}
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Is it in the bundle, and of one of these sources? */
static bool is_of(const struct xtr_bundle_item *item, const char *sources)
{
	const size_t n = strlen(item->source->name);

	if (!item->io)
		return false;
	for (const char *p = sources; *p; p += strcspn(p, " "), p += *p == ' ')
		if (strcspn(p, " ") == n && !strncmp(p, item->source->name, n))
			return true;
	return false;
}

static bool has(const struct xtr_bundle *b, const char *sources)
{
	for (size_t i = 0; i < b->n; i++)
		if (is_of(&b->v[i], sources))
			return true;
	return false;
}

/* Is what the row asks for there? */
static bool is_known(const struct xtr_form_row *row, const struct xtr_report_text *r)
{
	switch (row->kind) {
	case XTR_ROW_LINE:
		return row->fact && r->fact[row->fact];
	case XTR_ROW_MEMBER:
		return has(r->b, row->source);
	case XTR_ROW_QUESTION:
		return false;
	default:
		return true;
	}
}

/* What only a person knows, and how to get it. */
static void put_blank(FILE *f, const char *how)
{
	fputs(BLANK " (", f);
	put_inline(f, how);
	fputc(')', f);
}

static void put_line(const struct xtr_form_row *row, const struct xtr_report_text *r, FILE *f)
{
	fprintf(f, "- %s: ", row->text);
	if (is_known(row, r))
		put_inline(f, r->fact[row->fact]);
	else
		put_blank(f, row->how);
	fputc('\n', f);
}

static void put_member(const struct xtr_form_row *row, const struct xtr_report_text *r, FILE *f)
{
	size_t n = 0;

	fprintf(f, "- %s: ", row->text);
	for (size_t i = 0; i < r->b->n; i++)
		if (is_of(&r->b->v[i], row->source))
			fprintf(f, "%s`%s`", n++ ? ", " : "", r->b->v[i].name);
	if (n) {
		fputs(" in ", f);
		put_inline(f, r->bundle);
	} else {
		put_blank(f, row->how);
	}
	fputc('\n', f);
}

static void put_seen(const struct xtr_report_text *r, FILE *f)
{
	fputs("What the trace shows (by xtr " XTR_VERSION "):\n\n", f);
	put_block(f, r->seen && *r->seen ? r->seen : "nothing that xtr has a rule for");
}

static void put_files(const struct xtr_report_text *r, FILE *f)
{
	fputs("- ", f);
	put_inline(f, r->bundle);
	fputs(": trace, statistics, machine", f);
	if (r->picture)
		fputs(", `timeline.svg`", f);
	for (size_t i = 0; i < r->b->n; i++)
		if (r->b->v[i].io && r->b->v[i].source->holds)
			fprintf(f, ", `%s`", r->b->v[i].name);
	fputs(". `tar --zstd -xf FILE` unpacks it; `xtr stats FILE` reads it.\n", f);
	if (r->trace_ns)
		fprintf(f,
			"- The trace is cut to its last %llu.%03llu s; its statistics are of all of it.\n",
			(unsigned long long)(r->trace_ns / 1000000000),
			(unsigned long long)(r->trace_ns / 1000000 % 1000));
}

static void put_row(const struct xtr_form_row *row, const struct xtr_report_text *r, FILE *f)
{
	switch (row->kind) {
	case XTR_ROW_HEADING:
		fprintf(f, "%s\n", row->text);
		return;
	case XTR_ROW_LINE:
		put_line(row, r, f);
		return;
	case XTR_ROW_QUESTION:
		put_blank(f, row->text);
		fputc('\n', f);
		return;
	case XTR_ROW_MEMBER:
		put_member(row, r, f);
		return;
	case XTR_ROW_SEEN:
		put_seen(r, f);
		return;
	case XTR_ROW_FILES:
		put_files(r, f);
		return;
	}
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Lists stand together; anything else has an empty line before it. */
static bool is_list(const struct xtr_form_row *row)
{
	return row->kind == XTR_ROW_LINE || row->kind == XTR_ROW_MEMBER ||
	       row->kind == XTR_ROW_FILES;
}

static bool is_missing(const struct xtr_form_row *row, const struct xtr_report_text *r,
		       bool demanded)
{
	return row->demanded == demanded && !is_known(row, r);
}

unsigned int xtr_tracker_missing(const struct xtr_tracker *t, const struct xtr_report_text *r,
				 bool demanded, const char *before, FILE *f)
{
	unsigned int n = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct xtr_form_row *row = &t->rows[i];

		if (!is_missing(row, r, demanded))
			continue;
		n++;
		fprintf(f, row->how ? "%s%s: %s\n" : "%s%s\n", before, row->text, row->how);
	}
	return n;
}

static unsigned int count_missing(const struct xtr_tracker *t, const struct xtr_report_text *r)
{
	unsigned int n = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		n += is_missing(&t->rows[i], r, true);
	return n;
}

unsigned int xtr_tracker_report(const struct xtr_tracker *t, const struct xtr_report_text *r,
				FILE *f)
{
	unsigned int missing = count_missing(t, r);

	fprintf(f, "<!-- For %s\n     %s\n     in the form of: %s\n", t->what, t->where, t->form);
	fprintf(f,
		"     Blanks that it demands: %u, marked " BLANK
		". Read all of it before you post it. -->\n\n",
		missing);
	fputs("Title: ", f);
	put_inline(f, r->title);
	fputc('\n', f);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (!i || !is_list(&t->rows[i]) || !is_list(&t->rows[i - 1]))
			fputc('\n', f);
		put_row(&t->rows[i], r, f);
	}
	return missing;
}
