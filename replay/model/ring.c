/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * What one scheduler instance is, by driver, as read in the sources of Linux 6.1 to 7.3. A driver
 * that is not listed is taken to execute in order until its completions say otherwise. Where the
 * trace does not know the driver, the constant scheduler names tell it.
 */
#define XE(prefix)                                                           \
	{                                                                    \
		"xe", prefix, XTR_RULE_SHARED, XTR_KIND_GPU, "bcs",          \
			"one scheduler per exec queue; queues share engines" \
	}

static const struct driver_rule {
	const char *driver;
	const char *ring_prefix; /* scheduler names that only this driver uses */
	enum xtr_ring_rule rule;
	enum xtr_job_kind kind;
	const char *copy_prefix; /* rings of copy engines */
	const char *why;         /* not in order: why; in order: where the driver says so */
} drivers[] = {
	{ "amdgpu", NULL, XTR_RULE_IN_ORDER, XTR_KIND_GPU, "sdma",
	  "one scheduler per hardware ring: amdgpu_ring.c, amdgpu_fence.c" },
	{ "v3d", "v3d_", XTR_RULE_IN_ORDER, XTR_KIND_GPU, NULL,
	  "one job at a time per queue: v3d_sched.c" },
	{ "lima", NULL, XTR_RULE_IN_ORDER, XTR_KIND_GPU, NULL,
	  "one task at a time per pipe: lima_sched.c" },
	{ "etnaviv", NULL, XTR_RULE_IN_ORDER, XTR_KIND_GPU, NULL,
	  "one ring buffer per GPU: etnaviv_buffer.c" },
	{ "rocket", NULL, XTR_RULE_IN_ORDER, XTR_KIND_NPU, NULL,
	  "one job at a time per core: rocket_job.c" },
	{ "ethosu", NULL, XTR_RULE_IN_ORDER, XTR_KIND_NPU, NULL,
	  "one job at a time: ethosu_job.c" },
	XE("rcs"),
	XE("bcs"),
	XE("vcs"),
	XE("vecs"),
	XE("ccs"),
	XE("gsccs"),
	{ "panthor", "panthor-", XTR_RULE_SHARED, XTR_KIND_GPU, NULL,
	  "firmware schedules the queues" },
	{ "powervr", "pvr-queue", XTR_RULE_SHARED, XTR_KIND_GPU, NULL,
	  "firmware schedules the queues" },
	{ "pvr", NULL, XTR_RULE_SHARED, XTR_KIND_GPU, NULL, "firmware schedules the queues" },
	{ "nouveau", "nouveau_sched", XTR_RULE_SHARED, XTR_KIND_GPU, NULL,
	  "one scheduler per channel; channels share engines" },
	{ "panfrost", "pan_js", XTR_RULE_SHARED, XTR_KIND_GPU, NULL, "job slots share the cores" },
	{ "msm", NULL, XTR_RULE_SHARED, XTR_KIND_GPU, NULL, "rings preempt each other" },
	{ "amdxdna", "amdxdna_js", XTR_RULE_SHARED, XTR_KIND_NPU, NULL,
	  "one scheduler per hardware context; contexts share the array" },
	/* One in-order engine for each ring; what else preempts and shares is flagged by job. */
	{ "i915", NULL, XTR_RULE_IN_ORDER, XTR_KIND_GPU, "bcs",
	  "one engine per ring: intel_execlists_submission.c, intel_ring_submission.c" },
	{ "intel_vpu", NULL, XTR_RULE_IN_ORDER, XTR_KIND_NPU, "copy",
	  "one compute engine: ivpu_job.c" },
};

/* Each job's fence is emitted with AMDGPU_FENCE_FLAG_INT: amdgpu_ib.c, amdgpu_fence.c. */
static bool interrupts_for_each(const struct driver_rule *rule)
{
	return !strcmp(rule->driver, "amdgpu");
}

static bool has_prefix(const char *s, const char *prefix)
{
	return prefix && !strncmp(s, prefix, strlen(prefix));
}

