/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `fences` as text and as JSON. */
#include "fences_impl.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "base/text.h"
#include "replay/event/process.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <string.h>

static const char *const kinds[] = { NULL, "scheduled", "finished" };
static const struct fence_source others = { .driver = "(others)" };

static const struct fence_source *source(const struct fences *f, uint32_t i)
{
	return i < f->n_sources ? &f->source[i] : &others;
}

static void cell_source(struct xtr_grid *t, const struct fence_source *s)
{
	char buf[192];

	xtr_grid_cell(t, fences_source_text(s, buf, sizeof(buf)));
}

static const char *comm_of(const struct fences *f, uint32_t comm, size_t *n)
{
	*n = 0;
	return comm && f->o->tables ? xtr_tables_string(f->o->tables, comm, n) : NULL;
}

/* "compositor 4711"; "-" if nothing is known. */
static void cell_process(struct xtr_grid *t, const struct fences *f, uint64_t process, uint32_t tid,
			 uint32_t comm)
{
	char name[XTR_TEXT_NAME] = "", buf[XTR_TEXT_NAME + 32], pid[XTR_TEXT_PROCESS];
	size_t n;
	const char *s = comm_of(f, comm, &n);

	if (s)
		xtr_text_name(name, sizeof(name), s, n);
	if (process)
		snprintf(buf, sizeof(buf), "%s%s%s", name, *name ? " " : "",
			 xtr_text_process(pid, process));
	else if (tid)
		snprintf(buf, sizeof(buf), "%s%sthread %" PRIu32, name, *name ? " " : "", tid);
	else
		snprintf(buf, sizeof(buf), "%s", *name ? name : "-");
	xtr_grid_cell(t, buf);
}

