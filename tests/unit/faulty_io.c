/* SPDX-License-Identifier: BSD-2-Clause */
#include "faulty_io.h"

static int fault(struct faulty *f)
{
	f->calls++;
	if (!f->fail_at || f->calls < f->fail_at || (!f->sticky && f->calls > f->fail_at))
		return 0;
	return f->err;
}

static int faulty_append(struct xtr_io *io, const void *buf, size_t n)
{
	struct faulty *f = (struct faulty *)io;
	int err = fault(f);

	if (err)
		f->mem->ops->append(f->mem, buf, n < f->partial ? n : f->partial);
	return err ? err : f->mem->ops->append(f->mem, buf, n);
}

static int faulty_sync(struct xtr_io *io)
{
	return fault((struct faulty *)io);
}

static int faulty_read_at(struct xtr_io *io, uint64_t off, void *buf, size_t n)
{
	struct faulty *f = (struct faulty *)io;
	int err = fault(f);

	return err ? err : f->mem->ops->read_at(f->mem, off, buf, n);
}

static int faulty_size(struct xtr_io *io, uint64_t *size)
{
	struct faulty *f = (struct faulty *)io;
	int err = fault(f);

	return err ? err : f->mem->ops->size(f->mem, size);
}

static int faulty_close(struct xtr_io *io)
{
	return xtr_io_close(((struct faulty *)io)->mem);
}

struct xtr_io *faulty_open(struct faulty *f, struct xtr_io *mem)
{
	static const struct xtr_io_ops ops = {
		.append = faulty_append,
		.sync = faulty_sync,
		.read_at = faulty_read_at,
		.size = faulty_size,
		.close = faulty_close,
	};

	f->io.ops = &ops;
	f->mem = mem;
	f->calls = 0;
	return &f->io;
}
