/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/io.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/xtr-test-io.XXXXXX";
static char path[64], other[64];

static void set_up(void)
{
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	snprintf(path, sizeof(path), "%s/a", dir);
	snprintf(other, sizeof(other), "%s/b", dir);
}

static void tear_down(void)
{
	unlink(path);
	unlink(other);
	rmdir(dir);
}

TestSuite(io, .init = set_up, .fini = tear_down);

static void write_file(const char *text, unsigned int flags)
{
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_create(path, flags, &io), 0));
	cr_assert(eq(int, io->ops->append(io, text, strlen(text)), 0));
	cr_assert(eq(int, io->ops->sync(io), 0));
	cr_assert(eq(int, xtr_io_close(io), 0));
}

Test(io, what_is_written_is_read)
{
	struct xtr_io *io;
	char buf[8] = "";
	uint64_t size;

	write_file("hello world", 0);
	cr_assert(eq(int, xtr_io_open_read(path, &io), 0));
	cr_assert(eq(int, io->ops->size(io, &size), 0));
	cr_assert(eq(u64, size, 11));
	cr_assert(eq(int, io->ops->read_at(io, 6, buf, 5), 0));
	cr_assert(eq(str, buf, "world"));
	cr_assert(eq(int, io->ops->read_at(io, 7, buf, 5), -ENODATA));
	cr_assert(eq(int, io->ops->read_at(io, UINT64_MAX, buf, 1), -ENODATA));
	cr_assert(eq(int, xtr_io_close(io), 0));
}

Test(io, files_are_private_and_replaced_only_when_asked)
{
	struct xtr_io *io;
	struct stat st;

	write_file("first", 0);
	cr_assert(zero(int, stat(path, &st)));
	cr_assert(eq(int, (int)(st.st_mode & 0777), 0600));
	cr_assert(eq(int, xtr_io_create(path, 0, &io), -EEXIST));
	cr_assert(zero(int, chmod(path, 0644)));
	write_file("2", XTR_IO_FORCE);
	cr_assert(zero(int, stat(path, &st)));
	cr_assert(eq(int, (int)st.st_size, 1));
	cr_assert(eq(int, (int)(st.st_mode & 0777), 0600));
}

Test(io, never_through_a_symbolic_link)
{
	struct xtr_io *io;
	struct stat st;

	write_file("first", 0);
	cr_assert(zero(int, symlink(path, other)));
	cr_assert(eq(int, xtr_io_create(other, XTR_IO_FORCE, &io), -ELOOP));
	cr_assert(eq(int, xtr_io_create(other, 0, &io), -ELOOP));
	cr_assert(zero(int, stat(path, &st)));
	cr_assert(eq(int, (int)st.st_size, 5));
}

Test(io, devices_are_written_to)
{
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_create("/dev/null", 0, &io), 0));
	cr_assert(eq(int, io->ops->append(io, "x", 1), 0));
	cr_assert(eq(int, io->ops->sync(io), 0));
	cr_assert(eq(int, xtr_io_close(io), 0));
	cr_assert(eq(int, xtr_io_create("/dev/full", 0, &io), 0));
	cr_assert(eq(int, io->ops->append(io, "x", 1), -ENOSPC));
	cr_assert(eq(int, xtr_io_close(io), 0));
}

/* What is no file of its own is not given away. */
Test(io, a_file_is_given_to_its_user)
{
	struct xtr_io *io;
	struct stat st;

	cr_assert(eq(int, xtr_io_create(path, 0, &io), 0));
	cr_assert(eq(int, xtr_io_give(io, getuid(), getgid()), 0));
	cr_assert(zero(int, stat(path, &st)));
	cr_assert(eq(u32, st.st_uid, getuid()));
	cr_assert(eq(int, xtr_io_close(io), 0));
	cr_assert(eq(int, xtr_io_create("/dev/null", 0, &io), 0));
	cr_assert(eq(int, xtr_io_give(io, 65534, 65534), 0));
	cr_assert(zero(int, stat("/dev/null", &st)));
	cr_assert(ne(u32, st.st_uid, 65534));
	cr_assert(eq(int, xtr_io_close(io), 0));
}

