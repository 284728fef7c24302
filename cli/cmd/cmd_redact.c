/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr redact: the same trace without what tells of people and machines; and the proof of it. */
#include "base/json.h"
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"
#include "cli/ui/text.h"
#include "replay/redact/redact.h"
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What `xtr redact` says of what it did: lines for people, JSON for programs. */
struct redact_opts {
	const char *output, *policy, *check;
	struct cli_list canaries;
	uint64_t key;
	bool force, json;
};

/* One of the files. */
struct redact_file {
	const char *path;
	char *output; /* NULL: as -o says */
	struct xtr_reader *reader;
	struct xtr_redact_result sum; /* of its sections */
};

struct redact_run {
	const struct redact_opts *o;
	struct redact_file file[XTR_REDACT_FILES_MAX];
	size_t n;
	unsigned int policy;
	struct xtr_reader *other; /* that is checked */
	struct xtr_redact *redact;
	struct outfile out;
	uint64_t tried, found;
};

/* --- redact say ------------------------------------------------------------------------------- */

enum {
	FOUND_SHOWN = 20
};

/* Add the result of a section to that of its file. */
static void redact_add(struct xtr_redact_result *sum, const struct xtr_redact_result *one)
{
	sum->events += one->events;
	sum->attachments += one->attachments;
	sum->chunks += one->chunks;
	sum->bytes += one->bytes;
	sum->ids = one->ids;
	sum->texts = one->texts;
}

static struct xtr_redact_result sum_of(const struct redact_run *r)
{
	struct xtr_redact_result sum = { 0 };

	for (size_t i = 0; i < r->n; i++)
		redact_add(&sum, &r->file[i].sum);
	return sum;
}

/* Where a file goes: "-", or its name. */
static const char *redact_output(const struct redact_run *r, const struct redact_file *f)
{
	return f->output ? f->output : r->o->output;
}

static void say(const struct redact_run *r)
{
	const struct xtr_redact_result sum = sum_of(r);

	for (size_t i = 0; i < r->n; i++) {
		const struct redact_file *f = &r->file[i];
		const char *output = redact_output(r, f);

		if (f->sum.attachments)
			cli_warn("'%s': %s attached files are left out", f->path,
				 cli_count(f->sum.attachments));
		if (f->sum.chunks)
			cli_warn("'%s': %s chunks of unknown types are left out", f->path,
				 cli_count(f->sum.chunks));
		if (cli_quiet)
			continue;
		fprintf(stderr, "%s: %s%s", !strcmp(output, "-") ? "redacted" : output,
			cli_events(f->sum.events), i + 1 < r->n ? "\n" : "");
	}
	if (cli_quiet)
		return;
	if (r->n > 1)
		fprintf(stderr, "\nalike in all %zu files: ", r->n);
	else
		fputs(", ", stderr);
	fprintf(stderr, "%s texts and %s process and thread ids replaced\n", cli_count(sum.texts),
		cli_count(sum.ids));
}

static void begin_json(struct xtr_json *j, FILE *f, const struct redact_run *r)
{
	xtr_json_document(j, f, "xtr.redact/1");
	xtr_json_kv_str(j, "file", r->n == 1 ? r->file[0].path : NULL);
	xtr_json_kv_str(j, "policy", xtr_redact_policy_name(r->policy));
}

static void json_counts(struct xtr_json *j, const struct xtr_redact_result *s)
{
	xtr_json_kv_u64(j, "events", s->events);
	xtr_json_kv_u64(j, "attachments_left_out", s->attachments);
	xtr_json_kv_u64(j, "chunks_left_out", s->chunks);
	xtr_json_kv_u64(j, "bytes", s->bytes);
}

