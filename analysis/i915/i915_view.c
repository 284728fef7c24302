/* SPDX-License-Identifier: BSD-2-Clause */
/* The section for people. */
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "i915_impl.h"
#include "base/text.h"
#include "replay/event/process.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <stdio.h>

static void cells_hist(struct xtr_grid *t, const struct xtr_hist *h)
{
	static const unsigned int q[] = { 500, 990, 1000 };
	char buf[XTR_TEXT_NUMBER];

	for (size_t i = 0; i < 3; i++)
		xtr_grid_cell(t, h->n ? xtr_text_ns(buf, xtr_hist_quantile(h, q[i])) : "-");
}

static void cell_bytes(struct xtr_grid *t, uint64_t n)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, xtr_text_bytes(buf, n));
}

static void cells_process(struct xtr_grid *t, const struct i915 *g, uint64_t process, uint32_t comm)
{
	char buf[XTR_TEXT_NAME];
	size_t n = 0;
	const char *s = g->o->tables && comm ? xtr_tables_string(g->o->tables, comm, &n) : NULL;

	xtr_grid_cell(t, xtr_text_process(buf, process));
	xtr_grid_cell(t, s ? xtr_text_name(buf, sizeof(buf), s, n) : "");
}

/* --- objects ---------------------------------------------------------------------------------- */

static void text_held(const struct i915 *g, FILE *f)
{
	const struct i915_objects *o = &g->objects;
	char n[XTR_TEXT_NUMBER], b[XTR_TEXT_NUMBER], at[XTR_TEXT_NUMBER];

	fprintf(f, "  objects (of all cards: their events name none): %s created, %s",
		xtr_text_count(n, o->created), xtr_text_bytes(b, o->created_bytes));
	fprintf(f, "; %s destroyed, %s", xtr_text_count(n, o->destroyed),
		xtr_text_bytes(b, o->destroyed_bytes));
	if (o->destroyed_unknown)
		fprintf(f, "; %s destroyed that the trace did not see created",
			xtr_text_count(n, o->destroyed_unknown));
	if (o->replaced)
		fprintf(f, "; %s whose end is not in the trace", xtr_text_count(n, o->replaced));
	fprintf(f, "\n  memory held since the start of the trace: most %s",
		xtr_text_bytes(b, o->held.peak_bytes));
	if (g->o->times && o->held.peak_ns)
		fprintf(f, " [%s s]", xtr_text_stamp(at, o->held.peak_ns));
	fprintf(f, ", %s objects; at the end %s, ", xtr_text_count(n, o->held.peak_objects),
		xtr_text_bytes(b, o->held.bytes));
	fprintf(f, "%s objects (open: nothing says that they are leaked)\n",
		xtr_text_count(n, o->held.objects));
	if (g->gaps)
		fputs("  events were lost: counts are lower bounds, destructions may be missing, "
		      "leaks are not judged\n",
		      f);
	if (o->untracked)
		fprintf(f,
			"  %s events of objects or bindings past what is kept: these are only counted\n",
			xtr_text_count(n, o->untracked));
}

static int text_creators(const struct i915 *g, FILE *f)
{
	static const char *const columns[] = { "<creator", "<process",     "created",
					       "bytes",    "destroyed",    "left",
					       "bytes",    "<oldest left", NULL };
	const struct i915_objects *o = &g->objects;
	struct xtr_grid *t = xtr_grid_new(columns);
	char at[XTR_TEXT_NUMBER];
	uint32_t i;
	int ret;

	for (i = 0; i < o->n_creators && i < g->o->top; i++) {
		const struct i915_creator *c = &o->creator[i];

		cells_process(t, g, c->process, c->comm);
		xtr_grid_count(t, c->created);
		cell_bytes(t, c->bytes);
		xtr_grid_count(t, c->destroyed);
		xtr_grid_count(t, c->left);
		cell_bytes(t, c->left_bytes);
		xtr_grid_cell(t, c->left ? xtr_text_place(at, g->o->times, c->left_ns) : "-");
	}
	ret = xtr_grid_print(t, f, 2);
	if (i < o->n_creators)
		fprintf(f, "  ... and %" PRIu32 " more (--top)\n", o->n_creators - i);
	return ret;
}

