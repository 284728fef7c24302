/* SPDX-License-Identifier: BSD-2-Clause */
#include "pack.h"
#include "case.h"
#include "spool.h"
#include "take.h"

#include "bundle/gather.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUT_SHORT "whoever read it was ended, or the disk was full"

/* --- files of the folder ---------------------------------------------------------------------- */

static int read_small(int folder, const char *file, struct xtr_buf *b)
{
	int fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), err = 0;
	ssize_t got = 1;

	if (fd < 0)
		return -errno;
	while (got && !err) {
		uint8_t *room = xtr_buf_room(b, 4096);

		got = room ? read(fd, room, 4096) : -1;
		if (got > 0)
			b->n += (size_t)got;
		else if (got < 0)
			err = !room ? -ENOMEM : errno == EINTR ? 0 : -errno;
	}
	close(fd);
	return err;
}

static int notes(struct xtr_bundle *b, int folder)
{
	const struct xtr_bundle_source *s = xtr_bundle_source_named("hang");
	struct xtr_buf text = { 0 };
	int err = read_small(folder, XTR_HANG_NOTES, &text);

	if (err && err != -ENOMEM)
		err = xtr_bundle_unread(b, s, XTR_HANG_NOTES, "", err);
	else if (!err)
		err = xtr_bundle_add_text(b, s, XTR_HANG_NOTES, "", &text);
	xtr_buf_free(&text);
	return err;
}

/* Half a dump is better than none, and says that it is half. */
static int add_spool(struct xtr_bundle *b, int folder, const char *file)
{
	const struct xtr_bundle_source *s;
	struct xtr_spooled what;
	struct xtr_io *io = NULL;
	const char *why;
	int err = xtr_spool_open(folder, file, &what, &io);

	if (err == -EBADMSG) /* it was not even begun */
		return xtr_bundle_absent(b, xtr_bundle_source_named("hang"), file, "", CUT_SHORT);
	if (err)
		return err;
	s = xtr_bundle_source_named(what.head.source);
	if (!s)
		s = xtr_bundle_source_named("state");
	why = !what.ended ? CUT_SHORT : what.why[0] ? what.why : strerror(-what.err);
	if (!what.size) {
		xtr_io_close(io);
		if (what.ended && !what.err)
			return xtr_bundle_absent(b, s, what.head.name, what.head.from,
						 "it is empty");
		err = xtr_bundle_absent(b, s, what.head.name, what.head.from, "cannot be read: %s",
					why);
		if (!err)
			b->v[b->n - 1].there = true;
		return err;
	}
	err = xtr_bundle_add_file(b, s, what.head.name, what.head.from, io, what.size);
	if (!err && (!what.ended || what.err))
		snprintf(b->v[b->n - 1].why, sizeof(b->v[0].why), "%s", why);
	return err;
}

static int is_spool(const struct dirent *e)
{
	const size_t n = strlen(e->d_name), len = strlen(XTR_SPOOL_ENDING);

	return n > len && !strcmp(e->d_name + n - len, XTR_SPOOL_ENDING);
}

int xtr_hang_pack(struct xtr_bundle *b, int folder)
{
	struct dirent **e = NULL;
	int err = notes(b, folder), n = err ? 0 : scandirat(folder, ".", &e, is_spool, alphasort);

	if (n < 0)
		err = -errno;
	for (int i = 0; i < n; i++) {
		err = err ?: add_spool(b, folder, e[i]->d_name);
		free(e[i]);
	}
	free(e);
	return err;
}

/* --- the trace -------------------------------------------------------------------------------- */

static int open_trace(int folder, struct xtr_io **one, struct xtr_io **two)
{
	int fd = openat(folder, XTR_HANG_TRACE, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return errno == ENOENT ? -ENOENT : -EIO;
	err = xtr_io_read_fd(fd, one) ?: xtr_io_again(*one, two);
	close(fd);
	return err;
}

int xtr_hang_pack_trace(struct xtr_bundle *b, int folder, const char *why, struct xtr_io **io)
{
	const struct xtr_bundle_source *s = xtr_bundle_source_named("trace");
	struct xtr_io *one = NULL;
	uint64_t size = 0;
	int err = open_trace(folder, &one, io);

	if (err == -ENOENT)
		return xtr_bundle_absent(b, s, XTR_BUNDLE_TRACE, "", "%s", why);
	if (!err)
		err = one->ops->size(one, &size);
	if (!err)
		return xtr_bundle_add_file(b, s, XTR_BUNDLE_TRACE, "", one, size);
	xtr_io_close(one);
	xtr_io_close(*io);
	*io = NULL;
	return err == -ENOMEM ? err : xtr_bundle_unread(b, s, XTR_BUNDLE_TRACE, "", err);
}

const char *xtr_hang_other_boot(int folder, const char *root)
{
	struct xtr_buf b = { 0 };
	char here[64];
	bool same;

	xtr_hang_boot(root, here);
	same = !read_small(folder, XTR_HANG_BOOT, &b) && b.n > 1 && b.n - 1 == strlen(here) &&
	       !memcmp(b.p, here, b.n - 1);
	xtr_buf_free(&b);
	return same ? NULL : "the machine was started again since";
}
