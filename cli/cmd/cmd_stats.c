/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr stats: the answers. */
#include "base/buf.h"
#include "base/text.h"
#include "cli/ui/cli.h"
#include "cli/ui/units.h"
#include "bundle_dumps.h"
#include "cmd_stats.h"
#include "hang_head_cmd.h"
#include "paths.h"
#include "stats_run.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct stats_opts {
	struct replay_opts replay;
	bool json, csv, findings, all;
	uint64_t top;
	struct cli_list sections, fail_on;
};

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct stats_opts, json),
	  "JSON for programs (docs/stats-json.md)" },
	{ 0, "csv", NULL, CLI_FLAG, offsetof(struct stats_opts, csv),
	  "the tables as CSV (docs/tables.md)" },
	{ 0, "findings", NULL, CLI_FLAG, offsetof(struct stats_opts, findings),
	  "only what is worth a look, as --section findings" },
	{ 0, "all", NULL, CLI_FLAG, offsetof(struct stats_opts, all),
	  "everything, not only what fits on one screen" },
	{ 's', "section", "NAME", CLI_LIST, offsetof(struct stats_opts, sections),
	  "only these parts: findings, devices, rings, processes, clients, waits, depth, dependencies, "
	  "slowest, unusual, histograms, events, calls, markers, families, allocations, power, "
	  "firmware, api, tree, i915, amdgpu, xe, amdxdna, virtio_gpu, nvidia, xid, display, fences, cpu, idle, "
	  "blame, hang, frames" },
	{ 't', "top", "N", CLI_U64, offsetof(struct stats_opts, top),
	  "rows of slowest jobs, longest waits and dependency waits (5; 10 with --section or --all)" },
	{ 0, "fail-on", "LIMIT", CLI_LIST, offsetof(struct stats_opts, fail_on),
	  "exit status 4 if a trace shows this: finding, finding:ID, or a ring's time such as "
	  "execution.p99>50ms" },
	REPLAY_OPTIONS(struct stats_opts, replay),
};

#define TOP_BRIEF   5u
#define TOP_NOT_SET UINT64_MAX

static void defaults(void *opts)
{
	((struct stats_opts *)opts)->top = TOP_NOT_SET;
}

/* One run of the command, over all sections. */
struct stats_show {
	const struct stats_opts *o;
	struct replay_cmd cmd;
	struct stats_run run;
	struct stats_limit *limit; /* fail_on.n of them */
	bool brief, crossed;
	bool any_csv; /* a table of CSV was written */
	struct hang_told hang;
};

/* Of the section that was gathered; times say nothing where there are none. */
static void check_limits(struct stats_show *r, const struct stats_run *run,
			 const struct xtr_section *s)
{
	const char *path = run->cmd->path;

	for (size_t i = 0; i < r->o->fail_on.n; i++) {
		const struct stats_limit *l = &r->limit[i];

		if (l->finding || xtr_meta_has_times(xtr_section_meta(s)))
			r->crossed |= stats_limit_crossed(l, path, run->stats,
							  xtr_analyses_findings(run->analyses));
		else
			cli_warn("'%s': %s: the trace has no times", path, l->text);
	}
}

static int section_text(struct stats_show *r, size_t i, struct xtr_view *v)
{
	v->f = replay_out(&r->cmd);
	if (r->o->csv)
		return xtr_view_csv(v, i, &r->any_csv);
	v->brief = r->brief;
	if (i)
		fputc('\n', v->f);
	return xtr_view_text(v);
}

/* Of a bundle, unless something else is asked for: the hang, above all other text. */
static void tell_hang(struct stats_show *r, size_t i)
{
	const bool last = i + 1 == xtr_reader_n_sections(r->cmd.reader);

	if (r->o->sections.n || r->o->csv || !bundle_dumps())
		return;
	if (hang_told_by(&r->hang, &r->run, bundle_dumps(), last) && !r->o->json)
		hang_told_text(&r->hang, replay_out(&r->cmd));
}

static int section(struct stats_show *r, size_t i, struct xtr_json *j)
{
	const struct xtr_section *s = xtr_reader_section(r->cmd.reader, i);
	struct xtr_view v;
	int err = stats_gather(&r->run, s, &v);

	if (!err)
		tell_hang(r, i);
	if (!err && r->o->json)
		xtr_view_json(&v, j);
	else if (!err)
		err = section_text(r, i, &v);
	if (!err)
		check_limits(r, &r->run, s);
	stats_drop(&r->run);
	return err;
}

