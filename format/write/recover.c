/* SPDX-License-Identifier: BSD-2-Clause */
/* The new section: the readable chunks of the old one in their order, so that what a ROUND says
 * holds. */
#include "recover.h"
#include "format/read/reader_priv.h"
#include "recover_priv.h"
#include "base/buf.h"
#include "base/checked.h"
#include "format/read/intact.h"
#include "writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct recovering {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	struct rec_account a;
	struct xtr_recover_result *res;
	struct xtr_writer *w;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	uint8_t *buf; /* a stored payload */
	size_t cap;
};

/* --- a section that is whole ------------------------------------------------------------------ */

static int as_it_was(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_io *io,
		     struct xtr_recover_result *res)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);

	*res = (struct xtr_recover_result){
		.chunks = xtr_section_n_chunks(s),
		.kept = xtr_section_n_chunks(s),
		.events = sum->events,
		.missing = sum->missing,
		.last_ns = sum->ts_max,
		.bytes = (xtr_section_size(s) + 7) & ~(uint64_t)7,
		.complete = !sum->missing,
		.as_it_was = true,
		.written = true,
	};
	return xtr_section_copy(r, s, io);
}

/* --- one that is damaged ---------------------------------------------------------------------- */

static int copy(struct recovering *rc, const struct xtr_chunk *c, uint64_t lost_total)
{
	struct xtr_err err;
	int ret = xtr_reader_stored(rc->r, c, &rc->buf, &rc->cap, &err);

	if (ret) /* it was right when it was verified */
		return ret == -EBADMSG ? -EIO : ret;
	return xtr_writer_copy(rc->w, c, rc->buf, lost_total);
}

static int events(struct recovering *rc, const struct xtr_chunk *c, struct rec_stream *s)
{
	rc->res->events += c->n_records;
	if (c->n_records && c->ts_max > rc->res->last_ns)
		rc->res->last_ns = c->ts_max;
	return copy(rc, c, rec_account_lost_total(s));
}

/* META, TABLE, LOSS, INDEX and END are the writer's to write. */
static int other(struct recovering *rc, const struct xtr_chunk *c)
{
	if (c->type == XTR_CHUNK_CLOCK || c->type == XTR_CHUNK_ROUND || c->type == XTR_CHUNK_ATTACH)
		return copy(rc, c, 0);
	if (c->type < XTR_CHUNK_TYPES)
		return 0;
	if (c->props & XTR_PROP_SAFE_TO_COPY)
		return copy(rc, c, 0);
	rc->res->kept--;
	rc->res->complete = false;
	return 0;
}

static int one_chunk(struct recovering *rc, const struct xtr_chunk *c)
{
	struct rec_stream *s = NULL;
	int err = rec_account_chunk(&rc->a, c, &s);

	if (err)
		return err;
	if (!xtr_chunk_is_readable(rc->r, c)) {
		if (c->type != XTR_CHUNK_ROUND && c->type != XTR_CHUNK_END)
			rc->res->complete = false;
		return s ? rec_account_unreadable(&rc->a, c, s) : 0;
	}
	rc->res->kept++;
	return s ? events(rc, c, s) : other(rc, c);
}

/* META as this version writes it, with where it comes from (spec 6.2). */
static int make_meta(struct recovering *rc)
{
	char id[17];
	int err;

	rc->meta = xtr_meta_new();
	if (!rc->meta)
		return -ENOMEM;
	err = xtr_meta_copy(rc->meta, xtr_section_meta(rc->s));
	snprintf(id, sizeof(id), "%016" PRIx64, xtr_section_file_id(rc->s));
	err = err ?: xtr_meta_set_config_str(rc->meta, "recovered-from", id) ?:
	      xtr_meta_set_config_str(rc->meta, "recovered-by", "xtr " XTR_VERSION);
	if (!err && rc->res->unsure)
		err = xtr_meta_set_config_u64(rc->meta, "recovered-unsure", 1);
	return err;
}

static int start(struct recovering *rc, struct xtr_io *io)
{
	struct xtr_writer_opts o;
	int err = make_meta(rc);

	if (err)
		return err;
	xtr_writer_opts_init(&o);
	o.file_id = rc->a.o->file_id;
	xtr_writer_opts_as(&o, xtr_section_features(rc->s));
	rc->tables = xtr_tables_copy(xtr_section_tables(rc->s));
	rc->loss = xtr_loss_new();
	if (!rc->tables || !rc->loss)
		return -ENOMEM;
	return xtr_writer_open(&rc->w, io, rc->meta, rc->tables, rc->loss, &o);
}

/* An EVENTS chunk without events, for losses that no LOSS chunk tells. */
static int lone_loss(struct recovering *rc, uint32_t stream, uint64_t lost_total)
{
	const struct xtr_chunk c = { .type = XTR_CHUNK_EVENTS, .stream = stream };

	return xtr_writer_copy(rc->w, &c, (const uint8_t *)"", lost_total);
}

