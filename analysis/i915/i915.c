/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel GPUs with i915: memory held by objects and who left some behind, bindings and what was
 * bound again and again, pressure (shrinks and evictions) and whether it came during a frame,
 * requests and waits by engine. Events of objects, bindings, faults and frequency name no device.
 */
#include "i915_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>

enum role {
	ROLE_CREATE,
	ROLE_DESTROY,
	ROLE_BIND,
	ROLE_UNBIND,
	ROLE_PREAD,
	ROLE_PWRITE,
	ROLE_FAULT,
	ROLE_CLFLUSH,
	ROLE_SHRINK,
	ROLE_EVICT,
	ROLE_EVICT_NODE,
	ROLE_EVICT_VM,
	ROLE_CONTEXT,
	ROLE_CONTEXT_END,
	ROLE_SPACE,
	ROLE_SPACE_END,
	ROLE_WAIT_BEGIN,
	ROLE_WAIT_END,
	ROLE_REQUEST, /* seen by the job model */
	ROLE_FREQ,
	ROLE_REG,
	ROLE_VBLANK,
};

/* The first field is I915_F0 of the handlers, and so on. */
static const struct xtr_bind_spec specs[] = {
	{ "i915:i915_gem_object_create", ROLE_CREATE, { "obj", "size" } },
	{ "i915:i915_gem_object_destroy", ROLE_DESTROY, { "obj" } },
	{ "i915:i915_vma_bind", ROLE_BIND, { "obj", "vm", "size" } },
	{ "i915:i915_vma_unbind", ROLE_UNBIND, { "obj", "vm", "size" } },
	{ "i915:i915_gem_object_pread", ROLE_PREAD, { "len" } },
	{ "i915:i915_gem_object_pwrite", ROLE_PWRITE, { "len" } },
	{ "i915:i915_gem_object_fault", ROLE_FAULT, { "write", "gtt" } },
	{ "i915:i915_gem_object_clflush", ROLE_CLFLUSH, { "obj" } },
	{ "i915:i915_gem_shrink", ROLE_SHRINK, { "dev", "target" } },
	{ "i915:i915_gem_evict", ROLE_EVICT, { "dev", "size" } },
	{ "i915:i915_gem_evict_node", ROLE_EVICT_NODE, { "dev", "size" } },
	{ "i915:i915_gem_evict_vm", ROLE_EVICT_VM, { "dev" } },
	{ "i915:i915_context_create", ROLE_CONTEXT, { "dev", "ctx" } },
	{ "i915:i915_context_free", ROLE_CONTEXT_END, { "dev", "ctx" } },
	{ "i915:i915_ppgtt_create", ROLE_SPACE, { "dev", "vm" } },
	{ "i915:i915_ppgtt_release", ROLE_SPACE_END, { "dev", "vm" } },
	{ "i915:i915_request_wait_begin",
	  ROLE_WAIT_BEGIN,
	  { "dev", "class", "instance", "ctx", "seqno" } },
	{ "i915:i915_request_wait_end",
	  ROLE_WAIT_END,
	  { "dev", "class", "instance", "ctx", "seqno" } },
	{ "i915:i915_request_queue", ROLE_REQUEST, { "dev" } },
	{ "i915:i915_request_add", ROLE_REQUEST, { "dev" } },
	{ "i915:i915_request_retire", ROLE_REQUEST, { "dev" } },
	{ "i915:i915_reg_rw", ROLE_REG, { "reg", "write", "len", "access" } },
	{ "i915:intel_gpu_freq_change", ROLE_FREQ, { "freq|new_freq" } },
	{ "drm:drm_vblank_event", ROLE_VBLANK, { "crtc" } },
};
#define SPECS (sizeof(specs) / sizeof(specs[0]))

static bool applies(const struct xtr_meta *meta)
{
	return xtr_binds_any(meta, specs, SPECS - 1); /* vblanks alone are not i915's */
}

static void i915_free(void *self)
{
	struct i915 *g = self;

	xtr_binds_close(&g->binds);
	i915_objects_free(&g->objects);
	i915_requests_free(&g->requests);
	xtr_map_free(&g->devices.contexts);
	xtr_map_free(&g->devices.spaces);
	xtr_map_free(&g->regs.by_reg);
	free(g->regs.reg);
	free(g);
}

