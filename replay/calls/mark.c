/* SPDX-License-Identifier: BSD-2-Clause */
#include "mark.h"
#include "replay/event/event_bind.h"
#include "mark_rule.h"
#include "marker.h"
#include "replay/sources/driver_sources.h"

#include "format/xtr_format.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX  2u /* of one event */
#define TRACK_MAX  128u
#define PERIOD_MAX 1000000000u /* ns: a longer time between two vblanks is none */

enum { /* fields of a bound rule */
	KEY = 0,
	OBJECT = MARK_KEYS,
	VALUE = 2 * MARK_KEYS,
	TIME,
	SEQ,
	UNIT,
};

/* An event of this section and what it says. */
struct binding {
	const char *name;
	uint32_t first, n_rules; /* of the bound rules; none: it happened */
	uint32_t marker;         /* 1 + index of marker_event; 0: it is none */
};

struct bound {
	const struct mark_rule *rule;
	struct xtr_bind at;
};

struct xtr_marks {
	const struct xtr_tables *tables;
	struct binding *binding;
	size_t n;
	struct bound *bound;
	uint32_t n_bound;
	struct xtr_map by_type;
	struct levels levels;
	struct xtr_marker_event *marker_event;
	uint32_t n_marker_events;
	struct xtr_marker marker; /* of the present event */
	char track[RULES_MAX][TRACK_MAX];
	char name[32];
	char unit[TRACK_MAX];
};

/* --- binding ---------------------------------------------------------------------------------- */

static bool complete(const struct mark_rule *rule, const struct xtr_bind *at)
{
	/* A counter without its value, and an error without its number, only happened. */
	if (rule->value && !xtr_bind_has(at, VALUE))
		return false;
	return rule->how != MARK_PERIOD || (xtr_bind_has(at, TIME) && xtr_bind_has(at, SEQ));
}

