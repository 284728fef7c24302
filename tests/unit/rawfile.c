/* SPDX-License-Identifier: BSD-2-Clause */
#include "rawfile.h"

#include "base/crc32c.h"

void raw_header(struct xtr_buf *b, uint64_t id)
{
	const struct xtr_file_header h = { 1, 0, XTR_FILE_HEADER_SIZE, id, 0, 0 };
	uint8_t out[XTR_FILE_HEADER_SIZE];

	xtr_file_header_encode(out, &h);
	xtr_buf_add(b, out, sizeof(out));
}

void raw_zeros(struct xtr_buf *b, size_t n)
{
	static const uint8_t zeros[XTR_FILE_HEADER_SIZE];

	xtr_buf_add(b, zeros, n);
}

void raw_put(struct xtr_buf *b, struct xtr_chunk c, const void *p, size_t n)
{
	uint8_t out[XTR_CHUNK_HEADER_SIZE];

	c.stored_len = c.raw_len = c.rec_len = (uint32_t)n;
	c.payload_crc = xtr_crc32c(p, n);
	xtr_chunk_encode(out, &c);
	xtr_buf_add(b, out, sizeof(out));
	xtr_buf_add(b, p, n);
	raw_zeros(b, -n % 8);
}

void raw_chunk(struct xtr_buf *b, uint64_t id, uint32_t seq, uint8_t type, const void *p, size_t n)
{
	const struct xtr_chunk c = { .file_id = id, .seq = seq, .type = type, .stream = 1 };

	raw_put(b, c, p, n);
}

void raw_trailer(struct xtr_buf *b, uint64_t id)
{
	const struct xtr_trailer t = { .file_id = id };
	uint8_t out[XTR_TRAILER_SIZE];

	xtr_trailer_encode(out, &t);
	xtr_buf_add(b, out, sizeof(out));
}
