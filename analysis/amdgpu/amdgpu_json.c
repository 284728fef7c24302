/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `amdgpu` as JSON: AMDGPU of docs/stats-json.md. */
#include "amdgpu_impl.h"
#include "amdgpu_names.h"
#include "analysis/core/view.h"
#include "replay/event/process.h"

/* null where the trace has no times. */
static void kv_time(const struct amdgpu *g, struct xtr_json *j, const char *key, uint64_t v)
{
	xtr_json_key(j, key);
	if (g->o->times)
		xtr_json_u64(j, v);
	else
		xtr_json_null(j);
}

static void kv_times(const struct amdgpu *g, struct xtr_json *j, const char *key,
		     const struct xtr_hist *h, bool buckets)
{
	if (g->o->times) {
		xtr_view_json_hist(j, key, h, buckets);
		return;
	}
	xtr_json_key(j, key);
	xtr_json_null(j);
}

static void kv_rate(const struct amdgpu *g, struct xtr_json *j, const struct xtr_rate *r)
{
	kv_time(g, j, "per_second", xtr_rate_per_second(r->n, g->o->span_ns));
	kv_time(g, j, "peak_per_second", xtr_rate_peak(r));
	kv_time(g, j, "peak_at_ns", r->peak_ns);
}

static void kv_string(const struct amdgpu *g, struct xtr_json *j, const char *key, uint64_t string)
{
	size_t n = 0;
	const char *s = string && g->o->tables
				? xtr_tables_string(g->o->tables, (uint32_t)string, &n)
				: NULL;

	xtr_json_key(j, key);
	xtr_json_strn(j, s, n);
}

static void kv_pid(const struct amdgpu *g, struct xtr_json *j, const struct amdgpu_process *p)
{
	xtr_json_kv_process(j, "pid", p->row.a);
	kv_string(g, j, "process", p->comm);
}

static void kv_sum(struct xtr_json *j, const char *key, const struct amdgpu_sum *s)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "count", s->n);
	xtr_json_kv_u64(j, "bytes", s->bytes);
	xtr_json_end_object(j);
}

