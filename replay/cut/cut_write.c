/* SPDX-License-Identifier: BSD-2-Clause */
/* The new section: chunk by chunk in the order of the old one, so that what a ROUND says holds. */
#include "cut_impl.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "format/codec/record.h"
#include "format/write/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 255u /* of an attached file, spec 6 */

struct writing {
	struct cut *c;
	struct xtr_writer *w;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	uint8_t *buf; /* a decoded chunk, or its stored payload */
	size_t cap;
	size_t clock;                /* snapshots so far */
	uint64_t clock_lo, clock_hi; /* those in between are kept */
	bool since_round;            /* events were written since the last ROUND */
};

/* --- events ---------------------------------------------------------------------------------- */

static uint64_t lost_total(struct cut_stream *s)
{
	s->written = xtr_sat_add(s->lost, s->damaged);
	return s->written;
}

/* 1: the chunk was not to be read, which is accounted for; 0; or -errno. */
static int unreadable(struct writing *wr, int ret, const struct xtr_err *err,
		      const struct xtr_chunk *ch, struct cut_stream *s)
{
	if (ret != -EBADMSG)
		return ret;
	return cut_bad_chunk(wr->c, err) ?: cut_account_damaged(wr->c, ch, s) ?: 1;
}

static int copy_events(struct writing *wr, const struct xtr_chunk *ch, struct cut_stream *s)
{
	struct xtr_err err;
	int ret = xtr_reader_stored(wr->c->r, ch, &wr->buf, &wr->cap, &err);

	ret = unreadable(wr, ret, &err, ch, s);
	if (ret)
		return ret < 0 ? ret : 0;
	wr->c->res->copied++;
	wr->c->res->kept += ch->n_records;
	wr->since_round = true;
	return xtr_writer_copy(wr->w, ch, wr->buf, lost_total(s));
}

/* Move the records that are kept to the front; counts the others by type. */
static int filter(struct writing *wr, const struct xtr_chunk *ch, struct xtr_batch *b)
{
	uint8_t *to = wr->buf;
	uint32_t type = 0;
	uint64_t run = 0; /* of records of one type that are left out */
	int err = 0;

	*b = (struct xtr_batch){ .stream = ch->stream, .recs = wr->buf };
	for (size_t at = 0, size; at < ch->rec_len && !err; at += size) {
		const uint8_t *rec = wr->buf + at;

		size = xtr_rec_size(rec);
		if (cut_keeps(wr->c, rec)) {
			memmove(to, rec, size);
			to += size;
			b->n++;
			continue;
		}
		if (run && xtr_rec_type(rec) != type) {
			err = cut_account_filtered(wr->c, ch->stream, type, run);
			run = 0;
		}
		type = xtr_rec_type(rec);
		run++;
	}
	b->len = (size_t)(to - wr->buf);
	return err ? err : cut_account_filtered(wr->c, ch->stream, type, run);
}

static int filter_events(struct writing *wr, const struct xtr_chunk *ch, struct cut_stream *s)
{
	struct xtr_batch b;
	struct xtr_err err;
	int ret = xtr_reader_decode(wr->c->r, ch, &wr->buf, &wr->cap, &err);

	ret = unreadable(wr, ret, &err, ch, s);
	if (ret)
		return ret < 0 ? ret : 0;
	ret = filter(wr, ch, &b);
	if (ret || !b.n)
		return ret;
	if (b.n == ch->n_records)
		return copy_events(wr, ch, s);
	b.lost_total = lost_total(s);
	wr->c->res->encoded++;
	wr->c->res->kept += b.n;
	wr->since_round = true;
	return xtr_writer_events(wr->w, &b);
}

