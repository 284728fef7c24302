/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which jobs the cut needs. The events are played as `xtr jobs --from --to` plays them, into the
 * two models of its two passes at once. Each job that it would show puts its name, and the names of
 * those that its figures rest on, into the set of keys; then the fences that they wait for are
 * gathered. A name stands for all its events, so that what shares a name is kept or left out
 * together.
 */
#include "cut_impl.h"
#include "replay/play/play.h"
#include "base/buf.h"
#include "format/codec/record.h"

#include <errno.h>
#include <stdlib.h>

/* Links from job to job that are noted, 32 bytes each. */
#define LINKS_MAX (1u << 20)

static bool is_wait(uint32_t type)
{
	return type == XTR_EV_JOB_WAIT_DEP || type == XTR_EV_JOB_UNSCHEDULABLE;
}

/* As for the first pass of `xtr jobs`. */
static bool tells_order(const struct cut *c, const struct xtr_event *ev)
{
	size_t n;
	const uint32_t *types = xtr_model_types(c->verdict, true, &n);

	while (n--)
		if (types[n] == ev->type)
			return true;
	return !ev->rec;
}

/* Without by_job all of the window is kept: only what has events before it needs its name noted. */
static void need(struct cut *c, struct xtr_job_name n)
{
	if (!n.ctx && !n.seqno)
		return;
	if (c->by_job || xtr_key_set_has(&c->early, n.ctx, n.seqno))
		xtr_key_set_add(&c->keys, n.ctx, n.seqno);
}

/* --- the jobs -------------------------------------------------------------------------------- */

/*
 * `job`, if it is kept, has the same figures, and the same part in those of others, only with `by`,
 * which ended before it.
 */
static int link_to(struct cut *c, const struct xtr_job *j, struct xtr_job_name by)
{
	struct cut_link *l;

	if (c->n_links == LINKS_MAX)
		return 0;
	if (!c->by_job && !xtr_key_set_has(&c->early, by.ctx, by.seqno))
		return 0;
	if (xtr_grow_array(&c->link, &c->cap_links, c->n_links + 1, sizeof(*l)))
		return -ENOMEM;
	l = &c->link[c->n_links++];
	l->job = (struct xtr_job_name){ j->ctx, j->seqno };
	l->by = by;
	return 0;
}

/* Which jobs are kept is known at the end. Backwards: what ended before has its links before. */
static void follow_links(struct cut *c)
{
	for (size_t i = c->n_links; i--;) {
		const struct cut_link *l = &c->link[i];

		if (xtr_key_set_has(&c->keys, l->job.ctx, l->job.seqno) ||
		    xtr_key_set_has(&c->deps, l->job.ctx, l->job.seqno))
			need(c, l->by);
	}
}

static int last_of_ring(struct cut *c, size_t ring, struct cut_last **last)
{
	if (ring >= c->n_lasts) {
		if (xtr_grow_array(&c->last_of, &c->cap_lasts, ring + 1, sizeof(**last)))
			return -ENOMEM;
		for (; c->n_lasts <= ring; c->n_lasts++)
			c->last_of[c->n_lasts] = (struct cut_last){ 0 };
	}
	*last = &c->last_of[ring];
	return 0;
}

/*
 * A job is in a batch with the one that ended last before it on its ring. If one of several that
 * ended within so short a time were left out, others would seem to be a batch.
 */
