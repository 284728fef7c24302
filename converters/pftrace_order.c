// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records in order of time. They are held in memory; when there are too many they are sorted and
 * written to a temporary file as a run, and the runs are merged at the end.
 *
 * Sorting merges what is in order already: bundles, which one CPU's come in order of time, so that
 * they are put on few piles, which are merged at once. What makes more piles than PILES is merged
 * in pairs.
 */
#include "pftrace_core.h"

#include "format/buf.h"
#include "format/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 12u                 /* of a record in the file: time, size and kind */
#define RUN_BUFFER ((size_t)128 << 10) /* more than the largest record */
#define PILES      64u
#define RUNS_MAX   256u /* that are merged at once */

/* --- sorting ---------------------------------------------------------------------------------- */

static size_t run_end(const struct pft_entry *e, size_t from, size_t n)
{
	size_t i = from + 1;

	while (i < n && e[i - 1].ts <= e[i].ts)
		i++;
	return i < n ? i : n;
}

/* The runs [a, b) and [b, c) of `from` become one of `to`; what came first stays first. */
static void merge_two(const struct pft_entry *from, struct pft_entry *to, size_t a, size_t b,
		      size_t c)
{
	size_t i = a, j = b, k = a;

	while (i < b && j < c)
		to[k++] = from[j].ts < from[i].ts ? from[j++] : from[i++];
	memcpy(to + k, from + i, (b - i) * sizeof(*to));
	k += b - i;
	memcpy(to + k, from + j, (c - j) * sizeof(*to));
}

/* Pairs of runs are merged. Returns how many there are then. */
static size_t pass(struct pft_order *o)
{
	struct pft_entry *swap = o->e;
	size_t runs = 0, cap = o->cap_e;

	for (size_t a = 0, b, c; a < o->n; a = c, runs++) {
		b = run_end(o->e, a, o->n);
		c = b < o->n ? run_end(o->e, b, o->n) : b;
		merge_two(o->e, o->tmp, a, b, c);
	}
	o->e = o->tmp;
	o->tmp = swap;
	o->cap_e = o->cap_tmp;
	o->cap_tmp = cap;
	return runs;
}

/* Runs that follow each other, each a part of e; `next` is an index + 1. */
struct part {
	uint32_t from, to, next;
};

struct pile {
	uint32_t first, last; /* parts */
	uint32_t at;          /* entry that is on top when piles are merged, in part `first` */
};

struct piles {
	struct part *parts;
	size_t n_parts, cap;
	struct pile pile[PILES];
	uint32_t n;
};

/* The pile whose last entry is not behind ts, and of these the youngest one; PILES: none. */
static uint32_t pile_for(const struct pft_order *o, const struct piles *s, uint64_t ts)
{
	uint64_t best = 0;
	uint32_t found = PILES;

	for (uint32_t i = 0; i < s->n; i++) {
		const uint64_t last = o->e[s->parts[s->pile[i].last].to - 1].ts;

		if (last <= ts && (found == PILES || last > best)) {
			best = last;
			found = i;
		}
	}
	return found;
}

/* 1: there are too many piles. */
static int put_on_piles(struct pft_order *o, struct piles *s)
{
	for (size_t from = 0, to; from < o->n; from = to) {
		const uint32_t part = (uint32_t)s->n_parts, pile = pile_for(o, s, o->e[from].ts);

		to = run_end(o->e, from, o->n);
		if (pile == PILES && s->n == PILES)
			return 1;
		if (xtr_grow_array(&s->parts, &s->cap, s->n_parts + 1, sizeof(*s->parts)))
			return -ENOMEM;
		s->parts[s->n_parts++] = (struct part){ (uint32_t)from, (uint32_t)to, 0 };
		if (pile == PILES) {
			s->pile[s->n++] = (struct pile){ part, part, (uint32_t)from };
			continue;
		}
		s->parts[s->pile[pile].last].next = part + 1;
		s->pile[pile].last = part;
	}
	return 0;
}

