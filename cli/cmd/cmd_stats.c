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
					       "--fail-on: '%s' is none of finding, finding:ID, "
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
	.about =
		"Reads a trace once and prints, losses first, and whether it was redacted: jobs, execution time, utilisation, waits "
		"and queue depth by device, ring, process and DRM client; the slowest jobs; which "
		"fences were waited for; what was unfinished or unusual.\n\n"
		"Execution time is from the start on the hardware to completion. No event tells the "
		"start: on rings that execute in order it is the later of the hand-over to the driver "
		"and the completion of the job before (inferred); where jobs overlap only bounds are "
		"given. Beside every time stands how it is known. Utilisation is the share of the "
		"time in which at least one job was there, never a sum.\n\n"
		"jobs: all that were seen. util: busy divided by the time span. busy: time with at least "
		"one job between run and done (processes and clients: executing). execution: the sum over "
		"jobs, or its bounds. Durations carry their unit, in three digits, rounded to the nearest; done and from are seconds on the "
		"event clock. Residence is done - run; queue wait is run - queue; hw wait is start - run; "
		"dependency wait is the time a queued job waited for a fence; blocked is its share of queue "
		"wait. Queue depth counts the jobs in the submitter's queue. (other fence): not of a "
		"scheduler job in the trace.\n\n"
		"known as: exact (measured, or one job at a time on the hardware), inferred, bounded; jobs may also be "
		"open (start or end not in the trace) or lost (records are missing). batches: "
		"interrupts that completed several jobs of a ring, in batches: those jobs; overtaken: "
		"a younger job of the ring completed earlier; by kernel: jobs the kernel submitted for "
		"itself.\n\n"
		"markers (docs/markers.md): slices, counters and moments that programs write into "
		"trace_marker, by name and process.\n\n"
		"families, allocations, power (Intel NPU; docs/npu.md says what each number is): "
		"families counts the driver's calls by what they are for, with self time, the time "
		"without recorded calls inside. allocations keeps create, page allocation and bind at "
		"first submit apart, by size. power lists resumes and firmware boots and the ioctl that "
		"each happened in (paid by).\n\n"
		"display, fences, cpu (docs/display.md, docs/fences.md, docs/cpu.md): vblanks by the counter of "
		"each display, what was missed while somebody waited, and delivery from the vblank's own "
		"time; who waited for whose fences, which were never signalled, and rings that stood "
		"still meanwhile; jobs that were late because a thread had no CPU.\n\n"
		"--fail-on is for machines that watch: finding is any finding that is worth a look (its line "
		"begins with !; the most severe come first), finding:ID those of an id (a shell pattern: finding:xe-*; one that no finding has is a usage error), METRIC.STATISTIC>TIME "
		"a ring of which this is more: execution (only where it is known; a warning where only its upper bound is more), residence, queue or hw (wait), "
		"and mean, p50, p90, p99 or max. What crosses it is said on standard error.\n\n"
		"Exit status 4: --fail-on was crossed. Exit status 3: else, if events were lost while "
		"recording, or the file is damaged.",
	.examples =
		"xtr stats run.xtr\teverything\n"
		"xtr stats --section rings --section waits run.xtr\ttwo parts of it\n"
		"xtr stats --findings run.xtr\tonly what is worth a look, with the limit of each rule\n"
		"xtr stats --pid 4711 --from 2s --to 3s run.xtr\tone process, one second of it\n"
		"xtr stats --fail-on 'execution.p99>50ms' --fail-on finding run.xtr\tfor a script\n"
		"xtr stats --json run.xtr | jq .sections[0].rings\tfor programs",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.opts_size = sizeof(struct stats_opts),
	.words = words,
	.defaults = defaults,
	.run = run,
};
