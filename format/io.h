/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The I/O layer below writer and reader. The library does no I/O but through this table, so that
 * tests can put a faulty or an in-memory file in its place.
 */
#ifndef XTR_IO_H
#define XTR_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct xtr_io;

/* All return 0 or -errno. An implementation retries EINTR and short counts itself. */
struct xtr_io_ops {
	/* Append all n bytes. After an error the file may end in a part of them. NULL: read-only.
	 */
	int (*append)(struct xtr_io *io, const void *buf, size_t n);
	/* Make what was appended durable, and a new file's name. NULL: nothing to do (pipe,
	 * memory). */
	int (*sync)(struct xtr_io *io);
	/* Read exactly n bytes at off; -ENODATA past the end. NULL: write-only. */
	int (*read_at)(struct xtr_io *io, uint64_t off, void *buf, size_t n);
	/* Current size in bytes. */
	int (*size)(struct xtr_io *io, uint64_t *size);
	/* The whole file in memory, valid until close, or NULL if it can't be mapped. May be NULL.
	 */
	const uint8_t *(*map)(struct xtr_io *io, uint64_t *size);
	/* Release everything. The io is gone afterwards, whatever is returned. */
	int (*close)(struct xtr_io *io);
};

struct xtr_io {
	const struct xtr_io_ops *ops;
};

/*
 * Open path for reading. "-" and anything that cannot be mapped (a pipe) is first copied to an
 * unlinked temporary file in $TMPDIR (default /tmp). Returns 0, or -errno.
 */
int xtr_io_open_read(const char *path, struct xtr_io **io);
/*
 * An unlinked file in $TMPDIR (default /tmp), empty: to append to, and to read what was appended.
 * 0 or -errno.
 */
int xtr_io_temp(struct xtr_io **io);
/* Read what fd is open on, which must be a plain file that may be read; fd stays the caller's. 0 or
 * -errno. */
int xtr_io_read_fd(int fd, struct xtr_io **io);
/* A second one to read the same file, of xtr_io_temp or xtr_io_open_read: each is closed on its
 * own. 0 or -errno. */
int xtr_io_again(struct xtr_io *io, struct xtr_io **again);

/* flags of xtr_io_create */
#define XTR_IO_FORCE 1u /* replace an existing file */

/*
 * Create path for writing: mode 0600 under any umask. -EEXIST if it exists and XTR_IO_FORCE is not
 * given; with it, a file made beside it takes its name: other links to the old file keep its
 * content. -ELOOP if path is a symbolic link (its directory may be behind one). Pipes and character
 * devices are written to, if root or this user owns them (-EPERM). "-" writes to standard output.
 */
int xtr_io_create(const char *path, unsigned int flags, struct xtr_io **io);

/* Give a plain file that was created to another user: root can. What is no plain file stays as it
 * is. 0 or -errno. */
int xtr_io_give(struct xtr_io *io, uid_t uid, gid_t gid);

/*
 * Create a file of this name in the directory that dir is open on: mode 0600; anything that is
 * there is -EEXIST. It is locked (flock) from before its first byte until it is closed: a file with
 * bytes that is not locked is written by nobody any more.
 */
int xtr_io_create_new(int dir, const char *name, struct xtr_io **io);

/* A file in memory, empty at first; xtr_io_mem_data gives its bytes, valid until the next append.
 */
int xtr_io_mem_new(struct xtr_io **io);
/* A read-only file over bytes that the caller keeps alive until close. */
int xtr_io_mem_view(const void *data, size_t n, struct xtr_io **io);
const uint8_t *xtr_io_mem_data(const struct xtr_io *io, size_t *n);

/* Close and free; NULL is allowed. */
int xtr_io_close(struct xtr_io *io);

#endif /* XTR_IO_H */