static int i915_open(void **self, const struct xtr_analysis_opts *o)
{
	struct i915 *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	g->o = o;
	g->objects.free_object = g->objects.free_pair = XTR_MAP_NONE;
	g->requests.hist_left = I915_HIST_LEFT;
	err = xtr_binds_open(&g->binds, o->meta, specs, SPECS);
	if (err) {
		i915_free(g);
		return err;
	}
	*self = g;
	return 0;
}

uint64_t i915_process(const struct i915 *g, const struct xtr_event *ev, uint32_t *comm)
{
	const struct xtr_tables *t = g->o->tables;
	const struct xtr_task *task = t ? xtr_tables_task(t, ev->tid, ev->ts) : NULL;

	*comm = task ? task->comm : 0;
	if (!task || !task->pid)
		return 0;
	*comm = xtr_process_comm(t, xtr_process_of(task), ev->ts, *comm);
	return xtr_process_of(task);
}

/* --- what needs no memory of what was before -------------------------------------------------- */

static int on_access(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint64_t v = xtr_bind_u64(b, I915_F0, ev);

	switch (b->role) {
	case ROLE_PREAD:
		g->access.preads++;
		i915_add(&g->access.pread_bytes, v);
		break;
	case ROLE_PWRITE:
		g->access.pwrites++;
		i915_add(&g->access.pwrite_bytes, v);
		break;
	case ROLE_FAULT:
		g->access.faults++;
		g->access.write_faults += !!v;
		g->access.gtt_faults += !!xtr_bind_u64(b, I915_F1, ev);
		break;
	default:
		g->access.clflushes++;
	}
	return 0;
}

static void on_freq(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint64_t mhz = xtr_bind_u64(b, I915_F0, ev);

	if (!g->freq.changes++) {
		g->freq.min = mhz;
		g->freq.first_ns = ev->ts;
	} else {
		g->freq.sum += (unsigned __int128)g->freq.last * (ev->ts - g->freq.last_ns);
	}
	g->freq.min = mhz < g->freq.min ? mhz : g->freq.min;
	g->freq.max = mhz > g->freq.max ? mhz : g->freq.max;
	g->freq.last = mhz;
	g->freq.last_ns = ev->ts;
}

uint64_t i915_mean_mhz(const struct i915 *g)
{
	uint64_t ns = g->last_ns - g->freq.first_ns;
	unsigned __int128 sum =
		g->freq.sum + (unsigned __int128)g->freq.last * (g->last_ns - g->freq.last_ns);

	return ns ? (uint64_t)(sum / ns) : g->freq.last;
}

static struct i915_reg *reg_of(struct i915 *g, uint32_t reg, int *err)
{
	uint32_t i = xtr_map_index(&g->regs.by_reg, reg, 0), cap = g->regs.cap;
	struct i915_reg *more;

	if (i != XTR_MAP_NONE)
		return &g->regs.reg[i];
	if (g->regs.n == I915_REGS_MAX)
		return NULL;
	if (g->regs.n == cap) {
		cap = cap ? cap * 2 : 64;
		more = reallocarray(g->regs.reg, cap, sizeof(*more));
		if (more)
			g->regs.reg = more;
		*err = more ? 0 : -ENOMEM;
		if (*err)
			return NULL;
		g->regs.cap = cap;
	}
	*err = xtr_map_put(&g->regs.by_reg, reg, 0, g->regs.n);
	if (*err)
		return NULL;
	g->regs.reg[g->regs.n] = (struct i915_reg){ .reg = reg };
	return &g->regs.reg[g->regs.n++];
}

