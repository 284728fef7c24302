/* SPDX-License-Identifier: BSD-2-Clause */
/* Codecs 1, LZ4 (spec 4.2), and 2, zstd (spec 4.3). */
#ifndef XTR_CODECS_H
#define XTR_CODECS_H

#include "format/xtr_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- codec zstd ------------------------------------------------------------------------------- */

/*
 * Codec 2, zstd (spec 4.3). libzstd may not be there when xtr is built: then XTR_ZSTD_KNOWN is 0,
 * and readers refuse sections that say they need it.
 */
#ifdef HAVE_ZSTD
#define XTR_ZSTD_KNOWN 1u
#else
#define XTR_ZSTD_KNOWN 0u
#endif

#define XTR_ZSTD_LEVEL_MAX 19

/* Memory of (de)compression, kept between calls. A zeroed structure is an empty one. */
struct xtr_zstd {
	void *dctx, *cctx;
};

/*
 * Decompress one frame of n bytes into exactly raw_len bytes. 0; -EBADMSG: it is not such a frame;
 * -ENOMEM; -EOPNOTSUPP without libzstd.
 */
int xtr_zstd_decompress(struct xtr_zstd *z, const uint8_t *in, size_t n, uint8_t *out,
			size_t raw_len);
/*
 * Compress n bytes to at most cap, level 1 to XTR_ZSTD_LEVEL_MAX. Their number in *len. 0; -E2BIG:
 * they do not fit; -ENOMEM; -EOPNOTSUPP without libzstd.
 */
int xtr_zstd_compress(struct xtr_zstd *z, int level, const uint8_t *in, size_t n, uint8_t *out,
		      size_t cap, size_t *len);
void xtr_zstd_free(struct xtr_zstd *z);

/* --- lz4check --------------------------------------------------------------------------------- */

/* What liblz4 lets pass: a match at offset 0, which is invalid (spec 4.2). */
/*
 * False if a match of the block has offset 0, or if the block is not made of sequences at all.
 * Sizes and other offsets are liblz4's to check.
 */
bool xtr_lz4_offsets_are_right(const uint8_t *block, size_t n);

#endif /* XTR_CODECS_H */
