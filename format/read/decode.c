/* SPDX-License-Identifier: BSD-2-Clause */
#include "decode.h"
#include "base/buf.h"
#include "base/crc32c.h"
#include "format/codec/codecs.h"
#include "reader_priv.h"

#include <errno.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

static int bad(const struct xtr_chunk *c, enum xtr_problem_code code, struct xtr_err *err)
{
	*err = (struct xtr_err){
		.code = -EBADMSG,
		.problem = code,
		.offset = c->offset,
		.seq = c->seq,
	};
	return -EBADMSG;
}

static int failed(const struct xtr_chunk *c, int code, struct xtr_err *err)
{
	*err = (struct xtr_err){ .code = code, .offset = c->offset, .seq = c->seq };
	return code;
}

/* The stored payload, with its CRC checked. */
static int stored(const struct xtr_reader *r, const struct xtr_chunk *c, struct xtr_decoder *d,
		  const uint8_t **p, struct xtr_err *err)
{
	uint64_t off = c->offset + XTR_CHUNK_HEADER_SIZE;
	int ret;

	if (r->map) {
		*p = r->map + off;
	} else {
		if (xtr_grow(&d->stored, &d->cap_stored, c->stored_len + 1u))
			return failed(c, -ENOMEM, err);
		ret = r->io->ops->read_at(r->io, off, d->stored, c->stored_len);
		if (ret)
			return failed(c, ret, err);
		*p = d->stored;
	}
	return xtr_crc32c(*p, c->stored_len) == c->payload_crc ? 0 : bad(c, XTR_P_PAYLOAD_CRC, err);
}

int xtr_decode_crc(const struct xtr_reader *r, const struct xtr_chunk *c, struct xtr_decoder *d,
		   struct xtr_err *err)
{
	const uint8_t *p;

	return stored(r, c, d, &p, err);
}

static bool lz4(const struct xtr_chunk *c, const uint8_t *in, uint8_t *out)
{
	return xtr_lz4_offsets_are_right(in, c->stored_len) &&
	       LZ4_decompress_safe((const char *)in, (char *)out, (int)c->stored_len,
				   (int)c->raw_len) == (int)c->raw_len;
}

/* Decompress exactly raw_len bytes. */
static int decompress(const struct xtr_chunk *c, struct xtr_decoder *d, const uint8_t *in,
		      uint8_t *out, struct xtr_err *err)
{
	int ret;

	if (c->codec == XTR_CODEC_LZ4)
		return lz4(c, in, out) ? 0 : bad(c, XTR_P_LZ4, err);
	if (c->codec == XTR_CODEC_ZSTD) {
		ret = xtr_zstd_decompress(&d->zstd, in, c->stored_len, out, c->raw_len);
		return ret == -EBADMSG ? bad(c, XTR_P_ZSTD, err) : ret ? failed(c, ret, err) : 0;
	}
	memcpy(out, in, c->raw_len);
	return 0;
}

/* Spec 4.2 and 5. */
static bool is_known(const struct xtr_chunk *c)
{
	return c->codec <= (XTR_ZSTD_KNOWN ? XTR_CODEC_ZSTD : XTR_CODEC_LZ4) &&
	       c->filter <= XTR_FILTER_WORDS;
}

/* What spec 5 wants of the records beyond their form. */
static bool span_is_right(const struct xtr_chunk *c, const struct xtr_rec_span *span)
{
	if (c->n_records && (span->ts_min < c->ts_min || span->ts_max > c->ts_max))
		return false;
	return span->sorted || !(c->props & XTR_PROP_SORTED);
}

static int unfilter(const struct xtr_chunk *c, struct xtr_decoder *d, const uint8_t *in,
		    uint8_t *out, struct xtr_err *err)
{
	int ret;

	if (c->codec != XTR_CODEC_NONE) {
		if (xtr_grow(&d->raw, &d->cap_raw, c->raw_len + 1u))
			return failed(c, -ENOMEM, err);
		ret = decompress(c, d, in, d->raw, err);
		if (ret)
			return ret;
		in = d->raw;
	}
	if (c->filter == XTR_FILTER_WORDS)
		ret = xtr_words_decode(&d->words, in, c->raw_len, c->n_records, out, c->rec_len,
				       &d->span);
	else if (c->filter == XTR_FILTER_COLUMNS)
		ret = xtr_columns_decode(&d->columns, in, c->raw_len, c->n_records, out, c->rec_len,
					 &d->span);
	else
		ret = xtr_filter_decode(&d->filter, in, c->raw_len, c->n_records, out, c->rec_len,
					&d->span);
	return ret == -EBADMSG ? bad(c, XTR_P_FILTER, err) : ret ? failed(c, ret, err) : 0;
}

int xtr_decode(const struct xtr_reader *r, const struct xtr_chunk *c, struct xtr_decoder *d,
	       uint8_t **buf, size_t *cap, struct xtr_err *err)
{
	const uint8_t *in;
	int ret = stored(r, c, d, &in, err);

	if (ret)
		return ret;
	if (!is_known(c))
		return bad(c, XTR_P_CODEC, err);
	if (xtr_grow(buf, cap, c->rec_len + 1u))
		return failed(c, -ENOMEM, err);
	if (c->filter != XTR_FILTER_NONE) {
		ret = unfilter(c, d, in, *buf, err);
		if (ret)
			return ret;
	} else {
		ret = decompress(c, d, in, *buf, err);
		if (ret)
			return ret;
		if (c->type != XTR_CHUNK_EVENTS)
			return 0;
		if (!xtr_records_check(*buf, c->rec_len, c->n_records, &d->span))
			return bad(c, XTR_P_RECORD, err);
	}
	return span_is_right(c, &d->span) ? 0 : bad(c, XTR_P_RECORD, err);
}

void xtr_decoder_free(struct xtr_decoder *d)
{
	free(d->stored);
	free(d->raw);
	xtr_filter_dec_free(&d->filter);
	xtr_columns_dec_free(&d->columns);
	xtr_words_dec_free(&d->words);
	xtr_zstd_free(&d->zstd);
	*d = (struct xtr_decoder){ 0 };
}

int xtr_reader_decode(const struct xtr_reader *r, const struct xtr_chunk *c, uint8_t **buf,
		      size_t *cap, struct xtr_err *err)
{
	struct xtr_decoder d = { 0 };
	struct xtr_err mine;
	int ret = xtr_decode(r, c, &d, buf, cap, err ? err : &mine);

	xtr_decoder_free(&d);
	return ret;
}

int xtr_reader_stored(const struct xtr_reader *r, const struct xtr_chunk *c, uint8_t **buf,
		      size_t *cap, struct xtr_err *err)
{
	struct xtr_err mine = { 0 };
	int ret;

	err = err ? err : &mine;
	if (xtr_grow(buf, cap, c->stored_len + 1u))
		return failed(c, -ENOMEM, err);
	ret = xtr_reader_bytes(r, c->offset + XTR_CHUNK_HEADER_SIZE, *buf, c->stored_len);
	if (ret)
		return failed(c, ret, err);
	return xtr_crc32c(*buf, c->stored_len) == c->payload_crc ? 0
								 : bad(c, XTR_P_PAYLOAD_CRC, err);
}
