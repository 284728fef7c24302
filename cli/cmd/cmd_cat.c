/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr cat: several traces in one file. */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"
#include "format/read/intact.h"
#include "format/read/reader.h"
#include "replay/cut/cut.h"
#include "trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Sections of several traces, in the order in which xtr cat writes them. */
struct join_part {
	const char *path; /* borrowed */
	const struct xtr_reader *r;
	const struct xtr_section *s;
	size_t number; /* of the section in its file, from 1 */
	bool whole;    /* without any problem */
	bool again;    /* the section stands elsewhere: left out */
	bool renew;    /* another section has its id */
	uint64_t rank; /* of its boot */
	size_t place;  /* as it was given */
};

struct join { /* all zero: empty */
	struct join_part *part;
	size_t n, cap;
};

/* --- join ------------------------------------------------------------------------------------- */

/* Add a verified trace. 0 or -ENOMEM. */
static int join_add(struct join *j, const char *path, const struct xtr_reader *r)
{
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		const struct xtr_section *s = xtr_reader_section(r, i);

		if (xtr_grow_array(&j->part, &j->cap, j->n + 1, sizeof(*j->part)))
			return -ENOMEM;
		j->part[j->n] = (struct join_part){ .path = path,
						    .r = r,
						    .s = s,
						    .number = i + 1,
						    .whole = xtr_section_is_whole(r, s),
						    .place = j->n };
		j->n++;
	}
	return 0;
}

/* --- twice ------------------------------------------------------------------------------------ */

/* As far as can be told without comparing all bytes. */
static bool same(const struct join_part *a, const struct join_part *b)
{
	const struct xtr_section_summary *x = xtr_section_summary(a->s);
	const struct xtr_section_summary *y = xtr_section_summary(b->s);

	return xtr_section_size(a->s) == xtr_section_size(b->s) && x->events == y->events &&
	       x->ts_min == y->ts_min && x->ts_max == y->ts_max && x->lost == y->lost;
}

/*
 * Two sections with one id. The same twice: the second is left out. Two that are whole and differ:
 * the second needs another id. Else one is what is left of the other, or seems so: the whole one
 * stays, or the first.
 */
static void meet(struct join_part *a, struct join_part *b, bool *lost)
{
	struct join_part *out = b->whole && !a->whole ? a : b, *stays = out == a ? b : a;

	if (same(a, b) && a->whole == b->whole) {
		cli_warn("'%s': section %zu is section %zu of '%s': left out", out->path,
			 out->number, stays->number, stays->path);
		out->again = true;
	} else if (a->whole && b->whole) {
		cli_warn("'%s': section %zu has the id of section %zu of '%s': it gets another",
			 out->path, out->number, stays->number, stays->path);
		out->renew = true;
	} else {
		cli_error("'%s': section %zu is damaged, and has the id of section %zu of '%s': "
			  "left out",
			  out->path, out->number, stays->number, stays->path);
		out->again = *lost = true;
	}
}

static int find_twice(struct join *j, bool *lost)
{
	struct xtr_map by_id = { 0 };
	int err = 0;

	for (size_t i = 0; i < j->n && !err; i++) {
		uint64_t id = xtr_section_file_id(j->part[i].s);
		const uint64_t *known = xtr_map_get(&by_id, id, 0);

		if (known) {
			size_t first = *known;

			meet(&j->part[first], &j->part[i], lost);
			if (!j->part[first].again)
				continue;
		}
		err = xtr_map_put(&by_id, id, 0, i);
	}
	xtr_map_free(&by_id);
	return err;
}

/* --- order ------------------------------------------------------------------------------------ */

/* The wall clock at the section's first event, ns since 1970; 0: not known. */
static uint64_t wall_clock(const struct xtr_section *s)
{
	for (size_t i = 0; i < xtr_section_n_clocks(s); i++) {
		const struct xtr_clock_snapshot *c = xtr_section_clock(s, i);

		if (c->realtime)
			return c->realtime - c->before + xtr_section_summary(s)->ts_min;
	}
	return 0;
}

struct boot {
	uint64_t wall, first; /* of its earliest section; place of the first one given */
};

/* The boot of a section; one without boot id is a boot of its own. Index, or -ENOMEM. */
static int64_t boot_of(const struct join_part *p, struct xtr_map *by_id, struct boot *boots,
		       size_t *n)
{
	const uint8_t *id = xtr_meta_boot_id(xtr_section_meta(p->s));
	uint64_t a = xtr_le64(id), b = xtr_le64(id + 8), wall = wall_clock(p->s);
	const uint64_t *known = a | b ? xtr_map_get(by_id, a, b) : NULL;
	struct boot *boot;

	if (!known) {
		boots[*n] = (struct boot){ wall, p->place };
		if (a | b && xtr_map_put(by_id, a, b, *n))
			return -ENOMEM;
		return (int64_t)(*n)++;
	}
	boot = &boots[*known];
	if (wall && (!boot->wall || wall < boot->wall))
		boot->wall = wall;
	return (int64_t)*known;
}

static int rank(struct join *j)
{
	struct boot *boots = calloc(j->n + 1, sizeof(*boots));
	struct xtr_map by_id = { 0 };
	size_t n = 0;
	bool all = true;
	int err = boots ? 0 : -ENOMEM;

	for (size_t i = 0; i < j->n && !err; i++) {
		int64_t k = boot_of(&j->part[i], &by_id, boots, &n);

		if (k < 0)
			err = (int)k;
		else
			j->part[i].rank = (uint64_t)k;
	}
	for (size_t i = 0; i < n; i++)
		all = all && boots[i].wall;
	for (size_t i = 0; i < j->n && !err; i++) {
		const struct boot *b = &boots[j->part[i].rank];

		j->part[i].rank = all ? b->wall : b->first;
	}
	xtr_map_free(&by_id);
	free(boots);
	return err;
}

static int part_cmp(const void *pa, const void *pb)
{
	const struct join_part *a = pa, *b = pb;
	uint64_t x = xtr_section_summary(a->s)->ts_min, y = xtr_section_summary(b->s)->ts_min;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (x != y)
		return x < y ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/*
 * Mark sections with one id, with a line for each, and put all in order: boots by their wall clock,
 * or as they were given if one of them is not known; within a boot by the first event. *lost is set
 * if one that is left out is not the same as the one that stays. 0 or -ENOMEM.
 */
static int join_order(struct join *j, bool *lost)
{
	int err = find_twice(j, lost) ?: rank(j);

	if (!err && j->n)
		qsort(j->part, j->n, sizeof(*j->part), part_cmp);
	return err;
}

static void join_free(struct join *j)
{
	free(j->part);
	*j = (struct join){ 0 };
}

/* --- the rest --------------------------------------------------------------------------------- */

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
	status = outfile_end(&r->out, path, err);
	return status == XTR_EXIT_OK ? r->status : status;
}

static int run(const void *opts, int argc, char **argv)
{
	struct cat_run r = { .o = opts };
	int status;

	if (!argc)
		return cli_usage_error(&cmd_cat, "cat: which files?");
	status = open_all(&r, argc, argv) ?: join(&r);
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
	CLI_OPTIONS(options, struct cat_opts),
	.defaults = defaults,
	.run = run,
};
