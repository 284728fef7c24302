/* SPDX-License-Identifier: BSD-2-Clause */
#include "marker.h"
#include "marker_impl.h"

#include "format/meta/schema.h"

#include <string.h>

void marker_put(char to[XTR_MARKER_NAME_MAX], const char *s, size_t n)
{
	n = n < XTR_MARKER_NAME_MAX ? n : XTR_MARKER_NAME_MAX - 1;
	memcpy(to, s, n);
	to[n] = '\0';
}

bool marker_number(const char **p, const char *end, int64_t *v)
{
	const char *s = *p;
	bool minus = s < end && *s == '-';
	const char *first = s += minus;
	int64_t n = 0;

	for (; s < end && *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *s - '0', &n))
			return false;
	if (s == first)
		return false;
	*v = minus ? -n : n;
	*p = s;
	return true;
}

void marker_clear(struct xtr_marker *m)
{
	m->form = XTR_MARKER_TEXT;
	m->kind = XTR_MARKER_MOMENT;
	m->scope = XTR_MARKER_THREAD;
	m->name[0] = m->whole[0] = m->track[0] = m->key[0] = '\0';
	m->number = m->at_ns = m->length_ns = 0;
	m->pid = m->tid = 0;
	m->value = m->offset_ns = 0;
	m->by_driver = m->loose = false;
}

/* --- Android: system/core/libcutils, trace-dev.inc; Perfetto's systrace_parser.h ---------------
 */

#define FIELDS_MAX 6u

struct field {
	const char *p;
	size_t n;
};

/* The parts that bars separate; the last one has the rest if there are more. */
static size_t split(const char *s, size_t n, struct field f[FIELDS_MAX])
{
	const char *end = s + n, *bar;
	size_t i = 0;

	for (;; s = bar + 1) {
		bar = i + 1 < FIELDS_MAX ? memchr(s, '|', (size_t)(end - s)) : NULL;
		f[i++] = (struct field){ s, (size_t)((bar ? bar : end) - s) };
		if (!bar)
			return i;
	}
}

static bool whole_number(struct field f, int64_t *v)
{
	const char *p = f.p;

	return marker_number(&p, f.p + f.n, v) && p == f.p + f.n;
}

static void put(char to[XTR_MARKER_NAME_MAX], struct field f)
{
	marker_put(to, f.p, f.n);
}

/* B: all behind the process is the name, bars too. */
static bool begin(struct xtr_marker *m, const struct field *f, size_t n)
{
	m->kind = XTR_MARKER_BEGIN;
	if (n > 2)
		marker_put(m->name, f[2].p, (size_t)(f[n - 1].p + f[n - 1].n - f[2].p));
	return true;
}

/* Flutter writes E alone. */
static bool end(struct xtr_marker *m, const struct field *f, size_t n)
{
	(void)f;
	(void)n;
	m->kind = XTR_MARKER_END;
	return true;
}

static bool set_cookie(struct xtr_marker *m, struct field f)
{
	int64_t v;

	if (!whole_number(f, &v))
		return false;
	m->number = (uint64_t)v;
	return true;
}

/* A track of its own for each name; what is of one name and cookie belongs together. */
static bool async(struct xtr_marker *m, const struct field *f, size_t n)
{
	if (n < 4 || !f[2].n || !set_cookie(m, f[3]))
		return false;
	m->kind = *f[0].p == 'S' ? XTR_MARKER_BEGIN : XTR_MARKER_END;
	m->scope = XTR_MARKER_PROCESS;
	put(m->name, f[2]);
	put(m->track, f[2]);
	put(m->key, f[2]);
	return true;
}

static bool track_begin(struct xtr_marker *m, const struct field *f, size_t n)
{
	if (n < 5 || !f[2].n || !f[3].n || !set_cookie(m, f[4]))
		return false;
	m->kind = XTR_MARKER_BEGIN;
	m->scope = XTR_MARKER_PROCESS;
	put(m->track, f[2]);
	put(m->name, f[3]);
	return true;
}

/* Old writers say the name once more. */
static bool track_end(struct xtr_marker *m, const struct field *f, size_t n)
{
	if (n < 4 || !f[2].n || !set_cookie(m, n > 4 && f[4].n ? f[4] : f[3]))
		return false;
	m->kind = XTR_MARKER_END;
	m->scope = XTR_MARKER_PROCESS;
	put(m->track, f[2]);
	if (n > 4 && f[4].n)
		put(m->name, f[3]);
	return true;
}

static bool instant(struct xtr_marker *m, const struct field *f, size_t n)
{
	if (n < 3 || !f[2].n)
		return false;
	put(m->name, f[2]);
	return true;
}

