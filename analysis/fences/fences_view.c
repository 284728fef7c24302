/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of fences: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "fences_impl.h"
#include "replay/event/process.h"

#include <inttypes.h>
#include <string.h>

static const char *const kinds[] = { NULL, "scheduled", "finished" };
static const struct fence_source others = { .driver = "(others)" };

static const struct fence_source *source(const struct fences *f, uint32_t i)
{
	return i < f->n_sources ? &f->source[i] : &others;
}

/* For text. */
static void put_source_text(struct xtr_rows *r, const struct fence_source *s)
{
	char buf[192];

	xtr_put_copy(r, fences_source_text(s, buf, sizeof(buf)));
}

/* "compositor 4711"; "-" if nothing is known. */
static void put_process(struct xtr_rows *r, const struct fences *f, uint64_t process, uint32_t tid,
			uint32_t comm)
{
	char name[XTR_TEXT_NAME] = "", pid[XTR_TEXT_PROCESS];
	size_t n = 0;
	const char *s = comm && f->o->tables ? xtr_tables_string(f->o->tables, comm, &n) : NULL;

	if (s)
		xtr_text_name(name, sizeof(name), s, n);
	if (process)
		xtr_put_format(r, "%s%s%s", name, *name ? " " : "", xtr_text_process(pid, process));
	else if (tid)
		xtr_put_format(r, "%s%sthread %" PRIu32, name, *name ? " " : "", tid);
	else
		xtr_put_copy(r, *name ? name : "-");
}

/* Three columns: driver, timeline, kind. */
#define SOURCE                                                                                  \
	{ "driver", NULL, XTR_C_TEXT, XTR_PUT, "who signals the fences" },                      \
		{ "timeline", NULL, XTR_C_TEXT, XTR_PUT, "timeline; of jobs device and ring" }, \
	{                                                                                       \
		"kind", NULL, XTR_C_TEXT, XTR_PUT, "of a job: scheduled or finished"            \
	}

static void put_source(struct xtr_rows *r, const struct fence_source *s)
{
	xtr_put_text(r, *s->driver ? s->driver : NULL);
	xtr_put_text(r, *s->timeline ? s->timeline : NULL);
	xtr_put_text(r, kinds[s->kind]);
}

#define AT(member) XTR_AT(struct fence_waiter, member)
static const struct xtr_section_column waiter_columns[] = {
	{ NULL, "<who waited", XTR_C_TEXT, XTR_PUT },
	{ "pid", NULL, XTR_C_PROCESS, AT(process), "process that waited" },
	{ "tid", NULL, XTR_C_NUMBER | XTR_C_KNOWN, AT(tid),
	  "thread, where the process is not known" },
	{ "name", NULL, XTR_C_STRING, AT(comm), "its name" },
	{ NULL, "<for fences of", XTR_C_TEXT, XTR_PUT },
	SOURCE,
	{ "owner_pid", NULL, XTR_C_PROCESS, AT(owner), "process whose jobs were waited for" },
	{ "owner_name", NULL, XTR_C_STRING, AT(owner_comm), "its name" },
	FLAG("several_owners", several, "the jobs were of several"),
	{ NULL, "<of jobs of", XTR_C_TEXT, XTR_PUT },
	SHOWN("waits", "waits", waits, "waits"),
	SHOWN("open", "open", open, "of them without an end in the trace"),
	{ NULL, "total", XTR_C_SUM, AT(time) },
	{ "wait_ns", "p50|p99|max", XTR_C_HIST, AT(time), "of waits with begin and end" },
};
#undef AT

static bool put_waiters(struct xtr_rows *r, const void *row)
{
	const struct fences *f = xtr_rows_self(r);
	const struct fence_waiter *w = row;

	put_process(r, f, w->process, w->tid, w->comm);
	put_source_text(r, source(f, w->source));
	put_source(r, source(f, w->source));
	if (w->several)
		xtr_put_text(r, "(several)");
	else
		put_process(r, f, w->owner, 0, w->owner_comm);
	return true;
}

static const struct xtr_section_table waiters =
	XTR_TABLE_OF("waiters", "waits of a process for fences of a source", waiter_columns,
		     XTR_ARRAY(struct fences, waiter, n_waiters), put_waiters, XTR_SHOW_TOP);

