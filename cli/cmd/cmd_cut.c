/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr cut: a smaller trace of a part of one. */
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"
#include "replay_cmd.h"
#include "replay/cut/cut.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cut_opts {
	struct replay_opts replay;
	const char *output;
	bool force;
};

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct cut_opts, output),
	  "write here, \"-\" for standard output; else named after the trace" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct cut_opts, force),
	  "replace an existing file" },
	REPLAY_OPTIONS(struct cut_opts, replay),
};

struct cut_run {
	const struct cut_opts *o;
	struct replay_cmd cmd;
	struct outfile out;
	char *options; /* for META */
	struct xtr_cut_result sum;
};

static void on_damage(void *ctx, const struct xtr_err *err)
{
	replay_damage(&((struct cut_run *)ctx)->cmd, err);
}

static void on_progress(void *ctx, unsigned int permille)
{
	cli_progress(((struct cut_run *)ctx)->cmd.path, permille, 1000);
}

static void put_list(FILE *f, const char **between, const char *name, const struct cli_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		fprintf(f, "%s--%s=%s", *between, name, l->v[i]);
		*between = " ";
	}
}

/* What was asked for, in ASCII; times stand in META on the event clock. */
static int describe_options(struct cut_run *r)
{
	const struct replay_opts *o = &r->o->replay;
	const char *between = "";
	struct xtr_buf text;
	FILE *f = xtr_memory_stream(&text);

	if (!f)
		return -ENOMEM;
	put_list(f, &between, "device", &o->devices);
	put_list(f, &between, "ring", &o->rings);
	put_list(f, &between, "pid", &o->pids);
	r->options = xtr_memory_text(f, &text);
	if (!r->options)
		return -ENOMEM;
	if (strlen(r->options) > 4096)
		r->options[4096] = '\0';
	for (char *p = r->options; *p; p++)
		if (*p < 0x20 || *p > 0x7e)
			*p = '?';
	return 0;
}

static void add_up(struct xtr_cut_result *sum, const struct xtr_cut_result *one)
{
	sum->events += one->events;
	sum->kept += one->kept;
	sum->copied += one->copied;
	sum->encoded += one->encoded;
	sum->bytes += one->bytes;
}

static int all_sections(struct cut_run *r)
{
	struct xtr_cut_opts o = {
		.sz = sizeof(o),
		.options = r->options,
		.damage = on_damage,
		.progress = on_progress,
		.ctx = r,
	};
	struct outfile_io io;
	int err = 0;

	outfile_io_init(&io, &r->out);
	for (size_t i = 0; i < xtr_reader_n_sections(r->cmd.reader) && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(r->cmd.reader, i);
		struct xtr_cut_result res;

		replay_select(&r->cmd, s, &o.select);
		err = xtr_cut(r->cmd.reader, s, &io.io, &o, &res);
		add_up(&r->sum, &res);
	}
	cli_progress_done();
	return err;
}

/* On a terminal only; that nothing was kept always. */
static void summary(const struct cut_run *r)
{
	if (!r->sum.kept)
		cli_warn("'%s': no event of it is in the cut", r->cmd.path);
	if (cli_quiet || !strcmp(r->out.path, "-") || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "wrote %s: %s, %s of %s events; %s chunks as they were, %s anew\n",
		r->out.path, cli_bytes(r->sum.bytes), cli_count(r->sum.kept),
		cli_count(r->sum.events), cli_count(r->sum.copied), cli_count(r->sum.encoded));
}

static int cut(struct cut_run *r)
{
	int err = describe_options(r), status;

	if (!err)
		err = all_sections(r);
	if (err) {
		/* The output's own errors are told with its name. */
		bool of_output = outfile_broken(&r->out);

		outfile_abandon(&r->out);
		status = replay_end(&r->cmd, of_output ? 0 : err);
		return of_output ? XTR_EXIT_FAILURE : status;
	}
	status = outfile_commit(&r->out);
	if (status == XTR_EXIT_OK)
		summary(r);
	err = replay_end(&r->cmd, 0);
	return status == XTR_EXIT_OK ? err : status;
}

static int run(const void *opts, int argc, char **argv)
{
	struct cut_run r = { .o = opts };
	int status = replay_begin(&r.cmd, &cmd_cut, &r.o->replay, argc, argv);

	if (status != XTR_EXIT_OK)
		return status;
	status = outfile_open_for(&r.out, r.o->output, r.cmd.path, ".cut.xtr", r.o->force);
	if (status == XTR_EXIT_OK)
		status = cut(&r);
	else
		replay_end(&r.cmd, 0);
	outfile_free(&r.out);
	free(r.options);
	return status;
}

const struct cli_command cmd_cut = {
	.name = "cut",
	.summary = "write a part of a trace, by time, device, ring or process, as a smaller one",
	.args = "FILE",
	.examples = "xtr cut --from 10s --to 11s run.xtr\tone second, into run.cut.xtr",
	CLI_OPTIONS(options, struct cut_opts),
	.run = run,
};
