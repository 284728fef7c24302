/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "base/crc32c.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct xtr_chunk good = {
	.file_id = 0x1122334455667788,
	.ts_min = 10,
	.ts_max = 20,
	.first_ordinal = 5,
	.lost_total = 6,
	.seq = 7,
	.stream = 3,
	.stored_len = 33,
	.raw_len = 50,
	.rec_len = 96,
	.n_records = 6,
	.payload_crc = 9,
	.type = XTR_CHUNK_EVENTS,
	.codec = XTR_CODEC_LZ4,
	.filter = XTR_FILTER_ROWDELTA,
	.props = XTR_PROP_CRITICAL,
};

static bool valid(const struct xtr_chunk *c)
{
	uint8_t buf[XTR_CHUNK_HEADER_SIZE];
	struct xtr_chunk back;

	xtr_chunk_encode(buf, c);
	return xtr_chunk_parse(buf, &back);
}

Test(chunk, what_is_written_is_read)
{
	uint8_t buf[XTR_CHUNK_HEADER_SIZE], again[XTR_CHUNK_HEADER_SIZE];
	struct xtr_chunk c = { 0 };

	xtr_chunk_encode(buf, &good);
	cr_assert(xtr_chunk_parse(buf, &c));
	xtr_chunk_encode(again, &c);
	cr_assert(zero(int, memcmp(buf, again, sizeof(buf))));
	cr_assert(eq(u64, c.lost_total, 6));
	cr_assert(eq(u64, xtr_chunk_span(&c), 80 + 40));
	cr_assert(eq(u8, buf[0], 0xd8));
}

Test(chunk, every_flipped_bit_is_noticed)
{
	uint8_t buf[XTR_CHUNK_HEADER_SIZE];
	struct xtr_chunk c;

	xtr_chunk_encode(buf, &good);
	for (size_t bit = 0; bit < sizeof(buf) * 8; bit++) {
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		cr_assert(not(xtr_chunk_parse(buf, &c)), "bit %zu", bit);
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

#define LIMIT(name, field, at, past)       \
	Test(chunk, limit_##name)          \
	{                                  \
		struct xtr_chunk c = good; \
                                           \
		c.n_records = 0;           \
		c.field = at;              \
		cr_assert(valid(&c));      \
		c.field = past;            \
		cr_assert(not(valid(&c))); \
	}

LIMIT(stored_len, stored_len, 1u << 20, (1u << 20) + 1)
LIMIT(raw_len, raw_len, 1u << 20, (1u << 20) + 1)
LIMIT(rec_len, rec_len, 8u << 20, (8u << 20) + 1)
LIMIT(n_records, n_records, 6, 7)
LIMIT(ts_min, ts_min, 20, 21)
LIMIT(type, type, XTR_CHUNK_EVENTS, 0)

Test(chunk, no_more_than_65536_records)
{
	struct xtr_chunk c = good;

	c.rec_len = 8u << 20;
	c.n_records = 65536;
	cr_assert(valid(&c));
	c.n_records++;
	cr_assert(not(valid(&c)));
}

Test(chunk, lengths_agree_without_codec_and_filter)
{
	struct xtr_chunk c = good;

	c.codec = XTR_CODEC_NONE;
	cr_assert(not(valid(&c)));
	c.stored_len = c.raw_len;
	cr_assert(valid(&c));
	c.filter = XTR_FILTER_NONE;
	cr_assert(not(valid(&c)));
	c.rec_len = c.raw_len;
	c.n_records = 3;
	cr_assert(valid(&c));
	c.filter = XTR_FILTER_ROWDELTA;
	c.type = XTR_CHUNK_TABLE;
	cr_assert(not(valid(&c)), "a filter belongs to events only");
}

Test(chunk, file_header_stands_by_magic_and_crc)
{
	struct xtr_file_header h = { 1, 0, 64, 42, 0, 0 }, back;
	uint8_t buf[XTR_FILE_HEADER_SIZE];

	xtr_file_header_encode(buf, &h);
	cr_assert(xtr_file_header_parse(buf, &back));
	cr_assert(eq(u64, back.file_id, 42));
	cr_assert(xtr_file_header_is_sane(&back));
	for (size_t i = 0; i < sizeof(buf); i++) {
		buf[i] ^= 1;
		cr_assert(not(xtr_file_header_parse(buf, &back)), "byte %zu", i);
		buf[i] ^= 1;
	}
}

Test(chunk, file_header_limits)
{
	const struct {
		uint32_t size;
		uint64_t id;
		int sane;
	} cases[] = { { 64, 1, 1 },   { 56, 1, 0 },   { 72, 1, 1 }, { 68, 1, 0 },
		      { 4096, 1, 1 }, { 4104, 1, 0 }, { 64, 0, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xtr_file_header h = { .header_size = cases[i].size, .file_id = cases[i].id };

		cr_assert(eq(int, xtr_file_header_is_sane(&h), cases[i].sane), "case %zu", i);
	}
}

Test(chunk, trailer_is_checked)
{
	struct xtr_trailer t = { 1, 2, 3, 4 }, back;
	uint8_t buf[XTR_TRAILER_SIZE];

	xtr_trailer_encode(buf, &t);
	cr_assert(xtr_trailer_parse(buf, &back));
	cr_assert(eq(u32, back.chunk_count, 3));
	cr_assert(zero(int, memcmp(buf + 28, "XTRE", 4)));
	for (size_t i = 0; i < sizeof(buf); i++) {
		buf[i] ^= 0x10;
		cr_assert(not(xtr_trailer_parse(buf, &back)), "byte %zu", i);
		buf[i] ^= 0x10;
	}
}
