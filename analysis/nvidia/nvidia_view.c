/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `nvidia` as text. */
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "nvidia.h"
#include "base/text.h"
#include "replay/event/process.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <string.h>

static void ns(struct xtr_grid *t, bool known, uint64_t v)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, known ? xtr_text_ns(buf, v) : "-");
}

static void quantiles(struct xtr_grid *t, const struct xtr_hist *h)
{
	ns(t, h->n, xtr_hist_quantile(h, 500));
	ns(t, h->n, xtr_hist_quantile(h, 990));
	ns(t, h->n, h->max);
}

static void who(struct xtr_grid *t, const struct nvidia *nv, const struct nv_process *p)
{
	char buf[XTR_TEXT_NAME];
	size_t n = 0;
	const char *s =
		nv->o->tables && p->comm ? xtr_tables_string(nv->o->tables, p->comm, &n) : NULL;

	if (p->rest)
		xtr_grid_cell(t, "(others)");
	else
		xtr_grid_cell(t, s ? xtr_text_name(buf, sizeof(buf), s, n) : "(unknown)");
	xtr_grid_cell(t, xtr_text_process(buf, p->process));
}

/* A column that is only shown where its role was recorded. */
struct column {
	const char *title;
	enum nv_role role;
	size_t offset; /* of a counter in struct nv_process */
};

#define COLUMN(title, role, member)                                   \
	{                                                             \
		title, NV_##role, offsetof(struct nv_process, member) \
	}

static const struct column calls_columns[] = {
	COLUMN("opens", OPEN, opens),
	COLUMN("failed", OPEN, open_errors),
	COLUMN("closes", CLOSE, closes),
	COLUMN("still open", OPEN, open_files),
	COLUMN("ioctls", IOCTL, ioctls),
	COLUMN("errors", IOCTL, ioctl_errors),
	COLUMN("polls", POLL, polls),
	COLUMN("faults", FAULT, faults),
	COLUMN("UVM opens", UVM_OPEN, uvm_opens),
	COLUMN("UVM ioctls", UVM_IOCTL, uvm_ioctls),
	COLUMN("UVM mmaps", UVM_MMAP, uvm_mmaps),
};

static const struct column map_columns[] = {
	COLUMN("mmaps", MMAP, mmaps),
	COLUMN("failed", MMAP, mmap_errors),
	COLUMN("bytes", MMAP, mmap_bytes),
	COLUMN("peak", MMAP, mapped_peak),
	COLUMN("held at end", MMAP, mapped),
	COLUMN("releases", VMA_RELEASE, releases),
	COLUMN("released bytes", VMA_RELEASE, released_bytes),
	COLUMN("copies", VMA_OPEN, copies),
	COLUMN("held in copies", VMA_OPEN, copied),
	COLUMN("splits", VMA_OPEN, splits),
	COLUMN("moves", VMA_OPEN, moves),
};

static const struct column p2p_columns[] = {
	COLUMN("get_pages", P2P_GET, p2p_gets),
	COLUMN("bytes", P2P_GET, p2p_bytes),
	COLUMN("failed", P2P_GET, p2p_errors),
	COLUMN("dma_map", P2P_MAP, p2p_maps),
};

static uint64_t value_of(const struct nv_process *p, const struct column *c)
{
	return *(const uint64_t *)(const void *)((const char *)p + c->offset);
}

static bool is_recorded(const struct nvidia *nv, enum nv_role role)
{
	const bool *has = nv->track.b.has;

	return has[role] || (role == NV_P2P_GET && (has[NV_P2P_KEEP] || has[NV_P2P_MAP]));
}

static bool any_of(const struct nv_process *p, const struct column *c, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (value_of(p, &c[i]))
			return true;
	return false;
}

/* One row for each process that has something in these columns. */
static int text_table(const struct nvidia *nv, FILE *f, const char *title, const struct column *c,
		      size_t n)
{
	const char *titles[XTR_GRID_COLUMNS] = { "<process", "pid" };
	struct xtr_grid *t;
	uint32_t i, rows = 0;
	size_t k, used = 2;

	for (i = 0; i < nv->n_processes; i++)
		rows += any_of(&nv->process[i], c, n);
	if (!rows)
		return 0;
	for (k = 0; k < n; k++)
		if (is_recorded(nv, c[k].role))
			titles[used++] = c[k].title;
	titles[used] = NULL;
	fprintf(f, "%s", title);
	t = xtr_grid_new(titles);
	for (i = 0; i < nv->n_processes; i++) {
		if (!any_of(&nv->process[i], c, n))
			continue;
		who(t, nv, &nv->process[i]);
		for (k = 0; k < n; k++)
			if (is_recorded(nv, c[k].role))
				xtr_grid_count(t, value_of(&nv->process[i], &c[k]));
	}
	return xtr_grid_print(t, f, 2);
}