static bool track_instant(struct xtr_marker *m, const struct field *f, size_t n)
{
	if (n < 4 || !f[2].n || !f[3].n)
		return false;
	m->scope = XTR_MARKER_PROCESS;
	put(m->track, f[2]);
	put(m->name, f[3]);
	return true;
}

/* Chromium writes a category behind the value. */
static bool counter(struct xtr_marker *m, const struct field *f, size_t n)
{
	if (n < 4 || !f[2].n || !whole_number(f[3], &m->value))
		return false;
	m->kind = XTR_MARKER_COUNTER;
	m->scope = XTR_MARKER_PROCESS;
	put(m->name, f[2]);
	return true;
}

static const struct {
	char letter;
	bool needs_pid;
	bool (*take)(struct xtr_marker *m, const struct field *f, size_t n);
} letters[] = {
	{ 'B', true, begin },   { 'E', false, end },          { 'S', true, async },
	{ 'F', true, async },   { 'G', true, track_begin },   { 'H', true, track_end },
	{ 'I', true, instant }, { 'N', true, track_instant }, { 'C', true, counter },
};

static bool is_pid(struct field f, uint32_t *pid)
{
	int64_t v;

	if (!whole_number(f, &v) || v < 0 || v > INT32_MAX)
		return false;
	*pid = (uint32_t)v;
	return true;
}

static bool atrace(struct xtr_marker *m, const char *s, size_t n)
{
	struct field f[FIELDS_MAX];
	size_t fields;

	if (!n || (n > 1 && s[1] != '|'))
		return false;
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		if (letters[i].letter != *s)
			continue;
		fields = split(s, n, f);
		if ((fields < 2 || !is_pid(f[1], &m->pid)) && letters[i].needs_pid)
			return false;
		m->form = XTR_MARKER_ATRACE;
		return letters[i].take(m, f, fields);
	}
	return false;
}

/* --- ChromeOS: what drivers of Arm's GPU write there --------------------------------------------
 */

/*
 * "mali_driver: (mali-18789) cros_trace_print_enter: gles/api.c@992: glTexSubImage2D": on a track
 * of the writer, the place in the source makes the pair.
 */
static bool cros(struct xtr_marker *m, const char *s, size_t n)
{
	static const char word[] = "cros_trace_print_";
	const char *at = memmem(s, n, word, sizeof(word) - 1), *end = s + n, *colon, *track_end;
	bool enter;

	if (!at)
		return false;
	track_end = at;
	at += sizeof(word) - 1;
	enter = end - at > 7 && !memcmp(at, "enter: ", 7);
	if (!enter && !(end - at > 6 && !memcmp(at, "exit: ", 6)))
		return false;
	at += enter ? 7 : 6;
	while (track_end > s && (track_end[-1] == ' ' || track_end[-1] == ':'))
		track_end--;
	m->form = XTR_MARKER_CROS;
	m->kind = enter ? XTR_MARKER_BEGIN : XTR_MARKER_END;
	marker_put(m->track, s, (size_t)(track_end - s));
	colon = memchr(at, ':', (size_t)(end - at));
	marker_put(m->key, at, (size_t)((colon ? colon : end) - at));
	if (!m->key[0])
		return false;
	if (colon && end - colon > 2)
		marker_put(m->name, colon + 2, (size_t)(end - colon - 2));
	else
		marker_put(m->name, m->key, strlen(m->key));
	return true;
}

/* --- any -------------------------------------------------------------------------------------- */

static bool (*const forms[])(struct xtr_marker *m, const char *s, size_t n) = {
	atrace,
	cros,
	marker_gpuvis,
	marker_words,
};

void xtr_marker_parse(struct xtr_marker *m, const char *s, size_t n)
{
	static const char clock_sync[] = "trace_event_clock_sync:";
	const char *line;

	n = strnlen(s, n);
	while (n && s[n - 1] == '\n')
		n--;
	line = memchr(s, '\n', n);
	n = line ? (size_t)(line - s) : n;
	marker_clear(m);
	if (n >= sizeof(clock_sync) - 1 && !memcmp(s, clock_sync, sizeof(clock_sync) - 1)) {
		m->kind = XTR_MARKER_NOTHING;
		return;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i](m, s, n))
			return;
		marker_clear(m);
	}
	marker_put(m->name, s, n);
}

/* --- events ----------------------------------------------------------------------------------- */

enum {
	TEXT,
	TYPE,
	BEGINS,
	NAME,
	PID,
	VALUE,
	TRACK
};

/*
 * ftrace:print is trace_marker's; the others are drivers' own events of the same form (of vendors'
 * kernels: sde, mdss, dpu, mali, g2d, lwis; systrace:0), and track events of Perfetto.
 */
