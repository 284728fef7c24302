/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files behind struct xtr_io. A file is read with pread and not mapped: a file that shrinks or a
 * disk that fails while it is read then gives an error and not a signal.
 */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (256u << 10) /* at a time, when a pipe is copied */

struct file {
	struct xtr_io io;
	int fd;
	int dir; /* of a new file whose name was not synced yet, its directory; else -1 */
};

static struct file *to_file(struct xtr_io *io)
{
	return (struct file *)io;
}

/* Wait until fd takes more: standard output may have been made non-blocking by somebody else. */
static int wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

static int fd_write(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t r = write(fd, p, n);
		int err = 0;

		if (r > 0) {
			p += r;
			n -= (size_t)r;
		} else if (!r) {
			err = -EIO;
		} else if (errno == EAGAIN) {
			err = wait_writable(fd);
		} else if (errno != EINTR) {
			err = -errno;
		}
		if (err)
			return err;
	}
	return 0;
}

static int file_append(struct xtr_io *io, const void *buf, size_t n)
{
	return fd_write(to_file(io)->fd, buf, n);
}

/* Of a pipe, a terminal, or a directory of some file systems nothing is durable (fdatasync(2)). */
static int sync_fd(int fd, int (*sync_it)(int fd))
{
	while (sync_it(fd))
		if (errno != EINTR)
			return errno == EINVAL || errno == EROFS ? 0 : -errno;
	return 0;
}

static void forget_dir(struct file *f)
{
	if (f->dir >= 0)
		close(f->dir);
	f->dir = -1;
}

/* A file that has no name after a power failure is lost, whatever was synced (fsync(2)). */
static int file_sync(struct xtr_io *io)
{
	struct file *f = to_file(io);
	int err = sync_fd(f->fd, fdatasync);

	if (!err && f->dir >= 0)
		err = sync_fd(f->dir, fsync);
	if (!err)
		forget_dir(f);
	return err;
}

static int file_read_at(struct xtr_io *io, uint64_t off, void *buf, size_t n)
{
	uint8_t *p = buf;

	while (n) {
		ssize_t r;

		if (off > INT64_MAX)
			return -ENODATA;
		r = pread(to_file(io)->fd, p, n, (off_t)off);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (!r)
			return -ENODATA;
		p += r;
		off += (uint64_t)r;
		n -= (size_t)r;
	}
	return 0;
}

static int file_size(struct xtr_io *io, uint64_t *size)
{
	struct stat st;

	if (fstat(to_file(io)->fd, &st))
		return -errno;
	*size = (uint64_t)st.st_size;
	return 0;
}

static int file_close(struct xtr_io *io)
{
	struct file *f = to_file(io);
	int err = close(f->fd) ? -errno : 0;

	forget_dir(f);
	free(f);
	return err == -EINTR ? 0 : err;
}

static const struct xtr_io_ops read_ops = {
	.read_at = file_read_at,
	.size = file_size,
	.close = file_close,
};

static const struct xtr_io_ops write_ops = {
	.append = file_append,
	.sync = file_sync,
	.close = file_close,
};

static const struct xtr_io_ops temp_ops = {
	.append = file_append,
	.read_at = file_read_at,
	.size = file_size,
	.close = file_close,
};

static struct file *new_file(const struct xtr_io_ops *ops)
{
	struct file *f = calloc(1, sizeof(*f));

	if (f) {
		f->io.ops = ops;
		f->fd = f->dir = -1;
	}
	return f;
}

/* Takes fd over, also on failure. */
static int file_new(int fd, const struct xtr_io_ops *ops, struct xtr_io **io)
{
	struct file *f = new_file(ops);

	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	f->fd = fd;
	*io = &f->io;
	return 0;
}

/* What was created: f was there before, so that a new file never stays behind for want of memory.
 * fd: or -errno. */
static int keep_new(struct file *f, int fd, int dir, struct xtr_io **io)
{
	if (fd < 0) {
		free(f);
		return fd;
	}
	f->fd = fd;
	f->dir = dir;
	*io = &f->io;
	return 0;
}