#define AT(member) XTR_AT(struct fence_source, member)
static const struct xtr_section_column source_columns[] = {
	{ NULL, "<fences of", XTR_C_TEXT, XTR_PUT },
	SOURCE,
	SHOWN("contexts", "contexts", contexts, "contexts of fences"),
	SHOWN("init", "made", inits, "fences made"),
	SHOWN("emit", "emitted", emits, "fences emitted"),
	SHOWN("signaled", "signalled", signals, "fences signalled"),
	SHOWN("unsignalled", "not signalled", unsignalled, "not signalled at the end"),
	COUNT("lives", lives, "fences made and signalled in the trace"),
	{ "life_sum_ns", NULL, XTR_C_NS, XTR_PUT, "sum of their lives" },
	{ "life_max_ns", NULL, XTR_C_NS, XTR_PUT, "the longest" },
	{ NULL, "mean life", XTR_C_NS | XTR_C_TIMES, XTR_PUT },
	{ NULL, "max", XTR_C_NS | XTR_C_TIMES, XTR_PUT },
};
#undef AT

static bool put_sources(struct xtr_rows *r, const void *row)
{
	const struct fences *f = xtr_rows_self(r);
	const struct fence_source *s = row;

	if (xtr_rows_text(r) && !s->inits && !s->emits)
		return false;
	put_source_text(r, s);
	put_source(r, s);
	xtr_put_u64(r, true, f->o->times ? s->life_ns : 0);
	xtr_put_u64(r, true, f->o->times ? s->life_max_ns : 0);
	xtr_put_u64(r, s->lives, s->lives ? s->life_ns / s->lives : 0);
	xtr_put_u64(r, s->lives, s->life_max_ns);
	return true;
}

static const struct xtr_section_table sources =
	XTR_TABLE_OF("sources", "a source of fences", source_columns,
		     XTR_ARRAY(struct fences, source, n_sources), put_sources, XTR_SHOW_TOP);

#define AT(member) XTR_AT(struct fence_open, member)
static const struct xtr_section_column open_columns[] = {
	{ NULL, "<not signalled", XTR_C_TEXT, XTR_PUT },
	{ "context", NULL, XTR_C_NUMBER, AT(ctx), "context of the fence" },
	{ "seqno", NULL, XTR_C_NUMBER, AT(seqno), "sequence number in it" },
	{ NULL, "<of", XTR_C_TEXT, XTR_PUT },
	SOURCE,
	{ "since", NULL, XTR_C_TEXT, XTR_PUT, "emit or init: what tells of it" },
	{ "since_ns", "<since", XTR_C_PLACE, AT(since_ns), "when that was" },
	{ "age_ns", NULL, XTR_C_NS | XTR_C_TIMES | XTR_C_KNOWN, XTR_PUT, "time since" },
	{ NULL, "age", XTR_C_NS | XTR_C_TIMES, XTR_PUT },
	{ "tid", NULL, XTR_C_NUMBER, AT(tid), "thread that made it" },
	FLAG("not_run", waits_to_run, "its job was not run"),
	FLAG("lost_since", unsure, "events were lost since"),
	{ NULL, "<what is known", XTR_C_TEXT, XTR_PUT },
};
#undef AT

static void fill_open(const void *self, struct xtr_rows *r)
{
	const struct fences *f = self;

	for (uint32_t i = 0; i < f->n_list; i++) {
		const struct fence_open *o = &f->open[f->list[i]];
		const struct fence_source *s = source(f, f->context[o->context].source);

		xtr_put_format(r, "%" PRIu64 ":%" PRIu64, o->ctx, o->seqno);
		put_source_text(r, s);
		put_source(r, s);
		xtr_put_text(r, o->emitted ? "emit" : "init");
		xtr_put_u64(r, true, f->end_ns - o->since_ns);
		xtr_put_u64(r, true, f->end_ns - o->since_ns);
		xtr_put_text(r, o->unsure         ? "events were lost since"
				: o->waits_to_run ? "the job was not run"
						  : "");
		xtr_row(r, o);
	}
}

