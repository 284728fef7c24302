/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr symbols: which files the stacks are in, and names for what the recorder could not name. */
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"
#include "cli/ui/text.h"
#include "trace.h"

#include "base/json.h"
#include "base/text.h"
#include "format/write/retable.h"
#include "symbols/debug_files.h"
#include "symbols/debug_names.h"
#include "symbols/modules.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

struct symbols_opts {
	const char *output;
	struct cli_list debug_dirs;
	bool force, json, debuginfod;
};

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct symbols_opts, output),
	  "write the trace with the names that were found, \"-\" for standard output" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct symbols_opts, force),
	  "replace an existing file" },
	{ 0, "debug-dir", "DIR", CLI_LIST, offsetof(struct symbols_opts, debug_dirs),
	  "look in DIR/.build-id too (repeatable), before /usr/lib/debug" },
	{ 0, "debuginfod", NULL, CLI_FLAG, offsetof(struct symbols_opts, debuginfod),
	  "ask the servers of $DEBUGINFOD_URLS for what is not on this machine" },
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct symbols_opts, json),
	  "print JSON (schema xtr.symbols/1)" },
};

struct symbols_run {
	const struct symbols_opts *o;
	const char *path;
	struct xtr_reader *reader;
	struct xtr_modules *modules;
	struct outfile out;
	uint64_t left_out; /* chunks */
};

/* --- finding names ---------------------------------------------------------------------------- */

static uint64_t without(const struct xtr_module *m)
{
	return m->frames - m->named - m->found;
}

/* A file that is not there, or not the right one, is none: the next one may be. */
static int try_file(struct symbols_run *r, size_t i, const char *file)
{
	int err = xtr_modules_name(r->modules, i, file);

	return err == -ENOMEM || err == -EFBIG ? err : 0;
}

static int try_debug_dir(struct symbols_run *r, size_t i, const char *dir)
{
	char file[PATH_MAX];

	if (xtr_debug_file(file, sizeof(file), dir, xtr_modules_at(r->modules, i)->build_id))
		return 0;
	return try_file(r, i, file);
}

/* 0, or the error after which nothing more is to be asked. */
static int ask_servers(struct symbols_run *r, size_t i)
{
	static const char *const kinds[] = { "debuginfo", "executable" };
	const struct xtr_module *m = xtr_modules_at(r->modules, i);
	char file[PATH_MAX];
	int err = 0;

	for (size_t k = 0; k < 2 && !err && without(m); k++) {
		err = xtr_debuginfod_find(file, sizeof(file), kinds[k], m->build_id);
		if (!err)
			err = try_file(r, i, file);
		else if (err == -ENODATA)
			err = 0;
	}
	return err;
}

/* Debug files first: they have more names than what is mapped. */
static int name_module(struct symbols_run *r, size_t i)
{
	const struct xtr_module *m = xtr_modules_at(r->modules, i);
	const struct cli_list *dirs = &r->o->debug_dirs;
	int err = 0;

	if (!*m->build_id)
		return 0;
	for (size_t k = 0; k < dirs->n && !err && without(m); k++)
		err = try_debug_dir(r, i, dirs->v[k]);
	if (!err && without(m))
		err = try_debug_dir(r, i, XTR_DEBUG_DIR);
	if (!err && without(m) && *m->path == '/')
		err = try_file(r, i, m->path);
	if (!err && without(m) && r->o->debuginfod)
		err = ask_servers(r, i);
	return err;
}

static int name_all(struct symbols_run *r)
{
	const size_t n = xtr_modules_n(r->modules);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		cli_progress("looking for names", i, n);
		err = name_module(r, i);
	}
	cli_progress_done();
	return err;
}

/* --- what is said ----------------------------------------------------------------------------- */

static struct xtr_module sum_of(const struct symbols_run *r)
{
	struct xtr_module sum = { .path = "" };

	for (size_t i = 0; i < xtr_modules_n(r->modules); i++) {
		const struct xtr_module *m = xtr_modules_at(r->modules, i);

		sum.frames += m->frames;
		sum.named += m->named;
		sum.found += m->found;
	}
	return sum;
}

static void say_sum(FILE *f, const struct symbols_run *r)
{
	const struct xtr_module sum = sum_of(r);
	const size_t n = xtr_modules_n(r->modules);

	fprintf(f, "%s: %s place%s in %s module%s: ", xtr_text_input(r->path),
		cli_count(sum.frames), sum.frames == 1 ? "" : "s", cli_count(n), n == 1 ? "" : "s");
	fprintf(f, "%s named by the trace, %s found here, %s without a name\n",
		cli_count(sum.named), cli_count(sum.found), cli_count(without(&sum)));
}

static void print_text(FILE *f, const struct symbols_run *r)
{
	const size_t n = xtr_modules_n(r->modules);

	say_sum(f, r);
	if (!n)
		return;
	fprintf(f, "\n%8s %8s %8s %8s  %-40s  module\n", "places", "named", "found", "without",
		"build id");
	for (size_t i = 0; i < n; i++) {
		const struct xtr_module *m = xtr_modules_at(r->modules, i);

		fprintf(f, "%8s %8s %8s ", cli_count(m->frames), cli_count(m->named),
			cli_count(m->found));
		fprintf(f, "%8s  %-40s  ", cli_count(without(m)), *m->build_id ? m->build_id : "-");
		cli_put(f, *m->path ? m->path : "-", 0);
		fputc('\n', f);
	}
}

static void json_counts(struct xtr_json *j, const struct xtr_module *m)
{
	xtr_json_kv_u64(j, "places", m->frames);
	xtr_json_kv_u64(j, "named", m->named);
	xtr_json_kv_u64(j, "found", m->found);
	xtr_json_kv_u64(j, "without", without(m));
}

