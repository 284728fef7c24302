/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr dump: one line for each event. */
#include "cli/ui/cli.h"
#include "replay_cmd.h"
#include "replay/views/dump_view.h"
#include "replay/notes/notes.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct dump_opts {
	struct window_opts window;
	bool json;
	double pace;
	struct cli_list events;
};

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct dump_opts, json), "JSON lines" },
	{ 'e', "event", "NAME", CLI_LIST, offsetof(struct dump_opts, events),
	  "only these events: system:event or event; a shell pattern" },
	PACE_OPTION(struct dump_opts, pace),
	WINDOW_OPTIONS(struct dump_opts, window),
};

struct dump_run {
	const struct dump_opts *o;
	struct replay_cmd cmd;
	struct xtr_dump dump;
	struct xtr_json json;
	struct pace pace;
};

/* Sleep until the event's turn. */
static void keep_pace(struct dump_run *r, uint64_t ts)
{
	struct timespec at;

	if (!pace_turn(&r->pace, ts, &at))
		return;
	fflush(r->cmd.out);
	pace_sleep(&at);
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct dump_run *r = ctx;

	if (r->o->pace > 0)
		keep_pace(r, ev->ts);
	if (r->o->json)
		xtr_dump_json(&r->json, &r->dump, ev);
	else
		xtr_dump_text(r->cmd.out, &r->dump, ev);
	return ferror(r->cmd.out) ? -EIO : 0;
}

static bool selected(const struct cli_list *patterns, const char *name)
{
	const char *event = strchr(name, ':');

	for (size_t i = 0; i < patterns->n; i++)
		if (!fnmatch(patterns->v[i], name, 0) ||
		    (event && !fnmatch(patterns->v[i], event + 1, 0)))
			return true;
	return false;
}

/* Types of the events that -e names; -ENOENT if there is none in this section. */
static int select_types(const struct dump_run *r, const struct xtr_section *s, uint32_t **types,
			size_t *n)
{
	const struct xtr_meta *meta = xtr_section_meta(s);
	size_t i, all = xtr_meta_n_events(meta);

	*n = 0;
	*types = calloc(all + 1, sizeof(**types));
	if (!*types)
		return -ENOMEM;
	for (i = 0; i < all; i++) {
		const struct xtr_event_desc *d = xtr_meta_event_at(meta, i);

		if (selected(&r->o->events, d->name))
			(*types)[(*n)++] = d->type;
	}
	return *n ? 0 : -ENOENT;
}

static int section(struct dump_run *r, const struct xtr_section *s)
{
	uint32_t *types = NULL;
	size_t n = 0;
	int err = 0;

	xtr_dump_init(&r->dump, xtr_section_meta(s), xtr_section_tables(s));
	r->pace = (struct pace){ .factor = r->o->pace };
	if (!r->dump.times && !r->o->json)
		fputs("# no times: #N is the event's place in the order\n", r->cmd.out);
	if (!r->o->json) {
		xtr_sampled_text(r->cmd.out, xtr_section_meta(s));
		xtr_budgeted_text(r->cmd.out, s);
		xtr_flown_text(r->cmd.out, s);
	}
	if (r->o->events.n)
		err = select_types(r, s, &types, &n);
	if (err == -ENOENT) {
		cli_warn("'%s': no such event: '%s'", r->cmd.path, r->o->events.v[0]);
		cli_hint("see 'xtr info' for the events in the file");
		err = 0;
	} else if (!err) {
		err = replay_play(&r->cmd, s, types, n, on_event, r);
	}
	free(types);
	return err;
}

static int run(const void *opts, int argc, char **argv)
{
	struct dump_run r = { .o = opts, .cmd.part = true };
	int status = replay_begin_window(&r.cmd, &cmd_dump, &r.o->window, argc, argv), ret = 0;

	if (status != XTR_EXIT_OK)
		return status;
	if (r.o->pace > 0 && replay_without_times(&r.cmd)) {
		cli_error("'%s': --pace needs times, and the trace has none", r.cmd.path);
		replay_end(&r.cmd, 0);
		return XTR_EXIT_FAILURE;
	}
	xtr_json_init(&r.json, replay_out(&r.cmd), false);
	for (size_t i = 0; i < xtr_reader_n_sections(r.cmd.reader) && !ret; i++)
		ret = section(&r, xtr_reader_section(r.cmd.reader, i));
	/* A write error is cli_finish's to report. */
	return replay_end(&r.cmd, ferror(r.cmd.out) ? 0 : ret);
}

const struct cli_command cmd_dump = {
	.name = "dump",
	.summary = "one line for each event, in time order, with all fields",
	.args = "FILE",
	.examples = "xtr dump -e 'drm_sched_job_*' --from 1s --to 1.1s run.xtr\tjobs of 0.1 s",
	CLI_OPTIONS(options, struct dump_opts),
	.run = run,
};