static int events(struct writing *wr, const struct xtr_chunk *ch)
{
	struct cut *c = wr->c;
	struct cut_stream *s;
	int err = cut_account_chunk(c, ch, &s);

	if (err || !ch->n_records)
		return err;
	if (xtr_map_get(&c->bad, ch->offset, 0))
		return cut_account_damaged(c, ch, s);
	if (cut_keeps_none(c, ch)) /* not looked at: of which types they are is not known */
		return cut_account_filtered(c, ch->stream, 0, ch->n_records);
	return cut_keeps_all(c, ch) ? copy_events(wr, ch, s) : filter_events(wr, ch, s);
}

/* --- what is not events ----------------------------------------------------------------------- */

/* Copy a chunk, if it can be read. */
static int copy_other(struct writing *wr, const struct xtr_chunk *ch)
{
	struct xtr_err err;
	int ret = xtr_reader_stored(wr->c->r, ch, &wr->buf, &wr->cap, &err);

	if (ret)
		return ret == -EBADMSG ? cut_bad_chunk(wr->c, &err) : ret;
	return xtr_writer_copy(wr->w, ch, wr->buf, 0);
}

/* The k-th CLOCK that can be read is the k-th snapshot. */
static int clock(struct writing *wr, const struct xtr_chunk *ch)
{
	const struct xtr_clock_snapshot *k = xtr_section_clock(wr->c->s, wr->clock++);

	if (!k || k->before < wr->clock_lo || k->after > wr->clock_hi)
		return 0;
	return copy_other(wr, ch);
}

static int round_mark(struct writing *wr, const struct xtr_chunk *ch)
{
	struct xtr_err err;
	int ret;

	if (!wr->since_round)
		return 0;
	ret = xtr_reader_decode(wr->c->r, ch, &wr->buf, &wr->cap, &err);
	if (ret == -EBADMSG)
		return cut_bad_chunk(wr->c, &err);
	if (ret || ch->raw_len != 8)
		return ret;
	wr->since_round = false;
	return xtr_writer_round(wr->w, xtr_le64(wr->buf));
}

/* Written anew, which checks its name. */
static int attached(struct writing *wr, const struct xtr_chunk *ch)
{
	char name[NAME_MAX_BYTES + 1];
	struct xtr_err err;
	size_t len;
	int ret = xtr_reader_decode(wr->c->r, ch, &wr->buf, &wr->cap, &err);

	if (ret)
		return ret == -EBADMSG ? cut_bad_chunk(wr->c, &err) : ret;
	err = (struct xtr_err){
		.code = -EBADMSG, .problem = XTR_P_ATTACH, .offset = ch->offset, .seq = ch->seq
	};
	len = ch->raw_len >= 2 ? xtr_le16(wr->buf) : 0;
	if (!len || len > NAME_MAX_BYTES || len > ch->raw_len - 2 || memchr(wr->buf + 2, '\0', len))
		return cut_bad_chunk(wr->c, &err);
	memcpy(name, wr->buf + 2, len);
	name[len] = '\0';
	ret = xtr_writer_attach(wr->w, name, wr->buf + 2 + len, ch->raw_len - 2 - len);
	return ret == -EINVAL ? cut_bad_chunk(wr->c, &err) : ret;
}

static int unknown(struct writing *wr, const struct xtr_chunk *ch)
{
	return ch->props & XTR_PROP_SAFE_TO_COPY ? copy_other(wr, ch) : 0;
}

/* META, TABLE, LOSS, INDEX and END are the writer's to write. */
static int (*const handlers[XTR_CHUNK_TYPES])(struct writing *, const struct xtr_chunk *) = {
	[XTR_CHUNK_EVENTS] = events,
	[XTR_CHUNK_CLOCK] = clock,
	[XTR_CHUNK_ROUND] = round_mark,
	[XTR_CHUNK_ATTACH] = attached,
};

static int one_chunk(struct writing *wr, const struct xtr_chunk *ch)
{
	if (ch->type >= XTR_CHUNK_TYPES)
		return xtr_map_get(&wr->c->bad, ch->offset, 0) ? 0 : unknown(wr, ch);
	if (!handlers[ch->type])
		return 0;
	if (ch->type != XTR_CHUNK_EVENTS && xtr_map_get(&wr->c->bad, ch->offset, 0))
		return 0;
	return handlers[ch->type](wr, ch);
}

