/* SPDX-License-Identifier: BSD-2-Clause */
/* Spool files: what was added comes out again, wherever the file ends. */
#include "hang/spool.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t)256 << 10)
#define SIZE  (3 * BLOCK + 1000)

static char folder[] = "/tmp/xtr-spool.XXXXXX";
static int dir = -1;
static uint8_t data[SIZE], back[SIZE];
static const struct xtr_spool_head head = { "devcoredump", "devcoredump-x.bin", "/sys/x/data" };

/* A block of noise, one of zeros, one of text, and a part of one. */
static void begin(void)
{
	uint32_t x = 1;

	cr_assert_not_null(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < SIZE; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = i < BLOCK       ? (uint8_t)(x >> 24)
			  : i < 2 * BLOCK ? 0
					  : (uint8_t)("register "[i % 9]);
	}
}

static void end(void)
{
	cr_assert_eq(unlinkat(dir, "a", 0), 0);
	close(dir);
	cr_assert_eq(rmdir(folder), 0);
}

TestSuite(hang_spool, .init = begin, .fini = end);

static void spool(int err, const char *why)
{
	struct xtr_spool *s;

	cr_assert_eq(xtr_spool_new(&s, dir, "a", &head, NULL), 0);
	for (size_t at = 0; at < SIZE; at += 4000)
		cr_assert_eq(xtr_spool_add(s, data + at, SIZE - at < 4000 ? SIZE - at : 4000), 0);
	cr_assert_eq(xtr_spool_end(s, err, why), 0);
}

static void expect_prefix(uint64_t size, struct xtr_io *io)
{
	cr_assert_leq(size, SIZE);
	cr_assert_eq(io->ops->read_at(io, 0, back, size), 0);
	cr_assert_arr_eq(back, data, size);
	cr_assert_eq(io->ops->read_at(io, size, back, 1), -ENODATA);
}

Test(hang_spool, what_was_added_comes_out)
{
	struct xtr_spooled what;
	struct xtr_io *io;
	struct stat st;

	spool(0, "");
	cr_assert_eq(xtr_spool_open(dir, "a", &what, &io), 0);
	cr_assert_str_eq(what.head.source, "devcoredump");
	cr_assert_str_eq(what.head.name, "devcoredump-x.bin");
	cr_assert_str_eq(what.head.from, "/sys/x/data");
	cr_assert(what.ended);
	cr_assert_eq(what.err, 0);
	cr_assert_eq(what.size, SIZE);
	expect_prefix(SIZE, io);
	/* In any order. */
	for (size_t at = SIZE; at >= 77777; at -= 77777) {
		cr_assert_eq(io->ops->read_at(io, at - 77777, back, 77777), 0);
		cr_assert_arr_eq(back, data + at - 77777, 77777);
	}
	xtr_io_close(io);
	cr_assert_eq(fstatat(dir, "a", &st, 0), 0);
	cr_assert_lt(st.st_size, (off_t)(BLOCK + 5000), "zeros and text take next to nothing");
	cr_assert_eq(xtr_spool_new(&(struct xtr_spool *){ NULL }, dir, "a", &head, NULL), -EEXIST);
}

Test(hang_spool, how_it_ended)
{
	struct xtr_spooled what;
	struct xtr_io *io;

	spool(-EIO, "the card went");
	cr_assert_eq(xtr_spool_open(dir, "a", &what, &io), 0);
	cr_assert(what.ended);
	cr_assert_eq(what.err, -EIO);
	cr_assert_str_eq(what.why, "the card went");
	expect_prefix(SIZE, io);
	xtr_io_close(io);
}

/* Killed at any byte: whole blocks are there, and it is not said to have ended. */
Test(hang_spool, cut_anywhere)
{
	struct xtr_spooled what;
	uint64_t before = SIZE;
	struct xtr_io *io;
	struct stat st;
	int fd;

	spool(0, "");
	fd = openat(dir, "a", O_RDWR);
	cr_assert_eq(fstat(fd, &st), 0);
	for (off_t n = st.st_size - 1; n >= 0; n -= n > 400 && n < st.st_size - 400 ? 997 : 1) {
		int err;

		cr_assert_eq(ftruncate(fd, n), 0);
		err = xtr_spool_open(dir, "a", &what, &io);
		if (n < 304) {
			cr_assert_eq(err, -EBADMSG, "%zd bytes", (ssize_t)n);
			continue;
		}
		cr_assert_eq(err, 0, "%zd bytes", (ssize_t)n);
		cr_assert_not(what.ended);
		cr_assert_leq(what.size, before);
		before = what.size;
		expect_prefix(what.size, io);
		xtr_io_close(io);
	}
	close(fd);
}

/* A byte that changed: what is before its block, and nothing wrong. */
Test(hang_spool, damaged_anywhere)
{
	struct xtr_spooled what;
	struct xtr_io *io;
	struct stat st;
	int fd;

	spool(0, "");
	fd = openat(dir, "a", O_RDWR);
	cr_assert_eq(fstat(fd, &st), 0);
	for (off_t at = 304; at < st.st_size; at += at < 400 || at > st.st_size - 2000 ? 1 : 1999) {
		uint8_t was, is;

		cr_assert_eq(pread(fd, &was, 1, at), 1);
		is = was ^ 0x20;
		cr_assert_eq(pwrite(fd, &is, 1, at), 1);
		cr_assert_eq(xtr_spool_open(dir, "a", &what, &io), 0);
		expect_prefix(what.size, io);
		xtr_io_close(io);
		cr_assert_eq(pwrite(fd, &was, 1, at), 1);
	}
	close(fd);
}
