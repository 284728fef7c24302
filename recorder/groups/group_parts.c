/* SPDX-License-Identifier: BSD-2-Clause */
#include "group_parts.h"
#include "func_select.h"
#include "group_probes.h"
#include "hooks.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

struct walk {
	const struct xtr_group *g;
	int (*fn)(void *ctx, const struct xtr_group_part *part);
	void *ctx;
	const char *no_driver;               /* why nothing of it is there, or NULL */
	const struct xtr_group_event *event; /* the one being looked for */
	bool matched;
};

static int give(const struct walk *w, struct xtr_group_part *p)
{
	if (w->no_driver) {
		p->available = false;
		p->why = w->no_driver;
	}
	return w->fn(w->ctx, p);
}

static bool wants_hook(const struct xtr_group *g, const struct xtr_hook *h)
{
	for (size_t i = 0; i < XTR_GROUP_HOOKS && g->hooks[i]; i++) {
		if (xtr_hook_matches(h, g->hooks[i]))
			return true;
	}
	return g->init[0].symbol && h->type == XTR_EV_FENCE_INIT;
}

/* Each event once: under the kernel's name that is there, or its newest one. */
static int each_hook(struct walk *w)
{
	enum xtr_hook_state state;
	const char *why;
	int err = 0;

	for (size_t i = 0; i < xtr_n_hooks && !err; i++) {
		const struct xtr_hook *h = &xtr_hooks[i];
		bool alias = strcmp(strchr(h->event, ':') + 1, h->tracepoint) != 0;
		struct xtr_group_part p = { .name = h->event, .attach = "raw_tp" };

		if (!wants_hook(w->g, h))
			continue;
		state = xtr_hook_state(h, &why);
		if (alias ? state != XTR_HOOK_AVAILABLE : state == XTR_HOOK_RENAMED)
			continue;
		p.available = state == XTR_HOOK_AVAILABLE;
		p.target = h->tracepoint;
		p.why = why;
		err = give(w, &p);
	}
	return err;
}

static bool earlier(const struct walk *w, const char *name)
{
	for (const struct xtr_group_event *e = w->g->events; e != w->event; e++) {
		if (fnmatch(e->name, name, 0) == 0)
			return true;
	}
	return false;
}

static int tracepoint(void *ctx, const char *system, const char *event)
{
	struct walk *w = ctx;
	char name[512];
	struct xtr_group_part p = {
		.name = name, .attach = "tp", .target = name, .available = true
	};

	snprintf(name, sizeof(name), "%s:%s", system, event);
	if (fnmatch(w->event->name, name, 0) || xtr_group_leaves_out(w->g, name))
		return 0;
	w->matched = true;
	return earlier(w, name) ? 0 : give(w, &p);
}

static int missing_event(struct walk *w)
{
	const struct xtr_group_event *e = w->event;
	struct xtr_group_part none = { .name = e->name,
				       .attach = "tp",
				       .why = xtr_group_event_why(e) };
	char why[160];

	if (e->module && !xtr_module_loaded(e->module)) {
		snprintf(why, sizeof(why), "module %s is not loaded", e->module);
		none.why = why;
	}
	return give(w, &none);
}

/* A name is looked up; only a pattern costs a walk over all events. */
static int each_tracepoint(struct walk *w)
{
	int err = 0;

	for (w->event = w->g->events; w->event && w->event->name && !err; w->event++) {
		const char *name = w->event->name, *colon = strchr(name, ':');
		char system[128];

		w->matched = false;
		snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
		if (strpbrk(name, "*?["))
			err = xtr_tracefs_each(tracepoint, w);
		else if (xtr_tracefs_has(system, colon + 1))
			err = tracepoint(w, system, colon + 1);
		if (!err && !w->matched && !w->event->rest)
			err = missing_event(w);
	}
	return err;
}

static int give_row(struct walk *w, struct xtr_selection *s, const struct xtr_group_probe *row)
{
	struct xtr_group_part part = {
		.attach = "func",
		.purpose = row->purpose,
		.candidates = row->candidates,
	};
	struct xtr_probe *p;
	int err = xtr_group_probe(s, row, &p);

	if (err)
		return err;
	while (part.n_candidates < XTR_CANDIDATES && row->candidates[part.n_candidates])
		part.n_candidates++;
	part.name = p->name;
	part.target = p->target;
	part.why = p->why[0] ? p->why : NULL;
	part.available = !part.why;
	err = give(w, &part);
	xtr_probe_free(p);
	return err;
}

static int each_row(struct walk *w)
{
	struct xtr_selection s = { 0 };
	int err = 0;

	for (size_t i = 0; i < xtr_group_n_probes(w->g) && !err; i++)
		err = give_row(w, &s, &w->g->probes[i]);
	xtr_selection_free(&s);
	return err;
}

static int function(void *ctx, const char *name, const char *symbol, const char *why)
{
	struct xtr_group_part p = {
		.name = name, .attach = "func", .target = symbol, .why = why, .available = !why
	};

	return give(ctx, &p);
}

static int each_function(struct walk *w)
{
	struct xtr_record_err ignored = { 0 };

	return w->g->functions ? xtr_func_each(w->g->functions, function, w, &ignored) : 0;
}

int xtr_group_each(const struct xtr_group *g,
		   int (*fn)(void *ctx, const struct xtr_group_part *part), void *ctx)
{
	struct walk w = { .g = g, .fn = fn, .ctx = ctx };
	char why[160];

	snprintf(why, sizeof(why), "module %s is not loaded", g->module ? g->module : "");
	if (!xtr_group_loaded(g))
		w.no_driver = why;
	return each_hook(&w) ?: each_tracepoint(&w) ?: each_row(&w) ?: each_function(&w);
}

static int count_part(void *ctx, const struct xtr_group_part *p)
{
	struct xtr_group_count *c = ctx;

	c->parts++;
	c->available += p->available;
	if (!p->available && !c->why[0])
		snprintf(c->why, sizeof(c->why), "%s", p->why ? p->why : "missing");
	return 0;
}

int xtr_group_count(const struct xtr_group *g, struct xtr_group_count *count)
{
	*count = (struct xtr_group_count){ 0 };
	return xtr_group_each(g, count_part, count);
}