Test(io, what_cannot_be_read_is_said)
{
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_open_read(path, &io), -ENOENT));
	cr_assert(eq(int, xtr_io_open_read(dir, &io), -EISDIR));
	cr_assert(eq(int, xtr_io_create(dir, XTR_IO_FORCE, &io), -EISDIR));
}

Test(io, a_pipe_is_copied)
{
	struct xtr_io *io;
	char buf[100000];
	uint64_t size;
	pid_t child;

	cr_assert(zero(int, mkfifo(path, 0600)));
	child = fork();
	if (!child) {
		int fd = open(path, O_WRONLY);

		memset(buf, 'x', sizeof(buf));
		for (int i = 0; i < 5; i++)
			if (write(fd, buf, sizeof(buf)) < 0)
				_exit(1);
		_exit(0);
	}
	cr_assert(eq(int, xtr_io_open_read(path, &io), 0));
	cr_assert(eq(int, io->ops->size(io, &size), 0));
	cr_assert(eq(u64, size, 500000));
	cr_assert(eq(int, io->ops->read_at(io, 499999, buf, 1), 0));
	cr_assert(eq(chr, buf[0], 'x'));
	cr_assert(eq(int, xtr_io_close(io), 0));
}

Test(io, a_temporary_file_has_no_name_and_is_read_twice)
{
	struct xtr_io *io, *again;
	char buf[8] = "";
	uint64_t size;
	int fd;

	cr_assert(zero(int, setenv("TMPDIR", dir, 1)));
	cr_assert(zero(int, xtr_io_temp(&io)));
	cr_assert(zero(int, rmdir(dir))); /* nothing is in it */
	cr_assert(zero(int, mkdir(dir, 0700)));
	cr_assert(zero(int, io->ops->append(io, "hello world", 11)));
	cr_assert(zero(int, xtr_io_again(io, &again)));
	cr_assert(zero(int, xtr_io_close(io)));
	cr_assert(zero(int, again->ops->size(again, &size)));
	cr_assert(eq(u64, size, 11));
	cr_assert(zero(int, again->ops->read_at(again, 6, buf, 5)));
	cr_assert(eq(str, buf, "world"));
	cr_assert(zero(int, xtr_io_close(again)));
	cr_assert(zero(int, setenv("TMPDIR", path, 1)));
	cr_assert(eq(int, xtr_io_temp(&io), -ENOENT));

	write_file("a file", 0);
	fd = open(path, O_RDONLY);
	cr_assert(zero(int, xtr_io_read_fd(fd, &io)));
	cr_assert(zero(int, close(fd)));
	cr_assert(zero(int, io->ops->read_at(io, 2, buf, 4)));
	cr_assert(zero(int, memcmp(buf, "file", 4)));
	cr_assert(zero(int, xtr_io_close(io)));
	cr_assert(eq(int, xtr_io_read_fd(fd, &io), -EBADF));
}

Test(io, a_file_in_memory)
{
	struct xtr_io *io, *view;
	const uint8_t *p;
	uint64_t size;
	char buf[4];
	size_t n;

	cr_assert(eq(int, xtr_io_mem_new(&io), 0));
	cr_assert(eq(int, io->ops->append(io, "abc", 3), 0));
	cr_assert(eq(int, io->ops->append(io, "def", 3), 0));
	p = xtr_io_mem_data(io, &n);
	cr_assert(eq(sz, n, 6));
	cr_assert(zero(int, memcmp(p, "abcdef", 6)));
	cr_assert(eq(int, xtr_io_mem_view(p, n, &view), 0));
	cr_assert(eq(ptr, (void *)view->ops->map(view, &size), (void *)p));
	cr_assert(eq(u64, size, 6));
	cr_assert(eq(int, view->ops->read_at(view, 4, buf, 2), 0));
	cr_assert(eq(int, view->ops->read_at(view, 4, buf, 3), -ENODATA));
	cr_assert(eq(ptr, (void *)view->ops->append, NULL));
	xtr_io_close(view);
	xtr_io_close(io);
	cr_assert(zero(int, xtr_io_close(NULL)));
}

Test(io, a_umask_takes_nothing)
{
	struct stat st;
	mode_t before = umask(0777);

	write_file("first", 0);
	cr_assert(zero(int, stat(path, &st)));
	cr_assert(eq(int, (int)(st.st_mode & 07777), 0600));
	write_file("2", XTR_IO_FORCE);
	umask(before);
	cr_assert(zero(int, stat(path, &st)));
	cr_assert(eq(int, (int)(st.st_mode & 07777), 0600));
}

