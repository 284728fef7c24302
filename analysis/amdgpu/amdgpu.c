/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver amdgpu: submissions, buffers and their moves, address spaces, interrupts, registers
 * (docs/amdgpu.md). This file knows which event says what; the parts are amdgpu_jobs.c,
 * amdgpu_memory.c and amdgpu_vm.c.
 */
#include "amdgpu_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM    "amdgpu:"
#define EV(event) SYSTEM "amdgpu_" event

/* Where the events' fields are, and who takes them: roles are places in takes[]. */
static const struct {
	struct xtr_bind_spec spec;
	amdgpu_take *take;
} events[] = {
	{ { EV("cs_ioctl"), 0, { "context", "seqno", "ring|timeline", "num_ibs" } },
	  amdgpu_take_cs },
	{ { EV("sched_run_job"), 0, { "context", "seqno", "ring|timeline", "num_ibs" } },
	  amdgpu_take_run },
	{ { EV("cs"), 0, { "ring", "dw", "fences" } }, amdgpu_take_ib },
	{ { EV("ib_pipe_sync"), 0, { NULL } }, amdgpu_take_pipe_sync },
	{ { EV("bo_create"), 0, { "bo", "pages", "type", "prefer", "allow", "visible" } },
	  amdgpu_take_create },
	{ { EV("bo_move"), 0, { "bo", "bo_size", "new_placement", "old_placement" } },
	  amdgpu_take_move },
	{ { EV("cs_bo_status"), 0, { "total_bo", "total_size" } }, amdgpu_take_list },
	{ { EV("bo_list_set"), 0, { "bo_size" } }, amdgpu_take_list_set },
	{ { EV("vm_bo_map"), 0, { "start", "last" } }, amdgpu_take_map },
	{ { EV("vm_bo_unmap"), 0, { "start", "last" } }, amdgpu_take_unmap },
	{ { EV("vm_bo_update"), 0, { NULL } }, amdgpu_take_count },
	{ { EV("vm_bo_mapping"), 1, { NULL } }, amdgpu_take_count },
	{ { EV("vm_bo_cs"), 2, { NULL } }, amdgpu_take_count },
	{ { EV("pasid_allocated"), 3, { NULL } }, amdgpu_take_count },
	{ { EV("pasid_freed"), 4, { NULL } }, amdgpu_take_count },
	{ { EV("vm_grab_id"), 0, { "ring", "vmid", "vm_hub", "pasid", "needs_flush" } },
	  amdgpu_take_grab },
	{ { EV("vm_flush"), 0, { "ring", "vmid", "vm_hub" } }, amdgpu_take_flush },
	{ { EV("vm_update_ptes"), 0, { "nptes" } }, amdgpu_take_ptes },
	{ { EV("vm_set_ptes"), 0, { "count" } }, amdgpu_take_set_ptes },
	{ { EV("vm_copy_ptes"), 0, { "count" } }, amdgpu_take_copy_ptes },
	{ { EV("iv"), 0, { "client_id", "src_id", "ih", "vmid", "pasid" } }, amdgpu_take_iv },
	{ { EV("device_rreg"), 0, { "did", "reg" } }, amdgpu_take_rreg },
	{ { EV("device_wreg"), 0, { "did", "reg" } }, amdgpu_take_wreg },
	{ { EV("reset_reg_dumps"), 0, { "address" } }, amdgpu_take_dump },
};
#define N_EVENTS (sizeof(events) / sizeof(events[0]))

static bool is_ours(const struct xtr_event_desc *d)
{
	return !strncmp(d->name, SYSTEM, strlen(SYSTEM));
}

static bool applies(const struct xtr_meta *meta)
{
	for (size_t i = 0; i < xtr_meta_n_events(meta); i++)
		if (is_ours(xtr_meta_event_at(meta, i)))
			return true;
	return false;
}

static void amdgpu_free(void *self)
{
	struct amdgpu *g = self;

	amdgpu_jobs_free(g);
	amdgpu_memory_free(g);
	amdgpu_vm_free(g);
	xtr_counted_free(&g->processes);
	xtr_counted_free(&g->others);
	xtr_binds_close(&g->binds);
	free(g);
}

/* amdgpu_vm_grab_id has two fields `ring`; the number is never written (amdgpu_trace.h). */
static void bind_text(struct xtr_bind *b, uint32_t slot)
{
	const struct xtr_field *f = b->slot[slot].field;

	if (!f || f->repr == XTR_REPR_STRID)
		return;
	for (uint32_t i = 0; i < b->desc->n_fields; i++) {
		const struct xtr_field *one = &b->desc->fields[i];

		if (one->repr == XTR_REPR_STRID && one->size == 4 && !strcmp(one->name, f->name))
			b->slot[slot] = (struct xtr_slot){ .field = one,
							   .offset = one->offset,
							   .width = 4 };
	}
}