static int text_vma(const struct i915 *g, FILE *f)
{
	static const char *const columns[] = {
		"<rebound object", "<address space", "bytes", "binds",
		"rebinds",         "most in 1 s",    NULL
	};
	const struct i915_objects *o = &g->objects;
	char n[XTR_TEXT_NUMBER], b[XTR_TEXT_NUMBER], ptr[XTR_TEXT_NUMBER];
	struct xtr_grid *t;

	fprintf(f, "  bindings: %s, %s", xtr_text_count(n, o->binds),
		xtr_text_bytes(b, o->bind_bytes));
	fprintf(f, "; unbound %s, %s", xtr_text_count(n, o->unbinds),
		xtr_text_bytes(b, o->unbind_bytes));
	fprintf(f, "; bound again where they were before: %s, %s\n", xtr_text_count(n, o->rebinds),
		xtr_text_bytes(b, o->rebind_bytes));
	t = o->n_worst ? xtr_grid_new(columns) : NULL;
	for (uint32_t i = 0; i < o->n_worst && i < g->o->top; i++) {
		const struct i915_pair *p = &o->worst[i];

		snprintf(ptr, sizeof(ptr), "0x%" PRIx64, p->obj);
		xtr_grid_cell(t, ptr);
		snprintf(ptr, sizeof(ptr), "0x%" PRIx64, p->vm);
		xtr_grid_cell(t, ptr);
		cell_bytes(t, p->bytes);
		xtr_grid_count(t, p->binds);
		xtr_grid_count(t, p->rebinds);
		xtr_grid_cell(t, g->o->times ? xtr_text_count(n, p->most) : "-");
	}
	return t ? xtr_grid_print(t, f, 2) : 0;
}

static void text_access(const struct i915 *g, FILE *f)
{
	char n[XTR_TEXT_NUMBER], b[XTR_TEXT_NUMBER], w[XTR_TEXT_NUMBER];

	if (g->access.preads || g->access.pwrites) {
		fprintf(f, "  pread: %s, %s", xtr_text_count(n, g->access.preads),
			xtr_text_bytes(b, g->access.pread_bytes));
		fprintf(f, "; pwrite: %s, %s\n", xtr_text_count(n, g->access.pwrites),
			xtr_text_bytes(b, g->access.pwrite_bytes));
	}
	if (g->access.faults)
		fprintf(f,
			"  CPU faults on mappings of objects: %s, of them %s to write, %s through the GTT\n",
			xtr_text_count(n, g->access.faults),
			xtr_text_percent(w, g->access.write_faults, g->access.faults),
			xtr_text_percent(b, g->access.gtt_faults, g->access.faults));
	if (g->access.clflushes)
		fprintf(f, "  cache flushes of objects (clflush): %s\n",
			xtr_text_count(n, g->access.clflushes));
}

/* --- devices ---------------------------------------------------------------------------------- */

static int text_pressure(const struct i915 *g, FILE *f)
{
	static const char *const columns[] = { "<device",   "shrinks",    "target",   "unlimited",
					       "evict",     "evict node", "evict vm", "asked for",
					       "in flight", "in a frame", NULL };
	const struct i915_devices *d = &g->devices;
	struct xtr_grid *t = xtr_grid_new(columns);
	char n[XTR_TEXT_NUMBER];
	int ret;

	for (uint32_t i = 0; i < d->n; i++) {
		const struct i915_device *row = &d->device[i];

		xtr_grid_cell(t, row->name);
		xtr_grid_count(t, row->count[I915_SHRINK]);
		cell_bytes(t, row->pages > UINT64_MAX / I915_PAGE ? UINT64_MAX
								  : row->pages * I915_PAGE);
		xtr_grid_count(t, row->unlimited);
		xtr_grid_count(t, row->count[I915_EVICT]);
		xtr_grid_count(t, row->count[I915_EVICT_NODE]);
		xtr_grid_count(t, row->count[I915_EVICT_VM]);
		cell_bytes(t, row->evict_bytes);
		xtr_grid_count(t, row->in_flight);
		xtr_grid_count(t, row->between);
	}
	ret = xtr_grid_print(t, f, 2);
	if (d->not_kept)
		fprintf(f, "  %s more: whether they came during a frame is not known\n",
			xtr_text_count(n, d->not_kept));
	return ret;
}

static int text_contexts(const struct i915 *g, FILE *f)
{
	static const char *const columns[] = { "<device", "contexts", "freed", "left",
					       "ppgtts",  "released", "left",  NULL };
	const struct i915_devices *d = &g->devices;
	struct xtr_grid *t = xtr_grid_new(columns);

	for (uint32_t i = 0; i < d->n; i++) {
		const struct i915_device *row = &d->device[i];

		xtr_grid_cell(t, row->name);
		xtr_grid_count(t, row->contexts);
		xtr_grid_count(t, row->contexts_freed);
		xtr_grid_count(t, row->contexts_left);
		xtr_grid_count(t, row->spaces);
		xtr_grid_count(t, row->spaces_released);
		xtr_grid_count(t, row->spaces_left);
	}
	return xtr_grid_print(t, f, 2);
}

/* --- requests --------------------------------------------------------------------------------- */

