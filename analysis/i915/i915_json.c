/* SPDX-License-Identifier: BSD-2-Clause */
/* The section as JSON: docs/stats-json.md. */
#include "i915_impl.h"
#include "analysis/core/view.h"
#include "replay/event/process.h"

struct kv {
	const char *key;
	uint64_t value;
};

static void kvs(struct xtr_json *j, const struct kv *kv, size_t n)
{
	for (size_t i = 0; i < n; i++)
		xtr_json_kv_u64(j, kv[i].key, kv[i].value);
}
#define KVS(j, ...)                                \
	kvs(j, (const struct kv[]){ __VA_ARGS__ }, \
	    sizeof((const struct kv[]){ __VA_ARGS__ }) / sizeof(struct kv))

static void kv_ns(const struct i915 *g, struct xtr_json *j, const char *key, uint64_t ns)
{
	xtr_json_key(j, key);
	if (g->o->times && ns)
		xtr_json_u64(j, ns);
	else
		xtr_json_null(j);
}

static void kv_hist(const struct i915 *g, struct xtr_json *j, const char *key,
		    const struct xtr_hist *h)
{
	if (g->o->times) {
		xtr_view_json_hist(j, key, h, false);
		return;
	}
	xtr_json_key(j, key);
	xtr_json_null(j);
}

static void kv_process(const struct i915 *g, struct xtr_json *j, uint64_t process, uint32_t comm)
{
	size_t n = 0;
	const char *s = g->o->tables && comm ? xtr_tables_string(g->o->tables, comm, &n) : NULL;

	xtr_json_kv_process(j, "pid", process);
	xtr_json_key(j, "process");
	xtr_json_strn(j, s, n);
}

