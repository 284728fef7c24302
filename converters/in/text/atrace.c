/* SPDX-License-Identifier: BSD-2-Clause */
#include "systrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINES_BYTES 4096u /* of lines for people before the stream, at most */

/* Where the stream begins; 0: nowhere. Its first 2 bytes: RFC 1950, 2.2. */
static size_t stream_at(const uint8_t *head, size_t n)
{
	static const char mark[] = "TRACE:\n";
	const size_t len = strlen(mark);
	const uint8_t *p;
	size_t at;

	n = n < LINES_BYTES ? n : LINES_BYTES;
	p = memmem(head, n, mark, len);
	if (!p || (p != head && p[-1] != '\n'))
		return 0;
	at = (size_t)(p - head) + len;
	if (n - at < 2 || (head[at] & 0xf) != 8 || (head[at] << 8 | head[at + 1]) % 31)
		return 0;
	return at;
}

bool xtr_atrace_detect(const uint8_t *head, size_t n)
{
	return stream_at(head, n);
}

#ifdef HAVE_ZLIB
#include <zlib.h>

#define BLOCK ((size_t)64 << 10) /* bytes */

struct inflating {
	struct xtr_io *in, *out;
	uint64_t at, size; /* of in: read so far, and in all */
	uint64_t left;     /* bytes that may come out */
	z_stream z;
	uint8_t from[BLOCK], to[BLOCK];
};

/* More input: true, unless there is none. */
static int refill(struct inflating *f)
{
	size_t n = f->size - f->at < BLOCK ? (size_t)(f->size - f->at) : BLOCK;
	int err = n ? f->in->ops->read_at(f->in, f->at, f->from, n) : 0;

	f->at += n;
	f->z.next_in = f->from;
	f->z.avail_in = (uInt)n;
	return err;
}

/* A block of output. 0: there is more; 1: all is out; 2: what follows cannot be read; -errno. */
static int step(struct inflating *f)
{
	int err = f->z.avail_in ? 0 : refill(f), rc;
	size_t n;

	if (err)
		return err;
	f->z.next_out = f->to;
	f->z.avail_out = BLOCK;
	rc = inflate(&f->z, Z_NO_FLUSH);
	n = BLOCK - f->z.avail_out;
	if (n > f->left)
		return -EFBIG;
	f->left -= n;
	if (n)
		err = f->out->ops->append(f->out, f->to, n);
	if (err || rc == Z_MEM_ERROR)
		return err ? err : -ENOMEM;
	return rc == Z_STREAM_END ? 1 : rc == Z_OK ? 0 : 2;
}

static int inflate_from(struct inflating *f, uint64_t limit, bool *cut)
{
	int err = inflateInit(&f->z) == Z_OK ? 0 : -ENOMEM;

	if (err)
		return err;
	f->left = limit;
	while (!err)
		err = step(f);
	inflateEnd(&f->z);
	*cut = err == 2;
	if (err == 2 && f->left == limit)
		return -EBADMSG;
	return err < 0 ? err : 0;
}

int xtr_atrace_inflate(struct xtr_io *in, struct xtr_io *out, uint64_t limit, bool *cut)
{
	struct inflating *f = calloc(1, sizeof(*f));
	size_t n;
	int err;

	*cut = false;
	if (!f)
		return -ENOMEM;
	f->in = in;
	f->out = out;
	err = in->ops->size(in, &f->size);
	n = f->size < LINES_BYTES ? (size_t)f->size : LINES_BYTES;
	if (!err)
		err = in->ops->read_at(in, 0, f->from, n);
	if (!err) {
		f->at = stream_at(f->from, n);
		err = inflate_from(f, limit, cut);
	}
	free(f);
	return err;
}
#else
int xtr_atrace_inflate(struct xtr_io *in, struct xtr_io *out, uint64_t limit, bool *cut)
{
	(void)in;
	(void)out;
	(void)limit;
	*cut = false;
	return -ENOSYS;
}
#endif
