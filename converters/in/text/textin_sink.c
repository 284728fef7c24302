/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between a parser of lines and the core. Tools print in the order of time as well as they know it;
 * a window of events is kept back, so that those which come a little late take their place. The
 * window is a heap by time, then by line. What comes later than that is handed over as it is and
 * counted.
 */
#include "textin.h"

#include "base/checked.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_EVENTS 1024u
#define WINDOW_BYTES  ((size_t)4 << 20)
#define KEEP_BYTES    1024u /* of a slot that is free */

struct slot {
	struct textin_event e; /* its pointers go into line */
	uint64_t order;
	char *line;
	size_t cap, len;
};

struct cpu {
	uint64_t last;    /* time of its last event in the order of lines */
	uint64_t pending; /* events missing before the next one */
	bool seen, some;  /* some: besides, an unknown number is missing */
	bool begins;
};

#define SHOWN 80 /* bytes of a line that could not be read */

struct textin_sink {
	struct xtr_import *im;
	const struct textin_line *line; /* that is read now; NULL: not known */
	struct slot slots[WINDOW_EVENTS];
	uint32_t heap[WINDOW_EVENTS], spare[WINDOW_EVENTS];
	size_t n, n_spare, bytes;
	uint64_t order, first, handed, newest; /* ns: first event, last handed over, latest line */
	uint64_t unit;                         /* ns: resolution */
	uint64_t tie_ts, tie; /* ns: of the last event handed over, and what was added to it */
	uint32_t tie_cpu;
	uint64_t events, reordered, late, stacks, lost_before, begin;
	struct textin_kinds kinds;
	struct textin_values values;
	struct cpu cpus[XTR_IMPORT_CPUS];
};

int textin_sink_new(struct textin_sink **out, struct xtr_import *im)
{
	struct textin_sink *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -ENOMEM;
	s->im = im;
	s->unit = 1;
	for (uint32_t i = 0; i < WINDOW_EVENTS; i++)
		s->spare[s->n_spare++] = i;
	return 0;
}

void textin_sink_free(struct textin_sink *s)
{
	for (size_t i = 0; s && i < WINDOW_EVENTS; i++)
		free(s->slots[i].line);
	free(s);
}

void textin_sink_resolution(struct textin_sink *s, uint64_t ns)
{
	s->unit = ns;
}

/* --- the window ------------------------------------------------------------------------------- */

static bool before(const struct textin_sink *s, uint32_t a, uint32_t b)
{
	const struct slot *x = &s->slots[a], *y = &s->slots[b];

	return x->e.at.ts != y->e.at.ts ? x->e.at.ts < y->e.at.ts : x->order < y->order;
}

