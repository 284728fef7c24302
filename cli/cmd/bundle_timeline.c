/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_timeline.h"
#include "cli/ui/text.h"
#include "replay_cmd.h"

#include "analysis/core/ring_text.h"
#include "base/buf.h"
#include "replay/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIMELINE_NS    10000000000ull
#define TIMELINE_CELLS 60u
#define TIMELINE_RINGS 8u

struct row {
	uint64_t busy[TIMELINE_CELLS]; /* ns */
	uint64_t until;                /* a job was on the hardware up to here */
	uint64_t all;
	char name[XTR_RING_TEXT];
};

struct timeline {
	struct row *v; /* by index of the ring */
	size_t n, cap;
	uint64_t from, to, width; /* ns */
};

static struct row *row_of(struct timeline *t, const struct xtr_model_ring *ring)
{
	if (xtr_grow_array(&t->v, &t->cap, (size_t)ring->index + 1, sizeof(*t->v)))
		return NULL;
	while (t->n <= ring->index)
		t->v[t->n++] = (struct row){ 0 };
	if (!t->v[ring->index].name[0])
		xtr_ring_text(ring, "?", t->v[ring->index].name, XTR_RING_TEXT);
	return &t->v[ring->index];
}

static void fill(struct timeline *t, struct row *r, uint64_t from, uint64_t to)
{
	for (size_t i = (from - t->from) / t->width; i < TIMELINE_CELLS && from < to; i++) {
		uint64_t end = t->from + (i + 1) * t->width;
		uint64_t part = (to < end ? to : end) - from;

		r->busy[i] += part;
		r->all += part;
		from += part;
	}
}

/* A job that never ended is on the hardware up to the end. Jobs come in order of their ends, so
 * what counted before is left out of each. */
static int on_job(void *ctx, const struct xtr_job *j)
{
	struct timeline *t = ctx;
	uint64_t from = j->busy_from_ns, to = j->busy_to_ns;
	struct row *r = row_of(t, j->ring);

	if (!r)
		return -ENOMEM;
	if (!j->done_ns && j->run_ns) {
		from = j->run_ns;
		to = t->to;
	}
	from = from > t->from ? from : t->from;
	from = from > r->until ? from : r->until;
	to = to < t->to ? to : t->to;
	if (from < to) {
		fill(t, r, from, to);
		r->until = to;
	}
	return 0;
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(ctx, ev);
}

static int play(struct replay_cmd *cmd, const struct xtr_section *s, struct xtr_model_opts *mo)
{
	struct xtr_model *verdict = NULL, *m = NULL;
	const struct xtr_model_opts first = { .sz = sizeof(first),
					      .meta = mo->meta,
					      .tables = mo->tables };
	const uint32_t *types;
	size_t n;
	int err = xtr_model_new(&verdict, &first);

	if (!err) {
		types = xtr_model_types(verdict, true, &n);
		err = replay_play(cmd, s, types, n, on_event, verdict) ?: xtr_model_finish(verdict);
	}
	cmd->again = true;
	mo->verdict = verdict;
	err = err ?: xtr_model_new(&m, mo);
	if (!err) {
		types = xtr_model_types(m, false, &n);
		err = replay_play(cmd, s, types, n, on_event, m) ?: xtr_model_finish(m);
	}
	xtr_model_free(m);
	xtr_model_free(verdict);
	return err;
}

static int by_busy(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	return a->all < b->all ? 1 : -(a->all > b->all);
}

static void put_row(FILE *f, const struct timeline *t, const struct row *r, int width)
{
	cli_put(f, r->name, width);
	fputs(" |", f);
	for (size_t i = 0; i < TIMELINE_CELLS; i++) {
		uint64_t thirds = r->busy[i] * 3;

		fputc(!thirds                  ? ' '
		      : thirds <= t->width     ? '.'
		      : thirds <= 2 * t->width ? '-'
					       : '#',
		      f);
	}
	fputs("|\n", f);
}

static void put(FILE *f, struct timeline *t)
{
	size_t n = 0;
	int width = 0;

	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_busy);
	for (; n < t->n && n < TIMELINE_RINGS && t->v[n].all; n++)
		if (cli_width(t->v[n].name) > width)
			width = cli_width(t->v[n].name);
	if (!n)
		return;
	fprintf(f,
		"The last %s, each column %s; # - . : on the hardware for more, or less, of it\n",
		cli_ns(t->to - t->from), cli_ns(t->width));
	for (size_t i = 0; i < n; i++)
		put_row(f, t, &t->v[i], width);
}

int bundle_timeline(struct xtr_reader *r, FILE *f)
{
	static const struct replay_opts all = { 0 };
	struct replay_cmd cmd = { .path = "", .reader = r, .window = &all.window, .o = &all };
	const size_t n = xtr_reader_n_sections(r);
	const struct xtr_section *s = n ? xtr_reader_section(r, n - 1) : NULL;
	const struct xtr_section_summary *sum = s ? xtr_section_summary(s) : NULL;
	struct timeline t = { 0 };
	struct xtr_model_opts mo = { .sz = sizeof(mo), .job = on_job, .ctx = &t };
	int err;

	if (!s || sum->ts_max <= sum->ts_min || replay_without_times(&cmd))
		return 0;
	t.to = sum->ts_max;
	t.from = t.to - sum->ts_min > TIMELINE_NS ? t.to - TIMELINE_NS : sum->ts_min;
	t.width = (t.to - t.from) / TIMELINE_CELLS + 1;
	mo.meta = xtr_section_meta(s);
	mo.tables = xtr_section_tables(s);
	err = play(&cmd, s, &mo);
	if (!err)
		put(f, &t);
	free(t.v);
	return err;
}
