/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `amdgpu` as text: address spaces, interrupts, registers, resets. */
#include "amdgpu_impl.h"
#include "amdgpu_names.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static void cell_number(struct xtr_grid *t, uint64_t n, const char *name)
{
	char buf[XTR_TEXT_NAME];

	snprintf(buf, sizeof(buf), name ? "%" PRIu64 " %s" : "%" PRIu64, n, name);
	xtr_grid_cell(t, buf);
}

static void put(FILE *f, const char *what, uint64_t n)
{
	char buf[XTR_TEXT_NUMBER];

	if (n)
		fprintf(f, ", %s %s", xtr_text_count(buf, n), what);
}

static uint32_t put_shown(const struct amdgpu *g, const struct xtr_tally *t)
{
	return t->n < g->o->top ? t->n : g->o->top;
}

static void put_more(FILE *f, const struct amdgpu *g, const struct xtr_tally *t)
{
	char n[XTR_TEXT_NUMBER];

	if (t->n > put_shown(g, t))
		fprintf(f, "  ... and %s more rows (--top)\n",
			xtr_text_count(n, t->n - put_shown(g, t)));
	if (t->left_out)
		fprintf(f, "  %s events are in no row: there are too many rows\n",
			xtr_text_count(n, t->left_out));
}

/* --- address spaces --------------------------------------------------------------------------- */

static void text_ranges(const struct amdgpu_vm *vm, FILE *f)
{
	char n[XTR_TEXT_NUMBER], bytes[XTR_TEXT_NUMBER], un[XTR_TEXT_NUMBER];
	char un_bytes[XTR_TEXT_NUMBER];

	if (vm->map.n || vm->unmap.n || vm->malformed) {
		fprintf(f, "  address space: %s mappings of %s bytes, %s unmappings of %s bytes",
			xtr_text_count(n, vm->map.n), xtr_text_count(bytes, vm->map.bytes),
			xtr_text_count(un, vm->unmap.n), xtr_text_count(un_bytes, vm->unmap.bytes));
		put(f, "ranges that make no sense", vm->malformed);
		fputc('\n', f);
	}
	if (vm->updates || vm->mappings || vm->cs || vm->pte_updates || vm->set_ptes ||
	    vm->copy_ptes || vm->pasids_allocated || vm->pasids_freed) {
		fprintf(f, "  page tables: %s updates of buffers", xtr_text_count(n, vm->updates));
		put(f, "mappings written", vm->mappings);
		put(f, "ranges of submissions", vm->cs);
		put(f, "entries by update", vm->pte_entries);
		put(f, "entries set", vm->set_entries);
		put(f, "entries copied", vm->copy_entries);
		put(f, "PASIDs allocated", vm->pasids_allocated);
		put(f, "PASIDs freed", vm->pasids_freed);
		fputc('\n', f);
	}
}

static int text_vmids(const struct amdgpu *g, FILE *f)
{
	static const char *const columns[] = { "<ring",      "vmid",        "hub", "VMID grabs",
					       "need flush", "TLB flushes", NULL };
	char n[XTR_TEXT_NUMBER], needs[XTR_TEXT_NUMBER], grabs[XTR_TEXT_NUMBER];
	const struct amdgpu_vm *vm = &g->vm;
	struct xtr_grid *t;
	uint32_t i;
	int ret;

	if (!vm->rings.n)
		return 0;
	fprintf(f, "  TLB: %s flushes; %s grabs of VMIDs by %u address spaces, %s need a flush\n",
		xtr_text_count(n, vm->flushes), xtr_text_count(grabs, vm->grabs), vm->pasids.n,
		xtr_text_count(needs, vm->needs_flush));
	t = xtr_grid_new(columns);
	for (i = 0; i < put_shown(g, &vm->rings); i++) {
		const struct amdgpu_vm_row *r = xtr_tally_at(&vm->rings, i);
		char buf[XTR_TEXT_NAME];
		size_t len = 0;
		const char *s = r->row.a && g->o->tables
					? xtr_tables_string(g->o->tables, (uint32_t)r->row.a, &len)
					: NULL;

		xtr_grid_cell(t, s ? xtr_text_name(buf, sizeof(buf), s, len) : "-");
		cell_number(t, r->row.b >> 32, NULL);
		cell_number(t, r->row.b & UINT32_MAX, NULL);
		xtr_grid_count(t, r->grabs);
		xtr_grid_count(t, r->needs_flush);
		xtr_grid_count(t, r->row.n);
	}
	ret = xtr_grid_print(t, f, 2);
	put_more(f, g, &vm->rings);
	return ret;
}

/* --- interrupts ------------------------------------------------------------------------------- */

