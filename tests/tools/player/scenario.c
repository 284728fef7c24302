/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a scenario: directives, repeats, lines; all in order of time. */
#include "play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEAT_MAX 10000000u

struct raw {
	struct play_place at;
	char *text;
};

struct input {
	struct play_scenario *s;
	struct raw *raw;
	size_t n_raw;
	bool in_repeat;
	uint64_t i, shift, last;
};

static void load(struct input *in, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	struct play_place at = { .path = path };

	if (!f)
		play_fail(NULL, "%s: %s", path, strerror(errno));
	while ((n = getline(&line, &cap, f)) >= 0) {
		at.line++;
		in->raw = play_grow(in->raw, in->n_raw, sizeof(*in->raw));
		in->raw[in->n_raw++] = (struct raw){ at, play_copy(line, (size_t)n) };
	}
	if (ferror(f))
		play_fail(NULL, "%s: cannot be read", path);
	free(line);
	fclose(f);
}

/* --- fences ----------------------------------------------------------------------------------- */

/* The operations that drivers give their fences; others: DRIVER_fence_ops. */
static const struct {
	const char *driver, *ops;
} fence_ops[] = {
	{ "drm_sched", "drm_sched_fence_ops_finished" },
	{ "xe", "xe_hw_fence_ops" },
	{ "amdxdna", "fence_ops" },
	{ "nouveau", "nouveau_fence_ops_uevent" },
};

static const char *ops_of(const char *driver)
{
	char text[128];

	for (size_t i = 0; i < sizeof(fence_ops) / sizeof(fence_ops[0]); i++)
		if (!strcmp(fence_ops[i].driver, driver))
			return fence_ops[i].ops;
	snprintf(text, sizeof(text), "%s_fence_ops", driver);
	return play_copy(text, strlen(text));
}

static bool same_timeline(const struct play_fence *a, const struct play_fence *b)
{
	return !strcmp(a->driver, b->driver) && !strcmp(a->timeline, b->timeline);
}

/* A context for each timeline, 1001, 1003, ...; its fences count from 1. */
static void number_fence(const struct play_scenario *s, struct play_fence *f)
{
	uint64_t next = 1001;

	f->seqno = 1;
	for (size_t i = 0; i < s->n_fences; i++) {
		const struct play_fence *o = &s->fences[i];

		if (same_timeline(o, f)) {
			f->ctx = o->ctx;
			f->seqno = o->seqno + 1;
		}
		if (o->ctx >= next && o->ctx < 1000000)
			next = o->ctx + 2;
	}
	if (!f->ctx)
		f->ctx = next;
}

static void add_fence(struct input *in, const struct play_place *at, const struct play_word *w,
		      size_t n)
{
	struct play_scenario *s = in->s;
	struct play_fence f = { 0 };

	if (n != 4 && n != 6)
		play_fail(at, "!fence NAME DRIVER TIMELINE [CONTEXT SEQNO]");
	f.name = w[1].text;
	f.driver = w[2].text;
	f.timeline = w[3].text;
	f.ops = ops_of(f.driver);
	for (size_t i = 0; i < s->n_fences; i++)
		if (!strcmp(s->fences[i].name, f.name))
			play_fail(at, "a second fence %s", f.name);
	if (n == 6) {
		f.ctx = play_number(at, w[4].text, UINT64_MAX);
		f.seqno = play_number(at, w[5].text, UINT64_MAX);
	} else {
		number_fence(s, &f);
	}
	s->fences = play_grow(s->fences, s->n_fences, sizeof(f));
	s->fences[s->n_fences++] = f;
}

const struct play_fence *play_fence(const struct play_scenario *s, const struct play_place *at,
				    const char *name)
{
	for (size_t i = 0; i < s->n_fences; i++)
		if (!strcmp(s->fences[i].name, name))
			return &s->fences[i];
	play_fail(at, "no fence %s", name);
}

/* --- values ----------------------------------------------------------------------------------- */

