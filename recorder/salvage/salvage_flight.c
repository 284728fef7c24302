/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a flight recorder kept (recorder/flight/kept_file.h), as a trace that was not closed. Chunks
 * are numbered anew, as those of META, tables and losses are not among them.
 */
#include "recorder/flight/flight.h"
#include "recorder/host/util.h"
#include "recorder/output/flight_copy.h"
#include "salvage_priv.h"

#include "base/buf.h"
#include "format/codec/record.h"
#include "format/read/intact.h"
#include "format/write/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- opening ---------------------------------------------------------------------------------- */

static int open_file(struct xtr_reader **r, const char *path)
{
	int fd = xtr_open_regular(path), err;
	struct xtr_err what;
	struct xtr_io *io;

	if (fd < 0)
		return fd;
	err = xtr_io_read_fd(fd, &io);
	close(fd);
	return err ? err : xtr_reader_open(r, io, &what);
}

/* The piece that was being written to a file has its end: nothing of it is missing. */
static int is_in_file(const struct xtr_salvage *s, uint64_t number, bool *whole)
{
	uint64_t id = s->keep.head->piece[number % 2].file_id;
	char *path = xtr_piece_path(s->head.output, number);
	struct xtr_reader *r = NULL;
	const struct xtr_section *sec;
	int err = path ? open_file(&r, path) : -ENOMEM;

	*whole = false;
	for (size_t i = 0; !err && !*whole && (sec = xtr_reader_section(r, i)); i++)
		*whole = xtr_section_file_id(sec) == id && xtr_section_summary(sec)->closed &&
			 xtr_section_is_whole(r, sec);
	xtr_reader_close(r);
	free(path);
	return err == -ENOMEM || err == -EACCES || err == -EIO ? err : 0; /* else it is not there */
}

/* Which piece is to be collected: from here on it is the only one. */
static int settle(struct xtr_salvage *s)
{
	enum xtr_open state = xtr_open_state(&s->head);
	uint64_t number = xtr_open_number(&s->head);
	bool whole = true;
	int err = 0;

	if (state != XTR_OPEN_ONE && number > 1)
		err = is_in_file(s, number - 1, &whole);
	if (whole && state == XTR_OPEN_LAST)
		s->head.done = 1;
	s->head.open = (number - !whole) << 2 | XTR_OPEN_ONE;
	return err;
}

int xtr_left_flight(struct xtr_salvage *s)
{
	struct xtr_chunk_place none = { 0 };
	int err;

	if (!s->head.kept_in)
		return 0;
	s->flight = true;
	err = settle(s);
	if (err || s->head.done)
		return err;
	err = xtr_kept_open(&s->kept, s->head.kept_in, s->pin.id);
	if (err)
		return err == -ENOENT ? -ENODATA : err;
	if (s->kept.head->n_cpus != s->head.size.n_cpus)
		return -EBADMSG;
	s->held = xtr_kept_state(&s->kept)->piece == xtr_open_number(&s->head);
	return xtr_chunk_ring_view(&s->ring, (size_t)s->kept.head->ring_bytes, s->kept.fd,
				   xtr_kept_ring_at(&s->kept),
				   s->held ? &xtr_kept_state(&s->kept)->ring : &none);
}

void xtr_left_flight_close(struct xtr_salvage *s)
{
	xtr_chunk_ring_close(&s->ring);
	xtr_kept_close(&s->kept);
}

uint64_t xtr_left_memory(const struct xtr_salvage *s)
{
	struct stat st;

	if (s->kept.fd < 0 || fstat(s->kept.fd, &st))
		return 0;
	return (uint64_t)st.st_blocks * 512;
}

uint64_t xtr_left_kept(const struct xtr_salvage *s)
{
	struct xtr_chunk_walk w = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *stored;
	uint64_t n = 0;

	while (s->flight && (c = xtr_chunk_ring_next(&s->ring, &w, &stored)))
		n += c->type == XTR_CHUNK_EVENTS && !xtr_flight_is_own(c) ? c->n_records : 0;
	return n;
}

uint64_t xtr_left_ordinal(const struct xtr_salvage *s, uint32_t cpu)
{
	return s->held ? xtr_kept_cpu(&s->kept, cpu).ordinal : 0;
}

uint64_t xtr_left_from(const struct xtr_salvage *s)
{
	return s->held ? xtr_kept_state(&s->kept)->from : 0;
}

