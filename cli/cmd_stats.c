/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr stats: the answers. */
#include "cli.h"
#include "replay_cmd.h"
#include "analysis/view.h"

#include <string.h>

struct stats_opts {
	struct replay_opts replay;
	bool json, findings;
	uint64_t top;
	struct cli_list sections;
};

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct stats_opts, json),
	  "JSON for programs (docs/stats-json.md)" },
	{ 0, "findings", NULL, CLI_FLAG, offsetof(struct stats_opts, findings),
	  "only what is worth a look, as --section findings" },
	{ 's', "section", "NAME", CLI_LIST, offsetof(struct stats_opts, sections),
	  "only this part: findings, devices, rings, processes, clients, waits, depth, dependencies, "
	  "slowest, unusual, calls, families, allocations, power, firmware, api, tree, "
	  "amdgpu, "
	  "xe, "
	  "nvidia, xid, "
	  "display, "
	  "fences, "
	  "cpu, "
	  "histograms, events" },
	{ 't', "top", "N", CLI_U64, offsetof(struct stats_opts, top),
	  "rows of slowest jobs, longest waits and dependency waits (10)" },
	REPLAY_OPTIONS(struct stats_opts, replay),
};

static void defaults(void *opts)
{
	((struct stats_opts *)opts)->top = 10;
}

/* One run of the command, over all sections. */
struct stats_run {
	const struct stats_opts *o;
	struct replay_cmd cmd;
	struct xtr_stats *stats;
	struct xtr_analyses *analyses;
	uint64_t parts;
};

static int on_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_stats_event(((struct stats_run *)ctx)->stats, ev);
}

static int gather(struct stats_run *r, const struct xtr_section *s, struct xtr_view *v)
{
	struct xtr_stats_opts so = {
		.sz = sizeof(so),
		.meta = xtr_section_meta(s),
		.tables = xtr_section_tables(s),
		.top = (uint32_t)r->o->top,
	};
	int ret;

	replay_select(&r->cmd, s, &so.select);
	/* Findings come from all of them. */
	ret = xtr_analyses_new(
		&r->analyses, so.meta, so.tables, &so.select,
		xtr_view_analyses(r->parts & 1ull << XTR_VIEW_FINDINGS ? ~0ull : r->parts), so.top);
	so.analyses = r->analyses;
	if (!ret)
		ret = xtr_stats_new(&r->stats, &so);
	if (!ret)
		ret = replay_play(&r->cmd, s, NULL, 0, on_event, r);
	if (!ret)
		ret = xtr_stats_finish(r->stats);
	v->section = s;
	v->stats = r->stats;
	v->analyses = r->analyses;
	v->top = (uint32_t)r->o->top;
	v->problems = xtr_reader_n_problems(r->cmd.reader) + r->cmd.damaged;
	v->problem = xtr_reader_n_problems(r->cmd.reader)
			     ? xtr_reader_problem(r->cmd.reader, 0)->code
			     : r->cmd.damage;
	return ret;
}

static int section_text(struct stats_run *r, size_t i)
{
	struct xtr_view v = { .path = r->cmd.path, .parts = r->parts };
	int ret = gather(r, xtr_reader_section(r->cmd.reader, i), &v);

	if (ret)
		return ret;
	v.f = replay_out(&r->cmd);
	if (i)
		fputc('\n', v.f);
	return xtr_view_text(&v);
}

static int section_json(struct stats_run *r, size_t i, struct xtr_json *j)
{
	struct xtr_view v = { .path = r->cmd.path, .parts = r->parts };
	int ret = gather(r, xtr_reader_section(r->cmd.reader, i), &v);

	if (!ret)
		xtr_view_json(&v, j);
	return ret;
}

static int all_sections(struct stats_run *r)
{
	size_t i, n = xtr_reader_n_sections(r->cmd.reader);
	struct xtr_json j;
	int ret = 0;

	if (r->o->json) {
		xtr_json_init(&j, replay_out(&r->cmd), true);
		xtr_json_begin_object(&j);
		xtr_json_kv_str(&j, "schema", "xtr.stats/1");
		xtr_json_kv_str(&j, "file", r->cmd.path);
		xtr_json_kv_array(&j, "sections");
	}
	for (i = 0; i < n && !ret; i++) {
		ret = r->o->json ? section_json(r, i, &j) : section_text(r, i);
		xtr_stats_free(r->stats);
		xtr_analyses_free(r->analyses);
		r->stats = NULL;
		r->analyses = NULL;
	}
	if (r->o->json && !ret) {
		xtr_json_end_array(&j);
		xtr_json_end_object(&j);
		xtr_json_newline(&j);
	}
	return ret;
}

