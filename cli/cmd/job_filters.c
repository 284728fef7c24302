/* SPDX-License-Identifier: BSD-2-Clause */
#include "job_filters.h"
#include "paths.h"
#include "replay_cmd.h"
#include "trace.h"
#include "base/buf.h"
#include "replay/model/model.h"
#include "base/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_list *given(const struct replay_cmd *c, enum filter_kind kind)
{
	const struct cli_list *const lists[FILTER_KINDS] = {
		[FILTER_DEVICE] = &c->o->devices,
		[FILTER_RING] = &c->o->rings,
		[FILTER_PID] = &c->o->pids,
	};

	return lists[kind];
}

/* One trace, as it is seen. */
struct seeing {
	struct filters *f;
	const struct replay_cmd *c;
	const struct xtr_tables *tables;
	bool names; /* keep them, too */
	bool no_memory;
};

static void keep(struct seeing *s, enum filter_kind kind, const char *name)
{
	size_t n = s->f->kind[kind].n_names;
	char text[XTR_TEXT_NAME];

	if (!s->names || !*name)
		return;
	xtr_text_name(text, sizeof(text), name, strlen(name));
	for (size_t i = 0; i < n; i++)
		if (!strcmp(s->f->kind[kind].name[i], text))
			return;
	if (n == FILTER_NAMES) {
		s->f->kind[kind].more++;
		return;
	}
	s->f->kind[kind].name[n] = strdup(text);
	if (s->f->kind[kind].name[n])
		s->f->kind[kind].n_names++;
	else
		s->no_memory = true;
}

/* True if a pattern of the kind matches, or there is none. */
static bool match(struct seeing *s, enum filter_kind kind, const char *name)
{
	const struct cli_list *l = given(s->c, kind);
	bool any = !l->n;

	for (size_t i = 0; i < l->n; i++)
		if (!fnmatch(l->v[i], name, 0)) {
			s->f->kind[kind].matched[i] = true;
			any = true;
		}
	return any;
}

static void see_device(struct seeing *s, const char *device)
{
	keep(s, FILTER_DEVICE, device);
	match(s, FILTER_DEVICE, device);
}

/* A ring counts if its device is one of those that are asked for. */
static void see_ring(struct seeing *s, const char *device, const char *ring)
{
	keep(s, FILTER_DEVICE, device);
	if (!match(s, FILTER_DEVICE, device))
		return;
	keep(s, FILTER_RING, ring);
	match(s, FILTER_RING, ring);
}

static bool see_pid(struct seeing *s, uint32_t pid)
{
	bool any = false;

	for (size_t i = 0; i < s->c->n_pids; i++)
		if (s->c->pids[i] == pid) {
			s->f->kind[FILTER_PID].matched[i] = true;
			any = true;
		}
	return any;
}

static const char *string(const struct seeing *s, uint32_t id)
{
	size_t n;
	const char *text = s->tables ? xtr_tables_string(s->tables, id, &n) : NULL;

	return text ? text : "";
}

static void see_tables(struct seeing *s, const struct xtr_section *section)
{
	const struct xtr_meta *meta = xtr_section_meta(section);
	const struct xtr_tables *t = xtr_section_tables(section);

	s->tables = t;
	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++)
		see_device(s, xtr_meta_device(meta, i)->name);
	for (size_t i = 0; i < xtr_tables_n_rings(t); i++) {
		const struct xtr_ring *r = xtr_tables_ring_at(t, i);

		see_ring(s, string(s, r->device), string(s, r->name));
	}
	for (size_t i = 0; s->c->n_pids && i < xtr_tables_n_tasks(t); i++)
		see_pid(s, xtr_tables_task_at(t, i)->pid);
}

/* --- what the tables do not know -------------------------------------------------------------- */

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct seeing *s = ctx;
	char text[XTR_TEXT_NAME];

	if (j->aside || (j->flags & XTR_FLAG_NO_QUEUE) || !j->pid || see_pid(s, j->pid))
		return 0;
	snprintf(text, sizeof(text), "%u (%s)", j->pid, string(s, j->comm));
	keep(s, FILTER_PID, text);
	return 0;
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(ctx, ev);
}

static int play_section(struct seeing *s, const struct xtr_section *section)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(section),
				     .tables = xtr_section_tables(section),
				     .job = on_job,
				     .ctx = s };
	struct xtr_play p = { .reader = s->c->reader, .section = section, .event = on_event };
	struct xtr_err err = { 0 };
	struct xtr_model *m;
	int ret = xtr_model_new(&m, &mo);

	if (ret)
		return ret;
	s->tables = mo.tables;
	p.ctx = m;
	p.types = xtr_model_types(m, false, &p.n_types);
	ret = xtr_play(&p, &err) ?: xtr_model_finish(m);
	for (size_t i = 0; i < xtr_model_n_rings(m) && !ret; i++)
		see_ring(s, xtr_model_ring(m, i)->device_name, xtr_model_ring(m, i)->name);
	xtr_model_free(m);
	return ret;
}

