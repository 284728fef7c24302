// SPDX-License-Identifier: BSD-2-Clause
/* xtr list: the events that can be recorded here, and why others cannot. */
#include "cli/ui/cli.h"
#include "list_apis.h"
#include "list_groups.h"

#include "recorder/groups/func_select.h"
#include "recorder/groups/hooks.h"
#include "recorder/host/tracefs.h"
#include "base/json.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

struct opts {
	bool json;
};

struct listing {
	FILE *f;
	struct xtr_json *j; /* NULL: text */
	char **patterns;    /* none: groups, and systems with their counts */
	int n_patterns;
	char system[128]; /* the one being counted */
	uint64_t in_system, shown;
	int failed; /* patterns that were told of have failed: the last one's -errno */
};

static bool wanted(const struct listing *l, const char *name)
{
	for (int i = 0; i < l->n_patterns; i++) {
		const char *p = l->patterns[i], *colon = strchr(name, ':');

		if (fnmatch(p, name, 0) == 0 ||
		    (!strchr(p, ':') && strlen(p) == (size_t)(colon - name) &&
		     strncmp(p, name, strlen(p)) == 0))
			return true;
	}
	return false;
}

static void show_event(struct listing *l, const char *name, const char *state, const char *hook,
		       const char *why)
{
	l->shown++;
	if (!l->j) {
		fprintf(l->f, "  %-10s %-44s%s%s\n", state, name, why ? " " : "", why ? why : "");
		return;
	}
	xtr_json_begin_object(l->j);
	xtr_json_kv_str(l->j, "name", name);
	xtr_json_kv_str(l->j, "state", state);
	xtr_json_kv_str(l->j, "hook", hook);
	xtr_json_kv_str(l->j, "why", why);
	xtr_json_end_object(l->j);
}

/* The event is there if any of the names that kernels have given it is. */
static void list_hooks(struct listing *l)
{
	enum xtr_hook_state state;
	const char *why;
	char hook[128];

	for (size_t i = 0; i < xtr_n_hooks; i++) {
		const struct xtr_hook *h = &xtr_hooks[i];
		bool alias = strcmp(strchr(h->event, ':') + 1, h->tracepoint) != 0;

		state = xtr_hook_state(h, &why);
		if (l->n_patterns && !wanted(l, h->event))
			continue;
		if (alias ? state != XTR_HOOK_AVAILABLE : state == XTR_HOOK_RENAMED)
			continue;
		snprintf(hook, sizeof(hook), "raw_tp:%s", h->tracepoint);
		show_event(l, h->event, state == XTR_HOOK_AVAILABLE ? "available" : "missing", hook,
			   why);
	}
}

static int show_part(void *ctx, const struct xtr_group_part *p)
{
	struct listing *l = ctx;

	l->shown++;
	cli_list_part(l->f, l->j, p);
	return 0;
}

static void show_api(void *ctx, const char *name, bool available, const char *why)
{
	show_event(ctx, name, available ? "available" : "missing", "uprobe", why);
}

static int show_function(void *ctx, const char *name, const char *symbol, const char *why)
{
	(void)symbol;
	show_event(ctx, name, why ? "missing" : "available", "kprobe", why);
	return 0;
}

/* Kernel functions are read for a pattern of theirs alone; it is no pattern of events. */
static void list_functions(struct listing *l)
{
	int n = 0;

	for (int i = 0; i < l->n_patterns; i++) {
		struct xtr_record_err why = { 0 };
		int err = 0;

		if (strncmp(l->patterns[i], XTR_FUNC_PREFIX, strlen(XTR_FUNC_PREFIX)))
			l->patterns[n++] = l->patterns[i];
		else if ((err = xtr_func_each(l->patterns[i], show_function, l, &why)))
			l->failed = err;
		if (err && why.what[0])
			cli_error("%s", why.what);
		else if (err)
			cli_error("'%s': %s", l->patterns[i], cli_strerror(err));
	}
	l->n_patterns = n;
}

