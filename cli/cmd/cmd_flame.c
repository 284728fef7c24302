/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr flame: GPU time by the stack that submitted it. */
#include "cli/ui/cli.h"
#include "flame_play.h"
#include "cli/ui/outfile.h"
#include "analysis/flame/flame_view.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

struct flame_opts {
	const char *format, *output, *weight, *by, *calls, *samples;
	struct replay_opts replay;
	uint64_t top;
	bool force, idle;
};

#define OPT(letter, name, arg, kind, field, help)                                 \
	{                                                                         \
		letter, name, arg, kind, offsetof(struct flame_opts, field), help \
	}

static const struct cli_option options[] = {
	OPT('f', "format", "FORMAT", CLI_STRING, format,
	    "folded, speedscope or svg; without it a tree for people"),
	OPT('o', "output", "FILE", CLI_STRING, output, "write here; else to standard output"),
	OPT(0, "force", NULL, CLI_FLAG, force, "replace an existing file"),
	OPT(0, "weight", "WEIGHT", CLI_STRING, weight,
	    "execution (default), residence, queue, dependency, wait, waited-for, call, bytes, idle or count"),
	OPT(0, "idle", NULL, CLI_FLAG, idle,
	    "--weight idle --by process: what stood between an idle device and its next job"),
	OPT(0, "calls", "EVENT", CLI_STRING, calls,
	    "weigh the calls that EVENT begins (name or glob): --weight call (default) or bytes"),
	OPT(0, "by", "WHAT,...", CLI_STRING, by,
	    "frames above the stacks: process, ring, device, in this order"),
	OPT(0, "samples", "FILE", CLI_STRING, samples,
	    "stacks of another tool beside them: folded ones, or text of perf script"),
	OPT('t', "top", "N", CLI_U64, top, "of the tree for people: the N heaviest stacks (20)"),
	REPLAY_OPTIONS(struct flame_opts, replay),
};

static void defaults(void *opts)
{
	((struct flame_opts *)opts)->top = 20;
}

#define TREES 2u

struct flame_run {
	const struct flame_opts *o;
	struct replay_cmd cmd;
	struct xtr_flame_opts sum;
	struct xtr_flame *flame[TREES];
	struct xtr_flame_feed *feed;
	struct xtr_flame_tree tree[TREES];
	size_t n_trees;
	struct xtr_samples_result samples;
	struct flame_idle idle;
	struct outfile out;
	int (*write)(struct flame_run *r, FILE *f);
};

/* --- formats ---------------------------------------------------------------------------------- */

static int folded(struct flame_run *r, FILE *f)
{
	xtr_flame_folded(f, r->tree, r->n_trees);
	return 0;
}

static int speedscope(struct flame_run *r, FILE *f)
{
	xtr_flame_speedscope(f, xtr_text_input(r->cmd.path), r->tree, r->n_trees);
	return 0;
}

static int svg(struct flame_run *r, FILE *f)
{
	return xtr_flame_svg(f, xtr_text_input(r->cmd.path), r->tree, r->n_trees);
}

/* "3 open, 1 lost" of what has no weight, and what the others rest on. */
static void put_counts(FILE *f, const struct flame_run *r)
{
	const struct xtr_flame_counts *c = xtr_flame_feed_counts(r->feed);
	static const char *const of[] = { [XTR_FLAME_OF_JOBS] = "jobs",
					  [XTR_FLAME_OF_WAITS] = "waits",
					  [XTR_FLAME_OF_CALLS] = "calls",
					  [XTR_FLAME_OF_TIME] = "parts" };
	const char *what = of[xtr_flame_weights[r->sum.weight].of];

	fprintf(f, "%s %s", cli_count(c->seen), what);
	if (c->weighed != c->seen)
		fprintf(f, ", %s of unknown %s", cli_count(c->seen - c->weighed),
			r->sum.weight == XTR_FLAME_BY_BYTES ? "size" : "length");
	if (c->open)
		fprintf(f, ", %s open", cli_count(c->open));
	if (c->lost)
		fprintf(f, ", %s lost", cli_count(c->lost));
	if (c->bounded && r->sum.weight == XTR_FLAME_BY_EXECUTION)
		fprintf(f, ", %s bounded (at least %s in all)", cli_count(c->bounded),
			cli_ns(c->at_least));
	if (c->no_stack)
		fprintf(f, ", %s without a stack", cli_count(c->no_stack));
	fputc('\n', f);
}

