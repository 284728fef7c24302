/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet_run.h"
#include "each_file.h"
#include "paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of one file: a fleet for each of its sections. */
struct part {
	struct xtr_fleet **fleet;
	size_t n;
};

static void part_free(struct part *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		xtr_fleet_free(p->fleet[i]);
	free(p->fleet);
	free(p);
}

/* --- one file, in any thread ------------------------------------------------------------------ */

static int section(struct fleet_run *r, struct stats_run *run, struct part *p, size_t i)
{
	const struct xtr_section *s = xtr_reader_section(run->cmd->reader, i);
	char key[XTR_FLEET_NAME_MAX];
	const char *cohort = "";
	struct xtr_view v;
	int err = stats_gather(run, s, &v);

	if (!err && r->by_key)
		cohort = xtr_fleet_key_of(r->key, r->label, xtr_section_meta(s), key);
	if (!err)
		err = xtr_fleet_new(&p->fleet[i]);
	if (!err) {
		p->n++;
		err = xtr_fleet_add(p->fleet[i], s, i, run->stats, cohort);
	}
	if (!err && r->section)
		err = r->section(r, run, &v);
	stats_drop(run);
	return err;
}

static int sections(struct fleet_run *r, struct stats_run *run, struct part *p)
{
	const size_t n = xtr_reader_n_sections(run->cmd->reader);
	int err = 0;

	p->fleet = calloc(n + 1, sizeof(*p->fleet));
	if (!p->fleet)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err; i++)
		err = section(r, run, p, i);
	return err;
}

static void work(void *ctx, size_t i, struct each_done *done)
{
	struct fleet_run *r = ctx;
	struct replay_cmd cmd = { .part = true, .filters = &r->filters };
	struct stats_run run = {
		.cmd = &cmd,
		.parts = r->section ? r->parts : 1ull << XTR_VIEW_RINGS,
		.top = r->section ? r->top : 0,
		.all_findings = r->all_findings,
	};
	struct part *p;

	if (r->stop)
		return;
	p = calloc(1, sizeof(*p));
	if (!p) {
		done->status = cli_failed(r->file[i], -ENOMEM);
		return;
	}
	done->made = p;
	done->status = replay_begin(&cmd, r->cmd, r->o, 1, &r->file[i]);
	if (done->status == XTR_EXIT_OK)
		done->status = replay_end(&cmd, sections(r, &run, p));
}

/* --- all, in order ---------------------------------------------------------------------------- */

static enum xtr_fleet_state state_of(int status)
{
	if (status == XTR_EXIT_OK)
		return XTR_FLEET_WHOLE;
	return status == XTR_EXIT_LOSS ? XTR_FLEET_DAMAGED : XTR_FLEET_UNREADABLE;
}

/* A recording that came before is told with the file in which it did. */
static void tell_repeated(const struct fleet_run *r, const char *path)
{
	const size_t n = xtr_fleet_n_recordings(r->fleet);
	const struct xtr_fleet_recording *last = xtr_fleet_recording(r->fleet, n - 1), *other;

	if (!last->repeated)
		return;
	for (size_t i = 0; i < n; i++) {
		other = xtr_fleet_recording(r->fleet, i);
		if (other->file_id != last->file_id)
			continue;
		cli_warn("'%s': the recording is the same as in '%s', and not counted again", path,
			 xtr_fleet_file_at(r->fleet, other->file)->path);
		return;
	}
}

static int merge(struct fleet_run *r, const char *path, const struct each_done *done)
{
	const struct part *p = done->made;
	const enum xtr_fleet_state state = state_of(done->status);
	int64_t file = xtr_fleet_file(r->fleet, path, state);
	int err = 0;

	if (file < 0)
		return (int)file;
	for (size_t i = 0; state != XTR_FLEET_UNREADABLE && i < p->n && !err; i++) {
		err = xtr_fleet_merge(r->fleet, p->fleet[i], (uint32_t)file);
		if (!err)
			tell_repeated(r, path);
	}
	return err;
}

static void take(void *ctx, size_t i, const struct each_done *done)
{
	struct fleet_run *r = ctx;

	if (!r->stop && done->said)
		fputs(done->said, stderr);
	if (!r->stop) {
		cli_progress(r->cmd->name, i + 1, r->n_files);
		r->err = merge(r, r->file[i], done);
	}
	if (!r->stop && done->status == XTR_EXIT_USAGE)
		r->status = XTR_EXIT_USAGE;
	if (r->err || done->status == XTR_EXIT_USAGE)
		r->stop = true;
	part_free(done->made);
}

/* --device, --ring and --pid of which no recording has anything. */
static int check_filters(const struct fleet_run *r)
{
	struct replay_cmd c = { 0 };
	int status = XTR_EXIT_OK;

	if (!r->filters.kind[0].matched) /* there are none */
		return XTR_EXIT_OK;
	status = replay_filters(&c, r->cmd, r->o) ?: filters_check(&r->filters, &c, r->cmd);
	free(c.pids);
	return status;
}

/* What the files came to. */
static int result(struct fleet_run *r, int of_paths)
{
	struct xtr_fleet_total t;
	int err = r->err ?: xtr_fleet_total(r->fleet, &t);

	if (err) {
		cli_error("%s", cli_strerror(err));
		return XTR_EXIT_FAILURE;
	}
	err = r->status == XTR_EXIT_USAGE ? r->status : check_filters(r);
	if (err)
		return err;
	r->any = t.files[XTR_FLEET_WHOLE] || t.files[XTR_FLEET_DAMAGED];
	if (of_paths != XTR_EXIT_OK || t.files[XTR_FLEET_UNREADABLE])
		return XTR_EXIT_FAILURE;
	return t.files[XTR_FLEET_DAMAGED] ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}

int fleet_gather(struct fleet_run *r, size_t n, const char *const *args)
{
	const struct replay_opts *o = r->o;
	struct cli_paths paths = { 0 };
	struct each_file each = { .work = work, .take = take, .ctx = r };
	int of_paths, status;

	if (xtr_fleet_new(&r->fleet))
		return cli_failed(r->cmd->name, -ENOMEM);
	of_paths = cli_paths_expand(&paths, n, args);
	r->file = paths.v;
	r->n_files = each.n = paths.n;
	/* What filters match is found out once for all files. */
	each.serial = r->section || o->devices.n || o->rings.n || o->pids.n;
	each_file(&each);
	cli_progress_done();
	status = result(r, of_paths);
	cli_paths_free(&paths);
	r->file = NULL;
	return status;
}

void fleet_free(struct fleet_run *r)
{
	xtr_fleet_free(r->fleet);
	filters_free(&r->filters);
}
