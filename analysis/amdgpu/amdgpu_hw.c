/* SPDX-License-Identifier: BSD-2-Clause */
/* What amdgpu shows of the hardware: address spaces, interrupts, registers, resets. */
#include "amdgpu_tables.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* "12 name" */
static void put_number(struct xtr_rows *r, uint64_t n, const char *name)
{
	xtr_put_format(r, "%" PRIu64 "%s%s", n, name ? " " : "", name ? name : "");
}

/* --- address spaces --------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct amdgpu, vm.member)
#define ENTRIES(key, n, entries_, help)                                          \
	{ key ".count", NULL, XTR_C_COUNT, AT(n), help },                        \
	{                                                                        \
		key ".entries", NULL, XTR_C_COUNT, AT(entries_), "their entries" \
	}
static const struct xtr_section_column vm_columns[] = {
	SUM("map", map, "mappings"),
	SUM("unmap", unmap, "unmappings"),
	COUNT("malformed", malformed, "ranges that make no sense"),
	COUNT("updates", updates, "updates of buffers"),
	COUNT("mappings", mappings, "mappings written"),
	COUNT("cs", cs, "ranges of submissions"),
	COUNT("grabs", grabs, "grabs of VMIDs"),
	COUNT("needs_flush", needs_flush, "of them that need a flush"),
	COUNT("flushes", flushes, "flushes of the TLB"),
	COUNT("pasids_allocated", pasids_allocated, "PASIDs allocated"),
	COUNT("pasids_freed", pasids_freed, "PASIDs freed"),
	ENTRIES("update_ptes", pte_updates, pte_entries, "updates of page tables"),
	ENTRIES("set_ptes", set_ptes, set_entries, "settings of page tables"),
	ENTRIES("copy_ptes", copy_ptes, copy_entries, "copies of page tables"),
};
#undef AT

const struct xtr_section_table amdgpu_vm_table =
	XTR_TABLE_SELF("vm", "all address spaces", vm_columns, NULL, XTR_SHAPE_MEMBERS);

#define AT(member) XTR_AT(struct amdgpu_vm_row, member)
static const struct xtr_section_column vmid_columns[] = {
	{ "ring", "<ring", XTR_C_STRING, AT(row.a), "ring" },
	{ "vmid", "vmid", XTR_C_NUMBER, XTR_PUT, "VMID" },
	{ "hub", "hub", XTR_C_NUMBER, XTR_PUT, "hub" },
	COUNT("flushes", row.n, "flushes of the TLB"),
	SHOWN("grabs", "VMID grabs", grabs, "grabs of the VMID"),
	SHOWN("needs_flush", "need flush", needs_flush, "of them that need a flush"),
	{ NULL, "TLB flushes", XTR_C_COUNT, AT(row.n) },
};
#undef AT

static bool put_vmids(struct xtr_rows *r, const void *of)
{
	const struct amdgpu_vm_row *row = of;

	xtr_put_u64(r, true, row->row.b >> 32);
	xtr_put_u64(r, true, row->row.b & UINT32_MAX);
	return true;
}

const struct xtr_section_table amdgpu_vmids_table =
	XTR_TABLE_OF("vm.vmids", "a VMID on a ring and hub", vmid_columns,
		     XTR_COUNTED(struct amdgpu, vm.rings), put_vmids, XTR_SHOW_TOP_QUIET);

#define AT(member) XTR_AT(struct amdgpu_pasid_row, member)
static const struct xtr_section_column pasid_columns[] = {
	COUNT("pasid", row.a, "address space"),
	COUNT("grabs", row.n, "grabs of VMIDs"),
	COUNT("needs_flush", needs_flush, "of them that need a flush"),
};
#undef AT

const struct xtr_section_table amdgpu_pasids_table =
	XTR_TABLE_OF("vm.pasids", "an address space", pasid_columns,
		     XTR_COUNTED(struct amdgpu, vm.pasids), NULL, XTR_SHOW_ALL);

/* --- interrupts ------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct amdgpu, irq.member)
static const struct xtr_section_column irq_columns[] = {
	COUNT("count", n, "entries of the GPU's interrupt rings"),
	COUNT("again", again, "seen again when delegated"),
	{ "per_second", NULL, XTR_C_COUNT | XTR_C_TIMES, XTR_PUT, "how often per second" },
};
#undef AT

static bool put_irq(struct xtr_rows *r, const void *row)
{
	const struct amdgpu *g = row;

	xtr_put_u64(r, true, xtr_rate_per_second(g->irq.n, g->o->span_ns));
	return true;
}

const struct xtr_section_table amdgpu_irq_table =
	XTR_TABLE_SELF("interrupts", "all interrupts", irq_columns, put_irq, XTR_SHAPE_MEMBERS);

#define AT(member) XTR_AT(struct amdgpu_source, member)
static const struct xtr_section_column source_columns[] = {
	{ NULL, "<client", XTR_C_TEXT, XTR_PUT },
	COUNT("client", row.a, "number of the client"),
	{ "client_name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	{ NULL, "<source", XTR_C_TEXT, XTR_PUT },
	COUNT("source", row.b, "number of the source"),
	{ "source_name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	SHOWN("count", "interrupts", row.n, "interrupts"),
	SHOWN("again", "again", again, "seen again when delegated"),
	RATE(rate, "per s", "peak per s"),
};
#undef AT

static bool put_sources(struct xtr_rows *r, const void *row)
{
	const struct amdgpu *g = xtr_rows_self(r);
	const struct amdgpu_source *s = row;

	put_number(r, s->row.a, amdgpu_client_name(s->row.a));
	xtr_put_text(r, amdgpu_client_name(s->row.a));
	put_number(r, s->row.b, amdgpu_source_name(s->row.a, s->row.b));
	xtr_put_text(r, amdgpu_source_name(s->row.a, s->row.b));
	put_rate(r, g, &s->rate);
	return true;
}

const struct xtr_section_table amdgpu_sources_table =
	XTR_TABLE_OF("interrupts.sources", "a source of interrupts", source_columns,
		     XTR_COUNTED(struct amdgpu, irq.sources), put_sources, XTR_SHOW_TOP_QUIET);

#define AT(member) XTR_AT(struct xtr_counted_row, member)
static const struct xtr_section_column irq_vm_columns[] = {
	{ "pasid", "pasid", XTR_C_NUMBER, AT(a), "address space" },
	{ "vmid", "vmid", XTR_C_NUMBER, AT(b), "VMID" },
	SHOWN("count", "interrupts", n, "interrupts"),
};

const struct xtr_section_table amdgpu_irq_vms_table =
	XTR_TABLE_OF("interrupts.vms", "interrupts for an address space", irq_vm_columns,
		     XTR_COUNTED(struct amdgpu, irq.vms), NULL, XTR_SHOW_TOP_QUIET);

static const struct xtr_section_column ih_columns[] = {
	COUNT("ih", a, "number of the interrupt ring"),
	COUNT("count", n, "entries"),
};

const struct xtr_section_table amdgpu_ih_table =
	XTR_TABLE_OF("interrupts.interrupt_rings", "an interrupt ring", ih_columns,
		     XTR_COUNTED(struct amdgpu, irq.ih_rings), NULL, XTR_SHOW_ALL);

/* --- the rest --------------------------------------------------------------------------------- */