/* --- beginning and end ------------------------------------------------------------------------ */

/* The snapshots in the window, and the nearest on either side. */
static void choose_clocks(struct writing *wr)
{
	const struct cut *c = wr->c;

	wr->clock_lo = 0;
	wr->clock_hi = UINT64_MAX;
	for (size_t i = 0; i < xtr_section_n_clocks(c->s); i++) {
		const struct xtr_clock_snapshot *k = xtr_section_clock(c->s, i);

		if (k->before <= c->lead && k->before > wr->clock_lo)
			wr->clock_lo = k->before;
		if (k->after >= c->to && k->after < wr->clock_hi)
			wr->clock_hi = k->after;
	}
}

/* META with what the cut is, in the form in which this version writes it. */
static int make_meta(struct writing *wr)
{
	const struct cut *c = wr->c;
	int err;

	wr->meta = xtr_meta_new();
	if (!wr->meta)
		return -ENOMEM;
	err = xtr_meta_copy(wr->meta, xtr_section_meta(c->s))
		      ?: xtr_cut_note_write(&c->note, wr->meta, xtr_section_file_id(c->s));
	if (!err && c->o->options && *c->o->options)
		err = xtr_meta_set_config_str(wr->meta, "cut-options", c->o->options);
	return err ? err : xtr_meta_set_config_str(wr->meta, "cut-by", "xtr " XTR_VERSION);
}

static int start(struct writing *wr, struct xtr_io *io)
{
	struct xtr_writer_opts o;
	int err = make_meta(wr);

	xtr_writer_opts_init(&o);
	o.file_id = wr->c->o->file_id;
	xtr_writer_opts_as(&o, xtr_section_features(wr->c->s));
	wr->tables = err ? NULL : xtr_tables_copy(xtr_section_tables(wr->c->s));
	if (!err && !wr->tables)
		err = -ENOMEM;
	choose_clocks(wr);
	return err ? err : xtr_writer_open(&wr->w, io, wr->meta, wr->tables, wr->c->loss, &o);
}

/* Losses that nothing but the chunks of the old section tells: an EVENTS chunk without events. */
static int lone_losses(struct writing *wr)
{
	struct cut *c = wr->c;
	int err = 0;

	for (size_t i = 0; i < c->n_streams && !err; i++) {
		struct cut_stream *s = &c->stream[i];
		const struct xtr_chunk ch = { .type = XTR_CHUNK_EVENTS,
					      .props = XTR_PROP_CRITICAL,
					      .stream = s->stream };

		if (cut_account_needs_chunk(s))
			err = xtr_writer_copy(wr->w, &ch, (const uint8_t *)"", lost_total(s));
	}
	return err;
}

static int finish(struct writing *wr)
{
	const char *reason = xtr_section_end_reason(wr->c->s);
	int err = cut_account_end(wr->c);

	if (!err)
		err = lone_losses(wr);
	if (!err)
		err = xtr_writer_finish(wr->w, reason ? reason : "not closed cleanly",
					xtr_section_end_cost(wr->c->s));
	wr->c->res->bytes = wr->w ? xtr_writer_bytes(wr->w) : 0;
	return err;
}

int cut_write(struct cut *c, struct xtr_io *io)
{
	struct writing wr = { .c = c };
	size_t n = xtr_section_n_chunks(c->s);
	int err = start(&wr, io);

	for (size_t i = 0; i < n && !err; i++) {
		err = one_chunk(&wr, xtr_section_chunk(c->s, i));
		cut_progress(c, 600, 1000, i, n);
	}
	if (!err)
		err = finish(&wr);
	xtr_writer_free(wr.w);
	xtr_meta_free(wr.meta);
	xtr_tables_free(wr.tables);
	free(wr.buf);
	return err;
}
