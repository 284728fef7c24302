/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces, interrupts, registers. */
#include "amdgpu_impl.h"

#define GPU_PAGE 4096u /* AMDGPU_GPU_PAGE_SIZE */

enum {
	START,
	LAST
};
enum {
	GRAB_RING,
	GRAB_VMID,
	GRAB_HUB,
	GRAB_PASID,
	GRAB_NEEDS
};
enum {
	IV_CLIENT,
	IV_SRC,
	IV_IH,
	IV_VMID,
	IV_PASID
};

void amdgpu_vm_open(struct amdgpu *g)
{
	xtr_counted_init(&g->vm.rings, sizeof(struct amdgpu_vm_row), AMDGPU_ROWS_MAX);
	xtr_counted_init(&g->vm.pasids, sizeof(struct amdgpu_pasid_row), AMDGPU_ROWS_MAX);
	xtr_counted_init(&g->irq.sources, sizeof(struct amdgpu_source), AMDGPU_ROWS_MAX);
	xtr_counted_init(&g->irq.vms, sizeof(struct xtr_counted_row), AMDGPU_ROWS_MAX);
	xtr_counted_init(&g->irq.ih_rings, sizeof(struct xtr_counted_row), AMDGPU_ROWS_MAX);
	xtr_counted_init(&g->registers, sizeof(struct amdgpu_register), AMDGPU_ROWS_MAX);
}

void amdgpu_vm_free(struct amdgpu *g)
{
	xtr_counted_free(&g->vm.rings);
	xtr_counted_free(&g->vm.pasids);
	xtr_counted_free(&g->irq.sources);
	xtr_counted_free(&g->irq.vms);
	xtr_counted_free(&g->irq.ih_rings);
	xtr_counted_free(&g->registers);
}

static int count_row(struct xtr_counted *t, uint64_t a, uint64_t b)
{
	struct xtr_counted_row *row;
	int err = xtr_counted_get(t, a, b, &row);

	if (row)
		row->n++;
	return err;
}

/* --- address spaces --------------------------------------------------------------------------- */

/* start and last are GPU pages, both of the range. */
static int take_range(struct amdgpu_vm *vm, struct amdgpu_sum *s, const struct xtr_bind *b,
		      const struct xtr_event *ev, bool inside)
{
	uint64_t start = xtr_bind_u64(b, START, ev), last = xtr_bind_u64(b, LAST, ev);

	if (!inside)
		return 0;
	if (last < start || last - start >= UINT64_MAX / GPU_PAGE) {
		vm->malformed++;
		return 0;
	}
	s->n++;
	s->bytes += (last - start + 1) * GPU_PAGE;
	return 0;
}

int amdgpu_take_map(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		    bool inside)
{
	return take_range(&g->vm, &g->vm.map, b, ev, inside);
}

int amdgpu_take_unmap(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		      bool inside)
{
	return take_range(&g->vm, &g->vm.unmap, b, ev, inside);
}

int amdgpu_take_count(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		      bool inside)
{
	struct amdgpu_vm *vm = &g->vm;
	uint64_t *const counts[] = { &vm->updates, &vm->mappings, &vm->cs, &vm->pasids_allocated,
				     &vm->pasids_freed };

	(void)ev;
	*counts[b->role] += inside;
	return 0;
}

static int vm_row(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		  struct amdgpu_vm_row **row)
{
	uint64_t vmid = xtr_bind_u64(b, GRAB_VMID, ev), hub = xtr_bind_u64(b, GRAB_HUB, ev);

	return xtr_counted_get(&g->vm.rings, xtr_bind_u64(b, GRAB_RING, ev), vmid << 32 | hub, row);
}

int amdgpu_take_grab(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		     bool inside)
{
	uint64_t needs = xtr_bind_u64(b, GRAB_NEEDS, ev) != 0;
	struct amdgpu_pasid_row *pasid;
	struct amdgpu_vm_row *row;
	int err;

	if (!inside)
		return 0;
	g->vm.grabs++;
	g->vm.needs_flush += needs;
	err = vm_row(g, b, ev, &row);
	if (row) {
		row->grabs++;
		row->needs_flush += needs;
	}
	if (err)
		return err;
	err = xtr_counted_get(&g->vm.pasids, xtr_bind_u64(b, GRAB_PASID, ev), 0, &pasid);
	if (pasid) {
		pasid->row.n++;
		pasid->needs_flush += needs;
	}
	return err;
}

