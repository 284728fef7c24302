/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of records to EVENTS chunks: check, sort, filter, and account per stream. */
#include "base/buf.h"
#include "base/crc32c.h"
#include "writer_priv.h"

#include <errno.h>
#include <string.h>

/*
 * Bytes of records in one chunk, about: large enough for the filter and LZ4 to settle (a larger
 * chunk gains less than 1 %), small enough that a merge of many CPUs holds one of each in memory.
 */
#define CHUNK_BYTES ((size_t)512 << 10)

/* Fewer records are smaller row by row: each column takes some bytes of its own. */
#define COLUMNS_MIN 64u

int xtr_writer_stream(struct xtr_writer *w, uint32_t stream, struct xtr_stream_state **s)
{
	const uint64_t *i = xtr_map_get(&w->by_stream, stream, 0);

	if (i) {
		*s = &w->streams[*i];
		return 0;
	}
	if (xtr_grow_array(&w->streams, &w->cap_streams, w->n_streams + 1, sizeof(**s)) ||
	    xtr_map_put(&w->by_stream, stream, 0, w->n_streams))
		return -ENOMEM;
	*s = &w->streams[w->n_streams++];
	**s = (struct xtr_stream_state){ 0 };
	return 0;
}

uint64_t xtr_writer_ordinal(const struct xtr_writer *w, uint32_t stream)
{
	const uint64_t *i = xtr_map_get(&w->by_stream, stream, 0);

	return i ? w->streams[*i].ordinal : 0;
}

/* As many records as go into a chunk without filter. */
static void take_plain(const uint8_t *recs, uint32_t n, struct xtr_filtered *out)
{
	*out = (struct xtr_filtered){ .data = recs };
	while (out->n < n && out->n < XTR_RECORDS_MAX) {
		uint32_t size = xtr_rec_size(recs + out->taken);

		if (out->n && out->taken + size > CHUNK_BYTES)
			break;
		out->ts_last = xtr_rec_ts(recs + out->taken);
		out->taken += size;
		out->n++;
	}
	out->len = out->taken;
}

/* The same in columns, if they can be: *done says it. */
static int take_columns(struct xtr_writer *w, const uint8_t *recs, uint32_t n,
			struct xtr_filtered *out, bool *done)
{
	int err;

	take_plain(recs, n, out);
	if (out->n < COLUMNS_MIN)
		return 0;
	err = xtr_columns_encode_fast(w->columns, recs, out->n, out->taken, &out->data, &out->len);
	*done = !err && out->len < out->taken;
	return err == -ENOMEM ? err : 0;
}

/* The next chunk's payload: filtered, unless that is not wanted, not possible or not smaller. */
static int next_payload(struct xtr_writer *w, const uint8_t *recs, uint32_t n, bool raw,
			struct xtr_filtered *out, struct xtr_chunk *c)
{
	bool done = false;
	int err;

	if (!raw && w->columns) {
		err = take_columns(w, recs, n, out, &done);
		if (err)
			return err;
	}
	if (done) {
		c->filter = XTR_FILTER_COLUMNS;
		c->rec_len = (uint32_t)out->taken;
		return 0;
	}
	if (!raw && w->opts.filter != XTR_FILTER_NONE) {
		err = xtr_filter_encode(w->filter, recs, n, CHUNK_BYTES, out);
		if (err)
			return err;
		if (out->n && out->len < out->taken) {
			c->filter = XTR_FILTER_ROWDELTA;
			c->rec_len = (uint32_t)out->taken;
			return 0;
		}
	}
	take_plain(recs, n, out);
	return 0;
}

int xtr_writer_put_events(struct xtr_writer *w, struct xtr_chunk *c, const struct xtr_filtered *f,
			  uint64_t first, uint64_t lost_total, struct xtr_stream_state *s,
			  bool compress)
{
	int err;

	c->type = XTR_CHUNK_EVENTS;
	c->props = XTR_PROP_SORTED;
	c->first_ordinal = s->ordinal;
	c->n_records = f->n;
	c->ts_min = first;
	c->ts_max = f->ts_last;
	c->lost_total = lost_total > s->lost ? lost_total : s->lost;
	if (c->lost_total > s->lost)
		c->props |= XTR_PROP_LOSS_BEFORE;
	err = xtr_writer_put(w, c, f->data, f->len, compress);
	if (err)
		return err;
	s->lost = c->lost_total;
	s->ordinal += f->n;
	w->events += f->n;
	return 0;
}

int xtr_writer_records(struct xtr_writer *w, const struct xtr_batch *b, const uint8_t *recs,
		       struct xtr_stream_state *s)
{
	uint32_t n = b->n;
	int err = 0;

	while (n && !err) {
		struct xtr_chunk c = { .stream = b->stream };
		struct xtr_filtered f;

		err = next_payload(w, recs, n, b->raw, &f, &c);
		if (!err)
			err = xtr_writer_put_events(w, &c, &f, xtr_rec_ts(recs), b->lost_total, s,
						    !b->raw);
		if (err)
			break;
		recs += f.taken;
		n -= f.n;
	}
	return err;
}

