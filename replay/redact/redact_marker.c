// SPDX-License-Identifier: BSD-2-Clause
#include "redact_marker.h"
#include "replay/calls/marker.h"
#include "redact_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LABEL 24u /* bytes of "name#4294967295", with the NUL */

/* The parts of a marker under their new names; "" where there is none. */
struct parts {
	char name[LABEL], track[LABEL], key[LABEL];
	uint64_t pid, tid;
	uint64_t number;
};

static int label(struct redact_texts *t, const char *what, const char *s, char to[LABEL])
{
	struct redact_text text;
	int err = 0;

	to[0] = '\0';
	if (!*s)
		return 0;
	err = redact_label(t, what, s, strlen(s), &text);
	snprintf(to, LABEL, "%.*s", (int)text.n, text.p);
	return err;
}

static int map_parts(struct redact_texts *t, const struct xtr_marker *m, struct parts *p)
{
	int err = label(t, "name", m->name, p->name);

	if (!err)
		err = label(t, "name", m->track, p->track);
	if (!err)
		err = label(t, m->form == XTR_MARKER_CROS ? "path" : "name", m->key, p->key);
	p->pid = redact_pid(t->values, m->pid);
	p->tid = redact_pid(t->values, m->tid);
	p->number = xtr_siphash(&t->values->key, m->number) & INT32_MAX;
	return err;
}

static int put_atrace(char *to, size_t room, char letter, const struct parts *p)
{
	switch (letter) {
	case 'E':
		return snprintf(to, room, "E|%" PRIu64, p->pid);
	case 'S':
	case 'F':
		return snprintf(to, room, "%c|%" PRIu64 "|%s|%" PRIu64, letter, p->pid, p->name,
				p->number);
	case 'G':
		return snprintf(to, room, "G|%" PRIu64 "|%s|%s|%" PRIu64, p->pid, p->track, p->name,
				p->number);
	case 'H':
		return snprintf(to, room, "H|%" PRIu64 "|%s|%" PRIu64, p->pid, p->track, p->number);
	case 'N':
		return snprintf(to, room, "N|%" PRIu64 "|%s|%s", p->pid, p->track, p->name);
	case 'C':
		return snprintf(to, room, "C|%" PRIu64 "|%s|0", p->pid, p->name);
	default:
		return snprintf(to, room, "%c|%" PRIu64 "|%s", letter, p->pid, p->name);
	}
}

static int put_gpuvis(char *to, size_t room, const struct xtr_marker *m, const struct parts *p)
{
	char at[40] = "", tid[40] = "", what[80] = "";

	if (m->at_ns)
		snprintf(at, sizeof(at), " (ltime=%" PRIu64 ")", m->at_ns);
	else if (m->offset_ns && m->kind != XTR_MARKER_SLICE)
		snprintf(at, sizeof(at), " (dtime=%" PRId64 ")", m->offset_ns);
	if (m->tid)
		snprintf(tid, sizeof(tid), " tid=%" PRIu64, p->tid);
	if (m->kind == XTR_MARKER_SLICE)
		snprintf(what, sizeof(what), " (lduration=%" PRIu64 "%s offset=%" PRId64 ")",
			 m->length_ns, tid, m->offset_ns);
	else if (m->kind != XTR_MARKER_MOMENT)
		snprintf(what, sizeof(what), " (%s_%sctx=%" PRIu64 ")",
			 m->kind == XTR_MARKER_BEGIN ? "begin" : "end",
			 m->scope == XTR_MARKER_GLOBAL ? "g" : "", p->number);
	return snprintf(to, room, "%s%s%s", p->name, at, what);
}

static int put(char *to, size_t room, char letter, const struct xtr_marker *m,
	       const struct parts *p)
{
	bool begins = m->kind == XTR_MARKER_BEGIN;

	switch (m->form) {
	case XTR_MARKER_ATRACE:
		return put_atrace(to, room, letter, p);
	case XTR_MARKER_GPUVIS:
		return put_gpuvis(to, room, m, p);
	case XTR_MARKER_CROS:
		return snprintf(to, room, "%s%scros_trace_print_%s: %s%s%s", p->track,
				*p->track ? ": " : "", begins ? "enter" : "exit", p->key,
				begins ? ": " : "", begins ? p->name : "");
	case XTR_MARKER_WORDS:
		return snprintf(to, room, "%s %s", begins ? "Begin" : "End", p->key);
	default:
		if (m->kind == XTR_MARKER_NOTHING)
			return snprintf(to, room, "trace_event_clock_sync:");
		return snprintf(to, room, "%s", p->name);
	}
}

/* The name of a pair of words is told by its key, which both texts have. */
static void forget_unused(struct xtr_marker *m)
{
	if (m->form == XTR_MARKER_WORDS ||
	    (m->form == XTR_MARKER_CROS && m->kind != XTR_MARKER_BEGIN))
		m->name[0] = '\0';
	if (m->form != XTR_MARKER_WORDS && m->form != XTR_MARKER_CROS)
		m->key[0] = '\0';
}

int redact_marker(struct redact_texts *t, const char *s, size_t n, struct redact_text *out)
{
	struct xtr_marker m;
	struct parts p;
	int err;

	xtr_marker_parse(&m, s, n);
	forget_unused(&m);
	err = map_parts(t, &m, &p);
	if (err)
		return err;
	out->p = out->buf;
	out->n = (size_t)put(out->buf, sizeof(out->buf), n ? *s : '\0', &m, &p);
	return 0;
}

void redact_marker_note(struct redact_values *v, const char *s, size_t n)
{
	struct xtr_marker m;

	xtr_marker_parse(&m, s, n);
	redact_note_pid(v, m.pid);
	redact_note_pid(v, m.tid);
}

static bool is_made(const char *s)
{
	return !*s || redact_is_label(s, strlen(s));
}

bool redact_marker_is_made(const char *s, size_t n, uint32_t *pid, uint32_t *tid)
{
	static const char end[] = "End ";
	struct xtr_marker m;
	const char *key = m.key;

	xtr_marker_parse(&m, s, n);
	*pid = m.pid;
	*tid = m.tid;
	if (m.form == XTR_MARKER_GPUVIS)
		m.key[0] = '\0';
	if (m.form == XTR_MARKER_WORDS && !strncmp(key, end, strlen(end)))
		key += strlen(end);
	if (m.kind == XTR_MARKER_COUNTER && m.value)
		return false;
	return is_made(m.name) && is_made(m.track) && is_made(key);
}
