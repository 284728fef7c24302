// SPDX-License-Identifier: BSD-2-Clause
#include "record_names.h"
#include "cli/ui/cli.h"

#ifndef XTR_NO_RECORDER
#include "cli/ui/nearest.h"

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
