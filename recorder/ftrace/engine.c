/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdio.h>

/* The ring has the pointer, and what it points to is gone when it is read. */
static bool points_to_text(const struct xtr_generic *g)
{
	for (uint32_t i = 0; i < g->cfg.n_strs; i++)
		if (g->cfg.str[i].kind == XTR_STR_PTR)
			return true;
	return false;
}

const char *xtr_engine_why_not(const struct xtr_generic *g, const struct xtr_selection *sel)
{
	if (sel->budget)
		return "a budget";
	if (g->cfg.sample)
		return "a sample of the event";
	if (g->cfg.stack)
		return "the stack of the event";
	if (points_to_text(g))
		return "a field that points to a text";
	return NULL;
}

static int needs_program(struct xtr_record_err *err, const char *name, const char *what)
{
	err->code = -EINVAL;
	err->kind = XTR_FAIL_USAGE;
	snprintf(err->what, sizeof(err->what), "--engine ftrace cannot record '%.100s': %.80s %s",
		 name, what, "needs a BPF program");
	snprintf(err->hint, sizeof(err->hint),
		 "--engine auto uses the trace ring where it can, and programs for the rest");
	return -EINVAL;
}

/* Events that are no tracepoints by name. */
static int only_by_name(const struct xtr_selection *sel, struct xtr_record_err *err)
{
	for (size_t i = 0; i < sel->n_probes; i++)
		if (!sel->probes[i]->why[0])
			return needs_program(err, sel->probes[i]->name, "a function");
	if (sel->n_api)
		return needs_program(err, sel->api[0], "a library call");
	return 0;
}

int xtr_engine_choose(struct xtr_selection *sel, const struct xtr_record_opts *opts,
		      struct xtr_record_err *err)
{
	const char *why;
	int ret = opts->engine == XTR_ENGINE_FTRACE ? only_by_name(sel, err) : 0;

	for (size_t i = 0; !ret && opts->engine != XTR_ENGINE_BPF && i < sel->n_generics; i++) {
		struct xtr_generic *g = sel->generics[i];

		why = xtr_engine_why_not(g, sel);
		g->ftrace = !why;
		if (why && opts->engine == XTR_ENGINE_FTRACE)
			ret = needs_program(err, g->name, why);
	}
	return ret;
}

bool xtr_engine_without_programs(struct xtr_selection *sel, const char *text)
{
	bool left = false, out = sel->n_probes || sel->n_api || sel->by_name;

	for (size_t i = 0; i < sel->n_generics; i++)
		left |= sel->generics[i]->ftrace;
	for (uint32_t i = 0; i < XTR_SLOT_GENERIC; i++) {
		out |= sel->types[i];
		sel->types[i] = false;
	}
	sel->n_api = 0;
	if (out)
		xtr_selection_note(sel, text);
	return left;
}
