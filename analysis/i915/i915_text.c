/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of i915 as text: its tables, and sentences between them. */
#include "analysis/core/section_table.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "i915_impl.h"

#include <inttypes.h>
#include <stdio.h>

static void text_held(const struct i915 *g, FILE *f)
{
	const struct i915_objects *o = &g->objects;

	fprintf(f,
		"  objects (of all cards: their events name none): %s created, %s; %s destroyed, %s",
		XTR_COUNT(o->created), XTR_BYTES(o->created_bytes), XTR_COUNT(o->destroyed),
		XTR_BYTES(o->destroyed_bytes));
	if (o->destroyed_unknown)
		fprintf(f, "; %s destroyed that the trace did not see created",
			XTR_COUNT(o->destroyed_unknown));
	if (o->replaced)
		fprintf(f, "; %s whose end is not in the trace", XTR_COUNT(o->replaced));
	fprintf(f, "\n  memory held since the start of the trace: most %s",
		XTR_BYTES(o->held.peak_bytes));
	if (g->o->times && o->held.peak_ns)
		fprintf(f, " [%s s]", xtr_text_stamp(XTR_TEXT_BUF, o->held.peak_ns));
	fprintf(f,
		", %s objects; at the end %s, %s objects (open: nothing says that they are leaked)\n",
		XTR_COUNT(o->held.peak_objects), XTR_BYTES(o->held.bytes),
		XTR_COUNT(o->held.objects));
	if (g->gaps)
		fputs("  events were lost: counts are lower bounds, destructions may be missing, "
		      "leaks are not judged\n",
		      f);
	if (o->untracked)
		fprintf(f,
			"  %s events of objects or bindings past what is kept: these are only counted\n",
			XTR_COUNT(o->untracked));
}

static int text_vma(const struct i915 *g, FILE *f)
{
	const struct i915_objects *o = &g->objects;

	fprintf(f,
		"  bindings: %s, %s; unbound %s, %s; bound again where they were before: %s, %s\n",
		XTR_COUNT(o->binds), XTR_BYTES(o->bind_bytes), XTR_COUNT(o->unbinds),
		XTR_BYTES(o->unbind_bytes), XTR_COUNT(o->rebinds), XTR_BYTES(o->rebind_bytes));
	return xtr_table_text(&i915_worst, g, g->o, f);
}

static void text_access(const struct i915 *g, FILE *f)
{
	if (g->access.preads || g->access.pwrites)
		fprintf(f, "  pread: %s, %s; pwrite: %s, %s\n", XTR_COUNT(g->access.preads),
			XTR_BYTES(g->access.pread_bytes), XTR_COUNT(g->access.pwrites),
			XTR_BYTES(g->access.pwrite_bytes));
	if (g->access.faults)
		fprintf(f,
			"  CPU faults on mappings of objects: %s, of them %s to write, %s through the GTT\n",
			XTR_COUNT(g->access.faults),
			xtr_text_percent(XTR_TEXT_BUF, g->access.write_faults, g->access.faults),
			xtr_text_percent(XTR_TEXT_BUF, g->access.gtt_faults, g->access.faults));
	if (g->access.clflushes)
		fprintf(f, "  cache flushes of objects (clflush): %s\n",
			XTR_COUNT(g->access.clflushes));
}

static int text_regs(const struct i915 *g, FILE *f)
{
	if (g->freq.changes) {
		fprintf(f,
			"  frequency (no card named): %s changes, %" PRIu64 " to %" PRIu64 " MHz",
			XTR_COUNT(g->freq.changes), g->freq.min, g->freq.max);
		if (g->o->times)
			fprintf(f, ", mean %" PRIu64 " MHz from the first on", i915_mean_mhz(g));
		fputc('\n', f);
	}
	if (!g->regs.n)
		return 0;
	fprintf(f, "  registers (no card named): %s reads, %s writes\n", XTR_COUNT(g->regs.reads),
		XTR_COUNT(g->regs.writes));
	return xtr_table_text(&i915_registers, g, g->o, f);
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
	static const struct xtr_section_table *const of_requests[] = { &i915_engines, &i915_waits,
								       NULL };
	const struct i915 *g = self;
	const struct i915_objects *o = &g->objects;
	int err;

	if (o->created || o->destroyed_unknown)
		text_held(g, v->f);
	err = xtr_table_text(&i915_creators, g, g->o, v->f);
	if (!err && (o->binds || o->unbinds))
		err = text_vma(g, v->f);
	text_access(g, v->f);
	if (!err && any_pressure(g)) {
		err = xtr_table_text(&i915_devices, g, g->o, v->f);
		if (g->devices.not_kept)
			fprintf(v->f, "  %s more: whether they came during a frame is not known\n",
				XTR_COUNT(g->devices.not_kept));
	}
	if (!err && any_contexts(g))
		err = xtr_table_text(&i915_contexts, g, g->o, v->f);
	if (!err)
		err = xtr_tables_text(of_requests, g, g->o, v->f);
	if (g->requests.waits_open)
		fprintf(v->f, "  waits whose end is not in the trace: %s\n",
			XTR_COUNT(g->requests.waits_open));
	if ((g->requests.n_waiters || g->requests.waits_open) && g->requests.waits_unpaired)
		fprintf(v->f, "  waits whose begin is not in the trace: %s\n",
			XTR_COUNT(g->requests.waits_unpaired));
	return err ? err : text_regs(g, v->f);
}
