/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `nvidia` as JSON; docs/stats-json.md. */
#include "nvidia.h"
#include "analysis/core/view.h"
#include "replay/event/process.h"

static const struct {
	const char *key;
	size_t offset;
} counters[] = {
#define COUNTER(member)                                      \
	{                                                    \
#member, offsetof(struct nv_process, member) \
	}
	COUNTER(opens),
	COUNTER(open_errors),
	COUNTER(closes),
	COUNTER(closes_elsewhere),
	COUNTER(closes_earlier),
	{ "still_open", offsetof(struct nv_process, open_files) },
	COUNTER(mmaps),
	COUNTER(mmap_errors),
	COUNTER(mmap_bytes),
	COUNTER(releases),
	COUNTER(released_bytes),
	COUNTER(releases_earlier),
	COUNTER(copies),
	COUNTER(copy_bytes),
	COUNTER(splits),
	COUNTER(moves),
	{ "mapped_bytes", offsetof(struct nv_process, mapped) },
	{ "mapped_peak_bytes", offsetof(struct nv_process, mapped_peak) },
	{ "mapped_copy_bytes", offsetof(struct nv_process, copied) },
	COUNTER(polls),
	COUNTER(faults),
	COUNTER(ioctls),
	COUNTER(ioctl_errors),
	COUNTER(uvm_opens),
	COUNTER(uvm_mmaps),
	COUNTER(uvm_ioctls),
	COUNTER(uvm_ioctl_errors),
	{ "p2p_get_pages", offsetof(struct nv_process, p2p_gets) },
	{ "p2p_get_pages_bytes", offsetof(struct nv_process, p2p_bytes) },
	{ "p2p_dma_maps", offsetof(struct nv_process, p2p_maps) },
	{ "p2p_errors", offsetof(struct nv_process, p2p_errors) },
};

static void kv_hist(const struct nvidia *nv, struct xtr_json *j, const char *key,
		    const struct xtr_hist *h)
{
	if (nv->o->times) {
		xtr_view_json_hist(j, key, h, false);
		return;
	}
	xtr_json_key(j, key);
	xtr_json_null(j);
}

static void kv_pid(const struct nvidia *nv, uint32_t process, struct xtr_json *j)
{
	const struct nv_process *p = &nv->process[process];

	xtr_json_kv_process(j, "pid", p->process);
}

/* Of all that were made, where that was counted; null: it was not. */
static void kv_total(const struct nvidia *nv, bool uvm, const char *key, uint64_t total,
		     struct xtr_json *j)
{
	xtr_json_key(j, key);
	if (nv->n_totals && nv->sample_ppm[uvm])
		xtr_json_u64(j, total);
	else
		xtr_json_null(j);
}

static void json_process(const struct nvidia *nv, uint32_t i, struct xtr_json *j)
{
	const struct nv_process *p = &nv->process[i];
	const char *comm = NULL;
	size_t n = 0, k;

	if (nv->o->tables && p->comm)
		comm = xtr_tables_string(nv->o->tables, p->comm, &n);
	xtr_json_begin_object(j);
	kv_pid(nv, i, j);
	xtr_json_key(j, "process");
	xtr_json_strn(j, comm, n);
	for (k = 0; k < sizeof(counters) / sizeof(*counters); k++)
		xtr_json_kv_u64(
			j, counters[k].key,
			*(const uint64_t *)(const void *)((const char *)p + counters[k].offset));
	kv_total(nv, false, "ioctls_total", p->ioctls_total, j);
	kv_total(nv, true, "uvm_ioctls_total", p->uvm_ioctls_total, j);
	xtr_json_end_object(j);
}

/* kind, number, name, second, second_name */
static void kv_name(enum nv_kind kind, uint32_t number, bool has_second, uint32_t second,
		    struct xtr_json *j)
{
	char buf[NV_NAME_MAX];

	xtr_json_kv_str(j, "kind", nv_kind_name(kind));
	xtr_json_kv_u64(j, "number", number);
	xtr_json_kv_str(j, "name", nv_ioctl_name(buf, kind, number));
	xtr_json_key(j, "second");
	if (has_second)
		xtr_json_u64(j, second);
	else
		xtr_json_null(j);
	xtr_json_key(j, "second_name");
	if (has_second)
		xtr_json_str(j, nv_second_name(buf, number, second));
	else
		xtr_json_null(j);
}