static uint64_t reference(const struct play_scenario *s, const struct play_line *l,
			  const char *text, const char **rest)
{
	size_t n = strcspn(text, ".+-");
	char *name = play_copy(text, n);
	const struct play_fence *f;

	*rest = text + n;
	if (!strcmp(name, "now"))
		return l->ts;
	if (!strcmp(name, "start"))
		return PLAY_START_NS;
	f = play_fence(s, &l->at, name);
	n = strcspn(*rest, "+-");
	*rest += n;
	if (n == 4 && !strncmp(*rest - n, ".ctx", n))
		return f->ctx;
	if (n == 6 && !strncmp(*rest - n, ".seqno", n))
		return f->seqno;
	play_fail(&l->at, "@%s has no such number", text);
}

uint64_t play_value(const struct play_scenario *s, const struct play_line *l, const char *text,
		    bool *negative)
{
	const char *rest;
	uint64_t v, more;

	*negative = false;
	if (*text == '-') {
		v = play_number(&l->at, text + 1, 1ull << 63);
		*negative = v;
		return 0 - v;
	}
	if (*text != '@')
		return play_number(&l->at, text, UINT64_MAX);
	v = reference(s, l, text + 1, &rest);
	if (!*rest)
		return v;
	if (*rest != '+' && *rest != '-')
		play_fail(&l->at, "%s: neither + nor - behind the name", text);
	more = play_number(&l->at, rest + 1, UINT64_MAX);
	return *rest == '+' ? v + more : v - more;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* COMM/PID[/TID], [COMM]/PID of a kernel thread, - in idle. */
static void parse_task(struct play_line *l, const char *text)
{
	const char *last = strrchr(text, '/'), *before;
	size_t n;

	if (!strcmp(text, "-"))
		return;
	if (!last || last == text || !last[1] || strspn(last + 1, "0123456789") != strlen(last + 1))
		play_fail(&l->at, "\"%s\" is no task: COMM/PID, COMM/PID/TID or -", text);
	l->pid = l->tid = (uint32_t)play_number(&l->at, last + 1, INT32_MAX);
	before = memrchr(text, '/', (size_t)(last - text));
	n = before ? (size_t)(last - before) - 1 : 0;
	if (n && before > text && strspn(before + 1, "0123456789") == n) {
		l->pid = (uint32_t)play_number(&l->at, play_copy(before + 1, n), INT32_MAX);
		last = before;
	}
	n = (size_t)(last - text);
	l->kthread = n > 2 && *text == '[' && text[n - 1] == ']';
	l->comm = play_copy(text + l->kthread, n - 2 * l->kthread);
	if (!l->tid)
		play_fail(&l->at, "thread 0 is written as -");
}

static struct play_line *new_line(struct input *in, const struct play_place *at, const char *time,
				  const char *cpu)
{
	struct play_scenario *s = in->s;
	uint64_t ts = play_time(at, time);
	struct play_line *l;

	if (ts < in->last)
		play_fail(at, "the time goes back");
	in->last = ts;
	s->lines = play_grow(s->lines, s->n_lines, sizeof(*l));
	l = &s->lines[s->n_lines];
	*l = (struct play_line){ .at = *at, .order = s->n_lines++ };
	l->ts = PLAY_START_NS + ts + in->shift;
	l->cpu = (uint32_t)play_number(at, cpu, 4095);
	if (l->cpu >= s->cpus)
		s->cpus = l->cpu + 1;
	return l;
}

static void add_line(struct input *in, const struct play_place *at, struct play_word *w, size_t n)
{
	struct play_line *l;

	if (n < 4)
		play_fail(at, "TIME TASK CPU EVENT [field=value ...]");
	l = new_line(in, at, w[0].text, w[2].text);
	parse_task(l, w[1].text);
	l->event = w[3].text;
	l->fields = w + 4;
	l->n_fields = n - 4;
	for (size_t i = 0; i < l->n_fields; i++) {
		if (!l->fields[i].value)
			play_fail(at, "\"%s\" is no field=value", l->fields[i].text);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(l->fields[k].text, l->fields[i].text))
				play_fail(at, "a second value of %s", l->fields[i].text);
	}
}

static void add_lost(struct input *in, const struct play_place *at, const struct play_word *w,
		     size_t n)
{
	struct play_line *l;

	if (n != 5)
		play_fail(at, "!lost TIME CPU COUNT EVENT");
	l = new_line(in, at, w[1].text, w[2].text);
	l->lost = play_number(at, w[3].text, UINT32_MAX);
	l->event = w[4].text;
	if (!l->lost)
		play_fail(at, "none is lost");
}

