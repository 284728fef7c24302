/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A writer over memory with META, tables and losses of a section that was read. */
struct copy {
	struct xtr_io *io;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer *w;
};

static void copy_open(struct copy *c, const struct xtr_section *s)
{
	struct xtr_err err;
	uint8_t *buf;
	size_t n;

	c->meta = xtr_meta_new();
	cr_assert(eq(int, xtr_meta_encode(xtr_section_meta(s), &buf, &n), 0));
	cr_assert(eq(int, xtr_meta_merge(c->meta, buf, n, &err), 0));
	free(buf);
	c->tables = xtr_tables_copy(xtr_section_tables(s));
	c->loss = xtr_loss_copy(xtr_section_loss(s), 0, UINT64_MAX);
	cr_assert(eq(int, xtr_io_mem_new(&c->io), 0));
	cr_assert(eq(int, xtr_writer_open(&c->w, c->io, c->meta, c->tables, c->loss, NULL), 0));
}

static void copy_close(struct copy *c)
{
	xtr_writer_free(c->w);
	xtr_io_close(c->io);
	xtr_meta_free(c->meta);
	xtr_tables_free(c->tables);
	xtr_loss_free(c->loss);
}

/* Chunk k (counted among EVENTS) of both: the same stored bytes and what the header says of them.
 */
static void check_same_payload(const struct xtr_reader *ra, const struct xtr_chunk *a,
			       const struct xtr_reader *rb, const struct xtr_chunk *b)
{
	uint8_t *pa = NULL, *pb = NULL;
	size_t ca = 0, cb = 0;

	cr_assert(eq(u32, a->stored_len, b->stored_len));
	cr_assert(eq(u32, a->payload_crc, b->payload_crc));
	cr_assert(eq(int, a->codec, b->codec));
	cr_assert(eq(int, a->filter, b->filter));
	cr_assert(eq(u32, a->stream, b->stream));
	cr_assert(eq(u64, a->ts_min, b->ts_min));
	cr_assert(eq(u64, a->ts_max, b->ts_max));
	cr_assert(eq(int, xtr_reader_stored(ra, a, &pa, &ca, NULL), 0));
	cr_assert(eq(int, xtr_reader_stored(rb, b, &pb, &cb, NULL), 0));
	cr_assert(zero(int, memcmp(pa, pb, a->stored_len)));
	free(pa);
	free(pb);
}

Test(writer_copy, copied_chunks_keep_their_stored_bytes)
{
	struct xtr_io *io = trace_make(5, 300, 1, NULL);
	struct xtr_reader *r = trace_read_back(io), *back;
	const struct xtr_section *s = xtr_reader_section(r, 0), *t;
	const struct xtr_chunk *kept[64];
	size_t n = 0, cap = 0, k = 0, m = 0;
	uint64_t events = 0;
	uint8_t *buf = NULL;
	struct copy c;

	copy_open(&c, s);
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		const struct xtr_chunk *ch = xtr_section_chunk(s, i);

		if (ch->type != XTR_CHUNK_EVENTS || k++ % 3 == 1) /* leave some out */
			continue;
		cr_assert(eq(int, xtr_reader_stored(r, ch, &buf, &cap, NULL), 0));
		cr_assert(eq(int, xtr_writer_copy(c.w, ch, buf, 10 * n), 0));
		events += ch->n_records;
		kept[n++] = ch;
	}
	cr_assert(eq(u64, xtr_writer_events_written(c.w), events));
	cr_assert(eq(int, xtr_writer_finish(c.w, "copied", NULL), 0));
	back = trace_read_back(c.io);
	t = xtr_reader_section(back, 0);
	cr_assert(zero(sz, xtr_reader_n_problems(back)), "ordinals, order, index, checksums");
	cr_assert(eq(u64, xtr_section_summary(t)->events, events));
	cr_assert(ne(u64, xtr_section_file_id(t), xtr_section_file_id(s)));
	for (size_t i = 0; i < xtr_section_n_chunks(t); i++) {
		const struct xtr_chunk *ch = xtr_section_chunk(t, i);

		if (ch->type != XTR_CHUNK_EVENTS)
			continue;
		check_same_payload(r, kept[m], back, ch);
		cr_assert(eq(u64, ch->lost_total, 10 * m));
		cr_assert(eq(int, !!(ch->props & XTR_PROP_LOSS_BEFORE), m > 0));
		cr_assert(eq(int, ch->props &XTR_PROP_SORTED, kept[m]->props &XTR_PROP_SORTED));
		m++;
	}
	cr_assert(eq(sz, m, n));
	free(buf);
	xtr_reader_close(back);
	copy_close(&c);
	xtr_reader_close(r);
	xtr_io_close(io);
}

