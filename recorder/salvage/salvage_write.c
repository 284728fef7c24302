/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A batch under way when the recorder was killed may be in the file or not. It noted how many
 * events of the CPU were in the file before it: if the file has more, they are this batch's, in the
 * order in which the writer sorts them.
 */
#include "pinned.h"
#include "salvage_events.h"
#include "salvage_priv.h"
#include "recorder/output/next_piece.h"
#include "recorder/host/util.h"

#include "format/codec/record.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct writing {
	struct xtr_salvage *s;
	const struct xtr_section *sec;
	uint64_t from, to;       /* ns: what belongs to the piece; all: 0, UINT64_MAX */
	struct xtr_loss *others; /* gaps of the other piece */
	struct xtr_selection sel;
	struct xtr_tring *ring; /* NULL: there is none */
	struct xtr_defs defs;
	struct xtr_sink sink; /* what it needs to convert and to account */
	struct xtr_sorter sorter;
	uint8_t *sorted;
	struct xtr_ring_batch *buf; /* of records from a ring */
	uint64_t last;              /* ns: the latest record written, or in the file */
	struct xtr_salvage_result *res;
};

/* --- definitions ------------------------------------------------------------------------------ */

static int take_op(void *ctx, const struct xtr_ctl_ops *def)
{
	struct writing *w = ctx;
	int err = xtr_defs_take(&w->defs, (const uint8_t *)def, sizeof(*def));

	return err == -EBADMSG ? 0 : err;
}

static int take_def(struct writing *w, const uint8_t *rec, uint32_t size)
{
	int err = xtr_defs_take(&w->defs, rec, size);

	return err == -ENOMEM ? err : 0;
}

