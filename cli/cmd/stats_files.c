/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr stats of several files. */
#include "cmd_stats.h"
#include "fleet_run.h"

#include <errno.h>

/* What is shown of each section while files are read. */
struct showing {
	const struct stats_files *s;
	FILE *f;
	struct xtr_json j;
};

static int show_parts(struct showing *sh, const char *path, struct xtr_view *v)
{
	int err;

	v->f = sh->f;
	if (sh->s->json) {
		xtr_json_begin_object(&sh->j);
		xtr_json_kv_str(&sh->j, "file", path);
		xtr_json_key(&sh->j, "section");
		xtr_view_json(v, &sh->j);
		xtr_json_end_object(&sh->j);
		return 0;
	}
	err = xtr_view_text(v);
	fputc('\n', sh->f);
	return err;
}

static int section(struct fleet_run *r, struct stats_run *run, struct xtr_view *v)
{
	struct showing *sh = r->ctx;
	int err = sh->s->parts ? show_parts(sh, run->cmd->path, v) : 0;

	if (!err && sh->s->gathered)
		sh->s->gathered(sh->s->ctx, run, v->section);
	return err;
}

static void begin(struct showing *sh)
{
	sh->f = cli_out();
	if (!sh->s->json)
		return;
	xtr_json_document(&sh->j, sh->f, "xtr.stats-files/1");
	if (sh->s->parts)
		xtr_json_kv_array(&sh->j, "sections");
}

static int end(struct showing *sh, const struct fleet_run *r)
{
	int err;

	if (!sh->s->json)
		return xtr_fleet_text(sh->f, r->fleet, sh->s->rows);
	if (sh->s->parts)
		xtr_json_end_array(&sh->j);
	xtr_fleet_json_files(r->fleet, &sh->j);
	err = xtr_fleet_json_merged(r->fleet, &sh->j);
	xtr_json_document_end(&sh->j);
	return err;
}

int stats_files(const struct stats_files *s, int argc, char **argv)
{
	struct showing sh = { .s = s };
	struct fleet_run r = {
		.cmd = &cmd_stats,
		.o = s->o,
		.section = s->parts || s->gathered ? section : NULL,
		.parts = s->parts ? s->parts : 1ull << XTR_VIEW_RINGS,
		.top = s->top,
		.all_findings = s->all_findings,
		.ctx = &sh,
	};
	int status;

	if (s->parts)
		begin(&sh);
	status = fleet_gather(&r, (size_t)argc, (const char *const *)argv);
	if (!s->parts && r.any)
		begin(&sh);
	if (r.any)
		if (end(&sh, &r))
			status = cli_failed(cmd_stats.name, -ENOMEM);
	fleet_free(&r);
	return status;
}
