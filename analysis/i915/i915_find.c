/* SPDX-License-Identifier: BSD-2-Clause */
/* What of i915 is worth a look; the limits stand in i915_impl.h and in docs/i915.md. */
#include "i915_impl.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

/* "name (pid)" of a process. */
static const char *who(const struct i915 *g, uint64_t process, uint32_t comm, char *buf, size_t cap)
{
	char name[XTR_TEXT_NAME], pid[XTR_TEXT_PROCESS];
	size_t n = 0;
	const char *s = g->o->tables && comm ? xtr_tables_string(g->o->tables, comm, &n) : NULL;

	snprintf(buf, cap, "%.40s (%s)", s ? xtr_text_name(name, sizeof(name), s, n) : "process",
		 xtr_text_process(pid, process));
	return buf;
}

/* Objects left behind steadily. Where events were lost, a destruction may be among them. */
static int find_leak(struct i915 *g, const struct i915_creator *c)
{
	uint64_t span = g->last_ns - c->first_ns;
	char name[80], n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER], bytes[XTR_TEXT_NUMBER];
	struct xtr_finding f = {
		.id = "i915-leak",
		.notable = true,
		.at_ns = c->left_ns,
		.evidence = { { "pid", xtr_process_pid(c->process) },
			      { "left", c->left },
			      { "left_bytes", c->left_bytes },
			      { "created", c->created },
			      { "second_quarter", c->middle[0] },
			      { "third_quarter", c->middle[1] },
			      { "limit", I915_LEAK_OBJECTS },
			      { "limit_span_ns", I915_LEAK_SPAN_NS } },
		.n_evidence = 8,
	};

	if (span < I915_LEAK_SPAN_NS || c->middle[0] < I915_LEAK_OBJECTS ||
	    c->middle[1] < I915_LEAK_OBJECTS || g->gaps || !g->o->times)
		return 0;
	snprintf(
		f.text, sizeof(f.text),
		"%s left %s of %s GEM objects (%s bytes) alive, created throughout the trace: possible leak",
		who(g, c->process, c->comm, name, sizeof(name)), xtr_text_count(n, c->left),
		xtr_text_count(of, c->created), xtr_text_count(bytes, c->left_bytes));
	return xtr_findings_add(g->o->findings, &f);
}

static int find_thrash(struct i915 *g)
{
	const struct i915_objects *o = &g->objects;
	const struct i915_pair *worst = &o->worst[0];
	char n[XTR_TEXT_NUMBER], all[XTR_TEXT_NUMBER], most[XTR_TEXT_NUMBER];
	struct xtr_finding f = {
		.id = "i915-rebind-thrash",
		.notable = true,
		.at_ns = o->thrashing_ns,
		.evidence = { { "objects", o->thrashing },
			      { "rebinds", o->rebinds },
			      { "rebind_bytes", o->rebind_bytes },
			      { "worst_rebinds", worst->rebinds },
			      { "worst_bytes", worst->bytes },
			      { "limit", I915_THRASH_REBINDS },
			      { "limit_within_ns", I915_THRASH_NS } },
		.n_evidence = 7,
	};

	if (!o->thrashing || !g->o->times)
		return 0;
	snprintf(
		f.text, sizeof(f.text),
		"%s GEM %s rebound repeatedly in the same address space: %s rebinds, %s bytes in total",
		xtr_text_count(n, o->thrashing), o->thrashing == 1 ? "object was" : "objects were",
		xtr_text_count(all, o->rebinds), xtr_text_count(most, o->rebind_bytes));
	return xtr_findings_add(g->o->findings, &f);
}

struct frames {
	uint64_t shrinks, evictions, jobs, between, n;
};

static struct frames in_frames(const struct i915 *g, struct xtr_finding *f)
{
	const struct i915_devices *d = &g->devices;
	struct frames k = { 0 };

