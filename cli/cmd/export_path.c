/* SPDX-License-Identifier: BSD-2-Clause */
#include "export_path.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_steps(struct xtr_export_steps *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		free(s->step[i].who);
	free(s->step);
	*s = (struct xtr_export_steps){ 0 };
}

static void free_path(struct xtr_export_path *p)
{
	free_steps(&p->path);
	free_steps(&p->parts);
}

static void forget(struct export_path *e)
{
	for (size_t i = 0; i < e->paths.n; i++)
		free_path(&e->paths.path[i]);
	free(e->paths.path);
	e->paths = (struct xtr_export_paths){ 0 };
}

void export_path_free(struct export_path *e)
{
	why_pass_free(&e->pass);
	forget(e);
}

/* Room for n steps; they are counted as they are filled. 0 or -ENOMEM. */
static int begin_steps(struct xtr_export_steps *s, uint32_t n)
{
	s->step = calloc((size_t)n + 1, sizeof(*s->step));
	return s->step ? 0 : -ENOMEM;
}

char *export_who(const struct xtr_who *names, uint64_t who)
{
	char number[XTR_TEXT_PROCESS] = "", *text;
	size_t n;
	const char *name = xtr_who_name(names, who, &n);

	if (xtr_who_process(who))
		xtr_text_process(number, who);
	if (asprintf(&text, "%.*s%s%s", name ? (int)n : 0, name ? name : "",
		     name && n && *number ? " " : "", number) < 0)
		return NULL;
	return text;
}

static int add_step(struct xtr_export_steps *s, const struct xtr_who *names, uint64_t who,
		    struct xtr_export_step step)
{
	step.process = xtr_who_process(who);
	step.who = export_who(names, who);
	if (!step.who)
		return -ENOMEM;
	s->step[s->n++] = step;
	return 0;
}

static int take_steps(const struct export_path *e, struct xtr_export_steps *out)
{
	const struct xtr_path *p = &e->path;
	int err = begin_steps(out, p->n);

	for (uint32_t i = 0; i < p->n && !err; i++) {
		const struct xtr_path_step *s = &p->step[i];

		err = add_step(out, &e->pass.names, s->who,
			       (struct xtr_export_step){ .from_ns = s->from_ns,
							 .to_ns = s->to_ns,
							 .kind = xtr_path_name(s->kind),
							 .job = s->job,
							 .ring_id = s->ring,
							 .tid = s->tid });
	}
	return err;
}

static int take_parts(const struct export_path *e, const struct xtr_job_parts *p,
		      struct xtr_export_steps *out)
{
	int err = begin_steps(out, p->n);

	for (uint32_t i = 0; i < p->n && !err; i++) {
		const struct xtr_job_part *s = &p->part[i];

		err = add_step(out, &e->pass.names, s->root_who,
			       (struct xtr_export_step){ .from_ns = s->from_ns,
							 .to_ns = s->to_ns,
							 .kind = xtr_part_name(s->kind),
							 .cause = xtr_part_name(s->root_kind),
							 .job = s->job,
							 .ring_id = s->root_ring });
	}
	return err;
}

static int make_path(struct export_path *e, const struct xtr_job *j, const struct xtr_job_parts *p,
		     struct xtr_export_path *out)
{
	*out = (struct xtr_export_path){ .job = { j->ctx, j->seqno }, .folded = p->folded };
	if (p->n)
		out->ns = p->part[p->n - 1].to_ns - p->part[0].from_ns;
	xtr_path_to(e->pass.past, e->pass.submits, &out->job, &e->path);
	out->cut = e->path.cut;
	return take_steps(e, &out->path) ?: take_parts(e, p, &out->parts);
}

/* The shortest of those kept, of equal ones the last. */
static size_t shortest(const struct xtr_export_paths *all)
{
	size_t least = 0;

	for (size_t i = 1; i < all->n; i++)
		if (all->path[i].ns <= all->path[least].ns)
			least = i;
	return least;
}

static uint64_t took(const struct xtr_job_parts *p)
{
	return p->n ? p->part[p->n - 1].to_ns - p->part[0].from_ns : 0;
}

static int on_job(void *ctx, const struct xtr_job *j, const struct xtr_job_parts *p)
{
	struct export_path *e = ctx;
	struct xtr_export_paths *all = &e->paths;
	struct xtr_export_path made;
	size_t at = all->n;
	int err;

	if (!p || (e->named && (j->ctx != e->name.ctx || j->seqno != e->name.seqno)))
		return 0;
	if (all->n == e->most) {
		at = shortest(all);
		if (took(p) <= all->path[at].ns)
			return 0;
	}
	err = make_path(e, j, p, &made);
	if (err) {
		free_path(&made);
		return err;
	}
	if (at == all->n)
		all->n++;
	else
		free_path(&all->path[at]);
	/* In the order in which they came, so that of equal ones the first stays the first. */
	memmove(&all->path[at], &all->path[at + 1], (all->n - 1 - at) * sizeof(*all->path));
	all->path[all->n - 1] = made;
	return 0;
}

/* The longest first, of equal ones the one that came first: few, so by insertion. */
static void sort(struct xtr_export_paths *all)
{
	for (size_t i = 1; i < all->n; i++) {
		struct xtr_export_path p = all->path[i];
		size_t at = i;

		for (; at && all->path[at - 1].ns < p.ns; at--)
			all->path[at] = all->path[at - 1];
		all->path[at] = p;
	}
}

int export_path(void *ctx, const struct xtr_section *s, const struct xtr_export_paths **out)
{
	struct export_path *e = ctx;
	bool again = e->cmd->again;
	int err;

	forget(e);
	*out = &e->paths;
	if ((e->most_sections && e->sections++ >= e->most_sections) ||
	    !xtr_meta_has_times(xtr_section_meta(s)))
		return 0;
	e->paths.path = calloc(e->most, sizeof(*e->paths.path));
	if (!e->paths.path)
		return -ENOMEM;
	e->pass = (struct why_pass){ .cmd = e->cmd, .threads_too = true, .job = on_job, .ctx = e };
	e->cmd->again = true; /* damage is told by the export's own pass */
	err = why_pass(&e->pass, s);
	e->cmd->again = again;
	why_pass_free(&e->pass);
	sort(&e->paths);
	e->found |= e->paths.n > 0;
	return err;
}
