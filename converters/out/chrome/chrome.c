/* SPDX-License-Identifier: BSD-2-Clause */
/* Chrome trace JSON (Trace Event Format), for ui.perfetto.dev and chrome://tracing. */
#include "chrome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *chrome_string(const struct chrome *c, uint32_t id, size_t *n)
{
	const char *s;

	*n = 0;
	s = id ? xtr_tables_string(c->section.tables, id, n) : NULL;
	return s ? s : "";
}

void chrome_begin(struct chrome *c, const char *phase, const char *cat, const char *name, size_t n,
		  const struct chrome_place *at, uint64_t ns)
{
	struct chrome_out *o = &c->out;

	chrome_event(o, phase, cat);
	chrome_text(o, "name", name, n);
	chrome_u64(o, "pid", at->pid);
	chrome_u64(o, "tid", at->tid);
	chrome_us(o, "ts", ns);
}

static unsigned int wants(const struct xtr_export_opts *o)
{
	return o->jobs_only ? 0 : XTR_EXPORT_DEPTH | XTR_EXPORT_CALLS | XTR_EXPORT_MARKS;
}

/* Static text if an option is given that means nothing here. */
static const char *refuse(const struct xtr_export_opts *o)
{
	if (o->raw)
		return "chrome has no --raw: events with fields of their own are in it anyway";
	if (o->ftrace || o->track_events || o->compress)
		return "--ftrace, --track-events and --compress are for perfetto";
	if (o->table)
		return "--table is for csv and jsonl";
	return NULL;
}

static int open_(void **self, const struct xtr_export_opts *o, const char **why)
{
	struct chrome *c;

	*self = NULL;
	*why = refuse(o);
	if (*why)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->opts = *o;
	chrome_out_init(&c->out, o->out);
	*self = c;
	return 0;
}

static int section(void *self, const struct xtr_export_section *s)
{
	struct chrome *c = self;
	int err;

	if (!c->started) {
		err = chrome_axis_init(&c->axis, s->reader);
		if (err)
			return err;
		chrome_head(c, s->reader);
		c->started = true;
	}
	c->section = *s;
	c->place = &c->axis.section[s->index];
	return chrome_tracks_section(&c->tracks, s) ?: chrome_path(c) ?: chrome_frames(c);
}

static int end_section(void *self)
{
	struct chrome *c = self;

	memset(&c->section, 0, sizeof(c->section));
	c->place = NULL;
	return chrome_tracks_section(&c->tracks, NULL);
}

static int finish(void *self)
{
	struct chrome *c = self;

	chrome_raw(&c->out, c->started ? "\n]}\n" : "{\"traceEvents\":[]}\n");
	chrome_flush(&c->out);
	return 0;
}

static void close_(void *self)
{
	struct chrome *c = self;

	if (!c)
		return;
	chrome_tracks_free(&c->tracks);
	chrome_axis_free(&c->axis);
	free(c);
}

const struct xtr_exporter xtr_exporter_chrome = {
	.name = "chrome",
	.suffix = ".json",
	.timeline = true,
	.help = "Chrome trace JSON, for ui.perfetto.dev and chrome://tracing",
	.wants = wants,
	.open = open_,
	.section = section,
	.job = chrome_job,
	.depth = chrome_depth,
	.call = chrome_call,
	.mark = chrome_mark,
	.gap = chrome_gap,
	.end_section = end_section,
	.finish = finish,
	.close = close_,
};
