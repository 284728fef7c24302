/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From bytes to chunks to events. A chunk is looked at when all of it is there; where none begins,
 * bytes are skipped until one does (spec 4.1, but that a chunk is taken by its header alone: what
 * comes behind it may not be there yet). Decoded chunks wait in a tournament for the round mark
 * that lets their events go.
 */
#include "follow.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "merge_pool.h"
#include "format/meta/meta_priv.h"
#include "format/meta/piece.h"
#include "reader_priv.h"
#include "format/codec/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GAPS_MAX    65536u /* that wait for their time */
#define STREAMS_MAX 65536u /* whose ordinals are kept */

/* A decoded chunk that waits. */
struct waiting {
	struct xtr_decoded d;
	const uint8_t *p, *end;
	uint32_t stream;
};

struct xtr_follow {
	struct xtr_follow_opts o;
	struct xtr_buf in; /* bytes from `offset` of the input on */
	uint64_t offset;
	struct xtr_section *s;   /* NULL: before the first one, or behind a trailer */
	bool begun;              /* o.begin was called, o.end was not */
	bool lost_sync;          /* told of for the bytes at hand */
	bool any;                /* a section was found */
	uint64_t seq;            /* of the next chunk */
	struct xtr_map ordinals; /* stream -> number of its next event */
	uint64_t lost_total;     /* sum of the headers' counts */
	struct xtr_map lost;     /* stream -> lost_total of its last chunk */
	struct xtr_decode_sorted decode;
	struct xtr_tree tree;
	struct waiting *w;    /* by leaf of the tree */
	size_t cap_w, held;   /* bytes */
	struct xtr_gap *gaps; /* in order of first, from next_gap on */
	size_t n_gaps, cap_gaps, next_gap;
	uint64_t now, mark; /* ns: last event; last round mark */
	uint8_t *buf;       /* of a payload that is not events */
	size_t cap_buf;
	struct xtr_follow_status st;
};

static void tell(struct xtr_follow *f, enum xtr_problem_code code, uint64_t offset, uint32_t seq)
{
	const struct xtr_problem p = { .code = code, .seq = seq, .offset = offset };

	f->st.problems++;
	if (f->o.problem)
		f->o.problem(f->o.ctx, &p);
}

/* --- events ----------------------------------------------------------------------------------- */

static void drop_leaf(struct xtr_follow *f, uint32_t leaf)
{
	f->held -= f->w[leaf].d.cap;
	free(f->w[leaf].d.recs);
	f->w[leaf].d.recs = NULL;
	xtr_tree_remove(&f->tree, leaf);
}

static int give_gap(struct xtr_follow *f)
{
	struct xtr_gap *g = &f->gaps[f->next_gap++];
	struct xtr_event ev = { .stream = g->stream, .gap = g };

	if (g->first < f->now)
		g->first = f->now;
	if (g->last < g->first)
		g->last = g->first;
	ev.ts = f->now = g->first;
	return f->o.event(f->o.ctx, &ev);
}

static int give_event(struct xtr_follow *f)
{
	uint32_t leaf = xtr_tree_first(&f->tree)->leaf;
	struct waiting *w = &f->w[leaf];
	const uint8_t *rec = w->p;
	struct xtr_event ev = { .ts = xtr_rec_ts(rec),
				.type = xtr_rec_type(rec),
				.size = xtr_rec_size(rec),
				.tid = xtr_rec_tid(rec),
				.stream = w->stream,
				.rec = rec };
	int err;

	ev.desc = xtr_meta_of_type(xtr_section_meta(f->s), ev.type);
	if (ev.ts < f->now) /* a round mark was wrong, or there was no memory to wait for it */
		ev.ts = f->now;
	f->now = ev.ts;
	f->st.events++;
	err = f->o.event(f->o.ctx, &ev);
	w->p += ev.size;
	if (w->p == w->end)
		drop_leaf(f, leaf);
	else
		xtr_tree_set(&f->tree, leaf, xtr_rec_ts(w->p));
	return err;
}

/* Events and gaps before a time; with `all` also those at it, and until no more than `most` bytes
 * are held. */
static int give(struct xtr_follow *f, uint64_t until, bool all, size_t most)
{
	int err = 0;

	while (!err) {
		bool any = !xtr_tree_is_empty(&f->tree), gap = f->next_gap < f->n_gaps;
		uint64_t ts = any ? xtr_tree_first(&f->tree)->ts : UINT64_MAX;
		bool due = any && (all || ts < until || f->held > most);

		if (gap && f->gaps[f->next_gap].first <= ts &&
		    (all || due || f->gaps[f->next_gap].first < until))
			err = give_gap(f);
		else if (due)
			err = give_event(f);
		else
			break;
	}
	return err;
}

