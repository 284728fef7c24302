/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "hang_section.h"

#include <string.h>

#define FRAMES_MAX 32u /* of a stack that are listed */

static struct hang_row row_of(const struct hang_section *s, size_t i)
{
	const struct xtr_hang *h = xtr_hangs_at(s->hangs, i);
	struct hang_row row = { .number = i + 1, .hang = h, .job = xtr_hang_guilty(h) };

	if (row.job)
		xtr_user_driver_of(s->o->tables, row.job->stack, &row.driver);
	return row;
}

static void put_text(struct xtr_rows *r, const char *s)
{
	xtr_put_name(r, *s ? s : NULL, strlen(s));
}

static void put_comm(struct xtr_rows *r, const struct hang_section *s, const struct xtr_hang_job *j)
{
	size_t n = 0;
	const char *comm =
		j && j->comm && s->o->tables ? xtr_tables_string(s->o->tables, j->comm, &n) : NULL;

	xtr_put_name(r, comm, n);
}

/* --- hangs ------------------------------------------------------------------------------------ */

static const struct xtr_section_column hang_columns[] = {
	{ "number", "#", XTR_C_NUMBER, XTR_PUT, "number of the hang, from 1" },
	{ "at_ns", "at", XTR_C_PLACE, XTR_PUT, "when it was told first" },
	{ "told_by", "<told by", XTR_C_TEXT, XTR_PUT,
	  "by what: a job's timeout, a trigger, an event" },
	{ "device", "<device", XTR_C_TEXT, XTR_PUT, "its name" },
	{ "driver", NULL, XTR_C_TEXT, XTR_PUT, "its driver" },
	{ "ring", "<ring", XTR_C_TEXT, XTR_PUT, "of the guilty job" },
	{ "guilty", "<guilty", XTR_C_TEXT, XTR_PUT,
	  "how it is known which job hung: exact, inferred, or not-known" },
	{ "why", NULL, XTR_C_TEXT, XTR_PUT, "why that is not known" },
	{ "context", NULL, XTR_C_NUMBER, XTR_PUT, "of the guilty job" },
	{ "seqno", NULL, XTR_C_NUMBER, XTR_PUT, "likewise" },
	{ NULL, "<job", XTR_C_TEXT, XTR_PUT },
	{ "pid", "pid", XTR_C_NUMBER, XTR_PUT, "process that submitted it" },
	{ "comm", "<process", XTR_C_TEXT, XTR_PUT, "its name" },
	{ "kind", NULL, XTR_C_TEXT, XTR_PUT, "of the job: gpu, npu, copy, kernel" },
	{ "ran_ns", "ran", XTR_C_NS, XTR_PUT, "on the hardware until the hang was told" },
	{ "error", NULL, XTR_C_SIGNED, XTR_PUT, "of its fence, as an errno" },
	{ "killed", "killed", XTR_C_COUNT, XTR_PUT, "jobs that ended with another error with it" },
	{ "waiting", "waiting", XTR_C_COUNT, XTR_PUT, "jobs behind it, or that waited for it" },
	{ "on_hardware", "beside", XTR_C_COUNT, XTR_PUT,
	  "other jobs on the hardware of the device then" },
	{ "lost", "lost", XTR_C_BOOL, XTR_PUT,
	  "events were lost meanwhile: there may be more jobs" },
	{ "good_context", NULL, XTR_C_NUMBER, XTR_PUT,
	  "of the last job of the ring that ended well" },
	{ "good_seqno", NULL, XTR_C_NUMBER, XTR_PUT, "likewise" },
	{ "good_ns", NULL, XTR_C_NUMBER, XTR_PUT, "when it ended, ns" },
	{ "user_driver", NULL, XTR_C_TEXT, XTR_PUT,
	  "library of the driver in the stack of the submission" },
	{ "user_version", NULL, XTR_C_TEXT, XTR_PUT, "version that its name tells" },
};

static void put_guilty(struct xtr_rows *r, const struct hang_section *s, const struct hang_row *row)
{
	const struct xtr_hang_job *g = row->job;
	const uint64_t at = row->hang->at_ns;

	xtr_put_u64(r, g, g ? g->name.ctx : 0);
	xtr_put_u64(r, g, g ? g->name.seqno : 0);
	if (g)
		xtr_put_format(r, "%llu:%llu", (unsigned long long)g->name.ctx,
			       (unsigned long long)g->name.seqno);
	else
		xtr_put_text(r, NULL);
	xtr_put_u64(r, g && g->process, g ? (uint32_t)g->process : 0);
	put_comm(r, s, g);
	xtr_put_text(r, g ? xtr_job_kind_name(g->kind) : NULL);
	xtr_put_u64(r, g && g->run_ns && g->run_ns <= at && s->o->times,
		    g && g->run_ns <= at ? at - g->run_ns : 0);
	xtr_put_s64(r, g && g->error_known, g ? g->error : 0);
}