static int all_sections(struct stats_show *r)
{
	size_t i, n = xtr_reader_n_sections(r->cmd.reader);
	struct xtr_json j;
	int err = 0;

	if (r->o->json) {
		xtr_json_init(&j, replay_out(&r->cmd), true);
		stats_json_begin(&r->run, &j);
	}
	for (i = 0; i < n && !err; i++)
		err = section(r, i, &j);
	if (r->o->json && !err) {
		xtr_json_end_array(&j);
		hang_told_json(&r->hang, &j);
		xtr_json_document_end(&j);
	}
	return err;
}

/* A finding that is misspelt is never made: that it is not there says nothing. */
static int unknown_finding(const char *limit)
{
	struct xtr_buf buf;
	FILE *f = xtr_memory_stream(&buf);
	char *text = NULL;

	for (size_t i = 0; f && xtr_finding_id(i); i++)
		fprintf(f, "%s%s", i ? ", " : "", xtr_finding_id(i));
	if (f)
		text = xtr_memory_text(f, &buf);
	cli_usage_error(&cmd_stats, "--fail-on: no finding is called '%s'; there is: %s",
			limit + strlen("finding:"), text ? text : "");
	free(text);
	return XTR_EXIT_USAGE;
}

/* Returns the exit status. */
static int parse_limits(struct stats_show *r)
{
	const struct cli_list *l = &r->o->fail_on;

	r->limit = calloc(l->n + 1, sizeof(*r->limit));
	if (!r->limit) {
		cli_error("%s", cli_strerror(ENOMEM));
		return XTR_EXIT_FAILURE;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (stats_limit_parse(&r->limit[i], l->v[i]))
			return cli_usage_error(&cmd_stats,
					       "--fail-on: '%s' is not one of finding, finding:ID, "
					       "execution.p99>50ms (in quotes)",
					       l->v[i]);
		if (!stats_limit_known(&r->limit[i]))
			return unknown_finding(l->v[i]);
		r->run.all_findings |= r->limit[i].finding != NULL;
	}
	return XTR_EXIT_OK;
}

static void gathered(void *ctx, const struct stats_run *run, const struct xtr_section *s)
{
	check_limits(ctx, run, s);
}

static int show_files(struct stats_show *r, int argc, char **argv)
{
	const struct stats_opts *o = r->o;
	const struct stats_files files = {
		.o = &o->replay,
		.parts = o->sections.n || o->findings || o->all ? r->run.parts : 0,
		.json = o->json,
		.all_findings = r->run.all_findings,
		.top = r->run.top,
		.rows = o->all                  ? UINT32_MAX
			: o->top == TOP_NOT_SET ? STATS_FILES_ROWS
						: (uint32_t)o->top,
		.gathered = o->fail_on.n ? gathered : NULL,
		.ctx = r,
	};

	if (o->csv)
		return cli_usage_error(&cmd_stats, "--csv takes one FILE; 'xtr query --csv' has "
						   "tables of several");
	return stats_files(&files, argc, argv);
}

static int show_one(struct stats_show *r, int argc, char **argv)
{
	int status = replay_begin(&r->cmd, &cmd_stats, &r->o->replay, argc, argv);

	return status == XTR_EXIT_OK ? replay_end(&r->cmd, all_sections(r)) : status;
}

static int show(struct stats_show *r, int argc, char **argv)
{
	int status = parse_limits(r), many;

	if (status != XTR_EXIT_OK)
		return status;
	many = cli_paths_several(argc, argv);
	if (many < 0)
		return XTR_EXIT_FAILURE;
	status = many ? show_files(r, argc, argv) : show_one(r, argc, argv);
	if (status == XTR_EXIT_USAGE)
		return status;
	return r->crossed && status != XTR_EXIT_FAILURE ? XTR_EXIT_THRESHOLD : status;
}

/* Names, with commas between them. Returns the exit status. */
static int add_parts(uint64_t *parts, const char *names)
{
	char name[32];

	for (size_t n = 0;; names += n + 1) {
		uint64_t bit;

		n = strcspn(names, ",");
		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		bit = xtr_view_part_bit(name);
		if (!bit || n >= sizeof(name))
			return cli_usage_error(&cmd_stats, "no such section: '%.*s'", (int)n,
					       names);
		*parts |= bit;
		if (!names[n])
			return XTR_EXIT_OK;
	}
}