static int wait_for_turn(struct xtr_follow *f, const struct xtr_chunk *c, struct xtr_decoded *d)
{
	uint32_t leaf;
	int err = xtr_tree_add(&f->tree, xtr_rec_ts(d->recs), c->stream, c->seq, &leaf);

	if (err)
		return err;
	err = xtr_grow_array(&f->w, &f->cap_w, (size_t)leaf + 1, sizeof(*f->w));
	if (err) {
		xtr_tree_remove(&f->tree, leaf);
		return err;
	}
	f->w[leaf] = (struct waiting){
		.d = *d, .p = d->recs, .end = d->recs + c->rec_len, .stream = c->stream
	};
	f->held += d->cap;
	return 0;
}

/* Ordinals tell how many events stood in missing chunks (spec 4.1). */
static int account(struct xtr_follow *f, const struct xtr_chunk *c)
{
	const uint64_t *next = xtr_map_get(&f->ordinals, c->stream, 0);
	const uint64_t *lost = xtr_map_get(&f->lost, c->stream, 0);
	uint64_t was = next ? *next : 0, had = lost ? *lost : 0;

	if (!next && f->ordinals.n >= STREAMS_MAX)
		return 0;
	if (c->first_ordinal > was)
		f->st.missing = xtr_sat_add(f->st.missing, c->first_ordinal - was);
	if (c->lost_total > had) {
		f->lost_total = xtr_sat_add(f->lost_total, c->lost_total - had);
		had = c->lost_total;
	}
	if (xtr_map_put(&f->lost, c->stream, 0, had))
		return -ENOMEM;
	return xtr_map_put(&f->ordinals, c->stream, 0, xtr_sat_add(c->first_ordinal, c->n_records));
}

/* -EBADMSG: the payload is damaged, which is told. */
static int take_events(struct xtr_follow *f, const struct xtr_reader *r, const struct xtr_chunk *c)
{
	struct xtr_decoded d = { 0 };
	int err = account(f, c);

	if (!err && !c->n_records)
		return 0;
	if (!err)
		err = xtr_decode_in_order(r, c, &f->decode, &d);
	if (err == -EBADMSG) {
		f->st.missing = xtr_sat_add(f->st.missing, c->n_records);
		tell(f, d.err.problem, f->offset + c->offset, c->seq);
	}
	if (!err)
		err = wait_for_turn(f, c, &d);
	if (err) {
		free(d.recs);
		return err;
	}
	return give(f, 0, false, f->o.memory);
}

/* --- what is not events ----------------------------------------------------------------------- */

static int end_section(struct xtr_follow *f)
{
	int err = give(f, 0, true, 0);

	if (f->begun) {
		f->begun = false;
		err = err ? err : f->o.end(f->o.ctx);
	}
	return err;
}

static int begin_section(struct xtr_follow *f)
{
	f->begun = true;
	return f->o.begin(f->o.ctx, f->s);
}

/* 1: it tells of events that are not known yet; 0: it does not; -EBADMSG; -ENOMEM. */
static int adds_events(const struct xtr_follow *f, const uint8_t *p, size_t n, struct xtr_err *err)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_piece piece;
	int ret = m ? xtr_meta_merge(m, p, n, err) : -ENOMEM;

	for (size_t i = 0; !ret && i < xtr_meta_n_events(m); i++)
		ret = !xtr_meta_event(xtr_section_meta(f->s), xtr_meta_event_at(m, i)->type);
	if (!ret && xtr_piece_read(&piece, m)) /* where it ends is known by now */
		ret = xtr_piece_write(&piece, f->s->meta);
	xtr_meta_free(m);
	return ret;
}

/* Who has the section holds on to what META said: it changes only between end and begin. */
static int take_meta(struct xtr_follow *f, const uint8_t *p, size_t n, struct xtr_err *err)
{
	int ret = f->begun ? adds_events(f, p, n, err) : 1;

	if (ret != 1)
		return ret;
	return (f->begun ? end_section(f) : 0) ?:
	       xtr_section_take(f->s, XTR_CHUNK_META, p, n, err) ?:
	       begin_section(f);
}