static int text_waiters(const struct fences *f, FILE *out)
{
	static const char *const columns[] = { "<who waited", "<for fences of",
					       "<of jobs of", "waits",
					       "open",        "total",
					       "p50",         "p99",
					       "max",         NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;
	int ret;

	for (i = 0; i < f->n_waiters && i < f->o->top; i++) {
		const struct fence_waiter *w = &f->waiter[i];

		cell_process(t, f, w->process, w->tid, w->comm);
		cell_source(t, source(f, w->source));
		if (w->several)
			xtr_grid_cell(t, "(several)");
		else
			cell_process(t, f, w->owner, 0, w->owner_comm);
		xtr_grid_count(t, w->waits);
		xtr_grid_count(t, w->open);
		xtr_grid_ns(t, w->time.n, w->time.sum);
		xtr_grid_ns(t, w->time.n, xtr_hist_quantile(&w->time, 500));
		xtr_grid_ns(t, w->time.n, xtr_hist_quantile(&w->time, 990));
		xtr_grid_ns(t, w->time.n, w->time.max);
	}
	ret = xtr_grid_print(t, f->n_waiters ? out : NULL, 2);
	if (i < f->n_waiters)
		fprintf(out, "  ... and %" PRIu32 " more (--top)\n", f->n_waiters - i);
	return ret;
}

static int text_sources(const struct fences *f, FILE *out)
{
	static const char *const columns[] = { "<fences of", "contexts",  "made",
					       "emitted",    "signalled", "not signalled",
					       "mean life",  "max",       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i, rows = 0, more = 0;
	int ret;

	for (i = 0; i < f->n_sources; i++) {
		const struct fence_source *s = &f->source[i];

		if (!s->inits && !s->emits)
			continue;
		if (rows == f->o->top) {
			more++;
			continue;
		}
		rows++;
		cell_source(t, s);
		xtr_grid_count(t, s->contexts);
		xtr_grid_count(t, s->inits);
		xtr_grid_count(t, s->emits);
		xtr_grid_count(t, s->signals);
		xtr_grid_count(t, s->unsignalled);
		xtr_grid_ns(t, s->lives && f->o->times, s->lives ? s->life_ns / s->lives : 0);
		xtr_grid_ns(t, s->lives && f->o->times, s->life_max_ns);
	}
	ret = xtr_grid_print(t, rows ? out : NULL, 2);
	if (more)
		fprintf(out, "  ... and %" PRIu32 " more (--top)\n", more);
	return ret;
}

static int text_unsignalled(const struct fences *f, FILE *out)
{
	static const char *const columns[] = { "<not signalled", "<of", "<since", "age",
					       "<what is known", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[2 * XTR_TEXT_NUMBER];
	uint32_t i;
	int ret;

	for (i = 0; i < f->n_list && i < f->o->top; i++) {
		const struct fence_open *o = &f->open[f->list[i]];

		snprintf(buf, sizeof(buf), "%" PRIu64 ":%" PRIu64, o->ctx, o->seqno);
		xtr_grid_cell(t, buf);
		cell_source(t, source(f, f->context[o->context].source));
		xtr_grid_cell(t, xtr_text_place(buf, f->o->times, o->since_ns));
		xtr_grid_ns(t, f->o->times, f->end_ns - o->since_ns);
		xtr_grid_cell(t, o->unsure         ? "events were lost since"
				 : o->waits_to_run ? "the job was not run"
						   : "");
	}
	ret = xtr_grid_print(t, f->n_list ? out : NULL, 2);
	if (i < f->unsignalled)
		fprintf(out, "  ... and %" PRIu64 " more (--top)\n", f->unsignalled - i);
	return ret;
}

static int text_stalls(const struct fences *f, FILE *out)
{
	static const char *const columns[] = { "<jobs of",
					       "<waited for jobs of",
					       "waits",
					       "sum",
					       "with nothing to execute",
					       "sum",
					       "max",
					       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[112];
	uint32_t i;
	int ret;

	for (i = 0; i < f->n_pairs && i < f->o->top; i++) {
		const struct fence_pair *p = &f->pair[i];

		xtr_grid_cell(t, f->ring[p->ring].name);
		xtr_grid_cell(t, fences_ring_text(f, p->blocker_id, buf, sizeof(buf)));
		xtr_grid_count(t, p->waits);
		xtr_grid_ns(t, true, p->wait_ns);
		xtr_grid_count(t, p->stalls);
		xtr_grid_ns(t, true, p->stall_ns);
		xtr_grid_ns(t, true, p->max_ns);
	}
	ret = xtr_grid_print(t, f->n_pairs ? out : NULL, 2);
	if (i < f->n_pairs)
		fprintf(out, "  ... and %" PRIu32 " more (--top)\n", f->n_pairs - i);
	return ret;
}

int fences_text(const void *self, const struct xtr_view *v)
{
	const struct fences *f = self;
	int ret = text_waiters(f, v->f);

	if (!ret)
		ret = text_sources(f, v->f);
	if (!ret)
		ret = text_unsignalled(f, v->f);
	if (!ret)
		ret = text_stalls(f, v->f);
	if (f->unfollowed)
		fprintf(v->f, "  more fences were open than are followed: %" PRIu64 "\n",
			f->unfollowed);
	return ret;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void kv_text(struct xtr_json *j, const char *key, const char *s)
{
	xtr_json_key(j, key);
	xtr_json_strn(j, s && *s ? s : NULL, s ? strlen(s) : 0);
}

static void kv_comm(const struct fences *f, struct xtr_json *j, const char *key, uint32_t comm)
{
	size_t n;
	const char *s = comm_of(f, comm, &n);

	xtr_json_key(j, key);
	xtr_json_strn(j, s, n);
}

static void json_source(struct xtr_json *j, const struct fence_source *s)
{
	kv_text(j, "driver", s->driver);
	kv_text(j, "timeline", s->timeline);
	kv_text(j, "kind", kinds[s->kind]);
}

static void json_waiter(const struct fences *f, const struct fence_waiter *w, struct xtr_json *j)
{
	xtr_json_begin_object(j);
	xtr_json_kv_process(j, "pid", w->process);
	xtr_json_kv_known(j, "tid", w->tid);
	kv_comm(f, j, "name", w->comm);
	json_source(j, source(f, w->source));
	xtr_json_kv_process(j, "owner_pid", w->owner);
	kv_comm(f, j, "owner_name", w->owner_comm);
	xtr_json_kv_bool(j, "several_owners", w->several);
	xtr_json_kv_u64(j, "waits", w->waits);
	xtr_json_kv_u64(j, "open", w->open);
	xtr_view_json_hist(j, "wait_ns", &w->time, false);
	xtr_json_end_object(j);
}

static void json_sources(const struct fences *f, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "sources");
	for (i = 0; i < f->n_sources; i++) {
		const struct fence_source *s = &f->source[i];

		xtr_json_begin_object(j);
		json_source(j, s);
		xtr_json_kv_u64(j, "contexts", s->contexts);
		xtr_json_kv_u64(j, "init", s->inits);
		xtr_json_kv_u64(j, "emit", s->emits);
		xtr_json_kv_u64(j, "signaled", s->signals);
		xtr_json_kv_u64(j, "unsignalled", s->unsignalled);
		xtr_json_kv_u64(j, "lives", s->lives);
		xtr_json_kv_u64(j, "life_sum_ns", f->o->times ? s->life_ns : 0);
		xtr_json_kv_u64(j, "life_max_ns", f->o->times ? s->life_max_ns : 0);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_list(const struct fences *f, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "unsignalled_list");
	for (i = 0; i < f->n_list; i++) {
		const struct fence_open *o = &f->open[f->list[i]];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "context", o->ctx);
		xtr_json_kv_u64(j, "seqno", o->seqno);
		json_source(j, source(f, f->context[o->context].source));
		xtr_json_kv_str(j, "since", o->emitted ? "emit" : "init");
		xtr_json_kv_u64(j, "since_ns", o->since_ns);
		xtr_json_kv_known(j, "age_ns", f->o->times ? f->end_ns - o->since_ns : 0);
		xtr_json_kv_u64(j, "tid", o->tid);
		xtr_json_kv_bool(j, "not_run", o->waits_to_run);
		xtr_json_kv_bool(j, "lost_since", o->unsure);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_stalls(const struct fences *f, struct xtr_json *j)
{
	char buf[112];
	uint32_t i;

	xtr_json_kv_array(j, "stalls");
	for (i = 0; i < f->n_pairs; i++) {
		const struct fence_pair *p = &f->pair[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "ring_id", f->ring[p->ring].id);
		xtr_json_kv_str(j, "ring", f->ring[p->ring].name);
		xtr_json_kv_u64(j, "blocked_by_ring_id", p->blocker_id);
		xtr_json_kv_str(j, "blocked_by",
				fences_ring_text(f, p->blocker_id, buf, sizeof(buf)));
		xtr_json_kv_u64(j, "waits", p->waits);
		xtr_json_kv_u64(j, "wait_ns", p->wait_ns);
		xtr_json_kv_u64(j, "stalls", p->stalls);
		xtr_json_kv_u64(j, "stall_ns", p->stall_ns);
		xtr_json_kv_u64(j, "stall_max_ns", p->max_ns);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void fences_json(const void *self, struct xtr_json *j)
{
	const struct fences *f = self;
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "waits", f->waits);
	xtr_json_kv_u64(j, "waits_open", f->waits_open);
	xtr_json_kv_u64(j, "unsignalled", f->unsignalled);
	xtr_json_kv_u64(j, "destroyed_unsignalled", f->destroyed);
	xtr_json_kv_u64(j, "unfollowed", f->unfollowed);
	xtr_json_kv_array(j, "waiters");
	for (i = 0; i < f->n_waiters; i++)
		json_waiter(f, &f->waiter[i], j);
	xtr_json_end_array(j);
	json_sources(f, j);
	json_list(f, j);
	json_stalls(f, j);
	xtr_json_end_object(j);
}
