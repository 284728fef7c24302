/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings of two sides, and the values of their jobs and calls. */
#include "diff_impl.h"
#include "base/checked.h"
#include "format/meta/loss.h"
#include "replay/notes/notes.h"
#include "replay/redact/redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const char *const by_names[] = {
#define NAME(id, name) name,
	XTR_DIFF_BYS(NAME)
#undef NAME
};
static const struct {
	const char *name, *help;
} metrics[] = {
#define NAME(id, name, help) { name, help },
	XTR_DIFF_METRICS(NAME)
#undef NAME
};
static const char *const verdicts[] = {
#define NAME(id, name) name,
	XTR_DIFF_VERDICTS(NAME)
#undef NAME
};

const char *xtr_diff_by_name(unsigned int by)
{
	return by < N(by_names) ? by_names[by] : NULL;
}

const char *xtr_diff_metric_name(unsigned int metric)
{
	return metric < N(metrics) ? metrics[metric].name : NULL;
}

const char *xtr_diff_metric_help(unsigned int metric)
{
	return metric < N(metrics) ? metrics[metric].help : NULL;
}

const char *xtr_diff_verdict_name(unsigned int verdict)
{
	return verdict < N(verdicts) ? verdicts[verdict] : NULL;
}

int xtr_diff_new(struct xtr_diff **out, const struct xtr_diff_opts *o)
{
	struct xtr_diff *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->o = *o;
	if (!d->o.by)
		d->o.by = (1u << XTR_DIFF_BY_COUNT) - 1;
	if (!d->o.metrics)
		d->o.metrics = XTR_DIFF_DEFAULT_METRICS;
	d->left = XTR_DIFF_BYTES;
	*out = d;
	return 0;
}

static void free_group(struct xtr_diff *d, struct diff_group *g)
{
	for (unsigned int side = 0; side < 2; side++)
		for (unsigned int m = 0; m < XTR_DIFF_METRIC_COUNT; m++) {
			struct diff_cell *c = g->cell[side][m];

			if (!c)
				continue;
			xtr_values_free(&c->all, &d->left);
			xtr_values_free(&c->now, &d->left);
			free(c);
		}
	free(g->name);
}

void xtr_diff_free(struct xtr_diff *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->n_groups; i++)
		free_group(d, &d->group[i]);
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t i = 0; i < d->total[side].runs; i++)
			free((char *)(uintptr_t)d->total[side].path[i]);
	diff_facts_free(d);
	xtr_map_free(&d->by_name);
	xtr_map_free(&d->by_id);
	free(d->group);
	free(d->row);
	free(d->counts);
	free(d);
}

/* --- recordings ------------------------------------------------------------------------------- */

int xtr_diff_begin(struct xtr_diff *d, unsigned int side, const char *path)
{
	struct xtr_diff_total *t = &d->total[side];
	char *copy;

	if (t->runs == XTR_DIFF_RUNS_MAX)
		return -E2BIG;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	d->side = side;
	t->path[t->runs++] = copy;
	return 0;
}

/* A mapping without a name is like no other one. */
static void learn_mapping(struct xtr_diff *d, const struct xtr_meta *meta)
{
	struct xtr_diff_total *t = &d->total[d->side];
	bool redacted = xtr_redacted(meta);

	if (!xtr_redact_mapping(meta, &d->mapping) && redacted)
		d->mapping = ++d->unnamed;
	t->redacted |= redacted;
	if (!t->sections++)
		t->mapping = d->mapping;
	t->apart |= t->mapping != d->mapping;
}

int xtr_diff_source(struct xtr_diff *d, const struct xtr_meta *meta,
		    const struct xtr_tables *tables)
{
	uint64_t million;
	size_t at = 0;

	xtr_map_free(&d->by_id);
	d->by_id = (struct xtr_map){ 0 };
	d->meta = meta;
	d->tables = tables;
	d->times = xtr_meta_has_times(meta);
	d->total[d->side].without_times |= !d->times;
	learn_mapping(d, meta);
	d->total[d->side].sampled |= xtr_sampled_next(meta, &at, &million) != NULL;
	return diff_learn(d, meta);
}

