/* SPDX-License-Identifier: BSD-2-Clause */
#include "why_pass.h"

#include <errno.h>
#include <stdlib.h>

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct why_pass *p = ctx;
	bool divided = xtr_split_job(p->past, j, xtr_run_threads_of(p->threads, j), &p->parts);
	const struct xtr_job_parts *parts = divided ? &p->parts : NULL;
	int err = xtr_who_note(&p->names, j) ?: xtr_past_add(p->past, j, parts);

	if (err || !xtr_select_job(&p->select, j))
		return err;
	return p->job(p->ctx, j, parts);
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct why_pass *p = ctx;
	int err = ev->gap && p->model ? xtr_past_lost(p->past, ev->gap->first, ev->gap->last) : 0;

	if (!err && p->model)
		err = xtr_run_threads_event(p->threads, ev);
	if (!err && p->model && p->submits)
		err = xtr_submits_event(p->submits, ev);
	return err ?: xtr_model_event(p->model ? p->model : p->verdict, ev);
}

static int play(struct why_pass *p, const struct xtr_section *s, struct xtr_model *m, bool order)
{
	size_t n;
	const uint32_t *types = xtr_model_types(m, order, &n);

	if (!order && (p->threads || p->submits))
		types = NULL;
	return replay_play(p->cmd, s, types, n, on_event, p) ?: xtr_model_finish(m);
}

void why_pass_free(struct why_pass *p)
{
	xtr_model_free(p->model);
	xtr_model_free(p->verdict);
	xtr_past_free(p->past);
	xtr_run_threads_free(p->threads);
	xtr_submits_free(p->submits);
	xtr_who_free(&p->names);
	p->model = p->verdict = NULL;
	p->past = NULL;
	p->threads = NULL;
	p->submits = NULL;
	p->names = (struct xtr_who){ 0 };
}

int why_pass(struct why_pass *p, const struct xtr_section *s)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(s),
				     .tables = xtr_section_tables(s) };
	int err;

	p->names.tables = mo.tables;
	p->past = xtr_past_new();
	err = p->past ? xtr_run_threads_new(&p->threads, mo.meta, &p->names) : -ENOMEM;
	if (!err && p->threads_too)
		err = xtr_submits_new(&p->submits, mo.meta);
	err = err ?: xtr_model_new(&p->verdict, &mo) ?: play(p, s, p->verdict, true);
	if (err)
		return err;
	p->cmd->again = true;
	mo.verdict = p->verdict;
	mo.job = on_job;
	mo.ctx = p;
	replay_select(p->cmd, s, &p->select);
	return xtr_model_new(&p->model, &mo) ?: play(p, s, p->model, false);
}

bool why_parse_job(const char *text, struct xtr_job_name *name)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	name->ctx = strtoull(text, &end, 10);
	if (errno || *end != ':' || end[1] < '0' || end[1] > '9')
		return false;
	name->seqno = strtoull(end + 1, &end, 10);
	return !errno && !*end;
}
