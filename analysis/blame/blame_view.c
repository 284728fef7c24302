/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of blame: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "blame_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Two columns: number and name. */
static void put_who(struct xtr_rows *r, const struct blame *b, uint64_t who)
{
	size_t n;
	const char *s = xtr_who_name(&b->names, who, &n);

	xtr_put_u64(r, true, xtr_who_process(who));
	xtr_put_name(r, s, s ? n : 0);
}

/* Three columns: context, seqno, and both in text. */
static void put_job(struct xtr_rows *r, const struct xtr_job_name *j)
{
	xtr_put_u64(r, xtr_job_name_any(j), j->ctx);
	xtr_put_u64(r, xtr_job_name_any(j), j->seqno);
	if (xtr_job_name_any(j))
		xtr_put_format(r, "%" PRIu64 ":%" PRIu64, j->ctx, j->seqno);
	else
		xtr_put_copy(r, NULL);
}

#define JOB(context, seqno, title, help)                                       \
	{ context, NULL, XTR_C_NUMBER, XTR_PUT, "context of " help },          \
		{ seqno, NULL, XTR_C_NUMBER, XTR_PUT, "its sequence number" }, \
	{                                                                      \
		NULL, title, XTR_C_TEXT, XTR_PUT                               \
	}

/* --- parts ------------------------------------------------------------------------------------ */

#define AT(member) XTR_AT(struct blame_sum, member)
static const struct xtr_section_column part_columns[] = {
	{ "ring_id", NULL, XTR_C_NUMBER, XTR_PUT, "ring" },
	{ "ring", "<ring", XTR_C_TEXT, XTR_PUT, "its name" },
	{ "part", "<part", XTR_C_TEXT, XTR_PUT, "what the time went into (docs/why.md)" },
	{ "quality", NULL, XTR_C_TEXT, XTR_PUT, "the worst that it rests on" },
	SHOWN("jobs", "jobs", jobs, "jobs with such a part"),
	{ "ns", "time", XTR_C_NS, AT(ns), "their time in it" },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT },
	{ "of_ns", NULL, XTR_C_NS, XTR_PUT,
	  "the time of all jobs of the ring, which all parts add up to" },
	{ "max_ns", "longest", XTR_C_NS, AT(max_ns), "the longest of a job" },
	JOB("context", "seqno", "<of job", "that job"),
};
#undef AT

static void fill_parts(const void *self, struct xtr_rows *r)
{
	const struct blame *b = self;

	for (uint32_t i = 0; i < b->n_rings; i++) {
		const struct blame_ring *ring = &b->ring[i];

		for (unsigned int k = 0; k < XTR_PART_KIND_COUNT; k++) {
			const struct blame_sum *of = &ring->of[k];

			if (!of->ns)
				continue;
			xtr_put_u64(r, ring->id, ring->id);
			xtr_put_text(r, ring->name);
			xtr_put_text(r, xtr_part_name(k));
			xtr_put_text(r, xtr_quality_name(of->quality));
			xtr_put_share(r, true, of->ns, ring->ns);
			xtr_put_u64(r, true, ring->ns);
			put_job(r, &of->longest);
			xtr_row(r, of);
		}
	}
}

static const struct xtr_section_table parts = {
	.name = "parts",
	.help = "a part of the time of a ring's jobs, from submission to end",
	XTR_TABLE_COLUMNS(part_columns),
	.fill = fill_parts,
};

static const char *release_of(const struct blame *b)
{
	return xtr_meta_system(b->o->meta)->release;
}

/* --- costs ------------------------------------------------------------------------------------ */