static int bind_rule(struct xtr_marks *m, struct binding *b, const struct mark_rule *rule,
		     const struct xtr_event_desc *d)
{
	struct xtr_bind_spec spec = { .event = rule->event };
	struct bound one = { .rule = rule }, *more;

	for (uint32_t i = 0; i < MARK_KEYS; i++) {
		spec.fields[KEY + i] = rule->keys[i];
		spec.fields[OBJECT + i] = rule->object[i];
	}
	spec.fields[VALUE] = rule->value;
	spec.fields[TIME] = "time";
	spec.fields[SEQ] = "seq";
	spec.fields[UNIT] = rule->unit_field;
	xtr_bind_desc(&one.at, d, &spec);
	if (!complete(rule, &one.at))
		return 0;
	more = reallocarray(m->bound, m->n_bound + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	m->bound = more;
	m->bound[m->n_bound++] = one;
	b->n_rules++;
	return 0;
}

static int bind_marker(struct xtr_marks *m, struct binding *b, const struct xtr_event_desc *d)
{
	struct xtr_marker_event one, *more;

	if (!xtr_marker_bind(&one, d))
		return 0;
	more = reallocarray(m->marker_event, m->n_marker_events + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	m->marker_event = more;
	m->marker_event[m->n_marker_events] = one;
	b->marker = ++m->n_marker_events;
	return 0;
}

static int bind(struct xtr_marks *m, struct binding *b, const struct xtr_event_desc *d)
{
	const char *colon = strchr(d->name, ':');
	int err;

	*b = (struct binding){ .name = colon ? colon + 1 : d->name, .first = m->n_bound };
	err = bind_marker(m, b, d);
	for (size_t i = 0; i < mark_n_rules && b->n_rules < RULES_MAX && !err; i++)
		if (!strcmp(mark_rules[i].event, d->name))
			err = bind_rule(m, b, &mark_rules[i], d);
	return err;
}

int xtr_marks_new(struct xtr_marks **out, const struct xtr_meta *meta,
		  const struct xtr_tables *tables)
{
	struct xtr_marks *m = calloc(1, sizeof(*m));
	size_t i, all = xtr_meta_n_events(meta);
	int err = 0;

	if (!m)
		return -ENOMEM;
	m->tables = tables;
	m->binding = calloc(all + 1, sizeof(*m->binding));
	if (!m->binding)
		err = -ENOMEM;
	for (i = 0; i < all && !err; i++) {
		const struct xtr_event_desc *d = xtr_meta_event_at(meta, i);

		if (d->type < XTR_TYPE_FIRST_DYNAMIC || source_told_plain(d))
			continue;
		err = bind(m, &m->binding[m->n], d)
			      ?: xtr_map_put(&m->by_type, d->type, 0, (uint32_t)m->n++);
	}
	if (err) {
		xtr_marks_free(m);
		return err;
	}
	*out = m;
	return 0;
}

void xtr_marks_free(struct xtr_marks *m)
{
	if (!m)
		return;
	xtr_map_free(&m->by_type);
	levels_free(&m->levels);
	free(m->binding);
	free(m->bound);
	free(m->marker_event);
	free(m);
}

/* --- tracks ----------------------------------------------------------------------------------- */

struct track {
	char *text; /* TRACK_MAX bytes */
	size_t n;
};

/* Printable ASCII: device names come from the file. */
static void add_text(struct track *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n && t->n < TRACK_MAX - 1; i++)
		t->text[t->n++] = s[i] > ' ' && s[i] < 0x7f ? s[i] : (s[i] == ' ' ? ' ' : '?');
	t->text[t->n] = '\0';
}

static void add_value(struct track *t, const struct mark_rule *rule, const struct xtr_slot *s,
		      uint64_t v, bool first)
{
	const struct mark_name *names = first ? rule->key_names : NULL;
	char number[24];

	for (; names && names->name; names++) {
		if (names->value == v) {
			add_text(t, names->name, strlen(names->name));
			return;
		}
	}
	if (s->width == 1 && v < 128 && isalpha((int)v)) /* a letter: a pipe's */
		snprintf(number, sizeof(number), "%c", (int)v);
	else
		snprintf(number, sizeof(number), "%" PRIu64, v);
	add_text(t, number, strlen(number));
}

static void add_word(struct track *t, const char *word)
{
	if (t->n)
		add_text(t, " ", 1);
	add_text(t, word, strlen(word));
}

/*
 * "GPU memory gpu_id 0 pid 123", "pipe A of 0000:00:02.0"; a single key needs no name: "CRTC 0".
 */
static const char *track_of(struct xtr_marks *m, char text[TRACK_MAX], const struct mark_rule *rule,
			    const struct xtr_bind *at, const struct xtr_event *ev)
{
	struct track t = { .text = text };

	add_text(&t, rule->track, strlen(rule->track));
	for (uint32_t i = 0; i < MARK_KEYS && rule->keys[i]; i++) {
		const char *word = rule->words[i]  ? rule->words[i]
				   : rule->keys[1] ? rule->keys[i]
						   : "";
		size_t n;
		const char *s = xtr_bind_text(at, KEY + i, ev, m->tables, &n);
		uint64_t v = 0;

		if (!s && !xtr_bind_get(at, KEY + i, ev, &v))
			continue;
		if (*word)
			add_word(&t, word);
		if (t.n)
			add_text(&t, " ", 1);
		if (s)
			add_text(&t, s, n);
		else
			add_value(&t, rule, &at->slot[KEY + i], v, i == 0);
	}
	return text;
}

/* --- counters --------------------------------------------------------------------------------- */

/* From one vblank to the next one, by their own times; an interrupt may have been off between. */
static bool period(struct level *v, const struct xtr_bind *at, const struct xtr_event *ev)
{
	struct level now = { .known = true };
	bool next;

	if (!xtr_bind_get(at, TIME, ev, &now.time_ns) || !xtr_bind_get(at, SEQ, ev, &now.seq) ||
	    !now.time_ns)
		return false;
	next = v->known && now.seq - v->seq == 1 && now.time_ns > v->time_ns &&
	       now.time_ns - v->time_ns < PERIOD_MAX;
	now.value = next ? now.time_ns - v->time_ns : v->value;
	*v = now;
	return next;
}

/* 1: the counter has a value; 0: this event does not change it; -errno. */
static int count(struct xtr_marks *m, const struct mark_rule *rule, const struct xtr_bind *at,
		 const struct xtr_event *ev, uint32_t i)
{
	uint64_t amount = rule->value ? xtr_bind_u64(at, VALUE, ev) : 1;
	struct level_object o = { 0 };
	struct level *v = &m->levels.level[i];
	int err;

	o.named = xtr_bind_get(at, OBJECT, ev, &o.b);
	xtr_bind_get(at, OBJECT + 1, ev, &o.a);
	switch (rule->how) {
	case MARK_SUM:
		v->value = amount > UINT64_MAX - v->value ? UINT64_MAX : v->value + amount;
		return 1;
	case MARK_OPEN:
		err = levels_open(&m->levels, i, o, amount);
		return err == -ENOSPC ? 0 : err ? err : 1;
	case MARK_CLOSE:
		return levels_close(&m->levels, i, o);
	default:
		return period(v, at, ev);
	}
}

static int counter(struct xtr_marks *m, const struct mark_rule *rule, const struct xtr_bind *at,
		   const struct xtr_event *ev, struct xtr_mark *mark)
{
	uint32_t i = 0;
	int err;

	if (rule->how == MARK_SET) {
		mark->value = xtr_bind_u64(at, VALUE, ev);
		mark->is_signed = rule->unit_field && at->slot[VALUE].field &&
				  xtr_repr_is_signed(at->slot[VALUE].field->repr);
		return 1;
	}
	err = levels_find(&m->levels, mark->track, &i);
	if (!err)
		err = count(m, rule, at, ev, i);
	else if (err == -ENOSPC)
		err = 0;
	mark->value = err > 0 ? m->levels.level[i].value : 0;
	return err;
}

/* --- marks ------------------------------------------------------------------------------------ */

static void fill_task(const struct xtr_marks *m, struct xtr_mark *mark, const struct xtr_event *ev)
{
	const struct xtr_task *task =
		ev->tid && m->tables ? xtr_tables_task(m->tables, ev->tid, ev->ts) : NULL;

	mark->tid = ev->tid;
	mark->pid = task ? task->pid : 0;
	mark->nth = task ? task->nth : 0;
	mark->comm = task ? task->comm : 0;
}

/* A text of the trace: printable ASCII, as names of tracks are. */
static const char *unit_of(struct xtr_marks *m, const struct mark_rule *rule,
			   const struct xtr_bind *at, const struct xtr_event *ev)
{
	struct track t = { .text = m->unit };
	size_t n;
	const char *s = rule->unit_field ? xtr_bind_text(at, UNIT, ev, m->tables, &n) : NULL;

	if (!rule->unit_field)
		return rule->unit;
	if (!s || !n)
		return NULL;
	add_text(&t, s, n);
	return m->unit;
}

/* 1: *mark is what the rule says of the event, 0: nothing; -errno. */
static int apply(struct xtr_marks *m, const struct binding *b, uint32_t k,
		 const struct xtr_event *ev, struct xtr_mark *mark)
{
	const struct mark_rule *rule = m->bound[b->first + k].rule;
	const struct xtr_bind *at = &m->bound[b->first + k].at;

	mark->kind = rule->kind;
	mark->track = track_of(m, m->track[k], rule, at, ev);
	if (rule->kind == XTR_MARK_COUNTER) {
		mark->unit = unit_of(m, rule, at, ev);
		return counter(m, rule, at, ev, mark);
	}
	if (rule->kind == XTR_MARK_VBLANK) {
		xtr_bind_get(at, TIME, ev, &mark->time_ns);
		xtr_bind_get(at, SEQ, ev, &mark->seq);
	} else if (!*mark->track) {
		mark->track = "device not known";
	}
	if (rule->label) {
		snprintf(m->name, sizeof(m->name), "%s %" PRIu64, rule->label,
			 xtr_bind_u64(at, VALUE, ev));
		mark->name = m->name;
	}
	return 1;
}

/* Only a counter that the event has the value of is all that there is to say of it. */
static bool says_all(const struct mark_rule *rule)
{
	return rule->kind != XTR_MARK_COUNTER || rule->how == MARK_SET;
}

/* 1: *mark is what a marker says; 0: nothing, or slices, which are calls. */
static int marker(struct xtr_marks *m, const struct binding *b, const struct xtr_event *ev,
		  struct xtr_mark *mark)
{
	struct xtr_marker *what = &m->marker;

	if (!xtr_marker_read(what, &m->marker_event[b->marker - 1], ev, m->tables))
		return 1; /* without a text it is an event as others */
	if (what->kind == XTR_MARKER_NOTHING || what->kind == XTR_MARKER_SLICE)
		return 0;
	mark->kind = what->kind == XTR_MARKER_COUNTER ? XTR_MARK_COUNTER : XTR_MARK_MARKER;
	mark->name = what->loose ? what->whole : what->name;
	mark->track = *what->track ? what->track : NULL;
	mark->of_process = what->scope == XTR_MARKER_PROCESS;
	xtr_marker_process(what, m->tables, ev->ts, &mark->pid, &mark->nth);
	if (mark->kind == XTR_MARK_COUNTER) {
		mark->track = what->name;
		mark->name = b->name;
		mark->is_signed = true;
		mark->value = (uint64_t)what->value;
	}
	mark->ts = xtr_marker_time(what, ev->ts);
	return mark->ts ? 1 : 0;
}

int xtr_marks_event(struct xtr_marks *m, const struct xtr_event *ev,
		    struct xtr_mark mark[XTR_MARKS_MAX])
{
	uint32_t i = ev->gap ? XTR_MAP_NONE : xtr_map_index(&m->by_type, ev->type, 0);
	const struct binding *b;
	struct xtr_mark plain;
	bool said = false;
	int n = 0, err;

	if (i == XTR_MAP_NONE)
		return 0;
	b = &m->binding[i];
	plain = (struct xtr_mark){ .kind = XTR_MARK_EVENT,
				   .name = b->name,
				   .ts = ev->ts,
				   .stream = ev->stream,
				   .ev = ev };
	fill_task(m, &plain, ev);
	if (b->marker) {
		mark[0] = plain;
		return marker(m, b, ev, mark);
	}
	for (uint32_t k = 0; k < b->n_rules; k++) {
		mark[n] = plain;
		err = apply(m, b, k, ev, &mark[n]);
		if (err < 0)
			return err;
		n += err;
		said |= says_all(m->bound[b->first + k].rule);
	}
	if (!said)
		mark[n++] = plain;
	return n;
}
