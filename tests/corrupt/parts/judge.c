/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge.h"
#include "format/read/chunk.h"
#include "format/read/merge.h"
#include "format/write/recover.h"
#include "format/read/intact.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(cond, why)           \
	do {                        \
		if (cond)           \
			return why; \
	} while (0)

struct trial {
	struct truth *t;
	const struct damage *d;
	struct xtr_reader *r; /* of the damaged file */
	uint8_t *intact;      /* of each chunk: it stands there unchanged */
	uint8_t *shown;       /* by the reader */
	uint8_t *kept;        /* by xtr_recover */
	bool ids_differ;      /* of the sections that were found */
	bool twice;           /* one is whole, and there again */
	uint64_t in_holes;
	const char *bad_hole;
	uint8_t *buf;
	size_t cap;
};

/* --- what is there ---------------------------------------------------------------------------- */

/* A part that was put over another one may lie inside a chunk, where nobody looks for chunks. */
static bool inside_another(const struct trial *tr, size_t at)
{
	if (!tr->d->may_hide || !tr->r)
		return false;
	for (size_t i = 0; i < xtr_reader_n_sections(tr->r); i++) {
		const struct xtr_section *s = xtr_reader_section(tr->r, i);

		for (size_t k = 0; k < xtr_section_n_chunks(s); k++) {
			const struct xtr_chunk *c = xtr_section_chunk(s, k);

			if (c->offset < at && at < c->offset + truth_span(c))
				return true;
		}
	}
	/* One that is ignored, as it is out of order, takes its place all the same. */
	for (size_t i = 0; i < xtr_reader_n_problems(tr->r); i++) {
		const struct xtr_problem *p = xtr_reader_problem(tr->r, i);
		struct xtr_chunk c;

		if (p->code == XTR_P_CHUNK_ORDER && p->offset < at &&
		    xtr_chunk_parse(tr->d->data + p->offset, &c) && at < p->offset + truth_span(&c))
			return true;
	}
	return false;
}

static bool stands(const struct trial *tr, size_t off, size_t n)
{
	for (unsigned int i = 0; i < tr->d->n_pieces; i++) {
		const struct piece *p = &tr->d->piece[i];
		size_t at = off + p->at - p->from; /* wraps where it lies before the piece */

		if (at <= tr->d->n && n <= tr->d->n - at &&
		    !memcmp(tr->d->data + at, tr->t->data + off, n) && !inside_another(tr, at))
			return true;
	}
	return false;
}

static void find_intact(struct trial *tr)
{
	for (size_t i = 0; i < tr->t->n_chunks; i++) {
		const struct xtr_chunk *c = &tr->t->chunk[i].c;

		tr->intact[i] = stands(tr, (size_t)c->offset, truth_span(c));
	}
}

static bool any_intact(const struct trial *tr)
{
	for (size_t i = 0; i < tr->t->n_chunks; i++)
		if (tr->intact[i])
			return true;
	return false;
}

static const struct truth_section *section_of(const struct truth *t, uint64_t id)
{
	for (size_t i = 0; i < t->n_sections; i++)
		if (t->section[i].id == id)
			return &t->section[i];
	return NULL;
}

/* --- what is shown ---------------------------------------------------------------------------- */

static const char *shown_chunks(struct trial *tr, const struct xtr_section *s, uint64_t *events)
{
	uint64_t id = xtr_section_file_id(s);
	uint32_t last = 0;

	*events = 0;
	for (size_t k = 0; k < xtr_section_n_chunks(s); k++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, k);
		const struct truth_chunk *tc;
		struct xtr_err err;

		if (c->type != XTR_CHUNK_EVENTS || !c->n_records ||
		    xtr_reader_decode(tr->r, c, &tr->buf, &tr->cap, &err))
			continue;
		tc = truth_find(tr->t, id, c->seq);
		REFUSE(!tc || !tc->recs || tc->c.stream != c->stream ||
			       tc->c.rec_len != c->rec_len || memcmp(tc->recs, tr->buf, c->rec_len),
		       "an event is shown that is not in the file");
		REFUSE(*events && c->seq <= last, "a chunk is shown twice");
		last = c->seq;
		*events += c->n_records;
		tr->shown[tc - tr->t->chunk] = 1;
	}
	return NULL;
}

