/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as EVENTS chunks, 6 bytes each: streams, times that overlap, records in order or not. The
 * merge gives every record once, in order of time, then stream, then chunk, and the same whether it
 * decodes itself, in threads, or in windows because memory is short.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "base/crc32c.h"
#include "format/read/merge.h"

#include <string.h>

#define OP      6u
#define CHUNKS  200u
#define RECORD  24u
#define STREAMS 4u

struct made {
	struct xtr_buf b;
	uint64_t ordinal[STREAMS];
	uint64_t records;
};

static void put_chunk(struct made *m, uint32_t seq, const uint8_t *op)
{
	uint32_t n = op[1] % 48 + 1, stream = op[0] % STREAMS;
	uint64_t ts = (uint64_t)op[2] << op[3] % 8, step = op[4] % 32;
	uint8_t recs[48 * RECORD] = { 0 }, header[XTR_CHUNK_HEADER_SIZE];
	struct xtr_chunk c = { .file_id = 7, .seq = seq, .stream = stream, .n_records = n };

	c.type = XTR_CHUNK_EVENTS;
	c.ts_min = UINT64_MAX;
	c.first_ordinal = m->ordinal[stream];
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *r = recs + (size_t)i * RECORD;
		/* In order, against it, or in small turns. */
		uint64_t at = ts + step * (op[5] & 1 ? n - i : op[5] & 2 ? i ^ 5 : i);

		xtr_put_le64(r, at);
		xtr_put_le16(r + 8, 1024);
		xtr_put_le16(r + 10, RECORD);
		xtr_put_le64(r + 16, m->records++);
		c.ts_min = at < c.ts_min ? at : c.ts_min;
		c.ts_max = at > c.ts_max ? at : c.ts_max;
	}
	m->ordinal[stream] += n;
	c.stored_len = c.raw_len = c.rec_len = n * RECORD;
	c.payload_crc = xtr_crc32c(recs, c.stored_len);
	xtr_chunk_encode(header, &c);
	xtr_buf_add(&m->b, header, sizeof(header));
	xtr_buf_add(&m->b, recs, c.stored_len);
}

/* All events, as a number that depends on each of them and on their order. */
static uint64_t merged(const struct xtr_reader *r, unsigned int threads, size_t memory,
		       uint64_t records)
{
	struct xtr_merge_opts o = { .sz = sizeof(o), .threads = threads, .memory = memory };
	uint64_t sum = 0, n = 0, last = 0;
	uint32_t stream = 0;
	struct xtr_event ev;
	struct xtr_merge *m;
	int ret;

	FUZZ_CHECK(!xtr_merge_open(&m, r, xtr_reader_section(r, 0), &o));
	for (; (ret = xtr_merge_next(m, &ev, NULL)) == 1; n++) {
		FUZZ_CHECK(ev.rec && ev.ts >= last && (ev.ts > last || ev.stream >= stream));
		FUZZ_CHECK(xtr_le64(ev.rec) == ev.ts && xtr_le64(ev.rec + 16) < records);
		last = ev.ts;
		stream = ev.stream;
		sum = sum * 0x9e3779b97f4a7c15u + xtr_le64(ev.rec + 16);
	}
	FUZZ_CHECK(!ret && n == records && xtr_merge_permille(m) == 1000);
	xtr_merge_close(m);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xtr_file_header h = { 1, 0, XTR_FILE_HEADER_SIZE, 7, 0, 0 };
	uint8_t header[XTR_FILE_HEADER_SIZE];
	struct made m = { 0 };
	struct xtr_reader *r;
	struct xtr_io *io;
	uint64_t want;

	xtr_file_header_encode(header, &h);
	xtr_buf_add(&m.b, header, sizeof(header));
	for (uint32_t i = 0; i < CHUNKS && (i + 1) * OP <= size; i++)
		put_chunk(&m, i, data + (size_t)i * OP);
	FUZZ_CHECK(!m.b.err && !xtr_io_mem_view(m.b.p, m.b.n, &io));
	FUZZ_CHECK(!xtr_reader_open(&r, io, NULL) && xtr_reader_n_sections(r) == 1);
	want = merged(r, 0, 0, m.records);
	FUZZ_CHECK(merged(r, 0, 1 + size * 8, m.records) == want);
	if (size % 16 == 0)
		FUZZ_CHECK(merged(r, 2, 4096, m.records) == want);
	xtr_reader_close(r);
	xtr_buf_free(&m.b);
	return 0;
}
