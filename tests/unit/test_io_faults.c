/* SPDX-License-Identifier: BSD-2-Clause */
/* Files when the system refuses: each call of format/io.c fails once, and what is told and left is
 * right. */
#include "format/io.h"
#include "oom.h"
#include "sysfail.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/xtr-test-iof.XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	snprintf(path, sizeof(path), "%s/a", dir);
}

static void tear_down(void)
{
	unlink(path);
	cr_expect(zero(int, rmdir(dir)), "nothing else is left");
}

TestSuite(io_faults, .init = set_up, .fini = tear_down);

/* What appending 5 bytes returns; the file must hold them if that is 0. */
static int append(void)
{
	struct xtr_io *io;
	char buf[8] = "";
	int ret, fd;

	unlink(path);
	cr_assert(eq(int, xtr_io_create(path, 0, &io), 0));
	ret = io->ops->append(io, "hello", 5);
	cr_assert(eq(int, xtr_io_close(io), 0));
	fd = open(path, O_RDONLY);
	cr_assert(eq(int, (int)read(fd, buf, sizeof(buf)), ret ? 0 : 5));
	close(fd);
	return ret;
}

Test(io_faults, writing_goes_on_after_interruptions)
{
	sys_fail("write", 1, EINTR);
	cr_assert(eq(int, append(), 0));
	cr_assert(eq(u32, sys_end(), 1));
	sys_fail("write", 1, EAGAIN);
	cr_assert(eq(int, append(), 0));
	cr_assert(eq(u32, sys_end(), 1));
	sys_fail("write", 1, EAGAIN);
	sys_fail("poll", 1, EINTR);
	cr_assert(eq(int, append(), 0));
	cr_assert(eq(u32, sys_end(), 2));
}

Test(io_faults, writing_tells_what_failed)
{
	sys_fail("write", 1, ENOSPC);
	cr_assert(eq(int, append(), -ENOSPC));
	cr_assert(eq(u32, sys_end(), 1));
	sys_fail("write", 1, EAGAIN);
	sys_fail("poll", 1, ENOMEM);
	cr_assert(eq(int, append(), -ENOMEM));
	cr_assert(eq(u32, sys_end(), 2));
	sys_fail("write", 1, 0);
	cr_assert(eq(int, append(), -EIO), "a device that takes nothing is not asked for ever");
	cr_assert(eq(u32, sys_end(), 1));
}

Test(io_faults, syncing_and_closing)
{
	const struct {
		const char *call;
		int err, sync, close;
		unsigned int nth; /* the first close is the directory's */
	} cases[] = {
		{ "fdatasync", EINVAL, 0, 0, 1 }, { "fdatasync", EROFS, 0, 0, 1 },
		{ "fdatasync", EINTR, 0, 0, 1 },  { "fdatasync", EIO, -EIO, 0, 1 },
		{ "fsync", EINVAL, 0, 0, 1 },     { "fsync", EIO, -EIO, 0, 1 },
		{ "close", EIO, 0, -EIO, 2 },     { "close", EINTR, 0, 0, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xtr_io *io;

		unlink(path);
		cr_assert(eq(int, xtr_io_create(path, 0, &io), 0));
		sys_fail(cases[i].call, cases[i].nth, cases[i].err);
		cr_assert(eq(int, io->ops->sync(io), cases[i].sync), "case %zu", i);
		cr_assert(eq(int, xtr_io_close(io), cases[i].close), "case %zu", i);
		cr_assert(eq(u32, sys_end(), 1));
	}
}

/* A file whose directory was never synced may be gone after a power failure, with all in it. */
Test(io_faults, the_name_of_a_new_file_is_synced_once)
{
	static const unsigned int flags[] = { 0, XTR_IO_FORCE };

	unlink(path);
	for (size_t i = 0; i < 2; i++) { /* a new one, and one in its place */
		struct xtr_io *io;

		cr_assert(eq(int, xtr_io_create(path, flags[i], &io), 0));
		sys_fail("fsync", 1, EIO);
		cr_assert(eq(int, io->ops->sync(io), -EIO));
		cr_assert(eq(u32, sys_end(), 1));
		sys_fail("fsync", 2, EIO);
		cr_assert(eq(int, io->ops->sync(io), 0), "it is tried again");
		cr_assert(eq(int, io->ops->sync(io), 0));
		cr_assert(eq(u32, sys_end(), 0), "and not once more");
		cr_assert(eq(int, xtr_io_close(io), 0));
	}
}

Test(io_faults, the_name_of_a_new_piece_is_synced_once)
{
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct xtr_io *io;

	unlink(path);
	cr_assert(eq(int, xtr_io_create_new(at, "a", &io), 0));
	close(at);
	sys_fail("fsync", 1, EIO);
	cr_assert(eq(int, io->ops->sync(io), -EIO));
	cr_assert(eq(u32, sys_end(), 1));
	sys_fail("fsync", 2, EIO);
	cr_assert(eq(int, io->ops->sync(io), 0), "it is tried again");
	cr_assert(eq(int, io->ops->sync(io), 0));
	cr_assert(eq(u32, sys_end(), 0), "and not once more");
	cr_assert(eq(int, xtr_io_close(io), 0));
}

Test(io_faults, a_directory_that_cannot_be_opened_is_not_synced)
{
	struct xtr_io *io;

	unlink(path);
	sys_fail("open", 2, EACCES);
	cr_assert(eq(int, xtr_io_create(path, 0, &io), 0));
	cr_assert(eq(u32, sys_end(), 1));
	sys_fail("fsync", 1, EIO);
	cr_assert(eq(int, io->ops->sync(io), 0));
	cr_assert(eq(u32, sys_end(), 0));
	cr_assert(eq(int, xtr_io_close(io), 0));
}

Test(io_faults, giving)
{
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_create(path, 0, &io), 0));
	sys_fail("fstat", 1, EIO);
	cr_assert(eq(int, xtr_io_give(io, 0, 0), -EIO));
	cr_assert(eq(u32, sys_end(), 1));
	cr_assert(eq(int, xtr_io_close(io), 0));
}