/* The first of these parts is no table. Returns the exit status. */
static int no_table(uint64_t parts)
{
	const unsigned int first = (unsigned int)__builtin_ctzll(parts);
	const bool of_rings =
		first == XTR_VIEW_WAITS || first == XTR_VIEW_DEPTH || first == XTR_VIEW_UNUSUAL;

	return cli_usage_error(&cmd_stats, "--csv: '%s' is no table%s", xtr_view_part_name(first),
			       of_rings ? "; 'rings' has its columns" : "");
}

/* What is shown, and how much of it. Returns the exit status. */
static int choose(struct stats_show *r)
{
	uint64_t parts = r->o->findings ? 1ull << XTR_VIEW_FINDINGS : 0, top = r->o->top;
	int status = XTR_EXIT_OK;

	for (size_t i = 0; i < r->o->sections.n && status == XTR_EXIT_OK; i++)
		status = add_parts(&parts, r->o->sections.v[i]);
	if (status != XTR_EXIT_OK)
		return status;
	if (r->o->csv && r->o->json)
		return cli_usage_error(&cmd_stats, "--csv or --json, not both");
	if (r->o->csv && parts & ~xtr_view_csv_parts())
		return no_table(parts & ~xtr_view_csv_parts());
	r->brief = !parts && !r->o->all && !r->o->json && !r->o->csv;
	r->run.parts = r->o->all ? ~0ull : parts ?: xtr_view_usual();
	if (top == TOP_NOT_SET)
		top = r->brief ? TOP_BRIEF : STATS_TOP;
	if (top > 10000)
		return cli_usage_error(&cmd_stats, "--top: at most 10000");
	r->run.top = (uint32_t)top;
	return XTR_EXIT_OK;
}

static int run(const void *opts, int argc, char **argv)
{
	struct stats_show r = { .o = opts, .cmd.part = true };
	int status = choose(&r);

	if (status != XTR_EXIT_OK)
		return status;
	r.run.cmd = &r.cmd;
	status = show(&r, argc, argv);
	free(r.limit);
	return status;
}

static const char *words(const char *option, size_t i)
{
	return strcmp(option, "section") ? NULL : xtr_view_part_name((unsigned int)i);
}

const struct cli_command cmd_stats = {
	.name = "stats",
	.summary = "what the recorded GPU and NPU jobs did: times, waits, utilisation, losses",
	.args = "FILE|DIR...",
	.examples = "xtr stats run.xtr\ton one screen\n"
		    "xtr stats recordings/\tall recordings of a directory together\n"
		    "xtr stats -s waits,depth run.xtr\tonly these parts\n"
		    "xtr stats --all run.xtr\teverything",
	CLI_OPTIONS(options, struct stats_opts),
	.words = words,
	.defaults = defaults,
	.run = run,
};

/* --- stats limit ------------------------------------------------------------------------------ */

#define SAID_MAX 10u

static const struct {
	const char *name;
	size_t offset;
} metrics[] = {
	{ "execution", offsetof(struct xtr_agg, exec) },
	{ "residence", offsetof(struct xtr_agg, residence) },
	{ "queue", offsetof(struct xtr_agg, queue_wait) },
	{ "hw", offsetof(struct xtr_agg, hw_wait) },
};

static const struct {
	const char *name;
	unsigned int permille;
} quantiles[] = {
	{ "p50", 500 },
	{ "p90", 900 },
	{ "p99", 990 },
	{ "max", 1000 },
	{ "mean", STATS_LIMIT_MEAN },
};

static bool is(const char *s, size_t n, const char *name)
{
	return strlen(name) == n && !strncmp(s, name, n);
}

/* "execution.p99>50ms" */
static int parse_time(struct stats_limit *l, const char *s)
{
	size_t metric = strcspn(s, "."), quantile, i;
	const char *q = s + metric + 1;
	bool known = false;

	if (!s[metric])
		return -EINVAL;
	quantile = strcspn(q, ">");
	if (!q[quantile] || cli_parse_time(q + quantile + 1, &l->ns))
		return -EINVAL;
	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && !known; i++) {
		known = is(s, metric, metrics[i].name);
		l->offset = metrics[i].offset;
	}
	for (i = 0; known && i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		if (is(q, quantile, quantiles[i].name)) {
			l->permille = quantiles[i].permille;
			return 0;
		}
	return -EINVAL;
}

