/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr cat: several traces in one file. */
#include "cli/ui/cli.h"
#include "join.h"
#include "cli/ui/outfile_io.h"
#include "trace.h"
#include "format/read/intact.h"
#include "replay/cut/cut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct cat_opts {
	const char *output;
	bool force;
};

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct cat_opts, output),
	  "write here (default -, standard output)" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct cat_opts, force),
	  "replace an existing file" },
};

extern const struct cli_command cmd_cat;

struct cat_run {
	const struct cat_opts *o;
	struct xtr_reader **reader;
	size_t n;
	struct join join;
	struct outfile out;
	int status; /* XTR_EXIT_OK or XTR_EXIT_LOSS so far */
};

static void defaults(void *opts)
{
	((struct cat_opts *)opts)->output = "-";
}

/* Every trace stays open until it is copied. */
static void allow_many_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur == l.rlim_max)
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}

/* Open and verify one trace. Returns the exit status. */
static int open_one(struct cat_run *r, char *path)
{
	int status, err;

	r->reader[r->n] = cli_open_trace(path, &status);
	if (!r->reader[r->n])
		return status;
	err = cli_verify(r->reader[r->n], path);
	if (err) {
		r->n++;
		return cli_failed(path, err);
	}
	status = cli_report_loss(path, r->reader[r->n]);
	if (status != XTR_EXIT_OK)
		r->status = status;
	err = join_add(&r->join, path, r->reader[r->n++]);
	return err ? cli_failed(path, err) : XTR_EXIT_OK;
}

static int open_all(struct cat_run *r, int argc, char **argv)
{
	int status = XTR_EXIT_OK;

	r->reader = calloc((size_t)argc, sizeof(struct xtr_reader *));
	if (!r->reader)
		return cli_failed(argv[0], -ENOMEM);
	allow_many_files();
	for (int i = 0; i < argc && status == XTR_EXIT_OK; i++)
		status = open_one(r, argv[i]);
	return status;
}

/* All of a section, or what is good of a damaged one, under an id of its own. */
static int renew_section(const struct join_part *p, struct xtr_io *io)
{
	const struct xtr_cut_opts o = { .sz = sizeof(o) };
	struct xtr_cut_result res;

	if (!p->whole)
		cli_warn("'%s': section %zu is damaged: what is good of it is written anew",
			 p->path, p->number);
	return xtr_cut(p->r, p->s, io, &o, &res);
}

static int write_all(struct cat_run *r, const char **path)
{
	struct outfile_io io;
	int err = 0;

	outfile_io_init(&io, &r->out);
	for (size_t i = 0; i < r->join.n && !err; i++) {
		const struct join_part *p = &r->join.part[i];

		*path = p->path;
		if (p->again)
			continue;
		cli_progress("joining", i, r->join.n);
		err = p->whole && !p->renew ? xtr_section_copy(p->r, p->s, &io.io)
					    : renew_section(p, &io.io);
	}
	cli_progress_done();
	return err;
}

static int join(struct cat_run *r)
{
	const char *path = r->o->output;
	bool lost = false;
	int err = join_order(&r->join, &lost), status;

	if (lost)
		r->status = XTR_EXIT_LOSS;
	if (err)
		return cli_failed(path, err);
	status = outfile_open(&r->out, r->o->output, r->o->force);
	if (status != XTR_EXIT_OK)
		return status;
	err = write_all(r, &path);
	if (err) {
		/* The output's own errors are told with its name. */
		status = outfile_broken(&r->out) ? XTR_EXIT_FAILURE : cli_failed(path, err);
		outfile_abandon(&r->out);
		return status;
	}
	status = outfile_commit(&r->out);
	return status == XTR_EXIT_OK ? r->status : status;
}

static int run(const void *opts, int argc, char **argv)
{
	struct cat_run r = { .o = opts };
	int status;

	if (!argc)
		return cli_usage_error(&cmd_cat, "cat: which files?");
	status = open_all(&r, argc, argv);
	if (status == XTR_EXIT_OK)
		status = join(&r);
	for (size_t i = 0; i < r.n; i++)
		xtr_reader_close(r.reader[i]);
	join_free(&r.join);
	free(r.reader);
	return status;
}

const struct cli_command cmd_cat = {
	.name = "cat",
	.summary = "join traces into one file, in order of time",
	.args = "FILE...",
	.examples = "xtr cat -o day.xtr morning.xtr evening.xtr\ttwo recordings in one file",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.opts_size = sizeof(struct cat_opts),
	.defaults = defaults,
	.run = run,
};
