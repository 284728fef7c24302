/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What drivers leave of a device that hung: byte for byte, as half a dump, or one that somebody
 * changed, cannot be decoded. Reading does not remove them; they end by themselves after minutes.
 */
#include "gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK       ((size_t)64 << 10)
#define NONE_AT_ALL "there is none"

struct dumps {
	struct gather *g;
	size_t n;
};

/* What i915 says where nothing hung (intel_sysfs.c, error_state_read). */
#define I915_NONE "No error state collected"

static int copy(int fd, struct xtr_io *to, uint64_t *size)
{
	uint8_t *buf = malloc(BLOCK);
	int err = buf ? 0 : -ENOMEM;

	for (*size = 0; !err;) {
		ssize_t got = read(fd, buf, BLOCK);

		if (!got)
			break;
		if (got < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		*size += (uint64_t)got;
		err = *size > XTR_BUNDLE_DUMP_MAX ? -EFBIG : to->ops->append(to, buf, (size_t)got);
	}
	free(buf);
	return err;
}

static bool says_none(struct xtr_io *io, uint64_t size)
{
	char begin[sizeof(I915_NONE) - 1];

	return size < 64 && size >= sizeof(begin) &&
	       !io->ops->read_at(io, 0, begin, sizeof(begin)) &&
	       !memcmp(begin, I915_NONE, sizeof(begin));
}

static int dump(struct dumps *d, const char *path, const char *name)
{
	struct xtr_bundle *b = d->g->b;
	const struct xtr_bundle_source *s = d->g->s;
	int fd = gather_open(b->root, path), err = fd < 0 ? fd : 0;
	struct xtr_io *io = NULL;
	uint64_t size = 0;

	d->n++;
	err = err ?: xtr_io_temp(&io) ?: copy(fd, io, &size);
	if (fd >= 0)
		close(fd);
	if (!err && size && !says_none(io, size))
		return xtr_bundle_add_file(b, s, name, path, io, size);
	xtr_io_close(io);
	if (err == -ENOMEM)
		return err;
	if (err == -EFBIG)
		return xtr_bundle_absent(b, s, name, path,
					 "it is larger than %llu MiB: attach it by itself",
					 (unsigned long long)(XTR_BUNDLE_DUMP_MAX >> 20));
	if (err)
		return xtr_bundle_unread(b, s, name, path, err);
	return xtr_bundle_absent(b, s, name, path, NONE_AT_ALL);
}

static int coredump(void *ctx, const char *path)
{
	char name[64];

	/* /sys/class/devcoredump/devcd1/data */
	snprintf(name, sizeof(name), "devcoredump-%.*s.bin",
		 (int)strcspn(path + strlen("/sys/class/devcoredump/"), "/"),
		 path + strlen("/sys/class/devcoredump/"));
	return dump(ctx, path, name);
}

static int error_state(void *ctx, const char *path)
{
	const char *card = path + strlen("/sys/class/drm/");
	char name[64];

	if (memchr(card, '-', strcspn(card, "/")))
		return 0;
	snprintf(name, sizeof(name), "error-%.*s.txt", (int)strcspn(card, "/"), card);
	return dump(ctx, path, name);
}

static int all(struct gather *g, const char *pattern, int (*one)(void *ctx, const char *path))
{
	struct dumps d = { .g = g };
	int err = gather_glob(g->b->root, pattern, one, &d);

	return err || d.n ? err : xtr_bundle_absent(g->b, g->s, "", pattern, NONE_AT_ALL);
}

int gather_devcoredump(struct gather *g)
{
	return all(g, "/sys/class/devcoredump/devcd*/data", coredump);
}

int gather_error(struct gather *g)
{
	return all(g, "/sys/class/drm/card*/error", error_state);
}
