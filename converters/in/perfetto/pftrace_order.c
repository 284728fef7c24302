/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in order of time. They are held in memory; when there are too many they are sorted and
 * written to a temporary file as a run, and the runs are merged at the end.
 */
#include "pftrace_core.h"

#include "base/buf.h"
#include "base/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 12u                 /* of a record in the file: time, size and kind */
#define RUN_BUFFER ((size_t)128 << 10) /* more than the largest record */
#define RUNS_MAX   256u                /* that are merged at once */

/* --- records in memory ------------------------------------------------------------------------ */

/* Where a record lies in mem, its bytes (24 bits: PFT_RECORD_MAX) and its kind. */
static uint64_t record_at(size_t at, size_t n, enum pft_kind kind)
{
	return (uint64_t)kind << 56 | (uint64_t)n << 32 | (uint32_t)at;
}

static uint32_t at_of(const struct xtr_timed *e)
{
	return (uint32_t)e->what;
}

static uint32_t size_of(const struct xtr_timed *e)
{
	return e->what >> 32 & 0xffffff;
}

static enum pft_kind kind_of(const struct xtr_timed *e)
{
	return (enum pft_kind)(e->what >> 56);
}

/* --- the temporary file ----------------------------------------------------------------------- */

/* A run that is being written. */
struct pft_writer {
	struct xtr_io *io;
	uint8_t *buf;
	size_t n;
	uint64_t written; /* bytes */
};

static int write_out(struct pft_writer *w)
{
	int err = w->n ? w->io->ops->append(w->io, w->buf, w->n) : 0;

	w->written += w->n;
	w->n = 0;
	return err;
}

static int write_record(struct pft_writer *w, unsigned int kind, uint64_t ts, const uint8_t *rec,
			size_t n)
{
	int err = w->n + HEAD_BYTES + n > RUN_BUFFER ? write_out(w) : 0;

	if (err)
		return err;
	xtr_put_le64(w->buf + w->n, ts);
	xtr_put_le32(w->buf + w->n + 8, (uint32_t)n | (uint32_t)kind << 24);
	if (n)
		memcpy(w->buf + w->n + HEAD_BYTES, rec, n);
	w->n += HEAD_BYTES + n;
	return 0;
}

static int cannot_write(struct pftrace *p, int err)
{
	return err == -ENOMEM ? err
			      : xtr_import_fail(p->im, err, "cannot sort in a temporary file: %s",
						strerror(-err));
}

static int add_run(struct pft_order *o, uint64_t bytes)
{
	if (xtr_grow_array(&o->runs, &o->cap_runs, o->n_runs + 1, sizeof(*o->runs)))
		return -ENOMEM;
	o->runs[o->n_runs++] = (struct pft_run){ o->size, o->size + bytes };
	o->size += bytes;
	return 0;
}

/* What is in memory becomes a run. */
static int spill(struct pftrace *p)
{
	struct pft_order *o = &p->order;
	struct pft_writer w = { .buf = malloc(RUN_BUFFER) };
	int err = w.buf ? xtr_timed_sort(&o->list) : -ENOMEM;

	if (!err && !o->file)
		err = xtr_io_temp(&o->file);
	w.io = o->file;
	for (size_t i = 0; !err && i < o->list.n; i++)
		err = write_record(&w, kind_of(&o->list.e[i]), o->list.e[i].ts,
				   o->mem + at_of(&o->list.e[i]), size_of(&o->list.e[i]));
	err = err ?: write_out(&w) ?: add_run(o, w.written);
	free(w.buf);
	o->list.n = o->used = 0;
	return err ? cannot_write(p, err) : 0;
}

/* --- merging runs ----------------------------------------------------------------------------- */

struct source {
	uint64_t at, end; /* of what is not in buf yet, in the file */
	uint8_t *buf;
	size_t pos, n;
	uint64_t ts; /* of the record at pos */
	size_t rec;  /* its bytes */
	unsigned int kind;
};

/* The record behind the current one. 1: there is none. */
static int advance(struct xtr_io *io, struct source *s)
{
	size_t more;
	uint32_t word;
	int err;

	if (s->n - s->pos < HEAD_BYTES + PFT_RECORD_MAX && s->at < s->end) {
		memmove(s->buf, s->buf + s->pos, s->n - s->pos);
		s->n -= s->pos;
		s->pos = 0;
		more = RUN_BUFFER - s->n;
		if (more > s->end - s->at)
			more = (size_t)(s->end - s->at);
		err = io->ops->read_at(io, s->at, s->buf + s->n, more);
		if (err)
			return err;
		s->at += more;
		s->n += more;
	}
	if (s->n == s->pos)
		return 1;
	s->ts = xtr_le64(s->buf + s->pos);
	word = xtr_le32(s->buf + s->pos + 8);
	s->rec = word & 0xffffff;
	s->kind = word >> 24;
	s->pos += HEAD_BYTES + s->rec;
	return 0;
}

/* Runs in a heap: the one with the oldest record, of equal ones the first, is on top. */
struct heap {
	struct source *sources;
	uint16_t *at; /* indices of sources */
	size_t n;
};

