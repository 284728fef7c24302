/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr diff: what got slower. */
#include "analysis/diff/diff.h"
#include "base/checked.h"
#include "base/json.h"
#include "cli/ui/cli.h"
#include "cmd_diff.h"
#include "replay/model/model.h"
#include "paths.h"
#include "replay_cmd.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct diff_opts {
	struct replay_opts replay;
	struct cli_list base, fail_on;
	const char *by, *metric, *against;
	bool json, plot, all, outliers;
	uint64_t top;
};

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct diff_opts, json),
	  "JSON for programs (docs/diff.md)" },
	{ 'b', "base", "FILE", CLI_LIST, offsetof(struct diff_opts, base),
	  "a recording of side A; may be given several times, and all other files are of side B" },
	{ 0, "by", "LIST", CLI_STRING, offsetof(struct diff_opts, by),
	  "groups to compare: device, ring, process, call, process-call (all of them); of many "
	  "files, cohorts: host, kernel, driver, device, label:NAME" },
	{ 0, "against", "WHICH", CLI_STRING, offsetof(struct diff_opts, against),
	  "cohorts against the previous version (kernel, driver), or each against the rest (others)" },
	{ 0, "outliers", NULL, CLI_FLAG, offsetof(struct diff_opts, outliers),
	  "which recordings stand out from the others, or from their cohort (--by)" },
	{ 0, "metric", "LIST", CLI_STRING, offsetof(struct diff_opts, metric),
	  "times to compare: execution, residence, queue, dependency, latency (all but residence); of "
	  "many files: execution, residence, queue, utilisation, failed, lost (all)" },
	{ 0, "fail-on", "LIMIT", CLI_LIST, offsetof(struct diff_opts, fail_on),
	  "exit status 4 if something is slower by as much: 5%, or execution=5%" },
	{ 0, "plot", NULL, CLI_FLAG, offsetof(struct diff_opts, plot),
	  "show where the values of what changed lie (default on a terminal)" },
	{ 0, "all", NULL, CLI_FLAG, offsetof(struct diff_opts, all),
	  "show rows without a difference, too" },
	{ 't', "top", "N", CLI_U64, offsetof(struct diff_opts, top), "rows of each table (40)" },
	REPLAY_OPTIONS(struct diff_opts, replay),
};

static void defaults(void *opts)
{
	((struct diff_opts *)opts)->top = 40;
}

struct diff_run {
	const struct diff_opts *o;
	struct xtr_diff_opts what;
	double limit[XTR_DIFF_METRIC_COUNT]; /* shares; 0: none */
	struct xtr_diff *d;
	int status;             /* XTR_EXIT_OK or XTR_EXIT_LOSS so far */
	struct filters filters; /* what they match, in any of the recordings */
	/* of the present section */
	struct replay_cmd cmd;
	struct xtr_select select;
	struct xtr_model *verdict, *model;
	struct xtr_calls *calls;
};

/* --- one recording ---------------------------------------------------------------------------- */

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct diff_run *r = ctx;

	return xtr_select_job(&r->select, j) ? xtr_diff_job(r->d, j) : 0;
}

static int on_call(void *ctx, const struct xtr_call *c)
{
	struct diff_run *r = ctx;

	return xtr_select_call(&r->select, c) ? xtr_diff_call(r->d, c) : 0;
}

static int on_order(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(((struct diff_run *)ctx)->verdict, ev);
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct diff_run *r = ctx;
	int err = xtr_model_takes(r->model, ev) ? xtr_model_event(r->model, ev) : 0;

	if (!err && r->calls)
		err = xtr_calls_event(r->calls, ev);
	return err < 0 ? err : 0;
}

/* The types of events that jobs, and calls if there are any, are made of. NULL: no memory. */
static uint32_t *types_of(const struct diff_run *r, const struct xtr_meta *meta, size_t *n)
{
	size_t n_job;
	const uint32_t *of_job = xtr_model_types(r->model, false, &n_job);
	uint32_t *types = calloc(n_job + xtr_meta_n_events(meta) + 1, sizeof(*types));

	if (!types)
		return NULL;
	*n = n_job;
	if (n_job)
		memcpy(types, of_job, n_job * sizeof(*types));
	for (size_t i = 0; r->calls && i < xtr_meta_n_events(meta); i++) {
		uint32_t type = xtr_meta_event_at(meta, i)->type;

		if (xtr_calls_take(r->calls, type))
			types[(*n)++] = type;
	}
	return types;
}