static int add_gap(struct xtr_follow *f, const struct xtr_gap *g)
{
	size_t i;

	if (f->n_gaps - f->next_gap == GAPS_MAX) {
		struct xtr_gap *last = &f->gaps[f->n_gaps - 1];

		last->count = xtr_sat_add(last->count, g->count);
		last->last = g->last > last->last ? g->last : last->last;
		return 0;
	}
	if (f->next_gap == f->n_gaps)
		f->next_gap = f->n_gaps = 0;
	if (xtr_grow_array(&f->gaps, &f->cap_gaps, f->n_gaps + 1, sizeof(*f->gaps)))
		return -ENOMEM;
	for (i = f->n_gaps++; i > f->next_gap && f->gaps[i - 1].first > g->first; i--)
		f->gaps[i] = f->gaps[i - 1];
	f->gaps[i] = *g;
	return 0;
}

static int take_loss(struct xtr_follow *f, const uint8_t *p, size_t n, struct xtr_err *err)
{
	int ret = xtr_section_take(f->s, XTR_CHUNK_LOSS, p, n, err);

	if (ret)
		return ret;
	xtr_loss_settle(f->s->loss);
	for (size_t i = 0; i < xtr_loss_n_gaps(f->s->loss) && !ret; i++)
		ret = add_gap(f, xtr_loss_gap_at(f->s->loss, i));
	xtr_loss_drop_gaps(f->s->loss, UINT64_MAX);
	return ret;
}

static int take_round(struct xtr_follow *f, const uint8_t *p, size_t n, struct xtr_err *err)
{
	int ret;

	if (n != 8) {
		err->problem = XTR_P_ROUND;
		return -EBADMSG;
	}
	f->mark = xtr_le64(p);
	ret = give(f, f->mark, false, f->o.memory);
	if (f->mark > f->now) /* one that comes all the same is taken to be of now */
		f->now = f->mark;
	if (!ret && f->o.round && f->begun)
		ret = f->o.round(f->o.ctx, f->now);
	return ret;
}

static int take_other(struct xtr_follow *f, const struct xtr_chunk *c, struct xtr_err *err)
{
	int ret;

	switch (c->type) {
	case XTR_CHUNK_META:
		return take_meta(f, f->buf, c->raw_len, err);
	case XTR_CHUNK_LOSS:
		return take_loss(f, f->buf, c->raw_len, err);
	case XTR_CHUNK_ROUND:
		return take_round(f, f->buf, c->raw_len, err);
	case XTR_CHUNK_TABLE:
		if (f->s->tables && xtr_tables_bytes(f->s->tables) > f->o.tables)
			return 0;
		ret = xtr_section_take(f->s, c->type, f->buf, c->raw_len, err);
		return ret == -EFBIG ? 0 : ret;
	default:
		ret = xtr_section_take(f->s, c->type, f->buf, c->raw_len, err);
		if (ret)
			return ret;
		f->st.ended = true;
		return end_section(f);
	}
}