#define AT(member) XTR_AT(struct blame_pair, member)
static const struct xtr_section_column cost_columns[] = {
	{ NULL, "<jobs of", XTR_C_TEXT, XTR_PUT },
	{ NULL, "<waited for", XTR_C_TEXT, XTR_PUT },
	{ "pid", NULL, XTR_C_PROCESS, XTR_PUT, "process whose jobs waited" },
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	{ "by_pid", NULL, XTR_C_PROCESS, XTR_PUT,
	  "process whose jobs, or threads, they waited for" },
	{ "by_name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	SHOWN("jobs", "jobs", jobs, "jobs that waited"),
	{ "ns", "time", XTR_C_NS, AT(ns), "their waits" },
	{ "ring_ns", "on the ring", XTR_C_NS, AT(ring_ns), "of that it had the ring" },
	{ "dependency_ns", "dependency", XTR_C_NS, AT(dependency_ns),
	  "of that a dependency led to it" },
	{ "queue_ns", "own queue", XTR_C_NS, AT(queue_ns),
	  "of that an earlier job of the same queue waited for it" },
	{ "thread_ns", "CPU", XTR_C_NS, AT(thread_ns),
	  "of that it had the CPU of the thread that runs jobs" },
	{ "max_ns", "longest", XTR_C_NS, AT(max_ns), "the longest of a job" },
	{ "priority", "<priority", XTR_C_TEXT, XTR_PUT,
	  "of the queues of the jobs that waited, as the scheduler has it" },
	{ "by_priority", "<the other's", XTR_C_TEXT, XTR_PUT,
	  "the same of the jobs that they waited for" },
	JOB("context", "seqno", "<job", "that job"),
	JOB("by_context", "by_seqno", "<for job", "the job that it waited for longest"),
};
#undef AT

static void put_priority(struct xtr_rows *r, const struct blame *b, const struct xtr_priorities *p)
{
	char text[XTR_PRIORITY_TEXT];

	xtr_put_copy(r, p->known ? xtr_priorities_text(p, release_of(b), text) : NULL);
}

static bool put_cost(struct xtr_rows *r, const void *row)
{
	const struct blame *b = xtr_rows_self(r);
	const struct blame_pair *c = row;
	char who[XTR_WHO_TEXT];

	xtr_put_copy(r, xtr_who_text(&b->names, c->who, who, sizeof(who)));
	xtr_put_copy(r, xtr_who_text(&b->names, c->by, who, sizeof(who)));
	put_who(r, b, c->who);
	put_who(r, b, c->by);
	put_priority(r, b, &c->prio);
	put_priority(r, b, &c->by_prio);
	put_job(r, &c->longest);
	put_job(r, &c->longest_by);
	return true;
}

static const struct xtr_section_table costs =
	XTR_TABLE_OF("costs", "whose jobs waited for whom", cost_columns,
		     XTR_ARRAY(struct blame, pair, n_pairs), put_cost, XTR_SHOW_TOP);

/* --- the section ------------------------------------------------------------------------------ */

#define AT(member) XTR_AT(struct blame, member)
static const struct xtr_section_column fact_columns[] = {
	COUNT("jobs", jobs, "jobs whose time was divided"),
	{ "ns", NULL, XTR_C_NS, AT(ns), "their time" },
	COUNT("with_priority", with_prio, "of which the priority of their queue is known"),
	COUNT("undivided", undivided, "jobs without an end, or without a beginning"),
	COUNT("folded", folded, "jobs with so many parts that some were put together"),
};
#undef AT

static const struct xtr_section_table facts =
	XTR_TABLE_SELF("all", "what was divided", fact_columns, NULL, XTR_SHAPE_OBJECT);

const struct xtr_section_table *const blame_tables[] = { &facts, &parts, &costs, NULL };

bool blame_any(const void *self)
{
	return ((const struct blame *)self)->jobs;
}

/* What the priorities mean. */
static int text_order(const struct blame *b, FILE *f)
{
	static const char *const said[] = {
		[XTR_SCHED_HIGHEST] = "this kernel runs the queues of the highest priority first, "
				      "if one of them has a job",
		[XTR_SCHED_FAIR] = "this kernel's default policy is fair: queues take turns by "
				   "the time that they had, of which a higher priority gets more",
		[XTR_SCHED_UNKNOWN] = "what this kernel calls them is not known",
	};

	if (!b->n_pairs)
		return 0;
	if (b->with_prio)
		fprintf(f, "  priorities: %s\n", said[xtr_sched_order(release_of(b))]);
	else
		fputs("  priorities: no event of this trace tells them\n", f);
	return 0;
}

int blame_text(const void *self, const struct xtr_view *v)
{
	const struct blame *b = self;
	char ns[XTR_TEXT_NUMBER];

	fprintf(v->f, "  %" PRIu64 " jobs, %s from submission to end, in parts that add up to it\n",
		b->jobs, xtr_text_ns(ns, b->ns));
	if (b->undivided)
		fprintf(v->f, "  not divided, without begin or end: %" PRIu64 " jobs\n",
			b->undivided);
	if (b->folded)
		fprintf(v->f, "  some of their parts put together: %" PRIu64 " jobs\n", b->folded);
	return xtr_table_text(&parts, b, b->o, v->f) ?: xtr_table_text(&costs, b, b->o, v->f)
			?: text_order(b, v->f);
}

void blame_json(const void *self, struct xtr_json *j)
{
	const struct blame *b = self;

	xtr_json_begin_object(j);
	xtr_tables_json(blame_tables, b, b->o, j);
	xtr_json_end_object(j);
}
