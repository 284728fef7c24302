/* SPDX-License-Identifier: BSD-2-Clause */
#include "cut_impl.h"
#include "replay/play/play.h"

#include <string.h>

void cut_progress(const struct cut *c, unsigned int from, unsigned int to, uint64_t done,
		  uint64_t all)
{
	if (c->o->progress && all && done <= all)
		c->o->progress(c->o->ctx, from + (unsigned int)((double)done / (double)all *
								(double)(to - from)));
}

int cut_bad_chunk(struct cut *c, const struct xtr_err *err)
{
	if (xtr_map_get(&c->bad, err->offset, 0))
		return 0;
	if (c->o->damage)
		c->o->damage(c->o->ctx, err);
	return xtr_map_put(&c->bad, err->offset, 0, 1);
}

/* Chunks that could not be read when the file was opened; others follow when they are read. */
static int known_damage(struct cut *c)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_problems(c->r) && !err; i++) {
		const struct xtr_problem *p = xtr_reader_problem(c->r, i);

		/* These two say something about the chunks before. */
		if (p->code != XTR_P_MISSING_CHUNKS && p->code != XTR_P_ORDINAL)
			err = xtr_map_put(&c->bad, p->offset, 0, 1);
	}
	return err;
}

static int set_up(struct cut *c)
{
	int err = xtr_cut_note_read(&c->old, xtr_section_meta(c->s));

	if (err)
		return err;
	c->select = c->o->select;
	if (c->old.from > c->select.from)
		c->select.from = c->old.from;
	if (c->old.to && (!c->select.to || c->old.to < c->select.to))
		c->select.to = c->old.to;
	c->from = c->select.from;
	c->to = c->select.to ? c->select.to : UINT64_MAX;
	c->lead = xtr_play_lead_in(c->from);
	c->by_pid = c->select.n_pids || c->old.some_pids;
	c->by_job = c->by_pid || c->select.n_rings || c->select.n_devices || c->old.some_rings;
	return known_damage(c) ?: cut_account_init(c) ?: cut_keep_init(c);
}

int xtr_cut(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_io *io,
	    const struct xtr_cut_opts *opts, struct xtr_cut_result *res)
{
	struct xtr_cut_opts o = { 0 };
	struct cut c = { .r = r, .s = s, .o = &o, .res = res };
	int err;

	memcpy(&o, opts, opts->sz < sizeof(o) ? opts->sz : sizeof(o));
	*res = (struct xtr_cut_result){ 0 };
	err = set_up(&c) ?: cut_plan(&c) ?: cut_write(&c, io);
	cut_account_free(&c);
	cut_plan_free(&c);
	return err;
}