static void json_held(const struct i915 *g, struct xtr_json *j)
{
	const struct i915_held *h = &g->objects.held;

	KVS(j, { "peak_bytes", h->peak_bytes }, { "peak_objects", h->peak_objects });
	kv_ns(g, j, "peak_ns", h->peak_ns);
	xtr_json_kv_array(j, "over_time");
	for (uint32_t i = 0; g->o->times && i < h->n_slices; i++) {
		xtr_json_begin_object(j);
		KVS(j, { "from_ns", h->begin_ns + i * h->width_ns },
		    { "peak_bytes", h->slice[i].peak_bytes }, { "bytes", h->slice[i].bytes });
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_objects(const struct i915 *g, struct xtr_json *j)
{
	const struct i915_objects *o = &g->objects;

	xtr_json_kv_object(j, "objects");
	KVS(j, { "created", o->created }, { "created_bytes", o->created_bytes },
	    { "destroyed", o->destroyed }, { "destroyed_bytes", o->destroyed_bytes },
	    { "destroyed_unknown", o->destroyed_unknown }, { "replaced", o->replaced },
	    { "left", o->left }, { "left_bytes", o->left_bytes });
	xtr_json_kv_bool(j, "complete", !g->gaps && !o->untracked);
	json_held(g, j);
	xtr_json_end_object(j);
	xtr_json_kv_array(j, "creators");
	for (uint32_t i = 0; i < o->n_creators; i++) {
		const struct i915_creator *c = &o->creator[i];

		xtr_json_begin_object(j);
		kv_process(g, j, c->process, c->comm);
		KVS(j, { "created", c->created }, { "created_bytes", c->bytes },
		    { "destroyed", c->destroyed }, { "destroyed_bytes", c->destroyed_bytes },
		    { "left", c->left }, { "left_bytes", c->left_bytes });
		kv_ns(g, j, "oldest_left_ns", c->left_ns);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_vma(const struct i915 *g, struct xtr_json *j)
{
	const struct i915_objects *o = &g->objects;

	xtr_json_kv_object(j, "vma");
	KVS(j, { "binds", o->binds }, { "bind_bytes", o->bind_bytes }, { "unbinds", o->unbinds },
	    { "unbind_bytes", o->unbind_bytes }, { "rebinds", o->rebinds },
	    { "rebind_bytes", o->rebind_bytes }, { "thrashing", o->thrashing });
	xtr_json_kv_array(j, "most_rebound");
	for (uint32_t i = 0; i < o->n_worst; i++) {
		const struct i915_pair *p = &o->worst[i];

		xtr_json_begin_object(j);
		KVS(j, { "obj", p->obj }, { "vm", p->vm }, { "bytes", p->bytes },
		    { "binds", p->binds }, { "unbinds", p->unbinds }, { "rebinds", p->rebinds },
		    { "most_in_1s", g->o->times ? p->most : 0 });
		kv_ns(g, j, "most_at_ns", p->most_ns);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_end_object(j);
	xtr_json_kv_object(j, "access");
	KVS(j, { "preads", g->access.preads }, { "pread_bytes", g->access.pread_bytes },
	    { "pwrites", g->access.pwrites }, { "pwrite_bytes", g->access.pwrite_bytes },
	    { "faults", g->access.faults }, { "write_faults", g->access.write_faults },
	    { "gtt_faults", g->access.gtt_faults }, { "clflushes", g->access.clflushes });
	xtr_json_end_object(j);
}

static void json_devices(const struct i915 *g, struct xtr_json *j)
{
	static const char *const kinds[] = {
#define KIND(id, json, event, title) json,
		I915_PRESSURES(KIND)
#undef KIND
	};
	const struct i915_devices *d = &g->devices;

	xtr_json_kv_array(j, "devices");
	for (uint32_t i = 0; i < d->n; i++) {
		const struct i915_device *row = &d->device[i];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "device", row->name);
		for (unsigned int k = 0; k < I915_PRESSURE_KINDS; k++)
			xtr_json_kv_u64(j, kinds[k], row->count[k]);
		KVS(j, { "shrink_pages", row->pages },
		    { "shrink_bytes",
		      row->pages > UINT64_MAX / I915_PAGE ? UINT64_MAX : row->pages * I915_PAGE },
		    { "shrinks_unlimited", row->unlimited }, { "evict_bytes", row->evict_bytes },
		    { "in_flight", row->in_flight }, { "between_vblanks", row->between },
		    { "contexts", row->contexts }, { "contexts_freed", row->contexts_freed },
		    { "contexts_left", row->contexts_left },
		    { "contexts_unknown", row->contexts_unknown }, { "ppgtts", row->spaces },
		    { "ppgtts_released", row->spaces_released },
		    { "ppgtts_left", row->spaces_left }, { "ppgtts_unknown", row->spaces_unknown });
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "pressure_not_judged", d->not_kept);
}

static void json_engines(const struct i915 *g, struct xtr_json *j)
{
	const struct i915_requests *r = &g->requests;

	xtr_json_kv_array(j, "engines");
	for (uint32_t i = 0; i < r->n_rows; i++) {
		const struct i915_row *row = &r->row[r->order[i]];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "device", row->device);
		xtr_json_kv_str(j, "engine", row->name);
		KVS(j, { "requests", row->requests }, { "completed", row->completed },
		    { "late", row->late }, { "killed", row->killed }, { "open", row->open },
		    { "errors", row->errors }, { "preempted", row->preempted },
		    { "kernel", row->kernel }, { "waits", row->waits });
		kv_hist(g, j, "request_ns", &row->request);
		kv_hist(g, j, "wait_ns", &row->wait);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_row_name(const struct i915_requests *r, uint32_t row, struct xtr_json *j)
{
	bool known = row < I915_ROWS_MAX;

	xtr_json_kv_str(j, "device", known ? r->row[row].device : "(others)");
	xtr_json_kv_str(j, "engine", known ? r->row[row].name : "(others)");
}

static void json_waits(const struct i915 *g, struct xtr_json *j)
{
	const struct i915_requests *r = &g->requests;

	KVS(j, { "waits_ended", r->waits }, { "waits_open", r->waits_open },
	    { "waits_without_begin", r->waits_unpaired }, { "waits_long", r->long_waits });
	xtr_json_kv_array(j, "waits");
	for (uint32_t i = 0; i < r->n_waiters; i++) {
		const struct i915_waiter *w = &r->waiter[i];

		xtr_json_begin_object(j);
		kv_process(g, j, w->process, w->comm);
		json_row_name(r, w->row, j);
		xtr_json_kv_u64(j, "waits", w->waits);
		kv_hist(g, j, "wait_ns", &w->wait);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_key(j, "longest_wait");
	if (!r->longest.at_ns) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	kv_process(g, j, r->longest.process, r->longest.comm);
	json_row_name(r, r->longest.row, j);
	KVS(j, { "at_ns", r->longest.at_ns }, { "wait_ns", r->longest.ns });
	xtr_json_end_object(j);
}

static void json_freq(const struct i915 *g, struct xtr_json *j)
{
	xtr_json_key(j, "frequency");
	if (!g->freq.changes) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	KVS(j, { "changes", g->freq.changes }, { "min_mhz", g->freq.min },
	    { "max_mhz", g->freq.max }, { "last_mhz", g->freq.last });
	kv_ns(g, j, "mean_mhz", i915_mean_mhz(g));
	xtr_json_end_object(j);
}

static void json_regs(const struct i915 *g, struct xtr_json *j)
{
	xtr_json_key(j, "registers");
	if (!g->regs.n && !g->regs.others) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	KVS(j, { "reads", g->regs.reads }, { "read_bytes", g->regs.read_bytes },
	    { "writes", g->regs.writes }, { "write_bytes", g->regs.write_bytes },
	    { "distinct", g->regs.n }, { "not_listed", g->regs.others });
	xtr_json_kv_array(j, "most_accessed");
	for (uint32_t i = 0; i < g->regs.n && i < g->o->top; i++) {
		xtr_json_begin_object(j);
		KVS(j, { "reg", g->regs.reg[i].reg }, { "reads", g->regs.reg[i].reads },
		    { "writes", g->regs.reg[i].writes });
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_end_object(j);
}

void i915_json(const void *self, struct xtr_json *j)
{
	const struct i915 *g = self;

	xtr_json_begin_object(j);
	json_objects(g, j);
	json_vma(g, j);
	json_devices(g, j);
	json_engines(g, j);
	json_waits(g, j);
	json_freq(g, j);
	json_regs(g, j);
	xtr_json_end_object(j);
}
