/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of sections: text, JSON and cells of the same rows. */
#include "analysis/core/bounded_rows.h"
#include "analysis/core/section_rows.h"
#include "analysis/core/section_table.h"
#include "base/buf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct item {
	char name[16];
	uint64_t n, bytes;
	int32_t balance;
	struct xtr_hist time;
};

#define AT(member) XTR_AT(struct item, member)
static const struct xtr_section_column columns[] = {
	{ "name", "<name", XTR_C_TEXT, AT(name), "its name" },
	{ "n", "count", XTR_C_COUNT, AT(n), "how many" },
	{ "size.bytes", "size", XTR_C_BYTES | XTR_C_KNOWN, AT(bytes), "size" },
	{ "size.share", NULL, XTR_C_NUMBER, XTR_PUT, "share" },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT },
	{ "balance", NULL, XTR_C_SIGNED, AT(balance), "balance" },
	{ "time_ns", "p50|max", XTR_C_HIST | XTR_C_TIMES, AT(time), "time" },
	{ "rare", NULL, XTR_C_TEXT, XTR_PUT, "not in all rows" },
};
#undef AT

static struct item items[3] = { { "a", 1234, 2048, -3, { 0 } },
				{ "", 1, 0, 4, { 0 } },
				{ "\033c", 0, 1, 0, { 0 } } };

static void fill(const void *self, struct xtr_rows *r)
{
	const struct item *item = self;

	for (int i = 0; i < 3; i++) {
		xtr_put_u64(r, i != 1, (uint64_t)i);
		xtr_put_share(r, true, 1, 4);
		if (i == 2)
			xtr_put_format(r, "%d", i);
		else
			xtr_put_absent(r);
		xtr_row(r, &item[i]);
	}
}

static const struct xtr_section_table table =
	XTR_TABLE("of.items", "an item", columns, fill, XTR_SHOW_TOP);

static const void *source = items;

static char *text(const struct xtr_analysis_opts *o)
{
	struct xtr_buf buf = { 0 };
	FILE *f = xtr_memory_stream(&buf);

	cr_assert_eq(xtr_table_text(&table, items, o, f), 0);
	return xtr_memory_text(f, &buf);
}

static char *json(const struct xtr_section_table *t, const struct xtr_analysis_opts *o)
{
	struct xtr_buf buf = { 0 };
	FILE *f = xtr_memory_stream(&buf);
	struct xtr_json j;

	xtr_json_init(&j, f, false);
	xtr_json_begin_object(&j);
	xtr_table_json(t, source, o, &j);
	xtr_json_end_object(&j);
	return xtr_memory_text(f, &buf);
}

static void is(char *got, const char *want)
{
	cr_assert_str_eq(got, want);
	free(got);
}

Test(section_table, text_has_titled_columns_and_says_what_is_left_out)
{
	struct xtr_analysis_opts o = { .times = true, .top = 2 };

	items[0].time = (struct xtr_hist){ 0 };
	cr_assert_eq(xtr_hist_add(&items[0].time, 50), 0);
	is(text(&o), "  name  count      size   share    p50    max\n"
		     "  a     1,234  2.00 KiB  25.0 %  50 ns  50 ns\n"
		     "  -         1         -  25.0 %      -      -\n"
		     "  ... and 1 more (--top)\n");
	o.top = 0;
	is(text(&o), "  ... and 3 more (--top)\n");
	xtr_hist_free(&items[0].time);
}

Test(section_table, names_are_safe_for_terminals)
{
	struct xtr_analysis_opts o = { .top = 9 };
	char *got = text(&o);

	cr_assert(strstr(got, "\\x1bc") && !strchr(got, '\033'), "%s", got);
	free(got);
}

Test(section_table, json_has_all_rows_nested_objects_and_null)
{
	struct xtr_analysis_opts o = { .top = 1 };

	is(json(&table, &o),
	   "{\"items\":[{\"name\":\"a\",\"n\":1234,\"size\":{\"bytes\":2048,\"share\":0},"
	   "\"balance\":-3,\"time_ns\":null},"
	   "{\"name\":null,\"n\":1,\"size\":{\"bytes\":null,\"share\":null},\"balance\":4,"
	   "\"time_ns\":null},"
	   "{\"name\":\"\\u001bc\",\"n\":0,\"size\":{\"bytes\":1,\"share\":2},\"balance\":0,"
	   "\"time_ns\":null,\"rare\":\"2\"}]}");
}

static void fill_one(const void *self, struct xtr_rows *r)
{
	xtr_put_u64(r, true, 0);
	xtr_put_share(r, true, 0, 0);
	xtr_put_absent(r);
	xtr_row(r, self);
}