int stats_limit_parse(struct stats_limit *l, const char *s)
{
	*l = (struct stats_limit){ .text = s };
	if (!strcmp(s, "finding")) {
		l->finding = "*";
		return 0;
	}
	if (!strncmp(s, "finding:", 8)) {
		l->finding = s + 8;
		return *l->finding ? 0 : -EINVAL;
	}
	return parse_time(l, s);
}

bool stats_limit_known(const struct stats_limit *l)
{
	size_t i = 0;

	if (!l->finding)
		return true;
	while (xtr_finding_id(i) && fnmatch(l->finding, xtr_finding_id(i), 0))
		i++;
	return xtr_finding_id(i);
}

/* Of them all, those that there was no room for, too. */
static uint64_t left_out(const struct stats_limit *l, const struct xtr_findings *f)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < f->n_kinds; i++)
		if (f->kind[i].severity != XTR_SEVERITY_NOTE &&
		    !fnmatch(l->finding, f->kind[i].id, 0))
			n += f->kind[i].left_out;
	return n;
}

static bool finding_crossed(const struct stats_limit *l, const char *path,
			    const struct xtr_findings *f)
{
	uint64_t n = left_out(l, f), said = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		const struct xtr_finding *one = &f->finding[i];

		if (!one->notable || fnmatch(l->finding, one->id, 0))
			continue;
		n++;
		if (said < SAID_MAX) {
			said++;
			cli_error("'%s': %s: %s", path, one->id, one->text);
		}
	}
	if (n > said)
		cli_error("'%s': %s: and %s more", path, l->text, cli_count(n - said));
	return n;
}

/* "0000:03:00.0/gfx_0.0.0": rings of several devices have the same names. */
static const char *ring_name(char *buf, size_t cap, const struct xtr_model_ring *ring)
{
	size_t n;

	xtr_text_name(buf, cap, ring->device_name, strlen(ring->device_name));
	n = strlen(buf);
	if (n && n + 1 < cap)
		buf[n++] = '/';
	xtr_text_name(buf + n, cap - n, ring->name, strlen(ring->name));
	return buf;
}

static uint64_t figure(const struct stats_limit *l, const struct xtr_hist *h)
{
	return l->permille == STATS_LIMIT_MEAN ? xtr_hist_mean(h)
					       : xtr_hist_quantile(h, l->permille);
}

/* Of a ring whose jobs have bounds alone: may it be too long? */
static void warn_of_bounds(const struct stats_limit *l, const char *path,
			   const struct xtr_stats_row *row)
{
	char name[2 * XTR_TEXT_NAME], most[XTR_TEXT_NUMBER];
	uint64_t ns = figure(l, &row->agg.residence);

	if (row->agg.residence.n && l->offset == offsetof(struct xtr_agg, exec) && ns > l->ns)
		cli_warn("'%s': %s: %s: not known, it is %s at most", path,
			 ring_name(name, sizeof(name), row->ring), l->text, xtr_text_ns(most, ns));
}

static bool time_crossed(const struct stats_limit *l, const char *path, const struct xtr_stats *s)
{
	size_t n = 0;

	for (size_t i = 0; i < xtr_stats_n_rows(s, XTR_BY_RING); i++) {
		const struct xtr_stats_row *row = xtr_stats_row(s, XTR_BY_RING, i);
		const struct xtr_hist *h =
			(const struct xtr_hist *)((const char *)&row->agg + l->offset);
		uint64_t ns = figure(l, h);
		char name[2 * XTR_TEXT_NAME], is[XTR_TEXT_NUMBER];

		if (!h->n)
			warn_of_bounds(l, path, row);
		if (!h->n || ns <= l->ns)
			continue;
		if (n++ < SAID_MAX)
			cli_error("'%s': %s: %s: it is %s", path,
				  ring_name(name, sizeof(name), row->ring), l->text,
				  xtr_text_ns(is, ns));
	}
	if (n > SAID_MAX)
		cli_error("'%s': %s: and %s more rings", path, l->text, cli_count(n - SAID_MAX));
	return n;
}

bool stats_limit_crossed(const struct stats_limit *l, const char *path, const struct xtr_stats *s,
			 const struct xtr_findings *f)
{
	return l->finding ? finding_crossed(l, path, f) : time_crossed(l, path, s);
}