static const struct xtr_section_table unsignalled =
	XTR_TABLE("unsignalled_list", "a fence that is not signalled at the end, oldest first",
		  open_columns, fill_open, XTR_SHOW_TOP_QUIET);

#define AT(member) XTR_AT(struct fence_pair, member)
static const struct xtr_section_column stall_columns[] = {
	{ "ring_id", NULL, XTR_C_NUMBER, XTR_PUT, "ring whose jobs waited" },
	{ "ring", "<jobs of", XTR_C_TEXT, XTR_PUT, "its name" },
	{ "blocked_by_ring_id", NULL, XTR_C_NUMBER, AT(blocker_id),
	  "ring whose jobs they waited for" },
	{ "blocked_by", "<waited for jobs of", XTR_C_TEXT, XTR_PUT, "its name" },
	SHOWN("waits", "waits", waits, "waits"),
	{ "wait_ns", "sum", XTR_C_NS, AT(wait_ns), "sum of them" },
	SHOWN("stalls", "with nothing to execute", stalls,
	      "waits while which the ring had no job on the hardware"),
	{ "stall_ns", "sum", XTR_C_NS, AT(stall_ns), "time in these" },
	{ "stall_max_ns", "max", XTR_C_NS, AT(max_ns), "the longest" },
};
#undef AT

static bool put_stalls(struct xtr_rows *r, const void *row)
{
	const struct fences *f = xtr_rows_self(r);
	char buf[112];
	const struct fence_pair *p = row;

	xtr_put_u64(r, true, f->ring[p->ring].id);
	xtr_put_text(r, f->ring[p->ring].name);
	xtr_put_copy(r, fences_ring_text(f, p->blocker_id, buf, sizeof(buf)));
	return true;
}

static const struct xtr_section_table stalls =
	XTR_TABLE_OF("stalls", "jobs of a ring that waited for jobs of another", stall_columns,
		     XTR_ARRAY(struct fences, pair, n_pairs), put_stalls, XTR_SHOW_TOP);

static const struct xtr_section_column sum_columns[] = {
	{ "waits", NULL, XTR_C_COUNT, XTR_AT(struct fences, waits), "waits" },
	{ "waits_open", NULL, XTR_C_COUNT, XTR_AT(struct fences, waits_open),
	  "of them without an end in the trace" },
	{ "unsignalled", NULL, XTR_C_COUNT, XTR_AT(struct fences, unsignalled),
	  "fences that are not signalled at the end" },
	{ "destroyed_unsignalled", NULL, XTR_C_COUNT, XTR_AT(struct fences, destroyed),
	  "fences destroyed without having been signalled" },
	{ "unfollowed", NULL, XTR_C_COUNT, XTR_AT(struct fences, unfollowed),
	  "open fences that were too many" },
};

static const struct xtr_section_table sums =
	XTR_TABLE_SELF("sums", "all fences", sum_columns, NULL, XTR_SHAPE_MEMBERS);

const struct xtr_section_table *const fences_tables[] = { &sums,        &waiters, &sources,
							  &unsignalled, &stalls,  NULL };

int fences_text(const void *self, const struct xtr_view *v)
{
	const struct fences *f = self;
	uint32_t listed = f->n_list < f->o->top ? f->n_list : f->o->top;
	int err = xtr_table_text(&waiters, f, f->o, v->f);

	if (!err)
		err = xtr_table_text(&sources, f, f->o, v->f);
	if (!err)
		err = xtr_table_text(&unsignalled, f, f->o, v->f);
	if (listed < f->unsignalled)
		fprintf(v->f, "  ... and %" PRIu64 " more (--top)\n", f->unsignalled - listed);
	if (!err)
		err = xtr_table_text(&stalls, f, f->o, v->f);
	if (f->unfollowed)
		fprintf(v->f, "  more fences were open than are followed: %" PRIu64 "\n",
			f->unfollowed);
	return err;
}

void fences_json(const void *self, struct xtr_json *j)
{
	const struct fences *f = self;

	xtr_json_begin_object(j);
	xtr_tables_json(fences_tables, f, f->o, j);
	xtr_json_end_object(j);
}