/* Is the top of a before that of b? Of equal ones what came first is: it lies lower in memory. */
static bool on_top(const struct pft_order *o, const struct pile *a, const struct pile *b)
{
	const struct pft_entry *x = &o->e[a->at], *y = &o->e[b->at];

	return x->ts != y->ts ? x->ts < y->ts : x->at < y->at;
}

/* The top of a pile is taken. False: the pile is empty. */
static bool take_top(const struct piles *s, struct pile *p)
{
	if (++p->at < s->parts[p->first].to)
		return true;
	if (!s->parts[p->first].next)
		return false;
	p->first = s->parts[p->first].next - 1;
	p->at = s->parts[p->first].from;
	return true;
}

/* The first of n piles goes down to its place in the heap. */
static void sink_pile(const struct pft_order *o, struct pile *p, uint32_t n, uint32_t i)
{
	const struct pile moved = p[i];

	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && on_top(o, &p[child + 1], &p[child]))
			child++;
		if (!on_top(o, &p[child], &moved))
			break;
		p[i] = p[child];
	}
	p[i] = moved;
}

static void merge_piles(struct pft_order *o, struct piles *s)
{
	struct pft_entry *swap = o->e;
	size_t cap = o->cap_e, k = 0;

	for (uint32_t i = s->n / 2; i--;)
		sink_pile(o, s->pile, s->n, i);
	while (s->n) {
		o->tmp[k++] = o->e[s->pile[0].at];
		if (!take_top(s, &s->pile[0]))
			s->pile[0] = s->pile[--s->n];
		if (s->n)
			sink_pile(o, s->pile, s->n, 0);
	}
	o->e = o->tmp;
	o->tmp = swap;
	o->cap_e = o->cap_tmp;
	o->cap_tmp = cap;
}

static int sort(struct pft_order *o)
{
	struct piles s = { 0 };
	int err;

	if (!o->n || run_end(o->e, 0, o->n) == o->n)
		return 0;
	if (xtr_grow_array(&o->tmp, &o->cap_tmp, o->n, sizeof(*o->tmp)))
		return -ENOMEM;
	err = put_on_piles(o, &s);
	if (!err)
		merge_piles(o, &s);
	free(s.parts);
	if (err <= 0)
		return err;
	while (pass(o) > 1)
		;
	return 0;
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
	int err = w.buf ? sort(o) : -ENOMEM;

	if (!err && !o->file)
		err = xtr_io_temp(&o->file);
	w.io = o->file;
	for (size_t i = 0; !err && i < o->n; i++)
		err = write_record(&w, o->e[i].kind, o->e[i].ts, o->mem + o->e[i].at, o->e[i].n);
	if (!err)
		err = write_out(&w);
	if (!err)
		err = add_run(o, w.written);
	free(w.buf);
	o->n = o->used = 0;
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
	if (!err)
		err = merge_runs(p, to_writer);
	if (!err)
		err = write_out(&w);
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
	return o->n && o->used + n + 2 * (o->n + 1) * sizeof(*o->e) > PFT_HELD_BYTES;
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
	    xtr_grow_array(&o->e, &o->cap_e, o->n + 1, sizeof(*o->e)))
		return -ENOMEM;
	o->e[o->n++] = (struct pft_entry){ ts, (uint32_t)o->used, (uint32_t)n, kind };
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
	int err = sort(o);

	for (size_t i = 0; !err && i < o->n; i++)
		err = take(p, (enum pft_kind)o->e[i].kind, o->e[i].ts, o->mem + o->e[i].at,
			   o->e[i].n);
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
	free(o->e);
	free(o->tmp);
	o->mem = NULL;
	o->e = o->tmp = NULL;
	o->cap = o->cap_e = o->cap_tmp = 0;
	return err ? err : merge_runs(p, take);
}

void pft_order_free(struct pft_order *o)
{
	free(o->mem);
	free(o->e);
	free(o->tmp);
	free(o->runs);
	xtr_io_close(o->file);
}
