/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of amdgpu as text and as JSON: AMDGPU of docs/stats-json.md. */
#include "amdgpu_impl.h"
#include "analysis/core/section_table.h"
#include "analysis/core/view.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

int amdgpu_text_table(const struct amdgpu *g, const struct xtr_section_table *table,
		      const struct xtr_counted *t, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	int err = xtr_table_text(table, g, g->o, f);

	if (t->n > g->o->top)
		fprintf(f, "  ... and %s more rows (--top)\n", xtr_text_count(n, t->n - g->o->top));
	if (t->left_out)
		fprintf(f, "  %s events are in no row: there are too many rows\n",
			xtr_text_count(n, t->left_out));
	return err;
}

void amdgpu_put(FILE *f, const char *what, uint64_t n)
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
	amdgpu_put(f, "run", s->run);
	amdgpu_put(f, "not run", s->not_run);
	amdgpu_put(f, "not known to be run", s->no_room);
	amdgpu_put(f, "runs again", s->run_again);
	amdgpu_put(f, "keys used again", s->recycled);
	amdgpu_put(f, "pipeline syncs", s->pipe_syncs);
	fputc('\n', f);
	if (s->kernel || s->other || s->before) {
		fprintf(f, "  runs without a submission here: %s of the kernel's own jobs",
			xtr_text_count(jobs, s->kernel));
		amdgpu_put(f, "not known", s->other);
		amdgpu_put(f, "submitted before", s->before);
		fputc('\n', f);
	}
	if (s->checked != s->same_process || s->checked != s->same_ring)
		fprintf(f,
			"  ! of %s jobs that the scheduler's events tell of too, %" PRIu64
			" have another process and %" PRIu64 " another ring there\n",
			xtr_text_count(jobs, s->checked), s->checked - s->same_process,
			s->checked - s->same_ring);
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

