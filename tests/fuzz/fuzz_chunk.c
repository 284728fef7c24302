/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 80 bytes as a chunk header and the rest as its payload, with lengths and checksums made right, so
 * that the payload is reached: the header that is accepted is written again as the same bytes; what
 * decodes keeps what spec 5 says of records; LZ4 blocks give what a plain decoder gives (4.2); an
 * INDEX holds as many entries as its length says, and the same bytes are never a wrong trailer.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "format/read/chunk.h"
#include "base/crc32c.h"
#include "format/read/index.h"
#include "format/codec/record.h"

#include <errno.h>
#include <string.h>

#define FILE_ID 7u

/* A length that goes on in the bytes that follow. */
static bool length(const uint8_t **p, const uint8_t *end, size_t *n)
{
	if (*n < 15)
		return true;
	for (uint8_t b = 255; b == 255; *n += b) {
		if (*p == end)
			return false;
		b = *(*p)++;
	}
	return true;
}

/* The LZ4 block format, byte by byte. False: it is not one of exactly n bytes. */
static bool plain_lz4(const uint8_t *p, size_t len, uint8_t *out, size_t n)
{
	const uint8_t *end = p + len;
	size_t at = 0;

	while (p < end) {
		uint8_t token = *p++;
		size_t literals = token >> 4, match = token & 15, offset;

		if (!length(&p, end, &literals) || literals > (size_t)(end - p) ||
		    literals > n - at)
			return false;
		memcpy(out + at, p, literals);
		at += literals;
		p += literals;
		if (p == end)
			return at == n;
		if (end - p < 2)
			return false;
		offset = xtr_le16(p);
		p += 2;
		if (!length(&p, end, &match) || !offset || offset > at || match + 4 > n - at)
			return false;
		for (match += 4; match--; at++)
			out[at] = out[at - offset];
	}
	return false;
}

static void check_lz4(const struct xtr_chunk *c, const uint8_t *stored, const uint8_t *got)
{
	uint8_t *out = malloc(c->raw_len + 1u);

	FUZZ_CHECK(out && plain_lz4(stored, c->stored_len, out, c->raw_len));
	FUZZ_CHECK(!memcmp(out, got, c->raw_len));
	free(out);
}

static void check_events(const struct xtr_chunk *c, const uint8_t *recs)
{
	struct xtr_rec_span span;

	FUZZ_CHECK(xtr_records_check(recs, c->rec_len, c->n_records, &span));
	if (c->n_records)
		FUZZ_CHECK(span.ts_min >= c->ts_min && span.ts_max <= c->ts_max);
	FUZZ_CHECK(span.sorted || !(c->props & XTR_PROP_SORTED));
}

static void check_index(const uint8_t *p, const struct xtr_chunk *c)
{
	uint64_t prev;
	uint32_t n;

	if (!xtr_index_parse(p, c->raw_len, &prev, &n))
		return;
	FUZZ_CHECK(c->raw_len == XTR_INDEX_HEADER_SIZE + (size_t)n * XTR_INDEX_ENTRY_SIZE);
	for (uint32_t i = 0; i < n; i++)
		xtr_index_entry_is(p, i, c, 64);
}

static void check_payload(const struct xtr_reader *r, const struct xtr_chunk *c,
			  const uint8_t *stored)
{
	uint8_t *buf = NULL, *raw = NULL;
	size_t cap = 0, cap_raw = 0;
	struct xtr_err err = { 0 };
	int ret = xtr_reader_decode(r, c, &buf, &cap, &err);

	FUZZ_CHECK(!ret ||
		   (ret == -EBADMSG && (err.problem == XTR_P_CODEC || err.problem == XTR_P_LZ4 ||
					err.problem == XTR_P_ZSTD || err.problem == XTR_P_FILTER ||
					err.problem == XTR_P_RECORD)));
	FUZZ_CHECK(!xtr_reader_stored(r, c, &raw, &cap_raw, &err));
	FUZZ_CHECK(!c->stored_len || !memcmp(raw, stored, c->stored_len));
	if (!ret && c->codec == XTR_CODEC_LZ4 && c->filter == XTR_FILTER_NONE)
		check_lz4(c, stored, buf);
	if (!ret && c->type == XTR_CHUNK_EVENTS)
		check_events(c, buf);
	if (!ret && c->type == XTR_CHUNK_INDEX)
		check_index(buf, c);
	free(buf);
	free(raw);
}

static void check_trailer(const uint8_t *p)
{
	uint8_t in[XTR_TRAILER_SIZE], out[XTR_TRAILER_SIZE];
	struct xtr_trailer t;

	memcpy(in, p, sizeof(in));
	xtr_put_le32(in + 24, xtr_crc32c(in, 24));
	xtr_put_le32(in + 28, XTR_TRAILER_MAGIC);
	FUZZ_CHECK(xtr_trailer_parse(in, &t));
	xtr_trailer_encode(out, &t);
	FUZZ_CHECK(!memcmp(in, out, sizeof(in)));
}

/* Lengths and checksums that fit the payload; false if the rest makes it invalid all the same. */
static bool seal(uint8_t *h, size_t n, const uint8_t *payload)
{
	uint8_t again[XTR_CHUNK_HEADER_SIZE];
	struct xtr_chunk c;

	xtr_put_le32(h, XTR_CHUNK_SYNC);
	xtr_put_le64(h + 8, FILE_ID);
	xtr_put_le32(h + 16, 0);
	xtr_put_le32(h + 24, (uint32_t)n);
	if (h[5] == XTR_CODEC_NONE)
		xtr_put_le32(h + 28, (uint32_t)n);
	if (h[6] == XTR_FILTER_NONE)
		memcpy(h + 68, h + 28, 4);
	xtr_put_le32(h + 72, xtr_crc32c(payload, n));
	xtr_put_le32(h + 76, xtr_crc32c(h, 76));
	if (!xtr_chunk_parse(h, &c))
		return false;
	xtr_chunk_encode(again, &c);
	FUZZ_CHECK(!memcmp(h, again, sizeof(again)) && c.rec_len <= XTR_REC_MAX &&
		   c.raw_len <= XTR_RAW_MAX);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xtr_file_header h = { 1, 0, XTR_FILE_HEADER_SIZE, FILE_ID, 0, 0 };
	size_t n = size < XTR_CHUNK_HEADER_SIZE ? 0 : size - XTR_CHUNK_HEADER_SIZE;
	const struct xtr_section *s;
	struct xtr_reader *r;
	struct xtr_io *io;
	uint8_t *file;

	if (size < XTR_CHUNK_HEADER_SIZE || n > XTR_STORED_MAX)
		return 0;
	check_trailer(data);
	file = malloc(XTR_FILE_HEADER_SIZE + size);
	FUZZ_CHECK(file);
	xtr_file_header_encode(file, &h);
	memcpy(file + XTR_FILE_HEADER_SIZE, data, size);
	if (seal(file + XTR_FILE_HEADER_SIZE, n, data + XTR_CHUNK_HEADER_SIZE)) {
		FUZZ_CHECK(!xtr_io_mem_view(file, XTR_FILE_HEADER_SIZE + size, &io));
		if (!xtr_reader_open(&r, io, NULL)) {
			s = xtr_reader_section(r, 0);
			FUZZ_CHECK(xtr_section_n_chunks(s) == 1);
			check_payload(r, xtr_section_chunk(s, 0), data + XTR_CHUNK_HEADER_SIZE);
			xtr_reader_close(r);
		}
	}
	free(file);
	return 0;
}