/* How much of the idle time is told of by what stands below. */
static void put_explained(FILE *f, const struct flame_run *r)
{
	const struct flame_idle *t = &r->idle;

	if (t->idle_ns)
		fprintf(f, "explained: %s of it, %.1f %%\n", cli_ns(t->explained_ns),
			100.0 * (double)t->explained_ns / (double)t->idle_ns);
	if (t->lost_ns)
		fprintf(f, "not counted, as events were lost meanwhile: %s\n", cli_ns(t->lost_ns));
}

static int text(struct flame_run *r, FILE *f)
{
	char amount[XTR_FLAME_AMOUNT];
	int err = 0;

	for (size_t i = 0; i < r->n_trees && !err; i++) {
		const struct xtr_flame_tree *t = &r->tree[i];
		const char *from = xtr_text_input(i ? r->o->samples : r->cmd.path);

		if (i)
			fputc('\n', f);
		xtr_text_put(f, from, strlen(from));
		fprintf(f, ": %s: %s\n%s in ", t->name, t->title,
			xtr_flame_amount(amount, t,
					 xtr_flame_node(t->flame, XTR_FLAME_ROOT)->total));
		if (i)
			fprintf(f, "%s stacks of %s\n", cli_count(r->samples.stacks),
				r->samples.format);
		else
			put_counts(f, r);
		if (!i && r->sum.weight == XTR_FLAME_BY_IDLE)
			put_explained(f, r);
		err = xtr_flame_text(f, t, (uint32_t)r->o->top);
	}
	return err;
}

static const struct {
	const char *name, *suffix;
	int (*write)(struct flame_run *r, FILE *f);
} formats[] = {
	{ "folded", ".folded", folded },
	{ "speedscope", ".json", speedscope },
	{ "svg", ".svg", svg },
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

static bool ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && !strcmp(path + n - m, suffix);
}

static int choose_format(struct flame_run *r)
{
	const char *format = r->o->format, *output = r->o->output;

	for (size_t i = 0; i < N_FORMATS && !r->write; i++)
		if (format ? !strcmp(format, formats[i].name)
			   : output && ends_in(output, formats[i].suffix))
			r->write = formats[i].write;
	if (r->write)
		return XTR_EXIT_OK;
	if (format)
		return cli_usage_error(&cmd_flame, "no format '%s'", format);
	if (output && strcmp(output, "-"))
		return cli_usage_error(&cmd_flame, "'%s' has no suffix that names a format: use -f",
				       output);
	r->write = text;
	return XTR_EXIT_OK;
}

static const char *words(const char *option, size_t i)
{
	if (!strcmp(option, "format"))
		return i < N_FORMATS ? formats[i].name : NULL;
	if (!strcmp(option, "weight"))
		return i < XTR_FLAME_WEIGHT_COUNT ? xtr_flame_weights[i].name : NULL;
	if (!strcmp(option, "by"))
		return i < XTR_FLAME_ROOT_COUNT ? xtr_flame_root_names[i] : NULL;
	return NULL;
}

/* --- what is asked for ------------------------------------------------------------------------ */

static bool of_calls(const struct flame_run *r)
{
	return xtr_flame_weights[r->sum.weight].of == XTR_FLAME_OF_CALLS;
}

