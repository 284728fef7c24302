/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A part of a section by its index (spec 7): from the trailer back from INDEX to INDEX, what is not
 * events by its own chunks, and of the events only the headers of those in the part. Everything
 * that is read is checked against the index; what does not fit leaves the file to the walk by
 * headers.
 */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "index.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 4096u /* more CPUs than a kernel has now; others take longer */

/* An INDEX chunk, and the times of the events that it lists. */
struct listed {
	struct xtr_chunk c;
	uint64_t end; /* offset of what follows its last entry's chunk: its own */
	uint64_t ts_min, ts_max;
};

struct by_index {
	struct xtr_reader *r;
	struct xtr_section *s;
	struct xtr_decoder d;
	uint8_t *buf; /* the payload of an INDEX */
	size_t cap;
	struct listed *lists; /* the last one first */
	size_t n, cap_lists;
	uint64_t streams[STREAMS / 64]; /* a bit for each low number that was seen */
};

/* 0, -EILSEQ: the index is not to be relied on, or another -errno. */
#define UNFIT (-EILSEQ)

/* The chunk whose header stands at an offset of the file. */
static int chunk_at(struct by_index *x, uint64_t off, struct xtr_chunk *c)
{
	uint8_t header[XTR_CHUNK_HEADER_SIZE];
	int err = xtr_reader_bytes(x->r, off, header, sizeof(header));

	if (err)
		return err == -ENODATA ? UNFIT : err;
	if (!xtr_chunk_parse(header, c) || c->file_id != x->s->file_id)
		return UNFIT;
	c->offset = off;
	return 0;
}

/* The chunk of entry i, which ends where the next one begins. */
static int entry_chunk(struct by_index *x, uint32_t i, uint64_t next, struct xtr_chunk *c)
{
	uint64_t off = xtr_index_entry(x->buf, i).offset;
	int err = xtr_fits(off, 0, x->r->size) ? chunk_at(x, x->s->offset + off, c) : UNFIT;

	if (err)
		return err;
	return xtr_index_entry_is(x->buf, i, c, off) &&
			       xtr_chunk_span(c) == next - x->s->offset - off
		       ? 0
		       : UNFIT;
}

static int keep(struct by_index *x, const struct xtr_chunk *c)
{
	struct xtr_section *s = x->s;
	int err = xtr_grow_array(&s->chunks, &s->cap_chunks, s->n_chunks + 1, sizeof(*s->chunks));

	if (!err)
		s->chunks[s->n_chunks++] = *c;
	return err;
}

/* Keep the chunk of entry i, by its own header. */
static int keep_entry(struct by_index *x, uint32_t i, uint64_t next)
{
	struct xtr_chunk c;

	return entry_chunk(x, i, next, &c) ?: keep(x, &c);
}

static int take_stream(struct by_index *x, uint32_t stream)
{
	uint64_t bit = (uint64_t)1 << stream % 64;

	if (stream < STREAMS) {
		if (x->streams[stream / 64] & bit)
			return 0;
		x->streams[stream / 64] |= bit;
	}
	return xtr_section_add_stream(x->s, stream);
}

/* Sum an entry of events up as xtr_section_add does. */
static int take_events(struct by_index *x, struct listed *l, const struct xtr_index_entry *e,
		       uint64_t bytes)
{
	struct xtr_section_summary *sum = &x->s->summary;

	if (e->n_records > XTR_RECORDS_MAX || e->ts_min > e->ts_max)
		return UNFIT;
	if (e->n_records) {
		sum->ts_min = !sum->events || e->ts_min < sum->ts_min ? e->ts_min : sum->ts_min;
		sum->ts_max = e->ts_max > sum->ts_max ? e->ts_max : sum->ts_max;
		l->ts_min = e->ts_min < l->ts_min ? e->ts_min : l->ts_min;
		l->ts_max = e->ts_max > l->ts_max ? e->ts_max : l->ts_max;
	}
	sum->events += e->n_records;
	sum->event_bytes += bytes;
	return take_stream(x, e->stream);
}

/*
 * The entries of an INDEX from the last one to the first: one chunk after the other, without a
 * hole. *first: where the first one begins, of *seq; an empty INDEX leaves both.
 */
static int take_entries(struct by_index *x, struct listed *l, uint32_t n, uint64_t *first,
			uint32_t *seq)
{
	int err = 0;

	while (n-- && !err) {
		const struct xtr_index_entry e = xtr_index_entry(x->buf, n);
		uint64_t next = *first;

		if (e.offset > x->r->size ||
		    x->s->offset + e.offset + XTR_CHUNK_HEADER_SIZE > next ||
		    next - x->s->offset - e.offset > XTR_CHUNK_HEADER_SIZE + XTR_STORED_MAX ||
		    e.seq + 1 != *seq || !e.type || e.type >= XTR_CHUNK_TYPES ||
		    e.type == XTR_CHUNK_INDEX)
			return UNFIT;
		*first = x->s->offset + e.offset;
		*seq = e.seq;
		if (e.type == XTR_CHUNK_EVENTS) {
			err = take_events(x, l, &e, next - *first);
		} else if (xtr_section_wants(e.type)) {
			err = keep_entry(x, n, next);
			x->s->has_end |= e.type == XTR_CHUNK_END;
		}
	}
	return err;
}

static int decode(struct by_index *x, const struct xtr_chunk *c, uint64_t *prev, uint32_t *n)
{
	struct xtr_err why;
	int err = xtr_decode(x->r, c, &x->d, &x->buf, &x->cap, &why);

	if (err)
		return err == -EBADMSG ? UNFIT : err;
	return xtr_index_parse(x->buf, c->raw_len, prev, n) ? 0 : UNFIT;
}