Test(io, another_name_of_a_replaced_file_keeps_its_content)
{
	struct stat st;

	write_file("first", 0);
	cr_assert(zero(int, link(path, other)));
	write_file("2", XTR_IO_FORCE);
	cr_assert(zero(int, stat(other, &st)));
	cr_assert(eq(int, (int)st.st_size, 5));
	cr_assert(zero(int, stat(path, &st)));
	cr_assert(eq(int, (int)st.st_size, 1));
}

Test(io, links_that_lead_nowhere_are_not_followed)
{
	struct xtr_io *io;

	cr_assert(zero(int, symlink(path, other)));
	cr_assert(eq(int, xtr_io_create(other, 0, &io), -ELOOP));
	cr_assert(eq(int, xtr_io_create(other, XTR_IO_FORCE, &io), -ELOOP));
	cr_assert(eq(int, access(path, F_OK), -1));
}

Test(io, a_device_keeps_its_mode)
{
	struct stat before, after;
	struct xtr_io *io;

	cr_assert(zero(int, stat("/dev/null", &before)));
	cr_assert(eq(int, xtr_io_create("/dev/null", XTR_IO_FORCE, &io), 0));
	cr_assert(eq(int, xtr_io_close(io), 0));
	cr_assert(zero(int, stat("/dev/null", &after)));
	cr_assert(eq(int, (int)after.st_mode, (int)before.st_mode));
}

Test(io, somebody_elses_pipe_gets_nothing)
{
	struct xtr_io *io;
	int fd;

	if (geteuid())
		cr_skip_test("needs root to make another user's pipe");
	cr_assert(zero(int, mkfifo(path, 0666)));
	fd = open(path, O_RDONLY | O_NONBLOCK);
	cr_assert(ge(int, fd, 0));
	cr_assert(eq(int, xtr_io_create(path, XTR_IO_FORCE, &io), 0));
	cr_assert(eq(int, xtr_io_close(io), 0));
	cr_assert(zero(int, chown(path, 65534, 65534)));
	cr_assert(eq(int, xtr_io_create(path, XTR_IO_FORCE, &io), -EPERM));
	close(fd);
}

Test(io, what_is_no_place_for_a_trace_is_refused)
{
	struct xtr_io *io;
	char name[300];

	cr_assert(zero(int, mknod(path, S_IFSOCK | 0600, 0)));
	cr_assert(eq(int, xtr_io_create(path, XTR_IO_FORCE, &io), -EINVAL));
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	cr_assert(eq(int, xtr_io_create(name, 0, &io), -ENAMETOOLONG));
}

/* Who finds a lock knows that the file is still written, and who finds none that it is not. */
Test(io, a_new_file_is_locked_until_it_is_closed)
{
	struct xtr_io *io;
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;

	cr_assert(eq(int, xtr_io_create_new(at, "a", &io), 0));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert(eq(int, flock(fd, LOCK_SH | LOCK_NB), -1));
	cr_assert(eq(int, errno, EWOULDBLOCK));
	cr_assert(eq(int, xtr_io_close(io), 0));
	cr_assert(eq(int, flock(fd, LOCK_SH | LOCK_NB), 0));
	close(fd);
	close(at);
}

Test(io, a_new_file_replaces_nothing)
{
	struct xtr_io *io;
	struct stat st;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	mode_t mask = umask(0);

	cr_assert(eq(int, xtr_io_create_new(fd, "a", &io), 0));
	umask(mask);
	cr_assert(eq(int, io->ops->append(io, "x", 1), 0));
	cr_assert(eq(int, xtr_io_close(io), 0));
	cr_assert(eq(int, stat(path, &st), 0));
	cr_assert(eq(uint, st.st_mode, S_IFREG | 0600));
	cr_assert(eq(int, xtr_io_create_new(fd, "a", &io), -EEXIST));
	cr_assert(eq(int, symlink(path, other), 0));
	cr_assert(eq(int, xtr_io_create_new(fd, "b", &io), -EEXIST));
	cr_assert(eq(int, xtr_io_create_new(-1, "c", &io), -EBADF));
	close(fd);
}