static void json_files(struct xtr_json *j, const struct redact_run *r)
{
	xtr_json_kv_array(j, "files");
	for (size_t i = 0; i < r->n; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "file", r->file[i].path);
		xtr_json_kv_str(j, "output", redact_output(r, &r->file[i]));
		json_counts(j, &r->file[i].sum);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void print_json(FILE *f, const struct redact_run *r)
{
	const struct xtr_redact_result sum = sum_of(r);
	size_t sections = 0;
	struct xtr_json j;

	for (size_t i = 0; i < r->n; i++)
		sections += xtr_reader_n_sections(r->file[i].reader);
	begin_json(&j, f, r);
	xtr_json_kv_str(&j, "output", r->n == 1 ? redact_output(r, &r->file[0]) : NULL);
	xtr_json_kv_u64(&j, "sections", sections);
	xtr_json_kv_u64(&j, "texts", sum.texts);
	xtr_json_kv_u64(&j, "ids", sum.ids);
	json_counts(&j, &sum);
	json_files(&j, r);
	xtr_json_document_end(&j);
}

/* What was replaced and left out: on stderr, and with --json on standard output. */
static void redact_say(const struct redact_run *r)
{
	say(r);
	if (r->o->json)
		print_json(cli_out(), r);
}

/* --- checking --------------------------------------------------------------------------------- */

/* One thing that --check found; ctx is the run. Counts it. */
static void redact_say_found(void *ctx, const struct xtr_redact_found *f)
{
	struct redact_run *r = ctx;

	r->found++;
	if (r->o->json || r->found > FOUND_SHOWN)
		return;
	fprintf(stderr, "xtr: '%s': %s at 0x%" PRIx64 ": ", r->o->check, f->where, f->offset);
	if (f->text)
		cli_put(stderr, f->text, 0);
	else if (f->is_id)
		fprintf(stderr, "thread id %" PRIu64 " was not replaced", f->pointer);
	else if (f->is_context)
		fprintf(stderr, "fence context %" PRIu64 " was not replaced", f->pointer);
	else
		fprintf(stderr, "pointer 0x%" PRIx64, f->pointer);
	fputc('\n', stderr);
}

/* What --check came to. */
static void redact_say_checked(const struct redact_run *r)
{
	FILE *f = cli_out();
	struct xtr_json j;

	if (r->o->json) {
		begin_json(&j, f, r);
		xtr_json_kv_str(&j, "checked", r->o->check);
		xtr_json_kv_u64(&j, "looked_for", r->tried);
		xtr_json_kv_u64(&j, "found", r->found);
		xtr_json_document_end(&j);
		return;
	}
	if (r->found > FOUND_SHOWN)
		fprintf(stderr, "xtr: and %s more\n", cli_count(r->found - FOUND_SHOWN));
	fprintf(f, "%s: of %s private texts and pointers of %s%s ", r->o->check,
		cli_count(r->tried), r->file[0].path, r->n > 1 ? " and the others" : "");
	if (r->found)
		fprintf(f, "some are there, in %s places\n", cli_count(r->found));
	else
		fputs("none is there\n", f);
}

/* --- the rest --------------------------------------------------------------------------------- */

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct redact_opts, output),
	  "write here, \"-\" for standard output, or into this directory; else named after the trace" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct redact_opts, force),
	  "replace an existing file" },
	{ 0, "policy", "NAME", CLI_STRING, offsetof(struct redact_opts, policy),
	  "default, or strict: numbers of unknown meaning and wall clocks go, too" },
	{ 0, "check", "REDACTED", CLI_STRING, offsetof(struct redact_opts, check),
	  "write nothing: search REDACTED for what redacting the files removes" },
	{ 0, "canary", "TEXT", CLI_LIST, offsetof(struct redact_opts, canaries),
	  "with --check: this must not be in REDACTED either; may be repeated" },
	{ 0, "key", "NUMBER", CLI_U64, offsetof(struct redact_opts, key),
	  "for tests: of the mapping of pointers, which is random otherwise" },
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct redact_opts, json),
	  "print a report as JSON (schema xtr.redact/1)" },
};

