/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces as files: their names, when one is at its end, which are removed. */
#include "recorder/output/rotate.h"
#include "recorder/host/util.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/xtr-rotate-XXXXXX";

static void setup(void)
{
	cr_assert(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
}

static void teardown(void)
{
	char command[64];

	cr_assert_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	cr_assert_eq(system(command), 0);
}

TestSuite(rotate, .init = setup, .fini = teardown);

static int open_as(struct xtr_rotate *p, const char *output, bool force, uint32_t keep,
		   struct xtr_record_err *err)
{
	const struct xtr_record_opts o = { .sz = sizeof(o),
					   .output = output,
					   .force = force,
					   .rotate_bytes = 100,
					   .rotate_ns = 1000,
					   .keep = keep };

	*p = (struct xtr_rotate){ 0 };
	*err = (struct xtr_record_err){ 0 };
	return xtr_rotate_open(p, &o, err);
}

/* The next piece, as the writer makes it. */
static int next(struct xtr_rotate *p)
{
	struct xtr_piece piece = p->piece;
	struct xtr_io *io;
	int rc = xtr_rotate_create(p, &io);

	if (rc)
		return rc;
	cr_assert_eq(io->ops->append(io, "x", 1), 0);
	cr_assert_eq(xtr_io_close(io), 0);
	if (!piece.number++)
		piece.began = xtr_now();
	xtr_rotate_begin(p, &piece);
	xtr_rotate_ended(p, 1);
	return 0;
}

static bool there(const char *name)
{
	struct stat st;

	return !lstat(name, &st);
}

Test(rotate, the_number_stands_before_the_ending)
{
	static const char *const names[][2] = {
		{ "run.xtr", "run.000001.xtr" },
		{ "run", "run.000001" },
		{ "a.b", "a.b.000001" },
		{ ".xtr", ".xtr.000001" },
		{ "d/r.xtr.xtr", "d/r.xtr.000001.xtr" },
	};
	struct xtr_record_err err;
	struct xtr_rotate p;

	cr_assert_eq(mkdir("d", 0700), 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		cr_assert_eq(open_as(&p, names[i][0], false, 0, &err), 0, "%s", err.what);
		cr_assert_eq(next(&p), 0);
		cr_assert(there(names[i][1]), "%s", names[i][1]);
		cr_assert_str_eq(p.path, names[i][1]);
		xtr_rotate_free(&p);
	}
}

Test(rotate, what_is_no_file_is_refused)
{
	struct xtr_record_err err;
	struct xtr_rotate p;

	cr_assert_eq(open_as(&p, "none/run.xtr", false, 0, &err), -ENOENT);
	cr_assert(strstr(err.what, "none/run.xtr"));
	xtr_rotate_free(&p);
	cr_assert_eq(open_as(&p, "./", false, 0, &err), -EISDIR);
	xtr_rotate_free(&p);
}

Test(rotate, pieces_of_an_earlier_recording_are_not_mixed_in)
{
	static const char *const others[] = {
		"run.00001.xtr", "run.000001.xtr2",    "run.xtr",
		"run.000001",    "running.000001.xtr", "run.a00001.xtr"
	};
	struct xtr_record_err err;
	struct xtr_rotate p;

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		close(open(others[i], O_CREAT | O_WRONLY, 0600));
	cr_assert_eq(open_as(&p, "run.xtr", false, 0, &err), 0, "%s", err.what);
	xtr_rotate_free(&p);
	cr_assert_eq(symlink("run.xtr", "run.000044.xtr"), 0);
	cr_assert_eq(open_as(&p, "run.xtr", false, 0, &err), -EEXIST);
	cr_assert(strstr(err.what, "run.000044.xtr"));
	cr_assert(strstr(err.hint, "--force"));
	xtr_rotate_free(&p);
	cr_assert_eq(open_as(&p, "run.xtr", true, 0, &err), 0);
	cr_assert_not(there("run.000044.xtr"));
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		cr_assert(there(others[i]), "%s", others[i]);
	xtr_rotate_free(&p);
}

Test(rotate, a_file_in_the_way_is_not_touched)
{
	struct xtr_record_err err;
	struct xtr_rotate p;

	cr_assert_eq(open_as(&p, "run.xtr", true, 0, &err), 0);
	cr_assert_eq(next(&p), 0);
	cr_assert_eq(symlink("target", "run.000002.xtr"), 0);
	cr_assert_eq(next(&p), -EEXIST);
	cr_assert_str_eq(p.path, "run.000002.xtr");
	cr_assert_not(there("target"));
	cr_assert_eq(p.piece.number, 1);
	xtr_rotate_free(&p);
}

Test(rotate, the_newest_stay)
{
	struct xtr_record_err err;
	struct xtr_rotate p;

	cr_assert_eq(open_as(&p, "run.xtr", false, 2, &err), 0);
	for (int i = 0; i < 5; i++) {
		cr_assert_eq(next(&p), 0);
		xtr_rotate_trim(&p, false);
	}
	/* The fifth is not complete: two before it stay. */
	cr_assert_not(there("run.000002.xtr"));
	cr_assert(there("run.000003.xtr"));
	xtr_rotate_trim(&p, true);
	cr_assert_not(there("run.000003.xtr"));
	cr_assert(there("run.000004.xtr"));
	cr_assert(there("run.000005.xtr"));
	cr_assert_eq(p.removed, 3);
	cr_assert_eq(p.count, 5);
	cr_assert_eq(p.past_bytes, 5);
	xtr_rotate_free(&p);
}

Test(rotate, room_is_made_only_where_pieces_may_be_removed)
{
	struct xtr_record_err err;
	struct xtr_rotate p;

	cr_assert_eq(open_as(&p, "all.xtr", false, 0, &err), 0);
	cr_assert_eq(next(&p), 0);
	cr_assert_eq(next(&p), 0);
	cr_assert_not(xtr_rotate_drop(&p));
	cr_assert(there("all.000001.xtr"));
	xtr_rotate_free(&p);
	cr_assert_eq(open_as(&p, "some.xtr", false, 9, &err), 0);
	cr_assert_eq(next(&p), 0);
	cr_assert_not(xtr_rotate_drop(&p));
	cr_assert_eq(next(&p), 0);
	cr_assert(xtr_rotate_drop(&p));
	cr_assert_not(there("some.000001.xtr"));
	cr_assert_not(xtr_rotate_drop(&p)); /* the one being written */
	cr_assert(there("some.000002.xtr"));
	xtr_rotate_free(&p);
}

Test(rotate, ends_by_size_or_time)
{
	struct xtr_record_err err;
	struct xtr_rotate p;
	uint64_t end, border;

	cr_assert_eq(open_as(&p, "run.xtr", false, 0, &err), 0);
	cr_assert_eq(next(&p), 0);
	end = p.next_at;
	cr_assert_gt(end, p.piece.began);
	cr_assert_eq((end - p.piece.began) % 1000, 0);
	cr_assert_not(xtr_rotate_due(&p, 99, 10, end - 1, &border));
	cr_assert(xtr_rotate_due(&p, 100, 10, end - 1, &border));
	cr_assert_eq(border, 0);                                     /* behind what is in it */
	cr_assert_not(xtr_rotate_due(&p, 100, 0, end - 1, &border)); /* a piece has events */
	cr_assert(xtr_rotate_due(&p, 0, 0, end + 7, &border));
	cr_assert_eq(border, end);
	p.ending = true; /* the one before is still open */
	cr_assert_not(xtr_rotate_due(&p, 100, 10, end + 7, &border));
	xtr_rotate_free(&p);
	p = (struct xtr_rotate){ 0 };
	cr_assert_not(xtr_rotate_due(&p, UINT64_MAX, UINT64_MAX, UINT64_MAX, &border));
}

/* The sanitizer once saw the name of the directory read past its end. */
Test(rotate, pieces_are_made_in_the_directory_named)
{
	struct xtr_rotate p;
	struct xtr_record_err err;

	cr_assert_eq(mkdir("sub", 0700), 0);
	cr_assert_eq(open_as(&p, "sub/run.xtr", false, 0, &err), 0);
	cr_assert_eq(next(&p), 0);
	cr_assert_str_eq(p.path, "sub/run.000001.xtr");
	cr_assert_eq(access("sub/run.000001.xtr", F_OK), 0);
	xtr_rotate_free(&p);
	cr_assert_eq(open_as(&p, "none/run.xtr", false, 0, &err), -ENOENT);
	xtr_rotate_free(&p);
}