static void fill_none(const void *self, struct xtr_rows *r)
{
	(void)self;
	(void)r;
}

Test(section_table, one_row_is_an_object_or_members_or_null)
{
	static const struct xtr_section_table one =
		XTR_TABLE_ONE("one", "it", columns, fill_one, XTR_SHAPE_OBJECT);
	static const struct xtr_section_table members =
		XTR_TABLE_ONE("one", "it", columns, fill_one, XTR_SHAPE_MEMBERS);
	static const struct xtr_section_table none =
		XTR_TABLE_ONE("one", "it", columns, fill_none, XTR_SHAPE_OBJECT);
	struct xtr_analysis_opts o = { 0 };
	const char *inside = "\"name\":\"a\",\"n\":1234,\"size\":{\"bytes\":2048,\"share\":0},"
			     "\"balance\":-3,\"time_ns\":null}";
	char want[256];

	snprintf(want, sizeof(want), "{\"one\":{%s}", inside);
	is(json(&one, &o), want);
	snprintf(want, sizeof(want), "{%s", inside);
	is(json(&members, &o), want);
	is(json(&none, &o), "{\"one\":null}");
}

/* --- cells ------------------------------------------------------------------------------------ */

static void name_column(void *ctx, const char *name, enum xtr_column_type type, const char *help)
{
	fprintf(ctx, "%s%s,", name, type == XTR_COLUMN_TEXT ? "*" : "");
	cr_assert(help);
}

static int count_row(void *ctx, const struct xtr_cell *cell, size_t n)
{
	cr_assert_eq(n, 11);
	cr_assert_eq(cell[5].kind, XTR_CELL_NULL); /* no times */
	cr_assert_eq(cell[0].kind, *(int *)ctx == 1 ? XTR_CELL_NULL : XTR_CELL_TEXT);
	return ++*(int *)ctx == 3 ? -7 : 0;
}

Test(section_table, cells_have_the_columns_and_rows_of_json)
{
	struct xtr_analysis_opts o = { .top = 1 };
	struct xtr_buf buf = { 0 };
	FILE *f = xtr_memory_stream(&buf);
	char name[XTR_SECTION_NAME];
	int rows = 0;

	xtr_section_columns(&table, name_column, f);
	is(xtr_memory_text(f, &buf),
	   "name*,n,size_bytes,size_share,balance,time_n,time_sum_ns,time_p50_ns,time_p99_ns,"
	   "time_max_ns,rare*,");
	cr_assert_str_eq(xtr_section_table_name("section", &table, name), "section_of_items");
	cr_assert_eq(xtr_section_cells(&table, items, &o, count_row, &rows), -7);
	cr_assert_eq(rows, 3);
}

/* Where rows are: in an array, behind a pointer, in a tally. */
struct holder {
	struct item some[2];
	uint32_t n_some;
	const struct item *more;
	uint64_t n_more;
	struct xtr_counted tally;
};

#define AT(member) XTR_AT(struct item, member)
static const struct xtr_section_column name_columns[] = {
	{ "name", NULL, XTR_C_TEXT, AT(name), "name" },
	{ "twice", NULL, XTR_C_COUNT, XTR_PUT, "two times n" },
};
#undef AT

/* Without those of which there is none, though something was put. */
static bool put_twice(struct xtr_rows *r, const void *row)
{
	const struct item *item = row;

	xtr_put_u64(r, xtr_rows_self(r), 2 * item->n);
	return item->n;
}

#define AT(member) XTR_AT(struct xtr_counted_row, member)
static const struct xtr_section_column key_columns[] = {
	{ "a", NULL, XTR_C_NUMBER, AT(a), "key" },
};
#undef AT