/*
 * Losses of which only headers or END of the old section tell, as its LOSS chunks cannot be read:
 * headers of the new one tell them, so that a reader counts as many as in the old one and those of
 * the damage.
 */
static int lone_losses(struct recovering *rc)
{
	struct rec_account *a = &rc->a;
	uint64_t want = xtr_sat_add(xtr_section_summary(rc->s)->lost, rc->res->missing), told = 0;
	uint64_t of_none = 0;
	int err = 0;

	if (want <= xtr_loss_total(rc->loss))
		return 0;
	for (size_t i = 0; i < a->n_streams && !err; i++) {
		struct rec_stream *s = &a->stream[i];
		const uint64_t before = s->written;

		if (rec_account_lost_total(s) > before)
			err = lone_loss(rc, s->stream, s->written);
		told = xtr_sat_add(told, s->written);
		if (s->stream == XTR_STREAM_NONE)
			of_none = s->written;
	}
	if (err || want <= told)
		return err;
	return lone_loss(rc, XTR_STREAM_NONE, xtr_sat_add(want - told, of_none));
}

static bool is_told_more(const struct recovering *rc)
{
	return rc->a.o->more && !xtr_section_summary(rc->s)->closed;
}

static int finish(struct recovering *rc)
{
	struct xtr_recover_more m = { rc->s,      rc->w,    rc->meta,
				      rc->tables, rc->loss, xtr_section_end_reason(rc->s) };
	int err = rec_account_end(&rc->a);

	if (!m.reason)
		m.reason =
			is_told_more(rc) ? "killed; the rest was collected" : "not closed cleanly";
	if (!err)
		err = rec_account_loss(&rc->a, rc->loss);
	if (!err && is_told_more(rc))
		err = rc->a.o->more(rc->a.o->ctx, &m);
	err = err ?: lone_losses(rc) ?:
	      xtr_writer_finish(rc->w, m.reason, xtr_section_end_cost(rc->s));
	rc->res->events = xtr_writer_events_written(rc->w);
	if (!err)
		rc->res->bytes = xtr_writer_bytes(rc->w);
	if (rc->res->missing || rc->res->unsure || rc->a.holes)
		rc->res->complete = false;
	return err;
}

/* Without END, or if it cannot be read and chunks are gone, the streams' ends are not known. */
static bool is_unsure(const struct xtr_section *s)
{
	uint64_t next = 0;

	if (xtr_section_end_reason(s))
		return false;
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++)
		if (xtr_section_chunk(s, i)->seq != next++)
			return true;
	return !xtr_section_summary(s)->closed;
}

static int all_chunks(struct recovering *rc)
{
	const size_t n = xtr_section_n_chunks(rc->s);
	const struct xtr_recover_opts *o = rc->a.o;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		err = one_chunk(rc, xtr_section_chunk(rc->s, i));
		if (o->progress)
			o->progress(o->ctx, i + 1, n);
	}
	return err;
}

static int recover(struct recovering *rc, struct xtr_io *io)
{
	*rc->res = (struct xtr_recover_result){ .complete = true,
						.written = true,
						.unsure = !is_told_more(rc) && is_unsure(rc->s) };
	return start(rc, io) ?: all_chunks(rc) ?: finish(rc);
}

/* How many sections from the i-th on are parts of it: damaged ones with its id. */
static size_t parts_of(const struct xtr_reader *r, size_t i)
{
	size_t n = 1;

	while (i + n < r->n_sections && r->sections[i + n]->file_id == r->sections[i]->file_id &&
	       !xtr_section_is_whole(r, r->sections[i + n]))
		n++;
	return n;
}

int xtr_recover(const struct xtr_reader *r, size_t i, struct xtr_io *io,
		const struct xtr_recover_opts *opts, struct xtr_recover_result *res)
{
	const struct xtr_section *s = r->sections[i];
	struct recovering rc = { .r = r, .s = s, .res = res };
	struct rec_order order = { 0 };
	int err;

	if (xtr_section_is_whole(r, s))
		return as_it_was(r, s, io, res);
	*res = (struct xtr_recover_result){ 0 };
	if (i && r->sections[i - 1]->file_id == s->file_id &&
	    !xtr_section_is_whole(r, r->sections[i - 1]))
		return 0;
	err = rec_order_init(&order, r, &r->sections[i], parts_of(r, i));
	if (order.s) {
		rc.r = order.r;
		rc.s = order.s;
	}
	rc.a = (struct rec_account){ .s = rc.s, .o = opts, .res = res };
	if (!err)
		err = recover(&rc, io);
	xtr_writer_free(rc.w);
	xtr_meta_free(rc.meta);
	xtr_tables_free(rc.tables);
	xtr_loss_free(rc.loss);
	rec_account_free(&rc.a);
	rec_order_free(&order);
	free(rc.buf);
	return err;
}
