/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codec 2, zstd (spec 4.3). libzstd may not be there when xtr is built: then XTR_ZSTD_KNOWN is 0,
 * and readers refuse sections that say they need it.
 */
#ifndef XTR_CODEC_ZSTD_H
#define XTR_CODEC_ZSTD_H

#include "format/xtr_format.h"

#include <stddef.h>
#include <stdint.h>

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

#endif /* XTR_CODEC_ZSTD_H */
