/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xtr record` says of events before it begins. */
#include "cli/ui/cli.h"
#include "record_say.h"

#include <string.h>

/* --- record names ----------------------------------------------------------------------------- */

#ifndef XTR_NO_RECORDER
#include "cli/ui/options.h"

#include "recorder/groups/groups.h"
#include "recorder/groups/hooks.h"
#include "recorder/host/tracefs.h"

#include <stdlib.h>
#include <string.h>

struct names {
	char **v;
	size_t n;
};

static int add(struct names *all, char *name)
{
	char **more = reallocarray(all->v, all->n + 1, sizeof(*more));

	if (!more || !name) {
		free(name);
		return -1;
	}
	all->v = more;
	more[all->n++] = name;
	return 0;
}

static int add_event(void *ctx, const char *system, const char *event)
{
	char *name;

	return add(ctx, asprintf(&name, "%s:%s", system, event) < 0 ? NULL : name);
}

void record_unknown_event(const char *name, bool is_error)
{
	void (*say)(const char *fmt, ...) = is_error ? cli_error : cli_warn;
	struct names all = { 0 };
	const char *near;

	for (size_t i = 0; i < xtr_n_groups; i++)
		add(&all, strdup(xtr_groups[i].name));
	for (size_t i = 0; i < xtr_n_hooks; i++)
		add_event(&all, xtr_hooks[i].system, xtr_hooks[i].tracepoint);
	xtr_tracefs_each(add_event, &all);
	near = cli_nearest(name, (const char *const *)all.v, all.n);
	if (near)
		say("no event '%s'; did you mean '%s'?", name, near);
	else
		say("no event '%s'", name);
	cli_hint("'xtr list' shows the events; a driver's are there when its module is loaded");
	for (size_t i = 0; i < all.n; i++)
		free(all.v[i]);
	free(all.v);
}
#endif /* XTR_NO_RECORDER */

/* --- record missing --------------------------------------------------------------------------- */

static bool is_function(const struct xtr_provider *p)
{
	return strncmp(p->name, "func:", 5) == 0;
}

/* By its name; a function also with what may stand behind that (:ret). */
static bool asked_for(const struct cli_list *events, const struct xtr_provider *p)
{
	size_t n = strlen(p->name);

	for (size_t i = 0; i < events->n; i++) {
		const char *e = events->v[i];

		if (strcmp(e, p->name) == 0 ||
		    (is_function(p) && strncmp(e, p->name, n) == 0 && e[n] == ':'))
			return true;
	}
	return false;
}

static bool is_worth_a_line(const struct cli_list *events, const struct xtr_provider *p)
{
	if (asked_for(events, p) || strncmp(p->name, "api:", 4) == 0)
		return p->state == XTR_PROVIDER_REFUSED || p->state == XTR_PROVIDER_MISSING;
	return p->state == XTR_PROVIDER_REFUSED && !is_function(p);
}

void record_report_missing(const struct xtr_recorder *r, const struct cli_list *events)
{
	const char *name;
	size_t refused = 0;

	for (size_t i = 0; (name = xtr_recorder_unknown(r, i)); i++)
		record_unknown_event(name, false);
	for (size_t i = 0; (name = xtr_recorder_note(r, i)); i++)
		cli_warn("%s", name);
	for (size_t i = 0; i < xtr_recorder_n_providers(r); i++) {
		const struct xtr_provider *p = xtr_recorder_provider(r, i);

		if (is_worth_a_line(events, p))
			cli_warn("%s is not recorded: %s", p->name, p->why ? p->why : "missing");
		else
			refused += p->state == XTR_PROVIDER_REFUSED;
	}
	if (refused)
		cli_warn("%zu functions are not recorded: 'xtr info' shows which and why", refused);
}