static void put_hang(struct xtr_rows *r, const struct hang_section *s, const struct hang_row *row)
{
	const struct xtr_hang *h = row->hang;
	const struct xtr_hang_job *good = xtr_hang_first(h, XTR_HANG_GOOD);

	xtr_put_u64(r, true, row->number);
	xtr_put_u64(r, true, h->at_ns);
	put_text(r, h->told);
	put_text(r, h->device);
	put_text(r, h->driver);
	put_text(r, h->ring);
	xtr_put_text(r, xtr_hang_guilt_name(h->guilt));
	xtr_put_text(r, h->why);
	put_guilty(r, s, row);
	xtr_put_u64(r, true, h->n[XTR_HANG_KILLED]);
	xtr_put_u64(r, true, h->n[XTR_HANG_WAITING]);
	xtr_put_u64(r, true, h->n[XTR_HANG_RUNNING]);
	xtr_put_u64(r, true, h->lost);
	xtr_put_u64(r, good, good ? good->name.ctx : 0);
	xtr_put_u64(r, good, good ? good->name.seqno : 0);
	xtr_put_u64(r, good, good ? good->done_ns : 0);
	put_text(r, row->driver.name);
	put_text(r, row->driver.version);
	xtr_row(r, row);
}

static void fill_hangs(const void *self, struct xtr_rows *r)
{
	const struct hang_section *s = self;

	for (size_t i = 0; i < xtr_hangs_n(s->hangs); i++) {
		const struct hang_row row = row_of(s, i);

		put_hang(r, s, &row);
	}
}

static const struct xtr_section_table hang_table =
	XTR_TABLE("hangs", "a hang", hang_columns, fill_hangs, XTR_SHOW_ALL);

/* --- jobs ------------------------------------------------------------------------------------- */

static const struct xtr_section_column job_columns[] = {
	{ "hang", "#", XTR_C_NUMBER, XTR_PUT, "number of the hang" },
	{ "role", "<role", XTR_C_TEXT, XTR_PUT, "guilty, killed, waiting, on-hardware, or before" },
	{ "context", NULL, XTR_C_NUMBER, XTR_PUT, "of the job's finished fence" },
	{ "seqno", NULL, XTR_C_NUMBER, XTR_PUT, "likewise" },
	{ NULL, "<job", XTR_C_TEXT, XTR_PUT },
	{ "pid", "pid", XTR_C_NUMBER, XTR_PUT, "process that submitted it" },
	{ "comm", "<process", XTR_C_TEXT, XTR_PUT, "its name" },
	{ "ring", "<ring", XTR_C_TEXT, XTR_PUT, "that it is for" },
	{ "first_ns", "begun", XTR_C_PLACE | XTR_C_KNOWN, XTR_PUT, "its first event" },
	{ "run_ns", "run", XTR_C_PLACE | XTR_C_KNOWN, XTR_PUT, "given to the hardware" },
	{ "done_ns", "ended", XTR_C_PLACE | XTR_C_KNOWN, XTR_PUT, "its fence was signalled" },
	{ "error", "error", XTR_C_SIGNED, XTR_PUT, "of its fence, as an errno; 0: it ended well" },
	{ "waits_context", NULL, XTR_C_NUMBER, XTR_PUT, "the fence that it waited for" },
	{ "waits_seqno", NULL, XTR_C_NUMBER, XTR_PUT, "likewise" },
	{ NULL, "<waits for", XTR_C_TEXT | XTR_C_BLANK, XTR_PUT },
	{ "lost", NULL, XTR_C_BOOL, XTR_PUT, "events were lost while it was in flight" },
};

static void put_name_of(struct xtr_rows *r, const struct xtr_job_name *name)
{
	if (xtr_job_name_any(name))
		xtr_put_format(r, "%llu:%llu", (unsigned long long)name->ctx,
			       (unsigned long long)name->seqno);
	else
		xtr_put_text(r, NULL);
}