/* A group stands for what is in it; other patterns are left for the events. */
static int list_groups(struct listing *l)
{
	int n = 0, err = 0;

	for (int i = 0; i < l->n_patterns && !err; i++) {
		const struct xtr_group *g = xtr_group_find(l->patterns[i]);

		if (g)
			err = xtr_group_each(g, show_part, l);
		else if (cli_list_is_api(l->patterns[i]))
			err = cli_list_api(l->patterns[i], show_api, l);
		else
			l->patterns[n++] = l->patterns[i];
	}
	l->n_patterns = n;
	return err;
}

static void end_system(struct listing *l)
{
	if (l->in_system && !l->j)
		fprintf(l->f, "  %-24s %6llu\n", l->system, (unsigned long long)l->in_system);
	l->in_system = 0;
}

static int list_tracepoint(void *ctx, const char *system, const char *event)
{
	struct listing *l = ctx;
	char name[300];

	if (strcmp(system, "ftrace") == 0 || xtr_hook_exists(system, event))
		return 0;
	snprintf(name, sizeof(name), "%.120s:%.160s", system, event);
	if (l->n_patterns || l->j) {
		if (!l->n_patterns || wanted(l, name))
			show_event(l, name, "available", "tp", NULL);
		return 0;
	}
	if (strcmp(l->system, system)) {
		end_system(l);
		snprintf(l->system, sizeof(l->system), "%s", system);
	}
	l->in_system++;
	return 0;
}

static int list_events(struct listing *l)
{
	list_hooks(l);
	if (!l->j && !l->n_patterns)
		fputs("\nTracepoints by system ('xtr list SYSTEM' shows them; record them with -e):\n",
		      l->f);
	return xtr_tracefs_each(list_tracepoint, l);
}

static int list_all(struct listing *l)
{
	int err = l->j ? cli_list_groups_json(l->j) : cli_list_groups(l->f);

	if (l->j)
		xtr_json_kv_array(l->j, "events");
	else
		fputs("Events with a program of their own:\n", l->f);
	return err ? err : list_events(l);
}

static int list_some(struct listing *l)
{
	int err;

	if (l->j)
		xtr_json_kv_array(l->j, "events");
	list_functions(l);
	err = list_groups(l);
	return err || !l->n_patterns ? err : list_events(l);
}

/* More rights do not help against a lack of memory or of descriptors. */
static int failed(int err)
{
	cli_error("cannot read tracefs: %s", cli_strerror(err));
	if (err == -ENOMEM || err == -EIO || err == -EMFILE || err == -ENFILE)
		return cli_finish(XTR_EXIT_FAILURE);
	cli_hint("run as root, or mount it: mount -t tracefs tracefs /sys/kernel/tracing");
	return cli_finish(XTR_EXIT_PRIVILEGE);
}

static int run(const void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct listing l = { .patterns = argv, .n_patterns = argc };
	struct xtr_json j;
	int err;

	l.f = cli_out();
	if (o->json) {
		l.j = &j;
		xtr_json_init(&j, l.f, true);
		xtr_json_begin_object(&j);
		xtr_json_kv_str(&j, "schema", "xtr.list/1");
	}
	err = argc ? list_some(&l) : list_all(&l);
	end_system(&l);
	if (o->json) {
		xtr_json_end_array(&j);
		xtr_json_kv_str(&j, "tracefs", err ? cli_strerror(err) : "ok");
		xtr_json_end_object(&j);
		xtr_json_newline(&j);
	}
	if (err)
		return failed(err);
	if (l.failed)
		return cli_finish(XTR_EXIT_FAILURE);
	if (argc && !l.shown) {
		cli_error("no event matches '%s'", argv[0]);
		return cli_finish(XTR_EXIT_FAILURE);
	}
	return cli_finish(XTR_EXIT_OK);
}

static const struct cli_option options[] = {
	{ 0, "json", NULL, CLI_FLAG, offsetof(struct opts, json), "print a JSON document" },
};

const struct cli_command cmd_list = {
	.name = "list",
	.summary = "list the events that can be recorded",
	.args = "[GROUP|SYSTEM|PATTERN]...",
	.examples = "xtr list npu\tthe events of a group, and what is missing here",
	.options = options,
	.n_options = sizeof(options) / sizeof(*options),
	.opts_size = sizeof(struct opts),
	.run = run,
	.privileged = true,
};