Test(section_table, rows_are_where_the_table_says)
{
	static const struct xtr_section_table some =
		XTR_TABLE_OF("x", "it", name_columns, XTR_ARRAY(struct holder, some, n_some),
			     put_twice, XTR_SHOW_ALL);
	static const struct xtr_section_table all =
		XTR_TABLE_OF("x", "it", name_columns, XTR_ARRAY_ALL(struct holder, some), put_twice,
			     XTR_SHOW_ALL);
	static const struct xtr_section_table more =
		XTR_TABLE_OF("x", "it", name_columns, XTR_ARRAY(struct holder, more, n_more),
			     put_twice, XTR_SHOW_TOP);
	static const struct xtr_section_table listed =
		XTR_TABLE_OF("x", "it", name_columns, XTR_ARRAY(struct holder, more, n_more),
			     put_twice, XTR_LIST_TOP);
	static const struct xtr_section_table tallied = XTR_TABLE_OF(
		"x", "it", key_columns, XTR_COUNTED(struct holder, tally), NULL, XTR_SHOW_ALL);
	struct holder h = { .some = { { .name = "a", .n = 1 }, { .name = "b", .n = 2 } },
			    .n_some = 1,
			    .more = items,
			    .n_more = 3 };
	struct xtr_analysis_opts o = { .top = 1 };
	struct xtr_counted_row *row;

	source = &h;
	is(json(&some, &o), "{\"x\":[{\"name\":\"a\",\"twice\":2}]}");
	is(json(&all, &o), "{\"x\":[{\"name\":\"a\",\"twice\":2},{\"name\":\"b\",\"twice\":4}]}");
	is(json(&more, &o),
	   "{\"x\":[{\"name\":\"a\",\"twice\":2468},{\"name\":null,\"twice\":2}]}");
	is(json(&listed, &o), "{\"x\":[{\"name\":\"a\",\"twice\":2468}]}");
	xtr_counted_init(&h.tally, sizeof(*row), 4);
	is(json(&tallied, &o), "{\"x\":[]}");
	cr_assert_eq(xtr_counted_get(&h.tally, 7, 0, &row), 0);
	cr_assert_eq(xtr_counted_get(&h.tally, 8, 0, &row), 0);
	is(json(&tallied, &o), "{\"x\":[{\"a\":7},{\"a\":8}]}");
	xtr_counted_free(&h.tally);
	source = items;
}

/* --- parts ------------------------------------------------------------------------------------ */

struct outer {
	uint64_t id;
	const struct holder *in;
};

#define AT(member) XTR_AT(struct item, member)
static const struct xtr_section_column part_columns[] = {
	{ "name", "<name", XTR_C_TEXT, AT(name), "name" },
	{ "n", "count", XTR_C_COUNT, AT(n), "how many", .own = 1 | 2 },
	{ "depth", "p50|max", XTR_C_HIST | XTR_C_PLAIN, AT(time), "depth", .own = 2 },
	{ NULL, "bytes", XTR_C_BYTES, AT(bytes), .own = 1 },
};
#undef AT

#define PART_TABLE(own, put_)                                                                \
	{                                                                                    \
		.name = "x", XTR_TABLE_COLUMNS(part_columns), .put = (put_), .parts = (own), \
		.limit = XTR_SHOW_TOP,                                                       \
		.rows = {                                                                    \
			.where = XTR_ROWS_ARRAY,                                             \
			.via = XTR_VIA(struct outer, in),                                    \
			.at = offsetof(struct holder, some),                                 \
			.count = offsetof(struct holder, n_some),                            \
			.count_size = 4,                                                     \
			.size = sizeof(struct item),                                         \
		},                                                                           \
	}

static int part_text(const struct xtr_section_table *t, const struct outer *of, char **got)
{
	struct xtr_analysis_opts o = { .top = 1, .more = "with --json" };
	struct xtr_buf buf = { 0 };
	FILE *f = xtr_memory_stream(&buf);
	int err = xtr_table_text(t, of, &o, f);

	*got = xtr_memory_text(f, &buf);
	return err;
}

static bool put_failing(struct xtr_rows *r, const void *row)
{
	(void)row;
	xtr_rows_fail(r, -ENOMEM);
	return true;
}

Test(section_table, parts_show_their_columns_of_the_same_rows)
{
	static const struct xtr_section_table first = PART_TABLE(1, NULL);
	static const struct xtr_section_table second = PART_TABLE(2, NULL);
	static const struct xtr_section_table failing = PART_TABLE(2, put_failing);
	struct holder h = { .some = { { .name = "a", .n = 1, .bytes = 7 }, { .name = "b" } },
			    .n_some = 2 };
	const struct outer of = { .in = &h };
	char *got;

	cr_assert_eq(xtr_hist_add(&h.some[0].time, 5000), 0);
	cr_assert_eq(part_text(&first, &of, &got), 0);
	is(got, "  name  count  bytes\n  a         1    7 B\n  ... and 1 more (with --json)\n");
	cr_assert_eq(part_text(&second, &of, &got), 0); /* numbers: also without times */
	is(got, "  name  count    p50    max\n  a         1  5,000  5,000\n"
		"  ... and 1 more (with --json)\n");
	cr_assert_eq(part_text(&failing, &of, &got), -ENOMEM);
	is(got, "  ... and 1 more (with --json)\n");
	xtr_hist_free(&h.some[0].time);
}