static int definitions(struct writing *w)
{
	struct xtr_ringbuf *ctl = &w->s->bpf.ctl;
	uint64_t limit = xtr_ringbuf_producer(ctl), pos = ctl->pos;
	int err = xtr_pinned_ops(&w->s->pin, take_op, w);
	const uint8_t *rec;
	struct xtr_rec h;
	uint32_t len;

	for (size_t i = 0; i < w->s->n_bufs && !err; i++) {
		const struct xtr_left_buf *l = &w->s->bufs[i];

		for (uint32_t at = 0; l->b->kind == XTR_BATCH_DEFS && at < l->len; at += h.size) {
			memcpy(&h, l->b->data + at, sizeof(h));
			err |= take_def(w, l->b->data + at, h.size);
		}
	}
	while (!err && xtr_ringbuf_next(ctl, limit, &rec, &len) == 1)
		err = take_def(w, rec, len);
	ctl->pos = pos;
	return err;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Events of a stream that the file has, those that are damaged included, and those that a flight
 * recorder has given up. */
static uint64_t in_file(const struct writing *w, uint32_t cpu)
{
	const struct xtr_section *sec = w->sec;
	uint64_t n = 0;

	if (w->s->flight)
		return xtr_left_ordinal(w->s, cpu);
	for (size_t i = xtr_section_n_chunks(sec); i--;) {
		const struct xtr_chunk *c = xtr_section_chunk(sec, i);

		if (c->type == XTR_CHUNK_EVENTS && c->stream == cpu) {
			n = c->first_ordinal + c->n_records;
			break;
		}
	}
	return n;
}

static void count_spoilt(struct writing *w, uint32_t cpu, const uint8_t *recs, uint32_t from)
{
	const struct xtr_convert *c = &w->sink.convert;
	struct xtr_rec h;

	for (uint32_t i = 0; i < c->n_bad; i++) {
		if (c->bad[i] < from)
			continue;
		memcpy(&h, recs + c->bad[i], sizeof(h));
		w->s->counters[(size_t)cpu * w->s->bpf.n_slots +
			       xtr_slot_of_type(&w->sel, h.type)]++;
	}
}

static void note_last(struct writing *w, const struct xtr_batch *b)
{
	const uint8_t *rec = b->recs;

	for (uint32_t i = 0; i < b->n; i++, rec += xtr_rec_size(rec)) {
		if (xtr_rec_ts(rec) > w->last)
			w->last = xtr_rec_ts(rec);
	}
}

/* Events were left out for a budget until the recorder was killed (spec 6.5). */
static int left_out(struct writing *w)
{
	uint64_t since = w->s->head.left_out_since;
	struct xtr_gap gap = { XTR_STREAM_NONE, since > w->from ? since : w->from, w->last, 0 };

	if (!since || gap.first >= w->to)
		return 0;
	if (w->s->earlier)
		gap.last = w->to - 1;
	if (gap.last < gap.first)
		gap.last = gap.first;
	return xtr_loss_add_gap(w->sink.loss, &gap);
}

/* Leave out what is not this piece's, and the first `skip` of what is: they are in order of time.
 */
static void cut_batch(const struct writing *w, struct xtr_batch *b, uint32_t skip)
{
	const uint8_t *end;
	uint32_t n;

	for (; b->n && (skip || xtr_rec_ts(b->recs) < w->from); b->n--) {
		skip -= skip && xtr_rec_ts(b->recs) >= w->from;
		b->recs += xtr_rec_size(b->recs);
	}
	for (n = 0, end = b->recs; n < b->n && xtr_rec_ts(end) < w->to; n++)
		end += xtr_rec_size(end);
	b->n = n;
	b->len = (size_t)(end - b->recs);
}

/* Write what has been converted but for the first `skip` in order of time. */
static int write_converted(struct writing *w, uint32_t cpu, uint64_t lost, uint32_t skip)
{
	const struct xtr_convert *c = &w->sink.convert;
	struct xtr_batch b = { .stream = cpu, .lost_total = lost };
	int err;

	if (skip >= c->n)
		return 0;
	err = xtr_records_sort(&w->sorter, c->recs, c->n, w->sorted);
	if (err)
		return err;
	b.recs = w->sorted;
	b.n = c->n;
	cut_batch(w, &b, skip);
	err = xtr_left_age(w->s, w->sink.loss, &b);
	if (err || !b.n)
		return err;
	note_last(w, &b);
	err = xtr_writer_events(w->sink.writer, &b);
	if (!err)
		w->res->events += b.n;
	return err;
}

/* Events of a CPU lost in this piece, as the kernel counts. */
static uint64_t lost_here(const struct writing *w, uint32_t cpu)
{
	uint64_t lost = w->s->bpf.cpus[cpu].lost, before = w->sink.lost_before[cpu];

	return lost > before ? lost - before : 0;
}

static int one_batch(struct writing *w, const struct xtr_left_buf *l)
{
	uint32_t cpu = l->b->cpu, from = l->counted < l->len ? l->counted : l->len;
	uint64_t has = in_file(w, cpu), written = 0, lost = lost_here(w, cpu);
	uint64_t ordinal = l->b->ordinal[w->s->number % 2];

	if (ordinal != XTR_NOT_BEGUN && has > ordinal)
		written = has - ordinal;
	if (written) {
		xtr_convert_batch(&w->sink.convert, cpu, l->b->data, l->len);
		count_spoilt(w, cpu, l->b->data, from);
	} else {
		xtr_convert_batch(&w->sink.convert, cpu, l->b->data + from, l->len - from);
		count_spoilt(w, cpu, l->b->data + from, 0);
	}
	return write_converted(w, cpu, lost, written < UINT32_MAX ? (uint32_t)written : UINT32_MAX);
}

static int flush(struct writing *w, uint32_t cpu)
{
	struct xtr_ring_batch *b = w->buf;
	int err;

	if (!b->len)
		return 0;
	xtr_convert_batch(&w->sink.convert, cpu, b->data, b->len);
	count_spoilt(w, cpu, b->data, 0);
	err = write_converted(w, cpu, lost_here(w, cpu), 0);
	b->len = b->n = 0;
	return err;
}

/* Of a record that is none, the type is not known. */
static void count_malformed(struct writing *w, uint64_t n)
{
	w->s->head.malformed += n;
}

static int put(struct writing *w, uint32_t cpu, const uint8_t *rec, uint32_t len)
{
	int err = xtr_ring_batch_has_room(w->buf, len) ? 0 : flush(w, cpu);

	if (!err && !xtr_ring_batch_put(w->buf, rec, len))
		count_malformed(w, 1);
	return err;
}

static int one_ring(struct writing *w, uint32_t cpu)
{
	struct xtr_ringbuf r = w->s->bpf.rings[cpu];
	uint64_t limit = xtr_ringbuf_producer(&r);
	const uint8_t *rec;
	uint32_t len;
	int err = 0, ret = 0;

	while (!err && (ret = xtr_ringbuf_next(&r, limit, &rec, &len)) == 1)
		err = put(w, cpu, rec, len);
	if (ret == -EBADMSG)
		count_malformed(w, 1);
	if (ret == -EAGAIN) /* nobody finishes it any more */
		count_malformed(w, xtr_ringbuf_left(&r));
	return err ? err : flush(w, cpu);
}

/* What the trace ring of a CPU says of its threads, and then of them. */
static int one_trace_ring(struct writing *w, uint32_t cpu)
{
	struct xtr_ring_batch *b = w->buf;
	struct xtr_tring_part part = { .empty = false };
	struct xtr_ctl_task def;
	int err = 0;

	while (!err && !part.empty) {
		if (!xtr_ring_batch_has_room(b, XTR_TRING_RECORD_MAX))
			err = flush(w, cpu);
		if (err)
			break;
		xtr_tring_take(w->ring, cpu, b->data + b->len, XTR_BATCH_BYTES - b->len,
			       XTR_BATCH_RECORDS - b->n, &part);
		b->n += part.n;
		b->len += part.len;
		count_malformed(w, part.broken);
		while (!err && xtr_tring_task(w->ring, &def))
			err = take_def(w, (const uint8_t *)&def, sizeof(def));
		if (!err && part.full)
			err = flush(w, cpu);
	}
	return err ? err : flush(w, cpu);
}

static int trace_rings(struct writing *w)
{
	int err = 0;

	if (!w->ring)
		return 0;
	xtr_tring_pass(w->ring, xtr_now());
	for (uint32_t i = 0; i < w->s->bpf.n_cpus && !err; i++)
		err = one_trace_ring(w, i);
	return err;
}

/*
 * What found no room in the trace ring after the recorder looked for the last time. It was lost
 * when the piece that was begun last was written.
 */
static void ring_losses(struct writing *w)
{
	struct xtr_salvage *s = w->s;
	struct xtr_tring_loss l;

	for (uint32_t i = 0; w->ring && !s->earlier && i < s->bpf.n_cpus; i++) {
		struct xtr_count *c =
			&s->bpf.counts[(size_t)i * s->bpf.n_slots + xtr_tring_slot(w->ring)];

		if (!xtr_tring_lost(w->ring, i, true, &l))
			continue;
		c->full += l.full;
		c->busy += l.nested;
		l.since = l.since > w->from ? l.since : w->from;
		xtr_convert_gap(&w->sink.convert,
				&(struct xtr_gap){ i, l.since,
						   l.since > w->last ? l.since : w->last,
						   l.full + l.nested });
	}
}

static int events(struct writing *w)
{
	int err = 0;

	for (size_t i = 0; i < w->s->n_bufs && !err; i++) {
		if (w->s->bufs[i].b->kind == XTR_BATCH_EVENTS)
			err = one_batch(w, &w->s->bufs[i]);
	}
	for (uint32_t i = 0; i < w->s->bpf.n_cpus && !err; i++)
		err = one_ring(w, i);
	return err ? err : trace_rings(w);
}

/* --- pieces ----------------------------------------------------------------------------------- */

/* Where the border to the other piece is, and to which one a gap belongs. */
static void set_borders(struct writing *w)
{
	struct xtr_salvage *s = w->s;
	struct xtr_convert *c = &w->sink.convert;
	const struct xtr_open_piece *p = xtr_open_piece(&s->head, s->number);

	w->from = p->border;
	w->to = s->earlier ? xtr_open_piece(&s->head, s->number + 1)->says.from : UINT64_MAX;
	c->border = s->earlier ? w->to : w->from;
	if (!c->border)
		return;
	c->loss_before = s->earlier ? c->loss : w->others;
	c->loss = s->earlier ? w->others : c->loss;
}

/* What META says of the piece, and why it ends. */
static int say_piece(struct writing *w, struct xtr_recover_more *m)
{
	struct xtr_salvage *s = w->s;
	const struct xtr_piece *says = &xtr_open_piece(&s->head, s->number)->says;
	struct xtr_piece p;

	if (s->flight)
		return xtr_piece_write(says, m->meta);
	if (!s->number || !xtr_piece_read(&p, m->meta))
		return 0;
	p.events_before = says->events_before;
	p.lost_before = says->lost_before;
	if (s->earlier) {
		p.to = w->to;
		m->reason = XTR_PIECE_ROTATED;
	}
	return xtr_piece_write(&p, m->meta);
}

/* Of a piece that has all its events: what it lost was known, and what it tells of gaps. */
static int known_losses(struct writing *w)
{
	const struct xtr_persistent *k = &w->s->keep;
	const struct xtr_gap_begun *was = k->begun[w->s->number % 2];
	const struct xtr_gap_begun *told = k->begun[(w->s->number + 1) % 2];
	struct xtr_loss *all = xtr_loss_new(), *loss = w->sink.loss;
	int err = all ? xtr_open_lost(k, w->s->number + 1, all) : -ENOMEM;

	for (size_t i = 0; !err && i < xtr_loss_n_entries(all); i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(all, i);
		uint64_t past = xtr_loss_get(w->sink.before, e->stream, e->type, e->cause);

		err = xtr_loss_set(loss, e->stream, e->type, e->cause,
				   e->total > past ? e->total - past : 0);
	}
	for (uint32_t i = 0; i < w->s->bpf.n_cpus && !err; i++) {
		bool again = was[i].count && was[i].first == told[i].first;
		struct xtr_gap gap = { i, again ? was[i].border : told[i].first, told[i].last,
				       told[i].count - (again ? was[i].count : 0) };

		if (told[i].border == w->to)
			xtr_convert_gap(&w->sink.convert, &gap);
	}
	xtr_loss_free(all);
	return err;
}

/* What the piece after this one begins with. */
static int begin_next(struct writing *w)
{
	struct xtr_salvage *s = w->s;
	const struct xtr_piece *says = &xtr_open_piece(&s->head, s->number)->says;

	xtr_loss_free(s->next_lost);
	s->next_lost = xtr_sink_losses(&w->sink, w->sink.loss);
	s->next = xtr_open_piece(&s->head, s->number + 1)->says;
	s->next.events_before = says->events_before + xtr_writer_events_written(w->sink.writer);
	s->next.lost_before = says->lost_before + xtr_loss_total(w->sink.loss);
	return s->next_lost ? 0 : -ENOMEM;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* What was lost before this piece. */
static int set_base(struct writing *w)
{
	struct xtr_sink *sink = &w->sink;
	int err;

	sink->before = xtr_loss_new();
	sink->lost_before = calloc(w->s->bpf.n_cpus, sizeof(*sink->lost_before));
	w->others = xtr_loss_new();
	if (!sink->before || !sink->lost_before || !w->others)
		return -ENOMEM;
	err = xtr_open_lost(&w->s->keep, w->s->number, sink->before);
	if (!err)
		xtr_sink_set_base(sink);
	return err;
}

static int set_convert(struct writing *w)
{
	const struct xtr_gap_begun *begun = w->s->keep.begun[w->s->number % 2];
	int err = xtr_convert_open(&w->sink.convert, w->s->bpf.n_cpus);

	if (!err && begun)
		memcpy(w->sink.convert.begun, begun, w->s->bpf.n_cpus * sizeof(*begun));
	set_borders(w);
	return err;
}

static int prepare(struct writing *w, struct xtr_tables *tables, struct xtr_loss *loss)
{
	struct xtr_salvage *s = w->s;
	const struct xtr_siphash_key *key = s->head.hashed ? &s->head.key : NULL;
	struct xtr_sink *sink = &w->sink;
	int err = xtr_salvage_events(&w->sel, xtr_section_meta(w->sec), &s->keep);

	s->bpf.sel = &w->sel;
	sink->bpf = &s->bpf;
	if (!err)
		err = xtr_left_move(s, &w->sel);
	if (!err)
		err = xtr_left_ring(s, &w->sel, &w->ring);
	if (!err)
		err = set_base(w);
	if (err)
		return err;
	w->defs = (struct xtr_defs){ .tables = tables,
				     .key = key,
				     .kallsyms = xtr_kallsyms_open("/proc/kallsyms"),
				     .symbols = xtr_symbols_new() };
	if (w->defs.kallsyms)
		xtr_kallsyms_load(w->defs.kallsyms);
	sink->convert = (struct xtr_convert){ .sel = &w->sel,
					      .tables = tables,
					      .loss = loss,
					      .once = true,
					      .defs = &w->defs,
					      .key = key };
	sink->tables = tables;
	sink->loss = loss;
	sink->sel = &w->sel;
	sink->key = key;
	sink->totals = (struct xtr_totals){
		.bpf = &s->bpf, .writer = sink->writer, .tables = tables, .key = key
	};
	w->last = xtr_section_summary(w->sec)->ts_max;
	w->sorted = malloc(XTR_BATCH_BYTES);
	w->buf = calloc(1, sizeof(*w->buf));
	if (!w->sorted || !w->buf)
		return -ENOMEM;
	err = set_convert(w);
	return err ? err : xtr_totals_open(&sink->totals);
}

static void clean_up(struct writing *w)
{
	xtr_tring_leave(w->ring);
	xtr_convert_close(&w->sink.convert);
	xtr_totals_close(&w->sink.totals);
	xtr_defs_free(&w->defs);
	xtr_salvage_events_free(&w->sel);
	xtr_sorter_free(&w->sorter);
	xtr_loss_free(w->sink.before);
	xtr_loss_free(w->others);
	free(w->sink.lost_before);
	free(w->sorted);
	free(w->buf);
}

/* The counts are kept as they were found, for another time. */
static void account(struct writing *w)
{
	struct xtr_salvage *s = w->s;
	struct xtr_persistent mine = s->keep;

	mine.head = &s->head;
	mine.spoilt = s->counters;
	mine.unwritten = s->counters + (size_t)s->bpf.n_cpus * s->bpf.n_slots;
	w->sink.keep = &mine;
	xtr_pinned_misses(&s->bpf, &s->pin, &s->keep);
	xtr_sink_account(&w->sink);
}

/* All of it, but of the earlier of two pieces, to which all losses belong, no totals: it has them.
 */
static int append(struct writing *w, bool ends)
{
	int err = definitions(w);

	if (!err && !ends)
		err = events(w);
	if (!err && !ends)
		ring_losses(w);
	if (!err && ends)
		err = known_losses(w);
	else if (!err)
		account(w);
	if (!err)
		err = left_out(w);
	if (err || ends)
		return err;
	return w->s->earlier ? begin_next(w)
			     : xtr_totals_write(&w->sink.totals, true, lost_here(w, 0));
}

int xtr_salvage_write(struct xtr_salvage *s, struct xtr_recover_more *m,
		      struct xtr_salvage_result *res)
{
	struct writing wr = { .s = s, .sec = m->s, .sink.writer = m->w, .res = res };
	size_t n = 2 * (size_t)s->bpf.n_cpus * s->bpf.n_slots * sizeof(*s->counters);
	uint64_t malformed = s->head.malformed, *counters;
	int err;

	*res = (struct xtr_salvage_result){ .names_lost =
						    s->kept.head && s->kept.head->names_lost };
	if (s->head.done) {
		res->lost = xtr_loss_total(m->loss);
		return 0;
	}
	counters = malloc(n);
	if (!counters)
		return -ENOMEM;
	memcpy(counters, s->counters, n);
	err = prepare(&wr, m->tables, m->loss);
	if (!err)
		err = say_piece(&wr, m);
	if (!err)
		err = append(&wr, s->earlier && xtr_open_state(&s->head) == XTR_OPEN_ENDS);
	if (!err)
		err = xtr_left_say(s, m->meta, wr.last);
	res->lost = xtr_loss_total(m->loss);
	clean_up(&wr);
	memcpy(s->counters, counters, n);
	s->head.malformed = malformed;
	s->bpf.sel = NULL;
	free(counters);
	return err;
}