static int link_batch(struct cut *c, const struct xtr_job *j, bool selected)
{
	bool follows = (j->flags & XTR_FLAG_BATCH) && !(j->flags & XTR_FLAG_BATCH_FIRST);
	struct cut_last *last;
	int err = last_of_ring(c, j->ring->index, &last);

	if (err)
		return err;
	if (last->done_ns && j->done_ns - last->done_ns < XTR_BATCH_NS)
		err = link_to(c, j, last->name);
	if (!err && j->flags & XTR_FLAG_BATCH_FIRST) /* its end bounds the times of them all */
		err = link_to(c, j, j->prev);
	if (follows && last->selected) /* which is first of a batch only with this one */
		need(c, (struct xtr_job_name){ j->ctx, j->seqno });
	*last = (struct cut_last){ { j->ctx, j->seqno }, j->done_ns, selected };
	return err;
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct cut *c = ctx;
	bool selected = xtr_select_job(&c->select, j);
	int err = 0;

	if (selected) {
		need(c, (struct xtr_job_name){ j->ctx, j->seqno });
		need(c, j->overtook);
		need(c, j->prev);
		need(c, j->floor);
	}
	/* Without the one that overtook it first, another one would seem to. */
	if (j->flags & XTR_FLAG_OVERTAKEN)
		err = link_to(c, j, j->overtaker);
	return err || !xtr_job_resided(j) ? err : link_batch(c, j, selected);
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct cut *c = ctx;
	struct xtr_job_name n;
	int err = 0;

	if (ev->rec && cut_kind_of(ev->rec, &n) != CUT_OTHER) {
		c->last = n;
		c->n_waits += is_wait(ev->type);
		if (!c->by_job && ev->ts < c->from)
			xtr_key_set_add(&c->early, n.ctx, n.seqno);
		else if (!c->by_job)
			need(c, n);
	}
	if (tells_order(c, ev))
		err = xtr_model_event(c->verdict, ev);
	return err ? err : xtr_model_event(c->model, ev);
}

static void on_damage(void *ctx, const struct xtr_err *err)
{
	struct cut *c = ctx;

	cut_bad_chunk(c, err); /* if there is no memory it is found again when it is read */
}

static void on_progress(void *ctx, unsigned int permille)
{
	cut_progress(ctx, 0, 450, permille, 1000);
}

static int play_jobs(struct cut *c)
{
	struct xtr_play p = {
		.reader = c->r,
		.section = c->s,
		.from = c->lead,
		.to = c->select.to,
		.event = on_event,
		.damage = on_damage,
		.progress = on_progress,
		.ctx = c,
	};
	struct xtr_err err;
	int ret;

	p.types = xtr_model_types(c->model, false, &p.n_types);
	ret = xtr_play(&p, &err);

	ret = ret ?: xtr_model_finish(c->verdict) ?: xtr_model_finish(c->model);
	/* Jobs that are open at the end were so until the last event. */
	xtr_key_set_add(&c->keys, c->last.ctx, c->last.seqno);
	return ret;
}

static int models(struct cut *c)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(c->s),
				     .tables = xtr_section_tables(c->s) };
	int err = xtr_model_new(&c->verdict, &mo);

	mo.job = on_job;
	mo.ctx = c;
	return err ? err : xtr_model_new(&c->model, &mo);
}

/* --- what they wait for ----------------------------------------------------------------------- */

/* A dependency may name either fence of a job; the model looks at both (dependency_waits.c). */
static void add_deps(struct cut *c, const uint8_t *rec)
{
	uint64_t ctx, seqno;

	if (xtr_rec_size(rec) < XTR_REC_END(job_dep, dep_seqno))
		return;
	ctx = XTR_REC_GET(rec, job_dep, dep_ctx);
	seqno = XTR_REC_GET(rec, job_dep, dep_seqno);
	for (unsigned int i = 0; i < 2; i++, ctx++)
		if (c->by_job || xtr_key_set_has(&c->early, ctx, seqno))
			xtr_key_set_add(&c->deps, ctx, seqno);
}

static void deps_of_chunk(struct cut *c, const uint8_t *recs, size_t len)
{
	for (size_t at = 0; at < len; at += xtr_rec_size(recs + at)) {
		const uint8_t *rec = recs + at;
		uint64_t ts = xtr_rec_ts(rec);
		struct xtr_job_name n;

		if (!is_wait(xtr_rec_type(rec)) || ts < c->lead || ts > c->to ||
		    cut_kind_of(rec, &n) != CUT_JOB)
			continue;
		if ((!c->by_job && ts >= c->from) || xtr_key_set_has(&c->keys, n.ctx, n.seqno))
			add_deps(c, rec);
	}
}