int amdgpu_take_flush(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		      bool inside)
{
	struct amdgpu_vm_row *row;
	int err;

	if (!inside)
		return 0;
	g->vm.flushes++;
	err = vm_row(g, b, ev, &row);
	if (row)
		row->row.n++;
	return err;
}

static int take_entries(uint64_t *events, uint64_t *entries, const struct xtr_bind *b,
			const struct xtr_event *ev, bool inside)
{
	*events += inside;
	*entries += inside ? xtr_bind_u64(b, 0, ev) : 0;
	return 0;
}

int amdgpu_take_ptes(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		     bool inside)
{
	return take_entries(&g->vm.pte_updates, &g->vm.pte_entries, b, ev, inside);
}

int amdgpu_take_set_ptes(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
			 bool inside)
{
	return take_entries(&g->vm.set_ptes, &g->vm.set_entries, b, ev, inside);
}

int amdgpu_take_copy_ptes(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
			  bool inside)
{
	return take_entries(&g->vm.copy_ptes, &g->vm.copy_entries, b, ev, inside);
}

/* --- interrupts ------------------------------------------------------------------------------- */

/*
 * One entry of an interrupt ring; one interrupt of the CPU brings any number of them. What the
 * driver delegates to its soft ring comes out of that again, with another event.
 */
int amdgpu_take_iv(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		   bool inside)
{
	struct amdgpu_irq *irq = &g->irq;
	uint64_t ih = xtr_bind_u64(b, IV_IH, ev);
	struct amdgpu_source *source;
	int err;

	if (!inside)
		return 0;
	err = count_row(&irq->ih_rings, ih, 0);
	if (!err)
		err = xtr_counted_get(&irq->sources, xtr_bind_u64(b, IV_CLIENT, ev),
				      xtr_bind_u64(b, IV_SRC, ev), &source);
	if (err)
		return err;
	if (ih == AMDGPU_IH_SOFT) {
		irq->again++;
		if (source)
			source->again++;
		return 0;
	}
	irq->n++;
	if (source) {
		source->row.n++;
		if (g->o->times)
			xtr_rate_add(&source->rate, ev->ts);
	}
	return count_row(&irq->vms, xtr_bind_u64(b, IV_PASID, ev), xtr_bind_u64(b, IV_VMID, ev));
}

/* --- registers -------------------------------------------------------------------------------- */

static int take_register(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
			 bool inside, bool write)
{
	struct amdgpu_register *row;
	int err;

	if (!inside)
		return 0;
	g->writes += write;
	g->reads += !write;
	err = xtr_counted_get(&g->registers, xtr_bind_u64(b, 0, ev), xtr_bind_u64(b, 1, ev), &row);
	if (row) {
		row->row.n++;
		row->writes += write;
	}
	return err;
}

int amdgpu_take_rreg(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		     bool inside)
{
	return take_register(g, b, ev, inside, false);
}

int amdgpu_take_wreg(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		     bool inside)
{
	return take_register(g, b, ev, inside, true);
}

/*
 * A reset dumps each register of a list that was set up for it, once: a new dump begins with the
 * list's first register, or after a while.
 */
int amdgpu_take_dump(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		     bool inside)
{
	struct amdgpu_resets *r = &g->resets;
	uint32_t address = (uint32_t)xtr_bind_u64(b, 0, ev);

	if (!inside)
		return 0;
	if (!r->registers++)
		r->first_ns = ev->ts;
	if (r->registers == 1 || address == r->first_address ||
	    (g->o->times && ev->ts - r->last_ns > AMDGPU_DUMP_GAP_NS)) {
		r->dumps++;
		r->first_address = address;
	}
	r->last_ns = ev->ts;
	return 0;
}