/* --- all -------------------------------------------------------------------------------------- */

/* The first that matched nothing; false: each has something. */
static bool first_unmatched(const struct filters *f, const struct replay_cmd *c, int *kind,
			    size_t *which)
{
	for (*kind = 0; *kind < FILTER_KINDS; (*kind)++)
		for (*which = 0; *which < given(c, *kind)->n; (*which)++)
			if (!f->kind[*kind].matched[*which])
				return true;
	return false;
}

static int make_room(struct filters *f, const struct replay_cmd *c)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++) {
		if (f->kind[kind].matched)
			continue;
		f->kind[kind].matched = calloc(given(c, kind)->n + 1, sizeof(bool));
		if (!f->kind[kind].matched)
			return -ENOMEM;
	}
	return 0;
}

int filters_see(struct filters *f, const struct replay_cmd *c)
{
	struct seeing s = { .f = f, .c = c };
	const size_t n = xtr_reader_n_sections(c->reader);
	int err = make_room(f, c), kind;
	size_t i;

	for (i = 0; i < n && !err; i++)
		see_tables(&s, xtr_reader_section(c->reader, i));
	if (err || !first_unmatched(f, c, &kind, &i))
		return err;
	s.names = true;
	for (i = 0; i < n; i++)
		see_tables(&s, xtr_reader_section(c->reader, i));
	for (i = 0; i < n && !err; i++)
		err = play_section(&s, xtr_reader_section(c->reader, i));
	return err ? err : s.no_memory ? -ENOMEM : 0;
}

static void put_names(FILE *out, const struct filters *f, int kind)
{
	static const char *const none[FILTER_KINDS] = {
		[FILTER_DEVICE] = "no device has jobs",
		[FILTER_RING] = "no ring of the devices that are asked for has jobs",
		[FILTER_PID] = "no process is known to have submitted a job",
	};

	if (!f->kind[kind].n_names)
		fputs(none[kind], out);
	else
		fputs("there is: ", out);
	for (size_t i = 0; i < f->kind[kind].n_names; i++)
		fprintf(out, "%s%s", i ? ", " : "", f->kind[kind].name[i]);
	if (f->kind[kind].more)
		fputs(", and more", out);
}

int filters_check(const struct filters *f, const struct replay_cmd *c,
		  const struct cli_command *cmd)
{
	static const char *const options[FILTER_KINDS] = { "--device", "--ring", "--pid" };
	char name[XTR_TEXT_NAME], *text;
	struct xtr_buf buf;
	size_t which;
	FILE *out;
	int kind;

	if (!first_unmatched(f, c, &kind, &which))
		return XTR_EXIT_OK;
	out = xtr_memory_stream(&buf);
	if (out)
		put_names(out, f, kind);
	text = out ? xtr_memory_text(out, &buf) : NULL;
	if (!text)
		return cli_failed(options[kind], -ENOMEM);
	cli_usage_error(cmd, "%s: nothing is called '%s'; %s", options[kind],
			xtr_text_name(name, sizeof(name), given(c, kind)->v[which],
				      strlen(given(c, kind)->v[which])),
			text);
	free(text);
	return XTR_EXIT_USAGE;
}

static void all_match(struct filters *f, const struct replay_cmd *c)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		for (size_t i = 0; i < given(c, kind)->n; i++)
			f->kind[kind].matched[i] = true;
}

static int see_file(struct filters *f, struct replay_cmd *c, const char *path)
{
	struct cli_open_err why;
	int err;

	if (!strcmp(path, "-")) {
		err = make_room(f, c);
		if (!err)
			all_match(f, c);
		return err;
	}
	if (cli_try_part(path, NULL, &c->reader, &why))
		return 0;
	err = filters_see(f, c);
	xtr_reader_close(c->reader);
	return err;
}

int filters_see_files(struct filters *f, const struct cli_command *cmd, const struct replay_opts *o,
		      const struct cli_paths *paths)
{
	struct replay_cmd c = { 0 };
	int status = replay_filters(&c, cmd, o), err, kind;
	size_t which;

	if (status != XTR_EXIT_OK || !paths->n || (!o->devices.n && !o->rings.n && !o->pids.n)) {
		free(c.pids);
		return status;
	}
	err = make_room(f, &c);
	for (size_t i = 0; i < paths->n && !err && first_unmatched(f, &c, &kind, &which); i++)
		err = see_file(f, &c, paths->v[i]);
	status = err ? cli_failed(cmd->name, err) : filters_check(f, &c, cmd);
	free(c.pids);
	return status;
}

void filters_free(struct filters *f)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++) {
		for (size_t i = 0; i < f->kind[kind].n_names; i++)
			free(f->kind[kind].name[i]);
		free(f->kind[kind].matched);
	}
	*f = (struct filters){ 0 };
}
