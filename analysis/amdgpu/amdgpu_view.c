/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `amdgpu` as text. */
#include "amdgpu_impl.h"
#include "amdgpu_names.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "replay/event/process.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <inttypes.h>

#define PAIR 48u /* bytes of a short text that is made here */

static void cell_known(struct xtr_grid *t, bool known, uint64_t n)
{
	if (known)
		xtr_grid_count(t, n);
	else
		xtr_grid_cell(t, "-");
}

static void cell_string(struct xtr_grid *t, const struct amdgpu *g, uint64_t string)
{
	char buf[XTR_TEXT_NAME];
	size_t n = 0;
	const char *s = string && g->o->tables
				? xtr_tables_string(g->o->tables, (uint32_t)string, &n)
				: NULL;

	xtr_grid_cell(t, s ? xtr_text_name(buf, sizeof(buf), s, n) : "-");
}

static void cell_memory(struct xtr_grid *t, uint64_t type)
{
	char buf[PAIR];

	xtr_grid_cell(t, amdgpu_memory_text(buf, sizeof(buf), (uint32_t)type));
}

/* What a table does not show: rows behind the first `shown`, and what found no row. */
static void put_more(FILE *f, const struct xtr_tally *t, uint32_t shown)
{
	char n[XTR_TEXT_NUMBER];

	if (t->n > shown)
		fprintf(f, "  ... and %s more rows (--top)\n", xtr_text_count(n, t->n - shown));
	if (t->left_out)
		fprintf(f, "  %s events are in no row: there are too many rows\n",
			xtr_text_count(n, t->left_out));
}

static uint32_t shown(const struct amdgpu *g, const struct xtr_tally *t)
{
	return t->n < g->o->top ? t->n : g->o->top;
}