/* The INDEX chunk at an offset of the file, behind which the chunk at `next`, of seq *seq, follows.
 */
static int take_index(struct by_index *x, uint64_t *next, uint32_t *seq, uint64_t at,
		      uint64_t *prev)
{
	struct listed *l;
	uint32_t n;
	int err = xtr_grow_array(&x->lists, &x->cap_lists, x->n + 1, sizeof(*x->lists));

	if (err)
		return err;
	l = &x->lists[x->n];
	*l = (struct listed){ .ts_min = UINT64_MAX };
	err = chunk_at(x, at, &l->c);
	if (err)
		return err;
	if (l->c.type != XTR_CHUNK_INDEX || at + xtr_chunk_span(&l->c) != *next ||
	    l->c.seq + 1 != *seq)
		return UNFIT;
	err = decode(x, &l->c, prev, &n);
	*next = l->end = at;
	*seq = l->c.seq;
	x->n++;
	return err ? err : take_entries(x, l, n, next, seq);
}

/*
 * All INDEX chunks from the last one back to the section's first chunk. Each ends where what the
 * one before it lists begins: no chain of them goes on for ever.
 */
static int take_all(struct by_index *x)
{
	const struct xtr_section *s = x->s;
	uint64_t next = s->trailer_offset, at = s->trailer.index_offset;
	uint32_t seq = s->trailer.chunk_count;
	int err = 0;

	while (at && !err) {
		uint64_t prev = 0;

		if (at > s->trailer_offset)
			return UNFIT;
		err = take_index(x, &next, &seq, s->offset + at, &prev);
		at = prev;
	}
	if (!err && (seq || next != s->offset + s->header_size ||
		     (x->n && x->lists[0].c.stored_len != s->trailer.index_len)))
		return UNFIT;
	return err;
}

/* The headers of the events in the part that an INDEX lists. */
static int choose(struct by_index *x, const struct listed *l, uint64_t from, uint64_t to)
{
	uint64_t prev, next = l->end;
	uint32_t n;
	int err = decode(x, &l->c, &prev, &n);

	while (!err && n--) {
		const struct xtr_index_entry e = xtr_index_entry(x->buf, n);

		if (e.type == XTR_CHUNK_EVENTS && e.ts_max >= from && e.ts_min <= to)
			err = keep_entry(x, n, next);
		next = x->s->offset + e.offset;
	}
	return err;
}

static int chunk_cmp(const void *pa, const void *pb)
{
	const struct xtr_chunk *a = pa, *b = pb;

	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static void in_order(struct xtr_section *s)
{
	if (s->n_chunks)
		qsort(s->chunks, s->n_chunks, sizeof(*s->chunks), chunk_cmp);
}

/* The file is one section with a trailer, from its first byte to its last. */
static int ends(struct by_index *x)
{
	struct xtr_section *s = x->s;
	uint8_t head[XTR_FILE_HEADER_SIZE], tail[XTR_TRAILER_SIZE];
	uint64_t size = x->r->size;
	struct xtr_file_header h;
	int err = xtr_fits(sizeof(head), sizeof(tail), size)
			  ? xtr_reader_bytes(x->r, 0, head, sizeof(head))
			  : UNFIT;

	if (!err)
		err = xtr_reader_bytes(x->r, size - sizeof(tail), tail, sizeof(tail));
	if (err)
		return err;
	if (!xtr_file_header_parse(head, &h) || h.major != XTR_MAJOR ||
	    h.incompat_flags & ~XTR_FEATURES_KNOWN || !xtr_file_header_is_sane(&h) ||
	    !xtr_trailer_parse(tail, &s->trailer) || s->trailer.file_id != h.file_id)
		return UNFIT;
	s->file_id = h.file_id;
	s->header_size = h.header_size;
	s->minor = h.minor;
	s->compat_flags = h.compat_flags;
	s->has_trailer = true;
	s->trailer_offset = size - sizeof(tail);
	s->end = size;
	return 0;
}

static int read_part(struct by_index *x, const struct xtr_part *part)
{
	uint64_t from = 0, to = UINT64_MAX;
	int err = ends(x) ?: take_all(x);

	if (err)
		return err;
	in_order(x->s);
	err = xtr_section_load(x->r, x->s);
	if (err || x->r->n_problems)
		return err ? err : UNFIT;
	part->window(part->ctx, x->s, &from, &to);
	for (size_t i = x->n; i-- && !err;)
		if (x->lists[i].ts_max >= from && x->lists[i].ts_min <= to)
			err = choose(x, &x->lists[i], from, to);
	in_order(x->s);
	return err;
}

int xtr_scan_part(struct xtr_reader *r, const struct xtr_part *part, bool *done)
{
	struct by_index x = { .r = r, .s = xtr_section_new() };
	int err =
		(x.s ? read_part(&x, part) : -ENOMEM)
			?: xtr_grow_array(&r->sections, &r->cap_sections, 1, sizeof(*r->sections));

	*done = !err;
	if (!err)
		r->sections[r->n_sections++] = x.s;
	else
		xtr_section_free(x.s);
	if (err)
		r->n_problems = 0;
	xtr_decoder_free(&x.d);
	free(x.buf);
	free(x.lists);
	return err == -ENOMEM ? err : 0;
}

/* --- index ------------------------------------------------------------------------------------ */

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
