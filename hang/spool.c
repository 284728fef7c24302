/* SPDX-License-Identifier: BSD-2-Clause */
#include "spool.h"
#include "spool_block.h"

#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/codec/codecs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVEL 1 /* of zstd: a dump is read as fast as its driver gives it */

struct xtr_spool {
	int fd;
	struct xtr_hang_room *room;
	struct xtr_zstd zstd;
	size_t n; /* bytes of raw that wait */
	uint8_t raw[SPOOL_RAW], out[SPOOL_HEAD + SPOOL_RAW];
};

/* All of it, or what was written of it goes again: a block is whole or is not there. */
static int put_once(int fd, const uint8_t *p, size_t n, off_t at)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = pwrite(fd, p + done, n - done, at + (off_t)done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			int err = put < 0 ? -errno : -EIO;

			if (ftruncate(fd, at))
				err = err ? err : -EIO;
			return err;
		}
		done += (size_t)put;
	}
	return lseek(fd, at + (off_t)n, SEEK_SET) < 0 ? -errno : 0;
}

static int put(struct xtr_spool *s, const uint8_t *p, size_t n)
{
	const off_t at = lseek(s->fd, 0, SEEK_CUR);
	int err = at < 0 ? -errno : s->room ? xtr_hang_room_take(s->room, n) : 0;

	while (!err) {
		err = put_once(s->fd, p, n, at);
		if (err != -ENOSPC || !s->room || xtr_hang_room_drop(s->room))
			break;
		err = 0;
	}
	return err;
}

int xtr_spool_new(struct xtr_spool **out, int dir, const char *file, const struct xtr_spool_head *h,
		  struct xtr_hang_room *room)
{
	struct xtr_spool *s = calloc(1, sizeof(*s));
	uint8_t head[SPOOL_FILE_HEAD] = { 0 };
	int err;

	*out = s;
	if (!s)
		return -ENOMEM;
	s->room = room;
	s->fd = openat(dir, file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	memcpy(head, SPOOL_MAGIC, sizeof(SPOOL_MAGIC) - 1);
	memcpy(head + 16, h, sizeof(*h));
	err = s->fd < 0 ? -errno : put(s, head, sizeof(head));
	if (!err)
		return 0;
	if (s->fd >= 0) {
		close(s->fd);
		unlinkat(dir, file, 0);
	}
	free(s);
	*out = NULL;
	return err;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	return !*p && !memcmp(p, p + 1, n - 1);
}

static int put_block(struct xtr_spool *s, uint32_t raw, uint32_t stored, uint32_t codec)
{
	xtr_put_le32(s->out, raw);
	xtr_put_le32(s->out + 4, stored);
	xtr_put_le32(s->out + 8, codec);
	xtr_put_le32(s->out + 12, xtr_crc32c(s->out + SPOOL_HEAD, stored));
	return put(s, s->out, SPOOL_HEAD + stored);
}

/* What does not get smaller stays as it is. */
int xtr_spool_flush(struct xtr_spool *s)
{
	const uint32_t n = (uint32_t)s->n;
	size_t len = 0;

	if (!n)
		return 0;
	s->n = 0;
	if (all_zero(s->raw, n))
		return put_block(s, n, 0, SPOOL_ZEROS);
	if (!xtr_zstd_compress(&s->zstd, LEVEL, s->raw, n, s->out + SPOOL_HEAD, n, &len))
		return put_block(s, n, (uint32_t)len, SPOOL_ZSTD);
	memcpy(s->out + SPOOL_HEAD, s->raw, n);
	return put_block(s, n, n, SPOOL_PLAIN);
}

int xtr_spool_add(struct xtr_spool *s, const void *p, size_t n)
{
	const uint8_t *from = p;
	int err = 0;

	while (n && !err) {
		const size_t some = n < SPOOL_RAW - s->n ? n : SPOOL_RAW - s->n;

		memcpy(s->raw + s->n, from, some);
		s->n += some;
		from += some;
		n -= some;
		if (s->n == SPOOL_RAW)
			err = xtr_spool_flush(s);
	}
	return err;
}

int xtr_spool_end(struct xtr_spool *s, int err, const char *why)
{
	int ret;

	if (!s)
		return 0;
	ret = xtr_spool_flush(s);
	s->room = NULL; /* a few bytes, also where a dump found no more room */
	if (!ret) {
		const size_t n = strnlen(why, sizeof(((struct xtr_spooled *)0)->why) - 1);

		memcpy(s->out + SPOOL_HEAD, why, n);
		ret = put_block(s, (uint32_t)-err, (uint32_t)n, SPOOL_END);
	}
	close(s->fd);
	xtr_zstd_free(&s->zstd);
	free(s);
	return ret;
}