static const struct xtr_bind_spec specs[] = {
	{ .event = "ftrace:print", .fields = { "buf" } },
	{ .event = "*:tracing_mark_write",
	  .fields = { "buf|print_buf", "trace_type|type", "trace_begin",
		      "trace_name|name|func_name|title", "pid", "value" } },
	/* As text: "mali_job_systrace_event_start: tracing_mark_write: S|7541|vertex-job|225". */
	{ .event = "*", .fields = { "tracing_mark_write" } },
	{ .event = "perfetto:track_event",
	  .fields = { [TYPE] = "type",
		      [NAME] = "name",
		      [PID] = "pid",
		      [VALUE] = "value",
		      [TRACK] = "track" } },
};

static bool is_event(const char *pattern, const char *name)
{
	const char *colon;

	if (*pattern != '*')
		return !strcmp(pattern, name);
	colon = strchr(name, ':');
	return !pattern[1] || (colon && !strcmp(colon, pattern + 1));
}

static bool is_text(const struct xtr_field *f)
{
	return f && (f->repr == XTR_REPR_STRID || f->repr == XTR_REPR_STR);
}

bool xtr_marker_bind(struct xtr_marker_event *e, const struct xtr_event_desc *d)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (!is_event(specs[i].event, d->name))
			continue;
		e->desc = d;
		xtr_bind_desc(&e->at, d, &specs[i]);
		e->text = is_text(e->at.slot[TEXT].field);
		if (e->text || (xtr_bind_has(&e->at, NAME) &&
				(xtr_bind_has(&e->at, TYPE) || xtr_bind_has(&e->at, BEGINS))))
			return true;
	}
	return false;
}

/* A letter, a word that begins with it, or the number that Perfetto gives the kind. */
static char type_of(const struct xtr_marker_event *e, const struct xtr_event *ev,
		    const struct xtr_tables *t)
{
	static const char numbers[] = "?BEIC";
	uint64_t v;
	size_t n;
	const char *s;

	if (!xtr_bind_has(&e->at, TYPE))
		return xtr_bind_u64(&e->at, BEGINS, ev) ? 'B' : 'E';
	s = xtr_bind_text(&e->at, TYPE, ev, t, &n);
	if (s)
		return n && *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : (n ? *s : '?');
	v = xtr_bind_u64(&e->at, TYPE, ev);
	return v < sizeof(numbers) - 1 ? numbers[v] : (v < 128 ? (char)v : '?');
}

static void fields_of(struct xtr_marker *m, char type)
{
	static const struct {
		char type;
		enum xtr_marker_kind kind;
	} kinds[] = { { 'B', XTR_MARKER_BEGIN },
		      { 'E', XTR_MARKER_END },
		      { 'C', XTR_MARKER_COUNTER } };

	m->form = XTR_MARKER_FIELDS;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].type == type)
			m->kind = kinds[i].kind;
	if (m->track[0] || m->kind == XTR_MARKER_COUNTER)
		m->scope = XTR_MARKER_PROCESS;
}

bool xtr_marker_read(struct xtr_marker *m, const struct xtr_marker_event *e,
		     const struct xtr_event *ev, const struct xtr_tables *t)
{
	size_t n;
	const char *s;

	if (e->text) {
		s = xtr_bind_text(&e->at, TEXT, ev, t, &n);
		if (s)
			xtr_marker_parse(m, s, n);
		m->by_driver = s && strncmp(e->desc->name, "ftrace:", 7) != 0;
		return s;
	}
	marker_clear(m);
	s = xtr_bind_text(&e->at, NAME, ev, t, &n);
	if (s)
		marker_put(m->name, s, n);
	s = xtr_bind_text(&e->at, TRACK, ev, t, &n);
	if (s)
		marker_put(m->track, s, n);
	m->pid = (uint32_t)xtr_bind_u64(&e->at, PID, ev);
	m->value = xtr_bind_s64(&e->at, VALUE, ev);
	m->by_driver = true;
	fields_of(m, type_of(e, ev, t));
	return true;
}

uint64_t xtr_marker_time(const struct xtr_marker *m, uint64_t ts)
{
	uint64_t at = m->at_ns ? m->at_ns : ts, back;

	if (m->offset_ns >= 0)
		return __builtin_add_overflow(at, (uint64_t)m->offset_ns, &at) ? 0 : at;
	back = -(uint64_t)m->offset_ns;
	return at > back ? at - back : 0;
}

void xtr_marker_process(const struct xtr_marker *m, const struct xtr_tables *t, uint64_t ts,
			uint32_t *pid, uint32_t *nth)
{
	const struct xtr_task *task = t && m->pid ? xtr_tables_task(t, m->pid, ts) : NULL;

	if (!m->pid || (*pid && !m->by_driver))
		return;
	*pid = m->pid;
	*nth = task ? task->nth : 0;
}
