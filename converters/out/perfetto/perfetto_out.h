/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets, one by one, to a file: in blocks, compressed if asked for. */
#ifndef XTR_PERFETTO_OUT_H
#define XTR_PERFETTO_OUT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdio.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

struct pf_out {
	FILE *f; /* borrowed */
	bool compress;
	struct xtr_buf block, packed; /* framed packets; the same, compressed */
#ifdef HAVE_ZLIB
	z_stream z;
	bool z_ready;
#endif
};

/* -ENOTSUP: built without zlib. */
int pf_out_init(struct pf_out *o, FILE *f, bool compress);
void pf_out_free(struct pf_out *o);
/* A whole packet, with its tag and length, was put at the end of the block. 0 or -errno. */
int pf_out_added(struct pf_out *o);
/* Write what is held. 0 or -errno. */
int pf_out_flush(struct pf_out *o);

#endif /* XTR_PERFETTO_OUT_H */