Test(io_faults, reading)
{
	struct xtr_io *io;
	char buf[8] = "";
	uint64_t size;

	cr_assert(eq(int, append(), 0));
	sys_fail("fstat", 1, EIO);
	cr_assert(eq(int, xtr_io_open_read(path, &io), -EIO));
	sys_fail("fcntl", 1, EMFILE);
	cr_assert(eq(int, xtr_io_open_read(path, &io), -EMFILE));
	oom_at(1, false);
	cr_assert(eq(int, xtr_io_open_read(path, &io), -ENOMEM));
	cr_assert(eq(u32, oom_end(), 1));
	cr_assert(eq(u32, sys_end(), 2));
	cr_assert(eq(int, xtr_io_open_read(path, &io), 0));
	sys_fail("fstat", 1, EIO);
	cr_assert(eq(int, io->ops->size(io, &size), -EIO));
	sys_fail("pread", 1, EINTR);
	cr_assert(eq(int, io->ops->read_at(io, 0, buf, 5), 0));
	cr_assert(eq(str, buf, "hello"));
	cr_assert(eq(u32, sys_end(), 2));
	sys_fail("pread", 1, EIO);
	cr_assert(eq(int, io->ops->read_at(io, 0, buf, 5), -EIO));
	cr_assert(eq(u32, sys_end(), 1));
	cr_assert(eq(int, xtr_io_close(io), 0));
}

/* Opens standard input, which is a pipe that held 5 bytes; they must be there if that went well. */
static int open_pipe(void)
{
	int fds[2], saved = dup(STDIN_FILENO), ret;
	struct xtr_io *io;
	char buf[8] = "";

	cr_assert(zero(int, pipe(fds)));
	cr_assert(eq(int, (int)write(fds[1], "piped", 5), 5));
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	ret = xtr_io_open_read("-", &io);
	dup2(saved, STDIN_FILENO);
	close(saved);
	if (ret)
		return ret;
	cr_assert(eq(int, io->ops->read_at(io, 0, buf, 5), 0));
	cr_assert(eq(str, buf, "piped"));
	return xtr_io_close(io);
}

