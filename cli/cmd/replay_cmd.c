/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay_cmd.h"
#include "base/checked.h"
#include "cli/ui/units.h"
#include "format/read/intact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse_pids(struct replay_cmd *c, const struct cli_command *cmd)
{
	const struct cli_list *l = &c->o->pids;
	uint64_t pid;

	c->n_pids = 0;
	if (!l->n)
		return XTR_EXIT_OK;
	c->pids = calloc(l->n, sizeof(*c->pids));
	if (!c->pids) {
		cli_error("%s", cli_strerror(ENOMEM));
		return XTR_EXIT_FAILURE;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (cli_parse_u64(l->v[i], &pid) || pid > UINT32_MAX)
			return cli_usage_error(cmd, "--pid: not a process id: '%s'", l->v[i]);
		c->pids[c->n_pids++] = (uint32_t)pid;
	}
	return XTR_EXIT_OK;
}

bool replay_without_times(const struct replay_cmd *c)
{
	for (size_t i = 0; i < xtr_reader_n_sections(c->reader); i++)
		if (!xtr_meta_has_times(xtr_section_meta(xtr_reader_section(c->reader, i))))
			return true;
	return false;
}

/* Where events are numbered, a window is given in numbers, which read as seconds. */
static bool window_fits(const struct replay_cmd *c, const struct window_opts *w)
{
	return (w->from % XTR_PLAY_NUMBER == 0 && w->to % XTR_PLAY_NUMBER == 0) ||
	       !replay_without_times(c);
}

/* What replay_play plays of a section. */
static void played(void *ctx, const struct xtr_section *s, uint64_t *from, uint64_t *to)
{
	const struct replay_cmd *c = ctx;

	*from = c->window->from;
	*to = c->window->to;
	if (c->o) {
		xtr_play_window(s, from, to);
		*from = xtr_play_lead_in(*from);
	} else { /* all that is there, whatever it is about */
		*from = xtr_play_time(s, *from);
		*to = xtr_play_time(s, *to);
	}
	if (!*to)
		*to = UINT64_MAX;
}

int replay_begin_window(struct replay_cmd *c, const struct cli_command *cmd,
			const struct window_opts *w, int argc, char **argv)
{
	const struct xtr_part part = { .window = played, .ctx = c };
	int status = XTR_EXIT_OK;

	if (argc != 1)
		return cli_usage_error(cmd, argc ? "one FILE, not %d" : "which FILE?", argc);
	if (w->to && w->to < w->from)
		return cli_usage_error(cmd, "--to is before --from");
	c->window = w;
	c->path = argv[0];
	c->reader = cli_open_part(c->path, c->part && (w->from || w->to) ? &part : NULL, &status);
	if (!c->reader)
		return status;
	if (!window_fits(c, w)) {
		xtr_reader_close(c->reader);
		return cli_usage_error(cmd, "the trace has no times: --from and --to take the "
					    "number of an event");
	}
	c->status = cli_report_loss(c->path, c->reader);
	return XTR_EXIT_OK;
}

int replay_filters(struct replay_cmd *c, const struct cli_command *cmd, const struct replay_opts *o)
{
	c->o = o;
	c->window = &o->window;
	return parse_pids(c, cmd);
}

/* Does each of them match something? Returns the exit status. */
static int check_filters(struct replay_cmd *c, const struct cli_command *cmd)
{
	struct filters own = { 0 };
	int err, status = XTR_EXIT_OK;

	if (!c->o->devices.n && !c->o->rings.n && !c->n_pids)
		return XTR_EXIT_OK;
	err = filters_see(c->filters ? c->filters : &own, c);
	if (err)
		status = cli_failed(c->path, err);
	else if (!c->filters)
		status = filters_check(&own, c, cmd);
	filters_free(&own);
	return status;
}

int replay_begin(struct replay_cmd *c, const struct cli_command *cmd, const struct replay_opts *o,
		 int argc, char **argv)
{
	int status =
		replay_filters(c, cmd, o) ?: replay_begin_window(c, cmd, &o->window, argc, argv);

	if (status == XTR_EXIT_OK) {
		status = check_filters(c, cmd);
		if (status != XTR_EXIT_OK)
			xtr_reader_close(c->reader);
	}
	if (status != XTR_EXIT_OK)
		free(c->pids);
	return status;
}