static void add_device(struct input *in, const struct play_place *at, const struct play_word *w,
		       size_t n)
{
	struct play_scenario *s = in->s;

	if (n != 3 && n != 4)
		play_fail(at, "!device NAME DRIVER [PCI_ID]");
	s->devices = play_grow(s->devices, s->n_devices, sizeof(*s->devices));
	s->devices[s->n_devices++] =
		(struct play_device){ w[1].text, w[2].text, n == 4 ? w[3].text : NULL };
}

static void add_attached(struct input *in, const struct play_place *at, const struct play_word *w,
			 size_t n)
{
	struct play_scenario *s = in->s;

	for (size_t i = 1; i < n; i++) {
		s->attached = play_grow(s->attached, s->n_attached, sizeof(*s->attached));
		s->attached_at = play_grow(s->attached_at, s->n_attached, sizeof(*at));
		s->attached_at[s->n_attached] = *at;
		s->attached[s->n_attached++] = w[i].text;
	}
}

/* What the runner and the judges look for: nothing to do here. */
static void skip(struct input *in, const struct play_place *at, const struct play_word *w, size_t n)
{
	(void)n;
	if (!strcmp(w[0].text, "!title"))
		in->s->title = in->raw[at->line - 1].text;
}

static const struct {
	const char *name;
	void (*take)(struct input *in, const struct play_place *at, const struct play_word *w,
		     size_t n);
	bool repeats; /* may stand in a repeat */
} directives[] = {
	{ "!fence", add_fence, true },    { "!lost", add_lost, true },
	{ "!device", add_device, false }, { "!attach", add_attached, false },
	{ "!title", skip, false },        { "!lab", skip, false },
	{ "!kernels", skip, false },      { "!expect", skip, false },
	{ "!silent", skip, false },
};

static void take(struct input *in, const struct raw *raw)
{
	struct play_word *w;
	size_t n;

	if (raw->text[strspn(raw->text, " \t")] == '#')
		return;
	n = play_words(&raw->at, play_expand(&raw->at, raw->text, in->in_repeat, in->i), &w);
	if (!n)
		return;
	if (w[0].text[0] != '!') {
		add_line(in, &raw->at, w, n);
		return;
	}
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
		if (strcmp(directives[i].name, w[0].text))
			continue;
		if (in->in_repeat && !directives[i].repeats)
			play_fail(&raw->at, "%s in a repeat", w[0].text);
		directives[i].take(in, &raw->at, w, n);
		return;
	}
	play_fail(&raw->at, "no directive %s", w[0].text);
}

static bool begins_with(const struct raw *raw, const char *want)
{
	struct play_word *w;

	return play_words(&raw->at, raw->text, &w) && !strcmp(w[0].text, want);
}

/* The lines from raw[at] on, behind !repeat; returns the index of !end. */
static size_t repeat(struct input *in, size_t at)
{
	const struct raw *head = &in->raw[at++];
	uint64_t n, step, last = in->last;
	struct play_word *w;
	size_t end = at;

	if (play_words(&head->at, head->text, &w) != 3)
		play_fail(&head->at, "!repeat COUNT STEP_US");
	n = play_number(&head->at, w[1].text, REPEAT_MAX);
	step = play_time(&head->at, w[2].text);
	while (end < in->n_raw && !begins_with(&in->raw[end], "!end"))
		end++;
	if (end == in->n_raw)
		play_fail(&head->at, "!repeat without !end");
	in->in_repeat = true;
	for (in->i = 0; in->i < n; in->i++) {
		in->shift = in->i * step;
		in->last = 0;
		for (size_t k = at; k < end; k++)
			take(in, &in->raw[k]);
	}
	in->in_repeat = false;
	in->shift = 0;
	in->last = last;
	return end;
}

static int by_time(const void *a, const void *b)
{
	const struct play_line *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void play_read(struct play_scenario *s, const char *path)
{
	struct input in = { .s = s };

	s->path = path;
	s->cpus = 1;
	load(&in, path);
	for (size_t i = 0; i < in.n_raw; i++) {
		if (begins_with(&in.raw[i], "!repeat"))
			i = repeat(&in, i);
		else
			take(&in, &in.raw[i]);
	}
	if (s->n_lines)
		qsort(s->lines, s->n_lines, sizeof(*s->lines), by_time);
}