Test(writer_copy, encoded_and_copied_chunks_share_their_ordinals)
{
	struct xtr_io *io = trace_make(1, 100, 3, NULL);
	struct xtr_reader *r = trace_read_back(io), *back;
	const struct xtr_section *s = xtr_reader_section(r, 0);
	const struct xtr_chunk *ch = NULL;
	uint8_t *stored = NULL, *recs = NULL;
	size_t cap = 0, cap2 = 0;
	struct xtr_batch b;
	struct copy c;

	for (size_t i = 0; !ch; i++)
		if (xtr_section_chunk(s, i)->type == XTR_CHUNK_EVENTS)
			ch = xtr_section_chunk(s, i);
	copy_open(&c, s);
	cr_assert(eq(int, xtr_reader_stored(r, ch, &stored, &cap, NULL), 0));
	cr_assert(eq(int, xtr_reader_decode(r, ch, &recs, &cap2, NULL), 0));
	b = (struct xtr_batch){
		.stream = ch->stream, .recs = recs, .len = ch->rec_len, .n = ch->n_records
	};
	cr_assert(eq(int, xtr_writer_copy(c.w, ch, stored, 0), 0));
	cr_assert(eq(int, xtr_writer_events(c.w, &b), 0));
	cr_assert(eq(int, xtr_writer_copy(c.w, ch, stored, 7), 0));
	cr_assert(eq(int, xtr_writer_finish(c.w, "copied", NULL), 0));
	back = trace_read_back(c.io);
	cr_assert(zero(sz, xtr_reader_n_problems(back)));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(back, 0))->events, 300));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(back, 0))->lost, 7));
	free(stored);
	free(recs);
	xtr_reader_close(back);
	copy_close(&c);
	xtr_reader_close(r);
	xtr_io_close(io);
}

/* A chunk of each type: those that the writer makes itself are refused, the others arrive. */
Test(writer_copy, what_the_writer_makes_itself_is_not_copied)
{
	struct xtr_io *io = trace_make(2, 50, 5, NULL);
	struct xtr_reader *r = trace_read_back(io), *back;
	const struct xtr_section *s = xtr_reader_section(r, 0);
	size_t types[XTR_CHUNK_TYPES] = { 0 }, cap = 0;
	struct xtr_chunk unknown = { .type = 200, .props = XTR_PROP_SAFE_TO_COPY };
	uint8_t *buf = NULL;
	struct copy c;

	copy_open(&c, s);
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		const struct xtr_chunk *ch = xtr_section_chunk(s, i);
		bool own = ch->type == XTR_CHUNK_META || ch->type == XTR_CHUNK_TABLE ||
			   ch->type == XTR_CHUNK_LOSS || ch->type == XTR_CHUNK_INDEX ||
			   ch->type == XTR_CHUNK_END;

		cr_assert(eq(int, xtr_reader_stored(r, ch, &buf, &cap, NULL), 0));
		cr_assert(eq(int, xtr_writer_copy(c.w, ch, buf, 0), own ? -EINVAL : 0));
	}
	cr_assert(eq(int, xtr_writer_copy(c.w, &unknown, buf, 0), 0));
	unknown.props = 0;
	cr_assert(eq(int, xtr_writer_copy(c.w, &unknown, buf, 0), -EINVAL));
	cr_assert(eq(int, xtr_writer_finish(c.w, "copied", NULL), 0));
	back = trace_read_back(c.io);
	cr_assert(zero(sz, xtr_reader_n_problems(back)));
	for (size_t i = 0; i < xtr_section_n_chunks(xtr_reader_section(back, 0)); i++) {
		uint8_t type = xtr_section_chunk(xtr_reader_section(back, 0), i)->type;

		types[type < XTR_CHUNK_TYPES ? type : 0]++;
	}
	cr_assert(eq(sz, types[XTR_CHUNK_ATTACH], 1));
	cr_assert(eq(sz, types[XTR_CHUNK_ROUND], 2));
	cr_assert(eq(sz, types[0], 1), "the unknown one");
	free(buf);
	xtr_reader_close(back);
	copy_close(&c);
	xtr_reader_close(r);
	xtr_io_close(io);
}

