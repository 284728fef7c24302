// SPDX-License-Identifier: BSD-2-Clause
/*
 * A batch under way when the recorder was killed may be in the file or not. It noted how many
 * events of the CPU were in the file before it: if the file has more, they are this batch's, in the
 * order in which the writer sorts them.
 */
#include "pinned.h"
#include "salvage_events.h"
#include "salvage_priv.h"
#include "recorder/output/sink.h"
#include "recorder/host/util.h"

#include "format/codec/record.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>

struct writing {
	struct xtr_salvage *s;
	const struct xtr_section *sec;
	struct xtr_selection sel;
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

/* Events of a stream that the file has, those that are damaged included. */
static uint64_t in_file(const struct xtr_section *sec, uint32_t cpu)
{
	uint64_t n = 0;

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
	const struct xtr_gap gap = { XTR_STREAM_NONE, since, w->last > since ? w->last : since, 0 };

	return since ? xtr_loss_add_gap(w->sink.loss, &gap) : 0;
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
	b.len = c->len;
	for (b.n = c->n; skip; skip--, b.n--) {
		uint32_t size = xtr_rec_size(b.recs);

		b.recs += size;
		b.len -= size;
	}
	note_last(w, &b);
	err = xtr_writer_events(w->sink.writer, &b);
	if (!err)
		w->res->events += b.n;
	return err;
}

static int one_batch(struct writing *w, const struct xtr_left_buf *l)
{
	uint32_t cpu = l->b->cpu, from = l->counted < l->len ? l->counted : l->len;
	uint64_t has = in_file(w->sec, cpu), written = 0, lost = w->s->bpf.cpus[cpu].lost;

	if (l->b->ordinal != XTR_NOT_BEGUN && has > l->b->ordinal)
		written = has - l->b->ordinal;
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
	err = write_converted(w, cpu, w->s->bpf.cpus[cpu].lost, 0);
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
	int err = 0, rc = 0;

	while (!err && (rc = xtr_ringbuf_next(&r, limit, &rec, &len)) == 1)
		err = put(w, cpu, rec, len);
	if (rc == -EBADMSG)
		count_malformed(w, 1);
	if (rc == -EAGAIN) /* nobody finishes it any more */
		count_malformed(w, xtr_ringbuf_left(&r));
	return err ? err : flush(w, cpu);
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
	return err;
}

/* --- all of it -------------------------------------------------------------------------------- */

static int prepare(struct writing *w, struct xtr_tables *tables, struct xtr_loss *loss)
{
	struct xtr_salvage *s = w->s;
	const struct xtr_siphash_key *key = s->head.hashed ? &s->head.key : NULL;
	struct xtr_sink *sink = &w->sink;
	int err = xtr_salvage_events(&w->sel, xtr_section_meta(w->sec), &s->keep);

	if (err)
		return err;
	s->bpf.sel = &w->sel;
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
	sink->bpf = &s->bpf;
	sink->key = key;
	sink->totals = (struct xtr_totals){
		.bpf = &s->bpf, .writer = sink->writer, .tables = tables, .key = key
	};
	w->last = xtr_section_summary(w->sec)->ts_max;
	w->sorted = malloc(XTR_BATCH_BYTES);
	w->buf = calloc(1, sizeof(*w->buf));
	if (!w->sorted || !w->buf)
		return -ENOMEM;
	err = xtr_convert_open(&sink->convert, sink->bpf->n_cpus);
	return err ? err : xtr_totals_open(&sink->totals);
}

static void clean_up(struct writing *w)
{
	xtr_convert_close(&w->sink.convert);
	xtr_totals_close(&w->sink.totals);
	xtr_defs_free(&w->defs);
	xtr_salvage_events_free(&w->sel);
	xtr_sorter_free(&w->sorter);
	free(w->sorted);
	free(w->buf);
}

/* The counts are kept as they were found, for another time. */
static int append(struct writing *w)
{
	struct xtr_salvage *s = w->s;
	struct xtr_persistent mine = s->keep;
	int err = definitions(w);

	if (!err)
		err = events(w);
	if (err)
		return err;
	mine.head = &s->head;
	mine.spoilt = s->counters;
	mine.unwritten = s->counters + (size_t)s->bpf.n_cpus * s->bpf.n_slots;
	w->sink.keep = &mine;
	xtr_pinned_misses(&s->bpf, &s->pin, &s->keep);
	xtr_sink_account(&w->sink);
	err = left_out(w);
	return err ? err : xtr_totals_write(&w->sink.totals, true, s->bpf.cpus[0].lost);
}

int xtr_salvage_write(struct xtr_salvage *s, const struct xtr_section *sec, struct xtr_writer *w,
		      struct xtr_tables *tables, struct xtr_loss *loss,
		      struct xtr_salvage_result *res)
{
	struct writing wr = { .s = s, .sec = sec, .sink.writer = w, .res = res };
	size_t n = 2 * (size_t)s->bpf.n_cpus * s->bpf.n_slots * sizeof(*s->counters);
	uint64_t malformed = s->head.malformed, *counters;
	int err;

	*res = (struct xtr_salvage_result){ 0 };
	if (s->head.done) {
		res->lost = xtr_loss_total(loss);
		return 0;
	}
	counters = malloc(n);
	if (!counters)
		return -ENOMEM;
	memcpy(counters, s->counters, n);
	err = prepare(&wr, tables, loss);
	if (!err)
		err = append(&wr);
	res->lost = xtr_loss_total(loss);
	clean_up(&wr);
	memcpy(s->counters, counters, n);
	s->head.malformed = malformed;
	s->bpf.sel = NULL;
	free(counters);
	return err;
}
