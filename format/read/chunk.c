/* SPDX-License-Identifier: BSD-2-Clause */
#include "chunk.h"
#include "base/bytes.h"
#include "base/crc32c.h"

#include <string.h>

void xtr_file_header_encode(uint8_t out[XTR_FILE_HEADER_SIZE], const struct xtr_file_header *h)
{
	memset(out, 0, XTR_FILE_HEADER_SIZE);
	memcpy(out, XTR_MAGIC, 8);
	xtr_put_le16(out + 8, h->major);
	xtr_put_le16(out + 10, h->minor);
	xtr_put_le32(out + 12, h->header_size);
	xtr_put_le64(out + 16, h->file_id);
	xtr_put_le32(out + 24, h->incompat_flags);
	xtr_put_le32(out + 28, h->compat_flags);
	xtr_put_le32(out + 60, xtr_crc32c(out, 60));
}

bool xtr_file_header_parse(const uint8_t in[XTR_FILE_HEADER_SIZE], struct xtr_file_header *h)
{
	if (memcmp(in, XTR_MAGIC, 8) || xtr_le32(in + 60) != xtr_crc32c(in, 60))
		return false;
	h->major = xtr_le16(in + 8);
	h->minor = xtr_le16(in + 10);
	h->header_size = xtr_le32(in + 12);
	h->file_id = xtr_le64(in + 16);
	h->incompat_flags = xtr_le32(in + 24);
	h->compat_flags = xtr_le32(in + 28);
	return true;
}

bool xtr_file_header_is_sane(const struct xtr_file_header *h)
{
	return h->file_id && h->header_size >= XTR_FILE_HEADER_SIZE &&
	       h->header_size <= XTR_FILE_HEADER_MAX && h->header_size % 8 == 0;
}

void xtr_chunk_encode(uint8_t out[XTR_CHUNK_HEADER_SIZE], const struct xtr_chunk *c)
{
	xtr_put_le32(out, XTR_CHUNK_SYNC);
	out[4] = c->type;
	out[5] = c->codec;
	out[6] = c->filter;
	out[7] = c->props;
	xtr_put_le64(out + 8, c->file_id);
	xtr_put_le32(out + 16, c->seq);
	xtr_put_le32(out + 20, c->stream);
	xtr_put_le32(out + 24, c->stored_len);
	xtr_put_le32(out + 28, c->raw_len);
	xtr_put_le64(out + 32, c->ts_min);
	xtr_put_le64(out + 40, c->ts_max);
	xtr_put_le64(out + 48, c->first_ordinal);
	xtr_put_le64(out + 56, c->lost_total);
	xtr_put_le32(out + 64, c->n_records);
	xtr_put_le32(out + 68, c->rec_len);
	xtr_put_le32(out + 72, c->payload_crc);
	xtr_put_le32(out + 76, xtr_crc32c(out, 76));
}

/* The limits of spec 4 that hold for the numbers in a header. */
static bool within_limits(const struct xtr_chunk *c)
{
	if (!c->type || c->stored_len > XTR_STORED_MAX || c->raw_len > XTR_RAW_MAX ||
	    c->ts_min > c->ts_max)
		return false;
	if (c->codec == XTR_CODEC_NONE && c->raw_len != c->stored_len)
		return false;
	if (c->filter == XTR_FILTER_NONE && c->rec_len != c->raw_len)
		return false;
	if (c->type != XTR_CHUNK_EVENTS)
		return c->filter == XTR_FILTER_NONE;
	return c->rec_len <= XTR_REC_MAX && c->n_records <= XTR_RECORDS_MAX &&
	       c->n_records <= c->rec_len / XTR_RECORD_HEADER_SIZE;
}

bool xtr_chunk_parse(const uint8_t in[XTR_CHUNK_HEADER_SIZE], struct xtr_chunk *c)
{
	if (xtr_le32(in) != XTR_CHUNK_SYNC || xtr_le32(in + 76) != xtr_crc32c(in, 76))
		return false;
	c->type = in[4];
	c->codec = in[5];
	c->filter = in[6];
	c->props = in[7];
	c->file_id = xtr_le64(in + 8);
	c->seq = xtr_le32(in + 16);
	c->stream = xtr_le32(in + 20);
	c->stored_len = xtr_le32(in + 24);
	c->raw_len = xtr_le32(in + 28);
	c->ts_min = xtr_le64(in + 32);
	c->ts_max = xtr_le64(in + 40);
	c->first_ordinal = xtr_le64(in + 48);
	c->lost_total = xtr_le64(in + 56);
	c->n_records = xtr_le32(in + 64);
	c->rec_len = xtr_le32(in + 68);
	c->payload_crc = xtr_le32(in + 72);
	return within_limits(c);
}

uint32_t xtr_chunk_features(const struct xtr_chunk *c)
{
	return (c->filter == XTR_FILTER_COLUMNS ? XTR_INCOMPAT_COLUMNS : 0) |
	       (c->filter == XTR_FILTER_WORDS ? XTR_INCOMPAT_WORDS : 0) |
	       (c->codec == XTR_CODEC_ZSTD ? XTR_INCOMPAT_ZSTD : 0);
}

uint64_t xtr_chunk_span(const struct xtr_chunk *c)
{
	return XTR_CHUNK_HEADER_SIZE + (((uint64_t)c->stored_len + 7) & ~(uint64_t)7);
}

void xtr_trailer_encode(uint8_t out[XTR_TRAILER_SIZE], const struct xtr_trailer *t)
{
	xtr_put_le64(out, t->index_offset);
	xtr_put_le32(out + 8, t->index_len);
	xtr_put_le32(out + 12, t->chunk_count);
	xtr_put_le64(out + 16, t->file_id);
	xtr_put_le32(out + 24, xtr_crc32c(out, 24));
	xtr_put_le32(out + 28, XTR_TRAILER_MAGIC);
}

bool xtr_trailer_parse(const uint8_t in[XTR_TRAILER_SIZE], struct xtr_trailer *t)
{
	if (xtr_le32(in + 28) != XTR_TRAILER_MAGIC || xtr_le32(in + 24) != xtr_crc32c(in, 24))
		return false;
	t->index_offset = xtr_le64(in);
	t->index_len = xtr_le32(in + 8);
	t->chunk_count = xtr_le32(in + 12);
	t->file_id = xtr_le64(in + 16);
	return true;
}