int xtr_diff_section(struct xtr_diff *d, const struct xtr_section *s)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	struct xtr_diff_total *t = &d->total[d->side];
	struct xtr_budgeted budget;

	t->lost = xtr_sat_add(t->lost, xtr_sat_add(sum->lost, sum->missing));
	t->left_out = xtr_sat_add(t->left_out, sum->filtered);
	if (sum->ts_max > sum->ts_min)
		t->span_ns = xtr_sat_add(t->span_ns, sum->ts_max - sum->ts_min);
	if (xtr_budgeted_read(&budget, s) && budget.last)
		t->sampled = true;
	return xtr_diff_source(d, xtr_section_meta(s), xtr_section_tables(s));
}

/* The present recording's values join those of the others, and its median is noted. */
static int end_cell(struct xtr_diff *d, struct diff_cell *c)
{
	struct xtr_value_run *runs;
	size_t n;
	int err;

	if (!c || (!c->now.n && !c->now.dropped))
		return 0;
	err = xtr_values_runs(&c->now, c->now.coarse, &runs, &n);
	if (err)
		return err;
	if (n)
		c->median[c->runs++] = xtr_runs_quantile(runs, n, 500);
	free(runs);
	if (!c->all.n && !c->all.dropped) {
		c->all = c->now; /* with its series */
		c->now = (struct xtr_values){ 0 };
		return 0;
	}
	err = xtr_values_merge(&c->all, &c->now, &d->left);
	xtr_values_free(&c->now, &d->left);
	return err;
}

int xtr_diff_end(struct xtr_diff *d, uint64_t unreadable, size_t problems)
{
	struct xtr_diff_total *t = &d->total[d->side];
	int err = 0;

	t->lost = xtr_sat_add(t->lost, unreadable);
	t->problems += problems;
	for (uint32_t i = 0; i < d->n_groups; i++)
		for (unsigned int m = 0; m < XTR_DIFF_METRIC_COUNT && !err; m++)
			err = end_cell(d, d->group[i].cell[d->side][m]);
	d->meta = NULL;
	d->tables = NULL;
	return err;
}

bool xtr_diff_is_of_calls(enum xtr_diff_by by)
{
	return by == XTR_DIFF_CALL || by == XTR_DIFF_PROCESS_CALL;
}

bool xtr_diff_wants_calls(const struct xtr_diff *d)
{
	return d->o.by & (1u << XTR_DIFF_CALL | 1u << XTR_DIFF_PROCESS_CALL);
}

int xtr_diff_finish(struct xtr_diff *d)
{
	int err = diff_facts_finish(d);

	return err ? err : diff_make_rows(d);
}

/* --- values ----------------------------------------------------------------------------------- */

static int add_value(struct xtr_diff *d, struct diff_group *g, enum xtr_diff_metric metric,
		     uint64_t ns)
{
	struct diff_cell **c = &g->cell[d->side][metric];

	if (!d->times)
		return 0;
	if (!*c) {
		*c = calloc(1, sizeof(**c));
		if (!*c)
			return -ENOMEM;
	}
	return xtr_values_add(&(*c)->now, ns, &d->left);
}

static int add_job(struct xtr_diff *d, struct diff_group *g, const struct xtr_job *j)
{
	const uint32_t wanted = d->o.metrics;
	unsigned int side = d->side;
	/* When a late one ended is not known: a change of when it was told of is none of the job.
	 */
	bool ended = !(j->flags & XTR_FLAG_LATE);
	int err = 0;

	g->count.n[side]++;
	g->count.quality[side][j->quality]++;
	g->count.open[side] += j->quality == XTR_QUALITY_OPEN;
	g->count.lost[side] += j->quality == XTR_QUALITY_LOST;
	if (xtr_job_resided(j) && ended) {
		uint64_t ns = j->done_ns - j->run_ns;

		g->count.time[side] = xtr_sat_add(g->count.time[side], ns);
		/* in the place of execution, too */
		if (wanted & (1u << XTR_DIFF_RESIDENCE | 1u << XTR_DIFF_EXECUTION))
			err |= add_value(d, g, XTR_DIFF_RESIDENCE, ns);
		if (wanted & 1u << XTR_DIFF_EXECUTION && j->start_ns &&
		    j->quality <= XTR_QUALITY_INFERRED)
			err |= add_value(d, g, XTR_DIFF_EXECUTION, j->done_ns - j->start_ns);
	}
	if (wanted & 1u << XTR_DIFF_QUEUE && j->queue_ns && j->run_ns)
		err |= add_value(d, g, XTR_DIFF_QUEUE, j->run_ns - j->queue_ns);
	if (wanted & 1u << XTR_DIFF_DEPENDENCY && j->n_waits && xtr_job_waits_known(j))
		err |= add_value(d, g, XTR_DIFF_DEPENDENCY, j->dep_wait_ns);
	if (wanted & 1u << XTR_DIFF_LATENCY && j->submit_ns && j->done_ns && ended)
		err |= add_value(d, g, XTR_DIFF_LATENCY, j->done_ns - j->submit_ns);
	return err ? -ENOMEM : 0;
}

