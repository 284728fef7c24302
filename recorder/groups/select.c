/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"
#include "api.h"
#include "func_select.h"
#include "group_probes.h"
#include "groups.h"
#include "recorder/host/kallsyms.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	struct xtr_selection *s;
	const char *pattern;
	const struct xtr_group *g; /* whose exclusions count; NULL: none's */
	bool matched;
};

static bool have(const struct xtr_selection *s, const char *name)
{
	for (size_t i = 0; i < s->n_generics; i++) {
		if (strcmp(s->generics[i]->name, name) == 0)
			return true;
	}
	return false;
}

static int add_generic(struct xtr_selection *s, const char *system, const char *event)
{
	struct xtr_generic **more, *g;
	struct xtr_tp_format *f;
	uint32_t n = (uint32_t)s->n_generics;
	int err;

	if (n == XTR_DYNAMIC_MAX)
		return -E2BIG;
	more = reallocarray(s->generics, n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->generics = more;
	err = xtr_tracefs_format(system, event, &f);
	if (err)
		return err;
	err = xtr_generic_new(&g, system, event, f, XTR_TYPE_FIRST_DYNAMIC + n,
			      XTR_SLOT_GENERIC + n);
	xtr_tp_format_free(f);
	if (err)
		return err;
	s->generics[s->n_generics++] = g;
	return 0;
}

/* ftrace:* are records of the tracing system itself, not tracepoints. */
static int try_event(void *ctx, const char *system, const char *event)
{
	struct walk *w = ctx;
	char name[512];

	if (strcmp(system, "ftrace") == 0 || xtr_hook_exists(system, event))
		return 0;
	snprintf(name, sizeof(name), "%s:%s", system, event);
	if (fnmatch(w->pattern, name, 0) || (w->g && xtr_group_leaves_out(w->g, name)))
		return 0;
	w->matched = true;
	return have(w->s, name) ? 0 : add_generic(w->s, system, event);
}

static bool select_hooks(struct xtr_selection *s, const char *pattern)
{
	bool any = false;

	for (size_t i = 0; i < xtr_n_hooks; i++) {
		if (!xtr_hook_matches(&xtr_hooks[i], pattern))
			continue;
		s->types[xtr_hooks[i].type] = true;
		any = true;
	}
	return any;
}

/* A plain "system:event" is looked up, so that it costs no walk over thousands of events. */
static int select_generic(struct walk *w)
{
	const char *colon = strchr(w->pattern, ':');
	char system[128];
	int err;

	if (strpbrk(w->pattern, "*?["))
		return xtr_tracefs_each(try_event, w);
	if (!colon || (size_t)(colon - w->pattern) >= sizeof(system))
		return 0;
	memcpy(system, w->pattern, (size_t)(colon - w->pattern));
	system[colon - w->pattern] = 0;
	err = xtr_tracefs_look(system, colon + 1);
	if (!err)
		return try_event(w, system, colon + 1);
	return !w->matched && (err == -EACCES || err == -EPERM) ? err : 0;
}

void xtr_selection_note(struct xtr_selection *s, const char *text)
{
	for (size_t i = 0; i < s->n_notes; i++) {
		if (s->notes[i] == text)
			return;
	}
	if (s->n_notes < XTR_SELECT_NOTES)
		s->notes[s->n_notes++] = text;
}

/* Of the module, or of the kernel if the driver is built in. 0: hidden, or there is none. */
static uint64_t fences_address(const struct xtr_group_fences *f)
{
	uint64_t addr = xtr_kallsyms_address("/proc/kallsyms", f->module, f->symbol);

	return addr ? addr : xtr_kallsyms_address("/proc/kallsyms", NULL, f->symbol);
}

static void select_init(struct xtr_selection *s, const struct xtr_group_fences *f)
{
	static const char hidden[] =
		"addresses of kernel symbols are hidden: dma_fence_init is recorded for the fences of all drivers, not of the group's alone";
	uint64_t addr = fences_address(f);

	for (size_t i = 0; i < s->n_init_ops; i++) {
		if (s->init_ops[i] == addr)
			return;
	}
	if (addr && s->n_init_ops < XTR_INIT_OPS) {
		s->init_ops[s->n_init_ops++] = addr;
	} else if (addr || !xtr_kallsyms_address("/proc/kallsyms", NULL, "_stext")) {
		s->init_all = true;
		xtr_selection_note(s, hidden);
	} else {
		return; /* the driver of this kernel has no such fences */
	}
	s->types[XTR_EV_FENCE_INIT] = true;
}

/* A tracepoint that the group's driver could have, but does not. */
static int note_absent(struct xtr_selection *s, const struct xtr_group_event *ev)
{
	struct xtr_absent *more;

	if (ev->rest || (ev->module && !xtr_module_loaded(ev->module)))
		return 0;
	for (size_t i = 0; i < s->n_absent; i++) {
		if (strcmp(s->absent[i].name, ev->name) == 0)
			return 0;
	}
	more = reallocarray(s->absent, s->n_absent + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->absent = more;
	more[s->n_absent++] = (struct xtr_absent){ ev->name, xtr_group_event_why(ev) };
	return 0;
}

/* Tracepoints of a group that nobody may look up are no reason to record nothing of it. */
static int select_group_event(struct xtr_selection *s, const struct xtr_group *g,
			      const struct xtr_group_event *ev)
{
	static const char unreadable[] =
		"tracepoints of the group are not recorded: only root may look into tracefs";
	struct walk w = { .s = s, .pattern = ev->name, .g = g };
	int err = select_generic(&w);

	if (err == -EACCES || err == -EPERM) {
		xtr_selection_note(s, unreadable);
		return 0;
	}
	return err || w.matched ? err : note_absent(s, ev);
}

static int select_group(struct xtr_selection *s, const struct xtr_group *g,
			struct xtr_record_err *why)
{
	int err = 0;

	for (size_t i = 0; i < XTR_GROUP_HOOKS && g->hooks[i]; i++)
		select_hooks(s, g->hooks[i]);
	for (const struct xtr_group_event *ev = g->events; ev && ev->name && !err; ev++)
		err = select_group_event(s, g, ev);
	if (!err)
		err = xtr_group_probes_select(s, g);
	if (!err && g->functions)
		err = xtr_func_select(s, g->functions, why);
	for (size_t i = 0; i < XTR_GROUP_FENCES && g->init[i].symbol; i++)
		select_init(s, &g->init[i]);
	return err;
}

static int select_default(struct xtr_selection *s, struct xtr_record_err *why)
{
	int err = 0;

	for (size_t i = 0; i < xtr_n_groups && !err; i++) {
		if (xtr_group_default(&xtr_groups[i]))
			err = select_group(s, &xtr_groups[i], why);
	}
	return err;
}

static int select_one(struct xtr_selection *s, const char *pattern, struct xtr_record_err *why)
{
	const struct xtr_group *g = xtr_group_find(pattern);
	struct walk w = { .s = s, .pattern = pattern };
	int err;

	if (strcmp(pattern, "default") == 0)
		return select_default(s, why);
	if (xtr_api_is(pattern)) {
		s->api[s->n_api++] = pattern; /* all together, as processes are looked at once */
		return 0;
	}
	if (strncmp(pattern, XTR_FUNC_PREFIX, strlen(XTR_FUNC_PREFIX)) == 0)
		return xtr_func_select(s, pattern, why);
	if (g)
		return xtr_group_loaded(g) ? select_group(s, g, why) : -ENODEV;
	w.matched = select_hooks(s, pattern);
	if (xtr_hook_asked(XTR_EV_FENCE_INIT, pattern))
		s->init_all = true;
	err = select_generic(&w);
	if (err)
		return err;
	if (!w.matched)
		s->unknown[s->n_unknown++] = pattern;
	return 0;
}

static int no_driver(struct xtr_record_err *err, const struct xtr_group *g)
{
	err->code = -ENODEV;
	err->kind = XTR_FAIL_MACHINE;
	snprintf(err->what, sizeof(err->what), "no events of group '%s': module %s is not loaded",
		 g->name, g->module);
	snprintf(err->hint, sizeof(err->hint),
		 "load the driver (modprobe %s); 'xtr list %s' shows what is in the group",
		 g->module, g->name);
	return -ENODEV;
}

int xtr_selection_add_probe(struct xtr_selection *s, struct xtr_probe *p)
{
	struct xtr_probe **more;

	for (size_t i = 0; i < s->n_probes; i++) {
		if (strcmp(s->probes[i]->name, p->name) == 0) {
			xtr_probe_join(s->probes[i], p);
			return 0;
		}
	}
	more = reallocarray(s->probes, s->n_probes + 1, sizeof(struct xtr_probe *));
	if (!more)
		return -ENOMEM;
	s->probes = more;
	s->probes[s->n_probes++] = p;
	return 0;
}

/* Types and slots: those of the generics are given, those of functions follow. */
static int number_events(struct xtr_selection *s)
{
	uint32_t next = (uint32_t)s->n_generics;

	s->probe_events = calloc(2 * s->n_probes + 1, sizeof(struct xtr_event_desc *));
	if (!s->probe_events)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_probes; i++) {
		struct xtr_probe *p = s->probes[i];
		const struct xtr_event_desc **at = &s->probe_events[next - s->n_generics];

		if (p->why[0])
			continue;
		next += xtr_probe_number(p, next);
		at[0] = &p->entry.desc;
		if (p->want_ret)
			at[1] = &p->ret.desc;
	}
	s->n_dynamic = next;
	return next > XTR_DYNAMIC_MAX ? -E2BIG : 0;
}

static int explain(struct xtr_record_err *err, int code, const char *pattern)
{
	const struct xtr_group *g = xtr_group_find(pattern);

	if (code == -ENODEV && g)
		return no_driver(err, g);
	err->code = code;
	if (err->what[0])
		return code;
	if (code == -E2BIG)
		snprintf(err->what, sizeof(err->what), "'%s': more than %d events%s", pattern,
			 XTR_DYNAMIC_MAX,
			 strstr(pattern, ":ret") || xtr_api_is(pattern) ? " (a return is one, too)"
									: "");
	else
		snprintf(err->what, sizeof(err->what), "'%s': cannot read tracefs: %s", pattern,
			 strerror(-code));
	err->kind = code == -EACCES || code == -EPERM ? XTR_FAIL_MACHINE : XTR_FAIL_OTHER;
	if (err->kind == XTR_FAIL_MACHINE)
		snprintf(
			err->hint, sizeof(err->hint),
			"only root may look into tracefs: run as root, or with CAP_DAC_READ_SEARCH and tracefs mounted");
	return code;
}

static int select_apis(struct xtr_selection *s, struct xtr_record_err *err, const char **bad)
{
	int ret = xtr_api_probes_add(s, s->api, s->n_api, bad);

	if (ret != -EINVAL)
		return ret;
	err->kind = XTR_FAIL_USAGE;
	snprintf(err->what, sizeof(err->what), "'%.180s': no calls of a library", *bad);
	snprintf(err->hint, sizeof(err->hint),
		 "calls are given as api:LIBRARY:GLOB or api:GROUP ('xtr list api:' shows the "
		 "groups), with :noret without their returns");
	return ret;
}

/*
 * Built-in events as what they are in tracefs. All fences that are made would be too many, where
 * those of one driver were meant.
 */
static int hooks_by_name(struct xtr_selection *s, bool is_default)
{
	static const char made[] =
		"dma_fence_init is not recorded: without programs it could only be for the fences of all drivers";
	int err = 0;

	if (s->types[XTR_EV_FENCE_INIT] && !s->init_all) {
		s->types[XTR_EV_FENCE_INIT] = false;
		xtr_selection_note(s, made);
	}
	for (size_t i = 0; i < xtr_n_hooks && !err; i++) {
		const struct xtr_hook *h = &xtr_hooks[i];

		if (s->types[h->type] && xtr_tracefs_has(h->system, h->tracepoint))
			err = add_generic(s, h->system, h->tracepoint);
	}
	/* Functions that were asked for are refused, or left out with a warning (engine.c). */
	for (size_t i = 0; is_default && i < s->n_probes; i++)
		if (!s->probes[i]->why[0])
			snprintf(s->probes[i]->why, sizeof(s->probes[i]->why),
				 "needs a BPF program");
	s->by_name = false;
	for (size_t i = 0; i < XTR_SLOT_GENERIC; i++) {
		s->by_name |= s->types[i];
		s->types[i] = false;
	}
	return err;
}

int xtr_select(struct xtr_selection *s, const char *const *events, size_t n, bool by_name,
	       struct xtr_record_err *err)
{
	const char *bad = "default";
	int ret;

	*s = (struct xtr_selection){ .by_name = by_name };
	s->unknown = calloc(n + 1, sizeof(*s->unknown));
	s->api = calloc(n + 1, sizeof(*s->api));
	if (!s->unknown || !s->api)
		return explain(err, -ENOMEM, "");
	ret = n ? 0 : select_one(s, "default", err);
	for (size_t i = 0; i < n && !ret; i++) {
		ret = select_one(s, events[i], err);
		bad = events[i];
	}
	if (!ret && s->n_api)
		ret = select_apis(s, err, &bad);
	if (!ret && by_name)
		ret = hooks_by_name(s, !n);
	if (!ret)
		ret = number_events(s);
	if (ret) {
		xtr_selection_free(s);
		return explain(err, ret, bad);
	}
	if (s->init_all)
		s->n_init_ops = 0;
	return 0;
}

void xtr_selection_free(struct xtr_selection *s)
{
	for (size_t i = 0; i < s->n_probes; i++)
		xtr_probe_free(s->probes[i]);
	free(s->probes);
	free(s->probe_events);
	xtr_funcs_free(s->funcs);
	for (size_t i = 0; i < s->n_generics; i++)
		xtr_generic_free(s->generics[i]);
	free(s->generics);
	free(s->absent);
	xtr_apis_free(s->apis);
	free(s->api);
	free(s->unknown);
	*s = (struct xtr_selection){ 0 };
}