static int text_ioctls(const struct nvidia *nv, FILE *f)
{
	static const char *const columns[] = { "<ioctl", "<process", "pid", "calls", "errors",
					       "p50",    "p99",      "max", NULL };
	static const char *const sampled[] = { "<ioctl", "<process", "pid", "calls", "recorded",
					       "errors", "p50",      "p99", "max",   NULL };
	char name[2 * NV_NAME_MAX];
	struct xtr_grid *t;
	uint32_t i;
	int ret;

	if (!nv->n_ioctls)
		return 0;
	fputs("\n  ioctls\n", f);
	t = xtr_grid_new(nv->n_totals ? sampled : columns);
	for (i = 0; i < nv->n_ioctls && i < nv->o->top; i++) {
		const struct nv_ioctl *r = &nv->ioctl[i];

		xtr_grid_cell(t, nv_whole_name(name, r->kind, r->number, r->has_second, r->second));
		who(t, nv, &nv->process[r->process]);
		if (nv->n_totals)
			xtr_grid_count(t, nv->sample_ppm[r->kind == NV_KIND_UVM] ? r->total : r->n);
		xtr_grid_count(t, r->n);
		xtr_grid_count(t, r->errors);
		quantiles(t, &r->time);
	}
	ret = xtr_grid_print(t, f, 2);
	if (i < nv->n_ioctls)
		fprintf(f, "  ... and %u more (--top)\n", nv->n_ioctls - i);
	return ret;
}

static int text_errors(const struct nvidia *nv, FILE *f)
{
	static const char *const columns[] = { "<failed call", "<process", "pid",
					       "returned",     "calls",    NULL };
	char name[2 * NV_NAME_MAX];
	struct xtr_grid *t;
	uint32_t i;
	int ret;

	if (!nv->n_errors)
		return 0;
	fputs("\n  Errors, by what the call returned\n", f);
	t = xtr_grid_new(columns);
	for (i = 0; i < nv->n_errors && i < nv->o->top; i++) {
		const struct nv_error *e = &nv->error[i];

		if (e->role == NV_IOCTL || e->role == NV_UVM_IOCTL)
			nv_whole_name(name, e->kind, e->number, e->has_second, e->second);
		else
			snprintf(name, sizeof(name), "%s", nv_role_name(e->role));
		xtr_grid_cell(t, name);
		who(t, nv, &nv->process[e->process]);
		snprintf(name, sizeof(name), "%" PRId64, e->ret);
		xtr_grid_cell(t, name);
		xtr_grid_count(t, e->n);
	}
	ret = xtr_grid_print(t, f, 2);
	if (i < nv->n_errors || nv->errors_left_out)
		fprintf(f, "  ... and %" PRIu64 " more\n", nv->n_errors - i + nv->errors_left_out);
	return ret;
}

static void device_cell(struct xtr_grid *t, uint64_t device, bool rest)
{
	char buf[XTR_TEXT_NUMBER];

	snprintf(buf, sizeof(buf), "0x%" PRIx64, device);
	xtr_grid_cell(t, rest ? "(others)" : buf);
}

static int text_interrupts(const struct nvidia *nv, FILE *f)
{
	static const char *const columns[] = { "<device",  "<mode",         "interrupts",
					       "not ours", "p50",           "p99",
					       "max",      "bottom halves", "until it began: p50",
					       "p99",      "max",           NULL };
	struct xtr_grid *t;
	uint32_t i;

	if (!nv->n_devices)
		return 0;
	fputs("\n  Interrupts, and their bottom halves\n", f);
	t = xtr_grid_new(columns);
	for (i = 0; i < nv->n_devices; i++) {
		const struct nv_device *d = &nv->device[i];

		device_cell(t, d->device, d->rest);
		xtr_grid_cell(t, d->msix ? "MSI-X" : d->alone ? "line or MSI" : "-");
		xtr_grid_count(t, nv_interrupts(nv, d));
		xtr_grid_count(t, d->not_ours);
		quantiles(t, &d->time[d->msix != 0]);
		xtr_grid_count(t, d->bottoms[0] + d->bottoms[1]);
		quantiles(t, &d->wake);
	}
	return xtr_grid_print(t, f, 2);
}