static bool has_events_of(const struct xtr_meta *meta, const char *system)
{
	for (size_t i = 0; meta && i < xtr_meta_n_events(meta); i++)
		if (has_prefix(xtr_meta_event_at(meta, i)->name, system))
			return true;
	return false;
}

/*
 * Imported traces know no drivers. Where there are events of amdgpu's own, schedulers that are
 * called as it calls its rings (amdgpu_ring_init: gfx_0.0.0, comp_1.0.0, sdma0, vcn_dec_0 ...) are
 * its own.
 */
static bool is_amdgpu_ring(const char *name)
{
	static const char *const prefixes[] = {
		"gfx", "comp", "sdma", "vcn", "jpeg", "uvd", "vce"
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (has_prefix(name, prefixes[i]))
			return true;
	return false;
}

static const struct driver_rule *find_rule(const char *driver, const char *ring)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (driver && !strcmp(driver, drivers[i].driver))
			return &drivers[i];
		if (!driver && has_prefix(ring, drivers[i].ring_prefix))
			return &drivers[i];
	}
	return NULL;
}

static void apply_rule(struct xtr_model_ring *ring, bool amdgpus_events)
{
	bool amdgpu = !ring->driver && amdgpus_events && is_amdgpu_ring(ring->name);
	const struct driver_rule *rule = find_rule(amdgpu ? "amdgpu" : ring->driver, ring->name);

	ring->rule = XTR_RULE_IN_ORDER;
	ring->kind = has_prefix(ring->name, "sdma") ? XTR_KIND_COPY : XTR_KIND_GPU;
	if (!ring->id) {
		ring->rule = XTR_RULE_UNKNOWN;
		ring->why = "the ring is not known";
		return;
	}
	if (!rule)
		return;
	ring->rule = rule->rule;
	ring->irq_each = interrupts_for_each(rule);
	*(rule->rule == XTR_RULE_IN_ORDER ? &ring->order_source : &ring->why) = rule->why;
	ring->kind = has_prefix(ring->name, rule->copy_prefix) ? XTR_KIND_COPY : rule->kind;
}

static const char *driver_of(const struct xtr_meta *meta, const char *device)
{
	for (size_t i = 0; meta && i < xtr_meta_n_devices(meta); i++)
		if (!strcmp(xtr_meta_device(meta, i)->name, device))
			return xtr_meta_device(meta, i)->driver;
	return NULL;
}

static const char *string_or_empty(const struct xtr_tables *t, uint32_t id)
{
	const char *s = t ? xtr_tables_string(t, id, NULL) : NULL;

	return s ? s : "";
}

