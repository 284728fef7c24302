/* SPDX-License-Identifier: BSD-2-Clause */
#include "mark.h"
#include "keymap.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 2u

/*
 * Events that are more than something that happened. The track is `track` with the values of the
 * key fields.
 *
 * Tracepoints: include/trace/events/{gpu_mem,power}.h, drivers/gpu/drm/drm_trace.h.
 */
struct rule {
	const char *event;
	enum xtr_mark_kind kind;
	const char *track;
	const char *keys[KEYS_MAX];
	const char *value, *unit; /* counters */
};

static const struct rule rules[] = {
	{ "gpu_mem:gpu_mem_total",
	  XTR_MARK_COUNTER,
	  "GPU memory",
	  { "gpu_id", "pid" },
	  "size",
	  "bytes" },
	{ "power:gpu_frequency", XTR_MARK_COUNTER, "GPU frequency", { "gpu_id" }, "state", "kHz" },
	{ "power:cpu_frequency", XTR_MARK_COUNTER, "CPU frequency", { "cpu_id" }, "state", "kHz" },
	{ "drm:drm_vblank_event", XTR_MARK_VBLANK, "CRTC", { "crtc" }, NULL, NULL },
	{ "drm:drm_vblank_event_queued", XTR_MARK_VBLANK, "CRTC", { "crtc" }, NULL, NULL },
	{ "drm:drm_vblank_event_delivered", XTR_MARK_VBLANK, "CRTC", { "crtc" }, NULL, NULL },
};

/* An event of this section and what it says. */
struct binding {
	const struct rule *rule; /* NULL: it happened */
	const char *name;
	const struct xtr_field *key[KEYS_MAX], *value, *time, *seq;
};

struct xtr_marks {
	const struct xtr_tables *tables;
	struct binding *binding;
	size_t n;
	struct xtr_keymap by_type;
	char track[128];
};

static const struct rule *find_rule(const char *event)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].event, event))
			return &rules[i];
	return NULL;
}

static void bind(struct binding *b, const struct xtr_event_desc *d)
{
	const char *colon = strchr(d->name, ':');
	size_t i;

	*b = (struct binding){ .rule = find_rule(d->name), .name = colon ? colon + 1 : d->name };
	if (!b->rule)
		return;
	for (i = 0; i < KEYS_MAX && b->rule->keys[i]; i++)
		b->key[i] = xtr_event_field(d, b->rule->keys[i]);
	if (b->rule->value)
		b->value = xtr_event_field(d, b->rule->value);
	b->time = xtr_event_field(d, "time");
	b->seq = xtr_event_field(d, "seq");
	/* A counter without its value is only something that happened. */
	if (b->rule->kind == XTR_MARK_COUNTER && !b->value)
		b->rule = NULL;
}

int xtr_marks_new(struct xtr_marks **out, const struct xtr_meta *meta,
		  const struct xtr_tables *tables)
{
	struct xtr_marks *m = calloc(1, sizeof(*m));
	size_t i, all = xtr_meta_n_events(meta);
	int ret = 0;

	if (!m)
		return -ENOMEM;
	m->tables = tables;
	m->binding = calloc(all + 1, sizeof(*m->binding));
	if (!m->binding)
		ret = -ENOMEM;
	for (i = 0; i < all && !ret; i++) {
		const struct xtr_event_desc *d = xtr_meta_event_at(meta, i);

		if (d->type < XTR_TYPE_FIRST_DYNAMIC)
			continue;
		bind(&m->binding[m->n], d);
		ret = xtr_keymap_put(&m->by_type, d->type, 0, (uint32_t)m->n++);
	}
	if (ret) {
		xtr_marks_free(m);
		return ret;
	}
	*out = m;
	return 0;
}

void xtr_marks_free(struct xtr_marks *m)
{
	if (!m)
		return;
	xtr_keymap_free(&m->by_type);
	free(m->binding);
	free(m);
}

/* "GPU memory gpu_id 0 pid 123"; a single key needs no name: "CRTC 0". */
static const char *track_of(struct xtr_marks *m, const struct binding *b,
			    const struct xtr_event *ev)
{
	int n = snprintf(m->track, sizeof(m->track), "%s", b->rule->track);
	size_t i;
	uint64_t v;

	for (i = 0; i < KEYS_MAX && n > 0 && (size_t)n < sizeof(m->track); i++) {
		if (!xtr_field_get(b->key[i], ev->rec, ev->size, &v))
			continue;
		n += snprintf(m->track + n, sizeof(m->track) - (size_t)n, "%s%s %" PRIu64,
			      b->rule->keys[1] ? " " : "", b->rule->keys[1] ? b->rule->keys[i] : "",
			      v);
	}
	return m->track;
}

static void fill_task(const struct xtr_marks *m, struct xtr_mark *mark, const struct xtr_event *ev)
{
	const struct xtr_task *task =
		ev->tid && m->tables ? xtr_tables_task(m->tables, ev->tid, ev->ts) : NULL;

	mark->tid = ev->tid;
	mark->pid = task ? task->pid : 0;
	mark->comm = task ? task->comm : 0;
}

int xtr_marks_event(struct xtr_marks *m, const struct xtr_event *ev, struct xtr_mark *mark)
{
	uint32_t i = ev->gap ? XTR_KEYMAP_NONE : xtr_keymap_get(&m->by_type, ev->type, 0);
	const struct binding *b;

	if (i == XTR_KEYMAP_NONE)
		return 0;
	b = &m->binding[i];
	*mark = (struct xtr_mark){ .kind = b->rule ? b->rule->kind : XTR_MARK_EVENT,
				   .name = b->name,
				   .ts = ev->ts,
				   .stream = ev->stream,
				   .ev = ev };
	fill_task(m, mark, ev);
	if (!b->rule)
		return 1;
	mark->track = track_of(m, b, ev);
	mark->unit = b->rule->unit;
	xtr_field_get(b->value, ev->rec, ev->size, &mark->value);
	if (b->rule->kind == XTR_MARK_VBLANK) {
		xtr_field_get(b->time, ev->rec, ev->size, &mark->time_ns);
		xtr_field_get(b->seq, ev->rec, ev->size, &mark->seq);
	}
	return 1;
}
