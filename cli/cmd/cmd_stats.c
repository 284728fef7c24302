/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr stats: the answers. */
#include "cli/ui/cli.h"
#include "stats_limit.h"
#include "stats_run.h"
#include "base/buf.h"
#include "base/memory_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stats_opts {
	struct replay_opts replay;
	bool json, findings;
	uint64_t top;
	struct cli_list sections, fail_on;
};

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct stats_opts, json),
	  "JSON for programs (docs/stats-json.md)" },
	{ 0, "findings", NULL, CLI_FLAG, offsetof(struct stats_opts, findings),
	  "only what is worth a look, as --section findings" },
	{ 's', "section", "NAME", CLI_LIST, offsetof(struct stats_opts, sections),
	  "only this part: findings, devices, rings, processes, clients, waits, depth, dependencies, "
	  "slowest, unusual, histograms, events, calls, markers, families, allocations, power, "
	  "firmware, api, tree, i915, amdgpu, xe, amdxdna, virtio_gpu, nvidia, xid, display, fences, cpu" },
	{ 't', "top", "N", CLI_U64, offsetof(struct stats_opts, top),
	  "rows of slowest jobs, longest waits and dependency waits (10)" },
	{ 0, "fail-on", "LIMIT", CLI_LIST, offsetof(struct stats_opts, fail_on),
	  "exit status 4 if a trace shows this: finding, finding:ID, or a ring's time such as "
	  "execution.p99>50ms" },
	REPLAY_OPTIONS(struct stats_opts, replay),
};

static void defaults(void *opts)
{
	((struct stats_opts *)opts)->top = STATS_TOP;
}

/* One run of the command, over all sections. */
struct stats_show {
	const struct stats_opts *o;
	struct replay_cmd cmd;
	struct stats_run run;
	struct stats_limit *limit; /* fail_on.n of them */
	bool crossed;
};

/* Of the section that was gathered; times say nothing where there are none. */
static void check_limits(struct stats_show *r, const struct xtr_section *s)
{
	for (size_t i = 0; i < r->o->fail_on.n; i++) {
		const struct stats_limit *l = &r->limit[i];

		if (l->finding || xtr_meta_has_times(xtr_section_meta(s)))
			r->crossed |= stats_limit_crossed(l, r->cmd.path, r->run.stats,
							  xtr_analyses_findings(r->run.analyses));
		else
			cli_warn("'%s': %s: the trace has no times", r->cmd.path, l->text);
	}
}

static int section_text(struct stats_show *r, size_t i, struct xtr_view *v)
{
	v->f = replay_out(&r->cmd);
	if (i)
		fputc('\n', v->f);
	return xtr_view_text(v);
}

static int section(struct stats_show *r, size_t i, struct xtr_json *j)
{
	const struct xtr_section *s = xtr_reader_section(r->cmd.reader, i);
	struct xtr_view v;
	int ret = stats_gather(&r->run, s, &v);

	if (!ret && r->o->json)
		xtr_view_json(&v, j);
	else if (!ret)
		ret = section_text(r, i, &v);
	if (!ret)
		check_limits(r, s);
	stats_drop(&r->run);
	return ret;
}

static int all_sections(struct stats_show *r)
{
	size_t i, n = xtr_reader_n_sections(r->cmd.reader);
	struct xtr_json j;
	int ret = 0;

	if (r->o->json) {
		xtr_json_init(&j, replay_out(&r->cmd), true);
		stats_json_begin(&r->run, &j);
	}
	for (i = 0; i < n && !ret; i++)
		ret = section(r, i, &j);
	if (r->o->json && !ret)
		stats_json_end(&j);
	return ret;
}

extern const struct cli_command cmd_stats;

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

static int show(struct stats_show *r, int argc, char **argv)
{
	int status = parse_limits(r);

	if (status == XTR_EXIT_OK)
		status = replay_begin(&r->cmd, &cmd_stats, &r->o->replay, argc, argv);
	if (status != XTR_EXIT_OK)
		return status;
	status = replay_end(&r->cmd, all_sections(r));
	return r->crossed && status != XTR_EXIT_FAILURE ? XTR_EXIT_THRESHOLD : status;
}

static int run(const void *opts, int argc, char **argv)
{
	struct stats_show r = { .o = opts, .cmd.part = true };
	size_t i;
	int status;

	for (i = 0; i < r.o->sections.n; i++) {
		uint64_t bit = xtr_view_part_bit(r.o->sections.v[i]);

		if (!bit)
			return cli_usage_error(&cmd_stats, "no such section: '%s'",
					       r.o->sections.v[i]);
		r.run.parts |= bit;
	}
	if (r.o->findings)
		r.run.parts |= 1ull << XTR_VIEW_FINDINGS;
	if (!r.run.parts)
		r.run.parts = ~0ull;
	if (r.o->top > 10000)
		return cli_usage_error(&cmd_stats, "--top: at most 10000");
	r.run.cmd = &r.cmd;
	r.run.top = (uint32_t)r.o->top;
	status = show(&r, argc, argv);
	free(r.limit);
	return status;
}

/* The parts, then the analyses. */
static const char *words(const char *option, size_t i)
{
	if (strcmp(option, "section"))
		return NULL;
	if (i < XTR_VIEW_PART_COUNT)
		return xtr_view_part_name((unsigned int)i);
	i -= XTR_VIEW_PART_COUNT;
	return i < xtr_n_analyses ? xtr_analyses[i]->name : NULL;
}

const struct cli_command cmd_stats = {
	.name = "stats",
	.summary = "what the recorded GPU and NPU jobs did: times, waits, utilisation, losses",
	.args = "FILE",
	.examples = "xtr stats run.xtr\teverything\n"
		    "xtr stats --findings run.xtr\tonly what is worth a look",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.opts_size = sizeof(struct stats_opts),
	.words = words,
	.defaults = defaults,
	.run = run,
};
