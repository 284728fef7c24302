/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as text: names, values at their limits, hostile text, and what docs/tables.md says. */
#include "replay/views/cell.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t len;
static FILE *f;

static void setup(void)
{
	f = open_memstream(&text, &len);
	cr_assert(ne(ptr, f, NULL));
}

static void teardown(void)
{
	fclose(f);
	free(text);
	text = NULL;
}

TestSuite(relation, .init = setup, .fini = teardown);

static const char *written(void)
{
	fflush(f);
	return text;
}

Test(relation, names_are_different_and_plain)
{
	const struct xtr_relation *r;

	for (r = xtr_relations; r < xtr_relations + XTR_REL_COUNT; r++) {
		cr_expect(eq(ptr, (void *)xtr_relation_by_name(r->name), (void *)r));
		for (size_t i = 0; i < r->n; i++) {
			const char *name = r->columns[i].name;

			cr_expect(eq(sz, strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name)),
				  "%s.%s", r->name, name);
			for (size_t k = 0; k < i; k++)
				cr_expect(strcmp(name, r->columns[k].name) != 0, "%s.%s twice",
					  r->name, name);
			for (size_t m = 0; m < XTR_ORIGIN_N; m++)
				cr_expect(strcmp(name, xtr_origin_columns[m].name) != 0, "%s.%s",
					  r->name, name);
		}
	}
	cr_expect(eq(ptr, (void *)xtr_relation_by_name("sqlite_master"), NULL));
}

/* A unit in the name is the unit of the column. */
Test(relation, units_are_in_the_names)
{
	const struct xtr_relation *r;

	for (r = xtr_relations; r < xtr_relations + XTR_REL_COUNT; r++)
		for (size_t i = 0; i < r->n; i++) {
			const struct xtr_column *c = &r->columns[i];
			const char *end = c->name + strlen(c->name) - 3;
			bool ns = end > c->name && !strcmp(end, "_ns");

			cr_expect(eq(int, ns, c->unit && !strcmp(c->unit, "ns")), "%s.%s", r->name,
				  c->name);
		}
}

static struct xtr_row gap_row(void)
{
	struct xtr_row row;

	xtr_row_gap(&row,
		    &(struct xtr_gap){
			    .stream = UINT32_MAX, .first = 0, .last = UINT64_MAX, .count = 7 });
	return row;
}

Test(relation, without_times_all_but_times_stays)
{
	struct xtr_row row = gap_row();

	xtr_row_without_times(&xtr_relations[XTR_REL_GAPS], &row);
	cr_expect(eq(int, row.cell[XTR_COL_GAP_FIRST].kind, XTR_CELL_NULL));
	cr_expect(eq(int, row.cell[XTR_COL_GAP_LAST].kind, XTR_CELL_NULL));
	cr_expect(eq(u64, row.cell[XTR_COL_GAP_COUNT].u, 7));
	cr_expect(eq(int, row.cell[XTR_COL_GAP_COUNT].kind, XTR_CELL_UINT));
}

Test(relation, unknown_is_empty_or_null_and_64_bits_are_whole)
{
	struct xtr_row row = gap_row();
	struct xtr_cell origin[XTR_ORIGIN_N] = { xtr_cell_text(NULL, 0), xtr_cell_text("b", 1),
						 xtr_cell_text("f", 1) };
	struct xtr_line l;

	xtr_line_begin(&l, f);
	xtr_csv_row(&l, &xtr_relations[XTR_REL_GAPS], origin, &row);
	xtr_jsonl_row(&l, &xtr_relations[XTR_REL_GAPS], origin, &row);
	xtr_line_flush(&l);
	cr_expect(eq(str, (char *)written(),
		     ",b,f,,0,18446744073709551615,7\r\n"
		     "{\"host\":null,\"boot_id\":\"b\",\"file_id\":\"f\",\"cpu\":null,"
		     "\"first_ns\":0,\"last_ns\":18446744073709551615,\"count\":7}\n"));
}

Test(relation, signed_numbers)
{
	struct xtr_cell c[] = { xtr_cell_int(true, INT64_MIN), xtr_cell_int(true, -1),
				xtr_cell_int(true, 0), xtr_cell_int(false, 5) };
	struct xtr_line l;

	xtr_line_begin(&l, f);
	for (size_t i = 0; i < 4; i++) {
		xtr_cell_csv(&l, &c[i]);
		xtr_line_char(&l, ' ');
		xtr_cell_json(&l, &c[i]);
		xtr_line_char(&l, ';');
	}
	xtr_line_flush(&l);
	cr_expect(eq(str, (char *)written(),
		     "-9223372036854775808 -9223372036854775808;-1 -1;0 0; null;"));
}

Test(relation, text_becomes_utf8)
{
	static const struct {
		const char *in, *out;
		size_t n;
	} cases[] = {
		{ "plain", "plain", 5 },
		{ "", "", 0 },
		{ "\xc3\xa4", "\xc3\xa4", 2 },
		{ "a\xff\xfe"
		  "b",
		  "a\xef\xbf\xbd\xef\xbf\xbd"
		  "b",
		  4 },
		{ "\xc3", "\xef\xbf\xbd", 1 },
		{ "a\0b",
		  "a\xef\xbf\xbd"
		  "b",
		  3 },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 3 }, /* a surrogate */
	};
	struct xtr_utf8 u = { 0 };
	const char *s;
	size_t n;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		n = cases[i].n;
		s = xtr_text_utf8(&u, cases[i].in, &n);
		cr_expect(eq(sz, n, strlen(cases[i].out)), "case %zu", i);
		cr_expect(memcmp(s, cases[i].out, n) == 0, "case %zu", i);
	}
	free(u.p);
}

/* What docs/tables.md says of a table. */
static void put_columns(FILE *out, const struct xtr_relation *r)
{
	static const char *const types[] = { "u64", "int", "text" };

	fprintf(out, "### `%s`: %s\n\n| column | type | meaning |\n|---|---|---|\n", r->name,
		r->help);
	for (size_t i = 0; i < r->n; i++)
		fprintf(out, "| `%s` | %s | %s |\n", r->columns[i].name, types[r->columns[i].type],
			r->columns[i].help);
}

static char *read_file(const char *path)
{
	FILE *in = fopen(path, "r");
	char *data = calloc(1, 1 << 20);

	cr_assert(ne(ptr, in, NULL), "%s: run in the root of the tree", path);
	cr_assert(ne(ptr, data, NULL));
	cr_assert(fread(data, 1, (1 << 20) - 1, in) > 0);
	fclose(in);
	return data;
}

/* On a mismatch the right text is in build/tables.md. */
Test(relation, the_documentation_lists_these_columns)
{
	char *doc = read_file("docs/tables.md");
	FILE *right = fopen("build/tables.md", "w");

	for (size_t i = 0; i < XTR_REL_COUNT; i++) {
		if (right)
			put_columns(right, &xtr_relations[i]);
		rewind(f);
		put_columns(f, &xtr_relations[i]);
		fwrite("\n", 1, 2, f); /* with its NUL */
		cr_expect(strstr(doc, written()) != NULL, "%s: see build/tables.md",
			  xtr_relations[i].name);
	}
	if (right)
		fclose(right);
	free(doc);
}