/* Whether a ring executes in order must be known before its first job is taken. */
static int learn_order(struct diff_run *r, const struct xtr_section *s,
		       const struct xtr_model_opts *mo)
{
	int err = xtr_model_new(&r->verdict, mo);
	const uint32_t *types;
	size_t n;

	if (err)
		return err;
	types = xtr_model_types(r->verdict, true, &n);
	r->cmd.again = false;
	return replay_play(&r->cmd, s, types, n, on_order, r) ?: xtr_model_finish(r->verdict);
}

static int take(struct diff_run *r, const struct xtr_section *s, struct xtr_model_opts *mo)
{
	struct xtr_calls_opts co = {
		.sz = sizeof(co), .meta = mo->meta, .tables = mo->tables, .call = on_call, .ctx = r
	};
	uint32_t *types = NULL;
	size_t n = 0;
	int err;

	mo->verdict = r->verdict;
	mo->job = on_job;
	mo->ctx = r;
	err = xtr_model_new(&r->model, mo);
	if (!err && xtr_diff_wants_calls(r->d))
		err = xtr_calls_new(&r->calls, &co);
	if (!err) {
		types = types_of(r, mo->meta, &n);
		err = types ? 0 : -ENOMEM;
	}
	if (!err)
		err = replay_play(&r->cmd, s, types, n, on_event, r);
	free(types);
	if (!err)
		err = xtr_model_finish(r->model);
	return err || !r->calls ? err : xtr_calls_finish(r->calls);
}

static int section(struct diff_run *r, const struct xtr_section *s, uint64_t *unreadable)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(s),
				     .tables = xtr_section_tables(s) };
	int err = xtr_diff_section(r->d, s);

	replay_select(&r->cmd, s, &r->select);
	err = err ?: learn_order(r, s, &mo);
	r->cmd.again = true;
	err = err ?: take(r, s, &mo);
	*unreadable = xtr_sat_add(*unreadable, r->cmd.unreadable);
	xtr_model_free(r->model);
	xtr_model_free(r->verdict);
	xtr_calls_free(r->calls);
	r->model = r->verdict = NULL;
	r->calls = NULL;
	return err;
}

static int all_sections(struct diff_run *r, unsigned int side)
{
	const struct xtr_reader *reader = r->cmd.reader;
	int err = xtr_diff_begin(r->d, side, r->cmd.path);
	uint64_t unreadable = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(reader) && !err; i++)
		err = section(r, xtr_reader_section(reader, i), &unreadable);
	if (err)
		return err;
	/* What turned out damaged did so in both passes. */
	return xtr_diff_end(r->d, unreadable,
			    xtr_reader_n_problems(reader) + (r->cmd.damaged + 1) / 2);
}

/* Returns the exit status, which is XTR_EXIT_OK also if something was lost. */
static int recording(struct diff_run *r, unsigned int side, const char *path)
{
	char *argv[] = { (char *)(uintptr_t)path, NULL };
	int status;

	r->cmd = (struct replay_cmd){ .part = true, .filters = &r->filters };
	status = replay_begin(&r->cmd, &cmd_diff, &r->o->replay, 1, argv);
	if (status != XTR_EXIT_OK)
		return status;
	status = replay_end(&r->cmd, all_sections(r, side));
	if (status != XTR_EXIT_LOSS)
		return status;
	r->status = status;
	return XTR_EXIT_OK;
}

static int no_memory(void)
{
	cli_error("%s", cli_strerror(ENOMEM));
	return XTR_EXIT_FAILURE;
}

/* --- all -------------------------------------------------------------------------------------- */

static int print(struct diff_run *r, bool plot)
{
	struct xtr_diff_view v = { .f = cli_out(), .d = r->d, .top = (uint32_t)r->o->top };
	struct xtr_json j;

	if (!r->o->json) {
		v.color = cli_color(v.f);
		v.plot = plot;
		v.all = r->o->all;
		return xtr_diff_text(&v);
	}
	xtr_json_document(&j, v.f, "xtr.diff/2");
	xtr_diff_json(r->d, &j);
	xtr_json_document_end(&j);
	return 0;
}

