/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr recover: what is good of a damaged trace, as a whole one. */
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"
#include "recover_killed.h"
#include "trace.h"

#include "base/checked.h"
#include "format/write/recover.h"
#include "format/xtr_format.h"
#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	HOLES_SHOWN = 5
};

#define NS 1000000000u /* in a second */

struct recover_opts {
	const char *output, *drop;
	bool force, json, killed;
};

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct recover_opts, output),
	  "write here, \"-\" for standard output; else named after the trace" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct recover_opts, force),
	  "replace an existing file" },
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct recover_opts, json),
	  "print a report as JSON (schema xtr.recover/1)" },
	{ 0, "killed", NULL, CLI_FLAG, offsetof(struct recover_opts, killed),
	  "add what FILE's recorder, which was killed, had not written; without FILE: list what there is" },
	{ 0, "drop", "ID", CLI_STRING, offsetof(struct recover_opts, drop),
	  "with --killed: remove what the dead recorder ID left, for good; 'all': of every one" },
};

struct recover_run {
	const struct recover_opts *o;
	const char *path;
	struct xtr_reader *reader;
	struct outfile out;
	struct xtr_recover_hole *hole; /* of all sections */
	size_t n_holes, cap_holes;
	uint64_t holes;                /* those for which there was no memory, too */
	bool no_memory;                /* for one of them */
	struct xtr_recover_result sum; /* of all sections */
	size_t unsure;                 /* sections of which the end is gone */
	struct killed *killed;         /* NULL: not asked for */
	bool kept;                     /* the input is no file, but what a flight recorder kept */
};

static void on_hole(void *ctx, const struct xtr_recover_hole *h)
{
	struct recover_run *r = ctx;

	r->holes++;
	if (r->n_holes == r->cap_holes) {
		size_t cap = r->cap_holes ? 2 * r->cap_holes : 64;
		void *p = reallocarray(r->hole, cap, sizeof(*r->hole));

		if (!p) {
			r->no_memory = true;
			return;
		}
		r->hole = p;
		r->cap_holes = cap;
	}
	r->hole[r->n_holes++] = *h;
}

static void on_progress(void *ctx, uint64_t done, uint64_t all)
{
	cli_progress(((struct recover_run *)ctx)->path, done, all);
}

/* Bytes that belong to no section, or to one that only a newer xtr can read, are left out. */
static bool left_out(const struct xtr_reader *r)
{
	for (size_t i = 0, s = 0; i < xtr_reader_n_problems(r); i++) {
		const struct xtr_problem *p = xtr_reader_problem(r, i);
		const struct xtr_section *sec;

		if (xtr_problem_is_fatal(p->code))
			return true;
		while ((sec = xtr_reader_section(r, s)) &&
		       xtr_section_offset(sec) + xtr_section_size(sec) <= p->offset)
			s++;
		if (p->code == XTR_P_LOST_SYNC && (!sec || p->offset < xtr_section_offset(sec)))
			return true;
	}
	return false;
}

static void add_up(struct recover_run *r, const struct xtr_recover_result *one)
{
	struct xtr_recover_result *sum = &r->sum;

	sum->chunks += one->chunks;
	sum->kept += one->kept;
	sum->events += one->events;
	sum->missing = xtr_sat_add(sum->missing, one->missing);
	sum->bytes += one->bytes;
	sum->complete &= one->complete || !one->written;
	r->unsure += one->unsure;
}

static int on_end(void *ctx, struct xtr_recover_more *m)
{
	return killed_append(((struct recover_run *)ctx)->killed, m);
}

static int all_sections(struct recover_run *r)
{
	struct xtr_recover_opts o = {
		.sz = sizeof(o),
		.hole = on_hole,
		.progress = on_progress,
		.ctx = r,
	};
	struct outfile_io io;
	int err = 0;

	outfile_io_init(&io, &r->out);
	r->sum.complete = !left_out(r->reader);
	for (size_t i = 0; i < xtr_reader_n_sections(r->reader) && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(r->reader, i);
		struct xtr_recover_result res;

		o.more = r->killed && killed_is_of(r->killed, s) ? on_end : NULL;
		err = xtr_recover(r->reader, i, &io.io, &o, &res);
		add_up(r, &res);
	}
	cli_progress_done();
	return !err && r->no_memory ? -ENOMEM : err;
}

/* --- what is said ----------------------------------------------------------------------------- */

/* "CPU 3", or that it is not known. */
static const char *cpu(char s[32], uint32_t stream)
{
	if (stream == XTR_STREAM_NONE)
		return "of an unknown CPU";
	snprintf(s, 32, "of CPU %" PRIu32, stream);
	return s;
}

static void say_hole(const struct recover_run *r, const struct xtr_recover_hole *h)
{
	char s[32], place[64];

	if (h->seq)
		snprintf(place, sizeof(place), "%s chunk %" PRIu32 " at 0x%" PRIx64,
			 h->gone ? "before" : "in", h->seq, h->offset);
	else
		snprintf(place, sizeof(place), "before the end at 0x%" PRIx64, h->offset);
	cli_warn("'%s': %s %s missing %s, between %" PRIu64 ".%09" PRIu64 " and %" PRIu64
		 ".%09" PRIu64 " s",
		 r->path, cli_events(h->events), cpu(s, h->stream), place, h->first / NS,
		 h->first % NS, h->last / NS, h->last % NS);
}

