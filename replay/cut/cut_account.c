/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is missing in the cut, so that events happened = kept + filtered + lost, as in the section
 * it was cut from: there, kept are those in chunks that can be read, and lost are those of missing
 * and damaged chunks too.
 */
#include "cut_impl.h"
#include "base/buf.h"
#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>

/* Gaps that damage makes: they are put in order one by one. */
#define GAPS_MAX 4096u

int cut_account_init(struct cut *c)
{
	for (size_t i = 0; i < xtr_reader_n_problems(c->r); i++)
		c->holes |= xtr_reader_problem(c->r, i)->code == XTR_P_MISSING_CHUNKS;
	c->loss = xtr_loss_copy(xtr_section_loss(c->s), c->lead, c->to);
	return c->loss ? 0 : -ENOMEM;
}

void cut_account_free(struct cut *c)
{
	xtr_loss_free(c->loss);
	xtr_map_free(&c->by_stream);
	free(c->stream);
}

static int add(struct cut *c, uint32_t stream, uint32_t type, enum xtr_loss_cause cause, uint64_t n)
{
	return xtr_loss_set(c->loss, stream, type, cause,
			    xtr_sat_add(xtr_loss_get(c->loss, stream, type, cause), n));
}

/* All further gaps become one, of no stream. */
static int add_more(struct cut *c, const struct xtr_gap *gap)
{
	struct xtr_gap *m = &c->more;

	if (!m->count)
		*m = (struct xtr_gap){ XTR_STREAM_NONE, gap->first, gap->last, 0 };
	m->first = gap->first < m->first ? gap->first : m->first;
	m->last = gap->last > m->last ? gap->last : m->last;
	m->count = xtr_sat_add(m->count, gap->count);
	return 0;
}

/* n events of the stream, which happened between these times, cannot be read. */
static int damaged(struct cut *c, struct cut_stream *s, uint64_t first, uint64_t last, uint64_t n)
{
	struct xtr_gap gap = { .stream = s->stream, .first = first, .last = last, .count = n };
	int err = add(c, s->stream, 0, XTR_LOSS_DAMAGED, n);

	s->damaged = xtr_sat_add(s->damaged, n);
	c->res->damaged = xtr_sat_add(c->res->damaged, n);
	if (err || first > c->to || last < c->lead)
		return err;
	if (++c->n_gaps > GAPS_MAX)
		return add_more(c, &gap);
	return xtr_loss_add_gap(c->loss, &gap);
}

static int find_stream(struct cut *c, const struct xtr_chunk *chunk, struct cut_stream **s)
{
	const uint64_t *i = xtr_map_get(&c->by_stream, chunk->stream, 0);

	if (i) {
		*s = &c->stream[*i];
		return 0;
	}
	if (xtr_grow_array(&c->stream, &c->cap_streams, c->n_streams + 1, sizeof(**s)) ||
	    xtr_map_put(&c->by_stream, chunk->stream, 0, c->n_streams))
		return -ENOMEM;
	*s = &c->stream[c->n_streams++];
	**s = (struct cut_stream){ .stream = chunk->stream,
				   .last_ns = xtr_section_summary(c->s)->ts_min };
	return 0;
}

int cut_account_chunk(struct cut *c, const struct xtr_chunk *chunk, struct cut_stream **out)
{
	struct cut_stream *s;
	int err = find_stream(c, chunk, &s);
	uint64_t hole;

	if (err)
		return err;
	if (c->holes && chunk->first_ordinal > s->next_ordinal) {
		hole = chunk->first_ordinal - s->next_ordinal;
		c->in_holes = xtr_sat_add(c->in_holes, hole);
		err = damaged(c, s, s->last_ns < chunk->ts_min ? s->last_ns : chunk->ts_min,
			      chunk->ts_min, hole);
	}
	s->next_ordinal = chunk->first_ordinal + chunk->n_records;
	if (chunk->n_records)
		s->last_ns = chunk->ts_max;
	if (chunk->lost_total > s->lost)
		s->lost = chunk->lost_total;
	c->res->events += chunk->n_records;
	*out = s;
	return err;
}

int cut_account_damaged(struct cut *c, const struct xtr_chunk *chunk, struct cut_stream *s)
{
	return chunk->n_records ? damaged(c, s, chunk->ts_min, chunk->ts_max, chunk->n_records) : 0;
}

int cut_account_filtered(struct cut *c, uint32_t stream, uint32_t type, uint64_t n)
{
	c->res->filtered += n;
	return n ? add(c, stream, type, 0, n) : 0;
}

bool cut_account_needs_chunk(const struct cut_stream *s)
{
	uint64_t lost = xtr_sat_add(s->lost, s->damaged);

	return lost > s->written && lost > s->told;
}

static void sum_told(struct cut *c)
{
	for (size_t i = 0; i < xtr_loss_n_entries(c->loss); i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(c->loss, i);
		const uint64_t *k = xtr_map_get(&c->by_stream, e->stream, 0);

		if (xtr_loss_is_loss(e->cause) && k)
			c->stream[*k].told = xtr_sat_add(c->stream[*k].told, e->total);
	}
}

/*
 * Events behind the last chunk of a damaged section are known from END alone, and losses may be
 * told by END alone: nothing says of which stream they are.
 */
int cut_account_end(struct cut *c)
{
	const struct xtr_section_summary *sum = xtr_section_summary(c->s);
	uint64_t streams = 0, table = xtr_loss_total(c->loss), known, all;
	struct cut_stream none = { .stream = XTR_STREAM_NONE };

	for (size_t i = 0; i < c->n_streams; i++)
		streams =
			xtr_sat_add(streams, xtr_sat_add(c->stream[i].lost, c->stream[i].damaged));
	known = table > streams ? table : streams;
	all = xtr_sat_add(sum->lost, c->res->damaged);
	if (all > known) {
		int err = add(c, XTR_STREAM_NONE, 0, XTR_LOSS_DAMAGED, all - table);

		if (err)
			return err;
	}
	sum_told(c);
	if (sum->missing > c->in_holes) {
		int err = damaged(c, &none, sum->ts_max, sum->ts_max, sum->missing - c->in_holes);

		if (err)
			return err;
	}
	return c->more.count ? xtr_loss_add_gap(c->loss, &c->more) : 0;
}