static int text_power(const struct nvidia *nv, FILE *f)
{
	static const char *const columns[] = { "<device", "suspends",  "failed", "p50",
					       "max",     "resumes",   "failed", "p50",
					       "max",     "away: p50", "max",    NULL };
	struct xtr_grid *t;
	uint32_t i;

	if (!nv->n_powers)
		return 0;
	fputs("\n  Suspend and resume\n", f);
	t = xtr_grid_new(columns);
	for (i = 0; i < nv->n_powers; i++) {
		const struct nv_power *p = &nv->power[i];

		device_cell(t, p->device, p->rest);
		xtr_grid_count(t, p->suspends);
		xtr_grid_count(t, p->suspend_errors);
		ns(t, p->suspend.n, xtr_hist_quantile(&p->suspend, 500));
		ns(t, p->suspend.n, p->suspend.max);
		xtr_grid_count(t, p->resumes);
		xtr_grid_count(t, p->resume_errors);
		ns(t, p->resume.n, xtr_hist_quantile(&p->resume, 500));
		ns(t, p->resume.n, p->resume.max);
		ns(t, p->away.n, xtr_hist_quantile(&p->away, 500));
		ns(t, p->away.n, p->away.max);
	}
	return xtr_grid_print(t, f, 2);
}

static bool any_faults(const struct nvidia *nv)
{
	uint32_t i;

	for (i = 0; i < nv->n_processes; i++)
		if (nv->process[i].faults)
			return true;
	return false;
}

static void sample_limits(const struct nvidia *nv, FILE *f)
{
	uint32_t ppm = nv->sample_ppm[0] ? nv->sample_ppm[0] : nv->sample_ppm[1];
	char n[XTR_TEXT_NUMBER];

	if (!ppm)
		return;
	fprintf(f, "  %s of the ioctls were recorded: their errors and times are of these.",
		xtr_text_percent(n, ppm, 1000000));
	if (!nv->n_totals)
		fputs(" How many there were is not in the trace.\n", f);
	else if (nv->totals_exact)
		fputs(" Calls are exact: the recorder counted all.\n", f);
	else
		fputs(" Calls are lower bounds of what the recorder counted.\n", f);
	if (nv->total_others)
		fprintf(f,
			"  %s more are of processes and ioctls for which the recorder had no "
			"room.\n",
			xtr_text_count(n, nv->total_others));
}

/* What these events cannot tell. */
static void limits(const struct nvidia *nv, FILE *f)
{
	if (nv->lost)
		fputs("  Events were lost: counts are lower bounds, and what is held at the end "
		      "may be wrong.\n",
		      f);
	sample_limits(nv, f);
	if (nv->n_ioctls)
		fputs("  GPU work is not submitted by ioctls: their times are not the GPU's.\n", f);
	if (any_faults(nv))
		fputs("  Faults are the processor's, on mappings of device memory that were "
		      "revoked: not the GPU's page faults.\n",
		      f);
	if (nv->n_powers && nv->o->times)
		fputs("  Suspend and resume: time asleep is in none of these times where the "
		      "trace's clock stops (monotonic).\n",
		      f);
	if (nv->untracked)
		fprintf(f, "  Not followed: %" PRIu64 " files or mappings, there are too many.\n",
			nv->untracked);
}

int nv_text(const void *self, const struct xtr_view *v)
{
	const struct nvidia *nv = self;
	int ret = text_table(nv, v->f, "  Calls\n", calls_columns,
			     sizeof(calls_columns) / sizeof(*calls_columns));

	if (!ret)
		ret = text_table(nv, v->f, "\n  Mappings, bytes\n", map_columns,
				 sizeof(map_columns) / sizeof(*map_columns));
	if (!ret)
		ret = text_table(nv, v->f, "\n  Memory for other devices (third-party P2P)\n",
				 p2p_columns, sizeof(p2p_columns) / sizeof(*p2p_columns));
	if (!ret)
		ret = text_ioctls(nv, v->f);
	if (!ret)
		ret = text_errors(nv, v->f);
	if (!ret)
		ret = text_interrupts(nv, v->f);
	if (!ret)
		ret = text_power(nv, v->f);
	limits(nv, v->f);
	return ret;
}