	for (uint32_t i = 0; i < d->n_kept; i++) {
		const struct i915_pressure *p = &d->kept[i];

		if (!p->jobs && !p->between)
			continue;
		if (!k.n++)
			f->at_ns = p->ts;
		else if (f->n_events < XTR_FINDING_EVENTS_MAX)
			f->event_ns[f->n_events++] = p->ts;
		*(p->kind == I915_SHRINK ? &k.shrinks : &k.evictions) += 1;
		k.jobs += !!p->jobs;
		k.between += p->between;
	}
	return k;
}

static int find_pressure(struct i915 *g)
{
	struct xtr_finding f = { .id = "i915-pressure-in-frame", .notable = true };
	char s[XTR_TEXT_NUMBER], e[XTR_TEXT_NUMBER], j[XTR_TEXT_NUMBER], b[XTR_TEXT_NUMBER];
	struct frames k;
	uint64_t pages = 0;

	if (!g->o->times)
		return 0;
	k = in_frames(g, &f);
	if (!k.n)
		return 0;
	for (uint32_t i = 0; i < g->devices.n; i++)
		i915_add(&pages, g->devices.device[i].pages);
	f.evidence[f.n_evidence++] = (struct xtr_evidence){ "shrinks", k.shrinks };
	f.evidence[f.n_evidence++] = (struct xtr_evidence){ "evictions", k.evictions };
	f.evidence[f.n_evidence++] = (struct xtr_evidence){ "in_flight", k.jobs };
	f.evidence[f.n_evidence++] = (struct xtr_evidence){ "between_vblanks", k.between };
	f.evidence[f.n_evidence++] = (struct xtr_evidence){ "shrink_pages_of_all", pages };
	f.evidence[f.n_evidence++] = (struct xtr_evidence){ "limit", 1 };
	snprintf(f.text, sizeof(f.text),
		 "memory pressure during a frame: %s %s and %s %s, %s with requests in flight, %s "
		 "between two vblanks",
		 xtr_text_count(s, k.shrinks), k.shrinks == 1 ? "shrink" : "shrinks",
		 xtr_text_count(e, k.evictions), k.evictions == 1 ? "eviction" : "evictions",
		 xtr_text_count(j, k.jobs), xtr_text_count(b, k.between));
	return xtr_findings_add(g->o->findings, &f);
}

static int find_long_waits(struct i915 *g)
{
	const struct i915_requests *r = &g->requests;
	const struct i915_row *row = &r->row[r->longest.row];
	char name[80], n[XTR_TEXT_NUMBER], ns[XTR_TEXT_NUMBER], max[XTR_TEXT_NUMBER];
	struct xtr_finding f = {
		.id = "i915-long-wait",
		.notable = true,
		.at_ns = r->long_at_ns[0],
		.evidence = { { "waits", r->long_waits },
			      { "sum_ns", r->long_wait_ns },
			      { "longest_ns", r->longest.ns },
			      { "longest_at_ns", r->longest.at_ns },
			      { "longest_pid", xtr_process_pid(r->longest.process) },
			      { "limit_ns", I915_WAIT_LIMIT_NS } },
		.n_evidence = 6,
	};

	if (!r->long_waits)
		return 0;
	for (uint64_t i = 1; i < r->long_waits && i < 4; i++)
		f.event_ns[f.n_events++] = r->long_at_ns[i];
	snprintf(f.text, sizeof(f.text),
		 "%s %s for requests took %s in total; the longest, by %s for %.40s/%s, took %s",
		 xtr_text_count(n, r->long_waits), r->long_waits == 1 ? "long wait" : "long waits",
		 xtr_text_ns(ns, r->long_wait_ns),
		 who(g, r->longest.process, r->longest.comm, name, sizeof(name)), row->device,
		 row->name, xtr_text_ns(max, r->longest.ns));
	return xtr_findings_add(g->o->findings, &f);
}

int i915_conclude(struct i915 *g)
{
	int err = 0;

	for (uint32_t i = 0; i < g->objects.n_creators && !err; i++)
		err = find_leak(g, &g->objects.creator[i]);
	if (!err)
		err = find_thrash(g);
	if (!err)
		err = find_pressure(g);
	return err ? err : find_long_waits(g);
}