static void put_job(struct xtr_rows *r, const struct hang_section *s, uint64_t number,
		    const struct xtr_hang_job *j)
{
	const bool waits = xtr_job_name_any(&j->waits_for);

	xtr_put_u64(r, true, number);
	xtr_put_text(r, xtr_hang_role_name(j->role));
	xtr_put_u64(r, true, j->name.ctx);
	xtr_put_u64(r, true, j->name.seqno);
	put_name_of(r, &j->name);
	xtr_put_u64(r, j->process, (uint32_t)j->process);
	put_comm(r, s, j);
	put_text(r, j->ring);
	xtr_put_u64(r, j->first_ns, j->first_ns);
	xtr_put_u64(r, j->run_ns, j->run_ns);
	xtr_put_u64(r, j->done_ns, j->done_ns);
	xtr_put_s64(r, j->error_known, j->error);
	xtr_put_u64(r, waits, j->waits_for.ctx);
	xtr_put_u64(r, waits, j->waits_for.seqno);
	put_name_of(r, &j->waits_for);
	xtr_put_u64(r, true, j->lost);
	xtr_row(r, j);
}

static void fill_jobs(const void *self, struct xtr_rows *r)
{
	const struct hang_section *s = self;

	for (size_t i = 0; i < xtr_hangs_n(s->hangs); i++) {
		const struct xtr_hang *h = xtr_hangs_at(s->hangs, i);

		for (uint32_t k = 0; k < h->n_jobs; k++)
			put_job(r, s, i + 1, &h->job[k]);
	}
}

static const struct xtr_section_table job_table = {
	.name = "jobs",
	.help = "a job that has to do with a hang",
	XTR_TABLE_COLUMNS(job_columns),
	.fill = fill_jobs,
	.limit = XTR_SHOW_TOP,
	.heading = "  its jobs: guilty, killed with it, waiting for it, on the hardware beside it, "
		   "and the last that ended well before it\n",
};

/* --- stack ------------------------------------------------------------------------------------ */

#define AT(member) XTR_AT(struct hang_row, member)
static const struct xtr_section_column stack_columns[] = {
	{ "hang", "#", XTR_C_NUMBER, AT(number), "number of the hang" },
	{ "frame", "frame", XTR_C_NUMBER, AT(nth), "from 0, the innermost" },
	{ "name", "<function", XTR_C_TEXT, XTR_PUT, "function, or library and offset" },
};
#undef AT

static void fill_stack(const void *self, struct xtr_rows *r)
{
	const struct hang_section *s = self;
	bool own;

	for (size_t i = 0; i < xtr_hangs_n(s->hangs); i++) {
		struct hang_row row = row_of(s, i);

		for (row.nth = 0;
		     row.job && row.nth < FRAMES_MAX &&
		     xtr_user_frame(s->o->tables, row.job->stack, row.nth, row.frame, &own);
		     row.nth++) {
			xtr_put_copy(r, row.frame);
			xtr_row(r, &row);
		}
	}
}

static const struct xtr_section_table stack_table = {
	.name = "stack",
	.help = "a frame of the stack from which the guilty job was submitted",
	XTR_TABLE_COLUMNS(stack_columns),
	.fill = fill_stack,
	.limit = XTR_SHOW_TOP,
	.heading = "  from where the guilty job was submitted\n",
};

const struct xtr_section_table *const hang_tables[] = { &hang_table, &job_table, &stack_table,
							NULL };

int hang_text(const void *self, const struct xtr_view *v)
{
	const struct hang_section *s = self;
	int err = 0;

	if (xtr_hangs_left_out(s->hangs))
		fprintf(v->f,
			"  at least: %s jobs or triggers are left out, for which there was "
			"no room\n",
			XTR_COUNT(xtr_hangs_left_out(s->hangs)));
	for (size_t i = 0; i < xtr_hangs_n(s->hangs); i++)
		if (xtr_hangs_at(s->hangs, i)->why)
			fprintf(v->f, "  #%zu: whose job it was is not known: %s\n", i + 1,
				xtr_hangs_at(s->hangs, i)->why);
	err = xtr_tables_text(hang_tables, s, s->o, v->f);
	return err;
}

void hang_json(const void *self, struct xtr_json *j)
{
	const struct hang_section *s = self;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "left_out", xtr_hangs_left_out(s->hangs));
	xtr_tables_json(hang_tables, s, s->o, j);
	xtr_json_end_object(j);
}