/* What is slower by its limit or more. Returns the exit status. */
static int limits(const struct diff_run *r)
{
	uint64_t crossed = 0;

	for (size_t i = 0; i < xtr_diff_n_rows(r->d); i++) {
		const struct xtr_diff_row *row = xtr_diff_row(r->d, i);
		/* Residence in the place of execution is held to what execution may be. */
		double limit = r->limit[row->instead ? XTR_DIFF_EXECUTION : row->metric];

		if (limit > 0 && row->verdict == XTR_DIFF_SLOWER && xtr_diff_change(row) >= limit)
			crossed++;
	}
	if (!crossed)
		return r->status;
	cli_error("%s time%s slower by the limit of --fail-on or more", cli_count(crossed),
		  crossed == 1 ? " is" : "s are");
	return XTR_EXIT_THRESHOLD;
}

/* A ring of one side only is none of the other, and is told so. Returns the exit status. */
static int check_filters(const struct diff_run *r)
{
	const struct replay_cmd c = { .o = &r->o->replay };

	if (!r->filters.kind[0].matched) /* there are none */
		return XTR_EXIT_OK;
	return filters_check(&r->filters, &c, &cmd_diff);
}

static int compare(struct diff_run *r, int argc, char **argv)
{
	const struct cli_list *base = &r->o->base;
	size_t n_a = base->n ? base->n : 1;
	bool plot = r->o->plot || isatty(STDOUT_FILENO);
	int status = XTR_EXIT_OK, err;

	for (size_t i = 0; i < n_a && status == XTR_EXIT_OK; i++)
		status = recording(r, 0, base->n ? base->v[i] : argv[0]);
	for (int i = base->n ? 0 : 1; i < argc && status == XTR_EXIT_OK; i++)
		status = recording(r, 1, argv[i]);
	if (status == XTR_EXIT_OK)
		status = check_filters(r);
	if (status != XTR_EXIT_OK)
		return status;
	err = xtr_diff_finish(r->d) ?: print(r, plot);
	return err ? no_memory() : limits(r);
}

/* Which files are given how. Returns the exit status. */
static int check_files(const struct diff_opts *o, int argc, char **argv)
{
	size_t dashes = 0;

	if (!o->base.n && argc != 2)
		return cli_usage_error(&cmd_diff,
				       argc < 2 ? "which files? A and B"
						: "two files, A and B, not %d; or --base",
				       argc);
	if (!argc)
		return cli_usage_error(&cmd_diff, "--base gives side A: which files are of B?");
	if (o->base.n > XTR_DIFF_RUNS_MAX || (size_t)argc > XTR_DIFF_RUNS_MAX)
		return cli_usage_error(&cmd_diff, "at most %u recordings of a side",
				       XTR_DIFF_RUNS_MAX);
	for (size_t i = 0; i < o->base.n; i++)
		dashes += !strcmp(o->base.v[i], "-");
	for (size_t i = 0; i < (size_t)argc; i++)
		dashes += !strcmp(argv[i], "-");
	if (dashes > 1)
		return cli_usage_error(&cmd_diff, "standard input is one file only");
	return XTR_EXIT_OK;
}

/*
 * Are cohorts asked for, not two sides? "device" is a group as well: of two files, or of sides, it
 * is that.
 */
static bool many(const struct diff_opts *o, int argc, char **argv)
{
	bool several = argc > 2 || (argc && cli_is_directory(argv[0])) ||
		       (argc == 2 && cli_is_directory(argv[1]));

	if (o->outliers)
		return true;
	if (!o->by || !diff_files_key(o->by))
		return false;
	return strcmp(o->by, "device") || (several && !o->base.n);
}

static int run_many(const struct diff_opts *o, int argc, char **argv)
{
	const struct diff_files d = {
		.o = &o->replay,
		.by = o->by,
		.outliers = o->outliers,
		.json = o->json,
		.all = o->all,
		.against = o->against,
		.metric = o->metric,
		.fail_on = &o->fail_on,
		.top = (uint32_t)o->top,
	};

	if (o->base.n || o->plot)
		return cli_usage_error(&cmd_diff, "--%s is for two sides, not for cohorts",
				       o->plot ? "plot" : "base");
	if (!argc)
		return cli_usage_error(&cmd_diff, "which files or directories?");
	if (o->top > 10000)
		return cli_usage_error(&cmd_diff, "--top: at most 10000");
	return diff_files(&d, argc, argv);
}

