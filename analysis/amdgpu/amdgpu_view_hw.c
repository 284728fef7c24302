/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `amdgpu` as text: address spaces, interrupts, registers, resets. */
#include "amdgpu_impl.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* --- address spaces --------------------------------------------------------------------------- */

static void text_ranges(const struct amdgpu_vm *vm, FILE *f)
{
	char n[XTR_TEXT_NUMBER], bytes[XTR_TEXT_NUMBER], un[XTR_TEXT_NUMBER];
	char un_bytes[XTR_TEXT_NUMBER];

	if (vm->map.n || vm->unmap.n || vm->malformed) {
		fprintf(f, "  address space: %s mappings of %s bytes, %s unmappings of %s bytes",
			xtr_text_count(n, vm->map.n), xtr_text_count(bytes, vm->map.bytes),
			xtr_text_count(un, vm->unmap.n), xtr_text_count(un_bytes, vm->unmap.bytes));
		amdgpu_put(f, "ranges that make no sense", vm->malformed);
		fputc('\n', f);
	}
	if (vm->updates || vm->mappings || vm->cs || vm->pte_updates || vm->set_ptes ||
	    vm->copy_ptes || vm->pasids_allocated || vm->pasids_freed) {
		fprintf(f, "  page tables: %s updates of buffers", xtr_text_count(n, vm->updates));
		amdgpu_put(f, "mappings written", vm->mappings);
		amdgpu_put(f, "ranges of submissions", vm->cs);
		amdgpu_put(f, "entries by update", vm->pte_entries);
		amdgpu_put(f, "entries set", vm->set_entries);
		amdgpu_put(f, "entries copied", vm->copy_entries);
		amdgpu_put(f, "PASIDs allocated", vm->pasids_allocated);
		amdgpu_put(f, "PASIDs freed", vm->pasids_freed);
		fputc('\n', f);
	}
}

static int text_vmids(const struct amdgpu *g, FILE *f)
{
	char n[XTR_TEXT_NUMBER], needs[XTR_TEXT_NUMBER], grabs[XTR_TEXT_NUMBER];
	const struct amdgpu_vm *vm = &g->vm;

	if (!vm->rings.n)
		return 0;
	fprintf(f, "  TLB: %s flushes; %s grabs of VMIDs by %u address spaces, %s need a flush\n",
		xtr_text_count(n, vm->flushes), xtr_text_count(grabs, vm->grabs), vm->pasids.n,
		xtr_text_count(needs, vm->needs_flush));
	return amdgpu_text_table(g, &amdgpu_vmids_table, &vm->rings, f);
}

/* --- interrupts ------------------------------------------------------------------------------- */

static int text_irq(const struct amdgpu *g, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	int ret;

	if (!g->irq.sources.n)
		return 0;
	fprintf(f, "  interrupts (entries of the GPU's interrupt rings, not of the CPU): %s",
		xtr_text_count(n, g->irq.n));
	amdgpu_put(f, "seen again when delegated", g->irq.again);
	fputc('\n', f);
	ret = amdgpu_text_table(g, &amdgpu_sources_table, &g->irq.sources, f);
	return ret ? ret : amdgpu_text_table(g, &amdgpu_irq_vms_table, &g->irq.vms, f);
}

/* --- the rest --------------------------------------------------------------------------------- */

static int text_registers(const struct amdgpu *g, FILE *f)
{
	char reads[XTR_TEXT_NUMBER], writes[XTR_TEXT_NUMBER];

	if (!g->registers.n)
		return 0;
	fprintf(f, "  registers: %s reads, %s writes\n", xtr_text_count(reads, g->reads),
		xtr_text_count(writes, g->writes));
	return amdgpu_text_table(g, &amdgpu_registers_table, &g->registers, f);
}

static void text_resets(const struct amdgpu *g, FILE *f)
{
	if (!g->resets.registers && !g->jobs.timeouts && !g->jobs.errors)
		return;
	fprintf(f, "  resets: %" PRIu64 " register dumps", g->resets.dumps);
	amdgpu_put(f, "registers dumped", g->resets.registers);
	amdgpu_put(f, "jobs that timed out", g->jobs.timeouts);
	amdgpu_put(f, "jobs with an error", g->jobs.errors);
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