static void say(const struct recover_run *r)
{
	const struct xtr_recover_result *sum = &r->sum;
	bool to_stdout = !strcmp(r->out.path, "-");

	for (size_t i = 0; i < r->n_holes && i < HOLES_SHOWN; i++)
		say_hole(r, &r->hole[i]);
	if (r->holes > HOLES_SHOWN)
		cli_warn("'%s': %s more places: --json shows all", r->path,
			 cli_count(r->holes - HOLES_SHOWN));
	if (r->unsure)
		cli_warn("'%s': the end of the recording is missing: what came after is not known",
			 r->path);
	if (cli_quiet)
		return;
	fprintf(stderr, "%s of %s chunks kept, %s; missing: %s%s\n", cli_count(sum->kept),
		cli_count(sum->chunks), cli_events(sum->events), r->unsure ? "at least " : "",
		cli_events(sum->missing));
	fprintf(stderr, "wrote %s, %s\n", to_stdout ? "to standard output" : r->out.path,
		cli_bytes(sum->bytes));
}

static void print_holes(struct xtr_json *j, const struct recover_run *r)
{
	xtr_json_kv_array(j, "holes");
	for (size_t i = 0; i < r->n_holes; i++) {
		const struct xtr_recover_hole *h = &r->hole[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "offset", h->offset);
		xtr_json_kv_u64_if(j, "chunk", h->seq, h->seq);
		xtr_json_kv_bool(j, "gone", h->gone);
		xtr_json_kv_u64_if(j, "cpu", !(h->stream == XTR_STREAM_NONE), h->stream);
		xtr_json_kv_u64(j, "first_ns", h->first);
		xtr_json_kv_u64(j, "last_ns", h->last);
		xtr_json_kv_u64(j, "events", h->events);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void print_json(FILE *f, const struct recover_run *r)
{
	struct xtr_json j;

	xtr_json_document(&j, f, "xtr.recover/1");
	xtr_json_kv_str(&j, "file", r->path);
	xtr_json_kv_str(&j, "output", r->out.path);
	xtr_json_kv_u64(&j, "bytes", r->sum.bytes);
	xtr_json_kv_u64(&j, "sections", xtr_reader_n_sections(r->reader));
	xtr_json_kv_u64(&j, "chunks", r->sum.chunks);
	xtr_json_kv_u64(&j, "chunks_kept", r->sum.kept);
	xtr_json_kv_u64(&j, "events", r->sum.events);
	xtr_json_kv_u64(&j, "missing", r->sum.missing);
	xtr_json_kv_bool(&j, "missing_is_exact", !r->unsure);
	xtr_json_kv_bool(&j, "complete", r->sum.complete);
	print_holes(&j, r);
	cli_json_reader_problems(&j, r->reader);
	xtr_json_document_end(&j);
}

/* --- the command ------------------------------------------------------------------------------ */

static int recover(struct recover_run *r)
{
	int err = cli_verify(r->reader, "verifying"), status;

	if (!err) {
		if (!r->kept)
			cli_report_problems(r->path, r->reader, HOLES_SHOWN);
		err = all_sections(r);
	}
	status = outfile_end(&r->out, r->path, err);
	if (status != XTR_EXIT_OK)
		return status;
	say(r);
	if (r->killed)
		killed_done(r->killed, r->out.path);
	if (r->o->json)
		print_json(cli_out(), r);
	return r->sum.complete ? XTR_EXIT_OK : XTR_EXIT_LOSS;
}

/* What a flight recorder kept is in no file. */
static int open_input(struct recover_run *r)
{
	int status = XTR_EXIT_OK;

	if (r->o->killed)
		status = killed_open_flight(&r->killed, r->path, &r->reader);
	r->kept = r->reader;
	if (status != XTR_EXIT_OK || r->kept)
		return status;
	r->reader = cli_open_trace(r->path, &status);
	if (!r->reader)
		return status;
	return r->o->killed ? killed_open(&r->killed, r->path, r->reader) : XTR_EXIT_OK;
}

static int run(const void *opts, int argc, char **argv)
{
	struct recover_run r = { .o = opts };
	int status;

	if (r.o->drop && (!r.o->killed || argc))
		return cli_usage_error(&cmd_recover, "--drop requires --killed and no file");
	if (r.o->drop)
		return killed_drop(r.o->drop);
	if (r.o->killed && !argc)
		return killed_list();
	if (argc != 1)
		return cli_one_file(&cmd_recover, argc);
	if (r.o->json && r.o->output && !strcmp(r.o->output, "-"))
		return cli_usage_error(&cmd_recover, "--json and -o - both want standard output");
	r.path = argv[0];
	status = open_input(&r);
	if (!r.reader)
		return status;
	/* Opened first, so that nothing is read for an output that cannot be written. */
	if (status == XTR_EXIT_OK)
		status =
			outfile_open_for(&r.out, r.o->output, r.path, ".recovered.xtr", r.o->force);
	if (status == XTR_EXIT_OK)
		status = recover(&r);
	killed_close(r.killed);
	xtr_reader_close(r.reader);
	free(r.hole);
	outfile_free(&r.out);
	return status;
}

const struct cli_command cmd_recover = {
	.name = "recover",
	.summary = "write the intact part of a damaged trace as a whole one",
	.args = "[FILE]",
	.examples = "xtr recover damaged.xtr\tinto damaged.recovered.xtr",
	CLI_OPTIONS(options, struct recover_opts),
	.run = run,
};
