/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr import: what another tool recorded becomes an .xtr file. */
#include "cli/ui/cli.h"
#include "foreign_files.h"
#include "cli/ui/outfile.h"
#include "bundle/open.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct import_opts {
	const char *format, *output;
	bool force, keep_pointers;
};

static const struct cli_option options[] = {
	{ 'f', "format", "FORMAT", CLI_STRING, offsetof(struct import_opts, format),
	  "what FILE is: tracedat, perfdata, perfetto, ftrace, perf, bpftrace (default: detected from its "
	  "content)" },
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct import_opts, output),
	  "write to FILE, - for standard output (default: the input's name with .xtr, or a pipe if "
	  "standard output is one)" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct import_opts, force),
	  "replace an existing file" },
	{ 0, "keep-pointers", NULL, CLI_FLAG, offsetof(struct import_opts, keep_pointers),
	  "write kernel addresses as they are, not hashed" },
};

/* "dir/trace.dat" gives "trace.xtr" in the current directory; "-" gives "import.xtr". */
static char *default_output(const char *input)
{
	const char *base = foreign_source(input) ? foreign_source(input) : "import";
	const char *dot = strrchr(base, '.');
	size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
	char *name = malloc(n + sizeof(".xtr"));

	if (name) {
		memcpy(name, base, n);
		strcpy(name + n, ".xtr");
	}
	return name;
}

static void progress(void *ctx, uint64_t done, uint64_t all)
{
	(void)ctx;
	cli_progress("importing", done, all);
}

static int failed(const char *input, const struct import_opts *o, struct xtr_io *in, int err,
		  const struct xtr_import_result *res)
{
	if (!res->format && o->format) {
		cli_error("-f: '%s' is not a format that xtr imports", o->format);
		for (const struct xtr_importer *i = xtr_importers; i->name; i++)
			cli_hint("%s: %s", i->name, i->what);
		return XTR_EXIT_USAGE;
	}
	if (!res->format && err == -EPROTONOSUPPORT && foreign_is_known(input, in))
		return XTR_EXIT_FAILURE;
	foreign_import_failed(input, err, res);
	if (err == -EPROTONOSUPPORT)
		cli_hint("name the format with -f if you know it");
	return XTR_EXIT_FAILURE;
}

static int summary(const char *input, const char *output, const struct xtr_import_result *res)
{
	if (res->damage)
		cli_warn("'%s': %s%s", input, res->text,
			 res->damage > 1 ? " (and more of this kind)" : "");
	if (res->lost)
		cli_warn("LOST %s%s %s: 'xtr info' shows which",
			 res->lost_unsure ? "at least " : "", cli_count(res->lost),
			 res->lost == 1 ? "event" : "events");
	if (!cli_quiet && strcmp(output, "-"))
		fprintf(stderr, "xtr: '%s': %s events imported (%s)%s\n", output,
			cli_count(res->events), res->format,
			res->no_times ? "; without times: order and counts only" : "");
	return res->damage || res->lost ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}

static int write_file(const struct foreign *f, const struct import_opts *o, struct xtr_io *in,
		      struct outfile *out)
{
	const struct xtr_import_opts opts = {
		.sz = sizeof(opts),
		.format = o->format,
		.source = foreign_source(f->path),
		.damage = f->damage[0] ? f->damage : NULL,
		.keep_pointers = o->keep_pointers,
		.progress = progress,
	};
	struct xtr_import_result res = { 0 };
	const char *input = f->path;
	struct outfile_io io;
	int err, status;

	outfile_io_init(&io, out);
	err = xtr_import_run(in, &io.io, &opts, &res);
	cli_progress_done();
	if (err) {
		status = outfile_broken(out) ? XTR_EXIT_FAILURE : failed(input, o, in, err, &res);
		outfile_abandon(out);
		return status;
	}
	return outfile_commit(out) ?: summary(input, out->path, &res);
}

/* As perf does: who pipes the command into another one and names no file means the pipe. */
static bool is_piped(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}

/* What every command takes as it is needs no import. */
static int refuse_own(const char *input, struct xtr_io *in)
{
	char magic[sizeof(XTR_MAGIC) - 1];
	const char *what = NULL;

	if (xtr_bundle_is(in))
		what = "a bundle of xtr";
	else if (!in->ops->read_at(in, 0, magic, sizeof(magic)) &&
		 !memcmp(magic, XTR_MAGIC, sizeof(magic)))
		what = "an .xtr recording";
	if (!what)
		return XTR_EXIT_OK;
	cli_error("'%s' is %s already", input, what);
	cli_hint("every command takes it as it is: xtr stats %s", input);
	return XTR_EXIT_FAILURE;
}

/* Without what it is wrapped in, and not xtr's own. in: to be closed, whatever the status. */
static int open_input(struct foreign *f, const char *input, struct xtr_io **in)
{
	int err = xtr_io_open_read(input, in);

	if (err && foreign_is_directory(input, err))
		return XTR_EXIT_FAILURE;
	if (err) {
		cli_failed(input, err);
		cli_hint_spool(input);
		return XTR_EXIT_FAILURE;
	}
	return foreign_unwrap(f, input, in) ?: refuse_own(input, *in);
}

static int import(const char *input, const char *output, const struct import_opts *o)
{
	struct xtr_io *in = NULL;
	struct outfile out;
	struct foreign f;
	int status = open_input(&f, input, &in) ?: outfile_open(&out, output, o->force) ?:
		     write_file(&f, o, in, &out);

	xtr_io_close(in);
	return status;
}

static int run(const void *opts, int argc, char **argv)
{
	const struct import_opts *o = opts;
	char *output;
	int status;

	if (argc != 1)
		return cli_one_file(&cmd_import, argc);
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message */
	if (o->output || is_piped())
		output = strdup(o->output ? o->output : "-");
	else
		output = default_output(argv[0]);
	if (!output) {
		cli_error("%s", cli_strerror(ENOMEM));
		return XTR_EXIT_FAILURE;
	}
	status = import(argv[0], output, o);
	free(output);
	return status;
}

static const char *words(const char *option, size_t i)
{
	return strcmp(option, "format") ? NULL : xtr_importers[i].name;
}

const struct cli_command cmd_import = {
	.name = "import",
	.summary = "make an .xtr file of another tool's trace",
	.args = "FILE",
	.examples = "xtr import trace.dat\tmakes trace.xtr",
	CLI_OPTIONS(options, struct import_opts),
	.words = words,
	.run = run,
};
