/* SPDX-License-Identifier: BSD-2-Clause */
#include "nvidia.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>

static bool applies(const struct xtr_meta *meta)
{
	return nv_any_role(meta, ~(1u << NV_XID | 1u << NV_SXID | 1u << NV_REPORT));
}

static void free_device(struct nv_device *d)
{
	xtr_hist_free(&d->time[0]);
	xtr_hist_free(&d->time[1]);
	xtr_hist_free(&d->bottom_time);
	xtr_hist_free(&d->wake);
}

static void nvidia_free(void *self)
{
	struct nvidia *nv = self;

	for (uint32_t i = 0; i < nv->n_ioctls; i++)
		xtr_hist_free(&nv->ioctl[i].time);
	for (uint32_t i = 0; i < nv->n_devices; i++)
		free_device(&nv->device[i]);
	for (uint32_t i = 0; i < nv->n_powers; i++) {
		xtr_hist_free(&nv->power[i].suspend);
		xtr_hist_free(&nv->power[i].resume);
		xtr_hist_free(&nv->power[i].away);
	}
	xtr_map_free(&nv->processes);
	xtr_map_free(&nv->ioctls);
	xtr_map_free(&nv->files);
	xtr_map_free(&nv->maps);
	xtr_map_free(&nv->copies);
	xtr_map_free(&nv->totals);
	nv_track_free(&nv->track);
	free(nv->process);
	free(nv->ioctl);
	free(nv->error);
	free(nv->file);
	free(nv->map);
	free(nv->total);
	free(nv);
}

static int nvidia_open(void **self, const struct xtr_analysis_opts *o)
{
	struct nvidia *nv = calloc(1, sizeof(*nv));
	int err;

	if (!nv)
		return -ENOMEM;
	nv->o = o;
	nv->hist_left = NV_HIST_LEFT;
	nv->free_file = nv->free_map = XTR_MAP_NONE;
	nv_totals_open(nv);
	err = nv_track_open(&nv->track, o->meta, o->tables);
	if (err)
		nvidia_free(nv);
	else
		*self = nv;
	return err;
}

/* What a thread does: the process's, and its state also where it is not asked for. */
static int process_step(struct nvidia *nv, const struct nv_step *s, bool inside)
{
	struct nv_process *p;
	uint32_t i;
	int err = nv_process_of(nv, s, &i);

	if (err)
		return err;
	p = &nv->process[i];
	switch (s->role) {
	case NV_OPEN:
		return nv_open_step(nv, s, i, inside);
	case NV_CLOSE:
		return nv_close_step(nv, s, i, inside);
	case NV_MMAP:
		return nv_mmap_step(nv, s, i, inside);
	case NV_VMA_OPEN:
		return nv_vma_open_step(nv, s, i, inside);
	case NV_VMA_RELEASE:
		return nv_release_step(nv, s, i, inside);
	case NV_IOCTL:
	case NV_UVM_IOCTL:
		return inside ? nv_ioctl_step(nv, s, i) : 0;
	case NV_P2P_GET:
	case NV_P2P_KEEP:
	case NV_P2P_MAP:
		return inside ? nv_p2p_step(nv, s, i) : 0;
	case NV_POLL:
		p->polls += inside && !s->end;
		return 0;
	case NV_FAULT:
		p->faults += inside && !s->end;
		return 0;
	case NV_UVM_OPEN:
		p->uvm_opens += inside && !s->end;
		return 0;
	case NV_UVM_MMAP:
		p->uvm_mmaps += inside && !s->end;
		return 0;
	default:
		return 0;
	}
}

static bool nvidia_takes(const void *self, uint32_t type)
{
	const struct nvidia *nv = self;

	return nv_track_takes(&nv->track, type) ||
	       (nv->total_bind.desc && type == nv->total_bind.type);
}