static void on_progress(void *ctx, uint64_t done, uint64_t all)
{
	(void)ctx;
	cli_progress("redacting", done, all);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* first: the number of the file's first section among those of all. */
static int all_sections(struct redact_run *r, struct redact_file *f, size_t first)
{
	const size_t n = xtr_reader_n_sections(f->reader);
	struct outfile_io io;
	int err = 0;

	outfile_io_init(&io, &r->out);
	for (size_t i = 0; i < n && !err; i++) {
		struct xtr_redact_result res;

		err = xtr_redact_section(r->redact, first + i, &io.io, &res);
		redact_add(&f->sum, &res);
	}
	cli_progress_done();
	return err;
}

/* 0, or the exit status after a line of what is wrong. */
static int look(struct redact_run *r)
{
	const struct xtr_redact_opts o = {
		.sz = sizeof(o),
		.policy = (enum xtr_redact_policy)r->policy,
		.key = r->o->key,
		.progress = on_progress,
	};
	const struct xtr_reader *readers[XTR_REDACT_FILES_MAX];
	int err;

	for (size_t i = 0; i < r->n; i++)
		readers[i] = r->file[i].reader;
	err = xtr_redact_new_set(&r->redact, readers, r->n, &o);
	cli_progress_done();
	return err ? cli_failed(r->file[0].path, err) : XTR_EXIT_OK;
}

static int write_one(struct redact_run *r, struct redact_file *f, size_t first)
{
	int status = outfile_open(&r->out, redact_output(r, f), r->o->force);

	if (status != XTR_EXIT_OK)
		return status;
	return outfile_end(&r->out, f->path, all_sections(r, f, first));
}

/* The same name twice would be one file. */
static int check_outputs(const struct redact_run *r)
{
	int status = XTR_EXIT_OK;

	for (size_t i = 0; i < r->n && status == XTR_EXIT_OK; i++) {
		const char *output = redact_output(r, &r->file[i]);

		for (size_t k = 0; k < i; k++) {
			if (strcmp(output, redact_output(r, &r->file[k])) != 0)
				continue;
			cli_error("'%s' and '%s' would both become '%s'", r->file[k].path,
				  r->file[i].path, output);
			return XTR_EXIT_FAILURE;
		}
		if (strcmp(output, "-") != 0)
			status = outfile_check(output, r->o->force);
	}
	return status;
}

static int redact(struct redact_run *r)
{
	int status = check_outputs(r);
	size_t first = 0;

	if (status == XTR_EXIT_OK)
		status = look(r);
	for (size_t i = 0; i < r->n && status == XTR_EXIT_OK; i++) {
		status = write_one(r, &r->file[i], first);
		first += xtr_reader_n_sections(r->file[i].reader);
	}
	if (status != XTR_EXIT_OK)
		return status;
	redact_say(r);
	return XTR_EXIT_OK;
}

/* --- checking --------------------------------------------------------------------------------- */

static int check_opened(struct redact_run *r)
{
	int status = look(r), err;

	if (status != XTR_EXIT_OK)
		return status;
	err = xtr_redact_collect(r->redact);
	cli_progress_done();
	if (err)
		return cli_failed(r->file[0].path, err);
	err = xtr_redact_search(r->redact, r->other, r->o->canaries.v, r->o->canaries.n,
				redact_say_found, r, &r->tried);
	if (err)
		return cli_failed(r->o->check, err);
	redact_say_checked(r);
	return r->found ? XTR_EXIT_THRESHOLD : XTR_EXIT_OK;
}

/* --- the command ------------------------------------------------------------------------------ */

/* What cannot be read might be anything. */
static int verify(const char *path, struct xtr_reader *reader)
{
	return cli_verify_whole(path, reader, "what cannot be read cannot be redacted", "redacted");
}

/* Ids are ranks among those of all files that were redacted together. */
static void warn_of_others(const struct redact_run *r)
{
	const struct xtr_section *s = xtr_reader_section(r->other, 0);
	uint64_t n;

	if (s && xtr_meta_config_u64(xtr_section_meta(s), "redacted-files", &n) && n != r->n)
		cli_warn(
			"'%s' was redacted together with others, %s in all: give all their originals",
			r->o->check, cli_count(n));
}

static int check(struct redact_run *r)
{
	int status;

	r->other = cli_open_trace(r->o->check, &status);
	if (!r->other)
		return status;
	status = verify(r->o->check, r->other);
	if (status == XTR_EXIT_OK) {
		warn_of_others(r);
		status = check_opened(r);
	}
	xtr_reader_close(r->other);
	return status;
}

/* Of each file its own output, unless -o names the one that there is. */
static int name_output(const struct redact_run *r, struct redact_file *f, const char *dir)
{
	char *name;

	if (r->o->output && !dir)
		return 0;
	name = outfile_name_for(f->path, ".redacted.xtr");
	if (!name || !dir) {
		f->output = name;
		return name ? 0 : -ENOMEM;
	}
	if (asprintf(&f->output, "%s/%s", dir, name) < 0)
		f->output = NULL;
	free(name);
	return f->output ? 0 : -ENOMEM;
}

/* *lost: what else the exit status is. */
static int open_one(struct redact_run *r, const char *path, const char *dir, int *lost)
{
	struct redact_file *f = &r->file[r->n];
	int status, loss;

	f->path = path;
	if (name_output(r, f, dir))
		return cli_failed(path, -ENOMEM);
	f->reader = cli_open_trace(path, &status);
	r->n++;
	if (!f->reader)
		return status;
	status = verify(path, f->reader);
	if (status != XTR_EXIT_OK)
		return status;
	loss = cli_report_loss(path, f->reader);
	if (loss != XTR_EXIT_OK)
		*lost = loss;
	return XTR_EXIT_OK;
}

static int run_all(struct redact_run *r, int argc, char **argv, const char *dir)
{
	int lost = XTR_EXIT_OK, status = XTR_EXIT_OK;

	for (int i = 0; i < argc && status == XTR_EXIT_OK; i++)
		status = open_one(r, argv[i], dir, &lost);
	if (status != XTR_EXIT_OK)
		return status;
	return (r->o->check ? check(r) : redact(r)) ?: lost;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int check_files(const struct redact_opts *o, int argc, char **argv)
{
	int dashes = 0;

	if (!argc)
		return cli_usage_error(&cmd_redact, "redact: which file?");
	if (argc > (int)XTR_REDACT_FILES_MAX)
		return cli_usage_error(&cmd_redact, "at most %u files together",
				       XTR_REDACT_FILES_MAX);
	for (int i = 0; i < argc; i++)
		dashes += !strcmp(argv[i], "-");
	if (dashes > 1)
		return cli_usage_error(&cmd_redact, "standard input is one file only");
	if (argc > 1 && o->output && !is_dir(o->output))
		return cli_usage_error(&cmd_redact,
				       "-o: of several files it must be a directory, not '%s'",
				       o->output);
	return XTR_EXIT_OK;
}

static int check_options(struct redact_run *r, int argc, char **argv)
{
	const struct redact_opts *o = r->o;
	const char *name = NULL;

	if (o->check && o->output)
		return cli_usage_error(&cmd_redact, "--check writes nothing: no -o");
	if (o->canaries.n && !o->check)
		return cli_usage_error(&cmd_redact, "--canary requires --check");
	if (o->json && o->output && !strcmp(o->output, "-"))
		return cli_usage_error(&cmd_redact, "--json and -o - both want standard output");
	while (o->policy && (name = xtr_redact_policy_name(r->policy)) && strcmp(name, o->policy))
		r->policy++;
	if (o->policy && !name)
		return cli_usage_error(&cmd_redact, "--policy: default or strict, not '%s'",
				       o->policy);
	return check_files(o, argc, argv);
}

static int run(const void *opts, int argc, char **argv)
{
	const struct redact_opts *o = opts;
	struct redact_run *r = calloc(1, sizeof(*r));
	int status;

	if (!r)
		return cli_failed("redact", -ENOMEM);
	r->o = o;
	status = check_options(r, argc, argv)
			 ?: run_all(r, argc, argv, is_dir(o->output) ? o->output : NULL);
	xtr_redact_free(r->redact);
	for (size_t i = 0; i < r->n; i++) {
		xtr_reader_close(r->file[i].reader);
		free(r->file[i].output);
	}
	free(r);
	return status;
}

static const char *words(const char *option, size_t i)
{
	return strcmp(option, "policy") ? NULL : xtr_redact_policy_name((unsigned int)i);
}

const struct cli_command cmd_redact = {
	.name = "redact",
	.summary = "write a trace without names of people, programs and machines, and prove it",
	.args = "FILE...",
	.examples = "xtr redact run.xtr\tinto run.redacted.xtr\n"
		    "xtr redact --check run.redacted.xtr run.xtr\tis nothing private left in it?",
	CLI_OPTIONS(options, struct redact_opts),
	.words = words,
	.run = run,
};