static bool before(const struct heap *h, size_t i, size_t j)
{
	const struct source *a = &h->sources[h->at[i]], *b = &h->sources[h->at[j]];

	return a->ts != b->ts ? a->ts < b->ts : h->at[i] < h->at[j];
}

static void sink(struct heap *h, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
		uint16_t swap = h->at[i];

		if (child + 1 < h->n && before(h, child + 1, child))
			child++;
		if (!before(h, child, i))
			return;
		h->at[i] = h->at[child];
		h->at[child] = swap;
	}
}

static void heap_free(struct heap *h, size_t n)
{
	for (size_t i = 0; h->sources && i < n; i++)
		free(h->sources[i].buf);
	free(h->sources);
	free(h->at);
}

static int heap_make(struct pft_order *o, struct heap *h)
{
	int err = 0;

	h->sources = calloc(o->n_runs, sizeof(*h->sources));
	h->at = calloc(o->n_runs, sizeof(*h->at));
	if (!h->sources || !h->at)
		return -ENOMEM;
	for (size_t i = 0; i < o->n_runs; i++) {
		h->sources[i] = (struct source){ .at = o->runs[i].at,
						 .end = o->runs[i].end,
						 .buf = malloc(RUN_BUFFER) };
		err = h->sources[i].buf ? advance(o->file, &h->sources[i]) : -ENOMEM;
		if (err < 0)
			return err;
		if (!err)
			h->at[h->n++] = (uint16_t)i;
	}
	for (size_t i = h->n / 2; i--;)
		sink(h, i);
	return 0;
}

/* All runs, one record after the other. */
static int merge_runs(struct pftrace *p, pft_take *take)
{
	struct heap h = { 0 };
	const size_t n_runs = p->order.n_runs;
	int err = heap_make(&p->order, &h);

	while (!err && h.n) {
		struct source *s = &h.sources[h.at[0]];

		err = take(p, (enum pft_kind)s->kind, s->ts, s->buf + s->pos - s->rec, s->rec);
		if (err)
			break;
		err = advance(p->order.file, s);
		if (err == 1) {
			h.at[0] = h.at[--h.n];
			err = 0;
		}
		sink(&h, 0);
	}
	heap_free(&h, n_runs);
	return err;
}

static int to_writer(struct pftrace *p, enum pft_kind kind, uint64_t ts, const uint8_t *rec,
		     size_t n)
{
	return write_record(p->order.to, kind, ts, rec, n);
}

/* So many runs become one in another file. */
static int join_runs(struct pftrace *p)
{
	struct pft_order *o = &p->order;
	struct pft_writer w = { .buf = malloc(RUN_BUFFER) };
	int err = w.buf ? xtr_io_temp(&w.io) : -ENOMEM;

	o->to = &w;
	err = err ?: merge_runs(p, to_writer) ?: write_out(&w);
	o->to = NULL;
	free(w.buf);
	if (err) {
		xtr_io_close(w.io);
		return cannot_write(p, err);
	}
	xtr_io_close(o->file);
	o->file = w.io;
	o->size = o->n_runs = 0;
	return add_run(o, w.written);
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool is_full(const struct pft_order *o, size_t n)
{
	return o->list.n &&
	       o->used + n + 2 * (o->list.n + 1) * sizeof(struct xtr_timed) > PFT_HELD_BYTES;
}

int pft_hold(struct pftrace *p, enum pft_kind kind, uint64_t ts, const void *rec, size_t n)
{
	struct pft_order *o = &p->order;
	int err = 0;

	if (n > PFT_RECORD_MAX)
		return -EINVAL;
	if (is_full(o, n))
		err = spill(p);
	if (!err && o->n_runs >= RUNS_MAX)
		err = join_runs(p);
	if (err)
		return err;
	if (xtr_grow(&o->mem, &o->cap, o->used + n + 1) ||
	    xtr_timed_add(&o->list, ts, record_at(o->used, n, kind)))
		return -ENOMEM;
	if (n)
		memcpy(o->mem + o->used, rec, n);
	o->used += n ? n : 1; /* each has a place of its own */
	o->held++;
	p->clocks.settled = true;
	if (ts < p->first_ts)
		p->first_ts = ts;
	if (ts > p->last_ts)
		p->last_ts = ts;
	return 0;
}

static int take_memory(struct pftrace *p, pft_take *take)
{
	struct pft_order *o = &p->order;
	int err = xtr_timed_sort(&o->list);

	for (size_t i = 0; !err && i < o->list.n; i++)
		err = take(p, kind_of(&o->list.e[i]), o->list.e[i].ts,
			   o->mem + at_of(&o->list.e[i]), size_of(&o->list.e[i]));
	return err;
}

int pft_order_all(struct pftrace *p, pft_take *take)
{
	struct pft_order *o = &p->order;
	int err;

	if (!o->file)
		return take_memory(p, take);
	err = spill(p);
	free(o->mem);
	xtr_timed_free(&o->list);
	o->mem = NULL;
	o->cap = 0;
	return err ? err : merge_runs(p, take);
}

void pft_order_free(struct pft_order *o)
{
	free(o->mem);
	xtr_timed_free(&o->list);
	free(o->runs);
	xtr_io_close(o->file);
}