static int choose_weight(struct flame_run *r)
{
	const char *name = r->o->weight  ? r->o->weight
			   : r->o->calls ? "call"
			   : r->o->idle  ? "idle"
					 : "execution";
	unsigned int i;

	for (i = 0; i < XTR_FLAME_WEIGHT_COUNT; i++)
		if (!strcmp(name, xtr_flame_weights[i].name))
			break;
	if (i == XTR_FLAME_WEIGHT_COUNT)
		return cli_usage_error(&cmd_flame, "no weight '%s'", name);
	r->sum.weight = i;
	if (r->o->idle && i != XTR_FLAME_BY_IDLE)
		return cli_usage_error(&cmd_flame, "--idle is --weight idle");
	r->sum.calls = r->o->calls;
	if (i == XTR_FLAME_BY_CALL && !r->o->calls)
		return cli_usage_error(&cmd_flame, "--weight call and --calls EVENT go together");
	if (r->o->calls && !of_calls(r))
		return cli_usage_error(&cmd_flame, "--calls is for --weight call or bytes");
	return XTR_EXIT_OK;
}

/* One of the names between commas, n bytes; each may stand once. */
static int add_root(struct flame_run *r, const char *name, size_t n)
{
	unsigned int i;

	for (i = 0; i < XTR_FLAME_ROOT_COUNT; i++)
		if (strlen(xtr_flame_root_names[i]) == n &&
		    !memcmp(xtr_flame_root_names[i], name, n))
			break;
	if (i == XTR_FLAME_ROOT_COUNT)
		return cli_usage_error(&cmd_flame, "--by: '%.*s' is not process, ring or device",
				       (int)n, name);
	for (size_t k = 0; k < r->sum.n_by; k++)
		if (r->sum.by[k] == i)
			return cli_usage_error(&cmd_flame, "--by: %s stands there twice",
					       xtr_flame_root_names[i]);
	r->sum.by[r->sum.n_by++] = i;
	return XTR_EXIT_OK;
}

static int choose_roots(struct flame_run *r)
{
	const char *s = r->o->by ? r->o->by : r->o->idle ? "process" : NULL;
	int status = XTR_EXIT_OK;
	size_t n;

	for (; s && status == XTR_EXIT_OK; s = s[n] ? s + n + 1 : NULL) {
		n = strcspn(s, ",");
		status = add_root(r, s, n);
	}
	return status;
}

static int check_options(struct flame_run *r)
{
	int status = choose_format(r) ?: choose_weight(r) ?: choose_roots(r);

	if (status == XTR_EXIT_OK && of_calls(r) &&
	    (r->sum.n_by > 1 || (r->sum.n_by && r->sum.by[0] != XTR_FLAME_PROCESS)))
		status = cli_usage_error(&cmd_flame,
					 "calls have no ring and no device: --by process");
	for (size_t i = 0; i < r->sum.n_by && r->sum.weight == XTR_FLAME_BY_IDLE; i++)
		if (status == XTR_EXIT_OK && r->sum.by[i] == XTR_FLAME_RING)
			status = cli_usage_error(
				&cmd_flame,
				"a device is idle, not its rings: --by process or device");
	if (status == XTR_EXIT_OK && (!r->o->top || r->o->top > 100000))
		status = cli_usage_error(&cmd_flame, "--top: 1 to 100000");
	return status;
}

/* --- the work --------------------------------------------------------------------------------- */

static void add_tree(struct flame_run *r, const struct xtr_flame_weight_row *row)
{
	r->tree[r->n_trees] = (struct xtr_flame_tree){
		.flame = r->flame[r->n_trees],
		.name = row->name,
		.title = row->title,
		.unit = row->unit,
		.speedscope = row->speedscope,
	};
	r->n_trees++;
}

/* 0 or -errno. */
static int gather(struct flame_run *r)
{
	int err = xtr_flame_new(&r->flame[0]);

	r->sum.sz = sizeof(r->sum);
	err = err ?: xtr_flame_feed_new(&r->feed, r->flame[0], &r->sum) ?:
	      flame_play(&r->cmd, r->feed, r->sum.weight, &r->idle) ?:
	      xtr_flame_finish(r->flame[0]);
	if (!err)
		add_tree(r, &xtr_flame_weights[r->sum.weight]);
	return err;
}