static void json_ioctls(const struct nvidia *nv, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "ioctls");
	for (i = 0; i < nv->n_ioctls; i++) {
		const struct nv_ioctl *r = &nv->ioctl[i];

		xtr_json_begin_object(j);
		kv_pid(nv, r->process, j);
		kv_name(r->kind, r->number, r->has_second, r->second, j);
		xtr_json_kv_u64(j, "calls", r->n);
		kv_total(nv, r->kind == NV_KIND_UVM, "total_calls", r->total, j);
		xtr_json_kv_u64(j, "errors", r->errors);
		kv_hist(nv, j, "time_ns", &r->time);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_errors(const struct nvidia *nv, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "errors");
	for (i = 0; i < nv->n_errors; i++) {
		const struct nv_error *e = &nv->error[i];

		xtr_json_begin_object(j);
		kv_pid(nv, e->process, j);
		xtr_json_kv_str(j, "call", nv_role_name(e->role));
		if (e->role == NV_IOCTL || e->role == NV_UVM_IOCTL)
			kv_name(e->kind, e->number, e->has_second, e->second, j);
		xtr_json_kv_s64(j, "ret", e->ret);
		xtr_json_kv_u64(j, "calls", e->n);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "errors_left_out", nv->errors_left_out);
}

#define FILES_SHOWN 100u

static void json_files(const struct nvidia *nv, struct xtr_json *j)
{
	uint32_t i, n = 0;

	xtr_json_kv_array(j, "open_files");
	for (i = 0; i < nv->n_files && n < FILES_SHOWN; i++) {
		const struct nv_file *f = &nv->file[i];

		if (!f->live)
			continue;
		n++;
		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "file", f->file);
		kv_pid(nv, f->process, j);
		xtr_json_kv_u64(j, "tid", f->tid);
		xtr_json_kv_u64(j, "opened_ns", f->opened_ns);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_devices(const struct nvidia *nv, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "devices");
	for (i = 0; i < nv->n_devices; i++) {
		const struct nv_device *d = &nv->device[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "device", d->device);
		xtr_json_kv_u64(j, "interrupts", nv_interrupts(nv, d));
		xtr_json_kv_u64(j, "isr_msix", d->msix);
		xtr_json_kv_u64(j, "isr", d->alone + d->nested);
		xtr_json_kv_u64(j, "isr_nested", d->nested);
		xtr_json_kv_u64(j, "not_ours", d->not_ours);
		xtr_json_kv_u64(j, "wanted_bottom_half", d->woke);
		xtr_json_kv_u64(j, "bottom_halves", d->bottoms[0]);
		xtr_json_kv_u64(j, "bottom_halves_msix", d->bottoms[1]);
		kv_hist(nv, j, "time_ns", &d->time[d->msix != 0]);
		kv_hist(nv, j, "bottom_half_ns", &d->bottom_time);
		kv_hist(nv, j, "until_bottom_half_ns", &d->wake);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_power(const struct nvidia *nv, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "power");
	for (i = 0; i < nv->n_powers; i++) {
		const struct nv_power *p = &nv->power[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "device", p->device);
		xtr_json_kv_u64(j, "suspends", p->suspends);
		xtr_json_kv_u64(j, "suspend_errors", p->suspend_errors);
		xtr_json_kv_u64(j, "resumes", p->resumes);
		xtr_json_kv_u64(j, "resume_errors", p->resume_errors);
		xtr_json_kv_u64(j, "resumes_after_failure", p->resumes_after_failure);
		kv_hist(nv, j, "suspend_ns", &p->suspend);
		kv_hist(nv, j, "resume_ns", &p->resume);
		kv_hist(nv, j, "away_ns", &p->away);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_sample(const struct nvidia *nv, struct xtr_json *j)
{
	xtr_json_key(j, "sample");
	if (!nv->sample_ppm[0] && !nv->sample_ppm[1]) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "ioctl_ppm", nv->sample_ppm[0] ? nv->sample_ppm[0] : 1000000);
	xtr_json_kv_u64(j, "uvm_ioctl_ppm", nv->sample_ppm[1] ? nv->sample_ppm[1] : 1000000);
	xtr_json_kv_bool(j, "totals", nv->n_totals);
	xtr_json_kv_bool(j, "exact", nv->totals_exact);
	xtr_json_kv_u64(j, "others", nv->total_others);
	xtr_json_end_object(j);
}

void nv_json(const void *self, struct xtr_json *j)
{
	const struct nvidia *nv = self;
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", nv->lost);
	xtr_json_kv_u64(j, "untracked", nv->untracked);
	json_sample(nv, j);
	xtr_json_kv_array(j, "processes");
	for (i = 0; i < nv->n_processes; i++)
		if (nv->process[i].visible)
			json_process(nv, i, j);
	xtr_json_end_array(j);
	json_ioctls(nv, j);
	json_errors(nv, j);
	json_files(nv, j);
	json_devices(nv, j);
	json_power(nv, j);
	xtr_json_end_object(j);
}