/* The n records that w->refs refers to, by words. */
static int words_of(struct xtr_writer *w, const struct xtr_batch *b, uint32_t n,
		    struct xtr_stream_state *s)
{
	const struct xtr_ref_batch part = {
		.stream = b->stream,
		.n = n,
		.lost_total = b->lost_total,
		.refs = w->refs.refs,
		.layouts = w->refs.layouts,
		.n_layouts = w->refs.n_layouts,
	};

	return xtr_writer_words(w, &part, s);
}

/* The same by words, in parts of as many records as a chunk may hold. */
static int by_words(struct xtr_writer *w, const struct xtr_batch *b, const uint8_t *recs,
		    struct xtr_stream_state *s)
{
	int err = 0;

	for (uint32_t left = b->n; left && !err;) {
		uint32_t n = left < XTR_RECORDS_MAX ? left : XTR_RECORDS_MAX;

		err = xtr_refs_to(&w->refs, recs, n);
		if (err)
			break;
		recs = w->refs.refs[n - 1].payload - XTR_RECORD_HEADER_SIZE;
		recs += xtr_rec_size(recs);
		err = words_of(w, b, n, s);
		left -= n;
	}
	return err;
}

int xtr_writer_events(struct xtr_writer *w, const struct xtr_batch *b)
{
	bool words = w->words && !b->raw && b->n <= XTR_RECORDS_MAX;
	const uint8_t *recs = b->recs;
	struct xtr_stream_state *s;
	struct xtr_rec_span span;
	int err = w->err;

	if (!err && words)
		err = xtr_refs_check(&w->refs, b->recs, b->len, b->n, &span);
	else if (!err && !xtr_records_check(b->recs, b->len, b->n, &span))
		err = -EINVAL;
	if (err || !b->n)
		return err;
	err = xtr_writer_stream(w, b->stream, &s);
	if (!err && words && span.sorted)
		return xtr_writer_refresh(w) ?: words_of(w, b, b->n, s);
	if (!err && !span.sorted) {
		err = xtr_grow(&w->sorted, &w->cap_sorted, b->len)
			      ?: xtr_records_sort(&w->sorter, b->recs, b->n, w->sorted);
		recs = w->sorted;
	}
	err = err ?: xtr_writer_refresh(w);
	if (err)
		return err;
	return w->words && !b->raw ? by_words(w, b, recs, s) : xtr_writer_records(w, b, recs, s);
}

/* --- writer copy ------------------------------------------------------------------------------ */

/* Chunks of another section, taken over with their payloads as they are stored. */

/* What the writer does not write anew from META, tables and losses (spec 6, column props). */
static bool may_copy(const struct xtr_chunk *c)
{
	switch (c->type) {
	case XTR_CHUNK_EVENTS:
	case XTR_CHUNK_CLOCK:
	case XTR_CHUNK_ROUND:
	case XTR_CHUNK_ATTACH:
		return true;
	default:
		return c->type >= XTR_CHUNK_TYPES && c->props & XTR_PROP_SAFE_TO_COPY;
	}
}

/* What says nothing about its place in the other section. */
static struct xtr_chunk content_of(const struct xtr_chunk *c)
{
	return (struct xtr_chunk){
		.type = c->type,
		.codec = c->codec,
		.filter = c->filter,
		.props = c->props & (uint8_t)~XTR_PROP_LOSS_BEFORE,
		.stream = c->stream,
		.stored_len = c->stored_len,
		.raw_len = c->raw_len,
		.rec_len = c->rec_len,
		.n_records = c->n_records,
		.ts_min = c->ts_min,
		.ts_max = c->ts_max,
		.payload_crc = c->payload_crc,
	};
}

static int copy_events(struct xtr_writer *w, struct xtr_chunk *c, uint64_t lost_total)
{
	struct xtr_stream_state *s;
	int err = xtr_writer_stream(w, c->stream, &s);

	if (err)
		return err;
	c->first_ordinal = s->ordinal;
	c->lost_total = lost_total > s->lost ? lost_total : s->lost;
	if (c->lost_total > s->lost)
		c->props |= XTR_PROP_LOSS_BEFORE;
	err = xtr_writer_seal(w, c);
	if (err)
		return err;
	s->ordinal += c->n_records;
	s->lost = c->lost_total;
	w->events += c->n_records;
	return 0;
}

int xtr_writer_copy(struct xtr_writer *w, const struct xtr_chunk *from, const uint8_t *stored,
		    uint64_t lost_total)
{
	struct xtr_chunk c = content_of(from);
	int err;

	if (w->err)
		return w->err;
	if (!may_copy(from) || xtr_chunk_features(from) & ~w->opts.features)
		return -EINVAL;
	if (c.stored_len > XTR_STORED_MAX || xtr_crc32c(stored, c.stored_len) != c.payload_crc)
		return -EBADMSG;
	err = xtr_writer_refresh(w);
	if (err)
		return err;
	if (c.stored_len)
		memcpy(w->out + XTR_CHUNK_HEADER_SIZE, stored, c.stored_len);
	return c.type == XTR_CHUNK_EVENTS ? copy_events(w, &c, lost_total) : xtr_writer_seal(w, &c);
}