int xtr_left_age(const struct xtr_salvage *s, struct xtr_loss *loss, struct xtr_batch *b)
{
	uint64_t from = xtr_left_from(s), n = b->n, before;

	for (; b->n && xtr_rec_ts(b->recs) < from; b->n--) {
		b->len -= xtr_rec_size(b->recs);
		b->recs += xtr_rec_size(b->recs);
	}
	if (n == b->n)
		return 0;
	before = xtr_loss_get(loss, b->stream, 0, XTR_LOSS_AGED);
	return xtr_loss_set(loss, b->stream, 0, XTR_LOSS_AGED, before + n - b->n);
}

int xtr_left_say(const struct xtr_salvage *s, struct xtr_meta *meta, uint64_t at)
{
	const struct xtr_flight_note note = { .why = "killed",
					      .event = "",
					      .at = at,
					      .from = xtr_left_from(s),
					      .bytes = s->head.flight_bytes,
					      .ns = s->head.flight_ns };

	return s->flight ? xtr_flight_write(&note, meta) : 0;
}

/* --- names ------------------------------------------------------------------------------------ */

/* A file of what is read and not copied: META, tables, gaps. */
struct names {
	struct xtr_buf bytes;
	uint64_t id;
	uint32_t n; /* chunks */
	struct xtr_reader *reader;
	const struct xtr_section *section;
};

static void add_chunk(struct names *x, const struct xtr_chunk *c, const uint8_t *stored)
{
	static const uint8_t zero[8];
	struct xtr_chunk mine = *c;
	uint8_t head[XTR_CHUNK_HEADER_SIZE];

	mine.file_id = x->id;
	mine.seq = x->n++;
	mine.ts_min = mine.ts_max = 0; /* of gaps they are the ring's own */
	xtr_chunk_encode(head, &mine);
	xtr_buf_add(&x->bytes, head, sizeof(head));
	xtr_buf_add(&x->bytes, stored, c->stored_len);
	xtr_buf_add(&x->bytes, zero, (size_t)xtr_chunk_span(c) - sizeof(head) - c->stored_len);
}

/* Chunks of the log between two offsets. */
static int add_log(struct names *x, const struct xtr_kept_file *k, uint64_t from, uint64_t to)
{
	uint8_t head[XTR_CHUNK_HEADER_SIZE], *stored;
	struct xtr_chunk c;
	int err = 0;

	for (uint64_t at = from; at < to && !err; at += xtr_chunk_span(&c)) {
		err = xtr_kept_log_read(k, at, head, sizeof(head));
		if (!err && (!xtr_chunk_parse(head, &c) || xtr_chunk_span(&c) > to - at))
			err = -EBADMSG;
		if (err)
			return err;
		stored = malloc(c.stored_len + 1);
		if (!stored)
			return -ENOMEM;
		err = xtr_kept_log_read(k, at + sizeof(head), stored, c.stored_len);
		if (!err)
			add_chunk(x, &c, stored);
		free(stored);
	}
	return err;
}

static void add_gaps(struct names *x, const struct xtr_chunk_ring *ring)
{
	struct xtr_chunk_walk w = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *stored;

	while ((c = xtr_chunk_ring_next(ring, &w, &stored)))
		if (c->type == XTR_CHUNK_LOSS)
			add_chunk(x, c, stored);
}

static int read_names(struct names *x)
{
	struct xtr_err what;
	struct xtr_io *io;
	int err = x->bytes.err ? x->bytes.err : xtr_io_mem_view(x->bytes.p, x->bytes.n, &io);

	if (!err)
		err = xtr_reader_open(&x->reader, io, &what);
	x->section = err ? NULL : xtr_reader_section(x->reader, 0);
	return err ? err : x->section ? 0 : -EBADMSG;
}

static int open_names(struct names *x, const struct xtr_salvage *s)
{
	const struct xtr_kept_state *state = xtr_kept_state(&s->kept);
	const struct xtr_file_header h = { .major = XTR_MAJOR,
					   .minor = XTR_MINOR,
					   .header_size = XTR_FILE_HEADER_SIZE,
					   .file_id = x->id };
	uint8_t head[XTR_FILE_HEADER_SIZE];
	int err;

	xtr_file_header_encode(head, &h);
	xtr_buf_add(&x->bytes, head, sizeof(head));
	err = add_log(x, &s->kept, 0, s->kept.head->meta_bytes);
	if (!err)
		err = add_log(x, &s->kept, state->log_from, state->log_to);
	add_gaps(x, &s->ring);
	return err ? err : read_names(x);
}

/* --- the trace -------------------------------------------------------------------------------- */

struct image {
	const struct xtr_salvage *s;
	struct names names;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_io *io;
	struct xtr_flight_copy copy;
};