static int64_t add_device(struct xtr_rings *r, const char *name, const char *driver)
{
	struct xtr_model_device *dev;

	if (!*name || r->n_dev == XTR_DEVICES_MAX)
		return 0;
	dev = realloc(r->dev, (r->n_dev + 1) * sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	r->dev = dev;
	dev[r->n_dev] = (struct xtr_model_device){ .name = name, .driver = driver };
	return r->n_dev++;
}

/* Declared rings name their device by a text, others by a string id: it may be the same one. */
static int64_t device_by_name(struct xtr_rings *r, const char *name, const char *driver)
{
	for (uint32_t i = 1; r->n_declared && i < r->n_dev; i++)
		if (!strcmp(r->dev[i].name, name))
			return i;
	return add_device(r, name, driver);
}

/* Index of the device whose name is this string; 0 is the unknown one. */
static int64_t get_device(struct xtr_rings *r, uint32_t string)
{
	const char *name = string_or_empty(r->tables, string);
	int64_t i = xtr_map_index(&r->dev_by_string, string, 0);

	if (i != XTR_MAP_NONE)
		return i;
	i = device_by_name(r, name, driver_of(r->meta, name));
	if (i > 0 && xtr_map_put(&r->dev_by_string, string, 0, (uint32_t)i))
		return -ENOMEM;
	return i;
}

static const struct xtr_declared_ring *declared(const struct xtr_rings *r, uint32_t id)
{
	for (uint32_t i = 0; i < r->n_declared; i++)
		if (r->declared[i].id == id)
			return &r->declared[i];
	return NULL;
}

int xtr_rings_declare(struct xtr_rings *r, const struct xtr_declared_ring *ring, uint32_t *id)
{
	uint32_t free_id = r->next_id ? r->next_id : UINT32_MAX;
	struct xtr_declared_ring *all =
		realloc(r->declared, (r->n_declared + 1) * sizeof(*r->declared));

	if (!all)
		return -ENOMEM;
	r->declared = all;
	all[r->n_declared] = *ring;
	*id = ring->id;
	if (ring->id) {
		r->n_declared++;
		return 0;
	}
	/* From the top, where a recorder, which counts from 1, never comes. */
	do
		free_id--;
	while (r->tables && xtr_tables_ring(r->tables, free_id));
	all[r->n_declared++].id = *id = r->next_id = free_id;
	return 0;
}

static enum xtr_ring_verdict given_verdict(const struct xtr_cut_note *n, uint32_t id)
{
	if (!n->is_cut)
		return XTR_VERDICT_NONE;
	if (xtr_ids_have(&n->out_of_order, id))
		return XTR_VERDICT_OUT_OF_ORDER;
	if (xtr_ids_have(&n->parallel, id))
		return XTR_VERDICT_PARALLEL;
	return xtr_ids_have(&n->batched, id) ? XTR_VERDICT_BATCHED : XTR_VERDICT_IN_ORDER;
}

/* Is the name in an importer's list of rings that stand for several schedulers? */
static bool is_shared_import(const struct xtr_meta *meta, const char *name)
{
	const char *list = meta ? xtr_meta_config_str(meta, "import-shared-rings") : NULL;
	size_t n = strlen(name);

	for (; list && *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == n && !memcmp(list, name, n))
			return true;
	return false;
}

void xtr_rings_measured(struct xtr_rings *r, const char *driver)
{
	r->measured = driver;
}

/* Imported traces of kernels before 6.17 know no driver: there msm's rings go by their names. */
static bool is_measured(const struct xtr_rings *r, const struct xtr_model_ring *ring)
{
	if (!r->measured || !ring->id)
		return false;
	if (ring->driver)
		return !strcmp(ring->driver, r->measured);
	return has_prefix(ring->name, "gpu-ring-") || has_prefix(ring->name, "ring");
}

static int64_t add_ring(struct xtr_rings *r, uint32_t id)
{
	const struct xtr_ring *def = id && r->tables ? xtr_tables_ring(r->tables, id) : NULL;
	const struct xtr_declared_ring *made = declared(r, id);
	int64_t dev = made ? device_by_name(r, made->device, made->driver)
			   : get_device(r, def ? def->device : 0);
	struct xtr_model_ring *ring;

	if (dev < 0)
		return dev;
	if (r->n == r->cap) {
		uint32_t cap = r->cap ? r->cap * 2 : 16;

		ring = realloc(r->ring, cap * sizeof(*ring));
		if (!ring)
			return -ENOMEM;
		r->ring = ring;
		r->cap = cap;
	}
	ring = &r->ring[r->n];
	*ring = (struct xtr_model_ring){
		.id = id,
		.index = r->n,
		.device = (uint32_t)dev,
		.name = made ? made->name : string_or_empty(r->tables, def ? def->name : 0),
		.device_name = r->dev[dev].name,
		.driver = made ? made->driver : r->dev[dev].driver,
		.limit = def    ? def->limit
			 : made ? made->limit
				: 0,
		.declared = made,
		.measured = made && made->measured,
		.told = made && made->told,
		.no_run = made && !made->tells_run,
		.by_client = made && made->by_client,
		.partial = !(made && made->measured) &&
			   (r->pids == XTR_PIDS_ALONE || (made && r->pids != XTR_PIDS_ALL)),
		.last = XTR_MAP_NONE,
		.run_head = XTR_MAP_NONE,
		.run_tail = XTR_MAP_NONE,
	};
	apply_rule(ring, r->amdgpus_events);
	ring->measured |= is_measured(r, ring);
	if (ring->measured || (made && made->order_source)) {
		ring->rule = XTR_RULE_IN_ORDER;
		ring->order_source = made && made->order_source ? made->order_source
								: "the GPU tells start and end";
		ring->why = NULL;
	}
	if (made && made->why) {
		ring->rule = XTR_RULE_SHARED;
		ring->why = made->why;
	}
	ring->given = given_verdict(&r->note, id);
	if (ring->rule == XTR_RULE_IN_ORDER && is_shared_import(r->meta, ring->name)) {
		ring->rule = XTR_RULE_SHARED;
		ring->why = "imported: rings of this name of several devices";
	}
	if (xtr_map_put(&r->by_id, id, 0, r->n))
		return -ENOMEM;
	return r->n++;
}

int xtr_rings_init(struct xtr_rings *r, const struct xtr_meta *meta,
		   const struct xtr_tables *tables)
{
	int64_t ret;

	*r = (struct xtr_rings){ .meta = meta, .tables = tables };
	r->dev = malloc(sizeof(*r->dev));
	if (!r->dev)
		return -ENOMEM;
	r->dev[0] = (struct xtr_model_device){ .name = "" };
	r->n_dev = 1;
	r->pids = xtr_pids_recorded(meta);
	r->amdgpus_events = has_events_of(meta, "amdgpu:");
	ret = (meta ? xtr_cut_note_read(&r->note, meta) : 0) ?: add_ring(r, 0);
	if (ret < 0)
		xtr_rings_free(r);
	return ret < 0 ? (int)ret : 0;
}

void xtr_rings_free(struct xtr_rings *r)
{
	free(r->ring);
	free(r->dev);
	free(r->declared);
	xtr_map_free(&r->by_id);
	xtr_map_free(&r->dev_by_string);
	xtr_cut_note_free(&r->note);
	*r = (struct xtr_rings){ 0 };
}

int64_t xtr_rings_get(struct xtr_rings *r, uint32_t id)
{
	int64_t i;

	i = xtr_map_index(&r->by_id, id, 0);
	if (i == XTR_MAP_NONE)
		i = r->n < XTR_RINGS_MAX ? add_ring(r, id) : 0;
	if (i >= 0) {
		r->cached[id % XTR_RINGS_CACHED].id = id;
		r->cached[id % XTR_RINGS_CACHED].index = (uint32_t)i;
	}
	return i;
}

/* Of a driver whose engine is known, one job in many may come late for a reason of its own. */
static bool is_out_of_order(const struct xtr_model_ring *ring, bool batched)
{
	bool enough = ring->n_overtaken > 1 || ring->n_done < 100 || batched;

	if (!xtr_ring_order_known(ring))
		return ring->n_overtaken;
	return ring->n_overtaken && enough &&
	       ring->n_overtaken * 1000 >= ring->n_done * XTR_OVERTAKEN_PERMILLE;
}

enum xtr_ring_verdict xtr_ring_measure(const struct xtr_model_ring *ring)
{
	bool batched = ring->n_batched >= XTR_BATCHED_MIN &&
		       ring->n_batched * 100 >= ring->n_done * XTR_BATCHED_PERCENT;

	if (ring->measured)
		return XTR_VERDICT_IN_ORDER;
	if (ring->given != XTR_VERDICT_NONE)
		return ring->given;
	if (is_out_of_order(ring, batched))
		return XTR_VERDICT_OUT_OF_ORDER;
	if (batched && !ring->irq_each)
		return XTR_VERDICT_BATCHED;
	/* With one job at a time there is nothing to run side by side. */
	if (ring->limit != 1 && xtr_overlap_is_parallel(&ring->overlap))
		return XTR_VERDICT_PARALLEL;
	return XTR_VERDICT_IN_ORDER;
}

bool xtr_ring_is_bounded(const struct xtr_model_ring *ring)
{
	return ring->partial || ring->rule != XTR_RULE_IN_ORDER ||
	       ring->verdict > XTR_VERDICT_IN_ORDER;
}

enum xtr_ring_verdict xtr_ring_ended_verdict(const struct xtr_model_ring *ring)
{
	return ring->verdict == XTR_VERDICT_NONE ? xtr_ring_measure(ring) : ring->verdict;
}

bool xtr_ring_ended_bounded(const struct xtr_model_ring *ring)
{
	return ring->partial || ring->rule != XTR_RULE_IN_ORDER ||
	       xtr_ring_ended_verdict(ring) > XTR_VERDICT_IN_ORDER;
}

const char *xtr_ring_why(const struct xtr_model_ring *ring)
{
	static const char *const why[] = {
		[XTR_VERDICT_OUT_OF_ORDER] = "jobs completed out of order",
		[XTR_VERDICT_BATCHED] = "completions come in batches",
		[XTR_VERDICT_PARALLEL] = "jobs that overlap take as long as alone",
	};

	if (ring->rule != XTR_RULE_IN_ORDER)
		return ring->why;
	if (ring->partial)
		return "recorded with -p, without the jobs of other processes";
	return xtr_ring_ended_bounded(ring) ? why[xtr_ring_ended_verdict(ring)] : NULL;
}

const char *xtr_ring_order(const struct xtr_model_ring *ring)
{
	if (xtr_ring_ended_bounded(ring))
		return NULL;
	return xtr_ring_order_known(ring) ? "known" : "unknown";
}

/* --- ring ends -------------------------------------------------------------------------------- */

static struct xtr_end *back(struct xtr_ends *e, uint32_t k)
{
	return &e->kept[(e->n - k) % XTR_ENDS_KEPT];
}

const struct xtr_end *xtr_ends_before(const struct xtr_ends *e, uint64_t ns)
{
	for (uint32_t k = 1; k <= XTR_ENDS_KEPT; k++) {
		const struct xtr_end *end = &e->kept[(e->n - k) % XTR_ENDS_KEPT];

		if (end->ns && end->ns <= ns)
			return end;
	}
	return NULL;
}

void xtr_ends_add(struct xtr_ends *e, const struct xtr_end *end)
{
	uint32_t k = 0;

	while (k < XTR_ENDS_KEPT && back(e, k + 1)->ns > end->ns)
		k++;
	/* The slot behind the last one is the oldest one's. */
	e->forgotten |= back(e, 0)->ns != 0;
	if (k == XTR_ENDS_KEPT)
		return;
	for (uint32_t i = 0; i < k; i++)
		*back(e, i) = *back(e, i + 1);
	*back(e, k) = *end;
	e->n++;
}

/* --- overlap ---------------------------------------------------------------------------------- */

/* Welford's method. */
static void add(struct xtr_moments *m, double x)
{
	double distance = x - m->mean;

	m->n++;
	m->mean += distance / m->n;
	m->m2 += distance * (x - m->mean);
}

static double variance(const struct xtr_moments *m)
{
	return m->n > 1 ? m->m2 / (m->n - 1) : 0;
}

static bool has_spread(const struct xtr_moments *m, double share)
{
	return variance(m) > m->mean * m->mean * share * share;
}

void xtr_overlap_add(struct xtr_overlap *o, uint64_t residence, uint64_t wait)
{
	double r = (double)residence, w = (double)wait;

	if (!wait) {
		add(&o->alone, r);
		return;
	}
	add(&o->residence, r);
	add(&o->wait, w);
	if (w >= r * XTR_OVERLAP_WAIT)
		add(&o->behind, r);
	if (r - w >= o->alone.mean * (1 - XTR_OVERLAP_SPREAD))
		o->as_long++;
}

static bool equal(const struct xtr_overlap *o)
{
	double difference = o->behind.mean - o->alone.mean;

	return !has_spread(&o->alone, XTR_OVERLAP_SPREAD) &&
	       !has_spread(&o->behind, XTR_OVERLAP_SPREAD) &&
	       difference < o->alone.mean * XTR_OVERLAP_SAME &&
	       -difference < o->alone.mean * XTR_OVERLAP_SAME;
}

bool xtr_overlap_is_parallel(const struct xtr_overlap *o)
{
	if (o->alone.n < XTR_OVERLAP_ALONE || o->behind.n < XTR_OVERLAP_BEHIND)
		return false;
	return equal(o) && variance(&o->residence) < variance(&o->wait) * XTR_OVERLAP_STEADY &&
	       o->as_long < o->residence.n * XTR_OVERLAP_FEW;
}