static void kv_left_out(struct xtr_json *j, const struct xtr_tally *t)
{
	xtr_json_kv_u64(j, "left_out", t->left_out);
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void json_rings(const struct amdgpu *g, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "rings");
	for (i = 0; i < g->jobs.rings.n; i++) {
		const struct amdgpu_ring *r = xtr_tally_at(&g->jobs.rings, i);

		xtr_json_begin_object(j);
		kv_string(g, j, "device", r->row.a);
		kv_string(g, j, "ring", r->row.b);
		xtr_json_kv_u64(j, "submitted", r->row.n);
		xtr_json_kv_u64(j, "ibs", r->ibs);
		xtr_json_kv_u64(j, "run", r->run);
		xtr_json_kv_u64(j, "not_run", r->not_run);
		xtr_json_kv_u64(j, "run_again", r->run_again);
		xtr_json_kv_u64(j, "kernel", r->kernel);
		xtr_json_kv_u64(j, "other", r->other);
		kv_time(g, j, "late", r->late);
		kv_times(g, j, "latency_ns", &r->latency, true);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_processes(const struct amdgpu *g, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "processes");
	for (i = 0; i < g->processes.n; i++) {
		const struct amdgpu_process *p = xtr_tally_at(&g->processes, i);

		if (!p->row.n)
			continue;
		xtr_json_begin_object(j);
		kv_pid(g, j, p);
		xtr_json_kv_u64(j, "jobs", p->row.n);
		xtr_json_kv_u64(j, "ibs", p->ibs);
		xtr_json_kv_u64(j, "ibs_min", p->ibs_min);
		xtr_json_kv_u64(j, "ibs_max", p->ibs_max);
		kv_rate(g, j, &p->rate);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_jobs(const struct amdgpu *g, struct xtr_json *j)
{
	const struct amdgpu_jobs *s = &g->jobs;

	xtr_json_kv_object(j, "jobs");
	xtr_json_kv_u64(j, "submitted", s->submitted);
	xtr_json_kv_u64(j, "ibs", s->ibs);
	xtr_json_kv_u64(j, "run", s->run);
	xtr_json_kv_u64(j, "not_run", s->not_run);
	xtr_json_kv_u64(j, "not_known", s->no_room);
	xtr_json_kv_u64(j, "run_again", s->run_again);
	xtr_json_kv_u64(j, "kernel", s->kernel);
	xtr_json_kv_u64(j, "other", s->other);
	xtr_json_kv_u64(j, "submitted_before", s->before);
	xtr_json_kv_u64(j, "keys_used_again", s->recycled);
	xtr_json_kv_u64(j, "late_limit_ns", AMDGPU_DELAY_NS);
	kv_time(g, j, "late", s->late);
	xtr_json_kv_u64(j, "pipe_syncs", s->pipe_syncs);
	xtr_json_kv_u64(j, "ib_events", s->ib_events);
	xtr_view_json_hist(j, "ib_dwords", &s->ib_dwords, false);
	xtr_view_json_hist(j, "fences_emitted", &s->fences, false);
	xtr_json_kv_object(j, "checked");
	xtr_json_kv_u64(j, "jobs", s->checked);
	xtr_json_kv_u64(j, "same_process", s->same_process);
	xtr_json_kv_u64(j, "same_ring", s->same_ring);
	xtr_json_end_object(j);
	json_rings(g, j);
	json_processes(g, j);
	xtr_json_kv_u64(j, "left_out", s->rings.left_out + g->processes.left_out);
	xtr_json_end_object(j);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void json_domains(struct xtr_json *j, const char *key, const char *names, uint32_t mask)
{
	unsigned int i;

	xtr_json_kv_u64(j, key, mask);
	xtr_json_kv_array(j, names);
	for (i = 0; i < 32; i++)
		if (mask & 1u << i && amdgpu_domain_name(i))
			xtr_json_str(j, amdgpu_domain_name(i));
	xtr_json_end_array(j);
}

static void json_type(struct xtr_json *j, const char *key, const char *name, uint64_t type)
{
	xtr_json_kv_u64(j, key, type);
	xtr_json_key(j, name);
	xtr_json_str(j, amdgpu_memory_name((uint32_t)type));
}

static void json_asked(const struct amdgpu_memory_stats *m, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "asked");
	for (i = 0; i < m->asked.n; i++) {
		const struct amdgpu_bytes_row *r = xtr_tally_at(&m->asked, i);
		uint32_t prefer = (uint32_t)(r->row.a >> 32), allow = (uint32_t)r->row.a;
		uint32_t given = amdgpu_memory_domain((uint32_t)r->row.b);

		xtr_json_begin_object(j);
		json_domains(j, "prefer", "prefer_names", prefer);
		json_domains(j, "allow", "allow_names", allow);
		json_type(j, "type", "type_name", r->row.b);
		xtr_json_kv_str(j, "given",
				!given           ? NULL
				: given & prefer ? "preferred"
				: given & allow  ? "allowed"
						 : "other");
		xtr_json_kv_u64(j, "count", r->row.n);
		xtr_json_kv_u64(j, "bytes", r->bytes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_buffer_processes(const struct amdgpu *g, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "processes");
	for (i = 0; i < g->processes.n; i++) {
		const struct amdgpu_process *p = xtr_tally_at(&g->processes, i);

		if (!p->buffers)
			continue;
		xtr_json_begin_object(j);
		kv_pid(g, j, p);
		xtr_json_kv_u64(j, "count", p->buffers);
		xtr_json_kv_u64(j, "bytes", p->bytes);
		xtr_json_kv_u64(j, "vram_refused", p->vram_refused);
		xtr_json_kv_u64(j, "vram_refused_bytes", p->vram_refused_bytes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_buffers(const struct amdgpu *g, struct xtr_json *j)
{
	const struct amdgpu_memory_stats *m = &g->mem;
	unsigned int i;

	xtr_json_kv_object(j, "buffers");
	kv_sum(j, "created", &m->created);
	kv_sum(j, "vram_asked", &m->vram_asked);
	kv_sum(j, "vram_given", &m->vram_given);
	kv_sum(j, "vram_refused", &m->refused);
	kv_sum(j, "vram_or_other_asked", &m->either);
	kv_sum(j, "vram_or_other_elsewhere", &m->either_elsewhere);
	xtr_json_kv_array(j, "types");
	for (i = 0; i < m->types.n; i++) {
		const struct amdgpu_bytes_row *r = xtr_tally_at(&m->types, i);

		xtr_json_begin_object(j);
		json_type(j, "type", "name", r->row.a);
		xtr_json_kv_u64(j, "count", r->row.n);
		xtr_json_kv_u64(j, "bytes", r->bytes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	json_asked(m, j);
	xtr_json_kv_array(j, "flags");
	for (i = 0; i < AMDGPU_FLAG_BITS; i++) {
		if (!m->flag[i].n)
			continue;
		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "bit", i);
		xtr_json_kv_str(j, "name", amdgpu_create_flag_name(i));
		xtr_json_kv_u64(j, "count", m->flag[i].n);
		xtr_json_kv_u64(j, "bytes", m->flag[i].bytes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	json_buffer_processes(g, j);
	xtr_json_kv_u64(j, "left_out", m->types.left_out + m->asked.left_out);
	xtr_json_end_object(j);
}

static void json_moves(const struct amdgpu *g, struct xtr_json *j)
{
	const struct amdgpu_memory_stats *m = &g->mem;
	uint32_t i;

	xtr_json_kv_object(j, "moves");
	kv_sum(j, "moved", &m->moved);
	kv_sum(j, "placed", &m->placed);
	kv_sum(j, "released", &m->released);
	kv_sum(j, "to_vram", &m->to_vram);
	kv_sum(j, "from_vram", &m->from_vram);
	kv_rate(g, j, &m->move_rate);
	kv_time(g, j, "bytes_per_second", xtr_rate_per_second(m->moved.bytes, g->o->span_ns));
	xtr_json_kv_array(j, "directions");
	for (i = 0; i < m->directions.n; i++) {
		const struct amdgpu_bytes_row *r = xtr_tally_at(&m->directions, i);

		xtr_json_begin_object(j);
		json_type(j, "old", "old_name", r->row.a);
		json_type(j, "new", "new_name", r->row.b);
		xtr_json_kv_u64(j, "count", r->row.n);
		xtr_json_kv_u64(j, "bytes", r->bytes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "returns", m->returns);
	kv_time(g, j, "quick_returns", m->quick);
	kv_time(g, j, "quick_bytes", m->quick_bytes);
	xtr_json_kv_u64(j, "quick_limit_ns", AMDGPU_THRASH_AWAY_NS);
	xtr_json_kv_u64(j, "most_returns", m->most_returns);
	kv_times(g, j, "away_ns", &m->away, false);
	xtr_json_kv_u64(j, "buffers_forgotten", m->lives_lost);
	kv_left_out(j, &m->directions);
	xtr_json_end_object(j);
}

static void json_lists(const struct amdgpu_memory_stats *m, struct xtr_json *j)
{
	xtr_json_kv_object(j, "lists");
	xtr_json_kv_u64(j, "lists", m->lists);
	xtr_json_kv_u64(j, "buffers", m->list_buffers);
	xtr_json_kv_u64(j, "bytes", m->list_bytes);
	xtr_view_json_hist(j, "buffers_each", &m->list_size, false);
	kv_sum(j, "set", &m->list_set);
	xtr_json_end_object(j);
}

/* --- address spaces, interrupts, the rest ----------------------------------------------------- */

static void json_vm_rows(const struct amdgpu *g, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "vmids");
	for (i = 0; i < g->vm.rings.n; i++) {
		const struct amdgpu_vm_row *r = xtr_tally_at(&g->vm.rings, i);

		xtr_json_begin_object(j);
		kv_string(g, j, "ring", r->row.a);
		xtr_json_kv_u64(j, "vmid", r->row.b >> 32);
		xtr_json_kv_u64(j, "hub", r->row.b & UINT32_MAX);
		xtr_json_kv_u64(j, "flushes", r->row.n);
		xtr_json_kv_u64(j, "grabs", r->grabs);
		xtr_json_kv_u64(j, "needs_flush", r->needs_flush);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "pasids");
	for (i = 0; i < g->vm.pasids.n; i++) {
		const struct amdgpu_pasid_row *r = xtr_tally_at(&g->vm.pasids, i);

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "pasid", r->row.a);
		xtr_json_kv_u64(j, "grabs", r->row.n);
		xtr_json_kv_u64(j, "needs_flush", r->needs_flush);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void kv_entries(struct xtr_json *j, const char *key, uint64_t n, uint64_t entries)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "count", n);
	xtr_json_kv_u64(j, "entries", entries);
	xtr_json_end_object(j);
}

static void json_vm(const struct amdgpu *g, struct xtr_json *j)
{
	const struct amdgpu_vm *vm = &g->vm;

	xtr_json_kv_object(j, "vm");
	kv_sum(j, "map", &vm->map);
	kv_sum(j, "unmap", &vm->unmap);
	xtr_json_kv_u64(j, "malformed", vm->malformed);
	xtr_json_kv_u64(j, "updates", vm->updates);
	xtr_json_kv_u64(j, "mappings", vm->mappings);
	xtr_json_kv_u64(j, "cs", vm->cs);
	xtr_json_kv_u64(j, "grabs", vm->grabs);
	xtr_json_kv_u64(j, "needs_flush", vm->needs_flush);
	xtr_json_kv_u64(j, "flushes", vm->flushes);
	xtr_json_kv_u64(j, "pasids_allocated", vm->pasids_allocated);
	xtr_json_kv_u64(j, "pasids_freed", vm->pasids_freed);
	kv_entries(j, "update_ptes", vm->pte_updates, vm->pte_entries);
	kv_entries(j, "set_ptes", vm->set_ptes, vm->set_entries);
	kv_entries(j, "copy_ptes", vm->copy_ptes, vm->copy_entries);
	json_vm_rows(g, j);
	xtr_json_kv_u64(j, "left_out", vm->rings.left_out + vm->pasids.left_out);
	xtr_json_end_object(j);
}

static void json_sources(const struct amdgpu *g, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "sources");
	for (i = 0; i < g->irq.sources.n; i++) {
		const struct amdgpu_source *s = xtr_tally_at(&g->irq.sources, i);

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "client", s->row.a);
		xtr_json_kv_str(j, "client_name", amdgpu_client_name(s->row.a));
		xtr_json_kv_u64(j, "source", s->row.b);
		xtr_json_kv_str(j, "source_name", amdgpu_source_name(s->row.a, s->row.b));
		xtr_json_kv_u64(j, "count", s->row.n);
		xtr_json_kv_u64(j, "again", s->again);
		kv_rate(g, j, &s->rate);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_irq(const struct amdgpu *g, struct xtr_json *j)
{
	const struct amdgpu_irq *irq = &g->irq;
	uint32_t i;

	xtr_json_kv_object(j, "interrupts");
	xtr_json_kv_u64(j, "count", irq->n);
	xtr_json_kv_u64(j, "again", irq->again);
	kv_time(g, j, "per_second", xtr_rate_per_second(irq->n, g->o->span_ns));
	json_sources(g, j);
	xtr_json_kv_array(j, "vms");
	for (i = 0; i < irq->vms.n; i++) {
		const struct xtr_tally_row *r = xtr_tally_at(&irq->vms, i);

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "pasid", r->a);
		xtr_json_kv_u64(j, "vmid", r->b);
		xtr_json_kv_u64(j, "count", r->n);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "interrupt_rings");
	for (i = 0; i < irq->ih_rings.n; i++) {
		const struct xtr_tally_row *r = xtr_tally_at(&irq->ih_rings, i);

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "ih", r->a);
		xtr_json_kv_u64(j, "count", r->n);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "left_out",
			irq->sources.left_out + irq->vms.left_out + irq->ih_rings.left_out);
	xtr_json_end_object(j);
}

static void json_registers(const struct amdgpu *g, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_object(j, "registers");
	xtr_json_kv_u64(j, "reads", g->reads);
	xtr_json_kv_u64(j, "writes", g->writes);
	xtr_json_kv_array(j, "most_used");
	for (i = 0; i < g->registers.n && i < g->o->top; i++) {
		const struct amdgpu_register *r = xtr_tally_at(&g->registers, i);

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "device_id", r->row.a);
		xtr_json_kv_u64(j, "register", r->row.b);
		xtr_json_kv_u64(j, "reads", r->row.n - r->writes);
		xtr_json_kv_u64(j, "writes", r->writes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	kv_left_out(j, &g->registers);
	xtr_json_end_object(j);
}

static void json_rest(const struct amdgpu *g, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_object(j, "resets");
	xtr_json_kv_u64(j, "register_dumps", g->resets.dumps);
	xtr_json_kv_u64(j, "registers", g->resets.registers);
	xtr_json_kv_u64(j, "jobs_run_again", g->jobs.run_again);
	xtr_json_kv_u64(j, "job_timeouts", g->jobs.timeouts);
	xtr_json_kv_u64(j, "job_errors", g->jobs.errors);
	xtr_json_end_object(j);
	xtr_json_kv_array(j, "other_events");
	for (i = 0; i < g->others.n; i++) {
		const struct xtr_tally_row *r = xtr_tally_at(&g->others, i);
		const struct xtr_event_desc *d = xtr_meta_event(g->o->meta, (uint32_t)r->a);

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "event", d ? d->name : NULL);
		xtr_json_kv_u64(j, "count", r->n);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void amdgpu_json(const void *self, struct xtr_json *j)
{
	const struct amdgpu *g = self;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "cards", g->n_cards);
	json_jobs(g, j);
	json_buffers(g, j);
	json_moves(g, j);
	json_lists(&g->mem, j);
	json_vm(g, j);
	json_irq(g, j);
	json_registers(g, j);
	json_rest(g, j);
	xtr_json_end_object(j);
}