/* Returns the exit status; what is wrong is said. */
static int gather_samples(struct flame_run *r)
{
	static const struct xtr_flame_weight_row row = {
		.name = "samples",
		.unit = "samples",
		.speedscope = "none",
		.title = "what another tool sampled, by stack",
	};
	int status, err;

	if (!r->o->samples)
		return XTR_EXIT_OK;
	err = xtr_flame_new(&r->flame[1]);
	if (err)
		return cli_failed(r->o->samples, err);
	status = flame_samples(r->o->samples, r->flame[1], &r->samples);
	if (status == XTR_EXIT_FAILURE)
		return status;
	err = xtr_flame_finish(r->flame[1]);
	if (err)
		return cli_failed(r->o->samples, err);
	if (status == XTR_EXIT_LOSS)
		r->cmd.status = status;
	add_tree(r, &row);
	return XTR_EXIT_OK;
}

/* Into the file or to standard output. Returns the exit status. */
static int put(struct flame_run *r)
{
	int err;

	if (r->write == text) {
		err = text(r, replay_out(&r->cmd));
		return err ? cli_failed(r->cmd.path, err) : XTR_EXIT_OK;
	}
	err = r->write(r, r->out.f);
	return outfile_end(&r->out, r->cmd.path, err ? err : ferror(r->out.f) ? -EIO : 0);
}

static void hint(const struct flame_run *r)
{
	static const char jobs[] = "no job has a stack: 'xtr record --stack' records them",
			  waits[] = "no wait has a stack: 'xtr record --stack' records them; "
				    "--weight waited-for takes those of the jobs waited for",
			  calls[] =
				  "no call has a stack: 'xtr record --stack-at EVENT' records them";
	const struct xtr_flame_counts *c = xtr_flame_feed_counts(r->feed);

	if (r->sum.weight == XTR_FLAME_BY_IDLE && !r->idle.any && !cli_quiet)
		cli_hint("the trace does not tell what CPUs did: 'xtr record --idle-stacks' does");
	if (r->sum.weight == XTR_FLAME_BY_IDLE)
		return;
	if (!c->seen || c->no_stack != c->seen || cli_quiet)
		return;
	if (of_calls(r))
		cli_hint("%s", calls);
	else
		cli_hint("%s", r->sum.weight == XTR_FLAME_BY_WAIT ? waits : jobs);
}

static int work(struct flame_run *r)
{
	int err = gather(r), status = XTR_EXIT_OK;

	if (!err)
		status = gather_samples(r);
	if (!err && status == XTR_EXIT_OK)
		hint(r);
	if (!err && status == XTR_EXIT_OK && r->write != text)
		status = outfile_open(&r->out, r->o->output ? r->o->output : "-", r->o->force);
	if (!err && status == XTR_EXIT_OK)
		status = put(r);
	err = replay_end(&r->cmd, err);
	xtr_flame_feed_free(r->feed);
	xtr_flame_free(r->flame[0]);
	xtr_flame_free(r->flame[1]);
	return status == XTR_EXIT_OK ? err : status;
}

static int run(const void *opts, int argc, char **argv)
{
	struct flame_run r = { .o = opts, .cmd.part = true };
	int status =
		check_options(&r) ?: replay_begin(&r.cmd, &cmd_flame, &r.o->replay, argc, argv);

	if (status != XTR_EXIT_OK)
		return status;
	if (r.sum.weight != XTR_FLAME_BY_COUNT && replay_without_times(&r.cmd)) {
		replay_end(&r.cmd, 0);
		return cli_usage_error(&cmd_flame, "the trace has no times: only --weight count");
	}
	return work(&r);
}

const struct cli_command cmd_flame = {
	.name = "flame",
	.summary = "GPU time by the call stack that submitted it: flame graphs",
	.args = "FILE",
	.examples = "xtr flame -f svg -o run.svg run.xtr\ta picture for the browser",
	CLI_OPTIONS(options, struct flame_opts),
	.words = words,
	.defaults = defaults,
	.run = run,
};
