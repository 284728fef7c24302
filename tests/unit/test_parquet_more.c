/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables beside those of each recording: which of them have a file, under failing memory, and that
 * each table of xtr stats has room. tests/export reads what is in the files. */
#include "converters/out/tables/parquet_more.h"
#include "analysis/core/section_rows.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_ID "00000000000000aa"
#define ROWS    3u

static char dir[] = "/tmp/xtr-parquet.XXXXXX";
static struct xtr_feed feed;
static struct xtr_parquet_more more;
static size_t files;

static int count(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path, (void)st, (void)at;
	files += type == FTW_F;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type;
	return at->level ? remove(path) : 0;
}

static size_t n_files(void)
{
	files = 0;
	cr_assert_eq(nftw(dir, count, 8, FTW_PHYS), 0);
	return files;
}

static void clear(void)
{
	cr_assert_eq(nftw(dir, remove_one, 8, FTW_PHYS | FTW_DEPTH), 0);
}

static void begin(void)
{
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	strcpy(feed.origin.file_id, FILE_ID);
	for (size_t i = 0; i < XTR_ORIGIN_N; i++)
		feed.origin_cell[i] = xtr_cell_str("a");
	cr_assert_eq(xtr_parquet_more_begin(&more, dir, "2026-11-01", "n1", &feed), 0);
}

static void end(void)
{
	xtr_parquet_more_free(&more);
	clear();
	rmdir(dir);
}

TestSuite(parquet_more, .init = begin, .fini = end);

static const struct xtr_column number = { "number", XTR_COLUMN_INT, "ns", "a number" };
static const struct xtr_column text = { "text", XTR_COLUMN_TEXT, NULL, "a text" };

static bool exists(const char *table)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/table=%s/date=2026-11-01/host=n1/%s.parquet", dir, table,
		 FILE_ID);
	return !access(path, F_OK);
}

static int begin_table(const char *name, bool always)
{
	struct xtr_export_tables *to = &more.to;

	return to->begin(to, name, "a row", always) ?: to->column(to, &number) ?:
	       to->column(to, &text);
}

static int add_rows(uint32_t n)
{
	static const char odd[] = "no UTF-8: \xff\xc3";
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		const struct xtr_cell cell[] = { xtr_cell_uint(i % 2, i), xtr_cell_str(odd) };

		err = more.to.row(&more.to, cell, 2);
	}
	return err;
}

static int write_tables(void *rows)
{
	const uint32_t n = *(const uint32_t *)rows;
	int err = begin_table("always", true) ?: begin_table("none", false) ?: begin_table("some", false);

	return err ?: add_rows(n) ?: xtr_parquet_more_end(&more);
}

Test(parquet_more, only_one_that_is_always_there_has_a_file_without_rows)
{
	cr_assert_eq(write_tables(&(uint32_t){ 0 }), 0);
	cr_expect_eq(n_files(), 0, "before they are published");
	cr_assert_eq(xtr_parquet_more_publish(&more), 0);
	cr_expect(exists("always") && !exists("none") && !exists("some"));
	cr_expect_eq(n_files(), 1);
}

Test(parquet_more, what_has_no_rows_any_more_goes)
{
	cr_assert_eq(write_tables(&(uint32_t){ ROWS }), 0);
	cr_assert_eq(xtr_parquet_more_publish(&more), 0);
	cr_expect(exists("always") && !exists("none") && exists("some"));
	xtr_parquet_more_free(&more);
	cr_assert_eq(xtr_parquet_more_begin(&more, dir, "2026-11-01", "n1", &feed), 0);
	cr_assert_eq(write_tables(&(uint32_t){ 0 }), 0);
	cr_expect(exists("some"));
	cr_assert_eq(xtr_parquet_more_publish(&more), 0);
	cr_expect(exists("always") && !exists("some"));
}

static int write_and_free(void *rows)
{
	int err =
		xtr_parquet_more_begin(&more, dir, "2026-11-01", "n1", &feed) ?: write_tables(rows);

	err = err ?: xtr_parquet_more_publish(&more);
	xtr_parquet_more_free(&more);
	cr_assert_eq(n_files(), err ? 0 : 2);
	clear();
	return err;
}

Test(parquet_more, every_allocation_may_fail)
{
	xtr_parquet_more_free(&more);
	/* Without the name of its directory a file gets a hidden name. */
	cr_expect_gt(oom_each(write_and_free, &(uint32_t){ ROWS }, 4), 100);
}

Test(parquet_more, rows_and_columns_that_do_not_fit)
{
	const struct xtr_cell cell[] = { xtr_cell_uint(true, 1), xtr_cell_str("a"),
					 xtr_cell_str("b") };
	size_t n = 2;

	cr_assert_eq(begin_table("wide", false), 0);
	cr_expect_eq(more.to.row(&more.to, cell, 1), -EINVAL);
	cr_expect_eq(more.to.row(&more.to, cell, 3), -EINVAL);
	while (n + XTR_ORIGIN_N < XTR_PARQUET_COLUMNS_MAX) {
		cr_assert_eq(more.to.column(&more.to, &number), 0);
		n++;
	}
	cr_expect_eq(more.to.column(&more.to, &number), -E2BIG);
}

Test(parquet_more, a_directory_that_cannot_be_made)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/table=always", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	cr_assert_geq(fd, 0);
	close(fd);
	cr_expect_eq(begin_table("always", true), -ENOTDIR);
	cr_expect(more.broken, "it is what is written");
}

/* --- tables of sections ----------------------------------------------------------------------- */

static void count_column(void *ctx, const char *name, enum xtr_column_type type, const char *help)
{
	(void)type;
	cr_assert(name && *name && help);
	++*(size_t *)ctx;
}

/* One that were wider could not be exported, and no test of files has rows of each. */
Test(parquet_more, each_table_of_a_section_has_room)
{
	struct xtr_table_at at = { 0 };
	size_t tables = 0, widest = 0;

	while (xtr_table_next(&at)) {
		size_t n = XTR_ORIGIN_N;

		xtr_section_columns(at.table, count_column, &n);
		cr_expect_leq(n, XTR_PARQUET_COLUMNS_MAX, "%s: %zu columns", at.name, n);
		cr_expect_gt(n, XTR_ORIGIN_N, "%s", at.name);
		widest = n > widest ? n : widest;
		tables++;
	}
	cr_expect_gt(tables, 50);
	cr_expect_gt(widest, 20);
}
