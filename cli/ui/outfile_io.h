/* SPDX-License-Identifier: BSD-2-Clause */
/* An output file as the I/O layer of format/'s writer. */
#ifndef XTR_CLI_OUTFILE_IO_H
#define XTR_CLI_OUTFILE_IO_H

#include "outfile.h"

#include "format/io.h"

struct outfile_io {
	struct xtr_io io;
	struct outfile *out;
};

/* Append goes to out->f, which stays the caller's to commit; there is nothing to close. */
void outfile_io_init(struct outfile_io *io, struct outfile *out);

#endif /* XTR_CLI_OUTFILE_IO_H */