static int text_sources(const struct amdgpu *g, FILE *f)
{
	static const char *const columns[] = { "<client", "<source",    "interrupts", "again",
					       "per s",   "peak per s", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;
	int ret;

	for (i = 0; i < put_shown(g, &g->irq.sources); i++) {
		const struct amdgpu_source *s = xtr_tally_at(&g->irq.sources, i);

		cell_number(t, s->row.a, amdgpu_client_name(s->row.a));
		cell_number(t, s->row.b, amdgpu_source_name(s->row.a, s->row.b));
		xtr_grid_count(t, s->row.n);
		xtr_grid_count(t, s->again);
		if (g->o->times) {
			xtr_grid_count(t, xtr_rate_per_second(s->row.n, g->o->span_ns));
			xtr_grid_count(t, xtr_rate_peak(&s->rate));
		} else {
			xtr_grid_cell(t, "-");
			xtr_grid_cell(t, "-");
		}
	}
	ret = xtr_grid_print(t, f, 2);
	put_more(f, g, &g->irq.sources);
	return ret;
}

static int text_vms(const struct amdgpu *g, FILE *f)
{
	static const char *const columns[] = { "pasid", "vmid", "interrupts", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;
	int ret;

	for (i = 0; i < put_shown(g, &g->irq.vms); i++) {
		const struct xtr_tally_row *r = xtr_tally_at(&g->irq.vms, i);

		cell_number(t, r->a, NULL);
		cell_number(t, r->b, NULL);
		xtr_grid_count(t, r->n);
	}
	ret = xtr_grid_print(t, f, 2);
	put_more(f, g, &g->irq.vms);
	return ret;
}

static int text_irq(const struct amdgpu *g, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	int ret;

	if (!g->irq.sources.n)
		return 0;
	fprintf(f, "  interrupts (entries of the GPU's interrupt rings, not of the CPU): %s",
		xtr_text_count(n, g->irq.n));
	put(f, "seen again when delegated", g->irq.again);
	fputc('\n', f);
	ret = text_sources(g, f);
	return ret ? ret : text_vms(g, f);
}

/* --- the rest --------------------------------------------------------------------------------- */

static int text_registers(const struct amdgpu *g, FILE *f)
{
	static const char *const columns[] = { "device id", "register", "reads", "writes", NULL };
	char reads[XTR_TEXT_NUMBER], writes[XTR_TEXT_NUMBER], buf[XTR_TEXT_NUMBER];
	struct xtr_grid *t;
	uint32_t i;
	int ret;

	if (!g->registers.n)
		return 0;
	fprintf(f, "  registers: %s reads, %s writes\n", xtr_text_count(reads, g->reads),
		xtr_text_count(writes, g->writes));
	t = xtr_grid_new(columns);
	for (i = 0; i < put_shown(g, &g->registers); i++) {
		const struct amdgpu_register *r = xtr_tally_at(&g->registers, i);

		snprintf(buf, sizeof(buf), "0x%" PRIx64, r->row.a);
		xtr_grid_cell(t, buf);
		snprintf(buf, sizeof(buf), "0x%" PRIx64, r->row.b);
		xtr_grid_cell(t, buf);
		xtr_grid_count(t, r->row.n - r->writes);
		xtr_grid_count(t, r->writes);
	}
	ret = xtr_grid_print(t, f, 2);
	put_more(f, g, &g->registers);
	return ret;
}

static void text_resets(const struct amdgpu *g, FILE *f)
{
	if (!g->resets.registers && !g->jobs.timeouts && !g->jobs.errors)
		return;
	fprintf(f, "  resets: %" PRIu64 " register dumps", g->resets.dumps);
	put(f, "registers dumped", g->resets.registers);
	put(f, "jobs that timed out", g->jobs.timeouts);
	put(f, "jobs with an error", g->jobs.errors);
	fputc('\n', f);
}

static void text_others(const struct amdgpu *g, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	uint32_t i;

	for (i = 0; i < g->others.n; i++) {
		const struct xtr_tally_row *r = xtr_tally_at(&g->others, i);
		const struct xtr_event_desc *d = xtr_meta_event(g->o->meta, (uint32_t)r->a);

		fputs("  ", f);
		if (d)
			xtr_text_put(f, d->name, strlen(d->name));
		fprintf(f, ": %s\n", xtr_text_count(n, r->n));
	}
}

int amdgpu_text_hardware(const struct amdgpu *g, FILE *f)
{
	int ret;

	text_ranges(&g->vm, f);
	ret = text_vmids(g, f);
	if (!ret)
		ret = text_irq(g, f);
	if (!ret)
		ret = text_registers(g, f);
	text_resets(g, f);
	text_others(g, f);
	return ret;
}
