/* SPDX-License-Identifier: BSD-2-Clause */
#include "outfile_io.h"

#include <errno.h>

static int append(struct xtr_io *io, const void *buf, size_t n)
{
	FILE *f = ((struct outfile_io *)io)->out->f;

	errno = 0;
	if (fwrite(buf, 1, n, f) == n)
		return 0;
	return errno ? -errno : -EIO;
}

static int close_nothing(struct xtr_io *io)
{
	(void)io;
	return 0;
}

static const struct xtr_io_ops ops = {
	.append = append,
	.close = close_nothing,
};

void outfile_io_init(struct outfile_io *io, struct outfile *out)
{
	*io = (struct outfile_io){ .io = { &ops }, .out = out };
}