static int text_engines(const struct i915 *g, FILE *f)
{
	static const char *const columns[] = { "<device", "<engine", "requests", "signalled",
					       "late",    "open",    "errors",   "preempted",
					       "p50",     "p99",     "max",      "waits",
					       "p50",     "p99",     "max",      NULL };
	const struct i915_requests *r = &g->requests;
	struct xtr_grid *t = xtr_grid_new(columns);

	fputs("  requests, from submission to signal, and waits for them:\n", f);
	for (uint32_t i = 0; i < r->n_rows; i++) {
		const struct i915_row *row = &r->row[r->order[i]];

		xtr_grid_cell(t, row->device);
		xtr_grid_cell(t, row->name);
		xtr_grid_count(t, row->requests);
		xtr_grid_count(t, row->completed);
		xtr_grid_count(t, row->late);
		xtr_grid_count(t, row->open);
		xtr_grid_count(t, row->errors);
		xtr_grid_count(t, row->preempted);
		cells_hist(t, &row->request);
		xtr_grid_count(t, row->waits);
		cells_hist(t, &row->wait);
	}
	return xtr_grid_print(t, f, 2);
}

static int text_waits(const struct i915 *g, FILE *f)
{
	static const char *const columns[] = { "pid",   "<who waited", "<device", "<engine",
					       "waits", "total",       "p50",     "p99",
					       "max",   NULL };
	const struct i915_requests *r = &g->requests;
	struct xtr_grid *t = xtr_grid_new(columns);
	char n[XTR_TEXT_NUMBER];
	uint32_t i;
	int ret;

	for (i = 0; i < r->n_waiters && i < g->o->top; i++) {
		const struct i915_waiter *w = &r->waiter[i];
		bool known = w->row < I915_ROWS_MAX;

		cells_process(t, g, w->process, w->comm);
		xtr_grid_cell(t, known ? r->row[w->row].device : "(others)");
		xtr_grid_cell(t, known ? r->row[w->row].name : "(others)");
		xtr_grid_count(t, w->waits);
		xtr_grid_cell(t, w->wait.n ? xtr_text_ns(n, w->wait.sum) : "-");
		cells_hist(t, &w->wait);
	}
	ret = xtr_grid_print(t, f, 2);
	if (i < r->n_waiters)
		fprintf(f, "  ... and %" PRIu32 " more (--top)\n", r->n_waiters - i);
	if (r->waits_open)
		fprintf(f, "  waits whose end is not in the trace: %s\n",
			xtr_text_count(n, r->waits_open));
	if (r->waits_unpaired)
		fprintf(f, "  waits whose begin is not in the trace: %s\n",
			xtr_text_count(n, r->waits_unpaired));
	return ret;
}

static int text_regs(const struct i915 *g, FILE *f)
{
	static const char *const columns[] = { "<register", "reads", "writes", NULL };
	struct xtr_grid *t;
	char n[XTR_TEXT_NUMBER];

	if (g->freq.changes) {
		fprintf(f,
			"  frequency (no card named): %s changes, %" PRIu64 " to %" PRIu64 " MHz",
			xtr_text_count(n, g->freq.changes), g->freq.min, g->freq.max);
		if (g->o->times)
			fprintf(f, ", mean %" PRIu64 " MHz from the first on", i915_mean_mhz(g));
		fputc('\n', f);
	}
	if (!g->regs.n)
		return 0;
	fprintf(f, "  registers (no card named): %s reads, ", xtr_text_count(n, g->regs.reads));
	fprintf(f, "%s writes\n", xtr_text_count(n, g->regs.writes));
	t = xtr_grid_new(columns);
	for (uint32_t i = 0; i < g->regs.n && i < g->o->top; i++) {
		snprintf(n, sizeof(n), "0x%" PRIx32, g->regs.reg[i].reg);
		xtr_grid_cell(t, n);
		xtr_grid_count(t, g->regs.reg[i].reads);
		xtr_grid_count(t, g->regs.reg[i].writes);
	}
	return xtr_grid_print(t, f, 2);
}

static bool any_pressure(const struct i915 *g)
{
	for (uint32_t i = 0; i < g->devices.n; i++)
		for (unsigned int k = 0; k < I915_PRESSURE_KINDS; k++)
			if (g->devices.device[i].count[k])
				return true;
	return false;
}

static bool any_contexts(const struct i915 *g)
{
	for (uint32_t i = 0; i < g->devices.n; i++) {
		const struct i915_device *d = &g->devices.device[i];

		if (d->contexts || d->contexts_freed || d->spaces || d->spaces_released)
			return true;
	}
	return false;
}

int i915_text(const void *self, const struct xtr_view *v)
{
	const struct i915 *g = self;
	const struct i915_objects *o = &g->objects;
	int ret = 0;

	if (o->created || o->destroyed_unknown)
		text_held(g, v->f);
	if (o->n_creators)
		ret = text_creators(g, v->f);
	if (!ret && (o->binds || o->unbinds))
		ret = text_vma(g, v->f);
	text_access(g, v->f);
	if (!ret && any_pressure(g))
		ret = text_pressure(g, v->f);
	if (!ret && any_contexts(g))
		ret = text_contexts(g, v->f);
	if (!ret && g->requests.n_rows)
		ret = text_engines(g, v->f);
	if (!ret && (g->requests.n_waiters || g->requests.waits_open))
		ret = text_waits(g, v->f);
	return ret ? ret : text_regs(g, v->f);
}