static const char *merged(struct trial *tr, const struct xtr_section *s, uint64_t events)
{
	const struct xtr_merge_opts o = { .sz = sizeof(o) };
	struct xtr_merge *m;
	struct xtr_event ev;
	struct xtr_err err;
	const char *why = NULL;
	uint64_t last = 0;
	int ret;

	REFUSE(xtr_merge_open(&m, tr->r, s, &o), "the merge does not open");
	truth_count(tr->t);
	while (!why && ((ret = xtr_merge_next(m, &ev, &err)) == 1 || ret == -EBADMSG)) {
		if (ret != 1 || ev.gap)
			continue;
		if (ev.ts < last)
			why = "the merge goes back in time";
		else if (!truth_shown(tr->t, ev.stream, ev.rec, ev.size))
			why = "the merge shows an event that is not in the file, or twice";
		last = ev.ts;
		events--;
	}
	xtr_merge_close(m);
	REFUSE(!why && (ret || events), "the merge does not show all");
	return why;
}

static const char *shown(struct trial *tr)
{
	for (size_t i = 0; i < xtr_reader_n_sections(tr->r); i++) {
		const struct xtr_section *s = xtr_reader_section(tr->r, i);
		const struct xtr_section_summary *sum = xtr_section_summary(s);
		const struct truth_section *ts = section_of(tr->t, xtr_section_file_id(s));
		const char *why;
		uint64_t events;

		REFUSE(!ts, "a section is found that is not in the file");
		why = shown_chunks(tr, s, &events);
		if (!why && tr->d->merge)
			why = merged(tr, s, events);
		if (why)
			return why;
		if (!tr->ids_differ)
			continue;
		REFUSE(sum->events + sum->missing > ts->events, "more is missing than there was");
		REFUSE(xtr_section_end_reason(s) && sum->events + sum->missing != ts->events,
		       "shown + missing is not what there was");
	}
	return NULL;
}

static const char *only_touched(const struct trial *tr)
{
	for (size_t i = 0; i < tr->t->n_chunks; i++) {
		const struct truth_chunk *tc = &tr->t->chunk[i];
		size_t end = (size_t)tc->c.offset + truth_span(&tc->c);

		if (!tc->recs || !tr->intact[i] || tr->shown[i])
			continue;
		REFUSE(end <= tr->d->safe, "what was there before is not shown");
		REFUSE(!tr->d->moved && (end <= tr->d->from || tc->c.offset >= tr->d->to),
		       "a chunk that is not touched is not shown");
	}
	return NULL;
}

/* --- where it is told ------------------------------------------------------------------------- */

/* Where the header, chunk or trailer begins in which an offset lies, and whether it is padding. */
static size_t place_of(const struct truth *t, size_t off, bool *padding)
{
	size_t at = 0;

	*padding = false;
	for (size_t i = 0; i < t->n_sections; i++) {
		const struct truth_section *s = &t->section[i];

		if (off >= s->offset) {
			at = (size_t)s->offset;
			*padding = off >= at + XTR_FILE_HEADER_SIZE; /* of a longer header */
		}
		for (size_t k = s->first; k < s->behind && t->chunk[k].c.offset <= off; k++) {
			at = (size_t)t->chunk[k].c.offset;
			*padding = off >= at + truth_span(&t->chunk[k].c);
		}
		if (off >= s->trailer && s->trailer < s->end) {
			at = (size_t)s->trailer;
			*padding = off >= at + XTR_TRAILER_SIZE;
		}
	}
	return at;
}

static size_t first_difference(const struct trial *tr)
{
	size_t n = tr->d->n < tr->t->n ? tr->d->n : tr->t->n, i = 0;

	while (i < n && tr->d->data[i] == tr->t->data[i])
		i++;
	return i;
}

static bool all_but_index_intact(const struct trial *tr)
{
	/* Nothing tells of a whole section behind the end of the file. */
	size_t end = tr->d->n_pieces == 1 ? tr->d->n : SIZE_MAX;

	for (size_t i = 0; i < tr->t->n_chunks; i++)
		if (!tr->intact[i] && tr->t->chunk[i].c.type != XTR_CHUNK_INDEX &&
		    tr->t->section[tr->t->chunk[i].section].offset < end)
			return false;
	for (size_t i = 0; i < tr->t->n_sections && tr->t->section[i].offset < end; i++)
		if (!stands(tr, (size_t)tr->t->section[i].offset, XTR_FILE_HEADER_SIZE))
			return false;
	return true;
}

