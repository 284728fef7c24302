/* SPDX-License-Identifier: BSD-2-Clause */
/* Codecs 1, LZ4 (spec 4.2), and 2, zstd (spec 4.3). */
#include "codecs.h"

#include <errno.h>
#include <stdbool.h>

/* --- codec zstd ------------------------------------------------------------------------------- */

#ifdef HAVE_ZSTD
#include "base/bytes.h"

#include <zstd.h>
#include <zstd_errors.h>

#define FRAME_MAGIC      0xFD2FB528u
#define FRAME_HEADER_MIN 5u /* bytes: magic and descriptor, RFC 8878, 3.1.1 */
#define DESCRIPTOR       4u /* its offset */
#define DICTIONARY_ID    3u /* its bits: how many bytes of a dictionary's number follow */

static int errno_of(size_t rc)
{
	return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
}

/* One frame, of a known size, without a dictionary: the library alone would take more. */
static bool frame_is_right(const uint8_t *in, size_t n, size_t raw_len)
{
	return n >= FRAME_HEADER_MIN && xtr_le32(in) == FRAME_MAGIC &&
	       !(in[DESCRIPTOR] & DICTIONARY_ID) && ZSTD_getFrameContentSize(in, n) == raw_len &&
	       ZSTD_findFrameCompressedSize(in, n) == n;
}

int xtr_zstd_decompress(struct xtr_zstd *z, const uint8_t *in, size_t n, uint8_t *out,
			size_t raw_len)
{
	size_t rc;

	if (!frame_is_right(in, n, raw_len))
		return -EBADMSG;
	if (!z->dctx)
		z->dctx = ZSTD_createDCtx();
	if (!z->dctx)
		return -ENOMEM;
	rc = ZSTD_decompressDCtx(z->dctx, out, raw_len, in, n);
	if (ZSTD_isError(rc))
		return errno_of(rc);
	return rc == raw_len ? 0 : -EBADMSG;
}

int xtr_zstd_compress(struct xtr_zstd *z, int level, const uint8_t *in, size_t n, uint8_t *out,
		      size_t cap, size_t *len)
{
	size_t rc;

	if (!z->cctx)
		z->cctx = ZSTD_createCCtx();
	if (!z->cctx)
		return -ENOMEM;
	rc = ZSTD_compressCCtx(z->cctx, out, cap, in, n, level);
	if (ZSTD_isError(rc))
		return ZSTD_getErrorCode(rc) == ZSTD_error_dstSize_tooSmall ? -E2BIG : errno_of(rc);
	*len = rc;
	return 0;
}

void xtr_zstd_free(struct xtr_zstd *z)
{
	ZSTD_freeDCtx(z->dctx);
	ZSTD_freeCCtx(z->cctx);
	*z = (struct xtr_zstd){ 0 };
}

#else

int xtr_zstd_decompress(struct xtr_zstd *z, const uint8_t *in, size_t n, uint8_t *out,
			size_t raw_len)
{
	(void)z;
	(void)in;
	(void)n;
	(void)out;
	(void)raw_len;
	return -EOPNOTSUPP;
}

int xtr_zstd_compress(struct xtr_zstd *z, int level, const uint8_t *in, size_t n, uint8_t *out,
		      size_t cap, size_t *len)
{
	(void)z;
	(void)level;
	(void)in;
	(void)n;
	(void)out;
	(void)cap;
	(void)len;
	return -EOPNOTSUPP;
}

void xtr_zstd_free(struct xtr_zstd *z)
{
	(void)z;
}

#endif

/* --- lz4check --------------------------------------------------------------------------------- */

/*
 * LZ4_decompress_safe (seen in 1.9.4) takes a match at offset 0 and copies what happens to lie in
 * the output buffer: bytes of another chunk, shown as if they were of this one. So the sequences
 * are walked first, which reads one token and one offset of each.
 */

#define TOKEN_MAX \
	15u /* a length of 15 goes on in the bytes that follow, up to one that is not 255 */

static bool whole_length(const uint8_t **p, const uint8_t *end, size_t *len)
{
	uint8_t byte = 255;

	if (*len < TOKEN_MAX)
		return true;
	while (byte == 255) {
		if (*p == end)
			return false;
		byte = *(*p)++;
		*len += byte; /* no overflow: at most 255 times the bytes of the block */
	}
	return true;
}

bool xtr_lz4_offsets_are_right(const uint8_t *block, size_t n)
{
	const uint8_t *p = block, *end = block + n;

	while (p < end) {
		uint8_t token = *p++;
		size_t literals = token >> 4, match = token & TOKEN_MAX;

		if (!whole_length(&p, end, &literals) || literals > (size_t)(end - p))
			return false;
		p += literals;
		if (p == end)
			return true; /* the last sequence has no match */
		if (end - p < 2 || (p[0] == 0 && p[1] == 0))
			return false;
		p += 2;
		if (!whole_length(&p, end, &match))
			return false;
	}
	return false;
}
