/* SPDX-License-Identifier: BSD-2-Clause */
/* The blocks of a spool file: what its writer (spool.c) and its reader (spool_read.c) share. */
#ifndef XTR_HANG_SPOOL_BLOCK_H
#define XTR_HANG_SPOOL_BLOCK_H

#define SPOOL_MAGIC     "xtr spool 1\n"
#define SPOOL_FILE_HEAD (16u + 288u) /* bytes: the magic, padded; struct xtr_spool_head */
#define SPOOL_RAW       (256u << 10) /* bytes of a block, at most */
#define SPOOL_HEAD      16u /* bytes of its head, in little endian: raw, stored, codec, CRC */

enum spool_codec {
	SPOOL_PLAIN = 1,
	SPOOL_ZEROS, /* nothing is stored */
	SPOOL_ZSTD,  /* one frame */
	SPOOL_END,   /* raw: an errno; stored: why, in words */
};

#endif /* XTR_HANG_SPOOL_BLOCK_H */
