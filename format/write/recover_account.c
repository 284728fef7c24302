/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is missing in a recovered section. The sums are the reader's own (spec 4.1, section.c), plus
 * the events of chunks that are there but cannot be read; here they get a place and a time.
 */
#include "recover_priv.h"
#include "base/buf.h"
#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>

/* Gaps that damage makes, a bound on the memory for them: the last one holds all further ones. */
#define GAPS_MAX 65536u

void rec_account_free(struct rec_account *a)
{
	xtr_map_free(&a->by_stream);
	free(a->stream);
	free(a->gap);
}

static int find_stream(struct rec_account *a, uint32_t stream, struct rec_stream **s)
{
	const uint64_t *i = xtr_map_get(&a->by_stream, stream, 0);

	if (i) {
		*s = &a->stream[*i];
		return 0;
	}
	if (xtr_grow_array(&a->stream, &a->cap_streams, a->n_streams + 1, sizeof(**s)) ||
	    xtr_map_put(&a->by_stream, stream, 0, a->n_streams))
		return -ENOMEM;
	*s = &a->stream[a->n_streams++];
	**s = (struct rec_stream){ .stream = stream, .last_ns = xtr_section_summary(a->s)->ts_min };
	return 0;
}

static void widen(struct xtr_gap *g, const struct xtr_recover_hole *h)
{
	g->stream = XTR_STREAM_NONE;
	g->first = h->first < g->first ? h->first : g->first;
	g->last = h->last > g->last ? h->last : g->last;
	g->count = xtr_sat_add(g->count, h->events);
}

/* Events are missing at a place. */
static int hole(struct rec_account *a, const struct xtr_recover_hole *h)
{
	a->res->missing = xtr_sat_add(a->res->missing, h->events);
	if (a->o->hole)
		a->o->hole(a->o->ctx, h);
	if (a->n_gaps == GAPS_MAX) {
		widen(&a->gap[GAPS_MAX - 1], h);
		return 0;
	}
	if (xtr_grow_array(&a->gap, &a->cap_gaps, a->n_gaps + 1, sizeof(*a->gap)))
		return -ENOMEM;
	a->gap[a->n_gaps++] = (struct xtr_gap){ h->stream, h->first, h->last, h->events };
	return 0;
}

/* Ordinals tell of chunks that are gone before this one, by the rule of the reader. */
static int ordinals(struct rec_account *a, const struct xtr_chunk *c, struct rec_stream *s)
{
	struct xtr_recover_hole h = {
		.offset = c->offset,
		.seq = c->seq,
		.gone = true,
		.stream = c->stream,
		.first = s->last_ns < c->ts_min ? s->last_ns : c->ts_min,
		.last = c->ts_min,
	};

	if (c->first_ordinal <= s->next_ordinal || s->holes == a->holes)
		return 0;
	h.events = c->first_ordinal - s->next_ordinal;
	s->damaged = xtr_sat_add(s->damaged, h.events);
	a->in_holes = xtr_sat_add(a->in_holes, h.events);
	return hole(a, &h);
}

int rec_account_chunk(struct rec_account *a, const struct xtr_chunk *c, struct rec_stream **out)
{
	struct rec_stream *s;
	int err;

	if (c->seq > a->next_seq) {
		a->holes++;
		a->res->chunks += c->seq - a->next_seq;
	}
	a->next_seq = (uint64_t)c->seq + 1;
	a->res->chunks++;
	if (c->type != XTR_CHUNK_EVENTS)
		return 0;
	err = find_stream(a, c->stream, &s) ?: ordinals(a, c, s);
	if (err)
		return err;
	s->next_ordinal = c->first_ordinal + c->n_records;
	s->holes = a->holes;
	if (c->n_records)
		s->last_ns = c->ts_max;
	if (c->lost_total > s->lost)
		s->lost = c->lost_total;
	*out = s;
	return 0;
}

int rec_account_unreadable(struct rec_account *a, const struct xtr_chunk *c, struct rec_stream *s)
{
	const struct xtr_recover_hole h = {
		.offset = c->offset,
		.seq = c->seq,
		.stream = c->stream,
		.first = c->ts_min,
		.last = c->ts_max,
		.events = c->n_records,
	};

	s->damaged = xtr_sat_add(s->damaged, h.events);
	return h.events ? hole(a, &h) : 0;
}

/*
 * Events that END alone tells of were in chunks that are gone, of streams that have no chunk behind
 * them: they happened after the last one of such a stream.
 */
int rec_account_end(struct rec_account *a)
{
	const struct xtr_section_summary *sum = xtr_section_summary(a->s);
	struct xtr_recover_hole h = {
		.offset = xtr_section_offset(a->s) + xtr_section_size(a->s),
		.gone = true,
		.stream = XTR_STREAM_NONE,
		.first = sum->ts_max,
		.last = sum->ts_max,
	};

	if (sum->missing <= a->in_holes)
		return 0;
	h.events = a->at_end = sum->missing - a->in_holes;
	for (size_t i = 0; i < a->n_streams; i++)
		if (a->stream[i].holes < a->holes && a->stream[i].last_ns < h.first)
			h.first = a->stream[i].last_ns;
	return hole(a, &h);
}

uint64_t rec_account_lost_total(struct rec_stream *s)
{
	s->written = xtr_sat_add(s->lost, s->damaged);
	return s->written;
}

static int gap_cmp(const void *pa, const void *pb)
{
	const struct xtr_gap *a = pa, *b = pb;

	return a->first < b->first ? -1 : a->first > b->first;
}

/* Those of the section and those of the damage, in order of time: adding is cheap then. */
static int put_gaps(const struct rec_account *a, struct xtr_loss *to)
{
	const struct xtr_loss *from = xtr_section_loss(a->s);
	const size_t n = xtr_loss_n_gaps(from);
	size_t i = 0, k = 0;
	int err = 0;

	if (a->n_gaps)
		qsort(a->gap, a->n_gaps, sizeof(*a->gap), gap_cmp);
	/* No more than a reader takes: a file that is full of gaps keeps the first of them. */
	while (!err && xtr_loss_n_gaps(to) < XTR_LOSS_GAPS_MAX && (i < n || k < a->n_gaps)) {
		const struct xtr_gap *old = xtr_loss_gap_at(from, i);

		if (old && (k == a->n_gaps || old->first <= a->gap[k].first)) {
			err = xtr_loss_add_gap(to, old);
			i++;
		} else {
			err = xtr_loss_add_gap(to, &a->gap[k++]);
		}
	}
	return err;
}

static int add(struct xtr_loss *l, uint32_t stream, uint64_t n)
{
	return xtr_loss_set(l, stream, 0, XTR_LOSS_DAMAGED,
			    xtr_sat_add(xtr_loss_get(l, stream, 0, XTR_LOSS_DAMAGED), n));
}

int rec_account_loss(const struct rec_account *a, struct xtr_loss *to)
{
	const struct xtr_loss *from = xtr_section_loss(a->s);
	int err = 0;

	for (size_t i = 0; i < xtr_loss_n_entries(from) && !err; i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(from, i);

		err = xtr_loss_set(to, e->stream, e->type, e->cause, e->total);
	}
	for (size_t i = 0; i < a->n_streams && !err; i++)
		err = add(to, a->stream[i].stream, a->stream[i].damaged);
	return err ?: add(to, XTR_STREAM_NONE, a->at_end) ?: put_gaps(a, to);
}
