/* SPDX-License-Identifier: BSD-2-Clause */
/* A file in memory, growing or over the caller's bytes. */
#include "base/buf.h"
#include "base/checked.h"
#include "io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct mem {
	struct xtr_io io;
	struct xtr_buf buf;  /* what was appended */
	const uint8_t *view; /* or what is looked at */
	size_t view_n;       /* bytes */
};

static struct mem *to_mem(struct xtr_io *io)
{
	return (struct mem *)io;
}

const uint8_t *xtr_io_mem_data(const struct xtr_io *io, size_t *n)
{
	const struct mem *m = (const struct mem *)io;

	*n = m->view ? m->view_n : m->buf.n;
	return m->view ? m->view : m->buf.p;
}

static int mem_append(struct xtr_io *io, const void *data, size_t n)
{
	struct xtr_buf *b = &to_mem(io)->buf;

	xtr_buf_add(b, data, n);
	return b->err;
}

static int mem_read_at(struct xtr_io *io, uint64_t off, void *buf, size_t n)
{
	size_t size;
	const uint8_t *p = xtr_io_mem_data(io, &size);

	if (!xtr_fits(off, n, size))
		return -ENODATA;
	if (n)
		memcpy(buf, p + off, n);
	return 0;
}

static int mem_size(struct xtr_io *io, uint64_t *size)
{
	size_t n;

	xtr_io_mem_data(io, &n);
	*size = n;
	return 0;
}

static const uint8_t *mem_map(struct xtr_io *io, uint64_t *size)
{
	size_t n;
	const uint8_t *p = xtr_io_mem_data(io, &n);

	*size = n;
	return p;
}

static int mem_close(struct xtr_io *io)
{
	xtr_buf_free(&to_mem(io)->buf);
	free(io);
	return 0;
}

static const struct xtr_io_ops new_ops = {
	.append = mem_append,
	.read_at = mem_read_at,
	.size = mem_size,
	.map = mem_map,
	.close = mem_close,
};

static const struct xtr_io_ops view_ops = {
	.read_at = mem_read_at,
	.size = mem_size,
	.map = mem_map,
	.close = mem_close,
};

static struct mem *mem_alloc(const struct xtr_io_ops *ops, struct xtr_io **io)
{
	struct mem *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->io.ops = ops;
	*io = &m->io;
	return m;
}

int xtr_io_mem_new(struct xtr_io **io)
{
	return mem_alloc(&new_ops, io) ? 0 : -ENOMEM;
}

int xtr_io_mem_view(const void *data, size_t n, struct xtr_io **io)
{
	static const uint8_t none[1];
	struct mem *m = mem_alloc(&view_ops, io);

	if (!m)
		return -ENOMEM;
	m->view = n ? data : none;
	m->view_n = n;
	return 0;
}