static const char *told(const struct trial *tr)
{
	size_t diff = first_difference(tr), place;
	const struct xtr_problem *p = NULL;
	bool padding;

	if (diff == tr->t->n && tr->d->n == tr->t->n) {
		REFUSE(xtr_reader_n_problems(tr->r), "a problem is told although nothing changed");
		return NULL;
	}
	place = place_of(tr->t, diff, &padding);
	for (size_t i = 0; i < xtr_reader_n_problems(tr->r) && !p; i++)
		if (xtr_reader_problem(tr->r, i)->code != XTR_P_NO_META)
			p = xtr_reader_problem(tr->r, i);
	if (!p) {
		REFUSE(tr->d->named && !padding, "a change is not told");
		REFUSE(!all_but_index_intact(tr), "damage is not told");
		return NULL;
	}
	/* Padding is not looked at: what follows it is where it shows. */
	REFUSE(p->offset < place || (!padding && p->offset > diff),
	       "the first problem is told in the wrong place");
	return NULL;
}

/* --- what is recovered ------------------------------------------------------------------------ */

static void on_hole(void *ctx, const struct xtr_recover_hole *h)
{
	struct trial *tr = ctx;

	tr->in_holes += h->events;
	if (h->first > h->last || !h->events || h->offset > tr->d->n)
		tr->bad_hole = "a hole is not well-formed";
}

static bool same_chunk(const struct xtr_chunk *a, const struct xtr_chunk *b)
{
	return a->stream == b->stream && a->stored_len == b->stored_len && a->codec == b->codec &&
	       a->filter == b->filter && a->n_records == b->n_records && a->ts_min == b->ts_min &&
	       a->ts_max == b->ts_max && a->payload_crc == b->payload_crc &&
	       a->rec_len == b->rec_len;
}

/* Each EVENTS chunk is one of the section, in their order. */
static const char *kept_chunks(struct trial *tr, const struct xtr_reader *back,
			       const struct xtr_section *s, const struct truth_section *ts)
{
	size_t next = ts->first;
	struct xtr_err err;

	for (size_t k = 0; k < xtr_section_n_chunks(s); k++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, k);

		if (c->type != XTR_CHUNK_EVENTS || !c->n_records)
			continue;
		while (next < ts->behind && (!tr->intact[next] || !tr->t->chunk[next].recs ||
					     !same_chunk(&tr->t->chunk[next].c, c)))
			next++;
		REFUSE(next == ts->behind, "recover keeps a chunk that is not there unchanged");
		REFUSE(xtr_reader_decode(back, c, &tr->buf, &tr->cap, &err) ||
			       memcmp(tr->buf, tr->t->chunk[next].recs, c->rec_len),
		       "recover keeps an event that is not in the file");
		tr->kept[next++] = 1;
	}
	return NULL;
}

static bool has(const struct trial *tr, const struct truth_section *ts, uint8_t type, bool all)
{
	for (size_t i = ts->first; i < ts->behind; i++)
		if (tr->t->chunk[i].c.type == type && tr->intact[i] != all)
			return !all;
	return all;
}

static const char *sums(const struct trial *tr, const struct xtr_section *s,
			const struct truth_section *ts, const struct xtr_recover_result *res)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	uint64_t open;

	REFUSE(sum->events != res->events, "recover says another number of events");
	REFUSE(sum->missing, "events are missing in what is recovered");
	REFUSE(sum->lost < res->missing, "missing events are not counted as lost");
	if (tr->twice)
		return NULL;
	xtr_meta_config_u64(xtr_section_meta(s), "recovered-unsure", &open);
	REFUSE(!!open != res->unsure, "META does not say that the end is missing");
	REFUSE(res->events + res->missing > ts->events, "recover misses more than there was");
	REFUSE(!res->unsure && res->events + res->missing != ts->events,
	       "kept + missing is not what there was");
	REFUSE(res->unsure && ts->end_chunk != SIZE_MAX && tr->intact[ts->end_chunk],
	       "recover is not sure although END is there");
	REFUSE(res->complete && res->events != ts->events, "recover calls complete what is not");
	REFUSE(res->complete &&
		       (!has(tr, ts, XTR_CHUNK_TABLE, true) || !has(tr, ts, XTR_CHUNK_LOSS, true) ||
			!has(tr, ts, XTR_CHUNK_ATTACH, true)),
	       "recover calls complete what lacks more than events");
	REFUSE(has(tr, ts, XTR_CHUNK_LOSS, true) && ts->end_chunk != SIZE_MAX &&
		       tr->intact[ts->end_chunk] && sum->lost != ts->lost + res->missing,
	       "lost while recording + missing is not what is counted");
	return NULL;
}