static void put(FILE *f, const char *what, uint64_t n)
{
	char buf[XTR_TEXT_NUMBER];

	if (n)
		fprintf(f, ", %s %s", xtr_text_count(buf, n), what);
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void text_jobs(const struct amdgpu *g, FILE *f)
{
	const struct amdgpu_jobs *s = &g->jobs;
	char jobs[XTR_TEXT_NUMBER], ibs[XTR_TEXT_NUMBER];

	fprintf(f, "  submissions: %s %s of %s %s", xtr_text_count(jobs, s->submitted),
		s->submitted == 1 ? "job" : "jobs", xtr_text_count(ibs, s->ibs),
		s->ibs == 1 ? "IB" : "IBs");
	put(f, "run", s->run);
	put(f, "not run", s->not_run);
	put(f, "not known to be run", s->no_room);
	put(f, "runs again", s->run_again);
	put(f, "keys used again", s->recycled);
	put(f, "pipeline syncs", s->pipe_syncs);
	fputc('\n', f);
	if (s->kernel || s->other || s->before) {
		fprintf(f, "  runs without a submission here: %s of the kernel's own jobs",
			xtr_text_count(jobs, s->kernel));
		put(f, "not known", s->other);
		put(f, "submitted before", s->before);
		fputc('\n', f);
	}
	if (s->checked != s->same_process || s->checked != s->same_ring)
		fprintf(f,
			"  ! of %s jobs that the scheduler's events tell of too, %" PRIu64
			" have another process and %" PRIu64 " another ring there\n",
			xtr_text_count(jobs, s->checked), s->checked - s->same_process,
			s->checked - s->same_ring);
}

static int text_rings(const struct amdgpu *g, FILE *f)
{
	static const char *const columns[] = { "<device", "<ring", "jobs",    "IBs",
					       "not run", "again", "kernel",  "submit to run: p50",
					       "p99",     "max",   ">100 us", "share",
					       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NUMBER];
	uint32_t i;
	int ret;

	for (i = 0; i < shown(g, &g->jobs.rings); i++) {
		const struct amdgpu_ring *r = xtr_tally_at(&g->jobs.rings, i);
		const struct xtr_hist *h = &r->latency;

		cell_string(t, g, r->row.a);
		cell_string(t, g, r->row.b);
		xtr_grid_count(t, r->row.n);
		xtr_grid_count(t, r->ibs);
		xtr_grid_count(t, r->not_run);
		xtr_grid_count(t, r->run_again);
		xtr_grid_count(t, r->kernel + r->other);
		xtr_grid_ns(t, h->n, xtr_hist_quantile(h, 500));
		xtr_grid_ns(t, h->n, xtr_hist_quantile(h, 990));
		xtr_grid_ns(t, h->n, h->max);
		cell_known(t, h->n, r->late);
		xtr_grid_cell(t, xtr_text_percent(buf, r->late, h->n));
	}
	ret = xtr_grid_print(t, f, 2);
	put_more(f, &g->jobs.rings, shown(g, &g->jobs.rings));
	return ret;
}

static int text_processes(const struct amdgpu *g, FILE *f)
{
	static const char *const columns[] = { "pid",          "<process", "jobs",
					       "IBs",          "IBs/job",  "jobs/s",
					       "peak jobs/s",  "buffers",  "bytes created",
					       "VRAM refused", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;
	int ret;

	for (i = 0; i < shown(g, &g->processes); i++) {
		const struct amdgpu_process *p = xtr_tally_at(&g->processes, i);
		bool rate = p->rate.n;
		char buf[PAIR] = "-", pid[XTR_TEXT_PROCESS];

		xtr_grid_cell(t, p->row.a ? xtr_text_process(pid, p->row.a) : "-");
		cell_string(t, g, p->comm);
		xtr_grid_count(t, p->row.n);
		xtr_grid_count(t, p->ibs);
		if (p->row.n)
			snprintf(buf, sizeof(buf), "%" PRIu64 ".%" PRIu64, p->ibs / p->row.n,
				 p->ibs % p->row.n * 10 / p->row.n);
		xtr_grid_cell(t, buf);
		cell_known(t, rate, xtr_rate_per_second(p->rate.n, g->o->span_ns));
		cell_known(t, rate, xtr_rate_peak(&p->rate));
		xtr_grid_count(t, p->buffers);
		xtr_grid_count(t, p->bytes);
		xtr_grid_count(t, p->vram_refused);
	}
	ret = xtr_grid_print(t, f, 2);
	put_more(f, &g->processes, shown(g, &g->processes));
	return ret;
}

static void text_ibs(const struct amdgpu *g, FILE *f)
{
	const struct amdgpu_jobs *s = &g->jobs;
	char n[XTR_TEXT_NUMBER], p50[XTR_TEXT_NUMBER], p99[XTR_TEXT_NUMBER], out[XTR_TEXT_NUMBER];

	if (!s->ib_events)
		return;
	fprintf(f,
		"  IBs (amdgpu_cs): %s, dwords p50 %s, p99 %s; fences of the ring not yet signalled "
		"p50 %s\n",
		xtr_text_count(n, s->ib_events),
		xtr_text_count(p50, xtr_hist_quantile(&s->ib_dwords, 500)),
		xtr_text_count(p99, xtr_hist_quantile(&s->ib_dwords, 990)),
		xtr_text_count(out, xtr_hist_quantile(&s->fences, 500)));
}

/* --- memory ----------------------------------------------------------------------------------- */

static int text_asked(const struct amdgpu *g, FILE *f)
{
	static const char *const columns[] = { "<preferred", "<allowed", "<given",
					       "buffers",    "bytes",    NULL };
	const struct amdgpu_memory_stats *m = &g->mem;
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NAME];
	uint32_t i;
	int ret;

	for (i = 0; i < shown(g, &m->asked); i++) {
		const struct amdgpu_bytes_row *r = xtr_tally_at(&m->asked, i);

		xtr_grid_cell(t, amdgpu_domains_text(buf, sizeof(buf), (uint32_t)(r->row.a >> 32)));
		xtr_grid_cell(t, amdgpu_domains_text(buf, sizeof(buf), (uint32_t)r->row.a));
		cell_memory(t, r->row.b);
		xtr_grid_count(t, r->row.n);
		xtr_grid_count(t, r->bytes);
	}
	ret = xtr_grid_print(t, f, 2);
	put_more(f, &m->asked, shown(g, &m->asked));
	return ret;
}

static void text_flags(const struct amdgpu_memory_stats *m, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	const char *sep = "  creation flags:";
	unsigned int i;

	for (i = 0; i < AMDGPU_FLAG_BITS; i++) {
		const char *name = amdgpu_create_flag_name(i);

		if (!m->flag[i].n)
			continue;
		fputs(sep, f);
		sep = ",";
		if (name)
			fprintf(f, " %s", name);
		else
			fprintf(f, " 0x%x", 1u << i);
		fprintf(f, " %s", xtr_text_count(n, m->flag[i].n));
	}
	if (*sep == ',')
		fputc('\n', f);
}

static int text_buffers(const struct amdgpu *g, FILE *f)
{
	const struct amdgpu_memory_stats *m = &g->mem;
	char n[XTR_TEXT_NUMBER], bytes[XTR_TEXT_NUMBER];
	int ret;

	if (!m->created.n)
		return 0;
	fprintf(f,
		"  buffers created: %s, %s bytes (created, not held: there is no event for their "
		"end)\n",
		xtr_text_count(n, m->created.n), xtr_text_count(bytes, m->created.bytes));
	if (m->vram_asked.n) {
		fprintf(f, "  VRAM: asked by %s", xtr_text_count(n, m->vram_asked.n));
		put(f, "got it", m->vram_given.n);
		put(f, "that asked for nothing else got system memory", m->refused.n);
		put(f, "that asked for it or GTT got system memory", m->either_elsewhere.n);
		fputc('\n', f);
	}
	ret = text_asked(g, f);
	text_flags(m, f);
	return ret;
}

static int text_directions(const struct amdgpu *g, FILE *f)
{
	static const char *const columns[] = { "<from", "<to", "moves", "bytes", NULL };
	const struct amdgpu_memory_stats *m = &g->mem;
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;
	int ret;

	for (i = 0; i < shown(g, &m->directions); i++) {
		const struct amdgpu_bytes_row *r = xtr_tally_at(&m->directions, i);

		cell_memory(t, r->row.a);
		cell_memory(t, r->row.b);
		xtr_grid_count(t, r->row.n);
		xtr_grid_count(t, r->bytes);
	}
	ret = xtr_grid_print(t, f, 2);
	put_more(f, &m->directions, shown(g, &m->directions));
	return ret;
}

static int text_moves(const struct amdgpu *g, FILE *f)
{
	const struct amdgpu_memory_stats *m = &g->mem;
	char n[XTR_TEXT_NUMBER], bytes[XTR_TEXT_NUMBER], rate[XTR_TEXT_NUMBER];

	if (!m->directions.n)
		return 0;
	fprintf(f, "  moves between memories: %s, %s bytes", xtr_text_count(n, m->moved.n),
		xtr_text_count(bytes, m->moved.bytes));
	if (g->o->times)
		fprintf(f, ", %s per second (peak %s)",
			xtr_text_count(n, xtr_rate_per_second(m->moved.n, g->o->span_ns)),
			xtr_text_count(rate, xtr_rate_peak(&m->move_rate)));
	put(f, "into VRAM", m->to_vram.n);
	put(f, "out of VRAM", m->from_vram.n);
	put(f, "first placements", m->placed.n);
	put(f, "releases", m->released.n);
	fputc('\n', f);
	if (m->returns) {
		fprintf(f, "  back in VRAM after leaving it (inferred): %s times",
			xtr_text_count(n, m->returns));
		put(f, "within 1 s", m->quick);
		put(f, "times at most for one buffer", m->most_returns);
		fputc('\n', f);
	}
	if (m->lives_lost)
		fprintf(f,
			"  %s buffers outside of VRAM were forgotten: their returns are not "
			"counted\n",
			xtr_text_count(n, m->lives_lost));
	return text_directions(g, f);
}

static void text_lists(const struct amdgpu_memory_stats *m, FILE *f)
{
	char n[XTR_TEXT_NUMBER], each[XTR_TEXT_NUMBER], bytes[XTR_TEXT_NUMBER];

	if (m->lists)
		fprintf(f,
			"  buffer lists: %s, of %s buffers (p50 %s each), %s bytes in all lists\n",
			xtr_text_count(n, m->lists), xtr_text_count(bytes, m->list_buffers),
			xtr_text_count(each, xtr_hist_quantile(&m->list_size, 500)),
			xtr_text_count((char[XTR_TEXT_NUMBER]){ 0 }, m->list_bytes));
	if (m->list_set.n)
		fprintf(f, "  buffers put into lists: %s, %s bytes\n",
			xtr_text_count(n, m->list_set.n), xtr_text_count(bytes, m->list_set.bytes));
}

/* --- all -------------------------------------------------------------------------------------- */

int amdgpu_text(const void *self, const struct xtr_view *v)
{
	const struct amdgpu *g = self;
	int ret = 0;

	if (g->jobs.rings.n) {
		text_jobs(g, v->f);
		ret = text_rings(g, v->f);
	}
	if (!ret && g->processes.n)
		ret = text_processes(g, v->f);
	text_ibs(g, v->f);
	if (!g->o->times)
		fputs("  times and rates: not known, the trace has none\n", v->f);
	if (!ret)
		ret = text_buffers(g, v->f);
	if (!ret)
		ret = text_moves(g, v->f);
	text_lists(&g->mem, v->f);
	if (!ret)
		ret = amdgpu_text_hardware(g, v->f);
	if (g->n_cards > 1)
		fprintf(v->f,
			"  %u cards: only the rings tell them apart; all other numbers are of "
			"them together, as the events name none\n",
			g->n_cards);
	if (g->gaps)
		fputs("  events were lost: counts are lower bounds\n", v->f);
	return ret;
}