static int on_reg(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev)
{
	/* A flag; or, where the trace was printed, the word that stands for it. */
	bool write = xtr_bind_u64(b, I915_F1, ev) ||
		     xtr_bind_text_is(b, I915_F3, ev, g->o->tables, "write");
	int err = 0;
	struct i915_reg *r = reg_of(g, (uint32_t)xtr_bind_u64(b, I915_F0, ev), &err);

	*(write ? &g->regs.writes : &g->regs.reads) += 1;
	i915_add(write ? &g->regs.write_bytes : &g->regs.read_bytes, xtr_bind_u64(b, I915_F2, ev));
	if (r)
		*(write ? &r->writes : &r->reads) += 1;
	else
		g->regs.others++;
	return err;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Those that change what is known of objects, whoever did them. */
static int on_state(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev,
		    bool inside)
{
	switch (b->role) {
	case ROLE_CREATE:
		return i915_object_create(g, b, ev, inside);
	case ROLE_DESTROY:
		return i915_object_destroy(g, b, ev, inside);
	case ROLE_BIND:
	case ROLE_UNBIND:
		return i915_vma(g, b, ev, inside, b->role == ROLE_BIND);
	case ROLE_CONTEXT:
	case ROLE_CONTEXT_END:
		return i915_on_life(g, b, ev, inside, false, b->role == ROLE_CONTEXT);
	case ROLE_SPACE:
	case ROLE_SPACE_END:
		return i915_on_life(g, b, ev, inside, true, b->role == ROLE_SPACE);
	case ROLE_WAIT_BEGIN:
		return i915_wait_begin(g, b, ev);
	case ROLE_WAIT_END:
		return i915_wait_end(g, b, ev, inside);
	default:
		return 0;
	}
}

static int on_inside(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev)
{
	switch (b->role) {
	case ROLE_PREAD:
	case ROLE_PWRITE:
	case ROLE_FAULT:
	case ROLE_CLFLUSH:
		return on_access(g, b, ev);
	case ROLE_SHRINK:
	case ROLE_EVICT:
	case ROLE_EVICT_NODE:
	case ROLE_EVICT_VM:
		i915_on_pressure(g, b, ev, (enum i915_pressure_kind)(b->role - ROLE_SHRINK));
		return 0;
	case ROLE_FREQ:
		on_freq(g, b, ev);
		return 0;
	case ROLE_REG:
		return on_reg(g, b, ev);
	default:
		return 0;
	}
}

static bool i915_takes(const void *self, uint32_t type)
{
	const struct i915 *s = self;

	return !type || xtr_binds_find(&s->binds, type);
}

static int i915_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct i915 *g = self;
	const struct xtr_bind *b;
	int err;

	if (ev->gap) {
		g->gaps++;
		return 0;
	}
	b = xtr_binds_find(&g->binds, ev->type);
	if (!b)
		return 0;
	if (b->role == ROLE_VBLANK) {
		i915_on_vblank(g, ev->ts);
		return 0;
	}
	g->events += inside;
	err = on_state(g, b, ev, inside);
	return err || !inside ? err : on_inside(g, b, ev);
}

static int i915_job(void *self, const struct xtr_job *j)
{
	return i915_on_job(self, j);
}

static int by_accesses(const void *pa, const void *pb)
{
	const struct i915_reg *a = pa, *b = pb;
	uint64_t na = a->reads + a->writes, nb = b->reads + b->writes;

	if (na != nb)
		return na < nb ? 1 : -1;
	return (a->reg > b->reg) - (a->reg < b->reg);
}

static int i915_finish(void *self)
{
	struct i915 *g = self;

	g->last_ns = g->o->clock.inside_ns;
	i915_objects_finish(g);
	i915_devices_finish(g);
	i915_requests_finish(g);
	if (g->regs.n)
		qsort(g->regs.reg, g->regs.n, sizeof(*g->regs.reg), by_accesses);
	return i915_conclude(g);
}

static bool i915_any(const void *self)
{
	const struct i915 *g = self;

	return g->events || g->requests.n_rows;
}

const struct xtr_analysis xtr_analysis_i915 = {
	.name = "i915",
	.title = "Intel GPU (i915): objects, bindings, pressure, requests, waits",
	.applies = applies,
	.open = i915_open,
	.free = i915_free,
	.takes = i915_takes,
	.event = i915_event,
	.job = i915_job,
	.finish = i915_finish,
	.any = i915_any,
	.text = i915_text,
	.json = i915_json,
	.tables = i915_tables,
};