static int nvidia_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct nvidia *nv = self;
	struct nv_step s;
	int err = nv_track_event(&nv->track, ev, inside, &s);

	if (ev->gap)
		nv->lost = true;
	if (!ev->gap && inside && nv->total_bind.desc && ev->type == nv->total_bind.type)
		return nv_total_event(nv, ev);
	if (err != 1)
		return err;
	switch (s.role) {
	case NV_ISR:
	case NV_ISR_MSIX:
		return inside ? nv_irq_step(nv, &s) : 0;
	case NV_BOTTOM:
	case NV_BOTTOM_MSIX:
		return inside ? nv_bottom_step(nv, &s) : 0;
	case NV_SUSPEND:
	case NV_RESUME:
		return inside ? nv_power_step(nv, &s) : 0;
	case NV_REPORT:
	case NV_XID:
	case NV_SXID:
		return 0;
	default:
		return process_step(nv, &s, inside);
	}
}

static bool shown(const struct nv_process *p)
{
	return p->opens || p->open_errors || p->closes || p->closes_earlier || p->mmaps ||
	       p->mmap_errors || p->releases || p->copies || p->splits || p->moves || p->polls ||
	       p->faults || p->ioctls || p->p2p_gets || p->p2p_errors || p->p2p_maps ||
	       p->uvm_opens || p->uvm_mmaps || p->uvm_ioctls || p->open_files || p->mapped ||
	       p->copied || p->ioctls_total || p->uvm_ioctls_total;
}

static int by_pid(const void *pa, const void *pb)
{
	const struct nv_process *a = pa, *b = pb;

	if (a->rest != b->rest)
		return a->rest ? 1 : -1;
	return xtr_process_cmp(a->process, b->process);
}

static int by_calls(const void *pa, const void *pb)
{
	const struct nv_ioctl *a = pa, *b = pb;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->second > b->second) - (a->second < b->second);
}

/* Sort processes by pid, and say in rows of ioctls, errors and files where each went. */
static int sort_processes(struct nvidia *nv)
{
	uint32_t *place = calloc((size_t)nv->n_processes + 1, sizeof(*place)), i, n = 0;

	if (!place)
		return -ENOMEM;
	/* The index travels in a field that is not needed any more. */
	for (i = 0; i < nv->n_processes; i++)
		nv->process[i].rate.window = i;
	if (nv->n_processes)
		qsort(nv->process, nv->n_processes, sizeof(*nv->process), by_pid);
	for (i = 0; i < nv->n_processes; i++)
		place[nv->process[i].rate.window] = i;
	for (i = 0; i < nv->n_ioctls; i++)
		nv->ioctl[i].process = place[nv->ioctl[i].process];
	for (i = 0; i < nv->n_errors; i++)
		nv->error[i].process = place[nv->error[i].process];
	for (i = 0; i < nv->n_files; i++)
		if (nv->file[i].live)
			nv->file[i].process = place[nv->file[i].process];
	for (i = 0; i < nv->n_processes; i++)
		n += nv->process[i].visible = shown(&nv->process[i]);
	nv->n_visible = n;
	free(place);
	return 0;
}

static int nvidia_finish(void *self)
{
	struct nvidia *nv = self;
	int err;

	for (uint32_t i = 0; i < nv->n_processes; i++)
		nv_rate_end(&nv->process[i].rate, NV_IOCTLS_PER_S);
	for (uint32_t i = 0; i < nv->n_devices; i++)
		nv_rate_end(&nv->device[i].rate, NV_IRQS_PER_S);
	err = nv_totals_finish(nv);
	if (!err)
		err = sort_processes(nv);
	if (err)
		return err;
	if (nv->n_ioctls)
		qsort(nv->ioctl, nv->n_ioctls, sizeof(*nv->ioctl), by_calls);
	return nv_findings(nv);
}

static bool nvidia_any(const void *self)
{
	const struct nvidia *nv = self;

	return nv->n_visible || nv->n_devices || nv->n_powers;
}

const struct xtr_analysis xtr_analysis_nvidia = {
	.name = "nvidia",
	.title = "NVIDIA driver: processes, interrupts, suspends",
	.applies = applies,
	.open = nvidia_open,
	.free = nvidia_free,
	.takes = nvidia_takes,
	.event = nvidia_event,
	.finish = nvidia_finish,
	.any = nvidia_any,
	.text = nv_text,
	.json = nv_json,
	.tables = nv_tables,
};
