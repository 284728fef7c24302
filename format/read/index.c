// SPDX-License-Identifier: BSD-2-Clause
#include "index.h"

#include <string.h>

static void put_entry(uint8_t p[XTR_INDEX_ENTRY_SIZE], const struct xtr_chunk *c, uint64_t offset)
{
	xtr_put_le64(p, offset);
	p[8] = c->type;
	p[9] = c->codec;
	xtr_put_le16(p + 10, 0);
	xtr_put_le32(p + 12, c->stream);
	xtr_put_le64(p + 16, c->ts_min);
	xtr_put_le64(p + 24, c->ts_max);
	xtr_put_le32(p + 32, c->n_records);
	xtr_put_le32(p + 36, c->seq);
}

void xtr_index_add(struct xtr_index *ix, const struct xtr_chunk *c, uint64_t offset)
{
	put_entry(ix->buf + XTR_INDEX_HEADER_SIZE + ix->n++ * XTR_INDEX_ENTRY_SIZE, c, offset);
}

size_t xtr_index_finish(struct xtr_index *ix, uint64_t prev)
{
	size_t len = XTR_INDEX_HEADER_SIZE + (size_t)ix->n * XTR_INDEX_ENTRY_SIZE;

	xtr_put_le64(ix->buf, prev);
	xtr_put_le32(ix->buf + 8, ix->n);
	xtr_put_le32(ix->buf + 12, 0);
	ix->n = 0;
	return len;
}

bool xtr_index_parse(const uint8_t *buf, size_t len, uint64_t *prev, uint32_t *n)
{
	if (len < XTR_INDEX_HEADER_SIZE)
		return false;
	*prev = xtr_le64(buf);
	*n = xtr_le32(buf + 8);
	return *n == (len - XTR_INDEX_HEADER_SIZE) / XTR_INDEX_ENTRY_SIZE &&
	       (len - XTR_INDEX_HEADER_SIZE) % XTR_INDEX_ENTRY_SIZE == 0;
}

bool xtr_index_entry_is(const uint8_t *buf, uint32_t i, const struct xtr_chunk *c, uint64_t offset)
{
	const uint8_t *p = buf + XTR_INDEX_HEADER_SIZE + (size_t)i * XTR_INDEX_ENTRY_SIZE;
	uint8_t want[XTR_INDEX_ENTRY_SIZE];

	put_entry(want, c, offset);
	memcpy(want + 10, p + 10, 2); /* reserved */
	return !memcmp(p, want, sizeof(want));
}