static int bind_all(struct amdgpu *g)
{
	struct xtr_bind_spec specs[N_EVENTS];
	int err;

	for (size_t i = 0; i < N_EVENTS; i++)
		specs[i] = events[i].spec;
	err = xtr_binds_open(&g->binds, g->o->meta, specs, N_EVENTS);
	for (size_t i = 0; i < N_EVENTS && !err; i++) {
		struct xtr_bind *b = &g->binds.bind[i];

		if (b->desc && events[i].take == amdgpu_take_grab)
			bind_text(b, 0);
		if (b->desc)
			g->jobs.recorded |= events[i].take == amdgpu_take_cs ||
					    events[i].take == amdgpu_take_run;
	}
	return err;
}

static bool has(const struct amdgpu *g, amdgpu_take *take)
{
	for (size_t i = 0; i < N_EVENTS; i++)
		if (events[i].take == take && g->binds.bind[i].desc)
			return true;
	return false;
}

static int amdgpu_open(void **self, const struct xtr_analysis_opts *o)
{
	struct amdgpu *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	*self = g; /* freed by the caller, whatever happens */
	g->o = o;
	g->hist_left = AMDGPU_HIST_MAX;
	xtr_counted_init(&g->processes, sizeof(struct amdgpu_process), AMDGPU_ROWS_MAX);
	xtr_counted_init(&g->others, sizeof(struct xtr_counted_row), AMDGPU_ROWS_MAX);
	for (size_t i = 0; i < xtr_meta_n_devices(o->meta); i++) {
		const struct xtr_device *d = xtr_meta_device(o->meta, i);

		g->n_cards += d->driver && !strcmp(d->driver, "amdgpu");
	}
	amdgpu_vm_open(g);
	err = bind_all(g);
	if (!err)
		err = amdgpu_jobs_open(g);
	if (!err)
		err = amdgpu_memory_open(g);
	if (err)
		return err;
	g->jobs.both = has(g, amdgpu_take_cs) && has(g, amdgpu_take_run);
	g->mem.creates = has(g, amdgpu_take_create);
	g->mem.moves_recorded = has(g, amdgpu_take_move);
	g->irq.recorded = has(g, amdgpu_take_iv);
	return 0;
}

/* What no part knows is counted by name: events of newer kernels. */
static int take_other(struct amdgpu *g, const struct xtr_event *ev)
{
	struct xtr_counted_row *row;
	int err = xtr_counted_get(&g->others, ev->type, 0, &row);

	if (row)
		row->n++;
	return err;
}

static bool amdgpu_takes(const void *self, uint32_t type)
{
	const struct amdgpu *g = self;
	const struct xtr_event_desc *d = xtr_meta_event(g->o->meta, type);

	if (!type || xtr_binds_find(&g->binds, type) || (d && is_ours(d)))
		return true;
	return g->jobs.recorded && (type == XTR_EV_JOB_QUEUE || type == XTR_EV_JOB_RUN);
}

static int amdgpu_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct amdgpu *g = self;
	const struct xtr_bind *b;

	if (ev->gap) {
		g->gaps = true;
		return 0;
	}
	b = xtr_binds_find(&g->binds, ev->type);
	if (b)
		return events[b - g->binds.bind].take(g, b, ev, inside);
	if (ev->desc && is_ours(ev->desc))
		return inside ? take_other(g, ev) : 0;
	return amdgpu_jobs_scheduler(g, ev);
}

static int amdgpu_job_settled(void *self, const struct xtr_job *j)
{
	return amdgpu_jobs_job(self, j);
}

static int amdgpu_finish(void *self)
{
	struct amdgpu *g = self;
	struct xtr_counted *tallies[] = { &g->jobs.rings,   &g->processes,      &g->mem.types,
					  &g->mem.asked,    &g->mem.directions, &g->vm.rings,
					  &g->vm.pasids,    &g->irq.sources,    &g->irq.vms,
					  &g->irq.ih_rings, &g->registers,      &g->others };
	int err = amdgpu_jobs_finish(g);

	for (size_t i = 0; i < sizeof(tallies) / sizeof(tallies[0]); i++)
		xtr_counted_sort(tallies[i]);
	return err ? err : amdgpu_find(g);
}

static bool amdgpu_any(const void *self)
{
	const struct amdgpu *g = self;
	const struct amdgpu_vm *vm = &g->vm;

	return g->jobs.rings.n || g->processes.n || g->jobs.ib_events || g->jobs.pipe_syncs ||
	       g->mem.types.n || g->mem.directions.n || g->mem.lists || g->mem.list_set.n ||
	       vm->map.n || vm->unmap.n || vm->malformed || vm->mappings || vm->updates || vm->cs ||
	       vm->rings.n || vm->pasids_allocated || vm->pasids_freed || vm->pte_updates ||
	       vm->set_ptes || vm->copy_ptes || g->irq.sources.n || g->registers.n ||
	       g->resets.registers || g->others.n;
}

const struct xtr_analysis xtr_analysis_amdgpu = {
	.name = "amdgpu",
	.title = "amdgpu: submissions, buffers, address spaces, interrupts",
	.applies = applies,
	.open = amdgpu_open,
	.free = amdgpu_free,
	.takes = amdgpu_takes,
	.event = amdgpu_event,
	.job = amdgpu_job_settled,
	.finish = amdgpu_finish,
	.any = amdgpu_any,
	.text = amdgpu_text,
	.json = amdgpu_json,
	.tables = amdgpu_tables,
};