static bool is_taken(const struct xtr_follow *f, const struct xtr_chunk *c)
{
	if (f->st.ended && c->type != XTR_CHUNK_END)
		return false;
	return c->type == XTR_CHUNK_META || c->type == XTR_CHUNK_TABLE ||
	       c->type == XTR_CHUNK_LOSS || c->type == XTR_CHUNK_ROUND || c->type == XTR_CHUNK_END;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* 0, -EBADMSG (told), or what stops. */
static int take_chunk(struct xtr_follow *f, const struct xtr_chunk *c)
{
	/* All that decoding asks a reader for are the bytes. */
	const struct xtr_reader r = { .map = f->in.p, .size = f->in.n };
	struct xtr_err err = { 0 };
	int ret;

	if (c->type == XTR_CHUNK_EVENTS && !f->begun) { /* without META */
		ret = f->st.ended ? -ECANCELED : begin_section(f);
		if (ret)
			return ret == -ECANCELED ? 0 : ret;
	}
	if (c->type == XTR_CHUNK_EVENTS)
		return take_events(f, &r, c);
	if (c->type >= XTR_CHUNK_TYPES && c->props & XTR_PROP_CRITICAL) {
		tell(f, XTR_P_UNKNOWN_CRITICAL, f->offset, c->seq);
		return -EPROTO;
	}
	if (!is_taken(f, c))
		return 0;
	ret = xtr_decode(&r, c, &f->decode.d, &f->buf, &f->cap_buf, &err) ?: take_other(f, c, &err);
	if (ret == -EBADMSG)
		tell(f, err.problem, f->offset, c->seq);
	return ret;
}

/* Is its place in the section right? */
static bool in_order(struct xtr_follow *f, const struct xtr_chunk *c)
{
	if (c->seq < f->seq) {
		tell(f, XTR_P_CHUNK_ORDER, f->offset, c->seq);
		return false;
	}
	if (c->seq > f->seq)
		tell(f, XTR_P_MISSING_CHUNKS, f->offset, c->seq);
	f->seq = (uint64_t)c->seq + 1;
	return true;
}

static void skip(struct xtr_follow *f, size_t n)
{
	memmove(f->in.p, f->in.p + n, f->in.n - n);
	f->in.n -= n;
	f->offset += n;
}

static void forget_section(struct xtr_follow *f)
{
	while (!xtr_tree_is_empty(&f->tree))
		drop_leaf(f, xtr_tree_first(&f->tree)->leaf);
	xtr_section_free(f->s);
	f->s = NULL;
	xtr_map_free(&f->ordinals);
	xtr_map_free(&f->lost);
	f->seq = f->now = f->mark = f->lost_total = 0;
	f->next_gap = f->n_gaps = 0;
}

/* Events that the section at hand tells as lost. */
static uint64_t lost_here(const struct xtr_follow *f)
{
	uint64_t lost = f->s ? xtr_loss_total(xtr_section_loss(f->s)) : 0;

	return lost > f->lost_total ? lost : f->lost_total;
}

static int new_section(struct xtr_follow *f, const struct xtr_file_header *h)
{
	int err = end_section(f);

	if (err)
		return err;
	f->st.lost = xtr_sat_add(f->st.lost, lost_here(f));
	forget_section(f);
	f->s = xtr_section_new();
	if (!f->s)
		return -ENOMEM;
	/* Who gets the section when it begins keeps these. */
	f->s->tables = xtr_tables_new();
	f->s->loss = xtr_loss_new();
	if (!f->s->tables || !f->s->loss)
		return -ENOMEM;
	f->s->offset = f->offset;
	f->s->file_id = h->file_id;
	f->s->header_size = h->header_size;
	f->st.ended = f->st.closed = false;
	f->any = true;
	return 0;
}

/* A section that this version cannot read. */
static bool refused(struct xtr_follow *f, const struct xtr_file_header *h)
{
	if (h->major != XTR_MAJOR)
		tell(f, XTR_P_MAJOR, f->offset, 0);
	else if (h->incompat_flags & ~XTR_FEATURES_KNOWN)
		tell(f, XTR_P_INCOMPAT, f->offset, 0);
	else
		return false;
	return true;
}

enum looked {
	LOOK_MORE,   /* more bytes are needed to tell */
	LOOK_TAKEN,  /* something was taken: look again */
	LOOK_NOTHING /* nothing begins here */
};

/* A file header at the front. */
static int look_header(struct xtr_follow *f, enum looked *l)
{
	struct xtr_file_header h;
	int err;

	if (f->in.n < 8 ? memcmp(f->in.p, XTR_MAGIC, f->in.n) : memcmp(f->in.p, XTR_MAGIC, 8))
		return 0;
	*l = LOOK_MORE;
	if (f->in.n < XTR_FILE_HEADER_SIZE)
		return 0;
	*l = LOOK_NOTHING;
	if (!xtr_file_header_parse(f->in.p, &h))
		return 0;
	if (refused(f, &h))
		return -EBADMSG;
	if (!xtr_file_header_is_sane(&h))
		return 0;
	*l = LOOK_MORE;
	if (f->in.n < h.header_size)
		return 0;
	err = new_section(f, &h);
	if (!err)
		skip(f, h.header_size);
	*l = LOOK_TAKEN;
	return err;
}

/* A chunk or a trailer of the section at the front. */
static int look_chunk(struct xtr_follow *f, enum looked *l)
{
	struct xtr_trailer t;
	struct xtr_chunk c;
	int err;

	*l = LOOK_MORE;
	if (f->in.n >= XTR_TRAILER_SIZE && xtr_trailer_parse(f->in.p, &t) &&
	    t.file_id == f->s->file_id) {
		*l = LOOK_TAKEN;
		err = end_section(f);
		f->st.closed = f->st.ended;
		skip(f, XTR_TRAILER_SIZE);
		return err;
	}
	if (f->in.n < 4 ? f->in.p[0] != (XTR_CHUNK_SYNC & 0xff)
			: xtr_le32(f->in.p) != XTR_CHUNK_SYNC) {
		if (f->in.n >= XTR_TRAILER_SIZE)
			*l = LOOK_NOTHING;
		return 0;
	}
	if (f->in.n < XTR_CHUNK_HEADER_SIZE)
		return 0;
	*l = LOOK_NOTHING;
	if (!xtr_chunk_parse(f->in.p, &c) || c.file_id != f->s->file_id)
		return 0;
	*l = LOOK_MORE;
	c.offset = 0;
	if (f->in.n < xtr_chunk_span(&c))
		return 0;
	*l = LOOK_TAKEN;
	f->lost_sync = false;
	err = in_order(f, &c) ? take_chunk(f, &c) : 0;
	/* What its header promised is not there: another chunk may begin inside of it. */
	f->lost_sync = err == -EBADMSG;
	skip(f, err == -EBADMSG ? XTR_CHUNK_HEADER_SIZE : (size_t)xtr_chunk_span(&c));
	return err == -EBADMSG ? 0 : err;
}

/* To the next place where something may begin. */
static void resync(struct xtr_follow *f)
{
	size_t i = 1;

	if (!f->lost_sync)
		tell(f, XTR_P_LOST_SYNC, f->offset, 0);
	f->lost_sync = true;
	while (i < f->in.n && f->in.p[i] != (XTR_CHUNK_SYNC & 0xff) &&
	       f->in.p[i] != (uint8_t)XTR_MAGIC[0])
		i++;
	skip(f, i);
}

static int look(struct xtr_follow *f)
{
	enum looked l;
	int err = 0;

	while (!err && f->in.n) {
		l = LOOK_NOTHING;
		err = look_header(f, &l);
		if (!err && l == LOOK_NOTHING && f->s)
			err = look_chunk(f, &l);
		if (err || l == LOOK_MORE)
			break;
		if (l == LOOK_NOTHING && !f->any && !f->s) {
			tell(f, XTR_P_NOT_XTR, 0, 0);
			return -EBADMSG;
		}
		if (l == LOOK_NOTHING)
			resync(f);
	}
	return err;
}

/* --- the outside ------------------------------------------------------------------------------ */

int xtr_follow_bytes(struct xtr_follow *f, const void *p, size_t n)
{
	/* In parts, so that the memory is that of a chunk and a part. */
	const size_t part = (size_t)1 << 16;
	int err = 0;

	for (size_t at = 0; at < n && !err; at += part) {
		size_t m = n - at < part ? n - at : part;

		xtr_buf_add(&f->in, (const uint8_t *)p + at, m);
		if (f->in.err)
			return f->in.err;
		f->st.bytes += m;
		err = look(f);
	}
	return err;
}

int xtr_follow_end(struct xtr_follow *f)
{
	static const uint8_t padding[7];
	int err;

	if (!f->any) {
		tell(f, XTR_P_TOO_SHORT, 0, 0);
		return -EBADMSG;
	}
	/* The last chunk may stand there without its padding. */
	xtr_buf_add(&f->in, padding, f->in.n ? sizeof(padding) : 0);
	err = f->in.err ? f->in.err : look(f);
	if (err)
		return err;
	if (f->in.n > sizeof(padding) && !f->lost_sync)
		tell(f, XTR_P_CHUNK_TRUNCATED, f->offset, 0);
	err = end_section(f);
	if (!err && !f->st.ended)
		tell(f, XTR_P_NO_END, f->offset + f->in.n, 0);
	return err;
}

void xtr_follow_status(const struct xtr_follow *f, struct xtr_follow_status *st)
{
	*st = f->st;
	st->waiting = f->in.n;
	st->lost = xtr_sat_add(f->st.lost, lost_here(f));
}

int xtr_follow_new(struct xtr_follow **out, const struct xtr_follow_opts *o)
{
	struct xtr_follow *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->o = *o;
	if (!f->o.memory)
		f->o.memory = XTR_FOLLOW_MEMORY;
	if (!f->o.tables)
		f->o.tables = XTR_FOLLOW_TABLES;
	*out = f;
	return 0;
}

void xtr_follow_free(struct xtr_follow *f)
{
	if (!f)
		return;
	forget_section(f);
	xtr_tree_free(&f->tree);
	xtr_decode_sorted_free(&f->decode);
	xtr_buf_free(&f->in);
	free(f->w);
	free(f->gaps);
	free(f->buf);
	free(f);
}