static void text_flags(const struct amdgpu_memory_stats *m, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	const char *sep = "  creation flags:";

	for (unsigned int i = 0; i < AMDGPU_FLAG_BITS; i++) {
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
	int err;

	if (!m->created.n)
		return 0;
	fprintf(f,
		"  buffers created: %s, %s bytes (created, not held: there is no event for their "
		"end)\n",
		xtr_text_count(n, m->created.n), xtr_text_count(bytes, m->created.bytes));
	if (m->vram_asked.n) {
		fprintf(f, "  VRAM: asked by %s", xtr_text_count(n, m->vram_asked.n));
		amdgpu_put(f, "got it", m->vram_given.n);
		amdgpu_put(f, "that asked for nothing else got system memory", m->refused.n);
		amdgpu_put(f, "that asked for it or GTT got system memory", m->either_elsewhere.n);
		fputc('\n', f);
	}
	err = amdgpu_text_table(g, &amdgpu_asked_table, &m->asked, f);
	text_flags(m, f);
	return err;
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
	amdgpu_put(f, "into VRAM", m->to_vram.n);
	amdgpu_put(f, "out of VRAM", m->from_vram.n);
	amdgpu_put(f, "first placements", m->placed.n);
	amdgpu_put(f, "releases", m->released.n);
	fputc('\n', f);
	if (m->returns) {
		fprintf(f, "  back in VRAM after leaving it (inferred): %s times",
			xtr_text_count(n, m->returns));
		amdgpu_put(f, "within 1 s", m->quick);
		amdgpu_put(f, "times at most for one buffer", m->most_returns);
		fputc('\n', f);
	}
	if (m->lives_lost)
		fprintf(f,
			"  %s buffers outside of VRAM were forgotten: their returns are not "
			"counted\n",
			xtr_text_count(n, m->lives_lost));
	return amdgpu_text_table(g, &amdgpu_directions_table, &m->directions, f);
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
	int err = 0;

	if (g->jobs.rings.n) {
		text_jobs(g, v->f);
		err = amdgpu_text_table(g, &amdgpu_rings_table, &g->jobs.rings, v->f);
	}
	if (!err && g->processes.n)
		err = amdgpu_text_table(g, &amdgpu_processes_table, &g->processes, v->f);
	text_ibs(g, v->f);
	if (!g->o->times)
		fputs("  times and rates: not known, the trace has none\n", v->f);
	if (!err)
		err = text_buffers(g, v->f);
	if (!err)
		err = text_moves(g, v->f);
	text_lists(&g->mem, v->f);
	if (!err)
		err = amdgpu_text_hardware(g, v->f);
	if (g->n_cards > 1)
		fprintf(v->f,
			"  %u cards: only the rings tell them apart; all other numbers are of "
			"them together, as the events name none\n",
			g->n_cards);
	if (g->gaps)
		fputs("  events were lost: counts are lower bounds\n", v->f);
	return err;
}

/* --- JSON ------------------------------------------------------------------------------------- */

const struct xtr_section_table *const amdgpu_tables[] = { &amdgpu_jobs_table,
							  &amdgpu_rings_table,
							  &amdgpu_processes_table,
							  &amdgpu_buffers_table,
							  &amdgpu_types_table,
							  &amdgpu_asked_table,
							  &amdgpu_flags_table,
							  &amdgpu_buffer_processes_table,
							  &amdgpu_moves_table,
							  &amdgpu_directions_table,
							  &amdgpu_returns_table,
							  &amdgpu_lists_table,
							  &amdgpu_vm_table,
							  &amdgpu_vmids_table,
							  &amdgpu_pasids_table,
							  &amdgpu_irq_table,
							  &amdgpu_sources_table,
							  &amdgpu_irq_vms_table,
							  &amdgpu_ih_table,
							  &amdgpu_registers_table,
							  &amdgpu_resets_table,
							  &amdgpu_others_table,
							  NULL };

/* An object of several tables, and of how much is in none of their rows. */
static void group(const struct amdgpu *g, struct xtr_json *j, const char *key,
		  const struct xtr_section_table *const *tables, uint64_t left_out)
{
	xtr_json_kv_object(j, key);
	xtr_tables_json(tables, g, g->o, j);
	xtr_json_kv_u64(j, "left_out", left_out);
	xtr_json_end_object(j);
}
#define GROUP(key, left_out, ...) \
	group(g, j, key, (const struct xtr_section_table *const[]){ __VA_ARGS__, NULL }, left_out)

void amdgpu_json(const void *self, struct xtr_json *j)
{
	const struct amdgpu *g = self;
	const struct amdgpu_memory_stats *m = &g->mem;
	const struct amdgpu_irq *irq = &g->irq;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "cards", g->n_cards);
	GROUP("jobs", g->jobs.rings.left_out + g->processes.left_out, &amdgpu_jobs_table,
	      &amdgpu_rings_table, &amdgpu_processes_table);
	GROUP("buffers", m->types.left_out + m->asked.left_out, &amdgpu_buffers_table,
	      &amdgpu_types_table, &amdgpu_asked_table, &amdgpu_flags_table,
	      &amdgpu_buffer_processes_table);
	GROUP("moves", m->directions.left_out, &amdgpu_moves_table, &amdgpu_directions_table,
	      &amdgpu_returns_table);
	xtr_table_json(&amdgpu_lists_table, g, g->o, j);
	GROUP("vm", g->vm.rings.left_out + g->vm.pasids.left_out, &amdgpu_vm_table,
	      &amdgpu_vmids_table, &amdgpu_pasids_table);
	GROUP("interrupts", irq->sources.left_out + irq->vms.left_out + irq->ih_rings.left_out,
	      &amdgpu_irq_table, &amdgpu_sources_table, &amdgpu_irq_vms_table, &amdgpu_ih_table);
	xtr_json_kv_object(j, "registers");
	xtr_json_kv_u64(j, "reads", g->reads);
	xtr_json_kv_u64(j, "writes", g->writes);
	xtr_table_json(&amdgpu_registers_table, g, g->o, j);
	xtr_json_kv_u64(j, "left_out", g->registers.left_out);
	xtr_json_end_object(j);
	xtr_table_json(&amdgpu_resets_table, g, g->o, j);
	xtr_table_json(&amdgpu_others_table, g, g->o, j);
	xtr_json_end_object(j);
}
