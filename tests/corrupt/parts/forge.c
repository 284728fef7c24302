/* SPDX-License-Identifier: BSD-2-Clause */
#include "forge.h"
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "base/crc32c.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"

#include <stdlib.h>
#include <string.h>

#define FILE_ID 0x0f1e2d3c4b5a6978ull
#define TYPE    2000u /* of events that META does not know */
#define SIZE    48u   /* bytes of a plain record */

struct forging {
	const struct truth *other;
	struct xtr_io *io;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer *w;
	uint64_t ts;
};

static void check(int err)
{
	if (err)
		must(NULL);
}

static void put_record(uint8_t *p, uint64_t ts, uint32_t size, const uint8_t *payload, size_t n)
{
	xtr_put_le64(p, ts);
	xtr_put_le16(p + 8, TYPE);
	xtr_put_le16(p + 10, (uint16_t)size);
	xtr_put_le32(p + 12, 7);
	memset(p + 16, 0, size - 16);
	if (n)
		memcpy(p + 16, payload, n);
}

static void events(struct forging *f, uint32_t stream)
{
	uint8_t recs[5 * SIZE];
	struct xtr_batch b = { .stream = stream, .recs = recs, .len = sizeof(recs), .n = 5 };

	for (unsigned int i = 0; i < 5; i++) {
		uint8_t payload[8];

		f->ts += 10;
		xtr_put_le64(payload, f->ts * 0x9e3779b97f4a7c15ull);
		put_record(recs + i * SIZE, f->ts, SIZE, payload, sizeof(payload));
	}
	check(xtr_writer_events(f->w, &b));
}

/* One event that carries these bytes as they are. */
static void event_with(struct forging *f, const uint8_t *p, size_t n)
{
	uint32_t size = 16 + (uint32_t)((n + 7) / 8 * 8);
	uint8_t *rec = must(malloc(size));
	struct xtr_batch b = { .stream = 1, .recs = rec, .len = size, .n = 1, .raw = true };

	f->ts += 10;
	put_record(rec, f->ts, size, p, n);
	check(xtr_writer_events(f->w, &b));
	free(rec);
}

/* A chunk of one event that never was. */
static void forged_chunk(struct forging *f, uint32_t seq)
{
	uint8_t chunk[XTR_CHUNK_HEADER_SIZE + SIZE];
	struct xtr_chunk c = { .type = XTR_CHUNK_EVENTS,
			       .props = XTR_PROP_CRITICAL | XTR_PROP_SORTED,
			       .file_id = FILE_ID,
			       .seq = seq,
			       .stream = 1,
			       .stored_len = SIZE,
			       .raw_len = SIZE,
			       .rec_len = SIZE,
			       .n_records = 1,
			       .ts_min = 666,
			       .ts_max = 666 };

	put_record(chunk + XTR_CHUNK_HEADER_SIZE, 666, SIZE, (const uint8_t *)"forged", 6);
	c.payload_crc = xtr_crc32c(chunk + XTR_CHUNK_HEADER_SIZE, SIZE);
	xtr_chunk_encode(chunk, &c);
	event_with(f, chunk, sizeof(chunk));
}

static void payload(struct forging *f, enum forged kind)
{
	const uint8_t *own, *chunks = f->other->data + XTR_FILE_HEADER_SIZE;
	size_t n, m = f->other->n - XTR_FILE_HEADER_SIZE;

	switch (kind) {
	case FORGED_OTHER_CHUNKS:
		check(xtr_writer_attach(f->w, "other", chunks, m));
		break;
	case FORGED_OTHER_FILE:
		check(xtr_writer_attach(f->w, "other.xtr", f->other->data, f->other->n));
		break;
	case FORGED_OTHER_EVENTS:
		event_with(f, chunks, m < 60000 ? m : 60000);
		break;
	case FORGED_OWN_COPY:
		own = xtr_io_mem_data(f->io, &n);
		event_with(f, own + XTR_FILE_HEADER_SIZE, n - XTR_FILE_HEADER_SIZE);
		break;
	case FORGED_OWN_EARLIER:
		forged_chunk(f, 1);
		break;
	default:
		forged_chunk(f, 40);
		break;
	}
}

uint8_t *forge(const struct truth *other, enum forged kind, size_t *n)
{
	struct forging f = { .other = other, .ts = 1000 };
	struct xtr_writer_opts o;
	const uint8_t *p;
	uint8_t *copy;

	xtr_writer_opts_init(&o);
	o.file_id = FILE_ID;
	o.codec = XTR_CODEC_NONE;
	check(xtr_io_mem_new(&f.io));
	f.meta = must(xtr_meta_new());
	f.tables = must(xtr_tables_new());
	f.loss = must(xtr_loss_new());
	check(xtr_meta_set_writer(f.meta, "forge", "1"));
	check(xtr_writer_open(&f.w, f.io, f.meta, f.tables, f.loss, &o));
	for (unsigned int i = 0; i < 3; i++)
		events(&f, i % 2);
	payload(&f, kind);
	for (unsigned int i = 0; i < 3; i++)
		events(&f, i % 2);
	check(xtr_writer_finish(f.w, "end", NULL));
	p = xtr_io_mem_data(f.io, n);
	copy = must(malloc(*n));
	memcpy(copy, p, *n);
	xtr_writer_free(f.w);
	xtr_meta_free(f.meta);
	xtr_tables_free(f.tables);
	xtr_loss_free(f.loss);
	xtr_io_close(f.io);
	return copy;
}

const char *forged_name(enum forged kind)
{
	static const char *const names[FORGED_KINDS] = {
		"another file's chunks attached",
		"another file's chunks in an event",
		"own chunks in an event",
		"own chunks forged with earlier numbers",
		"own chunks forged with later numbers",
		"another file attached",
	};

	return names[kind];
}