static int run(const void *opts, int argc, char **argv)
{
	struct diff_run r = { .o = opts, .what.sz = sizeof(r.what) };
	int status;

	if (many(r.o, argc, argv))
		return run_many(r.o, argc, argv);
	if (r.o->against)
		return cli_usage_error(&cmd_diff, "--against is for cohorts: --by kernel, for "
						  "example");
	status = check_files(r.o, argc, argv);
	if (status != XTR_EXIT_OK)
		return status;
	if (r.o->by && diff_parse_list(r.o->by, xtr_diff_by_name, &r.what.by))
		return cli_usage_error(
			&cmd_diff,
			"--by: invalid value '%s': give a list of device, ring, process, call, process-call",
			r.o->by);
	if (r.o->metric && diff_parse_list(r.o->metric, xtr_diff_metric_name, &r.what.metrics))
		return cli_usage_error(
			&cmd_diff,
			"--metric: invalid value '%s': give a list of execution, residence, queue, "
			"dependency, latency",
			r.o->metric);
	for (size_t i = 0; i < r.o->fail_on.n; i++)
		if (diff_parse_limit(r.o->fail_on.v[i], r.limit))
			return cli_usage_error(
				&cmd_diff,
				"--fail-on: invalid limit '%s': give one such as 5%% or "
				"execution=5%%",
				r.o->fail_on.v[i]);
	if (r.o->top > 10000)
		return cli_usage_error(&cmd_diff, "--top: at most 10000");
	if (xtr_diff_new(&r.d, &r.what))
		return no_memory();
	status = compare(&r, argc, argv);
	filters_free(&r.filters);
	xtr_diff_free(r.d);
	return status;
}

static const char *words(const char *option, size_t i)
{
	static const char *const against[] = { "previous", "rest", NULL };

	if (!strcmp(option, "against"))
		return against[i < 2 ? i : 2];
	if (!strcmp(option, "by"))
		return i < XTR_DIFF_BY_COUNT ? xtr_diff_by_name((unsigned int)i)
					     : diff_files_word(i - XTR_DIFF_BY_COUNT);
	return strcmp(option, "metric") ? NULL : xtr_diff_metric_name((unsigned int)i);
}

const struct cli_command cmd_diff = {
	.name = "diff",
	.summary = "what got slower or faster between recordings, with a test",
	.args = "A B, or FILE|DIR...",
	.examples = "xtr diff --by kernel recordings/\tregressions by version, of many files\n"
		    "xtr diff --outliers recordings/\twhich machines differ\n"
		    "xtr diff --fail-on 5% before.xtr after.xtr\tfor scripts",
	CLI_OPTIONS(options, struct diff_opts),
	.words = words,
	.defaults = defaults,
	.run = run,
};

/* --- diff opts -------------------------------------------------------------------------------- */

/* The number of the name of n bytes; -EINVAL. */
static int find(const char *s, size_t n, const char *(*name)(unsigned int))
{
	for (unsigned int i = 0; name(i); i++)
		if (strlen(name(i)) == n && !strncmp(name(i), s, n))
			return (int)i;
	return -EINVAL;
}

int diff_parse_list(const char *s, const char *(*name)(unsigned int), uint32_t *bits)
{
	size_t n;
	int i;

	*bits = 0;
	for (;;) {
		n = strcspn(s, ",");
		i = find(s, n, name);
		if (i < 0)
			return -EINVAL;
		*bits |= 1u << i;
		if (!s[n])
			return 0;
		s += n + 1;
	}
}

int diff_parse_percent(const char *s, double *share)
{
	char *end;
	double v;

	if (!isdigit((unsigned char)s[0]) || s[1] == 'x' || s[1] == 'X')
		return -EINVAL;
	v = strtod(s, &end);
	if (*end == '%')
		end++;
	if (*end || !isfinite(v) || v <= 0)
		return -EINVAL;
	*share = v / 100;
	return 0;
}

int diff_parse_limit(const char *s, double limit[XTR_DIFF_METRIC_COUNT])
{
	const char *equals = strchr(s, '=');
	double share;
	int which = -1;

	if (equals) {
		which = find(s, (size_t)(equals - s), xtr_diff_metric_name);
		if (which < 0)
			return -EINVAL;
		s = equals + 1;
	}
	if (diff_parse_percent(s, &share))
		return -EINVAL;
	for (unsigned int m = 0; m < XTR_DIFF_METRIC_COUNT; m++)
		if (which < 0 || m == (unsigned int)which)
			limit[m] = share;
	return 0;
}