static int find_deps(struct cut *c)
{
	size_t cap = 0, n = xtr_section_n_chunks(c->s);
	uint8_t *buf = NULL;
	int err = c->n_waits ? xtr_key_set_init(&c->deps, 2 * c->n_waits) : 0;

	for (size_t i = 0; i < n && c->n_waits && !err; i++) {
		const struct xtr_chunk *ch = xtr_section_chunk(c->s, i);
		struct xtr_err why;

		if (ch->type != XTR_CHUNK_EVENTS || cut_keeps_none(c, ch) ||
		    xtr_map_get(&c->bad, ch->offset, 0))
			continue;
		err = xtr_reader_decode(c->r, ch, &buf, &cap, &why);
		if (err == -EBADMSG)
			err = cut_bad_chunk(c, &why);
		else if (!err)
			deps_of_chunk(c, buf, ch->rec_len);
		cut_progress(c, 450, 600, i, n);
	}
	free(buf);
	return err;
}

/* --- the note -------------------------------------------------------------------------------- */

static int note_rings(struct cut *c)
{
	struct xtr_ids *const of[XTR_VERDICT_COUNT] = {
		[XTR_VERDICT_OUT_OF_ORDER] = &c->note.out_of_order,
		[XTR_VERDICT_BATCHED] = &c->note.batched,
		[XTR_VERDICT_PARALLEL] = &c->note.parallel,
	};
	int err = 0;

	c->note.some_rings = c->o->select.n_rings || c->o->select.n_devices || c->old.some_rings;
	for (size_t i = 0; i < xtr_model_n_rings(c->model) && !err; i++) {
		const struct xtr_model_ring *ring = xtr_model_ring(c->model, i);

		if (c->note.some_rings && xtr_select_ring(&c->select, ring) &&
		    (!c->old.some_rings || xtr_ids_have(&c->old.rings, ring->id)))
			err = xtr_ids_add(&c->note.rings, ring->id);
	}
	for (size_t i = 0; i < xtr_model_n_rings(c->verdict) && !err; i++) {
		const struct xtr_model_ring *ring = xtr_model_ring(c->verdict, i);
		enum xtr_ring_verdict v = xtr_ring_measure(ring);

		if (of[v])
			err = xtr_ids_add(of[v], ring->id);
	}
	return err;
}

static int note_pids(struct cut *c)
{
	const struct xtr_select *s = &c->o->select;
	int err = 0;

	c->note.some_pids = c->by_pid;
	for (size_t i = 0; i < s->n_pids && !err; i++)
		if (!c->old.some_pids || xtr_ids_have(&c->old.pids, s->pids[i]))
			err = xtr_ids_add(&c->note.pids, s->pids[i]);
	return err || s->n_pids ? err : xtr_ids_copy(&c->note.pids, &c->old.pids);
}

/* Records in the chunks that are played. */
static uint64_t records(const struct cut *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < xtr_section_n_chunks(c->s); i++) {
		const struct xtr_chunk *ch = xtr_section_chunk(c->s, i);

		/* In a cut by time alone only names from before the window are noted. */
		if (ch->type == XTR_CHUNK_EVENTS && !cut_keeps_none(c, ch) &&
		    (c->by_job || ch->ts_min < c->from))
			n += ch->n_records;
	}
	return n;
}

int cut_plan(struct cut *c)
{
	uint64_t n = records(c);
	int err = xtr_key_set_init(&c->keys, n);

	if (!err && !c->by_job)
		err = xtr_key_set_init(&c->early, n);
	err = err ?: note_pids(c) ?: models(c) ?: play_jobs(c) ?: find_deps(c);
	if (!err)
		follow_links(c);
	if (!err)
		err = note_rings(c);
	c->note.is_cut = true;
	c->note.from = c->select.from;
	c->note.to = c->select.to;
	xtr_model_free(c->model);
	xtr_model_free(c->verdict);
	c->model = c->verdict = NULL;
	xtr_key_set_free(&c->early);
	return err;
}

void cut_plan_free(struct cut *c)
{
	free(c->last_of);
	free(c->link);
	xtr_key_set_free(&c->keys);
	xtr_key_set_free(&c->deps);
	xtr_map_free(&c->ops);
	xtr_job_sources_close(c->sources);
	xtr_map_free(&c->bad);
	xtr_cut_note_free(&c->note);
	xtr_cut_note_free(&c->old);
}
