/* SPDX-License-Identifier: BSD-2-Clause */
#include "take.h"
#include "spool.h"
#include "take_file.h"

#include "bundle/gather.h"
#include "bundle/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK ((size_t)256 << 10)

/* --- one file --------------------------------------------------------------------------------- */

/* What reading came to in words, where the number alone would not say it. */
static const char *words(int err, bool begun)
{
	if ((err == -ENOENT || err == -ENODEV || err == -ENXIO) && !begun)
		return "it was gone before it could be read";
	if (err == -ENODEV || err == -ENOENT || err == -ENXIO)
		return "it went while it was read";
	if (err == -EDQUOT)
		return "there is no more room (--bundle-max)";
	return "";
}

/* *any: something was read. */
static int copy(int fd, struct xtr_spool *s, bool *any)
{
	uint8_t *buf = malloc(BLOCK);
	int err = buf ? 0 : -ENOMEM;
	ssize_t got;

	while (!err) {
		got = read(fd, buf, BLOCK);
		if (!got)
			break;
		if (got < 0)
			err = errno == EINTR ? 0 : -errno;
		else
			err = xtr_spool_add(s, buf, (size_t)got);
		*any |= got > 0;
	}
	free(buf);
	return err;
}

int take_file(const struct xtr_hang_taking *t, const struct xtr_spool_head *h)
{
	char file[sizeof(h->name) + sizeof(XTR_SPOOL_ENDING)], path[PATH_MAX];
	struct xtr_spool *s = NULL;
	bool any = false;
	int err, fd, ret;

	snprintf(file, sizeof(file), "%s" XTR_SPOOL_ENDING, h->name);
	err = xtr_spool_new(&s, t->folder, file, h, t->room);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s%s", t->root, h->from);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	err = fd < 0 ? -errno : copy(fd, s, &any);
	if (fd >= 0)
		close(fd);
	ret = xtr_spool_end(s, err, words(err, any));
	return ret;
}

int take_text(const struct xtr_hang_taking *t, const struct xtr_spool_head *h,
	      const struct xtr_buf *b, int err)
{
	char file[sizeof(h->name) + sizeof(XTR_SPOOL_ENDING)];
	struct xtr_spool *s = NULL;
	int ret;

	snprintf(file, sizeof(file), "%s" XTR_SPOOL_ENDING, h->name);
	ret = xtr_spool_new(&s, t->folder, file, h, t->room);
	if (ret)
		return ret;
	ret = xtr_spool_add(s, b->p, b->n);
	return xtr_spool_end(s, ret ? ret : err, words(ret ? ret : err, b->n)) ?: ret;
}

/* --- dumps ------------------------------------------------------------------------------------ */

static const struct {
	const char *source, *name, *path;
} dumps[] = {
	[XTR_HANG_COREDUMP] = { "devcoredump", "devcoredump-%s.bin",
				"/sys/class/devcoredump/%s/data" },
	[XTR_HANG_ERROR_STATE] = { "error", "error-%s.txt", "/sys/class/drm/%s/error" },
};

/* A name comes out of a message: it is a part of a path here. */
static bool is_plain(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* Two rows of one kind of text, whose format is the table's. */
static void fill(char *to, size_t n, const char *format, const char *name)
{
	const char *at = strstr(format, "%s");

	snprintf(to, n, "%.*s%s%s", (int)(at - format), format, name, at + 2);
}

int xtr_hang_take_dump(const struct xtr_hang_taking *t, enum xtr_hang_left left, const char *name)
{
	struct xtr_spool_head h = { 0 };
	int err;

	if (left == XTR_HANG_NOTHING || !is_plain(name))
		return -EINVAL;
	snprintf(h.source, sizeof(h.source), "%s", dumps[left].source);
	fill(h.name, sizeof(h.name), dumps[left].name, name);
	fill(h.from, sizeof(h.from), dumps[left].path, name);
	err = take_file(t, &h);
	return err == -EEXIST ? 0 : err; /* it was told of twice */
}

void xtr_hang_device_of(const char *root, const char *name, char device[64])
{
	char path[PATH_MAX];

	device[0] = 0;
	if (is_plain(name) &&
	    (size_t)snprintf(path, sizeof(path), "/sys/class/devcoredump/%s/failing_device", name) <
		    sizeof(path))
		if (!gather_link(root, path, device, 64))
			device[0] = 0;
}

void xtr_hang_boot(const char *root, char boot[64])
{
	if (!gather_line(root, "/proc/sys/kernel/random/boot_id", boot, 64))
		boot[0] = 0;
}

/* --- the log ---------------------------------------------------------------------------------- */

int take_log(const struct xtr_hang_taking *t)
{
	const struct xtr_spool_head h = { "dmesg", "dmesg.txt", "/dev/kmsg" };
	struct xtr_kmsg k = { .to = UINT64_MAX };
	struct xtr_buf b = { 0 };
	int err = gather_log(t->root, &k, &b), ret;

	ret = take_text(t, &h, &b, err);
	xtr_buf_free(&b);
	return ret;
}