extern const struct cli_command cmd_stats;

static int run(const void *opts, int argc, char **argv)
{
	struct stats_run r = { .o = opts };
	size_t i;
	int status;

	for (i = 0; i < r.o->sections.n; i++) {
		uint64_t bit = xtr_view_part_bit(r.o->sections.v[i]);

		if (!bit)
			return cli_usage_error(&cmd_stats, "no such section: '%s'",
					       r.o->sections.v[i]);
		r.parts |= bit;
	}
	if (r.o->findings)
		r.parts |= 1ull << XTR_VIEW_FINDINGS;
	if (!r.parts)
		r.parts = ~0ull;
	if (r.o->top > 10000)
		return cli_usage_error(&cmd_stats, "--top: at most 10000");
	status = replay_begin(&r.cmd, &cmd_stats, &r.o->replay, argc, argv);
	if (status != XTR_EXIT_OK)
		return status;
	return replay_end(&r.cmd, all_sections(&r));
}

const struct cli_command cmd_stats = {
	.name = "stats",
	.summary = "what the recorded GPU and NPU jobs did: times, waits, utilisation, losses",
	.args = "FILE",
	.about =
		"Reads a trace once and prints, losses first: jobs, execution time, utilisation, waits "
		"and queue depth by device, ring, process and DRM client; the slowest jobs; which "
		"fences were waited for; what was unfinished or unusual.\n\n"
		"Execution time is from the start on the hardware to completion. No event tells the "
		"start: on rings that execute in order it is the later of the hand-over to the driver "
		"and the completion of the job before (inferred); where jobs overlap only bounds are "
		"given. Beside every time stands how it is known. Utilisation is the share of the "
		"time in which at least one job was there, never a sum.\n\n"
		"jobs: all that were seen. util: busy divided by the time span. busy: time with at least "
		"one job between run and done (processes and clients: executing). execution: the sum over "
		"jobs, or its bounds. Durations carry their unit; done and from are seconds on the "
		"event clock. Residence is done - run; queue wait is run - queue; hw wait is start - run; "
		"dependency wait is the time a queued job waited for a fence; blocked is its share of queue "
		"wait. Queue depth counts the jobs in the submitter's queue. (other fence): not of a "
		"scheduler job in the trace.\n\n"
		"known as: exact (one job at a time on the hardware), inferred, bounded; jobs may also be "
		"open (start or end not in the trace) or lost (records are missing). batches: "
		"interrupts that completed several jobs of a ring, in batches: those jobs; overtaken: "
		"a younger job of the ring completed earlier; by kernel: jobs the kernel submitted for "
		"itself.\n\n"
		"families, allocations, power (Intel NPU; docs/npu.md says what each number is): "
		"families counts the driver's calls by what they are for, with self time, the time "
		"without recorded calls inside. allocations keeps create, page allocation and bind at "
		"first submit apart, by size. power lists resumes and firmware boots and the ioctl that "
		"each happened in (paid by).\n\n"
		"display, fences, cpu (docs/display.md, fences.md, cpu.md): vblanks by the counter of "
		"each display, what was missed while somebody waited, and delivery from the vblank's own "
		"time; who waited for whose fences, which were never signalled, and rings that stood "
		"still meanwhile; jobs that were late because a thread had no CPU.\n\n"
		"Exit status 3: events were lost while recording, or the file is damaged.",
	.examples =
		"xtr stats run.xtr\teverything\n"
		"xtr stats --section rings --section waits run.xtr\ttwo parts of it\n"
		"xtr stats --findings run.xtr\tonly what is worth a look, with the limit of each rule\n"
		"xtr stats --pid 4711 --from 2s --to 3s run.xtr\tone process, one second of it\n"
		"xtr stats --json run.xtr | jq .sections[0].rings\tfor programs",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.opts_size = sizeof(struct stats_opts),
	.defaults = defaults,
	.run = run,
};