Test(writer_copy, a_payload_that_is_not_the_chunks_own_is_refused)
{
	struct xtr_io *io = trace_make(1, 50, 5, NULL);
	struct xtr_reader *r = trace_read_back(io);
	const struct xtr_section *s = xtr_reader_section(r, 0);
	struct xtr_chunk ch;
	uint8_t *buf = NULL;
	size_t cap = 0, i = 0;
	uint64_t bytes;
	struct copy c;

	while (xtr_section_chunk(s, i)->type != XTR_CHUNK_EVENTS)
		i++;
	ch = *xtr_section_chunk(s, i);
	copy_open(&c, s);
	cr_assert(eq(int, xtr_reader_stored(r, &ch, &buf, &cap, NULL), 0));
	bytes = xtr_writer_bytes(c.w);
	buf[ch.stored_len / 2] ^= 4;
	cr_assert(eq(int, xtr_writer_copy(c.w, &ch, buf, 0), -EBADMSG));
	ch.stored_len = XTR_STORED_MAX + 1;
	cr_assert(eq(int, xtr_writer_copy(c.w, &ch, buf, 0), -EBADMSG));
	cr_assert(eq(u64, xtr_writer_bytes(c.w), bytes), "nothing was written");
	free(buf);
	copy_close(&c);
	xtr_reader_close(r);
	xtr_io_close(io);
}

Test(writer_copy, damage_is_found_where_the_stored_payload_is_read)
{
	struct xtr_io *io = trace_make(1, 50, 5, NULL);
	struct xtr_reader *r = NULL;
	const struct xtr_chunk *ch = NULL;
	struct xtr_err err;
	const uint8_t *p;
	uint8_t *data, *buf = NULL;
	size_t n, cap = 0;

	p = xtr_io_mem_data(io, &n);
	data = malloc(n);
	cr_assert(ne(ptr, data, NULL));
	memcpy(data, p, n);
	r = trace_read_back(io);
	for (size_t i = 0; !ch; i++)
		if (xtr_section_chunk(xtr_reader_section(r, 0), i)->type == XTR_CHUNK_EVENTS)
			ch = xtr_section_chunk(xtr_reader_section(r, 0), i);
	data[ch->offset + XTR_CHUNK_HEADER_SIZE] ^= 1;
	xtr_reader_close(r);
	cr_assert(eq(int, trace_read(&r, data, n, &err), 0));
	for (size_t i = 0; !buf; i++) {
		ch = xtr_section_chunk(xtr_reader_section(r, 0), i);
		if (ch->type == XTR_CHUNK_EVENTS) {
			cr_assert(eq(int, xtr_reader_stored(r, ch, &buf, &cap, &err), -EBADMSG));
			cr_assert(eq(int, err.problem, XTR_P_PAYLOAD_CRC));
			cr_assert(eq(u64, err.offset, ch->offset));
		}
	}
	cr_assert(eq(u64, xtr_section_size(xtr_reader_section(r, 0)), n));
	cr_assert(eq(int, xtr_reader_bytes(r, n - 4, buf, 4), 0));
	cr_assert(zero(int, memcmp(buf, "XTRE", 4)));
	cr_assert(eq(int, xtr_reader_bytes(r, n - 3, buf, 4), -ENODATA));
	free(buf);
	free(data);
	xtr_reader_close(r);
	xtr_io_close(io);
}
