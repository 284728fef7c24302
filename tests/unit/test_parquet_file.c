/* SPDX-License-Identifier: BSD-2-Clause */
/* A Parquet file: it has its name when it is whole, and nothing is left where memory is short.
 * tests/export reads what is in such files. */
#include "converters/out/tables/parquet_file.h"
#include "oom.h"
#include "sysfail.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS 300u

static char dir[] = "/tmp/xtr-parquet.XXXXXX";
static char path[sizeof(dir) + 16];

static void begin(void)
{
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.parquet", dir);
}

static size_t entries(void)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	cr_assert_not_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void end(void)
{
	unlink(path);
	cr_expect_eq(entries(), 0);
	rmdir(dir);
}

TestSuite(parquet_file, .init = begin, .fini = end);

/* Texts that are all different, few, and none; times that do not come in order. */
static int add_row(struct xtr_parquet_file *f, uint32_t i)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "text %u", i);

	return xtr_parquet_add_number(&f->column[0], 1000 - i) ?:
	       xtr_parquet_add_text(&f->column[1], text, (size_t)n) ?:
	       xtr_parquet_add_text(&f->column[2], i % 2 ? "odd" : "", i % 2 ? 3 : 0) ?:
	       xtr_parquet_add_number(&f->column[3], i % 5) ?:
	       xtr_parquet_add_null(&f->column[4]) ?:
	       xtr_parquet_row(f);
}

static int write_one(void *rows)
{
	struct xtr_parquet_file f = { .sorted_by = 0 };
	int err = xtr_parquet_fact(&f, "key", "value");

	xtr_parquet_column(&f, "time", XTR_PARQUET_TIME, false);
	xtr_parquet_column(&f, "text", XTR_PARQUET_TEXT, false);
	xtr_parquet_column(&f, "few", XTR_PARQUET_TEXT, false);
	xtr_parquet_column(&f, "name", XTR_PARQUET_INT, true);
	xtr_parquet_column(&f, "none", XTR_PARQUET_UINT, false);
	err = err ?: xtr_parquet_open(&f, path);
	for (uint32_t i = 0; i < *(const uint32_t *)rows && !err; i++)
		err = add_row(&f, i);
	err = err ?: xtr_parquet_end(&f);
	cr_assert(access(path, F_OK), "there before it is published");
	err = err ?: xtr_parquet_publish(&f);
	xtr_parquet_free(&f);
	cr_assert_eq(entries(), !err);
	if (!err)
		unlink(path);
	return err;
}

Test(parquet_file, every_allocation_may_fail)
{
	/* Without the directory's name it gets a hidden name. */
	cr_expect_gt(oom_each(write_one, &(uint32_t){ ROWS }, 1), 40);
}

Test(parquet_file, calls_that_fail_or_are_interrupted)
{
	static const struct {
		const char *call;
		int err, want;
	} cases[] = {
		{ "write", EINTR, 0 },  { "fsync", EINTR, 0 },  { "write", ENOSPC, -ENOSPC },
		{ "write", EIO, -EIO }, { "fsync", EIO, -EIO },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sys_fail(cases[i].call, 1, cases[i].err);
		cr_expect_eq(write_one(&(uint32_t){ ROWS }), cases[i].want, "%s: %s", cases[i].call,
			     strerror(cases[i].err));
		cr_expect_eq(sys_end(), 1);
	}
}

/* Row groups, and a table without rows. */
Test(parquet_file, any_number_of_rows)
{
	static const uint32_t rows[] = { 0, 1, XTR_PARQUET_GROUP_ROWS, XTR_PARQUET_GROUP_ROWS + 1 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(write_one(&(uint32_t){ rows[i] }), 0);
}

/* Their bytes are nowhere: clang's sanitizer would tell of a sum with that. */
Test(parquet_file, texts_that_are_all_empty)
{
	struct xtr_parquet_file f = { .sorted_by = -1 };

	xtr_parquet_column(&f, "a", XTR_PARQUET_TEXT, false);
	cr_assert_eq(xtr_parquet_open(&f, path), 0);
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(i % 2 ? xtr_parquet_add_null(&f.column[0])
				   : xtr_parquet_add_text(&f.column[0], "", 0),
			     0);
	cr_expect_eq(xtr_parquet_end(&f), 0);
	xtr_parquet_free(&f);
}

Test(parquet_file, a_file_of_the_same_name_is_replaced)
{
	struct xtr_parquet_file f = { .sorted_by = -1 };
	FILE *old = fopen(path, "w");
	struct stat st;

	fputs("old", old);
	fclose(old);
	xtr_parquet_column(&f, "a", XTR_PARQUET_INT, false);
	cr_assert_eq(xtr_parquet_open(&f, path), 0);
	cr_assert_eq(xtr_parquet_add_number(&f.column[0], 1), 0);
	cr_assert_eq(xtr_parquet_end(&f), 0);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_size, 3);
	cr_assert_eq(xtr_parquet_publish(&f), 0);
	xtr_parquet_free(&f);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_gt(st.st_size, 100);
	cr_expect_eq(st.st_mode & 0777, 0600);
	cr_expect_eq(entries(), 1);
}

Test(parquet_file, no_such_directory)
{
	struct xtr_parquet_file f = { .sorted_by = -1 };

	xtr_parquet_column(&f, "a", XTR_PARQUET_INT, false);
	cr_expect_eq(xtr_parquet_open(&f, "/nonexistent/a.parquet"), -ENOENT);
	xtr_parquet_free(&f);
}
