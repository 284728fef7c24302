/* SPDX-License-Identifier: BSD-2-Clause */
#include "spool.h"
#include "spool_block.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc32c.h"
#include "format/codec/codecs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where a block stands, in the file and in what it unpacks to. */
struct block {
	uint64_t at, from;
	uint32_t raw, stored, codec, crc;
};

struct reading {
	struct xtr_io io;
	int fd;
	struct block *v;
	size_t n, cap;
	uint64_t size;
	size_t held; /* number of the block in raw, + 1; 0: none */
	struct xtr_zstd zstd;
	uint8_t raw[SPOOL_RAW], in[SPOOL_RAW];
};

/* n bytes at `at`; -ENODATA: there are fewer. */
static int get(int fd, void *p, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(fd, (uint8_t *)p + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		done += (size_t)got;
	}
	return 0;
}

static int unpack(struct reading *r, size_t i)
{
	const struct block *b = &r->v[i];
	int err = 0;

	if (r->held == i + 1)
		return 0;
	r->held = 0;
	if (b->codec == SPOOL_ZEROS) {
		memset(r->raw, 0, b->raw);
	} else {
		err = get(r->fd, r->in, b->stored, b->at);
		if (!err && xtr_crc32c(r->in, b->stored) != b->crc)
			err = -EBADMSG;
		if (!err && b->codec == SPOOL_ZSTD)
			err = xtr_zstd_decompress(&r->zstd, r->in, b->stored, r->raw, b->raw);
		else if (!err)
			memcpy(r->raw, r->in, b->raw);
	}
	if (!err)
		r->held = i + 1;
	return err;
}

/* The block that has a byte: the last one that begins at it or before. */
static size_t find(const struct reading *r, uint64_t off)
{
	size_t low = 0, high = r->n;

	while (high - low > 1) {
		const size_t mid = low + (high - low) / 2;

		if (r->v[mid].from <= off)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static int read_at(struct xtr_io *io, uint64_t off, void *buf, size_t n)
{
	struct reading *r = (struct reading *)io;
	uint8_t *to = buf;
	int err = 0;

	if (off > r->size || n > r->size - off)
		return -ENODATA;
	for (size_t i = n ? find(r, off) : 0; n && !err; i++) {
		const size_t skip = (size_t)(off - r->v[i].from), have = r->v[i].raw - skip;
		const size_t some = n < have ? n : have;

		err = unpack(r, i);
		if (!err)
			memcpy(to, r->raw + skip, some);
		to += some;
		off += some;
		n -= some;
	}
	return err;
}

static int size_of(struct xtr_io *io, uint64_t *size)
{
	*size = ((struct reading *)io)->size;
	return 0;
}

static int close_io(struct xtr_io *io)
{
	struct reading *r = (struct reading *)io;

	close(r->fd);
	xtr_zstd_free(&r->zstd);
	free(r->v);
	free(r);
	return 0;
}

static const struct xtr_io_ops ops = { .read_at = read_at, .size = size_of, .close = close_io };

static int end(struct reading *r, struct xtr_spooled *what, const struct block *b)
{
	char why[sizeof(what->why)] = "";

	if (b->stored >= sizeof(why) || get(r->fd, why, b->stored, b->at) ||
	    xtr_crc32c(why, b->stored) != b->crc || b->raw > 4095)
		return 0; /* it was cut off here */
	memcpy(what->why, why, sizeof(why));
	what->err = -(int)b->raw;
	what->ended = true;
	return 0;
}

static bool is_right(const struct block *b)
{
	return b->raw && b->raw <= SPOOL_RAW &&
	       (b->codec == SPOOL_ZEROS   ? !b->stored
		: b->codec == SPOOL_PLAIN ? b->stored == b->raw
					  : b->codec == SPOOL_ZSTD && b->stored <= SPOOL_RAW);
}

/* Whole blocks, up to the end or to where the writer stopped; the last one is looked into. */
static int scan(struct reading *r, struct xtr_spooled *what)
{
	uint64_t at = SPOOL_FILE_HEAD;
	uint8_t head[SPOOL_HEAD];
	struct block b;
	int err;

	while (!(err = get(r->fd, head, sizeof(head), at))) {
		b = (struct block){ .at = at + SPOOL_HEAD,
				    .from = r->size,
				    .raw = xtr_le32(head),
				    .stored = xtr_le32(head + 4),
				    .codec = xtr_le32(head + 8),
				    .crc = xtr_le32(head + 12) };
		if (b.codec == SPOOL_END)
			return end(r, what, &b);
		if (!is_right(&b))
			return 0;
		if (xtr_grow_array(&r->v, &r->cap, r->n + 1, sizeof(*r->v)))
			return -ENOMEM;
		r->v[r->n++] = b;
		if (unpack(r, r->n - 1)) {
			r->n--;
			return 0;
		}
		r->size = xtr_sat_add(r->size, b.raw);
		at = b.at + b.stored;
	}
	return err == -ENODATA ? 0 : err;
}

int xtr_spool_open(int dir, const char *file, struct xtr_spooled *what, struct xtr_io **io)
{
	struct reading *r = calloc(1, sizeof(*r));
	uint8_t head[SPOOL_FILE_HEAD];
	int err;

	*what = (struct xtr_spooled){ 0 };
	if (!r)
		return -ENOMEM;
	r->io.ops = &ops;
	r->fd = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	err = r->fd < 0 ? -errno : get(r->fd, head, sizeof(head), 0);
	if (err == -ENODATA || (!err && memcmp(head, SPOOL_MAGIC, sizeof(SPOOL_MAGIC) - 1) != 0))
		err = -EBADMSG;
	if (!err) {
		memcpy(&what->head, head + 16, sizeof(what->head));
		what->head.source[sizeof(what->head.source) - 1] = 0;
		what->head.name[sizeof(what->head.name) - 1] = 0;
		what->head.from[sizeof(what->head.from) - 1] = 0;
		err = scan(r, what);
	}
	what->size = r->size;
	if (!err) {
		*io = &r->io;
		return 0;
	}
	if (r->fd >= 0)
		close(r->fd);
	xtr_zstd_free(&r->zstd);
	free(r->v);
	free(r);
	return err;
}
