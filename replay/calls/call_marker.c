/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slices of markers. They have owners of their own: a slice begins inside the system call that
 * writes it, and ends inside another one, so it nests in none of them.
 */
#include "call_impl.h"

#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARKER_DEPTH_MAX 128u         /* nothing real nests deeper: ends were lost */
#define MARKER_OWNER     (1ull << 63) /* above the owners of call.c */

int call_marker_bind(struct xtr_calls *c, const struct xtr_event_desc *d)
{
	struct xtr_marker_event one, *more;

	if (!xtr_marker_bind(&one, d))
		return 0;
	more = reallocarray(c->marker_event, c->n_marker_events + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	c->marker_event = more;
	c->marker_event[c->n_marker_events] = one;
	return xtr_map_put(&c->by_type, d->type, 0, CALL_MARKERS + c->n_marker_events++);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t owner_of(const struct xtr_marker *m, const struct xtr_call *call)
{
	uint64_t h = mix(0, m->scope);

	if (m->scope == XTR_MARKER_PROCESS)
		h = mix(mix(h, call->pid), call->nth);
	else if (m->scope != XTR_MARKER_GLOBAL)
		h = mix(h, call->tid);
	h = mix(h, xtr_hash_bytes(m->track, strlen(m->track)));
	/* What nests is told apart inside its owner. */
	if (m->scope != XTR_MARKER_THREAD)
		h = mix(mix(h, xtr_hash_bytes(m->key, strlen(m->key))), m->number);
	return h | MARKER_OWNER;
}

/* All but times; texts are those of c->marker. */
static void fill(const struct xtr_calls *c, const struct xtr_event *ev, struct xtr_call *call)
{
	const struct xtr_marker *m = &c->marker;

	*call = (struct xtr_call){ .kind = XTR_CALL_MARKER,
				   .name = m->name,
				   .track = *m->track ? m->track : NULL,
				   .of_process = m->scope == XTR_MARKER_PROCESS,
				   .overlaps = m->scope != XTR_MARKER_THREAD,
				   .loose = m->loose,
				   .stream = ev->stream };
	call_set_task(c, call, m->tid ? m->tid : ev->tid, ev->ts);
	xtr_marker_process(m, c->o.tables, ev->ts, &call->pid, &call->nth);
}

static char *add_text(char **at, const char *s)
{
	size_t n = strlen(s) + 1;
	char *to = *at;

	memcpy(to, s, n);
	*at += n;
	return to;
}

/* Texts of c->marker are gone with the next event: the open call has its own. */
static int keep_texts(const struct xtr_marker *m, struct open_call *o)
{
	char *at =
		malloc(strlen(m->name) + strlen(m->track) + strlen(m->key) + strlen(m->whole) + 4);

	if (!at)
		return -ENOMEM;
	o->key = o->text = at;
	o->call.name = add_text(&at, m->name);
	if (o->call.track)
		o->call.track = add_text(&at, m->track);
	o->marker_key = add_text(&at, m->key);
	o->whole = m->loose ? add_text(&at, m->whole) : NULL;
	return 0;
}

/* The innermost of the owner with this key; "": any. */
static uint32_t find_open(const struct xtr_calls *c, uint64_t owner, const char *key)
{
	uint32_t i = call_top(c, owner);

	while (i != NONE && *key && strcmp(c->open[i].marker_key, key) != 0)
		i = c->open[i].below;
	return i;
}

/* Before a slice begins: those of which an end was lost, and the oldest if there are too many. */
static int make_room(struct xtr_calls *c, uint64_t owner)
{
	uint32_t top = call_top(c, owner);
	int err = 0;

	if (top != NONE && (c->marker.loose || c->open[top].call.depth + 1 >= MARKER_DEPTH_MAX))
		err = call_close_inside(c, owner, NONE);
	if (!err && c->n_open >= c->o.max_open)
		err = call_evict(c);
	return err;
}

static int begin(struct xtr_calls *c, const struct xtr_call *call, uint64_t owner)
{
	struct open_call *o;
	int err = make_room(c, owner);
	int64_t i = err ? err : call_alloc(c);

	if (i < 0)
		return (int)i;
	o = &c->open[i];
	*o = (struct open_call){ .call = *call, .owner = owner };
	err = keep_texts(&c->marker, o);
	if (err) {
		o->below = c->free;
		c->free = (uint32_t)i;
		return err;
	}
	return call_link(c, (uint32_t)i) ?: 1;
}

/* An end without a begin: the slice began before the trace, or its begin was lost. */
static int end(struct xtr_calls *c, struct xtr_call *call, uint64_t owner, uint64_t ts)
{
	uint32_t i = find_open(c, owner, c->marker.key);
	struct open_call *o;
	int err;

	if (i == NONE && c->marker.loose)
		return 0; /* only a moment */
	if (i == NONE) {
		call->begin_ns = 0;
		call->end_ns = ts;
		return call_hand_out(c, call, NONE) ?: 1;
	}
	err = call_close_inside(c, owner, i);
	if (err)
		return err;
	o = &c->open[i];
	if (!*o->call.name)
		o->call.name = c->marker.name;
	return call_close(c, i, ts > o->call.begin_ns ? ts : o->call.begin_ns) ?: 1;
}

static int slice(struct xtr_calls *c, struct xtr_call *call)
{
	if (__builtin_add_overflow(call->begin_ns, c->marker.length_ns, &call->end_ns))
		return 0;
	return call_hand_out(c, call, NONE) ?: 1;
}

int call_marker(struct xtr_calls *c, const struct xtr_marker_event *e, const struct xtr_event *ev)
{
	struct xtr_call call;
	uint64_t owner;

	if (!xtr_marker_read(&c->marker, e, ev, c->o.tables) || c->marker.kind < XTR_MARKER_BEGIN ||
	    c->marker.kind > XTR_MARKER_SLICE)
		return 0;
	fill(c, ev, &call);
	call.begin_ns = xtr_marker_time(&c->marker, ev->ts);
	if (!call.begin_ns)
		return 0;
	owner = owner_of(&c->marker, &call);
	if (c->marker.kind == XTR_MARKER_SLICE)
		return slice(c, &call);
	return c->marker.kind == XTR_MARKER_BEGIN ? begin(c, &call, owner)
						  : end(c, &call, owner, call.begin_ns);
}