int xtr_diff_job(struct xtr_diff *d, const struct xtr_job *j)
{
	struct xtr_diff_total *t = &d->total[d->side];
	uint64_t id;
	int64_t i;
	int err = 0;

	t->jobs++;
	t->quality[j->quality]++;
	for (unsigned int by = 0; by < XTR_DIFF_BY_COUNT && !err; by++) {
		if (!(d->o.by & 1u << by) || !diff_id_of_job(j, by, &id))
			continue;
		i = diff_group_of_job(d, j, by, id);
		if (i < 0)
			return -ENOMEM;
		if (i == DIFF_NONE)
			t->crowded++;
		else
			err = add_job(d, &d->group[i], j);
	}
	return err;
}

static int add_call(struct xtr_diff *d, enum xtr_diff_by by, const struct xtr_call *c)
{
	int64_t i = diff_group_of_call(d, by, c);
	struct diff_group *g;
	uint64_t ns;

	if (i < 0)
		return -ENOMEM;
	if (i == DIFF_NONE) {
		d->total[d->side].crowded++;
		return 0;
	}
	g = &d->group[i];
	g->count.n[d->side]++;
	if (!xtr_call_time(c, &ns)) {
		g->count.open[d->side]++;
		return 0;
	}
	g->count.time[d->side] = xtr_sat_add(g->count.time[d->side], ns);
	return d->o.metrics & 1u << XTR_DIFF_LATENCY ? add_value(d, g, XTR_DIFF_LATENCY, ns) : 0;
}

int xtr_diff_call(struct xtr_diff *d, const struct xtr_call *c)
{
	int err = 0;

	/* How long a thread has a CPU says how it is scheduled, nothing of a call. */
	if (!xtr_diff_wants_calls(d) || c->kind == XTR_CALL_RUNNING)
		return 0;
	d->total[d->side].calls++;
	if (d->o.by & 1u << XTR_DIFF_CALL)
		err = add_call(d, XTR_DIFF_CALL, c);
	/* An interrupt is of no process. */
	if (err || !(d->o.by & 1u << XTR_DIFF_PROCESS_CALL) || c->on_cpu || !(c->pid || c->comm))
		return err;
	return add_call(d, XTR_DIFF_PROCESS_CALL, c);
}

/* --- the read side ---------------------------------------------------------------------------- */

const struct xtr_diff_total *xtr_diff_total(const struct xtr_diff *d, unsigned int side)
{
	return &d->total[side];
}

bool xtr_diff_redacted_alike(const struct xtr_diff *d)
{
	const struct xtr_diff_total *a = &d->total[0], *b = &d->total[1];

	return a->mapping && a->mapping == b->mapping && !a->apart && !b->apart;
}

size_t xtr_diff_n_rows(const struct xtr_diff *d)
{
	return d->n_rows;
}

const struct xtr_diff_row *xtr_diff_row(const struct xtr_diff *d, size_t i)
{
	return &d->row[i];
}

size_t xtr_diff_n_tests(const struct xtr_diff *d)
{
	return d->n_tests;
}

size_t xtr_diff_n_run_tests(const struct xtr_diff *d)
{
	return d->n_run_tests;
}

size_t xtr_diff_n_counts(const struct xtr_diff *d)
{
	return d->n_groups;
}

const struct xtr_diff_count *xtr_diff_count(const struct xtr_diff *d, size_t i)
{
	return &d->counts[i];
}

size_t xtr_diff_n_facts(const struct xtr_diff *d)
{
	return d->n_differ;
}

const struct xtr_diff_fact *xtr_diff_fact(const struct xtr_diff *d, size_t i)
{
	return &d->differ[i];
}
