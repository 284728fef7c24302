/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr list: the events that can be recorded here, and why others cannot. */
#include "base/json.h"
#include "cli/ui/cli.h"
#include "cmd_list.h"
#include "recorder/groups/api.h"
#include "recorder/groups/func_select.h"
#include "recorder/groups/hooks.h"
#include "recorder/host/tracefs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* --- list apis -------------------------------------------------------------------------------- */

/* An interface is there if any function of its libraries is. */
static int show_interface(const struct xtr_api_group *g, cli_list_show *show, void *ctx)
{
	char name[64], why[XTR_API_WHY_MAX + 64];
	const char *pattern = name;
	struct xtr_api a;
	int err;

	snprintf(name, sizeof(name), "api:%s", g->name);
	err = xtr_api_select(&a, &pattern, 1, NULL);
	if (err)
		return err;
	if (a.n_probes)
		snprintf(why, sizeof(why), "%s: %zu functions, %.150s", g->title, a.n_probes,
			 a.probes[0].places[0].file->path);
	else
		snprintf(why, sizeof(why), "%s: %.190s", g->title,
			 a.n_problems ? a.problems[0].why : "none of its functions");
	show(ctx, name, a.n_probes > 0, why);
	xtr_api_free(&a);
	return 0;
}

static int show_functions(const char *pattern, cli_list_show *show, void *ctx)
{
	struct xtr_api a;
	int err = xtr_api_select(&a, &pattern, 1, NULL);

	if (err)
		return err;
	for (size_t i = 0; i < a.n_probes; i++) {
		for (size_t k = 0; k < a.probes[i].n_places; k++)
			show(ctx, a.probes[i].name, true, a.probes[i].places[k].file->path);
	}
	for (size_t i = 0; i < a.n_problems; i++)
		show(ctx, a.problems[i].name, false, a.problems[i].why);
	xtr_api_free(&a);
	return 0;
}

static bool is_all(const char *pattern)
{
	return strcmp(pattern, "api") == 0 || strcmp(pattern, "api:") == 0;
}

/* Is it "api", "api:", or what -e takes for calls of a library? */
static bool cli_list_is_api(const char *pattern)
{
	return is_all(pattern) || xtr_api_valid(pattern);
}

/* Show what such a pattern means: interfaces, or functions. 0 or -errno. */
static int cli_list_api(const char *pattern, cli_list_show *show, void *ctx)
{
	int err = 0;

	if (!is_all(pattern))
		return show_functions(pattern, show, ctx);
	for (const struct xtr_api_group *g = xtr_api_groups; g->name && !err; g++)
		err = show_interface(g, show, ctx);
	return err;
}

/* --- list groups ------------------------------------------------------------------------------ */

static const char *state_of(const struct xtr_group_count *c)
{
	return !c->available ? "missing" : c->available < c->parts ? "partly" : "available";
}

/* One line per group. 0 or -errno: tracefs cannot be read. */
static int cli_list_groups(FILE *f)
{
	struct xtr_group_count c;
	int err = 0;

	fputs("Groups of events ('xtr list GROUP' shows them; record them with -e):\n", f);
	for (size_t i = 0; i < xtr_n_groups && !err; i++) {
		const struct xtr_group *g = &xtr_groups[i];

		err = xtr_group_count(g, &c);
		if (!err)
			fprintf(f, "  %-10s %-18s %4zu of %-4zu %s\n", state_of(&c), g->name,
				c.available, c.parts, c.available ? g->help : c.why);
	}
	fputc('\n', f);
	return err;
}

/* The same as the array "groups" of an open object. */
static int cli_list_groups_json(struct xtr_json *j)
{
	struct xtr_group_count c;
	int err = 0;

	xtr_json_kv_array(j, "groups");
	for (size_t i = 0; i < xtr_n_groups && !err; i++) {
		const struct xtr_group *g = &xtr_groups[i];

		err = xtr_group_count(g, &c);
		if (err)
			break;
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "name", g->name);
		xtr_json_kv_str(j, "state", state_of(&c));
		xtr_json_kv_str(j, "help", g->help);
		xtr_json_kv_str(j, "module", g->module);
		xtr_json_kv_bool(j, "default", xtr_group_default(g));
		xtr_json_kv_u64(j, "events", c.parts);
		xtr_json_kv_u64(j, "available", c.available);
		xtr_json_kv_str(j, "why", c.why[0] ? c.why : NULL);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	return err;
}

static void part_hook(char *buf, size_t n, const struct xtr_group_part *p)
{
	if (p->target && strcmp(p->target, p->name))
		snprintf(buf, n, "%s:%s", p->attach, p->target);
	else
		snprintf(buf, n, "%s", p->attach);
}

static void part_json(struct xtr_json *j, const struct xtr_group_part *p)
{
	char hook[256];

	part_hook(hook, sizeof(hook), p);
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "name", p->name);
	xtr_json_kv_str(j, "state", p->available ? "available" : "missing");
	xtr_json_kv_str(j, "hook", hook);
	xtr_json_kv_str(j, "why", p->why);
	if (p->purpose) {
		xtr_json_kv_str(j, "purpose", p->purpose);
		xtr_json_kv_array(j, "candidates");
		for (size_t i = 0; i < p->n_candidates; i++)
			xtr_json_str(j, p->candidates[i]);
		xtr_json_end_array(j);
	}
	xtr_json_end_object(j);
}

/* Behind the name: why it is missing, or the exact symbol where it is not the name's; and for a
 * function of several names the one it is recorded for. */
static void part_line(FILE *f, const struct xtr_group_part *p)
{
	const char *last = strrchr(p->name, ':');
	bool symbol = p->available && p->target && last && strcmp(p->target, last + 1) &&
		      strcmp(p->attach, "func") == 0;

	fprintf(f, "  %-10s %-44s", p->available ? "available" : "missing", p->name);
	if (p->purpose)
		fprintf(f, " %s", p->purpose);
	for (size_t i = 0; p->n_candidates > 1 && i < p->n_candidates; i++)
		fprintf(f, "%s%s", i ? " | " : ": ", p->candidates[i]);
	if (symbol)
		fprintf(f, " (%s)", p->target);
	if (p->why)
		fprintf(f, "%s%s", p->purpose ? "; " : " ", p->why);
	fputc('\n', f);
}

/* One event of a group: a line on f, or an object of j. */
static void cli_list_part(FILE *f, struct xtr_json *j, const struct xtr_group_part *p)
{
	if (j)
		part_json(j, p);
	else
		part_line(f, p);
}

const char *cli_group_name(size_t i)
{
	if (!i)
		return "default";
	return i <= xtr_n_groups ? xtr_groups[i - 1].name : NULL;
}

/* --- the rest --------------------------------------------------------------------------------- */

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
		xtr_json_document(&j, l.f, "xtr.list/1");
	}
	err = argc ? list_some(&l) : list_all(&l);
	end_system(&l);
	if (o->json) {
		xtr_json_end_array(&j);
		xtr_json_kv_str(&j, "tracefs", err ? cli_strerror(err) : "ok");
		xtr_json_document_end(&j);
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
	CLI_OPTIONS(options, struct opts),
	.run = run,
	.privileged = true,
};
