/* SPDX-License-Identifier: BSD-2-Clause */
/* What META says of a piece: written and read back, and what is no piece. */
#include "format/meta/piece.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct xtr_piece seventh = { 7, 0x0123456789abcdef, 1000, 123456, 78, 5000, 9000 };

static struct xtr_meta *meta_of(const struct xtr_piece *p)
{
	struct xtr_meta *m = xtr_meta_new();

	cr_assert(m);
	cr_assert_eq(xtr_piece_write(p, m), 0);
	return m;
}

Test(piece, is_read_as_it_was_written)
{
	struct xtr_meta *m = meta_of(&seventh);
	struct xtr_piece p;

	cr_assert(xtr_piece_read(&p, m));
	cr_assert_eq(p.number, 7);
	cr_assert_eq(p.of, 0x0123456789abcdef);
	cr_assert_eq(p.began, 1000);
	cr_assert_eq(p.events_before, 123456);
	cr_assert_eq(p.lost_before, 78);
	cr_assert_eq(p.from, 5000);
	cr_assert_eq(p.to, 9000);
	xtr_meta_free(m);
}

Test(piece, the_next_one_replaces_it)
{
	struct xtr_meta *m = meta_of(&seventh);
	struct xtr_piece p = seventh;

	p.number = 8;
	p.lost_before = 0;
	cr_assert_eq(xtr_piece_write(&p, m), 0);
	cr_assert(xtr_piece_read(&p, m));
	cr_assert_eq(p.number, 8);
	cr_assert_eq(p.lost_before, 0);
	xtr_meta_free(m);
}

Test(piece, a_part_of_one_is_none)
{
	struct xtr_meta *m = meta_of(&seventh);
	struct xtr_piece p;

	cr_assert_eq(xtr_meta_set_config_str(m, "cut-of", "0123456789abcdef"), 0);
	cr_assert_not(xtr_piece_read(&p, m));
	xtr_meta_free(m);
}

Test(piece, all_of_it_has_to_be_there)
{
	static const char *const of[] = { "", "0123456789abcde", "0123456789abcdef0",
					  "0123456789ABCDEF", "-123456789abcdef" };
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_piece p, zero = { .of = 1 };

	cr_assert_not(xtr_piece_read(&p, m));
	cr_assert_eq(xtr_meta_set_config_str(m, "piece-of", "0123456789abcdef"), 0);
	cr_assert_not(xtr_piece_read(&p, m));
	xtr_meta_free(m);
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		m = meta_of(&seventh);
		cr_assert_eq(xtr_meta_set_config_str(m, "piece-of", of[i]), 0);
		cr_assert_not(xtr_piece_read(&p, m), "%s", of[i]);
		xtr_meta_free(m);
	}
	m = meta_of(&zero); /* they are numbered from 1 */
	cr_assert_not(xtr_piece_read(&p, m));
	xtr_meta_free(m);
}

static int write_one(void *arg)
{
	struct xtr_meta *m = xtr_meta_new();
	int err = m ? xtr_piece_write(arg, m) : -ENOMEM;

	xtr_meta_free(m);
	return err;
}

Test(piece, is_not_written_without_memory)
{
	struct xtr_piece p = seventh;

	cr_assert_gt(oom_each(write_one, &p, 0), 5);
}

Test(piece, paths_of_the_next_one)
{
	static const struct {
		const char *path, *next; /* NULL: it is not called like a piece */
	} rows[] = {
		{ "run.000001.xtr", "run.000002.xtr" },
		{ "dir.000007/run.000009.xtr", "dir.000007/run.000010.xtr" },
		{ "/a/run.999999.xtr", "/a/run.1000000.xtr" },
		{ "run.1000000.xtr", "run.1000001.xtr" },
		{ "run.000001", "run.000002" },
		{ "a.b.000001.xtr", "a.b.000002.xtr" },
		{ "run.000001.000005.xtr", "run.000001.000006.xtr" },
		{ "run.00001.xtr", NULL },
		{ "run000001.xtr", NULL },
		{ ".000001.xtr", NULL },
		{ "dir/.000001.xtr", NULL },
		{ "000001.xtr", NULL },
		{ "run.000001.xtr.zst", NULL },
		{ "run.000001/run.xtr", NULL },
		{ "run.9999999999999999999.xtr", NULL },
		{ "run.xtr", NULL },
		{ ".xtr", NULL },
		{ "-", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *next = xtr_piece_next_path(rows[i].path);

		cr_expect_eq(next != NULL, rows[i].next != NULL, "%s", rows[i].path);
		if (next && rows[i].next)
			cr_expect_str_eq(next, rows[i].next);
		free(next);
	}
}

Test(piece, a_path_of_the_recording_gets_the_number)
{
	static const struct {
		const char *run, *piece;
	} rows[] = {
		{ "run.xtr", "run.000007.xtr" },
		{ "a.b/run.xtr", "a.b/run.000007.xtr" },
		{ "run", "run.000007" },
		{ "run.dat", "run.dat.000007" },
		{ "dir.xtr/run", "dir.xtr/run.000007" },
		{ "/.xtr", "/.xtr.000007" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *path = xtr_piece_path(rows[i].run, 7);

		cr_expect_str_eq(path, rows[i].piece);
		free(path);
	}
}

static int next_once(void *arg)
{
	char *next = xtr_piece_next_path(arg);

	if (!next)
		return -ENOMEM;
	free(next);
	return 0;
}

Test(piece, the_next_path_without_memory)
{
	char path[] = "run.000001.xtr";

	cr_assert_geq(oom_each(next_once, path, 0), 2);
}