static const char *all_kept(const struct trial *tr)
{
	for (size_t i = 0; i < tr->t->n_chunks; i++) {
		if (!tr->t->chunk[i].recs)
			continue;
		REFUSE(tr->intact[i] && !tr->kept[i], "recover leaves a good chunk out");
	}
	return NULL;
}

static const char *recovered(struct trial *tr)
{
	const struct xtr_recover_opts o = { .sz = sizeof(o), .hole = on_hole, .ctx = tr };
	size_t n = xtr_reader_n_sections(tr->r), written = 0;
	size_t *of = must(calloc(n + 1, sizeof(*of)));
	struct xtr_recover_result *res = must(calloc(n + 1, sizeof(*res)));
	struct xtr_reader *back = NULL;
	struct xtr_io *io;
	struct xtr_err err;
	const char *why = NULL;
	uint64_t missing = 0;

	if (xtr_io_mem_new(&io))
		must(NULL);
	for (size_t i = 0; i < n && !why; i++) {
		if (xtr_recover(tr->r, i, io, &o, &res[i]))
			why = "recover fails";
		missing += res[i].missing;
		if (res[i].written)
			of[written++] = i;
	}
	if (xtr_reader_open(&back, io, &err) && !why)
		why = "what is recovered does not open";
	if (!why && (xtr_reader_verify(back, NULL, NULL) || xtr_reader_n_problems(back)))
		why = "what is recovered has problems";
	if (!why && xtr_reader_n_sections(back) != written)
		why = "sections are not kept apart";
	for (size_t i = 0; i < written && !why; i++) {
		const struct xtr_section *s = xtr_reader_section(back, i);
		const struct truth_section *ts =
			section_of(tr->t, xtr_section_file_id(xtr_reader_section(tr->r, of[i])));

		why = kept_chunks(tr, back, s, ts);
		if (!why)
			why = sums(tr, s, ts, &res[of[i]]);
	}
	xtr_reader_close(back);
	free(res);
	free(of);
	if (!why && missing != tr->in_holes)
		why = "the holes are not what is missing";
	if (!why)
		why = tr->bad_hole;
	return why ? why : all_kept(tr);
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool ids_differ(const struct xtr_reader *r)
{
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		for (size_t k = 0; k < i; k++)
			if (xtr_section_file_id(xtr_reader_section(r, i)) ==
			    xtr_section_file_id(xtr_reader_section(r, k)))
				return false;
	return true;
}

static const char *try_all(struct trial *tr)
{
	struct xtr_err err;
	const char *why;

	tr->r = truth_open(tr->d->data, tr->d->n, &err);
	find_intact(tr);
	if (!tr->r) {
		REFUSE(err.problem == XTR_P_NONE, "the reader failed");
		REFUSE(tr->d->n >= XTR_FILE_HEADER_SIZE && any_intact(tr),
		       "a file with whole chunks is refused");
		return NULL;
	}
	REFUSE(xtr_reader_verify(tr->r, NULL, NULL), "verifying failed");
	tr->ids_differ = ids_differ(tr->r);
	for (size_t i = 0; i < xtr_reader_n_sections(tr->r) && !tr->ids_differ; i++)
		tr->twice |= xtr_section_is_whole(tr->r, xtr_reader_section(tr->r, i));
	why = shown(tr);
	if (!why)
		why = only_touched(tr);
	if (!why)
		why = told(tr);
	return why ? why : recovered(tr);
}

const char *judge(struct truth *t, const struct damage *d)
{
	struct trial tr = { .t = t, .d = d };
	const char *why;

	tr.intact = must(calloc(3, t->n_chunks + 1));
	tr.shown = tr.intact + t->n_chunks + 1;
	tr.kept = tr.shown + t->n_chunks + 1;
	why = try_all(&tr);
	xtr_reader_close(tr.r);
	free(tr.intact);
	free(tr.buf);
	return why;
}