static void print_json(FILE *f, const struct symbols_run *r)
{
	const struct xtr_module sum = sum_of(r);
	struct xtr_json j;

	xtr_json_document(&j, f, "xtr.symbols/1");
	xtr_json_kv_str(&j, "file", r->path);
	xtr_json_kv_str(&j, "output", r->o->output);
	json_counts(&j, &sum);
	xtr_json_kv_array(&j, "modules");
	for (size_t i = 0; i < xtr_modules_n(r->modules); i++) {
		const struct xtr_module *m = xtr_modules_at(r->modules, i);

		xtr_json_begin_object(&j);
		xtr_json_kv_str(&j, "module", m->path);
		xtr_json_kv_str(&j, "build_id", *m->build_id ? m->build_id : NULL);
		json_counts(&j, m);
		xtr_json_end_object(&j);
	}
	xtr_json_end_array(&j);
	xtr_json_document_end(&j);
}

static void hint(const struct symbols_run *r)
{
	const struct xtr_module sum = sum_of(r);

	if (cli_quiet)
		return;
	if (sum.found && !r->o->output)
		cli_hint("-o FILE writes the trace with the names that were found");
	if (without(&sum) && !r->o->debuginfod && xtr_debug_names_can_read())
		cli_hint("for what has no name, install debug packages here, or use --debuginfod");
}

/* --- writing ---------------------------------------------------------------------------------- */

static int all_sections(struct symbols_run *r)
{
	const size_t n = xtr_reader_n_sections(r->reader);
	struct xtr_retable_result res;
	struct outfile_io io;
	int err = 0;

	outfile_io_init(&io, &r->out);
	for (size_t i = 0; i < n && !err; i++) {
		err = xtr_retable(r->reader, xtr_reader_section(r->reader, i),
				  xtr_modules_tables(r->modules, i), &io.io, 0, &res);
		r->left_out += res.left_out;
	}
	return err;
}

static int write_named(struct symbols_run *r)
{
	int status = outfile_open(&r->out, r->o->output, r->o->force);

	if (status == XTR_EXIT_OK)
		status = outfile_end(&r->out, r->path, all_sections(r));
	outfile_free(&r->out);
	if (status == XTR_EXIT_OK && r->left_out)
		cli_warn("'%s': %s chunks of unknown types are left out", r->path,
			 cli_count(r->left_out));
	return status == XTR_EXIT_OK && r->left_out ? XTR_EXIT_LOSS : status;
}

/* --- the command ------------------------------------------------------------------------------ */

static int look(struct symbols_run *r)
{
	const bool to_stdout = r->o->output && !strcmp(r->o->output, "-");
	int err = xtr_modules_read(&r->modules, r->reader) ?: name_all(r);
	int status = XTR_EXIT_OK;

	if (err == -ENOENT) {
		cli_error("--debuginfod: 'debuginfod-find' is not installed");
		cli_hint("it is in package debuginfod, or elfutils-debuginfod-client");
		return XTR_EXIT_FAILURE;
	}
	if (err)
		return cli_failed(r->path, err);
	if (r->o->output)
		status = write_named(r);
	if (status != XTR_EXIT_OK && status != XTR_EXIT_LOSS)
		return status;
	if (r->o->json)
		print_json(cli_out(), r);
	else if (!r->o->output)
		print_text(cli_out(), r);
	else if (!cli_quiet)
		say_sum(to_stdout ? stderr : cli_out(), r);
	hint(r);
	return status;
}

static int run_opened(struct symbols_run *r)
{
	int lost, status = XTR_EXIT_OK;

	/* Only a whole trace is written: what is missing in a damaged one recover counts. */
	if (r->o->output)
		status = cli_verify_whole(r->path, r->reader, "no names are written into it",
					  "given names");
	if (status != XTR_EXIT_OK)
		return status;
	lost = cli_report_loss(r->path, r->reader);
	status = look(r);
	xtr_modules_free(r->modules);
	return status == XTR_EXIT_OK ? lost : status;
}

static int check_options(const struct symbols_opts *o, int argc)
{
	if (argc != 1)
		return cli_one_file(&cmd_symbols, argc);
	if (o->force && !o->output)
		return cli_usage_error(&cmd_symbols, "--force: there is no --output");
	if (o->json && o->output && !strcmp(o->output, "-"))
		return cli_usage_error(&cmd_symbols, "--json and -o - both want standard output");
	if ((o->output || o->debuginfod || o->debug_dirs.n) && !xtr_debug_names_can_read()) {
		cli_error("this xtr is built without elfutils, which finds names");
		cli_hint("without options, xtr symbols lists modules and build ids");
		return XTR_EXIT_FAILURE;
	}
	return XTR_EXIT_OK;
}

static int run(const void *opts, int argc, char **argv)
{
	struct symbols_run r = { .o = opts };
	int status = check_options(r.o, argc);

	if (status != XTR_EXIT_OK)
		return status;
	r.path = argv[0];
	r.reader = cli_open_trace(r.path, &status);
	if (!r.reader)
		return status;
	status = run_opened(&r);
	xtr_reader_close(r.reader);
	return status;
}

const struct cli_command cmd_symbols = {
	.name = "symbols",
	.summary = "list the files that stacks are in, and give functions their names later",
	.args = "FILE",
	.examples =
		"xtr symbols run.xtr\tmodules, build ids, and what has no name\n"
		"xtr symbols -o named.xtr run.xtr\twith names from debug files of this machine\n"
		"xtr symbols --debuginfod -o named.xtr run.xtr\tand from debuginfod servers",
	CLI_OPTIONS(options, struct symbols_opts),
	.run = run,
};