/* An unlinked file in $TMPDIR; returns its descriptor or -errno. */
static int temp_file(void)
{
	const char *dir = getenv("TMPDIR");
	char path[PATH_MAX];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if ((size_t)snprintf(path, sizeof(path), "%s/xtr.XXXXXX", dir) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

static int copy_all(int from, int to)
{
	uint8_t *buf = malloc(COPY_BYTES);
	int err = buf ? 0 : -ENOMEM;

	while (!err) {
		ssize_t r = read(from, buf, COPY_BYTES);

		if (!r)
			break;
		if (r > 0)
			err = fd_write(to, buf, (size_t)r);
		else if (errno != EINTR)
			err = -errno;
	}
	free(buf);
	return err;
}

/* What cannot be read at any place goes to a temporary file. Returns a descriptor or -errno. */
static int seekable(int fd)
{
	struct stat st;
	int tmp, err;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0) {
		tmp = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		return tmp < 0 ? -errno : tmp;
	}
	tmp = temp_file();
	if (tmp < 0)
		return tmp;
	err = copy_all(fd, tmp);
	if (!err)
		return tmp;
	close(tmp);
	return err;
}

int xtr_io_open_read(const char *path, struct xtr_io **io)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = STDIN_FILENO, in;

	if (!is_stdin)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	in = seekable(fd);
	if (!is_stdin)
		close(fd);
	return in < 0 ? in : file_new(in, &read_ops, io);
}

int xtr_io_temp(struct xtr_io **io)
{
	int fd = temp_file();

	return fd < 0 ? fd : file_new(fd, &temp_ops, io);
}

int xtr_io_read_fd(int fd, struct xtr_io **io)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : file_new(copy, &read_ops, io);
}

int xtr_io_again(struct xtr_io *io, struct xtr_io **again)
{
	return xtr_io_read_fd(to_file(io)->fd, again);
}

/* Of a file that was created as 0600: what a umask has taken. File systems without modes refuse. */
static void make_private(int fd)
{
	if (fchmod(fd, 0600))
		errno = 0;
}

/*
 * In place of a regular file: nothing is opened by its name, so that neither a link that takes its
 * place meanwhile nor another name of the same file leads anywhere.
 */
static int replace_file(const char *path)
{
	char temp[PATH_MAX];
	int fd, err;

	if ((size_t)snprintf(temp, sizeof(temp), "%s.XXXXXX", path) >= sizeof(temp))
		return -ENAMETOOLONG;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	make_private(fd);
	if (!rename(temp, path))
		return fd;
	err = -errno;
	unlink(temp);
	close(fd);
	return err;
}

/* Somebody else's pipe, left in a directory for all, would get what a trace tells. */
static int open_special(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISREG(st.st_mode))
		err = -EEXIST; /* it has come meanwhile */
	else
		err = st.st_uid && st.st_uid != geteuid() ? -EPERM : 0;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* A block device is somebody's disk: it is not what a trace is written to. */
static int open_existing(const char *path, bool force)
{
	struct stat st;

	if (lstat(path, &st))
		return -errno;
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return force ? replace_file(path) : -EEXIST;
	case S_IFLNK:
		return -ELOOP;
	case S_IFDIR:
		return -EISDIR;
	case S_IFIFO:
	case S_IFCHR:
		return open_special(path);
	default:
		return -EINVAL;
	}
}

/*
 * The directory of a file that was opened, and so is no longer than PATH_MAX; -1 where that cannot
 * be had: it may be written to without being read.
 */
static int open_dir(const char *path)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? (int)(slash - path) + 1 : 0;
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%.*s", n, path);
	return open(n ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int xtr_io_create(const char *path, unsigned int flags, struct xtr_io **io)
{
	struct file *f;
	int fd;

	if (!strcmp(path, "-")) {
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : file_new(fd, &write_ops, io);
	}
	f = new_file(&write_ops);
	if (!f)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		make_private(fd);
	else
		fd = errno == EEXIST ? open_existing(path, flags & XTR_IO_FORCE) : -errno;
	return keep_new(f, fd, fd < 0 ? -1 : open_dir(path), io);
}

int xtr_io_give(struct xtr_io *io, uid_t uid, gid_t gid)
{
	struct stat st;

	if (fstat(to_file(io)->fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) && fchown(to_file(io)->fd, uid, gid) ? -errno : 0;
}

/* File systems without locks refuse; then nobody can find out by one, either. */
static void hold(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB))
		errno = 0;
}

int xtr_io_create_new(int dir, const char *name, struct xtr_io **io)
{
	struct file *f = new_file(&write_ops);
	int fd;

	if (!f)
		return -ENOMEM;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		make_private(fd);
		hold(fd);
	} else {
		fd = -errno;
	}
	return keep_new(f, fd, fd < 0 ? -1 : fcntl(dir, F_DUPFD_CLOEXEC, 3), io);
}

int xtr_io_close(struct xtr_io *io)
{
	return io ? io->ops->close(io) : 0;
}