static const struct xtr_section_column other_columns[] = {
	{ "event", NULL, XTR_C_TEXT, XTR_PUT, "name of the event" },
	COUNT("count", n, "how often"),
};
#undef AT

static bool put_others(struct xtr_rows *r, const void *of)
{
	const struct amdgpu *g = xtr_rows_self(r);
	const struct xtr_counted_row *row = of;
	const struct xtr_event_desc *d = xtr_meta_event(g->o->meta, (uint32_t)row->a);

	xtr_put_text(r, d ? d->name : NULL);
	return true;
}

const struct xtr_section_table amdgpu_others_table =
	XTR_TABLE_OF("other_events", "a further event of the driver", other_columns,
		     XTR_COUNTED(struct amdgpu, others), put_others, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct amdgpu_register, member)
static const struct xtr_section_column register_columns[] = {
	{ "device_id", "device id", XTR_C_HEX, AT(row.a), "PCI device id" },
	{ "register", "register", XTR_C_HEX, AT(row.b), "register" },
	{ "reads", "reads", XTR_C_COUNT, XTR_PUT, "reads" },
	SHOWN("writes", "writes", writes, "writes"),
};
#undef AT

static bool put_register(struct xtr_rows *r, const void *row)
{
	const struct amdgpu_register *reg = row;

	xtr_put_u64(r, true, reg->row.n - reg->writes);
	return true;
}

const struct xtr_section_table amdgpu_registers_table =
	XTR_TABLE_OF("registers.most_used", "a register, the most used first", register_columns,
		     XTR_COUNTED(struct amdgpu, registers), put_register, XTR_LIST_TOP);

#define AT(member) XTR_AT(struct amdgpu, member)
static const struct xtr_section_column reset_columns[] = {
	COUNT("register_dumps", resets.dumps, "dumps of registers"),
	COUNT("registers", resets.registers, "registers in them"),
	COUNT("jobs_run_again", jobs.run_again, "jobs run again"),
	COUNT("job_timeouts", jobs.timeouts, "jobs that timed out"),
	COUNT("job_errors", jobs.errors, "jobs with an error"),
};
#undef AT

const struct xtr_section_table amdgpu_resets_table =
	XTR_TABLE_SELF("resets", "resets", reset_columns, NULL, XTR_SHAPE_OBJECT);

/* --- text ------------------------------------------------------------------------------------- */

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

static int text_irq(const struct amdgpu *g, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	int err;

	if (!g->irq.sources.n)
		return 0;
	fprintf(f, "  interrupts (entries of the GPU's interrupt rings, not of the CPU): %s",
		xtr_text_count(n, g->irq.n));
	amdgpu_put(f, "seen again when delegated", g->irq.again);
	fputc('\n', f);
	err = amdgpu_text_table(g, &amdgpu_sources_table, &g->irq.sources, f);
	return err ? err : amdgpu_text_table(g, &amdgpu_irq_vms_table, &g->irq.vms, f);
}

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

	for (uint32_t i = 0; i < g->others.n; i++) {
		const struct xtr_counted_row *r = xtr_counted_at(&g->others, i);
		const struct xtr_event_desc *d = xtr_meta_event(g->o->meta, (uint32_t)r->a);

		fputs("  ", f);
		if (d)
			xtr_text_put(f, d->name, strlen(d->name));
		fprintf(f, ": %s\n", xtr_text_count(n, r->n));
	}
}

int amdgpu_text_hardware(const struct amdgpu *g, FILE *f)
{
	int err;

	text_ranges(&g->vm, f);
	err = text_vmids(g, f);
	if (!err)
		err = text_irq(g, f);
	if (!err)
		err = text_registers(g, f);
	text_resets(g, f);
	text_others(g, f);
	return err;
}