void replay_select_given(const struct replay_cmd *c, struct xtr_select *sel)
{
	*sel = (struct xtr_select){
		.devices = c->o->devices.v,
		.n_devices = c->o->devices.n,
		.rings = c->o->rings.v,
		.n_rings = c->o->rings.n,
		.pids = c->pids,
		.n_pids = c->n_pids,
		.from = c->window->from,
		.to = c->window->to,
	};
}

void replay_select(const struct replay_cmd *c, const struct xtr_section *s, struct xtr_select *sel)
{
	replay_select_given(c, sel);
	xtr_play_window(s, &sel->from, &sel->to);
}

/* What xtr_play calls back: the command's own context rides along. */
struct player {
	struct replay_cmd *c;
	const struct xtr_section *s;
	int (*event)(void *, const struct xtr_event *);
	const struct replay_batches *who; /* or NULL: event */
	void *ctx;
};

static int on_event(void *ctx, const struct xtr_event *ev)
{
	const struct player *p = ctx;

	return p->event(p->ctx, ev);
}

static int on_batch(void *ctx, const struct xtr_event *ev, size_t n)
{
	const struct player *p = ctx;

	return p->who->batch(p->who->ctx, ev, n);
}

static void on_keeps(void *ctx, bool keeps)
{
	const struct player *p = ctx;

	p->who->keeps(p->who->ctx, keeps);
}

void replay_damage(struct replay_cmd *c, const struct xtr_err *err)
{
	if (c->again)
		return;
	cli_trace_error(c->path, err);
	if (!c->damaged++)
		c->damage = err->problem;
	c->status = XTR_EXIT_LOSS;
}

static void on_damage(void *ctx, const struct xtr_err *err)
{
	const struct player *p = ctx;

	replay_damage(p->c, err);
	p->c->unreadable = xtr_sat_add(p->c->unreadable, xtr_section_events_at(p->s, err->offset));
}

static void on_progress(void *ctx, unsigned int permille)
{
	cli_progress(((struct player *)ctx)->c->path, permille, 1000);
}

static int play(struct player *player, const uint32_t *types, size_t n_types)
{
	struct xtr_play p = {
		.reader = player->c->reader,
		.section = player->s,
		.types = types,
		.n_types = n_types,
		.event = on_event,
		.batch = player->who ? on_batch : NULL,
		.keeps = player->who && player->who->keeps ? on_keeps : NULL,
		.keep = player->who ? player->who->keep : 0,
		.damage = on_damage,
		.progress = on_progress,
		.ctx = player,
	};
	struct xtr_err err = { 0 };
	int ret;

	played(player->c, player->s, &p.from, &p.to);
	player->c->unreadable = 0;
	ret = xtr_play(&p, &err);
	cli_progress_done();
	return ret;
}

int replay_play(struct replay_cmd *c, const struct xtr_section *s, const uint32_t *types,
		size_t n_types, int (*event)(void *, const struct xtr_event *), void *ctx)
{
	struct player player = { .c = c, .s = s, .event = event, .ctx = ctx };

	return play(&player, types, n_types);
}

int replay_play_batches(struct replay_cmd *c, const struct xtr_section *s,
			const struct replay_batches *who)
{
	struct player player = { .c = c, .s = s, .who = who };

	return play(&player, NULL, 0);
}

FILE *replay_out(struct replay_cmd *c)
{
	if (!c->out)
		c->out = cli_out();
	return c->out;
}

int replay_end(struct replay_cmd *c, int ret)
{
	int status = c->status;

	if (ret) {
		cli_error("'%s': %s", c->path, cli_strerror(ret < 0 ? -ret : EIO));
		status = XTR_EXIT_FAILURE;
	}
	xtr_reader_close(c->reader);
	free(c->pids);
	return status;
}

/* --- pace ------------------------------------------------------------------------------------- */

bool pace_turn(struct pace *p, uint64_t ts, struct timespec *at)
{
	double after = (double)(ts - p->first) / p->factor;

	if (!p->first) {
		p->first = ts;
		clock_gettime(CLOCK_MONOTONIC, &p->began);
		return false;
	}
	*at = p->began;
	at->tv_sec += (time_t)(after / 1e9);
	at->tv_nsec += (long)(after - (double)(time_t)(after / 1e9) * 1e9);
	if (at->tv_nsec >= 1000000000) {
		at->tv_nsec -= 1000000000;
		at->tv_sec++;
	}
	return true;
}

void pace_sleep(const struct timespec *at)
{
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, at, NULL) == EINTR)
		;
}