static void heap_push(struct textin_sink *s, uint32_t slot)
{
	size_t i = s->n++;

	for (; i && before(s, slot, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = slot;
}

static uint32_t heap_pop(struct textin_sink *s)
{
	uint32_t top = s->heap[0], last = s->heap[--s->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < s->n) {
		if (child + 1 < s->n && before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!before(s, s->heap[child], last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return top;
}

static void add_comm(struct textin_sink *s, const struct xtr_import_at *at)
{
	const struct xtr_import_value comm = { .name = "comm",
					       .name_len = 4,
					       .kind = XTR_IMPORT_STR,
					       .str = at->comm,
					       .str_len = at->comm_len };

	if (s->values.n < XTR_IMPORT_VALUES)
		textin_add_value(&s->values, &comm);
}

static int give_call(struct textin_sink *s, const struct textin_event *e,
		     const struct xtr_import_at *at)
{
	const struct xtr_import_call call = { .api = e->api,
					      .ret = e->ret,
					      .module = e->system,
					      .module_len = e->system ? e->system_len : 0,
					      .symbol = e->name,
					      .symbol_len = e->name_len };
	return xtr_import_call(s->im, at, &call, s->values.v, s->values.n);
}

/* What user space wrote, as the kernel's own event has it. */
static int give_mark(struct textin_sink *s, const struct textin_event *e,
		     const struct xtr_import_at *at, const char *text, size_t len)
{
	const struct xtr_import_value buf = {
		.name = "buf", .name_len = 3, .kind = XTR_IMPORT_STR, .str = text, .str_len = len
	};

	s->values.n = 0;
	s->values.names_used = 0;
	textin_add_value(&s->values, &buf);
	if (e->comm_value)
		add_comm(s, &e->at);
	return xtr_import_event(s->im, at, "ftrace", 6, "print", 5, s->values.v, s->values.n);
}

/* Its system, by the first that tells: the line, its print format, its name. */
static const char *system_of(const struct textin_event *e, const struct textin_values *v,
			     size_t *len)
{
	const char *system = e->of_system ? e->of_system : v->system ? v->system : v->event->system;

	*len = e->system ? e->system_len : system ? strlen(system) : 0;
	return e->system ? e->system : system;
}

static int give(struct textin_sink *s, const struct textin_event *e)
{
	const struct textin_event_kind *kind;
	const char *system, *name = e->name, *text;
	size_t len = e->name_len, n;
	struct xtr_import_at at = e->at;
	char prefixed[128];

	if (e->comm_value)
		at.comm = NULL;
	if (textin_mark(e, &text, &n))
		return give_mark(s, e, &at, text, n);
	if (e->prefix) {
		snprintf(prefixed, sizeof(prefixed), "%s%.*s", e->prefix,
			 (int)(len < 64 ? len : 64), name);
		name = prefixed;
		len = strlen(prefixed);
	}
	/* A function may be called like an event whose print format is known. */
	kind = textin_kind_of(&s->kinds, name, e->call ? 0 : len);
	textin_split(kind, name, e->call ? 0 : len, e->text, e->text_len, &s->values);
	if (e->comm_value)
		add_comm(s, &e->at);
	if (e->call)
		return give_call(s, e, &at);
	system = system_of(e, &s->values, &n);
	return xtr_import_event(s->im, &at, system, n, name, len, s->values.v, s->values.n);
}

static void keep_order(struct textin_sink *s, struct xtr_import_at *at)
{
	if (at->ts != s->tie_ts)
		s->tie = 0;
	else if (at->cpu < s->tie_cpu && s->tie + 1 < s->unit)
		s->tie++;
	s->tie_ts = at->ts;
	s->tie_cpu = at->cpu;
	at->ts += s->tie;
}

static int hand_over(struct textin_sink *s)
{
	uint32_t i = heap_pop(s);
	struct slot *slot = &s->slots[i];
	int err;

	if (slot->e.at.ts < s->handed)
		s->late++;
	else
		s->handed = slot->e.at.ts;
	keep_order(s, &slot->e.at);
	err = give(s, &slot->e);
	s->bytes -= slot->len;
	if (slot->cap > KEEP_BYTES) {
		free(slot->line);
		slot->line = NULL;
		slot->cap = 0;
	}
	s->spare[s->n_spare++] = i;
	return err;
}

/* The same place in the copy of a line. */
static const char *moved(const char *p, const char *line, const char *copy)
{
	return p ? copy + (p - line) : NULL;
}

static int keep(struct textin_sink *s, const struct textin_event *e, const char *line, size_t len)
{
	uint32_t i = s->spare[s->n_spare - 1];
	struct slot *slot = &s->slots[i];

	if (!slot->line || slot->cap < len + 1) {
		free(slot->line);
		slot->cap = len + 1 < 256 ? 256 : len + 1;
		slot->line = malloc(slot->cap);
		if (!slot->line) {
			slot->cap = 0;
			return -ENOMEM;
		}
	}
	memcpy(slot->line, line, len);
	slot->len = len;
	slot->e = *e;
	slot->e.at.comm = moved(e->at.comm, line, slot->line);
	slot->e.system = moved(e->system, line, slot->line);
	slot->e.name = moved(e->name, line, slot->line);
	slot->e.text = moved(e->text, line, slot->line);
	slot->order = s->order++;
	s->n_spare--;
	s->bytes += len;
	heap_push(s, i);
	return 0;
}

/* --- losses ----------------------------------------------------------------------------------- */

static int tell_lost(struct textin_sink *s, uint32_t cpu, uint64_t first, uint64_t last)
{
	struct cpu *c = &s->cpus[cpu];
	int err = 0;

	if (c->pending)
		err = xtr_import_lost(s->im, cpu, first, last, c->pending);
	if (!err && c->some)
		err = xtr_import_lost(s->im, cpu, first, last, 0);
	c->pending = 0;
	c->some = false;
	return err;
}

int textin_sink_lost(struct textin_sink *s, uint32_t cpu, uint64_t count)
{
	if (cpu >= XTR_IMPORT_CPUS)
		return xtr_import_lost(s->im, XTR_STREAM_NONE, s->newest, s->newest, count);
	s->cpus[cpu].pending = xtr_sat_add(s->cpus[cpu].pending, count);
	s->cpus[cpu].some |= !count;
	return 0;
}

void textin_sink_lost_before(struct textin_sink *s, uint64_t count)
{
	s->lost_before = xtr_sat_add(s->lost_before, count);
}

void textin_sink_begins(struct textin_sink *s, uint32_t cpu)
{
	if (cpu < XTR_IMPORT_CPUS)
		s->cpus[cpu].begins = true;
}

void textin_sink_line(struct textin_sink *s, const struct textin_line *line)
{
	s->line = line;
}

void textin_sink_damage(struct textin_sink *s, uint64_t number, const char *what)
{
	const char *text = s->line ? s->line->text : "";
	size_t n = s->line ? s->line->len : 0;

	while (n && (*text == ' ' || *text == '\t')) {
		text++;
		n--;
	}
	if (n)
		xtr_import_damage(s->im, "line %" PRIu64 ": %s: '%.*s'%s", number, what,
				  (int)(n < SHOWN ? n : SHOWN), text, n > SHOWN ? "..." : "");
	else
		xtr_import_damage(s->im, "line %" PRIu64 ": %s", number, what);
}

int textin_sink_bad_line(struct textin_sink *s, uint64_t number, const struct textin_line *line)
{
	static const char *const what[] = { [TEXTIN_TOO_LONG] = "too long",
					    [TEXTIN_BINARY] = "not text",
					    [TEXTIN_CUT] = "the file ends in the middle of it" };

	if (line->state == TEXTIN_CUT && !line->len)
		return 0;
	textin_sink_damage(s, number, what[line->state]);
	return xtr_import_lost(s->im, XTR_STREAM_NONE, s->newest, s->newest, 0);
}

void textin_sink_stack(struct textin_sink *s)
{
	s->stacks++;
}

/* --- events ----------------------------------------------------------------------------------- */

static int see_cpu(struct textin_sink *s, const struct xtr_import_at *at)
{
	struct cpu *c = &s->cpus[at->cpu];
	int err = 0;

	if (c->pending || c->some)
		err = tell_lost(s, at->cpu, c->seen ? c->last : at->ts, at->ts);
	if (c->begins && at->ts > s->begin)
		s->begin = at->ts;
	c->begins = false;
	c->seen = true;
	c->last = at->ts;
	return err;
}

int textin_sink_event(struct textin_sink *s, const struct textin_event *e, const char *line,
		      size_t len)
{
	int err = see_cpu(s, &e->at);

	if (!s->events++ || e->at.ts < s->first)
		s->first = e->at.ts;
	if (e->at.ts < s->newest)
		s->reordered++;
	else
		s->newest = e->at.ts;
	while (!err && s->n && (!s->n_spare || s->bytes + len > WINDOW_BYTES))
		err = hand_over(s);
	return err ? err : keep(s, e, line, len);
}

int textin_sink_next(struct textin_sink *s, const struct textin_event *e)
{
	struct textin_event one = *e;

	one.at.ts = ++s->newest;
	s->events++;
	return give(s, &one);
}

int textin_sink_lost_here(struct textin_sink *s, uint64_t count)
{
	/* Before the next event, as gaps are told before what happens at the same time. */
	return xtr_import_lost(s->im, XTR_STREAM_NONE, s->newest + 1, s->newest + 1, count);
}

static int note_count(struct textin_sink *s, const char *key, uint64_t n)
{
	char text[24];

	if (!n)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64, n);
	return xtr_import_note(s->im, key, text);
}

int textin_sink_finish(struct textin_sink *s)
{
	int err = 0;

	while (!err && s->n)
		err = hand_over(s);
	for (uint32_t i = 0; !err && i < XTR_IMPORT_CPUS; i++)
		err = tell_lost(s, i, s->cpus[i].seen ? s->cpus[i].last : s->newest, s->newest);
	if (!err && s->lost_before)
		err = xtr_import_lost(s->im, XTR_STREAM_NONE, s->first,
				      s->begin > s->first ? s->begin : s->first, s->lost_before);
	return err ?: note_count(s, "import-reordered", s->reordered - s->late) ?:
	       note_count(s, "import-late", s->late) ?:
	       note_count(s, "import-stack-lines-left-out", s->stacks);
}