static int copy_meta(struct image *x)
{
	struct xtr_err what;
	uint8_t *buf = NULL;
	size_t n;
	int err = xtr_meta_encode(xtr_section_meta(x->names.section), &buf, &n);

	if (!err)
		err = xtr_meta_merge(x->meta, buf, n, &what);
	free(buf);
	return err;
}

/* Of the losses only the gaps: how many events were lost is counted in the kernel. */
static int copy_gaps(struct image *x)
{
	const struct xtr_loss *told = xtr_section_loss(x->names.section);
	const struct xtr_gap *gap;
	int err = 0;

	for (size_t i = 0; !err && (gap = xtr_loss_gap_at(told, i)); i++)
		if (gap->last >= x->copy.from)
			err = xtr_loss_add_gap(x->loss, gap);
	return err;
}

/* What the chunks need to be understood. */
static uint32_t features(const struct xtr_chunk_ring *ring)
{
	struct xtr_chunk_walk w = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *stored;
	uint32_t all = 0;

	while ((c = xtr_chunk_ring_next(ring, &w, &stored)))
		all |= xtr_chunk_features(c);
	return all;
}

static int open_image(struct image *x)
{
	struct xtr_writer_opts how;
	int err;

	x->meta = xtr_meta_new();
	x->loss = xtr_loss_new();
	x->tables = xtr_tables_copy(xtr_section_tables(x->names.section));
	x->copy.aged = calloc(x->copy.n_cpus, sizeof(*x->copy.aged));
	if (!x->meta || !x->loss || !x->tables || !x->copy.aged)
		return -ENOMEM;
	err = copy_meta(x);
	if (!err)
		err = copy_gaps(x);
	if (!err)
		err = xtr_io_temp(&x->io);
	xtr_writer_opts_init(&how);
	how.file_id = x->names.id;
	how.features = features(&x->s->ring);
	return err ? err
		   : xtr_writer_open(&x->copy.writer, x->io, x->meta, x->tables, x->loss, &how);
}

/* What a chunk should have that cannot be read is lost. */
static int copy_chunk(struct image *x, const struct xtr_chunk *c, const uint8_t *stored)
{
	int err = xtr_flight_copy(&x->copy, c, stored);
	uint64_t before = xtr_loss_get(x->loss, c->stream, 0, XTR_LOSS_DAMAGED);

	if (err != -EBADMSG)
		return err;
	return xtr_loss_set(x->loss, c->stream, 0, XTR_LOSS_DAMAGED, before + c->n_records);
}

static int copy_chunks(struct image *x)
{
	const struct xtr_kept_file *k = &x->s->kept;
	uint32_t clock = x->s->held ? xtr_kept_state(k)->clock : 0;
	struct xtr_chunk_walk w = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *stored;
	int err = 0;

	for (uint32_t i = 0; x->s->held && i < x->copy.n_cpus; i++)
		x->copy.aged[i] = xtr_kept_cpu(k, i).aged;
	if (clock && clock <= 2 && k->head->clock[clock - 1].c.stored_len <= XTR_KEPT_CLOCK)
		err = copy_chunk(x, &k->head->clock[clock - 1].c, k->head->clock[clock - 1].data);
	while (!err && (c = xtr_chunk_ring_next(&x->s->ring, &w, &stored)))
		err = copy_chunk(x, c, stored);
	for (uint32_t i = 0; i < x->copy.n_cpus && !err; i++)
		err = xtr_loss_set(x->loss, i, 0, XTR_LOSS_AGED, x->copy.aged[i]);
	if (!err)
		err = xtr_writer_tables(x->copy.writer);
	return err ? err : xtr_writer_loss(x->copy.writer);
}

int xtr_salvage_image(struct xtr_salvage *s, struct xtr_reader **image)
{
	struct xtr_persistent_head *h = &s->head;
	struct image x = {
		.s = s,
		.names.id = xtr_open_piece(h, xtr_open_number(h))->file_id,
		.copy = { .from = xtr_left_from(s), .n_cpus = h->size.n_cpus, .first = UINT64_MAX }
	};
	struct xtr_err what;
	int err = open_names(&x.names, s);

	if (!err)
		err = open_image(&x);
	if (!err)
		err = copy_chunks(&x);
	xtr_writer_free(x.copy.writer);
	if (!err) {
		err = xtr_reader_open(image, x.io, &what);
		x.io = NULL; /* the reader has closed it */
	}
	xtr_io_close(x.io);
	xtr_meta_free(x.meta);
	xtr_tables_free(x.tables);
	xtr_loss_free(x.loss);
	xtr_reader_close(x.names.reader);
	xtr_buf_free(&x.names.bytes);
	free(x.copy.aged);
	return err;
}