Test(io_faults, a_pipe_needs_a_place)
{
	char deep[PATH_MAX];

	cr_assert(eq(int, open_pipe(), 0));
	setenv("TMPDIR", "", 1);
	cr_assert(eq(int, open_pipe(), 0));
	setenv("TMPDIR", dir, 1);
	cr_assert(eq(int, open_pipe(), 0));
	sys_fail("open", 1, EOPNOTSUPP);
	cr_assert(eq(int, open_pipe(), 0), "file systems without O_TMPFILE");
	sys_fail("open", 1, EOPNOTSUPP);
	sys_fail("mkostemp", 1, EACCES);
	cr_assert(eq(int, open_pipe(), -EACCES));
	cr_assert(eq(u32, sys_end(), 3));
	memset(deep, 'x', sizeof(deep));
	deep[0] = '/';
	deep[sizeof(deep) - 1] = '\0';
	setenv("TMPDIR", deep, 1);
	cr_assert(eq(int, open_pipe(), -ENAMETOOLONG));
	setenv("TMPDIR", dir, 1);
}

Test(io_faults, a_pipe_is_copied_or_refused)
{
	const struct {
		const char *call;
		unsigned int n;
		int err, ret;
	} cases[] = {
		{ "read", 1, EINTR, 0 },
		{ "read", 1, EIO, -EIO },
		{ "write", 2, ENOSPC, -ENOSPC }, /* the first one fills the pipe */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sys_fail(cases[i].call, cases[i].n, cases[i].err);
		cr_assert(eq(int, open_pipe(), cases[i].ret), "case %zu", i);
		cr_assert(eq(u32, sys_end(), 1));
	}
	oom_at(1, false);
	cr_assert(eq(int, open_pipe(), -ENOMEM));
	cr_assert(eq(u32, oom_end(), 1));
}

Test(io_faults, replacing_leaves_the_old_file_or_the_new_one)
{
	const struct {
		const char *call;
		int err;
	} cases[] = { { "mkostemp", EACCES }, { "rename", EIO }, { "lstat", ENOENT } };
	char deep[PATH_MAX];
	struct xtr_io *io;
	struct stat st;

	cr_assert(eq(int, append(), 0));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sys_fail(cases[i].call, 1, cases[i].err);
		cr_assert(eq(int, xtr_io_create(path, XTR_IO_FORCE, &io), -cases[i].err));
		cr_assert(eq(u32, sys_end(), 1));
		cr_assert(zero(int, stat(path, &st)));
		cr_assert(eq(int, (int)st.st_size, 5));
	}
	sys_fail("fchmod", 1, EPERM);
	cr_assert(eq(int, xtr_io_create(path, XTR_IO_FORCE, &io), 0),
		  "a file system without modes");
	cr_assert(eq(u32, sys_end(), 1));
	cr_assert(eq(int, xtr_io_close(io), 0));
	/* A name that is short enough for the file but not for its replacement. */
	memset(deep, '/', sizeof(deep));
	memcpy(deep + sizeof(deep) - 2, "a", 2);
	memcpy(deep, dir, strlen(dir));
	cr_assert(eq(int, xtr_io_create(deep, XTR_IO_FORCE, &io), -ENAMETOOLONG));
}

static void file_in_its_place(void)
{
	int fd;

	unlink(path);
	fd = creat(path, 0600);
	close(fd);
}

Test(io_faults, a_pipe_that_changes_while_it_is_opened)
{
	struct xtr_io *io;
	int fd;

	cr_assert(zero(int, mkfifo(path, 0600)));
	fd = open(path, O_RDONLY | O_NONBLOCK);
	sys_fail("open", 2, ENXIO);
	cr_assert(eq(int, xtr_io_create(path, XTR_IO_FORCE, &io), -ENXIO));
	sys_fail("fstat", 1, EIO);
	cr_assert(eq(int, xtr_io_create(path, XTR_IO_FORCE, &io), -EIO));
	cr_assert(eq(u32, sys_end(), 2));
	sys_before("open", 2, file_in_its_place);
	cr_assert(eq(int, xtr_io_create(path, XTR_IO_FORCE, &io), -EEXIST));
	cr_assert(eq(u32, sys_end(), 1));
	close(fd);
}

Test(io_faults, standard_output)
{
	struct xtr_io *io;

	sys_fail("fcntl", 1, EMFILE);
	cr_assert(eq(int, xtr_io_create("-", 0, &io), -EMFILE));
	oom_at(1, false);
	cr_assert(eq(int, xtr_io_create("-", 0, &io), -ENOMEM));
	cr_assert(eq(u32, oom_end() + sys_end(), 2));
}
